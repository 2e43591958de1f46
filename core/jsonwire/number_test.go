package jsonwire

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestIntegers(t *testing.T) {
	long := strings.Repeat("9", 100_000)
	for _, c := range []struct {
		text    string
		integer bool
		i64     int64
		i64Err  error
		u64     uint64
		u64Err  error
	}{
		{"0", true, 0, nil, 0, nil},
		{"-0", true, 0, nil, 0, nil},
		{"0.0e5", true, 0, nil, 0, nil},
		{"0e999999999999999999999999", true, 0, nil, 0, nil},
		{"7", true, 7, nil, 7, nil},
		{"3.0", true, 3, nil, 3, nil},
		{"1e3", true, 1000, nil, 1000, nil},
		{"1E+3", true, 1000, nil, 1000, nil},
		{"1.25e2", true, 125, nil, 125, nil},
		{"1.25e1", false, 0, ErrNotInteger, 0, ErrNotInteger},
		{"1200e-2", true, 12, nil, 12, nil},
		{"1200e-3", false, 0, ErrNotInteger, 0, ErrNotInteger},
		{"0.5", false, 0, ErrNotInteger, 0, ErrNotInteger},
		{"0.0001e4", true, 1, nil, 1, nil},
		{"0.00010e4", true, 1, nil, 1, nil},
		{"-3.00", true, -3, nil, 0, ErrRange},
		{"9223372036854775807", true, math.MaxInt64, nil, math.MaxInt64, nil},
		{"9223372036854775808", true, 0, ErrRange, 1 << 63, nil},
		{"-9223372036854775808", true, math.MinInt64, nil, 0, ErrRange},
		{"-9223372036854775809", true, 0, ErrRange, 0, ErrRange},
		{"18446744073709551615", true, 0, ErrRange, math.MaxUint64, nil},
		{"18446744073709551616", true, 0, ErrRange, 0, ErrRange},
		{"1.8446744073709551615e19", true, 0, ErrRange, math.MaxUint64, nil},
		{"99999999999999999999", true, 0, ErrRange, 0, ErrRange},
		{"1e19", true, 0, ErrRange, 10_000_000_000_000_000_000, nil},
		{"1e999999999", true, 0, ErrRange, 0, ErrRange},
		{"1e-999999999", false, 0, ErrNotInteger, 0, ErrNotInteger},
		{"1e99999999999999999999999999999", true, 0, ErrRange, 0, ErrRange},
		{"1e-99999999999999999999999999999", false, 0, ErrNotInteger, 0, ErrNotInteger},
		{"1e00000000000000000000000000000000000001", true, 10, nil, 10, nil},
		{long, true, 0, ErrRange, 0, ErrRange},
		{"0." + long, false, 0, ErrNotInteger, 0, ErrNotInteger},
		{"5" + strings.Repeat("0", 100_000) + "e-100000", true, 5, nil, 5, nil},
		{"0." + strings.Repeat("0", 100_000) + "5e100001", true, 5, nil, 5, nil},
		{"4." + strings.Repeat("0", 100_000), true, 4, nil, 4, nil},
	} {
		name := c.text[:min(40, len(c.text))]
		require.Equal(t, c.integer, IsInteger([]byte(c.text)), name)
		i, err := ToInt64([]byte(c.text))
		require.Equal(t, c.i64Err, err, name)
		require.Equal(t, c.i64, i, name)
		u, err := ToUint64([]byte(c.text))
		require.Equal(t, c.u64Err, err, name)
		require.Equal(t, c.u64, u, name)
	}
}

func TestToFloat64(t *testing.T) {
	for _, c := range []struct {
		text string
		want float64
		err  error
	}{
		{"0", 0, nil}, {"-1.5", -1.5, nil}, {"1e3", 1000, nil}, {"0.1", 0.1, nil},
		{"1.7976931348623157e308", math.MaxFloat64, nil},
		{"1.8e308", math.Inf(1), ErrRange},
		{"-1e309", math.Inf(-1), ErrRange},
		{"1e999999999", math.Inf(1), ErrRange},
		{"-1e999999999999999999999999", math.Inf(-1), ErrRange},
		{strings.Repeat("9", 100_000), math.Inf(1), ErrRange},
		{"5e-324", 5e-324, nil},
		{"1e-999999999", 0, nil},
		{"0e999999999", 0, nil},
		{"9007199254740993", 9007199254740992, nil},
		{strings.Repeat("9", 100_000) + "e-100000", 1, nil},
		{"-25" + strings.Repeat("0", 100_000) + "e-100001", -2.5, nil},
		{"0." + strings.Repeat("0", 100_000) + "125e100003", 125, nil},
		{"1." + strings.Repeat("0", 15) + "11102230246251565404236316680908203125" + strings.Repeat("0", 2000) + "1", 1.0000000000000002, nil},
		{"-0." + strings.Repeat("0", 2000), math.Copysign(0, -1), nil},
	} {
		f, err := ToFloat64([]byte(c.text))
		require.Equal(t, c.err, err, "%.40s", c.text)
		require.Equal(t, c.want, f, "%.40s", c.text)
	}
	for _, text := range []string{"-0", "-1e-999999"} {
		f, err := ToFloat64([]byte(text))
		require.NoError(t, err)
		require.True(t, math.Signbit(f), text)
	}
}

func TestCompareNumbers(t *testing.T) {
	e := strings.Repeat("9", 40)
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"0", "0", 0}, {"0", "-0.0", 0}, {"0", "1", -1}, {"0", "-1", 1}, {"0", "1e-999999999999", -1},
		{"1", "1.0", 0}, {"10", "1e1", 0}, {"10", "9.99", 1}, {"-10", "-9.99", -1}, {"2", "10", -1},
		{"123", "123.0000001", -1}, {"0.001", "1e-3", 0}, {"0.001", "0.01", -1},
		{"1e" + e, "10e" + e, -1}, {"10e" + e, "1e" + e + "0", -1}, {"1e-" + e, "1e" + e, -1}, {"1e-" + e, "10e-" + e, -1},
		{"0.1e1" + strings.Repeat("0", 40), "1e" + e, 0},
		{"1e-1" + strings.Repeat("0", 40), "0.1e-" + e, 0},
		{"1e0001", "10", 0}, {"1e" + strings.Repeat("0", 50) + "1", "10.0", 0},
		{"-1e" + e, "1", -1},
	} {
		require.Equal(t, c.want, CompareNumbers([]byte(c.a), []byte(c.b)), "%s and %s", c.a, c.b)
		require.Equal(t, -c.want, CompareNumbers([]byte(c.b), []byte(c.a)), "%s and %s", c.b, c.a)
		require.Equal(t, c.want == 0, Hash([]byte(c.a)) == Hash([]byte(c.b)), "hashes of %s and %s", c.a, c.b)
	}
	for text, want := range map[string]int{"0": 0, "-0e5": 0, "3": 1, "-0.1": -1, "1e-99999999999999999999": 1} {
		require.Equal(t, want, Sign([]byte(text)), text)
	}
}

// A thousand hostile numbers take no noticeable time.
func TestNumberWorkIsBounded(t *testing.T) {
	start := time.Now()
	for range 1000 {
		for _, text := range []string{"1e999999999", "1e-999999999", "123456789e99999999999999999999"} {
			b := []byte(text)
			IsInteger(b)
			_, _ = ToInt64(b)
			_, _ = ToFloat64(b)
			Equal(b, []byte("1"))
			Hash(b)
		}
	}
	require.Less(t, time.Since(start), 2*time.Second)
}
