package lint

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/schema"
)

// counts are what providers bound over a whole schema.
type counts struct {
	properties, enums, texts, depth int
	deepest                         string
	deepestAt                       *tree
}

// spot is one schema inside of a tool's.
type spot struct {
	s        *tree
	pointer  string
	name     string // of the property whose schema it is, "" of others
	property bool
	required bool
	root     bool
	input    bool
	levels   int  // objects around it
	branch   bool // of a union, or on a condition
	told     bool // the object around it has a description
}

// schema looks at one of the tool's two schemas. What models write is the input: of the output only what is no good for anybody is said.
func (t *tool) schema(member string, input bool) {
	s, at := t.object.get(member), under(t.pointer, member)
	if s == nil {
		if input {
			t.say("no-schema", nil, t.pointer, "it has no %s", member)
		}
		return
	}
	role := schema.Output
	if input {
		role = schema.Input
	}
	t.root, t.at, t.bare, t.open, t.long, t.counts = s, at, nil, nil, nil, counts{}
	_, err := schema.Compile(s.raw, schema.Options{Role: role})
	var of *schema.CompileError
	if errors.As(err, &of) {
		t.say("schema-refused", s.find(tokens(of.Pointer)), at+of.Pointer, "bridges refuse this schema: %s", of.Msg)
	}
	if input {
		t.rootOf(s, at)
	}
	t.walk(spot{s: s, pointer: at, root: true, input: input})
	if input {
		t.totals(s, at)
	}
}

// rootOf looks at what providers want of the root of an input.
func (t *tool) rootOf(s *tree, at string) {
	for _, key := range []string{"oneOf", "anyOf", "allOf", "not", "enum", "const"} {
		if s.has(key) {
			t.say("root-union", s.get(key), under(at, key), "%s stands at the root of the input", key)
		}
	}
	if kind := s.get("type").text(); kind != "object" && !s.has("oneOf", "anyOf", "allOf") {
		why := `it does not say "type":"object"`
		if s.has("$ref") {
			why = "it is a $ref"
		}
		t.say("root-not-object", s, at, "the root of the input: %s", why)
	}
	if p := s.get("properties"); p.isObject() && len(p.names) > manyParameters {
		t.say("many-parameters", p, under(at, "properties"), "it has %d parameters", len(p.names))
	}
}

// walk looks at a schema and at all below it.
func (t *tool) walk(p spot) {
	if !p.s.isObject() {
		return
	}
	if p.levels > t.counts.depth {
		t.counts.depth, t.counts.deepest, t.counts.deepestAt = p.levels, p.pointer, p.s
	}
	t.keywords(p)
	if p.input {
		t.parameter(p)
		t.values(p)
		t.members(p)
	}
	draft7 := strings.Contains(t.root.get("$schema").text(), "draft-07")
	for i, key := range p.s.names {
		v, at := p.s.list[i], under(p.pointer, key)
		child := spot{s: v, pointer: at, input: p.input, levels: p.levels, branch: p.branch}
		switch shapes[key] {
		case one:
			switch {
			case key == "items" && v.kind == jsonwire.Array && draft7:
				t.each(v, child)
			default:
				if key == "not" || key == "if" || key == "contains" || key == "propertyNames" {
					child.input = false // these describe what is told apart, not what a model writes
				}
				if key == "then" || key == "else" {
					child.branch = true
				}
				t.walk(child)
			}
		case many:
			child.branch = true
			if key == "prefixItems" {
				child.branch = p.branch
			}
			t.each(v, child)
		case named:
			if !v.isObject() {
				continue
			}
			required := p.s.get("required").texts()
			for j, name := range v.names {
				c := child
				c.s, c.pointer = v.list[j], under(at, name)
				if key == "properties" {
					c.name, c.property, c.required, c.levels, c.told = name, true, slices.Contains(required, name), p.levels+1, !p.root && p.s.has("description")
				}
				t.walk(c)
			}
		}
	}
}

func (t *tool) each(v *tree, child spot) {
	at := child.pointer
	for i, e := range v.elements() {
		child.s, child.pointer = e, at+"/"+strconv.Itoa(i)
		t.walk(child)
	}
}

// resolve follows a $ref inside of the schema, nil where it leads nowhere.
func (t *tool) resolve(s *tree) *tree {
	for range 16 {
		ref := s.get("$ref").text()
		if ref == "" {
			return s
		}
		rest, ok := strings.CutPrefix(ref, "#")
		if !ok || rest != "" && rest[0] != '/' {
			return nil
		}
		if s = t.root.find(tokens(rest)); s == nil {
			return nil
		}
	}
	return nil
}

// recursive tells whether a $ref leads to a schema that it stands in.
func (t *tool) recursive(at, ref string) bool {
	target, ok := strings.CutPrefix(ref, "#")
	if !ok || target != "" && target[0] != '/' {
		return false
	}
	at = strings.TrimPrefix(at, t.at)
	return at == target || strings.HasPrefix(at, target+"/")
}
