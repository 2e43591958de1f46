package provider

import (
	"fmt"
	"slices"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/schema"
)

// Bounds on what a schema may grow to where references are written out.
const (
	mostNodes  = 4096
	mostTokens = 40 // of the pointer to a schema, which is how deep it lies
	mostHops   = 64 // from one reference right to the next
)

// input makes the schema of a tool's input.
func (a *adapter) input(text []byte) *value {
	a.doc = a.read(text, inputAt, schema.Input)
	if a.format == MCP {
		root := objectRoot(a.doc)
		if a.tool.StrictInput {
			root = closed(root)
		}
		return root
	}
	root := a.root()
	switch {
	case a.format == Gemini:
		a.unroll = 2 // a tree has two levels there
		return newFitter(a, &gemini).root(root)
	case a.options.Strict:
		target := &openaiStrict
		if a.format == Anthropic {
			target = &anthropicStrict
		}
		if strict := newFitter(a, target).root(root); strict != nil {
			a.strict = true
			return a.rename(strict)
		}
	}
	if a.tool.StrictInput {
		root = closed(root)
	}
	return a.rename(a.tidy(root))
}

// output makes the schema of a tool's output, for MCP.
func (a *adapter) output(text []byte) *value {
	return objectRoot(a.read(text, outputAt, schema.Output))
}

// objectRoot says "type":"object" first, as MCP wants it: on the wire of aicc/0.1 inputs and outputs are objects whatever else their schema takes.
func objectRoot(s *value) *value {
	root := newObject("type", newString("object"))
	for i, key := range s.keys {
		if key != "type" {
			root.set(key, s.list[i])
		}
	}
	return root
}

// closed adds additionalProperties: false where strict_input means it (DESIGN 5.8) and the schema can say so by itself.
func closed(s *value) *value {
	out := below(s, "", func(one *value, _ string) *value { return closed(one) })
	for _, key := range []string{"allOf", "anyOf", "oneOf", "if", "$ref", "dependentSchemas", "additionalProperties", "unevaluatedProperties"} {
		if s.has(key) {
			return out
		}
	}
	if s.has("properties") {
		out.set("additionalProperties", newBool(false))
	}
	return out
}

// settle writes the $ref at a schema out and folds its allOf in, as far as that can be said. met are the references on the way here.
func (a *adapter) settle(s *value, met []string) (out *value, refs []string, loop bool) {
	for hops := 0; s.has("$ref") && hops < mostHops; hops++ {
		ref := s.get("$ref").text()
		if seen := count(met, ref); seen > 0 && seen >= a.unroll {
			return s, met, true
		}
		target := a.follow(ref)
		if target == nil {
			return s, met, false
		}
		met = append(slices.Clone(met), ref)
		target = unnamed(target)
		rest := s.copy()
		rest.drop("$ref")
		if len(rest.keys) == 0 {
			s = target
		} else if m, ok := merge(rest, target); ok {
			s = m
		} else {
			rest.set("allOf", newArray(append([]*value{target}, listOf(rest, "allOf")...)...))
			s = rest
		}
	}
	if s.has("allOf") {
		base := s.copy()
		base.drop("allOf")
		var left []*value
		for _, one := range s.get("allOf").list {
			one, refs, again := a.settle(one, met)
			met = refs
			if again {
				return s, met, true
			}
			if m, ok := merge(base, one); ok {
				base = m
			} else {
				left = append(left, one)
			}
		}
		if base.kind == jsonwire.Object && len(left) > 0 {
			base = base.copy()
			base.set("allOf", newArray(left...))
		}
		s = base
	}
	return s, met, false
}

func count(list []string, one string) (n int) {
	for _, s := range list {
		if s == one {
			n++
		}
	}
	return n
}

// unnamed is a schema without its anchor: written out in another place, it would be there twice.
func unnamed(s *value) *value {
	if s.has("$anchor") {
		s = s.copy()
		s.drop("$anchor")
	}
	return s
}

func listOf(s *value, key string) []*value {
	if v := s.get(key); v != nil {
		return v.list
	}
	return nil
}

// root makes the schema an object at its root, without what OpenAI ("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the
// top level") and Anthropic ("input_schema does not support oneOf, allOf, or anyOf at the top level") refuse there. Gemini wants an object as well.
func (a *adapter) root() *value {
	s, _, _ := a.settle(a.doc, nil)
	if s.kind != jsonwire.Object {
		s = newObject()
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if s.has(key) {
			s = a.flatten(s, key)
		}
	}
	s = objectRoot(s)
	for _, key := range []string{"allOf", "anyOf", "oneOf", "not", "enum", "const", "$ref"} {
		if v := s.get(key); v != nil {
			s.drop(key)
			text, told := words(key, v)
			if told {
				a.told = append(a.told, "The input is "+text+".")
			}
			a.lose(inputAt+"/"+key, key, told, "%s has no place at the root of an input there", key)
		}
	}
	if !s.has("properties") {
		s.set("properties", newObject())
		a.unlisted = !s.get("additionalProperties").isFalse()
	}
	return s
}

// flatten makes one object of a union of objects: its members are those of all, required what all require, and the description says what goes together.
func (a *adapter) flatten(s *value, key string) *value {
	base := s.copy()
	base.drop(key)
	var branches []branch
	for i, one := range s.get(key).list {
		one, _, loop := a.settle(one, nil)
		m, ok := merge(base, one)
		if ok && (m.isFalse() || len(types(m)) > 0 && !slices.Contains(types(m), "object")) {
			continue // no input is
		}
		if !ok && one.kind == jsonwire.Object && len(types(one)) > 0 && !slices.Contains(types(one), "object") {
			continue
		}
		if !ok || loop || m.kind != jsonwire.Object || m.has("anyOf") || m.has("oneOf") || m.has("allOf") || m.has("$ref") {
			return s // it is told whole
		}
		branches = append(branches, branch{i, one, m})
	}
	if len(branches) == 1 {
		return branches[0].merged
	}
	out := base.copy()
	properties, all := newObject(), map[string][]*value{}
	var required []string
	shut := true
	var sets []string
	for n, b := range branches {
		if p := b.merged.get("properties"); p != nil {
			for i, name := range p.keys {
				if all[name] == nil {
					properties.keys, properties.list = append(properties.keys, name), append(properties.list, nil)
				}
				all[name] = append(all[name], p.list[i])
			}
		}
		mine := b.merged.get("required").texts()
		if n == 0 {
			required = mine
		} else {
			required = slices.DeleteFunc(slices.Clone(required), func(name string) bool { return !slices.Contains(mine, name) })
		}
		shut = shut && b.merged.get("additionalProperties").isFalse()
		sets = append(sets, fmt.Sprintf("(%d) %s", n+1, b.words(base)))
	}
	for i, name := range properties.keys {
		properties.list[i] = either(all[name])
	}
	out.drop("properties", "required", "additionalProperties")
	out.set("properties", properties)
	if len(required) > 0 {
		out.set("required", newStrings(required))
	}
	if shut && len(branches) > 0 {
		out.set("additionalProperties", newBool(false))
	}
	text := "Give the members of exactly one of these: "
	if key == "anyOf" {
		text = "Give the members of at least one of these: "
	}
	text += strings.Join(sets, "; ") + "."
	if strings.Contains(text, "?") {
		text += " Those with ? may be left out."
	}
	a.split = true
	told := len(text) <= 2*mostWords
	if told {
		a.told = append(a.told, text)
	}
	a.lose(inputAt+"/"+key, key, told, "%s has no place at the root of an input there: its members are put together, none is required that not all require", key)
	return out
}

type branch struct {
	index       int
	own, merged *value
}

// words lists what a branch asks for beside what all have.
func (b *branch) words(base *value) string {
	required := b.merged.get("required").texts()
	own := b.own.get("properties")
	names := listKeys(own)
	for _, name := range b.own.get("required").texts() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var list []string
	for _, name := range names {
		p := own.get(name)
		if p.isFalse() {
			list = append(list, "no "+name)
			continue
		}
		text := name
		if !slices.Contains(required, name) {
			text += "?"
		}
		if c := p.get("const"); c != nil && c.kind != jsonwire.Object && c.kind != jsonwire.Array {
			text += " = " + c.raw
		} else if e := p.get("enum"); e != nil && len(e.list) == 1 {
			text += " = " + e.list[0].String()
		}
		list = append(list, text)
	}
	if len(list) == 0 {
		list = []string{"nothing more"}
	}
	text := strings.Join(list, ", ")
	if rest := b.rest(); len(rest.keys) > 0 {
		text += " by the JSON Schema " + rest.String()
	}
	if title := b.own.get("title").text(); title != "" {
		text = title + ": " + text
	}
	return text
}

// rest is what a branch says beside its members.
func (b *branch) rest() *value {
	rest := b.own.copy()
	rest.drop(append([]string{"type", "properties", "required", "additionalProperties"}, notes...)...)
	return rest
}

func listKeys(v *value) []string {
	if v == nil {
		return nil
	}
	return v.keys
}

// either takes what any of some schemas takes.
func either(all []*value) *value {
	all = distinct(all)
	if len(all) == 1 {
		return all[0]
	}
	// The usual case is a member that tells the branches apart: a constant in each.
	var values []*value
	for _, s := range all {
		switch {
		case s.has("const"):
			values = append(values, s.get("const"))
		case s.has("enum"):
			values = append(values, s.get("enum").list...)
		}
		rest := s.copy()
		rest.drop("const", "enum", "type", "description", "title")
		if s.kind != jsonwire.Object || !s.has("const") && !s.has("enum") || len(rest.keys) > 0 {
			return newObject("anyOf", newArray(all...))
		}
	}
	out := newObject()
	if kind := kindOf(values); kind != "" {
		out.set("type", newString(kind))
	}
	for _, s := range all {
		if d := s.get("description"); d != nil && !out.has("description") {
			out.set("description", d)
		}
	}
	out.set("enum", newArray(distinct(values)...))
	return out
}

// kindOf is the type that all values have.
func kindOf(values []*value) (kind string) {
	for _, v := range values {
		k := v.kind.String()
		if v.kind == jsonwire.Number && jsonwire.IsInteger([]byte(v.raw)) {
			k = "integer"
		}
		if kind != "" && kind != k {
			return ""
		}
		kind = k
	}
	return kind
}
