package main

import (
	"bytes"
	"encoding/json"
	"time"

	"aicc.dev/libaicc/core/message"
)

// take decodes one message and checks that it may come now.
func (a *agent) take(raw []byte) {
	if a.dialling && string(raw) == dialled {
		a.net, a.dialling = up, false
		return
	}
	m := a.decode(raw)
	if m == nil {
		return
	}
	if a.net != up {
		a.lose(m, raw)
		return
	}
	a.log.add(toAgent, raw)
	if m.Type == message.SessionInit && a.inits == 0 {
		a.fail("a session_init came that nobody had asked for")
		return
	}
	if a.inits > 0 && !a.session.IsZero() && m.Type != message.SessionInit {
		a.fail("a message of type %v came first on a new connection; it should have been session_init", m.Type)
		return
	}
	if m.Type != message.ToolResult {
		a.caughtUp()
	}

	switch m.Type {
	case message.SessionInit:
		a.takeInit(m)
	case message.ToolResult:
		a.takeResult(m, raw)
	case message.Event:
		e := event{topic: m.Topic, payload: m.Payload}
		var payload struct{ Kind string }
		_ = json.Unmarshal(m.Payload, &payload) // an object, as Decode found; a kind that is no string is none
		e.kind = payload.Kind
		a.events = append(a.events, e)
		a.checkTick(m)
		a.show.event(e)
	case message.ErrorMessage:
		a.fail("the bridge complains: %v: %s", m.Error.Code, m.Error.Message)
	case message.SessionClose:
		a.closed = true
		a.show.closed(string(m.Reason))
	case message.Heartbeat:
		if m.ManifestUpdate != nil {
			a.learn(m.ManifestUpdate)
		}
	default:
		a.fail("a bridge does not send %v", m.Type)
	}
}

// decode reads a message and checks what is asked of each: also of one that the network loses.
func (a *agent) decode(raw []byte) *message.Message {
	if !json.Valid(raw) {
		a.fail("the host sent a line that is not JSON: %.200q", raw)
		return nil
	}
	m := &message.Message{MaxBytes: maxLine}
	if f := message.Decode(raw, m); f != nil {
		a.fail("the host sent a message that aicc/0.1 forbids: %w: %.200s", f, raw)
		return nil
	}
	first := a.session.IsZero()
	switch {
	case a.closed:
		a.fail("a message of type %v came after session_close", m.Type)
	case first && m.Type != message.SessionInit:
		a.fail("the first message was of type %v; it should have been session_init", m.Type)
	case !first && m.SessionID != a.session:
		a.fail("a message of type %v came for the session %v, which is not this one", m.Type, m.SessionID)
	case a.seen[m.MessageID]:
		a.fail("the message id %v came twice", m.MessageID)
	}
	if a.err != nil {
		return nil
	}
	a.seen[m.MessageID] = true
	return m
}

// takeInit takes the first session_init, or the answer to session_resume.
func (a *agent) takeInit(m *message.Message) {
	first := a.session.IsZero()
	a.session = m.SessionID
	a.inits--
	var now message.Manifest
	if f := message.DecodeManifest(m.Init, &now); f != nil {
		a.fail("the manifest is no manifest: %w", f)
		return
	}
	changes := compare(&a.manifest, &now)
	a.manifest = now
	switch {
	case first:
		a.show.manifest(&a.manifest)
	default:
		a.show.resumed("session_init: the answer to session_resume. Now what may have been lost:", changes)
		a.catchUp()
	}
}

func (a *agent) takeResult(m *message.Message, raw []byte) {
	c := a.called(m)
	if c == nil {
		return
	}
	bare := withoutID(m, raw)
	if c.lost != nil && !bytes.Equal(c.lost, bare) {
		a.fail("the result of %s (%s) comes after the cut as another than was lost: %s, %s", c.id, c.tool.ID, c.lost, bare)
		return
	}
	if a.replay != nil && c.epoch == a.epoch {
		a.caughtUp()
	}
	if c.result != nil {
		a.takeAgain(c, bare)
		a.checkTick(m)
		return
	}
	a.showRepeats()
	c.bare = bare
	c.result = &result{ok: m.OK, output: m.Output, code: m.Error.Code, text: string(m.Error.Message), retryable: m.Error.Retryable, at: time.Now()}
	message.DecodeMeta(m.Meta, &c.result.meta)
	a.checkTick(m)
	a.show.answered(c)
}

func withoutID(m *message.Message, raw []byte) []byte {
	return bytes.Replace(raw, []byte(m.MessageID.String()), nil, 1)
}

// takeAgain takes a result that the agent has: only after session_resume, once, and not a byte of it may have changed.
func (a *agent) takeAgain(c *call, bare []byte) {
	switch {
	case !a.replay[c]:
		a.fail("a second result came for %s (%s)", c.id, c.tool.ID)
	case !bytes.Equal(c.bare, bare):
		a.fail("the result of %s (%s) comes after the cut as another than before: %s, %s", c.id, c.tool.ID, c.bare, bare)
	default:
		delete(a.replay, c)
		a.repeats++
	}
}

// called finds the call of a result.
func (a *agent) called(m *message.Message) *call {
	for _, c := range a.calls {
		if c.id == string(m.CallID) {
			return c
		}
	}
	a.fail("a result came for %q, which was never called", m.CallID)
	return nil
}

// checkTick: the game's frames, as the metadata tells them, never go back; nor do those of results that the bridge has kept.
func (a *agent) checkTick(m *message.Message) {
	var meta message.Meta
	message.DecodeMeta(m.Meta, &meta)
	if meta.NoTick {
		return
	}
	last := &a.tick
	if a.replay != nil {
		last = &a.replayTick
	}
	if meta.Tick < *last {
		a.fail("a message of type %v tells frame %d after frame %d had been told", m.Type, meta.Tick, *last)
	}
	*last = meta.Tick
}

// learn takes the manifest of a heartbeat, which must change something.
func (a *agent) learn(raw []byte) {
	var now message.Manifest
	if f := message.DecodeManifest(raw, &now); f != nil {
		a.fail("the manifest of a heartbeat is no manifest: %w", f)
		return
	}
	changes := compare(&a.manifest, &now)
	if len(changes) == 0 {
		a.fail("a heartbeat brings a manifest that changes nothing")
		return
	}
	a.manifest = now
	a.show.learnt(changes)
}
