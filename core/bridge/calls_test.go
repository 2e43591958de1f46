package bridge

import (
	"strings"
	"testing"

	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

const (
	goTool   = `{"id":"go","class":"actuator","description":"Does go.","input_schema":{"type":"object"},"output_schema":{"type":"object"}}`
	manifest = `"tick_rate_hz":20,"tick_mode":"fixed","world":{"name":"yard","kind":"3d"},"capabilities":{"sensors":[],"actuators":[],"generators":[]},"tools":[` +
		goTool + `],"agent_model":{"class":"cloud_medium"},"event_subscriptions":[]`
)

// 5.1 and 5.2: the bridge speaks first, and again when asked: the same session, another message.
func TestHandshake(t *testing.T) {
	g := newRig(t)
	require.Nil(t, g.tool(1, toolDef{id: "go", in: anyInput}))
	g.session(1, 0)
	g.attach(1, 0)
	g.then("agent s1 connected", `s1 {"session_init",`+manifest+`}`)
	id := g.ids[1]
	g.say("manifest_request", "")
	g.then(`s1 {"session_init",` + manifest + `}`)
	require.Equal(t, id, g.ids[1])
}

// The bytes themselves, for one seed.
func TestBytes(t *testing.T) {
	g := ready(t)
	g.call("c1", "go", `{"x":1}`)
	g.answer("c1", `{ "y" : [1,
	2] }`)
	g.after(1)
	require.Equal(t, []string{
		`{"protocol":"aicc/0.1","type":"session_init","session_id":"12591e4e-d52f-4749-a996-fe0dd33687cb","message_id":"dd2aab18-3b30-4d58-b8a7-cf1ef0705d78",` + manifest + `}`,
		`{"protocol":"aicc/0.1","type":"tool_result","session_id":"12591e4e-d52f-4749-a996-fe0dd33687cb","message_id":"54b1299e-e311-4957-86da-dc403cc15bc2","call_id":"c1","ok":true,"output":{"y":[1,2]},"meta":{"tick":0,"latency_ms":0,"source":"yard"}}`,
	}, g.raw)
}

// 5.4: from receipt to result.
func TestCall(t *testing.T) {
	g := ready(t)
	g.frame(5, 0)
	g.call("c1", "go", `{"x":1}`)
	g.want(`call s1 t1 c1 {"x":1} tick 5 until 31001`)
	g.start("c1")
	g.after(40)
	g.frame(7, 0)
	g.want()
	g.answer("c1", "")
	g.after(2)
	g.want(`s1 {"tool_result","call_id":"c1",` + done + `,"meta":{"tick":7,"latency_ms":40,"source":"yard"}}`)
	require.Empty(t, g.calls)
	require.Equal(t, int32(0), g.b.Counters().CallsInFlight)
	require.Equal(t, uint64(1), g.b.Counters().Calls)
}

func TestAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(g *rig)
		want []string
	}{
		"nothing":            {func(g *rig) { g.answer("c", "") }, []string{result("c", done, 0)}},
		"an object":          {func(g *rig) { g.answer("c", ` {"a":"é"} `) }, []string{result("c", `"ok":true,"output":{"a":"é"}`, 0)}},
		"no":                 {func(g *rig) { g.fail("c", 3, "the door is shut") }, []string{result("c", failed("execution_failed", "the door is shut", false), 0)}},
		"no, try again":      {func(g *rig) { g.fail("c", 3|FailRetryable, "busy") }, []string{result("c", failed("execution_failed", "busy", true), 0)}},
		"not now":            {func(g *rig) { g.fail("c", 1, "") }, []string{result("c", failed("tool_unavailable", "tool_unavailable", false), 0)}},
		"wrong":              {func(g *rig) { g.fail("c", 2, "x") }, []string{result("c", failed("invalid_input", "x", false), 0)}},
		"late":               {func(g *rig) { g.fail("c", 4, "x") }, []string{result("c", failed("timeout", "x", false), 0)}},
		"broken":             {func(g *rig) { g.fail("c", 5, "x") }, []string{result("c", failed("internal_error", "x", false), 0)}},
		"a code of tomorrow": {func(g *rig) { g.fail("c", 77, "x") }, []string{result("c", failed("execution_failed", "x", false), 0)}},
		"bad UTF-8":          {func(g *rig) { g.fail("c", 3, "a\xffb") }, []string{result("c", failed("execution_failed", "a\uFFFDb", false), 0)}},
		"too long":           {func(g *rig) { g.fail("c", 3, strings.Repeat("x", 4095)+"é") }, []string{result("c", failed("execution_failed", strings.Repeat("x", 4095), false), 0)}},
	} {
		t.Run(name, func(t *testing.T) {
			g := ready(t)
			g.call("c", "go", `{}`)
			g.forget()
			c.do(g)
			g.then(c.want...)
		})
	}
}

// Output that is not what it should be is withheld; the host is told where and why.
func TestBadOutput(t *testing.T) {
	const withheld = "the tool's output was not valid and is withheld, a fault of the game: use another tool"
	for name, c := range map[string]struct{ output, log string }{
		"not JSON":   {`{"n":1`, `not JSON that can be sent: byte 6 (/n): ',' or '}' was wanted, the end of the text came`},
		"no object":  {`[1]`, `an object was wanted, array came`},
		"the schema": {`{"n":"x"}`, `/n: wanted an integer; got "x"`},
		"missing":    {``, `/n: wanted a value of "n"`},
	} {
		t.Run(name, func(t *testing.T) {
			g := ready(t, with(CreateIntDebug, 1))
			require.Nil(t, g.tool(2, toolDef{id: "count", in: anyInput, out: `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`}))
			g.after(1)
			g.call("c", "count", `{}`)
			g.forget()
			g.answer("c", c.output)
			require.Len(t, g.log, 2)
			require.Contains(t, g.log[0], `log 4 s1 t2 tool "count": its output is not what its output_schema says: `)
			require.Contains(t, g.log[1], `fault s1 t2 tool "count": its output is not what its output_schema says: `)
			if name != "missing" {
				require.Contains(t, g.log[0], c.log)
			}
			g.forget()
			g.then(result("c", failed("internal_error", withheld, false), 0))
		})
	}
}

// Without debug there is the log only; and a tool that is gone is not named.
func TestBadOutputOfAToolThatIsGone(t *testing.T) {
	g := ready(t)
	g.call("c", "go", `{}`)
	g.answering("c")
	g.step(Record{Kind: RecToolRemove, Object: 1})
	g.forget()
	g.answerRecord("c", "[]")
	g.want(`log 4 s1 t0 tool "go": its output is not what its output_schema says: an object was wanted, array came`)
}

// 5.6: which answer. Each message is one of session 1, which is there.
func TestBadMessages(t *testing.T) {
	const envelope = `"session_id":"$S","message_id":"00000000-0000-4000-8000-000000000001"`
	for name, c := range map[string]struct{ say, want string }{
		"not JSON":           {`{"a":`, `s1 {"error","error":{"code":"invalid_input",`},
		"not an object":      {`[]`, `s1 {"error","error":{"code":"invalid_input",`},
		"no protocol":        {`{"type":"heartbeat",` + envelope + `}`, `s1 {"error","error":{"code":"invalid_input",`},
		"other protocol":     {`{"protocol":"aicc/0.2","type":"heartbeat",` + envelope + `}`, `s1 {"error","error":{"code":"protocol_mismatch",`},
		"no type":            {`{"protocol":"aicc/0.1",` + envelope + `}`, `s1 {"error","error":{"code":"invalid_input",`},
		"unknown type":       {`{"protocol":"aicc/0.1","type":"jump",` + envelope + `}`, `s1 {"error","error":{"code":"invalid_input",`},
		"bridge's type":      {`{"protocol":"aicc/0.1","type":"tool_result",` + envelope + `,"call_id":"c","ok":true,"output":{}}`, `s1 {"error","error":{"code":"invalid_input","message":"tool_result is sent by the bridge only: `},
		"other session":      {`{"protocol":"aicc/0.1","type":"heartbeat","session_id":"00000000-0000-4000-8000-000000000009","message_id":"00000000-0000-4000-8000-000000000001"}`, `s1 {"error","error":{"code":"session_expired",`},
		"call elsewhere":     {`{"protocol":"aicc/0.1","type":"tool_call","session_id":"00000000-0000-4000-8000-000000000009","message_id":"00000000-0000-4000-8000-000000000001","call_id":"c","tool":"go","input":{}}`, `s1 {"error","error":{"code":"session_expired",`},
		"bad call":           {`{"protocol":"aicc/0.1","type":"tool_call",` + envelope + `,"call_id":"c","tool":"go"}`, `s1 {"tool_result","call_id":"c","ok":false,"error":{"code":"invalid_input",`},
		"bad call elsewhere": {`{"protocol":"aicc/0.1","type":"tool_call","session_id":"00000000-0000-4000-8000-000000000009","message_id":"00000000-0000-4000-8000-000000000001","call_id":"c","tool":"go"}`, `s1 {"error","error":{"code":"invalid_input",`},
		"bad call's id":      {`{"protocol":"aicc/0.1","type":"tool_call",` + envelope + `,"call_id":"","tool":"go","input":{}}`, `s1 {"error","error":{"code":"invalid_input",`},
		"long call id":       {`{"protocol":"aicc/0.1","type":"tool_call",` + envelope + `,"call_id":"` + strings.Repeat("x", 257) + `","tool":"go","input":{}}`, `s1 {"error","error":{"code":"invalid_input",`},
		"old call":           {`{"protocol":"aicc/0.2","type":"tool_call",` + envelope + `,"call_id":"c","tool":"go","input":{}}`, `s1 {"tool_result","call_id":"c","ok":false,"error":{"code":"protocol_mismatch",`},
		"unknown tool":       {`{"protocol":"aicc/0.1","type":"tool_call",` + envelope + `,"call_id":"c","tool":"jump","input":{}}`, result("c", failed("tool_unknown", `there is no tool "jump": use an id of the manifest, which manifest_request brings`, false), 0)},
		"an error":           {`{"protocol":"aicc/0.1","type":"error",` + envelope + `,"error":{"code":"timeout","message":"x","retryable":false}}`, ``},
		"a bad error":        {`{"protocol":"aicc/0.1","type":"error",` + envelope + `,"error":{}}`, ``},
		"another's event":    {`{"protocol":"aicc/0.1","type":"event",` + envelope + `,"topic":"tick","payload":{}}`, failure("invalid_input", "an agent sends events of the topic agent_message only, not of tick: call a tool to act")},
		"too long":           {`"` + strings.Repeat("x", 1<<20) + `"`, `s1 {"error","error":{"code":"invalid_input",`},
	} {
		t.Run(name, func(t *testing.T) {
			g := ready(t)
			g.hear(1, strings.ReplaceAll(c.say, "$S", g.ids[1]))
			g.after(1)
			bad := uint64(1)
			switch name {
			case "other session", "call elsewhere", "unknown tool", "an error", "another's event":
				bad = 0
			}
			require.Equal(t, bad, g.b.Counters().MessagesBad)
			require.Equal(t, uint64(1), g.b.Counters().MessagesIn)
			if c.want == "" {
				g.want()
				return
			}
			require.Len(t, g.log, 1)
			require.True(t, strings.HasPrefix(g.log[0], c.want), "%s", g.log[0])
			if strings.Contains(c.say, said(1)) && strings.HasPrefix(c.want, `s1 {"error"`) {
				require.Contains(t, g.log[0], "(message "+said(1)+")", "an error quotes the message")
			}
		})
	}
}

// A bad message that bears the id of a call that is open gets an error: that call has one outcome.
func TestBadMessageOfAnOpenCall(t *testing.T) {
	g := ready(t)
	g.call("c", "go", `{}`)
	g.forget()
	g.say("tool_call", `,"call_id":"c","tool":"go"`)
	g.after(1)
	require.Len(t, g.log, 1)
	require.True(t, strings.HasPrefix(g.log[0], `s1 {"error","error":{"code":"invalid_input",`), g.log[0])
	g.forget()
	g.answer("c", "")
	g.then(result("c", done, 1))
}

// 5.6 and 5a: the faults of an input, sorted.
func TestInvalidInput(t *testing.T) {
	g := ready(t)
	require.Nil(t, g.tool(2, toolDef{id: "walk", in: `{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x","y"]}`, ints: map[int]int64{ToolIntNoRepair: 1}}))
	g.after(1)
	g.forget()
	g.call("c", "walk", `{"y":"north","x":"west"}`)
	g.then(result("c", failed("invalid_input", "/x: wanted a number; got \"west\"\n/y: wanted a number; got \"north\"", false), 0))
}

// 5.16: repairs are made and told.
func TestRepaired(t *testing.T) {
	g := ready(t)
	require.Nil(t, g.tool(2, toolDef{id: "walk", in: `{"type":"object","properties":{"x":{"type":"integer"},"speed":{"type":"number","default":1.5}}}`}))
	g.after(1)
	g.forget()
	g.call("c", "walk", `{"x":"3","z":4}`)
	g.want(`call s1 t2 c {"x":3,"speed":1.5} tick 0 until 31002`)
	g.answer("c", "")
	g.then(`s1 {"tool_result","call_id":"c","ok":true,"output":{},"meta":{"tick":0,"latency_ms":0,"source":"yard","repaired":["/x"]}}`)
}

// Timeouts: before the callback began, after, and while the answer is on its way.
func TestTimeout(t *testing.T) {
	g := ready(t)
	g.call("waits", "go", `{}`)
	g.call("runs", "go", `{}`)
	g.call("ends", "go", `{}`)
	g.start("runs")
	g.answering("ends")
	g.forget()
	g.after(29_999)
	g.want(`s1 {"heartbeat"}`)
	g.after(1)
	g.want("withdrawn waits reason 1", "ended runs reason 1",
		result("waits", failed("timeout", "the game did not begin the call within 30000 ms and will not: call again", true), 30_000),
		result("runs", failed("timeout", "the call was not done within 30000 ms and its outcome is unknown: look before you call again", false), 30_000))
	g.answerRecord("ends", `{"ok":1}`)
	g.then(result("ends", `"ok":true,"output":{"ok":1}`, 30_000))
	require.Empty(t, g.calls)
	require.Equal(t, uint64(2), g.b.Counters().CallsTimedOut)
	require.Equal(t, uint64(2), g.b.Counters().CallsFailed)
}

// Several deadlines that pass at once are kept in their order.
func TestTimeoutsInOrder(t *testing.T) {
	g := ready(t)
	require.Nil(t, g.tool(2, toolDef{id: "quick", in: anyInput, ints: map[int]int64{ToolIntTimeoutMS: 10}}))
	g.call("a", "go", `{}`)
	g.call("b", "quick", `{}`)
	g.forget()
	g.after(60_000)
	require.Equal(t, []string{"withdrawn b reason 1", "withdrawn a reason 1"}, g.log[:2])
}

func TestExtend(t *testing.T) {
	g := ready(t)
	g.call("c", "go", `{}`)
	g.start("c")
	g.after(10_000)
	g.step(Record{Kind: RecExtend, Arg: g.byID["c"].No, Data: AppendFields(nil, []int64{60_000})})
	g.after(59_999)
	g.forget()
	g.then("ended c reason 1", result("c", failed("timeout", "the call was not done within 70000 ms and its outcome is unknown: look before you call again", false), 70_000))
}

// -1: no deadline any more, until another one is set.
func TestExtendForEver(t *testing.T) {
	g := ready(t)
	g.call("c", "go", `{}`)
	g.start("c")
	g.step(Record{Kind: RecExtend, Arg: g.byID["c"].No, Data: AppendFields(nil, []int64{-1})})
	g.forget()
	g.after(86_400_000)
	require.NotContains(t, strings.Join(g.log, "\n"), "ended")
	g.step(Record{Kind: RecExtend, Arg: g.byID["c"].No, Data: AppendFields(nil, []int64{5})})
	g.forget()
	g.after(5)
	require.Contains(t, strings.Join(g.log, "\n"), "ended c reason 1")
}

// 5.7 and 5.18: limits, and what they say.
func TestLimits(t *testing.T) {
	limited := func(t *testing.T, ints map[int]int64) *rig {
		g := ready(t)
		require.Nil(t, g.tool(2, toolDef{id: "hit", in: anyInput, ints: ints}))
		g.after(1)
		g.forget()
		return g
	}
	once := func(g *rig, id string) {
		g.call(id, "hit", `{}`)
		g.answer(id, "")
		g.after(1)
		g.forget()
	}
	t.Run("a minute", func(t *testing.T) {
		g := limited(t, map[int]int64{ToolIntPerMinute: 2})
		once(g, "a")
		g.after(999)
		once(g, "b")
		g.call("c", "hit", `{}`)
		g.then(`s1 {"tool_result","call_id":"c",` + failed("tool_unavailable", `tool "hit" may be called 2 times in 60 seconds: call it again after retry_after_ms`, true) +
			`,"meta":{"tick":0,"latency_ms":0,"source":"yard","retry_after_ms":58999}}`)
		g.after(58_997)
		g.forget()
		g.call("c", "hit", `{}`)
		g.then(`s1 {"tool_result","call_id":"c",` + failed("tool_unavailable", `tool "hit" may be called 2 times in 60 seconds: call it again after retry_after_ms`, true) +
			`,"meta":{"tick":0,"latency_ms":0,"source":"yard","retry_after_ms":1}}`)
		g.call("c", "hit", `{}`)
		g.want(`call s1 t2 c {} tick 0 until 91002`)
	})
	t.Run("a minute and a part of a millisecond", func(t *testing.T) {
		g := limited(t, map[int]int64{ToolIntPerMinute: 1})
		once(g, "a")
		g.now += ms / 2
		g.step(Record{Kind: RecClock, Arg: uint64(g.now)})
		g.call("b", "hit", `{}`)
		g.after(1)
		require.Contains(t, g.log[0], `"retry_after_ms":59999`)
	})
	t.Run("a session", func(t *testing.T) {
		g := limited(t, map[int]int64{ToolIntPerSession: 1})
		once(g, "a")
		g.call("b", "hit", `{}`)
		g.then(result("b", failed("tool_unavailable", `tool "hit" may be called once in this session, and no more: use another tool`, false), 0))
	})
	t.Run("in flight of the tool", func(t *testing.T) {
		g := limited(t, map[int]int64{ToolIntMaxInFlight: 1})
		g.call("a", "hit", `{}`)
		g.forget()
		g.call("b", "hit", `{}`)
		g.then(`s1 {"tool_result","call_id":"b",` + failed("tool_unavailable", `tool "hit" takes 1 call at a time: wait for a result and call again`, true) +
			`,"meta":{"tick":0,"latency_ms":0,"source":"yard","retry_after_ms":1000}}`)
		g.answer("a", "")
		g.forget()
		g.call("b", "hit", `{}`)
		g.after(1)
		require.Equal(t, `call s1 t2 b {} tick 0 until 31003`, g.log[0], "a refusal that may be retried is not remembered")
	})
	t.Run("in flight", func(t *testing.T) {
		g := limited(t, nil)
		for i := range 16 {
			g.call(said(i), []string{"go", "hit"}[i%2], `{}`)
		}
		g.forget()
		g.call("b", "hit", `{}`)
		g.then(`s1 {"tool_result","call_id":"b",` + failed("tool_unavailable", `16 calls may be in flight, and as many are: wait for a result and call again`, true) +
			`,"meta":{"tick":0,"latency_ms":0,"source":"yard","retry_after_ms":1000}}`)
		require.Equal(t, uint64(1), g.b.Counters().CallsRefused)
	})
	t.Run("no room", func(t *testing.T) {
		g := limited(t, map[int]int64{ToolIntPerSession: 1})
		g.full = true
		g.call("b", "hit", `{}`)
		g.then(`s1 {"tool_result","call_id":"b",` + failed("tool_unavailable", `the game has no room for another call: wait for results and call again`, true) +
			`,"meta":{"tick":0,"latency_ms":0,"source":"yard","retry_after_ms":1000}}`)
		g.full = false
		g.call("b", "hit", `{}`)
		g.want(`call s1 t2 b {} tick 0 until 31003`)
	})
}

// 5.9: capabilities held.
func TestCapability(t *testing.T) {
	g := newRig(t)
	require.Nil(t, g.tool(1, toolDef{id: "go", in: anyInput, capability: "legs"}))
	require.Nil(t, g.tool(2, toolDef{id: "fly", in: anyInput, capability: "wings"}))
	require.Nil(t, g.tool(3, toolDef{id: "dig", in: anyInput, capability: "claws", ints: map[int]int64{ToolIntHide: 1}}))
	g.session(1, 0, "voice", "legs")
	g.attach(1, 0)
	g.after(1)
	require.Contains(t, g.log[1], `"capabilities":{"sensors":["voice"],"actuators":["legs","voice"],"generators":["voice"]}`)
	require.Contains(t, g.log[1], `"id":"fly"`)
	require.NotContains(t, g.log[1], `"id":"dig"`)
	g.forget()
	g.call("a", "go", `{}`)
	g.want(`call s1 t1 a {} tick 0 until 31001`)
	g.call("b", "fly", `{}`)
	g.call("c", "dig", `{}`)
	g.then(result("b", failed("tool_unavailable", `tool "fly" needs the capability "wings", which this character does not hold: use another tool`, false), 0),
		result("c", failed("tool_unknown", `there is no tool "dig": use an id of the manifest, which manifest_request brings`, false), 0))
}

// Each of the eight codes came from a running bridge in a test above; this one names them in one place.
func TestEightCodes(t *testing.T) {
	g := ready(t)
	seen := map[string]bool{}
	g.hear(1, `{"protocol":"aicc/9","type":"heartbeat","session_id":"`+g.ids[1]+`","message_id":"`+said(1)+`"}`)
	g.sayAs(1, said(9), "heartbeat", "")
	g.call("unknown", "jump", `{}`)
	g.call("bad", "go", `{}`)
	g.call("bad", "go", `{"other":1}`)
	g.full = true
	g.call("busy", "go", `{}`)
	g.full = false
	g.call("no", "go", `{}`)
	g.call("late", "go", `{}`)
	g.call("wrong", "go", `{}`)
	g.fail("no", 3, "no")
	g.answer("wrong", "[")
	g.after(30_000)
	for _, line := range g.log {
		for c := message.ErrorCode(1); int(c) <= message.ErrorCodeCount; c++ {
			if strings.Contains(line, `"code":"`+c.String()+`"`) {
				seen[c.String()] = true
			}
		}
	}
	require.Len(t, seen, message.ErrorCodeCount, "%v", seen)
}
