package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/message"
)

// pipe is a wire whose other end is the test.
type pipe struct {
	in, out chan []byte
	mute    bool // pings are not answered
	gone    chan struct{}
	once    sync.Once
	end     error
}

func newPipe() *pipe {
	return &pipe{in: make(chan []byte, 64), out: make(chan []byte, 64), gone: make(chan struct{})}
}

func (p *pipe) Read(ctx context.Context) ([]byte, error) {
	select {
	case m := <-p.in:
		return m, nil
	default:
	}
	select {
	case m := <-p.in:
		return m, nil
	case <-p.gone:
		return nil, p.end
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipe) Write(_ context.Context, m []byte) error {
	select {
	case <-p.gone:
		return p.end
	default:
		p.out <- m
		return nil
	}
}

func (p *pipe) Ping(ctx context.Context) error {
	if !p.mute {
		return nil
	}
	<-ctx.Done()
	return ctx.Err()
}

func (p *pipe) Abort() { p.close(errors.New("aborted")) }

func (p *pipe) close(err error) { p.once.Do(func() { p.end = err; close(p.gone) }) }

// hear decodes the next message of the agent.
func (p *pipe) hear(t *testing.T, kind message.Type) *message.Message {
	t.Helper()
	m := &message.Message{}
	require.Nil(t, message.Decode(<-p.out, m))
	require.Equal(t, kind, m.Type)
	return m
}

var (
	sessionA, sessionB = message.ID{0xA}, message.ID{0xB}
	ids                = message.NewIDSource([32]byte{1})
	body               = message.AppendManifestBody(nil, &message.Manifest{TickRateHz: 1, TickMode: message.TickEvent, WorldName: "yard", WorldKind: message.World2D,
		Model: message.Model{Class: message.CloudMedium, FirstTokenMS: -1, FullResponseMS: -1}})
)

func (p *pipe) init(s message.ID) { p.in <- message.AppendSessionInit(nil, s, ids.Next(), body) }

func (p *pipe) result(s message.ID, id []byte, n int) {
	p.in <- message.AppendToolResultOK(nil, s, ids.Next(), id, fmt.Appendf(nil, `{"n":%d}`, n), nil)
}

// line gives out pipes to an agent, one after the other; nil is an attempt that fails.
func line(pipes ...*pipe) Dialer {
	return func(ctx context.Context) (Wire, error) {
		if len(pipes) == 0 {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		p := pipes[0]
		if pipes = pipes[1:]; p == nil {
			return nil, errors.New("nobody listens")
		}
		return p, nil
	}
}

func connect(t *testing.T, o Options) *Agent {
	t.Helper()
	a, err := Connect(t.Context(), "", o)
	require.NoError(t, err)
	return a
}

func (a *Agent) stop() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a.Close(ctx, "")
}

// Delays double up to their bound, half of each is chance, and begin anew once there was a session.
func TestDelays(t *testing.T) {
	first, second := newPipe(), newPipe()
	var waits []time.Duration
	now, chance := time.Unix(0, 0), 0.5
	first.init(sessionA)
	first.close(errors.New("gone"))
	second.init(sessionA)
	second.close(errors.New("gone"))
	var pipes []*pipe
	for _, list := range [][]*pipe{make([]*pipe, 2), {first}, make([]*pipe, 3), {second}, make([]*pipe, 40)} {
		pipes = append(pipes, list...)
	}
	a, err := Connect(t.Context(), "", Options{Patient: true, First: time.Second, Most: 5 * time.Second, GiveUp: 20 * time.Second, Dial: line(pipes...),
		Now: func() time.Time { return now }, Random: func() float64 { return chance },
		Wait: func(_ context.Context, d time.Duration) error {
			waits = append(waits, d)
			now = now.Add(d)
			return nil
		}})
	require.NoError(t, err)
	<-a.Done()
	require.EqualError(t, a.Err(), "there was no session for 20s, the last attempt: nobody listens")
	const s, ms = time.Second, time.Millisecond
	require.Equal(t, []time.Duration{750 * ms, 1500 * ms, // before the first session
		750 * ms, 1500 * ms, 3 * s, 3750 * ms, // after it
		750 * ms, 1500 * ms, 3 * s, 3750 * ms, 3750 * ms, 3750 * ms, 3750 * ms}, waits)
	_, err = a.Start("go", nil)
	require.Equal(t, a.Err(), err)
	for _, chance = range []float64{0, 1} {
		require.Equal(t, s+time.Duration(chance)*s, a.delay(1))
		require.Equal(t, 2500*ms+time.Duration(chance)*2500*ms, a.delay(1000))
	}
}

func TestConnectFails(t *testing.T) {
	_, err := Connect(t.Context(), "", Options{Dial: line(nil)})
	require.EqualError(t, err, "nobody listens")
	p := newPipe()
	p.close(&Ended{4409, "the character has an agent"})
	_, err = Connect(t.Context(), "", Options{Dial: line(p)})
	require.EqualError(t, err, "the connection was closed with 4409: the character has an agent")
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Connect(ctx, "", Options{Dial: line(nil, nil), Patient: true, Wait: func(context.Context, time.Duration) error { cancel(); return nil }})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "nobody listens")
	_, err = Connect(t.Context(), "http://127.0.0.1:1/", Options{})
	require.ErrorContains(t, err, "connection refused")
	_, err = Connect(t.Context(), "gopher://x", Options{})
	require.ErrorContains(t, err, `unexpected url scheme: "gopher"`)
	refused := func(context.Context) (Wire, error) { return nil, &Refused{401, "token_wrong", "no"} }
	_, err = Connect(t.Context(), "", Options{Patient: true, Dial: refused})
	require.EqualError(t, err, "the listener refuses with 401: no")
}

// Results that come twice, for nobody, or too late are dropped and counted; those of a resumed session are asked for again, in order, once.
func TestExactlyOnce(t *testing.T) {
	one, two := newPipe(), newPipe()
	one.init(sessionA)
	a := connect(t, Options{Dial: line(one, two), First: time.Nanosecond, Most: time.Nanosecond})
	defer a.stop()
	var calls []*Call
	for range 3 {
		c, err := a.Start("go", []byte(`{"x":1}`))
		require.NoError(t, err)
		calls = append(calls, c)
	}
	for i := range 3 {
		m := one.hear(t, message.ToolCall)
		require.Equal(t, calls[i].ID, string(m.CallID))
	}
	one.result(sessionA, []byte(calls[1].ID), 1)
	one.result(sessionA, []byte(calls[1].ID), 2)
	one.result(sessionA, []byte("other"), 3)
	one.result(sessionB, []byte(calls[0].ID), 4)
	one.in <- []byte(`{"protocol":`)
	one.close(errors.New("cut"))
	r, err := calls[1].Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, `{"n":1}`, string(r.Output))

	require.Equal(t, sessionA, two.hear(t, message.SessionResume).SessionID)
	require.Empty(t, two.out, "calls wait for the session")
	two.init(sessionA)
	for _, i := range []int{0, 2} {
		m := two.hear(t, message.ToolCall)
		require.Equal(t, calls[i].ID, string(m.CallID))
		require.Equal(t, `{"x":1}`, string(m.Input))
	}
	two.result(sessionA, []byte(calls[1].ID), 5)
	two.result(sessionA, []byte(calls[0].ID), 6)
	two.result(sessionA, []byte(calls[0].ID), 7)
	two.result(sessionA, []byte(calls[2].ID), 8)
	for i, want := range map[int]string{0: `{"n":6}`, 1: `{"n":1}`, 2: `{"n":8}`} {
		r, err := calls[i].Wait(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, string(r.Output))
	}
	two.init(sessionA) // no resume, nothing is asked for again
	c, err := a.Start("go", nil)
	require.NoError(t, err)
	require.Equal(t, c.ID, string(two.hear(t, message.ToolCall).CallID))
	require.Equal(t, Stats{Connections: 2, Resumes: 1, Calls: 4, AskedAgain: 2, Results: 3, Duplicates: 3, Strays: 2, Bad: 1}, a.Stats())
}

// The bridge has the session no more, in each order in which it may say so.
func TestResumeFails(t *testing.T) {
	expired := func(p *pipe, about message.ID, s message.ID) {
		p.in <- message.AppendError(nil, s, ids.Next(), message.SessionExpired, "not open here (message "+about.String()+")", false)
	}
	for name, answer := range map[string]func(p *pipe, resume *message.Message){
		"init first": func(p *pipe, m *message.Message) {
			p.init(sessionB)
			expired(p, m.MessageID, sessionB)
			p.init(sessionB)
		},
		"error first": func(p *pipe, m *message.Message) { expired(p, m.MessageID, sessionB); p.init(sessionB) },
		"refused":     func(p *pipe, m *message.Message) { expired(p, m.MessageID, sessionA); p.close(&Ended{4409, "no"}) },
	} {
		t.Run(name, func(t *testing.T) {
			one, two, three := newPipe(), newPipe(), newPipe()
			one.init(sessionA)
			a := connect(t, Options{Dial: line(one, two, three), First: time.Nanosecond, Most: time.Nanosecond, MaxInFlight: 1})
			defer a.stop()
			sent, err := a.Start("go", nil)
			require.NoError(t, err)
			unsent, err := a.Start("go", nil)
			require.NoError(t, err)
			one.hear(t, message.ToolCall)
			one.close(errors.New("cut"))
			answer(two, two.hear(t, message.SessionResume))
			_, err = sent.Wait(t.Context())
			require.Equal(t, ErrLost, err)
			_, err = unsent.Wait(t.Context())
			require.Equal(t, ErrNotRun, err)
			next, err := a.Start("go", nil)
			require.NoError(t, err)
			last := two
			if name == "refused" {
				last = three
				three.init(sessionB)
			}
			m := last.hear(t, message.ToolCall)
			require.Equal(t, next.ID, string(m.CallID))
			require.Equal(t, sessionB, m.SessionID)
			last.result(sessionB, m.CallID, 1)
			_, err = next.Wait(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 1, a.Stats().SessionsLost)
		})
	}
}

// An error that quotes a call is its outcome; any other is told.
func TestErrors(t *testing.T) {
	p := newPipe()
	p.init(sessionA)
	told := make(chan message.Error, 1)
	a := connect(t, Options{Dial: line(p), OnError: func(e message.Error) { told <- e }})
	defer a.stop()
	c, err := a.Start("go", nil)
	require.NoError(t, err)
	about := p.hear(t, message.ToolCall).MessageID
	p.in <- message.AppendError(nil, sessionB, ids.Next(), message.SessionExpired, "elsewhere (message "+about.String()+")", false)
	r, err := c.Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, message.SessionExpired, r.Code)
	p.in <- message.AppendError(nil, sessionA, ids.Next(), message.InternalError, "the lights went out", true)
	e := <-told
	require.Equal(t, "the lights went out", string(e.Message))
	require.True(t, e.Retryable)
}

func TestEventsAreBounded(t *testing.T) {
	p := newPipe()
	p.init(sessionA)
	for i := range 5 {
		p.in <- message.AppendEvent(nil, sessionA, ids.Next(), message.TopicTick, fmt.Appendf(nil, `{"n":%d}`, i), &message.Meta{Tick: 7})
	}
	a := connect(t, Options{Dial: line(p), MaxEvents: 3})
	defer a.stop()
	eventually(t, "all have come", func() bool { return a.Stats().EventsLost == 2 })
	for i := 2; i < 5; i++ {
		e, err := a.Event(t.Context())
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf(`{"n":%d}`, i), string(e.Payload))
		require.EqualValues(t, 7, e.Meta.Tick)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := a.Event(ctx)
	require.ErrorIs(t, err, context.Canceled)
}

// Time, on a clock of the test's own.
func TestTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, silent, last := newPipe(), newPipe(), newPipe()
		p.init(sessionA)
		last.init(sessionA)
		p.mute = true
		began := time.Now()
		since := func() time.Duration { return time.Since(began).Round(time.Millisecond) }
		a := connect(t, Options{Dial: line(p, silent, last), Heartbeat: 4 * time.Second, PingEvery: 15 * time.Second, Handshake: 10 * time.Second,
			Random: func() float64 { return 1 }, First: time.Second, Most: 4 * time.Second})
		defer a.stop()
		p.hear(t, message.Heartbeat)
		require.Equal(t, 4*time.Second, since())
		<-time.After(3 * time.Second) // of the bubble's clock
		_, err := a.Start("go", nil)
		require.NoError(t, err)
		p.hear(t, message.ToolCall)
		p.hear(t, message.Heartbeat)
		require.Equal(t, 11*time.Second, since(), "a call counts as a sign of life")
		<-p.gone // its first ping is sent after 15 s and not answered
		require.Equal(t, 30*time.Second, since())
		silent.hear(t, message.SessionResume)
		require.Equal(t, 31*time.Second, since())
		<-silent.gone // said no session_init
		require.Equal(t, 41*time.Second, since())
		last.hear(t, message.SessionResume)
		require.Equal(t, 43*time.Second, since())
		last.hear(t, message.ToolCall)
	})
}

// Whatever comes, a call has one outcome and nothing breaks.
func FuzzMessages(f *testing.F) {
	call := "00000000-0000-4000-8000-000000000001"
	f.Add(string(message.AppendSessionInit(nil, sessionA, ids.Next(), body)), string(message.AppendToolResultOK(nil, sessionA, ids.Next(), "c", nil, nil)))
	f.Add(string(message.AppendSessionClose(nil, sessionA, ids.Next(), "bye")), string(message.AppendSessionInit(nil, sessionB, ids.Next(), body)))
	f.Add(string(message.AppendError(nil, sessionA, ids.Next(), message.Timeout, "x (message "+call+")", true)), "{}")
	f.Add(string(message.AppendHeartbeat(nil, sessionA, ids.Next(), message.AppendManifestUpdate(nil, body))), string(message.AppendEvent(nil, sessionA, ids.Next(), 1, nil, nil)))
	f.Fuzz(func(t *testing.T, one, two string) {
		id, _ := message.ParseID(call)
		l := &link{wake: make(chan struct{}, 1)}
		a := &Agent{o: Options{MaxEvents: 1}, link: l, session: sessionA, calls: map[string]*Call{}, ready: make(chan struct{}), more: make(chan struct{}, 1)}
		c := &Call{ID: "c", a: a, done: make(chan struct{}), sent: true, message: id}
		a.calls["c"], a.order = c, []*Call{c}
		for _, text := range []string{one, two, one} {
			var m message.Message
			if message.Decode([]byte(text), &m) == nil {
				a.take(l, &m)
			}
		}
		require.Equal(t, isClosed(c.done), len(a.order) == 0)
		require.Len(t, a.calls, len(a.order))
	})
}
