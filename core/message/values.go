package message

import (
	"math"

	"aicc.dev/libaicc/core/jsonwire"
)

// The words for what a member should be.
const (
	wantedObject  = "an object"
	wantedString  = "a string"
	wantedBoolean = "true or false"
	wantedUUID    = "a UUID in 8-4-4-4-12 form"
	wantedText    = "a string that is not empty"
	wantedToolID  = "a tool id (a letter a to z, then a to z, 0 to 9 and _)"
	wantedStrings = "an array of strings"
	wantedCount0  = "an integer of at least 0"
	wantedCount1  = "an integer of at least 1"
	wantedRate    = "a number above 0"
	wantedTools   = "an array of tools"
	wantedError   = "an error object"
)

var wantedMember = [mCount]string{
	mProtocol: `"` + Protocol + `"`, mType: oneOf(typeNames[1:]), mSession: wantedUUID, mMessage: wantedUUID,
	mCallID: wantedText, mTool: wantedToolID, mInput: wantedObject, mOK: wantedBoolean, mTopic: oneOf(topicNames[:]), mPayload: wantedObject,
	mTickRate: wantedRate, mTickMode: oneOf(tickModeNames[1:]), mWorld: wantedObject, mCapabilities: wantedObject, mTools: wantedTools,
	mModel: wantedObject, mError: wantedError, mOutput: wantedObject, mMeta: wantedObject, mReason: wantedString, mUpdate: wantedObject,
	mSubscriptions: wantedStrings,
}

func oneOf(names []string) string {
	s := "one of "
	for i, n := range names {
		if i > 0 {
			s += ", "
		}
		s += n
	}
	return s
}

// The functions below check the value v at an offset of the text and fault it when it is something else.

func (d *decoder) isObject(v []byte, at int) bool {
	return jsonwire.KindOf(v) == jsonwire.Object || d.fail(RuleSchema, at, wantedObject)
}

func (d *decoder) boolean(v []byte, at int) (value, ok bool) {
	if jsonwire.KindOf(v) != jsonwire.Bool {
		return false, d.fail(RuleSchema, at, wantedBoolean)
	}
	return v[0] == 't', true
}

// text decodes a string and faults nothing.
func (d *decoder) text(v []byte) (s []byte, ok bool) {
	if jsonwire.KindOf(v) != jsonwire.String {
		return nil, false
	}
	return jsonwire.Text(v, &d.scratch), true
}

// string takes a string of at least minRunes (0 or 1) code points.
func (d *decoder) string(v []byte, at, minRunes int) (s []byte, ok bool) {
	s, ok = d.text(v)
	if ok && len(s) >= minRunes {
		return s, true
	}
	if minRunes > 0 {
		return nil, d.fail(RuleSchema, at, wantedText)
	}
	return nil, d.fail(RuleSchema, at, wantedString)
}

func (d *decoder) toolID(v []byte, at int) (id []byte, ok bool) {
	s, ok := d.text(v)
	if !ok || !hasToolForm(s) {
		return nil, d.fail(RuleSchema, at, wantedToolID)
	}
	if len(s) > MaxToolIDBytes {
		return nil, d.tooLong(RuleToolID, at, MaxToolIDBytes, len(s))
	}
	return s, true
}

func hasToolForm[S text](id S) bool {
	for i := 0; i < len(id); i++ {
		c := id[i]
		if 'a' <= c && c <= 'z' || i > 0 && (c == '_' || '0' <= c && c <= '9') {
			continue
		}
		return false
	}
	return len(id) > 0
}

// ValidToolID tells whether id has the schema's form and at most MaxToolIDBytes.
func ValidToolID[S text](id S) bool { return len(id) <= MaxToolIDBytes && hasToolForm(id) }

// count takes an integer of at least least (0 or 1). One that fits no int64 is the largest.
func (d *decoder) count(v []byte, at, least int) (n int64, ok bool) {
	if jsonwire.KindOf(v) != jsonwire.Number || !jsonwire.IsInteger(v) || jsonwire.Sign(v) < least {
		return 0, d.fail(RuleSchema, at, [...]string{wantedCount0, wantedCount1}[least])
	}
	n, err := jsonwire.ToInt64(v)
	if err != nil {
		n = math.MaxInt64
	}
	return n, true
}

// strings takes an array of strings.
func (d *decoder) strings(v []byte, at int, to *[]string) bool {
	if jsonwire.KindOf(v) != jsonwire.Array {
		return d.fail(RuleSchema, at, wantedStrings)
	}
	if d.man != nil {
		*to = []string{}
	}
	it := jsonwire.ArrayElements(v)
	for {
		e, more := it.Next()
		if !more {
			return true
		}
		s, ok := d.string(e, at+it.Offset(), 0)
		if !ok {
			return false
		}
		if d.man != nil {
			*to = append(*to, string(s))
		}
	}
}

// shape is an object inside a message: its members, those that are required first, and what each should be.
type shape struct {
	name     string
	open     bool // it may have others
	required int
	members  []string
	wanted   []string
}

// cursor goes through an object's members by a shape.
type cursor struct {
	d     *decoder
	shape *shape
	it    jsonwire.Members
	base  int
	end   int
	seen  uint32

	member int // in shape.members, -1 for another one
	value  []byte
	at     int
}

// object starts over v; where that is no object the first next faults it.
func (d *decoder) object(v []byte, at int, s *shape) cursor {
	c := cursor{d: d, shape: s, base: at, end: at + len(v) - 1}
	if d.isObject(v, at) {
		c.it = jsonwire.ObjectMembers(v)
	}
	return c
}

// next goes to the next member. It is false at a fault, and at the end, where it faults what is missing.
func (c *cursor) next() bool {
	if c.d.fault != nil {
		return false
	}
	name, value, ok := c.it.Next()
	if !ok {
		for i := range c.shape.required {
			if c.seen&(1<<i) == 0 {
				return c.d.missing(RuleSchema, c.end, c.shape.members[i], c.shape.wanted[i])
			}
		}
		return false
	}
	text := jsonwire.Text(name, &c.d.scratch)
	c.member, c.value, c.at = -1, value, c.base+c.it.ValueOffset()
	for i, n := range c.shape.members {
		if string(text) == n {
			c.member = i
			c.seen |= 1 << i
			return true
		}
	}
	return c.shape.open || c.d.extra(c.base+c.it.Offset(), c.shape.name)
}

var errorShape = shape{name: "error", required: 3, members: []string{"code", "message", "retryable"},
	wanted: []string{oneOf(errorCodeNames[1:]), wantedText, wantedBoolean}}

func (d *decoder) errorObject(v []byte, at int, e *Error) bool {
	c := d.object(v, at, &errorShape)
	for c.next() {
		switch c.member {
		case 0:
			if s, ok := d.text(c.value); ok {
				e.Code = ParseErrorCode(s)
			}
			if e.Code == 0 {
				d.fail(RuleSchema, c.at, errorShape.wanted[0])
			}
		case 1:
			e.Message, _ = d.string(c.value, c.at, 1)
		case 2:
			e.Retryable, _ = d.boolean(c.value, c.at)
		}
	}
	return d.fault == nil
}

var metaShape = shape{name: "meta", open: true, members: []string{"tick", "latency_ms", "source"}}

func (d *decoder) meta(v []byte, at int) bool {
	c := d.object(v, at, &metaShape)
	for c.next() {
		switch c.member {
		case 0, 1:
			d.count(c.value, c.at, 0)
		case 2:
			d.string(c.value, c.at, 0)
		}
	}
	return d.fault == nil
}
