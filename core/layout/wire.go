package layout

import (
	"encoding/binary"
	"fmt"
)

// The wire form of a Spec is how C hands it over. All numbers are little-endian, nothing is padded or aligned:
//
//	header    version (1), size, count of fields (each 4 bytes)
//	a field   offset, type, count, stride, count_offset, count_type, decimals, flags, element's number or 0, length of the name, count
//	          of names (each 4 bytes); the name; each of the names as length (4 bytes) and bytes
//
// and nothing behind the last field.
const (
	WireVersion = 1
	wireHeader  = 12
	wireField   = 44
)

// EncodeSpec appends the wire form. It does not check the Spec.
func EncodeSpec(dst []byte, spec *Spec) []byte {
	dst = appendWords(dst, WireVersion, spec.Size, uint32(len(spec.Fields)))
	for i := range spec.Fields {
		f := &spec.Fields[i]
		element := uint32(0)
		if f.Element != nil {
			element = f.Element.number
		}
		dst = appendWords(dst, f.Offset, uint32(f.Type), f.Count, f.Stride, uint32(f.CountOffset), uint32(f.CountType),
			uint32(f.Decimals), uint32(f.Flags), element, uint32(len(f.Name)), uint32(len(f.Names)))
		dst = append(dst, f.Name...)
		for _, name := range f.Names {
			dst = append(appendWords(dst, uint32(len(name))), name...)
		}
	}
	return dst
}

func appendWords(dst []byte, words ...uint32) []byte {
	for _, w := range words {
		dst = binary.LittleEndian.AppendUint32(dst, w)
	}
	return dst
}

// ParseSpec reads the wire form. It checks the form, and that elements are known, not what the Spec says: Compile does that. The element
// function gives the layout of a number, nil when there is none. Text is copied.
func ParseSpec(wire []byte, element func(number uint32) *Layout) (Spec, *Fault) {
	r := wireReader{rest: wire}
	var spec Spec
	version := r.word()
	spec.Size = r.word()
	n := r.word()
	switch {
	case r.short:
		return Spec{}, r.fault("the header is cut off")
	case version != WireVersion:
		return Spec{}, r.fault("version %d, this library knows %d", version, WireVersion)
	case n > MaxFields:
		return Spec{}, &Fault{TooMany, -1, "", "count", fmt.Sprintf("%d fields; a layout has at most %d", n, MaxFields)}
	}
	spec.Fields = make([]Field, 0, n)
	for i := range int(n) {
		f := Field{
			Offset: r.word(), Type: Type(r.word()), Count: r.word(), Stride: r.word(), CountOffset: int32(r.word()), CountType: Type(r.word()),
			Decimals: int32(r.word()), Flags: int32(r.word()),
		}
		number, length, names := r.word(), r.word(), r.word()
		f.Name = r.text(length)
		if uint64(names)*4 > uint64(len(r.rest)) {
			r.short = true
		}
		if r.short {
			return Spec{}, r.fault("field %d is cut off", i)
		}
		if names > 0 {
			f.Names = make([]string, names)
		}
		for j := range f.Names {
			f.Names[j] = r.text(r.word())
		}
		if r.short {
			return Spec{}, r.fault("the names of field %d are cut off", i)
		}
		if number != 0 {
			if f.Element = element(number); f.Element == nil {
				return Spec{}, &Fault{BadArgument, i, f.Name, "element", "it is no layout"}
			}
		}
		spec.Fields = append(spec.Fields, f)
	}
	if len(r.rest) > 0 {
		return Spec{}, r.fault("%d bytes behind the last field", len(r.rest))
	}
	return spec, nil
}

// wireReader gives zeros once its bytes have ended.
type wireReader struct {
	rest  []byte
	short bool
}

func (r *wireReader) take(n uint32) []byte {
	if uint64(n) > uint64(len(r.rest)) {
		r.short, r.rest = true, nil
		return nil
	}
	part := r.rest[:n]
	r.rest = r.rest[n:]
	return part
}

func (r *wireReader) word() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *wireReader) text(n uint32) string { return string(r.take(n)) }

func (r *wireReader) fault(format string, args ...any) *Fault {
	return &Fault{BadArgument, -1, "", "fields", "the record is damaged: " + fmt.Sprintf(format, args...)}
}
