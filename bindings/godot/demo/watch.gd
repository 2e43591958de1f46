extends Node
## The game itself: a walled yard in the dark, a guard at its gate, a thief. It knows nothing of agents and draws nothing.
## It is examples/c/watch.c of libaicc once more, so that what plays the one plays the other.

signal glass_broke
signal on_the_way
signal arrived(place: String)
signal bell_rang
signal words_said
signal night_began

enum Thief { AWAY, STEALING, CAUGHT, CHASED } ## Not there yet; at it; has dropped his sack; has run away.

## In metres.
const PLACES := {"gate": Vector2(4, 9), "yard": Vector2(17, 6), "tower": Vector2(5, 2), "store": Vector2(31, 2), "well": Vector2(28, 9)}
const LIGHT := 8.0 ## Metres that the lantern reaches.
const VOICE := 12.0 ## Metres that a voice does.

var now := 0.0
var thief := Thief.AWAY
var guard: Vector2 = PLACES.gate
var lit := false
var to := "" ## Where he walks; empty: he stands still.
var speed := 0.0
var sack := false ## Lies there.

# When each is due; 0: not at all.
var _noise := 0.0
var _report := 0.0
var _pull := 0.0
var _words := 0.0
var _loose := false


func _physics_process(delta: float) -> void:
	now += delta
	if _noise > 0.0 and now >= _noise:
		_noise = 0.0
		thief = Thief.STEALING
		glass_broke.emit()
	if _pull > 0.0 and now >= _pull:
		_pull = 0.0
		bell_rang.emit()
	if _words > 0.0 and now >= _words:
		_words = 0.0
		words_said.emit()
	_walk(delta)


func _walk(delta: float) -> void:
	if to == "":
		return
	var goal: Vector2 = PLACES[to]
	guard = guard.move_toward(goal, speed * delta)
	if guard == goal:
		var place := to
		to = ""
		arrived.emit(place)
	elif now >= _report:
		_report = now + 0.5
		on_the_way.emit()


## As if nothing had been.
func begin_anew() -> void:
	thief = Thief.AWAY
	guard = PLACES.gate
	lit = false
	sack = false
	to = ""
	_noise = 0.0
	_pull = 0.0
	_words = 0.0
	_loose = false
	night_began.emit()


## Somebody plays the guard: soon the glass breaks. Once is enough.
func begin(seconds := 1.0) -> void:
	if thief == Thief.AWAY and _noise == 0.0:
		_noise = now + seconds


func set_out(place: String, metres_a_second: float) -> void:
	to = place
	speed = metres_a_second
	_report = now + 0.5


func stop() -> void:
	to = ""


## The rope is stiff the first time.
func pull_rope() -> void:
	_pull = now + (0.4 if _loose else 2.0)
	_loose = true


func let_go() -> void:
	_pull = 0.0


func pulls() -> bool:
	return _pull > 0.0


func speak() -> void:
	_words = now + 0.7


func break_off() -> void:
	_words = 0.0


func sees_thief() -> bool:
	return thief in [Thief.STEALING, Thief.CAUGHT] and lit and guard.distance_to(PLACES.store) < LIGHT


## Does something about it, too: look at [member thief].
func thief_hears() -> bool:
	if not thief in [Thief.STEALING, Thief.CAUGHT] or guard.distance_to(PLACES.store) >= VOICE:
		return false
	sack = true
	thief = Thief.CAUGHT if thief == Thief.STEALING else Thief.CHASED
	return true
