package schema

// Settling computes, once references are resolved, what validation wants to
// know of each node, and refuses what would not end or grow too large.

func (c *compiler) settle(root *node, role Role) (*node, *CompileError) {
	weight := make(map[*node]int, len(c.all))
	for _, n := range c.all {
		if _, err := c.weigh(n, weight, 0); err != nil {
			return nil, err
		}
	}
	c.presets()
	tracks := false
	for _, n := range c.all {
		if !c.dynamic { // a node passed over would be missing from the dynamic scope
			n.inPlaceEdges(shorten)
			n.childEdges(shorten)
		}
		tracks = tracks || n.tracks
	}
	if !c.dynamic {
		shorten(&root)
	}
	declares, chooses := map[*node]bool{}, map[*node]bool{}
	below := c.declaresBelow()
	for _, n := range c.all {
		n.odd = n.tracks || c.dynamic
		p := n.place
		if p == nil {
			continue
		}
		n.chooses = inPlaceAny(n, chooses, (*node).picks)
		n.closes = role == Input && inPlaceAny(n, declares, (*node).declares)
		n.odd = n.odd || n.closes
		n.bare = n.allow == tAll && n.enum == nil && n.konst == nil && n.num == nil && n.str == nil && n.arr == nil && n.obj == nil &&
			(p.ref != nil || p.dynRef != nil || p.allOf != nil || p.anyOf != nil || p.oneOf != nil)
		p.needsAllBranches = tracks || role == Input && below[n]
	}
	return root, nil
}

// presets moves defaults from the schemas of members, or what these refer to, to the members.
func (c *compiler) presets() {
	for _, n := range c.all {
		if n.obj == nil {
			continue
		}
		for i := range n.obj.props {
			one := n.obj.props[i].node
			for one != nil && one.preset == nil && one.place != nil {
				one = one.place.ref
			}
			if one != nil {
				n.obj.props[i].fill = one.preset
			}
		}
	}
}

// shorten points an edge past nodes that only refer.
func shorten(edge **node) {
	for skips(*edge) {
		*edge = (*edge).place.ref
	}
}

// skips says that a node does nothing but refer.
func skips(n *node) bool {
	p := n.place
	return p != nil && p.ref != nil && n.allow == tAll && n.enum == nil && n.konst == nil && n.num == nil && n.str == nil && n.arr == nil &&
		n.obj == nil && p.dynRef == nil && p.allOf == nil && p.anyOf == nil && p.oneOf == nil && p.not == nil && p.cond == nil && p.whenHas == nil
}

// comparesMembers says whether a rule of n could tell that members have been dropped or filled in.
func (n *node) comparesMembers() bool {
	if p := n.place; p != nil && (p.allOf != nil || p.anyOf != nil || p.oneOf != nil || p.not != nil || p.cond != nil || p.whenHas != nil) {
		return true
	}
	if o := n.obj; o != nil && (o.min > 0 || o.max >= 0 || o.names != nil || o.needs != nil || o.patterns != nil || o.unevaluated != nil) {
		return true
	}
	for _, l := range []*literals{n.enum, n.konst} {
		if l != nil && l.kinds&(tObject|tArray) != 0 {
			return true
		}
	}
	return n.arr != nil && (n.arr.unique || n.arr.contains != nil)
}

func (n *node) declares() bool { return n.obj != nil && n.obj.declares }

// picks says that which schemas in place under n apply depends on the value.
func (n *node) picks() bool {
	p := n.place
	return p != nil && (p.anyOf != nil || p.oneOf != nil || p.cond != nil || p.whenHas != nil)
}

// inPlaceAny says whether something is true of n or of a schema in place under it. Such schemas form no loops.
func inPlaceAny(n *node, known map[*node]bool, is func(*node) bool) bool {
	if yes, ok := known[n]; ok {
		return yes
	}
	yes := is(n)
	n.inPlaceEdges(func(in **node) { yes = inPlaceAny(*in, known, is) || yes })
	known[n] = yes
	return yes
}

// declaresBelow finds the schemas that reach one with properties.
func (c *compiler) declaresBelow() map[*node]bool {
	from := map[*node][]*node{}
	below := map[*node]bool{}
	var next []*node
	for _, n := range c.all {
		note := func(to **node) { from[*to] = append(from[*to], n) }
		n.inPlaceEdges(note)
		n.childEdges(note)
		if n.declares() {
			below[n] = true
			next = append(next, n)
		}
	}
	for len(next) > 0 {
		n := next[len(next)-1]
		next = next[:len(next)-1]
		for _, up := range from[n] {
			if !below[up] {
				below[up] = true
				next = append(next, up)
			}
		}
	}
	return below
}

// fillIn makes the defaults ready: each is held against its own schema, and one that does not fit is
// not used. Those further down come first, so that a default that is an object has its own members' defaults.
func (s *Schema) fillIn(n *node, seen map[*node]bool, c *Checker) {
	if seen[n] {
		return
	}
	seen[n] = true
	next := func(in **node) { s.fillIn(*in, seen, c) }
	n.inPlaceEdges(next)
	n.childEdges(next)
	if n.obj == nil {
		return
	}
	for i := range n.obj.props {
		p := &n.obj.props[i]
		if p.fill == nil {
			continue
		}
		text := p.fill
		p.fill = nil
		if p.required || !s.checkAt(c, p.node, text) {
			continue
		}
		p.fill = append([]byte(nil), c.Value...)
		n.obj.defaults++
	}
}
