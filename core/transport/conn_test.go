package transport

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/message"
)

func TestMessages(t *testing.T) {
	tb := newTable("keeper")
	keeper := tb.chars["keeper"]
	l := listen(t, Options{}, tb)
	ws := dial(t, l, "/aicc")
	keeper.want(t, "attach waits=false")
	require.True(t, keeper.send(`{"a":1}`))
	require.True(t, keeper.send(strings.Repeat("x", 1<<20)))
	say(t, ws, `{"b":2}`)
	say(t, ws, strings.Repeat("y", 1<<20))
	require.Equal(t, `{"a":1}`, hear(t, ws))
	require.Len(t, hear(t, ws), 1<<20)
	keeper.want(t, "attach waits=false", `{"b":2}`, "1048576 bytes")
	eventually(t, "memory of a burst is given back", func() bool { return l.held.Load() == 0 })
	require.Equal(t, Stats{Connections: 1, Accepted: 1}, l.Stats())
	keeper.close(CloseOver, "bye")
	require.False(t, keeper.send("late"))
	require.Equal(t, "1000 bye", ends(t, ws))
	keeper.want(t, "attach waits=false", `{"b":2}`, "1048576 bytes", "leave")
	eventually(t, "it is gone", func() bool { return l.Stats().Connections == 0 })
}

// What was sent before a close arrives before it, whole.
func TestFarewellComesLast(t *testing.T) {
	tb := newTable("keeper")
	keeper := tb.chars["keeper"]
	l := listen(t, Options{}, tb)
	ws := dial(t, l, "/aicc")
	keeper.want(t, "attach waits=false")
	for i := range 50 {
		require.True(t, keeper.send(fmt.Sprint(i, strings.Repeat(" ", 20_000))))
	}
	keeper.close(CloseReplaced, strings.Repeat("é", 100))
	for i := range 50 {
		require.Equal(t, fmt.Sprint(i), strings.TrimSpace(hear(t, ws)))
	}
	require.Equal(t, "4410 "+strings.Repeat("é", 60)+"...", ends(t, ws))
}

// Whatever a client sends that is no message in a text frame ends its connection, and says why where a WebSocket can.
func TestBadFrames(t *testing.T) {
	for name, c := range map[string]struct {
		send []byte
		want string
	}{
		"binary":                 {frame(finBinary, []byte("{}")), "1003 messages are text frames of JSON"},
		"too big in one frame":   {frame(finText, make([]byte, 5000)), "1009 a message has at most 4096 bytes"},
		"too big by its header":  {frame(finText, make([]byte, 1<<20))[:5000], "1009 a message has at most 4096 bytes"},
		"too big in many frames": {append(frame(text, nil), bytes.Repeat(frame(more, make([]byte, 100)), 60)...), "1009 a message has at most 4096 bytes"},
		"unknown opcode":         {frame(0x83, nil), "1002 received unknown opcode opcode(3)"},
		"reserved bit":           {frame(0xC1, nil), "1002 received header with unexpected rsv bits set: true:false:false"},
		"continues nothing":      {frame(finMore, nil), "1002 received continuation frame without text or binary frame"},
		"long ping":              {frame(0x89, make([]byte, 126)), "1002 received control frame payload with invalid length: 126"},
		"not masked":             {[]byte{finText, 2, '{', '}'}, ""},
		"half a frame":           {frame(finText, make([]byte, 100))[:50], ""},
		"endless empty frames":   {append(frame(text, []byte("{")), bytes.Repeat(frame(more, nil), 1000)...), ""},
		"half a frame header":    {[]byte{finText}, ""},
		"never answers a ping":   {nil, ""},
		"text that is not JSON":  {append(frame(finText, []byte("\xff\x00")), frame(0x88, []byte{3, 0xE8})...), "1000 "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tb := newTable("keeper")
			l := listen(t, Options{Limits: Limits{MessageBytes: 4096, MessageTime: 200 * time.Millisecond, CloseTime: 200 * time.Millisecond,
				PingEvery: 160 * time.Millisecond, PongTime: 320 * time.Millisecond}}, tb)
			conn := dialRaw(t, l, "/aicc", string(c.send))
			said := ""
			if got := conn.over(t); bytes.IndexByte(got, 0x88) >= 0 {
				got = got[bytes.IndexByte(got, 0x88):]
				said = fmt.Sprintf("%d %s", int(got[2])<<8|int(got[3]), got[4:])
			}
			require.Equal(t, c.want, said)
			want := "attach waits=false\nleave"
			if name == "text that is not JSON" {
				want = "attach waits=false\n\xff\x00\nleave"
			}
			tb.chars["keeper"].want(t, want)
		})
	}
}

func TestSlowReader(t *testing.T) {
	tb := newTable("keeper")
	keeper := tb.chars["keeper"]
	logged := make(chan string, 1)
	l := listen(t, Options{Limits: Limits{QueueBytes: 1 << 20}, Log: func(s string) { logged <- s }}, tb)
	c := dialRaw(t, l, "/aicc", "")
	keeper.want(t, "attach waits=false")
	sent := 0
	for keeper.send(strings.Repeat("x", 64<<10)) {
		sent++
		require.Less(t, sent, 1000, "the queue has no bound")
	}
	require.GreaterOrEqual(t, sent, 16)
	require.False(t, keeper.send("{}"))
	keeper.want(t, "attach waits=false", "leave")
	require.Equal(t, "an agent reads too slowly and is detached; it may resume", <-logged)
	require.EqualValues(t, 1, l.Stats().Slow)
	eventually(t, "its memory is given back", func() bool { return l.held.Load() == 0 })
	c.over(t)
}

// One whose queue never grows over its bound, but does not move either.
func TestStuckReader(t *testing.T) {
	tb := newTable("keeper")
	keeper := tb.chars["keeper"]
	l := listen(t, Options{Limits: Limits{QueueBytes: 64 << 20, WriteTime: 300 * time.Millisecond}}, tb)
	dialRaw(t, l, "/aicc", "")
	keeper.want(t, "attach waits=false")
	for range 20 {
		keeper.send(strings.Repeat("x", 1<<20))
	}
	keeper.want(t, "attach waits=false", "leave")
	require.Zero(t, l.Stats().Slow)
	eventually(t, "its memory is given back", func() bool { return l.held.Load() == 0 })
}

// All queues together have a bound; those who take their messages do not feel it.
func TestTotalBytes(t *testing.T) {
	tb := newTable("slow", "good")
	l := listen(t, Options{Limits: Limits{TotalBytes: 1 << 20, Connections: 4, WriteTime: time.Minute}}, tb)
	dialRaw(t, l, "/aicc?character=slow", "")
	good := dial(t, l, "/aicc?character=good")
	slow := tb.chars["slow"]
	slow.want(t, "attach waits=false")
	tb.chars["good"].want(t, "attach waits=false")
	for slow.send(strings.Repeat("x", 64<<10)) {
		require.True(t, tb.chars["good"].send("{}"))
		require.Equal(t, "{}", hear(t, good))
	}
	require.True(t, tb.chars["good"].send("{}"))
	require.Equal(t, "{}", hear(t, good))
	slow.want(t, "attach waits=false", "leave")
}

// Who has less than a connection's part of it has room though all is taken.
func TestRoom(t *testing.T) {
	l := &Listener{o: Options{Limits: Limits{QueueBytes: 1000, TotalBytes: 2000, Connections: 4}}}
	a, b, c := &conn{l: l}, &conn{l: l}, &conn{l: l}
	require.True(t, a.room(1500), "one message has room, whatever its size")
	require.False(t, a.room(1))
	require.True(t, b.room(500))
	require.True(t, b.room(1), "500 is its part")
	require.False(t, b.room(1))
	require.True(t, c.room(500))
	require.EqualValues(t, 2501, l.held.Load())
}

// A message that was begun has its time, which a connection that only waits has not.
func TestSlowWriter(t *testing.T) {
	for name, begun := range map[string][]byte{
		"half a frame":   frame(finText, make([]byte, 100))[:50],
		"half a message": frame(text, []byte(`{"a":`)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tb := newTable("slow", "thinks")
			l := listen(t, Options{Limits: Limits{MessageTime: 100 * time.Millisecond}}, tb)
			thinks := dial(t, l, "/aicc?character=thinks")
			c := dialRaw(t, l, "/aicc?character=slow", string(begun))
			c.over(t)
			tb.chars["slow"].want(t, "attach waits=false", "leave")
			say(t, thinks, "{}")
			tb.chars["thinks"].want(t, "attach waits=false", "{}")
		})
	}
}

// A bridge without room holds the reading back, and nothing is lost.
func TestBackPressure(t *testing.T) {
	tb := newTable("keeper")
	keeper := tb.chars["keeper"]
	l := listen(t, Options{}, tb)
	ws := dial(t, l, "/aicc")
	tb.setFull(true)
	want := []string{"attach waits=false"}
	for i := range 40 {
		say(t, ws, fmt.Sprint(i))
		want = append(want, fmt.Sprint(i))
	}
	keeper.want(t, "attach waits=false")
	tb.setFull(false)
	keeper.want(t, want...)
	tb.setFull(true)
	say(t, ws, "never taken")
	require.NoError(t, ws.CloseNow())
	_ = l
}

// More than a connection may send is not refused but read later.
func TestRates(t *testing.T) {
	for name, limits := range map[string]Limits{"messages": {MessagesPerSecond: 100}, "bytes": {BytesPerSecond: 10_000}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tb := newTable("keeper")
			l := listen(t, Options{Limits: limits}, tb)
			ws := dial(t, l, "/aicc")
			began := time.Now()
			want := []string{"attach waits=false"}
			for range 240 { // 200 may come at once; of 100 bytes each with the frame's head
				say(t, ws, strings.Repeat("x", 94))
				want = append(want, strings.Repeat("x", 94))
			}
			tb.chars["keeper"].want(t, want...)
			require.Greater(t, time.Since(began), 350*time.Millisecond)
		})
	}
}

// A pong says how many messages have arrived: those written before its ping, and no later ones.
func TestArrived(t *testing.T) {
	tb := newTable("keeper")
	keeper := tb.chars["keeper"]
	l := listen(t, Options{Limits: Limits{PingEvery: 80 * time.Millisecond}}, tb)
	c := dialRaw(t, l, "/aicc", "")
	keeper.want(t, "attach waits=false")
	require.True(t, keeper.send("{}"))
	text, ping := c.frame(t), c.frame(t)
	if text[0] == 0x89 { // one was due before
		_, err := c.Write(frame(0x8A, text[2:]))
		require.NoError(t, err)
		text, ping = ping, c.frame(t)
	}
	require.Equal(t, "\x81\x02{}", string(text))
	require.EqualValues(t, 0x89, ping[0])
	require.Zero(t, keeper.count())
	require.True(t, keeper.send("{}"))
	require.True(t, keeper.send("{}"))
	for range 2 {
		require.Equal(t, "\x81\x02{}", string(c.frame(t)))
	}
	_, err := c.Write(frame(0x8A, ping[2:]))
	require.NoError(t, err)
	eventually(t, "the pong", func() bool { return keeper.count() > 0 })
	require.EqualValues(t, 1, keeper.count())
	_, err = c.Write(frame(0x8A, []byte("7"))) // nobody asked for this one
	require.NoError(t, err)
	ping = c.frame(t)
	require.EqualValues(t, 0x89, ping[0])
	require.EqualValues(t, 1, keeper.count())
	_, err = c.Write(frame(0x8A, ping[2:]))
	require.NoError(t, err)
	eventually(t, "the second pong", func() bool { return keeper.count() == 3 })
}

func TestSilent(t *testing.T) {
	tb := newTable("keeper", "thinker")
	l := listen(t, Options{Limits: Limits{PingEvery: 20 * time.Millisecond, PongTime: 100 * time.Millisecond}}, tb)
	dialRaw(t, l, "/aicc?character=thinker&full_ms=86400000", "")
	dialRaw(t, l, "/aicc?character=keeper", "")
	tb.chars["keeper"].want(t, "attach waits=false", "leave")
	require.EqualValues(t, 1, l.Stats().Silent)
	require.Equal(t, "attach waits=false", tb.chars["thinker"].said(), "who said that it thinks long may")
}

var sessionA, sessionB = message.ID{1}, message.ID{2}

func resume(id message.ID) string {
	return string(message.AppendSessionResume(nil, id, message.ID{9}))
}

func TestSeatOfOneWhoMayComeBack(t *testing.T) {
	const away = `4409 character "keeper" waits for its agent, which may come back: connect again later, or send session_resume if that is you`
	for _, c := range []struct {
		name    string
		replace bool
		send    string
		hears   string // before the end
		want    []string
		ends    string
	}{
		{"its own", false, resume(sessionA), "", []string{resume(sessionA)}, ""},
		{"its own, replace", true, resume(sessionA), "", []string{resume(sessionA)}, ""},
		{"another session", false, resume(sessionB), `"error":{"code":"session_expired","message":"this session is not open here, and the character's own agent may come back (message 09000000-0000-0000-0000-000000000000)","retryable":false}}`,
			[]string{"leave"}, away},
		{"another session, replace", true, resume(sessionB), "", []string{"begin", resume(sessionB)}, ""},
		{"another message", false, `{}`, "", []string{"leave"}, away},
		{"another message, replace", true, `{}`, "", []string{"begin", "{}"}, ""},
		{"nothing", false, "", "", []string{"leave"}, away},
		{"nothing, replace", true, "", "", []string{"begin"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tb := newTable("keeper")
			keeper := tb.chars["keeper"]
			keeper.state, keeper.resumes = Away, sessionA
			wait := 20 * time.Second
			if c.send == "" {
				wait = 20 * time.Millisecond
			}
			l := listen(t, Options{Replace: c.replace, Limits: Limits{ResumeWait: wait}}, tb)
			ws := dial(t, l, "/aicc?character=keeper")
			if c.send != "" {
				say(t, ws, c.send)
			}
			if c.hears != "" {
				require.True(t, strings.HasSuffix(hear(t, ws), c.hears))
			}
			if c.ends != "" {
				require.Equal(t, c.ends, ends(t, ws))
			}
			keeper.want(t, append([]string{"attach waits=true"}, c.want...)...)
			if c.ends == "" {
				say(t, ws, "[]")
				keeper.want(t, append(append([]string{"attach waits=true"}, c.want...), "[]")...)
			}
		})
	}
}

func TestReplace(t *testing.T) {
	tb := newTable("keeper")
	l := listen(t, Options{Replace: true, Limits: Limits{ResumeWait: 20 * time.Millisecond}}, tb)
	first := dial(t, l, "/aicc?character=keeper")
	tb.chars["keeper"].want(t, "attach waits=false")
	dial(t, l, "/aicc?character=keeper")
	require.Equal(t, "4410 another agent took the place", ends(t, first))
	eventually(t, "the second plays", func() bool { return strings.Contains(tb.chars["keeper"].said(), "replaced\nattach waits=true") })
	eventually(t, "afresh", func() bool { return strings.Contains(tb.chars["keeper"].said(), "begin") })
}

// Two that ask at once: Seat finds it free for both.
func TestLostRace(t *testing.T) {
	tb := newTable("keeper")
	l := listen(t, Options{}, raced{tb})
	first := dial(t, l, "/aicc?character=keeper")
	tb.chars["keeper"].want(t, "attach waits=false")
	second := dial(t, l, "/aicc?character=keeper")
	require.Equal(t, `4409 character "keeper" has an agent: ask for another one, or connect again when it has left`, ends(t, second))
	say(t, first, "{}")
	tb.chars["keeper"].want(t, "attach waits=false", "{}")
}

type raced struct{ *table }

func (r raced) Seat(a Ask) (Seat, error) { return seat{r.chars[a.Character], a}, nil }

func TestClose(t *testing.T) {
	tb := newTable("a", "b", "c")
	l := listen(t, Options{Limits: Limits{CloseTime: 100 * time.Millisecond}}, tb)
	good := dial(t, l, "/aicc?character=a")
	dialRaw(t, l, "/aicc?character=b", "") // does not answer the handshake
	half := dialRaw(t, l, "/aicc?character=c", string(frame(finText, make([]byte, 100))[:20]))
	for _, n := range tb.names {
		tb.chars[n].want(t, "attach waits=false")
	}
	closed := make(chan struct{})
	go func() { l.Close(); close(closed) }()
	require.Equal(t, "1001 the game no longer listens: connect again later", ends(t, good))
	<-closed
	half.over(t)
	for _, n := range tb.names {
		tb.chars[n].want(t, "attach waits=false", "leave")
	}
	require.Equal(t, 0, l.Stats().Connections)
	l.Close()
	_, _, err := websocket.Dial(context.Background(), "ws://"+l.Addr()+"/aicc", nil)
	require.Error(t, err)
}

// A fault behind the interface costs the connection that met it.
func TestFault(t *testing.T) {
	tb := newTable("keeper")
	logged := make(chan string, 1)
	l := listen(t, Options{Log: func(s string) { logged <- s }}, faulty{tb})
	ws := dial(t, l, "/aicc?character=keeper")
	say(t, ws, "{}")
	require.Equal(t, "cut off", ends(t, ws))
	require.True(t, strings.HasPrefix(<-logged, "internal fault, a connection ends: a fault; goroutine "))
	tb.chars["keeper"].want(t, "attach waits=false", "leave")
	eventually(t, "it is gone", func() bool { return l.Stats().Connections == 0 })
	dial(t, l, "/aicc?character=keeper")
	tb.chars["keeper"].want(t, "attach waits=false", "leave", "attach waits=false")
}

type faulty struct{ *table }

type faultySeat struct{ seat }

func (f faulty) Seat(a Ask) (Seat, error) { return faultySeat{seat{f.chars[a.Character], a}}, nil }

func (faultySeat) Receive([]byte) bool { panic("a fault") }

func TestSessionOf(t *testing.T) {
	id, ok := SessionOf(message.AppendSessionInit(nil, sessionA, sessionB, []byte(`"x":1`)))
	require.True(t, ok)
	require.Equal(t, sessionA, id)
	for _, m := range [][]byte{nil, initHead, message.AppendHeartbeat(nil, sessionA, sessionB, nil)} {
		_, ok = SessionOf(m)
		require.False(t, ok)
	}
}
