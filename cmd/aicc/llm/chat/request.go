package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"
)

// Ask gives the model's next turn. It tries as often as the options say; ctx ends it at once. Its error is a *Error, or that of ctx.
func (c *Client) Ask(ctx context.Context, r *Request, hear Hear) (Turn, error) {
	if hear == nil {
		hear = func(Piece, string) {}
	}
	var spent Usage
	for attempt := 1; ; {
		turn, err := c.once(ctx, r, hear)
		spent.add(turn.Usage)
		turn.Usage = spent
		if err == nil {
			return turn, nil
		}
		if ctx.Err() != nil {
			return turn, ctx.Err()
		}
		switch {
		case err.Kind == adapted: // at once, and not for ever: each thing is learnt once
			hear(Again, err.Message)
			continue
		case err.Kind != Passing:
			return turn, err
		case attempt >= c.o.Attempts:
			err.Message = fmt.Sprintf("%s; that was attempt %d of %d", err.Message, attempt, c.o.Attempts)
			return turn, err
		case err.After > c.o.Longest:
			err.Message = fmt.Sprintf("%s; it asks to be left alone for %v, which is too long to wait", err.Message, err.After.Round(time.Second))
			return turn, err
		}
		d := c.delay(attempt, err.After)
		hear(Again, fmt.Sprintf("%s; asked again in %v", err.Message, d.Round(100*time.Millisecond)))
		if c.o.Wait(ctx, d) != nil {
			return turn, ctx.Err()
		}
		attempt++
	}
}

func (u *Usage) add(o Usage) {
	u.Prompt += o.Prompt
	u.Completion += o.Completion
	u.Guessed = u.Guessed || o.Guessed
}

// delay grows twofold, half of it is chance; never less than the server asks for.
func (c *Client) delay(attempt int, asked time.Duration) time.Duration {
	d := min(c.o.First<<min(attempt-1, 20), c.o.Most)
	return max(d/2+time.Duration(c.o.Random()*float64(d/2)), asked)
}

// once is one attempt.
func (c *Client) once(parent context.Context, r *Request, hear Hear) (turn Turn, fault *Error) {
	body, err := c.body(r)
	if err != nil {
		return turn, &Error{Kind: Refused, Message: "the request cannot be written: " + err.Error()}
	}
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	idle := time.AfterFunc(beforeAnswer*c.o.Idle, func() { cancel(errIdle) })
	defer idle.Stop()
	var reached atomic.Bool
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { reached.Store(true) }})
	request, err := http.NewRequestWithContext(traced, http.MethodPost, c.o.URL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return turn, &Error{Kind: Refused, Message: fmt.Sprintf("%q is no address of a server: give one like http://127.0.0.1:11434/v1", c.o.URL)}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "text/event-stream, application/json")
	if c.o.Key != "" {
		request.Header.Set("Authorization", "Bearer "+c.o.Key)
	}
	answer, err := c.http.Do(request)
	if err != nil {
		return turn, c.unanswered(ctx, err, reached.Load())
	}
	defer answer.Body.Close()
	limit := c.o.Idle
	from := &fed{r: answer.Body, fed: func() { idle.Reset(limit) }}
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(from, 64<<10))
		return turn, c.refusal(r, answer, text)
	}
	a := assembler{known: r.knows, hear: hear, most: c.o.MaxBytes}
	fault = c.read(ctx, from, &a, func() { // all is there but what it has cost: a server that then says nothing more is not waited for
		limit = min(limit, afterEnd)
		idle.Reset(limit)
	})
	turn = a.turn()
	if a.usage == nil {
		turn.Usage = Usage{Prompt: len(body) / 4, Completion: (a.size + 3) / 4, Guessed: true}
	} else {
		turn.Usage = *a.usage
	}
	return turn, fault
}

const (
	beforeAnswer = 5 // times the idle time: a model reads all of the conversation before its first word
	afterEnd     = 3 * time.Second
)

// fed is a reader that tells when something came.
type fed struct {
	r    io.Reader
	fed  func()
	some bool
}

func (f *fed) Read(p []byte) (int, error) {
	n, err := f.r.Read(p)
	if n > 0 {
		f.some = true
		f.fed()
	}
	return n, err
}

// read takes the values of an answer until it is whole; ending is called when only little can come.
func (c *Client) read(ctx context.Context, from *fed, a *assembler, ending func()) *Error {
	v := newValues(from)
	for !a.over {
		text, err := v.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			if _, bad := err.(badStream); bad {
				return &Error{Kind: Passing, Message: "the model's answer cannot be read: " + c.words(err.Error())}
			}
			if a.whole() { // all that counts is there
				break
			}
			if !from.some {
				return c.unanswered(ctx, err, true)
			}
			return c.lost(ctx, err)
		}
		if bytes.Equal(text, done) {
			a.done = true
			break
		}
		if fault := a.take(text); fault != nil {
			return c.inStream(fault)
		}
		if a.finish != "" {
			ending()
		}
	}
	switch {
	case a.whole():
		return nil
	case a.some:
		return &Error{Kind: Passing, Message: "the model's answer was cut: it ended without saying so"}
	}
	return &Error{Kind: Passing, Message: "the model's server answered with nothing that is a chat completion" + c.sample(a.stray)}
}

func (c *Client) sample(text string) string {
	if text == "" {
		return ""
	}
	return ": " + c.words(text)
}

var errIdle = errors.New("nothing came")

// unanswered is the error of a connection that has brought nothing, or that never was.
func (c *Client) unanswered(ctx context.Context, err error, reached bool) *Error {
	limit := beforeAnswer * c.o.Idle
	text := "the model's server "
	switch idle := errors.Is(context.Cause(ctx), errIdle); {
	case idle && reached:
		text += fmt.Sprintf("was reached, but no answer began within %v, which is %d times --llm-idle", limit, beforeAnswer)
	case idle:
		text += fmt.Sprintf("cannot be reached: there was no connection within %v", limit)
	case reached && ended(err):
		text += "was reached, but has ended the connection before it answered"
	case reached:
		text += "was reached, but has not answered: " + c.words(err.Error())
	default:
		text += "cannot be reached: " + c.words(err.Error())
	}
	return &Error{Kind: Passing, Message: text}
}

// lost is the error of a connection that breaks off in the middle of an answer.
func (c *Client) lost(ctx context.Context, err error) *Error {
	text := "the model's answer was cut: "
	switch {
	case errors.Is(context.Cause(ctx), errIdle):
		text += fmt.Sprintf("nothing has come for %v", c.o.Idle)
	case ended(err):
		text += "the connection has ended in the middle"
	default:
		text += c.words(err.Error())
	}
	return &Error{Kind: Passing, Message: text}
}

func ended(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) }

// The request as it is sent.

type wireMessage struct {
	Role      string     `json:"role"`
	Content   string     `json:"content"`
	Reasoning string     `json:"reasoning_content,omitempty"`
	Calls     []wireCall `json:"tool_calls,omitempty"`
	CallID    string     `json:"tool_call_id,omitempty"`
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func (c *Client) body(r *Request) ([]byte, error) {
	members := map[string]any{}
	for name, value := range c.o.Extra {
		members[name] = value
	}
	messages := make([]wireMessage, len(r.Messages))
	for i, m := range r.Messages {
		w := wireMessage{Role: m.Role, Content: m.Content, CallID: m.CallID}
		if c.thoughts {
			w.Reasoning = m.Thoughts
		}
		for _, call := range m.Calls {
			w.Calls = append(w.Calls, wireCall{call.ID, "function", wireFunction{call.Name, call.Arguments}})
		}
		messages[i] = w
	}
	members["model"], members["messages"] = c.o.Model, messages
	if len(r.Tools) > 0 {
		tools := make([]json.RawMessage, len(r.Tools))
		for i := range r.Tools {
			tools[i] = r.Tools[i].JSON
		}
		members["tools"] = tools
	}
	if !c.noStream {
		members["stream"] = true
		if !c.noUsage {
			members["stream_options"] = map[string]bool{"include_usage": true}
		}
	}
	if r.ReplyTokens > 0 && !c.noLimit {
		name := "max_tokens"
		if c.newLimit {
			name = "max_completion_tokens"
		}
		members[name] = r.ReplyTokens
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(members)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// words are a server's: short, on one line, and without the key, should it quote that or a part of it.
func (c *Client) words(text string) string {
	const most = 300
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	text = blotted(text[:min(len(text), 16*most)], c.o.Key)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

const fewOfKey = 8 // characters of a key that may be shown: servers name one by its last four

// blotted is a text in which nothing stands that is so long a part of the key.
func blotted(text, key string) string {
	part := min(len(key), fewOfKey)
	if part == 0 {
		return text
	}
	var b strings.Builder
	from := 0 // what is before it is written, or blotted
	for i := 0; i+part <= len(text); i++ {
		if !strings.Contains(key, text[i:i+part]) {
			continue
		}
		if i > from || b.Len() == 0 {
			b.WriteString(text[from:i])
			b.WriteString("[key]")
		}
		from = i + part
	}
	return b.String() + text[from:]
}
