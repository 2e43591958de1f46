package jsonwire

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Error is a fault in a text: where, and what, in words fit for whoever wrote it.
type Error struct {
	Offset  int    // of the first byte that is wrong; the text's length when it ends too early
	Pointer string // RFC 6901, of the innermost value that has begun there; "" is the whole text
	Msg     string
}

func (e *Error) Error() string {
	where := ""
	if e.Pointer != "" {
		where = " (" + e.Pointer + ")"
	}
	return "byte " + strconv.Itoa(e.Offset) + where + ": " + e.Msg
}

// DuplicateMember is the Msg of an Error whose Pointer names a member that came before.
const DuplicateMember = "duplicate member"

// Info is what a Scanner learned of a text.
type Info struct {
	Kind           Kind
	Start, End     int // the value without the white space around it
	Depth          int // the most containers that were open at once
	LoneSurrogates int // \u escapes that will be read as U+FFFD
}

// Scanner checks texts. The zero value is ready; reuse it, one goroutine at a time:
// what it has grown for one text serves the next.
type Scanner struct {
	MaxBytes int // 0: DefaultMaxBytes

	src    []byte
	depth  int
	deep   int
	lone   int
	levels [MaxDepth]level

	names   []name // of all objects that are open, outermost first
	objects uint32 // how many objects were opened
	set     nameSet

	faultAt  int
	faultMsg string
}

// level is one open container. name and index say where in it the scanner stands, for an Error's pointer.
type level struct {
	object bool
	name   int // offset of the current member's name, -1 before it
	index  int
	base   int // of this object's part of names
	id     uint32
}

// Check says whether src is one JSON value by this package's rules. The *Error is nil when it is.
func (s *Scanner) Check(src []byte) (Info, *Error) {
	s.src, s.depth, s.deep, s.lone, s.objects, s.names = src, 0, 0, 0, 0, s.names[:0]
	s.set.reset()
	info, ok := s.text()
	var err *Error
	if !ok {
		err = &Error{Offset: s.faultAt, Pointer: s.pointer(), Msg: s.faultMsg}
	}
	s.src = nil
	if cap(s.names) > keepNames {
		s.names = nil
	}
	return info, err
}

func (s *Scanner) fail(at int, msg string) bool {
	s.faultAt, s.faultMsg = at, msg
	return false
}

// wanted is the fault of a byte that is not what belongs there.
func (s *Scanner) wanted(what string, at int) bool {
	return s.fail(at, what+" was wanted, "+describe(s.src, at)+" came")
}

func describe(src []byte, at int) string {
	if at >= len(src) {
		return "the end of the text"
	}
	r, size := utf8.DecodeRune(src[at:])
	if r == utf8.RuneError && size < 2 || r < ' ' {
		return fmt.Sprintf("byte 0x%02X", src[at])
	}
	return strconv.QuoteRune(r)
}

func (s *Scanner) text() (info Info, ok bool) {
	src := s.src
	limit := s.MaxBytes
	if limit <= 0 {
		limit = DefaultMaxBytes
	}
	limit = min(limit, 1<<30) // offsets of names are kept in 32 bits
	if len(src) > limit {
		return info, s.fail(limit, fmt.Sprintf("the text has %d bytes, at most %d are accepted", len(src), limit))
	}
	if len(src) >= 3 && src[0] == 0xEF && src[1] == 0xBB && src[2] == 0xBF {
		return info, s.fail(0, "a byte order mark is not accepted")
	}
	info.Start = SkipSpace(src, 0)
	if info.Start == len(src) {
		return info, s.fail(info.Start, "the text is empty")
	}
	info.Kind = KindOf(src[info.Start:])
	if info.End, ok = s.value(info.Start); !ok {
		return info, false
	}
	if rest := SkipSpace(src, info.End); rest != len(src) {
		return info, s.fail(rest, "one value was wanted, "+describe(src, rest)+" came behind it")
	}
	info.Depth, info.LoneSurrogates = s.deep, s.lone
	return info, true
}

// value checks the value that begins at i, which is not white space. It is a loop over
// the open levels, not a recursion, so no text can exhaust a stack.
func (s *Scanner) value(i int) (end int, ok bool) {
	src := s.src
	for {
		opened := false
		if i >= len(src) {
			return i, s.wanted("a value", i)
		}
		switch c := src[i]; {
		case c == '"':
			i, _, ok = s.str(i)
		case c == '{' || c == '[':
			i, ok = s.open(i)
			opened = true
		case c == '-' || '0' <= c && c <= '9':
			i, ok = s.number(i)
		default:
			i, ok = s.word(i)
		}
		if !ok {
			return i, false
		}
		// What follows a value closes containers until a comma leads to the next value;
		// what follows an opening bracket is that, or the first value.
		for {
			if s.depth == 0 {
				return i, true
			}
			l := &s.levels[s.depth-1]
			i = SkipSpace(src, i)
			closer := byte(']')
			if l.object {
				closer = '}'
			}
			if i < len(src) && src[i] == closer {
				s.close(l)
				i++
				opened = false
				continue
			}
			if !opened {
				if i >= len(src) || src[i] != ',' {
					return i, s.wanted("',' or '"+string(closer)+"'", i)
				}
				comma := i
				i = SkipSpace(src, i+1)
				if i < len(src) && src[i] == closer {
					return i, s.fail(comma, "a comma before '"+string(closer)+"' is not JSON")
				}
			}
			l.index++
			break
		}
		if l := &s.levels[s.depth-1]; l.object {
			if i, ok = s.member(l, i); !ok {
				return i, false
			}
		}
	}
}

func (s *Scanner) open(i int) (next int, ok bool) {
	if s.depth == MaxDepth {
		return i, s.fail(i, "more than "+strconv.Itoa(MaxDepth)+" arrays and objects inside each other")
	}
	s.objects++
	s.levels[s.depth] = level{object: s.src[i] == '{', name: -1, index: -1, base: len(s.names), id: s.objects}
	s.depth++
	s.deep = max(s.deep, s.depth)
	return i + 1, true
}

func (s *Scanner) close(l *level) {
	s.names = s.names[:l.base]
	s.depth--
}

// member checks a member's name and colon and gives the position of its value.
func (s *Scanner) member(l *level, i int) (next int, ok bool) {
	src := s.src
	l.name = -1
	if i >= len(src) || src[i] != '"' {
		return i, s.wanted("a member name in double quotes", i)
	}
	end, escaped, ok := s.str(i)
	if !ok {
		return i, false
	}
	l.name = i
	if !s.add(l, name{start: int32(i), end: int32(end), escaped: escaped}) {
		return i, s.fail(i, DuplicateMember)
	}
	i = SkipSpace(src, end)
	if i >= len(src) || src[i] != ':' {
		return i, s.wanted("':'", i)
	}
	return SkipSpace(src, i+1), true
}

// str checks the string whose opening quote is at i.
func (s *Scanner) str(i int) (end int, escaped, ok bool) {
	src := s.src
	i++
	for {
		i = skipPlain(src, i)
		if i >= len(src) {
			return i, escaped, s.fail(len(src), "the text ends inside a string")
		}
		switch c := src[i]; {
		case c == '"':
			return i + 1, escaped, true
		case c == '\\':
			escaped = true
			if i, ok = s.escape(i); !ok {
				return i, escaped, false
			}
		case c < ' ':
			return i, escaped, s.fail(i, fmt.Sprintf("control character 0x%02X must be escaped in a string", c))
		default:
			r, size := utf8.DecodeRune(src[i:])
			if r == utf8.RuneError && size < 2 {
				return i, escaped, s.fail(i, "invalid UTF-8")
			}
			i += size
		}
	}
}

// escape checks the escape at i and counts surrogates that have no partner.
func (s *Scanner) escape(i int) (next int, ok bool) {
	src := s.src
	if i+1 >= len(src) {
		return i, s.fail(len(src), "the text ends inside a string")
	}
	switch src[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, true
	case 'u':
		if _, ok := hex4(src, i+2); !ok {
			return i, s.fail(i, `\u needs four hexadecimal digits`)
		}
		r, size := unescape(src[i:])
		if r == utf8.RuneError && !isEscapedFFFD(src, i) {
			s.lone++
		}
		return i + size, true
	}
	return i, s.fail(i, `\ before `+describe(src, i+1)+" is no escape")
}

func (s *Scanner) number(i int) (end int, ok bool) {
	src := s.src
	start := i
	if src[i] == '-' {
		i++
	}
	if i < len(src) && src[i] == 'I' {
		return i, s.fail(start, "NaN and Infinity are not JSON")
	}
	first := i
	if i = skipDigits(src, i); i == first {
		return i, s.wanted("a digit", i)
	}
	if src[first] == '0' && i > first+1 {
		return i, s.fail(first, "a number must not have a leading zero")
	}
	if i < len(src) && src[i] == '.' {
		first = i + 1
		if i = skipDigits(src, first); i == first {
			return i, s.wanted("a digit", i)
		}
	}
	if i < len(src) && src[i]|0x20 == 'e' {
		first = i + 1
		if first < len(src) && (src[first] == '+' || src[first] == '-') {
			first++
		}
		if i = skipDigits(src, first); i == first {
			return i, s.wanted("a digit", i)
		}
	}
	return i, true
}

// word checks the three literals and names the usual things that are no JSON.
func (s *Scanner) word(i int) (end int, ok bool) {
	src := s.src
	for _, w := range [...]string{"true", "false", "null"} {
		if len(src)-i >= len(w) && string(src[i:i+len(w)]) == w {
			if end := i + len(w); end == len(src) || !isWordByte(src[end]) {
				return end, true
			}
		}
	}
	switch src[i] {
	case 'N', 'I':
		return i, s.fail(i, "NaN and Infinity are not JSON")
	case '/', '#':
		return i, s.fail(i, "comments are not JSON")
	case '\'', '`':
		return i, s.fail(i, "a string needs double quotes")
	case '+', '.':
		return i, s.fail(i, "a number must begin with a digit or '-'")
	}
	return i, s.wanted("a value", i)
}

func isWordByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '_'
}

// pointer is where the scanner stands.
func (s *Scanner) pointer() string {
	var p []byte
	for _, l := range s.levels[:s.depth] {
		switch {
		case l.object && l.name >= 0:
			end := Skip(s.src, l.name)
			text, _ := AppendUnquoted(nil, s.src[l.name:end])
			p = AppendPointerToken(p, text)
		case !l.object && l.index >= 0:
			p = append(p, '/')
			p = strconv.AppendInt(p, int64(l.index), 10)
		}
	}
	return string(p)
}
