package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

// twin validates the plain way: decoded values, maps, big rationals, each keyword as the specification
// words it, nothing compiled. It speaks 2020-12 with references inside the document.
type twin struct {
	root  any
	steps int // left before it gives up
}

// found is what a schema says of a value: whether it fits, and which parts it has evaluated.
type found struct {
	ok    bool
	names map[string]bool
	items map[int]bool
}

func (f *found) merge(other found) {
	for k := range other.names {
		f.name(k)
	}
	for i := range other.items {
		f.item(i)
	}
}

func (f *found) name(k string) {
	if f.names == nil {
		f.names = map[string]bool{}
	}
	f.names[k] = true
}

func (f *found) item(i int) {
	if f.items == nil {
		f.items = map[int]bool{}
	}
	f.items[i] = true
}

func decode(text []byte) any {
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

func rat(v any) *big.Rat {
	n, ok := v.(json.Number)
	if !ok {
		return nil
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return nil
	}
	return r
}

func same(a, b any) bool {
	if x, y := rat(a), rat(b); x != nil || y != nil {
		return x != nil && y != nil && x.Cmp(y) == 0
	}
	switch x := a.(type) {
	case []any:
		y, ok := b.([]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for i := range x {
			if !same(x[i], y[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok || len(x) != len(y) {
			return false
		}
		for k := range x {
			if other, has := y[k]; !has || !same(x[k], other) {
				return false
			}
		}
		return true
	}
	return reflect.DeepEqual(a, b)
}

var regexes sync.Map

func regex(p string) *regexp.Regexp {
	if re, ok := regexes.Load(p); ok {
		return re.(*regexp.Regexp)
	}
	re := regexp.MustCompile(p)
	regexes.Store(p, re)
	return re
}

func isType(v any, name string) bool {
	switch x := v.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case json.Number:
		return name == "number" || name == "integer" && rat(x).IsInt()
	case string:
		return name == "string"
	case []any:
		return name == "array"
	}
	return name == "object"
}

func (w *twin) fits(schema, v any) bool { return w.look(schema, v).ok }

func (w *twin) look(schema, v any) (f found) {
	if w.steps--; w.steps < 0 {
		panic(errTwinTired)
	}
	if b, ok := schema.(bool); ok {
		return found{ok: b}
	}
	s := schema.(map[string]any)
	f.ok = w.values(s, v)
	if str, ok := v.(string); ok {
		f.ok = w.text(s, str) && f.ok
	}
	if r := rat(v); r != nil {
		f.ok = w.number(s, r) && f.ok
	}
	w.inPlace(s, v, &f)
	if list, ok := v.([]any); ok {
		w.array(s, list, &f)
	}
	if o, ok := v.(map[string]any); ok {
		w.object(s, o, &f)
	}
	if !f.ok {
		f.names, f.items = nil, nil
	}
	return f
}

var errTwinTired = fmt.Errorf("the twin gave up")

func (w *twin) values(s map[string]any, v any) bool {
	ok := true
	switch t := s["type"].(type) {
	case string:
		ok = isType(v, t)
	case []any:
		ok = false
		for _, one := range t {
			ok = ok || isType(v, one.(string))
		}
	}
	if list, has := s["enum"].([]any); has {
		in := false
		for _, one := range list {
			in = in || same(one, v)
		}
		ok = ok && in
	}
	if c, has := s["const"]; has {
		ok = ok && same(c, v)
	}
	return ok
}

func (w *twin) text(s map[string]any, v string) bool {
	n := big.NewRat(int64(utf8.RuneCountInString(v)), 1)
	if least := rat(s["minLength"]); least != nil && n.Cmp(least) < 0 {
		return false
	}
	if most := rat(s["maxLength"]); most != nil && n.Cmp(most) > 0 {
		return false
	}
	if p, ok := s["pattern"].(string); ok && !regex(p).MatchString(v) {
		return false
	}
	return true
}

func (w *twin) number(s map[string]any, v *big.Rat) bool {
	for key, bad := range map[string]func(int) bool{
		"minimum": func(c int) bool { return c < 0 }, "maximum": func(c int) bool { return c > 0 },
		"exclusiveMinimum": func(c int) bool { return c <= 0 }, "exclusiveMaximum": func(c int) bool { return c >= 0 },
	} {
		if b := rat(s[key]); b != nil && bad(v.Cmp(b)) {
			return false
		}
	}
	if step := rat(s["multipleOf"]); step != nil && !new(big.Rat).Quo(v, step).IsInt() {
		return false
	}
	return true
}

func (w *twin) inPlace(s map[string]any, v any, f *found) {
	all := func(one any) {
		g := w.look(one, v)
		f.ok = f.ok && g.ok
		f.merge(g)
	}
	if ref, ok := s["$ref"].(string); ok {
		at := w.root
		for _, token := range strings.Split(strings.TrimPrefix(ref, "#"), "/")[1:] {
			at = at.(map[string]any)[token]
		}
		all(at)
	}
	if list, ok := s["allOf"].([]any); ok {
		for _, one := range list {
			all(one)
		}
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		list, ok := s[key].([]any)
		if !ok {
			continue
		}
		hits := 0
		for _, one := range list {
			if g := w.look(one, v); g.ok {
				hits++
				f.merge(g)
			}
		}
		f.ok = f.ok && hits > 0 && (key == "anyOf" || hits == 1)
	}
	if one, ok := s["not"]; ok && w.fits(one, v) {
		f.ok = false
	}
	if cond, ok := s["if"]; ok {
		next := "else"
		if g := w.look(cond, v); g.ok {
			next = "then"
			f.merge(g)
		}
		if one, ok := s[next]; ok {
			all(one)
		}
	}
	if deps, ok := s["dependentSchemas"].(map[string]any); ok {
		for name, one := range deps {
			if o, isObject := v.(map[string]any); isObject {
				if _, has := o[name]; has {
					all(one)
				}
			}
		}
	}
}

func bounded(s map[string]any, n int, least, most string) bool {
	if b := rat(s[least]); b != nil && big.NewRat(int64(n), 1).Cmp(b) < 0 {
		return false
	}
	if b := rat(s[most]); b != nil && big.NewRat(int64(n), 1).Cmp(b) > 0 {
		return false
	}
	return true
}

func (w *twin) array(s map[string]any, list []any, f *found) {
	f.ok = bounded(s, len(list), "minItems", "maxItems") && f.ok
	prefix, _ := s["prefixItems"].([]any)
	for i, item := range list {
		switch rest, has := s["items"]; {
		case i < len(prefix):
			f.ok = w.fits(prefix[i], item) && f.ok
			f.item(i)
		case has:
			f.ok = w.fits(rest, item) && f.ok
			f.item(i)
		}
	}
	if one, ok := s["contains"]; ok {
		hits := 0
		for i, item := range list {
			if w.fits(one, item) {
				hits++
				f.item(i)
			}
		}
		least, most := rat(s["minContains"]), rat(s["maxContains"])
		if least == nil {
			least = big.NewRat(1, 1)
		}
		n := big.NewRat(int64(hits), 1)
		f.ok = f.ok && n.Cmp(least) >= 0 && (most == nil || n.Cmp(most) <= 0)
	}
	if s["uniqueItems"] == true {
		for i := range list {
			for k := range i {
				f.ok = f.ok && !same(list[i], list[k])
			}
		}
	}
	if one, ok := s["unevaluatedItems"]; ok {
		for i, item := range list {
			if !f.items[i] {
				f.ok = w.fits(one, item) && f.ok
				f.item(i)
			}
		}
	}
}

func (w *twin) object(s map[string]any, o map[string]any, f *found) {
	f.ok = bounded(s, len(o), "minProperties", "maxProperties") && f.ok
	need := func(list any) {
		names, _ := list.([]any)
		for _, one := range names {
			_, has := o[one.(string)]
			f.ok = f.ok && has
		}
	}
	need(s["required"])
	if deps, ok := s["dependentRequired"].(map[string]any); ok {
		for name, list := range deps {
			if _, has := o[name]; has {
				need(list)
			}
		}
	}
	props, _ := s["properties"].(map[string]any)
	patterns, _ := s["patternProperties"].(map[string]any)
	for name, v := range o {
		known := false
		if one, ok := props[name]; ok {
			known = true
			f.ok = w.fits(one, v) && f.ok
		}
		for p, one := range patterns {
			if regex(p).MatchString(name) {
				known = true
				f.ok = w.fits(one, v) && f.ok
			}
		}
		if one, ok := s["additionalProperties"]; ok && !known {
			known = true
			f.ok = w.fits(one, v) && f.ok
		}
		if one, ok := s["propertyNames"]; ok {
			f.ok = w.fits(one, name) && f.ok
		}
		if known {
			f.name(name)
		}
	}
	if one, ok := s["unevaluatedProperties"]; ok {
		for name, v := range o {
			if !f.names[name] {
				f.ok = w.fits(one, v) && f.ok
				f.name(name)
			}
		}
	}
}
