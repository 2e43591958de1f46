package bridge

import (
	"fmt"
	"strings"
	"testing"

	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

func (g *rig) init() string { return `s1 {"session_init",` + manifest + `}` }

// 5.3: the manifest, then the results that may not have arrived, oldest first, then events.
func TestResume(t *testing.T) {
	g := ready(t)
	g.event(1, message.TopicAudio, 0, "")
	g.call("sent", "go", `{}`)
	g.call("lost", "go", `{}`)
	g.call("away", "go", `{}`)
	g.call("later", "go", `{}`)
	g.answer("sent", `{"n":1}`)
	g.after(1)
	g.answer("lost", `{"n":2}`)
	g.detach(1)
	g.after(5)
	g.answer("away", `{"n":3}`)
	g.forget()
	id := g.ids[1]
	g.attach(1, 0)
	g.want("agent s1 connected")
	g.then(g.init())
	require.Equal(t, id, g.ids[1])
	g.call("more", "go", `{}`)
	g.respond(1, "later", `{"e":1}`)
	g.answer("later", `{"n":4}`)
	g.forget()
	g.say("session_resume", "")
	g.want("agent s1 resumed")
	g.then(g.init(), result("sent", `"ok":true,"output":{"n":1}`, 0), result("lost", `"ok":true,"output":{"n":2}`, 1),
		result("away", `"ok":true,"output":{"n":3}`, 6), result("later", `"ok":true,"output":{"n":4}`, 7), event("audio", `{"e":1}`))
	g.say("session_resume", "")
	g.after(1)
	require.Len(t, g.log, 5, "again, for one that has lost them again: no second item")
}

// What a pong covers is not sent again.
func TestResumeAfterPong(t *testing.T) {
	g := ready(t)
	for _, id := range []string{"a", "b", "c"} {
		g.call(id, "go", `{}`)
		g.answer(id, "")
		g.after(1)
	}
	g.step(Record{Kind: RecArrived, Session: 1, Arg: 1, Object: 3}) // session_init, a, b
	g.detach(1)
	g.attach(1, AttachWait)
	g.forget()
	g.after(1)
	g.say("session_resume", "")
	g.then("agent s1 resumed", g.init(), result("c", done, 0))
	g.step(Record{Kind: RecArrived, Session: 1, Arg: 1, Object: 9}) // of a connection that is gone
	g.step(Record{Kind: RecArrived, Session: 1, Arg: 2, Object: 1}) // the session_init only
	g.say("session_resume", "")
	g.then(g.init(), result("c", done, 0))
	g.step(Record{Kind: RecArrived, Session: 1, Arg: 2, Object: 4})
	g.say("session_resume", "")
	g.then(g.init())
	g.call("a", "go", `{}`)
	g.then(result("a", done, 0))
	g.detach(1)
	g.attach(1, 0)
	g.after(1)
	g.step(Record{Kind: RecArrived, Session: 1, Arg: 3, Object: 99}) // says nothing of the connection before
	g.forget()
	g.say("session_resume", "")
	g.then("agent s1 resumed", g.init(), result("a", done, 0))
}

// A session that is not this one's: session_expired, and a fresh session_init.
func TestResumeOfAnother(t *testing.T) {
	g := ready(t)
	g.session(2, 0)
	g.attach(2, 0)
	g.after(1)
	g.forget()
	g.sayAs(1, g.ids[2], "session_resume", "")
	g.then(failure("session_expired", "the session of this session_id is not open here: use the session_id of the last session_init"), g.init())
}

// The window: in it the id stays, after it the calls end, the agent is gone, and the next one has another id.
func TestResumeWindow(t *testing.T) {
	g := ready(t)
	g.call("c", "go", `{}`)
	g.start("c")
	g.step(Record{Kind: RecExtend, Arg: g.byID["c"].No, Data: AppendFields(nil, []int64{86_400_000})})
	id := g.ids[1]
	g.detach(1)
	require.Equal(t, g.now+120_000*ms, g.b.Want())
	g.after(119_999)
	g.attach(1, AttachWait)
	g.say("session_resume", "")
	g.forget()
	g.then(g.init())
	g.detach(1)
	g.forget()
	g.after(119_999)
	g.want()
	g.then("ended c reason 5", "agent s1 gone")
	g.attach(1, AttachWait)
	g.sayAs(1, id, "session_resume", "")
	g.then("agent s1 connected", failure("session_expired", "the session of this session_id is not open here: use the session_id of the last session_init"), g.init())
	require.NotEqual(t, id, g.ids[1])
}

// One that waits over the end of the window has missed it.
func TestResumeWaitsTooLong(t *testing.T) {
	g := ready(t)
	id := g.ids[1]
	g.detach(1)
	g.after(119_999)
	g.attach(1, AttachWait)
	g.after(1)
	g.forget()
	g.say("session_resume", "")
	g.want("agent s1 gone", "agent s1 connected")
	g.after(1)
	require.NotEqual(t, id, g.ids[1])
}

func TestNoResumeWindow(t *testing.T) {
	g := ready(t, with(CreateIntResumeMS, 0))
	g.call("c", "go", `{}`)
	g.forget()
	id := g.ids[1]
	g.detach(1)
	g.want("agent s1 detached", "withdrawn c reason 5", "agent s1 gone")
	g.attach(1, 0)
	g.after(1)
	require.NotEqual(t, id, g.ids[1])
}

// How an agent is seated: waiting for its word, in place of another, instead of one that may come back.
func TestAttachFlags(t *testing.T) {
	g := ready(t)
	g.step(Record{Kind: RecAttach, Session: 1, Arg: 7})
	g.want("let go s1 e7")
	g.attach(1, AttachReplace|AttachWait)
	g.want("let go s1 e1", "agent s1 detached")
	g.then()
	g.call("c", "go", `{}`)
	g.want("agent s1 connected", `call s1 t1 c {} tick 0 until 31002`)
	g.then(g.init())
	id := g.ids[1]
	g.detach(1)
	g.attach(1, AttachWait)
	g.forget()
	g.step(Record{Kind: RecAttach, Session: 1, Arg: 3, Flags: AttachFresh})
	g.want("withdrawn c reason 5", "agent s1 gone", "agent s1 connected")
	g.then(g.init())
	require.NotEqual(t, id, g.ids[1])
	g.step(Record{Kind: RecAttach, Session: 1, Arg: 3})
	g.then()
	g.detach(1)
	g.attach(1, AttachWait)
	g.forget()
	g.detach(1)
	g.then()
}

// 5.5: the same id, tool and input is the same call.
func TestIdempotent(t *testing.T) {
	g := ready(t)
	require.Nil(t, g.tool(2, toolDef{id: "hit", in: anyInput, ints: map[int]int64{ToolIntPerSession: 1}}))
	g.after(1)
	g.call("c", "hit", `{"a":1,"b":[2]}`)
	g.forget()
	g.call("c", "hit", `{"b":[2.0],"a":1e0}`)
	g.then()
	const other = `call_id "c" was used for another tool or input: use a new call_id for each call`
	g.call("c", "hit", `{"a":1}`)
	g.call("c", "go", `{"a":1,"b":[2]}`)
	g.then(failure("invalid_input", other), failure("invalid_input", other))
	g.answer("c", `{"n":1}`)
	g.call("c", "hit", `{"a":1,"b":[2]}`)
	g.then(result("c", `"ok":true,"output":{"n":1}`, 2))
	g.call("c", "hit", `{"a":1,"b":[2]}`)
	g.then(result("c", `"ok":true,"output":{"n":1}`, 2))
	g.call("c", "go", `{"a":1,"b":[2]}`)
	g.then(failure("invalid_input", other))
	g.call("d", "hit", `{}`)
	g.call("d", "hit", `{}`)
	const used = `tool "hit" may be called once in this session, and no more: use another tool`
	g.then(result("d", failed("tool_unavailable", used, false), 0))
	require.Equal(t, uint64(1), g.b.Counters().Calls)
}

// A result that was sent before the callback began and that may be retried is not remembered.
func TestRetry(t *testing.T) {
	g := ready(t)
	g.call("c", "go", `{}`)
	g.after(30_000)
	g.forget()
	g.call("c", "go", `{"other":1}`)
	g.want(`call s1 t1 c {"other":1} tick 0 until 61001`)
	g.answer("c", "")
	g.then(result("c", done, 0))
	g.detach(1)
	g.attach(1, AttachWait)
	g.say("session_resume", "")
	g.forget()
	g.then(g.init(), result("c", done, 0))
}

// One that began is remembered, also when another call may go better; a refusal is answered once and not kept.
func TestRetryableAfterStart(t *testing.T) {
	g := ready(t)
	g.call("c", "go", `{}`)
	g.fail("c", 3|FailRetryable, "busy")
	g.full = true
	g.call("d", "go", `{}`)
	g.full = false
	g.after(1)
	g.forget()
	g.call("c", "go", `{}`)
	g.then(result("c", failed("execution_failed", "busy", true), 0))
	g.say("session_resume", "")
	g.then("agent s1 resumed", g.init(), result("c", failed("execution_failed", "busy", true), 0))
}

// But it is delivered: a timeout while the agent was away is there when it comes back.
func TestRetryableWhileAway(t *testing.T) {
	g := ready(t)
	g.call("c", "go", `{}`)
	g.detach(1)
	g.after(30_000)
	g.attach(1, AttachWait)
	g.say("session_resume", "")
	g.forget()
	g.then(g.init(), result("c", failed("timeout", "the game did not begin the call within 30000 ms and will not: call again", true), 30_000))
}

// 256 results or 256 KiB are kept; ids outlive them, 4,096 of them.
func TestForgotten(t *testing.T) {
	t.Run("results", func(t *testing.T) {
		g := ready(t)
		for i := range 257 {
			g.call(fmt.Sprint("c", i), "go", `{}`)
			g.answer(fmt.Sprint("c", i), "")
			g.after(1)
		}
		g.forget()
		g.call("c0", "go", `{}`)
		g.call("c0", "go", `{"x":1}`)
		g.call("c1", "go", `{}`)
		gone := result("c0", failed("internal_error", `call_id "c0" had its result, which is no longer kept: use a new call_id`, false), 0)
		g.then(gone, gone, result("c1", done, 0))
	})
	t.Run("bytes", func(t *testing.T) {
		g := ready(t)
		large := `{"x":"` + strings.Repeat("x", 100<<10) + `"}`
		for i := range 3 {
			g.call(fmt.Sprint("c", i), "go", `{}`)
			g.answer(fmt.Sprint("c", i), large)
			g.after(1)
		}
		g.forget()
		g.call("c0", "go", `{}`)
		g.call("c1", "go", `{}`)
		g.then(result("c0", failed("internal_error", `call_id "c0" had its result, which is no longer kept: use a new call_id`, false), 0),
			result("c1", `"ok":true,"output":`+large, 0))
	})
	t.Run("ids", func(t *testing.T) {
		g := ready(t)
		for i := range 4097 {
			g.call(fmt.Sprint("c", i), "go", `{}`)
			g.answer(fmt.Sprint("c", i), "")
			g.after(1)
		}
		g.forget()
		g.call("c1", "go", `{}`)
		g.call("c0", "go", `{}`)
		g.after(1)
		require.Contains(t, g.log[0], "call s1 t1 c0")
		require.Contains(t, g.log[1], `"code":"internal_error"`)
	})
}

// Results that were made while the agent is away are not forgotten, whatever their size.
func TestKeptWhileAway(t *testing.T) {
	g := ready(t)
	for i := range 16 {
		g.call(fmt.Sprint("c", i), "go", `{}`)
	}
	g.detach(1)
	large := `{"x":"` + strings.Repeat("x", 200<<10) + `"}`
	for i := range 16 {
		g.answer(fmt.Sprint("c", i), large)
	}
	g.attach(1, AttachWait)
	g.say("session_resume", "")
	g.forget()
	g.after(1)
	require.Len(t, g.log, 17)
	for i := range 16 {
		require.Equal(t, result(fmt.Sprint("c", i), `"ok":true,"output":`+large, 0), g.log[1+i])
	}
}

// Nor are those that waited when it left, however many.
func TestKeptOfAFullOutbox(t *testing.T) {
	g := ready(t, with(CreateIntMessageWindow, 1))
	for i := range 300 {
		g.call(fmt.Sprint("c", i), "go", `{}`)
		g.answer(fmt.Sprint("c", i), "")
	}
	g.call("last", "go", `{}`)
	g.detach(1)
	g.answer("last", "")
	g.attach(1, AttachWait)
	g.say("session_resume", "")
	g.forget()
	for range 310 {
		g.step(Record{Kind: RecDrained, Arg: 1 << 40})
		g.after(1)
	}
	require.Len(t, g.log, 302)
	require.Equal(t, result("c0", done, 0), g.log[1])
	require.Equal(t, result("last", done, 0), g.log[301])
}

// 5.7: limits go on in the next session for a resume window.
func TestLimitsAcrossSessions(t *testing.T) {
	used := func(t *testing.T) *rig {
		g := ready(t)
		require.Nil(t, g.tool(2, toolDef{id: "hit", in: anyInput, ints: map[int]int64{ToolIntPerSession: 1, ToolIntPerMinute: 5}}))
		g.call("a", "hit", `{}`)
		g.answer("a", "")
		return g
	}
	refused := func(g *rig) bool {
		g.forget()
		g.call("b", "hit", `{}`)
		return len(g.log) == 0
	}
	t.Run("resumed", func(t *testing.T) {
		g := used(t)
		g.detach(1)
		g.after(119_000)
		g.attach(1, AttachWait)
		g.say("session_resume", "")
		require.True(t, refused(g))
	})
	t.Run("closed and come back", func(t *testing.T) {
		g := used(t)
		g.after(1)
		g.say("session_close", "")
		g.after(119_999)
		g.attach(1, 0)
		g.after(1)
		require.True(t, refused(g))
	})
	t.Run("closed and come back late", func(t *testing.T) {
		g := used(t)
		g.after(1)
		g.say("session_close", "")
		g.after(120_000)
		g.attach(1, 0)
		g.after(1)
		require.False(t, refused(g))
	})
	t.Run("reset", func(t *testing.T) {
		g := used(t)
		g.after(1)
		g.step(Record{Kind: RecSessionReset, Session: 1})
		g.after(1)
		require.False(t, refused(g))
	})
}

// A reset begins anew on the same connection: another id, nothing remembered.
func TestReset(t *testing.T) {
	g := ready(t)
	g.call("c", "go", `{}`)
	g.call("d", "go", `{}`)
	g.answer("d", "")
	g.start("c")
	g.forget()
	id := g.ids[1]
	g.step(Record{Kind: RecSessionReset, Session: 1, Data: []byte("loaded")})
	g.want("ended c reason 6", result("d", done, 0), result("c", failed("session_expired", "the game was reset while the call was open: go on in the session that follows", false), 0),
		`s1 {"session_close","reason":"loaded"}`)
	g.then(g.init())
	require.NotEqual(t, id, g.ids[1])
	g.call("d", "go", `{}`)
	g.want(`call s1 t1 d {} tick 0 until 31002`)
	g.detach(1)
	g.step(Record{Kind: RecSessionReset, Session: 1})
	g.want("agent s1 detached", "withdrawn d reason 6", "agent s1 gone")
}
