extends Case
## What the fast path and a pump cost, beside something that every Godot developer knows. Bounds are wide: the machine may be busy.

func median(list: Array) -> float:
	list.sort()
	return list[list.size() >> 1]


func test_an_event_costs_less_than_its_json() -> void:
	var p := await play({})
	p[1].subscriptions = 31
	p[0].flush()
	var body := Body.new()
	var e: AiccEvent = p[1].bind_event(AiccCharacter.TOPIC_TICK, body, ["position", "health", "speed", "awake", "title"])
	var fast: Array = []
	var plain: Array = []
	var ours: Array = []
	for round in 21:
		var begun := Time.get_ticks_usec()
		for i in 500:
			e.emit()
		fast.append(Time.get_ticks_usec() - begun)
		begun = Time.get_ticks_usec()
		for i in 500:
			JSON.stringify({"position": body.position, "health": body.health, "speed": body.speed, "awake": body.awake, "title": body.title})
		plain.append(Time.get_ticks_usec() - begun)
		begun = Time.get_ticks_usec()
		for i in 500:
			AiccJson.stringify({"position": body.position, "health": body.health, "speed": body.speed, "awake": body.awake, "title": body.title})
		ours.append(Time.get_ticks_usec() - begun)
		await frames()
	check(p[0].get_stats().events >= 10500, "they were taken: %s" % p[0].get_stats())
	var ratio := median(fast) / median(plain)
	print("MEASURED  AiccEvent.emit %.2f us, JSON.stringify of the same Dictionary %.2f us, AiccJson.stringify %.2f us: %.2f, %.2f" % [median(fast) / 500, median(plain) / 500, median(ours) / 500, ratio, median(ours) / median(plain)])
	check(ratio < 1.0, "it costs %.2f of JSON.stringify" % ratio)
	p[0].free()
	body.free()


func test_a_pump_with_200_characters() -> void:
	var costs := {}
	for count: int in [1, 200]:
		var b := new_bridge()
		b.pump_mode = AiccBridge.PUMP_MANUAL
		tree.root.add_child(b)
		var bodies: Array[Body] = []
		for i in count:
			var body := Body.new()
			var c := AiccCharacter.new()
			c.character_name = "c%d" % i
			c.add_tool(tool("look"), body.look)
			body.add_child(c)
			b.add_child(body)
			bodies.append(body)
			c.bind_event(AiccCharacter.TOPIC_TICK, body, ["position", "health"]).auto_emit = true
		b.pump(0.016)
		var agents: Array[Agent] = []
		for c in b.get_characters():
			agents.append(Agent.new(c))
			c.attach()
		b.flush()
		for i in 5:
			b.pump(0.016)
			await frames()
		var times: Array = []
		for i in 200:
			var begun := Time.get_ticks_usec()
			b.pump(0.016)
			times.append(Time.get_ticks_usec() - begun)
			if i % 20 == 0:
				await frames()
		costs[count] = median(times)
		b.free()
	print("MEASURED  a pump with 1 character %d us, with 200 characters, each with an agent and an event that emits itself, %d us" % [costs[1], costs[200]])
	check(costs[200] < 4000, "a quarter of a frame")
