package bridge

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

// 5.4: whatever happens, an accepted call has one outcome, delivered once; over connections that break, at least once and always the same.
func TestOneOutcome(t *testing.T) {
	for seed := range uint64(16) {
		breaks := seed%2 == 1
		rng := rand.New(rand.NewPCG(seed, 3))
		g := newRig(t)
		tools := [4]uint32{1, 2, 3, 4}
		next := uint32(5)
		def := func(i int) toolDef {
			return toolDef{id: fmt.Sprint("tool", i), in: anyInput, capability: []string{"", "", "cap", ""}[i], ints: map[int]int64{ToolIntTimeoutMS: 300 * int64(1+i), ToolIntWhilePaused: int64(i & 1), ToolIntPerMinute: []int64{0, 0, 0, 5}[i]}}
		}
		for i, n := range tools {
			require.Nil(t, g.tool(n, def(i)))
		}
		g.session(1, message.TopicAll)
		g.attach(1, 0)
		g.after(1)
		open := []string{}
		asked, lost := 0, map[string]bool{}
		for range 800 {
			switch rng.IntN(16) {
			case 0:
				g.frame(uint64(asked), uint16(rng.IntN(2)*FramePaused))
			case 1:
				g.step(Record{Kind: RecSessionPause, Session: 1, Arg: uint64(rng.IntN(2))})
			case 2:
				g.step(Record{Kind: RecSessionGrant, Session: 1, Arg: uint64(rng.IntN(2)), Data: []byte("cap")})
			case 3:
				i := rng.IntN(4)
				g.step(Record{Kind: RecToolRemove, Object: tools[i]})
				tools[i], next = next, next+1
				require.Nil(t, g.tool(tools[i], def(i)))
			case 4, 5, 6:
				g.after(int64(rng.IntN(200)))
			case 7:
				if g.full = rng.IntN(4) == 0; breaks {
					g.detach(1)
					g.after(int64(rng.IntN(50)))
					g.attach(1, uint16(rng.IntN(2)))
					g.say("session_resume", "")
				}
			case 8, 9, 10:
				if len(open) > 0 {
					id := open[rng.IntN(len(open))]
					if c := g.byID[id]; c != nil && !c.dead {
						switch rng.IntN(4) {
						case 0:
							c.started = true
						case 1:
							if !c.answered {
								g.fail(id, 3, "no "+id)
							}
						case 2:
							if !c.answered { // the answer is on its way for a while
								g.answering(id)
								g.after(int64(rng.IntN(3)) * 500)
								g.answerRecord(id, fmt.Sprintf(`{"id":"%s"}`, id))
							}
						case 3:
							g.step(Record{Kind: RecExtend, Arg: c.No, Data: AppendFields(nil, []int64{int64(rng.IntN(900))})})
						}
					}
				}
			default:
				id := fmt.Sprint("c", asked)
				asked++
				g.call(id, fmt.Sprint("tool", rng.IntN(5)), `{}`)
				if open = append(open, id); g.byID[id] == nil {
					lost[id] = true // refused, or held by a pause: a refusal that may be retried is not kept over a break
				}
			}
		}
		g.after(1)
		g.step(Record{Kind: RecSessionClose, Session: 1})
		for _, c := range g.calls {
			require.True(t, c.answered)
			g.step(Record{Kind: RecAnswer, Arg: c.No})
		}
		require.Empty(t, g.calls)
		results := map[string][]string{}
		for _, raw := range g.raw {
			var m message.Message
			m.MaxBytes = 4 << 20
			if message.Decode([]byte(raw), &m); m.Type == message.ToolResult {
				results[string(m.CallID)] = append(results[string(m.CallID)], fmt.Sprintf("%s %v %s %s", m.Output, m.Error.Code, m.Error.Message, m.Meta))
			}
		}
		for i := range asked {
			id := fmt.Sprint("c", i)
			if !breaks {
				require.Len(t, results[id], 1, "seed %d call %s", seed, id)
				continue
			}
			if !lost[id] {
				require.NotEmpty(t, results[id], "seed %d call %s", seed, id)
			}
			for _, r := range results[id] {
				require.Equal(t, results[id][0], r)
			}
		}
		counters := g.b.Counters()
		require.Equal(t, uint64(asked), counters.Calls+counters.CallsRefused)
		require.Equal(t, int32(0), counters.CallsInFlight)
	}
}
