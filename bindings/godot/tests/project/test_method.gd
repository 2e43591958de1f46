extends Case
## Tools that are made of methods: defaults, descriptions, names, and what does not fit.

var limbs: Limbs
var agent: Agent
var character: AiccCharacter
var bridge: AiccBridge
var calls := 0


func begin(methods: Array) -> void:
	limbs = Limbs.new()
	var p := await play({})
	bridge = p[0]
	character = p[1]
	agent = p[2]
	for method: String in methods:
		equal(character.add_method(Callable(limbs, method)), OK, "add_method " + method)
	bridge.flush()


func end() -> void:
	bridge.free()
	limbs.free()


func heard(tool_id: String, input: Dictionary) -> Array:
	calls += 1
	limbs.heard = []
	var r := await ask(agent, str(calls), tool_id, input)
	equal(r.ok, true, "%s %s: %s" % [tool_id, input, r.get("error")])
	return limbs.heard


func code(tool_id: String, input: Dictionary) -> String:
	calls += 1
	var r := await ask(agent, str(calls), tool_id, input)
	return r.error.code if r.has("error") else "ok"


func test_defaults_before_what_is_given() -> void:
	await begin(["empties", "with_call", "secret_last"])
	var got := await heard("empties", {"n": 7})
	equal(got, [[] as Array[String], [], {}, PackedInt32Array(), PackedStringArray(), PackedByteArray(), ["old"] as Array[String], "a, (\"[", null, 7], "all but the last are left out")
	if got.size() == 10:
		equal([got[0].get_typed_builtin(), got[1].is_typed(), typeof(got[3]), typeof(got[5])], [TYPE_STRING, false, TYPE_PACKED_INT32_ARRAY, TYPE_PACKED_BYTE_ARRAY], "types")
	equal((await heard("empties", {"map": {"a": 1}})).slice(0, 3), [[], [], {"a": 1}], "one in the middle")
	equal(await heard("empties", {}), [[], [], {}, PackedInt32Array(), PackedStringArray(), PackedByteArray(), ["old"], "a, (\"[", null, 1], "none")
	equal(await heard("with_call", {}), [[], 3], "with the call after them")
	equal(await heard("with_call", {"n": 5}), [[], 5], "with one and the call after them")
	equal(await heard("secret_last", {}), [1, true], "the last one's is the script's own")
	equal(await heard("secret_last", {"n": 2}), [2, true], "the last one's is the script's own")
	end()


func test_defaults_that_only_the_script_knows() -> void:
	await begin([])
	for pair: Array in [["secret_first", "t"], ["full_first", "tags"], ["untyped_first", "list"], ["secret_and_call", "t"]]:
		equal(character.add_method(Callable(limbs, pair[0])), ERR_INVALID_PARAMETER, pair[0])
		expect_error("argument %s of %s() has a default that is no constant" % [pair[1], pair[0]])
	equal(character.add_method(limbs.to_be_bound.bind(9)), OK, "bound")
	bridge.flush()
	equal(await heard("to_be_bound", {}), [1, 2, 9], "what is left out does not move what is bound")
	equal(await heard("to_be_bound", {"n": 5}), [5, 2, 9], "what is left out does not move what is bound")
	end()


func test_a_static_function() -> void:
	await begin([])
	equal(character.add_method(Limbs.add), OK, "add_method")
	var t := character.get_tool("add")
	equal([t.description, t.input_schema.properties.b, t.input_schema.required], ["Adds two.", {"type": "integer", "description": "the second", "default": 4}, ["a"]], "the tool")
	bridge.flush()
	equal((await ask(agent, "s", "add", {"a": 3})).output, {"sum": 7}, "called")
	end()


func test_names_and_descriptions() -> void:
	await begin([])
	equal(character.add_method(limbs.WalkTo), ERR_INVALID_PARAMETER, "a name that is no id")
	expect_error("the name of WalkTo() is no id for a tool")
	var t := AiccTool.from_method(limbs.WalkTo)
	equal(t.method, "WalkTo", "the method stays")
	t.id = "walk_to"
	equal(character.add_tool(t, limbs.WalkTo), OK, "with another id")
	equal(character.add_method(limbs.silent), ERR_INVALID_PARAMETER, "no comment")
	expect_error("silent() has no description: write a ## comment above it")
	equal(bridge.add_method(limbs.silent), ERR_INVALID_PARAMETER, "no comment")
	expect_error("silent() has no description: write a ## comment above it")
	bridge.flush()
	equal(await heard("walk_to", {"place": "gate"}), ["gate"], "called")
	end()


## A script without source is what exported projects have.
func test_without_source() -> void:
	await begin([])
	var script := GDScript.new()
	script.source_code = "extends Node\nvar got\n## Says it.\nfunc say_it(words: String, tags: Array[String] = [], loud := false) -> Dictionary:\n\treturn {\"words\": words, \"tags\": tags, \"loud\": loud}\n"
	equal(script.reload(), OK, "reload")
	script.source_code = ""
	var node: Node = script.new()
	equal(character.add_method(Callable(node, "say_it")), OK, "add_method")
	expect_error("the tool say_it has only its name as a description")
	equal(character.get_tool("say_it").description, "say it", "description")
	equal(character.add_method(Callable(node, "say_it")), OK, "again, without another warning")
	var t := AiccTool.from_method(Callable(node, "say_it"))
	t.description = "Says it."
	equal(character.add_tool(t, Callable(node, "say_it")), OK, "with a description of its own, and no warning")
	bridge.flush()
	equal((await ask(agent, "w", "say_it", {"words": "a", "loud": true})).output, {"words": "a", "tags": [], "loud": true}, "called")
	node.free()
	end()


func test_a_member_is_missing() -> void:
	await begin([])
	var t := tool("two", {"x": {"type": "integer"}, "y": {"type": "integer"}}, {"arguments": PackedStringArray(["x", "y"])})
	equal(character.add_tool(t, func(x: int, y: int) -> Dictionary: return {"sum": x + y}), OK, "a lambda")
	var called := tool("called", {"x": {"type": "integer"}, "y": {"type": "integer"}}, {"arguments": PackedStringArray(["x", "y"])})
	equal(character.add_tool(called, func(x: int, y: int, call: AiccCall) -> void: call.succeed({"sum": x + y})), OK, "a lambda with the call")
	var named := tool("named", {"x": {"type": "integer"}, "y": {"type": "integer"}}, {"arguments": PackedStringArray(["x", "y"])})
	equal(character.add_tool(named, limbs.two), OK, "a method")
	bridge.flush()
	for id: String in ["two", "called", "named"]:
		equal((await ask(agent, id + "1", id, {"x": 1, "y": 2})).ok, true, id)
		var r := await ask(agent, id + "2", id, {"x": 1})
		equal(r.error.code, "invalid_input", id)
		equal(r.error.message, "/y: it is missing", id)
		expect_error("its method wants the member \"y\", which the agent left out")
		equal((await ask(agent, id + "3", id, {"y": 1})).error.message, "/x: it is missing", id)
		expect_error("its method wants the member \"x\", which the agent left out")
	end()


func test_what_does_not_fit_is_refused() -> void:
	await begin(["small"])
	for good: Array in [[{"a": [2147483647, -2147483648]}, 0, PackedInt32Array([2147483647, -2147483648])], [{"v": [{"x": 1, "y": -2147483648}]}, 1, [Vector2i(1, -2147483648)] as Array[Vector2i]],
			[{"f": [1e30]}, 2, PackedFloat32Array([1e30])], [{"b": "AQI="}, 3, PackedByteArray([1, 2])], [{"b": ""}, 3, PackedByteArray()], [{"b": "AQIDBA=="}, 3, PackedByteArray([1, 2, 3, 4])],
			[{"p": {"x": 1, "y": 2.5}}, 4, Vector2(1, 2.5)]]:
		var got := await heard("small", good[0])
		equal(got[good[1]] if got.size() == 5 else null, good[2], str(good[0]))
	for bad: Dictionary in [{"a": [5000000000]}, {"a": [1, -2147483649]}, {"a": [1e300]}, {"v": [{"x": 5000000000, "y": 1}]}, {"f": [1e300]}, {"p": {"x": 1e300, "y": 1}}, {"b": "!!"}, {"b": "A"}, {"b": "AQI"}, {"b": "A==="}, {"b": "AQ=I"},
			{"b": "===="}, {"b": "AQ I"}, {"b": "AQé="}]:
		equal(await code("small", bad), "invalid_input", str(bad))
	equal(AiccJson.convert([5000000000], TYPE_PACKED_INT32_ARRAY), null, "AiccJson.convert")
	equal(AiccJson.convert("!!", TYPE_PACKED_BYTE_ARRAY), null, "AiccJson.convert")
	end()


func test_enums() -> void:
	await begin(["feel"])
	var properties: Dictionary = character.get_tool("feel").input_schema.properties
	equal(properties.mood, {"type": "string", "enum": ["CALM", "ALERT"]}, "of another script")
	equal(properties.own, {"type": "string", "enum": ["SAD", "GLAD"], "default": "SAD"}, "of this one")
	equal(properties.mode.default, "PROCESS_MODE_ALWAYS", "of the engine")
	equal(properties.axis, {"type": "integer", "default": 0}, "of a type that is no class: its words are not to be had")
	equal(await heard("feel", {"mood": "ALERT", "own": "GLAD", "mode": "PROCESS_MODE_DISABLED"}), [5, 4, 0, 4], "called")
	equal(await code("feel", {"mood": 77}), "invalid_input", "a number that is none of them")
	equal(character.add_method(limbs.nodes), ERR_INVALID_PARAMETER, "an array of nodes")
	expect_error("argument all of nodes() is of type Array[Node], which has no meaning in JSON")
	end()
