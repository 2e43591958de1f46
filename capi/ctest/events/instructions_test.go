package events

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
)

// What c/instructions.c does is counted by these functions' own instructions: on the engine's thread, and in the core from a struct to its message.
var counted = []struct {
	name  string
	per   float64 // how often it is done
	names *regexp.Regexp
}{
	{"emit, a struct", 50 * 100, regexp.MustCompile(`^(aicc_event_emit|emit_\w+|put_\w+|space|aicc__begin|aicc__commit|session_of)$`)},
	{"pump, a frame", 3*50 + 2, regexp.MustCompile(`^(aicc_bridge_pump|aicc_bridge_frame|step|tell|append_frame|aicc__idle|aicc__next|aicc__settle)$`)},
	{"encode, an event", 50 * 100, regexp.MustCompile(`core/(layout|message|jsonwire)\.|\(\*World\)\.(render|structJSON)|chacha8rand`)},
}

// Time says little on a machine with other work; instructions hardly change from run to run. More than 10 % from what is committed is a change
// that somebody has to mean.
func TestInstructions(t *testing.T) {
	if testing.Short() {
		t.Skip("a measurement")
	}
	ctest.Need(t, "valgrind", "valgrind")
	dir := t.TempDir()
	// Not stripped, since the names are needed.
	ctest.Run(t, ctest.Root(), append(os.Environ(), "CGO_ENABLED=1", "CC=gcc", "CGO_CFLAGS=-O2"), limit, "go", "build", "-trimpath", "-buildmode=c-shared", "-ldflags",
		"-w -extldflags '-Wl,--version-script="+filepath.Join(ctest.Root(), "capi/aicc.map")+" -Wl,-soname,libaicc.so.0'", "-o", filepath.Join(dir, "libaicc.so.0"), "./capi")
	require.NoError(t, os.Symlink("libaicc.so.0", filepath.Join(dir, "libaicc.so")))
	source, err := filepath.Abs("c/instructions.c")
	require.NoError(t, err)
	program, profile := ctest.Program(t, ctest.Plain, dir, source), filepath.Join(dir, "profile")
	// Go's preemption by signals is more than callgrind can follow.
	ctest.Run(t, dir, append(os.Environ(), "GODEBUG=asyncpreemptoff=1"), limit, "valgrind", "--tool=callgrind", "--callgrind-out-file="+profile, program)
	said := ctest.Run(t, dir, os.Environ(), limit, "callgrind_annotate", "--threshold=100", "--auto=no", profile)
	got := count(said)
	const golden = "instructions.txt"
	if os.Getenv("AICC_UPDATE") == "1" {
		var text strings.Builder
		for _, c := range counted {
			fmt.Fprintf(&text, "%s: %.1f\n", c.name, got[c.name])
		}
		require.NoError(t, os.WriteFile(golden, []byte(text.String()), 0o644))
	}
	text, err := os.ReadFile(golden)
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Len(t, lines, len(counted))
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		want, err := strconv.ParseFloat(value, 64)
		require.NoError(t, err, line)
		t.Logf("%s: %.1f instructions, %.1f are committed", name, got[name], want)
		require.LessOrEqual(t, math.Abs(got[name]-want), want/10, "%s: if this is meant, AICC_UPDATE=1 writes instructions.txt anew", name)
	}
}

var annotated = regexp.MustCompile(`(?m)^\s*([\d,]+) \([ \d.]+%\)\s+\S*?:(\S+?)(?:'\d+)?(?: \[.*)?$`)

func count(said string) map[string]float64 {
	sums := map[string]float64{}
	for _, m := range annotated.FindAllStringSubmatch(said, -1) {
		n, _ := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
		for _, c := range counted {
			if c.names.MatchString(m[2]) {
				sums[c.name] += n / c.per
			}
		}
	}
	return sums
}
