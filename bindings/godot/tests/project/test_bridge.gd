extends Case

func test_defaults_and_constants() -> void:
	var b := AiccBridge.new()
	for pair: Array in [["world_name", ""], ["world_kind", AiccBridge.WORLD_3D], ["tick_rate", 10.0], ["tick_mode", AiccBridge.TICK_HYBRID], ["pump_mode", AiccBridge.PUMP_PROCESS], ["budget_usec", 0], ["autostart", true],
			["listen", true], ["listen_address", "127.0.0.1"], ["listen_port", 0], ["listen_token", ""], ["second_agent", AiccBridge.SECOND_AGENT_REFUSE], ["fixed_agents", false], ["inspector", false],
			["allowed_origins", PackedStringArray()], ["allowed_hosts", PackedStringArray()], ["heartbeat", 15.0], ["idle_timeout", 45.0], ["resume_window", 120.0], ["report_faults", true],
			["log_level", AiccBridge.LOG_WARN], ["lockstep", false], ["random_seed", 0], ["take_messages", false], ["process_mode", Node.PROCESS_MODE_ALWAYS]]:
		equal(b.get(pair[0]), pair[1], pair[0])
	equal([AiccBridge.WORLD_2D, AiccBridge.WORLD_3D, AiccBridge.WORLD_TEXT, AiccBridge.WORLD_ABSTRACT], [1, 2, 3, 4], "kinds")
	equal([AiccBridge.TICK_FIXED, AiccBridge.TICK_EVENT, AiccBridge.TICK_HYBRID], [1, 2, 3], "tick modes")
	equal([AiccBridge.PUMP_PROCESS, AiccBridge.PUMP_PHYSICS, AiccBridge.PUMP_MANUAL, AiccBridge.SECOND_AGENT_REFUSE, AiccBridge.SECOND_AGENT_REPLACE], [0, 1, 2, 0, 1], "modes")
	equal([AiccBridge.LOG_DEBUG, AiccBridge.LOG_INFO, AiccBridge.LOG_WARN, AiccBridge.LOG_ERROR, AiccBridge.LOG_NONE], [1, 2, 3, 4, 5], "levels")
	equal([b.is_running(), b.get_address(), b.get_inspector_url(), b.get_characters(), b.get_stats(), b.get_capability_documents(), b.next_message(), b.get_tools()],
		[false, "", "", [] as Array[AiccCharacter], {}, [], {}, [] as Array[AiccTool]], "not running")
	equal(b.find_character("x"), null, "nobody")
	equal([b.flush(), b.emit_event(1, {})], [ERR_UNCONFIGURED, OK], "not running")
	b.pump()
	b.stop()
	check(AiccBridge.get_library_version().begins_with("0."), "version")
	for c: String in ["AiccCall", "AiccEvent", "AiccJson"]:
		equal(ClassDB.can_instantiate(c), false, c + " is not made by scripts")
	b.free()


func test_start_and_stop() -> void:
	var b := new_bridge()
	b.autostart = false
	var said: Array = []
	b.started.connect(func() -> void: said.append("started"))
	b.stopped.connect(func() -> void: said.append("stopped"))
	tree.root.add_child(b)
	check(not b.is_running(), "autostart")
	equal(b.start(), OK, "start")
	equal(b.start(), ERR_ALREADY_IN_USE, "start twice")
	expect_error("AiccBridge \"yard\": start(): it runs already")
	var c := AiccCharacter.new()
	c.character_name = "guard"
	b.add_child(c)
	await c.seated
	await frames()
	b.stop("enough")
	equal([said, c.is_seated(), b.is_running()], [["started", "stopped"], false, false], "stopped")
	equal(b.start(), OK, "start again")
	await c.seated
	await frames()
	equal(b.flush(), OK, "flush")
	check(b.get_stats().sessions == 1 and b.get_stats().size() == 19, "stats %s" % b.get_stats())
	b.free()
	equal(said, ["started", "stopped", "started", "stopped"], "freed")


func test_it_cannot_start() -> void:
	for bad: Array in [[{"tick_rate": 0.0}, "tick_rate is out of range"], [{"listen_port": 70000, "listen": true}, "listen_port is 70000"], [{"lockstep": true, "listen": true}, "lockstep does not go with listen"],
			[{"listen": true, "listen_address": "0.0.0.0"}, "can be reached from other machines: set a listen_token"], [{"heartbeat": 0.0}, "a time is out of range"], [{"world_kind": 9}, "kind"], [{"world_name": "x".repeat(300)}, "name"],
			[{"listen": true, "listen_address": "no address"}, "listen_address \"no address\" can be reached from other machines"], [{"listen": true, "listen_token": "é"}, "listen_token has a blank or a letter that is not ASCII"]]:
		var b := new_bridge()
		b.autostart = false
		for key: String in bad[0]:
			b.set(key, bad[0][key])
		tree.root.add_child(b)
		check(b.start() != OK, "start with %s" % bad[0])
		expect_error(bad[1])
		b.free()
	var named := new_bridge("")
	tree.root.add_child(named)
	check(named.is_running(), "the project's name")
	named.free()


func test_pump_modes_and_pause() -> void:
	var body := Body.new()
	for mode: int in [AiccBridge.PUMP_PROCESS, AiccBridge.PUMP_PHYSICS]:
		var p := await play({tool("look"): body.look}, "yard", {"pump_mode": mode})
		equal((await ask(p[2], "1", "look")).ok, true, "mode %d" % mode)
		tree.paused = true
		p[2].call_tool("2", "look")
		await frames(10)
		equal(p[2].result("2"), {}, "a call waits while the tree is paused")
		check(p[0].get_stats().frames > 3, "the bridge goes on")
		tree.paused = false
		await until(func() -> bool: return not p[2].result("2").is_empty(), "the call goes on")
		p[0].free()
	var b := new_bridge()
	b.pump_mode = AiccBridge.PUMP_MANUAL
	tree.root.add_child(b)
	var c := AiccCharacter.new()
	b.add_child(c)
	await frames(3)
	check(not c.is_seated() and b.get_stats().frames == 0, "nobody pumps")
	b.pump(0.1)
	check(c.is_seated() and b.get_stats().frames == 1, "pump")
	var thread := Thread.new()
	thread.start(func() -> void: b.call("pump", 0.1))
	thread.wait_to_finish()
	expect_error("pump() belongs to the main thread")
	b.process_mode = Node.PROCESS_MODE_INHERIT
	b.free()
	body.free()


func test_tools_of_the_bridge() -> void:
	var p := await play({})
	var b: AiccBridge = p[0]
	var who := func(_input: Dictionary, call: AiccCall) -> Dictionary: return {"who": call.character.character_name}
	equal(b.add_tool(tool("who"), who), OK, "add_tool")
	equal((await ask(p[2], "1", "who")).output, {"who": "guard"}, "who")
	equal(b.get_tools()[0].id, "who", "get_tools")
	equal(b.add_tool(tool("who", {}, {"description": "Changed."}), who), OK, "changed")
	equal(b.set_tool_enabled("who", false), OK, "off")
	equal((await ask(p[2], "2", "who")).error.code, "tool_unavailable", "off")
	equal(b.set_tool_enabled("who", true), OK, "on")
	equal((await ask(p[2], "3", "who")).ok, true, "on")
	b.stop()
	equal(b.start(), OK, "start")
	await p[1].seated
	await frames()
	p[2].session_id = ""
	p[1].attach()
	await until(func() -> bool: return p[2].session_id != "", "session_init")
	equal((await ask(p[2], "4", "who")).ok, true, "it is there after a new start")
	equal(b.get_capability_documents().map(func(d: Dictionary) -> String: return d.name), ["x.aicc.yard.who"], "documents")
	equal(b.remove_tool("who"), OK, "remove")
	equal((await ask(p[2], "5", "who")).error.code, "tool_unknown", "removed")
	var body := Body.new()
	equal(b.add_method(body.shout), OK, "add_method")
	equal((await ask(p[2], "6", "shout", {"words": "x"})).ok, true, "add_method")
	for bad: Array in [[b.add_tool.bind(null, who), "add_tool() was given no AiccTool"], [b.add_tool.bind(tool(""), who), "id is empty"], [b.add_tool.bind(tool("x"), Callable()), "the callable for tool \"x\" is not valid"],
			[b.add_tool.bind(tool("x", {"a": {"type": "odd"}}), who), "input_schema/properties/a/type"], [b.add_method.bind(body.follow), "argument who"], [b.remove_tool.bind("y"), "it has no tool \"y\" of its own"],
			[b.set_tool_enabled.bind("y", true), "it has no tool \"y\" of its own"]]:
		check(bad[0].call() != OK, bad[1])
		expect_error(bad[1])
	b.free()
	body.free()


func test_two_bridges() -> void:
	var p := await play({tool("a"): func(_input: Dictionary) -> Dictionary: return {"world": 1}}, "one")
	var q := await play({tool("a"): func(_input: Dictionary) -> Dictionary: return {"world": 2}}, "two")
	equal([(await ask(p[2], "1", "a")).output, (await ask(q[2], "1", "a")).output], [{"world": 1}, {"world": 2}], "each its own")
	p[0].free()
	equal((await ask(q[2], "2", "a")).output, {"world": 2}, "the other goes on")
	q[0].free()


func test_messages_that_the_host_takes() -> void:
	var b := new_bridge()
	b.take_messages = true
	tree.root.add_child(b)
	var c := AiccCharacter.new()
	b.add_child(c)
	await c.seated
	await frames()
	c.attach()
	b.flush()
	var message := b.next_message()
	equal([message.character, AiccJson.parse(message.text).type, b.next_message()], [c, "session_init", {}], "next_message")
	b.free()
	var other := new_bridge()
	tree.root.add_child(other)
	equal(other.next_message(), {}, "without take_messages")
	expect_error("next_message() is for bridges whose `take_messages` was true")
	other.free()


func test_lockstep_is_the_same_twice() -> void:
	var runs: Array = []
	for i in 2:
		var b := new_bridge()
		b.lockstep = true
		b.random_seed = 7
		b.pump_mode = AiccBridge.PUMP_MANUAL
		tree.root.add_child(b)
		var c := AiccCharacter.new()
		c.character_name = "guard"
		c.add_tool(tool("look"), func(_input: Dictionary) -> Dictionary: return {})
		b.add_child(c)
		b.pump(0.1)
		var a := Agent.new(c)
		c.attach()
		b.pump(0.1)
		a.call_tool("1", "look")
		for n in 20:
			b.pump(0.1)
		runs.append(a.messages.map(func(m: Dictionary) -> Dictionary:
			m.get("meta", {}).erase("tick")
			m.get("payload", {}).erase("tick")
			return m))
		b.free()
	check(runs[0].size() > 2, "messages")
	equal(runs[0], runs[1], "two runs")


func test_a_fault_in_an_output_is_told() -> void:
	var body := Body.new()
	var bad := tool("breaks_schema", {}, {"output_schema": {"type": "object", "properties": {"n": {"type": "integer"}}}})
	var p := await play({bad: body.breaks_schema})
	var lines: Array = []
	p[0].log_line.connect(func(level: int, text: String) -> void: lines.append([level, text]))
	equal((await ask(p[2], "1", "breaks_schema")).error.code, "internal_error", "what the agent hears")
	await frames(2)
	expect_error("aicc: tool \"breaks_schema\": its output is not what its output_schema says: /n: wanted an integer; got \"no number\"")
	check(lines.size() > 0, "log_line")
	p[0].free()
	body.free()


func test_budget() -> void:
	var body := Body.new()
	var p := await play({tool("busy"): func(_input: Dictionary) -> Dictionary: OS.delay_usec(3000); return {}}, "yard", {"budget_usec": 1000})
	for i in 4:
		p[2].call_tool(str(i), "busy")
	p[0].flush()
	await frames()
	check(p[2].of_type("tool_result").size() < 4, "not all in one frame")
	await until(func() -> bool: return p[2].of_type("tool_result").size() == 4, "all of them")
	p[0].free()
	body.free()
