package schema

// A node is one compiled schema: what its keywords ask, grouped by the kind of
// value they look at, so that a value meets only the rules for its kind.

// types is a set of JSON Schema types. An integer is a number whose value has no fraction.
type types uint8

const (
	tNull types = 1 << iota
	tBool
	tInteger
	tFraction // a number that is no integer
	tString
	tArray
	tObject
	tNumber = tInteger | tFraction
	tAll    = tNull | tBool | tNumber | tString | tArray | tObject
)

// typeNames is in the order in which faults list them.
var typeNames = []struct {
	name string
	bits types
}{
	{"boolean", tBool}, {"number", tNumber}, {"integer", tInteger}, {"string", tString},
	{"array", tArray}, {"object", tObject}, {"null", tNull},
}

type node struct {
	allow types
	never bool // the schema false
	bare  bool // no rule of its own looks into the value: in-place schemas find its end

	enum, konst *literals
	num         *numberRules
	str         *stringRules
	arr         *arrayRules
	obj         *objectRules
	place       *inPlace // schemas that apply to the same value

	chooses bool   // which schemas in place apply depends on the value
	closes  bool   // with in-place schemas, and one of them has properties
	tracks  bool   // has unevaluatedProperties or unevaluatedItems
	odd     bool   // closes, tracks, or must be noted in the dynamic scope
	preset  []byte // the default, as the schema has it

	res   *resource
	where *location // for compile errors only; nil once compiled
}

// inPlace holds the schemas that look at the same value as their parent.
type inPlace struct {
	ref              *node
	dynRef           *node  // $dynamicRef's target when nothing in scope overrides it
	dynName          string // the $dynamicAnchor to look for in scope, "" when there is none
	allOf            []*node
	anyOf, oneOf     []*node
	not              *node
	cond, then, els  *node
	whenHas          []dependent
	needsAllBranches bool // annotations of every branch that fits are wanted
}

// dependent is a schema for the whole object when it has a member.
type dependent struct {
	name string
	node *node
}

type literals struct {
	keyword string
	raw     [][]byte // compact texts
	texts   []string // the strings among them, decoded
	kinds   types
	set     map[string]struct{} // of texts, when there are many
	hashes  map[[16]byte]int    // of the others, when there are many, to where they are in raw
}

type stringRules struct {
	min, max   int // code points; max < 0: none
	pattern    *pattern
	format     func([]byte) bool
	formatName string
}

type bound struct {
	text   []byte
	small  int64 // its value when isInt
	isInt  bool
	approx float64 // nearest float64
}

type numberRules struct {
	min, max, above, below *bound
	multiple               *multiple
}

type arrayRules struct {
	prefix      []*node
	items       *node // after the prefix
	itemsName   string
	min, max    int // max < 0: none
	unique      bool
	contains    *node
	minContains int
	maxContains int // < 0: none
	unevaluated *node
}

type property struct {
	name     string
	quoted   string // as it mostly stands in a text
	node     *node  // nil: only asked for
	required bool
	fill     []byte // the default, where it fits its own schema
}

type patternProperty struct {
	pattern *pattern
	node    *node
}

type dependentNames struct {
	keyword string
	name    string
	needs   []string
}

type objectRules struct {
	props       []property
	index       map[string]int // of props, when there are many
	declares    bool           // the schema has properties
	lean        bool           // its rules look at single members alone
	required    int
	defaults    int
	patterns    []patternProperty
	additional  *node
	names       *node
	min, max    int // max < 0: none
	needs       []dependentNames
	unevaluated *node
}

// manyNames is from how many names on a map finds one faster than a look at each.
const manyNames = 12

// find gives the index of a declared member, or -1.
func (o *objectRules) find(name []byte) int {
	if o.index != nil {
		if i, ok := o.index[string(name)]; ok {
			return i
		}
		return -1
	}
	for i := range o.props {
		if o.props[i].name == string(name) {
			return i
		}
	}
	return -1
}

// named gives the member of a name, which is new when no schema was given for it. A schema that
// asks for a member knows it.
func (o *objectRules) named(name string) *property {
	i := o.find([]byte(name))
	if i < 0 {
		i = len(o.props)
		o.props = append(o.props, property{name: name})
		o.reindex(i)
	}
	return &o.props[i]
}

// reindex notes the members from one on, once there are many.
func (o *objectRules) reindex(from int) {
	if len(o.props) < manyNames {
		return
	}
	if o.index == nil {
		o.index, from = make(map[string]int, len(o.props)), 0
	}
	for ; from < len(o.props); from++ {
		o.index[o.props[from].name] = from
	}
}

// inPlaceEdges calls f for every schema that applies to the same value as n.
func (n *node) inPlaceEdges(f func(**node)) {
	p := n.place
	if p == nil {
		return
	}
	for _, one := range []**node{&p.ref, &p.dynRef, &p.not, &p.cond, &p.then, &p.els} {
		if *one != nil {
			f(one)
		}
	}
	for _, list := range [][]*node{p.allOf, p.anyOf, p.oneOf} {
		for i := range list {
			f(&list[i])
		}
	}
	for i := range p.whenHas {
		f(&p.whenHas[i].node)
	}
}

// childEdges calls f for every schema that applies to a part of n's value.
func (n *node) childEdges(f func(**node)) {
	call := func(one **node) {
		if *one != nil {
			f(one)
		}
	}
	if a := n.arr; a != nil {
		for i := range a.prefix {
			f(&a.prefix[i])
		}
		call(&a.items)
		call(&a.contains)
		call(&a.unevaluated)
	}
	if o := n.obj; o != nil {
		for i := range o.props {
			call(&o.props[i].node)
		}
		for i := range o.patterns {
			f(&o.patterns[i].node)
		}
		call(&o.additional)
		call(&o.names)
		call(&o.unevaluated)
	}
}
