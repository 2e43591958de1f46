package provider

import (
	"slices"
	"strconv"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// notes are keywords that ask nothing of a value.
var notes = []string{"title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "$comment", "$schema", "$id", "$anchor", "$defs", "definitions", "format"}

// merge makes one schema that takes what both take, ok where that can be said without allOf. Notes are those of the first that has them.
func merge(a, b *value) (m *value, ok bool) {
	switch {
	case a.isFalse() || b.isTrue():
		return a, true
	case b.isFalse() || a.isTrue():
		return b, true
	case a.kind != jsonwire.Object || b.kind != jsonwire.Object || !closedAlike(a, b):
		return nil, false
	}
	m = a.copy()
	dropIdle(m)
	for i, key := range b.keys {
		v := b.list[i]
		old := m.get(key)
		if on := needs[key]; on != "" && !b.has(on) {
			continue
		}
		switch {
		case old == nil:
			m.set(key, v)
		case equal(old, v) || slices.Contains(notes, key) && (key != "format" || old.text() == ""):
		case key == "type":
			if !mergeTypes(m, a, b) {
				return nil, false
			}
		case key == "properties":
			both := old.copy()
			for j, name := range v.keys {
				one := v.list[j]
				if was := old.get(name); was != nil {
					if one, ok = merge(was, one); !ok {
						return nil, false
					}
				}
				both.set(name, one)
			}
			m.set(key, both)
		case key == "required":
			m.set(key, newArray(distinct(slices.Concat(old.list, v.list))...))
		case key == "enum":
			var list []*value
			both := setOf(v.list)
			for _, e := range old.list {
				if both.has(e) {
					list = append(list, e)
				}
			}
			if len(list) == 0 {
				return nil, false
			}
			m.set(key, newArray(list...))
		case key == "items" || key == "additionalProperties" || key == "propertyNames":
			one, ok := merge(old, v)
			if !ok {
				return nil, false
			}
			m.set(key, one)
		case strings.HasPrefix(key, "min") || key == "exclusiveMinimum":
			if jsonwire.CompareNumbers([]byte(v.raw), []byte(old.raw)) > 0 {
				m.set(key, v)
			}
		case strings.HasPrefix(key, "max") || key == "exclusiveMaximum":
			if jsonwire.CompareNumbers([]byte(v.raw), []byte(old.raw)) < 0 {
				m.set(key, v)
			}
		default:
			return nil, false
		}
	}
	return m, true
}

// needs are keywords that mean nothing without another one.
var needs = map[string]string{"then": "if", "else": "if", "minContains": "contains", "maxContains": "contains"}

func dropIdle(s *value) {
	for key, on := range needs {
		if !s.has(on) {
			s.drop(key)
		}
	}
}

func mergeTypes(m, a, b *value) bool {
	ta, tb := types(a), types(b)
	var both []string
	for _, t := range ta {
		if slices.Contains(tb, t) || t == "integer" && slices.Contains(tb, "number") {
			both = append(both, t)
		} else if t == "number" && slices.Contains(tb, "integer") {
			both = append(both, "integer")
		}
	}
	setTypes(m, both)
	return len(both) > 0
}

// closedAlike tells whether what one schema says of members that it does not list is said of none that the other lists, since additionalProperties and
// its like look at their own schema alone.
func closedAlike(a, b *value) bool {
	for _, pair := range [][2]*value{{a, b}, {b, a}} {
		one, other := pair[0], pair[1]
		if one.has("unevaluatedProperties") || one.has("unevaluatedItems") || one.has("items") && other.has("prefixItems") || one.has("contains") && other.has("contains") {
			return false
		}
		if ap := one.get("additionalProperties"); ap == nil || ap.isTrue() {
			continue
		}
		if other.has("patternProperties") {
			return false
		}
		if p := other.get("properties"); p != nil {
			for _, name := range p.keys {
				if !one.get("properties").has(name) {
					return false
				}
			}
		}
	}
	return true
}

// follow gives what a $ref points to, nil where it cannot be found.
func (a *adapter) follow(ref string) *value {
	fragment, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	if fragment == "" {
		return a.doc
	}
	if fragment[0] != '/' {
		return anchored(a.doc, fragment)
	}
	at := a.doc
	for _, token := range strings.Split(unescapePercent(fragment[1:]), "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		if at != nil && at.kind == jsonwire.Array {
			n, err := strconv.Atoi(token)
			if err != nil || n < 0 || n >= len(at.list) {
				return nil
			}
			at = at.list[n]
			continue
		}
		at = at.get(token)
	}
	return at
}

func anchored(s *value, name string) (found *value) {
	if s.get("$anchor").text() == name {
		return s
	}
	below(s, "", func(one *value, _ string) *value {
		if found == nil {
			found = anchored(one, name)
		}
		return one
	})
	return found
}

func unescapePercent(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b []byte
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+3], 16, 8); err == nil {
				b, i = append(b, byte(n)), i+2
				continue
			}
		}
		b = append(b, s[i])
	}
	return string(b)
}
