extends Node2D
## Moon, stars, clouds and the roofs of the town. On a layer of its own, which no lantern reaches.

var _stars: Array[Vector3] = [] # x, y, phase
var _time := 0.0


func _ready() -> void:
	var dice := RandomNumberGenerator.new()
	dice.seed = 3
	for i in 130:
		_stars.append(Vector3(dice.randf() * 1280.0, pow(dice.randf(), 1.3) * 160.0, dice.randf() * TAU))


func _process(delta: float) -> void:
	_time += delta
	queue_redraw()


func _draw() -> void:
	var low := Color(0.15, 0.20, 0.36)
	var high := Color(0.025, 0.04, 0.11)
	draw_polygon(PackedVector2Array([Vector2(0, 0), Vector2(1280, 0), Vector2(1280, 230), Vector2(0, 230)]), PackedColorArray([high, high, low, low]))
	for star in _stars:
		var glow := 0.45 + 0.4 * sin(star.z + _time * (0.6 + fmod(star.z, 1.7)))
		draw_circle(Vector2(star.x, star.y), 0.7 + fmod(star.z, 0.9), Color(0.85, 0.9, 1.0, clampf(glow, 0.1, 0.9)))
	_draw_moon(Vector2(892, 66))
	_draw_town()


func _draw_moon(middle: Vector2) -> void:
	for ring in 14:
		draw_circle(middle, 34.0 + ring * 9.0, Color(0.62, 0.72, 1.0, 0.016))
	draw_circle(middle, 33.0, Color(0.93, 0.94, 0.88))
	for spot in [Vector3(-10, -8, 8), Vector3(9, 4, 6), Vector3(-6, 12, 5), Vector3(12, -12, 4), Vector3(0, -1, 3)]:
		draw_circle(middle + Vector2(spot.x, spot.y), spot.z, Color(0.80, 0.82, 0.80, 0.75))
	for cloud in 3:
		var x := fposmod(300.0 + cloud * 470.0 + _time * (5.0 + cloud * 2.0), 1600.0) - 160.0
		var y := 52.0 + 32.0 * cloud
		for puff in 7:
			var width := 46.0 - absf(puff - 3.0) * 9.0
			draw_set_transform(Vector2(x + puff * 30.0, y + sin(puff * 2.1 + cloud) * 4.0), 0.0, Vector2(1.0, 0.26))
			draw_circle(Vector2.ZERO, width, Color(0.30, 0.36, 0.54, 0.13))
		draw_set_transform(Vector2.ZERO)


func _draw_town() -> void:
	var far := Color(0.09, 0.12, 0.23)
	var near := Color(0.06, 0.08, 0.16)
	var dice := RandomNumberGenerator.new()
	dice.seed = 21
	for depth in 2:
		var x := -20.0
		while x < 1300.0:
			var width := dice.randf_range(44.0, 92.0)
			var wall := 158.0 - dice.randf_range(2.0, 26.0) + depth * 9.0
			var gable := wall - dice.randf_range(16.0, 36.0)
			var shade := far if depth == 0 else near
			draw_colored_polygon(PackedVector2Array([Vector2(x, 230), Vector2(x, wall), Vector2(x + width * 0.5, gable), Vector2(x + width, wall),
					Vector2(x + width, 230)]), shade)
			if dice.randf() < 0.6:
				draw_rect(Rect2(x + width * 0.68, gable + 2.0, 6.0, 14.0), shade)
			if dice.randf() < 0.34:
				var flicker := 0.75 + 0.25 * sin(_time * 2.3 + x)
				draw_rect(Rect2(x + width * dice.randf_range(0.3, 0.6), wall - 3.0 - dice.randf() * 4.0, 4.0, 6.0), Color(1.0, 0.75, 0.35, flicker))
			x += width * dice.randf_range(0.8, 1.15)
