package transport

import (
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"
)

// watched is an inspector that notes what it is asked for.
type watched struct {
	mu   sync.Mutex
	send func([]byte) bool
	said []string
}

func (w *watched) File(name string) (string, []byte, bool) {
	if name == "" {
		return "text/html; charset=utf-8", []byte("<p>page</p>"), true
	}
	return "text/javascript; charset=utf-8", []byte("1"), name == "main.js"
}

func (w *watched) Watch(send func([]byte) bool) (func([]byte), func()) {
	w.note("watch")
	w.mu.Lock()
	w.send = send
	w.mu.Unlock()
	send([]byte(`{"t":"hello"}`))
	return func(m []byte) { w.note(string(m)) }, func() { w.note("leave") }
}

func (w *watched) note(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, s)
}

func (w *watched) want(t *testing.T, lines ...string) {
	t.Helper()
	eventually(t, strings.Join(lines, ", "), func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return strings.Join(w.said, "\n") == strings.Join(lines, "\n")
	})
}

// inspected is a listener with an inspector, and the parts of the inspector's URL.
func inspected(t *testing.T, o Options, tb *table) (l *Listener, w *watched, host, token string) {
	t.Helper()
	w = &watched{}
	o.Inspector = w
	l = listen(t, o, tb)
	parts := regexp.MustCompile(`^http://(.*)/inspector/#([\w-]{22})$`).FindStringSubmatch(l.InspectorURL())
	require.Len(t, parts, 3, l.InspectorURL())
	return l, w, parts[1], parts[2]
}

func dialPage(l *Listener, path, origin string, protocols ...string) (*websocket.Conn, *http.Response, error) {
	return websocket.Dial(context.Background(), "ws://"+l.Addr()+path, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {origin}}, Subprotocols: protocols})
}

func TestInspectorIsOffUnlessAskedFor(t *testing.T) {
	l := listen(t, Options{}, newTable("keeper"))
	require.Empty(t, l.InspectorURL())
	require.Contains(t, ask(t, l, "GET /inspector/ HTTP/1.1\r\nHost: localhost\r\n\r\n"), "404 Not Found")
}

func TestInspectorPage(t *testing.T) {
	l, _, host, token := inspected(t, Options{}, newTable("keeper"))
	got := ask(t, l, "GET /inspector/ HTTP/1.1\r\nHost: "+host+"\r\n\r\n")
	head, body, _ := strings.Cut(got, "\r\n\r\n")
	require.Equal(t, "<p>page</p>", body)
	require.Equal(t, []string{
		"HTTP/1.1 200 OK",
		"Content-Type: text/html; charset=utf-8",
		"Content-Length: 11",
		"Cache-Control: no-store",
		"X-Content-Type-Options: nosniff",
		"Connection: close",
		"Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ws://" + host + "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
		"X-Frame-Options: DENY",
		"Referrer-Policy: no-referrer",
		"Cross-Origin-Opener-Policy: same-origin",
		"Cross-Origin-Resource-Policy: same-origin",
	}, strings.Split(head, "\r\n"))
	require.NotContains(t, got, token)
	require.Contains(t, ask(t, l, "GET /inspector/main.js HTTP/1.1\r\nHost: localhost:1\r\n\r\n"), "Content-Type: text/javascript")
	for request, want := range map[string]string{
		"GET /inspector/other HTTP/1.1\r\nHost: localhost\r\n\r\n":                                                                                     `404 Not Found`,
		"GET /inspector HTTP/1.1\r\nHost: localhost\r\n\r\n":                                                                                           `404 Not Found`,
		"POST /inspector/ HTTP/1.1\r\nHost: localhost\r\n\r\n":                                                                                         `405 Method Not Allowed`,
		"GET /inspector/ HTTP/1.1\r\nHost: evil.example\r\n\r\n":                                                                                       `"code":"host"`,
		"GET /inspector/ HTTP/1.1\r\nHost: localhost:1;script-src *\r\n\r\n":                                                                           `"code":"host"`,
		"GET /inspector/ HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\n\r\n":                                                           `"code":"origin"`,
		"GET /inspector/?token=" + token + " HTTP/1.1\r\nHost: localhost\r\n\r\n":                                                                      `"code":"token_in_query"`,
		"GET /inspector/feed HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\r\n":                                                          `"code":"token_missing"`,
		"GET /inspector/feed HTTP/1.1\r\nHost: localhost\r\n\r\n":                                                                                      `"code":"origin"`,
		"GET /inspector/feed HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\nSec-WebSocket-Protocol: aicc-inspector, " + token + "\r\n\r\n": `426 Upgrade Required`,
	} {
		require.Contains(t, ask(t, l, request), want, request)
	}
}

// Each of these lacks one thing of what the gate wants.
func TestInspectorGate(t *testing.T) {
	tb := newTable("keeper")
	var logged []string
	l, w, host, token := inspected(t, Options{Log: func(s string) { logged = append(logged, s) }, Hosts: []string{"studio.example"}, Origins: []string{"https://studio.example"}}, tb)
	own := "http://" + host
	wrong := base64.RawURLEncoding.EncodeToString(make([]byte, 16))
	for _, path := range []string{"/inspector/feed", "/inspector/play?world=the+yard&character=keeper"} {
		for name, c := range map[string]struct {
			origin, code string
			protocols    []string
		}{
			"no token":           {own, "token_missing", []string{"aicc-inspector"}},
			"no protocol":        {own, "token_missing", nil},
			"token first":        {own, "token_missing", []string{token, "aicc-inspector"}},
			"two tokens":         {own, "token_missing", []string{"aicc-inspector", token, token}},
			"wrong token":        {own, "token_wrong", []string{"aicc-inspector", wrong}},
			"half a token":       {own, "token_wrong", []string{"aicc-inspector", token[:11]}},
			"another case":       {own, "token_wrong", []string{"aicc-inspector", strings.ToUpper(token) + "x"}},
			"another site":       {"https://evil.example", "origin", []string{"aicc-inspector", token}},
			"an agent's origin":  {"https://studio.example", "origin", []string{"aicc-inspector", token}},
			"another port":       {"http://127.0.0.1:1", "origin", []string{"aicc-inspector", token}},
			"no host's origin":   {"null", "origin", []string{"aicc-inspector", token}},
			"another loopback":   {strings.Replace(own, "127.0.0.1", "localhost", 1), "origin", []string{"aicc-inspector", token}},
			"another scheme":     {"https://" + host, "origin", []string{"aicc-inspector", token}},
			"an origin's suffix": {own + ".evil.example", "origin", []string{"aicc-inspector", token}},
		} {
			_, r, err := dialPage(l, path, c.origin, c.protocols...)
			require.Error(t, err, name)
			require.Equal(t, http.StatusForbidden, r.StatusCode, name)
			body := make([]byte, 300)
			n, _ := r.Body.Read(body)
			require.Contains(t, string(body[:n]), `"code":"`+c.code+`"`, name)
			require.NotContains(t, string(body[:n]), token)
		}
	}
	// A name that was rebound to this machine: Host and Origin agree, and the token is right.
	for _, name := range []string{"evil.example", "studio.example"} {
		got := ask(t, l, "GET /inspector/feed HTTP/1.1\r\nHost: "+name+"\r\nOrigin: http://"+name+"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: aicc-inspector, "+token+"\r\n\r\n")
		require.Contains(t, got, `"code":"host"`)
	}
	require.Empty(t, w.said)
	require.Empty(t, tb.asked, "nobody was asked for a seat")
	require.NotContains(t, fmt.Sprint(logged), token)
}

// remote is a connection from another machine.
type remote struct {
	net.Conn
	from net.Addr
}

func (r remote) RemoteAddr() net.Addr { return r.from }

func TestInspectorIsForThisMachine(t *testing.T) {
	l, _, host, token := inspected(t, Options{Address: "0.0.0.0", Token: "agents"}, newTable("keeper"))
	require.True(t, strings.HasPrefix(host, "127.0.0.1:"), host)
	require.Contains(t, ask2(t, host, "GET /inspector/ HTTP/1.1\r\nHost: "+host+"\r\n\r\n"), "200 OK", "the agents' token is not asked for here")
	for from, ok := range map[string]bool{"127.0.0.1": true, "127.9.9.9": true, "::1": true, "::ffff:127.0.0.1": true, "10.0.0.5": false, "192.0.2.1": false, "fe80::1": false, "::ffff:10.0.0.5": false} {
		r, refusal := parse([]byte("GET /inspector/feed HTTP/1.1\r\nHost: " + host + "\r\nOrigin: http://" + host + "\r\nSec-WebSocket-Protocol: aicc-inspector, " + token + "\r\n\r\n"))
		require.Nil(t, refusal)
		refusal = l.desk.check(remote{from: &net.TCPAddr{IP: net.ParseIP(from)}}.RemoteAddr(), r, true)
		if ok {
			require.Nil(t, refusal, from)
		} else {
			require.Equal(t, "peer", refusal.Code, from)
		}
	}
	require.Equal(t, "peer", l.desk.check(&net.UnixAddr{}, &http.Request{}, false).Code)
}

func ask2(t *testing.T, address, request string) string {
	t.Helper()
	c, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer c.Close()
	_, err = c.Write([]byte(request))
	require.NoError(t, err)
	b := make([]byte, 1000)
	n, err := c.Read(b)
	require.NoError(t, err)
	return string(b[:n])
}

func TestInspectorTokensDiffer(t *testing.T) {
	seen := map[string]bool{}
	for range 100 {
		d := newDesk(&watched{})
		raw, err := base64.RawURLEncoding.DecodeString(d.token)
		require.NoError(t, err)
		require.Len(t, raw, 16)
		seen[d.token] = true
	}
	require.Len(t, seen, 100)
}

func TestInspectorFeed(t *testing.T) {
	l, w, host, token := inspected(t, Options{}, newTable("keeper"))
	ws, r, err := dialPage(l, "/inspector/feed", "http://"+host, "aicc-inspector", token)
	require.NoError(t, err)
	require.Equal(t, "aicc-inspector", r.Header.Get("Sec-WebSocket-Protocol"), "the token is not sent back")
	require.Equal(t, `{"t":"hello"}`, hear(t, ws))
	say(t, ws, `{"ack":1}`)
	w.want(t, "watch", `{"ack":1}`)
	w.mu.Lock()
	send := w.send
	w.mu.Unlock()
	require.True(t, send([]byte("1")))
	require.Equal(t, "1", hear(t, ws))
	require.NoError(t, ws.Close(websocket.StatusNormalClosure, ""))
	w.want(t, "watch", `{"ack":1}`, "leave")
	eventually(t, "nothing is sent any more", func() bool { return !send([]byte("1")) })
}

// A hand at playing is seated as an agent, and takes the place of one that is there only where it says so.
func TestInspectorPlays(t *testing.T) {
	tb := newTable("keeper", "cook")
	l, _, host, token := inspected(t, Options{Limits: Limits{CloseTime: time.Second}}, tb)
	play := func(query string) (*websocket.Conn, *http.Response, error) {
		return dialPage(l, "/inspector/play"+query, "http://"+host, "aicc-inspector", token)
	}
	for query, code := range map[string]string{"": "character", "?world=the+yard": "character", "?world=other&character=keeper": "not_found", "?world=the+yard&character=nobody": "not_found"} {
		_, r, err := play(query)
		require.Error(t, err)
		body := make([]byte, 300)
		n, _ := r.Body.Read(body)
		require.Contains(t, string(body[:n]), `"code":"`+code+`"`, query)
	}
	agent := dial(t, l, "/aicc?character=keeper")
	keeper := tb.chars["keeper"]
	keeper.want(t, "attach waits=false")
	_, r, err := play("?world=the+yard&character=keeper")
	require.Error(t, err)
	require.Equal(t, http.StatusConflict, r.StatusCode)
	_, r, err = play("?world=the+yard&character=keeper&take=0")
	require.Error(t, err)
	require.Equal(t, http.StatusConflict, r.StatusCode)
	hand, _, err := play("?world=the+yard&character=keeper&take=1")
	require.NoError(t, err)
	defer hand.CloseNow()
	require.Equal(t, "4410 another agent took the place", ends(t, agent))
	say(t, hand, "{}")
	eventually(t, "what the hand says is the agent's", func() bool { return strings.Contains(keeper.said(), "{}") })
	var replaces []bool
	for _, a := range tb.asked {
		replaces = append(replaces, a.Replace)
	}
	require.Equal(t, []bool{false, false, false, false, false, true}, replaces)
}
