extends AiccCharacter
## All that this game says to libaicc: what an agent that plays the guard can sense and do, and what it is told unasked.
## The tools are resources in res://tools; each of them calls the method of its name here.

signal told(what: String) ## What the guard does, for logs.
signal heard_of(topic: String, payload: Dictionary) ## What the agent is told unasked, for the screen.

@export var stage: Node2D

var watch: Node
var _walk: AiccCall # the one that he is busy with, or null


func _ready() -> void:
	watch = stage.get_node("Watch")
	watch.glass_broke.connect(_on_glass_broke)
	watch.on_the_way.connect(_on_the_way)
	watch.arrived.connect(_on_arrived)
	watch.night_began.connect(_on_night_began)
	call_ended.connect(_on_call_ended)


## ---- Two sensors: answered at once

func look(_input: Dictionary) -> Dictionary:
	told.emit("looks around %s" % ("by the light of his lantern" if watch.lit else "in the dark"))
	stage.guard.looks = 1.2
	var sees: Array[String] = []
	if watch.sees_thief():
		stage.guard.face(watch.PLACES.store)
		sees.append("a thief with a sack")
		grant("alarm") # from now on he may ring the bell, and his agent is told so
	var map := {}
	for place: String in watch.PLACES:
		map[place] = _point(watch.PLACES[place])
	return {"at": _point(watch.guard), "light": int(watch.LIGHT) if watch.lit else 0, "sees": sees, "map": map}


func listen(_input: Dictionary) -> Dictionary:
	told.emit("listens")
	stage.guard.listens = 1.5
	return {"sounds": [{"what": "breaking glass", "from": "store"}] if watch.thief == watch.Thief.STEALING else []}


## ---- Four actuators

func light_lantern(_input: Dictionary) -> void: # nothing to answer: {} is the answer
	watch.lit = true
	told.emit("strikes a match and lights his lantern")


## The call stays open until somebody answers it: here that is [method _on_arrived].
func walk_to(place: String, speed: float, call: AiccCall) -> void:
	_walk = call
	watch.set_out(place, speed)
	told.emit("sets out for the %s at %.1f m/s" % [place, speed])


## The rope is stiff and wants two seconds the first time; the tool has 0.8. The bridge keeps that time, nobody here does.
func ring_bell(_input: Dictionary, call: AiccCall) -> Dictionary:
	watch.pull_rope()
	told.emit("hangs on the bell rope")
	await watch.bell_rang
	if call.is_alive():
		told.emit("rings the bell")
	return {}


func open_sack(_input: Dictionary) -> Dictionary:
	told.emit("opens the sack")
	stage.thinks("candlesticks, and a cheese")
	return {"found": ["two candlesticks", "a cheese"]}


## ---- One generator

func say(text: String, call: AiccCall) -> Dictionary:
	watch.speak()
	told.emit("says: " + text)
	stage.says(text)
	await watch.words_said
	if not call.is_alive() or not watch.thief_hears():
		return {"heard_by": []}
	var caught: bool = watch.thief == watch.Thief.CAUGHT
	_tell(TOPIC_STATE_CHANGE, {"kind": "thief", "does": "drops the sack" if caught else "runs away"})
	if caught:
		add_tool(load("res://tools/open_sack.tres")) # was not there from the start
		stage.thief_says("I'm sorry!")
	return {"heard_by": ["thief"]}


## ---- What comes of it later

## Out of time, or the agent left for good: stop working on it.
func _on_call_ended(call: AiccCall, _reason: int) -> void:
	match call.tool_id:
		"walk_to":
			watch.stop()
			_walk = null
			told.emit("stops where he is")
		"ring_bell":
			watch.let_go()
			told.emit("lets go of the rope")
		_:
			watch.break_off()
			told.emit("breaks off")


func _on_arrived(place: String) -> void:
	if _walk == null:
		return
	told.emit("is at the " + place)
	_walk.succeed({"place": place})
	_walk = null


## Caused by the call, so that it reaches the agent before the call's result and whatever it is subscribed to.
func _on_the_way() -> void:
	if _walk == null:
		return
	var payload := {"kind": "walking", "at": _point(watch.guard)}
	_walk.emit_event(TOPIC_STATE_CHANGE, payload)
	heard_of.emit("state_change", payload)


func _on_glass_broke() -> void:
	_tell(TOPIC_AUDIO, {"sound": "breaking glass"})


func _on_night_began() -> void:
	if has_capability("alarm"):
		revoke("alarm")
	if get_tool("open_sack") != null:
		remove_tool("open_sack")


func _tell(topic: int, payload: Dictionary) -> void:
	emit_event(topic, payload)
	if has_agent():
		heard_of.emit("audio" if topic == TOPIC_AUDIO else "state_change", payload)


func _point(metres: Vector2) -> Array:
	return [roundf(metres.x * 10.0) / 10.0, roundf(metres.y * 10.0) / 10.0]
