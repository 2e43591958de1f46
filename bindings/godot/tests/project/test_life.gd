extends Case
## What comes and goes while agents are there.

## Until it is freed. (A lambda that captures it would not like that.)
func gone(node: Node) -> bool:
	var id := node.get_instance_id()
	return await until(func() -> bool: return instance_from_id(id) == null, "the end of a node")


func b_free(_input: Dictionary, bridge: int) -> Dictionary:
	instance_from_id(bridge).free()
	return {}


func test_freed_by_its_own_tool() -> void:
	var b := new_bridge()
	tree.root.add_child(b)
	var body := Body.new()
	var c := AiccCharacter.new()
	c.character_name = "guard"
	c.add_tool(tool("frees_itself_later"), body.frees_itself_later)
	c.add_tool(tool("walks"), body.walks)
	body.add_child(c)
	tree.root.add_child(body)
	await c.seated
	await frames()
	var a := Agent.new(c)
	c.attach()
	await until(func() -> bool: return a.session_id != "", "session_init")
	var texts: Array = []
	c.message_ready.connect(func(text: String) -> void: texts.append(text))
	a.call_tool("0", "walks")
	await until(func() -> bool: return c.get_calls().size() == 1, "a call in flight")
	var ended: Array = []
	var kept := c.get_calls()[0]
	kept.ended.connect(func(reason: int) -> void: ended.append(reason))
	a.call_tool("1", "frees_itself_later")
	await gone(body)
	await frames(3)
	check(not kept.is_alive(), "its call is over")
	equal(b.get_stats().sessions, 0, "its seat is given up")
	b.free()


func test_the_bridge_is_freed_by_a_tool() -> void:
	var p := await play({})
	var b: AiccBridge = p[0]
	var c: AiccCharacter = p[1]
	c.reparent(tree.root)
	c.add_tool(tool("end"), b_free.bind(b.get_instance_id()))
	c.add_tool(tool("never"), func(_input: Dictionary) -> Dictionary: check(false, "runs after the end"); return {})
	p[2].call_tool("1", "end")
	p[2].call_tool("2", "never")
	await gone(b)
	await frames(2)
	check(not c.is_seated(), "no seat")
	c.free()


func test_the_bridge_is_stopped_and_started_by_a_tool() -> void:
	var p := await play({})
	var b: AiccBridge = p[0]
	var c: AiccCharacter = p[1]
	c.add_tool(tool("again"), func(_input: Dictionary) -> Dictionary: b.stop(); b.start(); b.pump(); return {})
	var said: Array = []
	c.seated.connect(func() -> void: said.append("seated"))
	c.unseated.connect(func() -> void: said.append("unseated"))
	p[2].call_tool("1", "again")
	await until(func() -> bool: return said.size() == 2, "another seat")
	equal(said, ["unseated", "seated"], "out and in")
	equal(b.get_stats().sessions, 1, "one session")
	b.free()


func test_another_character_is_freed_in_a_callback() -> void:
	var p := await play({})
	var b: AiccBridge = p[0]
	var other := AiccCharacter.new()
	other.character_name = "other"
	b.add_child(other)
	await other.seated
	await frames()
	p[1].add_tool(tool("kill"), func(_input: Dictionary) -> Dictionary: other.free(); return {"killed": true})
	p[1].tool_called.connect(func(_call: AiccCall) -> void: pass)
	equal((await ask(p[2], "1", "kill")).output, {"killed": true}, "killed")
	equal(b.get_stats().sessions, 1, "one is left")
	b.free()


func test_a_character_is_freed_with_calls_in_flight() -> void:
	var body := Body.new()
	var p := await play({tool("walks"): body.walks, tool("answer_later"): body.answer_later})
	var c: AiccCharacter = p[1]
	p[2].call_tool("1", "walks")
	p[2].call_tool("2", "answer_later")
	await until(func() -> bool: return c.get_calls().size() == 2, "calls")
	var calls := c.get_calls()
	var ended: Array = []
	for call in calls:
		call.ended.connect((func(reason: int, id: String) -> void: ended.append([id, reason])).bind(call.id)) # not the call itself: that would be a cycle
	c.free()
	await until(func() -> bool: return ended.size() == 2, "ends")
	ended.sort()
	equal(ended, [["1", AiccCall.ENDED_SESSION], ["2", AiccCall.ENDED_SESSION]], "both have ended")
	equal([calls[0].is_alive(), calls[1].is_alive()], [false, false], "dead")
	equal(calls[0].get_character(), null, "no character")
	body.arrived.emit() # the coroutine goes on, its answer is not needed
	await frames(2)
	calls.clear()
	p[0].free()
	body.free()


func test_the_scene_is_loaded_again() -> void:
	equal(tree.change_scene_to_file("res://scene.tscn"), OK, "change")
	await tree.process_frame
	await tree.process_frame
	for i in 3:
		var scene := tree.current_scene
		var c: AiccCharacter = scene.get_node("Body/Guard")
		await until(c.is_seated, "seated")
		var a := Agent.new(c)
		c.attach()
		await until(func() -> bool: return a.session_id != "", "session_init")
		a.call_tool("1", "walks")
		await until(func() -> bool: return c.get_calls().size() == 1, "a call in flight")
		equal((await ask(a, "2", "look")).ok, true, "look")
		equal(tree.reload_current_scene(), OK, "reload")
		await gone(scene)
		await until(func() -> bool: return tree.current_scene != null, "another scene")
	tree.unload_current_scene()
	await frames(2)


func test_many_come_and_go() -> void:
	var b := new_bridge()
	tree.root.add_child(b)
	var done := func(_input: Dictionary) -> Dictionary: return {}
	for round in 3:
		var all: Array[AiccCharacter] = []
		for i in 200:
			var c := AiccCharacter.new()
			c.character_name = "c%d" % i
			c.add_tool(tool("look"), done)
			c.add_tool(tool("walk" if i % 2 else "swim"), done)
			all.append(c)
			b.add_child(c)
		await frames(2)
		equal([b.get_characters().size(), b.get_stats().tools], [200, 4], "seats; two sets of two tools")
		for c in all:
			c.free()
		await frames(2)
		equal([b.get_characters().size(), b.get_stats().sessions], [0, 0], "none")
	b.free()


func test_sets_of_ones_own_are_bounded() -> void:
	var b := new_bridge()
	tree.root.add_child(b)
	for i in 70:
		var c := AiccCharacter.new()
		c.character_name = "c%d" % i
		c.add_tool(tool("tool_%d" % i), func(_input: Dictionary) -> Dictionary: return {})
		b.add_child(c)
	await frames(2)
	for i in 6:
		expect_error("it gets no seat")
	equal(b.get_characters().size(), 64, "64 sets")
	errors.lines.clear()
	b.free()


func test_threads_speak_while_it_ends() -> void:
	for i in 5:
		var p := await play({}, "yard", {"log_level": AiccBridge.LOG_NONE}) # the agent is flooded
		var c: AiccCharacter = p[1]
		c.subscriptions = 31
		var stop := [false]
		var threads: Array[Thread] = []
		for n in 3:
			var thread := Thread.new()
			thread.start(func() -> void:
				while not stop[0]:
					c.emit_event(AiccCharacter.TOPIC_AUDIO, {"n": n})
					c.receive("{}"))
			threads.append(thread)
		await frames(5)
		p[0].stop()
		await frames(2)
		stop[0] = true
		for thread in threads:
			thread.wait_to_finish()
		p[0].free()
