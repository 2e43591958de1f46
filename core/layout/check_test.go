package layout

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func mustCompile(t testing.TB, size uint32, fields ...Field) *Layout {
	t.Helper()
	l, fault := Compile(Spec{size, fields})
	if fault != nil {
		t.Fatal(fault.Error())
	}
	return l
}

func many(n int, make func(i int) Field) (list []Field) {
	for i := range n {
		list = append(list, make(i))
	}
	return list
}

func TestBadLayouts(t *testing.T) {
	small := mustCompile(t, 4, Field{Name: "a", Type: U32})
	deep := small
	for range MaxDepth - 1 {
		deep = mustCompile(t, 4, Field{Name: "a", Type: Struct, Element: deep})
	}
	nested := small
	for range 3 {
		nested = mustCompile(t, 4, Field{Name: "a.b.c.d.e.f.g", Type: Struct, Element: nested, Count: 1})
	}
	named := mustCompile(t, 1, Field{Name: strings.Repeat("n", MaxNameBytes), Type: U8})
	long := make([]string, 256)
	for i := range long {
		long[i] = strings.Repeat(string(rune('a'+i%26)), 50+i/26)
	}
	x, y := Field{Name: "x", Type: U8}, Field{Name: "y", Type: U8, Offset: 1}
	for _, c := range []struct {
		kind   FaultKind
		want   string
		size   uint32
		fields []Field
	}{
		{BadArgument, `size: 0 bytes; a struct has 1 to 65536`, 0, []Field{x}},
		{BadArgument, `size: 65537 bytes; a struct has 1 to 65536`, 65537, []Field{x}},
		{BadArgument, `count: no fields; a layout has at least one`, 4, nil},
		{TooMany, `count: 65 fields; a layout has at most 64`, 99, many(65, func(i int) Field { return Field{Name: string(rune('A' + i)), Type: U8, Offset: uint32(i)} })},

		{BadName, `fields[0].name: a field needs a name`, 4, []Field{{Type: U8}}},
		{BadName, `fields[0].name: 129 bytes; a name has at most 128`, 4, []Field{{Name: strings.Repeat("n", 129), Type: U8}}},
		{BadName, `fields[0].name: "\xff": it is not UTF-8`, 4, []Field{{Name: "\xff", Type: U8}}},
		{BadName, `fields[0].name: "a.b.c.d.e.f.g.h.i": 9 parts between dots, at most 8`, 4, []Field{{Name: "a.b.c.d.e.f.g.h.i", Type: U8}}},
		{BadName, `fields[0].name: ".a": a part between dots is empty`, 4, []Field{{Name: ".a", Type: U8}}},
		{BadName, `fields[0].name: "a..b": a part between dots is empty`, 4, []Field{{Name: "a..b", Type: U8}}},
		{BadName, `fields[0].name: "a.": a part between dots is empty`, 4, []Field{{Name: "a.", Type: U8}}},
		{BadName, `fields[2].name: "x": fields[0] has this name already`, 4, []Field{x, y, x}},
		{BadName, `fields[1].name: "x.y": it cannot stand beside "x": one is a value, the other's name makes it an object`, 4, []Field{x, {Name: "x.y", Type: U8}}},
		{BadName, `fields[1].name: "a.b": it cannot stand beside "a.b.c": one is a value, the other's name makes it an object`, 4,
			[]Field{{Name: "a.b.c", Type: U8}, {Name: "a.b", Type: U8, Offset: 1}}},

		{BadArgument, `fields[1].type: "z": 0 is no type; give one of AICC_F32 to AICC_STRUCT`, 4, []Field{x, {Name: "z"}}},
		{BadArgument, `fields[0].type: "z": 19 is no type; give one of AICC_F32 to AICC_STRUCT`, 4, []Field{{Name: "z", Type: 19}}},
		{BadArgument, `fields[0].type: "z": -1 is no type; give one of AICC_F32 to AICC_STRUCT`, 4, []Field{{Name: "z", Type: -1}}},
		{BadArgument, `fields[0].count: "z": chars needs the bytes that it has at most`, 4, []Field{{Name: "z", Type: Chars}}},
		{BadArgument, `fields[0].count: "z": text needs the bytes that it has at most`, 16, []Field{{Name: "z", Type: Text}}},
		{BadArgument, `fields[0].element: "z": a struct needs the layout of its element`, 4, []Field{{Name: "z", Type: Struct}}},
		{BadArgument, `fields[0].element: "z": u8 has no element; leave it 0`, 4, []Field{{Name: "z", Type: U8, Element: small}}},
		{BadArgument, `fields[0].element: "z": more than 8 layouts inside each other`, 4, []Field{{Name: "z", Type: Struct, Element: deep}}},

		{BadArgument, `fields[0].names: "z": an enum needs names`, 4, []Field{{Name: "z", Type: Enum8}}},
		{BadArgument, `fields[0].names: "z": an enum needs names`, 4, []Field{{Name: "z", Type: Enum16, Names: []string{"", ""}}}},
		{BadArgument, `fields[0].names: "z": u8 has no names; only an enum has`, 4, []Field{{Name: "z", Type: U8, Names: []string{"a"}}}},
		{BadArgument, `fields[0].names: "z": 257 names; enum8 has at most 256`, 4, []Field{{Name: "z", Type: Enum8, Names: make([]string, 257)}}},
		{BadArgument, `fields[0].names: "z": 1025 names; enum32 has at most 1024`, 4, []Field{{Name: "z", Type: Enum32, Names: make([]string, 1025)}}},
		{BadArgument, `fields[0].names: "z": names[1] has 65 bytes, at most 64`, 4, []Field{{Name: "z", Type: Enum8, Names: []string{"a", strings.Repeat("n", 65)}}}},
		{BadArgument, `fields[0].names: "z": names[0] is not UTF-8`, 4, []Field{{Name: "z", Type: Enum8, Names: []string{"\xff"}}}},
		{BadArgument, `fields[0].names: "z": names[0] and names[2] are both "a"`, 4, []Field{{Name: "z", Type: Enum8, Names: []string{"a", "", "a"}}}},

		{BadArgument, `fields[0].decimals: "z": 10; give 0 (as many as needed) to 9`, 4, []Field{{Name: "z", Type: F32, Decimals: 10}}},
		{BadArgument, `fields[0].decimals: "z": -1; give 0 (as many as needed) to 9`, 4, []Field{{Name: "z", Type: F32, Decimals: -1}}},
		{BadArgument, `fields[0].decimals: "z": i32 has none; only a float has`, 4, []Field{{Name: "z", Type: I32, Decimals: 2}}},
		{BadArgument, `fields[0].flags: "z": 0x8 is no flag`, 4, []Field{{Name: "z", Type: I32, Flags: 10}}},
		{BadArgument, `fields[0].flags: "z": AICC_FIELD_STRING on u32; it is for i64 and u64`, 4, []Field{{Name: "z", Type: U32, Flags: FlagString}}},
		{BadArgument, `fields[0].flags: "z": AICC_FIELD_KEY on f32; a key is one integer, enum or text`, 4, []Field{{Name: "z", Type: F32, Flags: FlagKey}}},
		{BadArgument, `fields[0].flags: "z": AICC_FIELD_KEY on bool8; a key is one integer, enum or text`, 4, []Field{{Name: "z", Type: Bool8, Flags: FlagKey}}},
		{BadArgument, `fields[0].flags: "z": AICC_FIELD_KEY on struct; a key is one integer, enum or text`, 4, []Field{{Name: "z", Type: Struct, Element: small, Flags: FlagKey}}},
		{BadArgument, `fields[0].flags: "z": AICC_FIELD_KEY on an array; a key is one integer, enum or text`, 4, []Field{{Name: "z", Type: U8, Count: 2, Flags: FlagKey}}},
		{BadArgument, `fields[1].flags: "y": AICC_FIELD_KEY on a second field`, 4, []Field{{Name: "x", Type: U8, Flags: FlagKey}, {Name: "y", Type: U8, Offset: 1, Flags: FlagKey}}},

		{BadArgument, `fields[1].offset: "z": it ends at byte 6, the struct has 4`, 4, []Field{x, {Name: "z", Type: U32, Offset: 2}}},
		{BadArgument, `fields[0].offset: "z": it ends at byte 4294967296, the struct has 4`, 4, []Field{{Name: "z", Type: U8, Offset: 0xffffffff}}},
		{BadArgument, `fields[0].offset: "z": it ends at byte 12, the struct has 8`, 8, []Field{{Name: "z", Type: F32, Count: 3}}},
		{BadArgument, `fields[0].offset: "z": it ends at byte 18446744065119617023, the struct has 8`, 8, []Field{{Name: "z", Type: U8, Count: 0xffffffff, Stride: 0xffffffff, Offset: 0xfffffffc}}},
		{BadArgument, `fields[0].offset: "z": it ends at byte 9, the struct has 8`, 8, []Field{{Name: "z", Type: Chars, Count: 9}}},
		{BadArgument, `fields[0].stride: "z": it is for arrays; leave it 0`, 8, []Field{{Name: "z", Type: Chars, Count: 4, Stride: 1}}},
		{BadArgument, `fields[0].stride: "z": it is for arrays; leave it 0`, 8, []Field{{Name: "z", Type: U8, Stride: 1}}},
		{BadArgument, `fields[0].stride: "z": 3; one element has 4 bytes`, 32, []Field{{Name: "z", Type: Struct, Element: small, Count: 2, Stride: 3}}},
		{BadArgument, `fields[1].offset: "z": it overlaps "x" at byte 0`, 4, []Field{x, {Name: "z", Type: U32}}},
		{BadArgument, `fields[1].offset: "z": it overlaps "w" at byte 5`, 8, []Field{{Name: "w", Type: U8, Count: 4, Stride: 2, Offset: 1}, {Name: "z", Type: U8, Count: 2, Offset: 4}}},
		{BadArgument, `fields[1].offset: "z": it overlaps the count of "w" at byte 4`, 8,
			[]Field{{Name: "w", Type: U8, Count: 4, CountOffset: 4, CountType: U16}, {Name: "z", Type: U32, Offset: 4}}},

		{BadArgument, `fields[0].count_type: "z": there is a count_offset, so give AICC_U8, AICC_U16, AICC_I32 or AICC_U32`, 8, []Field{{Name: "z", Type: U8, Count: 4, CountOffset: 4}}},
		{BadArgument, `fields[0].count_type: "z": 9 counts nothing; give AICC_U8, AICC_U16, AICC_I32 or AICC_U32`, 8, []Field{{Name: "z", Type: U8, Count: 4, CountOffset: 4, CountType: I64}}},
		{BadArgument, `fields[0].count_type: "z": -7 counts nothing; give AICC_U8, AICC_U16, AICC_I32 or AICC_U32`, 8, []Field{{Name: "z", Type: U8, Count: 4, CountOffset: 4, CountType: -7}}},
		{BadArgument, `fields[0].count_type: "z": one value is not counted; give count, or leave this 0`, 8, []Field{{Name: "z", Type: U8, CountOffset: 4, CountType: U8}}},
		{BadArgument, `fields[0].count_type: "z": text has its own length; leave this 0`, 24, []Field{{Name: "z", Type: Text, Count: 4, CountOffset: 16, CountType: U8}}},
		{BadArgument, `fields[0].count_type: "z": u8 cannot count to 256`, 300, []Field{{Name: "z", Type: U8, Count: 256, CountOffset: 256, CountType: U8}}},
		{BadArgument, `fields[0].count_offset: "z": -1; it is where the struct has the count`, 8, []Field{{Name: "z", Type: U8, Count: 4, CountOffset: -1, CountType: U8}}},
		{BadArgument, `fields[0].count_offset: "z": it ends at byte 12, the struct has 8`, 8, []Field{{Name: "z", Type: U8, Count: 4, CountOffset: 8, CountType: U32}}},
		{BadArgument, `fields[0].count_offset: "z": 5 is no multiple of 2, the size of u16`, 8, []Field{{Name: "z", Type: U8, Count: 4, CountOffset: 5, CountType: U16}}},
		{BadArgument, `fields[0].count_offset: "z": it lies on the field itself, at byte 0`, 8, []Field{{Name: "z", Type: U8, Count: 4, CountType: U16}}},
		{BadArgument, `fields[1].count_offset: "z": it overlaps "x" at byte 0`, 8, []Field{x, {Name: "z", Type: U8, Count: 4, Offset: 4, CountType: U8}}},
		{BadArgument, `fields[1].count_offset: "z": it overlaps the count of "w" at byte 0`, 8,
			[]Field{{Name: "w", Type: U8, Count: 2, Offset: 4, CountType: U16}, {Name: "z", Type: U8, Count: 2, Offset: 6, CountType: U8}}},

		{TooMany, `fields: the struct and its texts can take 65560 bytes, at most 65536`, 24, []Field{{Name: "z", Type: Text, Count: 65536}}},
		{TooMany, `fields: the JSON of one struct can take 9043976 bytes, at most 524288`, 65536, []Field{{Name: "z", Type: Struct, Element: named, Count: 65536}}},
		{TooMany, `fields: 33 arrays and objects inside each other in its JSON, at most 32`, 4, []Field{{Name: "a.b.c.d.e.f.g", Type: Struct, Element: nested, Count: 1}}},
		{TooMany, `fields: its JSON Schema takes more than 65536 bytes`, 8,
			many(5, func(i int) Field {
				return Field{Name: string(rune('a' + i)), Type: Enum8, Offset: uint32(i), Names: long}
			})},
	} {
		l, fault := Compile(Spec{c.size, c.fields})
		require.True(t, l == nil && fault != nil, c.want)
		require.Equal(t, c.want, fault.Error())
		require.Equal(t, c.kind, fault.Kind, c.want)
	}
}

// What looks like some of the faults above and is none.
func TestUnusualLayouts(t *testing.T) {
	for name, fields := range map[string][]Field{
		"interleaved arrays": {{Name: "x", Type: F32, Count: 2, Stride: 8}, {Name: "y", Type: F32, Count: 2, Stride: 8, Offset: 4}},
		"one count for two":  {{Name: "x", Type: U8, Count: 2, CountOffset: 4, CountType: U8}, {Name: "y", Type: U8, Offset: 2, Count: 2, CountOffset: 4, CountType: U8}},
		"names that begin alike": {{Name: "a", Type: U8}, {Name: "ab", Type: U8, Offset: 1}, {Name: "a b.c", Type: U8, Offset: 2},
			{Name: "A", Type: U8, Offset: 3}},
		"a field out of line": {{Name: "x", Type: F64, Offset: 3}},
		"no count":            {{Name: "x", Type: U8, Count: 4, CountOffset: -1}},
		"the whole struct":    {{Name: "x", Type: U8, Count: 16}},
	} {
		_, fault := Compile(Spec{16, fields})
		require.Nil(t, fault, name)
	}
}

func TestSet(t *testing.T) {
	var set Set
	define := func(name string, element uint32) (*Layout, *Fault) {
		f := Field{Name: name, Type: U32}
		if element != 0 {
			f = Field{Name: name, Type: Struct, Element: &Layout{number: element}}
		}
		return set.Define(EncodeSpec(nil, &Spec{4, []Field{f}}))
	}
	require.Nil(t, set.Find(0))
	require.Nil(t, set.Find(1))
	a, fault := define("a", 0)
	require.Nil(t, fault)
	require.Equal(t, uint32(1), a.Number())
	b, fault := define("b", 1)
	require.Nil(t, fault)
	require.Equal(t, uint32(2), b.Number())
	require.Same(t, a, b.fields[0].Element)
	again, fault := define("b", 1)
	require.Nil(t, fault)
	require.Same(t, b, again)
	_, fault = define("c", 3)
	require.Equal(t, `fields[0].element: "c": it is no layout`, fault.Error())
	_, fault = define("", 0)
	require.Equal(t, `fields[0].name: a field needs a name`, fault.Error())
	for i := 3; i <= MaxLayouts; i++ {
		l, fault := define("n"+string(rune(0x100+i)), 0)
		require.Nil(t, fault)
		require.Equal(t, uint32(i), l.Number())
		require.Same(t, l, set.Find(uint32(i)))
	}
	_, fault = define("one more", 0)
	require.Equal(t, `there are 256 layouts already; define each once`, fault.Error())
	require.Equal(t, TooMany, fault.Kind)
	again, fault = define("a", 0)
	require.Nil(t, fault)
	require.Same(t, a, again)
	require.Nil(t, set.Find(MaxLayouts+1))
}
