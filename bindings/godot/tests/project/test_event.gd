extends Case

func test_properties_are_bound_and_emitted() -> void:
	var p := await play({})
	var c: AiccCharacter = p[1]
	var a: Agent = p[2]
	c.subscriptions = AiccCharacter.TOPIC_STATE_CHANGE
	var body := Body.new()
	var e := c.bind_event(AiccCharacter.TOPIC_STATE_CHANGE, body, ["position", "health", "speed", "awake", "title", "mood"], {"kind": "guard", "names": {"mood": ["calm", "alert"]}, "decimals": 2, "delivery": AiccEvent.DELIVERY_EACH})
	check(e != null, "bind_event")
	equal(e.get_source(), body, "source")
	equal(e.get_schema().properties.mood, {"enum": ["calm", "alert"]} if not e.get_schema().properties.mood.has("type") else {"type": "string", "enum": ["calm", "alert"]}, "schema")
	body.position = Vector2(1.239, -2)
	p[0].flush()
	equal(e.is_due(), true, "is_due")
	equal(e.emit(), OK, "emit")
	await until(func() -> bool: return a.of_type("event").size() == 1, "the event")
	var payload: Dictionary = a.of_type("event")[0].payload
	equal(payload.kind, "guard", "kind")
	equal([payload.health, payload.speed, payload.awake, payload.title, payload.mood], [7, 1.5, true, "guard", "alert"], "values")
	check(payload.position is Dictionary and absf(payload.position.x - 1.24) < 0.001 and payload.position.y == -2, "position: %s" % [payload])
	body.health = 8
	body.title = "é"
	body.mood = 9
	body.speed = NAN
	e.emit()
	await until(func() -> bool: return a.of_type("event").size() == 2, "the second")
	payload = a.of_type("event")[1].payload
	equal([payload.health, payload.title, payload.mood, payload.speed], [8, "é", null, null], "what has changed; a mood without a name and NaN are null")
	var thread := Thread.new()
	thread.start(func() -> void: e.emit())
	thread.wait_to_finish()
	await until(func() -> bool: return a.of_type("event").size() == 3, "from a thread")
	body.free()
	equal(e.emit(), ERR_DOES_NOT_EXIST, "its source is gone")
	expect_error("AiccEvent: its source was freed")
	equal(e.get_source(), null, "no source")
	p[0].free()
	equal(e.emit(), OK, "nobody listens any more")
	equal(e.is_due(), false, "nor is it due")


func test_names_of_ones_own() -> void:
	var p := await play({})
	p[1].subscriptions = AiccCharacter.TOPIC_TICK
	var body := Node3D.new()
	body.position = Vector3(1, 2, 3)
	var e: AiccEvent = p[1].bind_event(AiccCharacter.TOPIC_TICK, body, {"at": "position", "place.name": "name", "x": "position:x", "shown": "visible", "turn": "quaternion"})
	e.auto_emit = true
	e = null
	await until(func() -> bool: return p[2].of_type("event").any(func(m: Dictionary) -> bool: return m.payload.has("at")), "a tick", 8)
	var payload: Dictionary = p[2].of_type("event").back().payload
	equal([payload.at, payload.x, payload.shown, payload.turn.w], [{"x": 1, "y": 2, "z": 3}, 1, true, 1], "the tick")
	check(payload.place.name is String, "a text")
	body.free()
	await until(func() -> bool: return not errors.lines.is_empty(), "the source is gone", 8)
	expect_error("AiccEvent: its source was freed")
	p[0].free()


func test_types_that_change() -> void:
	var p := await play({})
	p[1].subscriptions = AiccCharacter.TOPIC_STATE_CHANGE
	var body := Body.new()
	body.nothing = Vector2(1, 2)
	var e: AiccEvent = p[1].bind_event(AiccCharacter.TOPIC_STATE_CHANGE, body, ["nothing"])
	body.nothing = "text"
	p[0].flush()
	e.emit()
	expect_error("the property \"nothing\" was of type Vector2 when it was bound, and is of type String now")
	e.emit()
	await until(func() -> bool: return p[2].of_type("event").size() == 2, "both")
	equal(p[2].of_type("event")[0].payload, {"nothing": {"x": 0, "y": 0}}, "zeros")
	p[0].free()
	body.free()


func test_what_cannot_be_bound() -> void:
	var p := await play({})
	var c: AiccCharacter = p[1]
	var body := Body.new()
	for bad: Array in [[3, body, ["health"], {}, "it takes one topic"], [1, null, ["health"], {}, "its source is null"], [1, body, [], {}, "properties is empty"], [1, body, 4, {}, "properties is of type int"],
			[1, body, ["nosuch"], {}, "there is no property \"nosuch\" in the Node"], [1, body, ["position:q"], {}, "there is no property \"position:q\""], [1, body, ["heard"], {}, "the property \"heard\" is of type Array now, which cannot be bound"],
			[1, body, ["nothing"], {}, "is of type null now"], [1, body, ["health"], {"delivery": 5}, "an option is out of range"], [1, body, ["health"], {"min_interval": -1}, "an option is out of range"],
			[1, body, ["health"], {"kind": "x".repeat(65)}, "an option is out of range"], [1, body, ["speed"], {"decimals": 12}, "decimals"], [1, body, {"a": "health", "a.b": "speed"}, {}, "name"]]:
		equal(c.bind_event(bad[0], bad[1], bad[2], bad[3]), null, "bind_event: " + bad[4])
		expect_error(bad[4])
	equal([AiccEvent.DELIVERY_DEFAULT, AiccEvent.DELIVERY_LATEST, AiccEvent.DELIVERY_EACH], [0, 1, 2], "deliveries")
	p[0].free()
	body.free()
