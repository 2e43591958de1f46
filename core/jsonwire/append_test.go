package jsonwire

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAppendString(t *testing.T) {
	for _, c := range []struct {
		text, want string
		repairs    int
	}{
		{"", `""`, 0},
		{"plain", `"plain"`, 0},
		{"\"\\/", `"\"\\/"`, 0},
		{"\b\f\n\r\t\x00\x1f\x7f", "\"\\b\\f\\n\\r\\t\\u0000\\u001f\x7f\"", 0},
		{"é€😀\u2028", "\"é€😀\u2028\"", 0},
		{"\uFFFD", "\"\uFFFD\"", 0},
		{"a\xffb", "\"a\uFFFDb\"", 1},
		{"\xff\xfe", "\"\uFFFD\uFFFD\"", 2},
		{"\xed\xa0\x80", "\"\uFFFD\uFFFD\uFFFD\"", 3},
		{"end\xe2\x82", "\"end\uFFFD\uFFFD\"", 2},
		{"\xf0\x9f\x98\x80\xf0\x9f", "\"😀\uFFFD\uFFFD\"", 2},
	} {
		out, n := AppendString([]byte("<"), c.text)
		require.Equal(t, "<"+c.want, string(out))
		require.Equal(t, c.repairs, n, c.want)
		out, n = AppendString([]byte("<"), []byte(c.text))
		require.Equal(t, "<"+c.want, string(out))
		require.Equal(t, c.repairs, n, c.want)
	}
}

func TestAppendNumbers(t *testing.T) {
	require.Equal(t, "-9223372036854775808", string(AppendInt(nil, math.MinInt64)))
	require.Equal(t, "18446744073709551615", string(AppendUint(nil, math.MaxUint64)))
	negativeZero, tenth := math.Copysign(0, -1), 0.1
	for _, c := range []struct {
		f    float64
		want string
	}{
		{0, "0"}, {negativeZero, "-0"}, {1, "1"}, {-1, "-1"}, {0.5, "0.5"}, {-0.25, "-0.25"}, {0.125, "0.125"}, {0.001, "0.001"}, {10.01, "10.01"}, {100.1, "100.1"},
		{tenth + 0.2, "0.30000000000000004"}, {0.0001, "0.0001"}, {1e-6, "0.000001"}, {1e-7, "1e-07"}, {123456789012, "123456789012"}, {999999999999.999, "999999999999.999"},
		{1e20, "100000000000000000000"}, {1e21, "1e+21"}, {math.MaxFloat64, "1.7976931348623157e+308"}, {5e-324, "5e-324"}, {9007199254740993, "9007199254740992"},
	} {
		out, ok := AppendFloat([]byte("<"), c.f)
		require.True(t, ok)
		require.Equal(t, "<"+c.want, string(out))
	}
	for _, c := range []struct {
		f    float32
		want string
	}{
		{0, "0"}, {float32(negativeZero), "-0"}, {0.1, "0.1"}, {-999.999, "-999.999"}, {1000.001, "1000.001"}, {16777216, "16777216"}, {math.MaxFloat32, "3.4028235e+38"}, {1e-45, "1e-45"},
	} {
		out, ok := AppendFloat32([]byte("<"), c.f)
		require.True(t, ok)
		require.Equal(t, "<"+c.want, string(out))
	}
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		out, ok := AppendFloat([]byte("<"), f)
		require.False(t, ok)
		require.Equal(t, "<null", string(out))
		out, ok = AppendFloat32([]byte("<"), float32(f))
		require.False(t, ok)
		require.Equal(t, "<null", string(out))
	}
}

// The fast way gives what strconv gives.
func TestAppendFloatIsShortest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 300_000 {
		f := rng.NormFloat64() * math.Pow(10, float64(i%14))
		if i%2 == 0 {
			f = math.Round(f*1000) / 1000
		}
		fast, _ := AppendFloat(nil, f)
		slow, _ := appendFloat(nil, f, 64)
		require.Equal(t, string(slow), string(fast))
		f32 := float32(f)
		fast, _ = AppendFloat32(nil, f32)
		slow, _ = appendFloat(nil, float64(f32), 32)
		require.Equal(t, string(slow), string(fast))
		back, err := strconv.ParseFloat(string(fast), 32)
		require.NoError(t, err)
		require.Equal(t, f32, float32(back))
	}
}

func TestAppendPointerToken(t *testing.T) {
	require.Equal(t, "/a/~01~1b/", string(AppendPointerToken(AppendPointerToken(AppendPointerToken(nil, "a"), []byte("~1/b")), "")))
}

func TestAppendCompact(t *testing.T) {
	for text, want := range map[string]string{
		` { "a b" : [ 1 , 2 ] ,` + "\n\t\r" + `"c" : " \" } " , "d" : null } `: `{"a b":[1,2],"c":" \" } ","d":null}`,
		`1 `: `1`, `[ ]`: `[]`, `"  "`: `"  "`, `{}`: `{}`,
	} {
		require.Equal(t, "<"+want, string(AppendCompact([]byte("<"), []byte(text))))
	}
}
