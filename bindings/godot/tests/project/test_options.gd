extends Case
## That what is set in the inspector reaches the library.

func test_session_init_says_what_was_set() -> void:
	var b := new_bridge("the yard")
	b.world_kind = AiccBridge.WORLD_2D
	b.tick_mode = AiccBridge.TICK_FIXED
	b.tick_rate = 20.0
	b.heartbeat = 0.2
	tree.root.add_child(b)
	var c := AiccCharacter.new()
	c.character_name = "guard"
	c.agent_model = AiccCharacter.AGENT_EDGE_SMALL
	c.expected_first_token = 0.05
	c.expected_response = 0.3
	c.subscriptions = AiccCharacter.TOPIC_COLLISION | AiccCharacter.TOPIC_STATE_CHANGE
	c.capabilities = PackedStringArray(["wings"])
	c.add_tool(tool("look", {"at": {"type": "string"}}, {"tool_class": AiccTool.CLASS_SENSOR, "requires_capability": "wings", "calls_per_minute": 6, "strict_input": true, "output_schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}),
		func(_input: Dictionary) -> Dictionary: return {"n": 1})
	b.add_child(c)
	await c.seated
	await frames()
	var a := Agent.new(c)
	c.attach()
	await until(func() -> bool: return a.session_id != "", "session_init")
	var m: Dictionary = a.messages[0]
	equal([m.world, m.tick_mode, m.tick_rate_hz], [{"name": "the yard", "kind": "2d"}, "fixed", 20], "the bridge's")
	equal(m.agent_model, {"class": "edge_small", "expected_first_token_ms": 50, "expected_full_response_ms": 300}, "the model")
	equal([m.event_subscriptions, m.capabilities.sensors], [["collision", "state_change"], ["wings"]], "the character's")
	var t: Dictionary = m.tools[0]
	equal([t.id, t.class, t.description, t.requires_capability, t.strict_input, t.limits], ["look", "sensor", "Does look.", "wings", true, {"calls_per_minute": 6}], "the tool")
	equal([t.input_schema, t.output_schema], [{"type": "object", "properties": {"at": {"type": "string"}}}, {"type": "object", "properties": {"n": {"type": "integer"}}}], "its schemas")
	await until(func() -> bool: return a.of_type("heartbeat").size() > 0, "a heartbeat", 3)
	b.free()


func test_limits_and_rules_of_a_tool() -> void:
	var body := Body.new()
	var x := {"x": {"type": "integer"}}
	var echo := func(input: Dictionary) -> Dictionary: return input
	var p := await play({
		tool("loose", x): echo, tool("strict", x, {"strict_input": true}): echo, tool("unmended", x, {"repair": false}): echo, tool("rare", x, {"calls_per_minute": 1}): echo, tool("once", x, {"calls_per_session": 1}): echo,
		tool("alone", x, {"max_in_flight": 1}): body.walks, tool("only", x, {"max_concurrent": 1}): body.walks_twice, tool("small_in", {"s": {"type": "string"}}, {"max_input_bytes": 20}): echo,
		tool("small_out", {"s": {"type": "string"}}, {"max_output_bytes": 20}): echo, tool("by_text", {}, {"input_schema": {}, "input_schema_json": '{"type":"object","properties":{"x":{"type":"number"}}}'}): echo,
	})
	var a: Agent = p[2]
	equal((await ask(a, "1", "loose", {"x": "3", "y": 4})).output, {"x": 3}, "mended, and what is not declared is dropped")
	equal((await ask(a, "2", "strict", {"x": 3, "y": 4})).error.code, "invalid_input", "strict_input")
	equal((await ask(a, "3", "unmended", {"x": "3"})).error.code, "invalid_input", "repair")
	for id: String in ["rare", "once"]:
		equal((await ask(a, id + "1", id, {"x": 1})).ok, true, id)
		var r := await ask(a, id + "2", id, {"x": 1})
		equal([r.error.code, r.error.retryable], ["tool_unavailable", id == "rare"], id + ", again")
	for id: String in ["alone", "only"]:
		a.call_tool(id + "1", id)
		equal((await ask(a, id + "2", id)).error.code, "tool_unavailable", id + ", a second one at the same time")
	equal((await ask(a, "4", "small_in", {"s": "x".repeat(40)})).error.code, "invalid_input", "max_input_bytes")
	equal((await ask(a, "5", "small_out", {"s": "x".repeat(40)})).error.code, "internal_error", "max_output_bytes")
	await frames(2)
	expect_error("aicc: tool \"small_out\"")
	equal((await ask(a, "6", "by_text", {"x": 1.5})).output, {"x": 1.5}, "input_schema_json")
	p[0].free()
	body.free()


func test_flush_has_an_end() -> void:
	var b := new_bridge()
	tree.root.add_child(b)
	equal(b.flush(5), OK, "flush")
	equal(b.flush(-1) in [OK, ERR_TIMEOUT], true, "no time at all")
	b.free()
