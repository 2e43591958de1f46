package phrase

import (
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// variable reads a word that is $path and nothing else.
func variable(raw string) (path string, ok bool) {
	if len(raw) < 2 || raw[0] != '$' {
		return "", false
	}
	n := pathLen(raw[1:])
	return raw[1:], n > 0 && n == len(raw)-1
}

// pathLen is how much of the text's beginning is a path: a name, then .name and .number.
func pathLen(text string) (n int) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '-' && i > 0 || '0' <= c && c <= '9' && i > 0 || c >= 0x80:
			n = i + 1
		case c == '.' && i > 0 && n == i: // belongs to it if a name follows
		default:
			return n
		}
	}
	return n
}

// Path takes the path apart that a text is, false when it is none.
func Path(text string) (parts []string, ok bool) {
	if n := pathLen(text); n == 0 || n != len(text) {
		return nil, false
	}
	return strings.Split(text, "."), true
}

func find(variables Lookup, path string, at int) ([]byte, error) {
	text, err := variables(path)
	if err != nil {
		return nil, wrong(at, "$%s: %s", cut(path), err)
	}
	return text, nil
}

// fill is JSON with its variables: $path where a value may stand, ${path} in strings.
func fill(raw string, at int, variables Lookup) ([]byte, error) {
	var out []byte
	for i := 0; i < len(raw); {
		switch c := raw[i]; {
		case c == '"':
			end, fault := valueEnd(raw, i)
			if fault != nil {
				return nil, wrong(at+fault.At, "%s", fault.Msg)
			}
			text := raw[i:end]
			if strings.Contains(text, "${") {
				if err := check([]byte(text), at+i); err != nil {
					return nil, err
				}
				filled, err := interpolate(string(jsonwire.Text([]byte(text), new([]byte))), at+i, variables)
				if err != nil {
					return nil, err
				}
				out, _ = jsonwire.AppendString(out, filled)
			} else {
				out = append(out, text...)
			}
			i = end
		case c == '$':
			n := pathLen(raw[i+1:])
			if n == 0 {
				return nil, wrong(at+i, "the name of a variable is wanted behind $")
			}
			value, err := find(variables, raw[i+1:i+1+n], at+i)
			if err != nil {
				return nil, err
			}
			out = append(out, value...)
			i += 1 + n
		default:
			out = append(out, c)
			i++
		}
	}
	return out, nil
}

// interpolate is text with its ${path}; a string goes in as its text, anything else as JSON. $${ is ${.
func interpolate(text string, at int, variables Lookup) (string, error) {
	var b strings.Builder
	for {
		i := strings.Index(text, "${")
		if i < 0 {
			b.WriteString(text)
			return b.String(), nil
		}
		if i > 0 && text[i-1] == '$' {
			b.WriteString(text[:i] + "{")
			text = text[i+2:]
			continue
		}
		b.WriteString(text[:i])
		path, rest, ok := strings.Cut(text[i+2:], "}")
		if !ok {
			return "", wrong(at, "a } is missing behind ${")
		}
		if n := pathLen(path); n == 0 || n != len(path) {
			return "", wrong(at, "%q is no variable", "${"+cut(path)+"}")
		}
		value, err := find(variables, path, at)
		if err != nil {
			return "", err
		}
		if jsonwire.KindOf(value) == jsonwire.String {
			value = jsonwire.Text(value, new([]byte))
		}
		b.Write(value)
		text = rest
	}
}

// Fill is Value for text that needs no quotes: the rest of a line.
func Fill(text string, at int, variables Lookup) (string, error) {
	return interpolate(text, at, variables)
}
