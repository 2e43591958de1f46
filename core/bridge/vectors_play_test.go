package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

// A vector is a file of testdata/vectors, whose README says the format. This file plays one against the bridge.
type vector struct {
	Says  string            `json:"says"`
	Steps []json.RawMessage `json:"steps"`
}

// vectorStep holds the members of all steps; an unknown one is a fault of the file.
type vectorStep struct {
	AtMS   *int64            `json:"at_ms"`
	Do     string            `json:"do"`
	Batch  bool              `json:"batch"`
	Expect []json.RawMessage `json:"expect"`
	Times  int               `json:"times"` // repeat
	Steps  []json.RawMessage `json:"steps"`

	Bridge, Session, Tool, Toolset, Event, Call string
	Text                                        string          // receive
	Hex                                         string          // receive
	Message                                     json.RawMessage // receive
	Connection                                  uint64
	Wait, Fresh, Replace                        bool // attach
	Frame                                       uint64
	Paused                                      bool
	Count                                       uint32 // arrived
	Bytes                                       uint64 // wire_takes
	Reason, Code, Words                         string
	Retryable                                   bool
	Output, Payload                             json.RawMessage
	MS                                          int64 // extend
	Capability                                  string

	// create_bridge
	World, Kind, TickMode                            string
	TickRateHz                                       float64
	OutboxBytes, HeartbeatMS, IdleMS, ResumeWindowMS int64
	MessageWindow                                    int64
	ID, Class, Description, RequiresCapability       string // register_tool, update_tool
	InputSchema, OutputSchema                        json.RawMessage
	StrictInput, NoRepair, WhilePaused, Hide         bool
	CallsPerMinute, CallsPerSession, MaxInFlight     int64
	TimeoutMS                                        int64
	ModelClass                                       string // open_session
	ExpectedFirstTokenMS, ExpectedFullResponseMS     int64
	Topics                                           *[]string
	Capabilities, Toolsets                           []string
	Topic, Delivery, EventKind                       string // define_event
	MinIntervalMS                                    int64
}

// snake finds what turns the members of the files, which are in snake_case, into names of fields.
var snake = regexp.MustCompile(`_([a-z])`)

func parseStep(t testing.TB, raw []byte) (s vectorStep) {
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(raw, &members), "%s", raw)
	again := []byte{'{'}
	for name, v := range members {
		if name != "at_ms" {
			name = snake.ReplaceAllStringFunc(name, func(x string) string { return strings.ToUpper(x[1:]) })
		}
		if len(again) > 1 {
			again = append(again, ',')
		}
		again = append(append(strconv.AppendQuote(again, name), ':'), v...)
	}
	d := json.NewDecoder(bytes.NewReader(append(again, '}')))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&s), "%s", raw)
	return s
}

// player is a bridge, and a host and a wire that note what reaches them in the words of the vectors.
type player struct {
	t        testing.TB
	b        *Bridge
	now      int64 // in ms, of the vector
	frame    uint64
	out      []string
	sessions names
	tools    names
	sets     names
	events   names
	epochs   map[uint32]uint64
	ids      map[string]string // of an id: its name in the vector
	idCount  map[uint32]int
	seen     map[string]bool // message ids
	calls    map[uint64]*playedCall
	byID     map[string]*playedCall
	ref      uint64
	full     bool
	handed   int // bytes of messages
	round    int // of the innermost repeat

	used   map[string]bool // what the coverage test looks for
	record func(step int, lines []string)
}

type playedCall struct {
	no      uint64
	session uint32
	id      string
	started bool
	over    bool
	// answered: the answer is on its way to the bridge
	answered bool
}

// names numbers what the front would.
type names struct{ list []string }

func (n *names) of(name string) uint32 {
	for i, x := range n.list {
		if x == name {
			return uint32(i + 1)
		}
	}
	n.list = append(n.list, name)
	return uint32(len(n.list))
}

func (n *names) name(number uint32) string {
	if number == 0 || int(number) > len(n.list) {
		return ""
	}
	return n.list[number-1]
}

const (
	vectorEpoch  = 1_000_000 // ms of the bridge's clock at the vector's 0
	vectorWaiter = 77
)

func newPlayer(t testing.TB) *player {
	return &player{t: t, epochs: map[uint32]uint64{}, ids: map[string]string{}, idCount: map[uint32]int{}, seen: map[string]bool{},
		calls: map[uint64]*playedCall{}, byID: map[string]*playedCall{}, used: map[string]bool{}}
}

// play does the steps and holds what comes out against what they expect.
func (p *player) play(steps []json.RawMessage) {
	for i, raw := range steps {
		s := parseStep(p.t, raw)
		if s.Do == "repeat" {
			outer := p.round
			for p.round = 1; p.round <= s.Times; p.round++ {
				p.play(s.Steps)
			}
			p.round = outer
			continue
		}
		p.step(&s)
		if s.Batch {
			continue
		}
		if p.b != nil {
			p.b.Step(&Record{Kind: RecFlush, Arg: vectorWaiter, Tick: p.frame})
		}
		var want []string
		for _, line := range s.Expect {
			want = append(want, p.rounded(string(line)))
		}
		if p.record != nil && p.round <= 1 {
			p.record(i, p.out)
		} else {
			require.Equal(p.t, strings.Join(want, "\n"), strings.Join(p.out, "\n"), "step %d: %s", i, s.Do)
		}
		p.out = nil
	}
}

func (p *player) rounded(text string) string {
	return strings.ReplaceAll(text, "<i>", strconv.Itoa(p.round))
}

var (
	padMark  = regexp.MustCompile(`<pad:(\d+)>`)
	padding  = regexp.MustCompile(`x{100,}`)
	nameMark = regexp.MustCompile(`<(\w+(?::\d+)?)(\|upper)?>`)
)

// text puts in what the marks of a vector's text stand for.
func (p *player) text(raw []byte) []byte {
	raw = []byte(p.rounded(string(raw)))
	raw = padMark.ReplaceAllFunc(raw, func(m []byte) []byte {
		n, _ := strconv.Atoi(string(padMark.FindSubmatch(m)[1]))
		return bytes.Repeat([]byte{'x'}, n)
	})
	return nameMark.ReplaceAllFunc(raw, func(m []byte) []byte {
		found := nameMark.FindSubmatch(m)
		for id, name := range p.ids {
			if name == string(found[1]) {
				if len(found[2]) > 0 {
					id = strings.ToUpper(id)
				}
				return []byte(id)
			}
		}
		require.Fail(p.t, "no such id yet", "%s", m)
		return nil
	})
}

// come notes one thing that came out.
func (p *player) come(format string, args ...any) {
	line := padding.ReplaceAllStringFunc(fmt.Sprintf(format, args...), func(x string) string { return fmt.Sprintf("<pad:%d>", len(x)) })
	p.out = append(p.out, line)
}

func quoted(s string) string {
	text, _ := jsonwire.AppendString(nil, s)
	return string(text)
}

// about is the members that say which session and tool something is about.
func (p *player) about(session, tool uint32) string {
	s := ""
	if session != 0 {
		s = `,"session":` + quoted(p.sessions.name(session))
	}
	if tool != 0 {
		s += `,"tool":` + quoted(p.tools.name(tool))
	}
	return s
}

func (p *player) CallQueued(c CallItem) uint64 {
	if p.full {
		return 0
	}
	p.ref++
	until := ""
	if c.DeadlineNS != math.MaxInt64 {
		until = fmt.Sprintf(`,"until_ms":%d`, c.DeadlineNS/ms-vectorEpoch)
	}
	k := &playedCall{no: c.No, session: c.Session, id: string(c.CallID)}
	p.calls[p.ref], p.byID[p.sessions.name(c.Session)+" "+k.id] = k, k
	p.come(`{"call":%s%s,"input":%s,"frame":%d%s}`, quoted(k.id), p.about(c.Session, c.Tool), c.Input, c.Tick, until)
	return p.ref
}

var (
	endReasons   = [...]string{"", "timeout", "session", "tool", "bridge", "agent", "reset"}
	agentChanges = [...]string{"", "connected", "detached", "resumed", "gone"}
	levels       = [...]string{"", "debug", "info", "warn", "error"}
)

func (p *player) CallEnd(ref uint64, reason EndReason) CallState {
	k := p.calls[ref]
	require.NotNil(p.t, k)
	if k.answered {
		return CallWasAnswered
	}
	delete(p.calls, ref)
	k.over = true
	if k.started {
		p.come(`{"ended":%s%s,"reason":"%s"}`, quoted(k.id), p.about(k.session, 0), endReasons[reason])
		return CallWasStarted
	}
	p.come(`{"withdrawn":%s%s,"reason":"%s"}`, quoted(k.id), p.about(k.session, 0), endReasons[reason])
	return CallWasQueued
}

func (p *player) CallDone(ref uint64) {
	require.NotNil(p.t, p.calls[ref])
	p.calls[ref].over = true
	delete(p.calls, ref)
}

func (p *player) Agent(session uint32, change AgentChange) {
	p.come(`{"agent":"%s"%s}`, agentChanges[change], p.about(session, 0))
}
func (p *player) Fault(session, tool uint32, text string) {
	p.come(`{"fault":%s%s}`, quoted(text), p.about(session, tool))
}
func (p *player) AgentMessage(session uint32, payload []byte) {
	p.come(`{"agent_message":%s%s}`, payload, p.about(session, 0))
}
func (p *player) SessionClosed(session uint32) {
	p.come(`{"session_closed":%s}`, quoted(p.sessions.name(session)))
}
func (p *player) ToolReleased(tool uint32) {
	p.come(`{"tool_released":%s}`, quoted(p.tools.name(tool)))
}
func (p *player) Detached(session uint32, epoch uint64) {
	p.come(`{"let_go":%d%s}`, epoch, p.about(session, 0))
}
func (p *player) Log(level Level, session, tool uint32, text string) {
	p.come(`{"log":"%s"%s,"text":%s}`, levels[level], p.about(session, tool), quoted(text))
}

var statuses = map[Status]string{StatusFull: "full", StatusState: "state", StatusSchema: "schema", StatusJSON: "json", StatusName: "name",
	StatusArg: "argument", StatusInternal: "internal"}

func (p *player) Reply(waiter uint64, f *Failure) bool {
	if f != nil {
		p.come(`{"refused":"%s","field":%s,"pointer":%s,"text":%s}`, statuses[f.Status], quoted(f.Field), quoted(f.Pointer), quoted(f.Message))
	}
	return true
}

var (
	envelopeOf = regexp.MustCompile(`^\{"protocol":"aicc/0\.1","type":"([a-z_]+)","session_id":"([^"]*)","message_id":"([^"]*)"`)
	version4   = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
)

// Message takes a message: it must be one, its ids new and of the right form. They give way to marks.
func (p *player) Message(session uint32, epoch uint64, text []byte) {
	p.handed += len(text)
	m := message.Message{MaxBytes: 4 << 20}
	if fault := message.Decode(text, &m); fault != nil {
		require.Fail(p.t, "a message that is none", "%s\n%s", fault.Error(), text)
	}
	if m.ManifestUpdate != nil {
		var man message.Manifest
		require.Nil(p.t, message.DecodeManifest(m.ManifestUpdate, &man))
	}
	require.False(p.t, bytes.ContainsAny(text, "\r\n"))
	require.Equal(p.t, p.epochs[session], epoch, "a message to a connection that is gone")
	found := envelopeOf.FindStringSubmatch(string(text))
	require.NotNil(p.t, found, "%s", text)
	sid, mid := found[2], found[3]
	require.Regexp(p.t, version4, sid)
	require.Regexp(p.t, version4, mid)
	require.False(p.t, p.seen[mid], "a message id used twice")
	p.seen[mid] = true
	if p.ids[sid] == "" {
		p.idCount[session]++
		p.ids[sid] = p.sessions.name(session)
		if n := p.idCount[session]; n > 1 {
			p.ids[sid] += ":" + strconv.Itoa(n)
		}
	}
	name := p.ids[sid]
	own, _, _ := strings.Cut(name, ":")
	require.Equal(p.t, p.sessions.name(session), own, "a message with the id of another session")
	p.cover(&m)
	s := strings.Replace(string(text), sid, "<"+name+">", 1)
	p.come(`{"to":%s,"message":%s}`, quoted(own), strings.Replace(s, mid, "<new>", 1))
}

// cover notes what the coverage test looks for.
func (p *player) cover(m *message.Message) {
	p.used[m.Type.String()] = true
	if m.Error.Code != 0 {
		p.used[m.Error.Code.String()] = true
	}
	if m.Type == message.Event {
		p.used[m.Topic.String()] = true
	}
	if m.Init == nil {
		return
	}
	var man message.Manifest
	require.Nil(p.t, message.DecodeManifest(m.Init, &man))
	p.used[man.TickMode.String()], p.used[man.Model.Class.String()] = true, true
	for _, tool := range man.Tools {
		p.used[tool.Class.String()] = true
	}
}
