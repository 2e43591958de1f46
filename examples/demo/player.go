package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/message"
)

// player plays a character through core/agent, and is the referee: every message that passes, either way, is decoded and checked against what may
// come now, and what the agent hands over against what has passed. Its first error sticks; after it nothing is asked or awaited any more, so that
// a script needs no checks of its own.
type player struct {
	tap    *tap
	agent  *agent.Agent
	joins  bool        // it is about to be there
	joined chan joined // then it is
	told   <-chan string
	ctx    context.Context // ends with finish
	cancel context.CancelFunc

	show     *narrator
	log      *transcript
	pace     time.Duration
	random   func() float64 // for the agent's delays; nil: its own
	patience time.Duration  // with anything that is waited for

	session   message.ID
	seen      map[message.ID]bool
	manifest  *message.Manifest
	manifests chan *message.Manifest // from the agent
	tick      uint64
	calls     []*call
	events    []event // not asked for yet
	left      bool    // the agent has said good-bye
	closed    bool    // and so has the host
	err       error

	away       int  // attempts to connect that are to come, or have failed, since the connection was lost
	inits      int  // how many session_init are to come next
	hello      bool // session_resume is to be sent next
	replay     bool // right behind the answer to session_resume: results may come a second time
	replayTick uint64
	repeats    int // how many have
	epoch      int // which connection this is, from 1

	character []string // all that the host told on stderr
}

type joined struct {
	agent *agent.Agent
	err   error
}

// call is one tool call.
type call struct {
	name   string // to the reader: call-1 and so on
	of     *agent.Call
	tool   *message.Tool
	input  string
	again  bool // what another call was refused for now is asked again
	result *result
	bare   []byte // the result as it came, without its message id
	lost   []byte // the same of one that the network has lost
	epoch  int    // the connection on which it was asked for first; 0: it was not yet
	asked  int    // how often it was asked for on this connection, less the results that came for that
	kept   bool   // its result may come again since the host has kept it
}

// result is what came of it.
type result struct {
	agent.Result
	at time.Time
}

type event struct {
	agent.Event
	kind string // the payload's member "kind"
}

func newPlayer(url string, told io.Reader, show *narrator, log *transcript, pace time.Duration) *player {
	lines := make(chan string)
	p := &player{tap: newTap(agent.WebSocket(url, "")), joined: make(chan joined, 1), told: lines, show: show, log: log, pace: pace,
		patience: 10 * time.Second, seen: map[message.ID]bool{}, manifest: &message.Manifest{}, manifests: make(chan *message.Manifest, 4), inits: 1, epoch: 1}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(lines)
		text := bufio.NewScanner(told)
		for text.Scan() {
			lines <- text.Text()
		}
		_, _ = io.Copy(io.Discard, told)
	}()
	return p
}

func (p *player) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf(format, args...)
	}
}

// begin connects, and waits for session_init.
func (p *player) begin() {
	if p.err != nil {
		return
	}
	p.show.title()
	p.joins = true
	go func() {
		a, err := agent.Connect(p.ctx, "", agent.Options{Dial: p.tap.connect, Wait: p.tap.pause, Random: p.random, First: 200 * time.Millisecond, Most: 800 * time.Millisecond,
			OnManifest: func(m *message.Manifest) {
				select {
				case p.manifests <- m:
				case <-p.ctx.Done():
				}
			}})
		p.joined <- joined{a, err}
	}()
	p.until("session_init", func() bool { return p.agent != nil })
}

// tool finds the tool of a class whose description speaks of a word: an agent knows no names beforehand.
func (p *player) tool(class message.ToolClass, word string) *message.Tool {
	if t := p.find(class, word); t != nil {
		return t
	}
	p.fail("the manifest has no %v whose description speaks of %q", class, word)
	return &message.Tool{}
}

func (p *player) find(class message.ToolClass, word string) *message.Tool {
	for i := range p.manifest.Tools {
		if t := &p.manifest.Tools[i]; t.Class == class && strings.Contains(strings.ToLower(t.Description), word) {
			return t
		}
	}
	return nil
}

func (p *player) has(class message.ToolClass, word string) bool { return p.find(class, word) != nil }

// think pauses, and says why the next thing is done.
func (p *player) think(format string, args ...any) {
	if p.err != nil {
		return
	}
	p.drain(p.pace)
	p.remark(format, args...)
}

// remark says so at once.
func (p *player) remark(format string, args ...any) {
	if p.err == nil {
		p.show.thought(fmt.Sprintf(format, args...))
	}
}

// start makes a call.
func (p *player) start(t *message.Tool, input string) *call { return p.call(t, input, false) }

func (p *player) call(t *message.Tool, input string, again bool) *call {
	c := &call{name: fmt.Sprintf("call-%d", len(p.calls)+1), tool: t, input: input, again: again}
	if p.err != nil {
		return c
	}
	var err error
	if c.of, err = p.agent.Start(t.ID, []byte(input)); err != nil {
		p.fail("%s (%s) cannot be made: %w", c.name, t.ID, err)
		return c
	}
	p.calls = append(p.calls, c)
	if p.away == 0 {
		p.own("the agent to ask for "+c.name+" ("+t.ID+")", func() bool { return c.epoch > 0 })
	}
	return c
}

// waitOut waits as long as the refusal of a call asks for.
func (p *player) waitOut(c *call) {
	if p.err != nil {
		return
	}
	wait := time.Duration(c.result.Meta.RetryAfterMS) * time.Millisecond
	p.remark("Too soon. I shall wait for %d ms.", wait.Milliseconds())
	p.drain(time.Until(c.result.at.Add(wait)))
}

// again makes a call that was refused for now once more.
func (p *player) again(c *call) *call { return p.call(c.tool, c.input, true) }

// await waits for the result of a call.
func (p *player) await(c *call) *result {
	p.until(fmt.Sprintf("the result of %s (%s)", c.name, c.tool.ID), func() bool { return c.result != nil })
	if c.result == nil {
		return &result{}
	}
	return c.result
}

// ask calls a tool, which must succeed, and reads its output into out.
func (p *player) ask(t *message.Tool, input string, out any) { p.succeeded(p.start(t, input), out) }

// succeeded waits for the result of a call, which must have gone well, and reads its output into out.
func (p *player) succeeded(c *call, out any) {
	t := c.tool
	r := p.await(c)
	if p.err != nil {
		return
	}
	if !r.OK {
		p.fail("%s (%s) failed with %v, %q; it should have succeeded", c.name, t.ID, r.Code, r.Text)
	} else if err := json.Unmarshal(r.Output, out); err != nil {
		p.fail("the output of %s (%s) is not what its tool promises: %w", c.name, t.ID, err)
	}
}

// refused calls a tool, which must fail with a code.
func (p *player) refused(t *message.Tool, input string, code message.ErrorCode, retryable bool) *result {
	c := p.start(t, input)
	p.await(c)
	return p.failedWith(c, code, retryable)
}

// failedWith checks that a call has failed with a code.
func (p *player) failedWith(c *call, code message.ErrorCode, retryable bool) *result {
	r := c.result
	switch {
	case p.err != nil:
		return &result{}
	case r == nil:
		p.fail("%s (%s) never got a result", c.name, c.tool.ID)
		return &result{}
	case r.OK:
		p.fail("%s (%s) succeeded; it should have failed with %v", c.name, c.tool.ID, code)
	case r.Code != code:
		p.fail("%s (%s) failed with %v, %q; it should have been %v", c.name, c.tool.ID, r.Code, r.Text, code)
	case r.Retryable != retryable:
		p.fail("%s (%s) failed with %v and retryable %v; it should have been %v", c.name, c.tool.ID, r.Code, r.Retryable, retryable)
	}
	return r
}

// hear waits for an event of a topic and kind, one that came before included, and reads its payload into out.
func (p *player) hear(topic message.Topic, kind string, out any) {
	end := time.Now().Add(p.patience)
	for p.err == nil {
		for i, e := range p.events {
			if e.Topic == topic && e.kind == kind {
				p.events = append(p.events[:i], p.events[i+1:]...)
				if err := json.Unmarshal(e.Payload, out); err != nil {
					p.fail("the payload of a %v event is not what was expected: %w", topic, err)
				}
				return
			}
		}
		p.step(strings.TrimSpace(fmt.Sprintf("an event on %v %s", topic, kind)), time.Until(end))
	}
}

// leave says good-bye while calls may be open, and waits for the bridge's good-bye.
func (p *player) leave(reason string) {
	if p.err == nil {
		go p.agent.Close(p.ctx, reason)
		p.own("the agent to say good-bye", func() bool { return p.left })
	}
	p.until("session_close", func() bool { return p.closed })
}

// finish ends the agent and, by stop, the host, hears what that has still to tell, and says whether all went as the protocol and the script want it.
func (p *player) finish(stop func() error) error {
	close(p.tap.over)
	p.cancel()
	if p.joins {
		p.agent = (<-p.joined).agent
	}
	if p.agent != nil {
		p.agent.Close(p.ctx, "")
	}
	if err := stop(); err != nil {
		p.fail("the host cannot be told to end: %w", err)
	}
	timer := time.NewTimer(p.patience)
	defer timer.Stop()
	for p.told != nil {
		select {
		case text, open := <-p.told:
			p.tell(text, open)
		case <-timer.C:
			p.fail("the host was still there %v after its agent had gone", p.patience)
			return p.err
		}
	}
	for _, c := range p.calls {
		if c.result == nil {
			p.fail("%s (%s) never got a result", c.name, c.tool.ID)
		}
	}
	return p.err
}

// did says how often the host told of its character that it did something.
func (p *player) did(what string) (times int) {
	for _, text := range p.character {
		if strings.Contains(text, what) {
			times++
		}
	}
	return times
}
