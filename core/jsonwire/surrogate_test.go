package jsonwire

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMendSurrogates(t *testing.T) {
	for in, want := range map[string]string{
		`{}`:                                     `{}`,
		`"\ud800"`:                               `"\ufffd"`,
		`"\uDFFF\uDBFFx"`:                        `"\ufffd\ufffdx"`,
		`"\ud83d\ude00\ude00"`:                   `"\ud83d\ude00\ufffd"`,
		`"\ud83d\ud83d\ude00"`:                   `"\ufffd\ud83d\ude00"`,
		`"\\ud800 \n\"\u0041\ufffd\uD7FF\uE000"`: `"\\ud800 \n\"\u0041\ufffd\uD7FF\uE000"`,
		`{"\udc00":["\\\udc00"]}`:                `{"\ufffd":["\\\ufffd"]}`,
	} {
		got := []byte(in)
		MendSurrogates(got)
		require.Equal(t, want, string(got))
		var s Scanner
		info, err := s.Check(got)
		require.Nil(t, err)
		require.Zero(t, info.LoneSurrogates)
	}
	for _, cut := range []string{``, `\`, `\u`, `\ud8`, `\ud800\`, `\ud800\udc0`, `\q`} { // not what it is for, but no reason to fall
		MendSurrogates([]byte(cut))
	}
}
