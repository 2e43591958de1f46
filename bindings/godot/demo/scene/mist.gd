extends Node2D
## Thin mist over the floor: one sees it where there is light.

var _time := 0.0


func _ready() -> void:
	light_mask = 3


func _process(delta: float) -> void:
	_time += delta
	queue_redraw()


func _draw() -> void:
	for bank in 9:
		var x := fposmod(bank * 171.0 + _time * (7.0 + bank % 3 * 4.0), 1560.0) - 140.0
		var y := 300.0 + fposmod(bank * 97.0, 250.0) + sin(_time * 0.3 + bank) * 6.0
		draw_set_transform(Vector2(x, y), 0.0, Vector2(1.0, 0.2))
		for layer in 4:
			draw_circle(Vector2.ZERO, 150.0 - layer * 30.0, Color(0.80, 0.86, 1.0, 0.022))
	draw_set_transform(Vector2.ZERO)
