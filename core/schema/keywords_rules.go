package schema

import (
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// Keywords that need more than one line to read.

func (k *keywords) types(at location) *CompileError {
	switch jsonwire.KindOf(at.raw) {
	case jsonwire.String:
		bits, err := typeBits(at)
		k.n.allow &= bits
		return err
	case jsonwire.Array:
		var all types
		seen := map[string]bool{}
		e := jsonwire.ArrayElements(at.raw)
		for i := 0; ; i++ {
			raw, ok := e.Next()
			if !ok {
				break
			}
			here := at.item(raw, e.Offset(), i)
			if jsonwire.KindOf(raw) != jsonwire.String {
				return fail(here, "type", "type must list strings, not %s", kindName(raw))
			}
			bits, err := typeBits(here)
			if err != nil {
				return err
			}
			if seen[text(raw)] {
				return fail(here, "type", "type lists %s twice", raw)
			}
			seen[text(raw)] = true
			all |= bits
		}
		if all == 0 {
			return fail(at, "type", "type must not be empty")
		}
		k.n.allow &= all
		return nil
	}
	return wrong("type", at, "a string or an array of strings")
}

func typeBits(at location) (types, *CompileError) {
	name := text(at.raw)
	for _, t := range typeNames {
		if t.name == name {
			return t.bits, nil
		}
	}
	known := make([]string, len(typeNames))
	for i, t := range typeNames {
		known[i] = t.name
	}
	near, hint := elsewhere[strings.ToLower(name)], ""
	if near == "" {
		near = nearest(name, known)
	}
	if near != "" {
		hint = " (did you mean " + quote(near) + "?)"
	}
	return 0, fail(at, "type", "unknown type %s%s", snippet(at.raw), hint)
}

// elsewhere is what other languages call the types.
var elsewhere = map[string]string{
	"int": "integer", "long": "integer", "float": "number", "double": "number", "bool": "boolean", "str": "string", "text": "string",
	"list": "array", "tuple": "array", "dict": "object", "map": "object", "none": "null", "nil": "null",
}

func (k *keywords) literals(word string, at location) *CompileError {
	l := &literals{keyword: word}
	if word == "const" {
		l.add(at.raw)
		k.n.konst = l
		return nil
	}
	if jsonwire.KindOf(at.raw) != jsonwire.Array {
		return wrong(word, at, "an array")
	}
	e := jsonwire.ArrayElements(at.raw)
	for {
		raw, ok := e.Next()
		if !ok {
			break
		}
		l.add(raw)
	}
	if len(l.raw) == 0 {
		return fail(at, word, "enum must not be empty: nothing could fit")
	}
	if len(l.texts) >= manyNames {
		l.set = make(map[string]struct{}, len(l.texts))
		for _, t := range l.texts {
			l.set[t] = struct{}{}
		}
	}
	if len(l.raw)-len(l.texts) >= manyNames {
		l.hashes = make(map[[16]byte]int)
		for i, raw := range l.raw {
			l.hashes[jsonwire.Hash(raw)] = i
		}
	}
	k.n.enum = l
	return nil
}

func (l *literals) add(raw []byte) {
	raw = jsonwire.AppendCompact(nil, raw)
	l.raw = append(l.raw, raw)
	switch jsonwire.KindOf(raw) {
	case jsonwire.String:
		l.texts = append(l.texts, text(raw))
		l.kinds |= tString
	case jsonwire.Null:
		l.kinds |= tNull
	case jsonwire.Bool:
		l.kinds |= tBool
	case jsonwire.Number:
		l.kinds |= tNumber
	case jsonwire.Array:
		l.kinds |= tArray
	case jsonwire.Object:
		l.kinds |= tObject
	}
}

func (k *keywords) pattern(word string, at location, raw []byte) (*pattern, *CompileError) {
	if jsonwire.KindOf(raw) != jsonwire.String {
		return nil, wrong(word, at, "a string")
	}
	source := text(raw)
	if len(source) > maxPatternBytes {
		return nil, fail(at, word, "a pattern may have %d bytes, this one has %d", maxPatternBytes, len(source))
	}
	p, err := newPattern(source, &k.c.regexes)
	if err != nil {
		return nil, fail(at, word, "pattern %s cannot be used here: %s", snippet(raw), err)
	}
	return p, nil
}

func (k *keywords) format(at location) *CompileError {
	name, err := k.string("format", at)
	if err != nil {
		return err
	}
	if f := formats[name]; f != nil && !k.c.annotate {
		k.str().format, k.str().formatName = f, name
	}
	return nil
}

func (k *keywords) propertiesOf(at location) *CompileError {
	list, err := k.named("properties", at)
	if err != nil {
		return err
	}
	k.properties = true
	o := k.obj()
	for _, one := range list {
		o.props = append(o.props, property{name: one.name, node: one.node})
	}
	return nil
}

func (k *keywords) patternProperties(at location) *CompileError {
	list, err := k.named("patternProperties", at)
	if err != nil {
		return err
	}
	for _, one := range list {
		here := *one.node.where
		p, err := k.pattern("patternProperties", here, []byte(quote(one.name)))
		if err != nil {
			return err
		}
		k.obj().patterns = append(k.obj().patterns, patternProperty{p, one.node})
	}
	return nil
}

func (k *keywords) items(at location) (err *CompileError) {
	if jsonwire.KindOf(at.raw) != jsonwire.Array {
		k.arr().items, err = k.c.schema(at, k.res)
		k.arr().itemsName = "items"
		return err
	}
	if !k.res.draft7 {
		return fail(at, "items", "items must be a schema; a list of schemas is prefixItems in 2020-12")
	}
	k.itemsList = true
	if first := jsonwire.SkipSpace(at.raw, 1); at.raw[first] == ']' {
		return nil // draft-07 allows a list of none
	}
	k.arr().prefix, err = k.schemas("items", at)
	return err
}

// dependencies is draft-07's; 2020-12 schemas still have it.
func (k *keywords) dependencies(at location) *CompileError {
	if jsonwire.KindOf(at.raw) != jsonwire.Object {
		return wrong("dependencies", at, "an object")
	}
	m := jsonwire.ObjectMembers(at.raw)
	for {
		key, raw, ok := m.Next()
		if !ok {
			return nil
		}
		here := at.child(raw, m.ValueOffset(), text(key))
		if jsonwire.KindOf(raw) == jsonwire.Array {
			if err := k.needs("dependencies", text(key), here); err != nil {
				return err
			}
			continue
		}
		n, err := k.c.schema(here, k.res)
		if err != nil {
			return err
		}
		k.place().whenHas = append(k.place().whenHas, dependent{text(key), n})
	}
}

func (k *keywords) needs(word, name string, at location) *CompileError {
	list, err := k.names(word, at)
	if err == nil && len(list) > 0 {
		k.obj().needs = append(k.obj().needs, dependentNames{word, name, list})
	}
	return err
}

func (k *keywords) dependentRequired(at location) *CompileError {
	if jsonwire.KindOf(at.raw) != jsonwire.Object {
		return wrong("dependentRequired", at, "an object of arrays of names")
	}
	m := jsonwire.ObjectMembers(at.raw)
	for {
		key, raw, ok := m.Next()
		if !ok {
			return nil
		}
		if err := k.needs("dependentRequired", text(key), at.child(raw, m.ValueOffset(), text(key))); err != nil {
			return err
		}
	}
}

func (k *keywords) dependentSchemas(at location) *CompileError {
	list, err := k.named("dependentSchemas", at)
	if err != nil {
		return err
	}
	for _, one := range list {
		k.place().whenHas = append(k.place().whenHas, dependent(one))
	}
	return nil
}

func (k *keywords) reference(word string, at location, dynamic bool) *CompileError {
	ref, err := k.string(word, at)
	if err != nil {
		return err
	}
	k.place()
	k.c.pending = append(k.c.pending, pendingRef{k.n, at, ref, dynamic})
	return nil
}
