#!/usr/bin/env bash
# package.sh BUILD: from the libraries in BUILD/godot/bin/PLATFORM.ARCH/ makes
#   BUILD/godot/addons/aicc/                 the addon
#   BUILD/godot/aicc-godot-VERSION.zip       the same as Godot's asset library takes it; the same files give the same bytes
#   BUILD/godot/demo/                        the demo project with the addon in it, ready to be opened or run
# and says what is not in it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
out=${1:?usage: package.sh BUILD}
out=$(cd "$out" && pwd -P)/godot
version=$(sed -n 's/^version=//p' "$root/build.sh")
mkdir -p "$out"
stage=$(mktemp -d "$out/.stage.XXXXXX")
trap 'rm -rf "$stage"' EXIT

# platform.arch, the addon's library there, the library that it needs beside it, how it comes to be
platforms() {
    cat <<'END'
linux.x86_64    libaicc_godot.so     libaicc.so.0     built on such a machine
linux.arm64     libaicc_godot.so     libaicc.so.0     ./build.sh cross, and g++-aarch64-linux-gnu
windows.x86_64  aicc_godot.dll       aicc.dll         ./build.sh cross, and g++-mingw-w64-x86-64-posix
macos.arm64     libaicc_godot.dylib  libaicc.0.dylib  nobody has built it on a Mac yet
macos.x86_64    libaicc_godot.dylib  libaicc.0.dylib  nobody has built it on a Mac yet
END
}

# Both libraries or none.
copy_libraries() {
    local platform addon library how from to
    found= missing=
    while read -r platform addon library how; do
        from=$out/bin/$platform to=$stage/addons/aicc/bin/$platform
        if [ ! -f "$from/$addon" ] || [ ! -f "$from/$library" ]; then
            missing+="  $platform: $how"$'\n'
            continue
        fi
        mkdir -p "$to"
        cp -L "$from/$addon" "$from/$library" "$to/"
        found+=" $platform"
        libraries+="$platform = \"res://addons/aicc/bin/$platform/$addon\""$'\n'
        dependencies+="$platform = {\"res://addons/aicc/bin/$platform/$library\": \"\"}"$'\n'
    done < <(platforms)
    [ -n "$found" ] || { echo "package.sh: there is no library in $out/bin; bindings/godot/build.sh makes one" >&2; exit 1; }
}

write_extension() {
    local icon
    cat <<END
[configuration]

entry_symbol = "aicc_godot_init"
compatibility_minimum = "4.2"
reloadable = false

[libraries]

$libraries
[dependencies]

$dependencies
[icons]

END
    for icon in "$here"/icons/*.svg; do
        icon=$(basename "$icon" .svg)
        echo "$icon = \"res://addons/aicc/icons/$icon.svg\""
    done
}

# Whoever ships the libraries ships these texts with them.
write_licenses() {
    local module number folder text
    echo "What the libraries in bin/ are made of."
    echo
    echo "==== libaicc $version"
    echo
    if [ -f "$root/LICENSE" ]; then cat "$root/LICENSE"; else echo "The project has named no license yet."; fi
    echo
    echo "==== The Go standard library and run time, $(go env GOVERSION)"
    echo
    cat "$(go env GOROOT)/LICENSE"
    (cd "$root" && go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' ./capi) | LC_ALL=C sort -u |
        while read -r module number folder; do
            printf '\n==== %s %s\n\n' "$module" "$number"
            text=$(ls "$folder"/LICENSE* "$folder"/LICENCE* "$folder"/COPYING* 2>/dev/null | head -n 1 || true)
            [ -n "$text" ] || { echo "package.sh: $module has no license in $folder" >&2; exit 1; }
            cat "$text"
        done
}

write_addon() {
    local addon=$stage/addons/aicc icon
    libraries= dependencies=
    mkdir -p "$addon/icons"
    copy_libraries
    write_extension >"$addon/aicc.gdextension"
    cp "$here"/icons/*.svg "$addon/icons/"
    # How the editor imports them: in its own size and in the colours of its theme, light or dark. The rest it fills in.
    for icon in "$addon"/icons/*.svg; do
        printf '[remap]\n\nimporter="texture"\n\n[params]\n\neditor/scale_with_editor_scale=true\neditor/convert_colors_with_editor_theme=true\n' >"$icon.import"
    done
    cp "$here/package/README.md" "$addon/README.md"
    write_licenses >"$addon/LICENSES.txt"
    find "$stage/addons" -type f -exec chmod 644 {} +
}

# A project that was never opened has no list of extensions yet, and running one does not make it.
write_demo() {
    cp -R "$here/demo" "$stage/demo"
    cp -R "$stage/addons" "$stage/demo/addons"
    mkdir -p "$stage/demo/.godot"
    echo "res://addons/aicc/aicc.gdextension" >"$stage/demo/.godot/extension_list.cfg"
}

place() { rm -rf "$out/$1" && mv "$stage/$1" "$out/$1"; }

main() {
    write_addon
    write_demo
    (cd "$root" && go run ./bindings/godot/package/zip "$stage/addon.zip" "$stage" addons)
    mv -f "$stage/addon.zip" "$out/aicc-godot-$version.zip"
    place addons
    place demo
    echo "packed $out/aicc-godot-$version.zip: $(du -h "$out/aicc-godot-$version.zip" | cut -f 1),$found"
    [ -z "$missing" ] || printf 'not in it:\n%s' "$missing"
    [ -f "$root/LICENSE" ] || echo "  a license: the asset library asks for one, and the repository has none"
    echo "demo:   godot --path $out/demo"
}

main
