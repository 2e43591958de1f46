package live

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/live/livetest"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/transport"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"127.0.0.1:4100":              "ws://127.0.0.1:4100/aicc",
		" localhost:4100/ ":           "ws://localhost:4100/aicc",
		"[::1]:4100":                  "ws://[::1]:4100/aicc",
		"http://127.0.0.1:4100":       "ws://127.0.0.1:4100/aicc",
		"HTTPS://game.example":        "wss://game.example/aicc",
		"wss://game.example:1/aicc/":  "wss://game.example:1/aicc",
		"h:1/aicc/night%20watch":      "ws://h:1/aicc/night%20watch",
		"h:1/aicc/a%2Fb":              "ws://h:1/aicc/a%2Fb",
		"h:1/aicc?character=the+cook": "ws://h:1/aicc?character=the+cook",
		"ws://h:1/aicc/w?character=c&model=cloud_large&topics=audio": "ws://h:1/aicc/w?character=c&model=cloud_large&topics=audio",

		"":                  "the address of a running game is wanted, like 127.0.0.1:4100: a game that listens says it",
		"localhost":         `"localhost" names no port: a game that listens says it, like 127.0.0.1:4100`,
		":4100":             `"ws://:4100" names no host: give one like 127.0.0.1:4100`,
		"ftp://h:1":         `"ftp://" cannot be spoken here: give ws://, wss://, http://, https://, or only host:port`,
		"ws://u:p@h:1":      "a name or password does not belong in the address: give the token by --token-file or AICC_TOKEN",
		"h:1/play":          `agents connect to /aicc/WORLD?character=NAME, not to "/play": leave it away to see what there is`,
		"h:1?character=%zz": "what stands behind ? cannot be read: escape what is in it, a space as %20",
		"h:99x":             `"ws://h:99x" is no address: invalid port ":99x" after host`,
		"ws://h:1/\x1b[2Jx": `"ws://h:1/\x1b[2Jx" is no address: net/url: invalid control character in URL`,
	} {
		target, err := Parse(text)
		if err != nil {
			require.EqualError(t, err, want, text)
			continue
		}
		require.Equal(t, want, target.URL())
		again, err := Parse(target.URL())
		require.NoError(t, err)
		require.Equal(t, target, again)
	}
}

func TestFind(t *testing.T) {
	g := livetest.Yard(t, transport.Options{}, "guard", "cook")
	at, err := Parse(g.Address)
	require.NoError(t, err)
	find := func(query string) (Target, error) {
		t.Helper()
		target, err := Parse(g.Address + query)
		require.NoError(t, err)
		return target.Find(t.Context(), "")
	}
	found, err := find("")
	require.NoError(t, err)
	require.Equal(t, "guard of back yard at "+g.Address, found.String())
	found, err = find("?character=cook")
	require.NoError(t, err)
	require.Equal(t, "ws://"+g.Address+"/aicc/back%20yard?character=cook", found.URL())
	_, err = find("?character=smith")
	require.EqualError(t, err, "there is no smith at "+g.Address+": `aicc play "+g.Address+" --list` shows what there is")

	seats, err := at.List(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, []Seat{{"back yard", "guard", "free"}, {"back yard", "cook", "free"}}, seats)
	for _, s := range seats {
		a, err := Connect(t.Context(), at.At(s), agent.Options{}, nil)
		require.NoError(t, err)
		defer a.Close(context.Background(), "done")
	}
	_, err = find("")
	require.EqualError(t, err, "no character is free at "+g.Address+": there is guard of back yard (taken), cook of back yard (taken); try again when its agent has left")
	_, err = Connect(t.Context(), at.At(seats[0]), agent.Options{}, nil)
	require.EqualError(t, err, "guard of back yard at "+g.Address+` is taken: character "guard" has an agent: ask for another one, or connect again when it has left; `+"`aicc play "+g.Address+" --list` shows who is free")
}

// A connection tells of its ups and downs in their order.
func TestConnectTells(t *testing.T) {
	g := livetest.Yard(t, transport.Options{}, "guard")
	at, err := Parse(g.Address + "/aicc/back%20yard?character=guard")
	require.NoError(t, err)
	var mu sync.Mutex
	var told []string
	has := func(n int) func() bool {
		return func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(told) >= n
		}
	}
	a, err := Connect(t.Context(), at, agent.Options{First: time.Millisecond, Most: 2 * time.Millisecond}, func(c Change) {
		mu.Lock()
		defer mu.Unlock()
		text := [...]string{"dialling", "up", "down", "waiting"}[c.Phase]
		if c.Err != nil {
			text += ": " + c.Err.Error()
		}
		told = append(told, text)
	})
	require.NoError(t, err)
	require.Eventually(t, has(2), 10*time.Second, time.Millisecond)
	g.Cut()
	require.Eventually(t, has(6), 10*time.Second, time.Millisecond)
	a.Close(t.Context(), "done")
	mu.Lock()
	defer mu.Unlock()
	require.Equal(t, []string{"dialling", "up", "down: the game has closed the connection: cut by the test", "waiting", "dialling", "up"}, told[:6])
}

func TestExplain(t *testing.T) {
	at := Target{Address: "h:1"}
	for _, one := range []struct {
		err   error
		token string
		want  string
	}{
		{&agent.Refused{Status: 401, Message: "x"}, "", "the game at h:1 asks for its token: give --token-file FILE, or set AICC_TOKEN"},
		{&agent.Refused{Status: 401, Message: "x"}, "t", "the game at h:1 does not take this token: give the one that it was given, by --token-file FILE or AICC_TOKEN"},
		{&agent.Refused{Status: 403, Message: "no \x1b"}, "", `the game at h:1 does not let this in: no \x1b`},
		{&agent.Refused{Status: 404, Message: "what?"}, "", "the game at h:1 refuses with 404: what?"},
		{&agent.Ended{Code: 1001}, "", "the game has closed the connection (1001)"},
		{agent.ErrReplaced, "", agent.ErrReplaced.Error()},
		{&net.DNSError{Err: "no such host", Name: "h", IsNotFound: true}, "", "there is no machine called h: give its address, like 127.0.0.1:4100"},
		{context.DeadlineExceeded, "", "h:1 does not answer in time: does the game still run, and is a firewall between?"},
		{errors.New("a \x07 b"), "", `the connection to h:1 is gone: a \x07 b`},
	} {
		require.EqualError(t, Explain(one.err, at, one.token), one.want)
	}
	require.NoError(t, Explain(nil, at, ""))

	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<html>") }))
	defer other.Close()
	target, err := Parse(other.URL)
	require.NoError(t, err)
	_, err = target.List(t.Context(), "")
	require.EqualError(t, err, "what answers at "+target.Address+" is no game that listens for agents: is this the port that the game says?")
	target.Secure = true
	_, err = target.List(t.Context(), "")
	require.EqualError(t, err, target.Address+" does not speak TLS: give ws:// or http:// instead")
}

func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                    "plain",
		"Grüße, 東京 é":              "Grüße, 東京 é",
		"a\x1b[31mb\x07\x00\x7f":   `a\x1b[31mb\x07\x00\x7f`,
		"a\nb\tc\r":                `a\nb\tc\r`,
		"\u009b31m":                `\x9b31m`,
		"\u202eevil\u2066\u200b":   `\u202eevil\u2066\u200b`,
		"\xff\xc3":                 `\xff\xc3`,
		"\u2028 \ufeff \U000e0041": `\u2028 \ufeff \U000e0041`,
		"a\u00a0b\u3000c\u3164":    `a\xa0b\u3000c\u3164`,
	} {
		require.Equal(t, want, Clean(text))
	}
	require.Equal(t, []string{"a", `b\x1b`, "    c"}, Lines("a\r\nb\x1b\n\tc"))
}

func TestPretty(t *testing.T) {
	for value, want := range map[string]string{
		`{}`:                          "{}",
		`{"a":1,"b":[1,2,"x, y: z"]}`: "{\n  \"a\": 1,\n  \"b\": [1, 2, \"x, y: z\"]\n}",
		`{"a":{"b":{"cccccccccccccccccccccccccccc":1}}}`: "{\n  \"a\": {\n    \"b\": {\n      \"cccccccccccccccccccccccccccc\": 1\n    }\n  }\n}",
		`[1,2]`:                              "[1, 2]",
		"\"a\\\"b\u009b\"":                   `"a\"b\x9b"`,
		`[[],{},[[1]]]`:                      "[[], {}, [[1]]]",
		`["aaaaaaaaaaaaaaaaaaaaaaa",[],"b"]`: "[\n  \"aaaaaaaaaaaaaaaaaaaaaaa\",\n  [],\n  \"b\"\n]",
	} {
		require.Equal(t, want, strings.Join(Pretty([]byte(value), 26), "\n"), value)
	}
	require.Equal(t, `{"a": [1, "b,c:d\\"]}`, Line([]byte(` { "a" : [1 , "b,c:d\\"] } `)))
}

func TestTook(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0 us", 999 * time.Microsecond: "999 us", 1500 * time.Microsecond: "1.5 ms", 2 * time.Second: "2 s", 61 * time.Second: "1m1s"} {
		require.Equal(t, want, Took(d))
	}
}

// Whatever JSON it is, what is shown is clean and says the same.
func FuzzPretty(f *testing.F) {
	f.Add(`{"a":[1,{"b":"\u001b ü","c":[]}],"d":{}}`, 20)
	f.Add("\"\u009b\u202e\"", 5)
	f.Fuzz(func(t *testing.T, text string, width int) {
		var s jsonwire.Scanner
		if _, err := s.Check([]byte(text)); err != nil {
			return
		}
		lines := Pretty([]byte(text), width%200)
		for _, line := range append(lines, Line([]byte(text))) {
			require.Equal(t, line, Clean(line))
			require.True(t, utf8.ValidString(line))
		}
		if joined := strings.Join(lines, "\n"); Clean(text) == text {
			_, err := s.Check([]byte(joined))
			require.Nil(t, err)
			require.True(t, jsonwire.Equal([]byte(strings.TrimSpace(text)), []byte(joined)))
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("127.0.0.1:4100/aicc/night%20watch?character=guard")
	f.Add("wss://[::1]:1/aicc/a%2fb?x=y")
	f.Fuzz(func(t *testing.T, text string) {
		target, err := Parse(text)
		if err != nil {
			require.Equal(t, err.Error(), Clean(err.Error()))
			return
		}
		again, err := Parse(target.URL())
		require.NoError(t, err)
		require.Equal(t, target.URL(), again.URL())
	})
}
