package main

import (
	"bytes"
	"encoding/json"
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
		"--llm x --max-calls -1":         "aicc agent: --max-calls -1: a number of at least 0 was wanted\n",
		"--llm x --key-file " + empty:    "aicc agent: " + empty + " holds no key\n",
		"--llm x --key-file " + bad:      "aicc agent: the key is none: it is printable ASCII without spaces\n",
		"--llm x --persona missing-file": "aicc agent: open missing-file: no such file or directory\n",
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
