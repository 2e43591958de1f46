package play

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
	"aicc.dev/libaicc/cmd/aicc/live/livetest"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

// run runs the command to its end.
func run(t *testing.T, env []string, input string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), program(t), args...)
	c.Stdin = strings.NewReader(input)
	c.Env = append(os.Environ(), append([]string{"AICC_TOKEN="}, env...)...)
	var out, err bytes.Buffer
	c.Stdout, c.Stderr = &out, &err
	failed := c.Run()
	var exit *exec.ExitError
	if errors.As(failed, &exit) {
		return exit.ExitCode(), out.String(), err.String()
	}
	require.NoError(t, failed)
	return 0, out.String(), err.String()
}

var times = regexp.MustCompile(`[0-9.]+ (us|ms|s)\b|"ms":[0-9.]+|tick": ?[0-9]+|tick [0-9]+`)

func TestLines(t *testing.T) {
	g := livetest.Yard(t, transport.Options{}, "guard")
	for _, one := range []struct {
		input  string
		status int
		want   string // behind the greeting
	}{
		{"", 0, ""},
		{"look\n", 0, "call 1 look {}\nresult 1 look {\"at\": [4, 9], \"light\": 3, \"sees\": [\"a thief with a sack\", \"a cat\"], \"map\": {\"gate\": [4, 9], \"store\": [31, 2]}} (T, T)\n"},
		{"# nothing\n\nbreak_down", 1, "call 1 break_down {}\nresult 1 break_down failed: execution_failed: the door is stronger (T)\n"},
		{"shout", 1, "call 1 shout {}\nresult 1 shout failed: tool_unavailable: out of breath (again in T) (T)\n"},
		{"walk_to place=moon", 1, "not sent: /place: wanted one of \"gate\", \"yard\", \"tower\", \"store\" or \"well\"; got \"moon\"\n"},
		{"walk_to place=", 1, "not sent: /place: wanted one of \"gate\", \"yard\", \"tower\", \"store\" or \"well\"; got \"\"\n"},
		{"walk_to", 1, "not sent: /place: wanted one of \"gate\", \"yard\", \"tower\", \"store\" or \"well\", required; got nothing\n"},
		{"walk_to place", 1, "not sent: column 9: \"place\" is no name=text, name:=JSON or {...}\n"},
		{"\x1b[2J", 1, "not sent: column 1: \"\\x1b[2J\" is no name of a tool: they are of a to z, 0 to 9 and _\n"},
		{":tool walk_to", 0, "walk_to (actuator): Walks to a place; reports on the way.\n  place*  gate|yard|tower|store|well: where to\n" +
			"  speed  number 0.5 to 9, else 1.5: metres a second\n  quietly  true|false\n  with  object\n"},
		{":tool fly", 1, "the character has no tool \"fly\"; it has look, walk_to, say, shout, break_down, wait\n"},
		{":say text=\"good night\"", 0, "said: {\"text\": \"good night\"}\n"},
		{":stats", 0, "connections 1, resumed 0, sessions lost 0\ncalls 0, results 0, duplicates dropped 0, events missed 0, bad messages 0\n"},
		{":filter collision\nlook", 0, ""},
		{":filter noise", 1, "\"noise\" is nothing to filter by: there are tick, collision, audio, state_change, agent_message, events, calls, connection, all\n"},
		{":pause", 1, ":pause is for a terminal\n"},
		{":fly", 1, "there is no :fly: there are :help :quit :tools :tool :filter :pause :clear :say :refresh :stats\n"},
		{":help", 0, Help + "\n"},
		{":q\nlook", 0, ""},
	} {
		status, out, stderr := run(t, nil, one.input, "play", g.Address)
		require.Empty(t, stderr)
		rest, ok := strings.CutPrefix(out, "connection: connected\nplays guard of back yard at "+g.Address+"\ntools: look, walk_to, say, shout, break_down, wait\n")
		require.True(t, ok, out)
		rest = times.ReplaceAllString(rest, "T")
		require.Equal(t, one.want, rest, one.input)
		require.Equal(t, one.status, status, one.input)
	}
	require.Contains(t, g.Said(), `{"text":"good night"}`)
}

func TestLinesJSON(t *testing.T) {
	g := livetest.Yard(t, transport.Options{}, "guard")
	c := exec.CommandContext(t.Context(), program(t), "play", g.Address, "--json")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	read := json.NewDecoder(out)
	next := func() (one map[string]any) {
		require.NoError(t, read.Decode(&one))
		for _, name := range []string{"ms", "tick", "tools"} {
			delete(one, name)
		}
		return one
	}
	type m = map[string]any
	require.Equal(t, m{"type": "connection", "state": "connecting"}, next())
	require.Equal(t, m{"type": "connection", "state": "up"}, next())
	require.Equal(t, m{"type": "tools", "world": "back yard", "character": "guard"}, next())
	say := func(line string) {
		_, err := io.WriteString(in, line+"\n")
		require.NoError(t, err)
	}
	say("say text=hi")
	require.Equal(t, m{"type": "call", "call": 1.0, "tool": "say", "input": m{"text": "hi"}}, next())
	require.Equal(t, m{"type": "result", "call": 1.0, "tool": "say", "ok": true, "output": m{"did": m{"text": "hi"}}}, next())
	say("shout")
	next()
	require.Equal(t, m{"type": "result", "call": 2.0, "tool": "shout", "ok": false, "code": "tool_unavailable", "message": "out of breath", "retryable": true, "retry_after_ms": 60.0}, next())
	g.Emit(message.TopicAudio, `{"sound":"bell"}`)
	require.Equal(t, m{"type": "event", "topic": "audio", "payload": m{"sound": "bell"}}, next())
	say("fly")
	require.Equal(t, m{"type": "error", "message": "not sent: the character has no tool fly; it has look, walk_to, say, shout, break_down, wait"}, next())
	g.Cut()
	require.Equal(t, m{"type": "connection", "state": "down", "message": "the game has closed the connection: cut by the test"}, next())
	require.Equal(t, m{"type": "connection", "state": "waiting"}, next())
	require.Equal(t, m{"type": "connection", "state": "connecting"}, next())
	require.Equal(t, m{"type": "connection", "state": "up"}, next())
	require.Equal(t, "tools", next()["type"])
	say("look")
	require.Equal(t, "call", next()["type"])
	require.Equal(t, true, next()["ok"])
	require.NoError(t, in.Close())
	require.Error(t, c.Wait(), "status 1: a line was wrong")
	require.Equal(t, 1, c.ProcessState.ExitCode())
}

// What keeps the command from joining is said in words that help.
func TestJoinErrors(t *testing.T) {
	g := livetest.Yard(t, transport.Options{Token: "s3cret"}, "guard", "cook")
	a := g.Address
	file := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(file, []byte("s3cret\n"), 0o600))
	require.NoError(t, os.WriteFile(file+".empty", nil, 0o600))
	for _, verb := range [][]string{{"play"}, {"agent", "--script", filepath.Join(ctest.Root(), "examples/agents/guard.aicc")}, {"bench", "--tool", "look", "--calls", "1"}} {
		for _, one := range []struct{ args, want string }{
			{a, "the game at " + a + " asks for its token: give --token-file FILE, or set AICC_TOKEN"},
			{a + " --wait 10m --token wrong", "the game at " + a + " does not take this token: give the one that it was given, by --token-file FILE or AICC_TOKEN"},
			{a + " --token-file " + file + " --character smith", "there is no smith at " + a + ": `aicc play " + a + " --list` shows what there is"},
			{a + "/aicc/moon --token-file " + file, "there is no character of moon at " + a + ": `aicc play " + a + " --list` shows what there is"},
			{a + " --token-file " + file + ".empty", file + ".empty holds no token"},
			{"127.0.0.1:1", "nothing listens at 127.0.0.1:1: is the game running, and does it listen? A game that listens says its address"},
			{"localhost", `"localhost" names no port: a game that listens says it, like 127.0.0.1:4100`},
			{"ftp://" + a, `"ftp://" cannot be spoken here: give ws://, wss://, http://, https://, or only host:port`},
		} {
			status, _, stderr := run(t, nil, "", append(append([]string{}, verb...), strings.Fields(one.args)...)...)
			require.Equal(t, 2, status)
			line, _, _ := strings.Cut(stderr, "\n")
			require.Equal(t, "aicc "+verb[0]+": "+one.want, line)
		}
	}
	status, out, _ := run(t, []string{"AICC_TOKEN=s3cret"}, "", "play", a, "--character", "cook")
	require.Zero(t, status)
	require.Contains(t, out, "plays cook of back yard")

	// A character that is taken.
	held := exec.CommandContext(t.Context(), program(t), "play", a, "--character", "guard", "--token-file", file)
	in, err := held.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, held.Start())
	require.Eventually(t, func() bool { return g.Connected() == 1 }, patience, tick)
	status, _, stderr := run(t, nil, "", "play", a, "--character", "guard", "--token-file", file)
	require.Equal(t, 2, status)
	require.Equal(t, "aicc play: guard of back yard at "+a+" is taken: character \"guard\" has an agent: ask for another one, or connect again when it has left; `aicc play "+a+" --list` shows who is free\n", stderr)
	status, out, _ = run(t, nil, "", "play", a, "--token-file", file)
	require.Zero(t, status)
	require.Contains(t, out, "plays cook of back yard", "the first that is free")
	require.NoError(t, in.Close())
	require.NoError(t, held.Wait())
}

func TestList(t *testing.T) {
	g := livetest.Yard(t, transport.Options{Token: "s3cret"}, "guard", "cook")
	env := []string{"AICC_TOKEN=s3cret"}
	status, out, stderr := run(t, env, "", "play", g.Address, "--list")
	require.Zero(t, status, stderr)
	require.Equal(t, "guard                back yard                free\ncook                 back yard                free\n", out)
	status, out, _ = run(t, env, "", "play", g.Address+"?character=cook", "--list", "--json")
	require.Zero(t, status)
	require.Equal(t, `[{"world":"back yard","character":"cook","state":"free"}]`+"\n", out)
	status, out, _ = run(t, env, "", "play", g.Address, "--list", "--character", "smith")
	require.Equal(t, 1, status)
	require.Empty(t, out)
	require.Zero(t, g.Connected())
}

// A script from standard input, against a game that is not there yet.
func TestScriptWaitsForTheGame(t *testing.T) {
	g := livetest.Yard(t, transport.Options{}, "guard")
	address := g.Address
	g.Stop()
	var port int
	_, err := fmt.Sscanf(address[strings.LastIndex(address, ":")+1:], "%d", &port)
	require.NoError(t, err)
	type ended struct {
		status      int
		out, stderr string
	}
	done := make(chan ended, 1)
	program(t)
	go func() {
		status, out, stderr := run(t, nil, "call look as seen\nexpect seen.light == 3 # as ever\n", "agent", address, "--script", "-", "--wait", "1m")
		done <- ended{status, out, stderr}
	}()
	livetest.Yard(t, transport.Options{Port: port}, "guard")
	end := <-done
	require.Zero(t, end.status, end.stderr)
	require.Equal(t, "plays guard of back yard at "+address+`
   1  call look {} as seen
      -> seen {"at": [4, 9], "light": 3, "sees": ["a thief with a sack", "a cat"], "map": {"gate": [4, 9], "store": [31, 2]}}  (T, T)
   2  expect seen.light == 3 # as ever: holds
`, times.ReplaceAllString(end.out, "T"))
	require.Equal(t, "- holds: 2 steps, 1 calls, 0 events in T\n", times.ReplaceAllString(end.stderr, "T"))
}
