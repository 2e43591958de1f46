extends Node2D
## What one sees of the thief: a hood, a mask and, while he has it, a sack. And of the sack when he has not.

const Ground := preload("res://scene/ground.gd")

var watch: Node
var fled := 0.0 ## Seconds since he ran.

var _time := 0.0
var _here := 0.0 ## 0: not to be seen.
var _occluder := LightOccluder2D.new()


func _ready() -> void:
	light_mask = 2
	_occluder.occluder = OccluderPolygon2D.new()
	_occluder.occluder.polygon = PackedVector2Array([Vector2(-8, -2), Vector2(0, -5), Vector2(8, -2), Vector2(0, 2)])
	add_child(_occluder)


func _process(delta: float) -> void:
	_time += delta
	var there: bool = watch.thief in [watch.Thief.STEALING, watch.Thief.CAUGHT]
	fled = fled + delta if watch.thief == watch.Thief.CHASED else 0.0
	_here = move_toward(_here, 1.0 if there or (fled > 0.0 and fled < 1.6) else 0.0, delta * 2.0)
	_occluder.visible = _here > 0.5
	position = _post() + Vector2(fled * 210.0, fled * 34.0 - 60.0 * sin(minf(fled, 1.6) / 1.6 * PI) * float(fled > 0.9))
	queue_redraw()


func _post() -> Vector2:
	return Ground.at(watch.PLACES.store) + Vector2(34, 6)


func mouth() -> Vector2:
	return position + Vector2(0, -56)


func _draw() -> void:
	if watch.sack:
		_draw_sack(_post() - position + Vector2(22, 4), 1.0)
	if _here <= 0.0:
		return
	var runs := fled > 0.0
	var scared: bool = watch.thief == watch.Thief.CAUGHT
	var shake := sin(_time * 30.0) * 1.2 if scared else 0.0
	var step := sin(_time * 18.0) * 6.0 if runs else 0.0
	var bob := -absf(step) * 0.4 if runs else sin(_time * 3.0) * 1.0
	var cloth := Color(0.42, 0.40, 0.46, _here)
	draw_set_transform(Vector2.ZERO, 0.0, Vector2(1.0, 0.36))
	draw_circle(Vector2.ZERO, 13.0, Color(0, 0, 0, 0.4 * _here))
	draw_set_transform(Vector2(shake, bob), 0.0, Vector2.ONE if runs else Vector2(-1, 1))
	draw_rect(Rect2(-6 + step, -7, 6, 8), Color(0.25, 0.22, 0.24, _here))
	draw_rect(Rect2(1 - step, -7, 6, 8), Color(0.22, 0.19, 0.21, _here))
	draw_colored_polygon(PackedVector2Array([Vector2(-7, -33), Vector2(7, -33), Vector2(11, -5), Vector2(-11, -5)]), cloth)
	for stripe in 3:
		draw_line(Vector2(-8.0 - stripe, -28 + stripe * 8), Vector2(8.0 + stripe, -28 + stripe * 8), Color(0.78, 0.76, 0.72, _here), 2.6)
	if scared:
		draw_line(Vector2(-6, -30), Vector2(-14, -48), cloth.lightened(0.1), 4.0)
		draw_line(Vector2(6, -30), Vector2(14, -48), cloth.lightened(0.1), 4.0)
	elif not watch.sack:
		_draw_sack(Vector2(-13, -22), _here)
	draw_circle(Vector2(0, -39), 7.4, Color(0.30, 0.28, 0.34, _here))
	draw_circle(Vector2(2, -38), 5.4, Color(0.90, 0.74, 0.62, _here))
	draw_rect(Rect2(-3, -41, 11, 4), Color(0.08, 0.08, 0.10, _here))
	draw_circle(Vector2(1, -39), 1.3, Color(1, 1, 1, _here))
	draw_circle(Vector2(5, -39), 1.3, Color(1, 1, 1, _here))


func _draw_sack(where: Vector2, alpha: float) -> void:
	var cloth := Color(0.76, 0.62, 0.42, alpha)
	draw_circle(where + Vector2(0, 0), 10.0, cloth)
	draw_circle(where + Vector2(-4, 3), 7.0, cloth.darkened(0.1))
	draw_colored_polygon(PackedVector2Array([where + Vector2(-4, -8), where + Vector2(-6, -15), where + Vector2(6, -15), where + Vector2(4, -8)]), cloth.lightened(0.1))
	draw_line(where + Vector2(-5, -9), where + Vector2(5, -9), Color(0.45, 0.33, 0.22, alpha), 2.0)
