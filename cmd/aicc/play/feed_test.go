package play

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/live/livetest"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

// What waits to be shown is bounded by number and by size; events go first, the oldest first, and what went is counted.
func TestFeedIsBounded(t *testing.T) {
	f := &feed{more: make(chan struct{}, 1)}
	f.put(entry{kind: isCall, call: 1})
	for i := range maxWaiting + 9 {
		f.put(entry{kind: isEvent, call: i})
	}
	all, lost := f.take()
	require.Len(t, all, maxWaiting)
	require.Equal(t, 10, lost)
	require.Equal(t, isCall, all[0].kind)
	require.Equal(t, 10, all[1].call)

	big := make([]byte, 1<<20)
	f.put(entry{kind: isResult})
	for range 40 {
		f.put(entry{kind: isEvent, body: big})
	}
	all, lost = f.take()
	require.Len(t, all, 33)
	require.Equal(t, 8, lost)
	f.put(entry{kind: isEvent, body: make([]byte, maxWaitingBytes+1)})
	f.put(entry{kind: isCall})
	all, lost = f.take()
	require.Len(t, all, 1)
	require.Equal(t, 1, lost)
}

// A storm of events, some of them huge, costs neither the screen nor a call that is made in it.
func TestScreenStorm(t *testing.T) {
	g := livetest.Yard(t, transport.Options{}, "guard")
	x := open(t, 80, 24, nil, program(t)+" play "+g.Address+behind)
	x.shows("● connected")
	long := fmt.Sprintf(`{"long":"%0200000d"}`, 7)
	for i := range 3000 {
		if i%500 == 7 {
			g.Emit(message.TopicAudio, long)
		}
		g.Emit(message.TopicAudio, fmt.Sprintf(`{"n":%d}`, i))
		if i == 1500 {
			x.keys("break_down", "key:Enter")
		}
	}
	x.shows(`{"n": 2999}`)
	g.Emit(message.TopicCollision, long)
	x.shows("bytes more")
	x.keys(":filter calls", "key:Enter")
	x.shows("execution_failed: the door is stronger", "> #1 break_down (failed) {}")
	x.keys("key:C-c")
	x.shows("ended with 0")
}
