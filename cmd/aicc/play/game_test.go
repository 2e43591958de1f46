package play

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
	"aicc.dev/libaicc/cmd/aicc/crowd"
)

// The real game, played by hand in a real terminal.
func TestGameOnTheScreen(t *testing.T) {
	ctest.Need(t, "tmux", "tmux")
	g := ctest.Game(t)
	x := open(t, 80, 24, nil, program(t)+" play '"+g.URL+"'"+behind)
	x.shows("night watch, guard", "● connected", "walk_to", "generator", `audio {"sound": "breaking glass"}`, "tick ")
	x.keys("lo", "key:Tab", "key:Enter")
	x.shows("> #1 look", "< #1 look in", `"light": 0`)
	x.keys("walk_to pl", "key:Tab", "y", "key:Tab", "sp", "key:Tab", "9", "key:Enter")
	x.shows(`> #2 walk_to`, `"speed": 9`, `state_change`, `"kind": "walking"`)
	x.shows("< #2 walk_to in", `{"place": "yard"}`)
	x.keys("ring_bell", "key:Enter")
	x.shows(`tool_unavailable: tool "ring_bell" needs the capability "alarm"`)
	x.keys("key:C-c")
	x.shows("ended with 0")
	require.Contains(t, g.Told(), "guard: is at the yard")
}

// The real game, played by the script that the examples have for it.
func TestGameByScript(t *testing.T) {
	g := ctest.Game(t)
	file := filepath.Join(ctest.Root(), "examples/agents/guard.aicc")
	status, out, stderr := run(t, nil, "", "agent", g.URL, "--script", file, "--wait", "10s")
	require.Zero(t, status, "%s%s", out, stderr)
	require.Contains(t, stderr, "guard.aicc holds: ")
	require.Contains(t, out, `-> walk {"place": "store"}`)
	for _, did := range []string{"rings the bell", "says: Now go home.", "opens the sack", "is at the gate"} {
		require.Contains(t, g.Told(), "guard: "+did)
	}
}

// A step that does not hold ends the script, with status 1 and the line; programs read the same as JSON.
func TestGameFailsAScript(t *testing.T) {
	g := ctest.Game(t)
	file := filepath.Join(t.TempDir(), "wrong.aicc")
	require.NoError(t, os.WriteFile(file, []byte("call look\nexpect it.light == 8\ncall look\n"), 0o600))
	status, out, stderr := run(t, nil, "", "agent", g.URL, "--script", file, "--wait", "10s", "--json")
	require.Equal(t, 1, status)
	require.Equal(t, file+":2: expect it.light == 8\n  it.light is 0\n", stderr)
	var all []map[string]any
	for line := range strings.Lines(out) {
		var one map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &one), line)
		all = append(all, one)
	}
	require.Len(t, all, 3)
	require.Equal(t, map[string]any{"line": 1.0, "do": "call", "tool": "look", "name": "look", "input": map[string]any{}}, all[0])
	require.Equal(t, true, all[1]["ok"])
	require.Equal(t, 0.0, all[1]["output"].(map[string]any)["light"])
	require.Equal(t, "end", all[2]["do"])
	require.Equal(t, false, all[2]["passed"])
	require.Equal(t, 2.0, all[2]["line"])
	require.Equal(t, "line 2: expect it.light == 8: it.light is 0", all[2]["message"])
}

func TestGameBench(t *testing.T) {
	g := ctest.Game(t)
	status, out, stderr := run(t, nil, "", "bench", g.URL, "--tool", "look", "--calls", "60", "--in-flight", "4", "--wait", "10s", "--json")
	require.Zero(t, status, stderr)
	var r crowd.Report
	require.NoError(t, json.Unmarshal([]byte(out), &r))
	require.Equal(t, 1, r.Connections)
	require.EqualValues(t, 60, r.Calls)
	require.EqualValues(t, 60, r.Good)
	require.Zero(t, r.Duplicates+r.Reconnects+r.NoResult)
	require.Greater(t, r.LatencyMS.P50, 0.0)
	require.GreaterOrEqual(t, r.LatencyMS.P99, r.LatencyMS.P50)
	require.Equal(t, 60, strings.Count(g.Told(), "looks around"))
}
