package bridge

import (
	"fmt"
	"runtime"
	"testing"

	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

const walkSchema = `{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"run":{"type":"boolean"}},"required":["x","y"]}`

// busy is a rig that notes nothing, with n sessions whose agents are there.
func busy(t testing.TB, n uint32) *rig {
	g := newRig(t, with(CreateIntMessageWindow, 0), with(CreateIntHeartbeatMS, 3_600_000))
	require.Nil(t, g.tool(1, toolDef{id: "walk", in: walkSchema, out: `{"type":"object","properties":{"at":{"type":"number"}}}`}))
	for i := range n {
		g.session(i+1, message.TopicAll&^message.TopicTick)
		g.attach(i+1, 0)
	}
	g.event(1, message.TopicStateChange, 1, "moved")
	g.event(2, message.TopicCollision, 2, "")
	g.after(1)
	g.quiet = true
	return g
}

// caller makes the records of one call after the other, in memory of its own.
type caller struct {
	g       *rig
	text    []byte
	digits  int // where the call's number stands in text
	n       int
	receive Record
	answer  Record
	clock   Record
}

func newCaller(g *rig, session uint32) *caller {
	text := fmt.Sprintf(`{"protocol":"aicc/0.1","type":"tool_call","session_id":"%s","message_id":"%s","call_id":"c%08d","tool":"walk","input":{"x":12.5,"y":-3,"run":true}}`,
		g.ids[session], said(1), 0)
	c := &caller{g: g, text: []byte(text)}
	for c.digits = 0; text[c.digits:c.digits+9] != "c00000000"; c.digits++ {
	}
	c.receive = Record{Kind: RecReceive, Session: session, Arg: 1, Data: c.text}
	c.answer = Record{Kind: RecAnswer, Data: []byte(`{"at":12.5}`)}
	return c
}

func (c *caller) call() {
	c.n++
	for i, n := c.digits+8, c.n; i > c.digits; i, n = i-1, n/10 {
		c.text[i] = byte('0' + n%10)
	}
	c.g.b.Step(&c.receive)
	c.answer.Arg = c.g.last
	c.g.b.Step(&c.answer)
	c.g.now += ms
	c.clock = Record{Kind: RecClock, Arg: uint64(c.g.now)}
	c.g.b.Step(&c.clock)
}

func TestAllocations(t *testing.T) {
	g := busy(t, 2)
	c := newCaller(g, 1)
	for range 10_000 { // until what is kept has been replaced and no table grows any more
		c.call()
	}
	before := g.b.Counters()
	perCall := testing.AllocsPerRun(2000, c.call)
	require.Equal(t, before.Calls+2001, g.b.Counters().Calls)
	require.Equal(t, before.CallsFailed, g.b.Counters().CallsFailed)
	require.Zero(t, perCall, "a call from receipt to the hand-over of its result")

	one := Record{Kind: RecEventJSON, Object: 1, Session: 1, Data: []byte(`{"x":1.5,"y":2.5}`)}
	all := Record{Kind: RecEventJSON, Object: 2, Data: []byte(`{"x":1.5,"y":2.5}`)}
	emit := func() {
		g.b.Step(&one)
		g.b.Step(&one)
		g.b.Step(&all)
		g.now += ms
		c.clock = Record{Kind: RecClock, Arg: uint64(g.now)}
		g.b.Step(&c.clock)
	}
	for range 10 {
		emit()
	}
	out := g.b.Counters().MessagesOut
	require.Zero(t, testing.AllocsPerRun(2000, emit), "three events and their hand-over")
	require.Equal(t, out+2001*3, g.b.Counters().MessagesOut)
}

// One more idle session costs at most 4 KiB, with an agent or without.
func TestMemoryOfIdleSessions(t *testing.T) {
	const n = 10_000
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	g := newRig(t, with(CreateIntMessageWindow, 0))
	require.Nil(t, g.tool(1, toolDef{id: "walk", in: walkSchema}))
	g.quiet = true
	g.epochs = nil
	start := heap()
	for i := range uint32(n) {
		g.session(i+1, message.TopicAll)
	}
	opened := heap()
	for i := range uint32(n) {
		g.step(Record{Kind: RecAttach, Session: i + 1, Arg: 1})
	}
	g.after(1)
	attached := heap()
	t.Logf("bytes a session: open %d, with an agent %d more", (opened-start)/n, (attached-opened)/n)
	require.LessOrEqual(t, (attached-start)/n, uint64(4<<10))
	runtime.KeepAlive(g)
}

// BenchmarkCall shows that a step for one session does not look at the others.
func BenchmarkCall(b *testing.B) {
	for _, n := range []uint32{10, 10_000} {
		b.Run(fmt.Sprint(n, "sessions"), func(b *testing.B) {
			c := newCaller(busy(b, n), 5)
			for b.Loop() {
				c.call()
			}
		})
	}
}

func BenchmarkEvent(b *testing.B) {
	g := busy(b, 1)
	one := Record{Kind: RecEventJSON, Object: 2, Session: 1, Data: []byte(`{"x":1.5,"y":2.5}`)}
	clock := Record{Kind: RecClock}
	for b.Loop() {
		g.b.Step(&one)
		g.now += ms
		clock.Arg = uint64(g.now)
		g.b.Step(&clock)
	}
}
