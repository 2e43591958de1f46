package bridge

import (
	"fmt"
	"strings"
	"testing"

	"aicc.dev/libaicc/core/latency"
	"github.com/stretchr/testify/require"
)

// bounded registers tool 2, "say", with bounds.
func bounded(t *testing.T, ints map[int]int64, options ...option) *rig {
	g := ready(t, options...)
	require.Nil(t, g.tool(2, toolDef{id: "say", in: anyInput, ints: ints}))
	g.after(1)
	g.forget()
	return g
}

// The input is counted as it came, white space and all; one that is refused for it is refused again.
func TestMaxInputBytes(t *testing.T) {
	g := bounded(t, map[int]int64{ToolIntMaxInputBytes: 9})
	g.call("a", "say", `{"x":1  }`)
	g.want(`call s1 t2 a {"x":1  } tick 0 until 31002`)
	g.answer("a", "")
	g.then(result("a", done, 0))
	refused := result("b", failed("invalid_input", `the input has 10 bytes, and tool "say" takes at most 9: send less`, false), 0)
	g.call("b", "say", `{"x":1   }`)
	g.then(refused)
	g.call("b", "say", `{"x":1   }`)
	g.then(refused)
	require.Equal(t, uint64(1), g.b.Counters().CallsRefused)
	g.call("c", "say", `{"é":1 }`) // bytes, not characters
	g.forget()
	g.call("d", "say", `{"é":1  }`)
	g.then(result("d", failed("invalid_input", `the input has 10 bytes, and tool "say" takes at most 9: send less`, false), 0))
	g.call("e", "go", `{"x":1   }`) // other tools have their own
	g.want(`call s1 t1 e {"x":1   } tick 0 until 31006`)
}

func TestMaxOutputBytes(t *testing.T) {
	const withheld = "the tool's output was not valid and is withheld, a fault of the game: use another tool"
	g := bounded(t, map[int]int64{ToolIntMaxOutputBytes: 8}, with(CreateIntDebug, 1))
	for id, output := range map[string]string{"none": "", "just": ` {"a":1}`} {
		g.call(id, "say", `{}`)
		g.forget()
		g.answer(id, output)
		g.then(result(id, `"ok":true,"output":`+strings.TrimSpace(output+strings.Repeat("{}", 1-min(1, len(output)))), 0))
	}
	g.call("over", "say", `{}`)
	g.forget()
	g.answer("over", ` {"a":1} `)
	g.want(`log 4 s1 t2 tool "say": its output has 9 bytes, and its max_output_bytes is 8`,
		`fault s1 t2 tool "say": its output has 9 bytes, and its max_output_bytes is 8`)
	g.then(result("over", failed("internal_error", withheld, false), 0))
	g.call("no", "say", `{}`) // a failure is no output
	g.forget()
	g.fail("no", 3, "the door is shut")
	g.then(result("no", failed("execution_failed", "the door is shut", false), 0))
}

// A call in flight keeps the bound that it began with, as it does its schema.
func TestMaxOutputBytesOfACallInFlight(t *testing.T) {
	g := bounded(t, map[int]int64{ToolIntMaxOutputBytes: 8})
	g.call("c", "say", `{}`)
	g.step(Record{Kind: RecToolUpdate, Object: 2, Arg: 9, Data: toolDef{id: "say", in: anyInput}.fields()})
	require.Nil(t, g.reply)
	g.after(1)
	g.forget()
	g.answer("c", `{"a":100}`)
	g.want(`log 4 s1 t2 tool "say": its output has 9 bytes, and its max_output_bytes is 8`)
}

// Over all sessions; one that ends, however, makes room.
func TestMaxConcurrent(t *testing.T) {
	g := bounded(t, map[int]int64{ToolIntMaxConcurrent: 2})
	for _, n := range []uint32{2, 3} {
		g.session(n, 0)
		g.attach(n, 0)
	}
	g.after(1)
	g.forget()
	callAs := func(n uint32, id string) {
		g.sayAs(n, g.ids[n], "tool_call", `,"call_id":"`+id+`","tool":"say","input":{}`)
	}
	full := func(n uint32, id string) string {
		return strings.Replace(strings.Replace(result(id, failed("tool_unavailable",
			`tool "say" takes 2 calls at a time from all characters together: call it again after retry_after_ms`, true), 0),
			`"source":"yard"`, `"source":"yard","retry_after_ms":1000`, 1), "s1", fmt.Sprintf("s%d", n), 1)
	}
	callAs(1, "a")
	callAs(2, "b")
	require.Len(t, g.log, 2)
	g.forget()
	callAs(3, "c")
	g.then(full(3, "c"))
	callAs(1, "d")
	g.then(full(1, "d"))

	g.answer("a", "")
	g.then(result("a", done, 2))
	callAs(3, "c") // the same id: it was retryable
	require.Len(t, g.log, 1)
	require.Contains(t, g.log[0], "call s3 t2 c {}")
	callAs(1, "d")
	g.forget()
	g.step(Record{Kind: RecSessionClose, Session: 2})
	g.after(1)
	g.forget()
	callAs(1, "d")
	require.Len(t, g.log, 1)
	require.Contains(t, g.log[0], "call s1 t2 d {}")

	// An update keeps the count; a bound that was lowered holds for those to come.
	g.step(Record{Kind: RecToolUpdate, Object: 2, Arg: 9, Data: toolDef{id: "say", in: anyInput, ints: map[int]int64{ToolIntMaxConcurrent: 1}}.fields()})
	require.Nil(t, g.reply)
	g.answer("d", "")
	g.after(1)
	g.forget()
	callAs(1, "e")
	g.after(1)
	require.Contains(t, g.log[len(g.log)-1], `tool \"say\" takes 1 call at a time`)
	g.answer("c", "")
	callAs(1, "e")
	require.Contains(t, g.log[len(g.log)-1], "call s1 t2 e {}")
}

func TestBoundsThatAreNone(t *testing.T) {
	for name, c := range map[string]struct {
		place       int
		value       int64
		field, text string
	}{
		"input":    {ToolIntMaxInputBytes, 1, "max_input_bytes", "max_input_bytes must be 0, no bound, or at least 2, which an empty object takes"},
		"output":   {ToolIntMaxOutputBytes, 1, "max_output_bytes", "max_output_bytes must be 0, no bound, or at least 2, which an empty object takes"},
		"negative": {ToolIntMaxOutputBytes, -1, "max_output_bytes", "max_output_bytes must be from 0 to 9223372036854775807, it is -1"},
		"calls":    {ToolIntMaxConcurrent, -1, "max_concurrent", "max_concurrent must be from 0 to 9223372036854775807, it is -1"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, &Failure{Status: StatusArg, Field: c.field, Message: c.text},
				newRig(t).tool(1, toolDef{id: "say", in: anyInput, ints: map[int]int64{c.place: c.value}}))
		})
	}
}

// What is published: the tools as they are now, and how long calls took that had a result, from receipt to that.
func TestPublished(t *testing.T) {
	g := ready(t)
	g.step(Record{Kind: RecSetCreate, Object: 5, Data: []byte("more")})
	fields := func(d toolDef, origin string) []byte {
		ints := make([]int64, ToolInts)
		ints[ToolIntClass], ints[ToolIntTimeoutMS] = 1, 50
		for k, v := range d.ints {
			ints[k] = v
		}
		return AppendFields(nil, ints, d.id, "Does "+d.id+".", d.in, d.out, d.capability, origin)
	}
	g.step(Record{Kind: RecToolRegister, Object: 3, Arg: 9, Data: fields(toolDef{id: "wide", in: anyInput, ints: map[int]int64{ToolIntSet: 5,
		ToolIntMaxInputBytes: 10, ToolIntMaxOutputBytes: 20, ToolIntMaxConcurrent: 3}}, `{"name":"x.a"}`)})
	g.step(Record{Kind: RecToolRegister, Object: 4, Arg: 9, Data: fields(toolDef{id: "slow", in: anyInput}, "")})
	g.step(Record{Kind: RecToolRegister, Object: 6, Arg: 9, Data: fields(toolDef{id: "off", in: anyInput}, "")})
	g.step(Record{Kind: RecToolEnable, Object: 6})
	g.after(1)

	for i, took := range []int64{0, 5, 40} { // an answer, a failure, one that is withheld
		id := fmt.Sprint("c", i)
		g.call(id, "go", "{}")
		g.after(took)
		switch i {
		case 0:
			g.answer(id, "")
		case 1:
			g.fail(id, 3, "no")
		case 2:
			g.answer(id, "[]")
		}
	}
	g.call("late", "slow", "{}")
	g.start("late")
	g.after(60)
	g.call("cut", "go", "{}") // ends without a result of the tool's: it says nothing of the tool
	g.step(Record{Kind: RecSessionReset, Session: 1})

	want := &latency.Histogram{}
	for _, ns := range []int64{0, 5 * ms, 40 * ms} {
		want.Record(ns)
	}
	world, tools, ok := g.b.Published(0)
	require.True(t, ok)
	require.Equal(t, "yard", world)
	require.Len(t, tools, 3)
	require.Equal(t, Published{JSON: []byte(goTool), Latency: want.Summary()}, tools[0])
	require.Contains(t, string(tools[1].JSON), `{"id":"slow","class":"sensor"`)
	require.Equal(t, uint64(1), tools[1].Latency.Calls)
	require.InEpsilon(t, 60*ms, tools[1].Latency.P50NS, latency.RelativeError)
	require.Contains(t, string(tools[2].JSON), `{"id":"wide"`)
	require.Equal(t, []any{int64(10), int64(20), int64(3), `{"name":"x.a"}`, latency.Summary{}},
		[]any{tools[2].MaxInputBytes, tools[2].MaxOutputBytes, tools[2].MaxConcurrent, string(tools[2].Origin), tools[2].Latency})

	_, tools, ok = g.b.Published(1) // holds the bridge's own set alone
	require.True(t, ok)
	require.Len(t, tools, 2)
	_, _, ok = g.b.Published(77)
	require.False(t, ok)

	// An update keeps what was measured, and forgets the document.
	g.step(Record{Kind: RecToolUpdate, Object: 1, Arg: 9, Data: toolDef{id: "go", in: anyInput}.fields()})
	g.step(Record{Kind: RecToolUpdate, Object: 3, Arg: 9, Data: toolDef{id: "wide", in: anyInput}.fields()})
	_, tools, _ = g.b.Published(0)
	require.Equal(t, want.Summary(), tools[0].Latency)
	require.Nil(t, tools[2].Origin)

	// The record that asks for it changes nothing here.
	g.after(2000)
	g.forget()
	g.step(Record{Kind: RecCapabilities, Arg: 9})
	g.then()
}
