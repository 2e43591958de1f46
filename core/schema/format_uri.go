package schema

import (
	"bytes"
	"unicode/utf8"
)

// Addresses and identifiers of the net, by their RFCs' grammars (3986, 3987, 6570, 4291).

func isIPv4(b []byte) bool {
	for part := 1; ; part++ {
		i := bytes.IndexByte(b, '.')
		if i < 0 {
			i = len(b)
		}
		n, ok := digits(b[:i])
		if !ok || i > 3 || n > 255 || i > 1 && b[0] == '0' {
			return false
		}
		if i == len(b) {
			return part == 4
		}
		b = b[i+1:]
	}
}

func isIPv6(b []byte) bool {
	groups, gap := 0, false
	if bytes.HasPrefix(b, []byte("::")) {
		gap = true
		b = b[2:]
		if len(b) == 0 {
			return true
		}
	}
	for {
		i := 0
		for i < len(b) && isHex(b[i]) {
			i++
		}
		if i < len(b) && b[i] == '.' {
			if !isIPv4(b) {
				return false
			}
			groups += 2
			break
		}
		if i == 0 || i > 4 {
			return false
		}
		groups++
		if b = b[i:]; len(b) == 0 {
			break
		}
		if b[0] != ':' || len(b) == 1 {
			return false
		}
		if b = b[1:]; b[0] == ':' {
			if gap {
				return false
			}
			gap = true
			if b = b[1:]; len(b) == 0 {
				break
			}
		}
	}
	return groups == 8 || gap && groups < 8
}

func isURI(b []byte) bool          { return uri(b, false, false) }
func isURIReference(b []byte) bool { return uri(b, true, false) }
func isIRI(b []byte) bool          { return uri(b, false, true) }
func isIRIReference(b []byte) bool { return uri(b, true, true) }

func uri(b []byte, relative, iri bool) bool {
	b, fragment, _ := bytes.Cut(b, []byte("#"))
	b, query, _ := bytes.Cut(b, []byte("?"))
	if !uriChars(fragment, ":@/?", iri) || !uriChars(query, ":@/?", iri) {
		return false
	}
	scheme := bytes.IndexByte(b, ':')
	slash := bytes.IndexByte(b, '/')
	if scheme >= 0 && (slash < 0 || scheme < slash) {
		if !isScheme(b[:scheme]) {
			return false
		}
		b = b[scheme+1:]
	} else if !relative {
		return false
	}
	if rest, ok := bytes.CutPrefix(b, []byte("//")); ok {
		authority := rest
		if i := bytes.IndexByte(rest, '/'); i >= 0 {
			authority, b = rest[:i], rest[i:]
		} else {
			b = nil
		}
		if !isAuthority(authority, iri) {
			return false
		}
	}
	return uriChars(b, ":@/", iri)
}

func isScheme(b []byte) bool {
	for i, ch := range b {
		if !isAlpha(ch) && (i == 0 || ch-'0' > 9 && ch != '+' && ch != '-' && ch != '.') {
			return false
		}
	}
	return len(b) > 0
}

func isAuthority(b []byte, iri bool) bool {
	if i := bytes.LastIndexByte(b, '@'); i >= 0 {
		if !uriChars(b[:i], ":", iri) {
			return false
		}
		b = b[i+1:]
	}
	if len(b) > 0 && b[0] == '[' {
		end := bytes.IndexByte(b, ']')
		if end < 0 || !isIPv6(b[1:end]) && !isIPvFuture(b[1:end]) {
			return false
		}
		return end+1 == len(b) || b[end+1] == ':' && isPort(b[end+2:])
	}
	if i := bytes.LastIndexByte(b, ':'); i >= 0 {
		if !isPort(b[i+1:]) {
			return false
		}
		b = b[:i]
	}
	return uriChars(b, "", iri)
}

func isPort(b []byte) bool {
	for _, ch := range b {
		if ch-'0' > 9 {
			return false
		}
	}
	return true
}

func isIPvFuture(b []byte) bool {
	if len(b) < 4 || b[0]|0x20 != 'v' {
		return false
	}
	i := bytes.IndexByte(b, '.')
	if i < 2 {
		return false
	}
	for _, ch := range b[1:i] {
		if !isHex(ch) {
			return false
		}
	}
	return i+1 < len(b) && uriChars(b[i+1:], ":", false) && bytes.IndexByte(b, '%') < 0
}

// uriChars says that all characters are unreserved, escapes, sub-delimiters or among more.
func uriChars(b []byte, more string, iri bool) bool {
	for i := 0; i < len(b); i++ {
		switch ch := b[i]; {
		case isAlnum(ch):
		case ch == '%':
			if i+2 >= len(b) || !isHex(b[i+1]) || !isHex(b[i+2]) {
				return false
			}
			i += 2
		case ch >= utf8.RuneSelf:
			if !iri {
				return false
			}
		case bytes.IndexByte([]byte("-._~!$&'()*+,;="), ch) >= 0, bytes.IndexByte([]byte(more), ch) >= 0:
		default:
			return false
		}
	}
	return true
}

func isURITemplate(b []byte) bool {
	for i := 0; i < len(b); i++ {
		switch ch := b[i]; {
		case ch == '{':
			end := bytes.IndexByte(b[i:], '}')
			if end < 0 || !isExpression(b[i+1:i+end]) {
				return false
			}
			i += end
		case ch == '%':
			if i+2 >= len(b) || !isHex(b[i+1]) || !isHex(b[i+2]) {
				return false
			}
			i += 2
		case ch <= ' ', ch == 0x7f, bytes.IndexByte([]byte("\"<>\\^`|}"), ch) >= 0:
			return false
		}
	}
	return true
}

// isExpression takes what stands between a template's braces.
func isExpression(b []byte) bool {
	if len(b) > 0 && bytes.IndexByte([]byte("+#./;?&=,!@|"), b[0]) >= 0 {
		b = b[1:]
	}
	for {
		name, rest, more := bytes.Cut(b, []byte(","))
		if !isVarspec(name) {
			return false
		}
		if !more {
			return true
		}
		b = rest
	}
}

func isVarspec(b []byte) bool {
	b, isExplode := bytes.CutSuffix(b, []byte("*"))
	if name, length, ok := bytes.Cut(b, []byte(":")); ok {
		n, good := digits(length)
		if !good || isExplode || n < 1 || n > 9999 || length[0] == '0' {
			return false
		}
		b = name
	}
	dot := true
	for i := 0; i < len(b); i++ {
		switch ch := b[i]; {
		case ch == '.':
			if dot {
				return false
			}
			dot = true
			continue
		case isAlnum(ch), ch == '_':
		case ch == '%':
			if i+2 >= len(b) || !isHex(b[i+1]) || !isHex(b[i+2]) {
				return false
			}
			i += 2
		default:
			return false
		}
		dot = false
	}
	return !dot
}
