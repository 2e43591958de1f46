package mcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/live/livetest"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

// Before the game runs, and while it is away, calls say so; the tools come with it, and are others if it has others.
func TestGameComesAndGoes(t *testing.T) {
	for name, make := range clients {
		t.Run(name, func(t *testing.T) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			require.NoError(t, err)
			address := l.Addr().String()
			require.NoError(t, l.Close())
			f := open(t, address)
			c := make(t, f)
			require.Equal(t, []string{"wait-for-event"}, c.names())
			require.Equal(t, `error: game_unreachable: there is no tool "look" now: nothing listens at `+address+
				": the game does not run, or does not listen; it is tried again; nothing was done\nRetryable: yes.\nWhat to do: wait, for instance with wait-for-event, then call again; if it stays so, tell the user.",
				text(c.call("look", `{}`)))
			require.Contains(t, c.read("aicc://world"), `{"game":"unreachable","why":"game_unreachable: nothing listens at `+address+`: the game does not run, or does not listen; it is tried again"`)

			y := (&yard{Game: &livetest.Game{Address: address}}).again(t)
			eventually(t, "the client hears of it", func() bool { return c.heard(func() bool { return c.lists > 0 }) })
			require.Equal(t, all, c.names())
			require.False(t, c.call("look", `{}`).IsError)

			y.Stop()
			eventually(t, "it is away", func() bool { return !f.game.now().up })
			require.Equal(t, all, c.names(), "the tools stay: a model that calls them is told")
			require.Contains(t, text(c.call("look", `{}`)), "error: game_unreachable: nothing listens at "+address)
			require.Contains(t, text(c.call("wait-for-event", `{"timeout_seconds":0}`)), `"game":"unreachable","why":"game_unreachable: nothing listens at `+address+`: the game does not run, or does not listen; it is tried again"}`)

			before := c.heardLists()
			y = y.again(t)
			f.ready(t)
			require.False(t, c.call("look", `{}`).IsError)
			y.Change(livetest.YardTools()[:1])
			eventually(t, "the client hears of it", func() bool { return c.heardLists() > before })
			y.Stop()
			eventually(t, "it is away", func() bool { return !f.game.now().up })
			before = c.heardLists()
			y.again(t)
			eventually(t, "the client hears of it", func() bool { return c.heardLists() > before })
			require.Equal(t, all, c.names())
			got := text(c.call("wait-for-event", `{"after":0,"topics":["connection"]}`))
			require.Equal(t, 3, strings.Count(got, `{"game":"connected"}`), got)
			require.Equal(t, 2, strings.Count(got, `{"game":"unreachable","retrying":true}`), got)
		})
	}
}

func (c *client) heardLists() (n int) {
	c.note(func() { n = c.lists })
	return n
}

// A call whose connection is lost goes on where the session does.
func TestCutInTheMiddle(t *testing.T) {
	y := start(t, transport.Options{})
	f := open(t, y.Address).ready(t)
	c := clients["memory classic"](t, f)
	one := stay(func() string { return text(c.call("hold", `{}`)) })
	<-y.holds
	y.Cut()
	eventually(t, "it is back", func() bool { s := f.game.now(); return s.up && s.agent.Stats().Resumes == 1 })
	close(y.held)
	require.Equal(t, `{"held":true}`, <-one)
}

// Where the game has begun anew, or does not come back, the outcome of a call is not known.
func TestGameDiesInTheMiddle(t *testing.T) {
	y := start(t, transport.Options{}).burn(t)
	f := open(t, y.Address).ready(t)
	c := clients["memory classic"](t, f)
	hold := func() chan string { return stay(func() string { return text(c.call("hold", `{}`)) }) }
	one := hold()
	<-y.holds
	stop := stay(func() bool { y.Stop(); return true })
	eventually(t, "it is away", func() bool { return !f.game.now().up })
	close(y.held)
	<-stop
	again := y.again(t)
	require.Equal(t, "error: outcome_unknown: the game's session ended while the call was open: it may have been done, or not\nRetryable: no.\n"+
		"What to do: look at what has happened before you call again.", <-one)

	f.ready(t)
	one = hold()
	<-again.holds
	stop = stay(func() bool { again.Stop(); return true })
	require.Equal(t, "error: outcome_unknown: the game is not reachable since the call was sent, it is tried again: it may be done, or not\nRetryable: no.\n"+
		"What to do: look at what has happened before you call again. If the result still comes, wait-for-event brings it under the topic late_result.", <-one)
	close(again.held)
	<-stop
}

// The character is free as soon as a client that was started for it has gone, for the one that is started next.
func TestClientRestarts(t *testing.T) {
	y := start(t, transport.Options{})
	for range 3 {
		f := open(t, y.Address)
		in, client := io.Pipe()
		out, server := io.Pipe()
		served := stay(func() error { return f.Serve(t.Context(), in, server) })
		c := connect(t, &sdk.IOTransport{Reader: out, Writer: client}, classic)
		f.ready(t)
		require.False(t, c.call("look", `{}`).IsError)
		require.NoError(t, client.Close()) // end of its standard input
		require.NoError(t, <-served)
		f.Close()
		eventually(t, "the character is free", func() bool { return y.Connected() == 0 })
	}
}

// A client that goes in the middle of a call takes nothing with it.
func TestClientDiesInTheMiddle(t *testing.T) {
	y := start(t, transport.Options{})
	f := open(t, y.Address).ready(t)
	in, client := io.Pipe()
	out, server := io.Pipe()
	served := stay(func() error { return f.Serve(t.Context(), in, server) })
	c := connect(t, &sdk.IOTransport{Reader: out, Writer: client}, classic)
	go func() { _, _ = c.CallTool(t.Context(), &sdk.CallToolParams{Name: "hold"}) }()
	<-y.holds
	require.NoError(t, client.Close())
	require.NoError(t, <-served)
	close(y.held)
	f.Close()
	eventually(t, "the character is free", func() bool { return y.Connected() == 0 })
}

// Clients over HTTP come and go; the character stays, and all of them share it.
func TestClientsShareTheCharacter(t *testing.T) {
	y := start(t, transport.Options{})
	f := open(t, y.Address).ready(t)
	endpoint := serve(t, f, HTTP{}) + Path
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			c := connect(t, &sdk.StreamableClientTransport{Endpoint: endpoint}, map[bool]string{true: modern, false: classic}[i%2 == 0])
			for n := range 25 {
				r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "say", Arguments: json.RawMessage(fmt.Sprintf(`{"text":"%d %d"}`, i, n))})
				if err != nil || text(r) != fmt.Sprintf(`{"did":{"text":"%d %d"}}`, i, n) {
					t.Errorf("%d %d: %v %s", i, n, err, text(r))
				}
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	require.Equal(t, 200, y.Calls())
	require.Equal(t, 1, y.Connected())
}

// Without a name the first character that is free is taken, and kept.
func TestFirstFree(t *testing.T) {
	y := start(t, transport.Options{}, "guard", "smith")
	one := open(t, y.Address).ready(t)
	two := open(t, y.Address).ready(t)
	three := open(t, y.Address)
	require.Equal(t, "guard of back yard at "+y.Address, one.game.place().String())
	require.Equal(t, "smith of back yard at "+y.Address, two.game.place().String())
	eventually(t, "no character is free", func() bool {
		why := three.game.now().why
		return why != nil && strings.Contains(why.Error(), "no character is free at")
	})
	y.Cut()
	for _, f := range []*Front{one, two} {
		eventually(t, "it is back", func() bool { s := f.game.now(); return s.up && s.agent.Stats().Resumes == 1 })
	}
	require.Equal(t, "guard", one.game.place().Character)
	require.Equal(t, "smith", two.game.place().Character)
	one.Close()
	three.ready(t)
	require.Equal(t, "guard", three.game.place().Character)
	y.Stop()
	y = y.again(t, "miller", "smith")
	eventually(t, "it has another", func() bool { return three.game.now().up && three.game.place().Character == "miller" })
	eventually(t, "it has its own", func() bool { return two.game.now().up && y.Connected() == 2 })
	require.Equal(t, "smith", two.game.place().Character)

	y = start(t, transport.Options{}, "guard", "smith")
	named := open(t, y.Address+"?character=smith").ready(t)
	require.Equal(t, "smith", named.game.place().Character)
	missing := open(t, y.Address+"?character=king")
	eventually(t, "it is not there", func() bool {
		why := missing.game.now().why
		return why != nil && strings.Contains(why.Error(), `there is no character "king"`)
	})
}

// A token that is refused is told; it is not tried all the time.
func TestTokenIsRefused(t *testing.T) {
	y := start(t, transport.Options{Token: "s3cret"})
	f := open(t, y.Address+"?character=guard")
	eventually(t, "it is refused", func() bool {
		why := f.game.now().why
		return why != nil && strings.Contains(why.Error(), "asks for its token")
	})
	g := open(t, y.Address, func(o *Options) { o.Token = "s3cret" }).ready(t)
	require.False(t, clients["memory classic"](t, g).call("look", `{}`).IsError)
}

// Another agent that has taken the character keeps it.
func TestReplaced(t *testing.T) {
	y := start(t, transport.Options{})
	f := open(t, y.Address).ready(t)
	c := clients["memory classic"](t, f)
	f.game.change(func() { f.game.over = agent.ErrReplaced })
	require.Equal(t, "error: character_taken: another agent has taken the character, which is no longer played from here; nothing was done\n"+
		"Retryable: no.\nWhat to do: tell the user: this MCP server has to be started anew to take the character back.", text(c.call("look", `{}`)))
}

// More calls than the game takes at once wait for it, and no more than that.
func TestTooManyCalls(t *testing.T) {
	y := start(t, transport.Options{})
	f := open(t, y.Address).ready(t)
	c := clients["memory classic"](t, f)
	var wg sync.WaitGroup
	for range maxRunning {
		wg.Go(func() { _ = c.call("hold", `{}`) })
	}
	eventually(t, "all wait", func() bool { f.mu.Lock(); defer f.mu.Unlock(); return len(f.running) == maxRunning })
	require.Contains(t, text(c.call("look", `{}`)), "error: too_many_calls: 64 calls are waiting for the game")
	close(y.held)
	go func() {
		for range y.holds { // let them all begin
		}
	}()
	wg.Wait()
	close(y.holds)
	require.False(t, c.call("look", `{}`).IsError)
}

func TestFeedIsBounded(t *testing.T) {
	f := newFeed(func(string) {})
	for i := range 2 * maxEntries {
		f.add(&agent.Event{Topic: message.TopicAudio, Payload: []byte(fmt.Sprintf(`{"n":%d}`, i))})
	}
	s := f.after(0, nil, 1000, maxKept)
	require.Len(t, s.entries, maxEntries)
	require.EqualValues(t, maxEntries, s.lost)
	require.EqualValues(t, 2*maxEntries, s.last)
	require.False(t, s.left)
	s = f.after(0, nil, 10, maxKept)
	require.Len(t, s.entries, 10)
	require.EqualValues(t, maxEntries+10, s.last)
	require.True(t, s.left)
	s = f.after(s.last, []string{"tick"}, 10, maxKept)
	require.Empty(t, s.entries)
	require.EqualValues(t, 2*maxEntries, s.last)
	large := []byte(`{"text":"` + strings.Repeat("x", 60<<10) + `"}`)
	for range 100 {
		f.add(&agent.Event{Topic: message.TopicAudio, Payload: large})
	}
	require.LessOrEqual(t, f.kept, maxKept)
	s = f.after(0, nil, 1000, 64<<10)
	require.Len(t, s.entries, 1)
	require.True(t, s.left)
	s = f.after(1<<60, nil, 1000, maxKept)
	require.NotEmpty(t, s.entries, "a number of another run")
}
