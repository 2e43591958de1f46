package layout

import (
	"bytes"
	"encoding/binary"
)

// Type is what a field is in memory. The values are those of aicc.h.
type Type int32

// The types.
const (
	F32 Type = 1 + iota
	F64
	I8
	U8
	I16
	U16
	I32
	U32
	I64
	U64
	Bool8
	Bool32
	Chars
	Text
	Enum8
	Enum16
	Enum32
	Struct
)

// The flags of a field. The values are those of aicc.h.
const (
	FlagString    = 1 // a 64-bit integer is written as a string
	FlagOmitEmpty = 2 // 0, false, "" and no elements are left out; an input need not have the member
	FlagKey       = 4 // of events that are the latest, the newest wins for each value of this field

	allFlags = FlagString | FlagOmitEmpty | FlagKey
)

// The bounds of a layout.
const (
	MaxLayouts    = 256
	MaxFields     = 64
	MaxNameBytes  = 128       // of a field's whole name
	MaxNameParts  = 8         // between its dots
	MaxDecimals   = 9         // of a float
	MaxEnumNames  = 1024      // of one field
	MaxEnumBytes  = 64        // of one such name
	MaxDepth      = 8         // layouts inside each other
	MaxContainers = 32        // arrays and objects inside each other in the JSON
	MaxData       = 64 << 10  // bytes of a struct with its texts
	MaxJSON       = 512 << 10 // bytes that one struct's JSON may come to
	MaxSchema     = 64 << 10  // bytes of a layout's schema
)

// TextSize is the size of an aicc_str, a pointer and a length, in a struct of this machine.
const TextSize = 2 * (4 << (^uint(0) >> 63))

// Field is one value, or array of values, of a struct.
type Field struct {
	Name        string // dots nest: "position.x"
	Offset      uint32
	Type        Type
	Count       uint32  // 0: one value; n: an array of n. Chars and Text: bytes
	Stride      uint32  // from one element to the next, 0: packed
	CountOffset int32   // where the struct has how many of Count are used; means something only with CountType
	CountType   Type    // U8, U16, I32 or U32; 0: all are used
	Decimals    int32   // of a float; 0: the shortest text that reads back the same
	Flags       int32   //
	Element     *Layout // of a Struct
	Names       []string
}

// Spec is what a layout is compiled from.
type Spec struct {
	Size   uint32 // of the struct
	Fields []Field
}

// Counts says what in the structs had no place in JSON, or could not be right. It adds up over calls.
type Counts struct {
	NotFinite uint64 // NaN and infinities, written as null
	BadText   uint64 // bytes that are not part of valid UTF-8, each written as U+FFFD
	BadEnum   uint64 // values without a name, written as null
	Clamped   uint64 // counts outside 0 to Count, texts longer than Count; held to it
	Damaged   uint64 // data that is no gathered struct: too short, or a text outside it
}

// Total is how many there were of all sorts.
func (c *Counts) Total() uint64 { return c.NotFinite + c.BadText + c.BadEnum + c.Clamped + c.Damaged }

// Layout is a compiled Spec. It never changes and may be used by many goroutines at once.
type Layout struct {
	size    int
	number  uint32
	fields  []Field // with strides filled in; names and elements are the layout's own
	paths   [][]string
	ops     []op
	key     int // index of the key field, or -1
	depth   int // of layouts, this one included
	nesting int // of containers in the JSON, the outermost included
	maxData int
	maxJSON int
	members []string // the names of the outermost members
	schema  []byte
}

// Size is that of the struct, without texts.
func (l *Layout) Size() int { return l.size }

// MaxData is the most bytes that a struct and its texts can take.
func (l *Layout) MaxData() int { return l.maxData }

// MaxJSON is the most bytes that one struct's JSON can take.
func (l *Layout) MaxJSON() int { return l.maxJSON }

// Number is the layout's in its Set, from 1; 0: it is in none.
func (l *Layout) Number() uint32 { return l.number }

// HasMember tells whether the JSON has an outermost member of that name.
func (l *Layout) HasMember(name string) bool {
	for _, m := range l.members {
		if m == name {
			return true
		}
	}
	return false
}

// Schema is the JSON Schema (2020-12) of what Append writes and Read takes. It must not be changed.
func (l *Layout) Schema() []byte { return l.schema }

// HasKey tells whether the layout has a key field.
func (l *Layout) HasKey() bool { return l.key >= 0 }

// Key gives the bytes of the key field, a part of data: two structs have the same key when these are the same. Without a key field, or
// where data is damaged, it is empty.
func (l *Layout) Key(data []byte) []byte {
	if l.key < 0 || len(data) < l.size {
		return nil
	}
	f := &l.fields[l.key]
	at := int(f.Offset)
	switch f.Type {
	case Chars:
		text, _ := charsAt(f, data, 0)
		return text
	case Text:
		text, _, _ := textAt(f, data, at)
		return text
	}
	return data[at : at+typeTable[f.Type].size]
}

// charsAt gives what a field of Chars holds, in the struct that begins at base; false: its count had to be held to the array.
func charsAt(f *Field, data []byte, base int) (text []byte, ok bool) {
	n, ok := used(f, data, base)
	at := base + int(f.Offset)
	text = data[at : at+n]
	if f.CountType == 0 {
		if end := bytes.IndexByte(text, 0); end >= 0 {
			text = text[:end]
		}
	}
	return text, ok
}

// textAt gives the text of the pair at at; cut: the host's was longer; false: there is no such text.
func textAt(f *Field, data []byte, at int) (text []byte, cut, ok bool) {
	from, n := uint64(binary.LittleEndian.Uint32(data[at:])), binary.LittleEndian.Uint32(data[at+4:])
	size := uint64(n &^ textCut)
	if size > uint64(f.Count) || from+size > uint64(len(data)) {
		return nil, false, false
	}
	return data[from : from+size], n&textCut != 0, true
}

// textCut marks in a pair's length that the text was cut to the field's Count.
const textCut = 1 << 31

// used is how many of a field's elements are; false: its count had to be held to what there is room for.
func used(f *Field, data []byte, base int) (n int, ok bool) {
	at := base + int(f.CountOffset)
	switch f.CountType {
	case 0:
		return int(f.Count), true
	case U8:
		n = int(data[at])
	case U16:
		n = int(binary.LittleEndian.Uint16(data[at:]))
	case I32:
		n = int(int32(binary.LittleEndian.Uint32(data[at:])))
	default:
		// Where an int has 32 bits a larger count shows as negative, and is as wrong.
		if n = int(binary.LittleEndian.Uint32(data[at:])); n < 0 {
			return int(f.Count), false
		}
	}
	if n < 0 {
		return 0, false
	}
	if n > int(f.Count) {
		return int(f.Count), false
	}
	return n, true
}

// typeTable says of each type its size, the most bytes of one value's JSON (0: it depends), and its name.
var typeTable = [Struct + 1]struct {
	size, json int
	name       string
}{
	F32: {4, 22, "f32"}, F64: {8, 27, "f64"},
	I8: {1, 4, "i8"}, U8: {1, 3, "u8"}, I16: {2, 6, "i16"}, U16: {2, 5, "u16"},
	I32: {4, 11, "i32"}, U32: {4, 10, "u32"}, I64: {8, 20, "i64"}, U64: {8, 20, "u64"},
	Bool8: {1, 5, "bool8"}, Bool32: {4, 5, "bool32"},
	Chars: {1, 0, "chars"}, Text: {TextSize, 0, "text"},
	Enum8: {1, 0, "enum8"}, Enum16: {2, 0, "enum16"}, Enum32: {4, 0, "enum32"},
	Struct: {0, 0, "struct"},
}

func (t Type) known() bool   { return t >= F32 && t <= Struct }
func (t Type) float() bool   { return t == F32 || t == F64 }
func (t Type) integer() bool { return t >= I8 && t <= U64 }
func (t Type) enum() bool    { return t >= Enum8 && t <= Enum32 }

// text tells whether a value is a text, whose Count is bytes and not elements.
func (t Type) text() bool { return t == Chars || t == Text }

// String is the type's name.
func (t Type) String() string {
	if t.known() {
		return typeTable[t].name
	}
	return "unknown"
}

// size is that of one element.
func (f *Field) size() int {
	if f.Type == Struct {
		return f.Element.size
	}
	return typeTable[f.Type].size
}

// array tells whether the field is a JSON array.
func (f *Field) array() bool { return f.Count > 0 && !f.Type.text() }
