// Package phrase reads a tool call as people type it, says what may come next in it, and makes the call's input:
//
//	walk_to place=gate speed:=2        name=text, name:=JSON, pool.depth:=3 for an object inside
//	say text="Halt! Who goes there?"   quotes as in JSON, where text has spaces
//	walk_to {"place": "gate"}          or the whole input as JSON
package phrase

import (
	"fmt"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// Error is a mistake in a line.
type Error struct {
	At  int // the byte of the line where it is
	Msg string
}

func (e *Error) Error() string { return fmt.Sprintf("column %d: %s", e.At+1, e.Msg) }

func wrong(at int, format string, args ...any) *Error {
	return &Error{at, fmt.Sprintf(format, args...)}
}

// Word is one word of a line, as it stands there.
type Word struct {
	Text string
	At   int
}

// Split takes a line apart at its spaces, but for those inside of quotes and of JSON. With comments a word that begins with # ends the line. Where
// the error is that something has no end, the last word is that.
func Split(line string, comments bool) (words []Word, err *Error) {
	for at := 0; at < len(line); {
		if isSpace(line[at]) {
			at++
			continue
		}
		if comments && line[at] == '#' {
			return words, nil
		}
		end, fault := wordEnd(line, at)
		words = append(words, Word{line[at:end], at})
		if fault != nil {
			return words, fault
		}
		at = end
	}
	return words, nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }

// wordEnd finds where the word that begins at at ends. Quotes and brackets count where a value may begin.
func wordEnd(line string, at int) (end int, err *Error) {
	start := true
	for i := at; i < len(line); i++ {
		c := line[i]
		switch {
		case isSpace(c):
			return i, nil
		case start && (c == '"' || c == '{' || c == '['):
			if i, err = valueEnd(line, i); err != nil {
				return len(line), err
			}
			i--
			start = false
		default:
			start = c == '='
		}
	}
	return len(line), nil
}

// valueEnd finds the end of a string, object or array, by its quotes and brackets alone.
func valueEnd(line string, at int) (end int, err *Error) {
	var open []int
	for i := at; i < len(line); i++ {
		switch c := line[i]; c {
		case '"':
			from := i
			for i++; i < len(line) && line[i] != '"'; i++ {
				if line[i] == '\\' {
					i++
				}
			}
			if i >= len(line) {
				return len(line), wrong(from, "this text has no end: a \" is missing")
			}
		case '{', '[':
			open = append(open, i)
		case '}', ']':
			if len(open) == 0 || (line[open[len(open)-1]] == '{') != (c == '}') {
				return i + 1, wrong(i, "this %c closes nothing", c)
			}
			open = open[:len(open)-1]
		}
		if len(open) == 0 {
			return i + 1, nil
		}
	}
	c := line[open[len(open)-1]]
	return len(line), wrong(open[len(open)-1], "this %c is not closed", c)
}

// Phrase is a call: a tool and its input, which is either Object or Args.
type Phrase struct {
	Tool   string
	Object string // JSON, "" when it is not given so
	At     int    // of Object
	Args   []Arg
}

// Arg is one word name=value.
type Arg struct {
	Path  []string // more than one: objects in each other
	Value string   // as it stands in the line
	JSON  bool     // :=
	At    int      // of the value
}

// Parse reads a line as a call and nothing more.
func Parse(line string) (*Phrase, error) {
	words, err := Split(line, false)
	if err != nil {
		return nil, err
	}
	p, rest, err := Take(words)
	if err != nil {
		return nil, err
	}
	if len(rest) > 0 {
		return nil, wrong(rest[0].At, "%q is no name=text, name:=JSON or {...}", cut(rest[0].Text))
	}
	return p, nil
}

// Take reads a call from the first words, up to the first that is no part of one.
func Take(words []Word) (p *Phrase, rest []Word, err *Error) {
	if len(words) == 0 {
		return nil, nil, wrong(0, "the name of a tool is wanted")
	}
	p = &Phrase{Tool: words[0].Text}
	if !message.ValidToolID(p.Tool) {
		return nil, nil, wrong(words[0].At, "%q is no name of a tool: they are of a to z, 0 to 9 and _", cut(p.Tool))
	}
	rest = words[1:]
	for len(rest) > 0 {
		w := rest[0]
		switch {
		case w.Text[0] == '{':
			if p.Object != "" || len(p.Args) > 0 {
				return nil, nil, wrong(w.At, "the input is either one {...} or words of name=text")
			}
			p.Object, p.At = w.Text, w.At
		default:
			a, ok, err := arg(w)
			if err != nil {
				return nil, nil, err
			}
			if !ok {
				return p, rest, nil
			}
			if p.Object != "" {
				return nil, nil, wrong(w.At, "the input is either one {...} or words of name=text")
			}
			p.Args = append(p.Args, a)
		}
		rest = rest[1:]
	}
	return p, nil, nil
}

// arg reads name=value, when the word is one.
func arg(w Word) (a Arg, ok bool, err *Error) {
	eq := strings.IndexByte(w.Text, '=')
	if eq < 0 || w.Text[0] == '"' || w.Text[0] == '[' {
		return a, false, nil
	}
	name := w.Text[:eq]
	a.JSON = strings.HasSuffix(name, ":")
	name = strings.TrimSuffix(name, ":")
	if strings.HasSuffix(name, "=") || strings.ContainsAny(name, "<>!\"") {
		return a, false, nil
	}
	if name == "" {
		return a, false, wrong(w.At, "a name is missing before the =")
	}
	a.Path = strings.Split(name, ".")
	for _, part := range a.Path {
		if part == "" {
			return a, false, wrong(w.At, "%q has an empty name in it: write an input with such names as {...}", cut(name))
		}
	}
	if len(a.Path) > jsonwire.MaxDepth-1 {
		return a, false, wrong(w.At, "more than %d objects in each other", jsonwire.MaxDepth-1)
	}
	a.Value, a.At = w.Text[eq+1:], w.At+eq+1
	if a.JSON && a.Value == "" {
		return a, false, wrong(a.At, "a JSON value is missing behind :=")
	}
	return a, true, nil
}

// Lookup gives the JSON value that stands behind a $path.
type Lookup func(path string) ([]byte, error)

// Input is the call's input, a JSON object. Without a Lookup a $ is a $.
func (p *Phrase) Input(variables Lookup) ([]byte, error) {
	if p.Object != "" {
		text, err := Value(p.Object, p.At, true, variables)
		if err == nil && jsonwire.KindOf(text) != jsonwire.Object {
			err = wrong(p.At, "the input is to be an object, %s came", jsonwire.KindOf(text))
		}
		return text, err
	}
	var top node
	for _, a := range p.Args {
		text, err := Value(a.Value, a.At, a.JSON, variables)
		if err != nil {
			return nil, err
		}
		if err := top.put(a, text); err != nil {
			return nil, err
		}
	}
	text := top.append(nil)
	if err := check(text, 0); err != nil { // the whole may be too deep or too long where no part is
		return nil, err
	}
	return text, nil
}

// node is an object while it is made.
type node struct {
	at     map[string]int // of names
	names  []string
	values [][]byte // nil: in inner
	inner  []*node
}

func (n *node) put(a Arg, text []byte) error {
	for i, name := range a.Path {
		last := i == len(a.Path)-1
		at, had := n.at[name]
		switch {
		case !had:
			if n.at == nil {
				n.at = map[string]int{}
			}
			n.at[name] = len(n.names)
			n.names = append(n.names, name)
			if last {
				n.values, n.inner = append(n.values, text), append(n.inner, nil)
				return nil
			}
			next := &node{}
			n.values, n.inner = append(n.values, nil), append(n.inner, next)
			n = next
		case last || n.inner[at] == nil:
			return wrong(a.At, "%s is given twice", strings.Join(a.Path[:i+1], "."))
		default:
			n = n.inner[at]
		}
	}
	return nil
}

func (n *node) append(dst []byte) []byte {
	dst = append(dst, '{')
	for i, name := range n.names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst, _ = jsonwire.AppendString(dst, name)
		dst = append(dst, ':')
		if n.inner[i] != nil {
			dst = n.inner[i].append(dst)
		} else {
			dst = append(dst, n.values[i]...)
		}
	}
	return append(dst, '}')
}

// Value is the JSON value of what stands in a line at at: JSON, or text with or without quotes, which $path and ${path} stand in where there are
// variables.
func Value(raw string, at int, asJSON bool, variables Lookup) ([]byte, error) {
	if variables != nil {
		if path, ok := variable(raw); ok {
			return find(variables, path, at)
		}
	}
	switch {
	case asJSON:
		text := []byte(raw)
		if variables != nil {
			filled, err := fill(raw, at, variables)
			if err != nil {
				return nil, err
			}
			text = filled
		}
		if err := check(text, at); err != nil {
			return nil, err
		}
		return text, nil
	case raw != "" && raw[0] == '"':
		if err := check([]byte(raw), at); err != nil {
			return nil, err
		}
		if variables == nil {
			return []byte(raw), nil
		}
		raw = string(jsonwire.Text([]byte(raw), new([]byte)))
	}
	if variables != nil {
		filled, err := interpolate(raw, at, variables)
		if err != nil {
			return nil, err
		}
		raw = filled
	}
	text, _ := jsonwire.AppendString(nil, raw)
	return text, nil
}

func check(text []byte, at int) error {
	var s jsonwire.Scanner
	if _, err := s.Check(text); err != nil {
		return wrong(at+err.Offset, "%s", err.Msg)
	}
	return nil
}

func cut(s string) string {
	if len(s) > 64 {
		return strings.ToValidUTF8(s[:64], "") + "..."
	}
	return s
}
