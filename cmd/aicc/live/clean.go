package live

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"aicc.dev/libaicc/core/jsonwire"
)

// Clean makes text of others fit for one line of a terminal: what is no printable character, which all that a terminal obeys is among, and
// what turns the direction of writing or cannot be seen, is written as an escape.
func Clean(text string) string {
	at := 0
	for at < len(text) && ' ' <= text[at] && text[at] <= '~' {
		at++
	}
	if at == len(text) {
		return text
	}
	var b strings.Builder
	b.WriteString(text[:at])
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[at])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case visible(r):
			b.WriteRune(r)
		case r <= 0xff:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		at += size
	}
	return b.String()
}

// visible says whether a terminal only draws it: letters, marks, numbers, punctuation, symbols and the plain space.
func visible(r rune) bool {
	return unicode.IsPrint(r) && r != '\u3164' && r != '\uffa0' && r != '\u115f' && r != '\u1160' && r != '\u2800' // the last five draw nothing
}

// Lines is Clean for text of several lines.
func Lines(text string) []string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = Clean(strings.ReplaceAll(line, "\t", "    "))
	}
	return lines
}

// Pretty is a JSON value on lines of at most width columns where that can be had: what fits stays on one line, what does not is opened and
// indented by two. The value must be one that a jsonwire.Scanner has accepted. The lines are clean.
func Pretty(value []byte, width int) []string {
	var p pretty
	p.value(jsonwire.AppendCompact(nil, value), 0, width, "")
	p.flush()
	return p.lines
}

type pretty struct {
	lines []string
	line  strings.Builder
}

func (p *pretty) flush() {
	if p.line.Len() > 0 {
		p.lines = append(p.lines, Clean(p.line.String()))
		p.line.Reset()
	}
}

func (p *pretty) value(v []byte, indent, width int, behind string) {
	kind := jsonwire.KindOf(v)
	if kind != jsonwire.Object && kind != jsonwire.Array || len(v) == 2 || p.line.Len()+len(v)+len(behind)+spaces(v) <= width {
		p.line.WriteString(spaced(v))
		p.line.WriteString(behind)
		return
	}
	p.line.WriteByte(v[0])
	inner := strings.Repeat(" ", min(indent+2, 2*jsonwire.MaxDepth))
	each := func(name, one []byte, last bool) {
		p.flush()
		p.line.WriteString(inner)
		if name != nil {
			p.line.Write(name)
			p.line.WriteString(": ")
		}
		comma := ","
		if last {
			comma = ""
		}
		p.value(one, indent+2, width, comma)
	}
	if kind == jsonwire.Object {
		members := jsonwire.ObjectMembers(v)
		name, one, ok := members.Next()
		for ok {
			nextName, next, more := members.Next()
			each(name, one, !more)
			name, one, ok = nextName, next, more
		}
	} else {
		elements := jsonwire.ArrayElements(v)
		one, ok := elements.Next()
		for ok {
			next, more := elements.Next()
			each(nil, one, !more)
			one, ok = next, more
		}
	}
	p.flush()
	p.line.WriteString(inner[2:])
	p.line.WriteByte(v[len(v)-1])
	p.line.WriteString(behind)
}

// spaced is a compact value with a space behind each comma and colon.
func spaced(v []byte) string {
	var b strings.Builder
	b.Grow(len(v) + 16)
	inText := false
	for i := 0; i < len(v); i++ {
		c := v[i]
		b.WriteByte(c)
		switch {
		case inText && c == '\\' && i+1 < len(v):
			i++
			b.WriteByte(v[i])
		case c == '"':
			inText = !inText
		case !inText && (c == ',' || c == ':'):
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func spaces(v []byte) int { return len(spaced(v)) - len(v) }

// Line is a JSON value on one clean line.
func Line(value []byte) string { return Clean(spaced(jsonwire.AppendCompact(nil, value))) }

// Took is a duration as people read it.
func Took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d us", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%.3g ms", float64(d)/1e6)
	case d < time.Minute:
		return fmt.Sprintf("%.3g s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
