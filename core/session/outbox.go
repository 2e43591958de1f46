package session

import (
	"bytes"

	"aicc.dev/libaicc/core/layout"
	"aicc.dev/libaicc/core/message"
)

// class says what is dropped first when an outbox is full.
type class uint8

const (
	classLatest class = iota
	classEach
	classAgentMessage
	classMust // never dropped: when it does not fit, the session is detached
)

type mailKind uint8

const (
	mailDead      mailKind = iota
	mailText               // a whole message
	mailKept               // a kept result
	mailInit               // a session_init with the manifest as of its sending
	mailUpdate             // a heartbeat with a manifest_update
	mailHeartbeat          // one without
	mailEvent              // an event's content
)

// mail is one message that waits to be sent.
type mail struct {
	kind     mailKind
	class    class
	from, to int    // in buf
	seq      uint64 // of a kept result
	event    *Event
	form     *Event // of the event's content
	key      uint32 // hash of its key
	tick     uint64
	cost     int
}

// What a message costs beyond its text, at most: envelope, topic, meta.
const (
	eventCost   = 256
	sessionCost = 512
)

// resultIDAt is where a tool_result's message id stands: each time that one is sent it gets a new one.
var resultIDAt = len(message.AppendPrefix(nil, message.ToolResult, message.ID{}))

// outbox is what waits to be sent to one agent, in order. Sessions have one only while something waits.
type outbox struct {
	list  []mail
	from  int
	buf   []byte
	dead  int            // bytes of buf that nothing refers to
	bytes int            // the sum of costs
	drops [classMust]int // how many of list may be dropped, by class
}

const (
	keepBoxBytes  = 64 << 10
	keepBoxesSize = 16 << 20
)

func (s *Session) outbox() *outbox {
	if s.box == nil {
		w := s.w
		if n := len(w.boxes); n > 0 {
			s.box = w.boxes[n-1]
			w.boxes = w.boxes[:n-1]
			w.boxBytes -= cap(s.box.buf)
		} else {
			s.box = &outbox{list: make([]mail, 0, 4), buf: make([]byte, 0, 256)} // for what may come at once: a new place seldom grows later
		}
	}
	return s.box
}

// dropBox forgets all that waits; its memory serves the next.
func (s *Session) dropBox() {
	b := s.box
	if b == nil {
		return
	}
	for i := range b.list[b.from:] {
		if m := &b.list[b.from+i]; m.kind == mailKept {
			if k := s.past.at(m.seq); k != nil {
				k.waits = false
			}
		}
	}
	s.freeBox()
}

func (s *Session) freeBox() {
	b, w := s.box, s.w
	s.box = nil
	if cap(b.buf) > keepBoxBytes || w.boxBytes+cap(b.buf) > keepBoxesSize {
		return
	}
	clear(b.list)
	*b = outbox{list: b.list[:0], buf: b.buf[:0]}
	w.boxes = append(w.boxes, b)
	w.boxBytes += cap(b.buf)
}

// put queues m, for which there is room.
func (s *Session) put(m mail) {
	b := s.outbox()
	if m.class < classMust {
		b.drops[m.class]++
	}
	b.bytes += m.cost
	b.list = append(b.list, m)
	s.w.post(s)
}

// room makes room for cost bytes of a class: what counts less goes first, the oldest first. It says whether there is room now; one
// message that is never dropped has it always.
func (s *Session) room(c class, cost int) bool {
	limit := s.w.OutboxBytes
	b := s.box
	if b == nil {
		return cost <= limit || c == classMust
	}
	for low := classLatest; low <= min(c, classAgentMessage) && b.bytes+cost > limit; low++ {
		for i := b.from; b.drops[low] > 0 && b.bytes+cost > limit; i++ {
			if m := &b.list[i]; m.kind != mailDead && m.class == low {
				b.kill(m)
				s.eventDropped()
			}
		}
	}
	for b.from < len(b.list) && b.list[b.from].kind == mailDead { // the oldest go first: the next search must not meet them again
		b.from++
	}
	b.tidy()
	return b.bytes+cost <= limit || c == classMust && b.bytes == 0
}

// eventDropped counts an event that does not fit and says so, once a connection.
func (s *Session) eventDropped() {
	s.w.Stats.EventsDropped++
	if !s.dropped {
		s.dropped = true
		s.w.host.Log(Warn, s.number, 0, "events are dropped, the oldest first: more wait than outbox_bytes allows, as the agent takes its messages too slowly or one event is too large; aicc_stats counts them")
	}
}

// kill takes a message out that waits.
func (b *outbox) kill(m *mail) {
	b.bytes -= m.cost
	b.dead += m.to - m.from
	if m.class < classMust {
		b.drops[m.class]--
	}
	m.kind, m.event, m.form = mailDead, nil, nil
}

// tidy gives back the room of what was killed once it is most of the buffer.
func (b *outbox) tidy() {
	if b.dead < 1024 || b.dead < len(b.buf)/2 {
		return
	}
	at, list := 0, b.list[:0]
	for _, m := range b.list[b.from:] {
		if m.kind == mailDead {
			continue
		}
		n := copy(b.buf[at:], b.buf[m.from:m.to])
		m.from, m.to = at, at+n
		at += n
		list = append(list, m)
	}
	clear(b.list[len(list):])
	b.list, b.from, b.buf, b.dead = list, 0, b.buf[:at], 0
}

// putText queues the message that w.out holds.
func (s *Session) putText() {
	if s.state != live {
		return
	}
	w := s.w
	cost := len(w.out)
	if !s.room(classMust, cost) {
		s.overflow()
		return
	}
	b := s.outbox()
	from := len(b.buf)
	b.buf = append(b.buf, w.out...)
	s.put(mail{kind: mailText, class: classMust, from: from, to: len(b.buf), cost: cost})
}

// putKept queues a kept result unless it waits already. cost is 0 when it has been sent before: it takes no memory of its own.
func (s *Session) putKept(k *kept, cost int) {
	if s.state != live || k.waits {
		return
	}
	if cost > 0 && !s.room(classMust, cost) {
		s.overflow()
		return
	}
	k.waits = true
	s.put(mail{kind: mailKept, class: classMust, seq: k.seq, cost: cost})
}

// putSession queues a message about the session itself.
func (s *Session) putSession(kind mailKind) {
	if s.state != live {
		return
	}
	if !s.room(classMust, sessionCost) {
		s.overflow()
		return
	}
	s.put(mail{kind: kind, class: classMust, cost: sessionCost})
}

// overflow lets the agent go that does not take what must not be dropped.
func (s *Session) overflow() {
	s.w.host.Log(Warn, s.number, 0, "the agent does not take its messages: more wait than outbox_bytes allows, it is detached and may resume")
	s.leave(true)
}

// putEvent queues an event. One that is the latest takes the place of an older one of the same key, at the end.
func (s *Session) putEvent(e *Event, c *content) {
	w := s.w
	var key []byte
	hash := uint32(0)
	if e.Latest {
		key, hash = e.key(c)
	}
	rank := classEach
	switch {
	case e.Latest:
		rank = classLatest
	case e.Topic == message.TopicAgentMessage:
		rank = classAgentMessage
	}
	b := s.box
	if b != nil && e.Latest && b.drops[classLatest] > 0 {
		for i := len(b.list) - 1; i >= b.from; i-- {
			if m := &b.list[i]; m.event == e && m.key == hash && (hash == 0 || bytes.Equal(b.key(m), key)) {
				b.kill(m)
				break
			}
		}
	}
	cost := len(c.data) + len(w.Name) + eventCost
	if !s.room(rank, cost) {
		s.eventDropped()
		return
	}
	b = s.outbox()
	b.tidy()
	from := len(b.buf)
	b.buf = append(b.buf, c.data...)
	s.put(mail{kind: mailEvent, class: rank, from: from, to: len(b.buf), event: e, form: c.form, key: hash, tick: c.tick, cost: cost})
}

// key is that of the struct that m has.
func (b *outbox) key(m *mail) []byte {
	if m.form == nil {
		return nil
	}
	return m.form.Layout.Key(b.buf[m.from:m.to])
}

// deliver hands over what waits, as far as the host has room, or all of it. It says whether nothing is left.
func (s *Session) deliver(all bool) bool {
	b, w := s.box, s.w
	if b == nil {
		return true
	}
	for b.from < len(b.list) && (all || w.waiting < w.WindowBytes) {
		m := &b.list[b.from]
		b.from++
		if m.kind == mailDead {
			continue
		}
		say := w.render(s, b, m)
		b.kill(m)
		if say {
			w.hand(s, w.out)
		}
	}
	if b.from < len(b.list) {
		b.tidy()
		return false
	}
	s.freeBox()
	return true
}

// render makes the message of m in w.out. False: there is nothing to say any more.
func (w *World) render(s *Session, b *outbox, m *mail) bool {
	switch m.kind {
	case mailText:
		w.out = append(w.out[:0], b.buf[m.from:m.to]...)
	case mailKept:
		k := s.past.at(m.seq)
		k.waits = false
		k.sent = s.count + 1
		w.out = append(w.out[:0], k.text...)
		w.ids.Next().Append(w.out[:resultIDAt])
	case mailInit:
		w.work = w.appendManifest(w.work[:0], s.kit)
		s.print = s.kit.print
		w.out = message.AppendSessionInit(w.out[:0], s.id, w.ids.Next(), w.work)
	case mailUpdate:
		w.work = w.appendManifest(w.work[:0], s.kit)
		if s.print == s.kit.print {
			return false
		}
		s.print = s.kit.print
		w.out2 = message.AppendManifestUpdate(w.out2[:0], w.work)
		w.out = message.AppendHeartbeat(w.out[:0], s.id, w.ids.Next(), w.out2)
	case mailHeartbeat:
		w.out = message.AppendHeartbeat(w.out[:0], s.id, w.ids.Next(), nil)
	case mailEvent:
		if s.prefix == nil {
			s.prefix = bytes.Clone(message.AppendPrefix(w.out[:0], message.Event, s.id))
		}
		w.meta = message.Meta{Tick: m.tick, LatencyMS: -1, Source: w.Name}
		payload := b.buf[m.from:m.to]
		if m.form != nil {
			payload = w.structJSON(m.form, payload)
		}
		w.out = message.AppendEventBehind(w.out[:0], s.prefix, w.ids.Next(), m.event.Topic, payload, &w.meta)
	}
	return true
}

// structJSON makes the payload of an event's struct.
func (w *World) structJSON(e *Event, data []byte) []byte {
	var n layout.Counts
	w.out2 = append(append(w.out2[:0], '{'), e.Kind...)
	w.out2 = append(e.Layout.AppendMembers(w.out2, data, &n), '}')
	w.Stats.ValuesBad += n.Total()
	return w.out2
}

// hand gives one message to the host.
func (w *World) hand(s *Session, text []byte) {
	w.waiting += int64(len(text))
	w.Stats.MessagesOut++
	s.count++
	s.lastSent = w.now
	w.host.Message(s.number, s.epoch, text)
}
