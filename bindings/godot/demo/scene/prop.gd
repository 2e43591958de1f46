extends Node2D
## A thing in the yard. Its foot is at its position, so that who is farther south is drawn in front of it.

@export_enum("tower", "store", "well", "tree", "cart", "barrels", "gate") var kind := "well"

var swing := 0.0: ## Of the tower's bell, radians.
	set(value):
		swing = value
		queue_redraw()
var broken := false: ## The store's window.
	set(value):
		broken = value
		queue_redraw()

const WOOD := Color(0.78, 0.57, 0.38)
const DARK := Color(0.12, 0.10, 0.11)


func _ready() -> void:
	light_mask = 2 # the shadows of its own foot do not fall on it
	var feet := {"tower": Vector2(52, 14), "store": Vector2(88, 16), "well": Vector2(27, 10), "tree": Vector2(7, 4), "cart": Vector2(34, 8), "barrels": Vector2(22, 7)}
	if not kind in feet:
		return
	var foot: Vector2 = feet[kind]
	var shape := PackedVector2Array()
	for i in 12:
		var corner := Vector2.from_angle(TAU * i / 12.0) * foot
		if kind in ["store", "cart"]:
			corner = Vector2(clampf(corner.x * 1.5, -foot.x, foot.x), clampf(corner.y * 1.5, -foot.y, foot.y))
		shape.append(corner + Vector2(0, -foot.y))
	var occluder := LightOccluder2D.new()
	occluder.occluder = OccluderPolygon2D.new()
	occluder.occluder.polygon = shape
	add_child(occluder)


func _draw() -> void:
	call("_draw_" + kind)


func _ellipse(middle: Vector2, radius: Vector2, colour: Color, from := 0.0, till := TAU) -> void:
	var shape := PackedVector2Array()
	for i in 28:
		shape.append(middle + Vector2.from_angle(lerpf(from, till, i / (28.0 if till - from >= TAU else 27.0))) * radius)
	draw_colored_polygon(shape, colour)


func _shadow(radius: Vector2) -> void:
	_ellipse(Vector2(-4, 1), radius, Color(0, 0, 0, 0.35))


## A wall of stones, darker to the sides if it is round.
func _stones(area: Rect2, shade: Color, round_by: float) -> void:
	draw_rect(area, shade.darkened(0.35))
	var row := 0
	var y := area.position.y
	while y < area.end.y - 2.0:
		var x := area.position.x - (0.0 if row % 2 == 0 else 9.0)
		while x < area.end.x:
			var left := maxf(x, area.position.x)
			var right := minf(x + 17.0, area.end.x)
			if right - left > 2.0:
				var side := absf((left + right) * 0.5 - area.get_center().x) / (area.size.x * 0.5)
				var stone := shade.darkened(side * side * round_by + 0.05 * float((row * 7 + int(x)) % 4))
				draw_rect(Rect2(left, y + 1.0, right - left - 1.0, minf(9.0, area.end.y - y - 1.0)), stone)
				draw_line(Vector2(left, y + 1.6), Vector2(right - 1.0, y + 1.6), stone.lightened(0.12), 1.2)
			x += 18.0
		y += 10.0
		row += 1


func _draw_tower() -> void:
	_shadow(Vector2(66, 18))
	var shade := Color(0.58, 0.57, 0.63)
	_ellipse(Vector2(0, -12), Vector2(54, 13), shade.darkened(0.3))
	_stones(Rect2(-54, -138, 108, 128), shade, 0.5)
	draw_rect(Rect2(-17, -44, 34, 34), DARK) # the door
	_ellipse(Vector2(0, -44), Vector2(17, 15), DARK, PI, TAU)
	for plank in 3:
		draw_rect(Rect2(-14 + plank * 10, -45, 8.5, 36), WOOD.darkened(0.2 + plank * 0.05))
	draw_rect(Rect2(-6, -98, 12, 20), DARK)
	draw_rect(Rect2(-5, -97, 10, 18), Color(3.4, 2.2, 0.7))
	draw_line(Vector2(0, -97), Vector2(0, -79), DARK, 1.5)
	_stones(Rect2(-60, -152, 120, 18), shade.lightened(0.06), 0.4)
	draw_rect(Rect2(-48, -206, 96, 56), Color(0.10, 0.11, 0.17)) # the belfry
	_draw_bell(Vector2(0, -202))
	for pillar in [-48, 36]:
		_stones(Rect2(pillar, -206, 12, 56), shade, 0.2)
	draw_colored_polygon(PackedVector2Array([Vector2(-66, -204), Vector2(0, -254), Vector2(66, -204)]), Color(0.40, 0.30, 0.33))
	draw_colored_polygon(PackedVector2Array([Vector2(10, -204), Vector2(0, -254), Vector2(66, -204)]), Color(0.33, 0.24, 0.28))
	draw_line(Vector2(-66, -204), Vector2(66, -204), Color(0.55, 0.44, 0.42), 3.0)


func _draw_bell(hook: Vector2) -> void:
	draw_line(hook + Vector2(-36, 3), hook + Vector2(36, 3), WOOD, 4.0)
	draw_set_transform(hook + Vector2(0, 4), swing)
	var brass := Color(1.7, 1.25, 0.5)
	draw_circle(Vector2(-swing * 12.0, 42), 4.5, brass.darkened(0.4))
	draw_colored_polygon(PackedVector2Array([Vector2(-5, 4), Vector2(5, 4), Vector2(12, 14), Vector2(15, 30), Vector2(22, 38), Vector2(-22, 38), Vector2(-15, 30),
			Vector2(-12, 14)]), brass)
	draw_colored_polygon(PackedVector2Array([Vector2(2, 5), Vector2(5, 4), Vector2(12, 14), Vector2(15, 30), Vector2(22, 38), Vector2(8, 38)]), brass.darkened(0.25))
	draw_line(Vector2(-17, 33), Vector2(17, 33), brass.lightened(0.3), 1.6)
	draw_set_transform(Vector2.ZERO)


func _draw_store() -> void:
	_shadow(Vector2(100, 16))
	var plaster := Color(0.70, 0.63, 0.54)
	draw_rect(Rect2(-88, -84, 176, 84), plaster.darkened(0.06))
	_stones(Rect2(-88, -18, 176, 18), Color(0.55, 0.54, 0.58), 0.0)
	for beam in [-88, -34, 26, 80]:
		draw_rect(Rect2(beam, -84, 8, 84), WOOD.darkened(0.3))
	draw_rect(Rect2(-88, -86, 176, 8), WOOD.darkened(0.25))
	draw_rect(Rect2(-88, -46, 62, 6), WOOD.darkened(0.3))
	draw_line(Vector2(-78, -80), Vector2(-36, -46), WOOD.darkened(0.3), 6.0)
	draw_rect(Rect2(36, -52, 38, 52), DARK) # the door
	for plank in 4:
		draw_rect(Rect2(37.5 + plank * 9.2, -50.5, 8.0, 50.5), WOOD.darkened(0.08 * (plank % 2)))
	draw_circle(Vector2(68, -24), 2.0, Color(0.8, 0.7, 0.4))
	draw_rect(Rect2(-24, -62, 46, 34), WOOD.darkened(0.4)) # the window
	draw_rect(Rect2(-21, -59, 40, 28), DARK if broken else Color(0.30, 0.40, 0.56))
	if broken:
		for shard in [[Vector2(-21, -59), Vector2(-9, -59), Vector2(-18, -46)], [Vector2(19, -31), Vector2(19, -44), Vector2(9, -31)],
				[Vector2(-21, -31), Vector2(-21, -38), Vector2(-12, -31)], [Vector2(19, -59), Vector2(8, -59), Vector2(15, -51)]]:
			draw_colored_polygon(PackedVector2Array(shard), Color(0.55, 0.68, 0.88))
	else:
		draw_line(Vector2(-16, -36), Vector2(-6, -54), Color(0.6, 0.7, 0.9), 2.0)
	draw_line(Vector2(-1, -59), Vector2(-1, -31), WOOD.darkened(0.4), 2.5)
	var ridge := Color(0.50, 0.29, 0.25)
	draw_colored_polygon(PackedVector2Array([Vector2(-104, -80), Vector2(-78, -146), Vector2(78, -146), Vector2(104, -80)]), ridge.darkened(0.3))
	for row in 6:
		var y := -146.0 + row * 11.2
		var half := lerpf(78.0, 104.0, (row + 0.5) / 6.0)
		var x := -half + (4.0 if row % 2 == 0 else 0.0)
		while x < half - 6.0:
			var tile := ridge.darkened(0.06 * float((row * 5 + int(x)) % 5))
			draw_rect(Rect2(x, y, 10.5, 10.0), tile)
			draw_line(Vector2(x, y + 9.4), Vector2(x + 10.5, y + 9.4), tile.darkened(0.35), 1.4)
			x += 12.0
	draw_line(Vector2(-78, -147), Vector2(78, -147), ridge.lightened(0.2), 3.0)


func _draw_well() -> void:
	_shadow(Vector2(36, 12))
	_ellipse(Vector2(0, -8), Vector2(28, 11), Color(0.42, 0.42, 0.47))
	_stones(Rect2(-28, -24, 56, 17), Color(0.62, 0.61, 0.66), 0.45)
	_ellipse(Vector2(0, -24), Vector2(28, 11), Color(0.66, 0.65, 0.71))
	_ellipse(Vector2(0, -24), Vector2(21, 8), Color(0.05, 0.06, 0.10))
	_ellipse(Vector2(3, -22), Vector2(12, 3), Color(0.20, 0.30, 0.48))
	for post in [-24, 20]:
		draw_rect(Rect2(post, -68, 5, 46), WOOD.darkened(0.15))
	draw_line(Vector2(-24, -52), Vector2(24, -52), WOOD.lightened(0.05), 4.0)
	draw_line(Vector2(2, -52), Vector2(2, -36), Color(0.7, 0.62, 0.45), 1.5)
	draw_rect(Rect2(-4, -38, 12, 10), WOOD.darkened(0.3))
	draw_colored_polygon(PackedVector2Array([Vector2(-38, -62), Vector2(-26, -86), Vector2(26, -86), Vector2(38, -62)]), Color(0.47, 0.30, 0.26))
	for k in 3:
		draw_line(Vector2(-35 + k * 4, -68 - k * 7), Vector2(35 - k * 4, -68 - k * 7), Color(0.34, 0.21, 0.19), 1.6)
	draw_line(Vector2(-38, -62), Vector2(38, -62), Color(0.60, 0.42, 0.34), 2.4)


func _draw_tree() -> void:
	_shadow(Vector2(46, 13))
	var dice := RandomNumberGenerator.new()
	dice.seed = 12
	draw_colored_polygon(PackedVector2Array([Vector2(-11, 0), Vector2(-6, -16), Vector2(-6, -62), Vector2(6, -62), Vector2(6, -14), Vector2(12, 1)]), Color(0.42, 0.32, 0.25))
	draw_line(Vector2(0, -50), Vector2(24, -82), Color(0.42, 0.32, 0.25), 5.0)
	draw_line(Vector2(0, -52), Vector2(-24, -80), Color(0.40, 0.30, 0.24), 5.0)
	for leaf in 150:
		var where := Vector2(dice.randfn(0.0, 25.0), -98.0 + dice.randfn(0.0, 15.0))
		var light := clampf(0.35 + (-98.0 - where.y) * 0.012 - where.x * 0.002, 0.0, 0.8)
		draw_circle(where, dice.randf_range(5.0, 10.0), Color(0.22, 0.36, 0.24).lerp(Color(0.46, 0.60, 0.40), light))


func _draw_cart() -> void:
	_shadow(Vector2(44, 9))
	for hay in 60:
		var dice := RandomNumberGenerator.new()
		dice.seed = hay
		var where := Vector2(dice.randfn(0.0, 16.0), -36.0 - absf(dice.randfn(0.0, 7.0)))
		draw_line(where, where + Vector2.from_angle(dice.randf() * TAU) * 9.0, Color(0.80, 0.68, 0.36).darkened(dice.randf() * 0.35), 2.2)
	draw_rect(Rect2(-36, -36, 72, 18), WOOD.darkened(0.1))
	for plank in 3:
		draw_line(Vector2(-36, -33 + plank * 6), Vector2(36, -33 + plank * 6), WOOD.darkened(0.4), 1.2)
	draw_line(Vector2(36, -20), Vector2(66, -3), WOOD.darkened(0.2), 4.0)
	for wheel in [-18, 18]:
		draw_arc(Vector2(wheel, -12), 12.0, 0, TAU, 24, WOOD.darkened(0.35), 4.0)
		for spoke in 4:
			var along := Vector2.from_angle(spoke * PI / 4.0 + 0.3) * 11.0
			draw_line(Vector2(wheel, -12) - along, Vector2(wheel, -12) + along, WOOD.darkened(0.3), 1.8)


func _draw_barrels() -> void:
	_shadow(Vector2(30, 8))
	for barrel in [Vector2(-14, -4), Vector2(12, -3), Vector2(-1, 3)]:
		draw_set_transform(barrel)
		draw_colored_polygon(PackedVector2Array([Vector2(-10, 0), Vector2(-13, -13), Vector2(-10, -27), Vector2(10, -27), Vector2(13, -13), Vector2(10, 0)]), WOOD)
		draw_colored_polygon(PackedVector2Array([Vector2(3, 0), Vector2(5, -13), Vector2(3, -27), Vector2(10, -27), Vector2(13, -13), Vector2(10, 0)]), WOOD.darkened(0.22))
		_ellipse(Vector2(0, -27), Vector2(10, 4), WOOD.lightened(0.12))
		for hoop in [-6, -21]:
			draw_line(Vector2(-11.6, hoop), Vector2(11.6, hoop), Color(0.32, 0.32, 0.36), 2.4)
	draw_set_transform(Vector2.ZERO)


## The south wall with the gate in it, which one looks over: a dark frame for the picture.
func _draw_gate() -> void:
	var stone := Color(0.30, 0.30, 0.37)
	draw_rect(Rect2(-200, -2, 1320, 60), stone.darkened(0.25))
	for x in range(-185, 1110, 44):
		if absf(x + 13.0) > 62.0:
			draw_rect(Rect2(x, -15, 26, 16), stone)
			draw_line(Vector2(x, -14.4), Vector2(x + 26, -14.4), stone.lightened(0.35), 1.6)
	draw_line(Vector2(-200, -1.4), Vector2(1120, -1.4), stone.lightened(0.2), 1.6)
	for post in [-62, 38]:
		_stones(Rect2(post, -52, 24, 100), stone.lightened(0.15), 0.4)
		draw_colored_polygon(PackedVector2Array([Vector2(post - 4, -52), Vector2(post + 12, -66), Vector2(post + 28, -52)]), stone.lightened(0.22))
	draw_rect(Rect2(-38, -30, 76, 80), stone.darkened(0.55))
	for bar in 7:
		draw_rect(Rect2(-35 + bar * 11, -40, 4, 70), WOOD.darkened(0.25))
	for bar in [-32, -16]:
		draw_rect(Rect2(-38, bar, 76, 4), WOOD.darkened(0.35))
