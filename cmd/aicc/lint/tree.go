package lint

import (
	"strconv"

	"aicc.dev/libaicc/core/jsonwire"
)

// tree is a JSON value with its place in the file.
type tree struct {
	kind  jsonwire.Kind
	at    int // of the value
	raw   []byte
	names []string // an object's members
	named []int    // where their names stand
	list  []*tree  // their values, or an array's elements
}

func grow(text []byte, at int) *tree {
	at = jsonwire.SkipSpace(text, at)
	t := &tree{kind: jsonwire.KindOf(text[at:]), at: at, raw: text[at:jsonwire.Skip(text, at)]}
	switch t.kind {
	case jsonwire.Object:
		for it := jsonwire.ObjectMembers(t.raw); ; {
			name, _, ok := it.Next()
			if !ok {
				return t
			}
			key, _ := jsonwire.AppendUnquoted(nil, name)
			t.names, t.named, t.list = append(t.names, string(key)), append(t.named, at+it.Offset()), append(t.list, grow(text, at+it.ValueOffset()))
		}
	case jsonwire.Array:
		for it := jsonwire.ArrayElements(t.raw); ; {
			if _, ok := it.Next(); !ok {
				return t
			}
			t.list = append(t.list, grow(text, at+it.Offset()))
		}
	}
	return t
}

// get gives a member; nil when there is none. All methods take a nil tree.
func (t *tree) get(name string) *tree {
	if t != nil && t.kind == jsonwire.Object {
		for i := range t.names {
			if t.names[i] == name {
				return t.list[i]
			}
		}
	}
	return nil
}

func (t *tree) has(names ...string) bool {
	for _, name := range names {
		if t.get(name) != nil {
			return true
		}
	}
	return false
}

// find follows the tokens of a JSON Pointer.
func (t *tree) find(tokens []string) *tree {
	for _, token := range tokens {
		if t != nil && t.kind == jsonwire.Array {
			n, err := strconv.Atoi(token)
			if err != nil || n < 0 || n >= len(t.list) {
				return nil
			}
			t = t.list[n]
			continue
		}
		t = t.get(token)
	}
	return t
}

func (t *tree) text() string {
	if t == nil || t.kind != jsonwire.String {
		return ""
	}
	s, _ := jsonwire.AppendUnquoted(nil, t.raw)
	return string(s)
}

func (t *tree) texts() (list []string) {
	if t != nil && t.kind == jsonwire.Array {
		for _, e := range t.list {
			if e.kind == jsonwire.String {
				list = append(list, e.text())
			}
		}
	}
	return list
}

func (t *tree) isObject() bool { return t != nil && t.kind == jsonwire.Object }
func (t *tree) isTrue() bool   { return t != nil && string(t.raw) == "true" }
func (t *tree) isFalse() bool  { return t != nil && string(t.raw) == "false" }

func (t *tree) number() (f float64, ok bool) {
	if t == nil || t.kind != jsonwire.Number {
		return 0, false
	}
	f, err := jsonwire.ToFloat64(t.raw)
	return f, err == nil
}

// elements are an array's, none of anything else.
func (t *tree) elements() []*tree {
	if t == nil || t.kind != jsonwire.Array {
		return nil
	}
	return t.list
}
