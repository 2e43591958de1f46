package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/live/livetest"
	"aicc.dev/libaicc/cmd/aicc/llm/fakemodel"
	"aicc.dev/libaicc/core/transport"
)

// modelPlays runs the command against a small game and a fake model.
func modelPlays(t *testing.T, s *fakemodel.Server, env []string, args ...string) (c *exec.Cmd, out, err *bytes.Buffer) {
	t.Helper()
	g := livetest.Yard(t, transport.Options{}, "guard")
	c = exec.CommandContext(t.Context(), program, append([]string{"agent", g.Address, "--llm", s.URL, "--model", "m"}, args...)...)
	c.Dir = "testdata"
	c.Env = append(append(os.Environ(), "AICC_LLM_KEY=", "OPENAI_API_KEY="), env...)
	out, err = &bytes.Buffer{}, &bytes.Buffer{}
	c.Stdout, c.Stderr = out, err
	return c, out, err
}

func statusOf(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	return exit.ExitCode()
}

// A whole play as a process: what it writes, where the key goes and where it does not, and its status.
func TestModelPlays(t *testing.T) {
	const key = "sk-very-secret"
	dir := t.TempDir()
	file := filepath.Join(dir, "key")
	require.NoError(t, os.WriteFile(file, []byte(key+"\n"), 0o600))
	persona := filepath.Join(dir, "persona.md")
	require.NoError(t, os.WriteFile(persona, []byte("You are a smith."), 0o600))
	look := fakemodel.Answer{Text: "Hm.", Calls: []fakemodel.Call{{ID: "a", Name: "look", Args: "{}"}}, Prompt: 5, Out: 2}.Stream()
	for name, c := range map[string]struct {
		env  []string
		args []string
	}{
		"a file":         {[]string{"AICC_LLM_KEY=other", "OPENAI_API_KEY=another"}, []string{"--key-file", file}},
		"AICC_LLM_KEY":   {[]string{"AICC_LLM_KEY=" + key, "OPENAI_API_KEY=another"}, nil},
		"OPENAI_API_KEY": {[]string{"OPENAI_API_KEY=" + key}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := fakemodel.New(t, look, fakemodel.Status(401, `{"error":{"message":"no: `+key+`"}}`))
			log := filepath.Join(t.TempDir(), "log")
			cmd, out, stderr := modelPlays(t, s, c.env, append(c.args, "--persona", persona, "--log", log, "--set", "temperature=0.5", "--set", "stop=x", "--reply-tokens", "50")...)
			require.Equal(t, 8, statusOf(t, cmd.Run()), stderr.String())
			q := s.Requests()
			require.Len(t, q, 2)
			require.Equal(t, "Bearer "+key, q[0].Header.Get("Authorization"))
			require.True(t, strings.HasPrefix(q[0].Messages[0].Content, "You are a smith.\n\n# The game\n\nYou play the character \"guard\" in the world \"back yard\""), q[0].Messages[0].Content)
			require.Contains(t, q[0].Text, `"stop":"x","stream":true`)
			require.Contains(t, q[0].Text, `"temperature":0.5`)
			require.Equal(t, 50, q[0].MaxTokens)
			require.Contains(t, q[1].Last("tool"), `"sees":["a thief with a sack","a cat"]`)
			info, err := os.Stat(log)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o600), info.Mode())
			text, err := os.ReadFile(log)
			require.NoError(t, err)
			for _, text := range []string{out.String(), stderr.String(), string(text)} {
				require.NotContains(t, text, key)
			}
			require.Regexp(t, `(?s)^ +[0-9.]+ s  game     connected\n.* s  says     Hm\.\n.* s  calls    look \{\}\n.* s  result   look ok .*\n.* s  end      the model's server says 401 unauthorized: no: \[key\]; is the key the right one for this server\?: 1 turn, 1 call, 7 tokens in .*\n$`, out.String())
			require.Empty(t, stderr.String())
			lines := strings.Split(strings.TrimSpace(string(text)), "\n")
			var end struct {
				Do, Why string
				Status  int
			}
			require.NoError(t, json.Unmarshal([]byte(lines[len(lines)-1]), &end))
			require.Equal(t, "end model 8", fmt.Sprint(end.Do, " ", end.Why, " ", end.Status))
		})
	}
	s := fakemodel.New(t, look, look)
	cmd, out, _ := modelPlays(t, s, nil, "--max-calls", "1", "--json")
	require.Equal(t, 4, statusOf(t, cmd.Run()))
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		require.True(t, json.Valid([]byte(line)), line)
	}
	require.Empty(t, s.Requests()[0].Header.Get("Authorization"))
	require.Contains(t, s.Requests()[0].Messages[0].Content, "You play a character in a game.")
}

// Ctrl-C is a polite end.
func TestModelInterrupted(t *testing.T) {
	s := fakemodel.New(t, fakemodel.Do("waitForEvents", `{"seconds":600}`))
	cmd, out, _ := modelPlays(t, s, nil)
	require.NoError(t, cmd.Start())
	<-s.Asked()
	require.NoError(t, cmd.Process.Signal(syscall.SIGINT))
	require.Equal(t, 0, statusOf(t, cmd.Wait()))
	require.Contains(t, out.String(), " s  end      interrupted: ")
}

func TestModelUsage(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	bad := filepath.Join(t.TempDir(), "bad")
	require.NoError(t, os.WriteFile(bad, []byte("two words"), 0o600))
	huge := filepath.Join(t.TempDir(), "huge")
	require.NoError(t, os.WriteFile(huge, bytes.Repeat([]byte{0xFF, 0, 0x9A}, 1_000_000), 0o600))
	for args, want := range map[string]string{
		"":                               "aicc agent: who plays is not said: give --script FILE, or --llm BASE_URL and --model NAME\n",
		"--llm x":                        "aicc agent: which model? Give --model NAME\n",
		"--llm x --script y":             "aicc agent: --script and --llm were both given: one of them plays\n",
		"--llm ftp://x":                  "aicc agent: --llm wants the address of a server, such as http://127.0.0.1:11434/v1\n",
		"--llm http://k:s@x":             "aicc agent: a key does not belong in the address: give it by --key-file, AICC_LLM_KEY or OPENAI_API_KEY\n",
		"--llm http://x/v1?a=b":          "aicc agent: the address of the model's server has a query: give what stands before the ?\n",
		"--llm x --thoughts no":          "aicc agent: --thoughts no: never, always or asked was wanted\n",
		"--llm x --set a":                "aicc agent: --set a: NAME=VALUE was wanted\n",
		"--llm x --set tools=1":          "aicc agent: --set tools: this command sets it itself\n",
		"--llm x --max-calls -1":         "aicc agent: invalid value \"-1\" for flag -max-calls: a whole number of at least 0 was wanted\n",
		"--llm x --max-turns many":       "aicc agent: invalid value \"many\" for flag -max-turns: a whole number of at least 0 was wanted\n",
		"--llm x --parallel 0":           "aicc agent: invalid value \"0\" for flag -parallel: a whole number from 1 to 64 was wanted\n",
		"--llm x --parallel 65":          "aicc agent: invalid value \"65\" for flag -parallel: a whole number from 1 to 64 was wanted\n",
		"--llm x --context 10":           "aicc agent: invalid value \"10\" for flag -context: a whole number from 2000 to 10000000 was wanted\n",
		"--llm x --reply-tokens -1":      "aicc agent: invalid value \"-1\" for flag -reply-tokens: a whole number from 0 to 1000000 was wanted\n",
		"--llm x --max-time 5":           "aicc agent: invalid value \"5\" for flag -max-time: a time has a unit: give 5s\n",
		"--llm x --max-time 1.5":         "aicc agent: invalid value \"1.5\" for flag -max-time: a time has a unit: give 1.5s\n",
		"--llm x --max-time -5s":         "aicc agent: invalid value \"-5s\" for flag -max-time: a time of at least 0s was wanted\n",
		"--llm x --max-time soon":        "aicc agent: invalid value \"soon\" for flag -max-time: a time such as 90s or 10m was wanted\n",
		"--llm x --llm-idle 0":           "aicc agent: invalid value \"0\" for flag -llm-idle: a time from 1s to 1h was wanted\n",
		"--llm x --llm-idle 2h":          "aicc agent: invalid value \"2h\" for flag -llm-idle: a time from 1s to 1h was wanted\n",
		"--llm x --persona=":             "aicc agent: invalid value \"\" for flag -persona: the name of a file was wanted\n",
		"--llm x --persona " + empty:     "aicc agent: --persona " + empty + ": it is empty: write there who the character is, or leave the option away\n",
		"--llm x --persona " + huge:      "aicc agent: --persona " + huge + ": it has 3000000 bytes, and a persona at most 65536: say in a page or two who the character is\n",
		"--llm x --persona .":            "aicc agent: --persona .: is a directory\n",
		"--llm x --key-file missing":     "aicc agent: --key-file missing: no such file or directory\n",
		"--llm x --log missing/log":      "aicc agent: --log missing/log: no such file or directory\n",
		"--llm x --key-file " + empty:    "aicc agent: " + empty + " holds no key\n",
		"--llm x --key-file " + bad:      "aicc agent: the key is none: it is printable ASCII without spaces\n",
		"--llm x --persona missing-file": "aicc agent: --persona missing-file: no such file or directory\n",
	} {
		words := strings.Fields(args)
		if strings.HasPrefix(args, "--llm") && args != "--llm x" && !strings.Contains(args, "--script") {
			words = append(words, "--model", "m")
		}
		code, out, stderr := aicc(t, "", append([]string{"agent", "127.0.0.1:1"}, words...)...)
		require.Equal(t, exitWrong, code, args)
		require.Empty(t, out)
		line, _, _ := strings.Cut(stderr, "\n")
		require.Equal(t, want, line+"\n")
	}
	code, out, _ := aicc(t, "", "help", "agent")
	require.Zero(t, code)
	require.NotContains(t, out, "--key KEY")
	require.Contains(t, out, "  --key-file FILE\n")
}

// A persona is a text of some length; what is none is refused with what to do.
func TestPersonas(t *testing.T) {
	for text, want := range map[string]string{
		"You are a guard.\n":                   "You are a guard.",
		"\uFEFFYou are\r\n\ta wäch\u00a0ter. ": "You are\r\n\ta wäch\u00a0ter.",
		strings.Repeat("word ", 6400):          strings.TrimSpace(strings.Repeat("word ", 6400)),
		" \n\t":                                "!it is empty: write there who the character is, or leave the option away",
		"a guard\x00":                          "!it is no text: a persona is written in UTF-8",
		"a \x1b[31mguard":                      "!it is no text: a persona is written in UTF-8",
		"\xFF\xFEY\x00":                        "!it is no text: a persona is written in UTF-8",
		strings.Repeat("words ", 6000):         "!it has about 8999 tokens, which is more than half of --context 16000: shorten it, or raise --context",
		strings.Repeat("words", 14_000):        "!it has 70000 bytes, and a persona at most 65536: say in a page or two who the character is",
	} {
		got, err := personaOf([]byte(text), 16_000)
		if err != nil {
			got = "!" + err.Error()
		}
		require.Equal(t, want, got)
	}
}

// What an option is if it is not given, and its bounds, are in its help and in docs/llm.md.
func TestModelOptionsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/llm.md")
	require.NoError(t, err)
	flags := flag.NewFlagSet("agent", flag.ContinueOnError)
	addModelling(flags)
	_, out, _ := aicc(t, "", "help", "agent")
	n := 0
	flags.VisitAll(func(f *flag.Flag) {
		value, usage := flag.UnquoteUsage(f)
		require.Contains(t, out, fmt.Sprintf("  --%s %s\n      %s\n", f.Name, value, usage))
		_, row, ok := strings.Cut(string(page), fmt.Sprintf("\n| `--%s %s` | ", f.Name, value))
		require.True(t, ok, "docs/llm.md has no row for --%s %s", f.Name, value)
		row, _, _ = strings.Cut(row, "\n")
		if n++; f.Name == "llm" || f.Name == "model" { // one of them decides who plays, the other must be given
			return
		}
		at := strings.LastIndex(usage, " (default")
		require.Positive(t, at, "the help does not say what --%s is if it is not given", f.Name)
		words := strings.Split(strings.Trim(usage[at:], " ()"), "; ")
		if standard, ok := strings.CutPrefix(words[0], "default "); ok {
			require.Equal(t, f.DefValue, standard)
			require.True(t, strings.HasPrefix(row, "`"+standard+"` | "), "docs/llm.md says otherwise of --%s: %s", f.Name, row)
		}
		if len(words) > 1 {
			require.Contains(t, row, "| "+words[1]+" |")
		}
	})
	require.Equal(t, 15, n)
	require.Contains(t, out, "five times --llm-idle for the beginning of an answer")
}
