// Package ctest builds libaicc in its variants and C programs against it, for the tests in the folders below.
package ctest

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// Variant is one way of building the library and the programs that link it.
type Variant struct {
	Name  string
	CC    string // of both halves; CXX follows
	Flags []string
	Go    []string // further flags of go build
	Env   []string // of the run
}

// The variants. Plain is what ships, less the linker's stripping.
var (
	Plain = Variant{Name: "plain", CC: "gcc"}
	// Address and UB look into the C front as well as into the program.
	Address = Variant{Name: "asan", CC: "clang", Flags: []string{"-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined", "-fno-omit-frame-pointer"},
		Env: []string{"ASAN_OPTIONS=detect_leaks=1:detect_stack_use_after_return=0", "LSAN_OPTIONS=use_tls=1"}}
	Thread = Variant{Name: "tsan", CC: "clang", Flags: []string{"-g", "-O1", "-fsanitize=thread"}, Env: []string{"TSAN_OPTIONS=halt_on_error=1"}}
)

// Root is the repository's root.
func Root() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(file)))
}

var (
	mu    sync.Mutex
	built = map[string]string{}
)

// Library builds the variant once a process and returns the folder that holds libaicc.so.
func Library(t testing.TB, v Variant, tags ...string) string {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	key := v.Name + strings.Join(tags, "+")
	if d, ok := built[key]; ok {
		return d
	}
	d, err := os.MkdirTemp("", "aicc-"+v.Name+"-")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"build", "-trimpath", "-buildmode=c-shared", "-ldflags", "-s -w -extldflags '-Wl,--version-script=" +
		filepath.Join(Root(), "capi/aicc.map") + " -Wl,-soname,libaicc.so.0'", "-o", filepath.Join(d, "libaicc.so.0")}
	if len(tags) > 0 {
		args = append(args, "-tags", strings.Join(tags, ","))
	}
	args = append(append(args, v.Go...), "./capi")
	flags := strings.Join(v.Flags, " ")
	Run(t, Root(), append(os.Environ(), "CGO_ENABLED=1", "CC="+v.CC, "CGO_CFLAGS=-g "+flags, "CGO_LDFLAGS="+flags), 10*time.Minute, "go", args...)
	if err := os.Symlink("libaicc.so.0", filepath.Join(d, "libaicc.so")); err != nil {
		t.Fatal(err)
	}
	built[key] = d
	return d
}

// Clean removes what Library and Program built; call it at the end of TestMain.
func Clean() {
	for _, d := range built {
		os.RemoveAll(d)
	}
}

// Program compiles one C or C++ file against the variant and returns the program's path.
func Program(t testing.TB, v Variant, lib, source string, flags ...string) string {
	t.Helper()
	out := filepath.Join(lib, strings.TrimSuffix(filepath.Base(source), filepath.Ext(source)))
	compiler, std := v.CC, "-std=gnu11"
	if strings.HasSuffix(source, ".cpp") {
		compiler, std = map[string]string{"gcc": "g++", "clang": "clang++"}[v.CC], "-std=c++17"
	}
	args := []string{std, "-g", "-Wall", "-Wextra", "-Werror", "-I", filepath.Join(Root(), "include"), "-o", out, source}
	args = append(append(args, v.Flags...), flags...)
	args = append(args, "-L", lib, "-laicc", "-lpthread", "-Wl,-rpath,"+lib)
	Run(t, Root(), os.Environ(), 2*time.Minute, compiler, args...)
	return out
}

// Run runs a command to its end and returns its output; anything but success fails the test with all that it said.
func Run(t testing.TB, dir string, env []string, limit time.Duration, name string, args ...string) string {
	t.Helper()
	out, err := Try(dir, env, limit, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

// Try is Run that leaves the verdict to the caller. A command that is over its time is killed, which is an error.
func Try(dir string, env []string, limit time.Duration, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		err = fmt.Errorf("still running after %v", limit)
	}
	return out.String(), err
}

// Need skips by name when a program is not installed, or fails under CI=true.
func Need(t testing.TB, program, pkg string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing: apt-get install %s", program, pkg)
	}
	t.Skipf("%s is missing: apt-get install %s", program, pkg)
}

// NodeModules is where the modules of .ci/node are installed; without them, or without node, the test is skipped, or fails under CI=true.
func NodeModules(t testing.TB) string {
	t.Helper()
	Need(t, "node", "nodejs")
	if dir := os.Getenv("AICC_NODE_MODULES"); dir != "" {
		return dir
	}
	const why = "AICC_NODE_MODULES does not name a folder with the modules of .ci/node: npm ci --prefix .ci/node, or run ./build.sh test"
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
	return ""
}
