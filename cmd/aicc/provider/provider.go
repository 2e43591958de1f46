// Package provider writes a manifest's tools as the function lists that model providers take, and reads back what their models answer:
// names that a provider refuses become legal ones, schemas that it refuses become ones that it takes.
//
//	list := provider.Export(provider.Anthropic, manifest.Tools, provider.Options{})
//	request.Tools = list.JSON()                     // the value of the request's "tools"
//	f := list.Find(call.Name)                       // nil: the model has made the name up
//	agent.Call(ctx, f.Tool, f.Restore(call.Input))
//
// What a list cannot say is never dropped in silence: each such place is a Loss in list.Losses, most of them told in words in a description.
// A loss makes no call wrong: the game checks every input against its own schema. The same tools give the same bytes.
package provider

import (
	"fmt"
	"slices"
	"strings"

	"aicc.dev/libaicc/core/capability"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

// Format is a provider's form of a function list.
type Format uint8

// The formats. Each has its rules for names and its limits in Rules.
const (
	OpenAI    Format = 1 + iota // chat completions: [{"type":"function","function":{...}}]; many other servers take it too
	Anthropic                   // messages: [{"name":...,"description":...,"input_schema":{...}}]
	Gemini                      // generateContent: [{"functionDeclarations":[...]}], parameters as an OpenAPI Schema, which both of its APIs take
	MCP                         // Model Context Protocol 2025-11-25: the "tools" of a tools/list result
)

var formatNames = [...]string{OpenAI: "openai", Anthropic: "anthropic", Gemini: "gemini", MCP: "mcp"}

// Formats are all formats, in their order.
func Formats() []Format { return []Format{OpenAI, Anthropic, Gemini, MCP} }

// ParseFormat reads a format's name; zero is none.
func ParseFormat(name string) Format {
	return Format(max(0, slices.Index(formatNames[:], name)))
}

// String is the format's name, as ParseFormat reads it.
func (f Format) String() string {
	if int(f) < len(formatNames) {
		return formatNames[f]
	}
	return ""
}

// Options of Export.
type Options struct {
	// Strict asks for the provider's strict mode (OpenAI, Anthropic), in which a model cannot write an input that its schema refuses. A tool whose
	// schema has no form there, or for which a request has no room, is listed without it, which is a Loss: the first tools have the first pick.
	Strict bool
	Prefix string   // before each name, such as "guard_": several characters in one list
	Held   []string // the capabilities that the session holds; nil: not known
	Plain  bool     // descriptions as the manifest has them, without its limits and its needs
}

// Loss is one thing that a provider's list does not say as the manifest does.
type Loss struct {
	Tool    string `json:"tool,omitempty"`    // its id; "" is the whole list
	Pointer string `json:"pointer"`           // JSON Pointer into the tool
	Keyword string `json:"keyword,omitempty"` // of JSON Schema
	Text    string `json:"text"`
	Told    bool   `json:"told"`              // a description says it in words
	Refused bool   `json:"refused,omitempty"` // the tool is left out, or the provider will not take the list
}

// String is the loss in one line.
func (l Loss) String() string {
	var b strings.Builder
	if l.Tool != "" {
		fmt.Fprintf(&b, "%s: ", l.Tool)
	}
	if l.Pointer != "" {
		fmt.Fprintf(&b, "%s: ", l.Pointer)
	}
	b.WriteString(l.Text)
	if l.Told {
		b.WriteString("; the description says it")
	}
	return b.String()
}

// Function is one tool in a provider's form.
type Function struct {
	Tool        string // the tool's id in the manifest
	Name        string // what the model calls it
	Description string
	Input       []byte // its input's schema as the provider takes it
	Output      []byte // MCP alone
	Strict      bool
	JSON        []byte // the list's element

	root *value            // of Input
	keys map[string]string // members that were renamed, back to their names
}

// List is a function list.
type List struct {
	Format    Format
	Functions []Function
	Losses    []Loss
	Names     *Names

	spent cost // on strict tools
}

// Find gives the function that a model has named, nil when there is none.
func (l *List) Find(name string) *Function {
	for i := range l.Functions {
		if l.Functions[i].Name == name {
			return &l.Functions[i]
		}
	}
	return nil
}

// JSON is the value of "tools": in a request, or in a tools/list result.
func (l *List) JSON() []byte {
	dst := []byte{'['}
	if l.Format == Gemini && len(l.Functions) > 0 {
		dst = append(dst, `{"functionDeclarations":[`...)
	}
	for i := range l.Functions {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, l.Functions[i].JSON...)
	}
	if l.Format == Gemini && len(l.Functions) > 0 {
		dst = append(dst, `]}`...)
	}
	return append(dst, ']')
}

// Export writes tools as one provider's list, in their order.
func Export(f Format, tools []message.Tool, o Options) *List {
	l := &List{Format: f}
	ids := make([]string, len(tools))
	for i := range tools {
		ids[i] = tools[i].ID
	}
	l.Names = NewNames(f, o.Prefix, ids)
	seen := map[string]bool{}
	for i := range tools {
		if seen[tools[i].ID] {
			l.lose(Loss{Tool: tools[i].ID, Pointer: "/id", Text: "a tool of this id came before: this one is left out", Refused: true})
			continue
		}
		seen[tools[i].ID] = true
		l.add(&tools[i], o)
	}
	if most := f.Rules().MaxTools; most > 0 && len(l.Functions) > most {
		l.lose(Loss{Text: fmt.Sprintf("%s takes at most %d functions, these are %d: send fewer", f, most, len(l.Functions)), Refused: true})
	}
	return l
}

func (l *List) lose(one Loss) { l.Losses = append(l.Losses, one) }

func (l *List) add(t *message.Tool, o Options) {
	fn := Function{Tool: t.ID, Name: l.Names.To(t.ID)}
	a := adapter{format: l.Format, tool: t, options: &o}
	fn.root = a.input(t.InputSchema)
	if a.strict {
		if why := l.afford(fn.root); why != "" {
			fn.root = a.unstrict(t.InputSchema, why)
		}
	}
	fn.Strict, fn.keys = a.strict, a.keys
	fn.Input = fn.root.append(nil)
	if l.Format == MCP {
		fn.Output = a.output(t.OutputSchema).append(nil)
	}
	fn.Description = a.describe()
	fn.JSON = fn.append(l.Format, t)
	l.Functions = append(l.Functions, fn)
	l.Losses = append(l.Losses, a.losses...)
}

func (fn *Function) append(f Format, t *message.Tool) []byte {
	e := newObject()
	name, description := newString(fn.Name), newString(fn.Description)
	switch f {
	case OpenAI:
		inner := newObject("name", name, "description", description, "parameters", fn.root)
		if fn.Strict {
			inner.set("strict", newBool(true))
		}
		e.set("type", newString("function"))
		e.set("function", inner)
	case Anthropic:
		e = newObject("name", name, "description", description, "input_schema", fn.root)
		if fn.Strict {
			e.set("strict", newBool(true))
		}
	case Gemini:
		e = newObject("name", name, "description", description, "parameters", fn.root)
	default:
		e = newObject("name", name, "description", description, "inputSchema", fn.root, "outputSchema", parse(fn.Output),
			"annotations", newObject("readOnlyHint", newBool(t.Class == message.Sensor)))
	}
	return e.append(nil)
}

// adapter makes one tool fit.
type adapter struct {
	format  Format
	tool    *message.Tool
	options *Options

	doc    *value // what $refs point into
	losses []Loss
	told   []string // sentences for the tool's description
	strict bool
	keys   map[string]string

	unlisted bool // the input takes members, and lists none
	split    bool // the input was a union
	unroll   int  // how often a schema that contains itself is written out
}

func (a *adapter) lose(pointer, keyword string, told bool, format string, arguments ...any) {
	a.losses = append(a.losses, Loss{Tool: a.tool.ID, Pointer: pointer, Keyword: keyword, Text: fmt.Sprintf(format, arguments...), Told: told})
}

const (
	inputAt  = "/input_schema"
	outputAt = "/output_schema"
)

// read checks a schema and gives it as a tree in 2020-12.
func (a *adapter) read(text []byte, at string, role schema.Role) *value {
	anything := newObject("type", newString("object"))
	if len(text) == 0 {
		if role == schema.Input {
			anything.set("properties", newObject())
		}
		return anything
	}
	var scanner jsonwire.Scanner
	if info, err := scanner.Check(text); err != nil {
		a.lose(at, "", false, "is not JSON: %s", err.Msg)
		return anything
	} else if info.Kind != jsonwire.Object {
		a.lose(at, "", false, "is no object: any members are taken")
		return anything
	}
	if _, err := schema.Compile(text, schema.Options{Role: role}); err != nil {
		a.lose(at, "", false, "is no schema that is taken here (%v): any members are taken", err)
		return anything
	}
	if older, ok := jsonwire.Lookup(text, "$schema"); ok && strings.Contains(string(older), "draft-07") {
		newer, notes, err := capability.To2020(text)
		if err != nil {
			a.lose(at, "$schema", false, "has no form in JSON Schema 2020-12 (%v): any members are taken", err)
			return anything
		}
		for _, n := range notes {
			if n.Kind == capability.Loss {
				a.lose(at+n.Pointer, "", false, "%s", n.Text)
			}
		}
		text = newer
	}
	v := parse(text)
	v.drop("$schema", "$id")
	if key := foreign(v); key != "" && a.format != MCP {
		a.lose(at, key, false, "has %s inside, by which references lead elsewhere than they seem to: any members are taken", key)
		return anything
	}
	return v
}

// foreign finds a keyword that makes references depend on where they stand.
func foreign(s *value) (key string) {
	for _, key := range []string{"$id", "$dynamicRef", "$dynamicAnchor", "$recursiveRef"} {
		if s.has(key) {
			return key
		}
	}
	below(s, "", func(one *value, _ string) *value {
		if key == "" {
			key = foreign(one)
		}
		return one
	})
	return key
}
