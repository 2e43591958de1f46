package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/lint"
	"aicc.dev/libaicc/cmd/aicc/live/livetest"
	"aicc.dev/libaicc/cmd/aicc/provider"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

// What lint, export and validate write, and their status, for whole runs of them.
func TestOfflineGolden(t *testing.T) {
	for name, line := range map[string]string{
		"help_lint": "help lint", "help_export": "help export", "help_validate": "validate --help",
		"lint":            "lint offline/manifest.json",
		"lint_notes":      "lint --notes --disable root-union,misspelt-keyword --disable parameter-refused offline/manifest.json",
		"lint_json":       "lint --json offline/manifest.json",
		"lint_session":    "lint session_init.json",
		"lint_strict":     "lint --strict session_init.json",
		"lint_bad":        "lint bad.json",
		"lint_text":       "lint test.pem",
		"lint_missing":    "lint nowhere.json",
		"lint_no_rule":    "lint --disable no-such-rule session_init.json",
		"lint_explain":    "lint --explain negative-boolean",
		"lint_rules":      "lint --rules",
		"export_openai":   "export --format openai offline/manifest.json",
		"export_strict":   "export --format openai --strict --prefix guard_ offline/manifest.json",
		"export_claude":   "export --format anthropic --plain offline/manifest.json",
		"export_gemini":   "export --format gemini offline/manifest.json",
		"export_mcp":      "export --format mcp offline/manifest.json",
		"export_json":     "export --format anthropic --json offline/manifest.json",
		"export_none":     "export offline/manifest.json",
		"export_other":    "export --format cohere offline/manifest.json",
		"export_nothing":  "export --format gemini --strict offline/manifest.json",
		"validate":        "validate offline/messages.jsonl",
		"validate_from":   "validate --from agent offline/messages.jsonl session_init.json",
		"validate_good":   "validate --from game session_init.json",
		"validate_json":   "validate --json --most 2 offline/messages.jsonl",
		"validate_option": "validate --from nobody offline/messages.jsonl",
		"validate_empty":  "validate -",
	} {
		t.Run(name, func(t *testing.T) {
			status, out, stderr := aicc(t, "", strings.Fields(line)...)
			got := fmt.Sprintf("$ aicc %s\nstatus %d\n-- standard output\n%s-- standard error\n%s", line, status, out, stderr)
			require.NotContains(t, got, "\x1b", "colour in a pipe")
			file := filepath.Join("testdata", "offline", name+".txt")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(want), got)
		})
	}
}

// What is written to a pipe is read by programs.
func TestOfflineOutputIsJSON(t *testing.T) {
	for _, line := range []string{"lint --json offline/manifest.json", "lint --rules --json", "lint --explain root-union --json", "export --json --format gemini offline/manifest.json", "export --format mcp session_init.json",
		"validate --json offline/messages.jsonl"} {
		_, out, _ := aicc(t, "", strings.Fields(line)...)
		require.True(t, json.Valid([]byte(out)), line)
	}
}

// A running game is read as its manifest in a file is.
func TestRunningGame(t *testing.T) {
	tools := []livetest.Tool{{Tool: message.Tool{ID: "look", Class: message.Sensor, Description: "Looks around", InputSchema: []byte(`{"type":"object","properties":{"distance":{"type":"number","description":"how far"}}}`),
		OutputSchema: []byte(`{"type":"object"}`)}}}
	g := livetest.Start(t, transport.Options{Token: "sesame"}, "yard", tools, "guard", "cook")
	t.Setenv("AICC_TOKEN", "sesame")
	status, out, stderr := aicc(t, "", "lint", g.Address)
	require.Equal(t, exitGood, status, stderr)
	require.Equal(t, g.Address+": warning: look: distance: in what unit? [unit-missing]\nwhat to do (`aicc lint --explain RULE` says more):\n  unit-missing: name the unit in the description, or in the name\n"+g.Address+": 1 tool: 0 errors, 1 warning, 1 note (--notes)\n", out)
	status, out, stderr = aicc(t, "", "export", "--format", "anthropic", "--plain", "ws://"+g.Address+"/aicc/yard?character=cook")
	require.Equal(t, exitGood, status, stderr)
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, []byte(out)))
	require.Equal(t, `[{"name":"look","description":"Looks around","input_schema":{"type":"object","properties":{"distance":{"type":"number","description":"how far"}}}}]`, compact.String())

	t.Setenv("AICC_TOKEN", "")
	status, out, stderr = aicc(t, "", "lint", g.Address)
	require.Equal(t, exitWrong, status)
	require.Empty(t, out)
	require.Equal(t, "aicc lint: the game at "+g.Address+" asks for its token: give --token-file FILE, or set AICC_TOKEN\n", stderr)
	g.Stop()
	status, _, stderr = aicc(t, "", "export", "--format", "mcp", g.Address)
	require.Equal(t, exitWrong, status)
	require.Equal(t, "aicc export: nothing listens at "+g.Address+": is the game running, and does it listen? A game that listens says its address\n", stderr)
}

func TestAddressesAndFiles(t *testing.T) {
	for argument, want := range map[string]bool{"127.0.0.1:4100": true, "localhost:1": true, "ws://h/aicc": true, "-": false, "session_init.json": false, "a/b.json": false, "lint.go": false, "./x:1": false} {
		require.Equal(t, want, isAddress(argument), argument)
	}
}

// To a terminal findings come in columns and in colour, unless NO_COLOR is set.
func TestColumns(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "offline", "manifest.json"))
	require.NoError(t, err)
	source, fault := provider.Read(text)
	require.Nil(t, fault)
	var out bytes.Buffer
	c := &call{env: &env{out: &out, err: &out}}
	require.False(t, bool(c.paint(&out)))
	c.showColumns(true, false, without(lint.Check(text, source, nil), lint.Note))
	require.Equal(t, "\x1b[1mwalk_to\x1b[0m\n"+
		"\x1b[2m    9:23  \x1b[0m \x1b[33mwarning\x1b[0m \x1b[2mparameter-undocumented\x1b[0m max speed: no description\n"+
		"\x1b[2m   14:11  \x1b[0m \x1b[31merror  \x1b[0m \x1b[2mparameter-refused     \x1b[0m \"max speed\" is refused as a parameter's name by Anthropic: at most 64 letters, digits, _, . and -\n"+
		"\x1b[2m   14:24  \x1b[0m \x1b[33mwarning\x1b[0m \x1b[2munit-missing          \x1b[0m max speed: in what unit?\n"+
		"\x1b[2m   16:18  \x1b[0m \x1b[31merror  \x1b[0m \x1b[2mroot-union            \x1b[0m oneOf stands at the root of the input\n"+
		"\x1b[1msay\x1b[0m\n"+
		"\x1b[2m   25:22  \x1b[0m \x1b[33mwarning\x1b[0m \x1b[2museless-description   \x1b[0m \"Say\" says no more than the name\n"+
		"\x1b[2m   26:23  \x1b[0m \x1b[33mwarning\x1b[0m \x1b[2mparameter-undocumented\x1b[0m text: no description\n"+
		"\x1b[2m   26:84  \x1b[0m \x1b[31merror  \x1b[0m \x1b[2mmisspelt-keyword      \x1b[0m \"maxLenght\" means nothing in JSON Schema: maxLength is meant\n", out.String())
}

// The same in a real terminal, which script(1) makes.
func TestColourOnATerminal(t *testing.T) {
	terminal, err := exec.LookPath("script")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("script is missing: apt-get install bsdutils")
		}
		t.Skip("TestColourOnATerminal: script is missing: apt-get install bsdutils")
	}
	run := func(variables ...string) string {
		cmd := exec.CommandContext(t.Context(), terminal, "-qec", program+" lint offline/manifest.json", os.DevNull)
		cmd.Dir = "testdata"
		cmd.Env = append(append(os.Environ(), "TERM=xterm"), variables...)
		out, _ := cmd.CombinedOutput()
		return string(out)
	}
	require.Contains(t, run("NO_COLOR="), "\x1b[31merror  \x1b[0m")
	require.Contains(t, run("NO_COLOR=1"), "offline/manifest.json:16:18: error: walk_to: oneOf stands at the root of the input [root-union]")
	require.NotContains(t, run("NO_COLOR=1"), "\x1b", "a colour, or a question to the terminal: package quiet")
	require.NotContains(t, run("NO_COLOR=", "TERM=dumb"), "\x1b")
}
