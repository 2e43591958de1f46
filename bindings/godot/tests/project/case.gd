class_name Case
extends RefCounted
## What the tests are written with: checks, waiting, and a bridge with a character that an agent in this process plays.

var tree: SceneTree
var errors: ErrorLog
var failures: PackedStringArray = []
var checks := 0
var where := ""


## All that the engine calls an error or a warning, caught as it is said.
class ErrorLog extends Logger:
	var lines: PackedStringArray = []
	var mutex := Mutex.new()

	func _log_error(_function: String, _file: String, _line: int, code: String, rationale: String, _notify: bool, _type: int, _traces: Array[ScriptBacktrace]) -> void:
		mutex.lock()
		lines.append(code if rationale.is_empty() else rationale)
		mutex.unlock()


## The other end of a character's wire.
class Agent extends RefCounted:
	var character: AiccCharacter
	var messages: Array[Dictionary] = []
	var session_id := ""
	var count := 0

	func _init(of: AiccCharacter) -> void:
		character = of
		of.message_ready.connect(_on_message)

	func _on_message(text: String) -> void:
		var message: Dictionary = AiccJson.parse(text)
		messages.append(message)
		if message.type == "session_init":
			session_id = message.session_id

	func say(message: Dictionary) -> Error:
		count += 1
		var whole := {"protocol": "aicc/0.1", "session_id": session_id, "message_id": "00000000-0000-4000-8000-%012d" % count}
		whole.merge(message, true)
		return character.receive(AiccJson.stringify(whole))

	func call_tool(id: String, tool: String, input := {}) -> Error:
		return say({"type": "tool_call", "call_id": id, "tool": tool, "input": input})

	func of_type(type: String) -> Array[Dictionary]:
		return messages.filter(func(m: Dictionary) -> bool: return m.type == type)

	func result(id: String) -> Dictionary:
		for m in messages:
			if m.type == "tool_result" and m.call_id == id:
				return m
		return {}

	func tools() -> Array:
		var manifest: Dictionary = messages.filter(func(m: Dictionary) -> bool: return m.type == "session_init").back()
		for m in of_type("heartbeat"):
			if m.has("manifest_update"):
				manifest = m.manifest_update
		return manifest.tools.map(func(t: Dictionary) -> String: return t.id)


func check(good: bool, what: String) -> bool:
	checks += 1
	if not good:
		failures.append("%s: %s" % [where, what])
		print("FAILED  %s: %s" % [where, what])
	return good


func equal(got: Variant, wanted: Variant, what: String) -> bool:
	var same: bool = (got == null and wanted == null) or (typeof(got) == typeof(wanted) and got == wanted)
	return check(same, "%s: wanted %s (%s), got %s (%s)" % [what, wanted, type_string(typeof(wanted)), got, type_string(typeof(got))])


## One error or warning with this in it must have come; it counts as expected.
func expect_error(part: String) -> void:
	errors.mutex.lock()
	var found := -1
	for i in errors.lines.size():
		if errors.lines[i].contains(part):
			found = i
			break
	if found >= 0:
		errors.lines.remove_at(found)
	errors.mutex.unlock()
	check(found >= 0, "wanted an error with \"%s\", got %s" % [part, errors.lines])


func frames(n := 1) -> void:
	for i in n:
		await tree.process_frame


## Until it says yes, at most some seconds.
func until(what: Callable, name: String, seconds := 5.0) -> bool:
	var end := Time.get_ticks_msec() + int(seconds * 1000)
	while not what.call():
		if Time.get_ticks_msec() > end:
			return check(false, "waited for " + name)
		await tree.process_frame
	return true


func new_bridge(name := "yard") -> AiccBridge:
	var b := AiccBridge.new()
	b.world_name = name
	b.listen = false
	return b


func tool(id: String, properties := {}, more := {}) -> AiccTool:
	var t := AiccTool.new()
	t.id = id
	t.description = "Does %s." % id
	t.input_schema = {"type": "object", "properties": properties}
	for key: String in more:
		t.set(key, more[key])
	return t


## A bridge in the tree with one character that has these tools, and its agent.
func play(tools: Dictionary, name := "yard", more := {}) -> Array:
	var b := new_bridge(name)
	for key: String in more:
		b.set(key, more[key])
	tree.root.add_child(b)
	var c := AiccCharacter.new()
	c.character_name = "guard"
	c.subscriptions = 0
	for t: AiccTool in tools:
		equal(c.add_tool(t, tools[t]), OK, "add_tool")
	b.add_child(c)
	if not c.is_seated():
		await c.seated
	var a := Agent.new(c)
	equal(c.attach(), OK, "attach")
	await until(func() -> bool: return a.session_id != "", "session_init")
	return [b, c, a]


func ask(a: Agent, id: String, tool_id: String, input := {}) -> Dictionary:
	equal(a.call_tool(id, tool_id, input), OK, "call " + tool_id)
	await until(func() -> bool: return not a.result(id).is_empty(), "the result of " + id)
	return a.result(id)
