package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/play"
	"aicc.dev/libaicc/cmd/aicc/script"
)

// What is wrong with the arguments of the commands that join a game; how they play one is tested in the folder play.
func TestGameCommandsRefuse(t *testing.T) {
	t.Setenv("AICC_TOKEN", "")
	dir := t.TempDir()
	bad := filepath.Join(dir, "bad.aicc")
	require.NoError(t, os.WriteFile(bad, []byte("call look\nfly away\n"), 0o600))
	token := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(token, []byte("not a token\n"), 0o600))
	for line, want := range map[string]string{
		"play":              "aicc play: one URL was wanted, 0 came",
		"play a:1 b:1":      "aicc play: one URL was wanted, 2 came",
		"play a":            `aicc play: "a" names no port: a game that listens says it, like 127.0.0.1:4100`,
		"play a:1 --wait x": `aicc play: invalid value "x" for flag -wait: a time such as 90s or 10m was wanted`,
		"play a:1/aicc?character=x --character y":        `aicc play: the URL says character "x", and --character says "y"`,
		"play a:1 --token x --token-file y":              "aicc play: --token and --token-file were both given",
		"play a:1 --token-file " + dir + "/nothing":      "aicc play: open " + dir + "/nothing: no such file or directory",
		"play a:1 --token-file " + token:                 "aicc play: this is no token: it is printable ASCII without spaces",
		"agent 127.0.0.1:1 --script " + dir + "/nothing": "aicc agent: open " + dir + "/nothing: no such file or directory",
		"agent 127.0.0.1:1 --script " + bad:              "aicc agent: " + bad + `: line 2: there is no step "fly": steps are call, start, result, event, quiet, tool, capability, expect, let, say, print, sleep, timeout, repeat, end`,
		"bench a:1 --in-flight 0":                        "aicc bench: numbers and times are at least 0, --in-flight is at least 1",
		"bench a:1 --in-flight 2000":                     "aicc bench: --in-flight is at most 1024",
		"bench a:1 --calls -1":                           "aicc bench: numbers and times are at least 0, --in-flight is at least 1",
		"bench a:1 --input {":                            "aicc bench: --input: column 1: this { is not closed",
		"bench a:1 --input x":                            `aicc bench: --input: column 1: "x" is no name=text, name:=JSON or {...}`,
	} {
		status, out, stderr := aicc(t, "", strings.Fields(line)...)
		require.Equal(t, exitWrong, status, line)
		require.Empty(t, out)
		first, _, _ := strings.Cut(stderr, "\n")
		require.Equal(t, want, first)
	}
}

// The help of each says what can be typed, and every option has its line.
func TestGameCommandsHelp(t *testing.T) {
	_, out, _ := aicc(t, "", "help", "agent")
	require.Contains(t, out, strings.TrimSpace(script.Help))
	_, out, _ = aicc(t, "", "play", "-h")
	require.Contains(t, out, "  walk_to place=gate speed:=2        name=text")
	require.Contains(t, play.Help, ":quit")
	for name, options := range map[string]string{
		"play": "character json list plain token token-file wait", "agent": "character json script token token-file wait",
		"bench": "calls character connections in-flight input json patience seed time token token-file tool wait",
	} {
		_, out, _ := aicc(t, "", "help", name)
		for _, option := range strings.Fields(options) {
			require.Contains(t, out, "\n  --"+option, name)
		}
		for line := range strings.Lines(out) {
			require.LessOrEqual(t, len(line), 170, line)
		}
		require.Contains(t, out, "since everybody on the machine can read it")
	}
}
