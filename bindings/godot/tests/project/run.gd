extends SceneTree
## Runs every test_*.gd, each method of it that begins with test_. Exit code 0: all good.
## godot --headless --path . --script run.gd [-- PART_OF_A_NAME]

func _initialize() -> void:
	run.call_deferred()


func run() -> void:
	var errors := Case.ErrorLog.new()
	OS.add_logger(errors)
	print("BEGIN")
	var wanted := OS.get_cmdline_user_args()
	var files := Array(DirAccess.get_files_at("res://")).filter(func(f: String) -> bool: return f.begins_with("test_") and f.ends_with(".gd"))
	files.sort()
	var failures: PackedStringArray = []
	var tests := 0
	var checks := 0
	for file: String in files:
		var script: GDScript = load("res://" + file)
		if script == null:
			failures.append(file + " cannot be loaded")
			continue
		for method in script.get_script_method_list():
			if not method.name.begins_with("test_") or not (wanted.is_empty() or (file + ":" + method.name).contains(wanted[0])):
				continue
			var case: Case = script.new()
			case.tree = self
			case.errors = errors
			case.where = file.get_basename() + "." + method.name
			tests += 1
			var before := root.get_child_count()
			var begun := Time.get_ticks_msec()
			# A script error ends a test without a word, so that somebody has to look at the clock.
			var done := [false]
			(func() -> void:
				await case.call(method.name)
				done[0] = true).call()
			while not done[0] and Time.get_ticks_msec() - begun < 30000:
				await process_frame
			case.check(done[0], "it did not come to its end")
			await process_frame
			await process_frame
			case.check(root.get_child_count() == before, "nodes are left in the tree")
			for line in errors.lines:
				case.check(false, "an error that was not expected: " + line)
			errors.lines.clear()
			print("%s %s (%d ms, %d checks)" % ["ok     " if case.failures.is_empty() else "FAILED ", case.where, Time.get_ticks_msec() - begun, case.checks])
			failures.append_array(case.failures)
			checks += case.checks
	OS.remove_logger(errors)
	print("DONE %d tests, %d checks, %d failures" % [tests, checks, failures.size()])
	for failure in failures:
		print("FAILURE ", failure)
	quit(0 if failures.is_empty() and tests > 0 else 1)
