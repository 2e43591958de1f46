extends Node2D
## Rings that go out from what makes a noise. On a layer that no shadow falls on.

var _rings: Array[Array] = [] # place, colour, radius, age, width


func ring(place: Vector2, colour: Color, radius: float, times := 1) -> void:
	for i in times:
		_rings.append([place, colour, radius, -0.22 * i])


func _process(delta: float) -> void:
	for one in _rings:
		one[3] += delta * 0.8
	_rings = _rings.filter(func(one: Array) -> bool: return one[3] < 1.0)
	queue_redraw()


func _draw() -> void:
	for one in _rings:
		var age: float = one[3]
		if age < 0.0:
			continue
		draw_set_transform(one[0], 0.0, Vector2(1.0, 0.88))
		draw_arc(Vector2.ZERO, 8.0 + one[2] * sqrt(age), 0, TAU, 48, Color(one[1], (1.0 - age) * 0.75), 2.5, true)
	draw_set_transform(Vector2.ZERO)
