// Package fakemodel is a server that speaks the chat completions protocol and misbehaves on command, for tests.
package fakemodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Server answers each request with the next reply of its script, and with status 400 when that is over.
type Server struct {
	URL string // the base, which ends in /v1

	mu       sync.Mutex
	script   []Reply
	requests []Request
	more     chan struct{} // one for each request
}

// Reply writes one answer.
type Reply func(w http.ResponseWriter, r *http.Request, q *Request)

// Request is what a client has asked.
type Request struct {
	Header   http.Header `json:"-"`
	Path     string      `json:"-"`
	Text     string      `json:"-"` // the whole body
	Model    string
	Stream   bool
	Options  map[string]bool `json:"stream_options"`
	Messages []Message
	Tools    []struct {
		Type     string
		Function struct {
			Name, Description string
			Parameters        json.RawMessage
		}
	}
	MaxTokens           int `json:"max_tokens"`
	MaxCompletionTokens int `json:"max_completion_tokens"`
}

// Message is one of the conversation.
type Message struct {
	Role, Content string
	Reasoning     string `json:"reasoning_content"`
	CallID        string `json:"tool_call_id"`
	Calls         []struct {
		ID, Type string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

// Last is the content of the last message with a role, "" when there is none.
func (q *Request) Last(role string) string {
	for i := len(q.Messages) - 1; i >= 0; i-- {
		if q.Messages[i].Role == role {
			return q.Messages[i].Content
		}
	}
	return ""
}

// New starts a server that ends with the test.
func New(t interface{ Cleanup(func()) }, script ...Reply) *Server {
	s := &Server{script: script, more: make(chan struct{}, 1<<16)}
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	s.URL = h.URL + "/v1"
	return s
}

// Then adds replies.
func (s *Server) Then(script ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, script...)
}

// Requests are those that came.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Asked gives one value for each request.
func (s *Server) Asked() <-chan struct{} { return s.more }

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, _ := io.ReadAll(r.Body)
	q := Request{Header: r.Header.Clone(), Path: r.URL.Path, Text: string(text)}
	err := json.Unmarshal(text, &q)
	reply := Status(http.StatusBadRequest, `{"error":{"message":"the script is over"}}`)
	s.mu.Lock()
	if s.requests = append(s.requests, q); err != nil {
		reply = Status(http.StatusBadRequest, `{"error":{"message":"not JSON"}}`)
	} else if len(s.script) > 0 {
		reply, s.script = s.script[0], s.script[1:]
	}
	s.mu.Unlock()
	s.more <- struct{}{}
	reply(w, r, &q)
}

// Status answers with a status and no stream. Headers are "Name: value".
func Status(code int, body string, headers ...string) Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ *Request) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// Raw answers with these bytes as an event stream, each part by itself. A part CUT breaks the connection, HANG says nothing more until the client has
// had enough.
func Raw(parts ...string) Reply {
	return func(w http.ResponseWriter, r *http.Request, _ *Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, p := range parts {
			switch p {
			case CUT:
				panic(http.ErrAbortHandler)
			case HANG:
				<-r.Context().Done()
				return
			}
			_, _ = io.WriteString(w, p)
			flush(w)
		}
	}
}

// Parts of Raw that are no text.
const (
	CUT  = "\x00cut"
	HANG = "\x00hang"
)

func flush(w http.ResponseWriter) {
	if f, ok := w.(http.Flusher); ok {
		f.Flush()
	}
}

// Call is a call of an answer.
type Call struct{ ID, Name, Args string }

// Answer is a turn, and how it is sent.
type Answer struct {
	Text, Thoughts string
	Calls          []Call
	Finish         string // "": stop or tool_calls; "-": none is sent
	Prompt, Out    int    // usage; both 0: none is sent

	Piece     int           // bytes in a piece; 0: all
	Names     bool          // names are in pieces too
	NoIndex   bool          // calls have no index
	SameIndex bool          // all have 0
	TextIndex bool          // it is a string
	NoID      bool          // calls have no id
	Always    bool          // id and name come with each piece
	Object    bool          // arguments are an object and no string
	Reasoning string        // the member for thoughts; "": reasoning_content
	NoDone    bool          // no [DONE]
	CutAfter  int           // chunks; then the connection breaks
	Slow      time.Duration // between two chunks
	Between   string        // sent before each chunk
}

// Say is a turn of words alone.
func Say(text string) Reply { return Answer{Text: text}.Stream() }

// Do is a turn of calls: name and arguments by turns.
func Do(pairs ...string) Reply { return Calls(pairs...).Stream() }

// Calls is an answer with calls: name and arguments by turns.
func Calls(pairs ...string) Answer {
	var a Answer
	for i := 0; i+1 < len(pairs); i += 2 {
		a.Calls = append(a.Calls, Call{fmt.Sprintf("id_%d", i/2), pairs[i], pairs[i+1]})
	}
	return a
}

// Plain sends it as one JSON value, whatever was asked for.
func (a Answer) Plain() Reply {
	return func(w http.ResponseWriter, _ *http.Request, _ *Request) {
		w.Header().Set("Content-Type", "application/json")
		var calls []string
		for i, c := range a.Calls {
			calls = append(calls, a.delta(i, c.ID, c.Name, c.Args))
		}
		_, _ = fmt.Fprintf(w, `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":%s,"tool_calls":[%s]},"finish_reason":%s}]%s}`,
			Quote(a.Text), strings.Join(calls, ","), a.finish(), a.usage())
	}
}

func (a Answer) finish() string {
	switch {
	case a.Finish == "-":
		return "null"
	case a.Finish != "":
		return Quote(a.Finish)
	case len(a.Calls) > 0:
		return `"tool_calls"`
	}
	return `"stop"`
}

func (a Answer) usage() string {
	if a.Prompt+a.Out == 0 {
		return ""
	}
	return fmt.Sprintf(`,"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}`, a.Prompt, a.Out, a.Prompt+a.Out)
}

// Stream sends it as an event stream.
func (a Answer) Stream() Reply {
	return func(w http.ResponseWriter, r *http.Request, _ *Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for i, chunk := range a.Chunks() {
			if a.CutAfter > 0 && i == a.CutAfter {
				panic(http.ErrAbortHandler)
			}
			if a.Slow > 0 && i > 0 {
				select {
				case <-time.After(a.Slow):
				case <-r.Context().Done():
					return
				}
			}
			_, _ = fmt.Fprintf(w, "%sdata: %s\n\n", a.Between, chunk)
			flush(w)
		}
	}
}

// Chunks are what stands behind each "data: ".
func (a Answer) Chunks() []string {
	var all []string
	add := func(delta, finish string) {
		all = append(all, fmt.Sprintf(`{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{%s},"finish_reason":%s}]}`, delta, finish))
	}
	add(`"role":"assistant","content":""`, "null")
	field := a.Reasoning
	if field == "" {
		field = "reasoning_content"
	}
	for _, p := range a.pieces(a.Thoughts) {
		add(fmt.Sprintf("%q:%s", field, Quote(p)), "null")
	}
	for _, p := range a.pieces(a.Text) {
		add(`"content":`+Quote(p), "null")
	}
	for i, c := range a.Calls {
		id, names := c.ID, []string{c.Name}
		if a.Names {
			names = a.pieces(c.Name)
		}
		args := a.pieces(c.Args)
		if len(names) > 1 || len(args) != 1 || a.Names {
			for _, n := range names {
				add(`"tool_calls":[`+a.delta(i, id, n, "")+`]`, "null")
				id = ""
			}
			names = nil
		}
		for _, p := range args {
			name := ""
			if len(names) > 0 {
				name, names = names[0], nil
			}
			if a.Always {
				id, name = c.ID, c.Name
			}
			add(`"tool_calls":[`+a.delta(i, id, name, p)+`]`, "null")
			id = ""
		}
	}
	if a.Finish != "-" {
		add("", a.finish())
	}
	if u := a.usage(); u != "" {
		all = append(all, `{"object":"chat.completion.chunk","choices":[]`+u+`}`)
	}
	if !a.NoDone {
		all = append(all, "[DONE]")
	}
	return all
}

func (a Answer) delta(i int, id, name, args string) string {
	var members []string
	switch {
	case a.NoIndex:
	case a.SameIndex:
		members = append(members, `"index":0`)
	case a.TextIndex:
		members = append(members, fmt.Sprintf(`"index":"%d"`, i))
	default:
		members = append(members, fmt.Sprintf(`"index":%d`, i))
	}
	if id != "" && !a.NoID {
		members = append(members, `"id":`+Quote(id), `"type":"function"`)
	}
	var function []string
	if name != "" {
		function = append(function, `"name":`+Quote(name))
	}
	if !a.Object {
		args = Quote(args)
	}
	function = append(function, `"arguments":`+args)
	return "{" + strings.Join(append(members, `"function":{`+strings.Join(function, ",")+`}`), ",") + "}"
}

func (a Answer) pieces(s string) (list []string) {
	if s == "" {
		return nil
	}
	if a.Piece == 0 {
		return []string{s}
	}
	for len(s) > a.Piece {
		list = append(list, s[:a.Piece])
		s = s[a.Piece:]
	}
	return append(list, s)
}

// Quote writes a JSON string of which bytes above ASCII stay what they are, also where they are no UTF-8.
func Quote(s string) string {
	b := []byte{'"'}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ':
			b = append(b, `\u00`...)
			b = append(b, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			b = append(b, c)
		}
	}
	return string(append(b, '"'))
}
