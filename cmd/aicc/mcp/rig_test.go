package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/live/livetest"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/leak"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

// Whatever a test did, nothing of it may run when all are through.
func TestMain(m *testing.M) { os.Exit(leak.Check(m.Run(), "cmd/aicc/mcp.", "core/agent.")) }

const (
	modern  = "2026-07-28"
	classic = "2025-11-25"
)

// yard is a game, and what the test does inside its tools.
type yard struct {
	*livetest.Game
	over chan struct{}

	mu    sync.Mutex
	held  chan struct{} // hold waits for it, or for over
	holds chan struct{} // hold has begun
}

func (y *yard) tools() []livetest.Tool {
	hold := livetest.Tool{Tool: message.Tool{ID: "hold", Class: message.Actuator, Description: "Holds the gate.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object"}`)},
		Do: func(*livetest.Character, string) livetest.Answer {
			select {
			case y.holds <- struct{}{}:
			case <-y.over:
			}
			select {
			case <-y.held:
			case <-y.over:
			}
			return livetest.Answer{Output: `{"held":true}`}
		}}
	return append(livetest.YardTools(), hold)
}

func start(t testing.TB, o transport.Options, names ...string) *yard {
	t.Helper()
	y := &yard{held: make(chan struct{}), holds: make(chan struct{}, 16), over: make(chan struct{})}
	if len(names) == 0 {
		names = []string{"guard"}
	}
	y.Game = livetest.Start(t, o, "back yard", y.tools(), names...)
	t.Cleanup(func() { close(y.over) })
	return y
}

// burn uses up the first session: the ids of a game come in one order, and a game that is started anew must not find those of the last.
func (y *yard) burn(t testing.TB) *yard {
	a, err := agent.Connect(t.Context(), "ws://"+y.Address+"/aicc?character=guard", agent.Options{})
	require.NoError(t, err)
	leave(a)
	eventually(t, "it is gone", func() bool { return y.Connected() == 0 })
	return y
}

// again starts the game anew where it was.
func (y *yard) again(t testing.TB, names ...string) *yard {
	t.Helper()
	host, port, err := net.SplitHostPort(y.Address)
	require.NoError(t, err)
	var n int
	_, err = fmt.Sscan(port, &n)
	require.NoError(t, err)
	return start(t, transport.Options{Address: host, Port: n}, names...)
}

// log is what a front has told people.
type log struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// open makes a front for an address.
func open(t testing.TB, address string, change ...func(*Options)) *Front {
	t.Helper()
	target, err := live.Parse(address)
	require.NoError(t, err)
	o := Options{Target: target, Version: "1", Log: &log{}, Agent: agent.Options{First: time.Millisecond, Most: 20 * time.Millisecond},
		Times: Times{Every: 20 * time.Millisecond, Grace: 100 * time.Millisecond, Lost: 200 * time.Millisecond}}
	for _, c := range change {
		c(&o)
	}
	f := New(o)
	t.Cleanup(f.Close)
	return f
}

func (f *Front) ready(t testing.TB) *Front {
	t.Helper()
	eventually(t, "the game is there", func() bool { return f.game.now().up })
	return f
}

// client is an MCP client and what it has heard.
type client struct {
	t testing.TB
	*sdk.ClientSession

	mu       sync.Mutex
	lists    int
	updates  map[string]int
	progress []string
}

// clients make a client for each way of talking.
var clients = map[string]func(t testing.TB, f *Front) *client{
	"memory modern":  func(t testing.TB, f *Front) *client { return connect(t, memory(t, f), modern) },
	"memory classic": func(t testing.TB, f *Front) *client { return connect(t, memory(t, f), classic) },
	"memory oldest":  func(t testing.TB, f *Front) *client { return connect(t, memory(t, f), "2024-11-05") },
	"http modern":    func(t testing.TB, f *Front) *client { return connect(t, overHTTP(t, f), modern) },
	"http classic":   func(t testing.TB, f *Front) *client { return connect(t, overHTTP(t, f), classic) },
}

func memory(t testing.TB, f *Front) sdk.Transport {
	a, b := sdk.NewInMemoryTransports()
	_, err := f.server.Connect(t.Context(), a, nil)
	require.NoError(t, err)
	return b
}

func serve(t testing.TB, f *Front, h HTTP) string {
	t.Helper()
	l, err := h.Listen("127.0.0.1:0")
	require.NoError(t, err)
	s := f.ServeHTTP(l, h)
	t.Cleanup(func() { _ = s.Close() })
	return "http://" + l.Addr().String()
}

func overHTTP(t testing.TB, f *Front) sdk.Transport {
	return &sdk.StreamableClientTransport{Endpoint: serve(t, f, HTTP{}) + Path, HTTPClient: &http.Client{Transport: &http.Transport{}}}
}

func connect(t testing.TB, wire sdk.Transport, version string) *client {
	t.Helper()
	c := &client{t: t, updates: map[string]int{}}
	made := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { c.note(func() { c.lists++ }) },
		ResourceUpdatedHandler: func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) {
			c.note(func() { c.updates[r.Params.URI]++ })
		},
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			c.note(func() {
				c.progress = append(c.progress, fmt.Sprint(r.Params.ProgressToken, " ", r.Params.Progress, " ", r.Params.Message))
			})
		},
	})
	session, err := made.Connect(t.Context(), wire, &sdk.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(t, err)
	c.ClientSession = session
	t.Cleanup(func() { _ = session.Close() })
	return c
}

func (c *client) note(do func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	do()
}

func (c *client) heard(get func() bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return get()
}

func (c *client) names() (names []string) {
	c.t.Helper()
	list, err := c.ListTools(c.t.Context(), nil)
	require.NoError(c.t, err)
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func (c *client) call(name, arguments string) *sdk.CallToolResult {
	c.t.Helper()
	r, err := c.CallTool(c.t.Context(), &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	require.NoError(c.t, err)
	return r
}

// text is a result in one string.
func text(r *sdk.CallToolResult) string {
	var b strings.Builder
	if r.IsError {
		b.WriteString("error: ")
	}
	for i, c := range r.Content {
		if i > 0 {
			b.WriteString(" | ")
		}
		b.WriteString(c.(*sdk.TextContent).Text)
	}
	return b.String()
}

func (c *client) read(uri string) string {
	c.t.Helper()
	r, err := c.ReadResource(c.t.Context(), &sdk.ReadResourceParams{URI: uri})
	require.NoError(c.t, err)
	require.Len(c.t, r.Contents, 1)
	require.Equal(c.t, "application/json", r.Contents[0].MIMEType)
	return r.Contents[0].Text
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, is, 20*time.Second, time.Millisecond, what)
}
