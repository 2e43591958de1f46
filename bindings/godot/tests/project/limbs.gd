class_name Limbs
extends Node
## Methods with all kinds of defaults, for tools that are made of them.

enum Mood { SAD = 3, GLAD }

const OLD: Array[String] = ["old"]

var heard: Array = []


func keep(all: Array) -> Dictionary:
	heard = all
	return {}


## Empty containers before others.
func empties(tags: Array[String] = [], list: Array = [ ], map := {}, numbers: PackedInt32Array = PackedInt32Array(), words: PackedStringArray = [], bytes := PackedByteArray([]), # (a "comment"
		old: Array[String] = OLD, text := "a, (\"[", any: Variant = null, n: int = 1) -> Dictionary:
	return keep([tags, list, map, numbers, words, bytes, old, text, any, n])


## The call comes after them.
func with_call(tags: Array[String] = [], n := 3, call: AiccCall = null) -> void:
	keep([tags, n])
	call.succeed({})


## Only the script knows the last one.
func secret_last(n: int = 1, t: float = randf()) -> Dictionary:
	return keep([n, t >= 0.0 and t <= 1.0])


## Only the script knows the first one.
func secret_first(t: float = randf(), n: int = 1) -> Dictionary:
	return keep([t, n])


## Not empty.
func full_first(tags: Array = ["a", "b"], n: int = 1) -> Dictionary:
	return keep([tags, n])


## No type.
func untyped_first(list = [], n: int = 1) -> Dictionary:
	return keep([list, n])


## Nothing may follow.
func secret_and_call(t: float = randf(), call: AiccCall = null) -> Dictionary:
	return keep([t, call])


## The last ones are bound.
func to_be_bound(n: int = 1, m: int = 2, bound: int = 3) -> Dictionary:
	return keep([n, m, bound])


## Adds two.
## [param b] the second
static func add(a: int, b: int = 4) -> Dictionary:
	return {"sum": a + b}


## Its name is no id.
func WalkTo(place: String) -> Dictionary:
	return keep([place])


func silent(n: int) -> Dictionary:
	return keep([n])


## Small numbers.
func small(a: PackedInt32Array = [], v: Array[Vector2i] = [], f: PackedFloat32Array = [], b: PackedByteArray = [], p := Vector2.ZERO) -> Dictionary:
	return keep([a, v, f, b, p])


func two(x: int, y: int) -> Dictionary:
	return keep([x, y])


## Enums of other scripts and of the engine.
func feel(mood: Body.Mood, own: Mood = Mood.SAD, axis: Vector2.Axis = Vector2.AXIS_X, mode := Node.PROCESS_MODE_ALWAYS) -> Dictionary:
	return keep([mood, own, axis, mode])


## No array of JSON's.
func nodes(all: Array[Node] = []) -> Dictionary:
	return keep(all)
