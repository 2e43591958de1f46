package mcp

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/transport"
)

// Who cannot get in is told why: people in one line, with what to type; models in words without, and whether it is worth to try again.
func TestCannotGetIn(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	open1 := func(t *testing.T) string { return start(t, transport.Options{}).Address }
	taken := func(t *testing.T) string {
		address := open1(t)
		open(t, address).ready(t)
		return address
	}
	guarded := func(t *testing.T) string { return start(t, transport.Options{Token: "s3cret"}).Address }
	for name, one := range map[string]struct {
		game          func(t *testing.T) string
		query, token  string
		code, text    string
		retry         bool
		people        string
		other, advice string
	}{
		"no game": {game: func(*testing.T) string { return closed.Addr().String() }, code: "game_unreachable", text: "nothing listens at ADDRESS: the game does not run, or does not listen", retry: true,
			people: "nothing listens at ADDRESS: is the game running, and does it listen? A game that listens says its address", advice: adviceWait},
		"taken": {game: taken, query: "?character=guard", code: "character_taken", text: "the character guard is played by another agent",
			people: "guard at ADDRESS is taken: character \"guard\" has an agent: ask for another one, or connect again when it has left; `aicc play ADDRESS --list` shows who is free", advice: adviceTell},
		"all taken": {game: taken, code: "character_taken", text: "every character of the game at ADDRESS has an agent",
			people: "no character is free at ADDRESS: there is guard of back yard (taken); try again when its agent has left", advice: adviceTell},
		"no token": {game: guarded, query: "?character=guard", code: "game_refuses", text: "the game at ADDRESS asks for its token, and this MCP server was started without",
			people: "the game at ADDRESS asks for its token: give --token-file FILE, or set AICC_TOKEN", advice: adviceTell},
		"no token for the list": {game: guarded, code: "game_refuses", text: "the game at ADDRESS asks for its token, and this MCP server was started without",
			people: "the game at ADDRESS asks for its token: give --token-file FILE, or set AICC_TOKEN", advice: adviceTell},
		"wrong token": {game: guarded, query: "?character=guard", token: "secret", code: "game_refuses", text: "the game at ADDRESS does not take the token that this MCP server was started with",
			people: "the game at ADDRESS does not take this token: give the one that it was given, by --token-file FILE or AICC_TOKEN", advice: adviceTell},
		"no such character": {game: open1, query: "?character=king", code: "character_missing", text: "the game at ADDRESS does not have the character king",
			people: "the game at ADDRESS refuses with 404: there is no character \"king\": ask for one of \"guard\"; GET / lists all", advice: adviceTell},
	} {
		t.Run(name, func(t *testing.T) {
			address := one.game(t)
			here := func(text string) string { return strings.ReplaceAll(text, "ADDRESS", address) }
			f := open(t, address+one.query, func(o *Options) { o.Token = one.token })
			c := clients["memory classic"](t, f)
			eventually(t, "people are told", func() bool { return f.o.Log.(*log).String() != "" })
			retry := map[bool]string{true: "yes", false: "no"}[one.retry]
			require.Equal(t, here("error: "+one.code+": there is no tool \"look\" now: "+one.text+"; it is tried again; nothing was done\nRetryable: "+retry+".\nWhat to do: "+one.advice),
				text(c.call("look", `{}`)))
			why := here(`"why":"` + one.code + ": " + one.text + `; it is tried again"}`)
			require.Equal(t, `{"events":[],"last":0,"game":"unreachable",`+why, text(c.call("wait-for-event", `{"timeout_seconds":0}`)))
			require.Contains(t, c.read(worldURI), strings.TrimSuffix(why, "}"))
			for range 3 { // it is said once, however often it fails
				f.game.hear(live.Change{Phase: live.Down, Err: f.game.now().why})
			}
			require.Equal(t, here("aicc mcp: cannot play, goes on trying: "+one.people+"\n"), f.o.Log.(*log).String())
		})
	}
}

// Another reason is another line, and so is the same one after the game was there.
func TestReasonsAreSaidOnce(t *testing.T) {
	y := start(t, transport.Options{})
	f := open(t, y.Address).ready(t)
	said := f.o.Log.(*log)
	one, two := errors.New("one"), errors.New("two")
	for _, err := range []error{one, one, two, two, one} {
		f.game.hear(live.Change{Phase: live.Down, Err: err})
	}
	f.game.learn(f.game.now().manifest)
	f.game.hear(live.Change{Phase: live.Down, Err: one})
	plays := "aicc mcp: plays guard of back yard at " + y.Address + "\n"
	const cannot = "aicc mcp: cannot play, goes on trying: "
	require.Equal(t, plays+cannot+"one\n"+cannot+"two\n"+cannot+"one\n"+plays+cannot+"one\n", said.String())
}

func TestDiagnose(t *testing.T) {
	const where = "game.example:4100"
	at := live.Target{Address: where, Character: "guard"}
	away := transport.TakenBy("guard", transport.Away).Message
	for _, one := range []struct {
		err       error
		want      string
		retryable bool
	}{
		{&agent.Refused{Status: 409, Message: away}, "character_reserved: the character guard is kept for the agent that played it last, which may come back until its time is over", true},
		{&agent.Ended{Code: transport.CloseTaken, Reason: away}, "character_reserved: the character guard is kept for the agent that played it last, which may come back until its time is over", true},
		{&agent.Ended{Code: transport.CloseTaken, Reason: "x"}, "character_taken: the character guard is played by another agent", false},
		{&agent.Refused{Status: 404, Message: transport.NotFound("character", "guard", nil).Message}, "character_missing: the game at game.example:4100 has no character yet", true},
		{&agent.Refused{Status: 403, Message: "x"}, "game_refuses: the game at game.example:4100 refuses this MCP server (403)", false},
		{&agent.Refused{Status: 429, Message: "x"}, "game_unreachable: the game at game.example:4100 cannot let this MCP server in now", true},
		{&agent.Refused{Status: 503, Message: "x"}, "game_unreachable: the game at game.example:4100 cannot let this MCP server in now", true},
		{&agent.Ended{Code: 1001, Reason: "the \x1b game ends"}, `game_unreachable: the game has closed the connection: the \x1b game ends`, true},
		{&agent.Ended{Code: 1001}, "game_unreachable: the game has closed the connection", true},
		{&net.DNSError{Err: "no such host", Name: "game.example"}, "game_unreachable: there is no machine called game.example", true},
		{errors.New("--token-file"), "game_unreachable: there is no connection to game.example:4100", true},
		{&vacant{errors.New("x"), false}, "character_missing: the game at game.example:4100 has no character yet", true},
		{nil, "game_unreachable: the first connection is being made", true},
	} {
		for _, err := range []error{one.err, live.Explain(one.err, at, "")} {
			r := diagnose(err, at, "")
			require.Equal(t, one.want, r.code+": "+r.text)
			require.Equal(t, one.retryable, r.retryable, one.want)
		}
	}
}

// A name that is nearly a tool's is answered with that tool.
func TestNearestTool(t *testing.T) {
	y := start(t, transport.Options{})
	c := clients["memory classic"](t, open(t, y.Address).ready(t))
	for name, near := range map[string]string{"walkTo": "walk_to", "Look": "look", "walk-to": "walk_to", "Walk To": "walk_to", "wait_for_event": "wait-for-event", "breakdown": "break_down", "lok": "look", "shoot": "shout"} {
		got := text(c.call(name, `{}`))
		require.Contains(t, got, fmt.Sprintf("error: tool_unknown: there is no tool %q: did you mean %s? There are: break_down, ", name, near))
		require.Contains(t, got, "What to do: call "+near+" if that is what you meant, or another one of these.")
	}
	for _, name := range []string{"fly", "", "attack_thief", strings.Repeat("look", 1000)} {
		require.NotContains(t, text(c.call(name, `{}`)), "did you mean")
	}
}
