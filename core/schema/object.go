package schema

import "aicc.dev/libaicc/core/jsonwire"

// object checks an object's members, in one pass that also finds its end.
func (c *Checker) object(n *node, at, region int) (end int, ok bool) {
	o, src := n.obj, c.src
	ok = true
	count, missing, unset, near := 0, o.required, o.defaults, 0
	path, names := len(c.path), len(c.names)
	ends := c.open == 0 && region == fresh && o.declares // undeclared members are found here
	if region >= 0 && o.declares {
		c.marks[region] = evaluated
	}
	next := skipSpace(src, at+1)
	for src[next] != '}' {
		nameAt := next
		p, i, escaped := nameAt, none, false
		if near < len(o.props) { // members mostly come in the order in which they are declared
			if q := o.props[near].quoted; len(src)-p > len(q) && string(src[p:p+len(q)]) == q {
				i, p = near, p+len(q)
			}
		}
		if i < 0 {
			p, escaped = stringEnd(src, nameAt)
		}
		name := src[nameAt+1 : p-1]
		if escaped {
			name = c.decode(src[nameAt:p])
		}
		valueAt := skipSpace(src, skipSpace(src, p)+1)
		valueEnd := none
		if !c.halt {
			c.path = jsonwire.AppendPointerToken(c.path, name)
		}
		fits := true
		if i < 0 {
			i = o.find(name)
		}
		if i >= 0 {
			near = i + 1
			d := &o.props[i]
			if d.required {
				missing--
			}
			if d.fill != nil {
				unset--
			}
			if d.node != nil {
				slips := len(c.slips)
				valueEnd, fits = c.value(d.node, valueAt, fresh)
				if !c.halt {
					c.slipOf(slips, valueAt, nameAt, !d.required)
				}
			}
		}
		for k := range o.patterns {
			if (fits || !c.halt) && c.matches(o.patterns[k].pattern, name) {
				e, good := c.value(o.patterns[k].node, valueAt, fresh)
				valueEnd, fits = e, fits && good
			}
		}
		if !fits && c.halt {
			return p, false
		}
		looked := uint8(evaluated | declared)
		switch {
		case valueEnd != none:
		case o.additional == nil:
			valueEnd = c.skip(valueAt)
			looked = 0
			if i >= 0 { // only asked for: not evaluated, and yet not unknown
				looked = declared
			} else if ends {
				fits = c.undeclared(n, at, nameAt, valueAt, valueEnd)
			}
		case o.additional.never:
			valueEnd = c.skip(valueAt)
			fits = c.denyMember("additionalProperties", n, at, nameAt, valueAt, valueEnd)
		default:
			valueEnd, fits = c.value(o.additional, valueAt, fresh)
		}
		if region >= 0 {
			c.marks[region+1+count] |= looked
		}
		if looked != 0 && c.s.keeps && c.open == 0 {
			c.keeps = append(c.keeps, nameAt)
		}
		if fits && o.names != nil {
			fits = c.nameFits(n, nameAt)
		}
		if escaped {
			c.names = c.names[:names]
		}
		if !c.halt {
			c.path = c.path[:path]
		}
		if !fits {
			if c.halt {
				return p, false
			}
			ok = false
		}
		count++
		if next = skipSpace(src, valueEnd); src[next] == ',' {
			next = skipSpace(src, next+1)
		}
	}
	end = next + 1
	c.steps -= count
	if missing > 0 {
		ok = c.denyMissing(n, at, end)
	}
	if count < o.min {
		ok = c.deny("minProperties", n, at, end)
	}
	if o.max >= 0 && count > o.max {
		ok = c.deny("maxProperties", n, at, end)
	}
	if o.needs != nil && !c.needed(n, at, end) {
		ok = false
	}
	if unset > 0 && c.plain == 0 && ok {
		c.setDefaults(o, at, end)
	}
	return end, ok
}

// lean is object for the usual case: the first run over a value, rules that look at single members alone, nothing to be marked. It does
// what object does, with less to ask on the way.
func (c *Checker) lean(n *node, at, region int) (end int, ok bool) {
	o, src := n.obj, c.src
	count, missing, unset, near := 0, o.required, o.defaults, 0
	next := skipSpace(src, at+1)
	for src[next] != '}' {
		nameAt, i := next, none
		var p int
		if near < len(o.props) {
			if q := o.props[near].quoted; len(src)-nameAt > len(q) && string(src[nameAt:nameAt+len(q)]) == q {
				i, p = near, nameAt+len(q)
			}
		}
		if i < 0 {
			var escaped bool
			if p, escaped = stringEnd(src, nameAt); !escaped {
				i = o.find(src[nameAt+1 : p-1])
			} else {
				names := len(c.names)
				i = o.find(c.decode(src[nameAt:p]))
				c.names = c.names[:names]
			}
		}
		valueAt := skipSpace(src, skipSpace(src, p)+1)
		one := o.additional
		if i >= 0 {
			near = i + 1
			d := &o.props[i]
			if d.required {
				missing--
			}
			if d.fill != nil {
				unset--
			}
			if d.node != nil {
				one = d.node
			}
		}
		var valueEnd int
		if one != nil {
			var fits bool
			if valueEnd, fits = c.value(one, valueAt, fresh); !fits {
				return p, false
			}
		} else if valueEnd = c.skip(valueAt); i < 0 && o.declares && c.open == 0 && region == fresh && !c.undeclared(n, at, nameAt, valueAt, valueEnd) {
			return p, false
		}
		count++
		if next = skipSpace(src, valueEnd); src[next] == ',' {
			next = skipSpace(src, next+1)
		}
	}
	end = next + 1
	c.steps -= count
	if missing > 0 || count < o.min || o.max >= 0 && count > o.max {
		return end, false
	}
	if unset > 0 && c.plain == 0 {
		c.setDefaults(o, at, end)
	}
	return end, true
}

// nameFits holds a member's name against propertyNames.
func (c *Checker) nameFits(n *node, nameAt int) bool {
	halt := c.halt
	c.halt = true
	c.open++
	c.plain++
	_, fits := c.value(n.obj.names, nameAt, fresh)
	c.open--
	c.plain--
	c.halt = halt || c.costly
	if !fits {
		return c.deny("propertyNames", n, nameAt, jsonwire.Skip(c.src, nameAt))
	}
	return true
}

// needed checks dependentRequired, and dependencies that are lists.
func (c *Checker) needed(n *node, at, end int) bool {
	ok := true
	object := c.src[at:end]
	for i := range n.obj.needs {
		d := &n.obj.needs[i]
		c.steps -= (end - at) >> 4
		if _, has := jsonwire.Lookup(object, d.name); !has {
			continue
		}
		for _, need := range d.needs {
			c.steps -= 1 + (end-at)>>4
			if _, has := jsonwire.Lookup(object, need); has {
				continue
			}
			if c.halt {
				return false
			}
			ok = c.denyNeeded(d, need)
		}
	}
	return ok && c.steps >= 0
}

// setDefaults notes what to put in for members that are absent.
func (c *Checker) setDefaults(o *objectRules, at, end int) {
	for i := range o.props {
		if p := &o.props[i]; p.fill != nil {
			if _, has := jsonwire.Lookup(c.src[at:end], p.name); !has {
				c.edits = append(c.edits, edit{from: end - 1, to: end - 1, name: p.name, text: p.fill})
			}
			c.steps -= 1 + (end-at)>>4
		}
	}
}

// undeclared is for a member that no schema declares: a fault under strict_input, else dropped.
func (c *Checker) undeclared(n *node, at, nameAt, valueAt, valueEnd int) bool {
	if c.s.strict {
		return c.denyMember("strict_input", n, at, nameAt, valueAt, valueEnd)
	}
	c.edits = append(c.edits, edit{from: nameAt, to: valueEnd})
	return true
}
