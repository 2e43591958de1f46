# The test run; build.sh reads this. A step is a function step_NAME: its output is build/log/NAME.log, shown when it fails.
# A step that runs Go tests counts each of them, any other step counts as one. Where CI is true, what is skipped has failed.

steps="gofmt vet rooms core race library capi command examples godot demo ajv cmake docs bench"

# What Debian calls it, and how to see that it is here.
packages() {
    cat <<'END'
g++                  command -v g++
clang                command -v clang
libclang-rt-14-dev   ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.tsan-*.a
valgrind             command -v valgrind
mono-runtime-boehm   command -v mono-boehm
mono-runtime         command -v mono
mono-mcs             command -v mcs
rapidjson-dev        ls /usr/include/rapidjson/document.h
gcc-mingw-w64-x86-64-win32 command -v x86_64-w64-mingw32-gcc
nlohmann-json3-dev   ls /usr/include/nlohmann/json.hpp
locales              ls /usr/share/i18n/charmaps/UTF-8.gz
cmake                command -v cmake
make                 command -v make
pkg-config           command -v pkg-config
nodejs               command -v node
npm                  command -v npm
tmux                 command -v tmux
chromium             command -v chromium
END
}

# What a step cannot do without; Go tests say for themselves what they lack.
needs() {
    case $1 in
        ajv) say "nodejs npm" ;;
        cmake) say "cmake make pkg-config" ;;
        docs) say "cmake make pkg-config nodejs npm" ;;
        race) say "g++" ;;
    esac
}

missing_packages() {
    local package probe
    packages | while read -r package probe; do eval "$probe" >/dev/null 2>&1 || printf '%s ' "$package"; done
}

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

apt_install() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"
}

install_packages() {
    missing=$(missing_packages)
    [ -n "$missing" ] || return 0
    if ! command -v apt-get >/dev/null || ! { [ "$(id -u)" = 0 ] || { [ "${CI:-}" = true ] && sudo -n true 2>/dev/null; }; }; then
        say "not installed, so that some tests are skipped: $missing"
        say "on Debian, as root: apt-get install $missing"
        return 0
    fi
    say "installing $missing"
    if ! { apt_install $missing || { as_root apt-get update -q && apt_install $missing; }; } >"$logs/packages.log" 2>&1; then
        tail -n 20 "$logs/packages.log"
    fi
    missing=$(missing_packages)
    [ -z "$missing" ] || say "could not be installed: $missing"
}

# The modules of .ci/node, from npm, kept by the lock file's sum. Tests find it by AICC_NODE_MODULES, which stays unset where it cannot be had.
install_node_modules() {
    local sum modules try
    command -v node >/dev/null && command -v npm >/dev/null || return 0
    sum=$(cksum <"$root/.ci/node/package-lock.json" | tr ' ' -)
    modules=$cache/node-$sum
    for try in 1 2 3; do
        [ -d "$modules" ] && break
        mkdir -p "$stage/node" && cp "$root"/.ci/node/package*.json "$stage/node/"
        if (cd "$stage/node" && npm_config_cache=$cache/npm npm ci --no-audit --no-fund --ignore-scripts) >"$logs/npm.log" 2>&1; then
            mv "$stage/node" "$modules" 2>/dev/null || true # somebody else may have been first
        else
            rm -rf "$stage/node"
            sleep $((try * 3))
        fi
    done
    if [ -d "$modules" ]; then export AICC_NODE_MODULES=$modules/node_modules; else tail -n 20 "$logs/npm.log"; fi
}

# Modules come over a network, which may fail once.
download_modules() {
    local try
    for try in 1 2 3; do
        (cd "$root" && go mod download) >"$logs/modules.log" 2>&1 && return
        sleep $((try * 3))
    done
    cat "$logs/modules.log"
}

# ---- running

# The stream of go test -json: verdicts and failures to the terminal, everything to the log. A run that found nothing to test has failed.
go_tests() {
    local status=0 ran
    (cd "$root" && go test -json -count=1 -timeout 15m -p 2 "$@" 2>&1) >"$stage/stream.fifo" &
    "$stage/summary" -step "$step:" -module aicc.dev/libaicc -log "$logs/$step.log" -counts "$logs/$step.counts" -notes "$notes" <"$stage/stream.fifo" >&3
    wait $! || status=$?
    read -r ran <"$logs/$step.counts"
    case "$status $ran" in
        "0 0 0 0" | [1-9]*" "[0-9]*" 0 "*)
            say "failed: $step: go test ended with $status, $ran" >>"$notes"
            echo "$ran" | awk '{ print $1, $2 + 1, $3 }' >"$logs/$step.counts" ;;
    esac
}

skip_step() { printf 'skipped: %s: %s\n' "$step" "$1" >>"$notes"; say "0 0 1" >"$logs/$step.counts"; }

run_step() {
    local began=$SECONDS lacking= status=0 package
    step=$1
    say "== $step"
    for package in $(needs "$step"); do case " $missing" in *" $package "*) lacking+=" $package" ;; esac; done
    if [ -n "$lacking" ]; then
        skip_step "not installed:$lacking"
    else
        set +e
        (set -e; "step_$step") >"$logs/$step.out" 2>&1
        status=$?
        set -e
    fi
    # A step of Go tests has counted and shown its own; the log of the others is their output.
    if [ ! -f "$logs/$step.counts" ]; then
        mv "$logs/$step.out" "$logs/$step.log"
        if [ $status -eq 0 ]; then
            say "1 0 0" >"$logs/$step.counts"
        else
            say "0 1 0" >"$logs/$step.counts"
            say "failed: $step, see $(short "$logs/$step.log")" >>"$notes"
            tail -n 200 "$logs/$step.log"
        fi
    else
        cat "$logs/$step.out" 2>/dev/null || true
        rm -f "$logs/$step.out"
    fi
    read -r passed failed skipped <"$logs/$step.counts"
    say "   $step: $passed passed, $failed failed, $skipped skipped ($((SECONDS - began)) s, $SECONDS s so far)"
    total_passed=$((total_passed + passed)) total_failed=$((total_failed + failed)) total_skipped=$((total_skipped + skipped))
}

test_main() {
    local name
    if [ "${1:-}" = list ]; then say "$steps"; return; fi
    for name in "$@"; do
        case " $steps " in *" $name "*) ;; *) die "there is no test step \"$name\"; there are: $steps" ;; esac
    done
    prepare
    logs=$out/log notes=$out/log/notes
    rm -rf "$logs" && mkdir -p "$logs"
    exec 3>&1
    SECONDS=0 total_passed=0 total_failed=0 total_skipped=0
    say "libaicc $version, $(go env GOVERSION), $($cc --version | head -n 1)"
    : >"$notes"
    mkfifo "$stage/stream.fifo"
    install_packages
    install_node_modules
    download_modules
    (cd "$root" && go build -o "$stage/summary" ./.ci/summary)
    for name in ${*:-$steps}; do run_step "$name"; done
    test_verdict
}

test_verdict() {
    say "== summary, after $((SECONDS / 60)) min $((SECONDS % 60)) s"
    grep '^skipped' "$notes" || true
    grep '^failed' "$notes" || true
    if [ "${CI:-}" = true ] && [ $total_skipped -gt 0 ]; then
        say "CI is true, so the $total_skipped that were skipped have failed"
        total_failed=$((total_failed + total_skipped)) total_skipped=0
    fi
    say "$total_passed passed, $total_failed failed, $total_skipped skipped"
    [ $total_failed -eq 0 ]
}

# ---- the steps

# Go files that are the project's own: build/ may hold others.
go_files() { find "$root" -name '*.go' -not -path "$root/build/*" -not -path "$root/.git/*" -not -path "$out/*"; }

step_gofmt() {
    local bad
    bad=$(go_files | tr '\n' '\0' | xargs -0 gofmt -l)
    [ -z "$bad" ] || { say "not as gofmt writes it:" && say "$bad" && false; }
}

step_vet() { cd "$root" && go vet ./... ./.ci/summary; }

# The root's own tests: the import order of the rooms, lengths of files, what lies where.
step_rooms() { go_tests -skip '^TestDocs' . ./.ci/summary; }

step_core() { go_tests ./core/...; }

# In their short form; mutants and instruction counts are for core alone.
step_race() { go_tests -race -short -skip '^(TestMutants|TestStepCounts|TestPage)' ./core/...; }

step_library() {
    name_library
    write_library
    ls -l "$out/lib/$file"
    [ "$(readelf -d "$out/lib/libaicc.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" = libaicc.so.0 ]
}

# The C front, with its C programs.
step_capi() { go_tests ./capi/...; }

step_command() { go_tests ./cmd/...; }

step_examples() { go_tests ./examples/...; }

# The addon in the real engine, which bindings/godot/root.sh fetches.
step_godot() { go_tests ./bindings/...; }

step_demo() {
    write_library
    write_guard
    cd "$root" && go run ./examples/demo -host "$out/bin/guard" -pace 50ms -transcript "$logs/transcript.jsonl"
}

step_ajv() {
    [ -n "${AICC_NODE_MODULES:-}" ] || { cat "$logs/npm.log"; say "ajv could not be installed"; return 1; }
    [ -s "$logs/transcript.jsonl" ] || { say "the demo wrote no transcript"; return 1; }
    node "$root/.ci/node/validate.mjs" "$root/core/message/aicc.schema.json" "$logs/transcript.jsonl"
}

# The library by CMake; then the consumer against what was installed, against the source tree, and by pkg-config alone.
step_cmake() {
    local work=$out/cmake
    rm -rf "$work"
    cmake -S "$root" -B "$work/build" -DCMAKE_INSTALL_PREFIX="$work/installed" -DCMAKE_BUILD_TYPE=Release
    cmake --build "$work/build"
    cmake --install "$work/build"
    cmake -S "$root/examples/cmake" -B "$work/package" -DCMAKE_PREFIX_PATH="$work/installed"
    cmake --build "$work/package"
    "$work/package/consumer"
    cmake -S "$root/examples/cmake" -B "$work/source" -DAICC_SOURCE="$root"
    cmake --build "$work/source"
    "$work/source/consumer"
    eval "$cc -o '$work/plain' '$root/examples/cmake/main.c' $(PKG_CONFIG_PATH=$work/installed/lib/pkgconfig pkg-config --cflags --libs libaicc)" \
        "'-Wl,-rpath,$work/installed/lib'"
    "$work/plain"
}

# The commands in README.md and docs/, run in a copy of the tree.
step_docs() { AICC_TEST_DOCS=1 go_tests -run '^TestDocs' .; }

step_bench() {
    write_library
    c_bench --smoke
    (cd "$root" && go run ./capi/bench/table -lib "$out/lib" -smoke)
    BENCHTIME=1x go_bench ./core/...
}
