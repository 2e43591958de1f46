class_name Body
extends Node
## A guard's body: the methods that tools call.

signal arrived

enum Mood { CALM, ALERT = 5 }

var kept: AiccCall
var heard: Array = []
var position := Vector2(1.25, 2)
var health := 7
var mood := 1
var speed := 1.5
var awake := true
var title := "guard"
var nothing: Variant = null


func look(input: Dictionary) -> Dictionary:
	heard.append(input)
	return {"at": position, "n": 3}


func note(_input: Dictionary) -> void:
	pass


func answer_later(_input: Dictionary, call: AiccCall) -> void:
	kept = call


func hand_back(_input: Dictionary, call: AiccCall) -> AiccCall:
	kept = call
	return call


func forget_it(_input: Dictionary, _call: AiccCall) -> void:
	pass


func says_no(_input: Dictionary, call: AiccCall) -> void:
	call.fail(AiccCall.CODE_TOOL_UNAVAILABLE, "not now", true)


func gives_nothing(_input: Dictionary):
	pass


func gives_null(_input: Dictionary) -> Variant:
	return null


func errs(input: Dictionary):
	return {"x": input.there_is_no_such_member}


func errs_and_declares(input: Dictionary) -> Dictionary:
	return {"x": input.there_is_no_such_member}


func errs_later(input: Dictionary) -> Dictionary:
	await arrived
	return {"x": input.there_is_no_such_member}


## The error is in another method, which gives what it has by default.
func errs_elsewhere(input: Dictionary) -> Dictionary:
	errs_and_declares(input)
	return {}


func gives_text(_input: Dictionary) -> String:
	return "text"


func gives_node(_input: Dictionary) -> Node:
	return self


func gives_rid(_input: Dictionary) -> Dictionary:
	return {"what": RID()}


func gives_too_much(_input: Dictionary) -> Dictionary:
	return {"text": "x".repeat(300000)}


func breaks_schema(_input: Dictionary) -> Dictionary:
	return {"n": "no number"}


func walks(_input: Dictionary) -> Dictionary:
	await arrived
	return {"at": "the gate"}


func walks_twice(_input: Dictionary) -> Dictionary:
	await arrived
	await arrived
	return {"at": "the well"}


func walks_to_nothing(_input: Dictionary):
	await arrived
	if health > 0:
		return null
	return {}


func walks_and_notes(_input: Dictionary) -> void:
	await arrived


func no_arguments() -> Dictionary:
	return {"none": true}


func frees_itself_later(_input: Dictionary) -> Dictionary:
	queue_free()
	return {"gone": true}


## Goes to a place.
## And stays [b]there[/b].
##
## Unless [param speed] is 0.
## [param place] where to
## [param speed]: metres a second,
## up to 9
@warning_ignore("unused_parameter")
func walk_to(place: String, speed := 2.5, times: int = 1, mood: Mood = Mood.ALERT, at := Vector2.ZERO, names: Array[String] = [], any: Variant = null) -> Dictionary:
	heard.append([place, speed, times, mood, at, names, any])
	return {}


## Takes the call as well.
func shout(words: String, call: AiccCall) -> void:
	heard.append(words)
	call.succeed({"tool": call.tool_id})


## Takes a node, which it cannot.
func follow(who: Node) -> Dictionary:
	return {"who": who.name}


func _hidden_start(mode: Node.ProcessMode, path: NodePath, bytes: PackedByteArray) -> Dictionary:
	return {"mode": mode, "path": path, "bytes": bytes}


func takes_three(_a: Dictionary, _b: AiccCall, _c: int) -> Dictionary:
	return {}
