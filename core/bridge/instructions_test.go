package bridge

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// A step for one session does not look at the others: a call's instructions, counted by callgrind, are the same within 5 % whether 10
// sessions are open or 10,000. Counts and not times, so that the machine's load has no say.
func TestStepCountsNoOtherSession(t *testing.T) {
	if _, err := exec.LookPath("valgrind"); err != nil {
		require.NotEqual(t, "true", os.Getenv("CI"), "valgrind is missing: apt-get install valgrind")
		t.Skip("valgrind is missing: apt-get install valgrind")
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "bridge.test") // without DWARF, which this valgrind cannot read
	out, err := exec.Command("go", "test", "-c", "-ldflags=-w", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, "%s", out)
	count := func(sessions, calls int) float64 {
		file := filepath.Join(dir, fmt.Sprintf("%d-%d", sessions, calls))
		cmd := exec.Command("valgrind", "--tool=callgrind", "--callgrind-out-file="+file, program, "-test.run=^TestStepLoad$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("AICC_STEP_LOAD=%d,%d", sessions, calls), "GOMAXPROCS=1", "GOGC=off", "GODEBUG=asyncpreemptoff=1")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		found := regexp.MustCompile(`(?m)^(?:totals|summary): (\d+)`).FindSubmatch(text)
		require.NotNil(t, found)
		n, err := strconv.ParseFloat(string(found[1]), 64)
		require.NoError(t, err)
		return n
	}
	const calls = 2000
	few := (count(10, 2*calls) - count(10, calls)) / calls
	many := (count(10_000, 2*calls) - count(10_000, calls)) / calls
	t.Logf("a call through the core: %.0f instructions with 10 sessions, %.0f with 10,000 (%.3fx)", few, many, many/few)
	require.Greater(t, few, 1000.0)
	require.InDelta(t, 1, many/few, 0.05)
}

// TestStepLoad is what TestStepCountsNoOtherSession runs under callgrind.
func TestStepLoad(t *testing.T) {
	var sessions uint32
	var calls int
	if n, _ := fmt.Sscanf(os.Getenv("AICC_STEP_LOAD"), "%d,%d", &sessions, &calls); n != 2 {
		sessions, calls = 10, 100
	}
	debug.SetGCPercent(-1)
	defer debug.SetGCPercent(100)
	g := busy(t, sessions)
	c := newCaller(g, sessions/2)
	for range calls {
		c.call()
	}
	require.Equal(t, uint64(calls), g.b.Counters().Calls)
}
