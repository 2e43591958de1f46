package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/transport"
)

// streams are a client that writes what it likes.
type streams struct {
	t      testing.TB
	in     *io.PipeWriter
	out    *bufio.Reader
	served chan error
}

func speak(t testing.TB, f *Front) *streams {
	in, client := io.Pipe()
	out, server := io.Pipe()
	s := &streams{t, client, bufio.NewReader(out), stay(func() error { return f.Serve(t.Context(), in, server) })}
	t.Cleanup(func() {
		_ = client.Close()
		_ = out.Close()
	})
	return s
}

// ask writes a line and reads one.
func (s *streams) ask(line string) string {
	s.say(line)
	return s.hear()
}

func (s *streams) say(line string) {
	_, err := io.WriteString(s.in, line+"\n")
	require.NoError(s.t, err)
}

func (s *streams) hear() string {
	answer, err := s.out.ReadString('\n')
	require.NoError(s.t, err)
	return strings.TrimSuffix(answer, "\n")
}

func failure(id string, code int, text string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`, id, code, quoted)
}

func look(id, arguments string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"look","arguments":` + arguments + `}}`
}

const (
	saidNoJSON = "this line is no JSON: send one message a line"
	saidBatch  = "batches are not taken: send one message a line"
	saidShape  = `this is no request of JSON-RPC: it has "jsonrpc":"2.0", and a string as method`
	saidEmpty  = "a request has a method, an answer a result or an error; this message has none of them"
	saidID     = "an id is a string, or an integer from -9007199254740991 to 9007199254740991 without fraction and exponent"
	saidTwice  = "a member of this message stands in it twice"
	saidObject = "a message is an object"
	saidLarge  = "a message has at most 4194304 bytes"
	saidDeep   = "a message has at most 1000 arrays and objects inside each other, a tool's arguments at most 64"
)

// One bad line is answered, and the next good one as if nothing had been.
func TestBadLines(t *testing.T) {
	y := start(t, transport.Options{})
	s := speak(t, open(t, y.Address).ready(t))
	require.Contains(t, s.ask(hello), `"protocolVersion":"2025-11-25"`)
	s.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	deep := strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000)
	wide := strings.Repeat("x", maxMessage)
	for i, one := range []struct{ line, want string }{
		{`hello`, failure("null", -32700, saidNoJSON)},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"`, failure("null", -32700, saidNoJSON)},
		{`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, failure("null", -32700, saidNoJSON)},
		{`{"jsonrpc":"2.0","id":1,"method":"ping",}`, failure("null", -32700, saidNoJSON)},
		{"\x00\xff", failure("null", -32700, saidNoJSON)},
		{`]}`, failure("null", -32700, saidNoJSON)},
		{`7`, failure("null", -32600, saidObject)},
		{`null`, failure("null", -32600, saidObject)},
		{`"text"`, failure("null", -32600, saidObject)},
		{`[]`, failure("null", -32600, saidBatch)},
		{`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, failure("null", -32600, saidBatch)},
		{`{}`, failure("null", -32600, saidEmpty)},
		{`{"jsonrpc":"2.0","id":8}`, failure("8", -32600, saidEmpty)},
		{`{"id":9,"method":"ping"}`, failure("9", -32600, saidShape)},
		{`{"jsonrpc":"1.0","id":"nine","method":"ping"}`, failure(`"nine"`, -32600, saidShape)},
		{`{"jsonrpc":2.0,"id":"a\"b","method":"ping"}`, failure(`"a\"b"`, -32600, saidShape)},
		{`{"jsonrpc":"2.0","id":10,"method":7}`, failure("10", -32600, saidShape)},
		{`{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, failure("null", -32600, saidID)},
		{`{"jsonrpc":"2.0","id":[1],"method":"ping"}`, failure("null", -32600, saidID)},
		{`{"jsonrpc":"2.0","id":true,"method":"ping"}`, failure("null", -32600, saidID)},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, failure("null", -32600, saidID)},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, failure("null", -32600, saidID)},
		{`{"jsonrpc":"2.0","id":1e3,"method":"ping"}`, failure("null", -32600, saidID)},
		{`{"jsonrpc":"2.0","id":9007199254740992,"method":"ping"}`, failure("null", -32600, saidID)},
		{`{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}`, failure("null", -32600, saidID)},
		{"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}", failure("null", -32600, saidID)},
		{`{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, failure("null", -32600, saidID)},
		{`{"jsonrpc":"2.0","id":1,"\u0069d":2,"method":"ping"}`, failure("null", -32600, saidTwice)},
		{look("11", `"`+wide+`"`), `{"jsonrpc":"2.0","id":11,"result":{"_meta":{"dev.aicc/error":{"code":"invalid_input","retryable":false}},"content":[{"type":"text","text":"invalid_input: ` + saidLarge +
			`\nRetryable: no.\nWhat to do: nothing was done; correct the arguments as said, by the tool's input schema, and call again."}],"isError":true}}`},
		{`{"method":"ping","params":{"id":1,"x":"` + wide + `"},"jsonrpc":"2.0","id":"last"}`, failure(`"last"`, -32600, saidLarge)},
		{wide + "x", failure("null", -32600, saidLarge)},
		{look("12", deep), `{"jsonrpc":"2.0","id":12,"result":{"_meta":{"dev.aicc/error":{"code":"invalid_input","retryable":false}},"content":[{"type":"text","text":"invalid_input: ` + saidDeep +
			`\nRetryable: no.\nWhat to do: nothing was done; correct the arguments as said, by the tool's input schema, and call again."}],"isError":true}}`},
		{`{"jsonrpc":"2.0","id":13,"method":"ping","params":` + deep + `}`, failure("13", -32600, saidDeep)},
		{strings.Repeat("[", 100000), failure("null", -32600, saidDeep)},
	} {
		name := one.line[:min(len(one.line), 80)]
		require.Equal(t, one.want, s.ask(one.line), name)
		id := fmt.Sprint(100 + i)
		require.Equal(t, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`, s.ask(`{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`), name)
	}
	for _, line := range []string{"", " \t\r", `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"x"}}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"id":true,"error":{}}`, `{"jsonrpc":"2.0","method":"no/such"}`} {
		s.say(line) // nothing to answer
	}
	for _, id := range []string{"0", "-7", "9007199254740991", `""`, `"9007199254740993"`, `"` + strings.Repeat("i", 2*maxToken) + `"`} {
		require.Equal(t, `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`, s.ask(`{"jsonrpc":"2.0","id":`+id+`,"method":"ping"}`+"\r"))
	}
	require.Contains(t, s.ask(look("14", `{}`)), `{"jsonrpc":"2.0","id":14,"result":{"_meta":{"dev.aicc/result":`)
	require.Contains(t, s.ask(look("15", strings.Repeat(`{"a":`, 900)+"1"+strings.Repeat("}", 900))), "invalid_input: the arguments are not JSON that the game takes: byte")

	// The last line need not end, but it has to be whole.
	_, err := io.WriteString(s.in, `{"jsonrpc":"2.0","id":16,"method":"pi`)
	require.NoError(t, err)
	require.NoError(t, s.in.Close())
	require.Equal(t, failure("null", -32700, saidNoJSON), s.hear())
	require.NoError(t, <-s.served)
}

// What a client has cancelled it gets no answer to; two open requests cannot have one id.
func TestCancelledIsNotAnswered(t *testing.T) {
	y := start(t, transport.Options{})
	f := open(t, y.Address).ready(t)
	s := speak(t, f)
	s.ask(hello)
	hold := `{"jsonrpc":"2.0","id":"h","method":"tools/call","params":{"name":"hold"}}`
	s.say(hold)
	<-y.holds
	require.Equal(t, failure("null", -32600, `a request with the id "h" has no answer yet: give each its own`), s.ask(hold))
	s.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"other"}}`)
	s.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`)
	s.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}`)
	s.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"h"}}`)
	eventually(t, "it is not waited for", func() bool { f.mu.Lock(); defer f.mu.Unlock(); return len(f.running) == 0 })
	close(y.held)
	require.Equal(t, `{"jsonrpc":"2.0","id":2,"result":{}}`, s.ask(`{"jsonrpc":"2.0","id":2,"method":"ping"}`))
	eventually(t, "the id is free again", func() bool {
		answer := s.ask(hold)
		return strings.HasPrefix(answer, `{"jsonrpc":"2.0","id":"h","result":{`) && strings.Contains(answer, `"held":true`)
	})
}

// A client that takes nothing is let go, whoever waits to write.
func TestClientThatReadsNothing(t *testing.T) {
	y := start(t, transport.Options{})
	f := open(t, y.Address, func(o *Options) { o.Times.Write = 50 * time.Millisecond }).ready(t)
	for _, line := range []string{hello, `hello`} {
		s := speak(t, f)
		s.say(line)
		require.EqualError(t, <-s.served, "the client has not taken what it was sent for 50ms")
	}
	s := speak(t, f)
	s.ask(hello)
	s.say(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
	_, err := s.out.ReadByte()
	require.NoError(t, err)
	require.ErrorContains(t, <-s.served, "the client has not taken what it was sent for 50ms")
}

// An end that was asked for does not wait for such a client as long.
func TestEndDoesNotWaitForTheClient(t *testing.T) {
	y := start(t, transport.Options{})
	f := open(t, y.Address, func(o *Options) { o.Times.Write = time.Hour }).ready(t)
	ctx, cancel := context.WithCancel(t.Context())
	in, client := io.Pipe()
	out, server := io.Pipe()
	defer out.Close()
	served := stay(func() error { return f.Serve(ctx, in, server) })
	_, err := io.WriteString(client, hello+"\n")
	require.NoError(t, err)
	_, err = out.Read(make([]byte, 1)) // it is in the middle of its answer
	require.NoError(t, err)
	cancel()
	require.NoError(t, <-served)
	f.Close()
}

type pipe struct {
	io.Reader
	closed bool
}

func (p *pipe) Close() error { p.closed = true; return nil }

// Whatever comes, every line of the answer is a message, and the good line behind it is taken.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{"", "hello", "7", "null", "[]", hello, `{"id":1}`, `{"jsonrpc":"2.0","id":{"a":[1]},"method":"ping"}`, `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`,
		`{"a\"":{"b":"}"},"id":-0,"id":1}`, "{\"id\":\"\x00\n", `}}}]]{"id":1`, `[[[{"id":5}]]]`, "\"\\", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"last"}}`,
		`{"jsonrpc":"2.0","id":null,"error":{}}`, look("1", `{}`), strings.Repeat("[", 2000), "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var out bytes.Buffer
		const last = `{"jsonrpc":"2.0","id":"the last","method":"ping"}`
		l := newLines(&pipe{Reader: io.MultiReader(bytes.NewReader(text), strings.NewReader("\n"+last))}, &out, time.Hour)
		c, err := l.Connect(t.Context())
		require.NoError(t, err)
		var taken []jsonrpc.Message
		for {
			m, err := c.Read(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			taken = append(taken, m)
		}
		answers := 0
		for line := range bytes.Lines(out.Bytes()) {
			var answer struct {
				JSONRPC string
				ID      json.RawMessage
				Error   *struct {
					Code    int
					Message string
				}
				Result json.RawMessage
			}
			require.NoError(t, json.Unmarshal(line, &answer), "%s", line)
			require.True(t, utf8.Valid(line), "%q", line)
			require.Equal(t, "2.0", answer.JSONRPC)
			require.NotEmpty(t, answer.ID)
			require.True(t, answer.Error != nil || answer.Result != nil)
			answers++
		}
		require.LessOrEqual(t, len(taken)+answers, bytes.Count(text, []byte("\n"))+2)
		if !bytes.Contains(text, []byte("the last")) && !bytes.Contains(text, []byte(`\`)) { // which may write it in other ways
			require.NotEmpty(t, taken)
			r, ok := taken[len(taken)-1].(*jsonrpc.Request)
			require.True(t, ok)
			require.Equal(t, "the last", r.ID.Raw())
		}
		require.NoError(t, c.Close())
	})
}
