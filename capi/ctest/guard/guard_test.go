//go:build linux && (amd64 || arm64)

// Package guard shows by C hosts and by Mono that the library leaves the host's signals alone, and that without the guard it would not.
package guard

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"aicc.dev/libaicc/capi/ctest"
	"github.com/stretchr/testify/require"
)

// The library in its three forms, by build tag: as it ships, without the guard, and with a guard that adds no SA_ONSTACK.
const guarded, off, plain = "", "aicc_noguard", "aicc_guard_plain"

func library(t *testing.T, form string) string {
	t.Helper()
	return filepath.Join(ctest.Library(t, ctest.Plain, strings.Fields("aicc_testburn "+form)...), "libaicc.so")
}

var work string // the programs that are built, shared by the tests of one run

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "aicc-guard-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	work = dir
	_ = syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}) // hosts die here on purpose
	code := m.Run()
	os.RemoveAll(dir)
	ctest.Clean()
	os.Exit(code)
}

var building sync.Mutex

// host compiles a program the first time that it is wanted. It does not link the library, which it loads itself.
func host(t *testing.T, name string) string {
	t.Helper()
	building.Lock()
	defer building.Unlock()
	path := filepath.Join(work, name)
	if _, err := os.Stat(path); err != nil {
		ctest.Run(t, ".", os.Environ(), time.Minute, "gcc", "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-o", path, name+".c", "-ldl", "-lpthread")
	}
	return path
}

// errBroken is an outcome that says nothing about the library: a host ends by 3 when it was called wrongly or cannot load it.
var errBroken = errors.New("the test itself cannot run")

// outcome is nil when the host found all as it should be, and an error when it complained, died or hung. What a crash leaves, Mono's reports
// for instance, falls into the folder that TestMain removes.
func outcome(env []string, name string, args ...string) error {
	out, err := ctest.Try(work, append(os.Environ(), env...), time.Minute, name, args...)
	var exit interface{ ExitCode() int }
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit) && exit.ExitCode() == 3:
		err = errors.Join(errBroken, err)
	}
	return fmt.Errorf("%s: %w\n%.2000s", strings.Join(args, " "), err, out)
}

// A claim holds with the guard, and fails at least once in a few tries in the forms that are named.
type claim struct {
	args  string
	fails []string
}

func check(t *testing.T, program string, claims []claim) {
	const tries = 5
	for _, c := range claims {
		t.Run(c.args, func(t *testing.T) {
			t.Parallel()
			path := host(t, program)
			run := func(form string) error {
				return outcome([]string{"AICC_TEST_BURN=compute"}, path, append(strings.Fields(c.args), library(t, form))...)
			}
			require.NoError(t, run(guarded))
			for _, form := range c.fails {
				var err error
				for try := 0; try < tries && err == nil; try++ {
					err = run(form)
				}
				require.Error(t, err, "%s: nothing failed, so this test shows nothing", form)
				require.NotErrorIs(t, err, errBroken)
			}
		})
	}
}

func TestHandlersStayAsTheyWere(t *testing.T) {
	check(t, "handlers", []claim{
		{"handle", []string{off}},
		{"ignore", []string{off}},
		{"default", []string{off}},
		{"late", []string{off}},
		{"watch", []string{off}},
	})
}

func TestFaultsReachTheHost(t *testing.T) {
	check(t, "faults", []claim{
		{"return", []string{off}},
		{"jump", []string{off}},
		{"divide", []string{off}},
		{"reset", []string{off}},
		{"default", nil}, // Go keeps this one by itself
		{"ignore", []string{off}},
		{"sent", []string{off}},
		{"front", []string{off}},
		{"into", []string{off}},
	})
}

// Go's own nil dereferences and broken pipes stay Go's, although the host has a handler for the ones and would die of the others.
func TestFaultsOfTheCoreStayThere(t *testing.T) {
	for _, mode := range []string{"core", "chain"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			env := []string{"AICC_TEST_BURN=fault", "AICC_TEST_BURN_FILE=" + filepath.Join(t.TempDir(), "go")}
			require.NoError(t, outcome(env, host(t, "faults"), mode, library(t, guarded)))
		})
	}
}

// Early, Go itself would have added SA_ONSTACK, so only the plain guard fails there; late, nobody adds it but the guard.
func TestSignalsThatInterruptTheCore(t *testing.T) {
	check(t, "storm", []claim{
		{"child early", []string{plain}},
		{"child late", []string{plain, off}},
		{"profile early", []string{plain}},
		{"profile late", []string{plain, off}},
	})
}

func TestWriteToResetSocket(t *testing.T) {
	check(t, "pipe", []claim{
		{"ignore", []string{off}},
		{"handle", []string{off}},
		{"once", []string{off}},
		{"default", []string{off}},
	})
}

// managed builds what Mono runs, and a shim that links the library in this form, and returns how to run them.
func managed(t *testing.T, form string) func() error {
	t.Helper()
	lib, dir := filepath.Dir(library(t, form)), filepath.Join(work, "boehm"+form)
	require.NoError(t, os.Mkdir(dir, 0o755))
	program := filepath.Join(dir, "boehm.exe")
	ctest.Run(t, ".", os.Environ(), time.Minute, "mcs", "-warnaserror", "-out:"+program, "boehm.cs")
	ctest.Run(t, ".", os.Environ(), time.Minute, "gcc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fPIC", "-shared", "shim.c",
		"-o", filepath.Join(dir, "libshim.so"), "-L"+lib, "-laicc", "-Wl,-rpath,"+lib)
	return func() error {
		return outcome([]string{"AICC_TEST_BURN=compute", "LD_LIBRARY_PATH=" + dir}, "mono-boehm", program)
	}
}

// Unity's kind of collector stops threads by signals and scans the stack that it finds them on.
func TestManagedHeapSurvives(t *testing.T) {
	t.Parallel()
	ctest.Need(t, "mono-boehm", "mono-runtime-boehm")
	ctest.Need(t, "mcs", "mono-mcs")
	const runs, tries, atOnce = 20, 6, 4
	run := managed(t, guarded)
	errs := make(chan error, runs)
	slots := make(chan struct{}, atOnce)
	for range runs {
		go func() {
			slots <- struct{}{}
			errs <- run()
			<-slots
		}()
	}
	survived := 0
	for range runs {
		if err := <-errs; err != nil {
			t.Error(err)
			continue
		}
		survived++
	}
	run = managed(t, off)
	var err error
	try := 0
	for ; try < tries && err == nil; try++ {
		err = run()
	}
	require.Error(t, err, "nothing failed without the guard, so this test shows nothing")
	require.NotErrorIs(t, err, errBroken)
	t.Logf("with the guard %d of %d survived, without it the run number %d did not", survived, runs, try)
}
