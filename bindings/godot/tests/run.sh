#!/usr/bin/env bash
# run.sh BUILD [PART_OF_A_TEST'S_NAME]: the tests of the extension in the real engine. BUILD has godot/bin/ (build.sh). Fails on any failed check,
# on any line of the engine that says ERROR, WARNING or leak and was not expected, and on a wrong exit code.
# AICC_GODOT_TIMEOUT: seconds for one run of the engine, 90. AICC_GODOT_PRELOAD: a library for LD_PRELOAD, of a sanitizer.
set -euo pipefail
cd "$(dirname "$0")"
build=$(cd "${1:?run.sh BUILD}" && pwd)
wanted=${2:-}
engine=$(../root.sh)
library=$build/godot/bin/linux.x86_64
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

# What the first import would write: it aborts in this engine when the project has an extension (godotengine/godot 111048).
prepare() {
    local project=$1 file class base
    mkdir -p "$project/.godot" "$project/user"
    cp -L "$library"/*.so* "$project"
    cat >"$project/aicc.gdextension" <<'END'
[configuration]
entry_symbol = "aicc_godot_init"
compatibility_minimum = "4.2"
reloadable = false
[libraries]
linux.x86_64 = "res://libaicc_godot.so"
END
    echo "res://aicc.gdextension" >"$project/.godot/extension_list.cfg"
    [ -n "$(find "$project" -maxdepth 1 -name '*.gd')" ] || return 0
    {
        echo "list=[$(grep -H '^class_name' "$project"/*.gd | sed 's/^\(.*\):class_name \(.*\)/\1 \2/' | while read -r file class; do
            base=$(sed -n 's/^extends \([A-Za-z0-9_]*\).*/\1/p' "$file" | head -n 1)
            printf '{"base": &"%s", "class": &"%s", "icon": "", "is_abstract": false, "is_tool": false, "language": &"GDScript", "path": "res://%s"}, ' "$base" "$class" "$(basename "$file")"
        done | sed 's/, $//')]"
    } >"$project/.godot/global_script_class_cache.cfg"
}

# run PROJECT NAME EXIT_CODE ARGUMENTS: the engine, with what it may not say.
run() {
    local project=$1 name=$2 code=$3 status=0
    shift 3
    HOME=$project/user LD_PRELOAD=${AICC_GODOT_PRELOAD:-} timeout -k 5 "${AICC_GODOT_TIMEOUT:-90}" "$engine/godot" --headless --verbose --path "$project" "$@" >"$made/$name.out" 2>&1 || status=$?
    grep -v -e "Couldn't get executable path" -e 'get_executable_path' "$made/$name.out" >"$made/$name.log" || true
    if [ "$status" != "$code" ]; then
        cat "$made/$name.log"
        echo "run.sh: $name ended with $status instead of $code" >&2
        return 1
    fi
    if grep -aE 'runtime error:|AddressSanitizer' "$made/$name.out"; then
        echo "run.sh: $name: a sanitizer complained" >&2
        return 1
    fi
    # Between BEGIN and DONE the tests themselves take note of every error. What this engine leaves by itself, without any extension, is
    # passed over: the name of a signal for which a coroutine waited when its node was freed, and in the editor a name "Node".
    if sed -e '/^BEGIN$/,/^DONE/d' -e '/^Orphan StringName: \(arrived\|Node\) /d' -e '/^StringName: 1 unclaimed/d' -e '/OrphanResourcesDialog/d' "$made/$name.log" |
        grep -aE 'ERROR|WARNING|[Ll]eak|still in use|unclaimed|Orphan|Parse Error|CrashHandler'; then
        cat "$made/$name.log"
        echo "run.sh: $name: the engine complained" >&2
        return 1
    fi
    grep -aE '^(ok|FAILED|FAILURE|DONE|MEASURED)' "$made/$name.log"
}

# The editor starts no bridge, and its dock warns of what is wrong.
editor() {
    local project=$made/editor line
    mkdir -p "$project/addons/look"
    cp editor/plugin.* "$project/addons/look"
    cp editor/warn.tscn "$project"
    printf 'config_version=5\n[application]\nconfig/name="editor"\n[editor_plugins]\nenabled=PackedStringArray("res://addons/look/plugin.cfg")\n' >"$project/project.godot"
    prepare "$project"
    run "$project" editor 0 --editor >"$made/editor.told" || { cat "$made/editor.told"; return 1; }
    cat "$made/editor.told"
    for line in 'the bridge runs: false' 'saved: OK' 'Bridge: .*listen_address "0.0.0.0" can be reached from other machines' 'Guard: .*Tool "look": the Node that is the target has no method look()'; do
        grep -q "editor: $line" "$made/editor.told" || { echo "run.sh: the editor does not say: $line" >&2; return 1; }
    done
}

cp -r project "$made/project"
prepare "$made/project"
run "$made/project" tests 0 --script run.gd -- ${wanted:+"$wanted"}
[ -z "$wanted" ] || exit 0
for script in "$made"/project/process_*.gd; do
    run "$made/project" "$(basename "$script" .gd)" "$(sed -n 's/^## exit code \([0-9]*\).*/\1/p' "$script")" --script "$(basename "$script")"
done
editor
./interface.sh "$build/godot/include/gdextension_interface.h"
