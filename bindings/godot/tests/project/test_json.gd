extends Case

func there_and_back(value: Variant, text: String) -> void:
	equal(AiccJson.stringify(value), text, "stringify %s" % type_string(typeof(value)))
	equal(AiccJson.check(value), "", "check " + text)
	var back: Variant = AiccJson.convert(AiccJson.parse(text), typeof(value))
	equal(back, value, "convert " + text)


func test_every_type_goes_and_comes() -> void:
	there_and_back(true, "true")
	there_and_back(0, "0")
	there_and_back(-9223372036854775807 - 1, "-9223372036854775808")
	there_and_back(9223372036854775807, "9223372036854775807")
	there_and_back(1.5, "1.5")
	there_and_back(0.1, "0.1")
	there_and_back("a\"\\\n\u0001é😀", "\"a\\\"\\\\\\n\\u0001é😀\"")
	there_and_back(&"name", "\"name\"")
	there_and_back(NodePath("a/b:c"), "\"a/b:c\"")
	there_and_back(Vector2(1.5, -2), '{"x":1.5,"y":-2}')
	there_and_back(Vector2i(1, -2), '{"x":1,"y":-2}')
	there_and_back(Vector3(1, 2, 3.25), '{"x":1,"y":2,"z":3.25}')
	there_and_back(Vector3i(1, 2, 3), '{"x":1,"y":2,"z":3}')
	there_and_back(Vector4(1, 2, 3, 4), '{"x":1,"y":2,"z":3,"w":4}')
	there_and_back(Vector4i(1, 2, 3, 4), '{"x":1,"y":2,"z":3,"w":4}')
	there_and_back(Quaternion(0, 0, 0, 1), '{"x":0,"y":0,"z":0,"w":1}')
	there_and_back(Color(1, 0.5, 0, 1), '{"r":1,"g":0.5,"b":0,"a":1}')
	there_and_back(Rect2(1, 2, 3, 4), '{"position":{"x":1,"y":2},"size":{"x":3,"y":4}}')
	there_and_back(Rect2i(1, 2, 3, 4), '{"position":{"x":1,"y":2},"size":{"x":3,"y":4}}')
	there_and_back(AABB(Vector3(1, 2, 3), Vector3(4, 5, 6)), '{"position":{"x":1,"y":2,"z":3},"size":{"x":4,"y":5,"z":6}}')
	there_and_back(Plane(Vector3(0, 1, 0), 5), '{"normal":{"x":0,"y":1,"z":0},"d":5}')
	var basis := Basis(Vector3(1, 2, 3), Vector3(4, 5, 6), Vector3(7, 8, 9))
	var columns := '{"x":{"x":1,"y":2,"z":3},"y":{"x":4,"y":5,"z":6},"z":{"x":7,"y":8,"z":9}}'
	there_and_back(basis, columns)
	there_and_back(Transform3D(basis, Vector3(1, 2, 3)), '{"basis":%s,"origin":{"x":1,"y":2,"z":3}}' % columns)
	there_and_back(Transform2D(Vector2(1, 2), Vector2(3, 4), Vector2(5, 6)), '{"x":{"x":1,"y":2},"y":{"x":3,"y":4},"origin":{"x":5,"y":6}}')
	there_and_back(Projection(Vector4(1, 2, 3, 4), Vector4(5, 6, 7, 8), Vector4(9, 10, 11, 12), Vector4(13, 14, 15, 16)),
		'{"x":{"x":1,"y":2,"z":3,"w":4},"y":{"x":5,"y":6,"z":7,"w":8},"z":{"x":9,"y":10,"z":11,"w":12},"w":{"x":13,"y":14,"z":15,"w":16}}')
	there_and_back(PackedByteArray([1, 2, 3, 4]), '"AQIDBA=="')
	there_and_back(PackedByteArray([1, 2, 3]), '"AQID"')
	there_and_back(PackedByteArray(), '""')
	there_and_back(PackedInt32Array([1, -2]), "[1,-2]")
	there_and_back(PackedInt64Array([9223372036854775807]), "[9223372036854775807]")
	there_and_back(PackedFloat32Array([0.1, 2]), "[0.1,2]")
	there_and_back(PackedFloat64Array([0.1, 2]), "[0.1,2]")
	there_and_back(PackedStringArray(["a", "b"]), '["a","b"]')
	there_and_back(PackedVector2Array([Vector2(1, 2)]), '[{"x":1,"y":2}]')
	there_and_back(PackedVector3Array([Vector3(1, 2, 3)]), '[{"x":1,"y":2,"z":3}]')
	there_and_back(PackedVector4Array([Vector4(1, 2, 3, 4)]), '[{"x":1,"y":2,"z":3,"w":4}]')
	there_and_back(PackedColorArray([Color.RED]), '[{"r":1,"g":0,"b":0,"a":1}]')
	there_and_back({"a": {"b": [1, 2.5, null, false]}}, '{"a":{"b":[1,2.5,null,false]}}')
	there_and_back([], "[]")
	there_and_back({}, "{}")
	equal(AiccJson.stringify(null), "null", "null")
	equal(AiccJson.stringify({&"name": 1}), '{"name":1}', "a key of StringName")
	equal(AiccJson.convert("#ff0000", TYPE_COLOR), Color.RED, "a color in hex")
	equal(AiccJson.convert("red", TYPE_COLOR), Color.RED, "a color by name")
	equal(AiccJson.convert("black", TYPE_COLOR), Color.BLACK, "a color by name")


func test_what_is_not_finite_is_null() -> void:
	equal(AiccJson.stringify([NAN, INF, -INF, Vector2(NAN, 1), PackedFloat32Array([INF]), PackedFloat64Array([NAN])]), '[null,null,null,{"x":null,"y":1},[null],[null]]', "not finite")


func test_numbers_keep_what_they_are() -> void:
	equal(AiccJson.parse("3"), 3, "whole")
	equal(AiccJson.parse("3.0"), 3.0, "with a point")
	equal(AiccJson.parse("1e3"), 1000.0, "with an exponent")
	equal(AiccJson.parse("-0"), 0, "minus nought")
	equal(AiccJson.parse("9223372036854775808"), 9223372036854775808.0, "beyond 64 bits")
	equal(AiccJson.convert(3.0, TYPE_INT), 3, "a whole float")
	equal(AiccJson.convert(3.5, TYPE_INT), null, "no whole float")
	equal(AiccJson.convert(3, TYPE_FLOAT), 3.0, "an int as a float")
	equal(AiccJson.convert("3", TYPE_INT), null, "text is no number")
	equal(AiccJson.convert({"x": 1}, TYPE_VECTOR2), null, "half a vector")
	equal(AiccJson.convert({"x": 1, "y": 1.5}, TYPE_VECTOR2I), null, "a vector of halves")
	equal(AiccJson.convert({"x": 1, "y": 5000000000}, TYPE_VECTOR2I), null, "beyond 32 bits")
	equal(AiccJson.convert("nosuchcolor", TYPE_COLOR), null, "no color")
	equal(AiccJson.convert([1, "a"], TYPE_PACKED_INT32_ARRAY), null, "no ints")
	equal(AiccJson.convert(1, TYPE_PACKED_BYTE_ARRAY), null, "no bytes")
	equal(AiccJson.convert(1, TYPE_NODE_PATH), null, "no path")


func test_what_has_no_meaning_is_refused_by_name() -> void:
	for value: Array in [[RID(), "RID"], [RefCounted.new(), "Object"], [tree.root, "Object"], [check, "Callable"], [tree.process_frame, "Signal"]]:
		equal(AiccJson.check({"a": [1, value[0]]}), "/a/1: a value of type %s has no meaning in JSON" % value[1], "check")
		equal(AiccJson.stringify(value[0]), "", "stringify")
		expect_error("AiccJson.stringify: a value of type %s has no meaning in JSON. Give what it means instead" % value[1])
	equal(AiccJson.check({"a/b~": {1: 2}}), "/a~1b~0: a key is of type int (1): the names of JSON's members are strings", "a key that is no string")
	var cycle := []
	cycle.append(cycle)
	check(AiccJson.check(cycle).ends_with("more than 64 levels deep: does it contain itself?"), "a cycle")
	cycle.clear()


func test_text_that_is_not_json() -> void:
	for bad: Array in [["", "no value at byte 0"], ["{", "wanted a member's name at byte 1"], ['{"a":1,}', "wanted a member's name at byte 7"], ["[1,]", "no number at byte 3"], ["01", "no number at byte 2"], ["1.", "no number at byte 2"],
			["tru", "no value at byte 0"], ['"a', "a string is cut off at byte 2"], ['"\\x"', "an unknown escape at byte 3"], ['"\\u12"', "a \\u escape is cut off at byte 3"], ['{"a":1,"a":2}', "a member comes twice at byte 10"],
			["1 2", "something follows the value at byte 2"], ["1e999", "a number is too large at byte 5"], ["[1", "wanted , or ] at byte 2"], ['{"a" 1}', "wanted : at byte 5"], ["nan", "no value at byte 0"],
			["[".repeat(70), "deeper than 64 levels at byte 64"], ["\"\t\"", "a control character stands in a string at byte 1"]]:
		equal(AiccJson.parse(bad[0]), null, "parse " + bad[0])
		expect_error("AiccJson.parse: not JSON: %s." % bad[1])
	equal(AiccJson.parse('"\\ud83d\\ude00 \\ud83d \\u00e9"'), "😀 \ufffd é", "surrogates")


func test_schemas() -> void:
	equal(AiccJson.schema(TYPE_INT), {"type": "integer"}, "int")
	equal(AiccJson.schema(TYPE_FLOAT), {"type": "number"}, "float")
	equal(AiccJson.schema(TYPE_BOOL), {"type": "boolean"}, "bool")
	equal(AiccJson.schema(TYPE_STRING_NAME), {"type": "string"}, "StringName")
	equal(AiccJson.schema(TYPE_NIL), {}, "anything")
	equal(AiccJson.schema(TYPE_ARRAY), {"type": "array"}, "Array")
	equal(AiccJson.schema(TYPE_DICTIONARY), {"type": "object"}, "Dictionary")
	equal(AiccJson.schema(TYPE_PACKED_BYTE_ARRAY), {"type": "string", "contentEncoding": "base64"}, "bytes")
	var v2i := {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}, "required": ["x", "y"]}
	equal(AiccJson.schema(TYPE_VECTOR2I), v2i, "Vector2i")
	equal(AiccJson.schema(TYPE_RECT2I), {"type": "object", "properties": {"position": v2i, "size": v2i}, "required": ["position", "size"]}, "Rect2i")
	equal(AiccJson.schema(TYPE_PACKED_VECTOR2_ARRAY).items.properties.x, {"type": "number"}, "PackedVector2Array")
	equal(AiccJson.schema(TYPE_CALLABLE), {}, "Callable")
	expect_error("AiccJson.schema: a value of type Callable has no meaning in JSON.")
	equal(AiccJson.schema(99), {}, "no type")
	expect_error("AiccJson.schema: a value of type 99 has no meaning in JSON.")
