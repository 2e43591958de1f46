// Package play shows a running game to a person who plays one of its characters: in a terminal as a whole screen with a prompt that knows the
// tools, elsewhere line by line.
package play

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/script/phrase"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

// Options of both forms.
type Options struct {
	Target  live.Target
	Token   string
	In      io.Reader
	Out     io.Writer
	JSON    bool // of Lines
	Connect func(context.Context, live.Target, agent.Options, func(live.Change)) (*agent.Agent, live.Target, error)
}

// kind is what an entry tells of.
type kind uint8

const (
	isEvent  kind = iota
	isCall        // was made
	isResult      // of a call
	isLink        // the connection
	isTools       // the manifest has come, or changed
	isNote        // an answer of the view's own
	isFault       // something that cannot be done
)

// entry is one thing that happened.
type entry struct {
	at     time.Time
	kind   kind
	topic  message.Topic // of isEvent
	body   []byte        // JSON: a payload, an input, an output
	meta   message.Meta
	call   int // its number
	tool   string
	result *agent.Result
	err    error
	took   time.Duration
	change live.Change
	text   string // in words; may have lines
	state  callState
	times  int // that the same event came, one after the other
}

type callState uint8

const (
	callOpen callState = iota
	callGood
	callFailed
)

// feed holds entries until they are shown.
type feed struct {
	mu      sync.Mutex
	waiting []entry
	bytes   int // of their bodies
	lost    int
	more    chan struct{}
}

// What a terminal that does not keep up lets wait: then the oldest events go.
const (
	maxWaiting      = 4096
	maxWaitingBytes = 32 << 20
)

func (f *feed) put(e entry) {
	e.at = time.Now()
	f.mu.Lock()
	for len(f.waiting) >= maxWaiting || len(f.waiting) > 0 && f.bytes+len(e.body) > maxWaitingBytes {
		i := max(slices.IndexFunc(f.waiting, func(e entry) bool { return e.kind == isEvent }), 0)
		f.bytes -= len(f.waiting[i].body)
		f.waiting = slices.Delete(f.waiting, i, i+1)
		f.lost++
	}
	f.waiting = append(f.waiting, e)
	f.bytes += len(e.body)
	f.mu.Unlock()
	f.poke()
}

func (f *feed) poke() {
	select {
	case f.more <- struct{}{}:
	default:
	}
}

func (f *feed) take() (all []entry, lost int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	all, lost = f.waiting, f.lost
	f.waiting, f.bytes, f.lost = nil, 0, 0
	return all, lost
}

// session is one character that is played.
type session struct {
	feed
	o      Options
	a      *agent.Agent
	target live.Target
	ctx    context.Context
	stop   context.CancelFunc
	wg     sync.WaitGroup

	mu    sync.Mutex
	calls int
	open  int
}

// join connects. What happens from here on comes by the feed.
func join(ctx context.Context, o Options, t live.Target) (*session, error) {
	s := &session{feed: feed{more: make(chan struct{}, 1)}, o: o}
	s.ctx, s.stop = context.WithCancel(context.Background())
	var once sync.Once
	greeted := make(chan struct{}) // the tools are in the feed, before all that comes of what is typed
	a, target, err := o.Connect(ctx, t, agent.Options{
		Token: o.Token,
		OnManifest: func(m *message.Manifest) {
			s.put(entry{kind: isTools})
			once.Do(func() { close(greeted) })
		},
		OnError: func(e message.Error) {
			s.put(entry{kind: isFault, text: fmt.Sprintf("the game complains: %s: %s", e.Code, e.Message)})
		},
	}, func(c live.Change) { s.put(entry{kind: isLink, change: c}) })
	if err != nil {
		s.stop()
		return nil, err
	}
	s.a, s.target = a, target
	select {
	case <-greeted:
	case <-a.Done():
	}
	s.wg.Go(s.hear)
	s.wg.Go(s.watch)
	return s, nil
}

func (s *session) hear() {
	for {
		e, err := s.a.Event(s.ctx)
		if err != nil {
			return
		}
		s.put(entry{kind: isEvent, topic: e.Topic, body: e.Payload, meta: e.Meta})
	}
}

func (s *session) watch() {
	select {
	case <-s.a.Done():
		s.put(entry{kind: isLink, change: live.Change{Phase: live.Down, Err: live.Explain(s.a.Err(), s.target, s.o.Token)}, text: "ended"})
	case <-s.ctx.Done():
	}
}

// leave says good-bye.
func (s *session) leave() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	s.stop()
	s.a.Close(ctx, "the player has left")
	s.wg.Wait()
}

// openCalls is how many have no result yet.
func (s *session) openCalls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// do does what a line says that is a call. The error is what is wrong with it: nothing was sent.
func (s *session) do(line string) error {
	p, err := phrase.Parse(line)
	if err != nil {
		return err
	}
	input, err := p.Input(nil)
	if err != nil {
		return err
	}
	m := s.a.Manifest()
	t := phrase.Find(m.Tools, p.Tool)
	if t == nil {
		return fmt.Errorf("the character has no tool %s; it has %s", p.Tool, strings.Join(ids(m.Tools), ", "))
	}
	if err := check(t, input); err != nil {
		return err
	}
	c, err := s.a.Start(t.ID, input)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.calls++
	s.open++
	number := s.calls
	s.mu.Unlock()
	s.put(entry{kind: isCall, call: number, tool: t.ID, body: input})
	began := time.Now()
	s.wg.Go(func() {
		r, err := c.Wait(s.ctx)
		if s.ctx.Err() != nil {
			return
		}
		e := entry{kind: isResult, call: number, tool: t.ID, err: err, took: time.Since(began)}
		if err == nil {
			e.result, e.meta, e.body = &r, r.Meta, r.Output
		}
		s.put(e)
		s.mu.Lock()
		s.open--
		s.mu.Unlock()
		s.poke() // who waits for the last one looks again
	})
	return nil
}

// check holds an input against the tool's schema. A schema that this program cannot read is the game's to judge by.
func check(t *message.Tool, input []byte) error {
	compiled, err := schema.Compile(t.InputSchema, schema.Options{Strict: t.StrictInput, Role: schema.Input})
	if err != nil {
		return nil
	}
	var c schema.Checker
	if compiled.Check(&c, input) {
		return nil
	}
	return errors.New(strings.TrimSpace(c.Message()))
}

func ids(tools []message.Tool) (all []string) {
	for i := range tools {
		all = append(all, tools[i].ID)
	}
	return all
}

// describe tells of one tool.
func describe(t *message.Tool) []string {
	lines := []string{fmt.Sprintf("%s (%s): %s", t.ID, t.Class, live.Clean(t.Description))}
	if t.RequiresCapability != "" {
		lines = append(lines, "  needs the capability "+live.Clean(t.RequiresCapability))
	}
	if t.CallsPerMinute > 0 {
		lines = append(lines, fmt.Sprintf("  at most %d calls a minute", t.CallsPerMinute))
	}
	if t.CallsPerSession > 0 {
		lines = append(lines, fmt.Sprintf("  at most %d calls a session", t.CallsPerSession))
	}
	if !isJSON(t.InputSchema) {
		return lines
	}
	fields := phrase.Fields(t.InputSchema, t.InputSchema)
	if len(fields) == 0 {
		return append(lines, "  takes nothing")
	}
	for _, f := range fields {
		line := "  " + f.Name
		if f.Required {
			line += "*"
		}
		line += "  " + f.Words
		if f.Default != "" {
			line += ", else " + f.Default
		}
		if f.Description != "" {
			line += ": " + f.Description
		}
		lines = append(lines, live.Clean(line))
	}
	return lines
}

func isJSON(text []byte) bool {
	var s jsonwire.Scanner
	_, err := s.Check(text)
	return err == nil
}
