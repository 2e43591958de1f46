package bridge

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"aicc.dev/libaicc/core/layout"
	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

// scout is a struct of 16 bytes and a text: id, x, and the pair of an aicc_str.
var scoutFields = []layout.Field{
	{Name: "id", Type: layout.U32, Flags: layout.FlagKey},
	{Name: "x", Type: layout.F32, Offset: 4},
	{Name: "note", Type: layout.Text, Offset: 8, Count: 40, Flags: layout.FlagOmitEmpty},
}

func scout(id uint32, x float32, note string) []byte {
	data := binary.LittleEndian.AppendUint32(nil, id)
	data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	at := uint32(0)
	if note != "" {
		at = uint32(8 + layout.TextSize)
	}
	data = binary.LittleEndian.AppendUint32(data, at)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(note)))
	data = append(data, make([]byte, layout.TextSize-8)...)
	return append(data, note...)
}

func pack(numbers []uint32, structs ...[]byte) (data []byte) {
	for i, s := range structs {
		data = binary.LittleEndian.AppendUint32(data, numbers[i])
		data = binary.LittleEndian.AppendUint32(data, uint32(len(s)))
		data = append(data, s...)
	}
	return data
}

func packOne(s []byte, numbers ...uint32) []byte {
	data := binary.LittleEndian.AppendUint32(nil, uint32(len(s)))
	data = append(data, s...)
	for _, n := range numbers {
		data = binary.LittleEndian.AppendUint32(data, n)
	}
	return data
}

// scouting is a rig whose bridge knows scout as layout 1.
func scouting(t testing.TB, g *rig) *rig {
	var set layout.Set
	l, fault := set.Define(layout.EncodeSpec(nil, &layout.Spec{Size: uint32(8 + layout.TextSize), Fields: scoutFields}))
	require.Nil(t, fault)
	require.Equal(t, uint32(1), l.Number())
	g.b.UseLayouts(set.Find)
	return g
}

func (g *rig) structEvent(number uint32, topic message.Topic, delivery, interval int64, kind string, layout int64) {
	ints := make([]int64, EventInts)
	ints[EventIntTopic], ints[EventIntDelivery], ints[EventIntMinIntervalMS], ints[EventIntLayout] = int64(topic), delivery, interval, layout
	g.step(Record{Kind: RecEventDefine, Object: number, Data: AppendFields(nil, ints, kind)})
}

func TestStructEvents(t *testing.T) {
	g := scouting(t, listening(t, message.TopicStateChange|message.TopicAudio))
	g.structEvent(1, message.TopicStateChange, 2, 0, "scout", 1)
	g.structEvent(2, message.TopicCollision, 2, 0, "", 1)
	g.step(Record{Kind: RecEventStruct, Object: 1, Data: pack([]uint32{1, 0, 9, 1}, scout(1, 1.5, ""), scout(2, -0.1, "é"), scout(3, 0, ""), scout(4, float32(math.NaN()), "\xff"))})
	g.step(Record{Kind: RecEventStruct, Object: 1, Flags: EventOne, Data: packOne(scout(5, 3, ""), 1, 9, 1)})
	g.step(Record{Kind: RecEventStruct, Object: 2, Data: pack([]uint32{0}, scout(1, 1, ""))})
	g.step(Record{Kind: RecEventStruct, Object: 7, Data: pack([]uint32{0}, scout(1, 1, ""))})
	five := event("state_change", `{"kind":"scout","id":5,"x":3}`)
	g.then(event("state_change", `{"kind":"scout","id":1,"x":1.5}`), event("state_change", `{"kind":"scout","id":2,"x":-0.1,"note":"é"}`),
		event("state_change", `{"kind":"scout","id":4,"x":null,"note":"�"}`), five, five)
	require.Equal(t, uint64(2), g.b.Counters().ValuesBad)
}

// Newest wins for each value of the key; what was replaced is not counted as dropped.
func TestStructKeys(t *testing.T) {
	g := scouting(t, listening(t, message.TopicAll))
	g.structEvent(1, message.TopicStateChange, 1, 0, "", 1)
	g.structEvent(2, message.TopicAudio, 1, 100, "", 1)
	for i := range 6 {
		g.step(Record{Kind: RecEventStruct, Object: 1, Data: pack([]uint32{1}, scout(uint32(i%2), float32(i), ""))})
	}
	g.then(event("state_change", `{"id":0,"x":4}`), event("state_change", `{"id":1,"x":5}`))
	for i := range 6 {
		g.step(Record{Kind: RecEventStruct, Object: 2, Data: pack([]uint32{1}, scout(uint32(i%2), float32(i), ""))})
	}
	g.then(event("audio", `{"id":0,"x":0}`), event("audio", `{"id":1,"x":1}`))
	g.after(98)
	g.want()
	g.then(event("audio", `{"id":0,"x":4}`), event("audio", `{"id":1,"x":5}`))
	require.Equal(t, uint64(2), g.b.Counters().EventsDropped)
}

// A session keeps the times of 1,024 keys. More are dropped until one is past.
func TestStructKeysAreBounded(t *testing.T) {
	g := scouting(t, listening(t, message.TopicAll))
	g.structEvent(1, message.TopicAudio, 1, 1000, "", 1)
	for i := range uint32(1100) {
		g.step(Record{Kind: RecEventStruct, Object: 1, Data: pack([]uint32{1}, scout(i, 0, ""))})
	}
	g.after(1)
	require.Len(t, g.log, 1024)
	require.Equal(t, uint64(76), g.b.Counters().EventsDropped)
	g.after(1000)
	g.forget()
	g.step(Record{Kind: RecEventStruct, Object: 1, Data: pack([]uint32{1}, scout(5000, 0, ""))})
	g.then(event("audio", `{"id":5000,"x":0}`))
}

// The ticks that are sent take the newest of what was emitted on that topic, struct or JSON.
func TestStructTicks(t *testing.T) {
	g := scouting(t, newRig(t))
	g.session(1, message.TopicTick)
	g.attach(1, 0)
	g.after(1)
	g.structEvent(1, message.TopicTick, 0, 0, "me", 1)
	g.event(2, message.TopicTick, 0, "")
	g.step(Record{Kind: RecEventStruct, Object: 1, Data: pack([]uint32{1, 1}, scout(1, 1, ""), scout(2, 2, ""))})
	g.forget()
	g.after(1000)
	g.want(event("tick", `{"kind":"me","id":2,"x":2}`))
	g.emit(2, 0, `{"n":1}`)
	g.after(1000)
	g.want(event("tick", `{"n":1}`))
}

func TestStructAnswersAndReplies(t *testing.T) {
	g := scouting(t, ready(t))
	g.structEvent(1, message.TopicStateChange, 2, 0, "progress", 1)
	require.Nil(t, g.tool(2, toolDef{id: "see", in: anyInput, out: `{"type":"object","properties":{"x":{"type":"number"}}}`}))
	g.after(2000)
	for _, c := range []struct {
		data   []byte
		layout uint16
		want   string
	}{
		{scout(7, 0.5, "near"), 1, `"ok":true,"output":{"id":7,"x":0.5,"note":"near"}`},
		{scout(7, float32(math.Inf(1)), ""), 1, "internal_error"},
		{scout(7, 0.5, "near")[:8], 1, "internal_error"},
		{scout(7, 0.5, ""), 2, "internal_error"},
	} {
		id := fmt.Sprint("c", len(g.raw))
		g.call(id, "see", `{}`)
		g.start(id)
		g.forget()
		g.step(Record{Kind: RecEventReplyStruct, Object: 1, Arg: g.byID[id].No, Data: scout(1, 2, "half")})
		g.step(Record{Kind: RecEventReplyStruct, Object: 1, Arg: g.byID[id].No, Data: scout(1, 2, "half")[:9]})
		g.answering(id)
		g.step(Record{Kind: RecAnswerStruct, Flags: c.layout, Arg: g.byID[id].No, Data: c.data})
		g.after(1)
		require.Equal(t, event("state_change", `{"kind":"progress","id":1,"x":2,"note":"half"}`), g.log[len(g.log)-2])
		require.Contains(t, g.log[len(g.log)-1], c.want)
	}
}

// Records that are cut off, or name what is not there, do nothing.
func TestDamagedStructs(t *testing.T) {
	g := scouting(t, listening(t, message.TopicAll))
	g.structEvent(1, message.TopicStateChange, 2, 0, "", 1)
	g.structEvent(2, message.TopicStateChange, 2, 0, "", 2)
	g.event(3, message.TopicStateChange, 2, "")
	g.want("log 4 s0 t0 event 2 is not known: there is no layout 2")
	good, one := pack([]uint32{1, 1}, scout(1, 1, "text"), scout(2, 1, "text")), packOne(scout(1, 1, "text"), 1)
	for n := range good {
		g.step(Record{Kind: RecEventStruct, Object: 1, Data: good[:n]})
		g.step(Record{Kind: RecEventStruct, Object: 2, Data: good[:n]})
		g.step(Record{Kind: RecEventStruct, Object: 3, Data: good[:n]})
		g.step(Record{Kind: RecEventStruct, Object: 1, Flags: EventOne, Data: one[:min(n, len(one)-1)]})
	}
	g.step(Record{Kind: RecEventStruct, Object: 1, Data: pack([]uint32{1, 1}, scout(1, 1, "")[:10], append(scout(1, 1, ""), make([]byte, 100)...))})
	g.after(1)
	for _, line := range g.log {
		require.Equal(t, event("state_change", `{"id":1,"x":1,"note":"text"}`), line)
	}
	require.Len(t, g.log, len(good)/2)
}

func FuzzStructs(f *testing.F) {
	f.Add(pack([]uint32{1, 0}, scout(1, 1, "text"), scout(2, 1, "")), uint16(0))
	f.Add(packOne(scout(1, 1, "text"), 1, 0), uint16(EventOne))
	f.Add([]byte{1, 0, 0, 0, 255, 255, 255, 255}, uint16(0))
	f.Fuzz(func(t *testing.T, data []byte, flags uint16) {
		g := scouting(t, listening(t, message.TopicAll))
		g.structEvent(1, message.TopicStateChange, 1, 0, "", 1)
		g.structEvent(2, message.TopicTick, 0, 50, "k", 1)
		g.step(Record{Kind: RecEventStruct, Object: 1, Flags: flags, Data: data})
		g.step(Record{Kind: RecEventStruct, Object: 2, Flags: flags, Data: data})
		g.step(Record{Kind: RecEventReplyStruct, Object: 1, Arg: 1, Data: data})
		g.step(Record{Kind: RecAnswerStruct, Arg: 1, Flags: 1, Data: data})
		g.after(1000) // the rig holds each message to the schema
	})
}

// The core alone: one step with a struct for each session, what comes of it encoded and handed over.
func TestStructAllocations(t *testing.T) {
	for _, n := range []uint32{1, 1000} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			g := scouting(t, busy(t, n))
			g.structEvent(3, message.TopicStateChange, 1, 0, "scout", 1)
			g.structEvent(4, message.TopicAudio, 2, 0, "", 1)
			var numbers []uint32
			var structs [][]byte
			for i := range n {
				numbers, structs = append(numbers, i+1), append(structs, scout(i, float32(i)/8, strings.Repeat("x", int(i%9))))
			}
			own := Record{Kind: RecEventStruct, Object: 3, Data: pack(numbers, structs...)}
			same := Record{Kind: RecEventStruct, Object: 4, Flags: EventOne, Data: packOne(structs[0], numbers...)}
			clock := Record{Kind: RecClock}
			frame := func() {
				g.b.Step(&own)
				g.b.Step(&same)
				g.now += 16 * ms
				clock.Arg = uint64(g.now)
				g.b.Step(&clock)
			}
			for range 20 {
				frame()
			}
			out := g.b.Counters().MessagesOut
			require.Zero(t, testing.AllocsPerRun(50, frame))
			require.Equal(t, out+51*2*uint64(n), g.b.Counters().MessagesOut)
		})
	}
}
