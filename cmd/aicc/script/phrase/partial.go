package phrase

import (
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// place is one object or array that is open at the end of JSON that has not ended.
type place struct {
	array bool
	key   string // whose value is being written
	seen  map[string]bool
}

// want is what may come next in it.
type want uint8

const (
	wantKey want = iota
	wantColon
	wantValue
	wantComma
)

// partial is where JSON that has not ended stands.
type partial struct {
	stack []place
	want  want
	from  int // where the key or value begins that is being written, the text's end when none is
}

// scanPrefix reads the beginning of an object, as far as it goes and without judging it.
func scanPrefix(text string) partial {
	p := partial{from: len(text)}
	for i := 0; i < len(text); {
		c := text[i]
		var top *place
		if len(p.stack) > 0 {
			top = &p.stack[len(p.stack)-1]
		}
		switch {
		case isSpace(c) || c == '\n':
			i++
			continue
		case c == '{' || c == '[':
			if len(p.stack) >= jsonwire.MaxDepth {
				return p
			}
			p.stack = append(p.stack, place{array: c == '[', seen: map[string]bool{}})
			if p.want = wantKey; c == '[' {
				p.want = wantValue
			}
		case c == '}' || c == ']':
			if top == nil {
				return p
			}
			p.stack = p.stack[:len(p.stack)-1]
			p.want = wantComma
		case c == ',':
			if p.want = wantKey; top != nil && top.array {
				p.want = wantValue
			}
		case c == ':':
			p.want = wantValue
		default:
			end, open := tokenEnd(text, i)
			if open || end == len(text) && c != '"' {
				p.from = i
				return p
			}
			if top != nil && p.want == wantKey && c == '"' {
				if key := text[i:end]; scanned([]byte(key)) {
					top.key = string(jsonwire.Text([]byte(key), new([]byte)))
					top.seen[top.key] = true
				}
				p.want = wantColon
			} else {
				p.want = wantComma
			}
			i = end
			continue
		}
		i++
	}
	return p
}

// tokenEnd is the end of a string, number or word; open: a string that has none.
func tokenEnd(text string, at int) (end int, open bool) {
	if text[at] == '"' {
		for i := at + 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1, false
			}
		}
		return len(text), true
	}
	end = at + 1
	for end < len(text) && !strings.ContainsRune(" \t\r\n{}[],:\"", rune(text[end])) {
		end++
	}
	return end, false
}

// path is the names that lead to the innermost object.
func (p *partial) path() (names []string) {
	for _, one := range p.stack[:max(len(p.stack)-1, 0)] {
		if one.array {
			return []string{""} // inside of an array: no name leads there
		}
		names = append(names, one.key)
	}
	return names
}

func completeJSON(last Word, root []byte) (from int, options []Option) {
	p := scanPrefix(last.Text)
	typed := last.Text[p.from:]
	from = last.At + p.from
	if len(p.stack) == 0 {
		return from, nil
	}
	top := p.stack[len(p.stack)-1]
	at, ok := walk(root, p.path())
	if !ok || top.array {
		return from, nil
	}
	fields := Fields(root, at)
	switch p.want {
	case wantKey:
		for _, f := range fields {
			key, _ := jsonwire.AppendString(nil, f.Name)
			if !top.seen[f.Name] && (strings.HasPrefix(string(key), typed) || strings.HasPrefix(f.Name, typed)) {
				options = append(options, Option{Text: string(key) + ": ", Note: f.note(), Open: true})
			}
		}
		if len(options) == 0 && typed == "" {
			options = append(options, Option{Text: "}"})
		}
	case wantColon:
		options = append(options, Option{Text: ": ", Open: true})
	case wantValue:
		if i := indexOf(fields, top.key); i >= 0 {
			for _, one := range fields[i].suggestions() {
				if strings.HasPrefix(one, typed) || one[0] == '"' && strings.HasPrefix(one[1:], typed) {
					options = append(options, Option{Text: one, Open: true})
				}
			}
			if len(options) == 0 && typed == "" && fields[i].IsObject {
				options = append(options, Option{Text: "{", Open: true})
			} else if len(options) == 0 && typed == "" && fields[i].IsText {
				options = append(options, Option{Text: `"`, Open: true})
			}
		}
	case wantComma:
		missing := false
		for _, f := range fields {
			missing = missing || f.Required && !top.seen[f.Name]
		}
		comma, end := Option{Text: ", ", Open: true}, Option{Text: "}", Open: len(p.stack) > 1}
		switch {
		case missing:
			options = append(options, comma)
		case len(top.seen) >= len(fields):
			options = append(options, end)
		default:
			options = append(options, end, comma)
		}
	}
	return from, options
}
