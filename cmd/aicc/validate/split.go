package validate

import (
	"bytes"

	"aicc.dev/libaicc/core/jsonwire"
)

// part is the text of one message, or of what stands where one should.
type part struct {
	start, end int
	fault      *jsonwire.Error // it is known to be no JSON; the offset is from start
}

const maxFile = 16 << 20

// split finds the messages of a file. It does not ask that they are right: what is between two that are is judged by itself.
func split(text []byte) (parts []part) {
	start := jsonwire.SkipSpace(text, 0)
	if start < len(text) && text[start] == '[' {
		scanner := jsonwire.Scanner{MaxBytes: maxFile}
		info, err := scanner.Check(text)
		if err == nil {
			for it := jsonwire.ArrayElements(text[info.Start:info.End]); ; {
				one, ok := it.Next()
				if !ok {
					return parts
				}
				at := info.Start + it.Offset()
				parts = append(parts, part{at, at + len(one), nil})
			}
		}
		if end := valueEnd(text, start); jsonwire.SkipSpace(text, end) == len(text) {
			return []part{{0, len(text), err}}
		}
	}
	for at := start; at < len(text); at = jsonwire.SkipSpace(text, at) {
		end := valueEnd(text, at)
		parts = append(parts, part{at, at + len(bytes.TrimRight(text[at:end], " \t\r\n")), nil})
		at = end
	}
	return parts
}

// valueEnd finds where the value that begins at at is over: where its brackets are closed, or, since they may never be, before the next line that begins with
// a bracket. What does not begin with a bracket ends with its line.
func valueEnd(text []byte, at int) int {
	if text[at] != '{' && text[at] != '[' {
		if n := bytes.IndexByte(text[at:], '\n'); n >= 0 {
			return at + n
		}
		return len(text)
	}
	depth, quoted := 0, false
	for i := at; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\n' && (quoted || i+1 < len(text) && text[i+1] == '{'): // no text goes on over a line, and nothing inside of a value stands at a line's begin
			if quoted || depth > 0 {
				if next := nextStart(text, i); next > 0 {
					return next
				}
				quoted = false
			}
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}

// nextStart is the first line from i on that begins with a brace, 0 if there is none.
func nextStart(text []byte, i int) int {
	if n := bytes.Index(text[i:], []byte("\n{")); n >= 0 {
		return i + n + 1
	}
	return 0
}

// transcript gives the place of a transcript line's message, and who has sent it; -1 for what is no such line.
func transcript(src []byte) (at int, from Side) {
	m, ok := jsonwire.Lookup(src, "message")
	if _, protocol := jsonwire.Lookup(src, "protocol"); !ok || protocol || jsonwire.KindOf(m) != jsonwire.Object {
		return -1, Anyone
	}
	switch textOf(src, "direction") {
	case "to_agent":
		return cap(src) - cap(m), Game
	case "to_bridge":
		return cap(src) - cap(m), Agent
	}
	return -1, Anyone
}

func textOf(object []byte, name string) string {
	v, ok := jsonwire.Lookup(object, name)
	if !ok || jsonwire.KindOf(v) != jsonwire.String {
		return ""
	}
	text, _ := jsonwire.AppendUnquoted(nil, v)
	return string(text)
}
