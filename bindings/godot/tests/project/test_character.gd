extends Case

func test_defaults_and_constants() -> void:
	var c := AiccCharacter.new()
	for pair: Array in [["character_name", ""], ["bridge", NodePath()], ["agent_model", AiccCharacter.AGENT_CLOUD_MEDIUM], ["expected_first_token", 0.0], ["expected_response", 0.0], ["subscriptions", AiccCharacter.TOPIC_ALL],
			["capabilities", PackedStringArray()], ["tools", [] as Array[AiccTool]], ["target", NodePath("..")], ["paused", false]]:
		equal(c.get(pair[0]), pair[1], pair[0])
	equal([AiccCharacter.AGENT_EDGE_SMALL, AiccCharacter.AGENT_EDGE_MEDIUM, AiccCharacter.AGENT_CLOUD_MEDIUM, AiccCharacter.AGENT_CLOUD_LARGE], [1, 2, 3, 4], "models")
	equal([AiccCharacter.TOPIC_TICK, AiccCharacter.TOPIC_COLLISION, AiccCharacter.TOPIC_AUDIO, AiccCharacter.TOPIC_STATE_CHANGE, AiccCharacter.TOPIC_AGENT_MESSAGE, AiccCharacter.TOPIC_ALL], [1, 2, 4, 8, 16, 31], "topics")
	equal([c.is_seated(), c.has_agent(), c.get_calls(), c.get_tool_ids(), c.is_tool_enabled("x")], [false, false, [] as Array[AiccCall], PackedStringArray(), false], "nowhere")
	equal(c.get_tool("x"), null, "no tool")
	equal([c.receive("x"), c.detach(), c.reset(), c.emit_event(1, {})], [ERR_UNCONFIGURED, ERR_UNCONFIGURED, OK, OK], "nowhere")
	equal(c.attach(), ERR_UNCONFIGURED, "attach")
	expect_error("attach(): it has no seat yet: wait for the signal `seated`")
	c.free()


func test_exported_tools_call_the_methods_of_the_target() -> void:
	var b := new_bridge()
	var body := Body.new()
	var c := AiccCharacter.new()
	var renamed := tool("watch", {}, {"method": "look"})
	c.tools = [tool("look"), renamed, null, tool("dance")] as Array[AiccTool]
	body.name = "Guard"
	body.add_child(c)
	b.add_child(body)
	tree.root.add_child(b)
	expect_error("AiccCharacter \"Guard\": tools[2] is empty")
	expect_error("AiccCharacter \"Guard\": tool \"dance\" cannot be added: its target, a Node, has no method dance()")
	await c.seated
	equal(c.get_tool_ids(), PackedStringArray(["look", "watch"]), "ids")
	equal([c.get_tool("watch"), c.get_bridge_node(), b.find_character("Guard"), b.get_characters()], [renamed, b, c, [c] as Array[AiccCharacter]], "found")
	equal(b.find_character("x"), null, "not found")
	var a := Agent.new(c)
	c.attach()
	await until(func() -> bool: return a.session_id != "", "session_init")
	equal((await ask(a, "1", "watch")).output.n, 3, "the method of another name")
	var away := AiccCharacter.new()
	away.target = NodePath("../nowhere")
	away.tools = [tool("look")] as Array[AiccTool]
	b.add_child(away)
	expect_error("there is no node \"../nowhere\", which `target` names")
	await frames(2)
	b.free()


func test_no_bridge_and_two() -> void:
	var c := AiccCharacter.new()
	c.character_name = "alone"
	tree.root.add_child(c)
	await frames(2)
	expect_error("AiccCharacter \"alone\": there is no AiccBridge: add one to the main scene, or as an autoload.")
	var b1 := new_bridge("one")
	var b2 := new_bridge("two")
	tree.root.add_child(b1)
	await c.seated
	equal(c.get_bridge_node(), b1, "a bridge that comes later")
	tree.root.add_child(b2)
	var d := AiccCharacter.new()
	d.character_name = "between"
	tree.root.add_child(d)
	await frames(2)
	expect_error("AiccCharacter \"between\": there are several AiccBridges: set `bridge`")
	d.free()
	var e := AiccCharacter.new()
	e.bridge = NodePath("/root/" + str(b2.name))
	e.character_name = "chosen"
	tree.root.add_child(e)
	await e.seated
	equal([e.get_bridge_node(), b2.get_characters(), b1.get_characters()], [b2, [e] as Array[AiccCharacter], [c] as Array[AiccCharacter]], "by path and by ancestors")
	var f := AiccCharacter.new()
	f.bridge = NodePath("nothing")
	f.character_name = "lost"
	tree.root.add_child(f)
	await frames(2)
	expect_error("AiccCharacter \"lost\": its property `bridge` is \"nothing\", and there is no AiccBridge")
	for node: Node in [c, e, f, b1, b2]:
		node.free()


func test_names() -> void:
	var p := await play({})
	var twin := AiccCharacter.new()
	twin.character_name = "guard"
	p[0].add_child(twin)
	await frames(2)
	expect_error("AiccCharacter \"guard\": it gets no seat: another character of this bridge is called \"guard\" too")
	check(not twin.is_seated(), "the twin")
	p[0].free()


func test_agents_come_and_go() -> void:
	var b := new_bridge()
	b.resume_window = 0.2
	tree.root.add_child(b)
	var c := AiccCharacter.new()
	c.character_name = "guard"
	b.add_child(c)
	var said: Array = []
	for s: String in ["seated", "unseated", "agent_connected", "agent_disconnected", "agent_resumed", "agent_gone"]:
		c.connect(s, func() -> void: said.append(s))
	b.character_joined.connect(func(who: AiccCharacter) -> void: said.append(["joined", who]))
	b.character_left.connect(func(who: String) -> void: said.append(["left", who]))
	b.agent_connected.connect(func(who: AiccCharacter) -> void: said.append(["connected", who]))
	b.agent_disconnected.connect(func(who: AiccCharacter) -> void: said.append(["disconnected", who]))
	await c.seated
	await frames()
	equal(said, ["seated", ["joined", c]], "seated")
	said.clear()
	var a := Agent.new(c)
	equal(c.attach(), OK, "attach")
	equal(c.attach(), ERR_ALREADY_IN_USE, "attach twice")
	expect_error("attach(): an agent is there already")
	await until(func() -> bool: return said.size() == 2, "agent_connected")
	equal(said, ["agent_connected", ["connected", c]], "connected")
	check(c.has_agent(), "has_agent")
	await until(func() -> bool: return a.session_id != "", "session_init")
	said.clear()
	equal(c.detach(), OK, "detach")
	await until(func() -> bool: return said.size() == 2, "agent_disconnected")
	equal(said, ["agent_disconnected", ["disconnected", c]], "disconnected")
	check(not c.has_agent(), "has_agent")
	said.clear()
	c.attach()
	a.say({"type": "session_resume"})
	await until(func() -> bool: return said.size() == 2, "agent_resumed")
	equal(said, ["agent_resumed", ["connected", c]], "resumed")
	said.clear()
	c.detach()
	await until(func() -> bool: return said.has("agent_gone"), "agent_gone")
	equal(said, ["agent_disconnected", ["disconnected", c], "agent_gone"], "gone")
	said.clear()
	b.remove_child(c)
	tree.root.add_child(c)
	await frames(3)
	equal(said, [], "another parent, and it keeps its seat")
	tree.root.remove_child(c)
	await frames(3)
	equal(said, ["unseated", ["left", "guard"]], "out of the tree")
	check(not c.is_seated(), "no seat")
	b.add_child(c)
	await frames(3)
	check(c.is_seated(), "seated again")
	said.clear()
	c.free()
	await frames(2)
	equal(said, ["unseated", ["left", "guard"]], "freed")
	b.free()


func test_capabilities_and_subscriptions() -> void:
	var fly := tool("fly", {}, {"requires_capability": "wings"})
	var hidden := tool("vanish", {}, {"requires_capability": "cloak", "hide_without_capability": true})
	var done := func(_input: Dictionary) -> Dictionary: return {}
	var p := await play({fly: done, hidden: done})
	var c: AiccCharacter = p[1]
	var a: Agent = p[2]
	equal(a.tools(), ["fly"], "one that is hidden")
	equal((await ask(a, "1", "fly")).error.code, "tool_unavailable", "without wings")
	equal(c.grant("wings"), OK, "grant")
	equal([c.has_capability("wings"), c.capabilities], [true, PackedStringArray(["wings"])], "held")
	equal((await ask(a, "2", "fly")).ok, true, "with wings")
	equal(c.grant("cloak"), OK, "grant")
	await until(func() -> bool: return a.tools() == ["fly", "vanish"], "vanish in the manifest")
	equal(c.revoke("wings"), OK, "revoke")
	equal((await ask(a, "3", "fly")).error.code, "tool_unavailable", "without wings again")
	equal(c.grant(""), ERR_INVALID_PARAMETER, "no name")
	expect_error("a capability's name has 1 to 64 bytes")
	equal(c.emit_event(AiccCharacter.TOPIC_AUDIO, {"what": "nobody hears it"}), OK, "not subscribed")
	c.subscriptions = AiccCharacter.TOPIC_AUDIO
	await until(func() -> bool: return c.get_bridge_node().flush() == OK, "flush")
	equal(c.emit_event(AiccCharacter.TOPIC_AUDIO, {"what": "glass", "at": Vector2(1, 2)}), OK, "subscribed")
	await until(func() -> bool: return a.of_type("event").size() == 1, "the event")
	equal([a.of_type("event")[0].topic, a.of_type("event")[0].payload], ["audio", {"what": "glass", "at": {"x": 1, "y": 2}}], "the event")
	var thread := Thread.new()
	thread.start(func() -> void: c.emit_event(AiccCharacter.TOPIC_AUDIO, {"from": "a thread"}))
	thread.wait_to_finish()
	equal(p[0].emit_event(AiccCharacter.TOPIC_AUDIO, {"to": "all"}, AiccEvent.DELIVERY_EACH), OK, "to all")
	await until(func() -> bool: return a.of_type("event").size() == 3, "two more")
	equal([a.of_type("event")[1].payload, a.of_type("event")[2].payload], [{"from": "a thread"}, {"to": "all"}], "two more")
	for bad: Array in [[3, {}, 0, "emit_event() takes one topic"], [1, {}, 7, "emit_event() takes a delivery"]]:
		equal([c.emit_event(bad[0], bad[1], bad[2]), p[0].emit_event(bad[0], bad[1], bad[2])], [ERR_INVALID_PARAMETER, ERR_INVALID_PARAMETER], bad[3])
		expect_error(bad[3])
		expect_error(bad[3])
	equal(c.emit_event(AiccCharacter.TOPIC_AUDIO, {"r": RID()}), ERR_INVALID_DATA, "no JSON")
	expect_error("the event's payload cannot be told: /r: a value of type RID")
	equal(c.emit_event(AiccCharacter.TOPIC_AUDIO, {"t": "x".repeat(70000)}), ERR_INVALID_DATA, "too large")
	expect_error("more than an event holds (64 KiB)")
	a.say({"type": "event", "topic": "agent_message", "payload": {"hello": 1}})
	var heard: Dictionary = await c.agent_message
	equal(heard, {"hello": 1}, "agent_message")
	p[0].free()


func test_tools_change() -> void:
	var done := func(_input: Dictionary) -> Dictionary: return {"by": "old"}
	var p := await play({tool("a"): done, tool("b"): done})
	var b: AiccBridge = p[0]
	var c: AiccCharacter = p[1]
	var other := AiccCharacter.new()
	other.character_name = "other"
	for id: String in ["a", "b"]:
		other.add_tool(tool(id), done)
	b.add_child(other)
	await other.seated
	equal(b.get_stats().tools, 2, "two characters share their tools")
	var a: Agent = p[2]
	equal(c.add_tool(tool("c"), func(_input: Dictionary) -> Dictionary: return {"by": "new"}), OK, "a new one")
	await until(func() -> bool: return a.tools().has("c"), "c in the manifest", 3)
	equal((await ask(a, "1", "c")).output, {"by": "new"}, "c")
	equal(c.add_tool(tool("a"), func(_input: Dictionary) -> Dictionary: return {"by": "another callable"}), OK, "the same tool")
	equal((await ask(a, "2", "a")).output, {"by": "another callable"}, "a")
	equal(c.remove_tool("b"), OK, "remove one that is shared")
	await until(func() -> bool: return not a.tools().has("b"), "b is gone", 3)
	equal((await ask(a, "3", "b")).error.code, "tool_unknown", "b")
	equal(c.get_tool_ids(), PackedStringArray(["a", "c"]), "ids")
	equal(c.set_tool_enabled("a", false), OK, "switch off")
	equal([c.is_tool_enabled("a"), c.is_tool_enabled("c")], [false, true], "enabled")
	await until(func() -> bool: return a.tools() == ["c"], "a is off", 3)
	equal((await ask(a, "4", "a")).error.code, "tool_unavailable", "a is off")
	equal(c.set_tool_enabled("a", true), OK, "switch on")
	await until(func() -> bool: return a.tools().has("a"), "a is on", 3)
	equal((await ask(a, "5", "a")).output, {"by": "another callable"}, "a")
	equal(c.add_tool(tool("b"), done), OK, "b again")
	await until(func() -> bool: return a.tools().has("b"), "b is back", 3)
	equal((await ask(a, "6", "b")).output, {"by": "old"}, "b")
	equal(c.remove_tool("c"), OK, "remove one of its own")
	equal((await ask(a, "7", "c")).error.code, "tool_unknown", "c")
	equal(c.add_tool(tool("a", {"x": {"type": "integer"}}, {"description": "Changed."}), func(input: Dictionary) -> Dictionary: return input), OK, "another definition")
	equal((await ask(a, "8", "a", {"x": 3})).output, {"x": 3}, "a")
	equal(other.get_tool_ids(), PackedStringArray(["a", "b"]), "the other one has its own")
	equal(c.remove_tool("x"), ERR_DOES_NOT_EXIST, "none")
	expect_error("remove_tool(): it has no tool \"x\"")
	equal(c.set_tool_enabled("x", true), ERR_DOES_NOT_EXIST, "none")
	expect_error("set_tool_enabled(): it has no tool \"x\"")
	b.free()


func test_what_cannot_be_added() -> void:
	var p := await play({})
	var c: AiccCharacter = p[1]
	var body := Body.new()
	var dead := Body.new()
	var gone := dead.look
	dead.free()
	for bad: Array in [[null, body.look, "add_tool() was given no AiccTool"], [tool(""), body.look, "id is empty"], [tool("look"), gone, "the callable for tool \"look\" is not valid"],
			[tool("look"), Callable(body, "no_such_method"), "the callable for tool \"look\" is not valid"], [tool("look"), Callable(), "has no method look()"],
			[tool("look"), body.takes_three, "takes_three() of tool \"look\" takes 3 arguments"], [tool("look"), func(_a: int, _b: int, _c: int) -> void: pass, "takes 3 arguments"],
			[tool("look", {}, {"arguments": PackedStringArray(["other"])}), body.shout, "has not the arguments that the tool's `arguments` lists"],
			[tool("look", {"x": {"type": "nonsense"}}), body.look, "input_schema/properties/x/type"], [tool("look", {}, {"input_schema": {}, "input_schema_json": "{\"type\":\"array\"}"}), body.look, "input_schema"]]:
		var error := c.add_tool(bad[0], bad[1])
		check(error != OK, "add_tool: " + bad[2])
		expect_error(bad[2])
	equal(c.get_tool_ids(), PackedStringArray(), "none")
	equal(c.add_method(body.follow), ERR_INVALID_PARAMETER, "add_method")
	expect_error("argument who of follow() is of type Node")
	var late := AiccCharacter.new()
	late.character_name = "late"
	equal(late.add_tool(tool("bad", {"x": {"type": "string", "pattern": "("}}), body.look), OK, "before it has a seat the schema is not compiled")
	equal(late.add_tool(tool("look"), body.look), OK, "a good one")
	p[0].add_child(late)
	await late.seated
	await frames()
	expect_error("AiccCharacter \"late\": tool \"bad\" is left out: input_schema/properties/x/pattern")
	p[0].free()
	body.free()


func test_paused() -> void:
	var p := await play({tool("a"): func(_input: Dictionary) -> Dictionary: return {}, tool("b", {}, {"while_paused": true}): func(_input: Dictionary) -> Dictionary: return {}})
	p[1].paused = true
	p[2].call_tool("1", "a")
	equal((await ask(p[2], "2", "b")).ok, true, "while paused")
	equal(p[2].result("1"), {}, "waits")
	p[1].paused = false
	await until(func() -> bool: return not p[2].result("1").is_empty(), "goes on")
	p[0].free()
