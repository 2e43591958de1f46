package schema

import (
	"bytes"
	"slices"

	"aicc.dev/libaicc/core/jsonwire"
)

// Rewriting makes the effective value: the text that came, less the members that
// nobody declares, plus defaults and repairs.

// edit replaces src[from:to]. A cut takes a member with its comma; with a name it puts a member in before
// the end of an object; else text takes the place of a value.
type edit struct {
	from, to int
	name     string
	text     []byte
}

// accept makes Value of a value that fits. Where a rule may count or compare what is dropped or filled in, the outcome has to
// fit as well: without the defaults if it must be, and else the value does not fit after all.
func (c *Checker) accept(root *node) bool {
	if len(c.edits) == 0 {
		return true
	}
	fills := 0
	for i := range c.edits {
		if c.edits[i].name != "" {
			fills++
		}
	}
	c.built = c.rewrite(c.built[:0], true)
	if c.s.rechecks && !c.stillFits(root) {
		c.built = c.rewrite(c.built[:0], false)
		if fills < len(c.edits) && (fills == 0 || !c.stillFits(root)) {
			c.run(c.s, root, c.built, false)
			return false
		}
	}
	c.Value = c.built
	return true
}

// stillFits holds what is built against the schema once more, and leaves the checker as it was.
func (c *Checker) stillFits(root *node) bool {
	src, edits, keeps := c.src, slices.Clone(c.edits), slices.Clone(c.keeps)
	fits := c.run(c.s, root, c.built, true)
	c.src, c.edits, c.keeps = src, append(c.edits[:0], edits...), append(c.keeps[:0], keeps...)
	return fits
}

// rewrite appends src with the edits made.
func (c *Checker) rewrite(dst []byte, fill bool) []byte {
	slices.SortStableFunc(c.edits, func(a, b edit) int { return a.from - b.from })
	slices.Sort(c.keeps)
	at := 0
	for i := range c.edits {
		e := &c.edits[i]
		switch {
		case e.from < at:
			continue // inside what is gone, or made already
		case e.name != "":
			if fill && !c.filled(i) {
				dst = append(dst, c.src[at:e.from]...)
				at = e.from
				dst = appendMember(dst, e)
			}
		case e.text != nil:
			dst = append(append(dst, c.src[at:e.from]...), e.text...)
			at = e.to
		default:
			if _, kept := slices.BinarySearch(c.keeps, e.from); kept {
				continue // another schema knows it
			}
			dst = append(dst, c.src[at:e.from]...)
			if at = jsonwire.SkipSpace(c.src, e.to); c.src[at] == ',' {
				at = jsonwire.SkipSpace(c.src, at+1)
			} else {
				dst = bytes.TrimSuffix(bytes.TrimRight(dst, " \t\r\n"), []byte(","))
			}
		}
	}
	return append(dst, c.src[at:]...)
}

// filled says whether an edit before puts the same member into the same object.
func (c *Checker) filled(i int) bool {
	e := &c.edits[i]
	for i--; i >= 0 && c.edits[i].from == e.from; i-- {
		if c.edits[i].name == e.name {
			return true
		}
	}
	return false
}

func appendMember(dst []byte, e *edit) []byte {
	dst = bytes.TrimRight(dst, " \t\r\n")
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst, _ = jsonwire.AppendString(dst, e.name)
	return append(append(dst, ':'), e.text...)
}
