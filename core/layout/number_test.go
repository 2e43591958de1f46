package layout

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
)

func room() []byte { return make([]byte, 0, 2*valueRoom) }

// sameFloat32 compares with what jsonwire, which is tested against strconv, and strconv itself say.
func sameFloat32(t testing.TB, buf []byte, bits uint32) {
	f := math.Float32frombits(bits)
	got := appendFloat32(buf[:0], bits)
	format := byte('f')
	if abs := math.Abs(float64(f)); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	var other [64]byte
	if want := strconv.AppendFloat(other[:0], float64(f), format, -1, 32); string(got) != string(want) {
		t.Fatalf("bits %#x: %s, and strconv says %s", bits, got, want)
	}
}

// Every exponent with fractions at its ends, about its middle, and by chance. AICC_EXHAUSTIVE=1 tries all float32 of the fast path, which takes a minute.
func TestFloat32(t *testing.T) {
	buf := room()
	if os.Getenv("AICC_EXHAUSTIVE") == "1" {
		for bits := uint32(leastExp << 23); bits < (mostExp+1)<<23; bits++ {
			sameFloat32(t, buf, bits)
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for exp := range uint32(255) {
		for i := range uint32(200) {
			for _, fraction := range []uint32{i, 1<<23 - 1 - i, 1<<22 - 100 + i, rng.Uint32() & 0x7fffff} {
				sameFloat32(t, buf, exp<<23|fraction)
				sameFloat32(t, buf, 1<<31|exp<<23|fraction)
			}
		}
	}
	for n := range uint32(200000) {
		sameFloat32(t, buf, math.Float32bits(float32(n)/1000))
		sameFloat32(t, buf, math.Float32bits(float32(n)/64))
		sameFloat32(t, buf, math.Float32bits(rng.Float32()*1000))
	}
}

func TestFixed(t *testing.T) {
	for _, c := range []struct {
		f      float64
		places int
		want   string
	}{
		{0, 3, "0"}, {math.Copysign(0, -1), 3, "0"}, {-0.0004, 3, "0"}, {-0.0006, 3, "-0.001"}, {0.5, 1, "0.5"}, {0.25, 1, "0.2"}, {0.75, 1, "0.8"}, {-0.125, 2, "-0.12"},
		{1.005, 2, "1"}, {2.675, 2, "2.67"}, {9.995, 2, "9.99"}, {0.9999999999, 9, "1"}, {99.99951, 3, "100"}, {1e9, 9, "1000000000"}, {123456789.123456789, 9, "123456789.123456791"},
		{1<<52 - 0.5, 1, "4503599627370495.5"}, {1 << 52, 1, "4503599627370496"}, {1e21, 3, "1e+21"}, {-1e300, 9, "-1e+300"}, {5e-324, 9, "0"},
		{1 << 44, 1, "17592186044416"}, {1<<43 + 0.0625, 3, "8796093022208.062"},
	} {
		require.Equal(t, c.want, string(appendFixed64(room(), c.f, c.places)), "%v at %d", c.f, c.places)
	}
	require.Equal(t, "3.4028235e+38", string(appendFixed32(room(), math.Float32bits(math.MaxFloat32), 3)))
	require.Equal(t, "0.1", string(appendFixed32(room(), math.Float32bits(0.1), 7)))
	require.Equal(t, "0.100000001", string(appendFixed32(room(), math.Float32bits(0.1), 9)))
	w := twin{t: t}
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 60000 {
		places := 1 + i%MaxDecimals
		f := rng.NormFloat64() * math.Pow(10, float64(i%22-4))
		if i%3 == 0 { // close to, or in, the middle
			f = (float64(rng.IntN(1000000)) + 0.5) / float64(tens[places])
		}
		require.Equal(t, w.float(f, 64, int32(places)), string(appendFixed64(room(), f, places)), "%v at %d", f, places)
		g := float32(f)
		require.Equal(t, w.float(float64(g), 32, int32(places)), string(appendFixed32(room(), math.Float32bits(g), places)), "%v at %d", g, places)
	}
}

func TestIntegers(t *testing.T) {
	numbers := []uint64{0, 1<<63 - 1, 1 << 63, math.MaxUint64, 1e19, 1e19 - 1}
	for n := range uint64(20000) {
		numbers = append(numbers, n, n*5003, n*10000)
	}
	for _, p := range tens {
		numbers = append(numbers, p-1, p, p+1)
	}
	for i := range 64 {
		numbers = append(numbers, 1<<i-1, 1<<i)
	}
	for _, n := range numbers {
		require.Equal(t, string(jsonwire.AppendUint(nil, n)), string(appendUint(room(), n)))
		require.Equal(t, string(jsonwire.AppendInt(nil, int64(n))), string(appendInt(room(), int64(n))))
		require.Equal(t, string(jsonwire.AppendInt(nil, -int64(n))), string(appendInt(room(), -int64(n))))
	}
}
