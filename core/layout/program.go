package layout

import "aicc.dev/libaicc/core/jsonwire"

// A program is a compiled layout for C: what an engine's thread needs to gather a struct's texts, to write a struct as JSON, and to fill one from
// a tape. It is one piece of memory without pointers; all numbers are little-endian uint32, and it wants to lie at a multiple of 4:
//
//	header    magic, version, size of all, the layout's number, size of the struct, count of ops, most bytes of gathered data, 1 when any text
//	          has to be gathered, its elements' included
//	ops       ProgramOp bytes each: code, flags, decimals, offset, count, stride, count_offset, count_type, text at, text length, pointer at,
//	          pointer length, names at, names count, element's number, size of one element
//	names     of enums, 16 bytes each: JSON at, JSON length, name at, name length. A JSON length of 0: the value has no name
//	bytes     what the others refer to
//	padding   zeros up to a multiple of 4
//
// Every "at" counts from the program's start. To write: "{"; then of each op its text, and its value as the type
// in code says (0: it has none); then "}". Flag ProgramComma: a comma comes before the text unless what was written so far ends with "{". Flag
// ProgramArray: the value is an array of count elements, or of as many as the field at count_offset says when count_type is not 0. Flag
// FlagOmitEmpty: text and value are left out when the value is empty. To read: each op with a code finds its value by
// its JSON Pointer, no null on the way.
const (
	ProgramMagic   = 0x4C434941 // "AICL"
	ProgramVersion = 1
	ProgramHeader  = 32
	ProgramOp      = 64
	ProgramName    = 16

	ProgramComma = 1 << 8
	ProgramArray = 1 << 9
)

// Program appends the layout's program.
func (l *Layout) Program(dst []byte) []byte {
	base := len(dst)
	names := 0
	for i := range l.ops {
		names += len(l.ops[i].names)
	}
	p := program{at: ProgramHeader + len(l.ops)*ProgramOp + names*ProgramName}
	nameAt := uint32(ProgramHeader + len(l.ops)*ProgramOp)
	for i := range l.ops {
		p.op(l, &l.ops[i], nameAt)
		nameAt += uint32(len(l.ops[i].names) * ProgramName)
	}
	size := (p.at + 3) &^ 3
	dst = appendWords(dst, ProgramMagic, ProgramVersion, uint32(size), l.number, uint32(l.size), uint32(len(l.ops)), uint32(l.maxData), 0)
	if l.hasText() {
		dst[len(dst)-4] = 1
	}
	dst = append(append(append(dst, p.ops...), p.names...), p.bytes...)
	for len(dst)-base < size {
		dst = append(dst, 0)
	}
	return dst
}

func (l *Layout) hasText() bool {
	for i := range l.fields {
		if f := &l.fields[i]; f.Type == Text || f.Element != nil && f.Element.hasText() {
			return true
		}
	}
	return false
}

type program struct {
	ops, names, bytes []byte
	at                int // where the next of bytes will stand
}

// add gives where the text stands.
func (p *program) add(text []byte) uint32 {
	at := p.at
	p.bytes = append(p.bytes, text...)
	p.at += len(text)
	return uint32(at)
}

func (p *program) op(l *Layout, o *op, nameAt uint32) {
	flags := uint32(0)
	if o.comma {
		flags = ProgramComma
	}
	textAt := p.add([]byte(o.text))
	f := o.field
	if f == nil {
		p.ops = appendWords(p.ops, 0, flags, 0, 0, 0, 0, 0, 0, textAt, uint32(len(o.text)), 0, 0, 0, 0, 0, 0)
		return
	}
	flags |= uint32(f.Flags)
	if f.array() {
		flags |= ProgramArray
	}
	var pointer []byte
	for _, part := range l.paths[o.index] {
		pointer = jsonwire.AppendPointerToken(pointer, part)
	}
	pointerAt := p.add(pointer)
	element := uint32(0)
	if f.Element != nil {
		element = f.Element.number
	}
	p.ops = appendWords(p.ops, uint32(f.Type), flags, uint32(f.Decimals), f.Offset, f.Count, f.Stride, uint32(f.CountOffset), uint32(f.CountType),
		textAt, uint32(len(o.text)), pointerAt, uint32(len(pointer)), nameAt, uint32(len(o.names)), element, uint32(f.size()))
	for i, json := range o.names {
		p.names = appendWords(p.names, p.add([]byte(json)), uint32(len(json)), p.add([]byte(f.Names[i])), uint32(len(f.Names[i])))
	}
}
