#!/usr/bin/env bash
# root.sh: prints a folder with the real Godot 4, Xvfb and an OpenGL that needs no graphics card, which it makes the first time: half a minute, 530 MB.
# They are Debian's own packages of its unstable suite, unpacked beside the system, whose packages and apt state stay as they are. No root is needed.
#   FOLDER/godot ARGUMENTS           the engine, without a screen when given --headless
#   FOLDER/godot-screen ARGUMENTS    the same on a screen that nobody sees, 1280x800, drawn by software
# AICC_GODOT_ROOT=FOLDER takes one that is there already. Status 3: Godot cannot be had here, and one line says why.
set -euo pipefail

suite=sid
form=2 # of the folder; rises when what is written below changes
packages="godot base-files dash xvfb xkb-data x11-xkb-utils libgl1 libgl1-mesa-dri libglx-mesa0"

if [ -n "${AICC_GODOT_ROOT:-}" ]; then echo "$AICC_GODOT_ROOT"; exit; fi

cache=${AICC_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:?neither AICC_CACHE_DIR nor XDG_CACHE_HOME nor HOME is set}/.cache}/aicc}
mkdir -p "$cache"
made=

give_up() { echo "GODOT CANNOT BE HAD: $*" >&2; exit 3; }

# One that is complete: it got its name last of all.
found() { find "$cache" -maxdepth 1 -name "godot-*-root$form" | sort -V | tail -n 1; }

print_if_found() {
    local root
    root=$(found)
    if [ -n "$root" ]; then echo "$root"; exit; fi
}

# The mirror that apt uses here for Debian itself; apt reads its own sources best.
mirror() {
    local origin
    origin=$(apt-get indextargets --no-release-info --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 2>/dev/null |
        awk '$2 !~ /security|updates|backports/ && $1 ~ /debian\/?$/ { print $1; exit }')
    [ -n "$origin" ] || give_up "apt's sources name no mirror of Debian"
    echo "$origin"
}

apt() {
    local state=$made/apt
    # A mirror may stand still for longer than unstable's lists are good for; their signature is looked at all the same.
    apt-get -qq -y -o Dir::State="$state" -o Dir::State::status="$state/status" -o Dir::State::Lists="$state/lists" -o Dir::Cache="$state/cache" \
        -o Dir::Etc::SourceList="$state/sources.list" -o Dir::Etc::SourceParts="$state/none" -o Dir::Etc::PreferencesParts="$state/none" \
        -o Dir::Etc::Preferences="$state/none/none" -o Dir::Log="$state" -o Debug::NoLocking=true -o APT::Sandbox::User= -o APT::Install-Recommends=false \
        -o APT::Keep-Downloaded-Packages=true -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false \
        -o Acquire::Retries=3 -o Acquire::Check-Valid-Until=false -o APT::Update::Error-Mode=any "$@" >"$made/apt.log" 2>&1
}

last_words() { sed -n 's/^[EW]: //p' "$made/apt.log" | head -n 1 | cut -c 1-200; }

download() {
    local keys=/usr/share/keyrings/debian-archive-keyring.gpg from
    from=$(mirror)
    mkdir -p "$made"/apt/{lists/partial,cache/archives/partial,none}
    : >"$made/apt/status"
    [ -f "$keys" ] && keys="[signed-by=$keys]" || keys=
    echo "deb $keys $from $suite main" >"$made/apt/sources.list"
    apt update || give_up "no list of the suite $suite: $(last_words)"
    apt --download-only install $packages || give_up "the suite $suite has no Godot that can be installed: $(last_words)"
}

unpack() {
    local root=$made/root package part
    mkdir -p "$root"/usr/{bin,lib,lib64,sbin}
    for part in bin lib lib64 sbin; do ln -s "usr/$part" "$root/$part"; done
    for package in "$made"/apt/cache/archives/*.deb; do
        dpkg-deb --fsys-tarfile "$package" | tar -x -C "$root" --no-same-owner --keep-directory-symlink \
            --exclude='./usr/share/doc*' --exclude='./usr/share/man*' --exclude='./usr/share/locale*' --exclude='./dev/*'
    done
    chmod -R u+rwX "$root"
}

# Programs of another glibc run by that glibc's own loader. Everything finds its place from $0, since the folder is renamed when it is done.
write_start() {
    local root=$made/root
    cat >"$root/start" <<'END'
#!/bin/sh
# start PROGRAM ARGUMENTS: runs a program of this folder with the libraries of this folder.
root=$(cd "$(dirname "$0")" && pwd)
set -- "$root/usr/bin/$@"
for loader in "$root"/usr/lib64/ld-linux-*.so.2 "$root"/usr/lib/ld-linux-*.so.1; do [ -e "$loader" ] && break; done
libraries=$(ls -d "$root"/usr/lib/*-linux-gnu* | head -n 1)
export LIBGL_ALWAYS_SOFTWARE=1 LIBGL_DRIVERS_PATH="$libraries/dri" __EGL_VENDOR_LIBRARY_DIRS="$root/usr/share/glvnd/egl_vendor.d" \
    FONTCONFIG_PATH="$root/etc/fonts" XLOCALEDIR="$root/usr/share/X11/locale"
exec "$loader" --library-path "$libraries:$libraries/pulseaudio" --argv0 "$1" "$@"
END
    cat >"$root/godot" <<'END'
#!/bin/sh
exec "$(cd "$(dirname "$0")" && pwd)/start" godot "$@"
END
    # xkbcomp is run by the server as ./././/xkbcomp (see root.sh), from the folder where the server stands.
    cat >"$root/xkbcomp" <<'END'
#!/bin/sh
exec "$(cd "$(dirname "$0")" && pwd)/start" xkbcomp "$@"
END
    cat >"$root/godot-screen" <<'END'
#!/bin/sh
# The server picks a display that is free and says which; it and the engine end with this script.
root=$(cd "$(dirname "$0")" && pwd)
told=$(mktemp -d)
server= engine=
trap 'status=$?; kill $engine $server 2>/dev/null; rm -rf "$told"; exit $status' EXIT
trap 'exit 143' INT TERM
mkfifo "$told/display"
(cd "$root" && exec ./start Xvfb -displayfd 3 -screen 0 1280x800x24 -nolisten tcp -noreset -xkbdir "$root/usr/share/X11/xkb" 3>"$told/display" >"$told/log" 2>&1) &
server=$!
read -r display <"$told/display" || { cat "$told/log" >&2; exit 1; }
DISPLAY=:$display "$root/start" godot --rendering-driver opengl3 --audio-driver Dummy "$@" &
engine=$!
wait $engine
END
    chmod +x "$root"/{start,godot,xkbcomp,godot-screen}
    # The server knows its keyboard compiler by one absolute path that cannot be set; of the same length is one that is relative.
    LC_ALL=C sed -i 's:\x00/usr/bin\x00:\x00./././/\x00\x00:' "$root/usr/bin/Xvfb"
}

main() {
    print_if_found
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || give_up "this is no Debian: there is no apt-get"
    exec 9>"$cache/.godot.lock"
    flock 9 # of two that come at once the second one waits, and finds what the first one made
    print_if_found
    made=$(mktemp -d "$cache/.godot.XXXXXX")
    trap 'rm -rf "$made"' EXIT
    download
    unpack
    write_start
    local version
    version=$("$made/root/godot" --headless --version 2>"$made/apt.log" | grep -o '^[0-9]*\.[0-9]*') || give_up "its engine does not start: $(tail -n 1 "$made/apt.log")"
    mv -T "$made/root" "$cache/godot-$version-root$form"
    echo "$cache/godot-$version-root$form"
}

main "$@"
