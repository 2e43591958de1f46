package bridge

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

// The room that the host has for messages is respected, and sessions take turns.
func TestWindow(t *testing.T) {
	g := newRig(t, with(CreateIntMessageWindow, 400))
	g.session(1, 0)
	g.session(2, 0)
	g.attach(1, 0)
	g.attach(2, 0)
	g.forget()
	g.after(1)
	require.Len(t, g.log, 2, "the second is begun before the window is full")
	g.sayAs(2, g.ids[2], "manifest_request", "")
	g.sayAs(1, g.ids[1], "manifest_request", "")
	g.sayAs(1, g.ids[1], "manifest_request", "")
	g.forget()
	g.then()
	require.Equal(t, 16_000*ms, g.b.Want(), "no clock is wanted for what the host has no room for")
	g.step(Record{Kind: RecDrained, Arg: g.taken})
	require.Equal(t, g.now+1, g.b.Want())
	g.after(1)
	require.Len(t, g.log, 2)
	require.Equal(t, "s2 ", g.log[0][:3])
	require.Equal(t, "s1 ", g.log[1][:3])
	g.step(Record{Kind: RecDrained, Arg: math.MaxUint64})
	g.after(1)
	require.Len(t, g.log, 3)
}

const eventsDropped = "log 3 s1 t0 events are dropped, the oldest first: more wait than outbox_bytes allows, as the agent takes its messages too slowly or one event is too large; aicc_stats counts them"

// A full outbox: the latest go first, then the oldest that each count, messages of agents last, results never.
func TestOutboxFull(t *testing.T) {
	g := listening(t, message.TopicAll, with(CreateIntOutboxBytes, 4096), with(CreateIntMessageWindow, 1))
	g.event(1, message.TopicStateChange, 1, "")
	g.event(2, message.TopicCollision, 2, "")
	g.event(3, message.TopicAgentMessage, 2, "")
	for i := range 6 {
		g.call(fmt.Sprint("c", i), "go", `{}`)
	}
	g.forget()
	for i := range 6 {
		g.emit(3, 1, fmt.Sprintf(`{"m":%d}`, i))
		g.emit(2, 1, fmt.Sprintf(`{"e":%d}`, i))
		g.emit(1, 1, fmt.Sprintf(`{"l":%d}`, i))
	}
	dropped := func() uint64 { return g.b.Counters().EventsDropped }
	for i := range 3 {
		require.Equal(t, uint64(0), dropped())
		g.answer(fmt.Sprint("c", i), "")
	}
	require.Equal(t, uint64(1), dropped())
	g.emit(1, 1, `{"l":9}`)
	require.Equal(t, uint64(2), dropped(), "nothing that waits counts less")
	g.answer("c3", "")
	require.Equal(t, uint64(3), dropped())
	g.answer("c4", "")
	require.Equal(t, uint64(4), dropped())
	g.emit(2, 1, `{"e":9}`)
	require.Equal(t, uint64(5), dropped(), "the older goes")
	g.emit(3, 1, `{"m":9}`)
	require.Equal(t, uint64(6), dropped())
	g.emit(1, 1, `{"l":8}`)
	require.Equal(t, uint64(7), dropped())
	g.want(eventsDropped) // once
	for range 20 {
		g.step(Record{Kind: RecDrained, Arg: math.MaxUint64})
		g.after(1)
	}
	for i := range g.log {
		g.log[i] = strings.TrimPrefix(strings.TrimPrefix(strings.Split(g.log[i], `,"meta"`)[0], `s1 {"event","topic":`), `s1 {"tool_result","call_id":`)
	}
	g.want(`"agent_message","payload":{"m":0}`, `"agent_message","payload":{"m":1}`, `"agent_message","payload":{"m":2}`,
		`"agent_message","payload":{"m":3}`, `"agent_message","payload":{"m":4}`, `"collision","payload":{"e":4}`,
		`"agent_message","payload":{"m":5}`, `"collision","payload":{"e":5}`, `"c0",`+done, `"c1",`+done, `"c2",`+done, `"c3",`+done, `"c4",`+done,
		`"collision","payload":{"e":9}`, `"agent_message","payload":{"m":9}`)
}

// One result has room always, however large: for it all events go.
func TestOutboxLargeResult(t *testing.T) {
	g := listening(t, message.TopicAll, with(CreateIntOutboxBytes, 4096))
	g.event(1, message.TopicStateChange, 2, "")
	g.call("c", "go", `{}`)
	g.emit(1, 1, `{}`)
	g.forget()
	large := `{"x":"` + strings.Repeat("x", 5000) + `"}`
	g.answer("c", large)
	g.then(eventsDropped, result("c", `"ok":true,"output":`+large, 0))
}

// Results are never dropped: an agent that does not take them is let go, and a resume brings them.
func TestOutboxOverflow(t *testing.T) {
	g := ready(t, with(CreateIntOutboxBytes, 4096), with(CreateIntMessageWindow, 1))
	output := `{"x":"` + strings.Repeat("x", 1500) + `"}`
	for i := range 5 {
		g.call(fmt.Sprint("c", i), "go", `{}`)
	}
	g.forget()
	for i := range 2 {
		g.answer(fmt.Sprint("c", i), output)
	}
	g.want()
	g.answer("c2", output)
	g.want("log 3 s1 t0 the agent does not take its messages: more wait than outbox_bytes allows, it is detached and may resume", "let go s1 e1", "agent s1 detached")
	g.answer("c3", "")
	g.attach(1, 0)
	g.say("session_resume", "")
	for range 20 {
		g.step(Record{Kind: RecDrained, Arg: math.MaxUint64})
		g.after(1)
	}
	large := `"ok":true,"output":` + output
	g.want("agent s1 connected", "agent s1 resumed", `s1 {"session_init",`+manifest+`}`, `s1 {"session_init",`+manifest+`}`,
		result("c0", large, 0), result("c1", large, 0), result("c2", large, 0), result("c3", done, 0))
}
