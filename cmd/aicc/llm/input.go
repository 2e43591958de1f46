package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/schema"
)

// object makes a JSON object of what a model has written for arguments. note says what had to be done for it. What is unclear is refused: nothing
// is guessed that would be run.
func object(text string) (obj []byte, note string, err error) {
	b := bytes.TrimSpace([]byte(text))
	for range 3 { // a string in a string in a string
		if len(b) == 0 || string(b) == "null" {
			return []byte("{}"), note, nil
		}
		jsonwire.MendSurrogates(b)
		kind, bad := check(b)
		switch {
		case bad == nil && kind == jsonwire.Object:
			return b, note, nil
		case bad == nil && kind == jsonwire.String:
			b, _ = jsonwire.AppendUnquoted(nil, b)
			b = bytes.TrimSpace(b)
			note = "the arguments were a string, and not an object"
		case bad == nil:
			return nil, "", fmt.Errorf("the arguments are %s %s, a JSON object was wanted", article(kind), kind)
		default:
			inner, why, ok := within(b)
			if !ok {
				return nil, "", fmt.Errorf("the arguments are not JSON: %w", bad)
			}
			b, note = inner, why
		}
	}
	return nil, "", errors.New("the arguments are not a JSON object")
}

func article(k jsonwire.Kind) string {
	if k == jsonwire.Array {
		return "an"
	}
	return "a"
}

func check(b []byte) (jsonwire.Kind, error) {
	var s jsonwire.Scanner
	info, bad := s.Check(b)
	if bad != nil {
		return 0, bad
	}
	return info.Kind, nil
}

// within finds the one object in a text that has more than that: in a block of code, or with words around it.
func within(b []byte) (inner []byte, why string, ok bool) {
	at := bytes.IndexByte(b, '{')
	if at < 0 {
		return nil, "", false
	}
	d := json.NewDecoder(bytes.NewReader(b[at:]))
	var raw json.RawMessage
	if d.Decode(&raw) != nil {
		return nil, "", false
	}
	before, after := b[:at], bytes.TrimSpace(b[at+int(d.InputOffset()):])
	if bytes.ContainsAny(before, "[{\"") {
		return nil, "", false
	}
	if rest := bytes.TrimSpace(after); len(rest) > 0 && rest[0] == '{' { // twice, or an empty one first: known habits. Two that differ are not for us to choose from
		kind, bad := check(rest)
		switch {
		case bad == nil && kind == jsonwire.Object && jsonwire.Equal(raw, rest):
			return raw, "the arguments came twice", true
		case bad == nil && kind == jsonwire.Object && jsonwire.Equal(raw, []byte("{}")):
			return rest, "an empty object stood before the arguments", true
		}
		return nil, "", false
	}
	if bytes.ContainsAny(after, "{") {
		return nil, "", false
	}
	why = "there was text around the arguments"
	if bytes.HasPrefix(b, []byte("```")) {
		why = "the arguments stood in a block of code"
	}
	return raw, why, true
}

// mend makes an input fit its schema where only slips of encoding stand in the way, as a bridge does for tools that are not strict: 3 as "3", an
// object in a string, null for what may be absent. The second is where.
func (t *tool) mend(input []byte) ([]byte, []string) {
	if t.exact == nil || t.loose == nil {
		return input, nil
	}
	var exact, loose schema.Checker
	if t.exact.Check(&exact, input) || !t.loose.Check(&loose, input) || len(loose.Repaired) == 0 {
		return input, nil
	}
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return input, nil
	}
	for _, pointer := range loose.Repaired {
		if v = repairAt(v, strings.Split(pointer, "/")[1:]); v == nil {
			return input, nil
		}
	}
	mended, err := marshal(v)
	if _, bad := check(mended); err != nil || bad != nil || !t.exact.Check(&exact, mended) {
		return input, nil
	}
	return mended, append([]string(nil), loose.Repaired...)
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// repairAt undoes the slip at a pointer. nil: it is not there.
func repairAt(v any, path []string) any {
	if len(path) == 0 {
		return unquote(v)
	}
	key := strings.NewReplacer("~1", "/", "~0", "~").Replace(path[0])
	switch in := v.(type) {
	case map[string]any:
		old, ok := in[key]
		if !ok {
			return nil
		}
		switch repaired := repairAt(old, path[1:]); {
		case repaired != nil:
			in[key] = repaired
		case len(path) == 1: // null for an optional member
			delete(in, key)
		default:
			return nil
		}
	case []any:
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(in) {
			return nil
		}
		if in[i] = repairAt(in[i], path[1:]); in[i] == nil {
			return nil
		}
	default:
		return nil
	}
	return v
}

// unquote takes the value out of a string. nil: it is null.
func unquote(v any) any {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	s = strings.TrimSpace(s)
	if inner, ok := strings.CutPrefix(s, "```"); ok {
		s = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(inner, "json"), "```"))
	}
	d := json.NewDecoder(strings.NewReader(s))
	d.UseNumber()
	var out any
	if d.Decode(&out) != nil {
		return nil
	}
	return out
}
