package schema

import (
	"aicc.dev/libaicc/core/jsonwire"
)

// Bounds on one check.
const (
	stepsPerByte = 64
	leastSteps   = 65536
	maxFaults    = 16
	maxNoted     = 1024 // faults kept before they are sorted and cut to 16
	maxHintSteps = 1 << 18
	maxTurns     = 512
)

// Checker holds what a check leaves behind and the memory it works in. The zero value is ready; reuse it, one goroutine at a time. What it
// gives out is valid until the next check.
type Checker struct {
	Value    []byte
	Faults   []Fault
	More     int
	Repaired []string

	s      *Schema
	src    []byte
	steps  int
	halt   bool // stop at the first fault and note none
	costly bool // the steps ran out
	hints  int  // steps left for the search of misspelt names
	open   int  // over 0: undeclared members are nobody's business here
	plain  int  // over 0: no defaults here
	turns  int  // dynamic references inside each other
	choice int  // over 0: under anyOf, oneOf or not, where nothing is repaired

	entered *node // is about to be looked at, and what is odd about it is seen to

	path  []byte
	names []byte
	marks []uint8
	scope []*resource
	edits []edit
	keeps []int
	items []hashed
	slips []slip
	noted int

	built, mended []byte
}

// Regions of a value whose evaluated parts nobody asks for. fresh says, too, that n is the first to look at it.
const (
	none  = -1
	fresh = -2
)

// Marks on the parts of a value.
const (
	evaluated = 1 << iota // as unevaluatedProperties and unevaluatedItems mean it
	declared              // a member of a name that the schema has
)

// Check holds raw, which a jsonwire.Scanner has accepted, against the schema.
func (s *Schema) Check(c *Checker, raw []byte) (ok bool) {
	return s.checkAt(c, s.root, raw)
}

func (s *Schema) checkAt(c *Checker, root *node, raw []byte) bool {
	c.Faults, c.More, c.Repaired = c.Faults[:0], 0, c.Repaired[:0]
	c.Value, c.hints = raw, maxHintSteps
	c.steps = max(leastSteps, stepsPerByte*len(raw))
	if c.run(s, root, raw, true) {
		if c.accept(root) {
			return true
		}
	} else if !c.costly {
		c.run(s, root, raw, false)
		if s.repairs && !c.costly && c.repair(root) {
			return true
		}
	}
	if c.costly && c.noted == 0 {
		c.path = c.path[:0]
		c.note("", "a value that can be checked in fewer steps: this one is too costly", string(jsonwire.AppendInt(nil, int64(len(raw))))+" bytes")
	}
	c.sortFaults()
	return false
}

// run goes once over a value.
func (c *Checker) run(s *Schema, root *node, raw []byte, halt bool) bool {
	c.s, c.src, c.halt, c.costly = s, raw, halt, false
	c.open, c.plain, c.choice, c.turns, c.noted = 0, 0, 0, 0, 0
	if !s.input {
		c.open, c.plain = 1, 1
	}
	c.path, c.names, c.marks, c.scope = c.path[:0], c.names[:0], c.marks[:0], c.scope[:0]
	c.edits, c.keeps, c.items, c.slips = c.edits[:0], c.keeps[:0], c.items[:0], c.slips[:0]
	_, ok := c.value(root, jsonwire.SkipSpace(raw, 0), fresh)
	return ok && !c.costly
}

// value checks the value at a position. The end it gives is right unless the check is to halt at a fault. region is
// where the parts that schemas evaluate are marked; fresh when no schema beside n has looked at the value; or none.
func (c *Checker) value(n *node, at, region int) (end int, ok bool) {
	if n.odd {
		if c.entered != n {
			return c.oddly(n, at, region)
		}
		c.entered = nil
	}
	if c.steps--; c.steps < 0 {
		c.costly, c.halt = true, true
		return at, false
	}
	if n.bare {
		return c.inPlace(n, at, region)
	}
	ok = true
	switch c.src[at] {
	case '"':
		if n.allow&tString == 0 {
			return c.wrongType(n, at)
		}
		var escaped bool
		end, escaped = stringEnd(c.src, at)
		c.steps -= (end - at) >> 4
		if n.str != nil {
			ok = c.text(n, at, end, escaped)
		}
	case '{':
		if n.allow&tObject == 0 {
			return c.wrongType(n, at)
		}
		switch {
		case n.obj == nil:
			end = c.skip(at)
		case n.obj.lean && c.halt && region < 0 && !c.s.keeps:
			end, ok = c.lean(n, at, region)
		default:
			end, ok = c.object(n, at, region)
		}
	case '[':
		if n.allow&tArray == 0 {
			return c.wrongType(n, at)
		}
		if n.arr != nil {
			end, ok = c.array(n, at, region)
		} else {
			end = c.skip(at)
		}
	case 't', 'f':
		if n.allow&tBool == 0 {
			return c.wrongType(n, at)
		}
		end = at + 4
		if c.src[at] == 'f' {
			end++
		}
	case 'n':
		if n.allow&tNull == 0 {
			return c.wrongType(n, at)
		}
		end = at + 4
	default:
		if end, ok = c.number(n, at); end == at {
			return c.wrongType(n, at)
		}
	}
	if !ok && c.halt {
		return end, false
	}
	if n.enum != nil && !c.among(n.enum, at, end) {
		ok = c.deny("enum", n, at, end)
	}
	if n.konst != nil && !c.among(n.konst, at, end) {
		ok = c.deny("const", n, at, end)
	}
	if n.place != nil && (ok || !c.halt) {
		_, fits := c.inPlace(n, at, region)
		ok = ok && fits
	}
	return end, ok
}

// skip goes past a value, for its price.
func (c *Checker) skip(at int) int {
	end := jsonwire.Skip(c.src, at)
	c.steps -= (end - at) >> 4
	return end
}

// stringEnd gives the position behind a string, and whether it has to be decoded.
func stringEnd(src []byte, at int) (end int, escaped bool) {
	for i, b := range src[at+1:] {
		if b == '"' {
			return at + i + 2, false
		}
		if b == '\\' {
			return jsonwire.Skip(src, at), true
		}
	}
	return len(src), false
}

// among says whether a value is one of the literals.
func (c *Checker) among(l *literals, at, end int) bool {
	raw := c.src[at:end]
	if raw[0] == '"' {
		if l.kinds&tString == 0 {
			return false
		}
		mark := len(c.names)
		text := c.decode(raw)
		fits := false
		if l.set != nil {
			_, fits = l.set[string(text)]
		} else {
			for _, t := range l.texts {
				if t == string(text) {
					fits = true
					break
				}
			}
		}
		c.names = c.names[:mark]
		return fits
	}
	if l.hashes != nil {
		c.steps -= 1 + len(raw)>>3
		i, ok := l.hashes[jsonwire.Hash(raw)]
		return ok && jsonwire.Equal(l.raw[i], raw)
	}
	for _, lit := range l.raw {
		if string(lit) == string(raw) || jsonwire.KindOf(lit) == jsonwire.KindOf(raw) && jsonwire.Equal(lit, raw) {
			return true
		}
		c.steps -= 1 + len(lit)>>2
	}
	return false
}

// decode gives what a string means; the caller cuts c.names back when done with it.
func (c *Checker) decode(raw []byte) []byte {
	if !jsonwire.HasEscape(raw) {
		return raw[1 : len(raw)-1]
	}
	from := len(c.names)
	c.names, _ = jsonwire.AppendUnquoted(c.names, raw)
	return c.names[from:]
}

// skipSpace is jsonwire.SkipSpace with the usual case, no space at all, in line.
func skipSpace(src []byte, at int) int {
	if src[at] > ' ' {
		return at
	}
	return jsonwire.SkipSpace(src, at)
}
