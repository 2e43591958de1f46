package jsonwire

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// AppendString appends text as a JSON string. Each byte that is not part of valid UTF-8 becomes U+FFFD; repairs counts them.
func AppendString[S ~string | ~[]byte](dst []byte, text S) (out []byte, repairs int) {
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if !mustEscape[c] {
				i++
				continue
			}
			dst = append(dst, text[from:i]...)
			dst = appendEscape(dst, c)
			i++
			from = i
			continue
		}
		// The conversion of at most four bytes stays on the stack.
		r, size := utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, text[from:i]...)
			dst = append(dst, "\uFFFD"...)
			repairs++
			from = i + 1
		}
		i += size
	}
	dst = append(dst, text[from:]...)
	return append(dst, '"'), repairs
}

var mustEscape = func() (t [utf8.RuneSelf]bool) {
	for c := range ' ' {
		t[c] = true
	}
	t['"'], t['\\'] = true, true
	return t
}()

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	const digits = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&15])
}

// AppendInt appends a decimal integer.
func AppendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// AppendUint appends a decimal integer.
func AppendUint(dst []byte, n uint64) []byte { return strconv.AppendUint(dst, n, 10) }

// AppendFloat appends the shortest text that reads back as f; null, and false, for NaN and infinities.
func AppendFloat(dst []byte, f float64) (out []byte, ok bool) {
	// Up to 15 digits name a float64 uniquely, so if three decimals give f back, no other
	// text of that length does, and they are the shortest once their zeros are gone.
	if k := math.Round(f * 1000); math.Abs(k) < 1e15 && k/1000 == f && k != 0 {
		return appendThousandths(dst, int64(k)), true
	}
	return appendFloat(dst, f, 64)
}

// AppendFloat32 appends the shortest text that reads back as f; null, and false, for NaN and infinities.
func AppendFloat32(dst []byte, f float32) (out []byte, ok bool) {
	// The same with the 6 digits that name a float32 uniquely.
	if k := math.Round(float64(f) * 1000); math.Abs(k) < 1e6 && float32(k/1000) == f && k != 0 {
		return appendThousandths(dst, int64(k)), true
	}
	return appendFloat(dst, float64(f), 32)
}

func appendThousandths(dst []byte, k int64) []byte {
	if k < 0 {
		dst = append(dst, '-')
		k = -k
	}
	dst = strconv.AppendUint(dst, uint64(k/1000), 10)
	if k %= 1000; k == 0 {
		return dst
	}
	a, b, c := byte(k/100), byte(k/10%10), byte(k%10)
	switch {
	case c != 0:
		return append(dst, '.', '0'+a, '0'+b, '0'+c)
	case b != 0:
		return append(dst, '.', '0'+a, '0'+b)
	}
	return append(dst, '.', '0'+a)
}

// appendFloat writes like ECMAScript: plain digits from 1e-6 up to 1e21, else an exponent.
func appendFloat(dst []byte, f float64, size int) (out []byte, ok bool) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...), false
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, size), true
}

// AppendPointerToken appends "/" and token, escaped by RFC 6901.
func AppendPointerToken[S ~string | ~[]byte](dst []byte, token S) []byte {
	dst = append(dst, '/')
	for i := 0; i < len(token); i++ {
		switch c := token[i]; c {
		case '~':
			dst = append(dst, "~0"...)
		case '/':
			dst = append(dst, "~1"...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// AppendCompact appends a checked value without its insignificant white space.
func AppendCompact(dst, value []byte) []byte {
	for i := 0; i < len(value); {
		if value[i] <= ' ' {
			i++
			continue
		}
		from := i
		for i < len(value) && value[i] > ' ' {
			if value[i] == '"' {
				i = skipString(value, i)
			} else {
				i++
			}
		}
		dst = append(dst, value[from:i]...)
	}
	return dst
}
