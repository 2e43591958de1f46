package provider

import (
	"slices"

	"aicc.dev/libaicc/core/jsonwire"
)

// value is a JSON value as a tree that is rewritten: members keep their order, numbers their text.
type value struct {
	kind jsonwire.Kind
	raw  string   // a scalar's text
	keys []string // an object's members
	list []*value // their values, or an array's elements

	added []string // of a schema's properties, those that a strict mode has made required: null stands for none
}

// parse reads text that a jsonwire.Scanner has accepted.
func parse(text []byte) *value {
	text = text[jsonwire.SkipSpace(text, 0):]
	v := &value{kind: jsonwire.KindOf(text)}
	switch v.kind {
	case jsonwire.Object:
		for it := jsonwire.ObjectMembers(text); ; {
			name, member, ok := it.Next()
			if !ok {
				return v
			}
			key, _ := jsonwire.AppendUnquoted(nil, name)
			v.keys, v.list = append(v.keys, string(key)), append(v.list, parse(member))
		}
	case jsonwire.Array:
		for it := jsonwire.ArrayElements(text); ; {
			element, ok := it.Next()
			if !ok {
				return v
			}
			v.list = append(v.list, parse(element))
		}
	}
	v.raw = string(text[:jsonwire.Skip(text, 0)])
	return v
}

func (v *value) append(dst []byte) []byte {
	switch v.kind {
	case jsonwire.Object:
		dst = append(dst, '{')
		for i, key := range v.keys {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst, _ = jsonwire.AppendString(dst, key)
			dst = v.list[i].append(append(dst, ':'))
		}
		return append(dst, '}')
	case jsonwire.Array:
		dst = append(dst, '[')
		for i, e := range v.list {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.append(dst)
		}
		return append(dst, ']')
	}
	return append(dst, v.raw...)
}

func (v *value) String() string { return string(v.append(nil)) }

// newObject takes names and *values in turn.
func newObject(members ...any) *value {
	v := &value{kind: jsonwire.Object}
	for i := 0; i < len(members); i += 2 {
		v.set(members[i].(string), members[i+1].(*value))
	}
	return v
}

func newArray(list ...*value) *value { return &value{kind: jsonwire.Array, list: list} }

func newString(s string) *value {
	text, _ := jsonwire.AppendString(nil, s)
	return &value{kind: jsonwire.String, raw: string(text)}
}

func newStrings(list []string) *value {
	v := newArray()
	for _, s := range list {
		v.list = append(v.list, newString(s))
	}
	return v
}

func newNumber(text string) *value { return &value{kind: jsonwire.Number, raw: text} }

func newBool(b bool) *value {
	if b {
		return &value{kind: jsonwire.Bool, raw: "true"}
	}
	return &value{kind: jsonwire.Bool, raw: "false"}
}

// get gives a member, nil when there is none or v is no object.
func (v *value) get(key string) *value {
	if v == nil || v.kind != jsonwire.Object {
		return nil
	}
	if i := slices.Index(v.keys, key); i >= 0 {
		return v.list[i]
	}
	return nil
}

func (v *value) has(key string) bool { return v.get(key) != nil }

func (v *value) set(key string, to *value) {
	if i := slices.Index(v.keys, key); i >= 0 {
		v.list[i] = to
		return
	}
	v.keys, v.list = append(v.keys, key), append(v.list, to)
}

func (v *value) drop(keys ...string) {
	for _, key := range keys {
		if i := slices.Index(v.keys, key); i >= 0 {
			v.keys, v.list = slices.Delete(slices.Clone(v.keys), i, i+1), slices.Delete(slices.Clone(v.list), i, i+1)
		}
	}
}

// copy is v with members of its own; what is below them is shared, and never changed in place.
func (v *value) copy() *value {
	c := *v
	c.keys, c.list = slices.Clone(v.keys), slices.Clone(v.list)
	return &c
}

// text is what a string means, "" of anything else.
func (v *value) text() string {
	if v == nil || v.kind != jsonwire.String {
		return ""
	}
	text, _ := jsonwire.AppendUnquoted(nil, []byte(v.raw))
	return string(text)
}

// texts are the strings of an array.
func (v *value) texts() (list []string) {
	if v == nil || v.kind != jsonwire.Array {
		return nil
	}
	for _, e := range v.list {
		if e.kind == jsonwire.String {
			list = append(list, e.text())
		}
	}
	return list
}

func (v *value) isFalse() bool { return v != nil && v.raw == "false" }
func (v *value) isTrue() bool  { return v != nil && v.raw == "true" }

func equal(a, b *value) bool { return a == b || jsonwire.Equal(a.append(nil), b.append(nil)) }

// set is a set of values. Two whose hashes are the same are the same: nobody gains by making such two.
type set map[[16]byte]bool

func setOf(list []*value) set {
	s := set{}
	for _, v := range list {
		s.add(v)
	}
	return s
}

// add tells whether the value is new.
func (s set) add(v *value) bool {
	key := jsonwire.Hash(v.append(nil))
	if s[key] {
		return false
	}
	s[key] = true
	return true
}

func (s set) has(v *value) bool { return s[jsonwire.Hash(v.append(nil))] }

// distinct leaves the first of those that are equal.
func distinct(list []*value) (out []*value) {
	s := set{}
	for _, v := range list {
		if s.add(v) {
			out = append(out, v)
		}
	}
	return out
}

// types are a schema's types; none where it does not say.
func types(s *value) []string {
	t := s.get("type")
	if t != nil && t.kind == jsonwire.String {
		return []string{t.text()}
	}
	return t.texts()
}

func setTypes(s *value, names []string) {
	switch len(names) {
	case 0:
		s.drop("type")
	case 1:
		s.set("type", newString(names[0]))
	default:
		s.set("type", newStrings(names))
	}
}

func pointer(at string, keys ...string) string {
	b := []byte(at)
	for _, key := range keys {
		b = jsonwire.AppendPointerToken(b, key)
	}
	return string(b)
}

// holds says what the value of a keyword is made of: a schema, a list of schemas, or an object of schemas.
var holds = map[string]byte{
	"items": 's', "additionalItems": 's', "additionalProperties": 's', "propertyNames": 's', "contains": 's', "not": 's', "if": 's', "then": 's', "else": 's',
	"unevaluatedItems": 's', "unevaluatedProperties": 's', "contentSchema": 's',
	"allOf": 'l', "anyOf": 'l', "oneOf": 'l', "prefixItems": 'l',
	"properties": 'o', "patternProperties": 'o', "dependentSchemas": 'o', "$defs": 'o', "definitions": 'o',
}

// below gives a schema with each schema right below it changed.
func below(s *value, at string, change func(one *value, at string) *value) *value {
	if s.kind != jsonwire.Object {
		return s
	}
	out := s.copy()
	for i, key := range s.keys {
		v, at := s.list[i], pointer(at, key)
		switch kind := holds[key]; {
		case kind == 's':
			out.list[i] = change(v, at)
		case kind == 'l' && v.kind == jsonwire.Array, kind == 'o' && v.kind == jsonwire.Object:
			inner := v.copy()
			for j := range inner.list {
				name := string(jsonwire.AppendInt(nil, int64(j)))
				if kind == 'o' {
					name = v.keys[j]
				}
				inner.list[j] = change(v.list[j], pointer(at, name))
			}
			out.list[i] = inner
		}
	}
	return out
}
