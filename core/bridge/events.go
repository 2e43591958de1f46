package bridge

import (
	"encoding/binary"
	"fmt"

	"aicc.dev/libaicc/core/layout"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/session"
)

const deliverLatest = 1

func (b *Bridge) defineEvent(r *Record) {
	f, ok := ParseFields(r.Data)
	topic := message.Topic(f.Int(EventIntTopic))
	if !ok || r.Object == 0 || b.events[r.Object] != nil || topic.String() == "" {
		return
	}
	e := &session.Event{Number: r.Object, Topic: topic, Latest: f.Int(EventIntDelivery) == deliverLatest, MinIntervalNS: ms * min(max(f.Int(EventIntMinIntervalMS), 0), maxMS)}
	if f.Int(EventIntDelivery) == 0 {
		e.Latest = topic == message.TopicTick
	}
	if number := f.Int(EventIntLayout); number != 0 {
		if e.Layout = b.layouts(uint32(number)); e.Layout == nil {
			b.host.Log(Error, 0, 0, fmt.Sprintf("event %d is not known: there is no layout %d", r.Object, number))
			return
		}
	}
	if kind := f.Str(0); len(kind) > 0 {
		e.Kind = session.KindMember(kind)
	}
	b.events[r.Object] = e
}

func (b *Bridge) emit(r *Record) {
	e := b.events[r.Object]
	if e == nil {
		return
	}
	if r.Session == 0 {
		b.world.Emit(nil, e, r.Data, r.Tick)
	} else if s := b.sessions[r.Session]; s != nil {
		b.world.Emit(s, e, r.Data, r.Tick)
	}
}

// emitStructs takes a record of structs apart. What is cut off is not there.
func (b *Bridge) emitStructs(r *Record) {
	e := b.events[r.Object]
	if e == nil {
		return
	}
	rest := r.Data
	if r.Flags&EventOne == 0 {
		for len(rest) >= 8 {
			number := binary.LittleEndian.Uint32(rest)
			var data []byte
			if data, rest = cutStruct(rest[4:]); data != nil {
				b.emitStruct(number, e, data, r.Tick)
			}
		}
		return
	}
	data, rest := cutStruct(rest)
	for ; data != nil && len(rest) >= 4; rest = rest[4:] {
		b.emitStruct(binary.LittleEndian.Uint32(rest), e, data, r.Tick)
	}
}

func (b *Bridge) emitStruct(number uint32, e *session.Event, data []byte, tick uint64) {
	if number == 0 {
		b.world.EmitStruct(nil, e, data, tick)
	} else if s := b.sessions[number]; s != nil {
		b.world.EmitStruct(s, e, data, tick)
	}
}

// cutStruct takes u32 length and that many bytes off; nil: they are not there.
func cutStruct(from []byte) (data, rest []byte) {
	if len(from) < 4 {
		return nil, nil
	}
	n := uint64(binary.LittleEndian.Uint32(from))
	if from = from[4:]; n > uint64(len(from)) {
		return nil, nil
	}
	return from[:n:n], from[n:]
}

// answerStruct makes the output's JSON, which is checked like one that came as text.
func (b *Bridge) answerStruct(r *Record) {
	l := b.layouts(uint32(r.Flags))
	if l == nil || len(r.Data) < l.Size() {
		b.world.Answer(r.Arg, []byte("null"), r.Tick)
		return
	}
	var n layout.Counts
	b.json = l.Append(b.json[:0], r.Data, &n)
	b.world.Stats.ValuesBad += n.Total()
	b.world.Answer(r.Arg, b.json, r.Tick)
}
