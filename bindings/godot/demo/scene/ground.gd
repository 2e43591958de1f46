extends Node2D
## The yard's floor and walls. Drawn once; what light falls on it is the lights' business.

const METRE := Vector2(34, 30) ## Pixels: one looks down at a slant, so that a metre to the north is shorter.
const NORTH_WEST := Vector2(45, 236)
const SIZE := Vector2(35, 11) ## Of the yard, in metres.

const STONE := Color(0.60, 0.60, 0.66)
const MORTAR := Color(0.34, 0.34, 0.40)


## Where on the screen a place of the yard is.
static func at(metres: Vector2) -> Vector2:
	return NORTH_WEST + metres * METRE


func _draw() -> void:
	var dice := RandomNumberGenerator.new()
	dice.seed = 7
	_draw_floor(dice)
	_draw_rosette()
	_draw_north_wall(dice)
	_draw_side_walls()


func _draw_floor(dice: RandomNumberGenerator) -> void:
	draw_rect(Rect2(NORTH_WEST, SIZE * METRE), MORTAR)
	var y := NORTH_WEST.y + 2.0
	while y < NORTH_WEST.y + SIZE.y * METRE.y:
		var x := NORTH_WEST.x - dice.randf() * 14.0
		while x < NORTH_WEST.x + SIZE.x * METRE.x:
			var width := dice.randf_range(15.0, 26.0)
			var shade := STONE.darkened(dice.randf() * 0.22)
			if dice.randf() < 0.06:
				shade = shade.lerp(Color(0.42, 0.52, 0.38), 0.6) # moss
			_draw_cobble(Rect2(x, y, width - 2.0, 10.5), shade, dice)
			x += width
		y += 12.4


func _draw_cobble(stone: Rect2, shade: Color, dice: RandomNumberGenerator) -> void:
	stone = stone.intersection(Rect2(NORTH_WEST, SIZE * METRE))
	if stone.size.x < 3.0 or stone.size.y < 3.0:
		return
	var a := stone.position
	var b := stone.end
	var c := minf(3.4, minf(stone.size.x, stone.size.y) * 0.3)
	var lift := dice.randf_range(-0.8, 0.8)
	draw_colored_polygon(PackedVector2Array([Vector2(a.x + c, a.y + lift), Vector2(b.x - c, a.y + lift), Vector2(b.x, a.y + c), Vector2(b.x, b.y - c),
			Vector2(b.x - c, b.y), Vector2(a.x + c, b.y), Vector2(a.x, b.y - c), Vector2(a.x, a.y + c)]), shade)
	draw_line(Vector2(a.x + c, a.y + 1.2 + lift), Vector2(b.x - c, a.y + 1.2 + lift), shade.lightened(0.16), 1.2)


## The middle of the yard: rings of paler stones.
func _draw_rosette() -> void:
	var middle := at(Vector2(17, 6))
	draw_set_transform(middle, 0.0, Vector2(1.0, METRE.y / METRE.x))
	draw_circle(Vector2.ZERO, 74.0, MORTAR)
	for ring in 4:
		var inner := 6.0 + ring * 17.0
		var stones := 6 + ring * 8
		for i in stones:
			var from := TAU * i / stones
			var till := TAU * (i + 0.9) / stones
			var shape := PackedVector2Array()
			for k in 5:
				shape.append(Vector2.from_angle(lerpf(from, till, k / 4.0)) * inner)
			for k in 5:
				shape.append(Vector2.from_angle(lerpf(till, from, k / 4.0)) * (inner + 14.5))
			draw_colored_polygon(shape, Color(0.70, 0.68, 0.64).darkened(0.09 * float((i + ring) % 3)))
	draw_circle(Vector2.ZERO, 4.5, Color(0.78, 0.72, 0.6))
	draw_set_transform(Vector2.ZERO)


func _draw_north_wall(dice: RandomNumberGenerator) -> void:
	var top := NORTH_WEST.y - 74.0
	var right := NORTH_WEST.x + SIZE.x * METRE.x
	draw_rect(Rect2(NORTH_WEST.x - 45, top, right - NORTH_WEST.x + 90, 74), Color(0.36, 0.36, 0.43))
	var course := 0
	for y in range(int(top) + 2, int(NORTH_WEST.y) - 6, 12):
		var x := NORTH_WEST.x - 45 + (0.0 if course % 2 == 0 else -16.0)
		while x < right + 45:
			var shade := Color(0.50, 0.50, 0.57).darkened(dice.randf() * 0.25)
			draw_rect(Rect2(x + 1, y, 30, 10.5), shade)
			draw_line(Vector2(x + 1, y + 0.6), Vector2(x + 31, y + 0.6), shade.lightened(0.14), 1.2)
			x += 32.0
		course += 1
	for x in range(0, 1280, 44): # the battlements
		draw_rect(Rect2(x, top - 17, 26, 19), Color(0.47, 0.47, 0.54))
		draw_line(Vector2(x, top - 16.4), Vector2(x + 26, top - 16.4), Color(0.64, 0.64, 0.72), 1.4)
	draw_line(Vector2(0, top + 0.6), Vector2(1280, top + 0.6), Color(0.66, 0.66, 0.74), 1.6)
	draw_rect(Rect2(0, NORTH_WEST.y - 6, 1280, 8), Color(0.26, 0.26, 0.31)) # where it meets the floor
	_draw_ivy(dice)


func _draw_ivy(dice: RandomNumberGenerator) -> void:
	for stem in [150.0, 430.0, 452.0, 700.0, 905.0]:
		var foot := Vector2(stem, NORTH_WEST.y)
		for leaf in 46:
			var up := dice.randf()
			var where := foot + Vector2(dice.randfn(0.0, 4.0 + 16.0 * up), -up * dice.randf_range(36.0, 80.0))
			draw_circle(where, dice.randf_range(1.8, 3.8), Color(0.30, 0.48, 0.28).darkened(dice.randf() * 0.4))


func _draw_side_walls() -> void:
	var south := NORTH_WEST.y + SIZE.y * METRE.y
	var right := NORTH_WEST.x + SIZE.x * METRE.x
	for side in [0.0, 1.0]:
		var edge := NORTH_WEST.x if side == 0.0 else right
		var out := -45.0 if side == 0.0 else 45.0
		draw_colored_polygon(PackedVector2Array([Vector2(edge, NORTH_WEST.y), Vector2(edge + out, NORTH_WEST.y - 74), Vector2(edge + out, south + 20),
				Vector2(edge, south + 20)]), Color(0.31, 0.31, 0.37))
		draw_line(Vector2(edge, NORTH_WEST.y), Vector2(edge, south), Color(0.22, 0.22, 0.27), 3.0)
		for k in range(1, 9):
			var y := NORTH_WEST.y + k * 38.0
			draw_line(Vector2(edge, y), Vector2(edge + out, y - 8.0), Color(0.25, 0.25, 0.31), 1.5)
