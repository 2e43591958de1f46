package capability

import (
	"bytes"
	"slices"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// downward writes one 2020-12 schema in draft-07.
func (c *converter) downward(p *parsed, at place) *tree {
	out := object()
	wraps := mustWrap(p)
	depends := false
	for _, m := range p.members {
		word, v := m.name, m.raw
		switch word {
		case "$schema":
			out.put(word, leafText(uri7))
		case "$anchor":
			if p.has("$id") {
				c.fail(CannotAnchor, at.old, word, "$anchor beside $id: draft-07 has one $id for both")
			}
			out.put("$id", leafText("#"+decoded(v)))
		case "$dynamicRef", "$dynamicAnchor":
			c.fail(CannotDynamic, at.old, word, word+" depends on who refers; draft-07 has nothing like it")
		case "$vocabulary":
			c.note(Loss, at, word, "draft-07 has no vocabularies")
		case "$ref":
			switch ref := c.reference(v, at); {
			case !wraps:
				out.put(word, ref)
			case !p.has("allOf"):
				out.put("allOf", list(object().put(word, ref)))
			}
			if wraps {
				c.note(Rewritten, at, word, "is in allOf there: beside $ref nothing else counts in draft-07")
			}
		case "allOf":
			c.same(out, word, v, at)
			if wraps {
				all := out.get(word)
				all.items = append(all.items, object().put("$ref", c.reference(p.get("$ref"), at)))
			}
		case "$defs", "definitions":
			c.definitions(out, word, "definitions", v, at)
		case "prefixItems":
			out.put("items", c.schemas(v, at.down("/prefixItems", "/items")))
			c.note(Rewritten, at, word, "is items there")
		case "items":
			if !p.has("prefixItems") {
				c.same(out, word, v, at)
				break
			}
			out.put("additionalItems", c.schema(v, at.down("/items", "/additionalItems")))
			c.note(Rewritten, at, word, "is additionalItems there")
		case "additionalItems":
			c.note(Loss, at, word, "means nothing in 2020-12, and would mean something in draft-07")
		case "contains":
			c.contains(out, p, v, at)
		case "minContains", "maxContains":
			if !p.has("contains") {
				c.note(Loss, at, word, "means nothing without contains")
			}
		case "dependencies", "dependentRequired", "dependentSchemas":
			if !depends {
				depends = true
				c.dependencies(out, p, at)
			}
		case "unevaluatedProperties":
			c.unevaluated(out, p, m, at, "additionalProperties", !p.has("additionalProperties"))
		case "unevaluatedItems":
			as := "items"
			if p.has("prefixItems") {
				as = "additionalItems"
			}
			c.unevaluated(out, p, m, at, as, !p.has("items"))
		default:
			if word == "format" && slices.Contains([]string{"duration", "uuid"}, decoded(v)) {
				c.note(Weaker, at, word, decoded(v)+" is not among draft-07's formats: not everyone heeds it")
			}
			c.same(out, word, v, at)
		}
	}
	return out
}

// mustWrap tells whether a $ref has something beside it that draft-07 would not see.
func mustWrap(p *parsed) bool {
	if !p.has("$ref") {
		return false
	}
	for _, m := range p.members {
		k, known := keywords[m.name]
		if known && m.name != "$ref" && !k.note {
			return true
		}
		// Names in definitions beside $ref are not heard of either, unlike definitions that are referred to by their place.
		if (m.name == "$defs" || m.name == "definitions") && (bytes.Contains(m.raw, []byte(`"$id"`)) || bytes.Contains(m.raw, []byte(`"$anchor"`)) || bytes.Contains(m.raw, []byte(`\u`))) {
			return true
		}
	}
	return false
}

// contains in draft-07 wants at least one, and knows no other numbers.
func (c *converter) contains(out *tree, p *parsed, raw []byte, at place) {
	least := int64(1)
	if v := p.get("minContains"); v != nil {
		n, err := jsonwire.ToInt64(v)
		if least = n; err != nil {
			least = 2 // whatever it is, it is more than one
		}
	}
	switch {
	case p.has("maxContains"):
		c.fail(CannotCount, at.old, "maxContains", "draft-07 cannot say how many items contains may find")
	case least > 1:
		c.fail(CannotCount, at.old, "minContains", "draft-07 cannot say that contains wants more than one item")
	case least == 0:
		c.note(Loss, at, "contains", "asks for nothing, since minContains is 0")
	default:
		c.same(out, "contains", raw, at)
		if p.has("minContains") {
			c.note(Rewritten, at, "minContains", "1 is what contains means anyhow")
		}
	}
}

// dependencies are three keywords that draft-07 has in one.
func (c *converter) dependencies(out *tree, p *parsed, at place) {
	type one struct {
		word string
		raw  []byte
	}
	var order []string
	all := map[string][]one{}
	for _, word := range []string{"dependencies", "dependentRequired", "dependentSchemas"} {
		v := p.get(word)
		if v == nil {
			continue
		}
		if word != "dependencies" {
			c.note(Rewritten, at, word, "is dependencies there")
		}
		members(v, func(name string, v []byte) {
			if all[name] == nil {
				order = append(order, name)
			}
			all[name] = append(all[name], one{word, v})
		})
	}
	to := object()
	for _, name := range order {
		old := func(o one) string { return pointer(pointer("", o.word), name) }
		new := pointer("/dependencies", name)
		if len(all[name]) == 1 {
			o := all[name][0]
			if jsonwire.KindOf(o.raw) == jsonwire.Array {
				to.put(name, leaf(o.raw))
			} else {
				to.put(name, c.schema(o.raw, at.down(old(o), new)))
			}
			continue
		}
		both := list()
		for i, o := range all[name] {
			if jsonwire.KindOf(o.raw) == jsonwire.Array {
				both.items = append(both.items, object().put("required", leaf(o.raw)))
			} else {
				both.items = append(both.items, c.schema(o.raw, at.down(old(o), pointerItem(new+"/allOf", i))))
			}
		}
		to.put(name, object().put("allOf", both))
	}
	out.put("dependencies", to)
}

// unevaluated is the same as additional where nothing else can evaluate anything.
func (c *converter) unevaluated(out *tree, p *parsed, m parsedMember, at place, as string, free bool) {
	switch {
	case string(m.raw) == "true":
		c.note(Loss, at, m.name, "true asks for nothing")
	case p.has("$ref", "allOf", "anyOf", "oneOf", "if", "dependencies", "dependentSchemas", "$dynamicRef") || strings.HasSuffix(m.name, "Items") && p.has("contains"):
		c.fail(CannotUnevaluated, at.old, m.name, m.name+" beside schemas that may evaluate the same parts; draft-07 cannot ask which did")
	case !free:
		c.note(Loss, at, m.name, "asks for nothing, since every part is evaluated beside it")
	default:
		out.put(as, c.schema(m.raw, at.down(pointer("", m.name), pointer("", as))))
		c.note(Rewritten, at, m.name, "is "+as+" there")
	}
}
