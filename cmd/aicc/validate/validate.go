// Package validate holds messages of aicc/0.1 against the protocol: all faults of each, with their places in the file and what to do.
//
// The judge is the protocol's own schema, compiled by core/schema for the type that a message says it is; on top of it come the rules that the schema's text
// states and its types do not (Fault.Schema is false for those), which core/message enforces, and, if asked for, who may send what.
package validate

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"aicc.dev/libaicc/cmd/aicc/provider"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

// Side is who has sent a message.
type Side uint8

// The sides.
const (
	Anyone Side = iota
	Agent
	Game
)

// ParseSide reads agent or game; "" is anyone.
func ParseSide(name string) (s Side, ok bool) {
	s, ok = map[string]Side{"": Anyone, "agent": Agent, "game": Game}[name]
	return s, ok
}

// Options of Check.
type Options struct {
	From      Side
	Calls     bool // calls and results are held against the manifest that came before them
	MaxFaults int  // that are told, 0: 100. More are counted
}

// Fault is one thing that is wrong.
type Fault struct {
	Message int    `json:"message"` // the first is 1
	Type    string `json:"type,omitempty"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Pointer string `json:"pointer"` // JSON Pointer into the message
	Rule    string `json:"rule"`    // json, schema, protocol, manifest or direction
	Wanted  string `json:"wanted"`
	Got     string `json:"got,omitempty"`
	Fix     string `json:"fix,omitempty"`
	Schema  bool   `json:"schema"` // the protocol's schema alone refuses the message as well
}

// Report is what Check has found.
type Report struct {
	Messages int
	Bad      int // messages with a fault
	Faults   []Fault
	More     int            // faults beyond those that are told
	Types    map[string]int // good messages by their type
}

// Check reads text that is one message, several (a line each, or each over many lines), an array of them, or lines of a transcript
// ({"direction":"to_agent"|"to_bridge","message":{...}}).
func Check(text []byte, o Options) *Report {
	if o.MaxFaults <= 0 {
		o.MaxFaults = 100
	}
	c := &checker{text: text, options: o, report: &Report{Types: map[string]int{}}}
	for _, one := range split(text) {
		c.one(one)
	}
	return c.report
}

type checker struct {
	text    []byte
	options Options
	report  *Report
	check   schema.Checker
	scanner jsonwire.Scanner
	decoded message.Message

	bad  bool // the message at hand
	kind string

	sessions map[message.ID]*played
}

func (c *checker) fault(offset int, pointer, rule string, inSchema bool, wanted, got, fix string) {
	c.bad = true
	if len(c.report.Faults) >= c.options.MaxFaults {
		c.report.More++
		return
	}
	line, column := provider.LineColumn(c.text, offset)
	c.report.Faults = append(c.report.Faults, Fault{c.report.Messages, c.kind, line, column, pointer, rule, wanted, got, fix, inSchema})
}

func (c *checker) one(p part) {
	c.report.Messages++
	c.bad, c.kind = false, ""
	if c.message(p); c.bad {
		c.report.Bad++
	} else {
		c.report.Types[c.kind]++
	}
}

func (c *checker) message(p part) {
	src := c.text[p.start:p.end]
	if p.fault != nil {
		c.fault(p.start+p.fault.Offset, p.fault.Pointer, "json", !json.Valid(src), "JSON", p.fault.Msg, jsonFix(p.fault))
		return
	}
	info, err := c.scanner.Check(src)
	if err != nil {
		c.fault(p.start+err.Offset, err.Pointer, "json", !json.Valid(src), "JSON", err.Msg, jsonFix(err))
		return
	}
	src = src[info.Start:info.End]
	at, from := p.start+info.Start, c.options.From
	if info.Kind != jsonwire.Object {
		c.fault(at, "", "schema", true, "an object", info.Kind.String(), "a message is a JSON object")
		return
	}
	if inner, side := transcript(src); inner >= 0 {
		if from == Anyone {
			from = side
		}
		end := jsonwire.Skip(src, inner)
		src, at = src[inner:end], at+inner
	}
	c.kind = textOf(src, "type")
	kind := message.ParseType(c.kind)
	if kind == 0 {
		c.kind = ""
	}
	c.schema(src, at, kind)
	if !c.bad {
		c.decode(src, at)
	}
	if !c.bad {
		c.contents(src, at)
	}
	if !c.bad && c.options.Calls {
		c.calls(src, at)
	}
	if kind != 0 {
		c.direction(src, at, kind, from)
	}
}

// schema holds a message against its type's part of the protocol's schema.
func (c *checker) schema(src []byte, at int, kind message.Type) {
	s := schemas[kind]
	if s.Check(&c.check, src) {
		return
	}
	faults := slices.Clone(c.check.Faults)
	slices.SortStableFunc(faults, func(a, b schema.Fault) int { return provider.Locate(src, a.Pointer) - provider.Locate(src, b.Pointer) })
	for _, f := range faults {
		if kind == 0 && f.Keyword == "additionalProperties" {
			continue // of a message whose type is not known nothing is known of the rest
		}
		value := provider.Locate(src, f.Pointer)
		inSchema := !(f.Keyword == "format" && strings.HasPrefix(strings.ToLower(f.Got), `"urn:uuid:`)) // which the format uuid of most validators takes
		rule := "schema"
		if !inSchema {
			rule = "protocol"
		}
		c.fault(at+value, f.Pointer, rule, inSchema, f.Want, f.Got, fix(f, kind))
	}
	c.report.More += c.check.More
	c.bad = true
}

// decode finds what the schema lets pass and every bridge and agent of this library refuses.
func (c *checker) decode(src []byte, at int) {
	c.decoded.MaxBytes = len(src) + 1
	f := message.Decode(src, &c.decoded)
	if f == nil {
		return
	}
	wanted, fix := f.Text, ""
	wanted = strings.TrimPrefix(wanted, "at "+f.Pointer+": ")
	got := ""
	if before, after, ok := strings.Cut(wanted, " was wanted, "); ok {
		wanted, got = before, strings.TrimSuffix(after, " came")
	} else if before, after, ok := strings.Cut(wanted, " were wanted, "); ok {
		wanted, got = before, strings.TrimSuffix(after, " came")
	}
	switch f.Rule {
	case message.RuleOutcome:
		fix = "a result has output exactly when ok is true, and error exactly when it is false"
	case message.RuleCallID:
		fix = "make call ids short: a UUID or a counter"
	case message.RuleToolID:
		fix = "give the tool a shorter id"
	}
	c.fault(at+provider.Locate(src, f.Pointer), f.Pointer, "protocol", false, strings.TrimSuffix(wanted, ","), got, fix)
}

// contents looks into what the schema calls an object and the protocol's text says more of: a manifest's tools, and an update's manifest.
func (c *checker) contents(src []byte, at int) {
	manifest, base := c.decoded.Init, ""
	if c.decoded.Type == message.Heartbeat {
		manifest, base = c.decoded.ManifestUpdate, "/manifest_update"
	}
	if manifest == nil {
		return
	}
	manifest, offset := manifest, 0
	if base != "" {
		offset = provider.Locate(src, base)
		s := updateSchema
		if !s.Check(&c.check, manifest) {
			for _, f := range c.check.Faults {
				c.fault(at+offset+provider.Locate(manifest, f.Pointer), base+f.Pointer, "protocol", false, f.Want, f.Got,
					"manifest_update is the whole session_init without session_id and message_id")
			}
			c.report.More += c.check.More
			return
		}
	}
	var m message.Manifest
	if f := message.DecodeManifest(manifest, &m); f != nil {
		c.fault(at+offset+f.Offset, base+f.Pointer, "protocol", false, f.Text, "", "")
		return
	}
	seen := map[string]int{}
	for i, t := range m.Tools {
		place := fmt.Sprintf("/tools/%d", i)
		if first, twice := seen[t.ID]; twice {
			c.fault(at+offset+provider.Locate(manifest, place+"/id"), base+place+"/id", "protocol", false, "an id that no other tool of the session has", fmt.Sprintf("%q, as /tools/%d has", t.ID, first), "ids are unique within a session: rename one of the two")
		}
		seen[t.ID] = i
		for _, one := range []struct {
			name string
			text []byte
			role schema.Role
		}{{"input_schema", t.InputSchema, schema.Input}, {"output_schema", t.OutputSchema, schema.Output}} {
			_, err := schema.Compile(one.text, schema.Options{Role: one.role})
			var of *schema.CompileError
			if errors.As(err, &of) {
				c.fault(at+offset+provider.Locate(manifest, place+"/"+one.name+of.Pointer), base+place+"/"+one.name+of.Pointer, "protocol", false,
					"a JSON Schema that bridges take", of.Msg, "`aicc lint` says more of a manifest's schemas")
			}
		}
	}
}

// direction holds a message to who may send it (DESIGN 5.6).
func (c *checker) direction(src []byte, at int, kind message.Type, from Side) {
	place := at + provider.Locate(src, "/type")
	say := func(wanted, fix string) {
		c.fault(place, "/type", "direction", false, wanted, `"`+kind.String()+`"`, fix)
	}
	switch from {
	case Agent:
		switch kind {
		case message.SessionInit, message.ToolResult:
			say("a message that an agent sends", "only the game sends "+kind.String())
		case message.Event:
			if topic := textOf(src, "topic"); message.ParseTopic(topic) != 0 && topic != "agent_message" {
				c.fault(at+provider.Locate(src, "/topic"), "/topic", "direction", false, `"agent_message"`, `"`+topic+`"`, "an agent sends events of this topic alone: call a tool to act")
			}
		case message.Heartbeat:
			if _, ok := jsonwire.Lookup(src, "manifest_update"); ok {
				c.fault(at+provider.Locate(src, "/manifest_update"), "/manifest_update", "direction", false, "no such member", "", "only the game tells of its manifest")
			}
		}
	case Game:
		switch kind {
		case message.SessionResume, message.ManifestRequest, message.ToolCall:
			say("a message that a game sends", "only an agent sends "+kind.String())
		}
	}
}
