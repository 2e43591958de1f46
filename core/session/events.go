package session

import (
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// pace is when an event with a least interval may be sent next to one agent, and the payload that waits for it.
type pace struct {
	event   *Event
	nextAt  int64
	payload []byte
	tick    uint64
	waits   bool
}

// Emit sends an event to one session, or to all when s is nil. A payload that cannot be sent is dropped.
func (w *World) Emit(s *Session, e *Event, payload []byte, tick uint64) {
	payload = w.payload(s, e, payload)
	if payload == nil {
		return
	}
	if s != nil {
		if s.state == live && s.kit.Topics&e.Topic != 0 {
			if e.Topic == message.TopicTick {
				if s.lastTick == nil {
					s.lastTick = &lastTick{}
				}
				s.lastTick.note(w, payload)
			}
			s.emit(e, payload, tick)
		}
		return
	}
	if e.Topic == message.TopicTick {
		w.lastTick.note(w, payload)
	}
	for i := len(w.agents) - 1; i >= 0; i-- { // backwards: one that is detached for it leaves the list
		if s := w.agents[i]; s.kit.Topics&e.Topic != 0 {
			s.emit(e, payload, tick)
		}
	}
}

// Respond sends an event that a call has caused, whatever the agent is subscribed to.
func (w *World) Respond(no uint64, e *Event, payload []byte, tick uint64) {
	c := w.calls.find(no)
	if c == nil || c.state == callOrphan || c.state == callHeld {
		return
	}
	if payload = w.payload(c.session, e, payload); payload != nil && c.session.state == live {
		c.session.putEvent(e, payload, tick)
	}
}

func (s *Session) emit(e *Event, payload []byte, tick uint64) {
	if e.Topic == message.TopicTick && s.w.TickMode != message.TickEvent {
		return // it is the payload of the ticks that are sent here, not an event of its own
	}
	if e.MinIntervalNS > 0 && !s.paced(e, payload, tick) {
		return
	}
	s.putEvent(e, payload, tick)
}

// paced tells whether an event with a least interval may be sent now. If not, the latest waits; of events that each count, it is dropped.
func (s *Session) paced(e *Event, payload []byte, tick uint64) bool {
	w := s.w
	var p *pace
	for i := range s.paces {
		if s.paces[i].event == e {
			p = &s.paces[i]
		}
	}
	if p == nil {
		s.paces = append(s.paces, pace{event: e, nextAt: w.now + e.MinIntervalNS})
		return true
	}
	if w.now >= p.nextAt {
		p.nextAt, p.waits = w.now+e.MinIntervalNS, false
		return true
	}
	if !e.Latest || p.waits {
		w.Stats.EventsDropped++
	}
	if e.Latest {
		p.payload, p.tick, p.waits = append(p.payload[:0], payload...), tick, true
		w.real.sooner(s, p.nextAt)
	}
	return false
}

func (s *Session) onPaces() {
	for i := range s.paces {
		if p := &s.paces[i]; p.waits && p.nextAt <= s.w.now {
			p.nextAt, p.waits = s.w.now+p.event.MinIntervalNS, false
			s.putEvent(p.event, p.payload, p.tick)
		}
	}
}

// payload checks what the host gives and puts the event's kind first. nil: it cannot be sent.
func (w *World) payload(s *Session, e *Event, text []byte) []byte {
	value, lone, fault := w.checkObject(text, MaxEventBytes)
	if fault == "" && e.Kind != nil && hasMember(value, "kind") {
		fault = "the event's kind is put in already, leave out the member kind"
	}
	if fault != "" {
		w.Stats.EventsDropped++
		number := uint32(0)
		if s != nil {
			number = s.number
		}
		w.host.Log(Error, number, 0, "an event of the topic "+e.Topic.String()+" was dropped, its payload cannot be sent: "+fault)
		return nil
	}
	value = w.forWire(value, lone)
	if e.Kind == nil {
		return value
	}
	w.out2 = append(append(w.out2[:0], '{'), e.Kind...)
	rest := value[jsonwire.SkipSpace(value, 1):]
	if rest[0] != '}' {
		w.out2 = append(w.out2, ',')
	}
	w.out2 = append(w.out2, rest...)
	return w.out2
}

func hasMember(object []byte, name string) bool {
	it := jsonwire.ObjectMembers(object)
	for {
		key, _, ok := it.Next()
		if !ok {
			return false
		}
		if jsonwire.TextEquals(key, name) {
			return true
		}
	}
}

// KindMember is the text that Event.Kind wants.
func KindMember(kind []byte) []byte {
	text, _ := jsonwire.AppendString([]byte(`"kind":`), kind)
	return text
}
