package jsonwire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// plainCheck is the slow twin of Scanner.Check: the standard library and plain maps.
func plainCheck(src []byte) error {
	if len(src) > DefaultMaxBytes || !utf8.Valid(src) || !json.Valid(src) {
		return fmt.Errorf("not JSON, not UTF-8, or too large")
	}
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	type open struct {
		names map[string]bool // nil in an array
		value bool            // a name has come
	}
	var stack []*open
	for {
		tok, err := dec.Token()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		switch d, _ := tok.(json.Delim); d {
		case '}', ']':
			stack = stack[:len(stack)-1]
			continue
		}
		if n := len(stack); n > 0 && stack[n-1].names != nil {
			top := stack[n-1]
			if !top.value {
				name := tok.(string)
				if top.names[name] {
					return fmt.Errorf("duplicate %q", name)
				}
				top.names[name], top.value = true, true
				continue
			}
			top.value = false
		}
		if d, ok := tok.(json.Delim); ok {
			o := &open{}
			if d == '{' {
				o.names = map[string]bool{}
			}
			if stack = append(stack, o); len(stack) > MaxDepth {
				return fmt.Errorf("too deep")
			}
		}
	}
}

// rebuild reads a checked value with this package's readers into what encoding/json makes of it.
func rebuild(t *testing.T, v []byte) any {
	switch KindOf(v) {
	case Object:
		m := map[string]any{}
		for it := ObjectMembers(v); ; {
			name, value, ok := it.Next()
			if !ok {
				return m
			}
			text, _ := AppendUnquoted(nil, name)
			m[string(text)] = rebuild(t, value)
			got, ok := Lookup(v, string(text))
			require.True(t, ok)
			require.Equal(t, string(value), string(got))
		}
	case Array:
		list := []any{}
		for it := ArrayElements(v); ; {
			value, ok := it.Next()
			if !ok {
				return list
			}
			list = append(list, rebuild(t, value))
		}
	case String:
		text, _ := AppendUnquoted(nil, v)
		require.Equal(t, utf8.RuneCount(text), RuneCount(v))
		return string(text)
	case Number:
		return json.Number(v)
	}
	var x any
	require.NoError(t, json.Unmarshal(v, &x))
	return x
}

func FuzzCheck(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e-3,{"b":null}],"c":"\u00e9\ud83d\ude00","d":true}`, `{"a":1,"\u0061":2}`, `[[[]]]`, `"\ud800"`, "\"\xff\"", `1e5`, `-0`, `nul`, ` [1 , 2 ] `, `{"":{"":0}}`,
		`{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9,"j":10,"a":11}`, nested(64), nested(65), `{"a":1,}`, "[1,\n2]", `{"\ud800":1,"\udfff":2}`, "{\"a\u2028\":\"\x7f\"}"} {
		f.Add([]byte(s))
	}
	var s Scanner
	f.Fuzz(func(t *testing.T, src []byte) {
		info, err := s.Check(src)
		plain := plainCheck(src)
		require.Equal(t, plain == nil, err == nil, "ours: %v, plain: %v", err, plain)
		if err != nil {
			require.LessOrEqual(t, err.Offset, len(src))
			require.GreaterOrEqual(t, err.Offset, 0)
			require.True(t, utf8.ValidString(err.Error()))
			readAll(t, src)
			return
		}
		v := src[info.Start:info.End]
		require.Equal(t, len(src), Skip(src, info.Start)+len(src)-info.End)
		var want any
		dec := json.NewDecoder(bytes.NewReader(src))
		dec.UseNumber()
		require.NoError(t, dec.Decode(&want))
		require.Equal(t, want, rebuild(t, v))

		compact := AppendCompact(nil, v)
		var plainCompact bytes.Buffer
		require.NoError(t, json.Compact(&plainCompact, v))
		require.Equal(t, plainCompact.String(), string(compact))
		require.True(t, Equal(v, compact))
		require.Equal(t, Hash(v), Hash(compact))

		// Sorted members and other escapes do not change a value.
		sorted, e := json.Marshal(want)
		require.NoError(t, e)
		require.True(t, Equal(v, sorted))
		require.True(t, Equal(sorted, v))
		require.Equal(t, Hash(v), Hash(sorted))
	})
}

func FuzzString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x7f", "é€😀\u2028\uFFFD", "\xff\xfe", "\xed\xa0\x80", "a\xe2\x82"} {
		f.Add(s)
	}
	var s Scanner
	f.Fuzz(func(t *testing.T, text string) {
		raw, repairs := AppendString(nil, text)
		_, err := s.Check(raw)
		require.Nil(t, err)
		valid := string([]rune(text))
		out, lone := AppendUnquoted(nil, raw)
		require.Equal(t, valid, string(out))
		require.Zero(t, lone)
		bad := 0
		for rest := text; rest != ""; {
			r, size := utf8.DecodeRuneInString(rest)
			if r == utf8.RuneError && size == 1 {
				bad++
			}
			rest = rest[size:]
		}
		require.Equal(t, bad, repairs)
		require.True(t, TextEquals(raw, valid))
		require.Equal(t, utf8.RuneCountInString(text), RuneCount(raw))

		std, e := json.Marshal(text)
		require.NoError(t, e)
		require.True(t, Equal(raw, std))
		require.Equal(t, Hash(raw), Hash(std))
		out, _ = AppendUnquoted(nil, std)
		require.Equal(t, valid, string(out))

		pointer := string(AppendPointerToken(nil, text))
		require.Equal(t, text, strings.NewReplacer("~1", "/", "~0", "~").Replace(pointer[1:]))
		require.NotContains(t, pointer[1:], "/")
	})
}

func FuzzNumber(f *testing.F) {
	for _, s := range [][2]string{{"0", "-0"}, {"1.0", "1e0"}, {"-12.5e3", "-12500"}, {"9223372036854775808", "-9223372036854775808"}, {"1e-5", "0.00001"}, {"123456789012345678901234567890", "1.5e300"}, {"0.1", "0.10000000000000000001"}, {"1e400", "4e-400"}} {
		f.Add(s[0], s[1])
	}
	var s Scanner
	small := func(text string) (*big.Rat, bool) {
		info, err := s.Check([]byte(text))
		if err != nil || info.Kind != Number || info.End-info.Start != len(text) || len(text) > 2000 {
			return nil, false
		}
		if _, e, ok := strings.Cut(strings.ToLower(text), "e"); ok {
			if e = strings.TrimLeft(strings.TrimLeft(e, "+-"), "0"); len(e) > 3 {
				return nil, false
			}
		}
		r, ok := new(big.Rat).SetString(text)
		return r, ok
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, ok := small(a)
		if !ok {
			return
		}
		text := []byte(a)
		require.Equal(t, x.IsInt(), IsInteger(text))
		require.Equal(t, x.Sign(), Sign(text))

		i, err := ToInt64(text)
		switch {
		case !x.IsInt():
			require.Equal(t, ErrNotInteger, err)
		case !x.Num().IsInt64():
			require.Equal(t, ErrRange, err)
		default:
			require.NoError(t, err)
			require.Equal(t, x.Num().Int64(), i)
		}
		u, err := ToUint64(text)
		switch {
		case !x.IsInt():
			require.Equal(t, ErrNotInteger, err)
		case !x.Num().IsUint64():
			require.Equal(t, ErrRange, err)
		default:
			require.NoError(t, err)
			require.Equal(t, x.Num().Uint64(), u)
		}
		want, _ := x.Float64()
		got, err := ToFloat64(text)
		require.Equal(t, want-want == 0, err == nil)
		require.Equal(t, want, got)

		y, ok := small(b)
		if !ok {
			return
		}
		require.Equal(t, x.Cmp(y), CompareNumbers(text, []byte(b)))
		require.Equal(t, x.Cmp(y) == 0, Equal(text, []byte(b)))
		require.Equal(t, x.Cmp(y) == 0, Hash(text) == Hash([]byte(b)))
	})
}
