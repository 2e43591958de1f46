// Package front tests the C front alone: its files are compiled without Go, with a small stand-in for the core (c/fake.c), under sanitizers.
package front

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
)

const limit = 5 * time.Minute

// sources are all C files of the library; of the guard only aicc_guard_look is used here.
func sources(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(ctest.Root(), "capi/*.c"))
	require.NoError(t, err)
	require.Greater(t, len(files), 15)
	return files
}

var programs = []string{"handles", "lanes", "items", "calls", "waiters", "asks", "ends", "wire", "lockstep", "forked", "process"}

var strict = []string{"-std=c11", "-Wall", "-Wextra", "-Wshadow", "-Wundef", "-Wconversion", "-Werror"}

var variants = []struct {
	name, cc string
	flags    []string
}{
	{"plain", "gcc", []string{"-O2"}},
	{"address", "gcc", []string{"-O1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}},
	{"thread", "gcc", []string{"-O1", "-fsanitize=thread"}},
}

// objects compiles the front and the stand-in once for all programs of a variant.
func objects(t *testing.T, cc string, flags []string, strictly bool) string {
	t.Helper()
	ctest.Need(t, cc, cc)
	dir := t.TempDir()
	args := append([]string{"-c", "-g", "-fexceptions", "-fvisibility=hidden", "-DAICC_BUILD", "-DAICC_NO_GUARD"}, flags...)
	if strictly {
		args = append(args, strict...)
	}
	ctest.Run(t, dir, os.Environ(), limit, cc, append(args, sources(t)...)...)
	return dir
}

func objectsOf(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.o"))
	require.NoError(t, err)
	require.Greater(t, len(files), 15)
	return files
}

func program(t *testing.T, cc string, flags []string, dir, name string) string {
	t.Helper()
	here := filepath.Join(ctest.Root(), "capi/ctest/front/c")
	out := filepath.Join(dir, name)
	args := append([]string{"-std=gnu11", "-g", "-Wall", "-Wextra", "-Werror", "-fexceptions", "-o", out}, flags...)
	args = append(args, filepath.Join(here, name+".c"), filepath.Join(here, "fake.c"))
	args = append(args, objectsOf(t, dir)...)
	ctest.Run(t, dir, os.Environ(), limit, cc, append(args, "-lpthread")...)
	return out
}

func TestFront(t *testing.T) {
	for _, v := range variants {
		if testing.Short() && v.name == "thread" {
			continue
		}
		t.Run(v.name, func(t *testing.T) {
			dir := objects(t, v.cc, v.flags, true)
			for _, name := range programs {
				t.Run(name, func(t *testing.T) {
					out := ctest.Run(t, dir, append(os.Environ(), "TSAN_OPTIONS=halt_on_error=1"), limit, program(t, v.cc, v.flags, dir, name))
					t.Log(strings.TrimSpace(out))
				})
			}
		})
	}
}

// The second compiler has warnings of its own.
func TestFrontCompilesWithClang(t *testing.T) {
	objects(t, "clang", []string{"-O1"}, true)
}

// The half for Windows is compiled, where there is a compiler for it.
func TestFrontCompilesForWindows(t *testing.T) {
	ctest.Need(t, "x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64-win32")
	objects(t, "x86_64-w64-mingw32-gcc", []string{"-O1"}, true)
}

// Only the header's names may be seen from outside; all else is hidden or has our prefix.
func TestFrontNames(t *testing.T) {
	ctest.Need(t, "nm", "binutils")
	dir := objects(t, "gcc", []string{"-O1"}, false)
	header, err := os.ReadFile(filepath.Join(ctest.Root(), "include/aicc.h"))
	require.NoError(t, err)
	seen := 0
	for _, s := range objectsOf(t, dir) {
		out := ctest.Run(t, dir, os.Environ(), limit, "nm", "-g", "--defined-only", s)
		for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
			name := line[strings.LastIndex(line, " ")+1:]
			if name == "" || strings.HasPrefix(name, "aicc__") || strings.HasPrefix(name, "aicc_core_") || strings.HasPrefix(name, "aicc_guard_") {
				continue
			}
			require.Regexp(t, `AICC_CALL `+name+`\s*\(`, string(header), "%s", s)
			seen++
		}
	}
	require.Greater(t, seen, 35)
}

// Prints what appending costs; see c/bench.c.
func TestFrontCosts(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement")
	}
	flags := []string{"-O2"}
	dir := objects(t, "gcc", flags, true)
	t.Log(ctest.Run(t, dir, os.Environ(), limit, program(t, "gcc", flags, dir, "bench")))
}
