extends Case

## What each method's return makes of the call: ok and output, or the error's code; and the engine error, if any.
func test_what_is_returned() -> void:
	var body := Body.new()
	var wanted := {
		"look": [{"at": {"x": 1.25, "y": 2}, "n": 3}, ""],
		"note": [{}, ""],
		"no_arguments": [{"none": true}, ""],
		"says_no": ["tool_unavailable", ""],
		"forget_it": ["execution_failed", ""],
		"gives_nothing": [{}, ""], # GDScript itself takes it for `-> void`, as it has no return with a value
		"gives_null": ["execution_failed", "its method returned null: it met a script error, or forgets to return"],
		"gives_text": ["execution_failed", "its method returned a value of type String: return a Dictionary"],
		"gives_node": ["execution_failed", "its method returned an object of class Node"],
		"gives_rid": ["internal_error", "its output cannot be told: /what: a value of type RID has no meaning in JSON"],
		"gives_too_much": ["internal_error", "its output has 300011 bytes, which is more than an answer holds (256 KiB)"],
	}
	var tools := {}
	for method: String in wanted:
		tools[tool(method)] = Callable(body, method)
	tools[tool("errs")] = body.errs
	var p := await play(tools)
	for method: String in wanted:
		var r := await ask(p[2], method, method)
		if wanted[method][0] is Dictionary:
			equal(r.get("output"), wanted[method][0], method)
		else:
			equal(r.error.code, wanted[method][0], method)
		if wanted[method][1] != "":
			expect_error("AiccCall of tool \"%s\": %s" % [method, wanted[method][1]])
	var says_no: Dictionary = p[2].result("says_no")
	equal([says_no.error.message, says_no.error.retryable], ["not now", true], "says_no")
	equal((await ask(p[2], "e", "errs")).error.code, "execution_failed", "a script error")
	expect_error("Invalid access to property or key 'there_is_no_such_member'")
	expect_error("AiccCall of tool \"errs\": its method returned null: it met a script error")
	p[0].free()
	body.free()


func test_script_errors() -> void:
	var body := Body.new()
	var p := await play({tool("errs_and_declares"): body.errs_and_declares, tool("errs_later"): body.errs_later, tool("errs_elsewhere"): body.errs_elsewhere})
	for id: String in ["errs_and_declares", "errs_later"]:
		p[2].call_tool(id, id)
		await until(func() -> bool: return p[1].get_calls().size() == 1 or not p[2].result(id).is_empty(), id)
		body.arrived.emit()
		await until(func() -> bool: return not p[2].result(id).is_empty(), id)
		equal(p[2].result(id).get("error", {}).get("code"), "execution_failed", id)
		expect_error("Invalid access to property or key 'there_is_no_such_member'")
		expect_error("AiccCall of tool \"%s\": its method met a script error" % id)
	equal((await ask(p[2], "3", "errs_elsewhere")).get("output"), {}, "an error in another method")
	expect_error("Invalid access to property or key 'there_is_no_such_member'")
	p[0].free()
	body.free()


func test_later() -> void:
	var body := Body.new()
	var p := await play({tool("walks"): body.walks, tool("walks_twice"): body.walks_twice, tool("walks_to_nothing"): body.walks_to_nothing, tool("walks_and_notes"): body.walks_and_notes,
		tool("answer_later"): body.answer_later, tool("hand_back"): body.hand_back})
	var a: Agent = p[2]
	var c: AiccCharacter = p[1]
	for id: String in ["walks", "walks_twice", "walks_to_nothing", "walks_and_notes"]:
		a.call_tool(id, id)
	await until(func() -> bool: return c.get_calls().size() == 4, "four calls")
	await frames(2)
	equal(a.of_type("tool_result").size(), 0, "no results yet")
	body.arrived.emit()
	await until(func() -> bool: return a.of_type("tool_result").size() == 3, "three results")
	equal(a.result("walks").output, {"at": "the gate"}, "walks")
	equal(a.result("walks_and_notes").output, {}, "walks_and_notes")
	equal(a.result("walks_to_nothing").error.code, "execution_failed", "walks_to_nothing")
	expect_error("AiccCall of tool \"walks_to_nothing\": its method returned null")
	body.arrived.emit()
	await until(func() -> bool: return a.of_type("tool_result").size() == 4, "the fourth")
	equal(a.result("walks_twice").output, {"at": "the well"}, "walks_twice")
	for id: String in ["answer_later", "hand_back"]:
		body.kept = null
		a.call_tool(id, id)
		await until(func() -> bool: return body.kept != null, id)
		await frames(2)
		check(body.kept.is_alive() and a.result(id).is_empty(), "open")
		equal(body.kept.succeed({"late": true}), OK, "succeed")
		check(not body.kept.is_alive(), "answered")
		await until(func() -> bool: return not a.result(id).is_empty(), "result")
		equal(a.result(id).output, {"late": true}, id)
		equal(body.kept.succeed(), ERR_ALREADY_EXISTS, "twice")
		expect_error("AiccCall of tool \"%s\": it was answered before" % id)
		equal(body.kept.fail(AiccCall.CODE_TIMEOUT, ""), ERR_ALREADY_EXISTS, "twice")
		expect_error("it was answered before")
	equal(c.get_calls(), [] as Array[AiccCall], "none in flight")
	p[0].free()
	body.free()


func test_a_dropped_coroutine_fails_its_call() -> void:
	var body := Body.new()
	var p := await play({tool("walks"): body.walks, tool("walks_twice"): body.walks_twice, tool("answer_later"): body.answer_later})
	var finished: Array = []
	p[1].tool_finished.connect(func(call: AiccCall, ok: bool) -> void: finished.append([call.id, ok]))
	p[2].call_tool("1", "walks")
	p[2].call_tool("2", "walks_twice")
	p[2].call_tool("3", "answer_later")
	await until(func() -> bool: return p[1].get_calls().size() == 3, "calls")
	body.free()
	await until(func() -> bool: return p[2].of_type("tool_result").size() == 3, "results")
	for id: String in ["1", "2"]:
		equal([p[2].result(id).error.code, p[2].result(id).error.message], ["execution_failed", "the character stopped in the middle of it"], "dropped " + id)
	equal(p[2].result("3").error.message, "the character let go of it without an answer", "dropped 3")
	p[2].call_tool("4", "walks")
	await until(func() -> bool: return not p[2].result("4").is_empty(), "4")
	equal(p[2].result("4").error.code, "execution_failed", "its body is gone")
	expect_error("AiccCall of tool \"walks\": its callable is not valid any more")
	p[0].free()


func test_lambdas() -> void:
	var seen: Array = []
	var p := await play({tool("none"): func() -> Dictionary: return {"args": 0}, tool("one"): func(input: Dictionary) -> Dictionary: return {"args": 1, "got": input},
		tool("two"): func(_input: Dictionary, call: AiccCall) -> Dictionary: return {"args": 2, "tool": call.tool_id}, tool("nothing"): func(_input: Dictionary) -> void: seen.append(1),
		tool("kept"): func(_input: Dictionary, call: AiccCall) -> AiccCall: seen.append(call); return call})
	equal((await ask(p[2], "0", "none")).get("output"), {"args": 0}, "none")
	equal((await ask(p[2], "1", "one")).get("output"), {"args": 1, "got": {}}, "one")
	equal((await ask(p[2], "2", "two")).get("output"), {"args": 2, "tool": "two"}, "two")
	equal((await ask(p[2], "3", "nothing")).error.code, "execution_failed", "a lambda that returns nothing")
	expect_error("AiccCall of tool \"nothing\": its method returned null")
	p[2].call_tool("4", "kept")
	await until(func() -> bool: return seen.size() == 2, "kept")
	seen[1].succeed({"kept": true})
	await until(func() -> bool: return not p[2].result("4").is_empty(), "4")
	equal(p[2].result("4").output, {"kept": true}, "kept")
	seen.clear()
	p[0].free()


func test_what_a_call_knows() -> void:
	var body := Body.new()
	var p := await play({tool("answer_later", {"x": {"type": "integer"}}): body.answer_later})
	var called: Array = []
	p[1].tool_called.connect(func(call: AiccCall) -> void: called.append(call.id))
	p[2].call_tool("its id", "answer_later", {"x": 4})
	await until(func() -> bool: return body.kept != null, "the call")
	var call := body.kept
	equal([call.id, call.tool_id, call.input, call.character], ["its id", "answer_later", {"x": 4}, p[1]], "properties")
	equal([call.get_id(), call.get_tool_id(), call.get_input(), call.get_character()], ["its id", "answer_later", {"x": 4}, p[1]], "getters")
	check(call.tick > 0 and call.get_tick() == call.tick, "tick")
	equal(called, ["its id"], "tool_called")
	equal(call.extend(5), OK, "extend")
	equal(call.extend(0), OK, "extend for ever")
	equal(call.extend(-1), ERR_INVALID_PARAMETER, "extend by nonsense")
	expect_error("extend() takes seconds")
	equal(call.emit_event(AiccCharacter.TOPIC_STATE_CHANGE, {"half": true}), OK, "progress")
	equal(call.emit_event(3, {}), ERR_INVALID_PARAMETER, "two topics")
	expect_error("emit_event() takes one topic")
	equal(call.emit_event(AiccCharacter.TOPIC_STATE_CHANGE, {"r": RID()}), ERR_INVALID_DATA, "no JSON")
	expect_error("the payload cannot be told: /r: a value of type RID")
	equal(call.fail(99, "odd"), OK, "an odd code")
	expect_error("fail() was given the code 99")
	await until(func() -> bool: return not p[2].result("its id").is_empty(), "result")
	equal(p[2].result("its id").error.code, "execution_failed", "an odd code")
	equal(p[2].messages[-2].payload, {"half": true}, "progress comes before the result, though nothing is subscribed")
	p[0].free()
	equal(call.get_character(), null, "its character is gone")
	equal(call.is_alive(), false, "over")
	body.free()


func test_all_codes_and_threads() -> void:
	var body := Body.new()
	var p := await play({tool("answer_later"): body.answer_later})
	var codes := {AiccCall.CODE_TOOL_UNAVAILABLE: "tool_unavailable", AiccCall.CODE_INVALID_INPUT: "invalid_input", AiccCall.CODE_EXECUTION_FAILED: "execution_failed", AiccCall.CODE_TIMEOUT: "timeout", AiccCall.CODE_INTERNAL_ERROR: "internal_error"}
	var finished: Array = []
	p[1].tool_finished.connect(func(call: AiccCall, ok: bool) -> void: finished.append([call.id, ok, OS.get_thread_caller_id() == OS.get_main_thread_id()]))
	for code: int in codes:
		body.kept = null
		p[2].call_tool(codes[code], "answer_later")
		await until(func() -> bool: return body.kept != null, "the call")
		var thread := Thread.new()
		thread.start(func() -> void: body.kept.fail(code, "why"))
		thread.wait_to_finish()
		await until(func() -> bool: return not p[2].result(codes[code]).is_empty(), "result")
		equal([p[2].result(codes[code]).error.code, p[2].result(codes[code]).error.message], [codes[code], "why"], "code")
	body.kept = null
	p[2].call_tool("good", "answer_later")
	await until(func() -> bool: return body.kept != null, "the call")
	var thread := Thread.new()
	thread.start(func() -> void:
		body.kept.emit_event(AiccCharacter.TOPIC_STATE_CHANGE, {"half": 1})
		body.kept.extend(3)
		body.kept.succeed({"from": "a thread"}))
	thread.wait_to_finish()
	await until(func() -> bool: return finished.size() == 6, "tool_finished")
	equal(finished.back(), ["good", true, true], "tool_finished comes on the main thread")
	equal(finished[0], ["tool_unavailable", false, true], "tool_finished")
	p[0].free()
	body.free()


func test_ends_without_the_game() -> void:
	var body := Body.new()
	var p := await play({tool("answer_later", {}, {"timeout": 0.1}): body.answer_later, tool("walks", {}, {"timeout": 0}): body.walks})
	var c: AiccCharacter = p[1]
	var ended: Array = []
	c.call_ended.connect(func(call: AiccCall, reason: int) -> void: ended.append(["character", call.id, reason]))
	p[2].call_tool("slow", "answer_later")
	await until(func() -> bool: return body.kept != null, "the call")
	body.kept.ended.connect(func(reason: int) -> void: ended.append(["call", "slow", reason]))
	await until(func() -> bool: return ended.size() == 2, "its end")
	equal(ended, [["call", "slow", AiccCall.ENDED_TIMEOUT], ["character", "slow", AiccCall.ENDED_TIMEOUT]], "a deadline")
	equal(p[2].result("slow").error.code, "timeout", "what the agent hears")
	equal(body.kept.is_alive(), false, "over")
	equal(body.kept.succeed({}), OK, "an answer that comes late is no fault")
	ended.clear()
	p[2].call_tool("r", "walks")
	await until(func() -> bool: return c.get_calls().size() == 1, "the call")
	equal(c.reset("loaded"), OK, "reset")
	await until(func() -> bool: return ended.size() == 1, "its end")
	equal(ended, [["character", "r", AiccCall.ENDED_RESET]], "a reset")
	ended.clear()
	await until(func() -> bool: return p[2].of_type("session_init").size() == 2, "a new session")
	p[2].call_tool("t", "walks")
	await until(func() -> bool: return c.get_calls().size() == 1, "the call")
	c.remove_tool("walks")
	await until(func() -> bool: return ended.size() == 1, "its end")
	equal(ended, [["character", "t", AiccCall.ENDED_TOOL]], "a tool that is taken away")
	ended.clear()
	c.add_tool(tool("walks"), body.walks)
	p[2].call_tool("a", "walks")
	await until(func() -> bool: return c.get_calls().size() == 1, "the call")
	p[2].say({"type": "session_close"})
	await until(func() -> bool: return ended.size() == 1, "its end")
	equal(ended, [["character", "a", AiccCall.ENDED_AGENT]], "an agent that leaves")
	p[0].free()
	body.free()
