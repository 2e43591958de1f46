#!/usr/bin/env bash
# interface.sh HEADER [SINCE]: every function of the engine's interface that src/gd.h names is in the header that the engine gave, and is not younger than
# SINCE (4.2). So the extension loads in any engine from there on. Struct versions are held to the same by the function that takes them.
set -euo pipefail
header=${1:?interface.sh HEADER [SINCE]}
since=${2:-4.2}
cd "$(dirname "$0")/../src"

ages=$(awk '$2 == "@name" { name = $3 } $2 == "@since" { print name, $3 }' "$header")
used=$(sed -n '/^#define GD_FUNCTIONS/,/[^\\]$/p' gd.h | grep -o 'X([a-z0-9_]*,' | tr -d 'X(,')
# What the table does not hold is asked for by name, behind a look at the engine's version, and is done without where it is missing.
guarded=$(grep -hoE '[^.a-z_>]get\("[a-z0-9_]+"\)' ./*.cpp | grep -o '"[^"]*"' | tr -d '"' || true)
for name in $guarded; do
    [ "$name" = editor_help_load_xml_from_utf8_chars_and_len ] || { echo "interface.sh: $name is asked for outside of GD_FUNCTIONS" >&2; exit 1; }
done
grep -q 'api.version.minor >= 3' gd.cpp || { echo "interface.sh: the editor's help is asked for without a look at the version" >&2; exit 1; }

count=0
bad=0
for name in $used; do
    age=$(awk -v name="$name" '$1 == name { print $2 }' <<<"$ages")
    count=$((count + 1))
    if [ -z "$age" ]; then
        echo "interface.sh: the header has no $name" >&2
        bad=1
    elif [ "$(printf '%s\n%s\n' "$age" "$since" | sort -V | tail -n 1)" != "$since" ]; then
        echo "interface.sh: $name is there since $age, after $since" >&2
        bad=1
    fi
done
# A type with a number behind its name belongs to the function of that number.
if grep -noE 'GDExtension(ClassCreationInfo([3-9]|)|CallableCustomInfo2|ScriptInstanceInfo[0-9]*)\b' ./*.h ./*.cpp; then
    echo "interface.sh: a struct of another age than $since is used" >&2
    bad=1
fi
[ "$count" -gt 30 ] || { echo "interface.sh: found only $count functions in gd.h" >&2; exit 1; }
[ $bad = 0 ] && echo "$count functions of the interface, none younger than $since"
exit $bad
