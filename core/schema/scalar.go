package schema

import (
	"bytes"
	"math"
	"math/bits"

	"aicc.dev/libaicc/core/jsonwire"
)

// text checks a string.
func (c *Checker) text(n *node, at, end int, escaped bool) bool {
	r := n.str
	raw := c.src[at:end]
	ok := true
	if size := len(raw) - 2; r.min > 0 && size < 4*r.min || r.max >= 0 && size > r.max || r.min > 0 && escaped {
		count := jsonwire.RuneCount(raw)
		if count < r.min {
			ok = c.deny("minLength", n, at, end)
		}
		if r.max >= 0 && count > r.max {
			ok = c.deny("maxLength", n, at, end)
		}
	}
	if r.pattern == nil && r.format == nil || !ok && c.halt {
		return ok
	}
	mark := len(c.names)
	text := raw[1 : len(raw)-1]
	if escaped {
		text = c.decode(raw)
	}
	if r.pattern != nil && !c.matches(r.pattern, text) {
		ok = c.deny("pattern", n, at, end)
	}
	if r.format != nil && !r.format(text) {
		ok = c.deny("format", n, at, end)
	}
	c.names = c.names[:mark]
	return ok
}

// matches runs a pattern, for its price.
func (c *Checker) matches(p *pattern, text []byte) bool {
	if c.steps -= p.cost(len(text)); c.steps < 0 {
		c.costly, c.halt = true, true
		return false
	}
	return p.match(text)
}

// number checks a number; an end that is its beginning says that its type is wrong.
func (c *Checker) number(n *node, at int) (end int, ok bool) {
	var v reading
	end = v.read(c.src, at)
	v.text = c.src[at:end]
	if has := n.allow & tNumber; has != tNumber && (has == 0 || has == tInteger && !v.integer(v.text)) {
		return at, false
	}
	r := n.num
	if r == nil {
		return end, true
	}
	c.steps -= (end - at) >> 4
	ok = true
	if r.min != nil && v.compare(r.min) < 0 {
		ok = c.deny("minimum", n, at, end)
	}
	if r.above != nil && v.compare(r.above) <= 0 {
		ok = c.deny("exclusiveMinimum", n, at, end)
	}
	if r.max != nil && v.compare(r.max) > 0 {
		ok = c.deny("maximum", n, at, end)
	}
	if r.below != nil && v.compare(r.below) >= 0 {
		ok = c.deny("exclusiveMaximum", n, at, end)
	}
	if r.multiple != nil && !r.multiple.divides(&v) {
		ok = c.deny("multipleOf", n, at, end)
	}
	return end, ok
}

// reading is a number as far as it is cheap to know.
type reading struct {
	text  []byte
	mant  int64 // its digits
	exp   int   // the value is mant * 10^exp
	exact bool  // mant and exp are right: there are at most 18 digits and no e
}

// read finds a number's end, and reads digits and a fraction on the way; the rest is left to exact arithmetic on the text.
func (v *reading) read(src []byte, at int) (end int) {
	i := at
	if src[i] == '-' {
		i++
	}
	from := i
	var mant int64
	for i < len(src) && src[i]-'0' <= 9 {
		mant = mant*10 + int64(src[i]-'0')
		i++
	}
	count := i - from
	if i < len(src) && src[i] == '.' {
		from = i + 1
		for i++; i < len(src) && src[i]-'0' <= 9; i++ {
			mant = mant*10 + int64(src[i]-'0')
		}
		v.exp = from - i
		count += i - from
	}
	if v.exact = count <= 18; i < len(src) && src[i]|0x20 == 'e' {
		v.exact = false
		for i++; i < len(src) && (src[i]-'0' <= 9 || src[i] == '+' || src[i] == '-'); i++ {
		}
	}
	if src[at] == '-' {
		mant = -mant
	}
	v.mant = mant
	return i
}

// integer says whether the value has no fraction.
func (v *reading) integer(text []byte) bool { return v.exact && v.exp == 0 || jsonwire.IsInteger(text) }

var tens = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// compare orders by exact value. Rounding keeps order, so two different nearest floats decide.
func (v *reading) compare(b *bound) int {
	if v.exact && v.exp == 0 && b.isInt {
		switch {
		case v.mant < b.small:
			return -1
		case v.mant > b.small:
			return 1
		}
		return 0
	}
	if v.exact && v.mant > -1<<53 && v.mant < 1<<53 {
		approx := float64(v.mant) / tens[-v.exp] // correctly rounded: both are exact
		switch {
		case approx < b.approx:
			return -1
		case approx > b.approx:
			return 1
		}
	}
	return jsonwire.CompareNumbers(v.text, b.text)
}

func newBound(text []byte) *bound {
	b := &bound{text: bytes.Clone(text)}
	if i, err := jsonwire.ToInt64(text); err == nil {
		b.small, b.isInt = i, true
	}
	b.approx, _ = jsonwire.ToFloat64(text)
	return b
}

// multiple is multipleOf's number: mant * 10^exp, mant not a multiple of 10.
type multiple struct {
	text []byte
	mant uint64
	exp  int64
}

// maxMultipleDigits keeps multipleOf's arithmetic in machine words.
const maxMultipleDigits = 18

func newMultiple(text []byte) (m *multiple, ok bool) {
	m = &multiple{text: bytes.Clone(text)}
	var digits int
	m.mant, m.exp, digits = remainder(text, math.MaxUint64)
	return m, digits <= maxMultipleDigits
}

// divides is exact however many digits there are and however large the exponents.
func (m *multiple) divides(v *reading) bool {
	if v.exact && int64(v.exp) == m.exp {
		a := v.mant
		if a < 0 {
			a = -a
		}
		return uint64(a)%m.mant == 0
	}
	rest, exp, digits := remainder(v.text, m.mant)
	if digits == 0 {
		return true // zero
	}
	if exp < m.exp {
		return false // the digits would have to be a multiple of 10, and they are none
	}
	return mulMod(rest, powMod(10%m.mant, uint64(exp-m.exp), m.mant), m.mant) == 0
}

// farExp stands for every exponent beyond it: what powers of 2 and 5 can cancel is used up long before.
const farExp = 1 << 40

// remainder reads a number as an integer without zeros at its end, modulo m, times a power of ten; digits is the integer's length, 0 for zero.
func remainder(text []byte, m uint64) (rest uint64, exp int64, digits int) {
	point := false
	zeros := 0
	i := 0
	for ; i < len(text) && text[i]|0x20 != 'e'; i++ {
		b := text[i]
		if b == '.' {
			point = true
		}
		if b-'0' > 9 {
			continue
		}
		if point {
			exp--
		}
		if b == '0' {
			zeros++
			continue
		}
		if digits > 0 {
			digits += zeros
			for ; zeros > 0; zeros-- {
				rest = mulMod(rest, 10, m)
			}
		}
		zeros = 0
		digits++
		rest = mulMod(rest, 10, m)
		rest = (rest + uint64(b-'0')%m) % m
	}
	if digits == 0 {
		return 0, 0, 0
	}
	return rest, exp + int64(zeros) + exponent(text[i:]), digits
}

// exponent reads "e-12"; nothing is 0.
func exponent(text []byte) (exp int64) {
	if len(text) == 0 {
		return 0
	}
	for _, b := range text[1:] {
		if b-'0' <= 9 && exp < farExp {
			exp = exp*10 + int64(b-'0')
		}
	}
	if text[1] == '-' {
		return -exp
	}
	return exp
}

func mulMod(a, b, m uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	_, rest := bits.Div64(hi%m, lo, m)
	return rest
}

func powMod(base, exp, m uint64) uint64 {
	out := 1 % m
	for ; exp > 0; exp >>= 1 {
		if exp&1 == 1 {
			out = mulMod(out, base, m)
		}
		base = mulMod(base, base, m)
	}
	return out
}
