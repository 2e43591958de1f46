package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/live/livetest"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

var all = []string{"break_down", "hold", "look", "say", "shout", "wait", "wait-for-event", "walk_to"}

func each(t *testing.T, test func(t *testing.T, y *yard, f *Front, c *client)) {
	for name, make := range clients {
		t.Run(name, func(t *testing.T) {
			y := start(t, transport.Options{})
			f := open(t, y.Address).ready(t)
			test(t, y, f, make(t, f))
		})
	}
}

func TestTools(t *testing.T) {
	each(t, func(t *testing.T, y *yard, f *Front, c *client) {
		list, err := c.ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.Equal(t, all, c.names())
		tools := map[string]*sdk.Tool{}
		for _, one := range list.Tools {
			tools[one.Name] = one
		}
		shown, err := json.Marshal(tools["look"])
		require.NoError(t, err)
		require.JSONEq(t, `{"name":"look","description":"Sees what is around.\nSensor: it only looks, and changes nothing.","_meta":{"dev.aicc/tool":{"class":"sensor"}},
			"annotations":{"readOnlyHint":true,"idempotentHint":true,"destructiveHint":false,"openWorldHint":false},
			"inputSchema":{"type":"object","additionalProperties":false},"outputSchema":{"type":"object"}}`, string(shown))
		shown, err = json.Marshal(tools["walk_to"].Annotations)
		require.NoError(t, err)
		require.JSONEq(t, `{"readOnlyHint":false,"idempotentHint":false,"openWorldHint":false}`, string(shown))
		shown, err = json.Marshal(tools["say"].Annotations)
		require.NoError(t, err)
		require.JSONEq(t, `{"readOnlyHint":false,"idempotentHint":false,"destructiveHint":false,"openWorldHint":false}`, string(shown))

		r := c.call("walk_to", `{"place":"gate"}`)
		require.Equal(t, `{"did":{"place":"gate"}}`, text(r))
		structured, err := json.Marshal(r.StructuredContent)
		require.NoError(t, err)
		require.JSONEq(t, `{"did":{"place":"gate"}}`, string(structured))
		require.Equal(t, map[string]any{"tick": 1.0, "latency_ms": 1.0}, r.Meta[metaResult])
	})
}

// What is wrong with a call comes as a result that a model gets to see.
func TestFaults(t *testing.T) {
	each(t, func(t *testing.T, y *yard, f *Front, c *client) {
		for _, one := range []struct{ tool, input, want string }{
			{"walk_to", `{"place":"moon","speed":0}`, "invalid_input: the arguments do not fit the tool's input schema:\n" +
				"/place: wanted one of \"gate\", \"yard\", \"tower\", \"store\" or \"well\"; got \"moon\"\n/speed: wanted a number of at least 0.5; got 0\n" +
				"Retryable: no.\nWhat to do: nothing was done; correct the arguments as said, by the tool's input schema, and call again."},
			{"walk_to", `[]`, "invalid_input: (root): wanted an object; got array\nRetryable: no.\nWhat to do: nothing was done; correct the arguments as said, by the tool's input schema, and call again."},
			{"shout", `{}`, "tool_unavailable: out of breath\nRetryable: yes, after 0.1 seconds.\nWhat to do: do something else meanwhile, then make the same call again."},
			{"break_down", `{}`, "execution_failed: the door is stronger\nRetryable: no.\nWhat to do: the game has said no: find out what stands in the way and change the plan; the same call is likely to fail again."},
			{"fly", `{}`, "tool_unknown: there is no tool \"fly\". There are: break_down, hold, look, say, shout, wait, walk_to, wait-for-event\n" +
				"Retryable: no.\nWhat to do: use one of these; if you expected another, look at the list of tools again."},
			{"wait-for-event", `{"timeout_seconds":-1}`, "invalid_input: /timeout_seconds: wanted a number of at least 0; got -1\n" +
				"Retryable: no.\nWhat to do: nothing was done; correct the arguments as said, by the tool's input schema, and call again."},
		} {
			r := c.call(one.tool, one.input)
			require.Equal(t, "error: "+one.want, text(r))
			require.Nil(t, r.StructuredContent)
			code, _, _ := strings.Cut(one.want, ":")
			require.Equal(t, code, r.Meta[metaError].(map[string]any)["code"])
		}
		require.Equal(t, true, c.call("shout", `{}`).StructuredContent.(map[string]any)["loud"])
		c.call("break_down", `{}`)
		c.call("break_down", `{ }`)
		require.Contains(t, text(c.call("break_down", `{}`)), "What to do: this same call has now failed 4 times: stop repeating it.")
		require.NotContains(t, text(c.call("walk_to", `{"place":"gate"}`)), "stop repeating")
		require.Equal(t, 7, y.Calls(), "bad input does not reach the game")
	})
}

// A slip of the encoding is taken as it was meant, where the tool is not strict.
func TestKindArguments(t *testing.T) {
	y := start(t, transport.Options{})
	strict := livetest.Tool{Tool: message.Tool{ID: "strict", Class: message.Actuator, Description: "Strict.", StrictInput: true,
		InputSchema: []byte(`{"type":"object","properties":{"n":{"type":"integer"}}}`), OutputSchema: []byte(`{"type":"object"}`)},
		Do: func(_ *livetest.Character, input string) livetest.Answer {
			return livetest.Answer{Output: `{"did":` + input + `}`}
		}}
	y.Change(append(y.tools(), strict))
	f := open(t, y.Address).ready(t)
	c := clients["memory classic"](t, f)
	const note = " | Note: the arguments came as text; send a JSON object."
	for _, one := range []struct{ tool, input, want string }{
		{"say", `"{\"text\":\"hi\"}"`, `{"did":{"text":"hi"}}` + note},
		{"say", "\"```json\\n{\\\"text\\\":\\\"hi\\\"}\\n```\"", `{"did":{"text":"hi"}}` + note},
		{"look", `""`, `{"at":[4,9],"light":3,"sees":["a thief with a sack","a cat"],"map":{"gate":[4,9],"store":[31,2]}}` + note},
		{"say", `{"text":"\ud800"}`, `{"did":{"text":"\ufffd"}}`},
		{"say", `"say hi"`, "error: invalid_input: (root): wanted an object; got a string that is none"},
		{"say", `{"text":"a","text":"b"}`, "error: invalid_input: /text: this member stands in the arguments twice (again at byte 12): give it once\n"},
		{"say", `"{\"text\":\"a\",\"te\\u0078t\":\"b\"}"`, "error: invalid_input: (root): wanted an object; got a string, and in it /text: this member stands in the arguments twice (again at byte 12): give it once\n"},
		{"say", `"{\"text\":}"`, "error: invalid_input: (root): wanted an object; got a string, and in it the arguments are not JSON that the game takes: byte 8"},
		{"say", `7`, "error: invalid_input: (root): wanted an object; got number"},
		{"strict", `{"n":1}`, `{"did":{"n":1}}`},
		{"strict", `{"n":"1"}`, "error: invalid_input: the arguments do not fit the tool's input schema:\n/n: wanted an integer; got \"1\""},
		{"strict", `{"m":1}`, "error: invalid_input: the arguments do not fit the tool's input schema:\n/m: wanted"},
		{"strict", `"{\"n\":1}"`, "error: invalid_input: (root): wanted an object; got string"},
	} {
		got := text(c.call(one.tool, one.input))
		if strings.HasPrefix(one.want, "error") {
			require.Contains(t, got, one.want)
		} else {
			require.Equal(t, one.want, got)
		}
	}
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "look"})
	require.NoError(t, err)
	require.False(t, r.IsError)
}

// A manifest that changes changes the list; clients and models hear of it.
func TestListChanges(t *testing.T) {
	each(t, func(t *testing.T, y *yard, f *Front, c *client) {
		require.Equal(t, all, c.names())
		y.Change(livetest.YardTools()[:2])
		eventually(t, "the client hears of it", func() bool { return c.heard(func() bool { return c.lists > 0 }) })
		require.Equal(t, []string{"look", "wait-for-event", "walk_to"}, c.names())
		require.Contains(t, text(c.call("say", `{"text":"hi"}`)), `error: tool_unknown: there is no tool "say". There are: look, walk_to, wait-for-event`)
		changed := livetest.YardTools()[:1]
		changed[0].Description = "Looks again."
		y.Change(changed)
		eventually(t, "it is described anew", func() bool {
			list, err := c.ListTools(t.Context(), nil)
			require.NoError(t, err)
			return strings.HasPrefix(list.Tools[0].Description, "Looks again.")
		})
		got := text(c.call("wait-for-event", `{"topics":["tools"],"after":0}`))
		require.Contains(t, got, `"payload":{"removed":["break_down","hold","say","shout","wait"]}`)
		require.Contains(t, got, `"payload":{"changed":["look"],"removed":["walk_to"]}`)
	})
}

func TestCancel(t *testing.T) {
	each(t, func(t *testing.T, y *yard, f *Front, c *client) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() {
			_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "hold", Arguments: json.RawMessage(`{"hand":"left"}`)})
			done <- err
		}()
		<-y.holds
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
		eventually(t, "it is not waited for", func() bool { f.mu.Lock(); defer f.mu.Unlock(); return len(f.running) == 0 })
		close(y.held)
		got := text(c.call("wait-for-event", `{"topics":["late_result"],"after":0}`))
		require.Contains(t, got, `"topic":"late_result"`)
		require.Contains(t, got, `"payload":{"tool":"hold","input":{"hand":"left"},"ok":true,"output":{"held":true}}`)
	})
}

// Events that come while a call is open are its progress, and a long one gives signs of life.
func TestProgress(t *testing.T) {
	for name, make := range clients {
		t.Run(name, func(t *testing.T) {
			y := start(t, transport.Options{})
			f := open(t, y.Address, func(o *Options) { o.Times.Alive = 20 * time.Millisecond }).ready(t)
			c := make(t, f)
			p := &sdk.CallToolParams{Name: "hold"}
			p.SetProgressToken("tok")
			done := stay(func() string {
				r, err := c.CallTool(t.Context(), p)
				require.NoError(t, err)
				return text(r)
			})
			<-y.holds
			y.Emit(message.TopicTick, `{"n":1}`)
			y.Emit(message.TopicAudio, `{"creaks":"the gate"}`)
			eventually(t, "progress", func() bool {
				return c.heard(func() bool {
					said := strings.Join(c.progress, "\n")
					return strings.Contains(said, `audio {"creaks":"the gate"}`) && strings.Contains(said, "the game has it since 0 s")
				})
			})
			close(y.held)
			require.Equal(t, `{"held":true}`, <-done)
			require.False(t, c.heard(func() bool { return strings.Contains(fmt.Sprint(c.progress), `{"n":1}`) }), "a tick is nobody's progress")
			require.True(t, c.heard(func() bool {
				return strings.HasPrefix(c.progress[0], "tok 1 ") && strings.HasPrefix(c.progress[1], "tok 2 ")
			}))
		})
	}
}

func stay[T any](do func() T) chan T {
	c := make(chan T, 1)
	go func() { c <- do() }()
	return c
}

func TestWaitForEvent(t *testing.T) {
	each(t, func(t *testing.T, y *yard, f *Front, c *client) {
		type answer struct {
			Events []struct {
				Seq     uint64
				Topic   string
				Tick    uint64
				Payload json.RawMessage
			}
			State      *struct{ Payload json.RawMessage }
			Last, Lost uint64
			More       bool
			Game       string
		}
		ask := func(arguments string) (a answer) {
			r := c.call("wait-for-event", arguments)
			require.False(t, r.IsError, text(r))
			require.NoError(t, json.Unmarshal([]byte(text(r)), &a))
			structured, err := json.Marshal(r.StructuredContent)
			require.NoError(t, err)
			require.JSONEq(t, text(r), string(structured))
			return a
		}
		a := ask(`{"after":0,"timeout_seconds":0,"topics":["audio","connection"]}`)
		require.Equal(t, "connected", a.Game)
		require.Len(t, a.Events, 1)
		require.Equal(t, "connection", a.Events[0].Topic)
		last := a.Last
		a = ask(`{"topics":["audio"],"timeout_seconds":0.01,"after":` + fmt.Sprint(last) + `}`)
		require.Empty(t, a.Events)

		wait := stay(func() answer { return ask(`{"topics":["audio"],"after":` + fmt.Sprint(last) + `}`) })
		y.Emit(message.TopicTick, `{"at":[1,2]}`)
		y.Emit(message.TopicCollision, `{"with":"wall"}`)
		y.Emit(message.TopicAudio, `{"sound":"bell"}`)
		a = <-wait
		require.Len(t, a.Events, 1)
		require.Equal(t, `{"sound":"bell"}`, string(a.Events[0].Payload))
		require.EqualValues(t, 3, a.Events[0].Tick)
		require.Equal(t, `{"at":[1,2]}`, string(a.State.Payload))
		a = ask(`{"after":` + fmt.Sprint(last) + `}`)
		require.Equal(t, []string{"collision", "audio"}, []string{a.Events[0].Topic, a.Events[1].Topic})

		ticked := stay(func() answer { return ask(`{"topics":["tick"]}`) })
		eventually(t, "a tick ends the wait", func() bool {
			y.Emit(message.TopicTick, `{"at":[3,4]}`)
			select {
			case a = <-ticked:
				return true
			default:
				return false
			}
		})
		require.Equal(t, `{"at":[3,4]}`, string(a.State.Payload))
		require.Empty(t, a.Events)
	})
}

// A client with a session need not say what it was told.
func TestWaitRemembers(t *testing.T) {
	for _, name := range []string{"memory modern", "memory classic", "http classic"} {
		y := start(t, transport.Options{})
		f := open(t, y.Address).ready(t)
		c := clients[name](t, f)
		require.Contains(t, text(c.call("wait-for-event", `{}`)), `"topic":"connection"`)
		y.Emit(message.TopicAudio, `{"n":1}`)
		require.Contains(t, text(c.call("wait-for-event", `{"topics":["audio"]}`)), `"payload":{"n":1}`)
		require.Contains(t, text(c.call("wait-for-event", `{"timeout_seconds":0}`)), `{"events":[],"last":`)
		y.Emit(message.TopicAudio, `{"n":2}`)
		got := text(c.call("wait-for-event", `{}`))
		require.Contains(t, got, `"payload":{"n":2}`)
		require.NotContains(t, got, `"payload":{"n":1}`)
	}
}

func TestResources(t *testing.T) {
	each(t, func(t *testing.T, y *yard, f *Front, c *client) {
		list, err := c.ListResources(t.Context(), nil)
		require.NoError(t, err)
		var uris []string
		for _, r := range list.Resources {
			uris = append(uris, r.URI)
		}
		require.Equal(t, []string{"aicc://events", "aicc://latest/agent_message", "aicc://latest/audio", "aicc://latest/collision", "aicc://latest/state_change",
			"aicc://latest/tick", "aicc://world"}, uris)
		require.Equal(t, "null", c.read("aicc://latest/tick"))
		var world struct {
			Game, Character string
			World           struct{ Name, Kind string }
			Tools           []struct{ ID, Class string }
		}
		require.NoError(t, json.Unmarshal([]byte(c.read("aicc://world")), &world))
		require.Equal(t, "connected guard back yard 2d", fmt.Sprint(world.Game, " ", world.Character, " ", world.World.Name, " ", world.World.Kind))
		require.Len(t, world.Tools, len(all)-1)
		_, err = c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "aicc://secrets"})
		require.ErrorContains(t, err, "Resource not found")

		require.NoError(t, c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "aicc://latest/tick"}))
		require.NoError(t, c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "aicc://events"}))
		eventually(t, "the client hears of both", func() bool {
			y.Emit(message.TopicTick, `{"at":[1,2]}`)
			y.Emit(message.TopicAudio, `{"sound":"bell"}`)
			return c.heard(func() bool { return c.updates["aicc://latest/tick"] > 0 && c.updates["aicc://events"] > 0 })
		})
		require.Contains(t, c.read("aicc://latest/tick"), `"payload":{"at":[1,2]}}`)
		require.Contains(t, c.read("aicc://latest/audio"), `"payload":{"sound":"bell"}}`)
		require.Contains(t, c.read("aicc://events"), `"payload":{"sound":"bell"}}`)
		require.False(t, c.heard(func() bool { return c.updates["aicc://latest/audio"] > 0 }), "nobody asked for it")
	})
}

// However fast the game ticks, a client hears of it at the pace that it can take.
func TestTicksDoNotFlood(t *testing.T) {
	y := start(t, transport.Options{})
	f := open(t, y.Address, func(o *Options) { o.Times.Every = 100 * time.Millisecond }).ready(t)
	c := clients["memory classic"](t, f)
	require.NoError(t, c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: "aicc://latest/tick"}))
	began := time.Now()
	for i := range 400 {
		y.Emit(message.TopicTick, fmt.Sprintf(`{"n":%d}`, i))
	}
	eventually(t, "the last has come", func() bool { return strings.Contains(c.read("aicc://latest/tick"), `{"n":399}`) })
	eventually(t, "the client hears of it", func() bool { return c.heard(func() bool { return c.updates["aicc://latest/tick"] > 0 }) })
	most := int(time.Since(began)/(100*time.Millisecond)) + 2
	require.LessOrEqual(t, c.heardCount("aicc://latest/tick"), most)
	s := f.feed.after(0, nil, maxEntries, maxKept)
	for _, e := range s.entries {
		require.NotEqual(t, "tick", e.topic)
	}
}

func (c *client) heardCount(uri string) (n int) {
	c.note(func() { n = c.updates[uri] })
	return n
}
