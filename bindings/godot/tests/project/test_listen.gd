extends Case
## Agents that come by the port, as WebSocketPeers of this process.

class Client extends RefCounted:
	var peer := WebSocketPeer.new()
	var messages: Array[Dictionary] = []
	var session_id := ""
	var count := 0

	func _init(url: String, token := "") -> void:
		if token != "":
			peer.handshake_headers = PackedStringArray(["Authorization: Bearer " + token])
		peer.connect_to_url(url)

	func poll() -> void:
		peer.poll()
		while peer.get_available_packet_count() > 0:
			var m: Dictionary = AiccJson.parse(peer.get_packet().get_string_from_utf8())
			messages.append(m)
			if m.type == "session_init":
				session_id = m.session_id

	func say(message: Dictionary) -> void:
		count += 1
		var whole := {"protocol": "aicc/0.1", "session_id": session_id, "message_id": "00000000-0000-4000-8000-%012d" % count}
		whole.merge(message, true)
		peer.send_text(AiccJson.stringify(whole))


func has(client: Client, type: String) -> bool:
	client.poll()
	return client.messages.any(func(m: Dictionary) -> bool: return m.type == type)


## What the listener answers to a plain request with these headers.
func status(port: int, headers: String) -> int:
	var peer := StreamPeerTCP.new()
	peer.connect_to_host("127.0.0.1", port)
	await until(func() -> bool: peer.poll(); return peer.get_status() == StreamPeerTCP.STATUS_CONNECTED, "a connection")
	peer.put_data(("GET / HTTP/1.1\r\n%s\r\n\r\n" % headers).to_utf8_buffer())
	await until(func() -> bool: peer.poll(); return peer.get_available_bytes() > 12, "an answer")
	return int(peer.get_utf8_string(12).get_slice(" ", 1))


func listening(name: String, more := {}) -> AiccBridge:
	var b := AiccBridge.new()
	b.world_name = name
	for key: String in more:
		b.set(key, more[key])
	tree.root.add_child(b)
	return b


func guard_of(b: AiccBridge, body: Body) -> AiccCharacter:
	var c := AiccCharacter.new()
	c.character_name = "guard"
	c.subscriptions = 0
	c.add_tool(tool("look"), body.look)
	c.add_tool(tool("walks"), body.walks)
	b.add_child(c)
	return c


func test_an_agent_plays() -> void:
	var body := Body.new()
	var b := listening("night watch", {"inspector": true})
	check(b.is_running(), "running")
	check(b.get_address().begins_with("ws://127.0.0.1:") and b.get_address().ends_with("/aicc/night%20watch"), "address: " + b.get_address())
	check(b.get_inspector_url().begins_with("http://127.0.0.1:"), "inspector: " + b.get_inspector_url())
	var c := guard_of(b, body)
	await c.seated
	await frames()
	var client := Client.new(b.get_address() + "?character=guard")
	await until(has.bind(client, "session_init"), "session_init")
	await until(c.has_agent, "has_agent")
	client.say({"type": "tool_call", "call_id": "1", "tool": "look", "input": {}})
	await until(has.bind(client, "tool_result"), "tool_result")
	equal(client.messages.back().output, {"at": {"x": 1.25, "y": 2}, "n": 3}, "output")
	equal(c.attach(), ERR_UNAVAILABLE, "attach")
	expect_error("attach(): its bridge listens, so agents come by the port")
	var second := Client.new(b.get_address() + "?character=guard")
	await until(func() -> bool: second.poll(); return second.peer.get_ready_state() == WebSocketPeer.STATE_CLOSED, "a second agent is refused")
	expect_error("Invalid status code. Got: '409'")
	expect_error("Invalid response headers")
	client.say({"type": "tool_call", "call_id": "2", "tool": "walks", "input": {}})
	await until(func() -> bool: return c.get_calls().size() == 1, "a call in flight")
	var gone: Array = []
	c.call_ended.connect(func(_call: AiccCall, reason: int) -> void: gone.append(reason))
	b.stop("the night is over")
	equal(gone, [AiccCall.ENDED_BRIDGE], "the call has ended")
	# A WebSocketPeer that finds the end of its connection gives no messages any more that came before, session_close for one.
	await until(func() -> bool: client.poll(); return client.peer.get_ready_state() == WebSocketPeer.STATE_CLOSED, "the end of the connection")
	equal([client.peer.get_close_code(), client.peer.get_close_reason().begins_with("the session ")], [1000, true], "a polite end: " + client.peer.get_close_reason())
	equal(b.get_address(), "", "no address")
	b.free()
	body.free()


func test_a_token_and_a_shared_port() -> void:
	var body := Body.new()
	var one := listening("one", {"listen_token": "secret"})
	var port := int(one.get_address().get_slice(":", 2))
	one.stop()
	one.listen_port = port
	equal(one.start(), OK, "a port that was just left")
	var two := listening("two", {"listen_token": "secret", "listen_port": port})
	check(two.is_running() and two.get_address() == "ws://127.0.0.1:%d/aicc/two" % port, "the same port: " + two.get_address())
	var other := listening("three", {"listen_token": "other", "listen_port": port})
	check(not other.is_running(), "another token")
	expect_error("another AiccBridge listens at 127.0.0.1:%d with other settings" % port)
	var again := listening("two", {"listen_token": "secret", "listen_port": port})
	check(not again.is_running(), "the same name")
	expect_error("AiccBridge \"two\": it cannot start")
	var c := guard_of(one, body)
	var d := guard_of(two, body)
	await frames(2)
	one.flush()
	two.flush()
	var stranger := Client.new(one.get_address())
	await until(func() -> bool: stranger.poll(); return stranger.peer.get_ready_state() == WebSocketPeer.STATE_CLOSED, "without the token")
	expect_error("Invalid status code. Got: '401'")
	expect_error("Invalid response headers")
	var client := Client.new(two.get_address(), "secret")
	await until(has.bind(client, "session_init"), "with the token")
	await until(d.has_agent, "the right world")
	check(not c.has_agent(), "the other world")
	one.free()
	client.say({"type": "tool_call", "call_id": "1", "tool": "look", "input": {}})
	await until(has.bind(client, "tool_result"), "the port stays for the other bridge")
	for b: AiccBridge in [two, other, again]:
		b.free()
	body.free()


func test_a_second_agent_takes_over() -> void:
	var body := Body.new()
	var b := listening("yard", {"second_agent": AiccBridge.SECOND_AGENT_REPLACE, "fixed_agents": true, "allowed_hosts": PackedStringArray(["game.example"]), "allowed_origins": PackedStringArray(["https://studio.example"])})
	var c := guard_of(b, body)
	await c.seated
	await frames()
	b.flush()
	var first := Client.new(b.get_address() + "?topics=audio")
	await until(has.bind(first, "session_init"), "the first")
	var second := Client.new(b.get_address() + "?character=guard")
	await until(has.bind(second, "session_init"), "the second", 8)
	await until(func() -> bool: first.poll(); return first.peer.get_ready_state() == WebSocketPeer.STATE_CLOSED, "the end of the first")
	equal(first.peer.get_close_code(), 4410, "replaced")
	check(first.session_id != second.session_id, "another session")
	var port := int(b.get_address().get_slice(":", 2))
	equal(await status(port, "Host: game.example"), 200, "allowed_hosts")
	equal(await status(port, "Host: evil.example"), 403, "another host")
	equal(await status(port, "Host: localhost\r\nOrigin: https://studio.example"), 200, "allowed_origins")
	equal(await status(port, "Host: localhost\r\nOrigin: https://evil.example"), 403, "another origin")
	b.free()
	body.free()


func test_a_port_that_is_taken() -> void:
	var server := TCPServer.new()
	equal(server.listen(0, "127.0.0.1"), OK, "a server")
	var b := listening("yard", {"listen_port": server.get_local_port()})
	check(not b.is_running(), "not running")
	expect_error("it cannot listen at 127.0.0.1:%d" % server.get_local_port())
	server.stop()
	equal(b.start(), OK, "free again")
	b.free()
