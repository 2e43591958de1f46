extends Case
## What the game did wrong is told in Godot's words, and what belongs to the main thread stays there.

func done(_input: Dictionary) -> Dictionary:
	return {}


func listening(name: String, more := {}) -> AiccBridge:
	var b := AiccBridge.new()
	b.world_name = name
	for key: String in more:
		b.set(key, more[key])
	tree.root.add_child(b)
	return b


func test_two_bridges_of_one_name() -> void:
	var one := listening("one")
	var port := int(one.get_address().get_slice(":", 2))
	var two := listening("one", {"listen_port": port})
	expect_error("another AiccBridge listens at 127.0.0.1:%d" % port if two.is_running() else "port %d" % port) # the first has any port
	one.stop()
	one.listen_port = port
	equal(one.start(), OK, "the first, at this port")
	equal(two.start(), ERR_CANT_CREATE, "the same name")
	expect_error("AiccBridge \"one\": it cannot start: another AiccBridge that listens at the same port has this world_name too: give each its own world_name, or its own listen_port.")
	two.world_name = "two"
	equal(two.start(), OK, "its own name")
	one.free()
	two.free()


func test_what_a_bridge_refuses() -> void:
	for bad: Array in [["world_kind", 0, "world_kind is 0: it is one of AiccBridge.WORLD_*"], ["tick_mode", 9, "tick_mode is 9"], ["pump_mode", 9, "pump_mode is 9"], ["second_agent", 5, "second_agent is 5"],
			["log_level", 77, "log_level is 77"], ["budget_usec", -5, "budget_usec is -5: it is 0 (no limit) or more"], ["idle_timeout", NAN, "a time is out of range"], ["resume_window", NAN, "a time is out of range"],
			["idle_timeout", INF, "a time is out of range"], ["listen_token", "two words", "listen_token has a blank"], ["world_name", "x".repeat(257), "world_name is too long"]]:
		var b := AiccBridge.new()
		b.world_name = "yard"
		b.set(bad[0], bad[1])
		var problems := b.get_problems()
		check(problems.size() == 1 and problems[0].contains(bad[2]), "%s: wanted \"%s\", got %s" % [bad[0], bad[2], problems])
		equal(b.start(), ERR_UNCONFIGURED, bad[0])
		expect_error("it cannot start: " + bad[2].get_slice(":", 0))
		b.free()
	for bad: Array in [["allowed_hosts", "a/b", "allowed_hosts: \"a/b\" is no host"], ["allowed_origins", "nowhere", "allowed_origins: \"nowhere\" is no origin"]]:
		var b := AiccBridge.new()
		b.world_name = "yard"
		b.set(bad[0], PackedStringArray([bad[1]]))
		equal(b.start(), ERR_INVALID_PARAMETER, bad[0])
		check(not errors.lines.is_empty() and not errors.lines[0].contains("listen_port"), "nothing of the port: %s" % [errors.lines])
		expect_error(bad[2])
		b.free()
	var still := new_bridge()
	still.process_mode = Node.PROCESS_MODE_DISABLED
	check(still.get_problems().size() == 1 and still.get_problems()[0].contains("process_mode is Disabled"), "process_mode: %s" % [still.get_problems()])
	tree.root.add_child(still)
	check(still.is_running(), "that is no reason not to start")
	still.free()


func test_a_character_without_a_seat_says_why() -> void:
	var c := AiccCharacter.new()
	c.character_name = "guard"
	equal(c.attach(), ERR_UNCONFIGURED, "out of the tree")
	expect_error("which comes when it is in the tree")
	tree.root.add_child(c)
	equal(c.attach(), ERR_UNCONFIGURED, "no bridge")
	expect_error("attach(): there is no AiccBridge: add one to the main scene")
	await frames(2)
	expect_error("there is no AiccBridge")
	var b := new_bridge()
	b.autostart = false
	tree.root.add_child(b)
	equal(c.attach(), ERR_UNCONFIGURED, "a bridge that does not run")
	expect_error("its AiccBridge does not run")
	b.start()
	await c.seated
	var twin := AiccCharacter.new()
	twin.character_name = "guard"
	tree.root.add_child(twin)
	await frames(2)
	expect_error("another character of this bridge is called \"guard\" too")
	check(twin.get_problems().size() == 1 and twin.get_problems()[0].contains("It got no seat: another character of this bridge is called \"guard\" too"), "problems: %s" % [twin.get_problems()])
	equal(twin.attach(), ERR_UNCONFIGURED, "no seat")
	expect_error("attach(): it got no seat: another character")
	c.free()
	tree.root.remove_child(twin)
	tree.root.add_child(twin)
	await frames(3)
	equal([twin.is_seated(), twin.get_problems()], [true, PackedStringArray()], "the name is free")
	twin.free()
	b.free()


func test_what_belongs_to_the_main_thread() -> void:
	var p := await play({tool("look"): done})
	var b: AiccBridge = p[0]
	var c: AiccCharacter = p[1]
	var got: Array = []
	var calls := {
		"pump": func() -> Variant: b.pump(); return null,
		"stop": func() -> Variant: b.stop(); return null,
		"start": func() -> Variant: return b.start(),
		"flush": func() -> Variant: return b.flush(),
		"get_stats": func() -> Variant: return b.get_stats(),
		"find_character": func() -> Variant: return b.find_character("guard") == null,
		"reset": func() -> Variant: return c.reset("x"),
		"add_tool": func() -> Variant: return c.add_tool(tool("late"), done),
		"remove_tool": func() -> Variant: return c.remove_tool("look"),
		"set_tool_enabled": func() -> Variant: return c.set_tool_enabled("look", false),
		"get_tool_ids": func() -> Variant: return c.get_tool_ids(),
		"grant": func() -> Variant: return c.grant("wings"),
		"attach": func() -> Variant: return c.attach(),
		"detach": func() -> Variant: return c.detach(),
	}
	var thread := Thread.new()
	thread.start(func() -> void:
		for method: String in calls:
			got.append(calls[method].call())
		c.tools = [tool("look")] as Array[AiccTool])
	thread.wait_to_finish()
	equal(got, [null, null, FAILED, FAILED, {}, true, FAILED, FAILED, FAILED, FAILED, PackedStringArray(), FAILED, FAILED, FAILED], "refused")
	for method: String in calls:
		expect_error("%s() belongs to the main thread" % method)
	expect_error("its `tools` are not taken over")
	equal([b.is_running(), c.has_agent(), c.get_tool_ids(), c.is_tool_enabled("look"), c.has_capability("wings")], [true, true, PackedStringArray(["look"]), true, false], "nothing has happened")
	b.free()


func test_an_agent_that_does_not_read() -> void:
	var b := new_bridge()
	b.take_messages = true
	tree.root.add_child(b)
	var c := AiccCharacter.new()
	c.character_name = "guard"
	b.add_child(c)
	await c.seated
	c.attach()
	await until(c.has_agent, "has_agent")
	var said: PackedStringArray = []
	b.log_line.connect(func(_level: int, text: String) -> void: said.append(text))
	await until(func() -> bool:
		for i in 20:
			c.emit_event(AiccCharacter.TOPIC_AUDIO, {"text": "x".repeat(30000)}, AiccEvent.DELIVERY_EACH)
		return said.size() > 0, "a line of the log")
	b.stop()
	said.append("")
	check(said[0].contains("more wait than 512 KiB") and said[0].contains("AiccBridge.get_stats() counts") and said[0].ends_with("(AiccCharacter \"guard\")"), "in words of Godot: " + said[0])
	expect_error("more wait than 512 KiB")
	errors.lines.clear() # more of them
	b.free()


func test_problems_of_a_tool() -> void:
	var x := {"x": {"type": "string"}}
	for bad: Array in [[{"input_schema": {"type": "banana"}}, "input_schema/type is \"banana\": it is object, array"], [{"input_schema": {"type": "string"}}, "input_schema/type is \"string\": inputs and outputs are objects"],
			[{"input_schema": {}, "input_schema_json": "{\"properties\":{\"a\":{\"items\":{\"type\":[\"null\",\"text\"]}}}}"}, "input_schema/properties/a/items/type/1 is \"text\""],
			[{"output_schema": {"anyOf": [{"type": "objekt"}]}}, "output_schema/anyOf/0/type is \"objekt\""]]:
		var t := tool("walk", {}, bad[0])
		check(t.get_problems().size() == 1 and t.get_problems()[0].contains(bad[1]), "wanted \"%s\", got %s" % [bad[1], t.get_problems()])
		var c := AiccCharacter.new()
		equal(c.add_tool(t, done), ERR_INVALID_PARAMETER, "add_tool")
		expect_error(bad[1])
		c.free()
	var lacks := tool("walk", x, {"arguments": PackedStringArray(["x", "y"])})
	equal(lacks.get_problems(), PackedStringArray(["arguments has \"y\", which is no member of input_schema's properties, so that it never comes."]), "arguments")
	var pattern := tool("walk", {"x": {"type": "string", "pattern": "("}})
	equal(pattern.get_problems(), PackedStringArray(), "nobody there to compile it")
	var p := await play({tool("look"): done})
	var problems := pattern.get_problems()
	check(problems.size() == 1 and problems[0].begins_with("input_schema/properties/x/pattern: ") and problems[0].ends_with(": mend the schema."), "a pattern: %s" % [problems])
	for i in 100: # more than there are sets
		equal(tool("walk", x).get_problems(), PackedStringArray(), "none")
	equal(p[2].tools(), ["look"], "no agent hears of it")
	equal((await ask(p[2], "1", "walk")).error.code, "tool_unknown", "nor may use it")
	await frames(2)
	p[0].free()
