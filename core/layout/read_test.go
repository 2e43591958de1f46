package layout

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// reading is a layout with one field of each sort.
func reading(t testing.TB) *Layout {
	item := mustCompile(t, 4, Field{Name: "n", Type: U16}, Field{Name: "on", Type: Bool8, Offset: 2})
	return mustCompile(t, 200,
		Field{Name: "i8", Type: I8}, Field{Name: "u8", Type: U8, Offset: 1}, Field{Name: "i16", Type: I16, Offset: 2}, Field{Name: "u16", Type: U16, Offset: 4},
		Field{Name: "i32", Type: I32, Offset: 8}, Field{Name: "u32", Type: U32, Offset: 12}, Field{Name: "i64", Type: I64, Offset: 16}, Field{Name: "u64", Type: U64, Offset: 24},
		Field{Name: "s64", Type: I64, Offset: 32, Flags: FlagString}, Field{Name: "t64", Type: U64, Offset: 40, Flags: FlagString},
		Field{Name: "p.x", Type: F32, Offset: 48}, Field{Name: "p.q.y", Type: F64, Offset: 56},
		Field{Name: "b", Type: Bool8, Offset: 64}, Field{Name: "b4", Type: Bool32, Offset: 68},
		Field{Name: "e", Type: Enum16, Offset: 72, Names: []string{"idle", "", "a/b"}},
		Field{Name: "c", Type: Chars, Offset: 80, Count: 4}, Field{Name: "cc", Type: Chars, Offset: 84, Count: 3, CountOffset: 88, CountType: U8},
		Field{Name: "t", Type: Text, Offset: 96, Count: 4},
		Field{Name: "fix", Type: U8, Offset: 112, Count: 2}, Field{Name: "var", Type: F32, Offset: 116, Count: 2, CountOffset: 124, CountType: U32},
		Field{Name: "one", Type: Struct, Element: item, Offset: 128}, Field{Name: "list", Type: Struct, Element: item, Offset: 132, Count: 2, CountOffset: 144, CountType: I32},
		Field{Name: "v", Type: U8, Offset: 148, Count: 3, CountOffset: 156, CountType: U16}, Field{Name: "w", Type: U8, Offset: 152, Count: 3, CountOffset: 156, CountType: U16})
}

func TestRead(t *testing.T) {
	l := reading(t)
	empty := func() gathered { return make(gathered, 200) }
	for _, c := range []struct {
		json string
		want gathered
	}{
		{`{}`, empty()},
		{`{"other":1,"p":null,"i8":null,"p ":{"x":1}}`, empty()},
		{`{"i8":-128,"u8":255,"i16":-32768,"u16":65535,"i32":-2147483648,"u32":4294967295,"i64":-9223372036854775808,"u64":18446744073709551615}`,
			empty().u8(0, 0x80).u8(1, 255).u16(2, 0x8000).u16(4, 65535).u32(8, 1<<31).u32(12, math.MaxUint32).u64(16, 1<<63).u64(24, math.MaxUint64)},
		{`{"i8":127.0,"u16":1e3,"i64":9223372036854775807,"u64":-0}`, empty().u8(0, 127).u16(4, 1000).u64(16, math.MaxInt64)},
		{`{"s64":"-9223372036854775808","t64":"18446744073709551615"}`, empty().u64(32, 1<<63).u64(40, math.MaxUint64)},
		{`{"s64":-3,"t64":"\u0030"}`, empty().u64(32, math.MaxUint64-2)},
		{`{"p":{"x":0.1,"q":{"y":-1e-400}}}`, empty().f32(48, 0.1).f64(56, math.Copysign(0, -1))},
		{`{"p":{"q":{"y":1.7976931348623157e308},"x":3.4028235e38}}`, empty().f32(48, math.MaxFloat32).f64(56, math.MaxFloat64)},
		{`{"p":{"x":3.40282356e38}}`, empty().f32(48, math.MaxFloat32)},
		{`{"b":true,"b4":true,"e":"a\/b"}`, empty().u8(64, 1).u32(68, 1).u16(72, 2)},
		{`{"c":"a\u00e9","cc":"\u0000ab","t":"four"}`, empty().str(80, "aé").str(84, "\x00ab").u8(88, 3).text(96, "four")},
		{`{"fix":[1,2],"var":[1.5],"one":{"n":7},"list":[{"on":true},{"n":1}]}`,
			empty().u8(112, 1).u8(113, 2).f32(116, 1.5).u32(124, 1).u16(128, 7).u8(134, 1).u16(136, 1).u32(144, 2)},
		{`{"v":[1,2],"w":[3,4]}`, empty().u8(148, 1).u8(149, 2).u8(152, 3).u8(153, 4).u16(156, 2)},
	} {
		got, fault := l.Read(empty(), []byte(c.json))
		require.Nil(t, fault, c.json)
		require.Equal(t, []byte(c.want), got, c.json)
	}
	// What the object does not have stays as it is.
	full := make([]byte, 200)
	for i := range full {
		full[i] = 0xee
	}
	want := gathered(append([]byte(nil), full...)).u8(1, 9).str(80, "a\x00\x00\x00")
	clear(want[96 : 96+TextSize])
	want = want.text(96, "x")
	got, fault := l.Read(full, []byte(`{"u8":9,"c":"a","t":"x"}`))
	require.Nil(t, fault)
	require.Equal(t, []byte(want), got)
}

func TestReadFaults(t *testing.T) {
	l := reading(t)
	for json, want := range map[string]string{
		`[]`:                                 `an object was wanted, array came`,
		`{"i8":128}`:                         `/i8: it is not in -128 to 127`,
		`{"i8":-129}`:                        `/i8: it is not in -128 to 127`,
		`{"u8":256}`:                         `/u8: it is not in 0 to 255`,
		`{"u8":-1}`:                          `/u8: it is not in 0 to 255`,
		`{"i16":32768}`:                      `/i16: it is not in -32768 to 32767`,
		`{"u16":65536}`:                      `/u16: it is not in 0 to 65535`,
		`{"i32":2147483648}`:                 `/i32: it is not in -2147483648 to 2147483647`,
		`{"u32":4294967296}`:                 `/u32: it is not in 0 to 4294967295`,
		`{"i64":1e400}`:                      `/i64: it is not in -9223372036854775808 to 9223372036854775807`,
		`{"i64":9223372036854775808}`:        `/i64: it is not in -9223372036854775808 to 9223372036854775807`,
		`{"u64":18446744073709551616}`:       `/u64: it is not in 0 to 18446744073709551615`,
		`{"t64":"18446744073709551616"}`:     `/t64: it is not in 0 to 18446744073709551615`,
		`{"t64":"-1"}`:                       `/t64: it is not in 0 to 18446744073709551615`,
		`{"s64":"01"}`:                       `/s64: a string of digits was wanted`,
		`{"s64":"1.0"}`:                      `/s64: a string of digits was wanted`,
		`{"s64":""}`:                         `/s64: a string of digits was wanted`,
		`{"s64":"-"}`:                        `/s64: a string of digits was wanted`,
		`{"s64":true}`:                       `/s64: an integer was wanted, boolean came`,
		`{"i8":1.5}`:                         `/i8: an integer was wanted, a number with a fraction came`,
		`{"i8":"1"}`:                         `/i8: an integer was wanted, string came`,
		`{"p":1}`:                            `/p: an object was wanted, number came`,
		`{"p":{"q":[]}}`:                     `/p/q: an object was wanted, array came`,
		`{"p":{"x":"1"}}`:                    `/p/x: a number was wanted, string came`,
		`{"p":{"x":3.5e38}}`:                 `/p/x: it is beyond every f32`,
		`{"p":{"q":{"y":1e309}}}`:            `/p/q/y: it is beyond every f64`,
		`{"b":1}`:                            `/b: a boolean was wanted, number came`,
		`{"e":2}`:                            `/e: a string was wanted, number came`,
		`{"e":""}`:                           `/e: it is none of the 3 names`,
		`{"e":"IDLE"}`:                       `/e: it is none of the 3 names`,
		`{"c":["a"]}`:                        `/c: a string was wanted, array came`,
		`{"c":"abcd"}`:                       `/c: it has 4 bytes, at most 3 fit`,
		`{"c":"\u0000"}`:                     `/c: it has a NUL, which would end it`,
		`{"cc":"abcd"}`:                      `/cc: it has 4 bytes, at most 3 fit`,
		`{"t":"five5"}`:                      `/t: it has 5 bytes, at most 4 fit`,
		`{"t":5}`:                            `/t: a string was wanted, number came`,
		`{"fix":1}`:                          `/fix: an array was wanted, number came`,
		`{"fix":[1]}`:                        `/fix: 2 elements were wanted, 1 came`,
		`{"fix":[1,2,3]}`:                    `/fix: 2 elements were wanted, 3 came`,
		`{"fix":[1,null]}`:                   `/fix/1: an integer was wanted, null came`,
		`{"var":[1,2,3]}`:                    `/var: at most 2 elements were wanted, 3 came`,
		`{"var":[1,"a",3]}`:                  `/var/1: a number was wanted, string came`,
		`{"one":[]}`:                         `/one: an object was wanted, array came`,
		`{"list":[{"n":1},{"n":70000}]}`:     `/list/1/n: it is not in 0 to 65535`,
		`{"list":[1]}`:                       `/list/0: an object was wanted, number came`,
		`{"v":[1,2],"w":[3]}`:                `/w: "v" has 2 elements and this has 1, but they have one count`,
		`{"u8":1,"t":"x","list":[{"on":2}]}`: `/list/0/on: a boolean was wanted, number came`,
	} {
		data := make([]byte, 200)
		got, fault := l.Read(data, []byte(json))
		require.NotNil(t, fault, json)
		require.Equal(t, want, fault.Error())
		wrong := strings.Contains(want, " was wanted")
		require.Equal(t, wrong, fault.Kind == WrongType, json)
		require.Equal(t, make([]byte, 200), got, json)
	}
	_, fault := l.Read(make([]byte, 199), []byte(`{}`))
	require.Equal(t, `the struct has 200 bytes, 199 were given`, fault.Error())
}
