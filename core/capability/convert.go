package capability

import (
	"net/url"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/schema"
)

// Converting writes a schema of one draft in the other so that both say the same of every value, or says what
// cannot be said. Each schema is walked once; where it goes is noted, so that references can follow.

// ToDraft7 writes a 2020-12 schema in draft-07. One whose $schema says draft-07 stays as it is. The error is a *ConvertError.
func ToDraft7(text []byte) ([]byte, []Note, error) { return convert(text, Draft2020) }

// To2020 writes a draft-07 schema in 2020-12. One whose $schema says 2020-12 stays as it is. The error is a *ConvertError.
func To2020(text []byte) ([]byte, []Note, error) { return convert(text, Draft7) }

func convert(text []byte, from Draft) ([]byte, []Note, error) {
	var scan jsonwire.Scanner
	if _, bad := scan.Check(text); bad != nil {
		return nil, nil, &ConvertError{CannotRead, bad.Pointer, "", bad.Error()}
	}
	text = trim(text)
	to := anyDraft &^ from
	if declared(text) == to {
		if _, err := parseSchema(text, to); err != nil {
			return nil, nil, err
		}
		return jsonwire.AppendCompact(nil, text), nil, nil
	}
	if _, err := parseSchema(text, from); err != nil {
		return nil, nil, err
	}
	c := &converter{from: from, moved: map[string]string{}, resources: map[string]string{}}
	out := c.schema(text, place{base: &url.URL{}})
	c.follow()
	if c.err != nil {
		return nil, nil, c.err
	}
	result := jsonwire.AppendCompact(nil, out.append(nil))
	if _, bad := scan.Check(result); bad != nil {
		return nil, nil, &ConvertError{CannotDeep, "", "", "once converted, " + bad.Msg}
	}
	return result, c.notes, nil
}

// draftOf reads a $schema's value; 0 is neither.
func draftOf(raw []byte) Draft {
	if jsonwire.KindOf(raw) != jsonwire.String {
		return 0
	}
	uri := strings.TrimSuffix(decoded(raw), "#")
	switch {
	case uri == uri2020 || uri == "http"+strings.TrimPrefix(uri2020, "https"):
		return Draft2020
	case uri+"#" == uri7 || uri+"#" == "https"+strings.TrimPrefix(uri7, "http"):
		return Draft7
	}
	return 0
}

// declared is the draft that a schema's $schema names, 0 without one.
func declared(raw []byte) Draft {
	if jsonwire.KindOf(raw) == jsonwire.Object {
		if v, ok := jsonwire.Lookup(raw, "$schema"); ok {
			return draftOf(v)
		}
	}
	return 0
}

// place is where a schema stands, was and will be.
type place struct {
	old, new string   // JSON Pointers
	base     *url.URL // what references are relative to
	root     string   // old pointer of the schema that has this base
}

func (p place) down(old, new string) place {
	p.old += old
	p.new += new
	return p
}

type converter struct {
	from      Draft
	moved     map[string]string // old pointer of a schema to its new one
	resources map[string]string // URI to old pointer
	refs      []reference
	notes     []Note
	err       *ConvertError
}

// reference is a $ref that is written once everything has its place.
type reference struct {
	text *tree
	at   place // of the schema
}

func (c *converter) fail(name, at, word, msg string) {
	if c.err == nil {
		c.err = &ConvertError{name, pointer(at, word), word, msg}
	}
}

func (c *converter) note(kind NoteKind, at place, word, text string) {
	c.notes = append(c.notes, Note{Kind: kind, Pointer: pointer(at.old, word), Text: text})
}

func (c *converter) schema(raw []byte, at place) *tree {
	if jsonwire.KindOf(raw) != jsonwire.Object {
		c.moved[at.old] = at.new
		return leaf(raw)
	}
	p := &parsed{raw: raw}
	members(raw, func(name string, v []byte) { p.members = append(p.members, parsedMember{name, v}) })
	at = c.identify(p, at)
	c.moved[at.old] = at.new
	if at.old != "" {
		if err := dialect(raw, c.from, at.old); err != nil && c.err == nil {
			c.err = err
		}
	}
	if c.from == Draft2020 {
		return c.downward(p, at)
	}
	return c.upward(p, at)
}

// identify reads $id as the draft that is read does.
func (c *converter) identify(p *parsed, at place) place {
	raw := p.get("$id")
	if at.old == "" {
		c.resources[""] = ""
	}
	if raw == nil || c.from == Draft7 && p.has("$ref") && at.old != "" {
		return at
	}
	id, err := url.Parse(decoded(raw))
	if err != nil {
		c.fail(CannotRead, at.old, "$id", "$id "+snippet(raw)+" is not a URI reference")
		return at
	}
	fragment := id.Fragment
	id.Fragment, id.RawFragment = "", ""
	if fragment != "" && c.from == Draft2020 {
		c.fail(CannotRead, at.old, "$id", "$id must not have a fragment")
		return at
	}
	if fragment != "" && id.String() == "" {
		return at // only a name
	}
	at.base, at.root = resolve(at.base, id), at.old
	c.resources[at.base.String()] = at.old
	return at
}

func resolve(base, ref *url.URL) *url.URL {
	switch {
	case ref.IsAbs():
		return ref
	case base.Opaque != "" && ref.String() == "":
		return base
	case base.Opaque != "":
		return ref
	}
	return base.ResolveReference(ref)
}

func (c *converter) reference(raw []byte, at place) *tree {
	t := leaf(raw)
	c.refs = append(c.refs, reference{t, at})
	return t
}

// follow rewrites each reference whose target has another place now.
func (c *converter) follow() {
	for _, r := range c.refs {
		if c.err != nil {
			return
		}
		c.followOne(r)
	}
}

func (c *converter) followOne(r reference) {
	text := decoded(r.text.raw)
	ref, err := url.Parse(text)
	if err != nil {
		c.fail(CannotRead, r.at.old, "$ref", "$ref "+snippet(r.text.raw)+" is not a URI reference")
		return
	}
	fragment := ref.Fragment
	ref.Fragment, ref.RawFragment = "", ""
	root := r.at.root
	if ref.String() != "" {
		found := false
		if root, found = c.resources[resolve(r.at.base, ref).String()]; !found {
			c.fail(CannotRemote, r.at.old, "$ref", "$ref "+snippet(r.text.raw)+" leads outside the schema, and nothing is fetched")
			return
		}
	}
	if !strings.HasPrefix(fragment, "/") {
		return // a whole schema, or a name, which stays
	}
	target, known := c.moved[root+fragment]
	rest, below := strings.CutPrefix(target, c.moved[root])
	switch {
	case !known || !below:
		c.fail(CannotTarget, r.at.old, "$ref", "$ref "+snippet(r.text.raw)+" leads to a place that is no schema, or has no place in the other draft")
	case rest != fragment:
		before, _, _ := strings.Cut(text, "#")
		r.text.raw = []byte(quoted(before + (&url.URL{Fragment: rest}).String()))
	}
}

// same takes a keyword over as it is, but for the schemas in it.
func (c *converter) same(out *tree, word string, raw []byte, at place) {
	step := pointer("", word)
	at = at.down(step, step)
	switch k := keywords[word]; k.shape {
	case shapeSchema, shapeItems:
		out.put(word, c.schema(raw, at))
	case shapeSchemas:
		out.put(word, c.schemas(raw, at))
	case shapeSchemaMap:
		m := object()
		members(raw, func(name string, v []byte) {
			step := pointer("", name)
			m.put(name, c.schema(v, at.down(step, step)))
		})
		out.put(word, m)
	default:
		out.put(word, leaf(raw))
	}
}

func (c *converter) schemas(raw []byte, at place) *tree {
	t := list()
	elements(raw, func(v []byte) {
		step := pointerItem("", len(t.items))
		t.items = append(t.items, c.schema(v, at.down(step, step)))
	})
	return t
}

// definitions puts the schemas of one keyword, word, into another; out may have some already.
func (c *converter) definitions(out *tree, word, as string, raw []byte, at place) {
	all := out.get(as)
	if all == nil {
		all = object()
		out.put(as, all)
	}
	had := map[string]bool{}
	for _, m := range all.members {
		had[m.name] = true
	}
	members(raw, func(name string, v []byte) {
		free := name
		for had[free] {
			free += "_2"
		}
		had[free] = true
		all.put(free, c.schema(v, at.down(pointer(pointer("", word), name), pointer(pointer("", as), free))))
	})
	if word != as {
		c.note(Rewritten, at, word, "is "+as+" there")
	}
}

// compiles sees that a tool could have the schema; word is what a fault calls it.
func compiles(text []byte, role schema.Role) *ConvertError {
	_, err := schema.Compile(text, schema.Options{Role: role})
	if err == nil {
		return nil
	}
	where, _ := err.(*schema.CompileError)
	if where == nil {
		return &ConvertError{CannotRead, "", "", err.Error()}
	}
	if where.Pointer == "" && where.Keyword == "" && strings.Contains(where.Msg, "accepts no object") {
		return &ConvertError{CannotPayload, "", "", where.Msg}
	}
	return &ConvertError{CannotRead, where.Pointer, where.Keyword, where.Msg}
}
