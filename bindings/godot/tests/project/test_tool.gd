extends Case

func test_defaults() -> void:
	var t := AiccTool.new()
	for pair: Array in [["id", ""], ["tool_class", AiccTool.CLASS_ACTUATOR], ["description", ""], ["method", ""], ["arguments", PackedStringArray()], ["input_schema", {}], ["input_schema_json", ""],
			["output_schema", {}], ["output_schema_json", ""], ["timeout", 30.0], ["calls_per_minute", 0], ["calls_per_session", 0], ["max_in_flight", 0], ["max_concurrent", 0], ["max_input_bytes", 0],
			["max_output_bytes", 0], ["requires_capability", ""], ["hide_without_capability", false], ["strict_input", false], ["repair", true], ["while_paused", false]]:
		equal(t.get(pair[0]), pair[1], pair[0])
	equal([AiccTool.CLASS_SENSOR, AiccTool.CLASS_ACTUATOR, AiccTool.CLASS_GENERATOR], [1, 2, 3], "classes")


func test_problems() -> void:
	var t := tool("walk")
	equal(t.get_problems(), PackedStringArray(), "none")
	for pair: Array in [["id", "", "id is empty"], ["id", "Walk", "id is \"Walk\": it begins with a small letter"], ["id", "x".repeat(65), "at most 64"], ["description", "", "description is empty"],
			["tool_class", 7, "tool_class is 7"], ["timeout", -1.0, "timeout is out of range"], ["timeout", NAN, "timeout is out of range"], ["calls_per_minute", 10001, "calls_per_minute is 10001"],
			["calls_per_session", -1, "calls_per_session is -1"], ["max_in_flight", 17, "max_in_flight is 17"], ["max_concurrent", -1, "max_concurrent"], ["max_input_bytes", -1, "max_input_bytes"],
			["max_output_bytes", -1, "max_output_bytes"], ["input_schema", {"type": RID()}, "input_schema is no JSON Schema: /type: a value of type RID"], ["output_schema_json", "{", "output_schema_json is not JSON"],
			["input_schema_json", "{}", "both input_schema and input_schema_json are set"], ["output_schema_json", "[]", "output_schema_json is not a JSON object"]]:
		var bad := tool("walk")
		bad.set(pair[0], pair[1])
		var problems := bad.get_problems()
		check(problems.size() == 1 and problems[0].contains(pair[2]), "%s = %s: wanted \"%s\", got %s" % [pair[0], pair[1], pair[2], problems])


func test_it_is_saved_and_loaded() -> void:
	var t := tool("walk", {"speed": {"type": "number", "maximum": 9}}, {"tool_class": AiccTool.CLASS_SENSOR, "output_schema_json": "{}", "timeout": 1.5, "calls_per_minute": 3, "arguments": PackedStringArray(["speed"]), "repair": false})
	equal(ResourceSaver.save(t, "user://walk.tres"), OK, "save")
	var text := FileAccess.get_file_as_string("user://walk.tres")
	check(text.contains('type="AiccTool"') and text.contains('"maximum": 9'), "the file: " + text)
	check(not text.contains("strict_input"), "what is as by default is not saved")
	var back: AiccTool = ResourceLoader.load("user://walk.tres", "", ResourceLoader.CACHE_MODE_IGNORE)
	for property in ["id", "tool_class", "description", "input_schema", "output_schema_json", "timeout", "calls_per_minute", "arguments", "repair", "strict_input"]:
		equal(back.get(property), t.get(property), property)
	equal(typeof(back.input_schema.properties.speed.maximum), TYPE_INT, "a whole number stays one")
	var changes := [0]
	back.changed.connect(func() -> void: changes[0] += 1)
	back.id = "run"
	equal(changes[0], 1, "changed")
	var copy: AiccTool = back.duplicate()
	equal(copy.id, "run", "duplicate")


func test_from_method() -> void:
	var body := Body.new()
	var t := AiccTool.from_method(body.walk_to)
	equal(t.id, "walk_to", "id")
	equal(t.tool_class, AiccTool.CLASS_ACTUATOR, "class")
	equal(t.description, "Goes to a place. And stays there.\nUnless speed is 0.", "description")
	equal(t.arguments, PackedStringArray(["place", "speed", "times", "mood", "at", "names", "any"]), "arguments")
	equal(t.input_schema.required, ["place"], "required")
	var p: Dictionary = t.input_schema.properties
	equal(p.place, {"type": "string", "description": "where to"}, "place")
	equal(p.speed, {"type": "number", "description": "metres a second, up to 9", "default": 2.5}, "speed")
	equal(p.times, {"type": "integer", "default": 1}, "times")
	equal(p.mood, {"type": "string", "enum": ["CALM", "ALERT"], "default": "ALERT"}, "mood")
	equal(p.at.default, {"x": 0, "y": 0}, "at")
	equal(p.names, {"type": "array", "items": {"type": "string"}, "default": []}, "names: an empty default")
	equal(p.any, {}, "any")
	var s := AiccTool.from_method(body.shout, AiccTool.CLASS_GENERATOR)
	equal(s.arguments, PackedStringArray(["words"]), "the call is no member")
	equal(s.tool_class, AiccTool.CLASS_GENERATOR, "class")
	var h := AiccTool.from_method(body._hidden_start)
	equal([h.id, h.method], ["hidden_start", "_hidden_start"], "a name that begins with _")
	equal(h.input_schema.properties.mode.enum[0], "PROCESS_MODE_INHERIT", "an enum of the engine")
	equal(h.input_schema.properties.path, {"type": "string"}, "a path")
	equal(h.input_schema.properties.bytes.contentEncoding, "base64", "bytes")
	var whole := AiccTool.from_method(body.look)
	equal([whole.arguments, whole.input_schema], [PackedStringArray(), {}], "one that takes the whole input")
	equal(AiccTool.from_method(body.follow), null, "a node")
	expect_error("AiccTool.from_method: argument who of follow() is of type Node, which has no meaning in JSON")
	equal(AiccTool.from_method(func() -> Dictionary: return {}), null, "a lambda")
	expect_error("AiccTool.from_method: a lambda has no name")
	equal(AiccTool.from_method(Callable()), null, "no callable")
	expect_error("AiccTool.from_method: the callable is not valid")
	body.free()


func test_a_method_is_called_with_what_it_takes() -> void:
	var body := Body.new()
	var p := await play({})
	var a: Agent = p[2]
	var c: AiccCharacter = p[1]
	equal(c.add_method(body.walk_to), OK, "add_method")
	equal(c.add_method(body.shout, AiccTool.CLASS_GENERATOR), OK, "add_method")
	var hidden := AiccTool.from_method(body._hidden_start)
	hidden.description = "Starts."
	equal(c.add_tool(hidden, body._hidden_start), OK, "add_tool")
	equal((await ask(a, "1", "walk_to", {"place": "gate"})).ok, true, "with defaults")
	equal(body.heard.pop_back(), ["gate", 2.5, 1, Body.Mood.ALERT, Vector2.ZERO, [], null], "with defaults")
	equal((await ask(a, "2", "walk_to", {"place": "gate", "speed": 3, "times": 2, "mood": "CALM", "at": {"x": 1, "y": 2.5}, "names": ["a"], "any": {"b": [1]}})).ok, true, "with all")
	var heard: Array = body.heard.pop_back()
	equal(heard.slice(0, 5), ["gate", 3.0, 2, Body.Mood.CALM, Vector2(1, 2.5)], "with all")
	equal([heard[5].get_typed_builtin(), heard[5].size(), heard[5][0], heard[6]], [TYPE_STRING, 1, "a", {"b": [1]}], "the rest")
	equal((await ask(a, "3", "walk_to", {"place": "gate", "mood": "GLAD"})).error.code, "invalid_input", "no such mood")
	equal((await ask(a, "4", "shout", {"words": "halt"})).output, {"tool": "shout"}, "with the call")
	equal((await ask(a, "5", "hidden_start", {"mode": "PROCESS_MODE_ALWAYS", "path": "a/b", "bytes": "AQID"})).output, {"mode": 3, "path": "a/b", "bytes": "AQID"}, "what the engine's types are")
	p[0].free()
	body.free()


func test_numbers_come_as_the_schema_says() -> void:
	var body := Body.new()
	var p := await play({tool("look", {"f": {"type": "number"}, "i": {"type": "integer"}, "o": {"type": "object", "properties": {"f": {"type": ["number", "null"]}}}, "l": {"type": "array", "items": {"type": "number"}}, "big": {"type": "integer"}}): body.look})
	await ask(p[2], "1", "look", {"f": 3, "i": 4, "o": {"f": 5}, "l": [1, 2.5], "big": 9223372036854775807})
	var got: Dictionary = body.heard[0]
	equal([typeof(got.f), typeof(got.i), typeof(got.o.f), typeof(got.l[0]), typeof(got.l[1])], [TYPE_FLOAT, TYPE_INT, TYPE_FLOAT, TYPE_FLOAT, TYPE_FLOAT], "types")
	equal(got.big, 9223372036854775807, "64 bits")
	p[0].free()
	body.free()
