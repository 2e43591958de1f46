package layout

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWireBytes(t *testing.T) {
	element := &Layout{number: 5}
	wire := EncodeSpec([]byte("<"), &Spec{32, []Field{
		{"a.b", 4, Enum16, 3, 6, 2, U8, 0, FlagOmitEmpty, nil, []string{"x", ""}},
		{"c", 8, Struct, 0, 0, -1, 0, 9, -1, element, nil},
	}})
	word := func(words ...uint32) string { return string(appendWords(nil, words...)) }
	want := word(1, 32, 2) +
		word(4, 16, 3, 6, 2, 4, 0, 2, 0, 3, 2) + "a.b" + word(1) + "x" + word(0) +
		word(8, 18, 0, 0, 0xffffffff, 0, 9, 0xffffffff, 5, 1, 0) + "c"
	require.Equal(t, "<"+want, string(wire))
	spec, fault := ParseSpec([]byte(want), func(n uint32) *Layout {
		require.Equal(t, uint32(5), n)
		return element
	})
	require.Nil(t, fault)
	require.Equal(t, want, string(EncodeSpec(nil, &spec)))
	require.Same(t, element, spec.Fields[1].Element)
	require.Equal(t, int32(-1), spec.Fields[1].CountOffset)
}

func TestBadWire(t *testing.T) {
	none := func(uint32) *Layout { return nil }
	good := EncodeSpec(nil, &Spec{4, []Field{{Name: "ab", Type: Enum8, Names: []string{"x", "yz"}}}})
	_, fault := ParseSpec(good, none)
	require.Nil(t, fault)
	set := func(at int, v uint32) []byte {
		bad := append([]byte(nil), good...)
		binary.LittleEndian.PutUint32(bad[at:], v)
		return bad
	}
	for _, c := range []struct {
		want string
		wire []byte
	}{
		{"fields: the record is damaged: the header is cut off", nil},
		{"fields: the record is damaged: the header is cut off", good[:11]},
		{"fields: the record is damaged: version 2, this library knows 1", set(0, 2)},
		{"count: 65 fields; a layout has at most 64", set(8, 65)},
		{"fields: the record is damaged: field 0 is cut off", good[:20]},
		{"fields: the record is damaged: field 0 is cut off", set(wireHeader+36, 99)},
		{"fields: the record is damaged: field 0 is cut off", set(wireHeader+40, 5)},
		{"fields: the record is damaged: field 0 is cut off", set(wireHeader+40, 0xffffffff)},
		{"fields: the record is damaged: field 1 is cut off", set(8, 2)},
		{"fields: the record is damaged: the names of field 0 are cut off", good[:len(good)-1]},
		{"fields: the record is damaged: 1 bytes behind the last field", append(append([]byte(nil), good...), 0)},
		{`fields[0].element: "ab": it is no layout`, set(wireHeader+32, 7)},
	} {
		_, fault := ParseSpec(c.wire, none)
		require.NotNil(t, fault, c.want)
		require.Equal(t, c.want, fault.Error())
	}
}

// FuzzSpec reads any bytes. What can be read is the only form of its Spec, and what then compiles writes and reads any struct without harm.
func FuzzSpec(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(EncodeSpec(nil, newMaker(nil, seed).spec(&Set{}, 0)), []byte("\x01\x00\x00\x00\xff data"))
	}
	f.Add(EncodeSpec(nil, &Spec{65536, []Field{{Name: "a", Type: U8, Count: 65536}}}), []byte{})
	f.Add(EncodeSpec(nil, &Spec{8, []Field{{Name: "a", Type: Struct, Element: &Layout{number: 1}}}}), []byte(`{"a":{"x":1}}`))
	f.Fuzz(func(t *testing.T, wire, more []byte) {
		element := mustCompile(t, 8, Field{Name: "x", Type: F32}, Field{Name: "y", Type: Chars, Count: 4, Offset: 4, Flags: FlagOmitEmpty})
		spec, fault := ParseSpec(wire, func(n uint32) *Layout {
			if n != element.Number() && n != 1 {
				return nil
			}
			e := *element
			e.number = n
			return &e
		})
		if fault != nil {
			require.NotEmpty(t, fault.Error())
			return
		}
		require.Equal(t, wire, EncodeSpec(nil, &spec))
		l, fault := Compile(spec)
		if fault != nil {
			require.NotEmpty(t, fault.Msg)
			require.True(t, fault.Index < len(spec.Fields))
			return
		}
		data := append(make([]byte, l.Size()), more...)
		for i := 0; len(more) > 0 && i < l.Size(); i++ {
			data[i] = more[i%len(more)]
		}
		var c Counts
		out := l.Append(nil, data, &c)
		require.LessOrEqual(t, len(out), l.MaxJSON())
		require.LessOrEqual(t, len(l.Key(data)), len(data))
		require.Zero(t, len(l.Program(nil))%4)
		back, bad := l.Read(make([]byte, l.Size()), out)
		require.True(t, bad != nil || len(back) >= l.Size())
	})
}

func TestProgramBytes(t *testing.T) {
	l := mustCompile(t, 8,
		Field{Name: "p.x~", Type: F32, Decimals: 2, Flags: FlagOmitEmpty},
		Field{Name: "e", Type: Enum8, Offset: 4, Count: 3, CountOffset: 7, CountType: U8, Names: []string{"", `"`}})
	names := uint32(ProgramHeader + 3*ProgramOp)
	at := names + 2*ProgramName
	word := func(words ...uint32) string { return string(appendWords(nil, words...)) }
	bytes := `"p":{` + `"x~":` + "/p/x~0" + `},"e":` + "/e" + `"\""` + `"`
	pad := (4 - len(bytes)%4) % 4
	want := word(0x4C434941, 1, at+uint32(len(bytes)+pad), 0, 8, 3, 8, 0) +
		word(0, ProgramComma, 0, 0, 0, 0, 0, 0, at, 5, 0, 0, 0, 0, 0, 0) +
		word(uint32(F32), FlagOmitEmpty, 2, 0, 0, 4, 0, 0, at+5, 5, at+10, 6, names, 0, 0, 4) +
		word(uint32(Enum8), ProgramArray, 0, 4, 3, 1, 7, uint32(U8), at+16, 6, at+22, 2, names, 2, 0, 1) +
		word(at+24, 0, at+24, 0, at+24, 4, at+28, 1) + bytes + strings.Repeat("\x00", pad)
	require.Equal(t, want, string(l.Program(nil)))
	require.Equal(t, "<"+want, string(l.Program([]byte("<"))))
	text := mustCompile(t, TextSize, Field{Name: "t", Type: Text, Count: 1})
	require.Equal(t, byte(1), text.Program(nil)[28])
	require.Equal(t, byte(1), mustCompile(t, TextSize, Field{Name: "t", Type: Struct, Element: text}).Program(nil)[28])
}
