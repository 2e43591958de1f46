extends Case

func one(node: Object, part: String) -> void:
	var problems: PackedStringArray = node.get_problems()
	check(problems.size() == 1 and problems[0].contains(part), "wanted one warning with \"%s\", got %s" % [part, problems])


func test_of_a_bridge() -> void:
	var b := AiccBridge.new()
	equal(b.get_problems(), PackedStringArray(), "none")
	var project_name: String = ProjectSettings.get_setting("application/config/name")
	ProjectSettings.set_setting("application/config/name", "")
	one(b, "world_name is empty and the project has no name")
	ProjectSettings.set_setting("application/config/name", project_name)
	for bad: Array in [["listen_address", "192.168.1.1", "can be reached from other machines"], ["lockstep", true, "lockstep does not go with listen"], ["listen_port", -1, "listen_port is -1"], ["tick_rate", NAN, "tick_rate is out of range"],
			["idle_timeout", -1.0, "a time is out of range"], ["resume_window", 1e6, "a time is out of range"]]:
		var was: Variant = b.get(bad[0])
		b.set(bad[0], bad[1])
		one(b, bad[2])
		b.set(bad[0], was)
	for fine: String in ["localhost", "::1", "127.0.0.2"]:
		b.listen_address = fine
		equal(b.get_problems(), PackedStringArray(), fine)
	b.free()


func test_of_a_character() -> void:
	var b := new_bridge()
	b.autostart = false
	var body := Body.new()
	var c := AiccCharacter.new()
	body.add_child(c)
	tree.root.add_child(body)
	one(c, "No bridge: there is no AiccBridge: add one to the main scene")
	await frames(2)
	expect_error("there is no AiccBridge")
	body.add_child(b)
	equal(c.get_problems(), PackedStringArray(), "none")
	c.target = NodePath("../nothing")
	one(c, "`target` is \"../nothing\", and there is no such node")
	c.target = NodePath("..")
	c.bridge = NodePath("..")
	one(c, "No bridge: its property `bridge` is \"..\", and there is no AiccBridge")
	c.bridge = NodePath("")
	c.tools = [null] as Array[AiccTool]
	one(c, "tools[0] is empty")
	expect_error("tools[0] is empty")
	c.tools = [tool("look"), tool("look")] as Array[AiccTool]
	one(c, "Two tools have the id \"look\": the first one counts")
	c.tools = [tool("dance")] as Array[AiccTool]
	one(c, "has no method dance()")
	expect_error("has no method dance()")
	c.tools = [tool("look", {}, {"description": ""})] as Array[AiccTool]
	one(c, "Tool \"look\": description is empty")
	expect_error("tool \"look\" cannot be added: description is empty")
	c.tools = [] as Array[AiccTool]
	c.character_name = "twin"
	var other := AiccCharacter.new()
	other.character_name = "twin"
	b.add_child(other)
	body.remove_child(b)
	b.add_child(AiccCharacter.new())
	body.remove_child(c)
	b.add_child(c)
	tree.root.add_child(b)
	one(c, "Another character of the same bridge is called \"twin\" too")
	b.free()
	body.free()
