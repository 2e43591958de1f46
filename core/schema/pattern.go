package schema

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A pattern is an ECMA-262 regular expression as far as RE2 can run it, which is
// without backtracking and so without surprises.

type pattern struct {
	source  string
	foreign bool // RE2 takes it though ECMA-262 would not
	table   *dfa
	re      *regexp.Regexp // where there is no table
	size    int            // what a character costs without one
}

var (
	errLook    = errors.New("it looks ahead or behind, which needs backtracking")
	errBackRef = errors.New("it refers back to a group, which needs backtracking")
)

// regexBudget bounds what the patterns of one schema may cost together to compile.
type regexBudget struct {
	size int // instructions
	work int // steps of making tables; a pattern that finds none left does without
}

const (
	maxPatternSize = 8192
	maxRegexSize   = 1 << 16
	maxRegexWork   = 1 << 21
)

func newPattern(source string, budget *regexBudget) (*pattern, error) {
	translated, foreign, err := translate(source)
	if err != nil {
		return nil, err
	}
	tree, err := syntax.Parse(translated, syntax.Perl)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	size := treeSize(tree)
	if size > maxPatternSize {
		return nil, errors.New("its repeats make it too large")
	}
	if budget.size -= size; budget.size < 0 {
		return nil, errors.New("the schema's patterns are too large together")
	}
	p := &pattern{source: source, foreign: foreign, size: size}
	if p.table = newDFA(tree, &budget.work); p.table != nil {
		return p, nil
	}
	p.re, err = regexp.Compile(translated)
	return p, err
}

// treeSize is about how many instructions a pattern compiles to.
func treeSize(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		if size += treeSize(sub); size > maxPatternSize {
			return size
		}
	}
	if re.Op == syntax.OpRepeat {
		size *= max(1, re.Min, re.Max)
	}
	return size
}

func (p *pattern) match(text []byte) bool {
	if p.table != nil {
		return p.table.match(text)
	}
	return p.re.Match(text)
}

// cost is in steps: a table takes a fraction of one for a character, a program up to one for each instruction.
func (p *pattern) cost(length int) int {
	if p.table != nil {
		return 1 + length>>4
	}
	return 1 + length*p.size>>3
}

// What ECMA-262 calls white space, and what its dot leaves out.
const (
	spaces   = `\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
	dot      = `[^\n\r\x{2028}\x{2029}]`
	anything = `[\x{0}-\x{10ffff}]`
	never    = `[^\x{0}-\x{10ffff}]`
)

// translate writes an ECMA-262 pattern in RE2's syntax. foreign says that it has what only RE2 knows, which is let through.
func translate(s string) (out string, foreign bool, err error) {
	var b strings.Builder
	class := false
	for i := 0; i < len(s); {
		switch ch := s[i]; {
		case ch == '\\':
			n, err := escape(&b, s[i:], class)
			if err != nil {
				return "", false, err
			}
			i += n
			continue
		case class:
			switch ch {
			case ']':
				class = false
				b.WriteByte(ch)
			case '[':
				b.WriteString(`\[`)
			default:
				b.WriteByte(ch)
			}
		case ch == '[':
			switch {
			case strings.HasPrefix(s[i:], "[^]"):
				b.WriteString(anything)
				i += 2
			case strings.HasPrefix(s[i:], "[]"):
				b.WriteString(never)
				i++
			default:
				class = true
				b.WriteByte(ch)
				if strings.HasPrefix(s[i:], "[^") {
					b.WriteByte('^')
					i++
				}
			}
		case ch == '.':
			b.WriteString(dot)
		case ch == '(' && strings.HasPrefix(s[i:], "(?"):
			rest := s[i+2:]
			if strings.HasPrefix(rest, "=") || strings.HasPrefix(rest, "!") || strings.HasPrefix(rest, "<=") || strings.HasPrefix(rest, "<!") {
				return "", false, errLook
			}
			named := strings.HasPrefix(rest, "<") || strings.HasPrefix(rest, ":")
			flags := strings.TrimLeft(rest, "ims-")
			foreign = foreign || !named && !strings.HasPrefix(flags, ":")
			b.WriteString("(?")
			i++
		default:
			b.WriteByte(ch)
		}
		i++
	}
	return b.String(), foreign, nil
}

// escape translates one escape and gives its length.
func escape(b *strings.Builder, s string, class bool) (int, error) {
	if len(s) < 2 {
		return 0, errors.New("it ends in a backslash")
	}
	switch ch := s[1]; ch {
	case 'd', 'D', 'w', 'W', 'f', 'n', 'r', 't', 'v':
		b.WriteString(s[:2])
		return 2, nil
	case 'b':
		if class {
			b.WriteString(`\x08`)
			return 2, nil
		}
		b.WriteString(`\b`)
		return 2, nil
	case 'B':
		if class {
			return 0, errors.New(`\B means nothing in a class`)
		}
		b.WriteString(`\B`)
		return 2, nil
	case 's':
		if class {
			b.WriteString(spaces)
		} else {
			b.WriteString("[" + spaces + "]")
		}
		return 2, nil
	case 'S':
		if class {
			b.WriteString(`\S`)
		} else {
			b.WriteString("[^" + spaces + "]")
		}
		return 2, nil
	case 'p', 'P':
		end := strings.IndexByte(s, '}')
		if len(s) < 3 || s[2] != '{' || end < 0 {
			return 0, errors.New(`\p wants a name in braces`)
		}
		name := s[3:end]
		for _, prefix := range []string{"Script=", "sc=", "General_Category=", "gc="} {
			name = strings.TrimPrefix(name, prefix)
		}
		b.WriteString(s[:3] + name + "}")
		return end + 1, nil
	case 'c':
		if len(s) < 3 || s[2]|0x20 < 'a' || s[2]|0x20 > 'z' {
			return 0, errors.New(`\c wants a letter`)
		}
		writeRune(b, rune(s[2]&31))
		return 3, nil
	case 'x':
		v, err := strconv.ParseUint(cutTo(s, 2, 4), 16, 8)
		if err != nil || len(s) < 4 {
			return 0, errors.New(`\x wants two hexadecimal digits`)
		}
		writeRune(b, rune(v))
		return 4, nil
	case 'u':
		return escapeUnicode(b, s)
	case '0':
		if len(s) > 2 && '0' <= s[2] && s[2] <= '9' {
			return 0, errors.New("it has an octal escape")
		}
		writeRune(b, 0)
		return 2, nil
	case 'k':
		return 0, errBackRef
	default:
		switch {
		case '1' <= ch && ch <= '9':
			return 0, errBackRef
		case 'a' <= ch|0x20 && ch|0x20 <= 'z':
			return 0, errors.New(`\` + string(rune(ch)) + " is no escape")
		}
		r, size := utf8.DecodeRuneInString(s[1:])
		if r < utf8.RuneSelf {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		return 1 + size, nil
	}
}

func escapeUnicode(b *strings.Builder, s string) (int, error) {
	wrong := errors.New(`\u wants four hexadecimal digits`)
	if len(s) > 2 && s[2] == '{' {
		end := strings.IndexByte(s, '}')
		if end < 0 {
			return 0, wrong
		}
		v, err := strconv.ParseUint(s[3:end], 16, 32)
		if err != nil || v > utf8.MaxRune {
			return 0, wrong
		}
		writeRune(b, rune(v))
		return end + 1, nil
	}
	v, err := strconv.ParseUint(cutTo(s, 2, 6), 16, 32)
	if err != nil || len(s) < 6 {
		return 0, wrong
	}
	if 0xd800 <= v && v < 0xdc00 && strings.HasPrefix(s[6:], `\u`) {
		if low, err := strconv.ParseUint(cutTo(s, 8, 12), 16, 32); err == nil && 0xdc00 <= low && low < 0xe000 {
			writeRune(b, rune(0x10000+(v-0xd800)<<10+(low-0xdc00)))
			return 12, nil
		}
	}
	writeRune(b, rune(v))
	return 6, nil
}

func cutTo(s string, from, to int) string {
	return s[min(from, len(s)):min(to, len(s))]
}

func writeRune(b *strings.Builder, r rune) {
	b.WriteString(`\x{` + strconv.FormatInt(int64(r), 16) + `}`)
}
