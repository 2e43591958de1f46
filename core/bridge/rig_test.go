package bridge

import (
	"crypto/sha256"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

// rig is a bridge, a host that notes what reaches it, and a clock.
type rig struct {
	t      testing.TB
	b      *Bridge
	now    int64
	tick   uint64
	log    []string // effects in their order, messages with S and M for the two ids
	raw    []string // messages as they are
	ids    map[uint32]string
	epochs map[uint32]uint64
	calls  map[uint64]*rigCall // by ref
	byID   map[string]*rigCall // the last of a call id
	ref    uint64
	full   bool // no room for calls
	refuse bool // nobody waits for replies
	reply  *Failure
	mids   map[string]bool
	quiet  bool // keep nothing
	taken  uint64
	last   uint64 // number of the last call
}

type rigCall struct {
	CallItem
	ref      uint64
	input    string
	started  bool
	answered bool
	dead     bool
}

var _ Host = (*rig)(nil)

func (g *rig) note(format string, args ...any) {
	if !g.quiet {
		g.log = append(g.log, fmt.Sprintf(format, args...))
	}
}

func (g *rig) CallQueued(c CallItem) uint64 {
	if g.full {
		return 0
	}
	g.ref++
	g.last = c.No
	if g.quiet {
		return g.ref
	}
	deadline := "none"
	if c.DeadlineNS != math.MaxInt64 {
		deadline = fmt.Sprint(c.DeadlineNS / ms)
	}
	r := &rigCall{CallItem: c, ref: g.ref, input: string(c.Input)}
	r.CallID, r.Input = append([]byte(nil), c.CallID...), nil
	g.calls[g.ref], g.byID[string(c.CallID)] = r, r
	g.note("call s%d t%d %s %s tick %d until %s", c.Session, c.Tool, c.CallID, c.Input, c.Tick, deadline)
	return g.ref
}

func (g *rig) CallEnd(ref uint64, reason EndReason) CallState {
	c := g.calls[ref]
	require.NotNil(g.t, c, "CallEnd of a call that is gone")
	if c.answered {
		return CallWasAnswered
	}
	delete(g.calls, ref)
	c.dead = true
	if c.started {
		g.note("ended %s reason %d", c.CallID, reason)
		return CallWasStarted
	}
	g.note("withdrawn %s reason %d", c.CallID, reason)
	return CallWasQueued
}

func (g *rig) CallDone(ref uint64) {
	if g.quiet {
		return
	}
	require.NotNil(g.t, g.calls[ref], "CallDone of a call that is gone")
	g.calls[ref].dead = true
	delete(g.calls, ref)
}

func (g *rig) Agent(session uint32, change AgentChange) {
	g.note("agent s%d %s", session, [...]string{"", "connected", "detached", "resumed", "gone"}[change])
}
func (g *rig) Fault(session, tool uint32, text string) {
	g.note("fault s%d t%d %s", session, tool, text)
}
func (g *rig) AgentMessage(session uint32, payload []byte) {
	g.note("agent message s%d %s", session, payload)
}
func (g *rig) SessionClosed(session uint32) { g.note("session closed s%d", session) }
func (g *rig) ToolReleased(tool uint32)     { g.note("tool released t%d", tool) }
func (g *rig) Detached(session uint32, epoch uint64) {
	g.note("let go s%d e%d", session, epoch)
}
func (g *rig) Reply(waiter uint64, f *Failure) bool {
	g.reply = f
	return !g.refuse
}
func (g *rig) Log(level Level, session, tool uint32, text string) {
	g.note("log %d s%d t%d %s", level, session, tool, text)
}

var messageID = regexp.MustCompile(`^\{"protocol":"aicc/0\.1","type":"[a-z_]+","session_id":"([-0-9a-f]{36})","message_id":"([-0-9a-f]{36})"`)

func (g *rig) Message(session uint32, epoch uint64, text []byte) {
	g.taken += uint64(len(text))
	if g.quiet {
		return
	}
	var m message.Message
	m.MaxBytes = 4 << 20
	if fault := message.Decode(text, &m); fault != nil {
		require.Fail(g.t, "a message that is none", "%s\n%s", fault.Error(), text)
	}
	require.Equal(g.t, -1, strings.IndexByte(string(text), '\n'))
	found := messageID.FindStringSubmatch(string(text))
	require.NotNil(g.t, found, "%s", text)
	require.False(g.t, g.mids[found[2]], "a message id used twice")
	g.mids[found[2]] = true
	g.ids[session] = found[1]
	g.raw = append(g.raw, string(text))
	s := strings.Replace(string(text), `"protocol":"aicc/0.1","type":`, "", 1)
	s = strings.Replace(s, `,"session_id":"`+found[1]+`","message_id":"`+found[2]+`"`, "", 1)
	g.note("s%d %s", session, s)
}

// option changes the integers of a RecCreate record.
type option func(ints []int64)

func with(place int, v int64) option { return func(ints []int64) { ints[place] = v } }

// newRig makes a world called yard with seed 7, whose ticks come with calls only unless an option says else.
func newRig(t testing.TB, options ...option) *rig {
	g := &rig{t: t, ids: map[uint32]string{}, epochs: map[uint32]uint64{}, calls: map[uint64]*rigCall{}, byID: map[string]*rigCall{}, mids: map[string]bool{}}
	ints := make([]int64, CreateInts)
	ints[CreateIntKind], ints[CreateIntTickMode], ints[CreateIntTickRate] = 2, int64(message.TickFixed), int64(math.Float64bits(20))
	ints[CreateIntSeed], ints[CreateIntHeartbeatMS], ints[CreateIntIdleMS], ints[CreateIntResumeMS] = 7, 15_000, 45_000, 120_000
	for _, o := range options {
		o(ints)
	}
	b, failure := New(g, &Record{Kind: RecCreate, Data: AppendFields(nil, ints, "yard")}, 1000*ms, nil)
	require.Nil(t, failure)
	g.b, g.now = b, 1000*ms
	return g
}

func (g *rig) step(r Record) {
	r.Tick = g.tick
	g.b.Step(&r)
}

// after lets milliseconds pass.
func (g *rig) after(millis int64) {
	g.now += millis * ms
	g.step(Record{Kind: RecClock, Arg: uint64(g.now)})
}

func (g *rig) frame(tick uint64, flags uint16) {
	g.tick = tick
	g.step(Record{Kind: RecFrame, Flags: flags})
}

// tool registers one; parts go by their keys.
type toolDef struct {
	id, in, out, capability string
	ints                    map[int]int64
}

func (d toolDef) fields() []byte {
	ints := make([]int64, ToolInts)
	ints[ToolIntClass], ints[ToolIntTimeoutMS] = int64(message.Actuator), 30_000
	for k, v := range d.ints {
		ints[k] = v
	}
	return AppendFields(nil, ints, d.id, "Does "+d.id+".", d.in, d.out, d.capability)
}

func (g *rig) tool(number uint32, d toolDef) *Failure {
	g.step(Record{Kind: RecToolRegister, Object: number, Arg: 9, Data: d.fields()})
	return g.reply
}

const anyInput = `{"type":"object"}`

// session opens one that is subscribed to nothing.
func (g *rig) session(number uint32, topics message.Topic, capabilities ...string) {
	ints := make([]int64, SessionInts)
	ints[SessionIntModel], ints[SessionIntTopics] = int64(message.CloudMedium), int64(topics)
	g.step(Record{Kind: RecSessionOpen, Session: number, Data: AppendFields(nil, ints, append([]string{fmt.Sprint("npc", number)}, capabilities...)...)})
}

func (g *rig) attach(number uint32, flags uint16) {
	g.epochs[number]++
	g.step(Record{Kind: RecAttach, Session: number, Arg: g.epochs[number], Flags: flags})
}

func (g *rig) detach(number uint32) {
	g.step(Record{Kind: RecDetach, Session: number, Arg: g.epochs[number]})
}

// said is the id of the n-th message that agents of these tests send.
func said(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// say sends a message to session 1: type and the members behind the envelope.
func (g *rig) say(kind, rest string) { g.sayAs(1, g.ids[1], kind, rest) }

func (g *rig) sayAs(number uint32, id, kind, rest string) {
	g.hear(number, `{"protocol":"aicc/0.1","type":"`+kind+`","session_id":"`+id+`","message_id":"`+said(1)+`"`+rest+`}`)
}

func (g *rig) hear(number uint32, text string) {
	g.step(Record{Kind: RecReceive, Session: number, Arg: g.epochs[number], Data: []byte(text)})
}

func (g *rig) call(id, tool, input string) {
	quoted, _ := jsonwire.AppendString(nil, id)
	g.say("tool_call", `,"call_id":`+string(quoted)+`,"tool":"`+tool+`","input":`+input)
}

func (g *rig) start(id string) { g.byID[id].started = true }

// answer and fail do what the front does: the call's state first, then the record.
func (g *rig) answer(id, output string) { g.answering(id); g.answerRecord(id, output) }

func (g *rig) answering(id string) {
	c := g.byID[id]
	require.False(g.t, c.dead)
	c.started, c.answered = true, true
}

func (g *rig) answerRecord(id, output string) {
	g.step(Record{Kind: RecAnswer, Arg: g.byID[id].No, Data: []byte(output)})
}

func (g *rig) fail(id string, flags uint16, text string) {
	g.answering(id)
	g.step(Record{Kind: RecFail, Arg: g.byID[id].No, Flags: flags, Data: []byte(text)})
}

// want states all effects since the last time; a message's envelope is left out.
func (g *rig) want(lines ...string) {
	g.t.Helper()
	require.Equal(g.t, strings.Join(lines, "\n"), strings.Join(g.log, "\n"))
	g.log = g.log[:0]
}

// then lets a millisecond pass, so that what is queued is sent.
func (g *rig) then(lines ...string) {
	g.t.Helper()
	g.after(1)
	g.want(lines...)
}

func (g *rig) forget() { g.log = g.log[:0] }

// ready is a rig with one session, whose agent is there, and a tool "go" that takes anything.
func ready(t testing.TB, options ...option) *rig {
	g := newRig(t, options...)
	require.Nil(t, g.tool(1, toolDef{id: "go", in: anyInput}))
	g.session(1, 0)
	g.attach(1, 0)
	g.after(1)
	g.forget()
	return g
}

func digestOf(lines []string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(lines, "\n"))))[:16]
}

func result(id, outcome string, latency int64) string {
	return fmt.Sprintf(`s1 {"tool_result","call_id":"%s",%s,"meta":{"tick":0,"latency_ms":%d,"source":"yard"}}`, id, outcome, latency)
}

func failed(code, text string, retryable bool) string {
	quoted, _ := jsonwire.AppendString(nil, text)
	return fmt.Sprintf(`"ok":false,"error":{"code":"%s","message":%s,"retryable":%v}`, code, quoted, retryable)
}

func failure(code, text string) string {
	quoted, _ := jsonwire.AppendString(nil, text+" (message "+said(1)+")")
	return fmt.Sprintf(`s1 {"error","error":{"code":"%s","message":%s,"retryable":false}}`, code, quoted)
}

const done = `"ok":true,"output":{}`
