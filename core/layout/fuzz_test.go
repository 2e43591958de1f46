package layout

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/schema"
)

// FuzzAppend makes a layout and a struct, and holds what this package writes against the twin, byte for byte; then everything else that must be
// true of the two.
func FuzzAppend(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(seed, []byte{})
	}
	f.Add(uint64(1), []byte{6, 0, 1, 17, 0, 0, 3, 4, 1, 1, 0, 0, 2, 2, 13, 255})
	f.Fuzz(func(t *testing.T, seed uint64, shape []byte) { oneLayout(t, newMaker(shape, seed)) })
}

// The same without a fuzzer's pace.
func TestManyLayouts(t *testing.T) {
	n := uint64(3000)
	if testing.Short() {
		n = 300
	}
	for seed := range n {
		oneLayout(t, newMaker(nil, 1e6+seed))
	}
}

func oneLayout(t *testing.T, m *maker) {
	set := &Set{}
	spec := m.spec(set, 2)
	wire := EncodeSpec(nil, spec)
	l, fault := set.Define(wire)
	if fault != nil {
		require.Equal(t, TooMany, fault.Kind, fault.Error())
		return
	}
	again, fault := set.Define(EncodeSpec(nil, spec))
	require.Nil(t, fault)
	require.Same(t, l, again)
	data := m.data(l, spec)

	w := twin{t: t, data: data}
	want := w.object(twinMembers(spec), m.specs, 0)
	var c Counts
	got := l.Append([]byte("<"), data, &c)
	require.Equal(t, "<"+want, string(got))
	require.Equal(t, w.c, c, want)
	require.LessOrEqual(t, len(want), l.MaxJSON())

	var scan jsonwire.Scanner
	info, bad := scan.Check([]byte(want))
	require.Nil(t, bad)
	require.LessOrEqual(t, info.Depth, l.nesting)

	members := string(l.AppendMembers([]byte(`{"k":1`), data, &c))
	if want == "{}" {
		require.Equal(t, `{"k":1`, members)
	} else {
		require.Equal(t, `{"k":1,`+want[1:len(want)-1], members)
	}

	programs := map[uint32][]byte{}
	for n := uint32(1); set.Find(n) != nil; n++ {
		programs[n] = set.Find(n).Program(nil)
	}
	require.Equal(t, want, runProgram(programs, l.Number(), data))

	if key := l.Key(data); l.HasKey() && w.c.Damaged == 0 {
		f := spec.Fields[l.key]
		if f.Type.text() {
			require.Equal(t, w.text(string(key)), w.orEmpty(&f, m))
		} else {
			require.Equal(t, data[f.Offset:f.Offset+uint32(f.size())], key)
		}
	}
	if w.c == (Counts{}) {
		readsBack(t, l, data, []byte(want))
	}
	if s, err := schema.Compile(l.Schema(), schema.Options{}); err != nil {
		require.ErrorContains(t, err, "4096", string(l.Schema()))
	} else if w.c.NotFinite == 0 && w.c.BadEnum == 0 {
		checker := schema.Checker{}
		require.True(t, s.Check(&checker, []byte(want)), "%s does not fit %s: %v", want, l.Schema(), checker.Faults)
	}
}

// orEmpty is a text field's JSON, also where it would be left out.
func (w *twin) orEmpty(f *Field, m *maker) string {
	if text, there := w.field(f, m.specs, 0); there {
		return text
	}
	return `""`
}

// readsBack reads what was written into an empty struct, which then writes the same.
func readsBack(t *testing.T, l *Layout, data, object []byte) {
	back, fault := l.Read(make([]byte, l.Size()), object)
	if fault != nil {
		// An array of characters may be full when it is written, but is not filled without a NUL.
		require.Equal(t, OutOfRange, fault.Kind, "%s: %s", object, fault.Error())
		require.Regexp(t, `has (\d+) bytes, at most \d+ fit`, fault.Msg)
		var came, fits int
		_, err := fmt.Sscanf(fault.Msg, "it has %d bytes, at most %d fit", &came, &fits)
		require.NoError(t, err)
		require.Equal(t, fits+1, came)
		return
	}
	var c Counts
	require.Equal(t, string(object), string(l.Append(nil, back, &c)))
	require.Equal(t, Counts{}, c)
	require.LessOrEqual(t, len(back), l.MaxData())
	require.Equal(t, l.Key(data), l.Key(back))
}

// runProgram interprets a program, as C does.
func runProgram(programs map[uint32][]byte, number uint32, data []byte) string {
	r := programRun{programs: programs, data: data}
	r.object(number, 0)
	return r.out.String()
}

type programRun struct {
	programs map[uint32][]byte
	data     []byte
	out      strings.Builder
}

type programOp struct {
	code, flags, decimals, offset, count, stride, countOffset, countType, textAt, textLen, pointerAt, pointerLen, namesAt, namesCount, element, size uint32
}

func (r *programRun) object(number uint32, base int) {
	p := r.programs[number]
	word := func(at uint32) uint32 { return uint32((&twin{data: p}).uint(int(at), 4)) }
	r.out.WriteByte('{')
	for i := range word(20) {
		at := ProgramHeader + i*ProgramOp
		o := programOp{word(at), word(at + 4), word(at + 8), word(at + 12), word(at + 16), word(at + 20), word(at + 24), word(at + 28),
			word(at + 32), word(at + 36), word(at + 40), word(at + 44), word(at + 48), word(at + 52), word(at + 56), word(at + 60)}
		f := Field{Name: "x", Type: Type(o.code), Offset: o.offset, Count: o.count, Stride: o.stride, CountOffset: int32(o.countOffset),
			CountType: Type(o.countType), Decimals: int32(o.decimals), Flags: int32(o.flags & 7)}
		for j := range o.namesCount {
			entry := o.namesAt + j*ProgramName
			json, name := string(p[word(entry):word(entry)+word(entry+4)]), string(p[word(entry+8):word(entry+8)+word(entry+12)])
			if name != "" && json != (&twin{}).text(name) {
				panic("the JSON of a name is not its JSON")
			}
			f.Names = append(f.Names, name)
		}
		value, there := "", true
		if o.code != 0 {
			w := twin{data: r.data}
			n := int(o.count)
			switch {
			case Type(o.code) != Struct:
				value, there = w.field(&f, nil, base)
			case o.flags&ProgramArray == 0:
				inner := programRun{programs: r.programs, data: r.data}
				inner.object(o.element, base+int(o.offset))
				value = inner.out.String()
			default:
				n, _ = used(&f, r.data, base)
				there = n > 0 || f.Flags&FlagOmitEmpty == 0
				inner := programRun{programs: r.programs, data: r.data}
				for j := range n {
					if j > 0 {
						inner.out.WriteByte(',')
					}
					inner.object(o.element, base+int(o.offset+uint32(j)*o.stride))
				}
				value = "[" + inner.out.String() + "]"
			}
		}
		if !there {
			continue
		}
		if s := r.out.String(); o.flags&ProgramComma != 0 && s[len(s)-1] != '{' {
			r.out.WriteByte(',')
		}
		r.out.WriteString(string(p[o.textAt : o.textAt+o.textLen]))
		r.out.WriteString(value)
	}
	r.out.WriteByte('}')
}
