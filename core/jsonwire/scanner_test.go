package jsonwire

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

func TestCheckAccepts(t *testing.T) {
	var s Scanner
	for _, c := range []struct {
		text string
		want Info
	}{
		{`null`, Info{Kind: Null, End: 4}},
		{" true\n", Info{Kind: Bool, Start: 1, End: 5}},
		{`false`, Info{Kind: Bool, End: 5}},
		{`0`, Info{Kind: Number, End: 1}},
		{`-0.0e-0`, Info{Kind: Number, End: 7}},
		{`1E+9`, Info{Kind: Number, End: 4}},
		{`12345678901234567890.5`, Info{Kind: Number, End: 22}},
		{`""`, Info{Kind: String, End: 2}},
		{`"\"\\\/\b\f\n\r\té"`, Info{Kind: String, End: 20}},
		{"\"a\u2028é\U0001F600\x7f\"", Info{Kind: String, End: 13}},
		{`"\ud83d\ude00"`, Info{Kind: String, End: 14}},
		{`"\ufffd"`, Info{Kind: String, End: 8}},
		{`"\ud800"`, Info{Kind: String, End: 8, LoneSurrogates: 1}},
		{`"\udc00\ud800\ud800\udc00\uDBFF"`, Info{Kind: String, End: 32, LoneSurrogates: 3}},
		{`"\ud800\u0041\udfff"`, Info{Kind: String, End: 20, LoneSurrogates: 2}},
		{`[]`, Info{Kind: Array, End: 2, Depth: 1}},
		{`{}`, Info{Kind: Object, End: 2, Depth: 1}},
		{" [ 1 , [ ] , { } ] ", Info{Kind: Array, Start: 1, End: 18, Depth: 2}},
		{`{"a":1,"A":2,"":3,"a ":4}`, Info{Kind: Object, End: 25, Depth: 1}},
		{`{"a":{"a":{"a":[{"a":1},{"a":1}]}}}`, Info{Kind: Object, End: 35, Depth: 5}},
		{nested(MaxDepth), Info{Kind: Array, End: 2 * MaxDepth, Depth: MaxDepth}},
	} {
		got, err := s.Check([]byte(c.text))
		require.Nil(t, err, c.text)
		require.Equal(t, c.want, got, c.text)
	}
}

func TestCheckRefuses(t *testing.T) {
	var many strings.Builder
	for i := range 40 {
		fmt.Fprintf(&many, `"n%d":0,`, i)
	}
	var s Scanner
	for _, c := range []struct{ text, want string }{
		{``, `byte 0: the text is empty`},
		{" \n", `byte 2: the text is empty`},
		{"\xEF\xBB\xBF{}", `byte 0: a byte order mark is not accepted`},
		{"{}\xEF\xBB\xBF", "byte 2: one value was wanted, '\\ufeff' came behind it"},
		{`{} {}`, `byte 3: one value was wanted, '{' came behind it`},
		{`1 2`, `byte 2: one value was wanted, '2' came behind it`},
		{`1]`, `byte 1: one value was wanted, ']' came behind it`},
		{"null\x00", `byte 4: one value was wanted, byte 0x00 came behind it`},
		{`NaN`, `byte 0: NaN and Infinity are not JSON`},
		{`[1,-Infinity]`, `byte 3 (/1): NaN and Infinity are not JSON`},
		{`{"a":Infinity}`, `byte 5 (/a): NaN and Infinity are not JSON`},
		{`[1,/* */2]`, `byte 3 (/1): comments are not JSON`},
		{`{'a':1}`, `byte 1: a member name in double quotes was wanted, '\'' came`},
		{`['a']`, `byte 1 (/0): a string needs double quotes`},
		{`{a:1}`, `byte 1: a member name in double quotes was wanted, 'a' came`},
		{`{1:1}`, `byte 1: a member name in double quotes was wanted, '1' came`},
		{`True`, `byte 0: a value was wanted, 'T' came`},
		{`tru`, `byte 0: a value was wanted, 't' came`},
		{`nullx`, `byte 0: a value was wanted, 'n' came`},
		{`[true1]`, `byte 1 (/0): a value was wanted, 't' came`},
		{`+1`, `byte 0: a number must begin with a digit or '-'`},
		{`.5`, `byte 0: a number must begin with a digit or '-'`},
		{`01`, `byte 0: a number must not have a leading zero`},
		{`-01.5`, `byte 1: a number must not have a leading zero`},
		{`-`, `byte 1: a digit was wanted, the end of the text came`},
		{`1.`, `byte 2: a digit was wanted, the end of the text came`},
		{`1.e5`, `byte 2: a digit was wanted, 'e' came`},
		{`1e`, `byte 2: a digit was wanted, the end of the text came`},
		{`1e+x`, `byte 3: a digit was wanted, 'x' came`},
		{`0x10`, `byte 1: one value was wanted, 'x' came behind it`},
		{`1_000`, `byte 1: one value was wanted, '_' came behind it`},
		{`"`, `byte 1: the text ends inside a string`},
		{`"abc`, `byte 4: the text ends inside a string`},
		{`"abc\`, `byte 5: the text ends inside a string`},
		{`"abc\"`, `byte 6: the text ends inside a string`},
		{"\"a\nb\"", `byte 2: control character 0x0A must be escaped in a string`},
		{"\"long enough\x1f\"", `byte 12: control character 0x1F must be escaped in a string`},
		{"\"\x00\"", `byte 1: control character 0x00 must be escaped in a string`},
		{`"\x41"`, `byte 1: \ before 'x' is no escape`},
		{`"\'"`, `byte 1: \ before '\'' is no escape`},
		{`"\u12g4"`, `byte 1: \u needs four hexadecimal digits`},
		{`"\u123"`, `byte 1: \u needs four hexadecimal digits`},
		{`"\U0041"`, `byte 1: \ before 'U' is no escape`},
		{"\"a\xff\"", `byte 2: invalid UTF-8`},
		{"\"\xed\xa0\x80\"", `byte 1: invalid UTF-8`},
		{"\"\xc0\x80\"", `byte 1: invalid UTF-8`},
		{"\"\xf4\x90\x80\x80\"", `byte 1: invalid UTF-8`},
		{"\"\xe2\x82\"", `byte 1: invalid UTF-8`},
		{"{\"\xff\":1}", `byte 2: invalid UTF-8`},
		{"[\xff]", `byte 1 (/0): a value was wanted, byte 0xFF came`},
		{`[`, `byte 1 (/0): a value was wanted, the end of the text came`},
		{`[1`, `byte 2 (/0): ',' or ']' was wanted, the end of the text came`},
		{`[1 2]`, `byte 3 (/0): ',' or ']' was wanted, '2' came`},
		{`[1}`, `byte 2 (/0): ',' or ']' was wanted, '}' came`},
		{`[1,]`, `byte 2 (/0): a comma before ']' is not JSON`},
		{`[,1]`, `byte 1 (/0): a value was wanted, ',' came`},
		{`[1,,2]`, `byte 3 (/1): a value was wanted, ',' came`},
		{`]`, `byte 0: a value was wanted, ']' came`},
		{`{`, `byte 1: a member name in double quotes was wanted, the end of the text came`},
		{`{"a"`, `byte 4 (/a): ':' was wanted, the end of the text came`},
		{`{"a" 1}`, `byte 5 (/a): ':' was wanted, '1' came`},
		{`{"a":}`, `byte 5 (/a): a value was wanted, '}' came`},
		{`{"a":1`, `byte 6 (/a): ',' or '}' was wanted, the end of the text came`},
		{`{"a":1,}`, `byte 6 (/a): a comma before '}' is not JSON`},
		{`{"a":1,"b"}`, `byte 10 (/b): ':' was wanted, '}' came`},
		{`{"a":1]`, `byte 6 (/a): ',' or '}' was wanted, ']' came`},
		{`{"a":{"x/y~":[0,{"\u00e9":tru}]}}`, `byte 26 (/a/x~1y~0/1/é): a value was wanted, 't' came`},
		{`{"a":1,"a":2}`, `byte 7 (/a): duplicate member`},
		{`{"":1,"":2}`, `byte 6 (/): duplicate member`},
		{`{"a":1,"\u0061":2}`, `byte 7 (/a): duplicate member`},
		{`{"\/":1,"/":2}`, `byte 8 (/~1): duplicate member`},
		{`{"\ud83d\ude00":1,"😀":2}`, `byte 18 (/😀): duplicate member`},
		{`{"\ud800":1,"\udc00":2}`, `byte 12 (/�): duplicate member`},
		{`[{"b":{"c":1,"d":2,"c":3}}]`, `byte 19 (/0/b/c): duplicate member`},
		{`{` + many.String() + `"n0":1}`, `byte 311 (/n0): duplicate member`},
		{`{` + many.String() + `"n39":1}`, `byte 311 (/n39): duplicate member`},
		{`{` + many.String() + `"\u006e20":1}`, `byte 311 (/n20): duplicate member`},
		{`{` + many.String() + `"x":{"n0":0,"n0":0}}`, `byte 323 (/x/n0): duplicate member`},
		{nested(MaxDepth + 1), `byte 64 (` + strings.Repeat("/0", 64) + `): more than 64 arrays and objects inside each other`},
		{strings.Repeat(`{"a":`, 65), `byte 320 (` + strings.Repeat("/a", 64) + `): more than 64 arrays and objects inside each other`},
	} {
		_, err := s.Check([]byte(c.text))
		require.NotNil(t, err, c.text)
		require.Equal(t, c.want, err.Error(), c.text)
	}
}

func TestSizeBound(t *testing.T) {
	s := Scanner{MaxBytes: 10}
	_, err := s.Check([]byte(`"12345678"`))
	require.Nil(t, err)
	_, err = s.Check([]byte(`"123456789"`))
	require.Equal(t, &Error{Offset: 10, Msg: "the text has 11 bytes, at most 10 are accepted"}, err)
	s.MaxBytes = 0
	_, err = s.Check([]byte(`"` + strings.Repeat("a", DefaultMaxBytes-2) + `"`))
	require.Nil(t, err)
	_, err = s.Check([]byte(`"` + strings.Repeat("a", DefaultMaxBytes-1) + `"`))
	require.Equal(t, "byte 1048576: the text has 1048577 bytes, at most 1048576 are accepted", err.Error())
}

// Many members, in one object and in many, by the same Scanner; none is lost when the set grows.
func TestDuplicatesInLargeObjects(t *testing.T) {
	var s Scanner
	for _, n := range []int{7, 8, 9, 10, 31, 32, 33, 1000, 20000} {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `%s"k%d":{"k0":1}`, []string{"{", ","}[min(i, 1)], i)
		}
		_, err := s.Check([]byte(b.String() + "}"))
		require.Nil(t, err)
		for _, again := range []int{0, n / 2, n - 1} {
			_, err = s.Check(fmt.Appendf(nil, `%s,"k%d":1}`, b.String(), again))
			require.NotNil(t, err)
			require.Equal(t, "duplicate member", err.Msg)
			require.Equal(t, fmt.Sprintf("/k%d", again), err.Pointer)
		}
	}
	require.LessOrEqual(t, cap(s.names), keepNames)
}

// The time for a text grows with its length and not with its square.
func TestDuplicateSearchIsLinear(t *testing.T) {
	var s Scanner
	var b strings.Builder
	b.WriteByte('{')
	for i := range 100_000 {
		fmt.Fprintf(&b, `"%x":0,`, i)
	}
	b.WriteString(`"end":0}`)
	start := time.Now()
	_, err := s.Check([]byte(b.String()))
	require.Nil(t, err)
	require.Less(t, time.Since(start), 2*time.Second, "each with each would be 5,000,000,000 comparisons")
}

func TestEpochWraps(t *testing.T) {
	var s Scanner
	text := []byte(`{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0,"g":0,"h":0,"i":0,"j":0}`)
	_, err := s.Check(text)
	require.Nil(t, err)
	s.set.epoch = ^uint32(0)
	for range 3 {
		_, err = s.Check(text)
		require.Nil(t, err)
	}
}
