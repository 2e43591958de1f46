package bridge

import (
	"fmt"
	"math/rand"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever a game emits and answers while nobody reads, what waits for one agent stays within outbox_bytes and one message.
func TestOutboxStaysBounded(t *testing.T) {
	const outbox, manifest = 8192, 1024
	detached := 0
	for seed := range 60 {
		r := rand.New(rand.NewSource(int64(seed)))
		p := newPlayer(t)
		real := func(format string, args ...any) {
			s := parseStep(t, fmt.Appendf(nil, format, args...))
			p.step(&s)
		}
		real(`{"do":"create_bridge","world":"yard","tick_mode":"hybrid","tick_rate_hz":20,"outbox_bytes":%d,"message_window":1}`, outbox)
		real(`{"do":"register_tool","tool":"go","class":"actuator","description":"x","input_schema":{"type":"object"}}`)
		for i, topic := range []string{"tick", "collision", "audio", "state_change", "agent_message"} {
			real(`{"do":"define_event","event":"e%d","topic":"%s","delivery":"%s"}`, i, topic, []string{"each", "latest"}[r.Intn(2)])
		}
		real(`{"do":"open_session","session":"guard","model_class":"cloud_medium"}`)
		real(`{"do":"attach","connection":1}`)
		p.b.Step(&Record{Kind: RecFlush})
		handed := p.handed
		require.Positive(t, handed, "the session_init, with which the window is full")
		for i := range 100 {
			switch r.Intn(8) {
			case 0:
				real(`{"do":"receive","message":{"protocol":"aicc/0.1","type":"tool_call","session_id":"<guard>","message_id":"%s","call_id":"c%d","tool":"go","input":{}}}`, said(i), i)
				if k := p.byID[fmt.Sprintf("guard c%d", i)]; k != nil && r.Intn(4) > 0 {
					real(`{"do":"answer","call":"c%d","output":{"a":"<pad:%d>"}}`, i, r.Intn(300))
				}
			case 1:
				real(`{"do":"wait","at_ms":%d}`, p.now+int64(r.Intn(900)))
			default:
				real(`{"do":"emit","event":"e%d","payload":{"a":"<pad:%d>"}}`, r.Intn(5), r.Intn(2000))
			}
		}
		require.Equal(t, handed, p.handed, "nothing is handed over while the window is full")
		for last := -1; last < p.handed; {
			last = p.handed
			p.b.Step(&Record{Kind: RecDrained, Arg: 1 << 40})
			p.b.Step(&Record{Kind: RecFlush})
		}
		require.LessOrEqual(t, p.handed-handed, outbox+manifest, "seed %d", seed)
		if p.handed == handed {
			detached++
		}
	}
	require.Less(t, detached, 50, "most agents should have got what waited")
}
