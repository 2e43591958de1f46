package capability

import (
	"net/url"
	"regexp"

	"aicc.dev/libaicc/core/jsonwire"
)

var anchorForm = regexp.MustCompile(`\A[A-Za-z_][A-Za-z0-9._-]*\z`)

// upward writes one draft-07 schema in 2020-12.
func (c *converter) upward(p *parsed, at place) *tree {
	out := object()
	refers := p.has("$ref")
	tuple := jsonwire.KindOf(p.get("items")) == jsonwire.Array
	for _, m := range p.members {
		word, v := m.name, m.raw
		k, known := keywords[word]
		switch {
		case known && refers && !k.note && word != "$ref" && !(word == "$id" && at.old == ""):
			c.note(Loss, at, word, "means nothing beside $ref in draft-07")
			continue
		case known && (refers && k.note || k.in == Draft2020 && k.note) && word != "$schema" && checkShape(word, k.shape, v, Draft7, "") != nil:
			c.note(Loss, at, word, "means nothing here in draft-07, and is malformed in 2020-12")
			continue
		case known && k.in == Draft2020 && (!k.note || word == "$vocabulary"):
			c.note(Loss, at, word, "means nothing in draft-07, and would mean something in 2020-12")
			continue
		}
		switch word {
		case "$schema":
			out.put(word, leafText(uri2020))
		case "$ref":
			out.put(word, c.reference(v, at))
		case "$id":
			c.names(out, v, at)
		case "definitions", "$defs":
			c.definitions(out, word, "$defs", v, at)
		case "items":
			switch {
			case !tuple:
				c.same(out, word, v, at)
			case jsonwire.SkipSpace(v, 1) == len(v)-1:
				c.note(Rewritten, at, word, "a list of no schemas asks for nothing")
			default:
				out.put("prefixItems", c.schemas(v, at.down("/items", "/prefixItems")))
				c.note(Rewritten, at, word, "is prefixItems there")
			}
		case "additionalItems":
			if !tuple {
				c.note(Loss, at, word, "means nothing unless items is a list")
				break
			}
			out.put("items", c.schema(v, at.down("/additionalItems", "/items")))
			c.note(Rewritten, at, word, "is items there")
		case "dependencies":
			c.split(out, v, at)
		default:
			c.same(out, word, v, at)
		}
	}
	return out
}

// names writes an $id, which in draft-07 may be a name inside the document, or have one behind it.
func (c *converter) names(out *tree, raw []byte, at place) {
	text := decoded(raw)
	id, err := url.Parse(text)
	if err != nil || id.Fragment == "" {
		out.put("$id", leaf(raw))
		return
	}
	if !anchorForm.MatchString(id.Fragment) {
		c.fail(CannotAnchor, at.old, "$id", "the name "+quoted(id.Fragment)+" is no $anchor: a letter or _ and then letters, digits, - _ .")
	}
	anchor := id.Fragment
	id.Fragment, id.RawFragment = "", ""
	if id.String() != "" {
		out.put("$id", leafText(id.String()))
	}
	out.put("$anchor", leafText(anchor))
	c.note(Rewritten, at, "$id", "is $anchor there")
}

// split writes dependencies as the two keywords that 2020-12 has for them.
func (c *converter) split(out *tree, raw []byte, at place) {
	names, schemas := object(), object()
	members(raw, func(name string, v []byte) {
		if jsonwire.KindOf(v) == jsonwire.Array {
			names.put(name, leaf(v))
			return
		}
		schemas.put(name, c.schema(v, at.down(pointer("/dependencies", name), pointer("/dependentSchemas", name))))
	})
	put := func(word string, t *tree) {
		if len(t.members) > 0 {
			out.put(word, t)
			c.note(Rewritten, at, "dependencies", "is "+word+" there")
		}
	}
	put("dependentRequired", names)
	put("dependentSchemas", schemas)
}
