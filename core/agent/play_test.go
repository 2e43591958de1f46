package agent

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/bridge"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

func TestPlay(t *testing.T) {
	g := newGame(t, 120_000, "npc")
	address := play(t, g, transport.Options{Token: "s3cret"})
	_, err := Connect(t.Context(), "ws://"+address+"/aicc?character=npc", Options{Token: "wrong"})
	require.EqualError(t, err, "the listener refuses with 401: this is not the listener's token: send the one that the game was given, in the header Authorization: Bearer TOKEN")
	_, err = Connect(t.Context(), "ws://"+address+"/aicc?character=smith", Options{Token: "s3cret"})
	require.EqualError(t, err, `the listener refuses with 404: there is no character "smith": ask for one of "npc"; GET / lists all`)

	heard := make(chan string, 10)
	a := join(t, address, Options{Token: "s3cret", OnManifest: func(m *message.Manifest) { heard <- fmt.Sprint(m.WorldName, " ", len(m.Tools)) }})
	require.Equal(t, "yard 1", <-heard)
	require.Equal(t, "go", a.Manifest().Tools[0].ID)
	_, err = Connect(t.Context(), "ws://"+address+"/aicc?character=npc", Options{Token: "s3cret"})
	require.EqualError(t, err, `the listener refuses with 409: character "npc" has an agent: ask for another one, or connect again when it has left`)

	type did struct{ Did struct{ X int } }
	out, err := Ask[did](t.Context(), a, "go", map[string]int{"x": 7})
	require.NoError(t, err)
	require.Equal(t, 7, out.Did.X)
	_, err = Ask[did](t.Context(), a, "go", map[string]bool{"fail": true})
	var tool *ToolError
	require.ErrorAs(t, err, &tool)
	require.EqualError(t, err, "go: execution_failed: no way")
	_, err = Ask[did](t.Context(), a, "fly", struct{}{})
	require.EqualError(t, err, `fly: tool_unknown: there is no tool "fly": use an id of the manifest, which manifest_request brings`)
	_, err = a.Call(t.Context(), "Fly", nil)
	require.EqualError(t, err, `"Fly" is no tool id: use one of the manifest`)
	_, err = a.Call(t.Context(), "go", []byte(`[1]`))
	require.EqualError(t, err, "a JSON object was wanted, array came")

	require.NoError(t, a.Say([]byte(`{"text":"hello"}`)))
	a.Refresh()
	require.Equal(t, "yard 1", <-heard)
	g.mu.Lock()
	require.Equal(t, []string{`{"text":"hello"}`}, g.messages)
	g.mu.Unlock()
	g.step(bridge.Record{Kind: bridge.RecEventJSON, Object: 1, Data: []byte(`{"sound":"bell"}`)})
	e, err := a.Event(t.Context())
	require.NoError(t, err)
	require.Equal(t, message.TopicAudio, e.Topic)
	require.Equal(t, `{"sound":"bell"}`, string(e.Payload))
	require.Equal(t, "yard", e.Meta.Source)

	g.step(bridge.Record{Kind: bridge.RecToolRemove, Object: 1})
	require.Equal(t, "yard 0", <-heard)
	require.Empty(t, a.Manifest().Tools)
	require.Equal(t, Stats{Connections: 1, Calls: 3, Results: 3}, a.Stats())
}

// A deadline ends the waiting, not the call; the error says whether it may have run.
func TestDeadline(t *testing.T) {
	g := newGame(t, 120_000, "npc")
	a := join(t, play(t, g, transport.Options{}), Options{MaxInFlight: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	slow := make(chan error)
	go func() {
		_, err := a.Call(ctx, "go", []byte(`{"ms":200}`))
		slow <- err
	}()
	eventually(t, "it is sent", func() bool { return a.Stats().Calls == 1 })
	_, err := a.Call(ctx, "go", nil) // waits for the first
	require.EqualError(t, err, "the call has not run: context deadline exceeded")
	require.ErrorIs(t, err, ErrNotRun)
	require.EqualError(t, <-slow, "the call was sent and its outcome is unknown: context deadline exceeded")
	r, err := a.Call(t.Context(), "go", nil)
	require.NoError(t, err)
	require.True(t, r.OK)
	s := a.Stats()
	require.EqualValues(t, 2, s.Calls)
	require.EqualValues(t, 1, s.Late)
	g.mu.Lock()
	require.Len(t, g.runs, 2)
	g.mu.Unlock()
}

// Good-bye gives open calls their outcome, and the character to the next.
func TestGoodbye(t *testing.T) {
	g := newGame(t, 120_000, "npc")
	address := play(t, g, transport.Options{})
	a := join(t, address, Options{})
	c, err := a.Start("go", []byte(`{"ms":300}`))
	require.NoError(t, err)
	eventually(t, "it runs", func() bool { g.mu.Lock(); defer g.mu.Unlock(); return len(g.runs) == 1 })
	a.Close(t.Context(), "bye")
	require.ErrorIs(t, a.Err(), ErrClosed)
	r, err := c.Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, message.SessionExpired, r.Code)
	_, err = a.Start("go", nil)
	require.ErrorIs(t, err, ErrClosed)
	_, err = a.Event(t.Context())
	require.ErrorIs(t, err, ErrClosed)
	b := join(t, address, Options{Patient: true})
	require.NotEqual(t, a.Session(), b.Session())
}

// Who is replaced stays away; otherwise two agents would take a character from each other for ever.
func TestReplaced(t *testing.T) {
	g := newGame(t, 120_000, "npc")
	address := play(t, g, transport.Options{Replace: true, Limits: transport.Limits{ResumeWait: 20 * time.Millisecond}})
	a := join(t, address, Options{})
	c, err := a.Start("go", []byte(`{"ms":500}`))
	require.NoError(t, err)
	eventually(t, "it runs", func() bool { g.mu.Lock(); defer g.mu.Unlock(); return len(g.runs) == 1 })
	b := join(t, address, Options{})
	<-a.Done()
	require.Equal(t, ErrReplaced, a.Err())
	_, err = c.Wait(t.Context())
	require.ErrorIs(t, err, ErrLost)
	require.NotEqual(t, a.Session(), b.Session())
	r, err := b.Call(t.Context(), "go", nil)
	require.NoError(t, err)
	require.True(t, r.OK)
}

// A reset begins a new session on the same connection. What was decided before it is not done after it, also where the call crossed the news of it.
func TestReset(t *testing.T) {
	g := newGame(t, 120_000, "npc")
	a := join(t, play(t, g, transport.Options{}), Options{MaxInFlight: 1})
	old := a.Session()
	open, err := a.Start("go", []byte(`{"ms":100}`))
	require.NoError(t, err)
	eventually(t, "it runs", func() bool { g.mu.Lock(); defer g.mu.Unlock(); return len(g.runs) == 1 })
	waiting, err := a.Start("go", nil)
	require.NoError(t, err)
	g.step(bridge.Record{Kind: bridge.RecSessionReset, Session: 1, Data: []byte("loaded")})
	r, err := open.Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, message.SessionExpired, r.Code)
	_, err = waiting.Wait(t.Context())
	require.Equal(t, ErrNotRun, err)
	next, err := a.Call(t.Context(), "go", nil)
	require.NoError(t, err)
	require.True(t, next.OK, "%+v", next)
	require.NotEqual(t, old, a.Session())
	require.EqualValues(t, 1, a.Stats().Connections)
	g.mu.Lock()
	defer g.mu.Unlock()
	require.Zero(t, g.runs[waiting.ID])
}

// The session could not be kept: what was sent is lost, its outcome unknown, and runs no second time; what was not sent does not run at all.
func TestSessionLost(t *testing.T) {
	g := newGame(t, 0, "npc")
	a := join(t, play(t, g, transport.Options{}), Options{MaxInFlight: 1})
	sent, err := a.Start("go", []byte(`{"ms":50}`))
	require.NoError(t, err)
	eventually(t, "it runs", func() bool { g.mu.Lock(); defer g.mu.Unlock(); return len(g.runs) == 1 })
	unsent, err := a.Start("go", nil)
	require.NoError(t, err)
	a.mu.Lock()
	wire := a.link.wire
	a.mu.Unlock()
	wire.Abort()
	_, err = sent.Wait(t.Context())
	require.ErrorIs(t, err, ErrLost)
	_, err = unsent.Wait(t.Context())
	require.Equal(t, ErrNotRun, err)
	g.ranOnce(t, []*Call{sent})
	s := a.Stats()
	require.EqualValues(t, 1, s.SessionsLost)
	require.Zero(t, s.Resumes)
}

// The world is closed: the agent hears it, and gives up in the end.
func TestWorldCloses(t *testing.T) {
	g := newGame(t, 120_000, "npc")
	g.hold = true
	a := join(t, play(t, g, transport.Options{}), Options{GiveUp: time.Millisecond})
	c, err := a.Start("go", nil)
	require.NoError(t, err)
	eventually(t, "it has come", func() bool { g.mu.Lock(); defer g.mu.Unlock(); return len(g.calls) == 1 })
	g.mu.Lock()
	g.turn(bridge.Record{Kind: bridge.RecClose})
	g.mu.Unlock()
	g.rosters.Remove(g.roster)
	r, err := c.Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, message.SessionExpired, r.Code)
	<-a.Done()
	var refused *Refused
	require.True(t, errors.As(a.Err(), &refused), "%v", a.Err())
	require.Equal(t, 404, refused.Status)
}

// One call after the other, from the agent over a real socket to a tool that answers at once, and back.
func BenchmarkCall(b *testing.B) {
	g := newGame(b, 120_000, "npc")
	l, err := transport.Listen(transport.Options{Limits: transport.Limits{MessagesPerSecond: 1 << 20}}, &g.rosters)
	require.NoError(b, err)
	defer l.Close()
	a, err := Connect(b.Context(), "ws://"+l.Addr()+"/aicc?character=npc", Options{})
	require.NoError(b, err)
	defer a.stop()
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		r, err := a.Call(b.Context(), "go", []byte(`{"x":1.5,"y":-2}`))
		if err != nil || !r.OK {
			b.Fatal(err, r)
		}
	}
	b.StopTimer()
}
