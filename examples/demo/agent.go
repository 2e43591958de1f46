package main

import (
	"bufio"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"aicc.dev/libaicc/core/message"
)

const maxLine = 4<<20 + 1 // no message is longer

// agent is the agent's end of the pipe, and the referee: every message that comes is decoded and checked against what may come now.
// Its first error sticks; after it nothing is sent or awaited any more, so that a script needs no checks of its own.
type agent struct {
	out      io.WriteCloser
	messages <-chan []byte
	told     <-chan string
	broken   error // why messages was closed, nil: the host closed it

	show     *narrator
	log      *transcript
	pace     time.Duration
	patience time.Duration // with anything that is waited for

	ids      *message.IDSource
	session  message.ID
	seen     map[message.ID]bool
	manifest message.Manifest
	tick     uint64
	calls    []*call
	events   []event // not asked for yet
	closed   bool
	err      error

	net        network
	dialling   bool           // the host has been told of a new connection and has not answered yet
	inits      int            // how many session_init are to come next
	replay     map[*call]bool // right behind the answer to session_resume: whose results may come a second time
	replayTick uint64
	repeats    int // how many have
	epoch      int // how often the session was resumed

	character []string // all that the host told on stderr
}

// call is one tool call.
type call struct {
	id      string
	tool    *message.Tool
	input   string
	result  *result
	refused []*result // what came of it before it was asked again
	bare    []byte    // the result as it came, without its message id
	lost    []byte    // the same of one that the network has lost
	epoch   int       // the connection on which it was asked last
}

// result is what came of it.
type result struct {
	ok        bool
	output    []byte
	code      message.ErrorCode
	text      string
	retryable bool
	meta      message.Meta
	at        time.Time
}

type event struct {
	topic   message.Topic
	kind    string // the payload's member "kind"
	payload []byte
}

func newAgent(out io.WriteCloser, in, told io.Reader, show *narrator, log *transcript, pace time.Duration) *agent {
	messages, lines := make(chan []byte), make(chan string)
	a := &agent{out: out, messages: messages, told: lines, show: show, log: log, pace: pace, patience: 10 * time.Second, seen: map[message.ID]bool{}, inits: 1}
	var seed [32]byte
	_, a.err = rand.Read(seed[:])
	a.ids = message.NewIDSource(seed)
	go func() {
		defer close(messages)
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, maxLine)
		for lines.Scan() {
			messages <- append([]byte(nil), lines.Bytes()...)
		}
		a.broken = lines.Err()
	}()
	go func() {
		defer close(lines)
		text := bufio.NewScanner(told)
		for text.Scan() {
			lines <- text.Text()
		}
		_, _ = io.Copy(io.Discard, told)
	}()
	return a
}

func (a *agent) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf(format, args...)
	}
}

// begin waits for session_init.
func (a *agent) begin() {
	a.show.title()
	a.until("session_init", func() bool { return !a.session.IsZero() })
}

// tool finds the tool of a class whose description speaks of a word: an agent knows no names beforehand.
func (a *agent) tool(class message.ToolClass, word string) *message.Tool {
	if t := a.find(class, word); t != nil {
		return t
	}
	a.fail("the manifest has no %v whose description speaks of %q", class, word)
	return &message.Tool{}
}

func (a *agent) find(class message.ToolClass, word string) *message.Tool {
	for i := range a.manifest.Tools {
		if t := &a.manifest.Tools[i]; t.Class == class && strings.Contains(strings.ToLower(t.Description), word) {
			return t
		}
	}
	return nil
}

func (a *agent) has(class message.ToolClass, word string) bool { return a.find(class, word) != nil }

// think pauses, and says why the next thing is done.
func (a *agent) think(format string, args ...any) {
	if a.err != nil {
		return
	}
	a.drain(a.pace)
	a.remark(format, args...)
}

// remark says so at once.
func (a *agent) remark(format string, args ...any) {
	if a.err == nil {
		a.show.thought(fmt.Sprintf(format, args...))
	}
}

// start sends a tool_call.
func (a *agent) start(t *message.Tool, input string) *call {
	c := &call{id: fmt.Sprintf("call-%d", len(a.calls)+1), tool: t, input: input}
	if a.err == nil {
		a.calls = append(a.calls, c)
		a.call(c)
	}
	return c
}

func (a *agent) call(c *call) {
	c.epoch = a.epoch
	a.show.asked(c)
	a.send(message.AppendToolCall(nil, a.session, a.ids.Next(), c.id, c.tool.ID, []byte(c.input)))
}

// waitOut waits as long as the refusal of a call asks for.
func (a *agent) waitOut(c *call) {
	if a.err != nil {
		return
	}
	wait := time.Duration(c.result.meta.RetryAfterMS) * time.Millisecond
	a.remark("Too soon. I shall wait for %d ms.", wait.Milliseconds())
	a.drain(time.Until(c.result.at.Add(wait)))
}

// again sends a call that was refused for now once more, under the same id: that is a new attempt.
func (a *agent) again(c *call) {
	if a.err != nil {
		return
	}
	c.refused = append(c.refused, c.result)
	c.result, c.bare = nil, nil
	a.call(c)
}

// await waits for the result of a call.
func (a *agent) await(c *call) *result {
	a.until(fmt.Sprintf("the result of %s (%s)", c.id, c.tool.ID), func() bool { return c.result != nil })
	if c.result == nil {
		return &result{}
	}
	return c.result
}

// ask calls a tool, which must succeed, and reads its output into out.
func (a *agent) ask(t *message.Tool, input string, out any) { a.succeeded(a.start(t, input), out) }

// succeeded waits for the result of a call, which must have gone well, and reads its output into out.
func (a *agent) succeeded(c *call, out any) {
	t := c.tool
	r := a.await(c)
	if a.err != nil {
		return
	}
	if !r.ok {
		a.fail("%s (%s) failed with %v, %q; it should have succeeded", c.id, t.ID, r.code, r.text)
	} else if err := json.Unmarshal(r.output, out); err != nil {
		a.fail("the output of %s (%s) is not what its tool promises: %w", c.id, t.ID, err)
	}
}

// refused calls a tool, which must fail with a code.
func (a *agent) refused(t *message.Tool, input string, code message.ErrorCode, retryable bool) *result {
	c := a.start(t, input)
	a.await(c)
	return a.failedWith(c, code, retryable)
}

// failedWith checks that a call has failed with a code.
func (a *agent) failedWith(c *call, code message.ErrorCode, retryable bool) *result {
	r := c.result
	switch {
	case a.err != nil:
		return &result{}
	case r == nil:
		a.fail("%s (%s) never got a result", c.id, c.tool.ID)
		return &result{}
	case r.ok:
		a.fail("%s (%s) succeeded; it should have failed with %v", c.id, c.tool.ID, code)
	case r.code != code:
		a.fail("%s (%s) failed with %v, %q; it should have been %v", c.id, c.tool.ID, r.code, r.text, code)
	case r.retryable != retryable:
		a.fail("%s (%s) failed with %v and retryable %v; it should have been %v", c.id, c.tool.ID, r.code, r.retryable, retryable)
	}
	return r
}

// hear waits for an event of a topic and kind, one that came before included, and reads its payload into out.
func (a *agent) hear(topic message.Topic, kind string, out any) {
	end := time.Now().Add(a.patience)
	for a.err == nil {
		for i, e := range a.events {
			if e.topic == topic && e.kind == kind {
				a.events = append(a.events[:i], a.events[i+1:]...)
				if err := json.Unmarshal(e.payload, out); err != nil {
					a.fail("the payload of a %v event is not what was expected: %w", topic, err)
				}
				return
			}
		}
		a.step(strings.TrimSpace(fmt.Sprintf("an event on %v %s", topic, kind)), time.Until(end))
	}
}

// leave says good-bye while calls may be open, and waits for the bridge's good-bye.
func (a *agent) leave(reason string) {
	if a.err == nil {
		a.show.leaves(reason)
		a.send(message.AppendSessionClose(nil, a.session, a.ids.Next(), reason))
	}
	a.until("session_close", func() bool { return a.closed })
}

// finish closes the pipe, reads what is left, and says whether all went as the protocol and the script want it.
func (a *agent) finish() error {
	if err := a.out.Close(); err != nil && a.err == nil {
		a.err = err
	}
	failed := a.err != nil
	timer := time.NewTimer(a.patience)
	defer timer.Stop()
	for a.messages != nil || a.told != nil {
		select {
		case raw, open := <-a.messages:
			if !open {
				a.messages = nil
			} else if !failed {
				a.take(raw)
			}
		case text, open := <-a.told:
			a.tell(text, open)
		case <-timer.C:
			a.fail("the host was still there %v after its agent had gone", a.patience)
			return a.err
		}
	}
	if a.broken != nil {
		a.fail("a message could not be read: %w", a.broken)
	}
	for _, c := range a.calls {
		if c.result == nil {
			a.fail("%s (%s) never got a result", c.id, c.tool.ID)
		}
	}
	return a.err
}

// did says how often the host told of its character that it did something.
func (a *agent) did(what string) (times int) {
	for _, text := range a.character {
		if strings.Contains(text, what) {
			times++
		}
	}
	return times
}

func (a *agent) send(raw []byte) {
	a.log.add(toBridge, raw)
	a.write(raw)
}

func (a *agent) write(raw []byte) {
	if _, err := a.out.Write(append(raw, '\n')); err != nil {
		a.fail("the host takes no more messages: %w", err)
	}
}

// step takes the next message, or shows the next thing that the character does.
func (a *agent) step(what string, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case text, open := <-a.told:
		a.tell(text, open)
	case raw, open := <-a.messages:
		a.settle()
		if open {
			a.take(raw)
		} else if a.fail("the host closed its end while the agent waited for %s", what); a.broken != nil {
			a.err = errors.Join(a.err, a.broken)
		}
	case <-timer.C:
		a.fail("the agent waited in vain for %s", what)
	}
}

// drain shows and takes whatever comes in a time.
func (a *agent) drain(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for a.err == nil {
		select {
		case text, open := <-a.told:
			a.tell(text, open)
		case raw, open := <-a.messages:
			if !open {
				a.fail("the host closed its end while the agent was thinking")
				return
			}
			a.settle()
			a.take(raw)
		case <-timer.C:
			return
		}
	}
}

// settle lets what was told before a message be shown before it: two pipes have no order between them.
func (a *agent) settle() {
	timer := time.NewTimer(3 * time.Millisecond)
	defer timer.Stop()
	for a.told != nil {
		select {
		case text, open := <-a.told:
			a.tell(text, open)
		case <-timer.C:
			return
		}
	}
}

func (a *agent) tell(text string, open bool) {
	if !open {
		a.told = nil
		return
	}
	a.character = append(a.character, text)
	a.show.did(text)
}
