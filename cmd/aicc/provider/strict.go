package provider

import (
	"fmt"
	"slices"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// cost is what a strict mode counts.
type cost struct {
	tools, optional, unions               int // over all strict tools of a request
	properties, levels, values, text, big int // of one schema; big is the text of the largest enumeration of more than 250 values
}

// Anthropic: "20 strict tools", "24 optional parameters", "16 parameters with union types" over all strict tools of a request (Structured outputs, Schema
// complexity limits, and the errors "Too many strict tools", "too many optional parameters"). OpenAI: 5,000 properties, 10 levels, 1,000 values, 120,000
// characters of names and values, 15,000 in an enumeration of more than 250 (Structured Outputs, Supported schemas).
var strictBounds = map[Format]cost{
	Anthropic: {tools: 20, optional: 24, unions: 16},
	OpenAI:    {properties: 5000, levels: 10, values: 1000, text: 120000, big: 15000},
}

// measure counts what a strict schema costs.
func measure(s *value, level int) (c cost) {
	if s.has("anyOf") || len(types(s)) > 1 {
		c.unions++
	}
	if e := s.get("enum"); e != nil {
		text := 0
		for _, one := range e.list {
			text += len(one.text())
		}
		c.values, c.text = len(e.list), text
		if len(e.list) > 250 {
			c.big = text
		}
	}
	if p := s.get("properties"); p != nil && p.kind == jsonwire.Object {
		level++
		required := map[string]bool{}
		for _, name := range s.get("required").texts() {
			required[name] = true
		}
		for _, name := range p.keys {
			c.text += len(name)
			if !required[name] {
				c.optional++
			}
		}
		c.properties, c.levels = len(p.keys), level
	}
	below(s, "", func(one *value, _ string) *value {
		c.add(measure(one, level))
		return one
	})
	return c
}

func (c *cost) add(d cost) {
	c.optional, c.unions, c.properties, c.values, c.text = c.optional+d.optional, c.unions+d.unions, c.properties+d.properties, c.values+d.values, c.text+d.text
	c.levels, c.big, c.tools = max(c.levels, d.levels), max(c.big, d.big), c.tools+d.tools
}

// over says which bounds are passed, "" where none is.
func (c cost) over(bound cost) string {
	var list []string
	for _, one := range []struct {
		is, most int
		what     string
	}{{c.tools, bound.tools, "strict tools"}, {c.optional, bound.optional, "optional parameters"}, {c.unions, bound.unions, "parameters of several types"}, {c.properties, bound.properties, "members"},
		{c.levels, bound.levels, "levels"}, {c.values, bound.values, "values"}, {c.text, bound.text, "characters of names and values"}, {c.big, bound.big, "characters in one enumeration"}} {
		if one.most > 0 && one.is > one.most {
			list = append(list, fmt.Sprintf("%d %s (at most %d)", one.is, one.what, one.most))
		}
	}
	return strings.Join(list, ", ")
}

// afford takes a strict schema's cost from what a request may have, or says why it cannot.
func (l *List) afford(s *value) (why string) {
	bound := strictBounds[l.Format]
	c := measure(s, 0)
	sum := l.spent
	sum.optional, sum.unions, sum.tools = sum.optional+c.optional, sum.unions+c.unions, sum.tools+1
	if why = c.over(cost{properties: bound.properties, levels: bound.levels, values: bound.values, text: bound.text, big: bound.big}); why == "" {
		why = sum.over(cost{tools: bound.tools, optional: bound.optional, unions: bound.unions})
	}
	if why == "" {
		l.spent = sum
	}
	return why
}

// unstrict is the tool without strict mode.
func (a *adapter) unstrict(text []byte, why string) *value {
	o := *a.options
	o.Strict = false
	*a = adapter{format: a.format, tool: a.tool, options: &o}
	root := a.input(text)
	a.losses = slices.Insert(a.losses, 0, Loss{Tool: a.tool.ID, Pointer: inputAt, Text: fmt.Sprintf("%s's strict mode takes no more: %s: the tool is listed without it", a.format, why)})
	return root
}
