package script

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/live/livetest"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

type game = livetest.Game

const audio = message.TopicAudio

// played is one run of a script against a yard.
type played struct {
	g   *livetest.Game
	log strings.Builder
	sum Summary
	err error
}

func play(t *testing.T, text string, at map[string]func(*livetest.Game)) *played {
	t.Helper()
	s, err := Parse(text)
	require.NoError(t, err)
	p := &played{g: livetest.Yard(t, transport.Options{}, "guard")}
	target, err := live.Parse(p.g.Address + "/aicc/back%20yard?character=guard")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	wake := make(chan struct{}, 1)
	a, err := live.Connect(ctx, target, agent.Options{First: time.Millisecond, OnManifest: func(*message.Manifest) {
		select {
		case wake <- struct{}{}:
		default:
		}
	}}, nil)
	require.NoError(t, err)
	defer a.Close(ctx, "done")
	write := Text(&p.log)
	p.sum, p.err = s.Run(ctx, Options{Agent: a, Character: "guard", Wake: wake, Log: func(n Note) {
		n.Took = 0
		if n.Result != nil {
			n.Result.Meta.NoTick = true
		}
		if n.Event != nil {
			n.Event.Meta.NoTick = true
		}
		write(n)
		if n.Do == "print" && at[n.Message] != nil {
			at[n.Message](p.g)
		}
	}})
	return p
}

func (p *played) failed(t *testing.T) string {
	t.Helper()
	var failed *Failed
	require.True(t, errors.As(p.err, &failed), "%v", p.err)
	return p.err.Error()
}

func TestRun(t *testing.T) {
	p := play(t, `
# all that there is, once
timeout 10s
call look
  expect it.light == 3
  expect it.light >= 3.0
  expect it.at.0 < 5
  expect look.sees has "a cat"
  expect look.map has store
  expect look.sees.0 has thief
  expect look.sees.length == 2
  expect look.map like {"gate": [4, 9.0]}
  expect it.dark missing
  expect look.map.gate exists
  expect world == "back yard"
  expect character == guard
  expect tools.look.class == sensor
  expect tools.fly missing
call walk_to place=store speed:=2 with.lantern:=true as first
  expect first.did == {"place":"store","speed":2,"with":{"lantern":true}}
let there = $look.map.store
let name = gate
call walk_to {"place": $name, "note": "to ${there.0} and $${x}", "speed": $look.light}
  expect it.did.note == "to 31 and $${x}"
  expect it.did.speed == 3
call say text="I see ${look.sees.0}!"
  expect it.did.text == "I see a thief with a sack!"
call break_down fails execution_failed
  expect it.code == execution_failed
  expect it.retryable == false
call break_down fails
call shout retry within 5s
  expect it.loud
start walk_to place=well as walk
start look
result look
result walk
  expect walk.did.place == well
print bang
event audio sound=glass as noise
  expect noise.loud == 7
event any
  expect it.sound == bell
event any n:=2
  expect it.n == 2
quiet collision for 20ms
say text=hello
print tools
tool fly
capability alarm within 5s
sleep 2 ticks
sleep 1ms
repeat 3
  call look
end
expect round == 3
repeat until round >= 2 within 5s
  call look
end
`, map[string]func(*livetest.Game){
		"bang": func(g *livetest.Game) {
			g.Emit(message.TopicAudio, `{"sound":"bell"}`)
			g.Emit(message.TopicStateChange, `{"n":1}`)
			g.Emit(message.TopicAudio, `{"sound":"glass","loud":7}`)
			g.Emit(message.TopicAudio, `{"n":2}`)
		},
		"tools": func(g *livetest.Game) {
			g.Change(append(livetest.YardTools(), livetest.Tool{Tool: message.Tool{ID: "fly", Class: message.Actuator, Description: "Flies.", InputSchema: []byte(`{}`), OutputSchema: []byte(`{}`)}}), "alarm")
		},
	})
	require.NoError(t, p.err)
	require.Equal(t, []string{`{"text":"hello"}`}, p.g.Said())
	require.Equal(t, 3, p.sum.Events)
	require.Equal(t, p.g.Calls(), p.sum.Calls)
	require.Contains(t, p.log.String(), "  19  call walk_to {\"place\": \"store\", \"speed\": 2, \"with\": {\"lantern\": true}} as first\n      -> first {\"did\": {\"place\": \"store\", \"speed\": 2, \"with\": {\"lantern\": true}}}  (0 us)\n")
}
