package message

import (
	"strconv"
	"unicode/utf8"

	"aicc.dev/libaicc/core/jsonwire"
)

// Rule names the reason of a Fault. They are checked in this order, but for the stricter ones behind
// RuleSchema, which are checked with their members.
type Rule uint8

// The rules. Those marked "stricter" refuse what the schema accepts.
const (
	RuleText     Rule = 1 + iota // not JSON, or JSON against DESIGN 5.15 (stricter: duplicates, depth, size)
	RuleObject                   // JSON, but not an object
	RuleProtocol                 // protocol missing, no string, or another one
	RuleEnvelope                 // type, session_id or message_id missing, malformed or unknown
	RuleSchema                   // a member against the schema
	RuleCallID                   // stricter: call_id over MaxCallIDBytes (5.18)
	RuleToolID                   // stricter: tool id over MaxToolIDBytes (5.18)
	RuleOutcome                  // stricter: output exactly when ok, error exactly when not (5.17)
)

// Fault is why a message is refused, and what could be read of it all the same. It holds no part of
// the message's text, so it may be kept.
type Fault struct {
	Rule    Rule
	Code    ErrorCode // ProtocolMismatch or InvalidInput: what to answer with (DESIGN 5.6)
	Offset  int       // in the text
	Pointer string    // RFC 6901; of a missing member, where it should be
	Text    string    // for the agent: where, what was wanted, what came; of bounded length

	// Where the text is no JSON, these come from the part before the fault.
	Type          Type // zero: not known
	HaveSessionID bool
	HaveMessageID bool
	HaveCallID    bool // only for a tool_call, and only when it is 1 to MaxCallIDBytes bytes
	SessionID     ID
	MessageID     ID
	CallID        []byte
}

// Error is Text, and the message's id if that could be read: DESIGN 5.6 has answers quote it.
func (f *Fault) Error() string {
	if !f.HaveMessageID {
		return f.Text
	}
	return f.Text + " (message " + f.MessageID.String() + ")"
}

// Bounds on what Text quotes.
const (
	quotePointer = 160
	quoteValue   = 48
)

func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "..."
}

// came describes a value in a few words.
func came(v []byte) string {
	switch jsonwire.KindOf(v) {
	case jsonwire.Object:
		return "an object"
	case jsonwire.Array:
		return "an array"
	case jsonwire.None:
		return "nothing"
	}
	return cut(string(v), quoteValue)
}

// set makes the Fault, with all that was read by then. It always returns false.
func (d *decoder) set(rule Rule, at int, pointer, text string) bool {
	m := d.m
	d.fault = &Fault{Rule: rule, Code: InvalidInput, Offset: at, Pointer: pointer, Text: text, Type: m.Type,
		HaveSessionID: d.haveSession, HaveMessageID: d.haveMessage, HaveCallID: d.haveCall, SessionID: m.SessionID, MessageID: m.MessageID}
	if d.haveCall {
		d.fault.CallID = append([]byte(nil), m.CallID...)
	}
	return false
}

func at(pointer, text string) string {
	if pointer == "" {
		return text
	}
	return "at " + cut(pointer, quotePointer) + ": " + text
}

// fail faults the value at an offset. It always returns false, as the others below do.
func (d *decoder) fail(rule Rule, offset int, wanted string) bool {
	end := jsonwire.Skip(d.src, offset)
	p := pointerTo(d.src, offset)
	return d.set(rule, offset, p, at(p, wanted+" was wanted, "+came(d.src[offset:end])+" came"))
}

// missing faults a member that should be in the object that closes at an offset.
func (d *decoder) missing(rule Rule, closeAt int, name, wanted string) bool {
	p := string(jsonwire.AppendPointerToken([]byte(pointerTo(d.src, closeAt)), name))
	return d.set(rule, closeAt, p, at(p, wanted+" was wanted, nothing came"))
}

// extra faults a member, its name at an offset, that an object must not have.
func (d *decoder) extra(nameAt int, object string) bool {
	p := pointerTo(d.src, nameAt)
	return d.set(RuleSchema, nameAt, p, at(p, object+" has no such member"))
}

func (d *decoder) tooLong(rule Rule, offset, limit, n int) bool {
	p := pointerTo(d.src, offset)
	return d.set(rule, offset, p, at(p, "at most "+strconv.Itoa(limit)+" bytes were wanted, "+strconv.Itoa(n)+" came"))
}

func (d *decoder) textFault(err *jsonwire.Error) bool {
	short := *err
	short.Pointer = cut(short.Pointer, quotePointer)
	return d.set(RuleText, err.Offset, err.Pointer, "bad JSON: "+short.Error())
}

// pointerTo is the JSON Pointer to the innermost value or member's name of a checked text that an offset is in.
func pointerTo(src []byte, offset int) string {
	var p []byte
	for base := jsonwire.SkipSpace(src, 0); ; {
		v := src[base:jsonwire.Skip(src, base)]
		found := false
		switch jsonwire.KindOf(v) {
		case jsonwire.Object:
			for it := jsonwire.ObjectMembers(v); !found; {
				name, value, ok := it.Next()
				if !ok || base+it.Offset() > offset {
					break
				}
				if at := base + it.ValueOffset(); offset < at+len(value) {
					text, _ := jsonwire.AppendUnquoted(nil, name)
					p = jsonwire.AppendPointerToken(p, text)
					base, found = at, true
				}
			}
		case jsonwire.Array:
			n := int64(0)
			for it := jsonwire.ArrayElements(v); !found; n++ {
				value, ok := it.Next()
				if !ok || base+it.Offset() > offset {
					break
				}
				if at := base + it.Offset(); offset < at+len(value) {
					p = jsonwire.AppendInt(append(p, '/'), n)
					base, found = at, true
				}
			}
		}
		if !found {
			return string(p)
		}
	}
}
