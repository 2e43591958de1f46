package message

import (
	"math"

	"aicc.dev/libaicc/core/jsonwire"
)

// Manifest is what a session_init says, its ids apart.
type Manifest struct {
	TickRateHz   float64 // > 0
	TickMode     TickMode
	WorldName    string // not ""
	WorldKind    WorldKind
	Capabilities Capabilities
	Tools        []Tool
	ToolsJSON    []byte // if not nil, appended instead of Tools: the whole array, which many sessions may share
	Model        Model
	Topics       []string // event_subscriptions; left out when nil
}

// Capabilities lists the enabled capability names by tool class.
type Capabilities struct {
	Sensors, Actuators, Generators []string
}

// Model is agent_model.
type Model struct {
	Class          ModelClass
	FirstTokenMS   int64 // expected_first_token_ms; left out when negative
	FullResponseMS int64 // expected_full_response_ms; left out when negative
}

// Tool is one tool of a manifest.
type Tool struct {
	ID                 string
	Class              ToolClass
	Description        string
	InputSchema        []byte // raw object
	OutputSchema       []byte // raw object
	CallsPerMinute     int64  // left out when below 1
	CallsPerSession    int64  // left out when below 1
	RequiresCapability string // left out when ""
	StrictInput        bool   // left out when false
}

// DecodeManifest reads a session_init (Message.Init) or a manifest_update, text that Decode has accepted,
// into man. It checks all that the schema asks of a session_init but the four members of the envelope, which it passes
// over. man keeps no part of raw. Numbers too large or too small for their fields become the nearest that fits.
func DecodeManifest(raw []byte, man *Manifest) *Fault {
	*man = Manifest{Model: Model{FirstTokenMS: -1, FullResponseMS: -1}}
	var d decoder
	d.reset(raw, &Message{Type: SessionInit})
	d.man = man
	if start := jsonwire.SkipSpace(raw, 0); jsonwire.KindOf(raw[start:]) != jsonwire.Object {
		d.fail(RuleObject, start, wantedObject)
	} else {
		d.index(start, jsonwire.Skip(raw, start))
		d.m.Type = SessionInit // whatever the text says of its type
		d.seen |= envelopeBits
		d.rest()
	}
	return d.done()
}

// manifest checks one member of a session_init, and takes it when there is a manifest to fill.
func (d *decoder) manifest(member int, v []byte, at int) bool {
	man := d.man
	if man == nil {
		man = &d.unused
	}
	switch member {
	case mTickRate:
		if jsonwire.KindOf(v) != jsonwire.Number || jsonwire.Sign(v) <= 0 {
			return d.fail(RuleSchema, at, wantedRate)
		}
		rate, _ := jsonwire.ToFloat64(v)
		man.TickRateHz = min(max(rate, math.SmallestNonzeroFloat64), math.MaxFloat64)
	case mTickMode:
		s, _ := d.text(v)
		if man.TickMode = ParseTickMode(s); man.TickMode == 0 {
			return d.fail(RuleSchema, at, wantedMember[mTickMode])
		}
	case mWorld:
		return d.world(v, at, man)
	case mCapabilities:
		return d.capabilities(v, at, &man.Capabilities)
	case mTools:
		return d.tools(v, at, man)
	case mModel:
		return d.model(v, at, &man.Model)
	case mSubscriptions:
		return d.strings(v, at, &man.Topics)
	}
	return true
}

var worldShape = shape{name: "world", required: 2, members: []string{"name", "kind"}, wanted: []string{wantedText, oneOf(worldKindNames[1:])}}

func (d *decoder) world(v []byte, at int, man *Manifest) bool {
	c := d.object(v, at, &worldShape)
	for c.next() {
		s, _ := d.text(c.value)
		switch c.member {
		case 0:
			if len(s) == 0 {
				d.fail(RuleSchema, c.at, wantedText)
			}
			man.WorldName = d.keep(s)
		case 1:
			if man.WorldKind = ParseWorldKind(s); man.WorldKind == 0 {
				d.fail(RuleSchema, c.at, worldShape.wanted[1])
			}
		}
	}
	return d.fault == nil
}

var capabilitiesShape = shape{name: "capabilities", required: 3, members: []string{"sensors", "actuators", "generators"},
	wanted: []string{wantedStrings, wantedStrings, wantedStrings}}

func (d *decoder) capabilities(v []byte, at int, to *Capabilities) bool {
	c := d.object(v, at, &capabilitiesShape)
	for c.next() {
		d.strings(c.value, c.at, [...]*[]string{&to.Sensors, &to.Actuators, &to.Generators}[c.member])
	}
	return d.fault == nil
}

var modelShape = shape{name: "agent_model", required: 1, members: []string{"class", "expected_first_token_ms", "expected_full_response_ms"},
	wanted: []string{oneOf(modelClassNames[1:])}}

func (d *decoder) model(v []byte, at int, to *Model) bool {
	c := d.object(v, at, &modelShape)
	for c.next() {
		switch c.member {
		case 0:
			s, _ := d.text(c.value)
			if to.Class = ParseModelClass(s); to.Class == 0 {
				d.fail(RuleSchema, c.at, modelShape.wanted[0])
			}
		case 1:
			to.FirstTokenMS, _ = d.count(c.value, c.at, 0)
		case 2:
			to.FullResponseMS, _ = d.count(c.value, c.at, 0)
		}
	}
	return d.fault == nil
}

func (d *decoder) tools(v []byte, at int, man *Manifest) bool {
	if jsonwire.KindOf(v) != jsonwire.Array {
		return d.fail(RuleSchema, at, wantedTools)
	}
	it := jsonwire.ArrayElements(v)
	for {
		e, ok := it.Next()
		if !ok {
			return true
		}
		var t Tool
		if !d.tool(e, at+it.Offset(), &t) {
			return false
		}
		if d.man != nil {
			man.Tools = append(man.Tools, t)
		}
	}
}

var toolShape = shape{name: "tool", required: 5,
	members: []string{"id", "class", "description", "input_schema", "output_schema", "limits", "requires_capability", "strict_input"},
	wanted:  []string{wantedToolID, oneOf(toolClassNames[1:]), wantedText, wantedObject, wantedObject}}

func (d *decoder) tool(v []byte, at int, t *Tool) bool {
	c := d.object(v, at, &toolShape)
	for c.next() {
		switch c.member {
		case 0:
			s, _ := d.toolID(c.value, c.at)
			t.ID = d.keep(s)
		case 1:
			s, _ := d.text(c.value)
			if t.Class = ParseToolClass(s); t.Class == 0 {
				d.fail(RuleSchema, c.at, toolShape.wanted[1])
			}
		case 2:
			s, _ := d.string(c.value, c.at, 1)
			t.Description = d.keep(s)
		case 3:
			d.isObject(c.value, c.at)
			t.InputSchema = d.keepBytes(c.value)
		case 4:
			d.isObject(c.value, c.at)
			t.OutputSchema = d.keepBytes(c.value)
		case 5:
			d.limits(c.value, c.at, t)
		case 6:
			s, _ := d.string(c.value, c.at, 0)
			t.RequiresCapability = d.keep(s)
		case 7:
			t.StrictInput, _ = d.boolean(c.value, c.at)
		}
	}
	return d.fault == nil
}

var limitsShape = shape{name: "limits", members: []string{"calls_per_minute", "calls_per_session"}}

func (d *decoder) limits(v []byte, at int, t *Tool) {
	c := d.object(v, at, &limitsShape)
	for c.next() {
		n, _ := d.count(c.value, c.at, 1)
		if c.member == 0 {
			t.CallsPerMinute = n
		} else {
			t.CallsPerSession = n
		}
	}
}

// keep copies text for a Manifest; Decode, which only checks, has none to fill.
func (d *decoder) keep(s []byte) string {
	if d.man == nil {
		return ""
	}
	return string(s)
}

func (d *decoder) keepBytes(v []byte) []byte {
	if d.man == nil {
		return nil
	}
	return append([]byte(nil), v...)
}
