extends SceneTree
## exit code 4: asks the engine to load the extension anew while it is at work, which is declared not to be supported.

func _initialize() -> void:
	run.call_deferred()


func run() -> void:
	var b := AiccBridge.new()
	b.world_name = "stays"
	b.listen = false
	root.add_child(b)
	var c := AiccCharacter.new()
	c.character_name = "guard"
	b.add_child(c)
	await c.seated
	await process_frame
	print("BEGIN")
	print("reload: ", GDExtensionManager.reload_extension("res://aicc.gdextension"))
	for i in 5:
		await process_frame
	print("DONE reload: the bridge runs ", b.is_running(), ", the character has its seat ", c.is_seated())
	quit(4 if b.is_running() and c.is_seated() and c.attach() == OK else 1)
