#!/usr/bin/env bash
# libaicc's chores, one word each; `./build.sh help` says which. Needs Go (go.mod says which) and a C compiler; .ci/test.sh names what the tests need besides.
set -euo pipefail

version=0.1.0
caller=$PWD
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
unset CDPATH

usage() {
    cat <<'END'
usage: ./build.sh CHORE

  build                     the library, into build/lib and build/include; the command aicc and the example game, into build/bin
  demo [--patient] [--transcript FILE]
                            builds and plays the example: a guard in C and a scripted agent; --patient also waits out a real minute
  test [STEP...]            every check there is, or some steps of it; `test list` names them
  bench [events] [--smoke]  benchmarks, as ratios to a reference in the same run; events: of events alone, in one table with
                            their budgets; --smoke only sees that they run
  fuzz [PACKAGE...]         each fuzz test in turn, FUZZTIME long (default 20s)
  godot                     the Godot addon as a zip, with the library for each platform that was built: this one, and those of cross
  cross                     compiles for linux/arm64 and windows/amd64 where the compilers are installed
  clean                     removes build/
  help                      this text

environment
  AICC_BUILD_DIR   where everything goes; default build/
  AICC_TAGS        Go build tags for the library, comma-separated
  CC               the C compiler; default gcc
  CI               true: nothing may be skipped by test
END
}

say() { printf '%s\n' "$*"; }
die() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }

# ---- what has to be here

# Go says "off" where it has found no place for a cache.
writable() { case $1 in /* | ?:*) mkdir -p "$1" 2>/dev/null && [ -w "$1" ] ;; *) false ;; esac; }

# Folders for downloads and compiled packages: the user's, or build/.cache where HOME is not set or cannot be written.
find_caches() {
    out=${AICC_BUILD_DIR:-$root/build}
    case $out in /*) ;; *) out=$caller/$out ;; esac
    writable "$out" || die "cannot write to $out. Set AICC_BUILD_DIR to a folder that you may write to."
    cache=
    if [ -n "${XDG_CACHE_HOME:-${HOME:-}}" ]; then cache=${XDG_CACHE_HOME:-$HOME/.cache}/aicc; fi
    writable "$cache" || cache=$out/.cache
    mkdir -p "$cache"
    export AICC_BUILD_DIR=$out AICC_CACHE_DIR=$cache
}

find_go() {
    local need found
    need=$(awk '$1 == "go" { print $2 }' "$root/go.mod")
    command -v go >/dev/null || die "Go is needed ($need or newer) and was not found. Install it from go.dev/dl and put its bin folder on your PATH."
    [ -n "${GOCACHE:-}" ] || writable "$(go_env GOCACHE || true)" || export GOCACHE=$cache/go-build
    [ -n "${GOPATH:-}" ] || [ -n "${HOME:-}" ] || export GOPATH=$cache/go
    [ -n "${GOMODCACHE:-}" ] || writable "$(go_env GOMODCACHE || true)" || export GOMODCACHE=$cache/go/pkg/mod
    # Go itself fetches the version that go.mod asks for, unless it is told not to or is too old to know how.
    found=$(go_env GOVERSION) || found=$(cd / && go env GOVERSION)
    at_least "$need" "${found##*go}" || die "Go $need or newer is needed; this is $found. Install it from go.dev/dl."
    # A clone that belongs to somebody else is no reason to fail, and a module cache within build/ must be removable.
    GOFLAGS="$(go_env GOFLAGS) -buildvcs=false -modcacherw"
    export GOFLAGS CGO_ENABLED=1
}

at_least() { [ "$(printf '%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]; }

go_env() { (cd "$root" && go env "$1" 2>/dev/null); }

find_cc() {
    cc=${CC:-$(go env CC)}
    command -v "${cc%% *}" >/dev/null || die "a C compiler is needed and ${cc%% *} was not found. On Debian: apt-get install gcc libc6-dev"
    printf '#include <stdatomic.h>\n#include <pthread.h>\nint main(void) { _Atomic int n = 0; return atomic_load(&n); }\n' >"$out/.probe.$$.c"
    if ! $cc -std=c11 -pthread -o "$out/.probe.$$" "$out/.probe.$$.c" 2>"$out/.probe.$$.log"; then
        cat "$out/.probe.$$.log" >&2
        rm -f "$out/.probe.$$"*
        die "$cc cannot build a C11 program. On Debian: apt-get install gcc libc6-dev"
    fi
    rm -f "$out/.probe.$$"*
    export CC=$cc
}

prepare() {
    find_caches
    find_go
    find_cc
    stage=$(mktemp -d "$out/.stage.XXXXXX")
    trap 'rm -rf "$stage"' EXIT
}

# ---- build

# What follows the library's base name, by the system it is for.
name_library() {
    case $(go env GOOS) in
        darwin) file=libaicc.$version.dylib links="libaicc.0.dylib libaicc.dylib" ;;
        windows) file=aicc.dll links= ;;
        *) file=libaicc.so.$version links="libaicc.so.0 libaicc.so" ;;
    esac
}

# Exported is what capi/aicc.map lists and nothing else.
link_flags() {
    case $(go env GOOS) in
        darwin)
            sed -n 's/^[[:space:]]*\(aicc_[a-z_0-9*]*\);.*/_\1/p' "$root/capi/aicc.map" >"$stage/exported"
            printf '%s' "-Wl,-install_name,@rpath/libaicc.0.dylib \"-Wl,-exported_symbols_list,$stage/exported\"" ;;
        windows)
            printf '%s' "\"-Wl,--out-implib,$stage/libaicc.dll.a\"" ;;
        *)
            printf '%s' "\"-Wl,--version-script=$root/capi/aicc.map\" -Wl,-soname,libaicc.so.0 -Wl,-z,relro,-z,now"
            printf '%s' " -Wl,-z,max-page-size=16384 -Wl,--build-id=sha1 -Wl,--gc-sections" ;;
    esac
}

link_library() {
    (cd "$root" && go build -buildmode=c-shared -trimpath -tags "${AICC_TAGS:-}" \
        -ldflags "-s -w -extldflags '$(link_flags)'" -o "$stage/$file" ./capi)
}

# Into its place at once, and only if it is different: who links with it need not link again.
place() {
    if [ ! -L "$2" ] && cmp -s "$1" "$2"; then rm -f "$1"; else mv -f "$1" "$2"; fi
}

place_link() {
    [ "$(readlink "$2" || true)" = "$1" ] && return
    ln -s "$1" "$stage/link"
    mv -f "$stage/link" "$2"
}

write_pkgconfig() {
    cat >"$stage/libaicc.pc" <<END
prefix=\${pcfiledir}/../..

Name: libaicc
Description: The game's side of aicc/0.1, the AI-Controlled Character Protocol
Version: $version
Cflags: -I\${prefix}/include
Libs: -L\${prefix}/lib -laicc
END
    place "$stage/libaicc.pc" "$out/lib/pkgconfig/libaicc.pc"
}

place_library() {
    local link
    mkdir -p "$1"
    place "$stage/$file" "$1/$file"
    for link in $links; do place_link "$file" "$1/$link"; done
    if [ -f "$stage/libaicc.dll.a" ]; then place "$stage/libaicc.dll.a" "$1/libaicc.dll.a"; fi
}

write_library() {
    local header
    name_library
    link_library
    mkdir -p "$out/lib/pkgconfig" "$out/include" "$out/bin"
    place_library "$out/lib"
    for header in "$root"/include/*; do
        cp "$header" "$stage/header"
        place "$stage/header" "$out/include/${header##*/}"
    done
    write_pkgconfig
}

# A path as the caller would write it.
short() { case $1 in "$caller"/*) printf '%s' "${1#"$caller"/}" ;; *) printf '%s' "$1" ;; esac; }

library_size() { awk -v bytes="$(wc -c <"$out/lib/$file")" 'BEGIN { printf "%.1f MiB", bytes / 1048576 }'; }

chore_build() {
    prepare
    write_library
    write_command
    [ "$(go env GOOS)" != linux ] || write_guard
    say "built $(short "$out/lib/$file"): $(library_size), $(go env GOOS)/$(go env GOARCH)${AICC_TAGS:+, tags $AICC_TAGS}"
    case $(go env GOOS) in
        linux)
            say "link:  $cc game.c -I$(short "$out/include") -L$(short "$out/lib") -laicc '-Wl,-rpath,$out/lib' -o game"
            say "       or PKG_CONFIG_PATH=$out/lib/pkgconfig pkg-config --cflags --libs libaicc; or CMake, see examples/cmake" ;;
        *) say "note:  this is tested on linux/amd64; on $(go env GOOS) it has only been written. Please report what you find." ;;
    esac
    [ ! -x "$out/bin/guard" ] || say "try:   $(short "$out/bin/guard"), and in another terminal $(short "$out/bin/aicc") play ws://127.0.0.1:8765"
}

write_command() {
    (cd "$root" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$stage/aicc" ./cmd/aicc)
    place "$stage/aicc" "$out/bin/aicc"
}

# ---- demo

write_guard() {
    $cc -std=c11 -O2 -Wall -Wextra -pthread -I"$root/include" -o "$stage/guard" "$root"/examples/c/*.c -L"$out/lib" -laicc -Wl,-rpath,"$out/lib" -lm
    place "$stage/guard" "$out/bin/guard"
}

chore_demo() {
    local argument previous= arguments=()
    prepare
    write_library
    write_guard
    for argument in "$@"; do
        case $previous:$argument in --transcript:[!/]* | -transcript:[!/]*) argument=$caller/$argument ;; esac
        previous=$argument
        arguments+=("$argument")
    done
    cd "$root" && go run ./examples/demo -host "$out/bin/guard" ${arguments[@]+"${arguments[@]}"}
}

# ---- bench, fuzz, cross, clean

go_bench() { (cd "$root" && go test -run '^$' -bench . -benchtime "${BENCHTIME:-1s}" -p 1 "$@"); }

# Each program of capi/bench prints its own lines: what, ratio, reference.
c_bench() {
    local source name
    for source in "$root"/capi/bench/*.c; do
        [ -f "$source" ] || continue
        name=$(basename "$source" .c)
        $cc -std=gnu11 -O2 -Wall -pthread -I"$root/include" -o "$stage/$name" "$source" -L"$out/lib" -laicc -Wl,-rpath,"$out/lib" -lm
        "$stage/$name" "$@"
    done
}

chore_bench() {
    local table=
    if [ "${1:-}" = events ]; then table=1 && shift; fi
    [ "${1:-}" != --smoke ] || BENCHTIME=1x
    prepare
    write_library
    if [ -n "$table" ]; then
        cd "$root" && go run ./capi/bench/table -lib "$out/lib" ${1:+"$1"}
        return
    fi
    c_bench "$@"
    go_bench ./core/...
}

chore_fuzz() {
    local package name target=() failed=0
    prepare
    cd "$root"
    [ $# -gt 0 ] || set -- ./core/... ./capi/... ./cmd/...
    while read -r name package; do target+=("$package $name"); done < <(list_fuzz "$@")
    [ ${#target[@]} -gt 0 ] || die "no fuzz tests in $*"
    for name in "${target[@]}"; do
        say "fuzz $name for ${FUZZTIME:-20s}"
        go test -run '^$' -fuzz "^${name##* }\$" -fuzztime "${FUZZTIME:-20s}" -parallel 2 "${name%% *}" || failed=$((failed + 1))
    done
    say "${#target[@]} fuzz tests, $failed failed"
    [ $failed -eq 0 ]
}

# Lines of "FuzzName package": go prints a package's names, then its "ok" line.
list_fuzz() { go test -list '^Fuzz' "$@" | awk '/^Fuzz/ { names[++n] = $1 } $1 == "ok" { for (i = 1; i <= n; i++) print names[i], $2; n = 0 }'; }

# GOOS GOARCH COMPILER PACKAGE
cross_one() {
    if ! command -v "$3" >/dev/null; then
        say "$1/$2: not compiled, $3 is missing. On Debian: apt-get install $4"
        return
    fi
    (
        export GOOS=$1 GOARCH=$2 CC=$3
        name_library
        link_library
        place_library "$out/cross/$1-$2"
        say "$1/$2: compiled, $(short "$out/cross/$1-$2/$file")"
    )
}

chore_cross() {
    prepare
    cross_one linux arm64 aarch64-linux-gnu-gcc "gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
    cross_one windows amd64 x86_64-w64-mingw32-gcc gcc-mingw-w64-x86-64-win32
}

chore_godot() {
    prepare
    write_library
    "$root/bindings/godot/make.sh" "$out"
}

chore_clean() {
    local out=${AICC_BUILD_DIR:-$root/build}
    [ -e "$out" ] || return 0
    if [ ! -d "$out/lib" ] && [ ! -d "$out/log" ] && [ -n "${AICC_BUILD_DIR:-}" ]; then die "$out does not look like a build folder; remove it yourself."; fi
    rm -rf "$out"
}

chore_test() {
    . "$root/.ci/test.sh"
    test_main "$@"
}

main() {
    local chore=${1:-}
    [ $# -eq 0 ] || shift
    case $chore in
        build | demo | test | bench | fuzz | godot | cross | clean) "chore_$chore" "$@" ;;
        help | -h | --help) usage ;;
        '') usage >&2; exit 2 ;;
        *) printf 'build.sh: there is no chore "%s"\n\n' "$chore" >&2; usage >&2; exit 2 ;;
    esac
}

main "$@"
