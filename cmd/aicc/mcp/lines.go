package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"aicc.dev/libaicc/core/jsonwire"
)

// maxLevels of arrays and objects inside each other are what the SDK reads. The game takes fewer.
const maxLevels = 1000

// lines is one client over a pair of streams, a message a line. The SDK's own transport ends a session over a line that is no message, and answers
// requests that were cancelled; here the client is told, and goes on.
type lines struct {
	in    io.ReadCloser
	out   io.Writer
	limit time.Duration // for the client to take what is sent

	incoming chan jsonrpc.Message
	closed   chan struct{}
	hurry    chan struct{} // closed: whoever still writes has a second
	close    sync.Once

	mu   sync.Mutex
	open map[jsonrpc.ID]bool // requests without an answer; true: cancelled
	over error               // why nothing more comes

	writing sync.Mutex
	failed  error
}

func newLines(in io.ReadCloser, out io.Writer, limit time.Duration) *lines {
	return &lines{in: in, out: out, limit: limit, open: map[jsonrpc.ID]bool{}, incoming: make(chan jsonrpc.Message),
		closed: make(chan struct{}), hurry: make(chan struct{})}
}

// Connect begins to read.
func (l *lines) Connect(context.Context) (sdk.Connection, error) {
	go l.read()
	return l, nil
}

// SessionID is empty: the streams are the session.
func (l *lines) SessionID() string { return "" }

// Close ends both directions. A read of the process's input that is under way goes on until that ends.
func (l *lines) Close() (err error) {
	l.close.Do(func() {
		close(l.closed)
		err = l.in.Close()
	})
	return err
}

// Read gives the next message.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m, ok := <-l.incoming:
		if ok {
			return m, nil
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		return nil, l.over
	case <-l.closed:
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.over != nil {
			return nil, l.over
		}
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// read takes lines until there are no more.
func (l *lines) read() {
	defer close(l.incoming)
	r := bufio.NewReaderSize(l.in, 64<<10)
	for {
		s := &skim{}
		line, tooLong, err := next(r, s)
		if m, answer := l.judge(line, tooLong, s); m != nil {
			select {
			case l.incoming <- m:
			case <-l.closed:
				return
			}
		} else if answer != nil {
			if failed := l.write(answer); failed != nil {
				err = failed
			}
		}
		if err != nil {
			l.end(err)
			return
		}
	}
}

// end keeps the first reason for which there is no more.
func (l *lines) end(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over == nil {
		l.over = err
	}
}

// next is the next line; of one that is too long nothing is kept.
func next(r *bufio.Reader, s *skim) (line []byte, tooLong bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		s.feed(part)
		if tooLong = tooLong || len(line)+len(part) > maxMessage+1; tooLong { // and its end
			line = nil
		} else {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// judge makes a line the message that it is, or an answer that says why it is none; neither where there is nothing to say.
func (l *lines) judge(line []byte, tooLong bool, s *skim) (jsonrpc.Message, []byte) {
	text := bytes.TrimSpace(line)
	switch {
	case !tooLong && len(text) == 0:
		return nil, nil
	case s.answers():
		if m, err := jsonrpc.DecodeMessage(text); !tooLong && err == nil {
			return m, nil
		}
		return nil, nil
	case tooLong:
		return nil, refuseLarge(s, fmt.Sprintf("a message has at most %d bytes", maxMessage))
	case s.deepest > maxLevels:
		return nil, refuseLarge(s, fmt.Sprintf("a message has at most %d arrays and objects inside each other, a tool's arguments at most %d", maxLevels, jsonwire.MaxDepth))
	case !json.Valid(text):
		return nil, refuse([]byte("null"), jsonrpc.CodeParseError, "this line is no JSON: send one message a line")
	case text[0] == '[':
		return nil, refuse([]byte("null"), jsonrpc.CodeInvalidRequest, "batches are not taken: send one message a line")
	case !s.object:
		return nil, refuse([]byte("null"), jsonrpc.CodeInvalidRequest, "a message is an object")
	case s.twice:
		return nil, refuse([]byte("null"), jsonrpc.CodeInvalidRequest, "a member of this message stands in it twice")
	case s.seen[memberID] && !s.readable():
		return nil, refuse([]byte("null"), jsonrpc.CodeInvalidRequest, fmt.Sprintf("an id is a string, or an integer from -%d to %d without fraction and exponent", maxInteger, maxInteger))
	case !s.seen[memberMethod]:
		return nil, refuse(s.echo(), jsonrpc.CodeInvalidRequest, "a request has a method, an answer a result or an error; this message has none of them")
	}
	m, err := jsonrpc.DecodeMessage(text)
	r, ok := m.(*jsonrpc.Request)
	if err != nil || !ok {
		return nil, refuse(s.echo(), jsonrpc.CodeInvalidRequest, `this is no request of JSON-RPC: it has "jsonrpc":"2.0", and a string as method`)
	}
	if !l.note(r) {
		return nil, refuse([]byte("null"), jsonrpc.CodeInvalidRequest, fmt.Sprintf("a request with the id %s has no answer yet: give each its own", s.echo()))
	}
	return r, nil
}

// note keeps in mind which requests are open, and which of them the client has cancelled. It is false where two would have one id.
func (l *lines) note(r *jsonrpc.Request) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.IsCall() {
		if _, taken := l.open[r.ID]; taken {
			return false
		}
		l.open[r.ID] = false
		return true
	}
	var what struct {
		RequestID any `json:"requestId"`
	}
	if r.Method == "notifications/cancelled" && json.Unmarshal(r.Params, &what) == nil {
		if id, err := jsonrpc.MakeID(what.RequestID); err == nil {
			if _, taken := l.open[id]; taken {
				l.open[id] = true
			}
		}
	}
	return true
}

// Write sends a message; the answer to a request that was cancelled goes nowhere.
func (l *lines) Write(_ context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Response); ok {
		l.mu.Lock()
		cancelled := l.open[r.ID]
		delete(l.open, r.ID)
		l.mu.Unlock()
		if cancelled {
			return nil
		}
	}
	text, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return l.write(text)
}

// maxChunk is what a client has to take in the time that it has.
const maxChunk = 64 << 10

// write sends a line. A client that does not take it is let go: others wait behind it, and the character is played by nobody.
func (l *lines) write(text []byte) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	text = append(text, '\n')
	for len(text) > 0 && l.failed == nil {
		chunk := text[:min(len(text), maxChunk)]
		text = text[len(chunk):]
		if l.failed = l.within(chunk); l.failed != nil {
			l.end(l.failed)
			_ = l.Close()
		}
	}
	return l.failed
}

func (l *lines) within(chunk []byte) error {
	done := make(chan error, 1)
	go func() {
		_, err := l.out.Write(chunk)
		done <- err
	}()
	limit := time.NewTimer(l.limit)
	defer limit.Stop()
	hurry := l.hurry
	for {
		select {
		case err := <-done:
			return err
		case <-hurry:
			limit.Reset(min(l.limit, time.Second))
			hurry = nil
		case <-limit.C:
			return fmt.Errorf("the client has not taken what it was sent for %v", l.limit)
		}
	}
}

// refuse is the answer to a line that is no message.
func refuse(id []byte, code int64, why string) []byte {
	b := append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"error":{"code":`...)
	b = append(jsonwire.AppendInt(b, code), `,"message":`...)
	b, _ = jsonwire.AppendString(b, why)
	return append(b, "}}"...)
}

// refuseLarge is the answer to more than is taken: to a tool's call a result, which the model gets to see.
func refuseLarge(s *skim, why string) []byte {
	id := s.echo()
	if string(id) == "null" || !s.calls() {
		return refuse(id, jsonrpc.CodeInvalidRequest, why)
	}
	result, err := json.Marshal(badInput(why).result())
	if err != nil {
		return refuse(id, jsonrpc.CodeInvalidRequest, why)
	}
	return append(append(append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"result":`...), result...), '}')
}
