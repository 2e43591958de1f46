package schema

import (
	"bytes"
	"slices"

	"aicc.dev/libaicc/core/jsonwire"
)

// Repair undoes slips of the encoding, where a type is wrong: a value inside a string, null
// for a member that may be absent. It never invents a value.

const maxRepairs = 16

// repair tries what the slips of the last run allow, and checks the outcome once, on the steps that are left.
func (c *Checker) repair(root *node) bool {
	if len(c.slips) == 0 {
		return false
	}
	c.edits, c.keeps = c.edits[:0], c.keeps[:0]
	c.Repaired = c.Repaired[:0]
	slices.SortStableFunc(c.slips, func(a, b slip) int { return a.at - b.at })
	last := none
	for i := range c.slips {
		s := &c.slips[i]
		if s.at == last {
			continue
		}
		e, ok := c.mend(s)
		if !ok || len(c.edits) == maxRepairs {
			c.Repaired = c.Repaired[:0]
			return false // the value would not fit
		}
		last = s.at
		c.edits = append(c.edits, e)
		c.Repaired = append(c.Repaired, s.pointer)
	}
	c.mended = c.rewrite(c.mended[:0], true)
	var scan jsonwire.Scanner
	steps, src := c.steps, c.src
	faults := append([]Fault(nil), c.Faults...)
	noted := c.noted
	if _, bad := scan.Check(c.mended); bad == nil {
		c.steps = steps
		c.Value = c.mended
		if c.run(c.s, root, c.mended, true) && c.accept(root) {
			c.Faults = c.Faults[:0]
			return true
		}
	}
	c.src, c.Value, c.Faults, c.noted = src, src, append(c.Faults[:0], faults...), noted
	c.Repaired = c.Repaired[:0]
	c.costly = false
	return false
}

// mend says how one slip could be undone.
func (c *Checker) mend(s *slip) (edit, bool) {
	end := jsonwire.Skip(c.src, s.at)
	raw := c.src[s.at:end]
	whole := edit{from: s.at, to: end}
	absent := edit{from: s.nameAt, to: end}
	optional := s.nameAt != none && s.optional
	switch jsonwire.KindOf(raw) {
	case jsonwire.Null:
		return absent, optional
	case jsonwire.String:
		inside := unfence(bytes.TrimSpace([]byte(text(raw))))
		var scan jsonwire.Scanner
		info, bad := scan.Check(inside)
		if bad != nil {
			return whole, false
		}
		whole.text = inside[info.Start:info.End]
		if info.Kind == jsonwire.Null && s.node.allow&tNull == 0 {
			return absent, optional
		}
		return whole, s.node.allow&typeOf(whole.text) != 0
	}
	return whole, false
}

// unfence takes the text out of a Markdown code block.
func unfence(text []byte) []byte {
	inside, ok := bytes.CutPrefix(text, []byte("```"))
	if !ok {
		return text
	}
	inside, ok = bytes.CutSuffix(inside, []byte("```"))
	if !ok {
		return text
	}
	if rest, ok := bytes.CutPrefix(inside, []byte("json")); ok {
		inside = rest
	}
	return bytes.TrimSpace(inside)
}

func typeOf(raw []byte) types {
	switch jsonwire.KindOf(raw) {
	case jsonwire.Null:
		return tNull
	case jsonwire.Bool:
		return tBool
	case jsonwire.Number:
		if jsonwire.IsInteger(raw) {
			return tInteger
		}
		return tFraction
	case jsonwire.Array:
		return tArray
	case jsonwire.Object:
		return tObject
	}
	return 0 // a string inside a string is no slip
}
