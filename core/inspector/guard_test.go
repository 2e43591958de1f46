package inspector_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	ctest.Clean()
	os.Exit(code)
}

// The C example, played from the page: the guard lights his lantern and walks.
func TestPageMovesTheGuard(t *testing.T) {
	lib := ctest.Library(t, ctest.Plain)
	program := filepath.Join(t.TempDir(), "guard")
	root := ctest.Root()
	example := filepath.Join(root, "examples", "c")
	args := []string{"-std=c11", "-O2", "-pthread", "-I", filepath.Join(root, "include"), "-I", example, "-o", program, filepath.Join(root, "core", "inspector", "testdata", "guard_inspected.c")}
	sources, err := filepath.Glob(filepath.Join(example, "*.c"))
	require.NoError(t, err)
	for _, source := range sources {
		if filepath.Base(source) != "guard.c" { // which is in the first one
			args = append(args, source)
		}
	}
	ctest.Run(t, root, nil, 2*time.Minute, "gcc", append(args, "-L", lib, "-laicc", "-lm", "-Wl,-rpath,"+lib)...)
	c := exec.Command(program, "0")
	told, err := c.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	url := make(chan string, 1)
	var mu sync.Mutex
	var lines []string
	done := make(chan struct{})
	go func() {
		defer close(done)
		for s := bufio.NewScanner(told); s.Scan(); {
			if at, ok := strings.CutPrefix(s.Text(), "inspector "); ok {
				url <- at
			}
			mu.Lock()
			lines = append(lines, s.Text())
			mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		<-done
		_ = c.Wait()
	})
	select {
	case at := <-url:
		browser(t, "guard", at, nil)
	case <-time.After(20 * time.Second):
		require.Fail(t, "the game does not say where its inspector is")
	}
	mu.Lock()
	defer mu.Unlock()
	require.Contains(t, lines, "guard: strikes a match and lights his lantern")
	require.Contains(t, lines, "guard: sets out for the yard at 9.0 m/s")
	require.Contains(t, lines, "guard: is at the yard")
}
