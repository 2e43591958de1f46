package capability

import (
	"fmt"
	"slices"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

// ImportOptions of Import.
type ImportOptions struct {
	Strictness Strictness
	ID         string            // "": what our extension says, else ToolID of the name
	Class      message.ToolClass // of a document that does not say; 0: one of its tags, else generator
	Extensions []string          // URIs of extensions that the host heeds; others that are required are refused
}

// What a tool without schemas takes and gives, and what a document without means.
const (
	noInput   = `{"type":"object","additionalProperties":false}`
	anyOutput = `{"type":"object"}`
)

const boundWanted = "room for an object, the smallest of which has 2 bytes"

// toolParams are the members of our extension's params.
var toolParams = []string{"id", "class", "strict_input", "limits", "requires_capability", "input_dialect", "output_dialect"}

// Import reads a document and makes of it what a tool is registered with. The tool keeps the document as its Origin, so that Export
// gives the same document again. The error is an *Error.
func Import(text []byte, o ImportOptions) (*Tool, []Note, error) {
	d, passed, err := Decode(text, o.Strictness)
	if err != nil {
		return nil, nil, err
	}
	t, notes, err := fromDocument(d, o)
	if err != nil {
		return nil, nil, err
	}
	return t, append(passed, notes...), nil
}

// ImportAll imports several documents and gives tools whose ids differ.
func ImportAll(list []Part, o ImportOptions) ([]*Tool, []Note, error) {
	var tools []*Tool
	var notes []Note
	ids := taken{}
	for _, p := range list {
		t, more, err := Import(p.Text, o)
		if err != nil {
			return nil, nil, under(p.Pointer, err)
		}
		for _, n := range more {
			n.Pointer = p.Pointer + n.Pointer
			notes = append(notes, n)
		}
		if id := ids.free(t.ID, maxToolIDBytes); id != t.ID {
			notes = append(notes, Note{Kind: Collision, Tool: t.ID, Pointer: p.Pointer, Text: "there is a tool of this id already; this one is " + id})
			t.ID = id
		}
		tools = append(tools, t)
	}
	return tools, notes, nil
}

// under moves an *Error's pointers below another.
func under(at string, err error) error {
	e, ok := err.(*Error)
	if !ok {
		return err
	}
	moved := &Error{More: e.More}
	for _, f := range e.Faults {
		f.Pointer = at + f.Pointer
		moved.Faults = append(moved.Faults, f)
	}
	return moved
}

type importer struct {
	o     ImportOptions
	d     *Document
	t     *Tool
	notes []Note
	said  bool // our extension is there
	error *Error

	dialects [2]string // that the schemas had
}

func (m *importer) note(kind NoteKind, pointer, text string) {
	m.notes = append(m.notes, Note{Kind: kind, Tool: m.t.ID, Pointer: pointer, Text: text})
}

func (m *importer) fault(pointer, rule, want, got string) {
	if m.error == nil {
		m.error = &Error{}
	}
	m.error.Faults = append(m.error.Faults, Fault{pointer, rule, want, got})
}

func fromDocument(d *Document, o ImportOptions) (*Tool, []Note, error) {
	m := &importer{o: o, d: d, t: &Tool{Origin: d}}
	m.t.ID = o.ID
	m.extensions()
	m.identity()
	m.t.InputSchema = m.payload("/input_schema", d.InputSchema, schema.Input, 0)
	m.t.OutputSchema = m.payload("/output_schema", d.OutputSchema, schema.Output, 1)
	m.bounds()
	if m.error != nil {
		slices.SortStableFunc(m.error.Faults, func(a, b Fault) int { return strings.Compare(a.Pointer, b.Pointer) })
		return nil, nil, m.error
	}
	for i := range m.notes {
		m.notes[i].Tool = m.t.ID
	}
	return m.t, m.notes, nil
}

func (m *importer) extensions() {
	for i, x := range m.d.Extensions {
		at := pointerItem("/extensions", i)
		switch {
		case x.URI == ToolExtension:
			if m.said {
				m.fault(at, RuleTool, "one extension that says what tool it is", "a second one")
				continue
			}
			m.said = true
			m.params(at+"/params", x.Params)
		case x.Required != nil && *x.Required && !slices.Contains(m.o.Extensions, x.URI):
			m.fault(at+"/uri", RuleRequired, "no extension that is required and not known here", quoted(x.URI))
		}
	}
}

// params reads our extension.
func (m *importer) params(at string, raw []byte) {
	if raw == nil {
		raw = []byte("{}")
	}
	haveID, haveClass := false, false
	members(raw, func(name string, v []byte) {
		at := pointer(at, name)
		text := ""
		if jsonwire.KindOf(v) == jsonwire.String {
			text = decoded(v)
		}
		switch name {
		case "id":
			if haveID = true; !message.ValidToolID(text) {
				m.fault(at, RuleTool, "a tool's id ([a-z][a-z0-9_]*, at most 64 bytes)", snippet(v))
			} else if m.t.ID == "" {
				m.t.ID = text
			}
		case "class":
			haveClass = true
			if m.t.Class = message.ParseToolClass(text); m.t.Class == 0 {
				m.fault(at, RuleTool, "one of sensor, actuator, generator", snippet(v))
			}
		case "strict_input":
			if jsonwire.KindOf(v) != jsonwire.Bool {
				m.fault(at, RuleTool, "a boolean", snippet(v))
			}
			m.t.StrictInput = v[0] == 't'
		case "limits":
			m.limits(at, v)
		case "requires_capability":
			if m.t.RequiresCapability = text; text == "" {
				m.fault(at, RuleTool, "a capability's name", snippet(v))
			}
		case "input_dialect", "output_dialect":
			if draftOf(v) != Draft2020 {
				m.fault(at, RuleTool, quoted(uri2020), snippet(v))
				return
			}
			i := 0
			if name == "output_dialect" {
				i = 1
			}
			m.dialects[i] = string(v)
		}
	})
	if !haveID || !haveClass {
		m.fault(at, RuleTool, "an object with id and class", snippet(raw))
	}
}

func (m *importer) limits(at string, v []byte) {
	if jsonwire.KindOf(v) != jsonwire.Object {
		m.fault(at, RuleTool, "an object", snippet(v))
		return
	}
	members(v, func(name string, v []byte) {
		n, ok := Number(v).Int()
		switch {
		case name != "calls_per_minute" && name != "calls_per_session":
			m.fault(pointer(at, name), RuleTool, "calls_per_minute and calls_per_session only", quoted(name))
		case !ok || n < 1:
			m.fault(pointer(at, name), RuleTool, "an integer of at least 1", snippet(v))
		case name == "calls_per_minute":
			m.t.CallsPerMinute = n
		default:
			m.t.CallsPerSession = n
		}
	})
}

// identity settles what the tool is called, and is, where our extension does not say.
func (m *importer) identity() {
	t, d := m.t, m.d
	if t.ID == "" {
		t.ID = ToolID(d.Name)
		m.note(Chosen, "/name", "the tool's id is "+t.ID)
		if full := strings.ReplaceAll(d.Name, ".", "_"); len(full) > maxToolIDBytes {
			m.note(Loss, "/name", fmt.Sprintf("the id keeps %d bytes of it", maxToolIDBytes))
		}
	} else if !message.ValidToolID(t.ID) {
		m.fault("", RuleTool, "a tool's id ([a-z][a-z0-9_]*, at most 64 bytes)", quoted(t.ID))
	}
	if t.Class == 0 && m.error == nil {
		t.Class = m.o.Class
		for _, tag := range d.Tags {
			if t.Class == 0 {
				t.Class = message.ParseToolClass(tag)
			}
		}
		if t.Class == 0 {
			t.Class = message.Generator
		}
		m.note(Chosen, "", "the tool is a "+t.Class.String()+", which the document does not say")
	}
	if d.Description == nil || *d.Description == "" {
		t.Description = d.Name
		m.note(Chosen, "/description", "there is none; the name stands for it")
	} else {
		t.Description = *d.Description
	}
}

// payload makes a tool's schema of a document's.
func (m *importer) payload(at string, text []byte, role schema.Role, which int) []byte {
	if text == nil {
		m.note(Chosen, at, "there is none; any object will do")
		return []byte(anyOutput)
	}
	err := func() *ConvertError {
		object, err := fromNullPayload(text)
		if err != nil {
			return err
		}
		if object != nil {
			text = object
		}
		if declared(text) == Draft7 && m.dialects[which] == "" {
			text = jsonwire.AppendCompact(nil, text) // a tool may be draft-07 when it says so
			_, err = parseSchema(text, Draft7)
		} else {
			out, notes, failed := To2020(text)
			if failed != nil {
				return failed.(*ConvertError)
			}
			text = out
			for _, n := range notes {
				m.note(n.Kind, at+n.Pointer, n.Text)
			}
		}
		if err != nil {
			return err
		}
		if m.dialects[which] != "" {
			text = withDialect(text, m.dialects[which])
		}
		return compiles(text, role)
	}()
	if err != nil {
		m.fault(at+err.Pointer, RulePayload, "a schema that a tool can have", err.Msg+" ("+err.Name+")")
	}
	return text
}

// withDialect puts another $schema into a schema that has one.
func withDialect(text []byte, dialect string) []byte {
	out := object()
	members(text, func(name string, v []byte) {
		if name == "$schema" {
			v = []byte(dialect)
		}
		out.put(name, leaf(v))
	})
	return out.append(nil)
}

// bounds takes what is enforced on calls.
func (m *importer) bounds() {
	c := m.d.Constraints
	if c == nil {
		return
	}
	size := func(name string, n Number, schema []byte) int64 {
		value, _ := n.Int()
		if n != "" && value < 2 && !isNullPayload(schema) {
			m.fault("/constraints/"+name, RuleBound, boundWanted, string(n))
		}
		if value < 2 {
			return 0 // no payload is none
		}
		return value
	}
	m.t.MaxInputBytes = size("max_input_bytes", c.MaxInputBytes, m.d.InputSchema)
	m.t.MaxOutputBytes = size("max_output_bytes", c.MaxOutputBytes, m.d.OutputSchema)
	m.t.MaxConcurrent, _ = c.MaxConcurrent.Int()
}
