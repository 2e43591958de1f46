package schema

import (
	"net/url"
	"strconv"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// Resolving finds what references mean, and refuses those that mean nothing,
// lead outside, or never come to an end.

// maxChain is how many schemas may apply to one value inside each other.
const maxChain = 256

// resolve works until no reference is pending; a reference to a place that no
// keyword made a schema of makes one of it, which may hold references again.
func (c *compiler) resolve() *CompileError {
	for len(c.pending) > 0 {
		p := c.pending[0]
		c.pending = c.pending[1:]
		word := "$ref"
		if p.dynamic {
			word = "$dynamicRef"
		}
		target, name, err := c.target(p, word)
		if err != nil {
			return err
		}
		if !p.dynamic {
			p.owner.place.ref = target
			continue
		}
		p.owner.place.dynRef = target
		if target.res.dynamic[name] == target {
			p.owner.place.dynName = name
		}
	}
	return nil
}

// target finds the schema that a reference names, and the anchor it was named by.
func (c *compiler) target(p pendingRef, word string) (*node, string, *CompileError) {
	ref, err := url.Parse(p.ref)
	if err != nil {
		return nil, "", fail(p.at, word, "%s %s is not a URI reference", word, quote(p.ref))
	}
	fragment := ref.Fragment
	ref.Fragment, ref.RawFragment = "", ""
	res := p.owner.res
	if ref.String() != "" {
		uri := resolveURI(res.uri, ref).String()
		if res = c.resources[uri]; res == nil {
			var cerr *CompileError
			if res, cerr = c.load(uri, p.at, word); cerr != nil {
				return nil, "", cerr
			}
		}
	}
	switch {
	case fragment == "":
		n, err := c.schema(res.at, res)
		return n, "", err
	case fragment[0] != '/':
		if n := res.anchors[fragment]; n != nil {
			return n, fragment, nil
		}
		return nil, "", fail(p.at, word, "%s %s leads to no schema: there is no anchor %s", word, quote(p.ref), quote(fragment))
	}
	at := res.at
	for _, token := range strings.Split(fragment[1:], "/") {
		next, ok := step(at, strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"))
		if !ok {
			return nil, "", fail(p.at, word, "%s %s leads to no schema: there is no %s", word, quote(p.ref), quote(token))
		}
		at = next
	}
	n, cerr := c.schema(at, res)
	if cerr != nil && cerr.Pointer == at.pointer && cerr.Keyword == "" {
		return nil, "", fail(p.at, word, "%s %s leads to no schema: %s", word, quote(p.ref), cerr.Msg)
	}
	return n, "", cerr
}

func step(at location, token string) (location, bool) {
	switch jsonwire.KindOf(at.raw) {
	case jsonwire.Object:
		raw, off, ok := member(at.raw, token)
		return at.child(raw, off, token), ok
	case jsonwire.Array:
		want, err := strconv.Atoi(token)
		if err != nil || token != strconv.Itoa(want) {
			return at, false
		}
		e := jsonwire.ArrayElements(at.raw)
		for i := 0; ; i++ {
			raw, ok := e.Next()
			if !ok {
				return at, false
			}
			if i == want {
				return at.item(raw, e.Offset(), i), true
			}
		}
	}
	return at, false
}

// load takes in another document, if the caller gave it. Nothing is ever fetched.
func (c *compiler) load(uri string, at location, word string) (*resource, *CompileError) {
	body, ok := c.known[uri]
	if !ok {
		return nil, fail(at, word, "%s leads outside the schema, to %s, and nothing is fetched: put it into $defs", word, quote(uri))
	}
	res, err := c.document(body, uri)
	if err != nil {
		return nil, err
	}
	c.resources[uri] = res
	return res, nil
}

// document parses a whole text.
func (c *compiler) document(body []byte, uri string) (*resource, *CompileError) {
	doc := &document{text: body, nodes: map[int]*node{}}
	var scan jsonwire.Scanner
	info, bad := scan.Check(body)
	if bad != nil {
		return nil, &CompileError{Pointer: bad.Pointer, Offset: bad.Offset, Msg: "not JSON: " + bad.Msg}
	}
	at := location{doc: doc, raw: body[info.Start:info.End], off: info.Start}
	base, _ := url.Parse(uri)
	res := &resource{uri: base, at: at, draft7: c.draft7}
	if info.Kind == jsonwire.Object {
		var err *CompileError
		if res.draft7, err = dialectOf(at, c.draft7); err != nil {
			return nil, err
		}
	}
	if c.main == nil {
		c.main = doc
	}
	c.resources[uri] = res
	_, err := c.schema(at, res)
	return res, err
}

// weigh counts the schemas that one value may meet at n; a schema met again on the way is a loop.
func (c *compiler) weigh(n *node, weight map[*node]int, depth int) (int, *CompileError) {
	const busy = -1
	switch w := weight[n]; {
	case w == busy:
		return 0, fail(*n.where, "$ref", "this schema refers to itself without consuming anything")
	case w > 0:
		return w, nil
	}
	if depth > maxChain {
		return 0, fail(*n.where, "", "more than %d schemas inside each other for one value", maxChain)
	}
	weight[n] = busy
	sum := 1
	var err *CompileError
	n.inPlaceEdges(func(in **node) {
		if err != nil {
			return
		}
		var w int
		if w, err = c.weigh(*in, weight, depth+1); err == nil {
			sum += w
			if sum > maxNodes {
				err = fail(*n.where, "", "references expand to more than %d schemas for one value", maxNodes)
			}
		}
	})
	weight[n] = sum
	return sum, err
}

// takesObject says whether an object could fit, as far as that can be told.
func takesObject(n *node, depth int) bool {
	if n.never || n.allow&tObject == 0 {
		return false
	}
	for _, l := range []*literals{n.enum, n.konst} {
		if l != nil && l.kinds&tObject == 0 {
			return false
		}
	}
	p := n.place
	if p == nil || depth > maxChain {
		return true
	}
	if p.ref != nil && !takesObject(p.ref, depth+1) {
		return false
	}
	for _, one := range p.allOf {
		if !takesObject(one, depth+1) {
			return false
		}
	}
	for _, list := range [][]*node{p.anyOf, p.oneOf} {
		any := len(list) == 0
		for _, one := range list {
			any = any || takesObject(one, depth+1)
		}
		if !any {
			return false
		}
	}
	return true
}
