extends Case
## That the tests speak of all that there is.

func test_everything_is_exercised() -> void:
	var text := ""
	for file in DirAccess.get_files_at("res://"):
		if (file.begins_with("test_") or file.begins_with("process_") or file in ["case.gd", "body.gd", "scene.tscn"]) and file != "test_whole.gd":
			text += FileAccess.get_file_as_string("res://" + file)
	var count := 0
	for c: String in ["AiccBridge", "AiccCharacter", "AiccTool", "AiccCall", "AiccEvent", "AiccJson"]:
		check(ClassDB.class_exists(c), c)
		var names: Array[String] = []
		for m in ClassDB.class_get_method_list(c, true):
			var accessor: bool = m.name.begins_with("set_") or m.name.begins_with("get_")
			if not accessor or not ClassDB.class_get_property_list(c, true).any(func(p: Dictionary) -> bool: return p.name == m.name.substr(4)):
				names.append(m.name)
		for s in ClassDB.class_get_signal_list(c, true):
			names.append(s.name)
		for p in ClassDB.class_get_property_list(c, true):
			if not p.usage & (PROPERTY_USAGE_GROUP | PROPERTY_USAGE_CATEGORY):
				names.append(p.name)
		names.append_array(ClassDB.class_get_integer_constant_list(c, true))
		for n in names:
			count += 1
			check(RegEx.create_from_string("\\b%s\\b" % n).search(text) != null, "%s.%s is in no test" % [c, n])
	check(count > 180, "found only %d names" % count)


func test_types_of_what_is_bound() -> void:
	var wanted := {
		"AiccBridge.start": "Error", "AiccBridge.add_tool": "Error", "AiccBridge.find_character": "AiccCharacter", "AiccCharacter.get_tool": "AiccTool", "AiccCharacter.bind_event": "AiccEvent",
		"AiccCharacter.get_bridge_node": "AiccBridge", "AiccTool.from_method": "AiccTool", "AiccCall.get_character": "AiccCharacter", "AiccCall.succeed": "Error", "AiccEvent.emit": "Error",
	}
	for key: String in wanted:
		for m in ClassDB.class_get_method_list(key.get_slice(".", 0), true):
			if m.name == key.get_slice(".", 1):
				equal(str(m.return.class_name), wanted[key], key)
	for p in ClassDB.class_get_property_list("AiccCharacter", true):
		if p.name == "tools":
			equal([p.type, p.hint, p.hint_string], [TYPE_ARRAY, PROPERTY_HINT_ARRAY_TYPE, "24/17:AiccTool"], "tools")
		elif p.name == "subscriptions":
			equal([p.hint, p.hint_string], [PROPERTY_HINT_FLAGS, "Tick:1,Collision:2,Audio:4,State change:8,Agent message:16"], "subscriptions")
		elif p.name == "bridge":
			equal([p.type, p.hint, p.hint_string], [TYPE_NODE_PATH, PROPERTY_HINT_NODE_PATH_VALID_TYPES, "AiccBridge"], "bridge")
	for p in ClassDB.class_get_property_list("AiccTool", true):
		if p.name == "tool_class":
			equal([p.hint, p.hint_string, str(p.class_name)], [PROPERTY_HINT_ENUM, "Sensor:1,Actuator:2,Generator:3", "AiccTool.ToolClass"], "tool_class")
		elif p.name == "description":
			equal(p.hint, PROPERTY_HINT_MULTILINE_TEXT, "description")
	for p in ClassDB.class_get_property_list("AiccBridge", true):
		if p.name == "listen_token":
			equal(p.hint, PROPERTY_HINT_PASSWORD, "listen_token")
