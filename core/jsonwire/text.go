package jsonwire

import (
	"bytes"
	"cmp"
	"unicode/utf16"
	"unicode/utf8"
)

// The functions of this file take a string as it stands in a checked text, with its quotes.

func inner(raw []byte) []byte {
	if len(raw) < 2 {
		return nil
	}
	return raw[1 : len(raw)-1]
}

// HasEscape tells whether a string has to be decoded.
func HasEscape(raw []byte) bool { return bytes.IndexByte(raw, '\\') >= 0 }

// Text gives what a string means: a part of raw when it has no escapes, else appended to *scratch.
func Text(raw []byte, scratch *[]byte) []byte {
	if !HasEscape(raw) {
		return inner(raw)
	}
	from := len(*scratch)
	*scratch, _ = AppendUnquoted(*scratch, raw)
	return (*scratch)[from:len(*scratch):len(*scratch)]
}

// AppendUnquoted appends what a string means, and counts lone surrogates, each of which becomes U+FFFD.
func AppendUnquoted(dst, raw []byte) (out []byte, lone int) {
	text := inner(raw)
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 {
			return append(dst, text...), lone
		}
		dst = append(dst, text[:i]...)
		r, size := unescape(text[i:])
		if r == utf8.RuneError && !isEscapedFFFD(text, i) {
			lone++
		}
		dst = utf8.AppendRune(dst, r)
		text = text[i+size:]
	}
}

// TextEquals tells whether a string means text.
func TextEquals(raw []byte, text string) bool {
	if !HasEscape(raw) {
		return string(inner(raw)) == text
	}
	for s := inner(raw); ; {
		if len(s) == 0 || len(text) == 0 {
			return len(s) == len(text)
		}
		a, n := nextRune(s)
		b, m := utf8.DecodeRuneInString(text)
		if a != b {
			return false
		}
		s, text = s[n:], text[m:]
	}
}

// RuneCount counts the code points that a string means.
func RuneCount(raw []byte) int {
	s := inner(raw)
	if !HasEscape(raw) {
		return utf8.RuneCount(s)
	}
	n := 0
	for len(s) > 0 {
		_, size := nextRune(s)
		s = s[size:]
		n++
	}
	return n
}

// compareText orders two strings by what they mean, code point by code point.
func compareText(x, y []byte) int {
	a, b := inner(x), inner(y)
	if !HasEscape(a) && !HasEscape(b) {
		return bytes.Compare(a, b)
	}
	for len(a) > 0 && len(b) > 0 {
		r, n := nextRune(a)
		q, m := nextRune(b)
		if r != q {
			return cmp.Compare(r, q)
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}

func nextRune(s []byte) (r rune, size int) {
	switch {
	case s[0] == '\\':
		return unescape(s)
	case s[0] < utf8.RuneSelf:
		return rune(s[0]), 1
	}
	return utf8.DecodeRune(s)
}

// unescape reads the escape that s begins with; two \u of a surrogate pair are one.
// What is no escape reads as U+FFFD.
func unescape(s []byte) (r rune, size int) {
	if len(s) < 2 {
		return utf8.RuneError, len(s)
	}
	switch c := s[1]; c {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case '"', '\\', '/':
		return rune(c), 2
	case 'u':
		r, ok := hex4(s, 2)
		if !ok {
			return utf8.RuneError, 2
		}
		if !utf16.IsSurrogate(r) {
			return r, 6
		}
		if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
			if low, ok := hex4(s, 8); ok {
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					return pair, 12
				}
			}
		}
		return utf8.RuneError, 6
	}
	return utf8.RuneError, 2
}

// isEscapedFFFD tells an escape that says U+FFFD from a lone surrogate, which reads as it.
func isEscapedFFFD(s []byte, at int) bool {
	r, ok := hex4(s, at+2)
	return ok && r == utf8.RuneError
}

func hex4(s []byte, at int) (r rune, ok bool) {
	if at+4 > len(s) {
		return 0, false
	}
	for _, c := range s[at : at+4] {
		switch {
		case c-'0' <= 9:
			r = r<<4 | rune(c-'0')
		case c|0x20-'a' <= 5:
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
