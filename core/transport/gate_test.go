package transport

import (
	"fmt"
	"io"
	"net"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// used is what the process holds: heap and stacks.
func used() uint64 {
	runtime.GC()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}

func flood(t *testing.T, l *Listener, n int, begin string) []net.Conn {
	list := make([]net.Conn, n)
	for i := range list {
		c, err := net.Dial("tcp", l.Addr())
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		_, err = io.WriteString(c, begin)
		require.NoError(t, err)
		list[i] = c
	}
	return list
}

// Connections that never finish their upgrade cost little and keep nobody out.
func TestUnfinished(t *testing.T) {
	const n = 1000
	for name, begin := range map[string]string{
		"silent":         "",
		"begun":          "GET /aicc HTTP/1.1\r\nHost: localhost\r\n",
		"8 KiB of lines": "GET /aicc HTTP/1.1\r\n" + strings.Repeat("a:\r\n", 2040),
		"8 KiB line":     "GET /aicc HTTP/1.1\r\nA: " + strings.Repeat("a", 8000),
	} {
		t.Run(name, func(t *testing.T) {
			tb := newTable("keeper")
			l := listen(t, Options{Limits: Limits{UpgradeTime: time.Minute}}, tb)
			before := used()
			flood(t, l, n, begin)
			eventually(t, "all are there", func() bool { return l.Stats().Unfinished == n })
			cost := (used() - before) / n // the clients' ends included
			t.Logf("%s: %d bytes a connection", name, cost)
			require.LessOrEqual(t, cost, uint64(32<<10))
			ws := dial(t, l, "/aicc")
			say(t, ws, "{}")
			tb.chars["keeper"].want(t, "attach waits=false", "{}")
		})
	}
}

// They are closed when their time is over, whatever they do meanwhile; one that is upgraded is not.
func TestUpgradeTime(t *testing.T) {
	tb := newTable("keeper")
	l := listen(t, Options{Limits: Limits{UpgradeTime: 300 * time.Millisecond}}, tb)
	ws := dial(t, l, "/aicc")
	drip := time.NewTicker(10 * time.Millisecond)
	defer drip.Stop()
	list := flood(t, l, 20, "GET /aicc HTTP/1.1\r\n")
	for alive := len(list); alive > 0; <-drip.C {
		alive = 0
		for _, c := range list {
			if _, err := io.WriteString(c, "a"); err == nil {
				alive++
			}
		}
	}
	eventually(t, "they are forgotten", func() bool { return l.Stats().Unfinished == 0 })
	require.Zero(t, l.Stats().Refused)
	say(t, ws, "{}")
	tb.chars["keeper"].want(t, "attach waits=false", "{}")
}

// More of them than there may be: the oldest go, and who does finish gets in.
func TestEvicted(t *testing.T) {
	tb := newTable("keeper")
	l := listen(t, Options{Limits: Limits{Unfinished: 50}}, tb)
	list := flood(t, l, 200, "GET ")
	eventually(t, "they were seen", func() bool { return l.Stats().Accepted == 200 })
	for _, c := range list[:150] {
		_, _ = io.Copy(io.Discard, c)
	}
	require.EqualValues(t, 150, l.Stats().Evicted)
	require.Equal(t, 50, l.Stats().Unfinished)
	dial(t, l, "/aicc")
	tb.chars["keeper"].want(t, "attach waits=false")
}

// A long list is not made for everybody at once.
func TestLists(t *testing.T) {
	var names []string
	for i := range 50_000 {
		names = append(names, fmt.Sprintf("a character with a long name, for the list %d%s", i, strings.Repeat("x", 100)))
	}
	l := listen(t, Options{}, newTable(names...))
	const get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
	list := flood(t, l, maxLists, get) // which nobody reads
	eventually(t, "all are at it", func() bool { return len(l.lists) == maxLists })
	require.Contains(t, ask(t, l, get), `503 Service Unavailable`)
	for _, c := range list {
		c.Close()
	}
	eventually(t, "they have ended", func() bool { return len(l.lists) == 0 })
	require.Contains(t, ask(t, l, get), `200 OK`)
}

// A crowd connects at once; what is over the bound is told so.
func TestCrowd(t *testing.T) {
	const n, most = 300, 256
	var names []string
	for i := range n {
		names = append(names, fmt.Sprint("npc", i))
	}
	tb := newTable(names...)
	l := listen(t, Options{Limits: Limits{Connections: most}}, tb)
	began := time.Now()
	var wg sync.WaitGroup
	sem := make(chan struct{}, 64)
	refused := make(chan string, n)
	conns := make(chan *websocket.Conn, n)
	for _, name := range names {
		wg.Go(func() {
			sem <- struct{}{}
			defer func() { <-sem }()
			ws, r, err := websocket.Dial(t.Context(), "ws://"+l.Addr()+"/aicc?character="+name, nil)
			if err != nil {
				body, _ := io.ReadAll(r.Body)
				refused <- fmt.Sprint(r.StatusCode, r.Header.Get("Retry-After"), " ", string(body))
				return
			}
			conns <- ws
		})
	}
	wg.Wait()
	t.Logf("%d connects in %v", n, time.Since(began).Round(time.Millisecond))
	require.Len(t, conns, most)
	require.Len(t, refused, n-most)
	for range n - most {
		require.Equal(t, `5031 {"error":{"code":"full","message":"256 agents are connected, which is the most: connect again when one has left"}}`+"\n", <-refused)
	}
	eventually(t, "all are seated", func() bool {
		seated := 0
		for _, name := range names {
			if strings.HasPrefix(tb.chars[name].said(), "attach") {
				seated++
			}
		}
		return seated == most
	})
	for range most {
		_ = (<-conns).CloseNow()
	}
	eventually(t, "all are gone", func() bool { return l.Stats().Connections == 0 })
}

// What an agent that is there costs while nothing happens.
func TestIdleConnectionCost(t *testing.T) {
	const n = 200
	var names []string
	for i := range n {
		names = append(names, fmt.Sprint("npc", i))
	}
	tb := newTable(names...)
	l := listen(t, Options{}, tb)
	before := used()
	for _, name := range names {
		dialRaw(t, l, "/aicc?character="+name, "")
		tb.chars[name].want(t, "attach waits=false")
	}
	cost := (used() - before) / n // the client's end, a reader of 4 KiB, included
	t.Logf("%d bytes a connection", cost)
	require.LessOrEqual(t, cost, uint64(48<<10))
}

// A message cost: from the bridge's Send to the client.
func BenchmarkSend(b *testing.B) {
	tb := newTable("keeper")
	l, err := Listen(Options{Limits: Limits{QueueBytes: 64 << 20}}, tb)
	require.NoError(b, err)
	defer l.Close()
	ws := dial(b, l, "/aicc")
	tb.chars["keeper"].want(b, "attach waits=false")
	m := strings.Repeat("x", 240)
	b.ReportAllocs()
	b.ResetTimer()
	go func() {
		for range b.N {
			for l.held.Load() > 32<<20 {
				runtime.Gosched()
			}
			if !tb.chars["keeper"].send(m) {
				b.Error("refused")
				return
			}
		}
	}()
	for range b.N {
		_, r, err := ws.Reader(b.Context())
		require.NoError(b, err)
		_, _ = io.Copy(io.Discard, r)
	}
	b.StopTimer()
	_ = ws.CloseNow()
}
