package schema

import (
	"slices"
	"strconv"

	"aicc.dev/libaicc/core/jsonwire"
)

// array checks an array's items, in one pass that also finds its end.
func (c *Checker) array(n *node, at, region int) (end int, ok bool) {
	a, src := n.arr, c.src
	ok = true
	count, contained := 0, 0
	path := len(c.path)
	p := skipSpace(src, at+1)
	for src[p] != ']' {
		item, itemEnd, fits := p, 0, true
		if !c.halt {
			c.path = strconv.AppendInt(append(c.path, '/'), int64(count), 10)
		}
		switch {
		case count < len(a.prefix):
			itemEnd, fits = c.value(a.prefix[count], p, fresh)
		case a.items == nil:
			itemEnd = c.skip(p)
		case a.items.never:
			itemEnd = c.skip(p)
			fits = c.denyItem(n, p, itemEnd)
		default:
			itemEnd, fits = c.value(a.items, p, fresh)
		}
		if region >= 0 && (count < len(a.prefix) || a.items != nil) {
			c.marks[region+1+count] = evaluated | declared
		}
		if fits && a.contains != nil {
			if _, in := c.try(a.contains, item, none, true); in {
				contained++
				if region >= 0 {
					c.marks[region+1+count] = evaluated | declared
				}
			}
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
		if p = skipSpace(src, itemEnd); src[p] == ',' {
			p = skipSpace(src, p+1)
		}
	}
	end = p + 1
	c.steps -= count
	if count < a.min {
		ok = c.deny("minItems", n, at, end)
	}
	if a.max >= 0 && count > a.max {
		ok = c.deny("maxItems", n, at, end)
	}
	if a.contains != nil && ok {
		if contained < a.minContains {
			ok = c.deny("contains", n, at, end)
		}
		if a.maxContains >= 0 && contained > a.maxContains {
			ok = c.deny("maxContains", n, at, end)
		}
	}
	if a.unique && count > 1 && (ok || !c.halt) {
		if first, second := c.twins(at, end, count); second > 0 {
			ok = c.denyTwins(n, at, end, first, second)
		}
	}
	return end, ok
}

// hashed is an item of an array whose items must differ.
type hashed struct {
	hash     [16]byte
	from, to int
	index    int
}

// twins finds the first item that equals one before it, by hash; both are -1 when all differ.
func (c *Checker) twins(at, end, count int) (first, second int) {
	base := len(c.items)
	e := jsonwire.ArrayElements(c.src[at:end])
	for i := 0; ; i++ {
		raw, more := e.Next()
		if !more {
			break
		}
		from := at + e.Offset()
		c.items = append(c.items, hashed{jsonwire.Hash(raw), from, from + len(raw), i})
		c.steps -= 1 + len(raw)>>3
	}
	items := c.items[base:]
	slices.SortFunc(items, func(a, b hashed) int {
		if d := slices.Compare(a.hash[:], b.hash[:]); d != 0 {
			return d
		}
		return a.index - b.index
	})
	first, second = -1, -1
	for i := 1; i < len(items); i++ {
		a, b := items[i-1], items[i]
		if a.hash == b.hash && (second < 0 || b.index < second) && jsonwire.Equal(c.src[a.from:a.to], c.src[b.from:b.to]) {
			first, second = a.index, b.index
		}
	}
	c.items = c.items[:base]
	return first, second
}
