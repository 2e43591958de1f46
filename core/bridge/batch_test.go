package bridge

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

// A story is a long sequence of records with the times at which they reach the bridge. It is told by someone who sees nothing of the
// bridge's answers, so that it is the same however the bridge is stepped.
type told struct {
	at int64 // ms
	r  Record
}

func story(seed uint64, length int) []told {
	rng := rand.New(rand.NewPCG(seed, 1))
	at := int64(1000)
	var list []told
	add := func(r Record) { list = append(list, told{at, r}) }
	for n := range uint32(4) {
		add(Record{Kind: RecToolRegister, Object: n + 1, Arg: 9, Data: toolDef{id: fmt.Sprint("tool", n), in: anyInput, capability: []string{"", "", "", "cap"}[n],
			ints: map[int]int64{ToolIntPerMinute: []int64{0, 2, 0, 0}[n], ToolIntWhilePaused: int64(n & 1), ToolIntTimeoutMS: 500 + 1000*int64(n)}}.fields()})
	}
	for i := range uint32(5) {
		add(Record{Kind: RecEventDefine, Object: i + 1, Data: AppendFields(nil, []int64{1 << i, int64(i % 3), 100 * int64(i%2)}, "k")})
	}
	epochs := [5]uint64{}
	for range length {
		if rng.IntN(3) == 0 {
			at += int64(rng.IntN(400))
		}
		s := uint32(1 + rng.IntN(4))
		flags := uint16(0)
		switch rng.IntN(24) {
		case 0:
			add(Record{Kind: RecSessionOpen, Session: s, Data: AppendFields(nil, []int64{int64(1 + rng.IntN(4)), int64(rng.IntN(32)), 0, 0}, "npc")})
		case 1, 2:
			epochs[s]++
			add(Record{Kind: RecAttach, Session: s, Arg: epochs[s], Flags: uint16(rng.IntN(8))})
		case 3:
			if rng.IntN(3) == 0 {
				add(Record{Kind: RecDetach, Session: s, Arg: epochs[s]})
			}
		case 4:
			if rng.IntN(6) == 0 {
				add(Record{Kind: RecSessionClose, Session: s, Data: []byte("x")})
			} else {
				add(Record{Kind: RecSessionPause, Session: s, Arg: uint64(rng.IntN(2))})
			}
		case 5:
			if rng.IntN(4) == 0 {
				flags = FramePaused
			}
			add(Record{Kind: RecFrame, Flags: flags, Tick: uint64(len(list))})
		case 6:
			add(Record{Kind: RecToolEnable, Object: uint32(1 + rng.IntN(4)), Arg: uint64(rng.IntN(2))})
		case 7:
			add(Record{Kind: RecSessionGrant, Session: s, Arg: uint64(rng.IntN(2)), Data: []byte("cap")})
		case 8:
			add(Record{Kind: RecDrained, Arg: uint64(rng.IntN(9000))})
		case 9, 10, 11:
			add(Record{Kind: RecEventJSON, Object: uint32(1 + rng.IntN(5)), Session: uint32(rng.IntN(5)), Data: fmt.Appendf(nil, `{"n":%d}`, len(list))})
		case 12, 13:
			add(Record{Kind: RecAnswer, Arg: uint64(rng.IntN(3))<<32 | uint64(1+rng.IntN(12)), Data: fmt.Appendf(nil, `{"n":%d}`, len(list))})
		case 14:
			add(Record{Kind: RecFail, Arg: uint64(rng.IntN(3))<<32 | uint64(1+rng.IntN(12)), Flags: 3})
		case 15:
			add(Record{Kind: RecEventReply, Object: 2, Arg: uint64(1 + rng.IntN(12)), Data: []byte(`{}`)})
		case 16:
			add(Record{Kind: RecSessionTopics, Session: s, Arg: uint64(rng.IntN(32))})
		default: // what the agent of this session says; its id is put in when it is told
			kind, rest := "tool_call", fmt.Sprintf(`,"call_id":"c%d","tool":"tool%d","input":{"n":%d}`, rng.IntN(60), rng.IntN(5), rng.IntN(2))
			switch rng.IntN(8) {
			case 0:
				kind, rest = "heartbeat", ""
			case 1:
				kind, rest = "manifest_request", ""
			case 2:
				kind, rest = "session_resume", ""
			case 3:
				kind, rest = []string{"session_close", "event", "error"}[rng.IntN(3)], ""
			}
			add(Record{Kind: RecReceive, Session: s, Arg: epochs[s], Data: []byte(`{"protocol":"aicc/0.1","type":"` + kind + `","session_id":"$S","message_id":"` + said(len(list)) + `"` + rest + `}`)})
		}
	}
	return list
}

// tell steps a story. clocks says how many clock records come before and behind each record.
func tell(t *testing.T, list []told, clocks func() (before, behind int)) *rig {
	g := newRig(t, with(CreateIntMessageWindow, 6000), with(CreateIntOutboxBytes, 4096), with(CreateIntTickMode, int64(message.TickHybrid)), with(CreateIntTickRate, int64(math.Float64bits(10))),
		with(CreateIntIdleMS, 3000), with(CreateIntHeartbeatMS, 1000), with(CreateIntResumeMS, 4000))
	now := int64(0)
	for _, step := range list {
		if step.at > now {
			now = step.at
			g.now = now * ms
			g.step(Record{Kind: RecClock, Arg: uint64(g.now)})
		}
		before, behind := clocks()
		for range before {
			g.step(Record{Kind: RecClock, Arg: uint64(g.now)})
		}
		r := step.r
		if r.Kind == RecReceive {
			id := g.ids[r.Session]
			if id == "" {
				id = said(1)
			}
			r.Data = []byte(strings.Replace(string(r.Data), "$S", id, 1))
		}
		if r.Kind == RecAnswer || r.Kind == RecFail {
			for _, c := range g.calls {
				if c.No == r.Arg {
					c.started, c.answered = true, true
				}
			}
		}
		if r.Kind == RecFrame {
			g.tick = r.Tick
		}
		g.step(r)
		for range behind {
			g.step(Record{Kind: RecClock, Arg: uint64(g.now)})
		}
	}
	g.now += 60_000 * ms
	g.step(Record{Kind: RecClock, Arg: uint64(g.now)})
	return g
}

// Where batches of records end does not show: clock records of the same time, before or behind any record, change nothing.
func TestBatchesDoNotShow(t *testing.T) {
	for seed := range uint64(20) {
		list := story(seed, 1500)
		once := tell(t, list, func() (int, int) { return 0, 0 })
		each := tell(t, list, func() (int, int) { return 1, 1 })
		rng := rand.New(rand.NewPCG(seed, 2))
		some := tell(t, list, func() (int, int) { return rng.IntN(2), rng.IntN(3) })
		require.Greater(t, len(once.raw), 200, "the story is about something")
		require.Equal(t, once.log, each.log)
		require.Equal(t, once.raw, each.raw)
		require.Equal(t, once.log, some.log)
		require.Equal(t, once.raw, some.raw)
		require.Equal(t, once.b.Counters(), some.b.Counters())
	}
}

// The stories have in them what they should.
func TestStoriesAreRich(t *testing.T) {
	all := strings.Builder{}
	for seed := range uint64(20) {
		g := tell(t, story(seed, 1500), func() (int, int) { return 0, 0 })
		all.WriteString(strings.Join(g.log, "\n"))
	}
	for _, part := range []string{"connected", "resumed", "detached", "gone", "session closed", "withdrawn", "ended", "manifest_update", `{"session_close"`, `"code":"timeout"`,
		`"code":"session_expired"`, `"code":"tool_unavailable"`, `"code":"tool_unknown"`, `"code":"invalid_input"`, `"retry_after_ms"`, `"topic":"tick"`, `"topic":"agent_message"`,
		"does not take its messages", "fallen silent", `{"heartbeat"}`} {
		require.True(t, strings.Contains(all.String(), part), part)
	}
}
