extends Node2D
## A flame with a small light.

var _light := PointLight2D.new()
var _time := 0.0


func _ready() -> void:
	light_mask = 0
	var fade := Gradient.new()
	fade.colors = PackedColorArray([Color.WHITE, Color(1, 1, 1, 0.35), Color(1, 1, 1, 0)])
	fade.offsets = PackedFloat32Array([0.0, 0.35, 1.0])
	var disc := GradientTexture2D.new()
	disc.gradient = fade
	disc.fill = GradientTexture2D.FILL_RADIAL
	disc.fill_from = Vector2(0.5, 0.5)
	disc.fill_to = Vector2(1.0, 0.5)
	_light.texture = disc
	_light.texture_scale = 3.4
	_light.color = Color(1.0, 0.46, 0.13)
	_light.range_item_cull_mask = 3
	add_child(_light)
	_time = position.x


func _process(delta: float) -> void:
	_time += delta
	_light.energy = 1.15 + 0.10 * sin(_time * 8.3) + 0.07 * sin(_time * 19.0)
	queue_redraw()


func _draw() -> void:
	draw_line(Vector2(0, 16), Vector2.ZERO, Color(0.5, 0.35, 0.2), 4.0)
	for tongue in 3:
		var lean := sin(_time * (7.0 + tongue * 3.0) + tongue) * 2.5
		var height := 17.0 - tongue * 4.5
		var width := 6.0 - tongue * 1.6
		draw_colored_polygon(PackedVector2Array([Vector2(-width, 0), Vector2(-width * 0.6, -height * 0.5), Vector2(lean, -height), Vector2(width * 0.7, -height * 0.45),
				Vector2(width, 0), Vector2(0, 3)]), [Color(1.0, 0.45, 0.12), Color(1.0, 0.72, 0.25), Color(1.0, 0.95, 0.65)][tongue] * 3.0)
