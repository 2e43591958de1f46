package jsonwire

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKinds(t *testing.T) {
	for text, want := range map[string]string{"{}": "object", "[": "array", `"a"`: "string", "1": "number", "-1": "number",
		"true": "boolean", "false": "boolean", "null": "null", "": "none", "x": "none"} {
		require.Equal(t, want, KindOf([]byte(text)).String(), text)
	}
	require.Equal(t, "none", Kind(200).String())
}

func TestMembers(t *testing.T) {
	text := []byte(" { \"a\" : [ 1 , {} ] ,\n\"b\\\"\":\"}\\\"\",\"\" :{ \"a\":1 }, \"n\":-1e5 , \"t\" : true } ")
	var s Scanner
	info, err := s.Check(text)
	require.Nil(t, err)
	m := ObjectMembers(text[info.Start:info.End])
	var got []string
	for {
		name, value, ok := m.Next()
		if !ok {
			break
		}
		require.Equal(t, string(name), string(text[info.Start+m.Offset():][:len(name)]))
		require.Equal(t, string(value), string(text[info.Start+m.ValueOffset():][:len(value)]))
		got = append(got, string(name)+" = "+string(value))
	}
	require.Equal(t, []string{`"a" = [ 1 , {} ]`, `"b\"" = "}\""`, `"" = { "a":1 }`, `"n" = -1e5`, `"t" = true`}, got)
	_, _, ok := m.Next()
	require.False(t, ok)

	e := ArrayElements([]byte(`[ 1 ,"a,]" , [ ] , { "x" : [ ] } , null ]`))
	got = nil
	for {
		value, ok := e.Next()
		if !ok {
			break
		}
		got = append(got, fmt.Sprint(e.Offset(), " ", string(value)))
	}
	require.Equal(t, []string{`2 1`, `5 "a,]"`, `13 [ ]`, `19 { "x" : [ ] }`, `35 null`}, got)
	_, ok = e.Next()
	require.False(t, ok)

	for _, text := range []string{"{}", "{ }", "[]", "[ ]"} {
		m, e := ObjectMembers([]byte(text)), ArrayElements([]byte(text))
		_, _, ok := m.Next()
		require.False(t, ok)
		if text[0] == '[' {
			_, ok = e.Next()
			require.False(t, ok)
		}
	}
}

func TestLookup(t *testing.T) {
	text := []byte(`{"ab":1,"\u0061":{"b":2},"":3}`)
	for name, want := range map[string]string{"ab": "1", "a": `{"b":2}`, "": "3"} {
		v, ok := Lookup(text, name)
		require.True(t, ok, name)
		require.Equal(t, want, string(v))
	}
	for _, name := range []string{"b", "A", `\u0061`, "abc"} {
		_, ok := Lookup(text, name)
		require.False(t, ok, name)
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		raw, want   string
		lone, runes int
	}{
		{`""`, "", 0, 0},
		{`"plain é"`, "plain é", 0, 7},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t", 0, 8},
		{`"x\u00e9y\u20ACz"`, "xéy€z", 0, 5},
		{`"\ud83d\ude00"`, "😀", 0, 1},
		{`"\uD83D\uDE00é"`, "😀é", 0, 2},
		{`"\ud83d"`, "\uFFFD", 1, 1},
		{`"\ud83dx"`, "\uFFFDx", 1, 2},
		{`"\ud83d\n"`, "\uFFFD\n", 1, 2},
		{`"\ud83d\u0041"`, "\uFFFDA", 1, 2},
		{`"\ude00\ud83d\ude00"`, "\uFFFD😀", 1, 2},
		{`"\ufffd"`, "\uFFFD", 0, 1},
		{`"\u0000"`, "\x00", 0, 1},
	} {
		out, lone := AppendUnquoted([]byte("<"), []byte(c.raw))
		require.Equal(t, "<"+c.want, string(out), c.raw)
		require.Equal(t, c.lone, lone, c.raw)
		require.Equal(t, c.runes, RuneCount([]byte(c.raw)), c.raw)
		require.True(t, TextEquals([]byte(c.raw), c.want), c.raw)
		require.False(t, TextEquals([]byte(c.raw), c.want+"x"), c.raw)
		require.False(t, TextEquals([]byte(c.raw), "y"+c.want), c.raw)
		scratch := []byte("kept")
		require.Equal(t, c.want, string(Text([]byte(c.raw), &scratch)))
		require.Equal(t, HasEscape([]byte(c.raw)), len(scratch) > 4 || strings.Contains(c.raw, `\`))
	}
	raw := []byte(`"same"`)
	require.Same(t, &raw[1], &Text(raw, nil)[0], "a string without escapes is a part of its text")
}

// readAll calls every reader on text that may be anything: they end and stay inside it.
func readAll(t *testing.T, src []byte) {
	require.LessOrEqual(t, Skip(src, 0), len(src))
	m := ObjectMembers(src)
	for n := 0; ; n++ {
		require.LessOrEqual(t, n, len(src)+1)
		if _, _, ok := m.Next(); !ok {
			break
		}
	}
	e := ArrayElements(src)
	for n := 0; ; n++ {
		require.LessOrEqual(t, n, len(src)+1)
		if _, ok := e.Next(); !ok {
			break
		}
	}
	Lookup(src, "a")
	AppendUnquoted(nil, src)
	RuneCount(src)
	TextEquals(src, string(src))
	IsInteger(src)
	Sign(src)
	_, _ = ToInt64(src)
	_, _ = ToUint64(src)
	_, _ = ToFloat64(src)
	CompareNumbers(src, src)
	Equal(src, slices.Clone(src))
	Hash(src)
	AppendCompact(nil, src)
}

func TestReadersOverBadText(t *testing.T) {
	for _, text := range []string{"", "{", "[", `"`, `"\`, `{"a`, `{"a"`, `{"a":`, `{"a":]`, `[1,`, `{"a":1,,"b":2}`, "}", "]]", ",", `"\u12`, `"\ud800\u"`,
		strings.Repeat("[", 100), strings.Repeat(`{"a":`, 10_000), "\x00", "[\x00\x01]", "{\"a\":\x00}", "-", "1e", "e", "1e+", "..", "{:}", `[:,]`, "[}", "{]"} {
		readAll(t, []byte(text))
	}
}

func TestEqual(t *testing.T) {
	big := func(n, step int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `,"k%d":%d`, i*step%n, i*step%n)
		}
		return "{" + b.String()[1:] + "}"
	}
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`null`, `null`, true},
		{`null`, `false`, false},
		{`true`, `false`, false},
		{`1`, `1.0`, true},
		{`1.0`, `1e0`, true},
		{`100`, `1E+2`, true},
		{`0`, `-0.000e99`, true},
		{`1`, `-1`, false},
		{`0.1`, `1e-1`, true},
		{`0.1`, `0.10000000000000000001`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`1e999999999999999999999`, `10e999999999999999999998`, true},
		{`1e999999999999999999999`, `1e999999999999999999998`, false},
		{`1`, `"1"`, false},
		{`"a"`, `"\u0061"`, true},
		{`"a"`, `"b"`, false},
		{`"a"`, `"a\u0000"`, false},
		{`"😀"`, `"\ud83d\ude00"`, true},
		{`[]`, `[ ]`, true},
		{`[1,2]`, `[1, 2.0]`, true},
		{`[1,2]`, `[2,1]`, false},
		{`[1,2]`, `[1,2,3]`, false},
		{`[[]]`, `[{}]`, false},
		{`{}`, `{ }`, true},
		{`{"a":1,"b":2}`, `{"b":2.0,"\u0061":1}`, true},
		{`{"a":1,"b":2}`, `{"b":1,"a":2}`, false},
		{`{"a":1}`, `{"a":1,"b":2}`, false},
		{`{"a":1,"b":2}`, `{"a":1}`, false},
		{`{"a":1,"b":2}`, `{"c":1,"b":2}`, false},
		{`{"a":1,"b":2,"c":3}`, `{"a":1,"c":3}`, false},
		{`{"b":2,"a":1}`, `{"a":1,"b":2,"c":3}`, false},
		{`{"a":{"x":[1,{"p":1,"q":2}],"y":0}}`, `{"a":{"y":0,"x":[1,{"q":2,"p":1}]}}`, true},
		{big(17, 1), big(17, 5), true},
		{big(5000, 1), big(5000, 7), true},
		{big(5000, 1), big(4999, 7), false},
		{strings.Replace(big(5000, 1), `"k77":77`, `"k77":78`, 1), big(5000, 7), false},
	} {
		require.Equal(t, c.want, Equal([]byte(c.a), []byte(c.b)), "%.60s and %.60s", c.a, c.b)
		require.Equal(t, c.want, Equal([]byte(c.b), []byte(c.a)), "%.60s and %.60s", c.b, c.a)
		require.Equal(t, c.want, Hash([]byte(c.a)) == Hash([]byte(c.b)), "hashes of %.60s and %.60s", c.a, c.b)
	}
}

func TestHashTellsApart(t *testing.T) {
	seen := map[[16]byte]string{}
	for _, text := range []string{`null`, `true`, `false`, `0`, `1`, `-1`, `10`, `1e18446744073709551616`, `1e2305843009213693951`, `""`, `"0"`, `"1"`, `"\u0000"`, `[]`, `{}`,
		`[null]`, `[[]]`, `[{}]`, `[0]`, `[0,0]`, `["",""]`, `["a","b"]`, `["ab",""]`, `{"a":"b"}`, `{"b":"a"}`, `{"a":{"b":1}}`, `{"a":1,"b":2}`, `{"a":2,"b":1}`,
		`{"":null}`, `"12345678"`, `"1234567"`, `"123456789"`, `["12345678"]`, `1.5`, `-1.5`, `0.15`, `15e-3`} {
		h := Hash([]byte(text))
		require.NotContains(t, seen, h, text)
		seen[h] = text
	}
	// Kept results are found by this value; it must not differ between versions of one library or machines.
	require.Equal(t, "b75ed6aaa3d401d310fddf5333e7b862", fmt.Sprintf("%x", Hash([]byte(`{"x":1.50,"name":"é","list":[true,null]}`))))
}
