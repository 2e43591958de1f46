package schema

import (
	"math"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// keywords reads the keywords of one schema into its node.
type keywords struct {
	c   *compiler
	n   *node
	at  location
	res *resource

	required       []string
	properties     bool
	contains       *node
	minC, maxC     int
	hasMinC        bool
	itemsList      bool
	additionalRest *node // additionalItems
	minN, maxN     [3]int
}

func (k *keywords) str() *stringRules {
	if k.n.str == nil {
		k.n.str = &stringRules{max: -1}
	}
	return k.n.str
}

func (k *keywords) num() *numberRules {
	if k.n.num == nil {
		k.n.num = &numberRules{}
	}
	return k.n.num
}

func (k *keywords) arr() *arrayRules {
	if k.n.arr == nil {
		k.n.arr = &arrayRules{max: -1, maxContains: -1}
	}
	return k.n.arr
}

func (k *keywords) obj() *objectRules {
	if k.n.obj == nil {
		k.n.obj = &objectRules{max: -1}
	}
	return k.n.obj
}

func (k *keywords) place() *inPlace {
	if k.n.place == nil {
		k.n.place = &inPlace{}
	}
	return k.n.place
}

// keyword reads one keyword. What neither draft knows is ignored, as both drafts say.
func (k *keywords) keyword(word string, at location) (err *CompileError) {
	switch word {
	case "type":
		return k.types(at)
	case "enum", "const":
		return k.literals(word, at)
	case "minimum":
		k.num().min, err = k.number(word, at)
	case "maximum":
		k.num().max, err = k.number(word, at)
	case "exclusiveMinimum":
		k.num().above, err = k.number(word, at)
	case "exclusiveMaximum":
		k.num().below, err = k.number(word, at)
	case "multipleOf":
		var b *bound
		if b, err = k.number(word, at); err == nil {
			if jsonwire.Sign(b.text) <= 0 {
				return fail(at, word, "multipleOf must be over 0, not %s", at.raw)
			}
			var ok bool
			if k.num().multiple, ok = newMultiple(b.text); !ok {
				return fail(at, word, "multipleOf may have %d significant digits", maxMultipleDigits)
			}
		}
	case "minLength":
		k.str().min, err = k.count(word, at)
	case "maxLength":
		k.str().max, err = k.count(word, at)
	case "pattern":
		k.str().pattern, err = k.pattern(word, at, at.raw)
	case "format":
		return k.format(at)
	case "minItems":
		k.arr().min, err = k.count(word, at)
	case "maxItems":
		k.arr().max, err = k.count(word, at)
	case "uniqueItems":
		k.arr().unique, err = k.boolean(word, at)
	case "minProperties":
		k.obj().min, err = k.count(word, at)
	case "maxProperties":
		k.obj().max, err = k.count(word, at)
	case "required":
		k.required, err = k.names(word, at)
	case "properties":
		return k.propertiesOf(at)
	case "patternProperties":
		return k.patternProperties(at)
	case "additionalProperties":
		k.obj().additional, err = k.c.schema(at, k.res)
	case "propertyNames":
		k.obj().names, err = k.c.schema(at, k.res)
	case "dependencies":
		return k.dependencies(at)
	case "items":
		return k.items(at)
	case "contains":
		k.contains, err = k.c.schema(at, k.res)
	case "allOf":
		k.place().allOf, err = k.schemas(word, at)
	case "anyOf":
		k.place().anyOf, err = k.schemas(word, at)
	case "oneOf":
		k.place().oneOf, err = k.schemas(word, at)
	case "not":
		k.place().not, err = k.c.schema(at, k.res)
	case "if":
		k.place().cond, err = k.c.schema(at, k.res)
	case "then":
		k.place().then, err = k.c.schema(at, k.res)
	case "else":
		k.place().els, err = k.c.schema(at, k.res)
	case "$ref":
		return k.reference(word, at, false)
	case "definitions":
		_, err = k.named(word, at)
	case "default":
		k.n.preset = at.raw
	case "title", "description", "$comment", "contentEncoding", "contentMediaType":
		_, err = k.string(word, at)
	case "readOnly", "writeOnly":
		_, err = k.boolean(word, at)
	case "examples":
		if jsonwire.KindOf(at.raw) != jsonwire.Array {
			return wrong(word, at, "an array")
		}
	default:
		if k.res.draft7 {
			return k.keyword7(word, at)
		}
		return k.keyword2020(word, at)
	}
	return err
}

// keyword7 reads what only draft-07 has.
func (k *keywords) keyword7(word string, at location) (err *CompileError) {
	if word == "additionalItems" {
		k.additionalRest, err = k.c.schema(at, k.res)
	}
	return err
}

// keyword2020 reads what only 2020-12 has.
func (k *keywords) keyword2020(word string, at location) (err *CompileError) {
	switch word {
	case "prefixItems":
		k.arr().prefix, err = k.schemas(word, at)
	case "minContains":
		k.minC, err = k.count(word, at)
		k.hasMinC = true
	case "maxContains":
		k.maxC, err = k.count(word, at)
		k.maxC++ // 0 means not given
	case "dependentRequired":
		return k.dependentRequired(at)
	case "dependentSchemas":
		return k.dependentSchemas(at)
	case "unevaluatedProperties":
		k.obj().unevaluated, err = k.c.schema(at, k.res)
	case "unevaluatedItems":
		k.arr().unevaluated, err = k.c.schema(at, k.res)
	case "$defs":
		_, err = k.named(word, at)
	case "$anchor", "$dynamicAnchor":
		var name string
		if name, err = k.string(word, at); err == nil {
			if !isAnchor(name) {
				return fail(at, word, "%s must be a letter or _ and then letters, digits, - _ . only", word)
			}
			return k.c.name(k.res, name, k.n, at, word == "$dynamicAnchor")
		}
	case "$dynamicRef":
		return k.reference(word, at, true)
	case "deprecated":
		_, err = k.boolean(word, at)
	case "contentSchema":
		_, err = k.c.schema(at, k.res)
	}
	return err
}

func isAnchor(s string) bool {
	for i := 0; i < len(s); i++ {
		b := s[i]
		switch {
		case 'a' <= b|0x20 && b|0x20 <= 'z', b == '_':
		case i > 0 && ('0' <= b && b <= '9' || b == '-' || b == '.'):
		default:
			return false
		}
	}
	return s != ""
}

// finish settles what several keywords say together.
func (k *keywords) finish() *CompileError {
	if k.contains != nil {
		a := k.arr()
		a.contains, a.minContains, a.maxContains = k.contains, 1, k.maxC-1
		if k.hasMinC {
			a.minContains = k.minC
		}
	}
	if k.itemsList && k.additionalRest != nil {
		k.arr().items, k.arr().itemsName = k.additionalRest, "additionalItems"
	}
	if k.n.obj != nil {
		k.n.obj.reindex(0)
	}
	for _, name := range k.required {
		k.obj().named(name).required = true
		k.n.obj.required++
	}
	if o := k.n.obj; o != nil {
		for _, d := range o.needs {
			for _, name := range d.needs {
				o.named(name)
			}
		}
		o.declares = k.properties
		o.lean = o.patterns == nil && o.names == nil && o.needs == nil && o.unevaluated == nil
		for i := range o.props {
			if o.props[i].quoted = quote(o.props[i].name); jsonwire.HasEscape([]byte(o.props[i].quoted)) {
				o.props[i].quoted = neverInText // what stands in a text would not be the name
			}
		}
	}
	if k.n.arr != nil && k.n.arr.unevaluated != nil || k.n.obj != nil && k.n.obj.unevaluated != nil {
		k.n.tracks = true
	}
	if p := k.n.place; p != nil && p.cond == nil {
		p.then, p.els = nil, nil
	}
	return nil
}

// neverInText is in no JSON text.
const neverInText = "\x00"

func wrong(word string, at location, want string) *CompileError {
	return fail(at, word, "%s must be %s, not %s", word, want, kindName(at.raw))
}

func (k *keywords) string(word string, at location) (string, *CompileError) {
	if jsonwire.KindOf(at.raw) != jsonwire.String {
		return "", wrong(word, at, "a string")
	}
	return text(at.raw), nil
}

func (k *keywords) boolean(word string, at location) (bool, *CompileError) {
	if jsonwire.KindOf(at.raw) != jsonwire.Bool {
		return false, wrong(word, at, "a boolean")
	}
	return at.raw[0] == 't', nil
}

func (k *keywords) number(word string, at location) (*bound, *CompileError) {
	if jsonwire.KindOf(at.raw) != jsonwire.Number {
		hint := ""
		if jsonwire.KindOf(at.raw) == jsonwire.Bool && strings.HasPrefix(word, "exclusive") {
			hint = " (the boolean is draft-04's form)"
		}
		return nil, wrong(word, at, "a number"+hint)
	}
	return newBound(at.raw), nil
}

// count reads a bound on a size; what no size can reach is as good as the greatest.
func (k *keywords) count(word string, at location) (int, *CompileError) {
	if jsonwire.KindOf(at.raw) != jsonwire.Number || !jsonwire.IsInteger(at.raw) || jsonwire.Sign(at.raw) < 0 {
		return 0, fail(at, word, "%s must be an integer of at least 0, not %s", word, snippet(at.raw))
	}
	n, err := jsonwire.ToInt64(at.raw)
	if err != nil || n > math.MaxInt32 {
		n = math.MaxInt32
	}
	return int(n), nil
}

func (k *keywords) names(word string, at location) ([]string, *CompileError) {
	if jsonwire.KindOf(at.raw) != jsonwire.Array {
		hint := "an array of names"
		if word == "required" && jsonwire.KindOf(at.raw) == jsonwire.Bool {
			hint += " beside properties"
		}
		return nil, wrong(word, at, hint)
	}
	var out []string
	seen := map[string]bool{}
	e := jsonwire.ArrayElements(at.raw)
	for i := 0; ; i++ {
		raw, ok := e.Next()
		if !ok {
			return out, nil
		}
		here := at.item(raw, e.Offset(), i)
		if jsonwire.KindOf(raw) != jsonwire.String {
			return nil, fail(here, word, "%s must list strings, not %s", word, kindName(raw))
		}
		name := text(raw)
		if seen[name] {
			return nil, fail(here, word, "%s lists %s twice", word, quote(name))
		}
		seen[name] = true
		out = append(out, name)
	}
}

func (k *keywords) schemas(word string, at location) ([]*node, *CompileError) {
	if jsonwire.KindOf(at.raw) != jsonwire.Array {
		return nil, wrong(word, at, "an array of schemas")
	}
	var out []*node
	e := jsonwire.ArrayElements(at.raw)
	for i := 0; ; i++ {
		raw, ok := e.Next()
		if !ok {
			break
		}
		n, err := k.c.schema(at.item(raw, e.Offset(), i), k.res)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
	}
	if len(out) == 0 {
		return nil, fail(at, word, "%s must not be empty", word)
	}
	return out, nil
}

type namedNode struct {
	name string
	node *node
}

// named reads an object whose members are schemas.
func (k *keywords) named(word string, at location) ([]namedNode, *CompileError) {
	if jsonwire.KindOf(at.raw) != jsonwire.Object {
		return nil, wrong(word, at, "an object of schemas")
	}
	var out []namedNode
	m := jsonwire.ObjectMembers(at.raw)
	for {
		key, raw, ok := m.Next()
		if !ok {
			return out, nil
		}
		name := text(key)
		n, err := k.c.schema(at.child(raw, m.ValueOffset(), name), k.res)
		if err != nil {
			return nil, err
		}
		out = append(out, namedNode{name, n})
	}
}
