extends Case
## Tools that come, go and are refused while the character has its seat.

func done(_input: Dictionary) -> Dictionary:
	return {}


func test_a_refused_tool_leaves_the_rest_as_it_was() -> void:
	var p := await play({tool("old"): done, tool("spare"): done})
	var c: AiccCharacter = p[1]
	var a: Agent = p[2]
	var bad := tool("bad", {"x": {"type": "string", "pattern": "("}})
	for i in 2:
		check(c.add_tool(bad, done) != OK, "a bad one")
		expect_error("tool \"bad\" cannot be added: input_schema/properties/x/pattern")
	equal(c.add_tool(tool("good"), done), OK, "a good one")
	equal((await ask(a, "1", "good")).ok, true, "a good one after a bad one")
	equal(c.set_tool_enabled("old", false), OK, "switch off")
	equal((await ask(a, "2", "old")).error.code, "tool_unavailable", "switched off")
	equal(c.remove_tool("spare"), OK, "remove")
	equal((await ask(a, "3", "spare")).error.code, "tool_unknown", "removed")
	equal(c.get_tool_ids(), PackedStringArray(["old", "good"]), "ids")
	p[0].free()


func test_a_removed_tool_is_unknown() -> void:
	var p := await play({tool("t1"): done, tool("t2"): done})
	var c: AiccCharacter = p[1]
	var a: Agent = p[2]
	equal(c.set_tool_enabled("t1", false), OK, "switch off")
	equal((await ask(a, "1", "t1")).error.code, "tool_unavailable", "switched off")
	equal(c.remove_tool("t1"), OK, "remove")
	var r := await ask(a, "2", "t1")
	equal([r.error.code, r.error.message.contains("there is no tool \"t1\"")], ["tool_unknown", true], "removed")
	equal(c.remove_tool("t2"), OK, "remove")
	equal((await ask(a, "3", "t2")).error.code, "tool_unknown", "removed")
	await until(func() -> bool: return a.tools() == [], "none in the manifest", 3)
	equal(c.add_tool(tool("t1"), done), OK, "again")
	equal((await ask(a, "4", "t1")).ok, true, "it is back")
	await until(func() -> bool: return a.tools() == ["t1"], "t1 in the manifest", 3)
	p[0].free()


func test_open_calls_end_with_their_tool() -> void:
	var body := Body.new()
	var p := await play({tool("t1"): body.walks, tool("t2"): body.walks, tool("t3"): body.walks})
	var c: AiccCharacter = p[1]
	var ended: Array = []
	c.call_ended.connect(func(call: AiccCall, reason: int) -> void: ended.append([call.tool_id, reason]))
	for id: String in ["t1", "t2", "t3"]:
		p[2].call_tool(id, id)
	await until(func() -> bool: return c.get_calls().size() == 3, "calls in flight")
	c.set_tool_enabled("t3", false)
	equal((await ask(p[2], "x", "t3")).error.code, "tool_unavailable", "switched off")
	equal([c.get_calls().size(), ended], [3, []], "its call goes on")
	for id: String in ["t1", "t2"]:
		c.remove_tool(id)
		await until(func() -> bool: return ended.size() > 0, "the end of " + id)
		equal(ended.pop_back(), [id, AiccCall.ENDED_TOOL], id)
	equal([c.get_calls().size(), ended], [1, []], "the third goes on")
	body.arrived.emit()
	await until(func() -> bool: return p[2].result("t3").get("ok", false), "its result")
	p[0].free()
	body.free()


func test_tools_is_set_on_a_seated_character() -> void:
	var b := new_bridge()
	var body := Body.new()
	var c := AiccCharacter.new()
	c.character_name = "guard"
	c.subscriptions = 0
	c.tools = [tool("look"), tool("note"), tool("forget_it")] as Array[AiccTool]
	body.add_child(c)
	b.add_child(body)
	tree.root.add_child(b)
	equal(c.add_tool(tool("own"), done), OK, "a script's")
	equal(c.add_tool(tool("forget_it"), done), OK, "one that is the script's from now on")
	await c.seated
	await frames()
	var a := Agent.new(c)
	c.attach()
	await until(func() -> bool: return a.session_id != "", "session_init")
	equal(c.set_tool_enabled("note", false), OK, "switch off")
	var note := tool("note")
	note.description = "Takes a note."
	c.tools = [note, tool("walks"), tool("own")] as Array[AiccTool]
	equal(c.get_tool_ids(), PackedStringArray(["note", "forget_it", "own", "walks"]), "ids")
	equal([c.get_tool("note"), c.is_tool_enabled("note")], [note, false], "another note, still off")
	equal((await ask(a, "1", "look")).error.code, "tool_unknown", "no longer there")
	equal((await ask(a, "2", "note")).error.code, "tool_unavailable", "off")
	a.call_tool("3", "walks")
	await until(func() -> bool: return c.get_calls().size() == 1, "a new one")
	body.arrived.emit()
	await until(func() -> bool: return a.result("3").get("ok", false), "its result")
	c.tools = [tool("walks"), tool("dance")] as Array[AiccTool]
	expect_error("tool \"dance\" cannot be added: its target, a Node, has no method dance()")
	equal(c.get_tool_ids(), PackedStringArray(["forget_it", "own", "walks"]), "ids")
	c.tools = [] as Array[AiccTool]
	equal(c.get_tool_ids(), PackedStringArray(["forget_it", "own"]), "the script's stay")
	equal((await ask(a, "4", "own")).ok, true, "the script's")
	b.free()


signal arrived


func errs_and_says_nothing(input: Dictionary) -> void:
	print(input.there_is_no_such_member)


func errs_late_and_says_nothing(input: Dictionary) -> void:
	await arrived
	print(input.there_is_no_such_member)


func errs_with_its_call(input: Dictionary, _call: AiccCall) -> void:
	print(input.there_is_no_such_member)


func calls_one_that_errs(input: Dictionary) -> void:
	errs_and_says_nothing(input)


func test_a_script_error_in_a_method_that_returns_nothing() -> void:
	var p := await play({tool("now"): errs_and_says_nothing, tool("late"): errs_late_and_says_nothing, tool("kept"): errs_with_its_call, tool("elsewhere"): calls_one_that_errs})
	var a: Agent = p[2]
	for id: String in ["now", "late", "kept"]:
		a.call_tool(id, id)
		if id == "late":
			await until(func() -> bool: return p[1].get_calls().size() == 1, "a call in flight")
			arrived.emit()
		await until(func() -> bool: return not a.result(id).is_empty(), "the result of " + id)
		equal(a.result(id).get("error", {}).get("code"), "execution_failed", id)
		expect_error("there_is_no_such_member")
		expect_error("AiccCall of tool \"%s\": its method met a script error" % id)
	equal((await ask(a, "elsewhere", "elsewhere")).ok, true, "an error in another method")
	expect_error("there_is_no_such_member")
	p[0].free()
