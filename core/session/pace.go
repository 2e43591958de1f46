package session

import "bytes"

// pace is when an event with a least interval may be sent next to one agent, and the content that waits for it. Where the event's layout has a
// key, there is one for each value of that.
type pace struct {
	event   *Event
	hash    uint32
	nextAt  int64
	waits   bool
	key     []byte
	content content
}

// maxPaces is how many a session keeps. What would need one more is dropped until one is past its time.
const maxPaces = 1024

// paced tells whether an event with a least interval may be sent now. If not, the latest waits; of events that each count, it is dropped.
func (s *Session) paced(e *Event, c *content) bool {
	w := s.w
	p := s.pace(e, c)
	switch {
	case p == nil:
		w.Stats.EventsDropped++
		return false
	case w.now >= p.nextAt:
		p.nextAt, p.waits = w.now+e.MinIntervalNS, false
		return true
	}
	if !e.Latest || p.waits {
		w.Stats.EventsDropped++
	}
	if e.Latest {
		p.content = content{form: c.form, data: append(p.content.data[:0], c.data...), tick: c.tick}
		p.waits = true
		w.real.sooner(s, p.nextAt)
	}
	return false
}

// pace gives the one for this event and key: a new one, or one whose time is past, may be sent with at once.
func (s *Session) pace(e *Event, c *content) *pace {
	key, hash := e.key(c)
	var past *pace
	for i := range s.paces {
		p := &s.paces[i]
		if p.event == e && p.hash == hash && bytes.Equal(p.key, key) {
			return p
		}
		if !p.waits && p.nextAt <= s.w.now {
			past = p
		}
	}
	switch {
	case past != nil && len(s.paces) == cap(s.paces):
	case len(s.paces) < maxPaces:
		s.paces = append(s.paces, pace{})
		past = &s.paces[len(s.paces)-1]
	case past == nil:
		return nil
	}
	past.event, past.hash, past.key, past.nextAt = e, hash, append(past.key[:0], key...), s.w.now
	return past
}

func (s *Session) onPaces() {
	for i := range s.paces {
		if p := &s.paces[i]; p.waits && p.nextAt <= s.w.now {
			p.nextAt, p.waits = s.w.now+p.event.MinIntervalNS, false
			s.putEvent(p.event, &p.content)
		}
	}
}
