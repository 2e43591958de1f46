package schema

import (
	"strconv"

	"aicc.dev/libaicc/core/jsonwire"
)

// inPlace checks a value against the schemas that n applies to the same value.
func (c *Checker) inPlace(n *node, at, region int) (end int, ok bool) {
	p := n.place
	ok = true
	end = none
	with := func(one *node) bool {
		e, fits := c.value(one, at, region)
		if !fits {
			ok = false
		}
		if fits || !c.halt {
			end = e
		}
		return ok || !c.halt
	}
	if p.ref != nil && !with(p.ref) {
		return at, false
	}
	if p.dynRef != nil {
		if c.turns++; c.turns > maxTurns { // what it leads to is not known before, so neither is that it ends
			c.costly, c.halt = true, true
			return at, false
		}
		fits := with(c.dynamic(p))
		if c.turns--; !fits {
			return at, false
		}
	}
	for _, one := range p.allOf {
		if !with(one) {
			return at, false
		}
	}
	if p.anyOf != nil {
		hit := false
		for _, one := range p.anyOf {
			if e, fits := c.try(one, at, region, false); fits {
				hit, end = true, e
				if !p.needsAllBranches {
					break
				}
			}
		}
		if !hit {
			if ok = c.denyBranches("anyOf", p.anyOf, at, none, none); c.halt {
				return at, false
			}
		}
	}
	if p.oneOf != nil {
		hits, first, second := 0, none, none
		edits, keeps := len(c.edits), len(c.keeps)
		for i, one := range p.oneOf {
			e, fits := c.try(one, at, region, false)
			if !fits {
				continue
			}
			if hits++; hits == 1 {
				first, end = i, e
				continue
			}
			second = i
			break
		}
		if hits != 1 {
			c.edits, c.keeps = c.edits[:edits], c.keeps[:keeps]
			if ok = c.denyBranches("oneOf", p.oneOf, at, first, second); c.halt {
				return at, false
			}
		}
	}
	if p.not != nil {
		if _, fits := c.try(p.not, at, none, true); fits {
			if ok = c.deny("not", n, at, c.endOf(at, end)); c.halt {
				return at, false
			}
		}
	}
	if p.cond != nil {
		c.open++
		_, fits := c.try(p.cond, at, region, false)
		c.open--
		next := p.els
		if fits {
			next = p.then
		}
		if next != nil && !with(next) {
			return at, false
		}
	}
	if p.whenHas != nil && c.src[at] == '{' {
		object := c.src[at:c.endOf(at, end)]
		for i := range p.whenHas {
			c.steps -= len(object) >> 4
			if _, has := jsonwire.Lookup(object, p.whenHas[i].name); has && !with(p.whenHas[i].node) {
				return at, false
			}
		}
	}
	if c.costly {
		return at, false
	}
	return c.endOf(at, end), ok
}

func (c *Checker) endOf(at, end int) int {
	if end == none {
		return c.skip(at)
	}
	return end
}

// try checks without noting faults; what a schema that does not fit has marked or
// noted is undone. apart is for a schema that only looks on: it neither drops nor refuses undeclared members, and marks nothing.
func (c *Checker) try(n *node, at, region int, apart bool) (end int, fits bool) {
	halt := c.halt
	c.halt = true
	c.plain++
	own := region
	if region >= 0 {
		own = len(c.marks)
		c.marks = append(c.marks, c.marks[region:]...)
		clear(c.marks[own:])
	}
	edits, keeps, names, path := len(c.edits), len(c.keeps), len(c.names), len(c.path)
	if apart {
		c.open++
		end, fits = c.value(n, at, fresh)
		c.open--
	} else {
		end, fits = c.value(n, at, own)
	}
	if own >= 0 && own != region {
		if fits {
			c.merge(region, own)
		}
		c.marks = c.marks[:own]
	}
	if !fits {
		c.edits, c.keeps = c.edits[:edits], c.keeps[:keeps]
	}
	c.names, c.path = c.names[:names], c.path[:path]
	c.plain--
	c.halt = halt || c.costly
	return end, fits
}

// mark makes a region for the value at a position: one mark that says whether a
// schema with properties has looked at it, then one for each of its parts.
func (c *Checker) mark(at int) (region int) {
	region = len(c.marks)
	c.marks = append(c.marks, 0)
	end := c.skip(at)
	if c.src[at] == '{' {
		m := jsonwire.ObjectMembers(c.src[at:end])
		for {
			if _, _, more := m.Next(); !more {
				break
			}
			c.marks = append(c.marks, 0)
		}
	} else {
		e := jsonwire.ArrayElements(c.src[at:end])
		for {
			if _, more := e.Next(); !more {
				break
			}
			c.marks = append(c.marks, 0)
		}
	}
	c.steps -= len(c.marks) - region
	return region
}

// merge adds the marks of a later region to those of one of the same length.
func (c *Checker) merge(region, own int) {
	for i, on := range c.marks[own:] {
		c.marks[region+i] |= on
	}
}

// each calls f for the members of an object that lack a mark, with their pointers as the path.
func (c *Checker) each(at, region int, mark uint8, f func(nameAt, valueAt, valueEnd int)) {
	m := jsonwire.ObjectMembers(c.src[at:])
	path := len(c.path)
	for i := region + 1; ; i++ {
		name, raw, more := m.Next()
		if !more || i >= len(c.marks) {
			return
		}
		if c.marks[i]&mark == 0 {
			if !c.halt {
				c.path = jsonwire.AppendPointerToken(c.path, text(name))
			}
			f(at+m.Offset(), at+m.ValueOffset(), at+m.ValueOffset()+len(raw))
			c.path = c.path[:path]
		}
	}
}

// unevaluated holds the parts that are not marked against unevaluatedProperties or unevaluatedItems.
func (c *Checker) unevaluated(n *node, at, region int) bool {
	ok := true
	path := len(c.path)
	if c.src[at] == '{' {
		c.each(at, region, evaluated, func(nameAt, valueAt, valueEnd int) {
			if !ok && c.halt {
				return
			}
			fits := true
			if n.obj.unevaluated.never {
				fits = c.denyMember("unevaluatedProperties", n, at, nameAt, valueAt, valueEnd)
			} else {
				_, fits = c.value(n.obj.unevaluated, valueAt, fresh)
			}
			ok = ok && fits
		})
	} else {
		e := jsonwire.ArrayElements(c.src[at:])
		for i := region + 1; i < len(c.marks) && (ok || !c.halt); i++ {
			raw, more := e.Next()
			if !more {
				break
			}
			if c.marks[i]&evaluated != 0 {
				continue
			}
			if !c.halt {
				c.path = strconv.AppendInt(append(c.path, '/'), int64(i-region-1), 10)
			}
			from := at + e.Offset()
			if n.arr.unevaluated.never {
				ok = c.deny("unevaluatedItems", n, from, from+len(raw))
			} else if _, fits := c.value(n.arr.unevaluated, from, fresh); !fits {
				ok = false
			}
			c.path = c.path[:path]
		}
	}
	for i := region + 1; i < len(c.marks); i++ {
		c.marks[i] = evaluated | declared
	}
	return ok
}

// dynamic finds the outermost schema in scope that has the anchor, else the one that the reference names.
func (c *Checker) dynamic(p *inPlace) *node {
	if p.dynName != "" {
		for _, res := range c.scope {
			if n := res.dynamic[p.dynName]; n != nil {
				return n
			}
		}
	}
	return p.dynRef
}
