extends Node
## What the guard does while nobody plays him: he walks his rounds, and every night somebody breaks into the store.

signal told(what: String) ## For logs.

var stage: Node2D
var active := false

# A step is what is done, and for how many seconds at least it takes. A walk takes as long as it takes.
var _steps: Array[Array] = [
	[_go.bind("yard", 3.0), 0.0], [_think.bind("a quiet night"), 1.4], [_go.bind("well", 3.4), 0.8],
	[_hear, 0.9], [_think.bind("what was that?"), 1.4], [_light, 0.8], [_look, 0.9], [_go.bind("store", 5.0), 0.0], [_look, 0.9],
	[_say.bind("Halt! Put that down."), 1.0], [_answer, 1.2], [_ring, 3.4], [_say.bind("Now go home."), 1.0], [_answer, 2.4],
	[_go.bind("tower", 4.2), 0.0], [_think.bind("and all is well"), 1.4], [_go.bind("gate", 3.0), 0.0], [_dark, 3.0], [_begin_anew, 1.0],
]
var _next := 0
var _left := 0.0


func begin() -> void:
	active = true
	_next = 0
	_left = 0.0


func end() -> void:
	active = false


func _physics_process(delta: float) -> void:
	_left -= delta
	if not active or _left > 0.0 or stage.watch.to != "":
		return
	_left = _steps[_next][1]
	_steps[_next][0].call()
	_next = (_next + 1) % _steps.size()


func _go(place: String, speed: float) -> void:
	stage.watch.set_out(place, speed)


func _think(what: String) -> void:
	stage.thinks(what)


func _hear() -> void:
	stage.watch.begin(0.1)


func _light() -> void:
	stage.watch.lit = true


func _dark() -> void:
	stage.watch.lit = false


func _look() -> void:
	stage.guard.looks = 1.0
	if stage.watch.sees_thief():
		stage.guard.face(stage.watch.PLACES.store)


func _say(what: String) -> void:
	stage.says(what)


func _answer() -> void:
	if stage.watch.thief_hears() and stage.watch.thief == stage.watch.Thief.CAUGHT:
		stage.thief_says("I'm sorry!")


func _ring() -> void:
	stage.watch.pull_rope()


func _begin_anew() -> void:
	told.emit("the night is over")
	stage.watch.begin_anew()
