package capability

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/latency"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

// Tool is a tool as documents know it: what a manifest says of it, and what it does not. Import makes one, Export takes one.
type Tool struct {
	message.Tool

	MaxInputBytes  int64 // of the input as it came; 0: no bound
	MaxOutputBytes int64 // 0: no bound
	MaxConcurrent  int64 // calls in flight, over all sessions; 0: no bound

	Latency latency.Summary // published from MinCalls calls on

	Name, Version string    // to publish it under; "": Origin's, else by rule
	Origin        *Document // what it was imported from: what a tool has no place for goes out again as it came
}

// MinCalls is how many calls a latency must be measured over to be published.
const MinCalls = 100

// Options of Export. They concern tools without an Origin.
type Options struct {
	World   string // its name; names begin with x.aicc. and its Slug
	Prefix  string // names begin with this instead; reserved roots are checked
	Version string // "": 1.0
	Tags    []string
	Quality *Quality
	Pricing *Pricing
	Policy  *Policy
}

// ToolError says why one tool has no document.
type ToolError struct {
	Tool string
	Err  error // an *Error or a *ConvertError
}

func (e *ToolError) Error() string { return "tool " + quoted(e.Tool) + ": " + e.Err.Error() }
func (e *ToolError) Unwrap() error { return e.Err }

// Export writes tools as documents, in their order. A tool that cannot be written is left out and the error, a join of
// *ToolErrors, says why; the others are there all the same. Whatever does not fit is in the notes.
func Export(tools []Tool, o Options) (docs []*Document, notes []Note, err error) {
	e := exporter{o: o, prefix: o.Prefix, names: map[string]bool{}}
	if e.prefix == "" {
		slug := Slug(o.World)
		e.prefix = "x.aicc." + slug
		if o.World == "" {
			e.notes = append(e.notes, Note{Kind: Chosen, Text: "the world has no name; names say " + slug})
		} else if slug != o.World {
			e.notes = append(e.notes, Note{Kind: Loss, Text: "the world's name " + quoted(o.World) + " stands in names as " + slug})
		}
	}
	var refused []error
	for i := range tools {
		e.tool, e.from = &tools[i], len(e.notes)
		d, err := e.document()
		if err != nil {
			e.notes = e.notes[:e.from]
			refused = append(refused, &ToolError{tools[i].ID, err})
			continue
		}
		docs = append(docs, d)
	}
	return docs, e.notes, errors.Join(refused...)
}

type exporter struct {
	o      Options
	prefix string
	names  map[string]bool // with their versions
	notes  []Note
	from   int // of this tool's notes

	tool *Tool
	base *Tool // what Origin alone makes
	doc  *Document
}

func (e *exporter) note(kind NoteKind, pointer, text string) {
	e.notes = append(e.notes, Note{Kind: kind, Tool: e.tool.ID, Pointer: pointer, Text: text})
}

func (e *exporter) document() (*Document, error) {
	t := e.tool
	if err := e.begin(); err != nil {
		return nil, err
	}
	d := e.doc
	e.description()
	for _, p := range []struct {
		pointer     string
		schema, had []byte
		to          *[]byte
		modes       *[]string
		role        schema.Role
		without     string
	}{
		{"/input_schema", t.InputSchema, e.base.InputSchema, &d.InputSchema, &d.InputModes, schema.Input, noInput},
		{"/output_schema", t.OutputSchema, e.base.OutputSchema, &d.OutputSchema, &d.OutputModes, schema.Output, anyOutput},
	} {
		text := p.schema
		if len(text) == 0 {
			text = []byte(p.without)
		}
		if t.Origin != nil && sameText(text, p.had) {
			continue // as it came
		}
		converted, err := e.payload(p.pointer, text, p.role)
		if err != nil {
			return nil, err
		}
		if *p.to = converted; t.Origin == nil && !isNullPayload(converted) {
			*p.modes = []string{"application/json"}
		}
	}
	e.constraints()
	if err := e.extension(); err != nil {
		return nil, err
	}
	return d, e.end()
}

// begin makes the document that the rest is written into: the Origin, or a new one.
func (e *exporter) begin() error {
	t := e.tool
	if !message.ValidToolID(t.ID) || t.Class < message.Sensor || int(t.Class) > message.ToolClassCount {
		return refuse("", RuleTool, "a tool with an id ([a-z][a-z0-9_]*, at most 64 bytes) and a class", "id "+quoted(t.ID)+", class "+quoted(t.Class.String()))
	}
	for _, n := range []int64{t.MaxInputBytes, t.MaxOutputBytes} {
		if n == 1 {
			return refuse("", RuleBound, boundWanted, "1")
		}
	}
	if t.Origin != nil {
		text, err := t.Origin.Encode(Lenient)
		if err != nil {
			return err
		}
		e.doc = read(text)
		if e.base, _, err = fromDocument(e.doc, ImportOptions{Strictness: Lenient, Extensions: requiredURIs(e.doc)}); err != nil {
			return err
		}
		if t.Name != "" {
			e.doc.Name = t.Name
		}
		if t.Version != "" {
			e.doc.Version = t.Version
		}
		return nil
	}
	e.base = &Tool{}
	e.doc = &Document{Name: t.Name, Version: t.Version, Tags: []string{"aicc", t.Class.String()}, Quality: e.o.Quality, Pricing: e.o.Pricing, Policy: e.o.Policy}
	if e.doc.Version == "" {
		e.doc.Version = e.o.Version
	}
	if e.doc.Version == "" {
		e.doc.Version = "1.0"
	}
	if e.doc.Name == "" {
		e.doc.Name = e.prefix + "." + t.ID
		if len(e.doc.Name) > MaxNameBytes {
			e.note(Loss, "/id", fmt.Sprintf("the name has %d bytes, of which %d stay", len(e.doc.Name), MaxNameBytes))
			e.doc.Name = e.doc.Name[:MaxNameBytes]
		}
	}
	for _, tag := range e.o.Tags {
		if !slices.Contains(e.doc.Tags, tag) {
			e.doc.Tags = append(e.doc.Tags, tag)
		}
	}
	return nil
}

func (e *exporter) description() {
	t := e.tool
	if t.Origin != nil && t.Description == e.base.Description {
		return
	}
	s := t.Description
	if n := utf8.RuneCountInString(s); n > MaxDescriptionRunes {
		s = string([]rune(s)[:MaxDescriptionRunes])
		e.note(Loss, "/description", fmt.Sprintf("of %d code points %d stay", n, MaxDescriptionRunes))
	}
	e.doc.Description = &s
}

// payload writes a tool's schema as a document has it.
func (e *exporter) payload(at string, text []byte, role schema.Role) ([]byte, error) {
	fail := func(err *ConvertError) ([]byte, error) {
		return nil, &ConvertError{err.Name, at + err.Pointer, err.Keyword, err.Msg}
	}
	if err := compiles(text, role); err != nil {
		return fail(err)
	}
	out, notes, err := ToDraft7(text)
	if err != nil {
		return fail(err.(*ConvertError))
	}
	for _, n := range notes {
		e.note(n.Kind, at+n.Pointer, n.Text)
	}
	if null := toNullPayload(out); null != nil {
		return null, nil // compiled already, in the form of an object
	}
	if err := compiles(asDraft7(out), role); err != nil {
		return fail(err)
	}
	return out, nil
}

func (e *exporter) constraints() {
	t, c := e.tool, Constraints{}
	if e.doc.Constraints != nil {
		c = *e.doc.Constraints
	}
	set := func(n *Number, now, was int64) {
		switch {
		case t.Origin != nil && now == was: // as it came
		case now > 0:
			*n = Int(now)
		default:
			*n = ""
		}
	}
	set(&c.MaxInputBytes, t.MaxInputBytes, e.base.MaxInputBytes)
	set(&c.MaxOutputBytes, t.MaxOutputBytes, e.base.MaxOutputBytes)
	set(&c.MaxConcurrent, t.MaxConcurrent, e.base.MaxConcurrent)
	if t.Latency.Calls >= MinCalls {
		c.P50LatencyMS, c.P95LatencyMS = Int(milliseconds(t.Latency.P50NS)), Int(milliseconds(t.Latency.P95NS))
	}
	if e.doc.Constraints != nil || len(appendConstraints(&c)) > len(appendConstraints(&Constraints{})) {
		e.doc.Constraints = &c
	}
}

// appendConstraints is for telling whether there are any.
func appendConstraints(c *Constraints) []byte { return (&Document{Constraints: c}).Append(nil) }

// milliseconds rounds up: nothing takes no time.
func milliseconds(ns int64) int64 { return (max(ns, 0) + 999_999) / 1_000_000 }

// extension writes what a tool has and a document has no field for, unless Origin makes the same tool without.
func (e *exporter) extension() error {
	t, b := e.tool, e.base
	if t.Origin != nil && t.ID == b.ID && t.Class == b.Class && t.StrictInput == b.StrictInput && t.CallsPerMinute == b.CallsPerMinute &&
		t.CallsPerSession == b.CallsPerSession && t.RequiresCapability == b.RequiresCapability && e.dialects(nil) == nil {
		return nil
	}
	no := false
	mine := Extension{URI: ToolExtension, Required: &no}
	at := slices.IndexFunc(e.doc.Extensions, func(x Extension) bool { return x.URI == ToolExtension })
	if at < 0 {
		if len(e.doc.Extensions) >= maxExtensions {
			return refuse("/extensions", RuleTool, fmt.Sprintf("room for the extension that says what tool it is: at most %d others", maxExtensions-1), fmt.Sprintf("%d", len(e.doc.Extensions)))
		}
		e.doc.Extensions = append(e.doc.Extensions, mine)
		at = len(e.doc.Extensions) - 1
	}
	x := &e.doc.Extensions[at]
	w := writer{}
	w.open('{')
	w.text("id", t.ID, true)
	w.text("class", t.Class.String(), true)
	if t.StrictInput {
		w.boolean("strict_input", &t.StrictInput)
	}
	if t.CallsPerMinute > 0 || t.CallsPerSession > 0 {
		w.name("limits")
		w.open('{')
		if t.CallsPerMinute > 0 {
			w.number("calls_per_minute", Int(t.CallsPerMinute))
		}
		if t.CallsPerSession > 0 {
			w.number("calls_per_session", Int(t.CallsPerSession))
		}
		w.close('}')
	}
	w.text("requires_capability", t.RequiresCapability, false)
	e.dialects(&w)
	if x.Params != nil { // what others put beside it stays
		members(x.Params, func(name string, v []byte) {
			if !slices.Contains(toolParams, name) {
				w.raw(name, v)
			}
		})
	}
	w.close('}')
	x.Params = w.dst
	return nil
}

// dialects notes which schemas said that they are 2020-12, since there they say draft-07. Without a writer it only tells.
func (e *exporter) dialects(w *writer) []byte {
	var said []byte
	for _, p := range []struct {
		name            string
		now, had, there []byte
	}{
		{"input_dialect", e.tool.InputSchema, e.base.InputSchema, e.doc.InputSchema},
		{"output_dialect", e.tool.OutputSchema, e.base.OutputSchema, e.doc.OutputSchema},
	} {
		if len(p.now) == 0 || declared(trim(p.now)) != Draft2020 {
			continue
		}
		if w == nil && sameText(p.now, p.had) {
			continue
		}
		said, _ = jsonwire.Lookup(trim(p.now), "$schema")
		if w != nil {
			w.raw(p.name, said)
		}
	}
	return said
}

// end sees that the schema takes what was written.
func (e *exporter) end() error {
	d := e.doc
	name := d.Name
	for i := 2; e.names[d.Name+"@"+d.Version]; i++ {
		tail := "_" + strconv.Itoa(i)
		d.Name = name[:min(len(name), MaxNameBytes-len(tail))] + tail
	}
	if d.Name != name {
		e.note(Collision, "", name+" "+d.Version+" is there already; this one is "+d.Name)
	}
	e.names[d.Name+"@"+d.Version] = true
	how := Strict
	if e.tool.Origin != nil {
		how = Lenient
	}
	v := Validate(d.Append(nil), how)
	for _, f := range v.Passed {
		e.note(Passed, "", f.String())
	}
	return v.Err()
}

func requiredURIs(d *Document) (list []string) {
	for _, x := range d.Extensions {
		list = append(list, x.URI)
	}
	return list
}

// sameText compares two schemas less their white space.
func sameText(a, b []byte) bool {
	return len(a) > 0 && len(b) > 0 && string(jsonwire.AppendCompact(nil, trim(a))) == string(jsonwire.AppendCompact(nil, trim(b)))
}
