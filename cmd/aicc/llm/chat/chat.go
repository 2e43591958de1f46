// Package chat asks a model for its next turn over the chat completions protocol of OpenAI, as Ollama, llama.cpp, vLLM and many others speak it,
// or nearly so: what they do wrong is put right here where it can be, and asked again where it cannot.
//
// It is written on net/http. The official openai-go is heavy and holds its peers to OpenAI's letter; the small clients and SSE readers that there
// are decode each chunk into fixed types and give up at an index that is a string, an answer that is not streamed, an error in the middle. That
// tolerance is all that this package is, and none of them would save it a line.
//
//	c := chat.New(chat.Options{URL: "http://127.0.0.1:11434/v1", Model: "qwen3"})
//	turn, err := c.Ask(ctx, &chat.Request{Messages: ..., Tools: ...}, nil)    // a *chat.Error
//
// A turn is given whole or not at all: a call that was half streamed is not in it.
package chat

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

// Options of a Client. Zero fields get the default.
type Options struct {
	URL   string // to which /chat/completions is added, such as http://127.0.0.1:11434/v1
	Key   string // sent as a bearer token; it is in no error and no text that this package gives
	Model string
	Extra map[string]json.RawMessage // members of each request besides ours: temperature and the like

	Thoughts Thoughts // whether the model is sent its own thoughts again

	Idle        time.Duration // how long nothing may come while a model answers: 2 min. Before the first byte it is five times that
	Attempts    int           // for one turn: 6
	First, Most time.Duration // delay before the second attempt, each is twice the one before, and the longest: 1 s, 60 s
	Longest     time.Duration // a server that asks to wait longer than this is not waited for: 10 min
	MaxBytes    int           // of what one turn says, thinks and calls: 256 KiB; what is longer is cut

	Transport http.RoundTripper                                // nil: net/http's
	Random    func() float64                                   // from 0 to 1, for the jitter of delays; nil: math/rand
	Wait      func(ctx context.Context, d time.Duration) error // nil: a timer
	Now       func() time.Time                                 // nil: time.Now
}

// Thoughts says what becomes of a model's reasoning in the messages that it is sent next.
type Thoughts uint8

// Ways with thoughts.
const (
	ThoughtsAsked  Thoughts = iota // left out, until the server complains of that
	ThoughtsNever                  // left out
	ThoughtsAlways                 // sent as reasoning_content
)

// Message is one of a conversation.
type Message struct {
	Role     string // system, user, assistant or tool
	Content  string
	Calls    []Call // of an assistant
	CallID   string // of a tool's answer
	Thoughts string // of an assistant
}

// Call is a tool call of a model. Its arguments should be a JSON object and may be anything.
type Call struct {
	ID, Name, Arguments string
	Cut                 bool // the answer ended in the middle of it
}

// Tool is a tool that a model may call.
type Tool struct {
	Name string
	JSON []byte // the whole element of "tools"
}

// Request is what a turn is made of.
type Request struct {
	Messages    []Message
	Tools       []Tool
	ReplyTokens int // the turn's bound, for the server; 0: its own
}

func (r *Request) knows(name string) bool {
	for i := range r.Tools {
		if r.Tools[i].Name == name {
			return true
		}
	}
	return false
}

// Turn is a model's answer.
type Turn struct {
	Content  string
	Thoughts string
	Calls    []Call
	Finish   string // as the server said it; "" if it did not
	Cut      bool   // it was ended by a bound, the server's or ours
	Notes    []string
	Usage    Usage
}

// Usage is in tokens, of all attempts together.
type Usage struct {
	Prompt, Completion int
	Guessed            bool // at least some of it is a guess of four bytes a token
}

// Total is both.
func (u Usage) Total() int { return u.Prompt + u.Completion }

// Hear is told of a turn while it comes.
type Hear func(kind Piece, text string)

// Piece is a kind of what is heard.
type Piece uint8

// Pieces.
const (
	Thought Piece = iota // more of what it thinks
	Speech               // more of what it says
	Unsaid               // what was heard as speech is a thought, as has turned out
	Again                // all that came is void, the turn is asked for again: why, and when
)

// Client asks one model. It is used by one goroutine at a time.
type Client struct {
	o    Options
	http *http.Client

	// What the server has turned out not to know, or to want.
	noUsage, noStream, newLimit, noLimit, thoughts bool
}

// New makes a Client.
func New(o Options) *Client {
	orElse(&o.Idle, 2*time.Minute)
	orElse(&o.Attempts, 6)
	orElse(&o.First, time.Second)
	orElse(&o.Most, time.Minute)
	orElse(&o.Longest, 10*time.Minute)
	orElse(&o.MaxBytes, 256<<10)
	if o.Random == nil {
		o.Random = rand.Float64
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	o.URL = strings.TrimSuffix(strings.TrimSuffix(strings.TrimRight(o.URL, "/"), "/chat/completions"), "/")
	// A redirect is not followed: the key is for this server, and a POST would become a GET.
	return &Client{o: o, thoughts: o.Thoughts == ThoughtsAlways, http: &http.Client{Transport: o.Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

func orElse[T ~int | ~int64](to *T, standard T) {
	if *to <= 0 {
		*to = standard
	}
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
