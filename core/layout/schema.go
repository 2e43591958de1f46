package layout

import (
	"strconv"

	"aicc.dev/libaicc/core/jsonwire"
)

const dialect = `"$schema":"https://json-schema.org/draft/2020-12/schema",`

// appendSchema appends the schema of the whole layout. It says what the values of a struct without mistakes look like: the null that
// stands for NaN or for an enum's unknown value is not in it. Members that are not declared are left to strict_input.
func (l *Layout) appendSchema(dst []byte, root *node) []byte {
	dst = append(append(dst, '{'), dialect...)
	return append(l.appendObjectSchema(dst, root), '}')
}

// appendObjectSchema appends an object's keywords without brackets.
func (l *Layout) appendObjectSchema(dst []byte, n *node) []byte {
	dst = append(dst, `"type":"object","properties":{`...)
	var required []byte
	for i, child := range n.children {
		if i > 0 {
			dst = append(dst, ',')
		}
		name := appendName(nil, child.name)
		dst = append(append(dst, name...), '{')
		if child.field < 0 {
			dst = l.appendObjectSchema(dst, child)
		} else {
			dst = l.fields[child.field].appendSchema(dst)
		}
		dst = append(dst, '}')
		if child.field < 0 || l.fields[child.field].Flags&FlagOmitEmpty == 0 {
			required = append(append(required, name[:len(name)-1]...), ',')
		}
		if len(dst) > MaxSchema {
			break // it is refused in any case
		}
	}
	dst = append(dst, '}')
	if len(required) > 0 {
		dst = append(dst, `,"required":[`...)
		dst = append(append(dst, required[:len(required)-1]...), ']')
	}
	return dst
}

func (f *Field) appendSchema(dst []byte) []byte {
	if !f.array() {
		return f.appendValueSchema(dst)
	}
	dst = append(dst, `"type":"array","items":{`...)
	dst = append(f.appendValueSchema(dst), '}')
	if f.CountType == 0 {
		dst = strconv.AppendUint(append(dst, `,"minItems":`...), uint64(f.Count), 10)
	}
	return strconv.AppendUint(append(dst, `,"maxItems":`...), uint64(f.Count), 10)
}

// whole is the least and the most of each integer type.
var whole = [Struct + 1]struct{ least, most string }{
	I8: {"-128", "127"}, U8: {"0", "255"}, I16: {"-32768", "32767"}, U16: {"0", "65535"},
	I32: {"-2147483648", "2147483647"}, U32: {"0", "4294967295"},
	I64: {"-9223372036854775808", "9223372036854775807"}, U64: {"0", "18446744073709551615"},
}

func (f *Field) appendValueSchema(dst []byte) []byte {
	switch {
	case f.Type.float():
		return append(dst, `"type":"number"`...)
	case f.Flags&FlagString != 0 && f.Type == I64:
		return append(dst, `"type":"string","pattern":"^-?[0-9]{1,19}$"`...)
	case f.Flags&FlagString != 0:
		return append(dst, `"type":"string","pattern":"^[0-9]{1,20}$"`...)
	case f.Type.integer():
		w := &whole[f.Type]
		dst = append(append(dst, `"type":"integer","minimum":`...), w.least...)
		return append(append(dst, `,"maximum":`...), w.most...)
	case f.Type == Bool8 || f.Type == Bool32:
		return append(dst, `"type":"boolean"`...)
	case f.Type.text():
		return strconv.AppendUint(append(dst, `"type":"string","maxLength":`...), uint64(f.Count), 10)
	case f.Type.enum():
		dst = append(dst, `"enum":[`...)
		first := true
		for _, name := range f.Names {
			if name == "" {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst, _ = jsonwire.AppendString(dst, name)
		}
		return append(dst, ']')
	}
	// The element's own schema without its brackets and dialect.
	inner := f.Element.schema
	return append(dst, inner[len("{")+len(dialect):len(inner)-1]...)
}
