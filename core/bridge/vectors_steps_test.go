package bridge

import (
	"encoding/hex"
	"math"

	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

// step does one step of a vector: time first, then what is to be done.
func (p *player) step(s *vectorStep) {
	if s.AtMS != nil && p.b != nil && *s.AtMS > p.now {
		p.clock(*s.AtMS)
	}
	session := p.sessionOf(s)
	switch s.Do {
	case "wait":
	case "create_bridge":
		p.create(s)
	case "close_bridge":
		p.do(Record{Kind: RecClose})
	case "frame":
		p.frame = s.Frame
		flags := uint16(0)
		if s.Paused {
			flags = FramePaused
		}
		p.do(Record{Kind: RecFrame, Flags: flags})

	case "create_toolset":
		p.do(Record{Kind: RecSetCreate, Object: p.sets.of(s.Toolset), Data: []byte(s.Toolset)})
	case "destroy_toolset":
		p.do(Record{Kind: RecSetDestroy, Object: p.sets.of(s.Toolset)})
	case "register_tool":
		p.do(Record{Kind: RecToolRegister, Object: p.tools.of(s.Tool), Arg: vectorWaiter, Data: p.toolFields(s)})
	case "update_tool":
		p.do(Record{Kind: RecToolUpdate, Object: p.tools.of(s.Tool), Arg: vectorWaiter, Data: p.toolFields(s)})
	case "enable_tool", "disable_tool":
		p.do(Record{Kind: RecToolEnable, Object: p.tools.of(s.Tool), Arg: bit(s.Do == "enable_tool")})
	case "remove_tool":
		p.do(Record{Kind: RecToolRemove, Object: p.tools.of(s.Tool)})

	case "open_session":
		p.open(s)
	case "close_session":
		p.do(Record{Kind: RecSessionClose, Session: session, Data: p.given(s, s.Reason)})
	case "reset_session":
		p.do(Record{Kind: RecSessionReset, Session: session, Data: []byte(s.Reason)})
	case "pause_session":
		p.do(Record{Kind: RecSessionPause, Session: session, Arg: bit(s.Paused)})
	case "set_topics":
		p.do(Record{Kind: RecSessionTopics, Session: session, Arg: uint64(p.topics(s.Topics))})
	case "set_toolsets":
		p.do(Record{Kind: RecSessionSets, Session: session, Data: AppendFields(nil, p.setNumbers(s))})
	case "grant", "revoke":
		p.do(Record{Kind: RecSessionGrant, Session: session, Arg: bit(s.Do == "grant"), Data: []byte(s.Capability)})

	case "attach":
		flags := bit(s.Wait)*AttachWait | bit(s.Fresh)*AttachFresh | bit(s.Replace)*AttachReplace
		p.epochs[session] = s.Connection
		p.do(Record{Kind: RecAttach, Session: session, Arg: s.Connection, Flags: uint16(flags)})
	case "detach":
		p.do(Record{Kind: RecDetach, Session: session, Arg: p.connection(s)})
	case "arrived":
		p.do(Record{Kind: RecArrived, Session: session, Arg: p.connection(s), Object: s.Count})
	case "receive":
		text := p.given(s, s.Text)
		if s.Message != nil {
			text = p.text(s.Message)
		}
		p.do(Record{Kind: RecReceive, Session: session, Arg: p.connection(s), Data: text})

	case "host_full", "host_has_room":
		p.full = s.Do == "host_full"
	case "start":
		p.call(s).started = true
	case "answer":
		k := p.call(s)
		require.False(p.t, k.over, "call %q was taken back", k.id)
		p.do(Record{Kind: RecAnswer, Arg: k.no, Data: p.given(s, string(s.Output))})
	case "fail":
		k := p.call(s)
		flags := uint16(indexIn(p, failCodes[:], s.Code))
		if s.Retryable {
			flags |= FailRetryable
		}
		p.do(Record{Kind: RecFail, Arg: k.no, Flags: flags, Data: p.given(s, s.Words)})
	case "extend":
		p.do(Record{Kind: RecExtend, Arg: p.call(s).no, Data: AppendFields(nil, []int64{s.MS})})

	case "define_event":
		p.do(Record{Kind: RecEventDefine, Object: p.events.of(s.Event), Data: AppendFields(nil, []int64{int64(message.ParseTopic(s.Topic)),
			int64(indexIn(p, []string{"", "latest", "each"}, s.Delivery)), s.MinIntervalMS}, s.EventKind)})
	case "emit":
		if s.Session == "" {
			session = 0
		}
		p.do(Record{Kind: RecEventJSON, Object: p.events.of(s.Event), Session: session, Data: p.given(s, string(s.Payload))})
	case "respond":
		p.do(Record{Kind: RecEventReply, Object: p.events.of(s.Event), Arg: p.call(s).no, Data: p.given(s, string(s.Payload))})
	default:
		require.Fail(p.t, "no such step", s.Do)
	}
}

var failCodes = [...]string{"", "tool_unavailable", "invalid_input", "execution_failed", "timeout", "internal_error"}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func indexIn(p *player, list []string, name string) int {
	for i, x := range list {
		if x == name {
			return i
		}
	}
	require.Fail(p.t, "no such name", name)
	return 0
}

// clock lets time pass as a front does that sleeps until Want: nothing may happen that the bridge has not asked to hear of.
func (p *player) clock(at int64) {
	end := (vectorEpoch + at) * ms
	for last := int64(0); p.b.Want() <= end; {
		require.Greater(p.t, p.b.Want(), last, "the bridge asks for a time that has come")
		last = p.b.Want()
		p.do(Record{Kind: RecClock, Arg: uint64(last)})
	}
	before := len(p.out)
	p.do(Record{Kind: RecClock, Arg: uint64(end)})
	require.Len(p.t, p.out, before, "the bridge did not ask to hear of the time at which it did this")
	p.now = at
}

func (p *player) do(r Record) {
	require.NotNil(p.t, p.b, "create_bridge comes first")
	r.Tick = p.frame
	p.b.Step(&r)
}

// sessionOf is the session that a step names, or the first.
func (p *player) sessionOf(s *vectorStep) uint32 {
	switch {
	case s.Session != "":
		return p.sessions.of(s.Session)
	case len(p.sessions.list) > 0:
		return 1
	}
	return 0
}

func (p *player) connection(s *vectorStep) uint64 {
	if s.Connection != 0 {
		return s.Connection
	}
	return p.epochs[p.sessionOf(s)]
}

func (p *player) call(s *vectorStep) *playedCall {
	id := p.rounded(s.Call)
	k := p.byID[p.sessions.name(p.sessionOf(s))+" "+id]
	require.NotNil(p.t, k, "no call %q", id)
	return k
}

// given is the text that a step gives, or its bytes in hexadecimal where no text of JSON can be it.
func (p *player) given(s *vectorStep, text string) []byte {
	if s.Hex == "" {
		return p.text([]byte(text))
	}
	raw, err := hex.DecodeString(s.Hex)
	require.NoError(p.t, err)
	return raw
}

func (p *player) create(s *vectorStep) {
	ints := make([]int64, CreateInts)
	ints[CreateIntSeed] = 7
	if s.Kind != "" {
		ints[CreateIntKind] = int64(message.ParseWorldKind(s.Kind))
	}
	ints[CreateIntTickMode] = int64(message.ParseTickMode(s.TickMode))
	ints[CreateIntTickRate] = int64(math.Float64bits(s.TickRateHz))
	ints[CreateIntOutboxBytes], ints[CreateIntHeartbeatMS] = s.OutboxBytes, s.HeartbeatMS
	ints[CreateIntIdleMS], ints[CreateIntResumeMS] = 45_000, 120_000
	if s.IdleMS != 0 {
		ints[CreateIntIdleMS] = s.IdleMS
	}
	if s.ResumeWindowMS != 0 {
		ints[CreateIntResumeMS] = s.ResumeWindowMS
	}
	ints[CreateIntMessageWindow] = s.MessageWindow
	b, failure := New(p, &Record{Kind: RecCreate, Data: AppendFields(nil, ints, string(p.text([]byte(s.World))))}, vectorEpoch*ms, nil)
	if failure != nil {
		p.Reply(0, failure)
		return
	}
	p.b = b
}

func (p *player) toolFields(s *vectorStep) []byte {
	ints := make([]int64, ToolInts)
	ints[ToolIntClass] = int64(message.ParseToolClass(s.Class))
	if s.Toolset != "" {
		ints[ToolIntSet] = int64(p.sets.of(s.Toolset))
	}
	ints[ToolIntPerMinute], ints[ToolIntPerSession], ints[ToolIntMaxInFlight] = s.CallsPerMinute, s.CallsPerSession, s.MaxInFlight
	ints[ToolIntStrict], ints[ToolIntNoRepair] = int64(bit(s.StrictInput)), int64(bit(s.NoRepair))
	ints[ToolIntWhilePaused], ints[ToolIntHide] = int64(bit(s.WhilePaused)), int64(bit(s.Hide))
	ints[ToolIntTimeoutMS] = s.TimeoutMS
	id := s.ID
	if id == "" {
		id = s.Tool
	}
	return AppendFields(nil, ints, string(p.text([]byte(id))), string(p.text([]byte(s.Description))), string(p.given(s, string(s.InputSchema))), string(p.text(s.OutputSchema)), s.RequiresCapability)
}

func (p *player) open(s *vectorStep) {
	ints := make([]int64, SessionInts)
	ints[SessionIntModel] = int64(message.ParseModelClass(s.ModelClass))
	ints[SessionIntTopics] = int64(p.topics(s.Topics))
	ints[SessionIntFirstTokenMS], ints[SessionIntFullResponseMS] = s.ExpectedFirstTokenMS, s.ExpectedFullResponseMS
	p.do(Record{Kind: RecSessionOpen, Session: p.sessions.of(s.Session), Data: AppendFields(nil, append(ints, p.setNumbers(s)...), append([]string{s.Session}, s.Capabilities...)...)})
}

func (p *player) setNumbers(s *vectorStep) []int64 {
	var list []int64
	for _, name := range s.Toolsets {
		list = append(list, int64(p.sets.of(name)))
	}
	return list
}

// topics is a mask; all five when the step says nothing.
func (p *player) topics(list *[]string) message.Topic {
	if list == nil {
		return message.TopicAll
	}
	mask := message.Topic(0)
	for _, name := range *list {
		topic := message.ParseTopic(name)
		require.NotZero(p.t, topic, name)
		mask |= topic
	}
	return mask
}
