package tape

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
)

// reader reads a tape by its description alone.
type reader struct {
	t             *testing.T
	tape          []byte
	nodes         int
	text, strings []byte
	nextString    int // where the next string must be
}

func newReader(t *testing.T, tape []byte) *reader {
	word := func(at int) int { return int(binary.LittleEndian.Uint32(tape[at:])) }
	require.GreaterOrEqual(t, len(tape), HeaderSize+NodeSize)
	require.Equal(t, Magic, word(0))
	require.Equal(t, Version, word(4))
	require.Equal(t, len(tape), word(8))
	require.Zero(t, len(tape)%8)
	require.Equal(t, Check(tape), binary.LittleEndian.Uint64(tape[24:]))
	r := &reader{t: t, tape: tape, nodes: word(12)}
	rest := tape[HeaderSize+NodeSize*r.nodes:]
	r.text, rest = rest[:word(16)], rest[word(16):]
	r.strings, rest = rest[:word(20)], rest[word(20):]
	require.Equal(t, make([]byte, len(rest)), rest)
	require.Less(t, len(rest), 8)
	return r
}

func (r *reader) field(node, at int) int {
	return int(binary.LittleEndian.Uint32(r.tape[HeaderSize+NodeSize*node+at:]))
}

func (r *reader) payload(node int) uint64 {
	return binary.LittleEndian.Uint64(r.tape[HeaderSize+NodeSize*node+16:])
}

func (r *reader) span(node int) string {
	return string(r.text[r.field(node, 8):][:r.field(node, 12)])
}

func (r *reader) str(node int) string {
	at, n := r.field(node, 16), r.field(node, 20)
	require.Equal(r.t, r.nextString, at)
	require.Equal(r.t, byte(0), r.strings[at+n])
	r.nextString = at + n + 1
	return string(r.strings[at:][:n])
}

// value gives the value at a node as encoding/json would, with numbers as json.Number, and the node behind it.
func (r *reader) value(node int) (v any, next int) {
	next = node + 1
	switch kind := r.field(node, 0); kind {
	case KindNull:
		require.Equal(r.t, "null", r.span(node))
	case KindBool:
		v = r.payload(node) == 1
		require.Equal(r.t, strconv.FormatBool(v.(bool)), r.span(node))
	case KindInteger:
		n, err := jsonwire.ToInt64([]byte(r.span(node)))
		require.NoError(r.t, err)
		require.Equal(r.t, n, int64(r.payload(node)))
		v = json.Number(r.span(node))
	case KindNumber, KindNumber | FlagWhole:
		_, err := jsonwire.ToInt64([]byte(r.span(node)))
		require.Equal(r.t, kind&FlagWhole != 0, err == jsonwire.ErrRange)
		require.Error(r.t, err)
		f, _ := strconv.ParseFloat(r.span(node), 64)
		require.Equal(r.t, math.Float64bits(f), r.payload(node))
		v = json.Number(r.span(node))
	case KindString:
		v = r.str(node)
	case KindArray:
		list := []any{}
		for next < r.field(node, 4) {
			var e any
			e, next = r.value(next)
			list = append(list, e)
		}
		require.Equal(r.t, uint64(len(list)), r.payload(node))
		v = list
	case KindObject:
		members := map[string]any{}
		for next < r.field(node, 4) {
			require.Equal(r.t, KindKey, r.field(next, 0))
			require.Equal(r.t, next+1, r.field(next, 4))
			name := r.str(next)
			members[name], next = r.value(next + 1)
		}
		require.Equal(r.t, uint64(len(members)), r.payload(node))
		v = members
	default:
		require.Fail(r.t, "kind", kind)
	}
	require.Equal(r.t, next, r.field(node, 4))
	require.True(r.t, json.Valid([]byte(r.span(node))))
	return v, next
}

func decode(t *testing.T, text string) any {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v))
	return v
}

func requireSame(t *testing.T, text string) {
	tape := Append(nil, []byte(text))
	r := newReader(t, tape)
	v, next := r.value(0)
	require.Equal(t, r.nodes, next)
	require.Equal(t, len(r.strings), r.nextString)
	require.Equal(t, decode(t, text), v)
	require.Equal(t, strings.Trim(text, " \t\r\n"), string(r.text))
}

var texts = []string{
	`null`, `true`, `false`, `0`, `-0`, `-0.0`, `1`, `-1`, `3.0`, `1e3`, `-12.50e1`, `0.1`, `1e-400`, `1e400`, `-1e400`, `5e-324`,
	`9223372036854775807`, `9223372036854775808`, `-9223372036854775808`, `-9223372036854775809`, `18446744073709551615`,
	`9223372036854775807.5`, `92233720368547758070e-1`, `1e18`, `1e19`, `123456789012345678`, `1234567890123456789`, `0.1e1`,
	`""`, `"a"`, `"a\u0000b"`, `"\u00e4\ud83d\ude00 \ud800 \\ \/ \" \b\f\n\r\t"`, `"ä😀"`,
	`[]`, `{}`, `[[],{},[[]]]`, ` [ 1 , "x" , { "a" : [ ] } , null ] `, `{"":{"":""}}`, `{"a":1,"b":{"c":[true,false,null]},"d\n":"e"}`,
	"\t{\"a\" : [1,2 ,3]\r\n}\n", strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64),
}

func TestAppendIsWhatTheTextSays(t *testing.T) {
	for _, text := range texts {
		t.Run(text, func(t *testing.T) { requireSame(t, text) })
	}
}

func TestAppendExactBytes(t *testing.T) {
	want := strings.Join([]string{
		"41494354 01000000 a0000000 04000000 12000000 07000000 4770ae4eeefe6f31",
		"07000000 04000000 00000000 12000000 0100000000000000",  // the object
		"08000000 02000000 01000000 03000000 00000000 01000000", // its name
		"06000000 04000000 05000000 0c000000 0100000000000000",  // the array
		"05000000 04000000 06000000 0a000000 02000000 04000000", // its string
		hex.EncodeToString([]byte(`{"k":["\u00e4bc"]}`)),
		hex.EncodeToString([]byte("k\x00äbc\x00")),
		"00000000000000",
	}, "")
	got := Append(nil, []byte(`{"k":["\u00e4bc"]}`))
	require.Equal(t, strings.ReplaceAll(want, " ", ""), hex.EncodeToString(got))
}

func TestAppendBehindOther(t *testing.T) {
	dst := append(make([]byte, 0, 64), "12345678"...)
	got := Append(dst, []byte(` {"a":["b"]} `))
	require.Equal(t, "12345678", string(got[:8]))
	require.Equal(t, Append(nil, []byte(`{"a":["b"]}`)), got[8:])
}

func TestAppendOfWhatWasNotChecked(t *testing.T) {
	for _, text := range []string{"", " ", ",", "]", "[", "{]", `{"a"`, `"`, "-", strings.Repeat("[", 65) + strings.Repeat("]", 65), "x", "[}"} {
		got := Append([]byte("keep"), []byte(text))
		require.Equal(t, "keep", string(got[:4]))
	}
	require.Empty(t, Append(nil, []byte(strings.Repeat("[", 65)+strings.Repeat("]", 65))))
	require.Empty(t, Append(nil, []byte("[")))
	require.Empty(t, Append(nil, nil))
}

func TestCheckTellsEveryChangedByte(t *testing.T) {
	tape := Append(nil, []byte(`{"a":[1,2.5,"x"]}`))
	sum := Check(tape)
	for i := range tape {
		if i >= 24 && i < 32 {
			continue
		}
		for bit := range 8 {
			tape[i] ^= 1 << bit
			require.NotEqual(t, sum, Check(tape))
			tape[i] ^= 1 << bit
		}
	}
}

func TestAppendAllocatesNothing(t *testing.T) {
	text := []byte(`{"target":{"x":1.5,"y":-2,"z":3e2},"names":["a","\u00e4"],"on":true,"big":18446744073709551615}`)
	dst := Append(nil, text)
	require.Zero(t, testing.AllocsPerRun(100, func() { dst = Append(dst[:0], text) }))
}

func FuzzAppend(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Add([]byte(`{"a":1`))
	var s jsonwire.Scanner
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := s.Check(text); err != nil {
			Append(nil, text) // means nothing, and ends
			return
		}
		requireSame(t, string(text))
	})
}

func BenchmarkAppend(b *testing.B) {
	text := []byte(`{"target":{"x":1.5,"y":-2,"z":300},"mode":"walk","speed":4.25,"avoid":["fire","water"],"then":null,"loud":false}`)
	dst := Append(nil, text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		dst = Append(dst[:0], text)
	}
	b.ReportMetric(float64(len(dst))/float64(len(text)), "growth")
}
