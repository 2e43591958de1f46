package chat

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/llm/fakemodel"
)

// What passes is asked again, after a time that grows or that the server has named; what is heard says so; the answer is whole.
func TestAskedAgain(t *testing.T) {
	const half = `data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"x","function":{"name":"look","arguments":"{\"a\""}}]}}]}` + "\n\n"
	later := now.Add(90 * time.Second).Format(http.TimeFormat)
	for name, c := range map[string]struct {
		bad   fakemodel.Reply
		waits []time.Duration
		heard string
	}{
		"429":                    {fakemodel.Status(429, `{"error":{"message":"slow down"}}`), []time.Duration{time.Second}, "!the model's server says 429 too many requests: slow down; asked again in 1s"},
		"429 with seconds":       {fakemodel.Status(429, `{"error":"slow down"}`, "Retry-After: 7"), []time.Duration{7 * time.Second}, "!the model's server says 429 too many requests: slow down; asked again in 7s"},
		"429 with a date":        {fakemodel.Status(429, ``, "Retry-After: "+later), []time.Duration{90 * time.Second}, "!the model's server says 429 too many requests; asked again in 1m30s"},
		"429 with milliseconds":  {fakemodel.Status(429, ``, "Retry-After-Ms: 2500", "Retry-After: 9"), []time.Duration{2500 * time.Millisecond}, "!the model's server says 429 too many requests; asked again in 2.5s"},
		"429 with nonsense":      {fakemodel.Status(429, ``, "Retry-After: soon"), []time.Duration{time.Second}, "!the model's server says 429 too many requests; asked again in 1s"},
		"500 and a page":         {fakemodel.Status(500, "<html>\n oops\n</html>"), []time.Duration{time.Second}, "!the model's server says 500 internal server error: <html> oops </html>; asked again in 1s"},
		"503 while it loads":     {fakemodel.Status(503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`), []time.Duration{time.Second}, "!the model's server says 503 service unavailable: Loading model; asked again in 1s"},
		"cut in a call":          {fakemodel.Raw(half, fakemodel.CUT), []time.Duration{time.Second}, "!the model's answer was cut: the connection has ended in the middle; asked again in 1s"},
		"ended in a call":        {fakemodel.Raw(half), []time.Duration{time.Second}, "!the model's answer was cut: it ended without saying so; asked again in 1s"},
		"ended in a line":        {fakemodel.Raw(half[:40]), []time.Duration{time.Second}, "!the model's answer was cut: the connection has ended in the middle; asked again in 1s"},
		"cut before a word":      {fakemodel.Raw(fakemodel.CUT), []time.Duration{time.Second}, "!the model's server was reached, but has ended the connection before it answered; asked again in 1s"},
		"silence":                {silent, []time.Duration{time.Second}, "!the model's server was reached, but no answer began within 1s, which is 5 times --llm-idle; asked again in 1s"},
		"headers and silence":    {fakemodel.Raw("", fakemodel.HANG), []time.Duration{time.Second}, "!the model's server was reached, but no answer began within 1s, which is 5 times --llm-idle; asked again in 1s"},
		"headers and a cut":      {fakemodel.Raw("", fakemodel.CUT), []time.Duration{time.Second}, "!the model's server was reached, but has ended the connection before it answered; asked again in 1s"},
		"silence in a call":      {fakemodel.Raw(half, fakemodel.HANG), []time.Duration{time.Second}, "!the model's answer was cut: nothing has come for 200ms; asked again in 1s"},
		"nothing at all":         {fakemodel.Raw(), []time.Duration{time.Second}, "!the model's server answered with nothing that is a chat completion; asked again in 1s"},
		"a page":                 {fakemodel.Raw("<html>hello</html>"), []time.Duration{time.Second}, "!the model's server answered with nothing that is a chat completion; asked again in 1s"},
		"other JSON":             {fakemodel.Raw(`{"hello":1}`), []time.Duration{time.Second}, `!the model's server answered with nothing that is a chat completion: {"hello":1}; asked again in 1s`},
		"no JSON":                {fakemodel.Raw("data: {]\n\n"), []time.Duration{time.Second}, `!the model's answer cannot be read: an event is not JSON: "{]"; asked again in 1s`},
		"half JSON":              {fakemodel.Raw(`{"choices":[{]`), []time.Duration{time.Second}, "!the model's answer cannot be read: it is neither an event stream nor JSON; asked again in 1s"},
		"an error in the stream": {fakemodel.Raw(half, `data: {"error":{"message":"out of memory","code":500}}`+"\n\n"), []time.Duration{time.Second}, "!the model's server broke off with an error: out of memory; asked again in 1s"},
		"an error of llama.cpp":  {fakemodel.Raw(half, `error: {"message":"slot lost","code":500}`+"\n\n"), []time.Duration{time.Second}, "!the model's server broke off with an error: slot lost; asked again in 1s"},
		"an error that is text":  {fakemodel.Raw(half, `{"error":"gone"}`+"\n"), []time.Duration{time.Second}, "!the model's server broke off with an error: gone; asked again in 1s"},
		"finish error":           {fakemodel.Answer{Calls: []fakemodel.Call{{ID: "x", Name: "look", Args: "{}"}}, Finish: "error"}.Stream(), []time.Duration{time.Second}, "!the model's server broke off with an error: finish_reason is error; asked again in 1s"},
		"no usage wanted":        {fakemodel.Status(400, `{"error":{"message":"unknown field stream_options"}}`), nil, "!the model's server says 400 bad request: unknown field stream_options; asked again without that"},
		"no stream wanted":       {fakemodel.Status(400, `{"detail":"stream with tools is not supported"}`), nil, "!the model's server says 400 bad request: stream with tools is not supported; asked again without that"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Idle: 200 * time.Millisecond}, c.bad, fakemodel.Answer{Calls: []fakemodel.Call{{ID: "y", Name: "look", Args: "{}"}}, Prompt: 3, Out: 4}.Stream())
			turn, err := r.ask(t)
			require.NoError(t, err)
			require.Equal(t, []Call{{ID: "y", Name: "look", Arguments: "{}"}}, turn.Calls)
			require.Equal(t, c.waits, r.waits)
			require.Equal(t, c.heard, r.heard.String())
			asked := r.server.Requests()
			require.Len(t, asked, 2)
			if c.waits != nil {
				require.Equal(t, asked[0].Text, asked[1].Text)
			}
		})
	}
}

func silent(_ http.ResponseWriter, r *http.Request, _ *fakemodel.Request) { <-r.Context().Done() }

// A server that takes no connection was not reached, and that is what is said.
func TestNoConnection(t *testing.T) {
	over := make(chan struct{})
	defer close(over)
	nobody := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		select {
		case <-ctx.Done():
		case <-over:
		}
		return nil, errors.New("nobody is there")
	}}
	c := New(Options{URL: "http://127.0.0.1:1/v1", Attempts: 1, Idle: 20 * time.Millisecond, Transport: nobody})
	_, err := c.Ask(t.Context(), &Request{}, nil)
	require.EqualError(t, err, "the model's server cannot be reached: there was no connection within 100ms; that was attempt 1 of 1")
}

// No part of the key that is worth anything gets into a text, whatever a server quotes.
func TestKeyIsBlotted(t *testing.T) {
	const key = "sk-proj-0123456789abcdefghij"
	for text, want := range map[string]string{
		"no key here":                     "no key here",
		"":                                "",
		key:                               "[key]",
		"a " + key + key + " b":           "a [key] b",
		"a " + key + " b " + key:          "a [key] b [key]",
		"got sk-proj-01234567****ghij":    "got [key]****ghij",
		"got sk-proj-... and ...cdefghij": "got [key]... and ...[key]",
		"sk-proj":                         "sk-proj",
		"defghij":                         "defghij",
		"x789abcdefgx":                    "x[key]x",
		"sk-proj-0123sk-proj-4567":        "[key]4567",
		"wörd " + key[:9] + "ü" + key[5:] + " wörd": "wörd [key]ü[key] wörd",
	} {
		require.Equal(t, want, blotted(text, key), text)
	}
	require.Equal(t, "is [key] it", blotted("is s3cret it", "s3cret"))
	require.Equal(t, "is s3cre it", blotted("is s3cre it", "s3cret"))
	require.Equal(t, "any", blotted("any", ""))
	for name, bad := range map[string]fakemodel.Reply{
		"status":    fakemodel.Status(401, `{"error":{"message":"bad key `+key[:12]+`..."}}`),
		"a page":    fakemodel.Status(403, "<p>\n"+key[:12]+"\n</p>"),
		"elsewhere": fakemodel.Status(307, "", "Location: http://x/"+key[:12]),
		"in stream": fakemodel.Raw(`data: {"error":{"message":"` + key[:12] + `","code":400}}` + "\n\n"),
		"no JSON":   fakemodel.Raw("data: {" + key[:12] + "\n\n"),
		"no chat":   fakemodel.Raw(`{"was":"` + key[:12] + `"}`),
		"far":       fakemodel.Status(400, strings.Repeat("x", 290)+key),
	} {
		r := newRig(t, Options{Key: key, Attempts: 1}, bad)
		_, err := r.ask(t)
		require.ErrorContains(t, err, "[key]", name)
		for i := range len(key) - fewOfKey {
			require.NotContains(t, err.Error(), key[i:i+fewOfKey], name)
		}
	}
}

// What does not pass is not asked again.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct {
		bad  fakemodel.Reply
		kind Kind
		want string
	}{
		"401":           {fakemodel.Status(401, `{"error":{"message":"Incorrect API key provided: s3cret."}}`), Refused, "the model's server says 401 unauthorized: Incorrect API key provided: [key].; is the key the right one for this server?"},
		"404":           {fakemodel.Status(404, `{"error":{"message":"model not found"}}`), Refused, `the model's server says 404 not found: model not found; is "m" a model of this server, and its address right? Most end in /v1`},
		"no tools":      {fakemodel.Status(400, `{"error":{"message":"m does not support tools"}}`), Refused, "the model's server says 400 bad request: m does not support tools"},
		"no money":      {fakemodel.Status(429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`), Refused, "the model's server says 429 too many requests: You exceeded your current quota"},
		"elsewhere":     {fakemodel.Status(307, ``, "Location: http://other/v1"), Refused, `the model's server says 307 temporary redirect; it points to "http://other/v1": give that address instead`},
		"too long":      {fakemodel.Status(400, `{"error":{"code":"context_length_exceeded","message":"too much"}}`), TooLong, "the model's server says 400 bad request: too much"},
		"too long, too": {fakemodel.Status(400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`), TooLong, "the model's server says 400 bad request: the request exceeds the available context size"},
		"wait for ever": {fakemodel.Status(429, ``, "Retry-After: 86400"), Passing, "the model's server says 429 too many requests; it asks to be left alone for 24h0m0s, which is too long to wait"},
		"in the stream": {fakemodel.Raw(`data: {"error":{"message":"no such parameter s3cret","code":400}}` + "\n\n"), Refused, "the model's server broke off with an error: no such parameter [key]"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Key: "s3cret"}, c.bad)
			_, err := r.ask(t)
			var e *Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.want, e.Message)
			require.Equal(t, c.kind, e.Kind)
			require.Len(t, r.server.Requests(), 1)
			require.Empty(t, r.waits)
		})
	}
	_, err := New(Options{URL: "http://127.0.0.1:1\x7f"}).Ask(t.Context(), &Request{}, nil)
	require.ErrorContains(t, err, "is no address of a server: give one like http://127.0.0.1:11434/v1")
}

// A server that always fails is left after some attempts, with delays that grow to their bound.
func TestGivesUp(t *testing.T) {
	var script []fakemodel.Reply
	for range 9 {
		script = append(script, fakemodel.Status(502, ""))
	}
	r := newRig(t, Options{Attempts: 5, Most: 3 * time.Second}, script...)
	_, err := r.ask(t)
	require.EqualError(t, err, "the model's server says 502 bad gateway; that was attempt 5 of 5")
	require.Equal(t, []time.Duration{time.Second, 2 * time.Second, 3 * time.Second, 3 * time.Second}, r.waits)
	require.Len(t, r.server.Requests(), 5)
	c := New(Options{URL: "http://127.0.0.1:1", Attempts: 2, Wait: func(context.Context, time.Duration) error { return nil }})
	_, err = c.Ask(t.Context(), &Request{}, nil)
	require.ErrorContains(t, err, "the model's server cannot be reached: ")
	require.ErrorContains(t, err, "; that was attempt 2 of 2")
}

// Slow is not silent: the whole takes many times what no single pause does.
func TestSlowTokens(t *testing.T) {
	r := newRig(t, Options{Idle: 250 * time.Millisecond}, fakemodel.Answer{Text: strings.Repeat("word ", 20), Piece: 5, Slow: 25 * time.Millisecond}.Stream())
	began := time.Now()
	turn, err := r.ask(t)
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(strings.Repeat("word ", 20)), turn.Content)
	require.Greater(t, time.Since(began), 500*time.Millisecond)
	require.Empty(t, r.waits)
}

// Nobody waits for a model when the play is over.
func TestCancelled(t *testing.T) {
	r := newRig(t, Options{}, fakemodel.Raw(`data: {"choices":[{"delta":{"content":"a"}}]}`+"\n\n", fakemodel.HANG))
	ctx, cancel := context.WithCancel(t.Context())
	_, err := r.Ask(ctx, &Request{}, func(Piece, string) { cancel() })
	require.Equal(t, context.Canceled, err)
}

// An answer of any size has a bound, and calls beyond it are not half run.
func TestHugeAnswers(t *testing.T) {
	huge := fakemodel.Answer{Text: strings.Repeat("wörd ", 4000), Piece: 4096, Calls: []fakemodel.Call{{ID: "x", Name: "look", Args: "{}"}}}
	r := newRig(t, Options{MaxBytes: 1000}, huge.Stream(), fakemodel.Answer{Calls: []fakemodel.Call{{ID: "x", Name: "look", Args: `{}`}, {ID: "y", Name: "look", Args: `{"a":"` + strings.Repeat("x", 2000) + `"}`}}, Piece: 100}.Stream(),
		fakemodel.Raw(`{"choices":[{"message":{"content":"`, strings.Repeat("x", 9<<20), `"}}]}`), fakemodel.Raw("data: {", strings.Repeat("x", 9<<20), "\n\n"), fakemodel.Say("short"))
	turn, err := r.ask(t)
	require.NoError(t, err)
	require.LessOrEqual(t, len(turn.Content), 1000)
	require.True(t, turn.Cut)
	require.Empty(t, turn.Calls)
	require.Equal(t, []string{"the answer was cut at 1000 bytes"}, turn.Notes)
	turn, err = r.ask(t)
	require.NoError(t, err)
	require.Equal(t, Call{ID: "x", Name: "look", Arguments: "{}"}, turn.Calls[0])
	require.True(t, turn.Calls[1].Cut)
	turn, err = r.ask(t)
	require.NoError(t, err)
	require.Equal(t, "short", turn.Content)
	require.Len(t, r.waits, 2)
}

// Each thing that a server does not know is learnt once, and stays so.
func TestAdapts(t *testing.T) {
	no := func(what string) fakemodel.Reply { return fakemodel.Status(400, `{"error":{"message":"`+what+`"}}`) }
	r := newRig(t, Options{}, no("unsupported: stream_options"), no("use max_completion_tokens"), no("max_completion_tokens is too large"), no("reasoning_content must be passed back"), no("stream!"),
		fakemodel.Answer{Text: "a"}.Plain(), no("reasoning_content"))
	q := &Request{ReplyTokens: 9, Messages: []Message{{Role: "assistant", Content: "x", Thoughts: "hm", Calls: []Call{{ID: "i", Name: "n", Arguments: "{}"}}}}}
	turn, err := r.Ask(t.Context(), q, nil)
	require.NoError(t, err)
	require.Equal(t, "a", turn.Content)
	var got []string
	for _, q := range r.server.Requests() {
		got = append(got, fmt.Sprintf("%v %v %d %d %s", q.Stream, q.Options, q.MaxTokens, q.MaxCompletionTokens, q.Messages[0].Reasoning))
	}
	require.Equal(t, []string{"true map[include_usage:true] 9 0 ", "true map[] 9 0 ", "true map[] 0 9 ", "true map[] 0 0 ", "true map[] 0 0 hm", "false map[] 0 0 hm"}, got)
	_, err = r.Ask(t.Context(), q, nil)
	require.EqualError(t, err, "the model's server says 400 bad request: reasoning_content")
}
