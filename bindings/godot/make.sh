#!/usr/bin/env bash
# make.sh BUILD: the addon for every platform whose libaicc is in BUILD (lib/, and cross/ as ./build.sh cross leaves it) and whose compiler is here, packed.
# Status 3: the engine, or the compiler for this machine, is not to be had.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
build=${1:?usage: make.sh BUILD}

for_this() { "$here/build.sh" "$build" "linux.$(uname -m | sed 's/aarch64/arm64/')"; }

# PLATFORM LIBRARY COMPILER...: with the first of these compilers that is here.
for_another() {
    local platform=$1 library=$build/cross/$2 compiler
    shift 2
    [ -e "$library" ] || return 0
    for compiler in "$@"; do
        if command -v "$compiler" >/dev/null; then
            LIBAICC=$library CXX=$compiler "$here/build.sh" "$build" "$platform"
            return
        fi
    done
    rm -rf "$build/godot/bin/$platform" # one that was built before is older than the others
}

for_this
[ "$(uname -m)" = aarch64 ] || for_another linux.arm64 linux-arm64/libaicc.so.0 aarch64-linux-gnu-g++
for_another windows.x86_64 windows-amd64/aicc.dll x86_64-w64-mingw32-g++-posix
"$here/package.sh" "$build"
