extends Node2D
## The night watch: a game whose guard an agent plays, or nobody.
##
##     godot -- [--port N] [--tell] [--once] [--screenshot FILE]
##
## --port N: listens there; 0: on any free port. --tell: says on stderr what the guard does. --once: ends when the first agent has gone for good.
## --screenshot FILE: plays half a night by itself and saves what one sees.

const Hud := preload("res://scene/hud.gd")
const PATIENCE := 4.0 ## Seconds without an agent until the guard goes his rounds alone.

@onready var bridge: AiccBridge = $Bridge
@onready var character: AiccCharacter = $Stage/Things/Guard/Character
@onready var stage: Node2D = $Stage
@onready var hud: Node2D = $HudLayer/Hud
@onready var rounds: Node = $Rounds

var _options := {}
var _alone := 0.0 # seconds since the last agent left


# Before the bridge is in the tree, where it starts to listen.
func _enter_tree() -> void:
	var words := OS.get_cmdline_user_args()
	for i in words.size():
		if words[i] in ["--port", "--screenshot"] and i + 1 < words.size():
			_options[words[i].trim_prefix("--")] = words[i + 1]
		elif words[i] in ["--tell", "--once"]:
			_options[words[i].trim_prefix("--")] = true
	if "port" in _options:
		$Bridge.listen_port = int(_options.port)
	if "screenshot" in _options:
		$Bridge.listen = false


func _ready() -> void:
	rounds.stage = stage
	rounds.told.connect(func(what: String) -> void: _say_on_stderr("alone: " + what))
	character.told.connect(_on_told)
	character.heard_of.connect(hud.event)
	character.agent_connected.connect(_on_agent_connected)
	character.agent_disconnected.connect(func() -> void: _on_told("hears no more orders, and goes on with the last"); hud.set_state("an agent, disconnected", Hud.BUSY))
	character.agent_resumed.connect(func() -> void: _on_told("hears orders again"); hud.set_state("an agent", Hud.GOOD))
	character.agent_gone.connect(_on_agent_gone)
	character.tool_called.connect(func(call: AiccCall) -> void: hud.call_began(call.id, call.tool_id, call.input))
	character.tool_finished.connect(func(call: AiccCall, ok: bool) -> void: hud.call_ended(call.id, "done" if ok else "failed", ok))
	character.call_ended.connect(func(call: AiccCall, reason: int) -> void: hud.call_ended(call.id, "timeout" if reason == AiccCall.ENDED_TIMEOUT else "ended", false))
	character.seated.connect(func() -> void: print("listens at ", bridge.get_address())) # from now on an agent finds somebody
	_nobody_plays()
	if "screenshot" in _options:
		var photographer: Node = load("res://screenshot.gd").new()
		photographer.file = _options.screenshot
		add_child(photographer)


func _process(delta: float) -> void:
	_alone += delta
	if _alone > PATIENCE and not rounds.active and not character.has_agent():
		stage.watch.begin_anew()
		rounds.begin()
	hud.tools.assign(character.get_tool_ids())
	hud.holds = "alarm" if character.has_capability("alarm") else ""


func _on_told(what: String) -> void:
	_say_on_stderr("guard: " + what)


func _say_on_stderr(text: String) -> void:
	if "tell" in _options:
		printerr(text)


func _on_agent_connected() -> void:
	_alone = -INF
	rounds.end()
	stage.watch.begin_anew()
	stage.watch.begin()
	hud.set_state("an agent", Hud.GOOD)


func _on_agent_gone() -> void:
	if "once" in _options:
		bridge.stop("the night is over")
		get_tree().quit()
		return
	if not character.has_agent():
		character.reset("a new night")
	stage.watch.stop()
	_nobody_plays()


func _nobody_plays() -> void:
	hud.set_state("nobody: he goes his rounds", Hud.FAINT)
	hud.where = bridge.get_address() if bridge.listen else "over a wire within the game"
	_alone = 0.0
