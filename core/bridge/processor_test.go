//go:build unix

package bridge

import (
	"math"
	"syscall"
	"testing"

	"aicc.dev/libaicc/core/message"
)

// least reports the processor time of one f, the least of many short runs: on a busy machine the others measure its other work.
func least(b *testing.B, rounds, each int, f func()) {
	best := math.Inf(1)
	for b.Loop() {
		from := processorTime()
		for range rounds {
			f()
		}
		best = min(best, (processorTime()-from)/float64(rounds*each))
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(best, "cpu-ns/each")
}

// processorTime is that of this process, in nanoseconds.
func processorTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

// What capi/bench/table puts beside its references: a struct for each of 1,000 sessions, from the step to the hand-over of the message.
func BenchmarkProcessorEvent(b *testing.B) {
	const n = 1000
	g := scouting(b, busy(b, n))
	g.structEvent(3, message.TopicStateChange, 1, 0, "scout", 1)
	var data []byte
	for i := range uint32(n) {
		data = append(data, pack([]uint32{i + 1}, scout(i, float32(i)/8, ""))...)
	}
	own, clock := Record{Kind: RecEventStruct, Object: 3, Data: data}, Record{Kind: RecClock}
	least(b, 5, n, func() {
		g.b.Step(&own)
		g.now += 16 * ms
		clock.Arg = uint64(g.now)
		g.b.Step(&clock)
	})
}

// And a call, from its receipt to the hand-over of its result.
func BenchmarkProcessorCall(b *testing.B) {
	c := newCaller(busy(b, 10), 5)
	least(b, 500, 1, c.call)
}
