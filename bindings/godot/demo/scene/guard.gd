extends Node2D
## What one sees of the guard: a small man with a hat, a cloak, a halberd and a lantern.

const Ground := preload("res://scene/ground.gd")

var watch: Node
var looks := 0.0 ## Seconds for which he still looks around.
var listens := 0.0 ## Seconds for which he still listens.

var _lantern: Node2D
var _step := 0.0
var _left := false
var _heading := 0.0
var _time := 0.0


func _ready() -> void:
	light_mask = 2
	_lantern = preload("res://scene/lantern.gd").new()
	add_child(_lantern)


func _process(delta: float) -> void:
	_time += delta
	looks = maxf(0.0, looks - delta)
	listens = maxf(0.0, listens - delta)
	position = Ground.at(watch.guard)
	if watch.to != "":
		var way: Vector2 = (Ground.at(watch.PLACES[watch.to]) - position)
		_heading = way.angle()
		_left = way.x < 0.0
		_step += delta * (5.0 + watch.speed * 1.6)
	_lantern.lit = watch.lit
	_lantern.position = _hand() + Vector2(0, 12)
	_lantern.facing = _heading + (sin(looks * 5.0) * 0.9 if looks > 0.0 else sin(_time * 0.9) * 0.07)
	queue_redraw()


func face(towards: Vector2) -> void:
	var way := Ground.at(towards) - position
	if way.length() > 1.0:
		_heading = way.angle()
		_left = way.x < 0.0


func mouth() -> Vector2:
	return position + Vector2(0, -78)


func _hand() -> Vector2:
	return Vector2((-1.0 if _left else 1.0) * 15.0, -19.0)


func _draw() -> void:
	var walks: bool = watch.to != ""
	var stride := sin(_step) * (5.0 if walks else 0.0)
	var bob := -absf(sin(_step)) * 2.0 if walks else sin(_time * 2.0) * 0.5
	draw_set_transform(Vector2.ZERO, 0.0, Vector2(1.0, 0.36))
	draw_circle(Vector2.ZERO, 15.0, Color(0, 0, 0, 0.4))
	var flip := Vector2(-1, 1) if _left else Vector2.ONE
	draw_set_transform(Vector2(0, bob), 0.0, flip)
	var steel := Color(0.78, 0.82, 0.90)
	var cloak := Color(0.34, 0.42, 0.66)
	# the halberd behind him
	draw_line(Vector2(-13, 1), Vector2(-9, -66), Color(0.60, 0.45, 0.30), 2.6)
	draw_colored_polygon(PackedVector2Array([Vector2(-9, -80), Vector2(-6, -64), Vector2(-11, -64)]), steel)
	draw_colored_polygon(PackedVector2Array([Vector2(-9, -68), Vector2(1, -72), Vector2(2, -58), Vector2(-9, -60)]), steel.darkened(0.1))
	# boots
	draw_rect(Rect2(-7 + stride, -7, 7, 8), Color(0.30, 0.22, 0.18))
	draw_rect(Rect2(1 - stride, -7, 7, 8), Color(0.26, 0.19, 0.16))
	# cloak and coat
	draw_colored_polygon(PackedVector2Array([Vector2(-7, -38), Vector2(7, -38), Vector2(12, -5), Vector2(-15 - stride * 0.4, -4)]), cloak)
	draw_colored_polygon(PackedVector2Array([Vector2(1, -38), Vector2(7, -38), Vector2(12, -5), Vector2(3, -5)]), Color(0.74, 0.30, 0.27))
	draw_line(Vector2(0, -20), Vector2(11, -20), Color(0.85, 0.70, 0.35), 2.4)
	draw_line(Vector2(-7, -38), Vector2(7, -38), Color(0.85, 0.70, 0.35), 2.0)
	# the arm with the lantern
	var arm := Vector2(15, -30)
	if watch.pulls():
		arm = Vector2(10, -58 + sin(_time * 22.0) * 5.0)
		draw_line(arm + Vector2(0, -20), arm + Vector2(0, 30), Color(0.80, 0.70, 0.50), 2.0)
	draw_line(Vector2(5, -34), arm, cloak.lightened(0.1), 4.4)
	draw_circle(arm, 2.6, Color(0.93, 0.76, 0.62))
	_draw_lantern(Vector2(15, -20))
	# head and hat
	draw_circle(Vector2(1, -44), 7.2, Color(0.93, 0.76, 0.62))
	draw_colored_polygon(PackedVector2Array([Vector2(2, -40), Vector2(8.5, -41), Vector2(5, -33)]), Color(0.62, 0.54, 0.46)) # the beard
	draw_circle(Vector2(4.6, -45), 1.1, Color(0.1, 0.1, 0.1))
	draw_line(Vector2(-12, -48), Vector2(13, -49), Color(0.40, 0.34, 0.38), 4.0)
	draw_colored_polygon(PackedVector2Array([Vector2(-8, -49), Vector2(-5, -58), Vector2(5, -58), Vector2(8, -50)]), Color(0.46, 0.39, 0.43))
	draw_line(Vector2(-7, -51), Vector2(8, -52), Color(0.85, 0.70, 0.35), 2.0)
	draw_colored_polygon(PackedVector2Array([Vector2(-6, -54), Vector2(-17, -63), Vector2(-9, -61), Vector2(-4, -57)]), Color(0.85, 0.32, 0.28)) # a feather
	if listens > 0.0:
		for wave in 3:
			draw_arc(Vector2(13, -46), 6.0 + wave * 6.0 + fmod(_time * 8.0, 6.0), -0.8, 0.8, 10, Color(0.75, 0.85, 1.0, listens * 0.6 - wave * 0.12), 2.0)


func _draw_lantern(ring: Vector2) -> void:
	var lit: bool = watch.lit
	draw_line(ring + Vector2(0, -10), ring, Color(0.3, 0.3, 0.34), 1.6)
	draw_colored_polygon(PackedVector2Array([ring + Vector2(-6, 2), ring + Vector2(0, -3), ring + Vector2(6, 2)]), Color(0.35, 0.33, 0.36))
	draw_rect(Rect2(ring.x - 4.5, ring.y + 2, 9, 11), Color(3.4, 2.3, 0.7) if lit else Color(0.28, 0.30, 0.36))
	draw_rect(Rect2(ring.x - 5.5, ring.y + 13, 11, 2.5), Color(0.35, 0.33, 0.36))
