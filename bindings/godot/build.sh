#!/usr/bin/env bash
# build.sh BUILD [PLATFORM.ARCH]: compiles the extension into BUILD/godot/bin/PLATFORM.ARCH, beside the libaicc that it is linked with.
#   BUILD has include/ and lib/ (./build.sh build; for another platform, lib.PLATFORM.ARCH/ or a LIBAICC=FILE). PLATFORM.ARCH: linux.x86_64 (default), linux.arm64, windows.x86_64.
#   The engine's own header comes from GODOT_HEADER=FILE, or is asked of the engine that root.sh finds.
#   CXX and CXXFLAGS are used when they are set.
set -euo pipefail
cd "$(dirname "$0")"

build=$(cd "${1:?build.sh BUILD [PLATFORM.ARCH]}" && pwd)
platform=${2:-linux.x86_64}
out=$build/godot/bin/$platform
work=$build/godot/obj/$platform
mkdir -p "$out" "$work" "$build/godot/include"

header=$build/godot/include/gdextension_interface.h
if [ -n "${GODOT_HEADER:-}" ]; then
    cmp -s "$GODOT_HEADER" "$header" || cp "$GODOT_HEADER" "$header"
elif [ ! -s "$header" ]; then
    engine=$(./root.sh)
    (cd "$build/godot/include" && HOME=$build/godot "$engine/godot" --headless --dump-gdextension-interface >/dev/null 2>&1)
    [ -s "$header" ] || { echo "build.sh: the engine gave no gdextension_interface.h" >&2; exit 1; }
fi
./doc_data.sh >"$work/doc_data.h"

common=(-std=c++17 -O2 -fno-exceptions -fno-rtti -fvisibility=hidden -Wall -Wextra -Wno-missing-field-initializers -DAICC_DOC_DATA
    -I"$build/include" -I"$build/godot/include" -I"$work" ${CXXFLAGS:-})
case $platform in
linux.*)
    [ "$platform" = linux.x86_64 ] && cxx=${CXX:-g++} || cxx=${CXX:-aarch64-linux-gnu-g++}
    library=${LIBAICC:-$build/lib/libaicc.so.0}
    cp -L "$library" "$out/libaicc.so.0"
    name=libaicc_godot.so
    common+=(-fPIC)
    echo '{ global: aicc_godot_init; local: *; };' >"$work/export.map" # templates of the standard library are nobody else's
    link=(-shared "$out/libaicc.so.0" -Wl,-rpath,'$ORIGIN' -Wl,-soname,$name -Wl,--as-needed -Wl,-z,relro,-z,now -Wl,--gc-sections
        -Wl,--version-script="$work/export.map" -static-libstdc++)
    ;;
windows.x86_64)
    cxx=${CXX:-x86_64-w64-mingw32-g++-posix} # the one with the C++ library's threads
    library=${LIBAICC:?build.sh: for windows.x86_64 set LIBAICC to aicc.dll}
    cp "$library" "$out/aicc.dll"
    name=aicc_godot.dll
    link=(-shared "$out/aicc.dll" -static -Wl,--no-insert-timestamp)
    ;;
*) echo "build.sh: no platform $platform" >&2; exit 2 ;;
esac

command -v "${cxx%% *}" >/dev/null || { echo "build.sh: no compiler $cxx" >&2; exit 3; }
objects=()
for source in src/*.cpp; do
    object=$work/$(basename "$source" .cpp).o
    objects+=("$object")
    # Anew when it, a header or the interface is newer.
    if [ ! -s "$object" ] || [ -n "$(find "$source" src/*.h "$header" "$build/include/aicc.h" "$work/doc_data.h" build.sh -newer "$object" -print -quit)" ]; then
        $cxx "${common[@]}" -c "$source" -o "$object"
    fi
done
strip=-s
[[ ${CXXFLAGS:-} == *-g* ]] && strip=
$cxx "${objects[@]}" ${CXXFLAGS:-} "${link[@]}" $strip -o "$out/$name"
echo "$out/$name"
