package jsonwire

import "bytes"

// MendSurrogates writes \ufffd over each escape of a lone surrogate in JSON that a Scanner has accepted: the text as it is read
// anyway, for readers that refuse such escapes. Its length does not change.
func MendSurrogates(text []byte) {
	for at := 0; ; {
		next := bytes.IndexByte(text[at:], '\\')
		if next < 0 {
			return
		}
		at += next
		_, size := unescape(text[at:])
		if size == len(`\ufffd`) && isLone(text, at) {
			copy(text[at:], `\ufffd`)
		}
		at += size
	}
}

// isLone tells whether the \u escape at an offset, of which unescape has taken one alone, is that of a surrogate.
func isLone(text []byte, at int) bool {
	r, ok := hex4(text, at+2)
	return ok && 0xD800 <= r && r <= 0xDFFF
}
