package bridge

import (
	"math"
	"testing"

	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

// 5.13: heartbeats when nothing else is sent; an agent that sent one and falls silent is detached.
func TestHeartbeat(t *testing.T) {
	g := ready(t)
	g.after(14_998)
	g.want()
	g.then()
	g.then(`s1 {"heartbeat"}`)
	g.call("c", "go", `{}`)
	g.after(14_000)
	g.answer("c", "")
	g.after(1)
	g.forget()
	g.after(14_999)
	g.want()
	g.then(`s1 {"heartbeat"}`)
}

func TestIdle(t *testing.T) {
	g := ready(t, with(CreateIntHeartbeatMS, 3_600_000))
	g.after(200_000)
	g.want()
	g.say("heartbeat", "")
	g.after(44_999)
	g.want()
	g.then("log 2 s1 t0 the agent has fallen silent and is detached", "let go s1 e1", "agent s1 detached")
}

func TestIdleIsSlowForSlowModels(t *testing.T) {
	g := newRig(t, with(CreateIntHeartbeatMS, 3_600_000))
	ints := []int64{3, 0, 0, 20_000}
	g.step(Record{Kind: RecSessionOpen, Session: 1, Data: AppendFields(nil, ints, "npc")})
	g.attach(1, 0)
	g.after(1)
	require.Contains(t, g.log[1], `"agent_model":{"class":"cloud_medium","expected_full_response_ms":20000}`)
	g.say("heartbeat", "")
	g.forget()
	g.after(59_999)
	g.want()
	g.then("log 2 s1 t0 the agent has fallen silent and is detached", "let go s1 e1", "agent s1 detached")
}

// What a host declares is held to a day, so that no sum of times overflows.
func TestModelOfAgesIsADay(t *testing.T) {
	g := newRig(t)
	g.step(Record{Kind: RecSessionOpen, Session: 1, Data: AppendFields(nil, []int64{3, 1, math.MaxInt64, math.MaxInt64}, "npc")})
	g.attach(1, 0)
	g.after(1)
	require.Contains(t, g.log[1], `"expected_first_token_ms":86400000,"expected_full_response_ms":86400000}`)
	g.say("heartbeat", "")
	g.forget()
	g.after(9_998)
	g.want()
	g.then(event("tick", `{"tick":0,"time":10}`))
}

// 5.14: the three modes, and the model's cadence.
func TestTicks(t *testing.T) {
	mode := func(m message.TickMode, hz float64) []option {
		return []option{with(CreateIntTickMode, int64(m)), with(CreateIntTickRate, int64(math.Float64bits(hz))), with(CreateIntHeartbeatMS, 3_600_000)}
	}
	t.Run("fixed", func(t *testing.T) {
		g := listening(t, message.TopicTick, mode(message.TickFixed, 20)...)
		g.event(1, message.TopicTick, 0, "")
		g.frame(4, 0)
		g.after(998)
		g.want()
		g.then(`s1 {"event","topic":"tick","payload":{"tick":4,"time":1},"meta":{"tick":4,"source":"yard"}}`)
		g.emit(1, 0, `{"all":1}`)
		g.after(1000)
		g.want(`s1 {"event","topic":"tick","payload":{"all":1},"meta":{"tick":4,"source":"yard"}}`)
		g.emit(1, 1, `{"one":1}`)
		g.after(3500)
		g.want(`s1 {"event","topic":"tick","payload":{"one":1},"meta":{"tick":4,"source":"yard"}}`)
		g.after(499)
		g.want()
		g.emit(1, 0, `{"all":2}`)
		g.then(`s1 {"event","topic":"tick","payload":{"all":2},"meta":{"tick":4,"source":"yard"}}`)
		g.call("c", "go", `{}`)
		g.answer("c", "")
		g.forget()
		g.then(`s1 {"tool_result","call_id":"c",` + done + `,"meta":{"tick":4,"latency_ms":0,"source":"yard"}}`)
	})
	t.Run("event", func(t *testing.T) {
		g := listening(t, message.TopicTick, mode(message.TickEvent, 20)...)
		g.event(1, message.TopicTick, 0, "")
		g.after(60_000)
		g.want()
		g.emit(1, 1, `{"n":1}`)
		g.then(event("tick", `{"n":1}`))
		g.call("c", "go", `{}`)
		g.answer("c", "")
		g.forget()
		g.then(result("c", done, 0), event("tick", `{"n":1}`))
	})
	t.Run("hybrid", func(t *testing.T) {
		g := listening(t, message.TopicTick, mode(message.TickHybrid, 0.2)...)
		g.after(5000)
		g.want(event("tick", `{"tick":0,"time":5.001}`))
		g.call("c", "go", `{}`)
		g.answer("c", "")
		g.forget()
		g.then(result("c", done, 0), event("tick", `{"tick":0,"time":5.001}`))
	})
	t.Run("no ticks in a pause", func(t *testing.T) {
		g := listening(t, message.TopicTick, mode(message.TickEvent, 20)...)
		g.call("c", "go", `{}`)
		g.frame(0, FramePaused)
		g.answer("c", "")
		g.forget()
		g.then(result("c", done, 0))
	})
	t.Run("models", func(t *testing.T) {
		for _, c := range []struct {
			class, full int64
			hz          float64
			period      int64
		}{{1, 0, 100, 250}, {2, 0, 100, 500}, {3, 0, 100, 1000}, {4, 0, 100, 2000}, {1, 0, 2, 500}, {4, 700, 100, 700}, {4, 60_000, 100, 10_000}, {4, 60_000, 0.05, 20_000}, {4, 3, 100, 10}} {
			g := newRig(t, mode(message.TickFixed, c.hz)...)
			g.step(Record{Kind: RecSessionOpen, Session: 1, Data: AppendFields(nil, []int64{c.class, 1, 0, c.full}, "npc")})
			g.attach(1, 0)
			g.after(1)
			require.Equal(t, (1000+c.period)*ms, g.b.Want(), "%+v", c)
		}
	})
}
