package jsonwire

import (
	"cmp"
	"errors"
	"math"
	"strconv"
	"unsafe"
)

// What the number readers cannot do.
var (
	ErrRange      = errors.New("number out of range")
	ErrNotInteger = errors.New("number is not an integer")
)

// decimal is a number's exact value, as parts of its text: 0.DIGITS times ten to the power
// of shift plus the exponent. Its digits have no zero at either end, so a value has one form
// but for how shift and exponent share the power; none are left of zero.
type decimal struct {
	neg      bool
	hi, lo   []byte // the digits are hi, then lo
	shift    int64
	exp      []byte // the exponent's digits without leading zeros
	expNeg   bool
	expShort int64 // the exponent, held to ±farExp
}

// farExp is beyond every power that a text's digits could make up for.
const farExp = 1 << 60

func parseDecimal(text []byte) decimal {
	var d decimal
	i := 0
	if i < len(text) && text[i] == '-' {
		d.neg = true
		i++
	}
	end := skipDigits(text, i)
	d.hi = text[i:end]
	if i = end; i < len(text) && text[i] == '.' {
		end = skipDigits(text, i+1)
		d.lo = text[i+1 : end]
		i = end
	}
	if i < len(text) && text[i]|0x20 == 'e' {
		if i++; i < len(text) && (text[i] == '+' || text[i] == '-') {
			d.expNeg = text[i] == '-'
			i++
		}
		d.exp = trimLeft(text[i:skipDigits(text, i)])
	}
	d.hi = trimLeft(d.hi)
	d.shift = int64(len(d.hi))
	if len(d.hi) == 0 {
		n := len(d.lo)
		d.lo = trimLeft(d.lo)
		d.shift = int64(len(d.lo) - n)
	}
	if d.lo = trimRight(d.lo); len(d.lo) == 0 {
		d.hi = trimRight(d.hi)
	}
	if d.zero() {
		return decimal{}
	}
	for _, c := range d.exp {
		if d.expShort = d.expShort*10 + int64(c-'0'); d.expShort >= farExp {
			d.expShort = farExp
			break
		}
	}
	if d.expNeg {
		d.expShort = -d.expShort
	}
	return d
}

func trimLeft(digits []byte) []byte {
	for len(digits) > 0 && digits[0] == '0' {
		digits = digits[1:]
	}
	return digits
}

func trimRight(digits []byte) []byte {
	for len(digits) > 0 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	return digits
}

func (d *decimal) len() int   { return len(d.hi) + len(d.lo) }
func (d *decimal) zero() bool { return d.len() == 0 }

// power is shift plus exponent, exact while it is far from ±farExp.
func (d *decimal) power() int64 { return d.shift + d.expShort }

func (d *decimal) at(i int) byte {
	if i < len(d.hi) {
		return d.hi[i]
	}
	return d.lo[i-len(d.hi)]
}

func (d *decimal) integer() bool { return d.zero() || d.power() >= int64(d.len()) }

// IsInteger tells whether a number's value is an integer, however it is written: 3.0 and 1e3 are.
func IsInteger(text []byte) bool {
	d := parseDecimal(text)
	return d.integer()
}

// Sign is -1, 0 or 1.
func Sign(text []byte) int {
	d := parseDecimal(text)
	return d.sign()
}

func (d *decimal) sign() int {
	switch {
	case d.zero():
		return 0
	case d.neg:
		return -1
	}
	return 1
}

// magnitude is the absolute value of an integer.
func (d *decimal) magnitude() (uint64, error) {
	if !d.integer() {
		return 0, ErrNotInteger
	}
	if d.power() > 20 {
		return 0, ErrRange
	}
	var n uint64
	for i := range int(d.power()) {
		digit := uint64(0)
		if i < d.len() {
			digit = uint64(d.at(i) - '0')
		}
		if n > (math.MaxUint64-digit)/10 {
			return 0, ErrRange
		}
		n = n*10 + digit
	}
	return n, nil
}

// ToUint64 gives the exact value, ErrNotInteger or ErrRange.
func ToUint64(text []byte) (uint64, error) {
	d := parseDecimal(text)
	n, err := d.magnitude()
	if err == nil && d.neg {
		return 0, ErrRange
	}
	return n, err
}

// ToInt64 gives the exact value, ErrNotInteger or ErrRange.
func ToInt64(text []byte) (int64, error) {
	d := parseDecimal(text)
	n, err := d.magnitude()
	switch {
	case err != nil:
		return 0, err
	case d.neg && n <= 1<<63:
		return -int64(n), nil
	case !d.neg && n < 1<<63:
		return int64(n), nil
	}
	return 0, ErrRange
}

// ToFloat64 gives the nearest float64. Where that is infinite it gives the infinity and ErrRange.
func ToFloat64(text []byte) (float64, error) {
	// strconv copies the text of what is too large into its error, and misreads exponents of more than four
	// digits when as many digits stand before them; so what is far or long is settled here.
	var room [maxDigits + 16]byte
	if len(text) > maxDigits || hasExponent(text) {
		d := parseDecimal(text)
		switch {
		case !d.zero() && d.power() > 310:
			return math.Inf(d.sign()), ErrRange
		case !d.zero() && d.power() < -330:
			return math.Copysign(0, float64(d.sign())), nil
		case len(text) > maxDigits:
			text = d.appendShort(room[:0])
		}
	}
	f, err := strconv.ParseFloat(unsafe.String(unsafe.SliceData(text), len(text)), 64)
	if err != nil {
		return f, ErrRange
	}
	return f, nil
}

// maxDigits is more digits than any float64, or point between two of them, has.
const maxDigits = 800

// appendShort writes the number with at most maxDigits digits, in a way that rounds as all of them do.
func (d *decimal) appendShort(dst []byte) []byte {
	if d.neg {
		dst = append(dst, '-')
	}
	dst = append(dst, '0', '.')
	for i := range min(d.len(), maxDigits-1) {
		dst = append(dst, d.at(i))
	}
	if d.len() >= maxDigits {
		dst = append(dst, '1') // what is cut off is more than nothing
	}
	dst = append(dst, 'e')
	return strconv.AppendInt(dst, d.power(), 10)
}

func hasExponent(text []byte) bool {
	for _, c := range text {
		if c|0x20 == 'e' {
			return true
		}
	}
	return false
}

// CompareNumbers orders two numbers by their exact values: -1, 0, 1. Its work is
// bounded by the length of the texts, whatever the exponents.
func CompareNumbers(a, b []byte) int {
	x, y := parseDecimal(a), parseDecimal(b)
	if c := cmp.Compare(x.sign(), y.sign()); c != 0 || x.zero() {
		return c
	}
	c := comparePowers(&x, &y)
	for i := 0; c == 0 && i < max(x.len(), y.len()); i++ {
		switch {
		case i >= x.len():
			c = -1
		case i >= y.len():
			c = 1
		default:
			c = cmp.Compare(x.at(i), y.at(i))
		}
	}
	if x.neg {
		return -c
	}
	return c
}

// comparePowers is exact also for exponents that fit no machine integer: it subtracts them digit
// by digit from the left, and stops where no later digit can change the outcome.
func comparePowers(x, y *decimal) int {
	const decided = 1 << 50 // far above any difference of two shifts
	n := max(len(x.exp), len(y.exp))
	diff := int64(0)
	for i := range n {
		diff = diff*10 + expDigit(x, i, n) - expDigit(y, i, n)
		if diff > decided {
			return 1
		}
		if diff < -decided {
			return -1
		}
	}
	return cmp.Compare(diff+x.shift-y.shift, 0)
}

// expDigit is the digit at i of the exponent when that is written with n digits; it carries the sign.
func expDigit(d *decimal, i, n int) int64 {
	if i -= n - len(d.exp); i < 0 {
		return 0
	}
	if d.expNeg {
		return -int64(d.exp[i] - '0')
	}
	return int64(d.exp[i] - '0')
}
