extends Node
## Plays the guard until there is something to see, and saves it.

var file := ""


func _ready() -> void:
	var night: Node = get_parent()
	var agent: Node = load("res://agent.gd").new()
	add_child(agent)
	await agent.join(night.character)
	await agent.ask("listen")
	await agent.ask("light_lantern")
	var walk: String = agent.start("walk_to", {"place": "store", "speed": 9})
	while night.stage.watch.guard.x < 24.6:
		await get_tree().physics_frame
	Engine.time_scale = 0.1 # software draws a few pictures a second; he shall not have arrived before there is one
	await agent.ask("look")
	night.stage.guard.looks = 0.0 # and for the picture he looks ahead
	agent.start("say", {"text": "Halt! Put that down."})
	for i in 4:
		await RenderingServer.frame_post_draw
	var image := get_viewport().get_texture().get_image()
	print("saves ", file, ": ", error_string(image.save_png(file)))
	Engine.time_scale = 1.0
	await agent.result(walk)
	await agent.leave("the picture is taken")
	get_tree().quit()
