package bridge

import (
	"encoding/binary"
	"math"
)

// Kind says what a record asks of the bridge. The numbers are shared with capi/core.h and are part of the transcript's form: never reuse one.
type Kind uint16

const (
	RecCreate  Kind = 1 // fields: see CreateInt..., strings: name. Arg: waiter
	RecDestroy Kind = 2
	RecClose   Kind = 3 // polite end: calls fail, agents get session_close
	RecFrame   Kind = 4 // Flags: FramePaused; Arg: now_ns with the frame clock, else 0; Tick
	RecClock   Kind = 5 // Arg: now_ns; made by the actor, never by the host
	RecFlush   Kind = 6 // Arg: waiter

	RecToolRegister Kind = 10 // Object: tool; Arg: waiter; fields: ToolInt..., strings: ToolStr...
	RecToolUpdate   Kind = 11 // as RecToolRegister
	RecToolEnable   Kind = 12 // Object: tool; Arg: 1 or 0
	RecToolRemove   Kind = 13 // Object: tool
	RecSetCreate    Kind = 14 // Object: toolset; Data: name
	RecSetDestroy   Kind = 15 // Object: toolset

	RecSessionOpen   Kind = 20 // Session; fields: SessionInt..., strings: name, then capabilities
	RecSessionClose  Kind = 21 // Session; Data: reason
	RecSessionReset  Kind = 22 // Session; Data: reason
	RecSessionPause  Kind = 23 // Session; Arg: 1 or 0
	RecSessionTopics Kind = 24 // Session; Arg: mask
	RecSessionSets   Kind = 25 // Session; fields: toolsets
	RecSessionGrant  Kind = 26 // Session; Arg: 1 or 0; Data: capability

	RecAttach  Kind = 30 // Session; Arg: epoch of the connection; Flags: Attach...
	RecReceive Kind = 31 // Session; Arg: epoch; Data: the message
	RecDetach  Kind = 32 // Session; Arg: epoch
	RecDrained Kind = 33 // Arg: bytes that the host has taken (or dropped) from the bridge's message queue since the last such record
	RecArrived Kind = 34 // Session; Arg: epoch; Object: how many messages of this connection have arrived, by a pong whose ping followed them

	RecAnswer Kind = 40 // Arg: call number; Data: output JSON
	RecFail   Kind = 41 // Arg: call number; Flags: AICC_CODE_* | FailRetryable; Data: message
	RecExtend Kind = 42 // Arg: call number; fields: timeout_ms from now, -1: none

	RecAnswerStruct Kind = 43 // Arg: call number; Flags: layout; Data: a gathered struct, which becomes the output's JSON

	RecEventDefine Kind = 50 // Object: event; fields: EventInt...; strings: kind
	RecEventJSON   Kind = 51 // Object: event; Session, or 0 for all; Data: payload
	RecEventReply  Kind = 52 // Object: event; Arg: call number; Data: payload

	RecEventStruct      Kind = 53 // Object: event; Flags: EventOne; Data: see EventOne
	RecEventReplyStruct Kind = 54 // Object: event; Arg: call number; Data: a gathered struct

	// RecCapabilities is of no effect on the bridge: its host looks at Published and answers. What it signs with is in no record.
	RecCapabilities Kind = 60 // Session, or 0 for all tools; Arg: waiter; fields: CapabilityInt...; strings: prefix, version, tags, tags of an event
)

const ( // RecAttach.Flags
	AttachWait    = 1 // to a character that had an agent: say nothing before the first message, which may be session_resume, for 2 s; then the seat is a new agent's
	AttachFresh   = 2 // the agent before may no longer resume
	AttachReplace = 4 // take the place of an agent that is there; without it the newcomer is let go
	AttachHeld    = 8 // with AttachWait: the wait has no end of its own, the same connection's AttachFresh ends it
)

// EventOne in RecEventStruct.Flags says that Data is one gathered struct, u32 length and bytes, and the sessions it is for, u32 each. Without it
// Data is any number of: u32 session, or 0 for all; u32 length; a gathered struct.
const EventOne = 1

const (
	FramePaused   = 1       // RecFrame.Flags
	FailRetryable = 1 << 15 // RecFail.Flags
)

// Record is one thing that reached the bridge. Data is borrowed for the step.
type Record struct {
	Kind    Kind
	Flags   uint16
	Session uint32 // the front's number of a session, from 1; stable from RecSessionOpen until Host.SessionClosed
	Object  uint32 // the front's number of a tool, toolset or event, from 1
	Arg     uint64
	Tick    uint64 // the host's frame when the record was made
	Data    []byte
}

// Places of integers and strings in the packed fields of records, as capi/core.h packs them.
const (
	CreateIntKind = iota
	CreateIntTickMode
	CreateIntTickRate // float64 bits
	CreateIntClock    // 1: the frame's
	CreateIntDebug
	CreateIntSeed
	CreateIntOutboxBytes
	CreateIntHeartbeatMS
	CreateIntIdleMS
	CreateIntResumeMS
	CreateIntMessageWindow // bytes that may wait in the front's message queue
	CreateIntAnyTickRate
	CreateIntMaxCalls // in flight, a session
	CreateIntMaxCallID
	CreateIntMaxToolID
	CreateIntMaxDescription
	CreateIntMaxManifest
	CreateIntMaxOutput
	CreateIntListener // that seats its agents; not the bridge's business
	CreateInts
)

const ( // of RecAttach, which may also have no fields
	WishIntModel  = iota // 0: not said
	WishIntFullMS        // 0: not said
	WishIntTopics        // -1: not said
	WishInts
)

const (
	ToolIntClass = iota
	ToolIntSet   // toolset, 0: the bridge's own
	ToolIntPerMinute
	ToolIntPerSession
	ToolIntMaxInFlight
	ToolIntStrict
	ToolIntNoRepair
	ToolIntWhilePaused
	ToolIntHide // hide from sessions that lack the capability
	ToolIntTimeoutMS
	ToolIntMaxInputBytes
	ToolIntMaxOutputBytes
	ToolIntMaxConcurrent
	ToolInts
)

const (
	ToolStrID = iota
	ToolStrDescription
	ToolStrInput
	ToolStrOutput
	ToolStrCapability
	ToolStrOrigin // the document that it was made of
	ToolStrs
)

const (
	SessionIntModel = iota
	SessionIntTopics
	SessionIntFirstTokenMS
	SessionIntFullResponseMS
	SessionInts // toolsets follow
)

const (
	EventIntTopic    = iota // one bit
	EventIntDelivery        // 1 latest, 2 each
	EventIntMinIntervalMS
	EventIntLayout // a layout's number; 0: none
	EventInts
)

const (
	CapabilityIntEvent     = iota // 1: signed, in an event
	CapabilityIntCreatedAt        // of it; -1: now
	CapabilityIntTags             // how many, of documents
	CapabilityInts
)

// Fields is a packed payload: u32 count of integers, u32 count of strings, the integers (i64 each), then each string as u32 length and bytes;
// little-endian, no padding.
type Fields struct {
	ints  []byte
	strs  []byte
	nInts int
	nStrs int
}

// ParseFields checks the whole of data once; the getters after it cannot fail.
func ParseFields(data []byte) (Fields, bool) {
	var f Fields
	if len(data) < 8 {
		return f, false
	}
	ints, strs := uint64(binary.LittleEndian.Uint32(data)), uint64(binary.LittleEndian.Uint32(data[4:]))
	data = data[8:]
	if ints*8 > uint64(len(data)) {
		return f, false
	}
	f.ints, f.strs, f.nInts, f.nStrs = data[:ints*8], data[ints*8:], int(ints), 0
	rest := f.strs
	for range strs {
		if len(rest) < 4 {
			return Fields{}, false
		}
		n := uint64(binary.LittleEndian.Uint32(rest))
		if n > uint64(len(rest)-4) {
			return Fields{}, false
		}
		rest = rest[4+n:]
		f.nStrs++
	}
	return f, len(rest) == 0
}

// AppendFields is the inverse of ParseFields; the front has its own in C.
func AppendFields(dst []byte, ints []int64, strs ...string) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(ints)))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(strs)))
	for _, v := range ints {
		dst = binary.LittleEndian.AppendUint64(dst, uint64(v))
	}
	for _, s := range strs {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(len(s)))
		dst = append(dst, s...)
	}
	return dst
}

// Ints and Strs say how many there are.
func (f Fields) Ints() int { return f.nInts }
func (f Fields) Strs() int { return f.nStrs }

// Int is integer i, 0 when the record has fewer: an older front.
func (f Fields) Int(i int) int64 {
	if i < 0 || i >= f.nInts {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(f.ints[i*8:]))
}

// Float is integer i taken as the bits of a float64.
func (f Fields) Float(i int) float64 { return math.Float64frombits(uint64(f.Int(i))) }

// Str is string i, nil when the record has fewer. Borrowed from the record.
func (f Fields) Str(i int) []byte {
	if i < 0 || i >= f.nStrs {
		return nil
	}
	rest := f.strs
	for {
		n := int(binary.LittleEndian.Uint32(rest))
		if i == 0 {
			return rest[4 : 4+n]
		}
		rest, i = rest[4+n:], i-1
	}
}
