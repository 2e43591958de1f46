package main

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"aicc.dev/libaicc/core/message"
)

const maxMessage = 4 << 20 // no message is longer

// takeFromHost takes what comes from the host.
func (p *player) takeFromHost(n passing, what string) {
	switch {
	case n.what != ended:
		p.take(n)
	case !p.closed && p.tap.is() == up:
		p.fail("the host closed its end while the agent waited for %s: %w", what, n.err)
	}
}

// take decodes one message and checks that it may come now.
func (p *player) take(n passing) {
	m := p.decode(n.raw)
	if m == nil {
		return
	}
	if n.lost {
		p.lose(m, n.raw)
		return
	}
	p.log.add(toAgent, n.raw)
	if m.Type == message.SessionInit && p.inits == 0 {
		p.fail("a session_init came that nobody had asked for")
		return
	}
	if p.inits > 0 && !p.session.IsZero() && m.Type != message.SessionInit {
		p.fail("a message of type %v came first on a new connection; it should have been session_init", m.Type)
		return
	}
	if m.Type != message.ToolResult {
		p.caughtUp()
	}

	switch m.Type {
	case message.SessionInit:
		p.takeInit(m)
	case message.ToolResult:
		p.takeResult(m, n.raw)
	case message.Event:
		p.takeEvent(m)
	case message.ErrorMessage:
		p.fail("the bridge complains: %v: %s", m.Error.Code, m.Error.Message)
	case message.SessionClose:
		p.closed = true
		p.show.closed(string(m.Reason))
	case message.Heartbeat:
		if m.ManifestUpdate != nil {
			p.learn(m.ManifestUpdate)
		}
	default:
		p.fail("a bridge does not send %v", m.Type)
	}
}

// decode reads a message and checks what is asked of each: also of one that the network loses.
func (p *player) decode(raw []byte) *message.Message {
	if !json.Valid(raw) {
		p.fail("the host sent a message that is not JSON: %.200q", raw)
		return nil
	}
	m := &message.Message{MaxBytes: maxMessage}
	if f := message.Decode(raw, m); f != nil {
		p.fail("the host sent a message that aicc/0.1 forbids: %w: %.200s", f, raw)
		return nil
	}
	first := p.session.IsZero()
	switch {
	case p.closed:
		p.fail("a message of type %v came after session_close", m.Type)
	case first && m.Type != message.SessionInit:
		p.fail("the first message was of type %v; it should have been session_init", m.Type)
	case !first && m.SessionID != p.session:
		p.fail("a message of type %v came for the session %v, which is not this one", m.Type, m.SessionID)
	case p.seen[m.MessageID]:
		p.fail("the message id %v came twice", m.MessageID)
	}
	if p.err != nil {
		return nil
	}
	p.seen[m.MessageID] = true
	return m
}

// takeInit takes the first session_init, or the answer to session_resume.
func (p *player) takeInit(m *message.Message) {
	first := p.session.IsZero()
	p.session = m.SessionID
	p.inits--
	changes := p.manifested(m.Type, m.Init)
	switch {
	case p.err != nil:
	case !first:
		p.show.resumed("session_init: the answer to session_resume. Now what may have been lost:", changes)
		p.catchUp()
	default:
		select {
		case j := <-p.joined:
			if p.join(j); p.err == nil {
				p.show.manifest(p.manifest)
			}
		case <-time.After(p.patience):
			p.fail("the agent does not begin, although its session_init has come")
		}
	}
}

func (p *player) join(j joined) {
	p.joins, p.agent = false, j.agent
	if j.err != nil {
		p.fail("the agent is not let in: %w", j.err)
	}
}

// manifested reads a manifest and says what it changes. The agent must have got the same.
func (p *player) manifested(of message.Type, raw []byte) (changes []string) {
	now := &message.Manifest{}
	if f := message.DecodeManifest(raw, now); f != nil {
		p.fail("the manifest of a %v is no manifest: %w", of, f)
		return nil
	}
	select {
	case m := <-p.manifests:
		if len(compare(now, m)) > 0 {
			p.fail("the agent takes a manifest for another than came: %v", compare(now, m))
		}
	case <-time.After(p.patience):
		p.fail("the agent does not take a manifest that has come")
	}
	changes = compare(p.manifest, now)
	p.manifest = now
	return changes
}

// learn takes the manifest of a heartbeat, which must change something.
func (p *player) learn(raw []byte) {
	if changes := p.manifested(message.Heartbeat, raw); p.err == nil && len(changes) == 0 {
		p.fail("a heartbeat brings a manifest that changes nothing")
	} else if p.err == nil {
		p.show.learnt(changes)
	}
}

// takeEvent takes an event, which the agent must hand over.
func (p *player) takeEvent(m *message.Message) {
	p.checkTick(m)
	ctx, cancel := context.WithTimeout(p.ctx, p.patience)
	defer cancel()
	got, err := p.agent.Event(ctx)
	if err != nil || got.Topic != m.Topic || !bytes.Equal(got.Payload, m.Payload) {
		p.fail("an event on %v %s has come; the agent hands over %v %s, %v", m.Topic, m.Payload, got.Topic, got.Payload, err)
		return
	}
	e := event{Event: got}
	var payload struct{ Kind string }
	_ = json.Unmarshal(got.Payload, &payload) // an object, as Decode found; a kind that is no string is none
	e.kind = payload.Kind
	p.events = append(p.events, e)
	p.show.event(e)
}

func (p *player) takeResult(m *message.Message, raw []byte) {
	c := p.called(m)
	if c == nil {
		return
	}
	if p.replay && c.epoch == p.epoch {
		p.caughtUp()
	}
	kept, bare := p.replay && c.kept, withoutID(m, raw)
	switch {
	case !p.due(c):
		p.fail("a second result came for %s (%s)", c.name, c.tool.ID)
	case c.lost != nil && !bytes.Equal(c.lost, bare):
		p.another(c, "as another than was lost", c.lost, bare)
	case c.result != nil && !bytes.Equal(c.bare, bare):
		p.another(c, "as another than before", c.bare, bare)
	case c.result != nil && kept:
		p.repeats++
		p.checkTick(m)
	case c.result == nil:
		p.showRepeats()
		if kept || c.epoch == p.epoch {
			p.checkTick(m)
		}
		c.bare = bare
		p.deliver(c, m)
	}
}

// due tells whether one more result of a call may come, and notes that it has: one that the host has kept, or one each time that it is asked for.
func (p *player) due(c *call) bool {
	switch {
	case p.replay && c.kept:
		c.kept = false
	case c.asked > 0:
		c.asked--
	default:
		return false
	}
	return true
}

func (p *player) another(c *call, than string, old, now []byte) {
	p.fail("the result of %s (%s) comes after the cut %s: %s, %s", c.name, c.tool.ID, than, old, now)
}

// deliver has the agent hand over the result that has just passed.
func (p *player) deliver(c *call, m *message.Message) {
	ctx, cancel := context.WithTimeout(p.ctx, p.patience)
	defer cancel()
	r, err := c.of.Wait(ctx)
	var meta message.Meta
	message.DecodeMeta(m.Meta, &meta)
	same := r.OK == m.OK && bytes.Equal(r.Output, m.Output) && r.Code == m.Error.Code && r.Text == string(m.Error.Message) && r.Retryable == m.Error.Retryable &&
		r.Meta.Tick == meta.Tick && r.Meta.RetryAfterMS == meta.RetryAfterMS
	if err != nil || !same {
		p.fail("the result of %s (%s) has come, and the agent hands over something else: %+v, %w", c.name, c.tool.ID, r, err)
		return
	}
	c.result = &result{Result: r, at: time.Now()}
	p.show.answered(c)
}

func withoutID(m *message.Message, raw []byte) []byte {
	return bytes.Replace(raw, []byte(m.MessageID.String()), nil, 1)
}

// called finds the call of a result.
func (p *player) called(m *message.Message) *call {
	for _, c := range p.calls {
		if c.of.ID == string(m.CallID) {
			return c
		}
	}
	p.fail("a %v came for %q, which was never called", m.Type, m.CallID)
	return nil
}

// checkTick: the game's frames, as the metadata tells them, never go back; nor do those of results that the bridge has kept.
func (p *player) checkTick(m *message.Message) {
	var meta message.Meta
	message.DecodeMeta(m.Meta, &meta)
	if meta.NoTick {
		return
	}
	last := &p.tick
	if p.replay {
		last = &p.replayTick
	}
	if meta.Tick < *last {
		p.fail("a message of type %v tells frame %d after frame %d had been told", m.Type, meta.Tick, *last)
	}
	*last = meta.Tick
}

// takeFromAgent takes what the agent does: what it sends is checked too.
func (p *player) takeFromAgent(n passing) {
	switch n.what {
	case connected:
		p.connects()
		return
	case waits:
		p.waits(n)
		return
	}
	p.log.add(toBridge, n.raw)
	m := &message.Message{MaxBytes: maxMessage}
	if f := message.Decode(n.raw, m); f != nil {
		p.fail("the agent sent a message that aicc/0.1 forbids: %w: %.200s", f, n.raw)
		return
	}
	switch {
	case m.SessionID != p.session || p.seen[m.MessageID]:
		p.fail("the agent sent a %v for another session, or under an old message id: %.200s", m.Type, n.raw)
		return
	case p.hello != (m.Type == message.SessionResume):
		p.fail("the agent sent a %v; on a connection after the first, session_resume comes first and once", m.Type)
		return
	}
	p.seen[m.MessageID] = true
	switch m.Type {
	case message.SessionResume:
		p.hello = false
		p.show.resumes()
	case message.ToolCall:
		p.asks(m)
	case message.SessionClose:
		p.left = true
		p.show.leaves(string(m.Reason))
	default:
		p.fail("the agent sent a %v, which nobody has told it to", m.Type)
	}
}

// asks notes that the agent has asked for a call: once, and once more on each connection after that until there is a result.
func (p *player) asks(m *message.Message) {
	c := p.called(m)
	switch {
	case c == nil:
		return
	case string(m.Tool) != c.tool.ID || string(m.Input) != c.input:
		p.fail("the agent asks for %s %s as %s, which is %s %s", m.Tool, m.Input, c.name, c.tool.ID, c.input)
	case c.result != nil || c.asked > 0 || c.epoch == p.epoch:
		p.fail("the agent asks for %s (%s) once too often", c.name, c.tool.ID)
	}
	c.asked++
	p.show.asked(c)
	if c.epoch == 0 {
		c.epoch = p.epoch
	}
}
