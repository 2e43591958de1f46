package transport

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListenErrors(t *testing.T) {
	other := listen(t, Options{}, newTable())
	var port int
	_, err := fmt.Sscanf(other.Addr(), "127.0.0.1:%d", &port)
	require.NoError(t, err)
	for want, o := range map[string]Options{
		"port must be from 0, which is any, to 65535, it is 65536":                                                                                                         {Port: 65536},
		`address must be an IP address or "localhost", it is "game.example"`:                                                                                               {Address: "game.example"},
		"address 0.0.0.0 can be reached from other machines: give a token, and put TLS in front, or listen on 127.0.0.1":                                                   {Address: "0.0.0.0"},
		"address :: can be reached from other machines: give a token, and put TLS in front, or listen on 127.0.0.1":                                                        {Address: "::"},
		"token must be of printable ASCII without spaces, since it travels in a header":                                                                                    {Token: "a b"},
		`"*" is no origin: give it as browsers send it, https://studio.example, with a port only if it is not the scheme's own; there are no patterns`:                     {Origins: []string{"*"}},
		`"https://a.example/x" is no origin: give it as browsers send it, https://studio.example, with a port only if it is not the scheme's own; there are no patterns`:   {Origins: []string{"https://b.example:8443/", "https://a.example/x"}},
		`"https://a.example:443" is no origin: give it as browsers send it, https://studio.example, with a port only if it is not the scheme's own; there are no patterns`: {Origins: []string{"https://a.example:443"}},
		`"*.example" is no host: give a name as agents call this machine, game.example; there are no patterns`:                                                             {Hosts: []string{"game.example:80", "::1", "*.example"}},
		fmt.Sprintf("port %d of 127.0.0.1 cannot be opened: listen tcp4 127.0.0.1:%d: bind: address already in use; give port 0 for any that is free", port, port):         {Port: port},
	} {
		_, err := Listen(o, newTable())
		require.EqualError(t, err, want)
	}
	l := listen(t, Options{Address: "0.0.0.0", Token: "x"}, newTable())
	require.True(t, strings.HasPrefix(l.Addr(), "0.0.0.0:"), l.Addr())
	require.False(t, strings.HasSuffix(l.Addr(), ":0"), l.Addr())
}

func refusal(status, code, message string) string {
	return status + ` {"error":{"code":"` + code + `","message":"` + strings.ReplaceAll(message, `"`, `\"`) + `"}}`
}

func TestRefusals(t *testing.T) {
	tb := newTable("keeper", "guard")
	tb.chars["guard"].state = Taken
	l := listen(t, Options{Token: "s3cret", Hosts: []string{"game.example"}, Origins: []string{"https://studio.example"}}, tb)
	const auth = "Authorization: Bearer s3cret\r\n"
	get := func(path, host, headers string) string {
		return "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n" + headers + "\r\n"
	}
	const hostText = `: connect to a loopback name or address, or let the game list the name among its hosts`
	const tokenText = "this is not the listener's token: send the one that the game was given, in the header Authorization: Bearer TOKEN"
	for _, c := range []struct{ name, request, want string }{
		{"rebound page", get("/", "evil.example:8080", "Origin: http://evil.example:8080\r\n"+auth), refusal("403 Forbidden", "host", `this listener does not go by the name "evil.example:8080"`+hostText)},
		{"no host", "GET / HTTP/1.1\r\n" + auth + "\r\n", refusal("403 Forbidden", "host", `this listener does not go by the name ""`+hostText)},
		{"another machine's address", get("/", "192.168.1.7", auth), refusal("403 Forbidden", "host", `this listener does not go by the name "192.168.1.7"`+hostText)},
		{"a name that begins well", get("/", "localhost.evil.example", auth), refusal("403 Forbidden", "host", `this listener does not go by the name "localhost.evil.example"`+hostText)},
		{"two hosts", get("/", "localhost", "Host: evil.example\r\n"+auth), refusal("400 Bad Request", "request", "this is no HTTP request: open a WebSocket, or GET /")},
		{"a host in the path", get("http://localhost/", "evil.example", auth), refusal("400 Bad Request", "request", "a path is wanted, not a whole URL")},
		{"wrong origin", get("/", "localhost", "Origin: http://localhost\r\n"+auth), refusal("403 Forbidden", "origin", `web pages of "http://localhost" may not connect: let the game list that origin`)},
		{"sandboxed page", get("/", "localhost", "Origin: null\r\n"+auth), refusal("403 Forbidden", "origin", `web pages of "null" may not connect: let the game list that origin`)},
		{"two origins", get("/", "localhost", "Origin: https://studio.example\r\nOrigin: http://b\r\n"+auth), refusal("403 Forbidden", "origin", `web pages of "https://studio.example, http://b" may not connect: let the game list that origin`)},
		{"wrong origin, upgrade", upgradeRequest("/aicc?character=keeper", "Origin: http://127.0.0.1\r\n"+auth), refusal("403 Forbidden", "origin", `web pages of "http://127.0.0.1" may not connect: let the game list that origin`)},
		{"no token", get("/", "localhost", ""), refusal("401 Unauthorized", "token_missing", "this listener wants a token: send it in the header Authorization: Bearer TOKEN")},
		{"no token, upgrade", upgradeRequest("/aicc", ""), refusal("401 Unauthorized", "token_missing", "this listener wants a token: send it in the header Authorization: Bearer TOKEN")},
		{"wrong token", get("/", "localhost", "Authorization: Bearer s3cre\r\n"), refusal("401 Unauthorized", "token_wrong", tokenText)},
		{"wrong scheme", get("/", "localhost", "Authorization: Basic s3cret\r\n"), refusal("401 Unauthorized", "token_wrong", tokenText)},
		{"two tokens", get("/", "localhost", auth+"Authorization: Bearer x\r\n"), refusal("401 Unauthorized", "token_wrong", tokenText)},
		{"token in the query", get("/?token=s3cret", "localhost", ""), refusal("400 Bad Request", "token_in_query", "a token in the URL ends up in logs: send it in the header Authorization: Bearer TOKEN")},
		{"post", "POST / HTTP/1.1\r\nHost: localhost\r\n" + auth + "\r\n", refusal("405 Method Not Allowed", "method", "only GET is answered here: open a WebSocket, or GET /")},
		{"garbage", "\x17\x03\x01\x00\xff hello\r\n\r\n", refusal("400 Bad Request", "request", "this is no HTTP request: open a WebSocket, or GET /")},
		{"TLS", "\x16\x03\x01\x00\xff hello", refusal("400 Bad Request", "tls", "this listener speaks no TLS: connect to ws://, or put a proxy that does in front")},
		{"bad escape", get("/aicc/mi%zz", "localhost", auth), refusal("400 Bad Request", "request", `"%zz" in the path is no percent-encoding: write a % itself as %25`)},
		{"unknown query", get("/aicc?charakter=x", "localhost", auth), refusal("400 Bad Request", "query", `the query has "charakter", or has it more than once: it takes character, model, full_ms, topics, each once`)},
		{"twice", get("/aicc?character=x&character=y", "localhost", auth), refusal("400 Bad Request", "query", `the query has "character", or has it more than once: it takes character, model, full_ms, topics, each once`)},
		{"no such path", get("/metrics", "localhost", auth), refusal("404 Not Found", "not_found", "agents connect to /aicc/BRIDGE?character=NAME; GET / lists bridges and characters")},
		{"no upgrade", get("/aicc", "localhost", auth), refusal("426 Upgrade Required", "upgrade", "agents connect here by WebSocket: open ws:// with this path; GET / lists bridges and characters")},
		{"no such bridge", upgradeRequest("/aicc/mill", auth), refusal("404 Not Found", "not_found", `there is no bridge "mill": ask for one of "the yard"; GET / lists all`)},
		{"no such character", upgradeRequest("/aicc/the%20yard?character=smith", auth), refusal("404 Not Found", "not_found", `there is no character "smith": ask for one of "keeper", "guard"; GET / lists all`)},
		{"taken", upgradeRequest("/aicc?character=guard", auth), refusal("409 Conflict", "taken", `character "guard" has an agent: ask for another one, or connect again when it has left`)},
		{"game in trouble", upgradeRequest("/aicc/broken", auth), refusal("500 Internal Server Error", "internal", "the game cannot seat an agent now: the disk is full")},
		{"model", upgradeRequest("/aicc?model=big", auth), refusal("400 Bad Request", "model", `model is one of edge_small, edge_medium, cloud_medium, cloud_large, not "big"`)},
		{"full_ms", upgradeRequest("/aicc?full_ms=-1", auth), refusal("400 Bad Request", "full_ms", `full_ms is a number of milliseconds from 0 to 86400000, not "-1"`)},
		{"topics", upgradeRequest("/aicc?topics=tick,smell", auth), refusal("400 Bad Request", "topics", `topics are any of tick, collision, audio, state_change, agent_message with commas between, not "smell"`)},
		{"query", upgradeRequest("/aicc?character=%zz", auth), refusal("400 Bad Request", "query", "the query cannot be read: escape what stands in it")},
		{"key", strings.Replace(upgradeRequest("/aicc", auth), "dGhl", "", 1), refusal("400 Bad Request", "upgrade", `WebSocket protocol violation: invalid Sec-WebSocket-Key "IHNhbXBsZSBub25jZQ==", must be a 16 byte base64 encoded string`)},
		{"version", strings.Replace(upgradeRequest("/aicc", auth), ": 13", ": 8", 1), refusal("400 Bad Request", "upgrade", `unsupported WebSocket protocol version (only 13 is supported): "8"`)},
		{"a header of 60 KiB", get("/", "localhost", auth+"X: "+strings.Repeat("x", 60<<10)+"\r\n"), refusal("431 Request Header Fields Too Large", "header", "the request's header is over 8 KiB: send less")},
		{"a header of many lines", get("/", "localhost", auth+strings.Repeat("a: b\r\n", 70)), refusal("431 Request Header Fields Too Large", "header", "the request's header has over 64 lines: send less")},
	} {
		got := ask(t, l, c.request)
		head, body, _ := strings.Cut(got, "\r\n\r\n")
		status, headers, _ := strings.Cut(head, "\r\n")
		require.Equal(t, "HTTP/1.1 "+c.want+"\n", status+" "+body, c.name)
		require.Contains(t, headers, "Content-Type: application/json\r\nContent-Length: "+fmt.Sprint(len(body))+"\r\n", c.name)
		require.Equal(t, strings.HasPrefix(c.want, "401"), strings.Contains(headers, "WWW-Authenticate: Bearer"), c.name)
	}
	require.Empty(t, tb.chars["keeper"].said(), "nothing of it reached a character")
	require.EqualValues(t, 36, l.Stats().Refused)
}

func TestListing(t *testing.T) {
	tb := newTable("keeper", `a "b"`, "guard")
	tb.chars["guard"].state, tb.chars[`a "b"`].state = Taken, Away
	l := listen(t, Options{Token: "s3cret", Hosts: []string{"game.example:80"}, Origins: []string{"https://Studio.example"}}, tb)
	const want = `{"protocol":"aicc/0.1","bridges":[{"name":"the yard","path":"/aicc/the%20yard","characters":[{"name":"keeper","state":"free"},{"name":"a \"b\"","state":"away"},{"name":"guard","state":"taken"}]}]}` + "\n"
	for _, host := range []string{"localhost", "LOCALHOST.:80", "127.0.0.1:7", "127.9.9.9", "[::1]:1", "game.example", "Game.Example:443"} {
		got := ask(t, l, "GET / HTTP/1.1\r\nHost: "+host+"\r\nOrigin: https://studio.example\r\nauthorization: bearer s3cret\r\n\r\n")
		head, body, _ := strings.Cut(got, "\r\n\r\n")
		require.True(t, strings.HasPrefix(head, "HTTP/1.1 200 OK\r\n"), "%s: %s", host, head)
		require.Equal(t, want, body)
		require.Contains(t, head, "\r\nAccess-Control-Allow-Origin: https://studio.example\r\nVary: Origin")
	}
	require.NotContains(t, ask(t, l, "GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer s3cret\r\n\r\n"), "Access-Control")
	require.NotContains(t, ask(t, l, "GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: https://other.example\r\nAuthorization: Bearer s3cret\r\n\r\n"), "Access-Control")
}

func TestAsked(t *testing.T) {
	tb := newTable("keeper")
	l := listen(t, Options{Replace: true, Origins: []string{"https://studio.example"}}, tb)
	ws := dial(t, l, "/aicc/the%20yard?character=keeper&model=edge_small&full_ms=250&topics=tick,audio")
	tb.chars["keeper"].want(t, "attach waits=false")
	require.NoError(t, ws.CloseNow())
	tb.chars["keeper"].want(t, "attach waits=false", "leave")
	dial(t, l, "/aicc?topics=", "Origin", "https://studio.example")
	tb.chars["keeper"].want(t, "attach waits=false", "leave", "attach waits=false")
	require.Equal(t, []Ask{
		{World: "the yard", Character: "keeper", Replace: true, Model: 1, FullMS: 250, Topics: 5, HasTopics: true},
		{Replace: true, FullMS: -1, HasTopics: true},
	}, tb.asked)
}

func FuzzRequest(f *testing.F) {
	f.Add(upgradeRequest("/aicc/x?character=a&topics=tick", "Origin: http://a\r\n"))
	f.Add("GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n")
	f.Add("GET //evil HTTP/1.1\r\nHost: localhost\r\nHost: b\r\n\r\n")
	f.Add("GET * HTTP/1.0\r\n\r\n")
	f.Add("GET /%zz?%zz HTTP/9.9\r\nHost: localhost\x00\r\nAuthorization:\r\n\r\n")
	g := newGuard(&Options{Token: "t"}, "127.0.0.1")
	f.Fuzz(func(t *testing.T, header string) {
		r, refusal := parse([]byte(header))
		if refusal != nil {
			return
		}
		if refusal = g.check(r); refusal == nil {
			require.Contains(t, header, " t", "let in without the token")
			name := HostName(r.Host)
			require.True(t, name == "localhost" || name == "::1" || strings.HasPrefix(name, "127."), name)
		} else {
			require.NotEmpty(t, refusal.body())
		}
		_, _ = readAsk(r.URL)
	})
}
