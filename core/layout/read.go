package layout

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"aicc.dev/libaicc/core/jsonwire"
)

// ReadKind says what sort of ReadFault it is, for a status code.
type ReadKind uint8

// The sorts.
const (
	WrongType  ReadKind = 1 + iota // the value is something else
	OutOfRange                     // the field cannot hold it
)

// ReadFault is why a JSON value does not fit a struct.
type ReadFault struct {
	Kind    ReadKind
	Pointer string // RFC 6901, into the object
	Msg     string
}

func (f *ReadFault) Error() string {
	if f.Pointer == "" {
		return f.Msg
	}
	return f.Pointer + ": " + f.Msg
}

// Read fills the struct that data begins with from a checked JSON object, appends the texts behind it, and gives the gathered struct. Members that the
// object has not, or that are null, leave their fields alone, others than the layout's are ignored. All members are looked at before
// anything is written: when there is a fault, data is as it was. Data must have at least Size bytes.
//
// This is what aicc_value_struct does, which is written in C since an engine's thread never runs Go; this one is what that is tested against.
func (l *Layout) Read(data, object []byte) ([]byte, *ReadFault) {
	if len(data) < l.size {
		return data, &ReadFault{OutOfRange, "", fmt.Sprintf("the struct has %d bytes, %d were given", l.size, len(data))}
	}
	if jsonwire.KindOf(object) != jsonwire.Object {
		return data, wrongType("an object", object)
	}
	r := reader{data: data}
	if fault := r.object(l, 0, object); fault != nil {
		return data, fault
	}
	r.fill = true
	fault := r.object(l, 0, object)
	return r.data, fault
}

type reader struct {
	data []byte
	fill bool
}

func wrongType(want string, value []byte) *ReadFault {
	return &ReadFault{WrongType, "", want + " was wanted, " + jsonwire.KindOf(value).String() + " came"}
}

func outOfRange(format string, args ...any) *ReadFault {
	return &ReadFault{OutOfRange, "", fmt.Sprintf(format, args...)}
}

// within puts a name or an index before the pointer of a fault.
func (f *ReadFault) within(token string) *ReadFault {
	f.Pointer = string(jsonwire.AppendPointerToken(nil, token)) + f.Pointer
	return f
}

func (r *reader) object(l *Layout, base int, object []byte) *ReadFault {
	var counts [MaxFields]int
	for i := range l.fields {
		value, fault := find(object, l.paths[i])
		if fault != nil {
			return fault
		}
		counts[i] = -1
		if value == nil {
			continue
		}
		if counts[i], fault = r.field(&l.fields[i], base, value); fault == nil {
			fault = l.sameCount(i, counts[:i+1])
		}
		for at := len(l.paths[i]) - 1; at >= 0 && fault != nil; at-- {
			fault = fault.within(l.paths[i][at])
		}
		if fault != nil {
			return fault
		}
	}
	return nil
}

// find gives the value at a path; nil: there is none, or it is null.
func find(object []byte, path []string) ([]byte, *ReadFault) {
	for i, part := range path {
		value, ok := jsonwire.Lookup(object, part)
		if !ok || jsonwire.KindOf(value) == jsonwire.Null {
			return nil, nil
		}
		if i == len(path)-1 {
			return value, nil
		}
		if jsonwire.KindOf(value) != jsonwire.Object {
			fault := wrongType("an object", value)
			for ; i >= 0; i-- {
				fault = fault.within(path[i])
			}
			return nil, fault
		}
		object = value
	}
	return nil, nil
}

// sameCount finds two arrays that have one count field and came with different counts.
func (l *Layout) sameCount(i int, counts []int) *ReadFault {
	f := &l.fields[i]
	for j := range i {
		o := &l.fields[j]
		if counts[j] >= 0 && f.CountType != 0 && o.CountType == f.CountType && o.CountOffset == f.CountOffset && counts[j] != counts[i] {
			return outOfRange("%q has %d elements and this has %d, but they have one count", o.Name, counts[j], counts[i])
		}
	}
	return nil
}

// field reads a field's value and gives how many elements it had, -1: it is not counted.
func (r *reader) field(f *Field, base int, value []byte) (count int, fault *ReadFault) {
	at := base + int(f.Offset)
	if !f.array() {
		if f.Type == Chars {
			return r.chars(f, base, value)
		}
		return -1, r.value(f, at, value)
	}
	if jsonwire.KindOf(value) != jsonwire.Array {
		return 0, wrongType("an array", value)
	}
	n := 0
	for it := jsonwire.ArrayElements(value); ; n++ {
		element, more := it.Next()
		if !more {
			break
		}
		if n < int(f.Count) {
			if fault := r.value(f, at+n*int(f.Stride), element); fault != nil {
				return 0, fault.within(strconv.Itoa(n))
			}
		}
	}
	switch {
	case f.CountType == 0 && n != int(f.Count):
		return 0, outOfRange("%d elements were wanted, %d came", f.Count, n)
	case n > int(f.Count):
		return 0, outOfRange("at most %d elements were wanted, %d came", f.Count, n)
	}
	return n, r.count(f, base, n)
}

// count writes how many there are, where the struct wants to know.
func (r *reader) count(f *Field, base, n int) *ReadFault {
	if f.CountType != 0 && r.fill {
		r.put(base+int(f.CountOffset), f.CountType.bytes(), uint64(n))
	}
	return nil
}

func (r *reader) put(at, size int, bits uint64) {
	if !r.fill {
		return
	}
	var room [8]byte
	binary.LittleEndian.PutUint64(room[:], bits)
	copy(r.data[at:at+size], room[:])
}

// chars writes a text and zeros behind it: at least one, unless its length stands elsewhere.
func (r *reader) chars(f *Field, base int, value []byte) (count int, fault *ReadFault) {
	if jsonwire.KindOf(value) != jsonwire.String {
		return 0, wrongType("a string", value)
	}
	var scratch []byte
	text := jsonwire.Text(value, &scratch)
	room := int(f.Count)
	if f.CountType == 0 {
		room--
		for _, c := range text {
			if c == 0 {
				return 0, outOfRange("it has a NUL, which would end it")
			}
		}
	}
	if len(text) > room {
		return 0, outOfRange("it has %d bytes, at most %d fit", len(text), room)
	}
	if r.fill {
		at := base + int(f.Offset)
		to := r.data[at : at+int(f.Count)]
		clear(to[copy(to, text):])
	}
	return len(text), r.count(f, base, len(text))
}

func (r *reader) value(f *Field, at int, value []byte) *ReadFault {
	kind := jsonwire.KindOf(value)
	switch {
	case f.Type == Struct:
		if kind != jsonwire.Object {
			return wrongType("an object", value)
		}
		return r.object(f.Element, at, value)
	case f.Type == Text:
		return r.text(f, at, value)
	case f.Type.enum():
		return r.enum(f, at, value)
	case f.Type == Bool8 || f.Type == Bool32:
		if kind != jsonwire.Bool {
			return wrongType("a boolean", value)
		}
		bit := uint64(0)
		if value[0] == 't' {
			bit = 1
		}
		r.put(at, f.size(), bit)
		return nil
	case f.Type.float():
		if kind != jsonwire.Number {
			return wrongType("a number", value)
		}
		return r.float(f, at, value)
	}
	return r.integer(f, at, value)
}

// float writes the nearest float64, and of that the nearest float32.
func (r *reader) float(f *Field, at int, value []byte) *ReadFault {
	v, err := jsonwire.ToFloat64(value)
	if err != nil || f.Type == F32 && math.IsInf(float64(float32(v)), 0) {
		return outOfRange("it is beyond every %s", f.Type)
	}
	if f.Type == F32 {
		r.put(at, 4, uint64(math.Float32bits(float32(v))))
	} else {
		r.put(at, 8, math.Float64bits(v))
	}
	return nil
}

func (r *reader) integer(f *Field, at int, value []byte) *ReadFault {
	number := value
	switch kind := jsonwire.KindOf(value); {
	case kind == jsonwire.String && f.Flags&FlagString != 0:
		var scratch []byte
		if number = jsonwire.Text(value, &scratch); !isWhole(number) {
			return &ReadFault{WrongType, "", "a string of digits was wanted"}
		}
	case kind != jsonwire.Number:
		return wrongType("an integer", value)
	}
	size := f.size()
	var bits uint64
	var err error
	least := whole[f.Type].least
	if least == "0" {
		bits, err = jsonwire.ToUint64(number)
		if err == nil && size < 8 && bits>>(8*size) != 0 {
			err = jsonwire.ErrRange
		}
	} else {
		var n int64
		n, err = jsonwire.ToInt64(number)
		bits = uint64(n)
		if shift := 64 - 8*size; err == nil && n<<shift>>shift != n {
			err = jsonwire.ErrRange
		}
	}
	switch err {
	case nil:
		r.put(at, size, bits)
		return nil
	case jsonwire.ErrNotInteger:
		return &ReadFault{WrongType, "", "an integer was wanted, a number with a fraction came"}
	}
	return outOfRange("it is not in %s to %s", least, whole[f.Type].most)
}

// isWhole tells whether a text is an integer as Append writes it.
func isWhole(text []byte) bool {
	if len(text) > 1 && text[0] == '-' {
		text = text[1:]
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) == 1 || len(text) > 1 && text[0] != '0'
}

func (r *reader) text(f *Field, at int, value []byte) *ReadFault {
	if jsonwire.KindOf(value) != jsonwire.String {
		return wrongType("a string", value)
	}
	var scratch []byte
	text := jsonwire.Text(value, &scratch)
	if len(text) > int(f.Count) {
		return outOfRange("it has %d bytes, at most %d fit", len(text), f.Count)
	}
	if r.fill {
		r.put(at, 8, uint64(len(text))<<32|uint64(len(r.data)))
		clear(r.data[at+8 : at+TextSize])
		r.data = append(r.data, text...)
	}
	return nil
}

func (r *reader) enum(f *Field, at int, value []byte) *ReadFault {
	if jsonwire.KindOf(value) != jsonwire.String {
		return wrongType("a string", value)
	}
	for i, name := range f.Names {
		if name != "" && jsonwire.TextEquals(value, name) {
			r.put(at, f.size(), uint64(i))
			return nil
		}
	}
	return outOfRange("it is none of the %d names", len(f.Names))
}
