package schema

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPatternTranslation(t *testing.T) {
	for _, one := range []struct {
		source    string
		fits, not []string
	}{
		{`^a.c$`, []string{"abc", "a😀c"}, []string{"a\nc", "a\rc", "a\u2028c", "abcd", "xabc"}},
		{`^[^]$`, []string{"\n", "x"}, []string{"", "xy"}},
		{`^[]$`, nil, []string{"", "x"}},
		{`[[]`, []string{"["}, []string{"]"}},
		{`^[a\]b]+$`, []string{"a]b"}, []string{"["}},
		{`^\s$`, []string{" ", "\v", "\u00a0", "\ufeff", "\u3000"}, []string{"x", "\u200b"}},
		{`^\S$`, []string{"x"}, []string{" ", "\u00a0"}},
		{`^[\s\d]+$`, []string{" 1\u00a0"}, []string{"a"}},
		{`^\d\D\w\W$`, []string{"1ab ", "1-_é"}, []string{"١ab "}},
		{`^\u00e9\x41\cJ\0$`, []string{"éA\n\x00"}, []string{"eA\n\x00"}},
		{`^\ud83d\ude00$`, []string{"😀"}, []string{"x"}},
		{`^\u{1f600}$`, []string{"😀"}, []string{"x"}},
		{`^\p{Letter}\p{Script=Greek}\P{Lu}$`, []string{"xγx"}, []string{"xxx", "xγX"}},
		{`^(?<year>\d{4})-(?:\d{2})$`, []string{"2025-01"}, []string{"25-01"}},
		{`^\/\-\.\$\{\}$`, []string{"/-.${}"}, []string{"x"}},
		{`\bfoo\b`, []string{"a foo b"}, []string{"afoo"}},
		{`(?i)^abc$`, []string{"ABC", "abc"}, []string{"x"}},
		{`^(?i:k)$`, []string{"k", "K", "\u212a"}, []string{"x"}},
		{``, []string{"", "x"}, nil},
		{`^$`, []string{""}, []string{"x"}},
		{`^`, []string{"", "x"}, nil},
		{`$`, []string{"", "x"}, nil},
		{`$^`, []string{""}, []string{"x"}},
		{`a$|^b`, []string{"xa", "bx", "a"}, []string{"ax", "xb"}},
		{`(a|ab)(c|bcd)$`, []string{"xabcd", "ac"}, []string{"abd"}},
		{`^[\u4e00-\u9fff]+$`, []string{"世界"}, []string{"世x"}},
	} {
		p, err := newPattern(one.source, &regexBudget{maxRegexSize, maxRegexWork})
		require.NoError(t, err, one.source)
		for _, s := range one.fits {
			require.True(t, p.match([]byte(s)), "%s on %q", one.source, s)
		}
		for _, s := range one.not {
			require.False(t, p.match([]byte(s)), "%s on %q", one.source, s)
		}
	}
}

// TestPatternBudget keeps what a schema's patterns cost together within bounds, and still decides all of them.
func TestPatternBudget(t *testing.T) {
	for _, source := range []string{`(abcdefgh){1000}`, `([é-ü]xyz){999}(abcdefg){999}`} {
		_, err := newPattern(source, &regexBudget{maxRegexSize, maxRegexWork})
		require.EqualError(t, err, "its repeats make it too large")
	}
	budget := &regexBudget{1 << 20, 4000}
	tables := 0
	for range 50 {
		p, err := newPattern(`^[a-c]{1,20}d$`, budget)
		require.NoError(t, err)
		require.True(t, p.match([]byte("abcd")))
		if p.table != nil {
			tables++
		}
	}
	require.Positive(t, tables)
	require.Less(t, tables, 50)
	var many strings.Builder
	for i := range 20 {
		many.WriteString(`,"p` + strconv.Itoa(i) + `":{"pattern":"(abcd){1000}"}`)
	}
	_, err := Compile([]byte(`{"properties":{`+many.String()[1:]+`}}`), Options{})
	require.EqualError(t, err, `schema at /properties/p9/pattern: pattern "(abcd){1000}" cannot be used here: the schema's patterns are too large together`)
}

// FuzzPattern holds the table against package regexp, and the translation against nothing but its safety.
func FuzzPattern(f *testing.F) {
	for _, source := range []string{`^[a-z][a-z0-9_]*$`, `^(x+x+)+y`, `é|ß$`, `(?i)straße`, `^a{2,5}b?$`, `\bx`, `$^`, `a$|^b`, `[^\d]\S+`, `\ud83d\ude00`} {
		f.Add(source, "aab")
		f.Add(source, "é\nx_9")
	}
	f.Fuzz(func(t *testing.T, source, text string) {
		text = strings.ToValidUTF8(text, "?")
		if len(source) > maxPatternBytes || len(text) > 1000 {
			return
		}
		p, err := newPattern(strings.ToValidUTF8(source, "?"), &regexBudget{maxRegexSize, maxRegexWork})
		if err != nil || p.table == nil {
			return
		}
		translated, _, err := translate(p.source)
		require.NoError(t, err)
		require.Equal(t, regexp.MustCompile(translated).MatchString(text), p.match([]byte(text)), "%q on %q", source, text)
	})
}
