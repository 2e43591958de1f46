// Package host runs the C and C++ hosts of this folder against the library.
package host

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"aicc.dev/libaicc/capi/ctest"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	code := m.Run()
	ctest.Clean()
	os.Exit(code)
}

const limit = 3 * time.Minute

func run(t *testing.T, v ctest.Variant, source string, wrap ...string) string {
	lib := ctest.Library(t, v)
	args := append(wrap, ctest.Program(t, v, lib, source))
	out := ctest.Run(t, ".", append(os.Environ(), v.Env...), limit, args[0], args[1:]...)
	require.Contains(t, out, "ok\n")
	return out
}

func source(t *testing.T, name string) string {
	path, err := filepath.Abs(filepath.Join("c", name))
	require.NoError(t, err)
	return path
}

func TestHosts(t *testing.T) {
	for _, name := range []string{"life.c", "status.c", "callbacks.c", "throws.cpp", "threads.c", "pause.c", "change.c", "forked.c", "many.c"} {
		t.Run(name, func(t *testing.T) { run(t, ctest.Plain, source(t, name)) })
	}
}

func TestHostsUnderAddressAndUB(t *testing.T) {
	ctest.Need(t, "clang", "clang libclang-rt-14-dev")
	for _, name := range []string{"life.c", "status.c", "callbacks.c", "throws.cpp", "threads.c", "pause.c", "change.c"} {
		t.Run(name, func(t *testing.T) { run(t, ctest.Address, source(t, name)) })
	}
}

func TestHostsUnderThreadSanitizer(t *testing.T) {
	ctest.Need(t, "clang", "clang libclang-rt-14-dev")
	for _, name := range []string{"life.c", "callbacks.c", "threads.c", "pause.c"} {
		t.Run(name, func(t *testing.T) { run(t, ctest.Thread, source(t, name)) })
	}
}

func TestHostUnderValgrind(t *testing.T) {
	ctest.Need(t, "valgrind", "valgrind")
	run(t, ctest.Plain, source(t, "life.c"), "valgrind", "-q", "--error-exitcode=99", "--leak-check=full", "--errors-for-leak-kinds=definite",
		"--suppressions="+source(t, "go.supp"))
}

// The same calls give the same bytes, message ids included.
func TestLockstepIsReproducible(t *testing.T) {
	first := run(t, ctest.Plain, source(t, "lockstep.c"))
	require.Greater(t, len(first), 20_000)
	for _, must := range []string{`"session_init"`, `"tool_result"`, `"tick"`, `"audio"`, `"heartbeat"`, `"execution_failed"`, `"invalid_input"`, `"rolled":20`} {
		require.Contains(t, first, must)
	}
	for range 5 {
		require.Equal(t, first, run(t, ctest.Plain, source(t, "lockstep.c")))
	}
}

// However the process ends, it ends, at once and with the code asked for.
func TestExits(t *testing.T) {
	lib := ctest.Library(t, ctest.Plain)
	prog := ctest.Program(t, ctest.Plain, lib, source(t, "exits.c"))
	for how, want := range map[string]int{"exit": 3, "_exit": 4, "shutdown": 5, "return": 6} {
		t.Run(how, func(t *testing.T) {
			for range 4 {
				out, err := ctest.Try(".", os.Environ(), time.Minute, prog, how)
				var e *exec.ExitError
				require.ErrorAs(t, err, &e, out)
				require.Equal(t, want, e.ExitCode(), "%v %s", err, out)
			}
		})
	}
	t.Run("term", func(t *testing.T) {
		for range 4 {
			out, err := ctest.Try(".", os.Environ(), time.Minute, prog, "term")
			var e *exec.ExitError
			require.ErrorAs(t, err, &e, out)
			require.Equal(t, syscall.SIGTERM, e.Sys().(syscall.WaitStatus).Signal(), out)
		}
	})
}
