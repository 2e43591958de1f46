package schema

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// Parsing turns schema text into nodes, one keyword after another, and refuses a
// keyword that is malformed. References are left for resolve.go.

const (
	maxSchemaBytes  = 256 << 10
	maxPatternBytes = 512
	maxNodes        = 4096
)

// document is one text that holds schemas.
type document struct {
	text  []byte
	nodes map[int]*node // by the offset at which they begin
}

// location is where in a document a value stands.
type location struct {
	doc     *document
	raw     []byte
	off     int
	pointer string
}

func (l location) child(raw []byte, off int, name string) location {
	return location{l.doc, raw, l.off + off, string(jsonwire.AppendPointerToken([]byte(l.pointer), name))}
}

func (l location) item(raw []byte, off, i int) location {
	return location{l.doc, raw, l.off + off, l.pointer + "/" + strconv.Itoa(i)}
}

// resource is a schema with a URI of its own, and the names inside it.
type resource struct {
	uri     *url.URL
	draft7  bool
	at      location
	anchors map[string]*node
	dynamic map[string]*node
}

type pendingRef struct {
	owner   *node
	at      location // of the $ref's value
	ref     string
	dynamic bool
}

type compiler struct {
	main      *document
	known     map[string][]byte // documents that references may name: tests only
	resources map[string]*resource
	pending   []pendingRef
	all       []*node
	annotate  bool // format is an annotation
	draft7    bool // what holds without $schema
	dynamic   bool
	regexes   regexBudget
}

// fail makes a compile error for a place.
func fail(at location, keyword, format string, args ...any) *CompileError {
	return &CompileError{Pointer: at.pointer, Keyword: keyword, Offset: at.off, Msg: fmt.Sprintf(format, args...)}
}

const (
	dialect2020 = "json-schema.org/draft/2020-12/schema"
	dialect7    = "json-schema.org/draft-07/schema"
)

// dialectOf reads $schema; fallback is what holds without one.
func dialectOf(at location, fallback bool) (draft7 bool, err *CompileError) {
	m := jsonwire.ObjectMembers(at.raw)
	for {
		name, value, ok := m.Next()
		if !ok {
			return fallback, nil
		}
		if !jsonwire.TextEquals(name, "$schema") {
			continue
		}
		here := at.child(value, m.ValueOffset(), "$schema")
		if jsonwire.KindOf(value) != jsonwire.String {
			return false, fail(here, "$schema", "$schema must be a string, not %s", kindName(value))
		}
		uri := text(value)
		bare := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(uri, "https://"), "http://"), "#")
		switch {
		case bare == uri:
		case bare == dialect2020:
			return false, nil
		case bare == dialect7:
			return true, nil
		}
		return false, fail(here, "$schema", "$schema %s is not known here: use 2020-12 (https://%s) or draft-07 (http://%s#)", quote(uri), dialect2020, dialect7)
	}
}

func text(raw []byte) string {
	out, _ := jsonwire.AppendUnquoted(nil, raw)
	return string(out)
}

func quote(s string) string {
	out, _ := jsonwire.AppendString(nil, s)
	return string(out)
}

func kindName(raw []byte) string { return jsonwire.KindOf(raw).String() }

// schema parses one schema, or gives the node that was made of it before.
func (c *compiler) schema(at location, res *resource) (*node, *CompileError) {
	if n := at.doc.nodes[at.off]; n != nil {
		return n, nil
	}
	if len(c.all) >= maxNodes {
		return nil, fail(at, "", "more than %d schemas in one", maxNodes)
	}
	n := &node{allow: tAll, res: res, where: &at}
	at.doc.nodes[at.off] = n
	c.all = append(c.all, n)
	switch jsonwire.KindOf(at.raw) {
	case jsonwire.Bool:
		n.never = at.raw[0] == 'f'
		if n.never {
			n.allow = 0
		}
		return n, nil
	case jsonwire.Object:
		return n, c.object(n, at, res)
	}
	return nil, fail(at, "", "a schema must be an object or a boolean, not %s", kindName(at.raw))
}

// object parses the keywords of an object schema.
func (c *compiler) object(n *node, at location, res *resource) *CompileError {
	res, err := c.identify(n, at, res)
	if err != nil {
		return err
	}
	n.res = res
	k := keywords{c: c, n: n, at: at, res: res}
	if res.draft7 {
		if raw, off, ok := member(at.raw, "$ref"); ok { // its siblings mean nothing in draft-07
			if preset, _, ok := member(at.raw, "default"); ok {
				n.preset = preset // it asserts nothing, and generators write it there
			}
			return k.keyword("$ref", at.child(raw, off, "$ref"))
		}
	}
	m := jsonwire.ObjectMembers(at.raw)
	for {
		name, value, ok := m.Next()
		if !ok {
			break
		}
		word := text(name)
		if err := k.keyword(word, at.child(value, m.ValueOffset(), word)); err != nil {
			return err
		}
	}
	return k.finish()
}

// member finds a member and the offset of its value.
func member(object []byte, name string) (raw []byte, off int, ok bool) {
	m := jsonwire.ObjectMembers(object)
	for {
		key, value, ok := m.Next()
		if !ok {
			return nil, 0, false
		}
		if jsonwire.TextEquals(key, name) {
			return value, m.ValueOffset(), true
		}
	}
}

// identify reads $id and begins a resource when it gives a new URI.
func (c *compiler) identify(n *node, at location, res *resource) (*resource, *CompileError) {
	raw, off, ok := member(at.raw, "$id")
	if !ok {
		return res, nil
	}
	here := at.child(raw, off, "$id")
	if jsonwire.KindOf(raw) != jsonwire.String {
		return nil, fail(here, "$id", "$id must be a string, not %s", kindName(raw))
	}
	draft7, err := dialectOf(at, res.draft7)
	if err != nil {
		return nil, err
	}
	if draft7 {
		if _, _, hasRef := member(at.raw, "$ref"); hasRef && at.off != res.at.off {
			return res, nil // a sibling of $ref
		}
	}
	id, perr := url.Parse(text(raw))
	if perr != nil {
		return nil, fail(here, "$id", "$id %s is not a URI reference", quote(text(raw)))
	}
	fragment := id.Fragment
	id.Fragment, id.RawFragment = "", ""
	if fragment != "" {
		if !draft7 {
			return nil, fail(here, "$id", "$id must not have a fragment: use $anchor")
		}
		if id.String() == "" {
			return res, c.name(res, fragment, n, here, false)
		}
	}
	uri := resolveURI(res.uri, id)
	if at.doc == res.at.doc && at.off == res.at.off { // the root of a document
		res.uri = uri
		if old := c.resources[uri.String()]; old != nil && old != res {
			return nil, fail(here, "$id", "two schemas have the $id %s", quote(uri.String()))
		}
		c.resources[uri.String()] = res
	} else {
		if old := c.resources[uri.String()]; old != nil {
			return nil, fail(here, "$id", "two schemas have the $id %s", quote(uri.String()))
		}
		res = &resource{uri: uri, draft7: draft7, at: at}
		c.resources[uri.String()] = res
	}
	if fragment != "" {
		return res, c.name(res, fragment, n, here, false)
	}
	return res, nil
}

func resolveURI(base, ref *url.URL) *url.URL {
	if ref.IsAbs() {
		return ref
	}
	if base.Opaque != "" {
		if ref.String() == "" {
			return base
		}
		return ref
	}
	return base.ResolveReference(ref)
}

// name notes an anchor.
func (c *compiler) name(res *resource, anchor string, n *node, at location, dynamic bool) *CompileError {
	if old := res.anchors[anchor]; old != nil && old != n {
		return fail(at, "$anchor", "two schemas have the anchor %s", quote(anchor))
	}
	if res.anchors == nil {
		res.anchors = map[string]*node{}
	}
	res.anchors[anchor] = n
	if dynamic {
		if res.dynamic == nil {
			res.dynamic = map[string]*node{}
		}
		res.dynamic[anchor] = n
		c.dynamic = true
	}
	return nil
}
