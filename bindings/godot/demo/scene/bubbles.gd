extends Node2D
## What is said, thought and heard, readable in the dark: on a layer of its own.

const WIDEST := 250.0

var _bubbles: Array[Array] = [] # who (a Node2D with mouth(), or a place), lines, kind, seconds left
var _boxes := {}


func _ready() -> void:
	for kind: String in ["says", "thinks", "noise"]:
		var box := StyleBoxFlat.new()
		box.bg_color = {"says": Color(0.98, 0.95, 0.86), "thinks": Color(0.83, 0.89, 0.98), "noise": Color(0.98, 0.80, 0.45)}[kind]
		box.set_corner_radius_all(9)
		box.shadow_color = Color(0, 0, 0, 0.35)
		box.shadow_size = 5
		box.shadow_offset = Vector2(0, 2)
		_boxes[kind] = box


func show_text(who: Variant, text: String, kind := "says", seconds := 2.6) -> void:
	_bubbles = _bubbles.filter(func(one: Array) -> bool: return not is_same(one[0], who))
	_bubbles.append([who, text, kind, seconds])


func _process(delta: float) -> void:
	for one in _bubbles:
		one[3] -= delta
	_bubbles = _bubbles.filter(func(one: Array) -> bool: return one[3] > 0.0)
	queue_redraw()


func _draw() -> void:
	var font := ThemeDB.fallback_font
	for one in _bubbles:
		var tip: Vector2 = one[0].mouth() if one[0] is Node2D else one[0]
		var size := font.get_multiline_string_size(one[1], HORIZONTAL_ALIGNMENT_CENTER, WIDEST, 15)
		var box := Rect2(tip + Vector2(-size.x * 0.5 - 12.0, -size.y - 26.0), size + Vector2(24, 13))
		box.position = box.position.clamp(Vector2(8, 8), Vector2(1272, 580) - box.size)
		draw_style_box(_boxes[one[2]], box)
		var colour: Color = _boxes[one[2]].bg_color
		var foot := clampf(tip.x, box.position.x + 18.0, box.end.x - 18.0)
		if one[2] == "thinks":
			draw_circle(Vector2(foot, box.end.y + 5.0), 4.0, colour)
			draw_circle(Vector2(lerpf(foot, tip.x, 0.6), box.end.y + 12.0), 2.4, colour)
		else:
			draw_colored_polygon(PackedVector2Array([Vector2(foot - 8.0, box.end.y - 0.5), Vector2(foot + 8.0, box.end.y - 0.5), Vector2(tip.x, box.end.y + 11.0)]), colour)
		draw_multiline_string(font, box.position + Vector2(12, 6 + font.get_ascent(15)), one[1], HORIZONTAL_ALIGNMENT_CENTER, size.x + 1.0, 15, -1, Color(0.13, 0.12, 0.16))
