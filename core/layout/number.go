package layout

import (
	"math"
	"math/bits"
	"strconv"

	"aicc.dev/libaicc/core/jsonwire"
)

// The functions of this file need valueRoom behind dst, and finite numbers.

var tens = [20]uint64{
	1, 10, 100, 1000, 10000, 100000, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
}

const pairs = "00010203040506070809" + "10111213141516171819" + "20212223242526272829" + "30313233343536373839" + "40414243444546474849" +
	"50515253545556575859" + "60616263646566676869" + "70717273747576777879" + "80818283848586878889" + "90919293949596979899"

// digits is how many decimal digits n has; 0 has one.
func digits(n uint64) int {
	// 1233/4096 is a little more than log10(2).
	d := (bits.Len64(n|1) * 1233) >> 12
	if n >= tens[d] {
		d++
	}
	return max(d, 1)
}

// putDigits fills out with n, with zeros before it.
func putDigits(out []byte, n uint64) {
	at := len(out)
	for at >= 2 {
		q := n / 100
		r := 2 * (n - q*100)
		out[at-2], out[at-1] = pairs[r], pairs[r+1]
		at -= 2
		n = q
	}
	if at == 1 {
		out[0] = byte('0' + n%10)
	}
}

func appendUint(dst []byte, n uint64) []byte {
	switch {
	case n < 10:
		return append(dst, byte('0'+n))
	case n < 100:
		return append(dst, pairs[2*n], pairs[2*n+1])
	}
	from := len(dst)
	dst = dst[:from+digits(n)]
	putDigits(dst[from:], n)
	return dst
}

func appendInt(dst []byte, n int64) []byte {
	if n < 0 {
		return appendUint(append(dst, '-'), -uint64(n))
	}
	return appendUint(dst, uint64(n))
}

// appendDecimal appends n / 10^places, without zeros at the end of its decimals. Whole is n / 10^places without its fraction, or one less.
func appendDecimal(dst []byte, whole, n uint64, places int) []byte {
	power := tens[places]
	n -= whole * power
	if n >= power {
		n -= power
		whole++
	}
	dst = appendUint(dst, whole)
	if n == 0 {
		return dst
	}
	from := len(dst)
	dst = dst[:from+1+places]
	dst[from] = '.'
	putDigits(dst[from+1:], n)
	end := len(dst)
	for dst[end-1] == '0' {
		end--
	}
	return dst[:end]
}

// The float32 whose exponents are in this range have a shortest text of at most 12 decimals and 9 digits.
const (
	leastExp = 127 - 16
	mostExp  = 127 + 23
)

// scale is, for the float32 of one exponent, the most decimals at which no two whole numbers round to one of them.
type scale struct {
	places int
	power  float64 // 10^places
	half   float64 // half the distance of two of them, times power
}

var scales = func() (t [mostExp - leastExp + 1]scale) {
	for i := range t {
		ulp := math.Ldexp(1, leastExp+i-150)
		s := scale{power: 1}
		for s.power*10*ulp < 1 {
			s.places++
			s.power *= 10
		}
		s.half = ulp / 2 * s.power
		t[i] = s
	}
	return t
}()

// appendFloat32 appends the shortest text that reads back as the float32, as jsonwire.AppendFloat32 does.
//
// A float32 times a power of ten up to 10^12 is exact in a float64, and so is half of its distance to the next. So it can be seen, without rounding,
// which whole numbers lie where everything reads back as this float32. At the decimals that scale names there is at most one; if there
// is one it is the shortest once its zeros are gone. If there is none, one more decimal is enough, and the nearest is the shortest. None lies on the
// border, which has more decimals than that. Below a power of two the distance is half of that above; for these 40 it makes no difference.
func appendFloat32(dst []byte, b uint32) []byte {
	exp := b >> 23 & 0xff
	if b<<1 == 0 {
		if b != 0 {
			dst = append(dst, '-')
		}
		return append(dst, '0')
	}
	if exp < leastExp || exp > mostExp {
		dst, _ = jsonwire.AppendFloat32(dst, math.Float32frombits(b))
		return dst
	}
	s := &scales[exp-leastExp]
	f := float64(math.Float32frombits(b &^ (1 << 31)))
	x := f * s.power
	n := int64(x)
	rest := x - float64(n)
	if rest > 0.5 {
		n++
		rest = 1 - rest
	}
	places := s.places
	if rest > s.half {
		x *= 10
		n = int64(x)
		rest = x - float64(n)
		if rest == 0.5 {
			dst, _ = jsonwire.AppendFloat32(dst, math.Float32frombits(b))
			return dst
		}
		if rest > 0.5 {
			n++
		}
		places++
	}
	if b>>31 != 0 {
		dst = append(dst, '-')
	}
	return appendDecimal(dst, uint64(int64(f)), uint64(n), places)
}

func appendFloat64(dst []byte, f float64) []byte {
	dst, _ = jsonwire.AppendFloat(dst, f)
	return dst
}

// wholeFrom is the least power of two from which on every float64 is whole.
const wholeFrom = 1 << 52

// appendFixed32 appends the exact value, rounded to places, to even from the middle.
func appendFixed32(dst []byte, b uint32, places int) []byte {
	f := float64(math.Float32frombits(b))
	if math.Abs(f) >= wholeFrom {
		return appendFloat32(dst, b)
	}
	return appendFixed(dst, f, places)
}

func appendFixed64(dst []byte, f float64, places int) []byte {
	if math.Abs(f) >= wholeFrom {
		return appendFloat64(dst, f)
	}
	return appendFixed(dst, f, places)
}

// appendFixed writes zero without a sign, whatever was rounded to it.
func appendFixed(dst []byte, f float64, places int) []byte {
	const (
		most = 1 << 44 // up to it the product below is off by at most 2^-10
		near = 1.0 / 128
	)
	x := math.Abs(f) * float64(tens[places])
	n := int64(min(x, most))
	rest := x - float64(n)
	if x >= most || math.Abs(rest-0.5) < near {
		return appendExactly(dst, f, places)
	}
	if rest > 0.5 {
		n++
	}
	if n == 0 {
		return append(dst, '0')
	}
	if f < 0 {
		dst = append(dst, '-')
	}
	return appendDecimal(dst, uint64(int64(math.Abs(f))), uint64(n), places)
}

func appendExactly(dst []byte, f float64, places int) []byte {
	from := len(dst)
	dst = strconv.AppendFloat(dst, f, 'f', places, 64)
	end := len(dst)
	for dst[end-1] == '0' {
		end--
	}
	if dst[end-1] == '.' {
		end--
	}
	if end-from == 2 && dst[from] == '-' && dst[from+1] == '0' {
		dst[from], end = '0', from+1
	}
	return dst[:end]
}
