extends Node
## A small agent in the game itself, over the wire that is one's own: attach, receive, message_ready. It speaks aicc/0.1 as any other.

signal event_came(topic: String, payload: Dictionary)
signal _changed

var character: AiccCharacter
var tools := {} ## By id, as the game has told of them.
var capabilities := {} ## By class of tools, the same.

var _session := ""
var _results := {}
var _dice := RandomNumberGenerator.new()


## Waits until the game has said who one is and what one can do.
func join(this: AiccCharacter) -> void:
	character = this
	_dice.randomize()
	if not character.is_seated():
		await character.seated
	character.message_ready.connect(_on_message)
	character.attach()
	while _session == "":
		await _changed


## Sends a call; [method result] waits for what comes of it.
func start(tool: String, input := {}) -> String:
	var id := _uuid()
	_send({"type": "tool_call", "call_id": id, "tool": tool, "input": input})
	return id


## The whole tool_result.
func result(id: String) -> Dictionary:
	while not id in _results:
		await _changed
	return _results[id]


func ask(tool: String, input := {}) -> Dictionary:
	return await result(start(tool, input))


func leave(reason: String) -> void:
	_send({"type": "session_close", "reason": reason})
	while _session != "":
		await _changed
	character.message_ready.disconnect(_on_message)


func _send(message: Dictionary) -> void:
	message.merge({"protocol": "aicc/0.1", "session_id": _session, "message_id": _uuid()})
	character.receive(JSON.stringify(message))


func _on_message(text: String) -> void:
	var message: Dictionary = AiccJson.parse(text)
	match message.type:
		"session_init":
			_session = message.session_id
			_learn(message)
		"heartbeat":
			if "manifest_update" in message:
				_learn(message.manifest_update)
		"tool_result":
			_results[message.call_id] = message
		"event":
			event_came.emit(message.topic, message.payload)
		"session_close":
			_session = ""
	_changed.emit()


func _learn(manifest: Dictionary) -> void:
	tools.clear()
	for tool: Dictionary in manifest.tools:
		tools[tool.id] = tool
	capabilities = manifest.get("capabilities", {})


func _uuid() -> String:
	var hex := "%08x%08x%08x%08x" % [_dice.randi(), _dice.randi(), _dice.randi(), _dice.randi()]
	return "%s-%s-4%s-a%s-%s" % [hex.left(8), hex.substr(8, 4), hex.substr(13, 3), hex.substr(17, 3), hex.substr(20, 12)]
