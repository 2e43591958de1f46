package schema

import (
	"slices"
	"strings"
	"unicode"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/near"
)

// Describing says in a few words what a schema wants.

const (
	maxListed   = 12 // values or names in one list
	maxDescribe = 3  // schemas inside each other
)

func describe(n *node, depth int) string {
	switch {
	case n.never:
		return "nothing"
	case n.konst != nil:
		return oneOf(n.konst)
	case n.enum != nil:
		return oneOf(n.enum)
	}
	if n.allow != tAll {
		return describeTypes(n, depth)
	}
	if p := n.place; p != nil && depth < maxDescribe {
		switch {
		case p.ref != nil:
			return describe(p.ref, depth+1)
		case p.anyOf != nil:
			return describeAll(p.anyOf, depth+1)
		case p.oneOf != nil:
			return describeAll(p.oneOf, depth+1)
		}
		for _, one := range p.allOf {
			if s := describe(one, depth+1); s != "a value" {
				return s
			}
		}
	}
	switch {
	case n.obj != nil:
		return describeObject(n)
	case n.str != nil:
		return describeString(n.str)
	case n.num != nil:
		return "a number" + describeRange(n.num)
	case n.arr != nil:
		return describeArray(n, depth)
	}
	return "a value"
}

func describeTypes(n *node, depth int) string {
	var parts []string
	left := n.allow
	for _, t := range typeNames {
		if left&t.bits != t.bits {
			continue
		}
		left &^= t.bits
		switch t.bits {
		case tInteger:
			parts = append(parts, "an integer"+describeRange(n.num))
		case tNumber:
			parts = append(parts, "a number"+describeRange(n.num))
		case tString:
			parts = append(parts, describeString(n.str))
		case tArray:
			parts = append(parts, describeArray(n, depth))
		case tObject:
			parts = append(parts, describeObject(n))
		case tBool:
			parts = append(parts, "a boolean")
		default:
			parts = append(parts, t.name)
		}
	}
	return list(parts, "or")
}

func describeRange(r *numberRules) string {
	if r == nil {
		return ""
	}
	var parts []string
	for _, one := range []struct {
		b    *bound
		word string
	}{{r.min, "at least "}, {r.above, "over "}, {r.max, "at most "}, {r.below, "under "}} {
		if one.b != nil {
			parts = append(parts, one.word+string(one.b.text))
		}
	}
	if r.multiple != nil {
		parts = append(parts, "a multiple of "+string(r.multiple.text))
	}
	if parts == nil {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func describeString(r *stringRules) string {
	switch {
	case r == nil:
		return "a string"
	case r.format != nil:
		return "a string (" + formatWords(r.formatName) + ")"
	case r.pattern != nil:
		return "a string that matches " + r.pattern.source
	}
	var parts []string
	if r.min > 0 {
		parts = append(parts, "at least "+plural(r.min, "character"))
	}
	if r.max >= 0 {
		parts = append(parts, "at most "+plural(r.max, "character"))
	}
	if parts == nil {
		return "a string"
	}
	return "a string (" + strings.Join(parts, ", ") + ")"
}

func describeArray(n *node, depth int) string {
	if n.arr == nil || n.arr.items == nil || n.arr.items.never || n.arr.prefix != nil || depth >= maxDescribe {
		return "an array"
	}
	if s := describe(n.arr.items, depth+1); s != "a value" {
		return "an array, each item " + s
	}
	return "an array"
}

func describeObject(n *node) string {
	if n.obj == nil || n.obj.required == 0 {
		return "an object"
	}
	var needs []string
	for i := range n.obj.props {
		if n.obj.props[i].required {
			needs = append(needs, quote(n.obj.props[i].name))
		}
	}
	return "an object with " + list(needs, "and")
}

// describeAll says what the branches of anyOf or oneOf want.
func describeAll(branches []*node, depth int) string {
	var parts []string
	seen := map[string]bool{}
	for _, one := range branches {
		if len(parts) > maxListed {
			break
		}
		if s := describe(one, depth+1); !seen[s] && s != "nothing" {
			seen[s] = true
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 || len(parts) == 1 && parts[0] == "a value" {
		return "a value that fits one of " + plural(len(branches), "form")
	}
	return list(parts, "or")
}

// list joins with commas and a word before the last.
func list(parts []string, word string) string {
	if len(parts) > maxListed {
		more := len(parts) - maxListed
		return strings.Join(parts[:maxListed], ", ") + " " + word + " " + plural(more, "other")
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " " + word + " " + parts[len(parts)-1]
}

// quoteAll quotes what list will show.
func quoteAll(names []string) []string {
	out := make([]string, len(names))
	for i, s := range names {
		if i < maxListed {
			s = snippet([]byte(quote(s)))
		}
		out[i] = s
	}
	return out
}

// oneOf lists the allowed values.
func oneOf(l *literals) string {
	parts := make([]string, len(l.raw))
	for i, raw := range l.raw {
		if i < maxListed {
			parts[i] = snippet(raw)
		}
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return "one of " + list(parts, "or")
}

// hint says which name was probably meant by a string that came.
func (c *Checker) hint(raw []byte, known []string) string {
	if jsonwire.KindOf(raw) == jsonwire.String && len(known) > 0 {
		if near := c.nearest(text(raw), known); near != "" {
			return " (did you mean " + quote(near) + "?)"
		}
	}
	return ""
}

// nearest looks for a name, for its price; without the steps it finds none.
func (c *Checker) nearest(name string, known []string) string {
	price := len(known) * (4 + len(name)*min(len(name), longestName)>>2)
	if price > c.hints {
		return ""
	}
	c.hints -= price
	return nearest(name, known)
}

// names lists the members that a schema, and those in place under it, declare.
func names(n *node, out []string, depth int) []string {
	if n.obj != nil {
		for i := range n.obj.props {
			if name := n.obj.props[i].name; depth == 0 || len(out) > 64 || !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	if depth < maxDescribe {
		n.inPlaceEdges(func(in **node) { out = names(*in, out, depth+1) })
	}
	return out
}

const longestName = 64 // of which another may be a misspelling

// nearest finds the name that differs least from one, or "" when none is near: the
// same but for case and separators, or a slip of the finger or two.
func nearest(name string, known []string) string {
	if len(name) > longestName || name == "" {
		return ""
	}
	best, least := "", 1+(len(name)+1)/3
	if least > 3 {
		least = 3
	}
	folded := fold(name)
	for _, k := range known {
		if k == name || len(k) > longestName {
			continue
		}
		if fold(k) == folded {
			return k
		}
		if d := near.Distance(strings.ToLower(name), strings.ToLower(k), least); d < least {
			best, least = k, d
		}
	}
	return best
}

// fold leaves out case and separators.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}
