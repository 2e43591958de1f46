package schema

import (
	"bytes"
	"unicode/utf8"
)

// Formats that can be decided from the text alone. Others, idn-hostname among them, are annotations.
var formats = map[string]func([]byte) bool{
	"date-time":             isDateTime,
	"date":                  isDate,
	"time":                  isTime,
	"duration":              isDuration,
	"email":                 isEmail,
	"idn-email":             isIDNEmail,
	"hostname":              isHostname,
	"ipv4":                  isIPv4,
	"ipv6":                  isIPv6,
	"uri":                   isURI,
	"uri-reference":         isURIReference,
	"iri":                   isIRI,
	"iri-reference":         isIRIReference,
	"uri-template":          isURITemplate,
	"uuid":                  isUUID,
	"json-pointer":          isPointer,
	"relative-json-pointer": isRelativePointer,
	"regex":                 isRegex,
}

// wordsOf is a format as a fault names it, with an example where the name alone does not help.
var wordsOf = map[string]string{
	"date-time":     "a date-time such as 2025-01-31T12:00:00Z",
	"date":          "a date such as 2025-01-31",
	"time":          "a time such as 12:00:00Z",
	"duration":      "a duration such as PT30S",
	"email":         "an email address",
	"idn-email":     "an email address",
	"hostname":      "a host name",
	"ipv4":          "an IPv4 address",
	"ipv6":          "an IPv6 address",
	"uri":           "a URI such as https://example.com/x",
	"uri-reference": "a URI reference",
	"iri":           "an IRI",
	"iri-reference": "an IRI reference",
	"uri-template":  "a URI template",
	"uuid":          "a UUID such as 123e4567-e89b-12d3-a456-426614174000",
	"json-pointer":  "a JSON Pointer such as /a/0",
	"regex":         "a regular expression",
}

func formatWords(name string) string {
	if w := wordsOf[name]; w != "" {
		return w
	}
	return "a " + name
}

func digits(b []byte) (n int, ok bool) {
	for _, d := range b {
		if d-'0' > 9 {
			return 0, false
		}
		n = n*10 + int(d-'0')
	}
	return n, len(b) > 0 && len(b) < 10
}

func isDate(b []byte) bool {
	if len(b) != 10 || b[4] != '-' || b[7] != '-' {
		return false
	}
	y, ok1 := digits(b[:4])
	m, ok2 := digits(b[5:7])
	d, ok3 := digits(b[8:])
	if !ok1 || !ok2 || !ok3 || m < 1 || m > 12 || d < 1 {
		return false
	}
	days := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[m-1]
	if m == 2 && y%4 == 0 && (y%100 != 0 || y%400 == 0) {
		days++
	}
	return d <= days
}

func isTime(b []byte) bool {
	if len(b) < 9 || b[2] != ':' || b[5] != ':' {
		return false
	}
	h, ok1 := digits(b[:2])
	m, ok2 := digits(b[3:5])
	s, ok3 := digits(b[6:8])
	if !ok1 || !ok2 || !ok3 || h > 23 || m > 59 || s > 60 {
		return false
	}
	rest := b[8:]
	if rest[0] == '.' {
		i := 1
		for i < len(rest) && rest[i]-'0' <= 9 {
			i++
		}
		if i == 1 {
			return false
		}
		rest = rest[i:]
	}
	shift := 0
	switch {
	case len(rest) == 1 && rest[0]|0x20 == 'z':
	case len(rest) == 6 && (rest[0] == '+' || rest[0] == '-') && rest[3] == ':':
		oh, ok1 := digits(rest[1:3])
		om, ok2 := digits(rest[4:])
		if !ok1 || !ok2 || oh > 23 || om > 59 {
			return false
		}
		if shift = oh*60 + om; rest[0] == '+' {
			shift = -shift
		}
	default:
		return false
	}
	const day = 24 * 60
	return s < 60 || (h*60+m+shift+day)%day == day-1 // a leap second ends a day of UTC
}

func isDateTime(b []byte) bool {
	return len(b) > 11 && b[10]|0x20 == 't' && isDate(b[:10]) && isTime(b[11:])
}

// isDuration takes RFC 3339's appendix A: units in order, none left out between two, or weeks alone.
func isDuration(b []byte) bool {
	if len(b) < 3 || b[0] != 'P' {
		return false
	}
	b = b[1:]
	if n := len(b) - 1; b[n] == 'W' {
		for _, d := range b[:n] {
			if d-'0' > 9 {
				return false
			}
		}
		return n > 0
	}
	date, clock, hasTime := bytes.Cut(b, []byte("T"))
	if hasTime && len(clock) == 0 {
		return false
	}
	return units(date, "YMD") && units(clock, "HMS")
}

func units(b []byte, order string) bool {
	last := -1
	for len(b) > 0 {
		i := 0
		for i < len(b) && b[i]-'0' <= 9 {
			i++
		}
		if i == 0 || i == len(b) {
			return false
		}
		unit := bytes.IndexByte([]byte(order), b[i])
		if unit < 0 || last >= 0 && unit != last+1 {
			return false
		}
		last = unit
		b = b[i+1:]
	}
	return true
}

func isUUID(b []byte) bool {
	if len(b) != 36 {
		return false
	}
	for i, ch := range b {
		switch i {
		case 8, 13, 18, 23:
			if ch != '-' {
				return false
			}
		default:
			if !isHex(ch) {
				return false
			}
		}
	}
	return true
}

func isHex(b byte) bool { return b-'0' <= 9 || 'a' <= b|0x20 && b|0x20 <= 'f' }

func isAlpha(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }

func isAlnum(b byte) bool { return isAlpha(b) || b-'0' <= 9 }

func isPointer(b []byte) bool {
	if len(b) > 0 && b[0] != '/' {
		return false
	}
	for i, ch := range b {
		if ch == '~' && (i+1 == len(b) || b[i+1] != '0' && b[i+1] != '1') {
			return false
		}
	}
	return true
}

func isRelativePointer(b []byte) bool {
	i := 0
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	if i == 0 || i > 1 && b[0] == '0' {
		return false
	}
	return string(b[i:]) == "#" || isPointer(b[i:])
}

// isRegex says no only to what is wrong, not to what RE2 cannot run or is too long to try.
func isRegex(b []byte) bool {
	if len(b) > maxPatternBytes {
		return true
	}
	p, err := newPattern(string(b), &regexBudget{size: maxPatternSize})
	return err == nil && !p.foreign || err == errLook || err == errBackRef
}

func isEmail(b []byte) bool { return email(b, false) }

func isIDNEmail(b []byte) bool { return email(b, true) }

func email(b []byte, idn bool) bool {
	at := bytes.LastIndexByte(b, '@')
	if at < 1 {
		return false
	}
	local, host := b[:at], b[at+1:]
	if len(host) > 2 && host[0] == '[' && host[len(host)-1] == ']' {
		inner := host[1 : len(host)-1]
		if v6, ok := bytes.CutPrefix(inner, []byte("IPv6:")); ok {
			if !isIPv6(v6) {
				return false
			}
		} else if !isIPv4(inner) {
			return false
		}
	} else if idn && !ascii(host) {
		if bytes.ContainsAny(host, " @") || len(host) == 0 {
			return false
		}
	} else if !isHostname(host) {
		return false
	}
	if len(local) > 1 && local[0] == '"' && local[len(local)-1] == '"' {
		return quotedLocal(local[1:len(local)-1], idn)
	}
	dot := true // so that none stands first
	for _, ch := range local {
		switch {
		case ch == '.':
			if dot {
				return false
			}
			dot = true
			continue
		case isAlnum(ch), idn && ch >= utf8.RuneSelf:
		case bytes.IndexByte([]byte("!#$%&'*+-/=?^_`{|}~"), ch) >= 0:
		default:
			return false
		}
		dot = false
	}
	return !dot
}

func quotedLocal(b []byte, idn bool) bool {
	for i := 0; i < len(b); i++ {
		switch ch := b[i]; {
		case ch == '\\' && i+1 < len(b):
			i++
		case ch == '"', ch == '\\', ch < ' ', ch == 0x7f, ch >= utf8.RuneSelf && !idn:
			return false
		}
	}
	return true
}

func ascii(b []byte) bool {
	for _, ch := range b {
		if ch >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// isHostname takes RFC 1123 names: labels of letters, digits and inner hyphens.
func isHostname(b []byte) bool {
	if len(b) == 0 || len(b) > 253 {
		return false
	}
	for {
		label, rest, more := bytes.Cut(b, []byte("."))
		if len(label) == 0 || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for _, ch := range label {
			if !isAlnum(ch) && ch != '-' {
				return false
			}
		}
		if len(label) >= 4 && label[2] == '-' && label[3] == '-' && label[0]|0x20 != 'x' {
			return false
		}
		if !more {
			return true
		}
		b = rest
	}
}
