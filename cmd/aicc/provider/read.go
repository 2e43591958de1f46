package provider

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// Source is what Read has found.
type Source struct {
	World  string // its name; "" where none is given
	Tools  []message.Tool
	Places []Place  // of each tool
	Held   []string // the capabilities that the session holds; nil: not said
	MCP    bool     // the tools are written as an MCP server lists them
}

// Place is where a tool stands in the text.
type Place struct {
	Pointer       string
	Offset        int    // of its object
	Input, Output string // names of its schemas' members
}

// Fault is why a text is no list of tools.
type Fault struct {
	Offset  int
	Pointer string
	Text    string
}

// Error is the fault in one line.
func (f *Fault) Error() string {
	if f.Pointer == "" {
		return f.Text
	}
	return "at " + f.Pointer + ": " + f.Text
}

// maxText is how large a list of tools may be: a whole file of them, which is more than a manifest.
const maxText = 16 << 20

// Read reads tools from a session_init, from a heartbeat that carries a manifest_update, from any other object with "tools", from an array of tools, or from one tool.
// Tools may also be written as MCP servers list them: "name", "inputSchema". It asks for no more than what tools need, so that what is wrong with a
// list can be said: an id may be any text, a description may be missing. Where there is a fault nothing is read.
func Read(text []byte) (*Source, *Fault) {
	scanner := jsonwire.Scanner{MaxBytes: maxText}
	info, err := scanner.Check(text)
	if err != nil {
		return nil, &Fault{err.Offset, err.Pointer, "this is not JSON: " + err.Msg}
	}
	r := reader{text: text, source: &Source{}}
	root := text[info.Start:info.End]
	switch info.Kind {
	case jsonwire.Array:
		r.tools(root, info.Start, "")
	case jsonwire.Object:
		r.object(root, info.Start, "")
	default:
		r.fail(info.Start, "", "a manifest was wanted, or an array of tools")
	}
	if r.fault != nil {
		return nil, r.fault
	}
	return r.source, nil
}

type reader struct {
	text   []byte
	source *Source
	fault  *Fault
}

func (r *reader) fail(at int, pointer, text string) {
	if r.fault == nil {
		r.fault = &Fault{at, pointer, text}
	}
}

func (r *reader) object(object []byte, at int, place string) {
	if update, ok := jsonwire.Lookup(object, "manifest_update"); ok && place == "" {
		base := at + offsetOf(object, update)
		if jsonwire.KindOf(update) != jsonwire.Object {
			r.fail(base, "/manifest_update", "an object was wanted")
			return
		}
		r.object(update, base, "/manifest_update")
		return
	}
	tools, ok := jsonwire.Lookup(object, "tools")
	switch {
	case !ok && place == "" && (has(object, "id") || has(object, "name")):
		r.tool(object, at, "")
		return
	case !ok:
		r.fail(at, place, "this has no \"tools\": a manifest was wanted (a session_init, or an object with \"tools\"), or an array of tools")
		return
	case jsonwire.KindOf(tools) != jsonwire.Array:
		r.fail(at+offsetOf(object, tools), place+"/tools", "an array of tools was wanted")
		return
	}
	if world, ok := jsonwire.Lookup(object, "world"); ok && jsonwire.KindOf(world) == jsonwire.Object {
		r.source.World = textOf(world, "name")
	}
	if c, ok := jsonwire.Lookup(object, "capabilities"); ok && jsonwire.KindOf(c) == jsonwire.Object {
		r.source.Held = []string{}
		for _, class := range []string{"sensors", "actuators", "generators"} {
			if list, ok := jsonwire.Lookup(c, class); ok {
				r.source.Held = append(r.source.Held, parse(list).texts()...)
			}
		}
	}
	r.tools(tools, at+offsetOf(object, tools), place+"/tools")
}

func (r *reader) tools(list []byte, at int, place string) {
	n := int64(0)
	for it := jsonwire.ArrayElements(list); r.fault == nil; n++ {
		one, ok := it.Next()
		if !ok {
			return
		}
		r.tool(one, at+it.Offset(), place+"/"+string(jsonwire.AppendInt(nil, n)))
	}
}

func (r *reader) tool(object []byte, at int, place string) {
	if jsonwire.KindOf(object) != jsonwire.Object {
		r.fail(at, place, "a tool was wanted, which is an object")
		return
	}
	p := Place{place, at, "input_schema", "output_schema"}
	id, description := "id", textOf(object, "description")
	if !has(object, "id") && has(object, "name") {
		id, p.Input, p.Output = "name", "inputSchema", "outputSchema"
		r.source.MCP = true
	}
	t := message.Tool{Description: description, Class: message.ParseToolClass(textOf(object, "class")), RequiresCapability: textOf(object, "requires_capability")}
	if v, ok := jsonwire.Lookup(object, id); !ok {
		r.fail(at, place, "a tool was wanted, this has no \"id\"")
		return
	} else if jsonwire.KindOf(v) != jsonwire.String {
		r.fail(at+offsetOf(object, v), place+"/"+id, "text was wanted")
		return
	}
	t.ID = textOf(object, id)
	if t.Class == 0 && id == "name" {
		t.Class = message.Actuator
		if notes, ok := jsonwire.Lookup(object, "annotations"); ok && jsonwire.KindOf(notes) == jsonwire.Object {
			if v, _ := jsonwire.Lookup(notes, "readOnlyHint"); string(v) == "true" {
				t.Class = message.Sensor
			}
		}
	}
	if v, _ := jsonwire.Lookup(object, "strict_input"); string(v) == "true" {
		t.StrictInput = true
	}
	if v, ok := jsonwire.Lookup(object, "limits"); ok && jsonwire.KindOf(v) == jsonwire.Object {
		t.CallsPerMinute, t.CallsPerSession = numberOf(v, "calls_per_minute"), numberOf(v, "calls_per_session")
	}
	for i, to := range []*[]byte{&t.InputSchema, &t.OutputSchema} {
		name := []string{p.Input, p.Output}[i]
		v, ok := jsonwire.Lookup(object, name)
		if !ok {
			continue
		}
		if jsonwire.KindOf(v) != jsonwire.Object {
			r.fail(at+offsetOf(object, v), place+"/"+name, "a JSON Schema was wanted, which is an object here")
			return
		}
		*to = append([]byte{}, v...)
	}
	r.source.Tools = append(r.source.Tools, t)
	r.source.Places = append(r.source.Places, p)
}

// offsetOf gives a part's position in the text that it is a part of.
func offsetOf(whole, part []byte) int { return cap(whole) - cap(part) }

func has(object []byte, name string) bool {
	_, ok := jsonwire.Lookup(object, name)
	return ok
}

func textOf(object []byte, name string) string {
	v, ok := jsonwire.Lookup(object, name)
	if !ok || jsonwire.KindOf(v) != jsonwire.String {
		return ""
	}
	s, _ := jsonwire.AppendUnquoted(nil, v)
	return string(s)
}

func numberOf(object []byte, name string) int64 {
	v, ok := jsonwire.Lookup(object, name)
	if !ok || jsonwire.KindOf(v) != jsonwire.Number {
		return 0
	}
	n, _ := jsonwire.ToInt64(v)
	return n
}

// At is a place in a file as editors read it: NAME:LINE:COLUMN, both from 1, columns in code points.
func At(name string, text []byte, offset int) string {
	line, column := LineColumn(text, offset)
	return name + ":" + string(jsonwire.AppendInt(nil, int64(line))) + ":" + string(jsonwire.AppendInt(nil, int64(column)))
}

// LineColumn is a position in a text, both numbers from 1, columns in code points.
func LineColumn(text []byte, offset int) (line, column int) {
	text = text[:min(max(offset, 0), len(text))]
	start := bytes.LastIndexByte(text, '\n') + 1
	return bytes.Count(text, []byte{'\n'}) + 1, utf8.RuneCount(text[start:]) + 1
}

// Locate finds the value that a JSON Pointer names, or the innermost around it.
func Locate(src []byte, pointer string) int {
	base := jsonwire.SkipSpace(src, 0)
	if pointer == "" {
		return base
	}
next:
	for _, token := range strings.Split(pointer[1:], "/") {
		v := src[base:jsonwire.Skip(src, base)]
		switch jsonwire.KindOf(v) {
		case jsonwire.Object:
			for it := jsonwire.ObjectMembers(v); ; {
				name, _, ok := it.Next()
				if !ok {
					return base
				}
				text, _ := jsonwire.AppendUnquoted(nil, name)
				if string(jsonwire.AppendPointerToken(nil, text)[1:]) == token {
					base += it.ValueOffset()
					continue next
				}
			}
		case jsonwire.Array:
			n := int64(0)
			for it := jsonwire.ArrayElements(v); ; n++ {
				if _, ok := it.Next(); !ok {
					return base
				}
				if string(jsonwire.AppendInt(nil, n)) == token {
					base += it.Offset()
					continue next
				}
			}
		default:
			return base
		}
	}
	return base
}
