package bridge

import (
	"fmt"
	"strings"
	"testing"

	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

func update(body string) string {
	return `s1 {"heartbeat","manifest_update":{"protocol":"aicc/0.1","type":"session_init",` + body + `}}`
}

func described(id string) string { return strings.ReplaceAll(goTool, "go", id) }

func body(tools ...string) string {
	return strings.Replace(manifest, goTool, strings.Join(tools, ","), 1)
}

// 5.13: agents learn of changes by a heartbeat, once a second at most, and only if the bytes are others.
func TestManifestUpdate(t *testing.T) {
	g := ready(t)
	require.Nil(t, g.tool(2, toolDef{id: "hit", in: anyInput}))
	require.Nil(t, g.tool(3, toolDef{id: "run", in: anyInput}))
	g.then(update(body(described("go"), described("hit"), described("run"))))
	g.step(Record{Kind: RecToolRemove, Object: 2})
	g.after(1)
	g.want("tool released t2")
	g.step(Record{Kind: RecToolEnable, Object: 3})
	g.after(1)
	require.Equal(t, 2002*ms, g.b.Want())
	g.after(997)
	g.want()
	g.after(1)
	g.want(update(body(described("go"))))
	g.step(Record{Kind: RecToolEnable, Object: 1})
	g.step(Record{Kind: RecToolEnable, Object: 1, Arg: 1})
	g.after(5000)
	g.want()
	g.step(Record{Kind: RecToolEnable, Object: 3, Arg: 1})
	g.say("manifest_request", "")
	g.then(`s1 {"session_init",` + body(described("go"), described("run")) + `}`)
	g.after(5000)
	g.want()
}

// A change that is taken back before it could be told is not told.
func TestManifestUpdateTakenBack(t *testing.T) {
	g := ready(t, with(CreateIntMessageWindow, 1))
	require.Nil(t, g.tool(2, toolDef{id: "hit", in: anyInput}))
	g.after(1)
	g.step(Record{Kind: RecToolRemove, Object: 2})
	g.step(Record{Kind: RecDrained, Arg: 1 << 30})
	g.then("tool released t2")
}

func TestDisabledTool(t *testing.T) {
	g := ready(t)
	g.call("a", "go", `{}`)
	g.step(Record{Kind: RecToolEnable, Object: 1})
	g.forget()
	g.call("b", "go", `{}`)
	g.answer("a", "")
	g.then(result("b", failed("tool_unavailable", `tool "go" is switched off: use another one until a manifest_update brings it back`, false), 0), result("a", done, 0), update(body()))
}

// An update keeps the handle and the calls in flight, which keep their output schema.
func TestToolUpdate(t *testing.T) {
	g := ready(t)
	g.call("a", "go", `{}`)
	g.forget()
	d := toolDef{id: "walk", in: `{"type":"object","required":["x"]}`, out: `{"type":"object","required":["y"]}`}
	g.step(Record{Kind: RecToolUpdate, Object: 1, Arg: 9, Data: d.fields()})
	require.Nil(t, g.reply)
	g.answer("a", "")
	g.call("b", "go", `{}`)
	g.call("c", "walk", `{}`)
	g.call("d", "walk", `{"x":1}`)
	g.forget()
	g.answer("d", `{"y":2}`)
	g.after(1)
	require.Equal(t, result("a", done, 0), g.log[0])
	require.Contains(t, g.log[1], `"code":"tool_unknown"`)
	require.Contains(t, g.log[2], `"code":"invalid_input"`)
	require.Equal(t, result("d", `"ok":true,"output":{"y":2}`, 0), g.log[3])
	require.Contains(t, g.log[4], `"id":"walk"`)
	g.step(Record{Kind: RecToolUpdate, Object: 1, Arg: 9, Data: d.fields()})
	require.Nil(t, g.reply, "the id may stay")
	require.Nil(t, g.tool(2, toolDef{id: "go"}))
	g.step(Record{Kind: RecToolUpdate, Object: 1, Arg: 9, Data: toolDef{id: "go"}.fields()})
	require.Equal(t, &Failure{Status: StatusName, Field: "id", Message: `there is a tool "go" already: ids are unique`}, g.reply)
	g.step(Record{Kind: RecToolUpdate, Object: 5, Arg: 9, Data: toolDef{id: "go"}.fields()})
	require.Equal(t, &Failure{Status: StatusState, Message: "the tool is gone: register it anew"}, g.reply)
}

// 5.9 at run time: what is granted may be called, what is taken ends.
func TestGrant(t *testing.T) {
	g := newRig(t)
	require.Nil(t, g.tool(1, toolDef{id: "go", in: anyInput, capability: "legs"}))
	g.session(1, 0)
	g.attach(1, 0)
	g.after(1)
	legs := strings.Replace(goTool, `"output_schema":{"type":"object"}`, `"output_schema":{"type":"object"},"requires_capability":"legs"`, 1)
	with := strings.Replace(body(legs), `"actuators":[]`, `"actuators":["legs"]`, 1)
	g.want("agent s1 connected", `s1 {"session_init",`+body(legs)+`}`)
	grant := func(on uint64) {
		g.step(Record{Kind: RecSessionGrant, Session: 1, Arg: on, Data: []byte("legs")})
	}
	g.after(5000)
	grant(1)
	g.call("a", "go", `{}`)
	g.call("b", "go", `{}`)
	g.start("b")
	g.want(`call s1 t1 a {} tick 0 until 36001`, `call s1 t1 b {} tick 0 until 36001`)
	g.then(update(with))
	grant(1)
	grant(0)
	const lost = "the character has lost the capability that this call needs: use another tool"
	g.then("withdrawn a reason 3", "ended b reason 3", result("a", failed("tool_unavailable", lost, false), 1), result("b", failed("tool_unavailable", lost, false), 1))
	g.after(999)
	g.want(update(body(legs)))
}

func (g *rig) set(number uint32, name string) {
	g.step(Record{Kind: RecSetCreate, Object: number, Data: []byte(name)})
}

func inSet(n int64) map[int]int64 { return map[int]int64{ToolIntSet: n} }

// Toolsets: a session sees the bridge's own tools and those of its sets; ids are unique within a session.
func TestSets(t *testing.T) {
	g := newRig(t)
	g.set(1, "guard")
	g.set(2, "merchant")
	require.Nil(t, g.tool(1, toolDef{id: "go", in: anyInput}))
	require.Nil(t, g.tool(2, toolDef{id: "hit", in: anyInput, ints: inSet(1)}))
	require.Nil(t, g.tool(3, toolDef{id: "hit", in: anyInput, ints: inSet(2)}))
	require.Nil(t, g.tool(4, toolDef{id: "sell", in: anyInput, ints: inSet(2)}))
	open := func(n uint32, sets ...int64) {
		g.step(Record{Kind: RecSessionOpen, Session: n, Data: AppendFields(nil, append([]int64{3, 0, 0, 0}, sets...), fmt.Sprint("npc", n))})
	}
	sets := func(n uint32, list ...int64) {
		g.step(Record{Kind: RecSessionSets, Session: n, Data: AppendFields(nil, list)})
	}
	open(1, 1, 7)
	g.attach(1, 0)
	g.then("agent s1 connected", `s1 {"session_init",`+body(described("go"), described("hit"))+`}`)
	g.after(5000)
	g.call("a", "hit", `{}`)
	g.call("b", "go", `{}`)
	g.forget()
	sets(1, 2)
	g.then("withdrawn a reason 3", update(body(described("go"), described("hit"), described("sell"))),
		result("a", failed("tool_unknown", "the character has lost the tool of this call: use a tool of the new manifest", false), 0))
	g.call("c", "hit", `{}`)
	g.want(`call s1 t3 c {} tick 0 until 36002`)
	sets(1, 2, 1, 2, 2)
	g.want(`log 3 s1 t2 toolset "guard" has a tool "hit" that another set of the session has already: it is not seen`)
	g.after(5000)
	g.want()
	g.step(Record{Kind: RecSetDestroy, Object: 2})
	g.then("withdrawn c reason 3", "tool released t3", "tool released t4",
		result("c", failed("tool_unknown", "the game has removed the tool of this call: use a tool of the new manifest", false), 5000), update(body(described("go"), described("hit"))))
	require.NotNil(t, g.tool(9, toolDef{id: "x", ints: inSet(2)}))
	g.answer("b", "")
	g.then(result("b", done, 5002))
}

func TestTooManySets(t *testing.T) {
	g := newRig(t)
	var list []int64
	for i := range int64(9) {
		g.set(uint32(i+1), fmt.Sprint("set", i+1))
		list = append(list, i+1)
	}
	g.step(Record{Kind: RecSessionOpen, Session: 1, Data: AppendFields(nil, append([]int64{3, 0, 0, 0}, list...), "npc")})
	g.want(`log 3 s1 t0 toolset "set8" is left out: a session holds 8, the bridge's own included, and a manifest of 1048576 bytes`,
		`log 3 s1 t0 toolset "set9" is left out: a session holds 8, the bridge's own included, and a manifest of 1048576 bytes`)
}

// 5.11 at run time.
func TestTopics(t *testing.T) {
	g := ready(t)
	g.event(1, message.TopicAudio, 0, "")
	g.emit(1, 1, `{}`)
	g.step(Record{Kind: RecSessionTopics, Session: 1, Arg: uint64(message.TopicAudio | message.TopicTick)})
	g.emit(1, 1, `{"n":1}`)
	g.then(update(strings.Replace(manifest, `"event_subscriptions":[]`, `"event_subscriptions":["tick","audio"]`, 1)), event("audio", `{"n":1}`))
	require.Equal(t, (1001+1000)*ms, g.b.Want())
	g.step(Record{Kind: RecSessionTopics, Session: 1})
	g.emit(1, 1, `{"n":2}`)
	g.after(998)
	g.want()
	g.then(update(manifest))
}
