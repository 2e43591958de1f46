package layout

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// gathered is a struct of n bytes, to be filled.
type gathered []byte

func (g gathered) u8(at int, v uint8) gathered   { g[at] = v; return g }
func (g gathered) u16(at int, v uint16) gathered { binary.LittleEndian.PutUint16(g[at:], v); return g }
func (g gathered) u32(at int, v uint32) gathered { binary.LittleEndian.PutUint32(g[at:], v); return g }
func (g gathered) u64(at int, v uint64) gathered { binary.LittleEndian.PutUint64(g[at:], v); return g }
func (g gathered) f32(at int, v float32) gathered {
	return g.u32(at, math.Float32bits(v))
}
func (g gathered) f64(at int, v float64) gathered { return g.u64(at, math.Float64bits(v)) }
func (g gathered) str(at int, v string) gathered  { copy(g[at:], v); return g }
func (g gathered) text(at int, v string) gathered {
	return append(g.u32(at, uint32(len(g))).u32(at+4, uint32(len(v))), v...)
}

func TestAppendedBytes(t *testing.T) {
	item := mustCompile(t, 8, Field{Name: "id", Type: U16}, Field{Name: "worth", Type: F32, Offset: 4, Decimals: 2, Flags: FlagOmitEmpty})
	note := mustCompile(t, TextSize, Field{Name: "note", Type: Text, Count: 20})
	at := func(f Field, offset uint32) Field { f.Offset = offset; return f }
	state := Field{Name: "state", Type: Enum8, Names: []string{"idle", "", `"hit"`}}
	for _, c := range []struct {
		name, want string
		fields     []Field
		data       gathered
		c          Counts
	}{
		{"integers", `{"a":-128,"b":255,"c":-32768,"d":65535,"e":-2147483648,"f":4294967295,"g":-9223372036854775808,"h":18446744073709551615}`,
			[]Field{{Name: "a", Type: I8}, {Name: "b", Type: U8, Offset: 1}, {Name: "c", Type: I16, Offset: 2}, {Name: "d", Type: U16, Offset: 4},
				{Name: "e", Type: I32, Offset: 6}, {Name: "f", Type: U32, Offset: 10}, {Name: "g", Type: I64, Offset: 16}, {Name: "h", Type: U64, Offset: 24}},
			make(gathered, 32).u8(0, 0x80).u8(1, 255).u16(2, 0x8000).u16(4, 65535).u32(6, 1<<31).u32(10, math.MaxUint32).u64(16, 1<<63).u64(24, math.MaxUint64), Counts{}},
		{"as strings", `{"a":"-1","b":["0","9007199254740993"]}`,
			[]Field{{Name: "a", Type: I64, Flags: FlagString}, {Name: "b", Type: U64, Offset: 8, Count: 2, Flags: FlagString}},
			make(gathered, 24).u64(0, math.MaxUint64).u64(16, 1<<53+1), Counts{}},
		{"floats", `{"a":0.1,"b":0.1,"c":0.3333,"d":-0,"e":0,"f":1.5,"g":16777216,"h":5e-324}`,
			[]Field{{Name: "a", Type: F32}, {Name: "b", Type: F64, Offset: 8}, {Name: "c", Type: F64, Offset: 16, Decimals: 4}, {Name: "d", Type: F32, Offset: 4},
				{Name: "e", Type: F64, Offset: 24, Decimals: 1}, {Name: "f", Type: F32, Offset: 32, Decimals: 9}, {Name: "g", Type: F32, Offset: 36}, {Name: "h", Type: F64, Offset: 40}},
			make(gathered, 48).f32(0, 0.1).f64(8, 0.1).f64(16, 1.0/3).u32(4, 1<<31).f64(24, -0.04).f32(32, 1.5).f32(36, 1<<24).f64(40, 5e-324), Counts{}},
		{"no numbers", `{"a":null,"b":null,"c":[null,1]}`,
			[]Field{{Name: "a", Type: F32, Decimals: 2}, {Name: "b", Type: F64, Offset: 8, Flags: FlagOmitEmpty}, {Name: "c", Type: F32, Offset: 16, Count: 2}},
			make(gathered, 24).u32(0, 0x7fc00000).f64(8, math.Inf(-1)).u32(16, 0xff800000).f32(20, 1), Counts{NotFinite: 3}},
		{"truth", `{"a":true,"b":false,"c":[true,false]}`,
			[]Field{{Name: "a", Type: Bool8}, {Name: "b", Type: Bool32, Offset: 4}, {Name: "c", Type: Bool32, Offset: 8, Count: 2}},
			make(gathered, 16).u8(0, 2).u32(8, 0x100), Counts{}},
		{"enums", `{"state":"idle","b":"\"hit\"","c":[null,null,"idle"]}`,
			[]Field{state, {Name: "b", Type: Enum16, Offset: 2, Names: state.Names}, {Name: "c", Type: Enum32, Offset: 4, Count: 3, Names: state.Names}},
			make(gathered, 16).u16(2, 2).u32(4, 1).u32(8, 3), Counts{BadEnum: 2}},
		{"characters", `{"a":"abcd","b":"ab","c":"a\u0000b","d":"","e":"x�"}`,
			[]Field{{Name: "a", Type: Chars, Count: 4}, {Name: "b", Type: Chars, Offset: 4, Count: 4}, {Name: "c", Type: Chars, Offset: 8, Count: 4, CountType: U8, CountOffset: 20},
				{Name: "d", Type: Chars, Offset: 12, Count: 4}, {Name: "e", Type: Chars, Offset: 16, Count: 4}},
			make(gathered, 24).str(0, "abcd").str(4, "ab\x00c").str(8, "a\x00bc").str(16, "x\xff").u8(20, 3), Counts{BadText: 1}},
		{"text", `{"a":"grüß","b":"","c":[{"note":"x"},{"note":"yz"}]}`,
			[]Field{{Name: "a", Type: Text, Count: 9}, {Name: "b", Type: Text, Offset: TextSize, Count: 9}, {Name: "c", Type: Struct, Element: note, Offset: 2 * TextSize, Count: 2}},
			make(gathered, 4*TextSize).text(0, "grüß").text(2*TextSize, "x").text(3*TextSize, "yz"), Counts{}},
		{"text that was cut", `{"a":"cut"}`, []Field{{Name: "a", Type: Text, Count: 3}}, func() gathered {
			g := make(gathered, TextSize).text(0, "cut")
			return g.u32(4, 3|textCut)
		}(), Counts{Clamped: 1}},
		{"text that is not there", `{"a":"","b":"","c":""}`,
			[]Field{{Name: "a", Type: Text, Count: 3}, {Name: "b", Type: Text, Count: 3, Offset: TextSize}, {Name: "c", Type: Text, Count: 3, Offset: 2 * TextSize}},
			make(gathered, 3*TextSize).u32(0, 3*TextSize).u32(4, 1).u32(TextSize, math.MaxUint32).u32(2*TextSize+4, 4), Counts{Damaged: 3}},
		{"arrays", `{"a":[1,2],"b":[],"c":[3],"d":[]}`,
			[]Field{{Name: "a", Type: U8, Count: 2}, {Name: "b", Type: U8, Offset: 2, Count: 2, CountOffset: 8, CountType: U8},
				{Name: "c", Type: U8, Offset: 4, Count: 1, CountOffset: 12, CountType: U32}, {Name: "d", Type: U8, Offset: 5, Count: 2, CountOffset: 16, CountType: I32}},
			make(gathered, 20).u8(0, 1).u8(1, 2).u8(4, 3).u32(12, math.MaxUint32).u32(16, math.MaxUint32), Counts{Clamped: 2}},
		{"interleaved", `{"x":[1,3],"y":[2,4]}`, []Field{{Name: "x", Type: U8, Count: 2, Stride: 2}, {Name: "y", Type: U8, Offset: 1, Count: 2, Stride: 2}},
			gathered{1, 2, 3, 4}, Counts{}},
		{"structs", `{"one":{"id":7},"items":[{"id":1,"worth":0.5},{"id":2}]}`,
			[]Field{{Name: "one", Type: Struct, Element: item}, {Name: "items", Type: Struct, Element: item, Offset: 8, Count: 3, Stride: 12, CountOffset: 44, CountType: U16}},
			make(gathered, 48).u16(0, 7).u16(8, 1).f32(12, 0.5).u16(20, 2).u16(44, 2), Counts{}},
		{"nested", `{"p":{"x":1,"y":2,"deep":{"z":3}},"q":{"x":4},"hp":5}`,
			[]Field{{Name: "p.x", Type: U8}, {Name: "q.x", Type: U8, Offset: 3}, {Name: "p.y", Type: U8, Offset: 1}, {Name: "p.deep.z", Type: U8, Offset: 2}, {Name: "hp", Type: U8, Offset: 4}},
			gathered{1, 2, 3, 4, 5}, Counts{}},
		{"left out", `{"p":{},"f":7}`, []Field{{Name: "a", Type: U8, Flags: FlagOmitEmpty}, {Name: "b", Type: Bool8, Offset: 1, Flags: FlagOmitEmpty},
			{Name: "p.x", Type: F32, Offset: 4, Flags: FlagOmitEmpty}, {Name: "p.y", Type: Chars, Offset: 8, Count: 2, Flags: FlagOmitEmpty},
			{Name: "p.l", Type: U8, Offset: 10, Count: 2, CountOffset: 14, CountType: U8, Flags: FlagOmitEmpty}, at(state, 12), {Name: "f", Type: U8, Offset: 13}},
			make(gathered, 16).u32(4, 1<<31).u8(13, 7).u8(12, 0), Counts{}},
		{"all but the first left out", `{"f":7}`, []Field{{Name: "f", Type: U8}, {Name: "a", Type: U8, Offset: 1, Flags: FlagOmitEmpty}}, gathered{7, 0}, Counts{}},
		{"all left out", `{}`, []Field{{Name: "a", Type: U8, Flags: FlagOmitEmpty}, {Name: "b", Type: U8, Offset: 1, Flags: FlagOmitEmpty}}, gathered{0, 0}, Counts{}},
		{"none left out", `{"a":1,"t":"0","e":"0","r":0}`, []Field{{Name: "a", Type: U8, Flags: FlagOmitEmpty}, {Name: "t", Type: Chars, Count: 1, Offset: 1, Flags: FlagOmitEmpty},
			{Name: "e", Type: Enum8, Names: []string{"x", "0"}, Offset: 2, Flags: FlagOmitEmpty}, {Name: "r", Type: U8, Offset: 3}}, gathered{1, '0', 1, 0}, Counts{}},
		{"too short", `{}`, []Field{{Name: "a", Type: U8}, {Name: "b", Type: U8, Offset: 1}}, nil, Counts{Damaged: 1}},
	} {
		size := uint32(0)
		for i := range c.fields {
			f := &c.fields[i]
			if f.Name == "state" && c.name == "left out" {
				f.Flags = FlagOmitEmpty
			}
			size = max(size, f.Offset+max(f.Stride, uint32(f.size()))*max(1, f.Count), uint32(f.CountOffset)+4)
			if f.Type == Text {
				size = max(size, f.Offset+TextSize)
			}
		}
		size = min(size, max(2, uint32(len(c.data))))
		l := mustCompile(t, size, c.fields...)
		var counts Counts
		require.Equal(t, "<"+c.want, string(l.Append([]byte("<"), c.data, &counts)), c.name)
		require.Equal(t, c.c, counts, c.name)
	}
}

func TestMembers(t *testing.T) {
	l := mustCompile(t, 2, Field{Name: "a", Type: U8, Flags: FlagOmitEmpty}, Field{Name: "b.c", Type: U8, Offset: 1})
	var c Counts
	for _, m := range []struct{ before, data, want string }{
		{"", "\x01\x02", `"a":1,"b":{"c":2}`},
		{"{", "\x00\x02", `{"b":{"c":2}`},
		{`{"kind":"k"`, "\x01\x02", `{"kind":"k","a":1,"b":{"c":2}`},
		{`{"kind":"k"`, "\x00\x02", `{"kind":"k","b":{"c":2}`},
		{`{"kind":"k"`, "\x00", `{"kind":"k"`},
	} {
		require.Equal(t, m.want, string(l.AppendMembers([]byte(m.before), []byte(m.data), &c)))
	}
	require.Equal(t, Counts{Damaged: 1}, c)
	require.True(t, l.HasMember("a"))
	require.True(t, l.HasMember("b"))
	require.False(t, l.HasMember("c"))
	require.False(t, l.HasMember("b.c"))
}

func TestKey(t *testing.T) {
	one := func(f Field) *Layout {
		f.Name, f.Flags, f.Offset = "k", FlagKey, 4
		return mustCompile(t, 4+TextSize, f)
	}
	data := make(gathered, 4+TextSize).u64(4, 0x0102030405060708)
	require.Equal(t, []byte{8, 7, 6, 5}, one(Field{Type: I32}).Key(data))
	require.Equal(t, []byte{8, 7}, one(Field{Type: Enum16, Names: []string{"a"}}).Key(data))
	require.Equal(t, []byte{8, 7, 6, 5, 4, 3, 2, 1}, one(Field{Type: Chars, Count: 10}).Key(data))
	text := one(Field{Type: Text, Count: 10})
	require.Equal(t, "orc", string(text.Key(make(gathered, 4+TextSize).text(4, "orc"))))
	require.Empty(t, text.Key(data))
	require.Empty(t, text.Key(data[:5]))
	require.True(t, text.HasKey())
	none := mustCompile(t, 4, Field{Name: "k", Type: U8})
	require.False(t, none.HasKey())
	require.Nil(t, none.Key(data))
}

func TestSchemaBytes(t *testing.T) {
	item := mustCompile(t, 8, Field{Name: "id", Type: U16}, Field{Name: "on", Type: Bool8, Offset: 2, Flags: FlagOmitEmpty})
	l := mustCompile(t, 72,
		Field{Name: "p.x", Type: F32}, Field{Name: "p.y", Type: F64, Offset: 8, Flags: FlagOmitEmpty}, Field{Name: "id", Type: U64, Offset: 16, Flags: FlagString},
		Field{Name: "n", Type: I8, Offset: 24, Count: 2}, Field{Name: "state", Type: Enum8, Offset: 26, Names: []string{"a", "", "b"}, Flags: FlagOmitEmpty},
		Field{Name: "name", Type: Chars, Offset: 28, Count: 4}, Field{Name: "items", Type: Struct, Element: item, Offset: 32, Count: 3, CountOffset: 60, CountType: U8},
		Field{Name: "w", Type: I64, Offset: 64, Flags: FlagString})
	require.Equal(t, `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{`+
		`"p":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x"]},`+
		`"id":{"type":"string","pattern":"^[0-9]{1,20}$"},`+
		`"n":{"type":"array","items":{"type":"integer","minimum":-128,"maximum":127},"minItems":2,"maxItems":2},`+
		`"state":{"enum":["a","b"]},`+
		`"name":{"type":"string","maxLength":4},`+
		`"items":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer","minimum":0,"maximum":65535},"on":{"type":"boolean"}},"required":["id"]},"maxItems":3},`+
		`"w":{"type":"string","pattern":"^-?[0-9]{1,19}$"}},`+
		`"required":["p","id","n","name","items","w"]}`, string(l.Schema()))
}

func TestNothingAllocates(t *testing.T) {
	l, data := guard(t)
	item := mustCompile(t, 8, Field{Name: "id", Type: U16}, Field{Name: "worth", Type: F32, Offset: 4, Decimals: 2, Flags: FlagOmitEmpty})
	big := mustCompile(t, 96+TextSize, Field{Name: "items", Type: Struct, Element: item, Count: 8, CountOffset: 64, CountType: U8}, Field{Name: "name", Type: Chars, Offset: 68, Count: 12},
		Field{Name: "v", Type: F64, Offset: 80, Count: 2}, Field{Name: "text", Type: Text, Offset: 96, Count: 40, Flags: FlagKey | FlagOmitEmpty})
	more := make(gathered, 96+TextSize).u8(64, 8).str(68, "caf\xc3\xa9 \xff").f64(80, math.Pi).f64(88, math.NaN()).f32(12, 1.25).text(96, "a \"text\"")
	buf := make([]byte, 0, 4096)
	var c Counts
	for name, f := range map[string]func(){
		"event": func() { buf = l.Append(buf[:0], data, &c) },
		"big":   func() { buf = big.Append(buf[:0], more, &c) },
		"key":   func() { buf = append(buf[:0], big.Key(more)...) },
	} {
		require.Zero(t, testing.AllocsPerRun(200, f), name)
		require.NotEmpty(t, buf, name)
	}
}
