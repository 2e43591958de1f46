package agent

import (
	"bytes"
	"context"
	"slices"

	"aicc.dev/libaicc/core/message"
)

// Event is one event of the game.
type Event struct {
	Topic   message.Topic
	Payload []byte // an object
	Meta    message.Meta
}

// Event gives the oldest one that nobody took, or waits for one. Its error is that of ctx, or why the agent has ended.
func (a *Agent) Event(ctx context.Context) (Event, error) {
	for {
		a.mu.Lock()
		if len(a.events) > 0 {
			e := a.events[0]
			a.events = slices.Delete(a.events, 0, 1)
			if len(a.events) > 0 {
				a.tellMore()
			}
			a.mu.Unlock()
			return e, nil
		}
		a.mu.Unlock()
		select {
		case <-a.more:
		case <-ctx.Done():
			return Event{}, ctx.Err()
		case <-a.done:
			return Event{}, a.Err()
		}
	}
}

func (a *Agent) tellMore() {
	select {
	case a.more <- struct{}{}:
	default:
	}
}

// read takes messages until the connection ends. What one brings has been delivered before the next is read, so that a pong of ours, which is
// written while reading, says that everything before it has come to its place.
func (a *Agent) read(ctx context.Context, l *link) error {
	var m message.Message
	m.MaxBytes = maxMessage
	for {
		text, err := l.wire.Read(ctx)
		if err != nil {
			return err
		}
		fault := message.Decode(text, &m)
		a.mu.Lock()
		if fault != nil {
			a.stats.Bad++
			a.mu.Unlock()
			continue
		}
		tell := a.take(l, &m)
		leave := l.gone && a.closing
		a.mu.Unlock()
		if tell != nil {
			tell()
		}
		if leave {
			return ErrClosed
		}
	}
}

// take does what a message says; with mu. What it returns is for the user and done without.
func (a *Agent) take(l *link, m *message.Message) (tell func()) {
	switch m.Type {
	case message.SessionInit:
		return a.begin(l, m)
	case message.ErrorMessage:
		return a.complaint(l, m)
	}
	if m.SessionID != a.session {
		if m.Type == message.ToolResult {
			a.stats.Strays++
		}
		return nil
	}
	switch m.Type {
	case message.ToolResult:
		a.outcome(m)
	case message.Event:
		e := Event{Topic: m.Topic, Payload: bytes.Clone(m.Payload)}
		message.DecodeMeta(m.Meta, &e.Meta)
		if len(a.events) >= a.o.MaxEvents {
			a.events = slices.Delete(a.events, 0, 1)
			a.stats.EventsLost++
		}
		a.events = append(a.events, e)
		a.tellMore()
	case message.Heartbeat:
		if m.ManifestUpdate != nil {
			return a.learn(m.ManifestUpdate)
		}
	case message.SessionClose:
		l.gone = true
		a.lose(true)
	}
	return nil
}

func (a *Agent) learn(text []byte) (tell func()) {
	man := &message.Manifest{}
	if message.DecodeManifest(text, man) != nil {
		a.stats.Bad++
		return nil
	}
	a.manifest = man
	if a.o.OnManifest == nil {
		return nil
	}
	return func() { a.o.OnManifest(man) }
}

// begin takes a session_init: the session goes on, or another one has begun.
func (a *Agent) begin(l *link, m *message.Message) (tell func()) {
	tell = a.learn(m.Init)
	if m.SessionID != a.session {
		if !a.session.IsZero() {
			a.lose(false)
		}
		a.session = m.SessionID
	} else if !l.live {
		a.stats.Resumes++
	}
	if l.live, l.gone = true, false; !isClosed(a.ready) {
		close(a.ready)
	}
	a.wake()
	return tell
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// lose ends the session and its calls. What was sent may have run, or not, unless the bridge has said good-bye: before that it gives each call that
// it took its result, and what comes after it is refused.
func (a *Agent) lose(orderly bool) {
	a.session, a.queue = message.ID{}, nil
	a.stats.SessionsLost++
	for _, c := range slices.Clone(a.order) {
		if c.sent && !orderly {
			a.finish(c, Result{}, ErrLost)
		} else {
			a.finish(c, Result{}, ErrNotRun)
		}
	}
}

// outcome takes a tool_result: the first of a call is its result.
func (a *Agent) outcome(m *message.Message) {
	c := a.calls[string(m.CallID)]
	switch {
	case c != nil:
		r := Result{OK: m.OK, Output: bytes.Clone(m.Output), Code: m.Error.Code, Text: string(m.Error.Message), Retryable: m.Error.Retryable}
		message.DecodeMeta(m.Meta, &r.Meta)
		if a.stats.Results++; c.left {
			a.stats.Late++
		}
		a.finish(c, r, nil)
	case a.past.has(m.CallID):
		a.stats.Duplicates++
	default:
		a.stats.Strays++
	}
}

// complaint takes an error. It quotes the message that it is about: a call, which it then ends, or the session_resume.
func (a *Agent) complaint(l *link, m *message.Message) (tell func()) {
	e := message.Error{Code: m.Error.Code, Message: bytes.Clone(m.Error.Message), Retryable: m.Error.Retryable}
	about := quoted(e.Message)
	switch {
	case about.IsZero():
	case about == l.resumes:
		if e.Code == message.SessionExpired && a.session == l.resume {
			a.lose(false)
		}
		return nil
	default:
		for _, c := range a.order {
			if c.sent && c.message == about {
				a.stats.Results++
				a.finish(c, Result{Code: e.Code, Text: string(e.Message), Retryable: e.Retryable}, nil)
				return nil
			}
		}
	}
	if a.o.OnError == nil || e.Code == message.SessionExpired && !about.IsZero() { // what was sent too late has ended with its session
		return nil
	}
	return func() { a.o.OnError(e) }
}

// quoted is the id in "... (message ID)".
func quoted(text []byte) (id message.ID) {
	const open, form = "(message ", 36
	if n := len(text) - form - 1; n >= len(open) && text[len(text)-1] == ')' && string(text[n-len(open):n]) == open {
		id, _ = message.ParseID(text[n : n+form])
	}
	return id
}
