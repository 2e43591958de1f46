package bridge

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

// FuzzStep reads records out of its input: a byte of kind, a byte each of what they name, and text. Whatever they are: no panic, every message
// is one of the protocol (rig checks that), each accepted call has one outcome, what waits is bounded, and Want is in the future.
func FuzzStep(f *testing.F) {
	for seed := range uint64(4) {
		f.Add(scribble(story(seed, 200)))
	}
	f.Add([]byte{})
	f.Add([]byte("\x14\x01\x00\x00\x00garbage"))
	f.Fuzz(zz)
}

func zz(t *testing.T, input []byte) {
	{
		const outbox, window = 8192, 4096
		g := newRig(t, with(CreateIntMessageWindow, window), with(CreateIntOutboxBytes, outbox), with(CreateIntTickMode, int64(message.TickHybrid)),
			with(CreateIntIdleMS, 3000), with(CreateIntHeartbeatMS, 1000), with(CreateIntResumeMS, 4000), with(CreateIntDebug, 1))
		require.Nil(t, g.tool(1, toolDef{id: "go", in: anyInput}))
		require.Nil(t, g.tool(2, toolDef{id: "hit", in: `{"type":"object","properties":{"n":{"type":"integer"}}}`, ints: map[int]int64{ToolIntPerMinute: 3, ToolIntTimeoutMS: 700}}))
		g.session(1, message.TopicAll)
		g.attach(1, 0)
		g.after(1)
		waiting := uint64(0)
		for n := 0; len(input) >= 5 && n < 2000; n++ {
			r, rest := unscribble(input)
			input = rest
			switch r.Kind {
			case RecReceive:
				r.Data = []byte(strings.ReplaceAll(string(r.Data), "$S", g.ids[r.Session]))
			case RecAnswer, RecFail:
				for _, c := range g.calls {
					if c.No == r.Arg && !c.dead {
						c.started, c.answered = true, true
					}
				}
			case RecClock:
				g.now += int64(r.Arg%5000) * ms
				r.Arg = uint64(g.now)
			case RecDrained:
				waiting -= min(waiting, r.Arg)
			}
			before := g.taken
			g.b.Step(&r)
			waiting += g.taken - before
			for _, c := range g.calls { // the game begins some of them
				c.started = c.started || c.No%3 == 0
			}
			if r.Kind == RecClock && !g.b.ended {
				require.Greater(t, g.b.Want(), g.now)
			}
			if r.Kind != RecSessionClose && r.Kind != RecSessionReset && r.Kind != RecClose && r.Kind != RecReceive {
				require.LessOrEqual(t, g.taken-before, uint64(window+64<<10))
			}
		}
		g.step(Record{Kind: RecDrained, Arg: math.MaxUint64})
		outcomes(t, g)
		if !g.b.ended {
			// Everything comes to an end: after the longest deadline nothing is open but what the game has answered.
			g.frame(0, 0)
			for n := range uint32(256) {
				g.step(Record{Kind: RecSessionPause, Session: n})
				g.step(Record{Kind: RecSessionClose, Session: n})
			}
			for _, c := range g.calls {
				require.True(t, c.answered, "a call that nobody will end: %s", c.CallID)
				g.step(Record{Kind: RecAnswer, Arg: c.No})
			}
			require.Empty(t, g.calls)
			require.Equal(t, int32(0), g.b.Counters().CallsInFlight)
			require.Empty(t, g.b.sessions)
		}
	}
}

// outcomes checks that no call id of a session has two outcomes, unless the first may be retried.
func outcomes(t *testing.T, g *rig) {
	seen := map[string]string{}
	for _, raw := range g.raw {
		var m message.Message
		m.MaxBytes = 4 << 20
		require.Nil(t, message.Decode([]byte(raw), &m))
		if m.Type != message.ToolResult {
			continue
		}
		key := m.SessionID.String() + string(m.CallID)
		now := fmt.Sprintf("%v %s %s", m.OK, m.Output, m.Error.Message)
		again := !m.OK && (m.Error.Retryable || strings.Contains(now, "no longer kept") || strings.Contains(now, "(message ")) // not accepted, or accepted long ago
		if before, ok := seen[key]; ok && before != now && !again {
			require.Fail(t, "two outcomes of one call", "%s: %s; %s", m.CallID, before, now)
		}
		if !again {
			seen[key] = now
		}
	}
}

// scribble writes records as FuzzStep reads them.
func scribble(list []told) []byte {
	var out []byte
	at := int64(1000)
	for _, step := range list {
		if step.at > at {
			out = append(out, byte(RecClock), 0, 0, byte(step.at-at), byte((step.at-at)>>8))
			at = step.at
		}
		r := step.r
		out = append(out, byte(r.Kind), byte(r.Session), byte(r.Object)|byte(r.Flags)<<5, byte(r.Arg), byte(r.Arg>>32))
		out = binary.LittleEndian.AppendUint16(out, uint16(len(r.Data)))
		out = append(out, r.Data...)
	}
	return out
}

func unscribble(in []byte) (Record, []byte) {
	r := Record{Kind: Kind(in[0]), Session: uint32(in[1]), Object: uint32(in[2] & 31), Flags: uint16(in[2] >> 5), Arg: uint64(in[3]) | uint64(in[4])<<32}
	in = in[5:]
	switch r.Kind {
	case RecClock:
		r.Arg = r.Arg&255 | r.Arg>>32<<8
		return r, in
	case RecFail:
		r.Flags |= uint16(r.Object&1) << 15
	case RecSessionClose, RecClose, RecDestroy: // rare, or nothing is left to look at
		if r.Arg&7 != 0 {
			r.Kind = RecSessionTopics
		}
	}
	if len(in) < 2 {
		return r, nil
	}
	n := min(int(binary.LittleEndian.Uint16(in)), len(in)-2)
	r.Data = in[2 : 2+n]
	return r, in[2+n:]
}
