package bridge

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
	"aicc.dev/libaicc/core/session"
)

// What a manifest may take, and what of it is not tools, at most.
const (
	maxManifest  = 1 << 20
	restManifest = 16 << 10
)

const (
	maxDescription = 64 << 10
	maxSchema      = 256 << 10
	maxCapability  = 64
)

func (b *Bridge) registerTool(r *Record) {
	set := b.own
	f, ok := ParseFields(r.Data)
	if n := uint32(f.Int(ToolIntSet)); n != 0 {
		set = b.sets[n]
	}
	if !ok || set == nil || r.Object == 0 || b.tools[r.Object] != nil {
		b.host.Reply(r.Arg, &Failure{Status: StatusArg, Field: "toolset", Message: "the toolset is gone: create it before its tools"})
		return
	}
	t, failure := b.newTool(r.Object, f)
	if failure == nil {
		failure = b.place(&t, set, nil)
	}
	if failure == nil && len(b.tools) >= maxTools {
		failure = &Failure{Status: StatusFull, Message: fmt.Sprintf("a bridge takes %d tools", maxTools)}
	}
	if !b.host.Reply(r.Arg, failure) || failure != nil {
		return
	}
	set.Add(&t)
	b.tools[r.Object] = &tool{&t, set}
	b.world.Changed()
}

func (b *Bridge) updateTool(r *Record) {
	old, f := b.tools[r.Object], Fields{}
	f, ok := ParseFields(r.Data)
	if !ok || old == nil {
		b.host.Reply(r.Arg, &Failure{Status: StatusState, Message: "the tool is gone: register it anew"})
		return
	}
	t, failure := b.newTool(r.Object, f)
	if failure == nil {
		failure = b.place(&t, old.set, old)
	}
	if !b.host.Reply(r.Arg, failure) || failure != nil {
		return
	}
	t.Disabled = old.Disabled
	old.set.Replace(old.Tool, t)
	b.world.Changed()
}

// place says why a tool cannot stand in a set, where it takes the place of another or of none.
func (b *Bridge) place(t *session.Tool, set *session.Set, other *tool) *Failure {
	if o := set.Find(t.ID); o != nil && (other == nil || o != other.Tool) {
		return &Failure{Status: StatusName, Field: "id", Message: fmt.Sprintf("there is a tool %q already: ids are unique", t.ID)}
	}
	size := set.Bytes() + len(t.JSON)
	if set != b.own {
		size += b.own.Bytes()
	}
	if other != nil {
		size -= len(other.JSON)
	}
	if size > b.most.manifest-restManifest {
		return &Failure{Status: StatusFull, Field: "description", Message: fmt.Sprintf("with this tool the manifest would pass %d bytes: shorten descriptions or schemas", b.most.manifest)}
	}
	return nil
}

// newTool makes a tool of a record's fields.
func (b *Bridge) newTool(number uint32, f Fields) (t session.Tool, failure *Failure) {
	r := ranges{f: f}
	id, description, capability := f.Str(ToolStrID), f.Str(ToolStrDescription), f.Str(ToolStrCapability)
	switch {
	case !message.ValidToolID(id) || len(id) > b.most.toolID:
		return t, &Failure{Status: StatusName, Field: "id", Message: fmt.Sprintf("a tool's id is [a-z][a-z0-9_]*, at most %d bytes", b.most.toolID)}
	case len(description) == 0 || len(description) > b.most.description || !utf8.Valid(description):
		return t, &Failure{Status: StatusName, Field: "description", Message: fmt.Sprintf("a tool needs a description of 1 to %d bytes of UTF-8: it is all that the agent knows of it", b.most.description)}
	case len(capability) > maxCapability || !utf8.Valid(capability):
		return t, &Failure{Status: StatusName, Field: "requires_capability", Message: "a capability's name has at most 64 bytes of UTF-8"}
	}
	t = session.Tool{
		Number: number, ID: string(id), Capability: string(capability),
		Class:       message.ToolClass(r.int(ToolIntClass, "cls", 0, int64(message.ToolClassCount), 0)),
		PerMinute:   int(r.int(ToolIntPerMinute, "calls_per_minute", 0, 10_000, 0)),
		PerSession:  r.int(ToolIntPerSession, "calls_per_session", 0, math.MaxInt32, 0),
		MaxInFlight: int(r.int(ToolIntMaxInFlight, "max_in_flight", 0, session.MaxInFlight, 0)),
		WhilePaused: f.Int(ToolIntWhilePaused) != 0,
		Hidden:      f.Int(ToolIntHide) != 0 && len(capability) > 0,

		MaxInputBytes:  r.bytes(ToolIntMaxInputBytes, "max_input_bytes"),
		MaxOutputBytes: r.bytes(ToolIntMaxOutputBytes, "max_output_bytes"),
		MaxConcurrent:  r.int(ToolIntMaxConcurrent, "max_concurrent", 0, math.MaxInt64, 0),
	}
	if origin := f.Str(ToolStrOrigin); len(origin) > 0 {
		t.Origin = bytes.Clone(origin)
	}
	if t.Class == 0 {
		r.fail("cls", "a tool is a sensor, an actuator or a generator: set cls")
	}
	if t.MaxInFlight == 0 {
		t.MaxInFlight = session.MaxInFlight
	}
	if f.Int(ToolIntTimeoutMS) == -1 {
		t.TimeoutNS = math.MaxInt64
	} else {
		t.TimeoutNS = ms * r.int(ToolIntTimeoutMS, "timeout_ms", 1, maxMS, 30_000)
	}
	if r.failure != nil {
		return t, r.failure
	}
	strict := f.Int(ToolIntStrict) != 0
	t.Input, failure = compile(f.Str(ToolStrInput), "input_schema", schema.Options{Role: schema.Input, Strict: strict, NoRepair: f.Int(ToolIntNoRepair) != 0})
	if failure != nil {
		return t, failure
	}
	if t.Output, failure = compile(f.Str(ToolStrOutput), "output_schema", schema.Options{Role: schema.Output}); failure != nil {
		return t, failure
	}
	t.JSON = message.AppendTool(nil, &message.Tool{ID: t.ID, Class: t.Class, Description: string(description), InputSchema: t.Input.JSON(),
		OutputSchema: t.Output.JSON(), CallsPerMinute: int64(t.PerMinute), CallsPerSession: t.PerSession, RequiresCapability: t.Capability, StrictInput: strict})
	return t, nil
}

// compile makes a schema, or a failure that says where it is wrong.
func compile(text []byte, field string, o schema.Options) (*schema.Schema, *Failure) {
	if len(text) > 0 {
		check := jsonwire.Scanner{MaxBytes: maxSchema}
		info, err := check.Check(text)
		if err != nil {
			return nil, &Failure{Status: StatusJSON, Field: field, Offset: err.Offset, Pointer: err.Pointer, Message: err.Error()}
		}
		if info.LoneSurrogates > 0 { // an agent's parser may refuse the manifest for them
			text = bytes.Clone(text)
			jsonwire.MendSurrogates(text)
		}
	}
	s, err := schema.Compile(text, o)
	if err == nil {
		return s, nil
	}
	failure := &Failure{Status: StatusSchema, Field: field, Message: err.Error()}
	var where *schema.CompileError
	if errors.As(err, &where) {
		failure.Pointer, failure.Offset = where.Pointer, where.Offset
	}
	return nil, failure
}

func (b *Bridge) enableTool(r *Record) {
	if t := b.tools[r.Object]; t != nil && t.Disabled != (r.Arg == 0) {
		t.Disabled = r.Arg == 0
		b.world.Changed()
	}
}

func (b *Bridge) removeTool(number uint32, t *tool) {
	delete(b.tools, number)
	t.set.Remove(t.Tool)
	b.world.Changed()
	b.world.Lose(t.Tool)
	b.host.ToolReleased(number)
}

// destroySet removes a toolset's tools, and the set from the sessions that have it.
func (b *Bridge) destroySet(number uint32) {
	set := b.sets[number]
	if set == nil {
		return
	}
	delete(b.sets, number)
	for len(set.Tools) > 0 {
		t := set.Tools[0]
		b.removeTool(t.Number, b.tools[t.Number])
	}
	for _, n := range b.numbers() {
		s := b.sessions[n]
		kept := make([]*session.Set, 0, session.MaxSets)
		for _, o := range s.Sets() {
			if o != set {
				kept = append(kept, o)
			}
		}
		if len(kept) < len(s.Sets()) {
			s.SetSets(kept)
		}
	}
}
