package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/leak"
	"aicc.dev/libaicc/core/message"
)

// Whatever a test did, nothing of a listener may run when all are through.
func TestMain(m *testing.M) { os.Exit(leak.Check(m.Run(), "core/transport.", "coder/websocket.")) }

// table is a game whose bridges are notes of what reached them.
type table struct {
	mu    sync.Mutex
	names []string
	chars map[string]*char
	full  bool // no room for messages
	asked []Ask
}

type char struct {
	tb      *table
	name    string
	state   State
	resumes message.ID
	conn    Conn
	log     []string
	arrived uint32
}

func newTable(names ...string) *table {
	tb := &table{names: names, chars: map[string]*char{}}
	for _, n := range names {
		tb.chars[n] = &char{tb: tb, name: n}
	}
	return tb
}

func (tb *table) Worlds() []World {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	w := World{Name: "the yard"}
	for _, n := range tb.names {
		w.Characters = append(w.Characters, Character{Name: n, State: tb.chars[n].state})
	}
	return []World{w}
}

func (tb *table) Seat(a Ask) (Seat, error) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.asked = append(tb.asked, a)
	if a.World == "broken" {
		return nil, fmt.Errorf("the disk is full")
	}
	if a.World != "" && a.World != "the yard" {
		return nil, NotFound("bridge", a.World, []string{"the yard"})
	}
	for _, n := range tb.names {
		if c := tb.chars[n]; a.Character == "" && c.state == Free || a.Character == n {
			if c.state == Taken && !a.Replace {
				return nil, TakenBy(n, Taken)
			}
			return seat{c, a}, nil
		}
	}
	if a.Character == "" {
		return nil, TakenBy("", Taken)
	}
	return nil, NotFound("character", a.Character, tb.names)
}

type seat struct {
	*char
	ask Ask
}

func (s seat) Attach(c Conn) (Wait, error) {
	s.tb.mu.Lock()
	defer s.tb.mu.Unlock()
	if s.state == Taken {
		if !s.ask.Replace {
			return NoWait, TakenBy(s.name, Taken)
		}
		s.char.conn.Close(CloseReplaced, "another agent took the place")
		s.note("replaced")
		s.char.state = Away
	}
	waits := s.state == Away
	s.char.state, s.char.conn = Taken, c
	s.note("attach waits=%v", waits)
	switch {
	case !waits:
		return NoWait, nil
	case s.ask.Replace:
		return OrBegin, nil
	}
	return OrRefuse, nil
}

func (c *char) note(format string, args ...any) { c.log = append(c.log, fmt.Sprintf(format, args...)) }

func (c *char) said() string {
	c.tb.mu.Lock()
	defer c.tb.mu.Unlock()
	return strings.Join(c.log, "\n")
}

func (c *char) Resumes(id message.ID) bool { return id == c.resumes }

func (c *char) Begin() {
	c.tb.mu.Lock()
	defer c.tb.mu.Unlock()
	c.note("begin")
}

func (c *char) Receive(m []byte) bool {
	c.tb.mu.Lock()
	defer c.tb.mu.Unlock()
	if c.tb.full {
		return false
	}
	if len(m) > 200 {
		m = fmt.Appendf(nil, "%d bytes", len(m))
	}
	c.note("%s", m)
	return true
}

func (c *char) Arrived(n uint32) {
	c.tb.mu.Lock()
	defer c.tb.mu.Unlock()
	c.arrived = max(c.arrived, n)
}

func (c *char) count() uint32 {
	c.tb.mu.Lock()
	defer c.tb.mu.Unlock()
	return c.arrived
}

func (s seat) Leave() {
	s.tb.mu.Lock()
	defer s.tb.mu.Unlock()
	s.note("leave")
	s.char.state = Free
}

func (c *char) send(m string) bool {
	c.tb.mu.Lock()
	defer c.tb.mu.Unlock()
	return c.conn.Send([]byte(m))
}

func (c *char) close(code int, reason string) {
	c.tb.mu.Lock()
	defer c.tb.mu.Unlock()
	c.conn.Close(code, reason)
}

func (tb *table) setFull(full bool) {
	tb.mu.Lock()
	defer tb.mu.Unlock()
	tb.full = full
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, is, 20*time.Second, time.Millisecond, what)
}

func (c *char) want(t testing.TB, lines ...string) {
	t.Helper()
	all := strings.Join(lines, "\n")
	end := time.Now().Add(20 * time.Second)
	for c.said() != all && time.Now().Before(end) {
		runtime.Gosched()
	}
	require.Equal(t, all, c.said())
}

func listen(t testing.TB, o Options, b Bridges) *Listener {
	t.Helper()
	l, err := Listen(o, b)
	require.NoError(t, err)
	t.Cleanup(l.Close)
	return l
}

// ask sends bytes and gives all that comes back.
func ask(t testing.TB, l *Listener, request string) string {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr())
	require.NoError(t, err)
	defer c.Close()
	_, err = io.WriteString(c, request)
	require.NoError(t, err)
	require.NoError(t, c.SetReadDeadline(time.Now().Add(20*time.Second)))
	b, err := io.ReadAll(c)
	require.NoError(t, err)
	return string(b)
}

func dial(t testing.TB, l *Listener, path string, header ...string) *websocket.Conn {
	t.Helper()
	o := &websocket.DialOptions{HTTPHeader: http.Header{}}
	for i := 0; i < len(header); i += 2 {
		o.HTTPHeader.Set(header[i], header[i+1])
	}
	ws, _, err := websocket.Dial(context.Background(), "ws://"+l.Addr()+path, o)
	require.NoError(t, err)
	ws.SetReadLimit(64 << 20)
	t.Cleanup(func() { _ = ws.CloseNow() })
	return ws
}

func say(t testing.TB, ws *websocket.Conn, m string) {
	t.Helper()
	require.NoError(t, ws.Write(context.Background(), websocket.MessageText, []byte(m)))
}

func hear(t testing.TB, ws *websocket.Conn) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	kind, m, err := ws.Read(ctx)
	require.NoError(t, err)
	require.Equal(t, websocket.MessageText, kind)
	return string(m)
}

// ends gives the close code and reason that the listener sends.
func ends(t testing.TB, ws *websocket.Conn) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for {
		_, _, err := ws.Read(ctx)
		if err == nil {
			continue
		}
		require.NoError(t, ctx.Err())
		var ce websocket.CloseError
		if code := websocket.CloseStatus(err); code == -1 {
			return "cut off"
		}
		require.ErrorAs(t, err, &ce)
		return fmt.Sprintf("%d %s", ce.Code, ce.Reason)
	}
}

// raw is a WebSocket whose frames the test makes itself.
type raw struct {
	net.Conn
	r *bufio.Reader
}

func dialRaw(t testing.TB, l *Listener, path, more string) raw {
	t.Helper()
	c, err := net.Dial("tcp", l.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	_, err = io.WriteString(c, upgradeRequest(path, "")+more)
	require.NoError(t, err)
	r := bufio.NewReader(c)
	head, err := http.ReadResponse(r, nil)
	require.NoError(t, err)
	require.Equal(t, 101, head.StatusCode)
	return raw{c, r}
}

func upgradeRequest(path, headers string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" + headers + "\r\n"
}

// frame is a masked frame with a mask of zeros.
func frame(first byte, payload []byte) []byte {
	b := []byte{first}
	switch n := len(payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	return append(append(b, 0, 0, 0, 0), payload...)
}

const (
	finText, text, finMore, more, finBinary = 0x81, 0x01, 0x80, 0x00, 0x82
)

// over reads until the connection ends.
func (r raw) over(t testing.TB) []byte {
	t.Helper()
	require.NoError(t, r.SetReadDeadline(time.Now().Add(20*time.Second)))
	var b bytes.Buffer
	_, err := io.Copy(&b, r.r)
	if e, ok := err.(net.Error); ok && e.Timeout() {
		require.Fail(t, "the connection is still there")
	}
	return b.Bytes()
}

// frame reads a short one from the listener.
func (r raw) frame(t testing.TB) []byte {
	t.Helper()
	require.NoError(t, r.SetReadDeadline(time.Now().Add(20*time.Second)))
	head, err := r.r.Peek(2)
	require.NoError(t, err)
	b := make([]byte, 2+int(head[1]))
	_, err = io.ReadFull(r.r, b)
	require.NoError(t, err)
	return b
}
