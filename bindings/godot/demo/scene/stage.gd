extends Node2D
## Shows the game of watch.gd. It knows nothing of agents.

const Ground := preload("res://scene/ground.gd")

@onready var watch: Node = $Watch
@onready var guard: Node2D = $Things/Guard
@onready var thief: Node2D = $Things/Thief
@onready var bubbles: Node2D = $Front/Bubbles
@onready var noise: Node2D = $Front/Noise
@onready var tower: Node2D = $Things/Tower
@onready var store: Node2D = $Things/Store

var _swing := 0.0
var _time := 0.0


func _ready() -> void:
	guard.watch = watch
	thief.watch = watch
	watch.glass_broke.connect(_on_glass_broke)
	watch.bell_rang.connect(_on_bell_rang)
	watch.night_began.connect(func() -> void: store.broken = false)


func _process(delta: float) -> void:
	_time += delta
	_swing = move_toward(_swing, 0.0, delta * 0.22)
	if _swing > 0.0 or tower.swing != 0.0:
		tower.swing = sin(_time * 7.5) * _swing


func _on_glass_broke() -> void:
	store.broken = true
	noise.ring(store.position + Vector2(-2, -44), Color(0.75, 0.88, 1.0), 190.0, 2)
	bubbles.show_text(store.position + Vector2(-2, -66), "crash!", "noise", 1.6)


func _on_bell_rang() -> void:
	_swing = 0.65
	noise.ring(tower.position + Vector2(0, -178), Color(1.0, 0.82, 0.40), 320.0, 4)
	bubbles.show_text(tower.position + Vector2(70, -176), "dong!", "noise", 2.0)


func says(text: String) -> void:
	bubbles.show_text(guard, text, "says", 2.0 + text.length() * 0.03)


func thinks(text: String) -> void:
	bubbles.show_text(guard, text, "thinks", 1.8)


func thief_says(text: String) -> void:
	bubbles.show_text(thief, text, "says", 2.2)
