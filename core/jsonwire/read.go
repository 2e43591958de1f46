package jsonwire

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// SkipSpace gives the position of the first byte at or after at that is not white space.
func SkipSpace(src []byte, at int) int {
	for at < len(src) && src[at] <= ' ' && (src[at] == ' ' || src[at] == '\n' || src[at] == '\r' || src[at] == '\t') {
		at++
	}
	return at
}

func skipDigits(src []byte, at int) int {
	for at < len(src) && src[at]-'0' <= 9 {
		at++
	}
	return at
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// skipPlain gives the position of the first byte that cannot stand in a string for itself
// as ASCII: a quote, a backslash, a control character, or part of a longer sequence.
func skipPlain(src []byte, at int) int {
	for at+8 <= len(src) {
		x := binary.LittleEndian.Uint64(src[at:])
		// A subtraction borrows into a byte's high bit where the byte is too small; borrows only
		// disturb bytes above a first hit, so the lowest hit is exact.
		hit := ((x - ones*' ') | ((x ^ ones*'"') - ones) | ((x ^ ones*'\\') - ones) | x) & highs
		if hit != 0 {
			return at + bits.TrailingZeros64(hit)/8
		}
		at += 8
	}
	for at < len(src) && src[at] >= ' ' && src[at] < utf8.RuneSelf && src[at] != '"' && src[at] != '\\' {
		at++
	}
	return at
}

// skipString gives the position behind the string whose opening quote is at at.
func skipString(src []byte, at int) int {
	at++
	for {
		at = skipPlain(src, at)
		if at >= len(src) {
			return len(src)
		}
		switch src[at] {
		case '"':
			return at + 1
		case '\\':
			at++
		}
		at++
	}
}

// Skip gives the position behind the value that begins at at.
func Skip(src []byte, at int) int {
	open := 0
	for at < len(src) {
		switch src[at] {
		case '"':
			at = skipString(src, at)
		case '{', '[':
			open++
			at++
			continue
		case '}', ']':
			open--
			at++
		case ' ', '\n', '\r', '\t', ',', ':':
			at++
			continue
		default:
			for at++; at < len(src) && !isDelimiter(src[at]); at++ {
			}
		}
		if open <= 0 {
			return at
		}
	}
	return len(src)
}

func isDelimiter(c byte) bool {
	switch c {
	case ' ', '\n', '\r', '\t', ',', ':', '}', ']', '{', '[', '"':
		return true
	}
	return false
}

// Members goes through an object's members in their order.
type Members struct {
	src             []byte
	at              int
	nameAt, valueAt int
}

// ObjectMembers starts over a checked object.
func ObjectMembers(object []byte) Members { return Members{src: object, at: 1} }

// Next gives the name with its quotes and the value, both as parts of the object's text.
func (m *Members) Next() (name, value []byte, ok bool) {
	src := m.src
	i := SkipSpace(src, m.at)
	if i < len(src) && src[i] == ',' {
		i = SkipSpace(src, i+1)
	}
	if i >= len(src) || src[i] != '"' {
		m.at = len(src)
		return nil, nil, false
	}
	m.nameAt = i
	i = skipString(src, i)
	name = src[m.nameAt:i]
	if i = SkipSpace(src, i); i < len(src) && src[i] == ':' {
		i = SkipSpace(src, i+1)
	}
	m.valueAt = i
	m.at = Skip(src, i)
	return name, src[i:m.at], true
}

// Offset is the position in the object's text of the name that Next gave last.
func (m *Members) Offset() int { return m.nameAt }

// ValueOffset is the position in the object's text of the value that Next gave last.
func (m *Members) ValueOffset() int { return m.valueAt }

// Elements goes through an array's values in their order.
type Elements struct {
	src     []byte
	at      int
	valueAt int
}

// ArrayElements starts over a checked array.
func ArrayElements(array []byte) Elements { return Elements{src: array, at: 1} }

// Next gives the next value as a part of the array's text.
func (e *Elements) Next() (value []byte, ok bool) {
	src := e.src
	i := SkipSpace(src, e.at)
	if i < len(src) && src[i] == ',' {
		i = SkipSpace(src, i+1)
	}
	if i >= len(src) || src[i] == ']' {
		e.at = len(src)
		return nil, false
	}
	e.valueAt = i
	e.at = Skip(src, i)
	return src[i:e.at], true
}

// Offset is the position in the array's text of the value that Next gave last.
func (e *Elements) Offset() int { return e.valueAt }

// Lookup finds the value of a member by its decoded name.
func Lookup(object []byte, name string) (value []byte, ok bool) {
	for m := ObjectMembers(object); ; {
		n, v, ok := m.Next()
		if !ok {
			return nil, false
		}
		if TextEquals(n, name) {
			return v, true
		}
	}
}
