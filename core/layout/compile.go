package layout

import (
	"fmt"
	"slices"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// op is one step of a layout's program: constant text, then a value.
type op struct {
	head  [headBytes]byte // the text's first bytes, so that a short one is stored without a call
	code  opCode
	comma bool // a comma comes before the text unless the text so far ends with an opening bracket
	short bool // all of the text is in head
	fixed uint8
	size  int32 // of the text
	need  int   // bytes that the text and one value can take
	at    int   // of the value in the struct
	text  string
	field *Field
	index int      // of the field
	names []string // of an enum, as JSON
	inner []op     // of opMany: one value alone; an array's behind a comma unless it is the first
}

// headBytes is how long a text may be to be stored without a call.
const headBytes = 32

// opCode is a value's Type where it is one value that is always written; else one of these.
type opCode uint8

const (
	opConst opCode = 0  // no value
	opMany  opCode = 64 // an array, or a value that may be left out
)

// Compile checks a Spec and compiles it. The Spec may be changed afterwards.
func Compile(spec Spec) (*Layout, *Fault) { return compile(&spec, 0) }

func compile(spec *Spec, number uint32) (*Layout, *Fault) {
	fields, fault := check(spec)
	if fault != nil {
		return nil, fault
	}
	l := &Layout{size: int(spec.Size), number: number, fields: fields, key: -1, depth: 1}
	for i := range fields {
		f := &fields[i]
		f.Name = strings.Clone(f.Name)
		f.Names = slices.Clone(f.Names)
		l.paths = append(l.paths, strings.Split(f.Name, "."))
		if f.Flags&FlagKey != 0 {
			l.key = i
		}
		if f.Element != nil {
			l.depth = max(l.depth, 1+f.Element.depth)
		}
	}
	root := l.tree()
	for _, child := range root.children {
		l.members = append(l.members, child.name)
	}
	l.nesting = root.nesting(l)
	w := opWriter{l: l}
	w.object(root, sepAsk)
	w.flush()
	if fault := l.measure(); fault != nil {
		return nil, fault
	}
	l.schema = l.appendSchema(nil, root)
	if len(l.schema) > MaxSchema {
		return nil, l.tooBig("its JSON Schema takes more than %d bytes", MaxSchema)
	}
	return l, nil
}

// node is a member of the JSON: a field, or an object of members.
type node struct {
	name     string
	field    int // -1: an object
	children []*node
}

// tree puts the fields where their names say. Members stand in the order in which their names, or the first within them, come.
func (l *Layout) tree() *node {
	root := &node{field: -1}
	for i, path := range l.paths {
		at := root
		for depth, part := range path {
			next := (*node)(nil)
			for _, child := range at.children {
				if child.name == part {
					next = child
				}
			}
			if next == nil {
				next = &node{name: part, field: -1}
				at.children = append(at.children, next)
			}
			if depth == len(path)-1 {
				next.field = i
			}
			at = next
		}
	}
	return root
}

func (n *node) nesting(l *Layout) int {
	if n.field >= 0 {
		f, depth := &l.fields[n.field], 0
		if f.Element != nil {
			depth = f.Element.nesting
		}
		if f.array() {
			depth++
		}
		return depth
	}
	deepest := 0
	for _, child := range n.children {
		deepest = max(deepest, child.nesting(l))
	}
	return deepest + 1
}

// separator is what has to be done about a comma before a member.
type separator uint8

const (
	sepNone  separator = iota // it is the first
	sepComma                  // one comes surely before it
	sepAsk                    // one perhaps
)

// opWriter makes the program. Text that is always written waits in pending for the next value that always is.
type opWriter struct {
	l       *Layout
	pending string
	ask     bool // pending begins with a comma if there has to be one
}

func (w *opWriter) object(n *node, sep separator) {
	for _, child := range n.children {
		if child.field < 0 {
			w.say(sep, appendName(nil, child.name)+"{")
			w.object(child, sepNone)
			w.pending += "}"
			sep = sepComma
			continue
		}
		if w.l.fields[child.field].Flags&FlagOmitEmpty == 0 {
			w.say(sep, appendName(nil, child.name))
			w.value(child.field)
			sep = sepComma
			continue
		}
		// A value that may be left out has no text but its own.
		w.flush()
		w.say(sep, appendName(nil, child.name))
		w.value(child.field)
		if sep == sepNone {
			sep = sepAsk
		}
	}
}

// say adds text behind a separator. One to be asked for can only be the first of pending: behind an opening bracket there is none, behind a
// closing one there surely is one.
func (w *opWriter) say(sep separator, text string) {
	switch sep {
	case sepComma:
		w.pending += ","
	case sepAsk:
		w.ask = true
	}
	w.pending += text
}

func (w *opWriter) value(field int) {
	f := &w.l.fields[field]
	o := op{code: opCode(f.Type), at: int(f.Offset), field: f, index: field, fixed: uint8(f.Decimals), need: headBytes + valueRoom + 1}
	o.names = make([]string, len(f.Names))
	for i, name := range f.Names {
		if name == "" {
			continue
		}
		text, _ := jsonwire.AppendString(nil, name)
		o.names[i] = string(text)
	}
	if f.array() || f.Flags&FlagOmitEmpty != 0 {
		one := o
		one.short = true
		if f.array() {
			one.at, one.comma = 0, true
		}
		o.code, o.inner = opMany, []op{one}
	}
	w.add(o)
}

func (w *opWriter) flush() {
	if w.pending != "" {
		w.add(op{})
	}
}

func (w *opWriter) add(o op) {
	o.text, o.comma = w.pending, w.ask
	w.pending, w.ask = "", false
	copy(o.head[:], o.text)
	o.size = int32(len(o.text))
	o.short = len(o.text) <= headBytes
	o.need = 1 + max(len(o.text), headBytes) + valueRoom
	w.l.ops = append(w.l.ops, o)
}

func appendName(dst []byte, name string) string {
	dst, _ = jsonwire.AppendString(dst, name)
	return string(append(dst, ':'))
}

// measure finds how large data and JSON can be, and whether that is too much.
func (l *Layout) measure() *Fault {
	data, text := uint64(l.size), uint64(len("{}"))
	for i := range l.ops {
		o := &l.ops[i]
		text += uint64(len(o.text)) + 1
		f := o.field
		if f == nil {
			continue
		}
		n := uint64(max(f.Count, 1))
		one := uint64(typeTable[f.Type].json)
		switch {
		case f.Type.text():
			one, n = 6*n+2, 1
			if f.Type == Text {
				data += uint64(f.Count)
			}
		case f.Type.enum():
			one = uint64(len("null"))
			for _, name := range o.names {
				one = max(one, uint64(len(name)))
			}
		case f.Type == Struct:
			one = uint64(f.Element.maxJSON)
			data += n * uint64(f.Element.maxData-f.Element.size)
		case f.Flags&FlagString != 0:
			one += 2
		}
		text += n * one
		if f.array() {
			text += n + 1
		}
	}
	switch {
	case data > MaxData:
		return l.tooBig("the struct and its texts can take %d bytes, at most %d", data, MaxData)
	case text > MaxJSON:
		return l.tooBig("the JSON of one struct can take %d bytes, at most %d", text, MaxJSON)
	case l.nesting > MaxContainers:
		return l.tooBig("%d arrays and objects inside each other in its JSON, at most %d", l.nesting, MaxContainers)
	}
	l.maxData, l.maxJSON = int(data), int(text)
	return nil
}

func (l *Layout) tooBig(format string, args ...any) *Fault {
	return &Fault{TooMany, -1, "", "fields", fmt.Sprintf(format, args...)}
}
