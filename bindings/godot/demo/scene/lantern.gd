extends Node2D
## The guard's lantern: a cone of light where he looks, less of it around him, and a haze in which one sees the cone.

const Ground := preload("res://scene/ground.gd")
const Watch := preload("res://watch.gd")
const WARM := Color(1.0, 0.62, 0.22)

var lit := false
var facing := 0.0 ## Radians.

var _floor := PointLight2D.new()
var _things := PointLight2D.new()
var _haze := Sprite2D.new()
var _power := 0.0
var _time := 0.0


func _ready() -> void:
	scale = Vector2(1.0, Ground.METRE.y / Ground.METRE.x)
	var cone := _cone(192)
	for light: PointLight2D in [_floor, _things]:
		light.texture = cone
		light.texture_scale = Watch.LIGHT * Ground.METRE.x / 96.0
		light.color = WARM
		light.energy = 0.0
		add_child(light)
	# Shadows fall on the floor. Things that throw them are lit beside: what a thing's foot hides from the lantern is not its own roof.
	_floor.range_item_cull_mask = 1
	_floor.shadow_enabled = true
	_floor.shadow_filter = Light2D.SHADOW_FILTER_PCF13
	_floor.shadow_filter_smooth = 3.0
	_floor.shadow_color = Color(0, 0, 0, 0.75)
	_things.range_item_cull_mask = 2
	_haze.texture = cone
	_haze.scale = Vector2.ONE * _floor.texture_scale * 0.92
	_haze.material = CanvasItemMaterial.new()
	_haze.material.blend_mode = CanvasItemMaterial.BLEND_MODE_ADD
	_haze.material.light_mode = CanvasItemMaterial.LIGHT_MODE_UNSHADED
	_haze.modulate = Color(WARM, 0.0)
	_haze.z_index = 1
	add_child(_haze)


func _process(delta: float) -> void:
	_time += delta
	_power = move_toward(_power, 1.0 if lit else 0.0, delta * 2.5)
	var flicker := 1.0 + 0.05 * sin(_time * 9.0) + 0.04 * sin(_time * 23.0 + 1.0)
	_floor.energy = 1.25 * _power * flicker
	_things.energy = 1.6 * _power * flicker
	_haze.modulate.a = 0.28 * _power * flicker
	for node: Node2D in [_floor, _things, _haze]:
		node.rotation = lerp_angle(node.rotation, facing, minf(1.0, delta * 7.0))
	visible = _power > 0.0


## White, with how much light goes where as its alpha.
func _cone(size: int) -> ImageTexture:
	var image := Image.create(size, size, false, Image.FORMAT_RGBA8)
	var half := size * 0.5
	for y in size:
		for x in size:
			var from := Vector2(x + 0.5 - half, y + 0.5 - half)
			var far := from.length() / half
			var aside := absf(from.angle()) / deg_to_rad(36.0)
			var cone := smoothstep(1.25, 0.55, aside) * 0.8
			var around := 0.34 * clampf(1.0 - far * 1.5, 0.0, 1.0) + 0.5 * clampf(1.0 - far * 4.5, 0.0, 1.0)
			var light := clampf(around + cone * (1.0 - far * 0.55) * smoothstep(0.0, 0.16, far), 0.0, 1.0) * smoothstep(1.0, 0.8, far)
			image.set_pixel(x, y, Color(light, light, light, light))
	return ImageTexture.create_from_image(image)
