extends SceneTree
## exit code 5: quits in the middle of a tool's callback.

func _initialize() -> void:
	run.call_deferred()


func run() -> void:
	var b := AiccBridge.new()
	b.world_name = "quits"
	b.listen = false
	root.add_child(b)
	var c := AiccCharacter.new()
	c.character_name = "guard"
	var t := AiccTool.new()
	t.id = "end"
	t.description = "Ends it."
	c.add_tool(t, func(_input: Dictionary) -> Dictionary: quit(5); return {})
	b.add_child(c)
	await c.seated
	var session := [""]
	c.message_ready.connect(func(text: String) -> void: session[0] = AiccJson.parse(text).session_id)
	c.attach()
	while session[0] == "":
		await process_frame
	print("BEGIN")
	print("DONE quits in a callback")
	c.receive(AiccJson.stringify({"protocol": "aicc/0.1", "type": "tool_call", "session_id": session[0], "message_id": "00000000-0000-4000-8000-000000000001", "call_id": "1", "tool": "end", "input": {}}))
