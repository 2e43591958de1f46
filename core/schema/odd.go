package schema

// What few schemas need stands around value, out of the way of those that do not: marks
// on the parts of a value, and the dynamic scope.

// oddly does what a node wants around value.
func (c *Checker) oddly(n *node, at, region int) (end int, ok bool) {
	scope := len(c.scope)
	if n.res != nil && (scope == 0 || c.scope[scope-1] != n.res) {
		c.scope = append(c.scope, n.res)
	}
	if region == fresh && n.closes && c.open == 0 && c.src[at] == '{' {
		end, ok = c.closed(n, at)
	} else {
		end, ok = c.tracked(n, at, region)
	}
	c.scope = c.scope[:scope]
	return end, ok
}

// closed finds, where several schemas look at one object together, the members that none of them declares.
func (c *Checker) closed(n *node, at int) (end int, ok bool) {
	region := c.mark(at)
	end, ok = c.tracked(n, at, region)
	if c.marks[region] != 0 && (ok || !c.halt && !n.chooses) {
		c.each(at, region, declared, func(nameAt, valueAt, valueEnd int) {
			ok = c.undeclared(n, at, nameAt, valueAt, valueEnd) && ok
		})
	}
	c.marks = c.marks[:region]
	return end, ok
}

// tracked gives a node that has unevaluatedProperties or unevaluatedItems marks of its own: it does not see those of schemas beside it.
func (c *Checker) tracked(n *node, at, region int) (end int, ok bool) {
	kind := c.src[at]
	if !n.tracks || !(kind == '{' && n.obj != nil && n.obj.unevaluated != nil || kind == '[' && n.arr != nil && n.arr.unevaluated != nil) {
		c.entered = n
		return c.value(n, at, region)
	}
	own := c.mark(at)
	c.entered = n
	end, ok = c.value(n, at, own)
	if ok || !c.halt && !n.chooses {
		ok = c.unevaluated(n, at, own) && ok
	}
	if region >= 0 {
		c.merge(region, own)
	}
	c.marks = c.marks[:own]
	return end, ok
}
