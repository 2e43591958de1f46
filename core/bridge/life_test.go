package bridge

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

func (g *rig) event(number uint32, topic message.Topic, delivery int64, kind string) {
	g.paced(number, topic, delivery, 0, kind)
}

func (g *rig) paced(number uint32, topic message.Topic, delivery, interval int64, kind string) {
	g.step(Record{Kind: RecEventDefine, Object: number, Data: AppendFields(nil, []int64{int64(topic), delivery, interval}, kind)})
}

func (g *rig) emit(event, session uint32, payload string) {
	g.step(Record{Kind: RecEventJSON, Object: event, Session: session, Data: []byte(payload)})
}

func (g *rig) respond(event uint32, id, payload string) {
	g.step(Record{Kind: RecEventReply, Object: event, Arg: g.byID[id].No, Data: []byte(payload)})
}

func event(topic, payload string) string {
	return fmt.Sprintf(`s1 {"event","topic":"%s","payload":%s,"meta":{"tick":0,"source":"yard"}}`, topic, payload)
}

// listening is ready with an agent that is subscribed.
func listening(t testing.TB, topics message.Topic, options ...option) *rig {
	g := newRig(t, options...)
	require.Nil(t, g.tool(1, toolDef{id: "go", in: anyInput}))
	g.session(1, topics)
	g.attach(1, 0)
	g.after(1)
	g.forget()
	return g
}

// Pause: deadlines stand still, calls wait unless their tool says while_paused, no ticks; heartbeats go on.
func TestPause(t *testing.T) {
	for name, pause := range map[string]func(g *rig, on bool){
		"session": func(g *rig, on bool) {
			g.step(Record{Kind: RecSessionPause, Session: 1, Arg: map[bool]uint64{true: 1}[on]})
		},
		"frame": func(g *rig, on bool) { g.frame(0, map[bool]uint16{true: FramePaused}[on]) },
	} {
		t.Run(name, func(t *testing.T) {
			g := listening(t, message.TopicTick)
			require.Nil(t, g.tool(2, toolDef{id: "look", in: anyInput, ints: map[int]int64{ToolIntWhilePaused: 1}}))
			g.call("before", "go", `{}`)
			g.after(500)
			g.forget()
			pause(g, true)
			g.after(100_000)
			g.want(`s1 {"heartbeat"}`)
			g.call("go", "go", `{"a":1}`)
			g.call("look", "look", `{}`)
			g.want(`call s1 t2 look {} tick 0 until 131501`)
			g.after(1000)
			g.forget()
			pause(g, false)
			g.want(`call s1 t1 go {"a":1} tick 0 until 132501`)
			require.Equal(t, g.now+499*ms, g.b.Want(), "the tick's time stood still too")
			g.after(499)
			g.want(event("tick", map[string]string{"session": `{"tick":0,"time":102}`, "frame": `{"tick":0,"time":1}`}[name]))
			g.after(29_000)
			g.forget()
			g.after(1)
			require.Equal(t, "withdrawn before reason 1", g.log[0])
			require.Contains(t, g.log[1], "within 30000 ms")
			g.after(499)
			g.forget()
			g.after(2)
			require.Equal(t, []string{"withdrawn go reason 1", "withdrawn look reason 1"}, g.log[:2])
		})
	}
}

// A call that is withdrawn while a pause holds it back never reaches the host.
func TestCloseWhileHeld(t *testing.T) {
	g := ready(t)
	g.frame(0, FramePaused)
	g.call("c", "go", `{}`)
	g.say("session_close", "")
	g.frame(0, 0)
	g.want(result("c", failed("session_expired", "the session was closed while the call was open: call again in a new session", false), 0),
		`s1 {"session_close","reason":"closed by the agent"}`, "let go s1 e1", "agent s1 gone")
}

func TestClosedByHost(t *testing.T) {
	g := ready(t)
	g.call("queued", "go", `{}`)
	g.call("runs", "go", `{}`)
	g.call("ends", "go", `{}`)
	g.start("runs")
	g.answering("ends")
	g.forget()
	g.step(Record{Kind: RecSessionClose, Session: 1, Data: []byte("it died")})
	const over = "the game has ended this session: wait for a new session_init"
	g.want("withdrawn queued reason 2", "ended runs reason 2", result("queued", failed("session_expired", over, false), 0),
		result("runs", failed("session_expired", over, false), 0), result("ends", failed("session_expired", over, false), 0),
		`s1 {"session_close","reason":"it died"}`, "let go s1 e1", "session closed s1")
	require.Len(t, g.calls, 1)
	g.event(1, message.TopicAudio, 0, "")
	g.respond(1, "ends", `{}`)
	g.answerRecord("ends", "")
	require.Empty(t, g.calls, "the reference of an answer that nobody wants is dropped too")
	g.then()
	g.session(1, 0)
	g.attach(1, 0)
	g.after(1)
	require.Equal(t, "agent s1 connected", g.log[0])
}

// The last messages are handed over whatever room there is.
func TestClosedWithoutRoom(t *testing.T) {
	g := ready(t, with(CreateIntMessageWindow, 1))
	for i := range 3 {
		g.call(fmt.Sprint("c", i), "go", `{}`)
	}
	g.forget()
	g.step(Record{Kind: RecSessionClose, Session: 1})
	require.Len(t, g.log, 9)
	require.Equal(t, []string{`s1 {"session_close"}`, "let go s1 e1", "session closed s1"}, g.log[6:])
}

// Answers that nobody waits for any more leave nothing behind.
func TestOrphans(t *testing.T) {
	g := ready(t)
	for i := range uint32(100) {
		g.call("c", "go", `{}`)
		g.answering("c")
		g.step(Record{Kind: RecSessionClose, Session: 1})
		g.answerRecord("c", "")
		require.Equal(t, uint32(1), uint32(g.byID["c"].No), "%d", i)
		g.session(1, 0)
		g.attach(1, 0)
		g.after(1)
	}
	require.Empty(t, g.calls)
}

func TestClosedByAgent(t *testing.T) {
	g := ready(t)
	g.call("c", "go", `{}`)
	g.start("c")
	g.forget()
	first := g.ids[1]
	g.say("session_close", `,"reason":"bye"`)
	g.want("ended c reason 5", result("c", failed("session_expired", "the session was closed while the call was open: call again in a new session", false), 0),
		`s1 {"session_close","reason":"closed by the agent"}`, "let go s1 e1", "agent s1 gone")
	g.call("d", "go", `{}`)
	g.want()
	g.attach(1, 0)
	g.then("agent s1 connected", `s1 {"session_init",`+manifest+`}`)
	require.NotEqual(t, first, g.ids[1], "a session that was closed is not gone on with")
}

func TestBridgeClose(t *testing.T) {
	g := ready(t)
	g.session(2, 0)
	g.call("c", "go", `{}`)
	g.forget()
	g.step(Record{Kind: RecClose})
	g.want("withdrawn c reason 4", result("c", failed("session_expired", "the game has closed this world: connect again later", false), 0),
		`s1 {"session_close","reason":"the world is closed"}`, "let go s1 e1", "agent s1 gone")
	g.hear(1, "x")
	g.attach(2, 0)
	require.Equal(t, &Failure{Status: StatusState, Message: "the bridge is closed: create another"}, g.tool(5, toolDef{id: "late"}))
	g.then()
	require.Equal(t, int64(math.MaxInt64), g.b.Want())
	g.step(Record{Kind: RecDestroy})
	g.then()
}

func TestDetach(t *testing.T) {
	g := ready(t)
	g.event(1, message.TopicAudio, 0, "")
	g.call("c", "go", `{}`)
	g.respond(1, "c", `{}`)
	g.forget()
	g.detach(1)
	g.want("agent s1 detached")
	g.answer("c", "")
	g.then()
	g.detach(1)
	g.then()
	require.Equal(t, int32(0), g.b.Counters().CallsInFlight)
}

func TestToolRemoved(t *testing.T) {
	g := ready(t)
	g.call("queued", "go", `{}`)
	g.call("runs", "go", `{}`)
	g.call("ends", "go", `{}`)
	g.start("runs")
	g.answering("ends")
	g.forget()
	g.step(Record{Kind: RecToolRemove, Object: 1})
	g.want("withdrawn queued reason 3", "ended runs reason 3", "tool released t1")
	g.answerRecord("ends", `{"a":1}`)
	g.call("more", "go", `{}`)
	const removed = "the game has removed the tool of this call: use a tool of the new manifest"
	update := `s1 {"heartbeat","manifest_update":{"protocol":"aicc/0.1","type":"session_init",` + strings.Replace(manifest, goTool, "", 1) + `}}`
	g.after(1)
	g.log[4] = strings.Replace(g.log[4], `"protocol":`, `"protocol":"aicc/0.1","type":`, 0)
	g.want(result("queued", failed("tool_unknown", removed, false), 0), result("runs", failed("tool_unknown", removed, false), 0), result("ends", `"ok":true,"output":{"a":1}`, 0),
		result("more", failed("tool_unknown", `there is no tool "go": use an id of the manifest, which manifest_request brings`, false), 0), update)
}

func TestRegistrationFaults(t *testing.T) {
	g := ready(t)
	for name, c := range map[string]struct {
		def  toolDef
		want Failure
	}{
		"id":        {toolDef{id: "Go"}, Failure{Status: StatusName, Field: "id", Message: "a tool's id is [a-z][a-z0-9_]*, at most 64 bytes"}},
		"taken":     {toolDef{id: "go"}, Failure{Status: StatusName, Field: "id", Message: `there is a tool "go" already: ids are unique`}},
		"class":     {toolDef{id: "x", ints: map[int]int64{ToolIntClass: 0}}, Failure{Status: StatusArg, Field: "cls", Message: "a tool is a sensor, an actuator or a generator: set cls"}},
		"minute":    {toolDef{id: "x", ints: map[int]int64{ToolIntPerMinute: 10_001}}, Failure{Status: StatusArg, Field: "calls_per_minute", Message: "calls_per_minute must be from 0 to 10000, it is 10001"}},
		"timeout":   {toolDef{id: "x", ints: map[int]int64{ToolIntTimeoutMS: -2}}, Failure{Status: StatusArg, Field: "timeout_ms", Message: "timeout_ms must be from 1 to 86400000, it is -2"}},
		"in flight": {toolDef{id: "x", ints: map[int]int64{ToolIntMaxInFlight: 17}}, Failure{Status: StatusArg, Field: "max_in_flight", Message: "max_in_flight must be from 0 to 16, it is 17"}},
		"JSON":      {toolDef{id: "x", in: `{"type":}`}, Failure{Status: StatusJSON, Field: "input_schema", Offset: 8, Pointer: "/type", Message: "byte 8 (/type): a value was wanted, '}' came"}},
		"no object": {toolDef{id: "x", out: `{"type":"string"}`}, Failure{Status: StatusSchema, Field: "output_schema", Message: "schema: this schema accepts no object, and inputs and outputs are objects"}},
		"no set":    {toolDef{id: "x", ints: map[int]int64{ToolIntSet: 4}}, Failure{Status: StatusArg, Field: "toolset", Message: "the toolset is gone: create it before its tools"}},
		"too large": {toolDef{id: "x", in: `{"type":"object","description":"` + strings.Repeat("x", 200<<10) + `"}`}, Failure{Status: StatusFull, Field: "description", Message: "with this tool the manifest would pass 1048576 bytes: shorten descriptions or schemas"}},
	} {
		t.Run(name, func(t *testing.T) {
			if name == "too large" {
				for i := range uint32(5) {
					require.Nil(t, g.tool(100+i, toolDef{id: fmt.Sprint("x", i), in: c.def.in}))
				}
			}
			require.Equal(t, &c.want, g.tool(50, c.def))
		})
	}
}

// A registration that nobody waits for any more is undone.
func TestRegistrationGivenUp(t *testing.T) {
	g := newRig(t)
	g.refuse = true
	g.tool(1, toolDef{id: "go"})
	g.refuse = false
	require.Nil(t, g.tool(2, toolDef{id: "go"}))
}

func TestCreateFaults(t *testing.T) {
	create := func(name string, options ...option) *Failure {
		ints := make([]int64, CreateInts)
		for _, o := range options {
			o(ints)
		}
		_, f := New(&rig{t: t}, &Record{Data: AppendFields(nil, append(ints, 0), name)}, 0, strings.NewReader(strings.Repeat("x", 64)))
		return f
	}
	require.Nil(t, create("yard"), "zeros are defaults")
	require.Equal(t, &Failure{Status: StatusName, Field: "name", Message: "the world needs a name of 1 to 256 bytes of UTF-8"}, create(""))
	require.Equal(t, &Failure{Status: StatusName, Field: "name", Message: "the world needs a name of 1 to 256 bytes of UTF-8"}, create("a\xff"))
	require.Equal(t, &Failure{Status: StatusArg, Field: "kind", Message: "kind must be from 1 to 4, it is 5"}, create("a", with(CreateIntKind, 5)))
	require.Equal(t, &Failure{Status: StatusArg, Field: "tick_rate_hz", Message: "tick_rate_hz must be above 0 and at most 1000"}, create("a", with(CreateIntTickRate, int64(math.Float64bits(math.NaN())))))
	require.Equal(t, &Failure{Status: StatusArg, Field: "outbox_bytes", Message: "outbox_bytes must be from 4096 to 67108864, it is 1"}, create("a", with(CreateIntOutboxBytes, 1)))
	_, f := New(&rig{t: t}, &Record{Data: []byte{1}}, 0, nil)
	require.Equal(t, StatusInternal, f.Status)
}

// With the frame's clock time is what frames say, and nothing is delivered before the first.
func TestFrameClock(t *testing.T) {
	g := newRig(t, with(CreateIntClock, 1))
	require.Nil(t, g.tool(1, toolDef{id: "go", in: anyInput}))
	frame := func(at int64, tick uint64) {
		g.tick = tick
		g.step(Record{Kind: RecFrame, Arg: uint64(at * ms)})
	}
	g.session(1, 0)
	g.attach(1, 0)
	g.after(60_000)
	g.want("agent s1 connected")
	frame(5_000_000, 1)
	g.want(`s1 {"session_init",` + manifest + `}`)
	g.call("c", "go", `{}`)
	g.want(`call s1 t1 c {} tick 1 until 5030000`)
	require.Equal(t, int64(5_015_000)*ms, g.b.Want())
	frame(4_000_000, 2)
	frame(5_030_000, 3)
	g.want(`withdrawn c reason 1`, `s1 {"tool_result","call_id":"c",`+failed("timeout", "the game did not begin the call within 30000 ms and will not: call again", true)+`,"meta":{"tick":3,"latency_ms":30000,"source":"yard"}}`)
}

func TestFlush(t *testing.T) {
	g := ready(t)
	g.say("manifest_request", "")
	g.want()
	g.step(Record{Kind: RecFlush, Arg: 4})
	g.want(`s1 {"session_init",` + manifest + `}`)
}
