package ctest

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Playing game is the C example, the night watch with its guard, listening for agents.
type Playing struct {
	URL  string // ws://ADDRESS/aicc?character=guard
	cmd  *exec.Cmd
	told *lines
	once sync.Once
}

// Game builds the library and the C example and starts it on a free port. It ends with the test.
func Game(t testing.TB) *Playing { return GameAt(t, "0") }

// GameAt is Game on a port, for a game that is to come back where it was.
func GameAt(t testing.TB, port string) *Playing {
	t.Helper()
	lib := Library(t, Plain)
	program := filepath.Join(lib, "guard")
	mu.Lock()
	if _, ok := built[program]; !ok {
		sources, _ := filepath.Glob(filepath.Join(Root(), "examples/c/*.c"))
		args := append([]string{"-std=c11", "-O2", "-pthread", "-I", filepath.Join(Root(), "include"), "-o", program}, sources...)
		Run(t, Root(), nil, 2*time.Minute, "gcc", append(args, "-L", lib, "-laicc", "-lm", "-Wl,-rpath,"+lib)...)
		built[program] = program
	}
	mu.Unlock()
	g := &Playing{cmd: exec.Command(program, port), told: &lines{}}
	g.cmd.Stderr = g.told
	out, err := g.cmd.StdoutPipe()
	if err == nil {
		err = g.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Stop)
	said, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the game did not say where it listens: %v\n%s", err, g.told)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	g.URL = strings.TrimSpace(said)
	return g
}

// Stop kills the game, as a crash would.
func (g *Playing) Stop() {
	g.once.Do(func() {
		_ = g.cmd.Process.Kill()
		_ = g.cmd.Wait()
	})
}

// Told is all that the character has told on stderr.
func (g *Playing) Told() string { return g.told.String() }

type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}
