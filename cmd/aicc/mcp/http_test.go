package mcp

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

func TestListenAddress(t *testing.T) {
	for address, want := range map[string]string{
		"8377":         `"8377" is no address to listen at: give one like 127.0.0.1:8377`,
		"0.0.0.0:0":    "others can reach 0.0.0.0: that wants a token for clients, by --http-token-file or AICC_MCP_TOKEN",
		"example.de:0": "others can reach example.de: that wants a token for clients, by --http-token-file or AICC_MCP_TOKEN",
	} {
		_, err := (&HTTP{}).Listen(address)
		require.EqualError(t, err, want)
	}
	for _, address := range []string{":0", "localhost:0", "127.0.0.1:0"} {
		l, err := (&HTTP{}).Listen(address)
		require.NoError(t, err)
		require.True(t, l.Addr().(*net.TCPAddr).IP.IsLoopback())
		require.NoError(t, l.Close())
	}
	l, err := (&HTTP{Token: "x"}).Listen("0.0.0.0:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
}

// What people are told of where it listens is what they asked for, and what stands in the way of others.
func TestWhere(t *testing.T) {
	const long = "0123456789abcdef"
	local := "on this machine that is http://127.0.0.1:PORT/mcp"
	nobody := local + "; others are let in by no name yet: start it with --host NAME for each name or address by which they call this machine"
	short := "others can reach 0.0.0.0, and the token for clients has only 5 characters: give one of at least 16 that nobody can guess"
	for _, one := range []struct {
		address, token string
		hosts          []string
		url            string
		notes          []string
	}{
		{address: "127.0.0.1:0", url: "http://127.0.0.1:PORT/mcp"},
		{address: ":0", token: "short", url: "http://127.0.0.1:PORT/mcp"},
		{address: "localhost:0", url: "http://localhost:PORT/mcp"},
		{address: "0.0.0.0:0", token: long, url: "http://0.0.0.0:PORT/mcp", notes: []string{nobody}},
		{address: "[::]:0", token: long, url: "http://[::]:PORT/mcp", notes: []string{nobody}},
		{address: "0.0.0.0:0", token: "short", hosts: []string{"game.example"}, url: "http://0.0.0.0:PORT/mcp", notes: []string{local, short}},
	} {
		h := HTTP{Token: one.token, Hosts: one.hosts}
		l, err := h.Listen(one.address)
		require.NoError(t, err)
		url, notes := h.Where(one.address, l)
		require.NoError(t, l.Close())
		port := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
		require.Equal(t, one.url, strings.ReplaceAll(url, port, "PORT"))
		for i := range notes {
			notes[i] = strings.ReplaceAll(notes[i], port, "PORT")
		}
		require.Equal(t, one.notes, notes)
	}
	h := HTTP{Token: long}
	_, err := h.Listen("no.such.machine.invalid:0")
	require.Error(t, err)
	require.Equal(t, []string{"no.such.machine.invalid"}, h.Hosts, "a name that it is to listen at is one that it goes by")
}

// The words of others are lines like the rest.
func TestLogOfOthers(t *testing.T) {
	y := start(t, transport.Options{})
	f := open(t, y.Address).ready(t)
	s := speak(t, f)
	s.ask(hello)
	s.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	s.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	said := f.o.Log.(*log)
	eventually(t, "it is logged", func() bool { return strings.Contains(said.String(), "duplicate") })
	j := slog.New((&journal{front: f}).WithAttrs([]slog.Attr{slog.Int("n", 7)}).WithGroup("g"))
	j.Warn("not this")
	j.Error("two\nlines", "error", io.EOF)
	slog.NewLogLogger(&journal{front: f}, slog.LevelError).Printf("http: %d", 1)
	require.Equal(t, "aicc mcp: plays guard of back yard at "+y.Address+"\naicc mcp: MCP: duplicate initialized notification\naicc mcp: MCP: two\\nlines, n 7, error EOF\naicc mcp: MCP: http: 1\n", said.String())
}

// Who comes in, and who does not.
func TestDoor(t *testing.T) {
	y := start(t, transport.Options{})
	f := open(t, y.Address).ready(t)
	open, closed := serve(t, f, HTTP{}), serve(t, f, HTTP{Token: "s3cret", Hosts: []string{"Game.Example"}, Origins: []string{"https://studio.example/"}})
	for _, one := range []struct {
		name, base, host string
		header           []string
		method, path     string
		status           int
		body             string
	}{
		{name: "good", base: open, status: 200},
		{name: "by name", base: open, host: "localhost:1", status: 200},
		{name: "ipv6", base: open, host: "[::1]:1", status: 200},
		{name: "rebound", base: open, host: "evil.example", status: 403, body: "this server does not go by that name: use 127.0.0.1, or start it with --host NAME\n"},
		{name: "rebound with its origin", base: open, host: "evil.example", header: []string{"Origin", "http://evil.example"}, status: 403, body: "this server does not go by that name: use 127.0.0.1, or start it with --host NAME\n"},
		{name: "own", base: open, header: []string{"Origin", open}, status: 200},
		{name: "page", base: open, header: []string{"Origin", "http://127.0.0.1:1"}, status: 403, body: "web pages of this origin may not connect: start the server with --origin ORIGIN\n"},
		{name: "no page", base: open, header: []string{"Origin", "null"}, status: 403, body: "web pages of this origin may not connect: start the server with --origin ORIGIN\n"},
		{name: "elsewhere", base: open, path: "/", status: 404, body: "MCP is spoken at /mcp\n"},
		{name: "no token", base: closed, status: 401, body: "this server wants its token, in the header Authorization: Bearer TOKEN\n"},
		{name: "wrong token", base: closed, header: []string{"Authorization", "Bearer x"}, status: 401, body: "this server wants its token, in the header Authorization: Bearer TOKEN\n"},
		{name: "wrong scheme", base: closed, header: []string{"Authorization", "Basic s3cret"}, status: 401, body: "this server wants its token, in the header Authorization: Bearer TOKEN\n"},
		{name: "token", base: closed, header: []string{"Authorization", "bearer s3cret"}, status: 200},
		{name: "listed", base: closed, host: "game.example:80", header: []string{"Authorization", "Bearer s3cret", "Origin", "https://studio.example"}, status: 200},
		{name: "asks first", base: closed, method: http.MethodOptions, header: []string{"Origin", "https://studio.example"}, status: 204},
		{name: "page asks in vain", base: closed, method: http.MethodOptions, header: []string{"Origin", "https://other.example"}, status: 403, body: "web pages of this origin may not connect: start the server with --origin ORIGIN\n"},
		{name: "too large", base: open, header: []string{"Content-Length", ""}, status: 413, body: strings.Repeat(" ", maxMessage+1)},
	} {
		t.Run(one.name, func(t *testing.T) {
			if one.path == "" {
				one.path = Path
			}
			if one.method == "" {
				one.method = http.MethodPost
			}
			text := hello
			if one.status == 413 {
				text = one.body
			}
			r, err := http.NewRequestWithContext(t.Context(), one.method, one.base+one.path, strings.NewReader(text))
			require.NoError(t, err)
			if one.host != "" {
				r.Host = one.host
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			for i := 0; i < len(one.header); i += 2 {
				r.Header.Set(one.header[i], one.header[i+1])
			}
			answer, err := http.DefaultClient.Do(r)
			require.NoError(t, err)
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			require.NoError(t, err)
			require.Equal(t, one.status, answer.StatusCode, string(body))
			switch one.status {
			case 200:
				require.Contains(t, string(body), `"protocolVersion":"2025-11-25"`)
				require.NotEmpty(t, answer.Header.Get("Mcp-Session-Id"))
			case 204, 413:
			default:
				require.Equal(t, one.body, string(body))
			}
			if origin := r.Header.Get("Origin"); one.status < 300 && origin != "" {
				require.Equal(t, origin, answer.Header.Get("Access-Control-Allow-Origin"))
			} else {
				require.Empty(t, answer.Header.Get("Access-Control-Allow-Origin"))
			}
		})
	}
}

// Clients that leave without a word do not pile up: the one that was silent longest makes room.
func TestSilentGuestsMakeRoom(t *testing.T) {
	y := start(t, transport.Options{})
	f := open(t, y.Address).ready(t)
	f.guests.most = 3
	endpoint := serve(t, f, HTTP{}) + Path
	var made []*client
	for range 3 {
		made = append(made, connect(t, &sdk.StreamableClientTransport{Endpoint: endpoint}, classic))
	}
	for _, i := range []int{0, 1, 2, 0} {
		require.False(t, made[i].call("look", `{}`).IsError)
	}
	made = append(made, connect(t, &sdk.StreamableClientTransport{Endpoint: endpoint}, classic))
	sessions := func() (n int) {
		for range f.server.Sessions() {
			n++
		}
		return n
	}
	eventually(t, "one is gone", func() bool { return sessions() == 3 })
	for _, i := range []int{0, 2, 3} {
		require.False(t, made[i].call("look", `{}`).IsError)
	}
	_, err := made[1].CallTool(t.Context(), &sdk.CallToolParams{Name: "look"})
	require.Error(t, err)
}

// A client that opens a stream and reads nothing of it does not keep others waiting.
func TestSlowReader(t *testing.T) {
	y := start(t, transport.Options{})
	f := open(t, y.Address, func(o *Options) { o.Times.Every, o.Times.Write = time.Millisecond, 50*time.Millisecond }).ready(t)
	base := serve(t, f, HTTP{})
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	require.NoError(t, err)
	defer conn.Close()
	require.NoError(t, conn.(*net.TCPConn).SetReadBuffer(4096))
	ask := func(extra, body string) *http.Response {
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s", Path, extra, len(body), body)
		r, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		_, err = io.ReadAll(r.Body)
		require.NoError(t, err)
		return r
	}
	id := "Mcp-Session-Id: " + ask("", hello).Header.Get("Mcp-Session-Id") + "\r\n"
	ask(id, `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"aicc://events"}}`)
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n%s\r\n", Path, id)
	c := connect(t, &sdk.StreamableClientTransport{Endpoint: base + Path}, classic)
	require.NoError(t, c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "aicc://latest/audio"}))
	n := 0
	eventually(t, "the other hears of the last", func() bool {
		n++
		y.Emit(message.TopicAudio, fmt.Sprintf(`{"n":%d}`, n))
		return c.heardCount("aicc://latest/audio") > 20
	})
}
