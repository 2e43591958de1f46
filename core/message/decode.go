package message

import (
	"aicc.dev/libaicc/core/jsonwire"
)

// Message is one decoded message. Its slices are parts of the text that Decode
// was given or of the Message's own buffer: they hold until that text changes or Decode
// is called again. Reuse one Message, one goroutine at a time. Which members mean something depends on Type;
// the others are zero. Raw members (Input, Output, Meta, Payload, ManifestUpdate) are the object's text as it came.
type Message struct {
	Type      Type
	SessionID ID
	MessageID ID

	CallID []byte // tool_call, tool_result
	Tool   []byte // tool_call
	Input  []byte // tool_call, raw
	OK     bool   // tool_result
	Output []byte // tool_result, raw; nil when not OK
	Error  Error  // tool_result when not OK, error
	Meta   []byte // tool_result, event; raw; nil when absent. DecodeMeta reads it

	Topic   Topic  // event
	Payload []byte // event, raw

	Reason    []byte // session_close
	HasReason bool

	ManifestUpdate []byte // heartbeat, raw; nil when absent. DecodeManifest reads it
	Init           []byte // session_init: the whole message. DecodeManifest reads it

	LoneSurrogates int // in the whole text; each reads as U+FFFD

	MaxBytes int // of a text; 0: jsonwire.DefaultMaxBytes. Decode keeps it

	d *decoder
}

// Error is the error of a tool_result or an error message.
type Error struct {
	Code      ErrorCode
	Message   []byte
	Retryable bool
}

// keepScratch is how much decoded text a Message keeps room for.
const keepScratch = 1 << 16

// Decode reads src into m. On a Fault m's content means nothing, and the Fault says what could be read.
// Of several faults the one given is the first by its Rule, then by its place in the text; a member that
// is missing is missed where its object ends.
func Decode(src []byte, m *Message) *Fault {
	if m.d == nil {
		m.d = &decoder{}
	}
	d := m.d
	*m = Message{MaxBytes: m.MaxBytes, d: d}
	d.reset(src, m)
	d.scanner.MaxBytes = m.MaxBytes
	info, err := d.scanner.Check(src)
	if err != nil {
		d.salvage(err)
		d.textFault(err)
	} else if m.LoneSurrogates = info.LoneSurrogates; info.Kind != jsonwire.Object {
		d.fail(RuleObject, info.Start, wantedObject)
	} else {
		d.index(info.Start, info.End)
		if d.protocol() && d.envelope() && d.rest() && m.Type == SessionInit {
			m.Init = src[info.Start:info.End]
		}
	}
	return d.done()
}

// The members that a message may have at its top. Each type's required ones come in the order of the schema's lists.
const (
	mProtocol = iota
	mType
	mSession
	mMessage
	mCallID
	mTool
	mInput
	mOK
	mTopic
	mPayload
	mTickRate
	mTickMode
	mWorld
	mCapabilities
	mTools
	mModel
	mError
	mOutput
	mMeta
	mReason
	mUpdate
	mSubscriptions
	mCount
	mUnknown = mCount
)

var memberNames = [mCount]string{"protocol", "type", "session_id", "message_id", "call_id", "tool", "input", "ok", "topic", "payload",
	"tick_rate_hz", "tick_mode", "world", "capabilities", "tools", "agent_model", "error", "output", "meta", "reason", "manifest_update", "event_subscriptions"}

func memberOf(name []byte) int {
	for i := range memberNames {
		if string(name) == memberNames[i] {
			return i
		}
	}
	return mUnknown
}

// members is what a type of message must and may have.
type members struct{ required, allowed uint32 }

const (
	envelopeBits = 1<<mProtocol | 1<<mType | 1<<mSession | 1<<mMessage
	manifestBits = 1<<mTickRate | 1<<mTickMode | 1<<mWorld | 1<<mCapabilities | 1<<mTools | 1<<mModel
)

func bits(required, optional uint32) members {
	return members{required: envelopeBits | required, allowed: envelopeBits | required | optional}
}

var membersOf = [TypeCount + 1]members{
	SessionInit:     bits(manifestBits, 1<<mSubscriptions),
	SessionResume:   bits(0, 0),
	SessionClose:    bits(0, 1<<mReason),
	ManifestRequest: bits(0, 0),
	ToolCall:        bits(1<<mCallID|1<<mTool|1<<mInput, 0),
	ToolResult:      bits(1<<mCallID|1<<mOK, 1<<mOutput|1<<mError|1<<mMeta),
	Event:           bits(1<<mTopic|1<<mPayload, 1<<mMeta),
	ErrorMessage:    bits(1<<mError, 0),
	Heartbeat:       bits(0, 1<<mUpdate),
}

// entry is one known member at the top of a message.
type entry struct {
	member          uint8
	nameAt          int32
	valueAt, endsAt int32
}

// decoder is one Decode or DecodeManifest. A Message keeps its own for the next.
type decoder struct {
	scanner jsonwire.Scanner
	scratch []byte // strings that had escapes

	src   []byte
	m     *Message
	man   *Manifest // what DecodeManifest fills, nil in Decode
	fault *Fault

	entries   [mCount]entry // in the order of the text
	n         int
	seen      uint32
	at        [mCount]uint8 // the member's place in entries, plus 1
	unknownAt int           // of the first member that no message has; -1 if there is none
	closeAt   int           // of the closing brace

	haveSession, haveMessage, haveCall bool

	unused Manifest // what a check alone writes its numbers to
}

func (d *decoder) reset(src []byte, m *Message) {
	d.src, d.m, d.man, d.fault = src, m, nil, nil
	d.n, d.seen, d.at, d.unknownAt, d.closeAt = 0, 0, [mCount]uint8{}, -1, 0
	d.haveSession, d.haveMessage, d.haveCall = false, false, false
	if d.scratch = d.scratch[:0]; cap(d.scratch) > keepScratch {
		d.scratch = nil
	}
}

// done lets go of what is the caller's.
func (d *decoder) done() *Fault {
	f := d.fault
	d.src, d.m, d.man, d.fault = nil, nil, nil, nil
	return f
}

// index notes the members at the top of the object src[start:end].
func (d *decoder) index(start, end int) {
	d.closeAt = end - 1
	it := jsonwire.ObjectMembers(d.src[start:end])
	for {
		name, value, ok := it.Next()
		if !ok {
			break
		}
		d.note(name, value, start+it.Offset(), start+it.ValueOffset())
	}
	d.readEnvelope()
}

func (d *decoder) note(name, value []byte, nameAt, valueAt int) {
	member := memberOf(jsonwire.Text(name, &d.scratch))
	if member == mUnknown {
		if d.unknownAt < 0 {
			d.unknownAt = nameAt
		}
		return
	}
	if d.at[member] != 0 {
		return // only in text that no Scanner has seen
	}
	d.entries[d.n] = entry{member: uint8(member), nameAt: int32(nameAt), valueAt: int32(valueAt), endsAt: int32(valueAt + len(value))}
	d.n++
	d.at[member] = uint8(d.n)
	d.seen |= 1 << member
}

// salvage reads the envelope from the part of the text before err, which the scanner has found good.
func (d *decoder) salvage(err *jsonwire.Error) {
	start := jsonwire.SkipSpace(d.src, 0)
	if limit := d.m.MaxBytes; len(d.src) > limit && limit > 0 || len(d.src) > jsonwire.DefaultMaxBytes && limit <= 0 {
		return // not scanned at all
	}
	if start >= err.Offset || d.src[start] != '{' {
		return
	}
	it := jsonwire.ObjectMembers(d.src[start:err.Offset])
	for {
		name, value, ok := it.Next()
		end := start + it.ValueOffset() + len(value)
		if !ok || end >= err.Offset {
			break
		}
		d.note(name, value, start+it.Offset(), start+it.ValueOffset())
	}
	if err.Msg == jsonwire.DuplicateMember {
		for i, name := range memberNames {
			if err.Pointer == "/"+name {
				d.at[i] = 0 // said twice: not known
			}
		}
	}
	d.readEnvelope()
}

// value is a member at the top of the message.
func (d *decoder) value(member int) (v []byte, at int, ok bool) {
	if d.at[member] == 0 {
		return nil, 0, false
	}
	e := d.entries[d.at[member]-1]
	return d.src[e.valueAt:e.endsAt], int(e.valueAt), true
}

// stringValue is a member that is a string, decoded.
func (d *decoder) stringValue(member int) (s []byte, ok bool) {
	v, _, ok := d.value(member)
	if !ok || jsonwire.KindOf(v) != jsonwire.String {
		return nil, false
	}
	return jsonwire.Text(v, &d.scratch), true
}

// readEnvelope takes what can be taken and reports nothing.
func (d *decoder) readEnvelope() {
	m := d.m
	if s, ok := d.stringValue(mType); ok {
		m.Type = ParseType(s)
	}
	if s, ok := d.stringValue(mSession); ok {
		m.SessionID, d.haveSession = ParseID(s)
	}
	if s, ok := d.stringValue(mMessage); ok {
		m.MessageID, d.haveMessage = ParseID(s)
	}
	if s, ok := d.stringValue(mCallID); ok {
		m.CallID, d.haveCall = s, m.Type == ToolCall && len(s) >= 1 && len(s) <= MaxCallIDBytes
	}
}

func (d *decoder) protocol() bool {
	const wanted = `"` + Protocol + `"`
	v, at, ok := d.value(mProtocol)
	if !ok {
		return d.missing(RuleProtocol, d.closeAt, memberNames[mProtocol], wanted)
	}
	if jsonwire.KindOf(v) == jsonwire.String && jsonwire.TextEquals(v, Protocol) {
		return true
	}
	d.fail(RuleProtocol, at, wanted)
	if jsonwire.KindOf(v) == jsonwire.String {
		d.fault.Code = ProtocolMismatch
	}
	return false
}

func (d *decoder) envelope() bool {
	for _, e := range d.entries[:d.n] {
		at := int(e.valueAt)
		switch {
		case e.member == mType && d.m.Type == 0:
			return d.fail(RuleEnvelope, at, wantedMember[mType])
		case e.member == mSession && !d.haveSession:
			return d.fail(RuleEnvelope, at, wantedMember[mSession])
		case e.member == mMessage && !d.haveMessage:
			return d.fail(RuleEnvelope, at, wantedMember[mMessage])
		}
	}
	return d.require(RuleEnvelope, envelopeBits)
}

// require faults the first member of a set that has not come.
func (d *decoder) require(rule Rule, set uint32) bool {
	for i := range mCount {
		if set&^d.seen&(1<<i) != 0 {
			return d.missing(rule, d.closeAt, memberNames[i], wantedMember[i])
		}
	}
	return true
}

// rest checks everything behind the envelope, in the order of the text.
func (d *decoder) rest() bool {
	of := membersOf[d.m.Type]
	for i := range d.entries[:d.n] {
		e := &d.entries[i]
		if d.unknownAt >= 0 && d.unknownAt < int(e.nameAt) {
			break
		}
		if of.allowed&(1<<e.member) == 0 {
			return d.extra(int(e.nameAt), d.m.Type.String())
		}
		if e.member > mMessage && !d.member(int(e.member), d.src[e.valueAt:e.endsAt], int(e.valueAt)) {
			return false
		}
	}
	if d.unknownAt >= 0 {
		return d.extra(d.unknownAt, d.m.Type.String())
	}
	if !d.require(RuleSchema, of.required) {
		return false
	}
	if d.m.Type != ToolResult {
		return true
	}
	if d.m.OK && d.m.Output == nil {
		return d.missing(RuleOutcome, d.closeAt, "output", "an object, since ok is true,")
	}
	if !d.m.OK && d.m.Error.Code == 0 {
		return d.missing(RuleOutcome, d.closeAt, "error", "an error object, since ok is false,")
	}
	return true
}

// member checks and takes one member behind the envelope.
func (d *decoder) member(member int, v []byte, at int) (ok bool) {
	m := d.m
	switch member {
	case mCallID:
		return d.callID(v, at)
	case mTool:
		m.Tool, ok = d.toolID(v, at)
	case mInput:
		m.Input, ok = v, d.isObject(v, at)
	case mOK:
		m.OK, ok = d.boolean(v, at)
	case mOutput:
		m.Output, ok = v, d.isObject(v, at) && d.outcome(true, at)
	case mError:
		ok = d.errorObject(v, at, &m.Error) && (m.Type != ToolResult || d.outcome(false, at))
	case mMeta:
		m.Meta, ok = v, d.meta(v, at)
	case mTopic:
		var s []byte
		if s, ok = d.text(v); ok {
			m.Topic = ParseTopic(s)
		}
		if ok = m.Topic != 0; !ok {
			d.fail(RuleSchema, at, wantedMember[mTopic])
		}
	case mPayload:
		m.Payload, ok = v, d.isObject(v, at)
	case mReason:
		m.HasReason = true
		m.Reason, ok = d.string(v, at, 0)
	case mUpdate:
		m.ManifestUpdate, ok = v, d.isObject(v, at)
	default:
		return d.manifest(member, v, at)
	}
	return ok
}

func (d *decoder) callID(v []byte, at int) (ok bool) {
	if d.m.CallID, ok = d.string(v, at, 1); !ok {
		return false
	}
	if n := len(d.m.CallID); n > MaxCallIDBytes {
		return d.tooLong(RuleCallID, at, MaxCallIDBytes, n)
	}
	return true
}

// outcome holds output to ok and error to not ok (DESIGN 5.17). An ok that is no boolean gets its own fault.
func (d *decoder) outcome(when bool, at int) bool {
	v, _, _ := d.value(mOK)
	if jsonwire.KindOf(v) != jsonwire.Bool || (v[0] == 't') == when {
		return true
	}
	if when {
		return d.fail(RuleOutcome, at, "no output, since ok is false,")
	}
	return d.fail(RuleOutcome, at, "no error, since ok is true,")
}
