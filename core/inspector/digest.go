package inspector

import (
	"bytes"
	"math"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/latency"
	"aicc.dev/libaicc/core/message"
)

const (
	maxTools      = 256  // of one character that are told apart; an agent may call what it likes
	maxFlights    = 256  // calls of one character whose results are waited for
	maxHistograms = 4096 // of 2 KiB
	otherTools    = "(others)"
)

// tally is what was counted of one character.
type tally struct {
	id       uint32
	version  uint64 // of the feed when something changed last
	session  message.ID
	events   uint64
	calls    uint64
	faults   uint64
	inFlight map[string]flight
	tools    map[string]*use
	order    []*use
}

// flight is a call that has no result yet.
type flight struct {
	use *use
	at  int64
	id  message.ID // of its message, which an error that answers it names
}

// use is what was counted of one tool.
type use struct {
	name                        string
	calls, ok, failed, inFlight uint64
	lastCode                    message.ErrorCode
	last                        int64              // in microseconds: the last call
	took                        *latency.Histogram // of calls that reached the game
}

func newTally(id uint32) *tally {
	return &tally{id: id, inFlight: map[string]flight{}, tools: map[string]*use{}}
}

// tool finds a tool's counts. Those beyond the bound share one place.
func (t *tally) tool(name []byte) *use {
	if u := t.tools[string(name)]; u != nil {
		return u
	}
	if len(t.order) >= maxTools {
		name = []byte(otherTools)
		if u := t.tools[otherTools]; u != nil {
			return u
		}
	}
	u := &use{name: string(name)}
	t.tools[u.name] = u
	t.order = append(t.order, u)
	return u
}

// row is a message as pages get it.
type row struct {
	label  []byte // tool, topic or what else tells it from others of its type
	call   []byte
	code   message.ErrorCode
	took   int64 // microseconds from a call to its result; -1: not known
	note   string
	typ    message.Type
	hideID bool // every UUID, since nobody knows which is the session's
}

// digest reads one message and counts it, with turns. It gives what a row needs.
func (f *feed) digest(s *seen, text []byte) (r row) {
	t := f.tallyOf(s.char)
	t.version = f.version
	r.took = -1
	m := &f.message
	if fault := message.Decode(text, m); fault != nil {
		r.code, r.note, r.hideID = fault.Code, fault.Text, true
		f.counts[0]++
		return r
	}
	r.typ = m.Type
	f.counts[m.Type]++
	switch m.Type {
	case message.SessionInit:
		t.session = m.SessionID
		t.learn(f, s.char, m.Init)
	case message.Heartbeat:
		if m.ManifestUpdate != nil {
			r.label = []byte("manifest_update")
			t.learn(f, s.char, m.ManifestUpdate)
		}
	case message.ToolCall:
		r.label, r.call = m.Tool, m.CallID
		f.called(t, s.at, m)
	case message.ToolResult:
		r.call = m.CallID
		if !m.OK {
			r.code = m.Error.Code
		}
		r.label, r.took = f.answered(t, s.at, m)
	case message.Event:
		t.events++
		r.label = []byte(m.Topic.String())
	case message.ErrorMessage:
		t.faults++
		r.code = m.Error.Code
		if !s.in {
			r.label, r.call = f.refused(t, m)
		}
	case message.SessionClose:
		r.label = m.Reason
	}
	return r
}

func (f *feed) tallyOf(c *character) *tally {
	t := f.tallies[c.id]
	if t == nil {
		t = newTally(c.id)
		f.tallies[c.id] = t
	}
	return t
}

// learn notes that a manifest went by, for the hub to keep its tools.
func (t *tally) learn(f *feed, c *character, manifest []byte) {
	if list, ok := jsonwire.Lookup(manifest, "tools"); ok && jsonwire.KindOf(list) == jsonwire.Array {
		f.learned = append(f.learned, learned{c, append([]byte(nil), list...)})
	}
}

func (f *feed) called(t *tally, at int64, m *message.Message) {
	t.calls++
	f.all.version = f.version
	for _, u := range [...]*use{t.tool(m.Tool), f.all.tool(m.Tool)} {
		u.calls++
		u.last = at
	}
	u := t.tool(m.Tool)
	if _, again := t.inFlight[string(m.CallID)]; again || len(t.inFlight) >= maxFlights {
		return
	}
	t.inFlight[string(m.CallID)] = flight{u, at, m.MessageID}
	u.inFlight++
	f.all.tool(m.Tool).inFlight++
}

// answered finds the call that a result is of; one that went by before anybody looked, or was answered before, is not found.
func (f *feed) answered(t *tally, at int64, m *message.Message) (tool []byte, took int64) {
	if !m.OK {
		t.faults++
		f.failed++
	}
	call, ok := t.inFlight[string(m.CallID)]
	if !ok {
		return nil, -1
	}
	delete(t.inFlight, string(m.CallID))
	f.all.version = f.version
	name := []byte(call.use.name)
	took = max(at-call.at, 0)
	for _, u := range [...]*use{call.use, f.all.tool(name)} {
		u.inFlight = less(u.inFlight)
		if m.OK {
			u.ok++
		} else {
			u.failed++
			u.lastCode = m.Error.Code
		}
		if !m.OK && m.Error.Code != message.ExecutionFailed && m.Error.Code != message.Timeout {
			continue // a refusal: how soon it came says nothing of the game
		}
		if u.took == nil && f.histograms < maxHistograms {
			f.histograms++
			u.took = &latency.Histogram{}
		}
		if u.took != nil {
			u.took.Record(min(took, math.MaxInt64/1000) * 1000)
		}
	}
	return name, took
}

// refused finds the call that an error message is the answer to: such a call gets no result.
func (f *feed) refused(t *tally, m *message.Message) (tool, call []byte) {
	for id, c := range t.inFlight {
		if !bytes.Contains(m.Error.Message, c.id.Append(nil)) {
			continue
		}
		delete(t.inFlight, id)
		f.all.version = f.version
		for _, u := range [...]*use{c.use, f.all.tool([]byte(c.use.name))} {
			u.inFlight = less(u.inFlight)
			u.failed++
			u.lastCode = m.Error.Code
		}
		return []byte(c.use.name), []byte(id)
	}
	return nil, nil
}

// ended forgets the calls of an agent that is gone or replaced: no result of theirs can come.
func (f *feed) ended(t *tally) {
	if len(t.inFlight) == 0 {
		return
	}
	t.version, f.all.version = f.version, f.version
	for _, c := range t.inFlight {
		for _, u := range [...]*use{c.use, f.all.tool([]byte(c.use.name))} {
			u.inFlight = less(u.inFlight)
		}
	}
	clear(t.inFlight)
}

// less is one less, and never below none: those beyond maxTools share a count.
func less(n uint64) uint64 { return max(n, 1) - 1 }

// drop forgets a character that is gone. Its part of what all have counted stays.
func (f *feed) drop(t *tally) {
	f.ended(t)
	f.all.version = f.version
	for _, u := range t.order {
		if u.took != nil {
			f.histograms--
		}
	}
	delete(f.tallies, t.id)
}

// appendRow appends a message as an array, which the page reads by place.
func appendRow(dst []byte, no uint64, s *seen, r *row, text []byte, cutAt int, scratch *[]byte, ids ...message.ID) []byte {
	dst = jsonwire.AppendUint(append(dst, '['), no)
	dst = jsonwire.AppendInt(append(dst, ','), s.at)
	dst = jsonwire.AppendUint(append(dst, ','), uint64(s.char.id))
	if s.in {
		dst = append(dst, `,1,`...)
	} else {
		dst = append(dst, `,0,`...)
	}
	dst = jsonwire.AppendUint(dst, uint64(r.typ))
	dst = jsonwire.AppendUint(append(dst, ','), uint64(r.code))
	dst = jsonwire.AppendUint(append(dst, ','), uint64(s.size))
	dst = jsonwire.AppendUint(append(dst, ','), s.tick)
	dst = jsonwire.AppendInt(append(dst, ','), r.took)
	hidden := func(text []byte) []byte {
		*scratch = appendRedacted((*scratch)[:0], text, r.hideID, ids...)
		return *scratch
	}
	dst, _ = jsonwire.AppendString(append(dst, ','), cut(hidden(r.label), maxName))
	dst, _ = jsonwire.AppendString(append(dst, ','), hidden(r.call))
	dst, _ = jsonwire.AppendString(append(dst, ','), cut(hidden([]byte(r.note)), maxLine))
	dst, _ = jsonwire.AppendString(append(dst, ','), cut(hidden(text), cutAt))
	return append(dst, ']')
}
