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
	equal(e.get_schema().properties.mood, {"enum": ["calm", "alert", null]}, "schema: a mood without a word is null")
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
	p[0].flush()
	var sent := 0
	for change: Array in [[5, ["str", null, 1.5, true, Vector2.ZERO], 6], [true, [0, null, "true"], false], [1.5, [null, "1.5", false], 2], ["text", [null, 5, ["a"]], &"name"], [&"name", [null, 1.0], "text"],
			[Vector2(1, 2), ["text", null, Vector2i(1, 2), Vector3.ZERO], Vector2(3, 4)], [Vector2i(1, 2), [Vector2(1, 2)], Vector2i(3, 4)]]:
		body.nothing = change[0]
		var e: AiccEvent = p[1].bind_event(AiccCharacter.TOPIC_STATE_CHANGE, body, ["nothing"])
		for bad: Variant in change[1]:
			body.nothing = bad
			equal(e.emit(), ERR_INVALID_DATA, "%s, then %s" % [change[0], bad])
			expect_error("the property \"nothing\" was of type %s when it was bound, and is of type %s now" % [type_name(change[0]), type_name(bad)])
			equal(e.emit(), ERR_INVALID_DATA, "again, without another error")
		body.nothing = change[2]
		equal(e.emit(), OK, "%s, then %s" % [change[0], change[2]])
		sent += 1
		await until(func() -> bool: return p[2].of_type("event").size() == sent, "the event")
		var wanted: Variant = AiccJson.parse(AiccJson.stringify(change[2]))
		equal(p[2].of_type("event").back().payload, {"nothing": wanted}, "%s, then %s" % [change[0], change[2]])
	await frames(3)
	equal(p[2].of_type("event").size(), sent, "nothing else was told")
	body.nothing = 1
	var mood: AiccEvent = p[1].bind_event(AiccCharacter.TOPIC_STATE_CHANGE, body, ["nothing"], {"names": {"nothing": PackedStringArray(["calm", "alert"])}})
	body.nothing = "alert"
	equal(mood.emit(), ERR_INVALID_DATA, "a word's own value")
	expect_error("is of type String now")
	for value: Array in [[1, "alert"], [2, null], [-1, null], [1 << 32, null]]:
		body.nothing = value[0]
		equal(mood.emit(), OK, "a mood")
		sent += 1
		await until(func() -> bool: return p[2].of_type("event").size() == sent, "the mood")
		equal(p[2].of_type("event").back().payload, {"nothing": value[1]}, "mood %s" % value[0])
	p[0].free()
	body.free()


func type_name(v: Variant) -> String:
	return "null" if v == null else type_string(typeof(v))


func test_what_cannot_be_bound() -> void:
	var p := await play({})
	var c: AiccCharacter = p[1]
	var body := Body.new()
	for bad: Array in [[3, body, ["health"], {}, "it takes one topic"], [1, null, ["health"], {}, "its source is null"], [1, body, [], {}, "properties is empty"], [1, body, 4, {}, "properties is of type int"],
			[1, body, ["nosuch"], {}, "there is no property \"nosuch\" in the Node"], [1, body, ["position:q"], {}, "there is no property \"position:q\""], [1, body, ["heard"], {}, "the property \"heard\" is of type Array now, which cannot be bound"],
			[1, body, ["nothing"], {}, "is of type null now"], [1, body, ["health"], {"delivery": 5}, "delivery is int 5"], [1, body, ["health"], {"delivery": 1.0}, "delivery is float"], [1, body, ["health"], {"min_interval": -1}, "min_interval is int -1"],
			[1, body, ["health"], {"min_interval": NAN}, "min_interval is float nan"], [1, body, ["health"], {"min_interval": 3601}, "min_interval is"], [1, body, ["health"], {"min_interval": "1"}, "min_interval is \"1\""],
			[1, body, ["health"], {"kind": "x".repeat(65)}, "kind is"], [1, body, ["health"], {"kind": 5}, "kind is int 5"], [1, body, ["health"], {"kind": null}, "kind is null"], [1, body, ["health"], {"omit_empty": 1}, "omit_empty is int 1"],
			[1, body, ["health"], {"nams": {}}, "there is no option \"nams\": there are kind, delivery"], [1, body, ["health"], {"names": 5}, "names is int 5"], [1, body, ["health"], {"names": {"mood": ["a"]}}, "names has words for \"mood\", which is not among"],
			[1, body, ["mood"], {"names": {"mood": 5}}, "names[\"mood\"] is of type int"], [1, body, ["mood"], {"names": {"mood": []}}, "names[\"mood\"] is empty"], [1, body, ["mood"], {"names": {"mood": ["a", 5]}}, "names[\"mood\"][1] is of type int"],
			[1, body, ["speed"], {"names": {"speed": ["a"]}}, "which is of type float now: words are for an int"], [1, body, ["speed"], {"decimals": 400}, "decimals is int 400"], [1, body, ["speed"], {"decimals": -4}, "decimals is int -4"],
			[1, body, ["speed"], {"decimals": "x"}, "decimals is \"x\""], [1, body, {"kind": "health"}, {"kind": "x"}, "the property \"health\" is told as \"kind\""], [1, body, {"kind.of": "health"}, {"kind": "x"}, "is told as \"kind\""],
			[1, body, ["speed"], {"decimals": 12}, "decimals"], [1, body, {"a": "health", "a.b": "speed"}, {}, "name"]]:
		equal(c.bind_event(bad[0], bad[1], bad[2], bad[3]), null, "bind_event: " + bad[4])
		expect_error(bad[4])
	equal([AiccEvent.DELIVERY_DEFAULT, AiccEvent.DELIVERY_LATEST, AiccEvent.DELIVERY_EACH], [0, 1, 2], "deliveries")
	p[0].free()
	body.free()
