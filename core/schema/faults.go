package schema

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"aicc.dev/libaicc/core/jsonwire"
)

// Faults are noted on a second run over a value that did not fit, in words for whoever sent it.

// slip is a value of a wrong type where repair may look.
type slip struct {
	node     *node
	at       int
	nameAt   int // of the member whose value it is, or none
	optional bool
	pointer  string
}

// noting says whether a fault is worth its words; one that is not is counted.
func (c *Checker) noting() bool {
	if !c.halt && c.noted >= maxNoted {
		c.noted++
		return false
	}
	return !c.halt
}

// Bounds on a fault's words; only a strange schema or value meets them.
const (
	maxWant    = 600
	maxPointer = 512
	maxSlips   = 4 * maxRepairs // noted: more could not be repaired, even with several schemas for one value
)

// note adds a fault at the path.
func (c *Checker) note(keyword, want, got string) {
	if len(want) > maxWant {
		want = strings.ToValidUTF8(want[:maxWant], "") + "..."
	}
	path := c.path
	if len(path) > maxPointer {
		path = append(path[:maxPointer:maxPointer], "..."...)
	}
	c.noted++
	c.Faults = append(c.Faults, Fault{strings.ToValidUTF8(string(path), ""), keyword, want, got})
}

// sortFaults puts faults in order, drops those that several schemas found alike, and cuts them to 16.
func (c *Checker) sortFaults() {
	slices.SortFunc(c.Faults, func(a, b Fault) int {
		if d := strings.Compare(a.Pointer, b.Pointer); d != 0 {
			return d
		}
		if d := strings.Compare(a.Keyword, b.Keyword); d != 0 {
			return d
		}
		return strings.Compare(a.Want, b.Want)
	})
	all := len(c.Faults)
	c.Faults = slices.Compact(c.Faults)
	c.noted -= all - len(c.Faults)
	if len(c.Faults) > maxFaults {
		c.Faults = c.Faults[:maxFaults]
	}
	c.More = c.noted - len(c.Faults)
}

// Message is the faults as text for the agent, one line each.
func (c *Checker) Message() string {
	var b strings.Builder
	for i, f := range c.Faults {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(f.String())
	}
	if c.More > 0 {
		b.WriteString("\nand " + strconv.Itoa(c.More) + " more")
	}
	return b.String()
}

// wrongType is for a value of a type that is not wanted.
func (c *Checker) wrongType(n *node, at int) (end int, ok bool) {
	if c.halt {
		return at, false
	}
	end = c.skip(at)
	if n.never {
		return end, c.deny("false", n, at, end)
	}
	if c.choice == 0 && len(c.slips) < maxSlips && len(c.path) <= maxPointer {
		c.slips = append(c.slips, slip{node: n, at: at, nameAt: none, pointer: string(c.path)})
	}
	return end, c.deny("type", n, at, end)
}

// slipOf tells the slips at a position which member they are.
func (c *Checker) slipOf(from, valueAt, nameAt int, optional bool) {
	for i := from; i < len(c.slips); i++ {
		if c.slips[i].at == valueAt && c.slips[i].nameAt == none {
			c.slips[i].nameAt, c.slips[i].optional = nameAt, optional
		}
	}
}

// deny notes that a keyword says no to a value. It is always false.
func (c *Checker) deny(keyword string, n *node, at, end int) bool {
	if c.noting() {
		c.note(keyword, c.want(keyword, n, at, end), snippet(c.src[at:end]))
	}
	return false
}

func (c *Checker) want(keyword string, n *node, at, end int) string {
	switch keyword {
	case "type":
		return describe(n, 0)
	case "enum":
		return oneOf(n.enum) + c.hint(c.src[at:end], n.enum.texts)
	case "const":
		return oneOf(n.konst)
	case "false":
		return "nothing here"
	case "minLength":
		return "a string of at least " + plural(n.str.min, "character")
	case "maxLength":
		return "a string of at most " + plural(n.str.max, "character")
	case "pattern":
		return "a string that matches " + n.str.pattern.source
	case "format":
		return "a string that is " + formatWords(n.str.formatName)
	case "minimum":
		return "a number of at least " + string(n.num.min.text)
	case "maximum":
		return "a number of at most " + string(n.num.max.text)
	case "exclusiveMinimum":
		return "a number over " + string(n.num.above.text)
	case "exclusiveMaximum":
		return "a number under " + string(n.num.below.text)
	case "multipleOf":
		return "a multiple of " + string(n.num.multiple.text)
	case "minItems":
		return "at least " + plural(n.arr.min, "item")
	case "maxItems":
		return "at most " + plural(n.arr.max, "item")
	case "contains":
		return "at least " + plural(n.arr.minContains, "item") + " that is " + describe(n.arr.contains, 0)
	case "maxContains":
		return "at most " + plural(n.arr.maxContains, "item") + " that is " + describe(n.arr.contains, 0)
	case "unevaluatedItems":
		return "no item here"
	case "minProperties":
		return "at least " + plural(n.obj.min, "member")
	case "maxProperties":
		return "at most " + plural(n.obj.max, "member")
	case "propertyNames":
		return "a member name that is " + describe(n.obj.names, 0)
	case "not":
		return "anything but " + describe(n.place.not, 0)
	}
	return "another value"
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// denyItem is for an item beyond those allowed.
func (c *Checker) denyItem(n *node, at, end int) bool {
	if c.noting() {
		c.note(n.arr.itemsName, "no item here: at most "+plural(len(n.arr.prefix), "item"), snippet(c.src[at:end]))
	}
	return false
}

func (c *Checker) denyTwins(n *node, at, end, first, second int) bool {
	if c.noting() {
		c.note("uniqueItems", "items that differ: item "+strconv.Itoa(second)+" equals item "+strconv.Itoa(first), snippet(c.src[at:end]))
	}
	return false
}

// denyMember is for a member that may not be there; the path leads to it.
func (c *Checker) denyMember(keyword string, n *node, at, nameAt, valueAt, valueEnd int) bool {
	if !c.noting() {
		return false
	}
	known := names(n, nil, 0)
	want := "no member of this name"
	if hint := c.hint(c.src[nameAt:jsonwire.Skip(c.src, nameAt)], known); hint != "" {
		want += hint
	} else if len(known) > 0 {
		want += " (known: " + list(quoteAll(known), "and") + ")"
	}
	c.note(keyword, want, snippet(c.src[valueAt:valueEnd]))
	return false
}

// denyMissing notes each required member that is absent.
func (c *Checker) denyMissing(n *node, at, end int) bool {
	if c.halt {
		return false
	}
	path := len(c.path)
	for i := range n.obj.props {
		p := &n.obj.props[i]
		if !p.required {
			continue
		}
		c.steps -= 1 + (end-at)>>4
		if _, has := jsonwire.Lookup(c.src[at:end], p.name); has || !c.noting() {
			continue
		}
		want := "a value"
		if p.node != nil {
			want = describe(p.node, 0)
		}
		got := "nothing"
		if stray := c.stray(n, at, end, p.name); stray != "" {
			got += " (is " + quote(stray) + " meant to be " + quote(p.name) + "?)"
		}
		c.path = jsonwire.AppendPointerToken(c.path, p.name)
		c.note("required", want+", required", got)
		c.path = c.path[:path]
	}
	return false
}

// stray finds a member that nobody declares and whose name is nearest to one that is missing.
func (c *Checker) stray(n *node, at, end int, name string) string {
	known := map[string]bool{}
	for _, k := range names(n, nil, 0) {
		known[k] = true
	}
	var strays []string
	m := jsonwire.ObjectMembers(c.src[at:end])
	for {
		key, _, more := m.Next()
		if !more {
			break
		}
		if s := text(key); !known[s] && len(strays) < 64 {
			strays = append(strays, s)
		}
	}
	return c.nearest(name, strays)
}

func (c *Checker) denyNeeded(d *dependentNames, need string) bool {
	if !c.noting() {
		return false
	}
	path := len(c.path)
	c.path = jsonwire.AppendPointerToken(c.path, need)
	c.note(d.keyword, "a value, required beside "+quote(d.name), "nothing")
	c.path = c.path[:path]
	return false
}

// denyBranches is for anyOf and oneOf; first and second are branches that both fit, or none. When one branch is clearly the one that was meant, its own faults say most.
func (c *Checker) denyBranches(keyword string, branches []*node, at, first, second int) bool {
	if !c.noting() {
		return false
	}
	if second != none {
		c.note(keyword, "a value that fits exactly one form: it fits forms "+strconv.Itoa(first+1)+" and "+strconv.Itoa(second+1), snippet(c.src[at:jsonwire.Skip(c.src, at)]))
		return false
	}
	faults, noted, path := len(c.Faults), c.noted, len(c.path)
	edits, keeps, marks := len(c.edits), len(c.keeps), len(c.marks)
	undo := func() {
		c.Faults, c.noted, c.path = c.Faults[:faults], noted, c.path[:path]
		c.edits, c.keeps, c.marks = c.edits[:edits], c.keeps[:keeps], c.marks[:marks]
	}
	c.choice++
	meant, several := none, false
	var tags tagFaults
	for i, one := range branches {
		c.value(one, at, none)
		if !c.halt && c.meant(faults) {
			meant, several = i, meant != none
		}
		tags.add(c.Faults[faults:], path)
		undo()
	}
	if meant != none && !several {
		c.value(branches[meant], at, none)
		c.edits, c.keeps, c.marks = c.edits[:edits], c.keeps[:keeps], c.marks[:marks]
	}
	c.choice--
	if tag := tags.common(len(branches)); meant == none && tag != nil {
		c.path = append(c.path[:0], tag.Pointer...)
		c.note(keyword, tag.Want, tag.Got)
		c.path = c.path[:path]
	}
	if len(c.Faults) == faults {
		c.note(keyword, describeAll(branches, 0), snippet(c.src[at:jsonwire.Skip(c.src, at)]))
	}
	return false
}

// tagFaults gathers, over the branches of anyOf or oneOf, the members whose fixed value is another: a member that
// every branch wants otherwise is what the branches are told apart by.
type tagFaults struct {
	faults []Fault
	counts []int
}

func (g *tagFaults) add(faults []Fault, path int) {
	for _, f := range faults {
		if f.Keyword != "const" && f.Keyword != "enum" || strings.Count(f.Pointer[path:], "/") != 1 {
			continue
		}
		i := slices.IndexFunc(g.faults, func(k Fault) bool { return k.Pointer == f.Pointer })
		switch {
		case i < 0 && len(g.faults) < maxListed:
			g.faults, g.counts = append(g.faults, f), append(g.counts, 1)
		case i >= 0:
			g.counts[i]++
			if g.counts[i] <= maxListed {
				g.faults[i].Want += " or " + f.Want
			}
		}
	}
}

func (g *tagFaults) common(branches int) *Fault {
	for i := range g.faults {
		if g.counts[i] == branches {
			return &g.faults[i]
		}
	}
	return nil
}

// meant says whether the faults from one on leave open that this form was meant: the value is of
// its type, and none of its members has a fixed value that differs.
func (c *Checker) meant(from int) bool {
	here := string(c.path)
	for _, f := range c.Faults[from:] {
		rest := strings.TrimPrefix(f.Pointer, here)
		switch f.Keyword {
		case "type", "enum", "false":
			if rest == "" {
				return false
			}
		case "const":
			if strings.Count(rest, "/") <= 1 {
				return false
			}
		}
	}
	return len(c.Faults) > from
}

// snippet is what came, in one line of at most 80 characters.
func snippet(raw []byte) string {
	const most = 80
	out := make([]byte, 0, most+8)
	count, cut := 0, 0
	quoted := false
	for i := 0; i < len(raw); {
		r, size := utf8.DecodeRune(raw[i:])
		switch {
		case r == '"':
			quoted = !quoted
		case quoted && r == '\\' && i+1 < len(raw):
			size++
		case !quoted && r <= ' ':
			i += size
			continue
		}
		piece := raw[i : i+size]
		i += size
		if unruly(r) {
			piece = []byte(oneLine(string(r)))
		}
		if count += utf8.RuneCount(piece); count > most {
			return string(out[:cut]) + "..."
		}
		out = append(out, piece...)
		if count <= most-3 {
			cut = len(out)
		}
	}
	return string(out)
}
