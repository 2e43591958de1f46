package layout

import (
	"encoding/binary"
	"math"
	"slices"

	"aicc.dev/libaicc/core/jsonwire"
)

// Append appends the JSON object of one gathered struct. It allocates nothing but dst's growth. Data that is too short for the struct
// is {} and counted.
func (l *Layout) Append(dst, data []byte, c *Counts) []byte {
	return append(l.AppendMembers(append(dst, '{'), data, c), '}')
}

// AppendMembers appends the object's members without its brackets, behind a comma unless dst ends with "{".
func (l *Layout) AppendMembers(dst, data []byte, c *Counts) []byte {
	if len(data) < l.size {
		c.Damaged++
		return dst
	}
	return run(l.ops, dst, data, 0, c)
}

// valueRoom is enough for one value that is not a text, an enum, an array or a struct.
const valueRoom = 32

// run appends the texts and values of a program, for the struct that begins at base of data. It is one function, since at a few nanoseconds a
// value a call for each is felt.
func run(ops []op, dst, data []byte, base int, c *Counts) []byte {
	for i := range ops {
		o := &ops[i]
		if cap(dst)-len(dst) < o.need {
			dst = slices.Grow(dst, o.need)
		}
		if o.code == opMany {
			dst = o.appendMany(dst, data, base, c)
			continue
		}
		dst = o.appendText(dst)
		at := base + o.at
		switch o.code {
		case opConst:
		case opCode(F32):
			dst = o.appendFloat32(dst, binary.LittleEndian.Uint32(data[at:]), c)
		case opCode(F64):
			dst = o.appendFloat64(dst, math.Float64frombits(binary.LittleEndian.Uint64(data[at:])), c)
		case opCode(I8):
			dst = appendInt(dst, int64(int8(data[at])))
		case opCode(U8):
			dst = appendUint(dst, uint64(data[at]))
		case opCode(I16):
			dst = appendInt(dst, int64(int16(binary.LittleEndian.Uint16(data[at:]))))
		case opCode(U16):
			dst = appendUint(dst, uint64(binary.LittleEndian.Uint16(data[at:])))
		case opCode(I32):
			dst = appendInt(dst, int64(int32(binary.LittleEndian.Uint32(data[at:]))))
		case opCode(U32):
			dst = appendUint(dst, uint64(binary.LittleEndian.Uint32(data[at:])))
		case opCode(I64), opCode(U64):
			dst = o.appendWide(dst, binary.LittleEndian.Uint64(data[at:]))
		case opCode(Bool8):
			dst = appendBool(dst, data[at] != 0)
		case opCode(Bool32):
			dst = appendBool(dst, binary.LittleEndian.Uint32(data[at:]) != 0)
		case opCode(Enum8):
			dst = o.appendEnum(dst, uint64(data[at]), c)
		case opCode(Enum16), opCode(Enum32):
			dst = o.appendEnum(dst, enumAt(o.field.Type, data, at), c)
		case opCode(Chars), opCode(Text):
			dst = o.appendTextValue(dst, data, base, c)
		default:
			dst = append(run(o.field.Element.ops, append(dst, '{'), data, at, c), '}')
		}
	}
	return dst
}

// appendText needs the room that need says.
func (o *op) appendText(dst []byte) []byte {
	// A comma comes unless a bracket was opened just before: '{' and '[' differ in one bit.
	if o.comma && len(dst) > 0 && dst[len(dst)-1]|0x20 != '{' {
		dst = append(dst, ',')
	}
	n := len(dst)
	if o.short {
		*(*[headBytes]byte)(dst[n : n+headBytes]) = o.head
		return dst[:n+int(o.size)]
	}
	return append(dst, o.text...)
}

func (o *op) appendFloat32(dst []byte, bits uint32, c *Counts) []byte {
	switch {
	case bits&0x7f800000 == 0x7f800000:
		c.NotFinite++
		return append(dst, "null"...)
	case o.fixed > 0:
		return appendFixed32(dst, bits, int(o.fixed))
	}
	return appendFloat32(dst, bits)
}

func (o *op) appendFloat64(dst []byte, f float64, c *Counts) []byte {
	switch {
	case f-f != 0:
		c.NotFinite++
		return append(dst, "null"...)
	case o.fixed > 0:
		return appendFixed64(dst, f, int(o.fixed))
	}
	return appendFloat64(dst, f)
}

func (o *op) appendWide(dst []byte, bits uint64) []byte {
	quoted := o.field.Flags&FlagString != 0
	if quoted {
		dst = append(dst, '"')
	}
	if o.field.Type == I64 {
		dst = appendInt(dst, int64(bits))
	} else {
		dst = appendUint(dst, bits)
	}
	if quoted {
		dst = append(dst, '"')
	}
	return dst
}

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, "true"...)
	}
	return append(dst, "false"...)
}

func (o *op) appendEnum(dst []byte, v uint64, c *Counts) []byte {
	if v < uint64(len(o.names)) && o.names[v] != "" {
		return append(dst, o.names[v]...)
	}
	c.BadEnum++
	return append(dst, "null"...)
}

func enumAt(t Type, data []byte, at int) uint64 {
	switch t {
	case Enum8:
		return uint64(data[at])
	case Enum16:
		return uint64(binary.LittleEndian.Uint16(data[at:]))
	}
	return uint64(binary.LittleEndian.Uint32(data[at:]))
}

func (o *op) appendTextValue(dst, data []byte, base int, c *Counts) []byte {
	var text []byte
	if o.field.Type == Chars {
		var ok bool
		if text, ok = charsAt(o.field, data, base); !ok {
			c.Clamped++
		}
	} else {
		cut, ok := false, false
		if text, cut, ok = textAt(o.field, data, base+o.at); cut {
			c.Clamped++
		}
		if !ok {
			c.Damaged++
		}
	}
	dst, bad := jsonwire.AppendString(dst, text)
	c.BadText += uint64(bad)
	return dst
}

// appendMany appends an array, or nothing where a value that may be left out is empty.
func (o *op) appendMany(dst, data []byte, base int, c *Counts) []byte {
	f := o.field
	at := base + o.at
	if !f.array() {
		if f.Type.enum() && enumAt(f.Type, data, at) == 0 {
			return dst
		}
		before := len(dst)
		dst = o.appendText(dst)
		from := len(dst)
		if dst = run(o.inner, dst, data, base, c); f.isEmpty(dst[from:]) {
			return dst[:before]
		}
		return dst
	}
	n, ok := used(f, data, base)
	if !ok {
		c.Clamped++
	}
	if n == 0 && f.Flags&FlagOmitEmpty != 0 {
		return dst
	}
	dst = append(o.appendText(dst), '[')
	for range n {
		dst = run(o.inner, dst, data, at, c)
		at += int(f.Stride)
	}
	return append(dst, ']')
}

// isEmpty tells by its JSON whether one value is 0, false or "". A text or a name may be "0".
func (f *Field) isEmpty(json []byte) bool {
	switch {
	case f.Type.text():
		return len(json) == len(`""`)
	case f.Type.enum():
		return false
	}
	switch string(json) {
	case "0", "-0", `"0"`, "false":
		return true
	}
	return false
}
