extends Node2D
## What goes on between the game and the agent: its state, the last calls, the last events.

const TOP := 600.0
const PAPER := Color(0.045, 0.055, 0.095)
const INK := Color(0.86, 0.88, 0.94)
const FAINT := Color(0.53, 0.57, 0.68)
const GOOD := Color(0.52, 0.86, 0.58)
const BAD := Color(0.98, 0.52, 0.45)
const BUSY := Color(0.98, 0.80, 0.42)
const ROWS := 5

var state := "nobody plays"
var state_colour := FAINT
var where := ""
var holds := ""
var tools: Array[String] = []

var _calls: Array[Dictionary] = []
var _events: Array[Dictionary] = []
var _lights := {} # tool: seconds for which it is lit
var _time := 0.0


func set_state(text: String, colour: Color) -> void:
	state = text
	state_colour = colour


func call_began(key: Variant, tool: String, input: Dictionary) -> void:
	_push(_calls, {"key": key, "tool": tool, "input": _short(input), "how": "", "colour": BUSY, "since": _time})
	_lights[tool] = INF


func call_ended(key: Variant, how: String, good: bool) -> void:
	for one in _calls:
		if one.key == key and one.how == "":
			one.how = "%s  %.1f s" % [how, _time - one.since]
			one.colour = GOOD if good else BAD
			_lights[one.tool] = _time + 0.8
			return


func event(topic: String, payload: Dictionary) -> void:
	_push(_events, {"topic": topic, "text": _short(payload), "since": _time})


func _push(list: Array[Dictionary], one: Dictionary) -> void:
	list.append(one)
	if list.size() > ROWS:
		list.pop_front()


func _short(value: Dictionary) -> String:
	return "" if value.is_empty() else JSON.stringify(value).replace("\"", "").replace(",", ", ").replace(":", " ").trim_prefix("{").trim_suffix("}")


func _process(delta: float) -> void:
	_time += delta
	queue_redraw()


func _draw() -> void:
	draw_rect(Rect2(0, TOP, 1280, 120), PAPER)
	draw_line(Vector2(0, TOP), Vector2(1280, TOP), Color(0.80, 0.66, 0.36), 2.0)
	for x: float in [352.0, 860.0]:
		draw_line(Vector2(x, TOP + 14), Vector2(x, 708), Color(1, 1, 1, 0.08), 1.0)
	_draw_state()
	_draw_calls()
	_draw_events()


func _text(at: Vector2, text: String, colour: Color, size := 14, width := -1.0) -> float:
	var font := ThemeDB.fallback_font
	while width > 0.0 and text.length() > 2 and font.get_string_size(text, HORIZONTAL_ALIGNMENT_LEFT, -1, size).x > width:
		text = text.trim_suffix("…").left(-2) + "…"
	draw_string(font, at, text, HORIZONTAL_ALIGNMENT_LEFT, -1, size, colour)
	return font.get_string_size(text, HORIZONTAL_ALIGNMENT_LEFT, -1, size).x


func _draw_state() -> void:
	_text(Vector2(24, TOP + 26), "THE GUARD IS PLAYED BY", FAINT, 11)
	draw_circle(Vector2(30, TOP + 44), 5.0 + sin(_time * 4.0) * 0.8, state_colour)
	_text(Vector2(44, TOP + 50), state, INK, 17, 296.0)
	_text(Vector2(24, TOP + 68), where, FAINT, 12, 318.0)
	var x := 24.0
	var y := TOP + 88.0
	for tool in tools:
		var lit: bool = _lights.get(tool, -1.0) > _time
		var wide := ThemeDB.fallback_font.get_string_size(tool, HORIZONTAL_ALIGNMENT_LEFT, -1, 12).x + 12.0
		if x + wide > 344.0:
			x = 24.0
			y += 20.0
		draw_rect(Rect2(x, y - 12.5, wide, 17), BUSY if lit else Color(1, 1, 1, 0.07))
		_text(Vector2(x + 6, y), tool, PAPER if lit else (FAINT if tool == "ring_bell" and holds == "" else INK), 12)
		x += wide + 5.0


func _draw_calls() -> void:
	_text(Vector2(374, TOP + 26), "CALLS", FAINT, 11)
	var y := TOP + 44.0
	for one in _calls:
		draw_circle(Vector2(379, y - 4.5), 3.2, one.colour)
		var x := 390.0 + _text(Vector2(390, y), one.tool, INK) + 9.0
		var how: String = one.how if one.how != "" else "%.1f s" % (_time - one.since)
		var wide := ThemeDB.fallback_font.get_string_size(how, HORIZONTAL_ALIGNMENT_LEFT, -1, 13).x
		_text(Vector2(x, y), one.input, FAINT, 13, 836.0 - wide - x - 8.0)
		_text(Vector2(842.0 - wide, y), how, one.colour, 13)
		y += 17.5


func _draw_events() -> void:
	_text(Vector2(882, TOP + 26), "EVENTS", FAINT, 11)
	var y := TOP + 44.0
	for one in _events:
		var fresh := clampf(1.0 - (_time - one.since) * 0.7, 0.0, 1.0)
		var x := 882.0 + _text(Vector2(882, y), one.topic, FAINT.lerp(BUSY, fresh), 13) + 9.0
		_text(Vector2(x, y), one.text, INK, 13, 1262.0 - x)
		y += 17.5
