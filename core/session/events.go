package session

import (
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// content is an event's payload as it waits: a JSON object, or a gathered struct, which becomes JSON when it is sent.
type content struct {
	form *Event // whose layout and kind make JSON of a struct; nil: it is JSON
	data []byte
	tick uint64
}

// key is what tells structs of one event apart of which only the newest counts, and a number that is the same where that is.
func (e *Event) key(c *content) (key []byte, hash uint32) {
	if e.Layout == nil || c.form == nil || !e.Layout.HasKey() {
		return nil, 0
	}
	key = e.Layout.Key(c.data)
	hash = 2166136261
	for _, b := range key {
		hash = (hash ^ uint32(b)) * 16777619
	}
	return key, hash
}

// Emit sends an event to one session, or to all when s is nil. A payload that cannot be sent is dropped.
func (w *World) Emit(s *Session, e *Event, payload []byte, tick uint64) {
	if payload = w.payload(s, e, payload); payload != nil {
		w.spread(s, e, content{data: payload, tick: tick})
	}
}

// EmitStruct is Emit with a gathered struct of the event's layout.
func (w *World) EmitStruct(s *Session, e *Event, data []byte, tick uint64) {
	if w.sound(e, data) {
		w.spread(s, e, content{form: e, data: data, tick: tick})
	}
}

func (w *World) sound(e *Event, data []byte) bool {
	if e.Layout != nil && len(data) >= e.Layout.Size() && len(data) <= e.Layout.MaxData() {
		return true
	}
	w.Stats.EventsDropped++
	return false
}

func (w *World) spread(s *Session, e *Event, c content) {
	if s != nil {
		if s.state == live && s.kit.Topics&e.Topic != 0 {
			if e.Topic == message.TopicTick {
				if s.lastTick == nil {
					s.lastTick = &lastTick{}
				}
				s.lastTick.note(w, &c)
			}
			s.emit(e, &c)
		}
		return
	}
	if e.Topic == message.TopicTick {
		w.lastTick.note(w, &c)
	}
	for i := len(w.agents) - 1; i >= 0; i-- { // backwards: one that is detached for it leaves the list
		if s := w.agents[i]; s.kit.Topics&e.Topic != 0 {
			s.emit(e, &c)
		}
	}
}

// Respond sends an event that a call has caused, whatever the agent is subscribed to.
func (w *World) Respond(no uint64, e *Event, payload []byte, tick uint64) {
	c := w.causing(no)
	if c == nil {
		return
	}
	if payload = w.payload(c.session, e, payload); payload != nil && c.session.state == live {
		c.session.putEvent(e, &content{data: payload, tick: tick})
	}
}

// RespondStruct is Respond with a gathered struct of the event's layout.
func (w *World) RespondStruct(no uint64, e *Event, data []byte, tick uint64) {
	if c := w.causing(no); c != nil && w.sound(e, data) && c.session.state == live {
		c.session.putEvent(e, &content{form: e, data: data, tick: tick})
	}
}

// causing is a call that goes on.
func (w *World) causing(no uint64) *call {
	c := w.calls.find(no)
	if c == nil || c.state == callOrphan || c.state == callHeld {
		return nil
	}
	return c
}

func (s *Session) emit(e *Event, c *content) {
	if e.Topic == message.TopicTick && s.w.TickMode != message.TickEvent {
		return // it is the payload of the ticks that are sent here, not an event of its own
	}
	if e.MinIntervalNS > 0 && !s.paced(e, c) {
		return
	}
	s.putEvent(e, c)
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
