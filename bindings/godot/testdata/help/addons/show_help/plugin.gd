@tool
extends EditorPlugin
## Opens the help of each class of the addon, as F1 does, and prints what is there to read; then whether its icon was loaded.

const CLASSES: Array[String] = ["AiccBridge", "AiccCharacter", "AiccTool", "AiccCall", "AiccEvent", "AiccJson"]


func _enter_tree() -> void:
	_show.call_deferred()


func _show() -> void:
	while EditorInterface.get_resource_filesystem().is_scanning():
		await get_tree().process_frame
	await get_tree().create_timer(1.0).timeout
	for name in CLASSES:
		EditorInterface.get_script_editor().goto_help("class_name:" + name)
		print("HELP ", name, ": ", (await _text(name)).replace("\n", " | "))
		var icon: Texture2D = load("res://addons/aicc/icons/%s.svg" % name)
		print("ICON ", name, ": ", icon.get_size() if icon != null else "none")
	if "--stay" in OS.get_cmdline_user_args():
		EditorInterface.get_script_editor().goto_help("class_name:AiccCharacter")
		EditorInterface.set_main_screen_editor("Script")
		await get_tree().create_timer(1.5).timeout
		get_viewport().get_texture().get_image().save_png(OS.get_cmdline_user_args()[-1])
	get_tree().quit()


## Of the page that the script editor shows now, once it is written: that happens on a thread.
func _text(name: String) -> String:
	for wait in 100:
		await get_tree().create_timer(0.1).timeout
		for page: RichTextLabel in EditorInterface.get_script_editor().find_children("*", "RichTextLabel", true, false):
			if page.is_finished() and page.get_parsed_text().begins_with("Class:") and page.get_parsed_text().contains(" " + name + "\n") or \
					page.is_finished() and page.get_parsed_text().get_slice("\n", 0).ends_with(name):
				return page.get_parsed_text()
	return ""
