package bridge

import (
	"fmt"
	"strings"
	"testing"

	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

// 5.10 and 5.11: topics, kinds, subscriptions.
func TestEvents(t *testing.T) {
	g := listening(t, message.TopicStateChange|message.TopicAudio)
	g.event(1, message.TopicStateChange, 0, "door")
	g.event(2, message.TopicAudio, 0, "")
	g.event(3, message.TopicCollision, 0, "")
	g.session(2, message.TopicAll)
	g.emit(1, 1, `{}`)
	g.emit(1, 0, ` { "open" : true }`)
	g.emit(2, 1, `{"kind":"mine"}`)
	g.emit(3, 1, `{}`)
	g.emit(3, 0, `{}`)
	g.emit(1, 2, `{}`)
	g.emit(9, 1, `{}`)
	g.then(event("state_change", `{"kind":"door"}`), event("state_change", `{"kind":"door","open" : true }`), event("audio", `{"kind":"mine"}`))
	g.tick = 8
	g.emit(2, 1, "{\"a\":\n1}")
	g.then(`s1 {"event","topic":"audio","payload":{"a":1},"meta":{"tick":8,"source":"yard"}}`)
	require.Equal(t, uint64(0), g.b.Counters().EventsDropped)
}

func TestBadEvents(t *testing.T) {
	g := listening(t, message.TopicAll)
	g.event(1, message.TopicStateChange, 0, "door")
	g.emit(1, 1, `{"x":`)
	g.emit(1, 0, `[]`)
	g.emit(1, 1, `{"kind":"x"}`)
	g.emit(1, 1, `{"x":"`+strings.Repeat("x", 64<<10)+`"}`)
	const dropped = "an event of the topic state_change was dropped, its payload cannot be sent: "
	g.then("log 4 s1 t0 "+dropped+"not JSON that can be sent: byte 5 (/x): a value was wanted, the end of the text came",
		"log 4 s0 t0 "+dropped+"an object was wanted, array came",
		"log 4 s1 t0 "+dropped+"the event's kind is put in already, leave out the member kind",
		"log 4 s1 t0 "+dropped+"not JSON that can be sent: byte 65536: the text has 65544 bytes, at most 65536 are accepted")
	require.Equal(t, uint64(4), g.b.Counters().EventsDropped)
}

// Newest wins, at the end; or each one counts.
func TestDelivery(t *testing.T) {
	g := listening(t, message.TopicAll)
	g.event(1, message.TopicStateChange, 1, "")
	g.event(2, message.TopicCollision, 0, "")
	g.emit(1, 1, `{"n":1}`)
	g.emit(2, 1, `{"n":2}`)
	g.emit(1, 1, `{"n":3}`)
	g.emit(2, 1, `{"n":4}`)
	g.then(event("collision", `{"n":2}`), event("state_change", `{"n":3}`), event("collision", `{"n":4}`))
}

// 5.11: direct responses are sent whatever the subscriptions are, before the call's result.
func TestDirectResponse(t *testing.T) {
	g := ready(t)
	g.event(1, message.TopicStateChange, 0, "progress")
	g.call("c", "go", `{}`)
	g.start("c")
	g.forget()
	g.respond(1, "c", `{"at":1}`)
	g.respond(1, "c", `{"at":2}`)
	g.answer("c", "")
	g.respond(1, "c", `{"at":3}`)
	g.then(event("state_change", `{"kind":"progress","at":1}`), event("state_change", `{"kind":"progress","at":2}`), result("c", done, 0))
}

func TestMinInterval(t *testing.T) {
	g := listening(t, message.TopicAll)
	g.paced(1, message.TopicStateChange, 1, 100, "")
	g.paced(2, message.TopicAudio, 2, 100, "")
	for i := range 3 {
		g.emit(1, 1, fmt.Sprintf(`{"n":%d}`, i))
		g.emit(2, 1, fmt.Sprintf(`{"n":%d}`, i))
	}
	g.then(event("state_change", `{"n":0}`), event("audio", `{"n":0}`))
	require.Equal(t, g.now+99*ms, g.b.Want())
	g.after(98)
	g.want()
	g.then(event("state_change", `{"n":2}`))
	g.after(100)
	g.emit(1, 1, `{"n":3}`)
	g.emit(1, 1, `{"n":4}`)
	g.then(event("state_change", `{"n":3}`))
	require.Equal(t, uint64(3), g.b.Counters().EventsDropped)
}

func TestAgentMessage(t *testing.T) {
	g := ready(t)
	g.say("event", `,"topic":"agent_message","payload":{"text":"hello"}`)
	g.then(`agent message s1 {"text":"hello"}`)
}
