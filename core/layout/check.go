package layout

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// FaultKind says what sort of fault it is, for a status code.
type FaultKind uint8

// The sorts.
const (
	BadArgument FaultKind = 1 + iota
	BadName
	TooMany
)

// Fault is why a Spec is refused.
type Fault struct {
	Kind   FaultKind
	Index  int    // of the field, -1: the layout itself
	Name   string // of the field
	Member string // of aicc_field or aicc_layout_options: "offset", "names"; "": none
	Msg    string // what is wrong
}

func (f *Fault) Error() string {
	if f.Member == "" {
		return f.Msg
	}
	return f.Where() + ": " + f.Text()
}

// Where names the place as a C program would write it: "fields[3].offset", "size".
func (f *Fault) Where() string {
	if f.Index < 0 {
		return f.Member
	}
	return fmt.Sprintf("fields[%d].%s", f.Index, f.Member)
}

// Text is what is wrong, with the field's name before it.
func (f *Fault) Text() string {
	if f.Index < 0 || f.Name == "" {
		return f.Msg
	}
	return fmt.Sprintf("%q: %s", f.Name, f.Msg)
}

// checker goes through a Spec's fields in order; the first fault ends it.
type checker struct {
	spec   *Spec
	index  int
	field  *Field
	owner  []int16 // of each byte of the struct: 1 + the field's index, negative when it is that field's count
	keys   int
	fields []Field
}

func (c *checker) fail(member, format string, args ...any) *Fault {
	return &Fault{BadArgument, c.index, c.field.Name, member, fmt.Sprintf(format, args...)}
}

// check copies the fields, with strides filled in, or finds what is wrong.
func check(spec *Spec) ([]Field, *Fault) {
	whole := func(kind FaultKind, member, format string, args ...any) *Fault {
		return &Fault{kind, -1, "", member, fmt.Sprintf(format, args...)}
	}
	switch n := len(spec.Fields); {
	case spec.Size == 0 || spec.Size > MaxData:
		return nil, whole(BadArgument, "size", "%d bytes; a struct has 1 to %d", spec.Size, MaxData)
	case n == 0:
		return nil, whole(BadArgument, "count", "no fields; a layout has at least one")
	case n > MaxFields:
		return nil, whole(TooMany, "count", "%d fields; a layout has at most %d", n, MaxFields)
	}
	c := checker{spec: spec, owner: make([]int16, spec.Size), fields: make([]Field, 0, len(spec.Fields))}
	for i := range spec.Fields {
		f := spec.Fields[i]
		c.index, c.field = i, &f
		for _, step := range [...]func() *Fault{c.name, c.kind, c.options, c.place, c.counter} {
			if fault := step(); fault != nil {
				return nil, fault
			}
		}
		c.fields = append(c.fields, f)
	}
	return c.fields, nil
}

func (c *checker) name() *Fault {
	f, name := c.field, c.field.Name
	bad := func(format string, args ...any) *Fault {
		fault := c.fail("name", format, args...)
		fault.Kind = BadName
		return fault
	}
	switch {
	case name == "":
		return bad("a field needs a name")
	case len(name) > MaxNameBytes:
		f.Name = ""
		return bad("%d bytes; a name has at most %d", len(name), MaxNameBytes)
	case !utf8.ValidString(name):
		return bad("it is not UTF-8")
	}
	parts := strings.Split(name, ".")
	if len(parts) > MaxNameParts {
		return bad("%d parts between dots, at most %d", len(parts), MaxNameParts)
	}
	for _, part := range parts {
		if part == "" {
			return bad("a part between dots is empty")
		}
	}
	for i := range c.fields {
		switch other := c.fields[i].Name; {
		case other == name:
			return bad("fields[%d] has this name already", i)
		case strings.HasPrefix(other, name+"."), strings.HasPrefix(name, other+"."):
			return bad("it cannot stand beside %q: one is a value, the other's name makes it an object", other)
		}
	}
	return nil
}

func (c *checker) kind() *Fault {
	f := c.field
	switch {
	case !f.Type.known():
		return c.fail("type", "%d is no type; give one of AICC_F32 to AICC_STRUCT", int32(f.Type))
	case f.Type.text() && f.Count == 0:
		return c.fail("count", "%s needs the bytes that it has at most", f.Type)
	case f.Type == Struct && f.Element == nil:
		return c.fail("element", "a struct needs the layout of its element")
	case f.Type != Struct && f.Element != nil:
		return c.fail("element", "%s has no element; leave it 0", f.Type)
	case f.Type == Struct && f.Element.depth >= MaxDepth:
		return c.fail("element", "more than %d layouts inside each other", MaxDepth)
	}
	return c.names()
}

func (c *checker) names() *Fault {
	f := c.field
	if !f.Type.enum() {
		if len(f.Names) > 0 {
			return c.fail("names", "%s has no names; only an enum has", f.Type)
		}
		return nil
	}
	most := MaxEnumNames
	if f.Type == Enum8 {
		most = 256
	}
	if len(f.Names) > most {
		return c.fail("names", "%d names; %s has at most %d", len(f.Names), f.Type, most)
	}
	at := make(map[string]int, len(f.Names))
	for i, name := range f.Names {
		switch other, taken := at[name]; {
		case name == "":
			continue
		case len(name) > MaxEnumBytes:
			return c.fail("names", "names[%d] has %d bytes, at most %d", i, len(name), MaxEnumBytes)
		case !utf8.ValidString(name):
			return c.fail("names", "names[%d] is not UTF-8", i)
		case taken:
			return c.fail("names", "names[%d] and names[%d] are both %q", other, i, name)
		}
		at[name] = i
	}
	if len(at) == 0 {
		return c.fail("names", "an enum needs names")
	}
	return nil
}

func (c *checker) options() *Fault {
	f := c.field
	switch {
	case f.Decimals < 0 || f.Decimals > MaxDecimals:
		return c.fail("decimals", "%d; give 0 (as many as needed) to %d", f.Decimals, MaxDecimals)
	case f.Decimals > 0 && !f.Type.float():
		return c.fail("decimals", "%s has none; only a float has", f.Type)
	case f.Flags&^allFlags != 0:
		return c.fail("flags", "0x%x is no flag", uint32(f.Flags)&^allFlags)
	case f.Flags&FlagString != 0 && f.Type != I64 && f.Type != U64:
		return c.fail("flags", "AICC_FIELD_STRING on %s; it is for i64 and u64", f.Type)
	}
	if f.Flags&FlagKey == 0 {
		return nil
	}
	switch {
	case f.array():
		return c.fail("flags", "AICC_FIELD_KEY on an array; a key is one integer, enum or text")
	case !f.Type.integer() && !f.Type.enum() && !f.Type.text():
		return c.fail("flags", "AICC_FIELD_KEY on %s; a key is one integer, enum or text", f.Type)
	case c.keys > 0:
		return c.fail("flags", "AICC_FIELD_KEY on a second field")
	}
	c.keys++
	return nil
}

// place checks that the field lies in the struct and on nothing else.
func (c *checker) place() *Fault {
	f := c.field
	size := uint64(f.size())
	n := uint64(max(f.Count, 1))
	switch {
	case f.Type == Text:
		n = 1
		fallthrough
	case f.Type == Chars, f.Count == 0:
		if f.Stride != 0 {
			return c.fail("stride", "it is for arrays; leave it 0")
		}
	case f.Stride != 0 && uint64(f.Stride) < size:
		return c.fail("stride", "%d; one element has %d bytes", f.Stride, size)
	}
	if f.Stride == 0 {
		f.Stride = uint32(size)
	}
	// An end beyond 64 bits is not possible: each factor has 32.
	if end := uint64(f.Offset) + (n-1)*uint64(f.Stride) + size; end > uint64(c.spec.Size) || n > uint64(c.spec.Size) {
		return c.fail("offset", "it ends at byte %d, the struct has %d", end, c.spec.Size)
	}
	for i := range n {
		if fault := c.take("offset", uint64(f.Offset)+i*uint64(f.Stride), size, int16(c.index+1)); fault != nil {
			return fault
		}
	}
	return nil
}

func (c *checker) take(member string, from, size uint64, owner int16) *Fault {
	for at := from; at < from+size; at++ {
		switch o := c.owner[at]; {
		case o > 0 && int(o) == c.index+1:
			return c.fail(member, "it lies on the field itself, at byte %d", at)
		case o > 0:
			return c.fail(member, "it overlaps %q at byte %d", c.fields[o-1].Name, at)
		case o < 0:
			return c.fail(member, "it overlaps the count of %q at byte %d", c.fields[-o-1].Name, at)
		}
		c.owner[at] = owner
	}
	return nil
}

// counter checks the count field. Two arrays may have one in common.
func (c *checker) counter() *Fault {
	f := c.field
	if f.CountType == 0 {
		if f.CountOffset > 0 {
			return c.fail("count_type", "there is a count_offset, so give AICC_U8, AICC_U16, AICC_I32 or AICC_U32")
		}
		f.CountOffset = 0
		return nil
	}
	most, ok := map[Type]uint32{U8: 0xff, U16: 0xffff, I32: 0x7fffffff, U32: 0xffffffff}[f.CountType]
	size := uint32(f.CountType.bytes())
	at := uint32(f.CountOffset)
	switch {
	case !ok:
		return c.fail("count_type", "%d counts nothing; give AICC_U8, AICC_U16, AICC_I32 or AICC_U32", int32(f.CountType))
	case f.Count == 0:
		return c.fail("count_type", "one value is not counted; give count, or leave this 0")
	case f.Type == Text:
		return c.fail("count_type", "text has its own length; leave this 0")
	case f.CountOffset < 0:
		return c.fail("count_offset", "%d; it is where the struct has the count", f.CountOffset)
	case f.Count > most:
		return c.fail("count_type", "%s cannot count to %d", f.CountType, f.Count)
	case uint64(at)+uint64(size) > uint64(c.spec.Size):
		return c.fail("count_offset", "it ends at byte %d, the struct has %d", uint64(at)+uint64(size), c.spec.Size)
	case at%size != 0:
		return c.fail("count_offset", "%d is no multiple of %d, the size of %s", at, size, f.CountType)
	}
	for i := range c.fields {
		if o := &c.fields[i]; o.CountType == f.CountType && o.CountOffset == f.CountOffset {
			return nil
		}
	}
	return c.take("count_offset", uint64(at), uint64(size), int16(-c.index-1))
}

// bytes is the size of one value; 0 when that is not the type's alone to say.
func (t Type) bytes() int {
	if t.known() {
		return typeTable[t].size
	}
	return 0
}
