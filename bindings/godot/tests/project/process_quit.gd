extends SceneTree
## exit code 7: quits with an agent connected, calls in flight, a coroutine that waits, and an event that emits itself.

func _initialize() -> void:
	run.call_deferred()


func run() -> void:
	var b := AiccBridge.new()
	b.world_name = "quits"
	root.add_child(b)
	var body := Body.new()
	var c := AiccCharacter.new()
	var t := AiccTool.new()
	t.id = "walks"
	t.description = "Walks."
	c.add_tool(t, body.walks)
	body.add_child(c)
	root.add_child(body)
	var event := c.bind_event(AiccCharacter.TOPIC_TICK, body, ["position"])
	event.auto_emit = true
	await c.seated
	await process_frame
	var agent := WebSocketPeer.new()
	agent.connect_to_url(b.get_address())
	var session := ""
	while session == "":
		await process_frame
		agent.poll()
		if agent.get_available_packet_count() > 0:
			session = AiccJson.parse(agent.get_packet().get_string_from_utf8()).session_id
	agent.send_text(AiccJson.stringify({"protocol": "aicc/0.1", "type": "tool_call", "session_id": session, "message_id": "00000000-0000-4000-8000-000000000001", "call_id": "1", "tool": "walks", "input": {}}))
	while c.get_calls().is_empty():
		await process_frame
	print("BEGIN")
	print("DONE quits with ", b.get_stats().agents, " agent and ", b.get_stats().calls_in_flight, " call")
	quit(7)
