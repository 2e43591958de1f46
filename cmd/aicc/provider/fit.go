package provider

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// target is a language that is smaller than JSON Schema: Gemini's Schema, and what the strict modes take.
type target struct {
	name    string
	keeps   []string // keywords that stay as they are, on the types that they are for
	formats []string // of strings
	grammar bool     // a grammar is made of it: every object is closed and every value has a type, or it cannot be done
	full    bool     // every member is required, one that need not be given may be null
	openAPI bool     // Gemini's dialect: types in capitals, nullable, enumerations of text alone, no keyword beside anyOf
}

// Gemini: the fields of Schema in the Gemini API reference. 'additionalProperties' and others are "Unknown name" errors there; type is one name ("Proto field is
// not repeating"); enum is of strings, none of them empty; required names have to be properties; of strings' formats only date-time and enum pass everywhere.
var gemini = target{name: "gemini", openAPI: true, formats: []string{"date-time"},
	keeps: []string{"title", "minimum", "maximum", "minLength", "maxLength", "pattern", "minItems", "maxItems", "minProperties", "maxProperties"}}

// OpenAI: Structured Outputs, Supported schemas: all fields required, additionalProperties false, no allOf, not, dependentRequired, dependentSchemas, if.
var openaiStrict = target{name: "openai's strict mode", grammar: true, full: true,
	formats: []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"},
	keeps:   []string{"title", "pattern", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"}}

// Anthropic: Structured outputs, JSON Schema limitations: no bounds on numbers, text and lists (but minItems 0 and 1), no recursion, additionalProperties false.
var anthropicStrict = target{name: "anthropic's strict mode", grammar: true,
	formats: []string{"date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"},
	keeps:   []string{"title"}}

// The type that a keyword is about. It means nothing to values of other types.
var about = map[string]string{
	"minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number", "multipleOf": "number",
	"minLength": "string", "maxLength": "string", "pattern": "string", "contentEncoding": "string", "contentMediaType": "string", "contentSchema": "string",
	"items": "array", "prefixItems": "array", "minItems": "array", "maxItems": "array", "uniqueItems": "array", "contains": "array", "minContains": "array",
	"maxContains": "array", "unevaluatedItems": "array",
	"properties": "object", "required": "object", "additionalProperties": "object", "patternProperties": "object", "propertyNames": "object",
	"minProperties": "object", "maxProperties": "object", "dependentRequired": "object", "dependentSchemas": "object", "unevaluatedProperties": "object",
}

// fitter writes one schema in a target.
type fitter struct {
	a       *adapter
	t       *target
	nodes   int
	losses  []Loss // of this try
	refused bool
}

func newFitter(a *adapter, t *target) *fitter { return &fitter{a: a, t: t} }

// root fits the root, nil where the target has no form for it. What its schema cannot say goes to the tool's description.
func (f *fitter) root(s *value) *value {
	own := s.get("description")
	s = s.copy()
	s.drop("description")
	out := f.fit(s, inputAt, nil)
	if out == endless {
		out = f.anything(inputAt, "$ref", "a schema that contains itself")
	}
	if f.refused {
		f.a.losses = append(f.a.losses, f.losses[len(f.losses)-1])
		return nil
	}
	f.a.losses = append(f.a.losses, f.losses...)
	if f.t.full && f.a.split {
		f.a.told = append(f.a.told, "Give null for the members that do not belong to it.")
	}
	if d := out.get("description"); d != nil {
		f.a.told = append(f.a.told, strings.Replace(d.text(), "It is ", "The input is ", 1))
		out.drop("description")
	}
	if own != nil {
		out.set("description", own)
	}
	return out
}

func (f *fitter) lose(at, keyword string, told bool, format string, arguments ...any) {
	f.losses = append(f.losses, Loss{Tool: f.a.tool.ID, Pointer: at, Keyword: keyword, Told: told, Text: fmt.Sprintf(format, arguments...)})
}

// refuse says why there is no form. The last reason is the one that is reported.
func (f *fitter) refuse(at, keyword, why string) *value {
	if !f.refused {
		f.lose(at, keyword, false, "%s has no form for %s: the tool is listed without it", f.t.name, why)
	}
	f.refused = true
	return newObject()
}

// endless stands for a schema that contains itself once more than is written out. The nearest member that may be left out is, and so the model's input
// ends where the list ends.
var endless = &value{}

// anything stands for a schema that takes any value, or one that cannot be said.
func (f *fitter) anything(at, keyword, why string) *value {
	if f.t.grammar {
		return f.refuse(at, keyword, why)
	}
	f.lose(at, keyword, false, "there is no form for %s: text, a number or a boolean is offered", why)
	return newObject("anyOf", newArray(newObject("type", newString("STRING")), newObject("type", newString("NUMBER")), newObject("type", newString("BOOLEAN"))))
}

// fit writes a schema. met are the references on the way to it.
func (f *fitter) fit(s *value, at string, met []string) *value {
	if f.refused {
		return newObject()
	}
	if f.nodes++; f.nodes > mostNodes || strings.Count(at, "/") > mostTokens {
		return f.anything(at, "", "a schema of this size")
	}
	s, refs, loop := f.a.settle(s, met)
	if loop && f.t.grammar {
		return f.refuse(at, "$ref", "a schema that contains itself")
	} else if loop {
		return endless
	}
	if met = refs; s.has("$ref") {
		return f.anything(at, "$ref", "this reference")
	}
	if s.kind != jsonwire.Object {
		return f.anything(at, "", "a schema that takes everything or nothing")
	}
	s = s.copy()
	var told, rules []string
	conditions := newObject()
	for _, key := range []string{"allOf", "not", "if", "then", "else", "dependentSchemas"} {
		v := s.get(key)
		if v == nil {
			continue
		}
		s.drop(key)
		if key == "if" || key == "then" || key == "else" || key == "allOf" {
			conditions.set(key, v)
			continue
		}
		text, ok := words(key, v)
		if ok {
			told = append(told, text)
		}
		f.lose(at+"/"+key, key, ok, "%s has no %s", f.t.name, key)
	}
	if len(conditions.keys) > 0 {
		text := "This rule of JSON Schema holds: " + conditions.String() + "."
		ok := len(text) <= mostWords
		if ok {
			rules = append(rules, text)
		}
		key := conditions.keys[0]
		f.lose(at+"/"+key, key, ok, "%s has no %s", f.t.name, strings.Join(conditions.keys, ", "))
	}
	out := f.union(s, at, met)
	if out == nil {
		out = f.typed(s, at, met)
	}
	if len(told) > 0 {
		rules = append([]string{"It is " + strings.Join(told, ", and ") + "."}, rules...)
	}
	if len(rules) > 0 && !f.refused && out != endless {
		out = describe(out, rules)
	}
	return out
}

// describe puts what a schema cannot say behind its description, or those of its branches where it may have none.
func describe(s *value, sentences []string) *value {
	s = s.copy()
	if union := s.get("anyOf"); union != nil && !s.has("type") && !s.has("description") && len(s.keys) == 1 {
		list := slices.Clone(union.list)
		for i := range list {
			list[i] = describe(list[i], sentences)
		}
		s.set("anyOf", newArray(list...))
		return s
	}
	s.set("description", newString(tell(s.get("description").text(), sentences...)))
	return s
}

// union writes a schema that has anyOf, oneOf or several types; nil where it has not.
func (f *fitter) union(s *value, at string, met []string) *value {
	key := "anyOf"
	if s.has("oneOf") {
		key = "oneOf"
	}
	var list []*value
	base := s.copy()
	switch names := types(s); {
	case s.has(key):
		base.drop(key, "description")
		for _, one := range s.get(key).list {
			one, _, loop := f.a.settle(one, met)
			m, ok := merge(one, base)
			if loop || !ok {
				return f.anything(at+"/"+key, key, "these branches beside the rest")
			}
			if m.isFalse() {
				continue
			}
			list = append(list, m)
		}
		if key == "oneOf" && !apart(list) {
			f.lose(at+"/"+key, key, false, "%s has anyOf alone: a value that fits several branches is offered, and refused by the game", f.t.name)
		}
	case len(slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "null" })) > 1:
		base.drop("description")
		for _, name := range names {
			one := base.copy()
			one.set("type", newString(name))
			if e := one.get("enum"); e != nil {
				if e = ofType(e, name); len(e.list) == 0 {
					continue
				}
				one.set("enum", e)
			}
			list = append(list, one)
		}
	default:
		return nil
	}
	null, deeper := false, false
	var branches []*value
	for i, one := range list {
		if names := types(one); len(names) == 1 && names[0] == "null" || one.get("const").isNull() {
			null = true
			continue
		}
		where := at
		if s.has(key) {
			where = fmt.Sprintf("%s/%s/%d", at, key, i)
		}
		b := f.fit(one, where, met)
		if b == endless {
			deeper = true
			continue
		}
		branches = append(branches, b)
	}
	if deeper && len(branches) == 0 && !null {
		return endless
	}
	if deeper {
		f.lose(at+"/"+key, key, false, "a branch contains itself: it is not offered any deeper")
	}
	branches = distinct(branches)
	description := s.get("description")
	switch len(branches) {
	case 0:
		return f.anything(at, key, "a value that is null or none")
	case 1:
		out := branches[0].copy()
		if description != nil {
			out = headed(out, description.text())
		}
		if null {
			out = f.nullable(out)
		}
		return out
	}
	out := newObject("anyOf", newArray(branches...))
	switch {
	case description == nil:
	case f.t.openAPI:
		out = headed(out, description.text())
	default:
		out.set("description", description)
	}
	if null {
		out = f.nullable(out)
	}
	return out
}

// headed puts a text before a schema's description, or those of its branches where it may have none.
func headed(s *value, text string) *value {
	s = s.copy()
	if union := s.get("anyOf"); union != nil && len(s.keys) == 1 {
		list := slices.Clone(union.list)
		for i := range list {
			list[i] = headed(list[i], text)
		}
		s.set("anyOf", newArray(list...))
		return s
	}
	if own := s.get("description").text(); own != "" {
		text = tell(text, own)
	}
	if text != "" {
		s.set("description", newString(text))
	}
	return s
}

func (v *value) isNull() bool { return v != nil && v.kind == jsonwire.Null }

// ofType gives the values of one type.
func ofType(list *value, name string) *value {
	out := newArray()
	for _, e := range list.list {
		if k := kindOf([]*value{e}); k == name || name == "number" && k == "integer" {
			out.list = append(out.list, e)
		}
	}
	return out
}

// apart tells whether no value fits two of the branches: their types differ, or the values of a member that all require.
func apart(list []*value) bool {
	pairs := len(list) <= 8
	for i := 0; pairs && i < len(list); i++ {
		for _, b := range list[:i] {
			pairs = pairs && (typesApart(list[i], b) || membersApart(list[i], b))
		}
	}
	if pairs || len(list) <= 8 {
		return pairs
	}
next:
	for _, name := range list[0].get("required").texts() {
		seen := set{}
		for _, one := range list {
			values := constants(one.get("properties").get(name))
			if len(values) == 0 || !slices.Contains(one.get("required").texts(), name) {
				continue next
			}
			for _, v := range distinct(values) {
				if !seen.add(v) {
					continue next
				}
			}
		}
		return true
	}
	return false
}

func typesApart(a, b *value) bool {
	ta, tb := types(a), types(b)
	if len(ta) == 0 || len(tb) == 0 {
		return false
	}
	for _, t := range ta {
		if slices.Contains(tb, t) || t == "integer" && slices.Contains(tb, "number") || t == "number" && slices.Contains(tb, "integer") {
			return false
		}
	}
	return true
}

func membersApart(a, b *value) bool {
	for _, name := range a.get("required").texts() {
		if !slices.Contains(b.get("required").texts(), name) {
			continue
		}
		va, vb := constants(a.get("properties").get(name)), constants(b.get("properties").get(name))
		if len(va) > 0 && len(vb) > 0 && !slices.ContainsFunc(va, setOf(vb).has) {
			return true
		}
	}
	return false
}

func constants(s *value) []*value {
	if c := s.get("const"); c != nil {
		return []*value{c}
	}
	return listOf(s, "enum")
}

// nullable lets a schema of the target take null as well.
func (f *fitter) nullable(s *value) *value {
	s = s.copy()
	if union := s.get("anyOf"); union != nil {
		list := slices.Clone(union.list)
		if f.t.openAPI {
			list[0] = f.nullable(list[0])
		} else if !slices.ContainsFunc(list, func(b *value) bool { return slices.Contains(types(b), "null") }) {
			list = append(list, newObject("type", newString("null")))
		}
		s.set("anyOf", newArray(list...))
		return s
	}
	if f.t.openAPI {
		s.set("nullable", newBool(true))
		return s
	}
	if names := types(s); !slices.Contains(names, "null") {
		setTypes(s, append(slices.Clone(names), "null"))
	}
	if e := s.get("enum"); e != nil && !slices.ContainsFunc(e.list, (*value).isNull) {
		s.set("enum", newArray(append(slices.Clone(e.list), &value{kind: jsonwire.Null, raw: "null"})...))
	}
	return s
}

// stepped is the integer beside an integer bound.
func stepped(text string, by int64) (string, bool) {
	n, err := jsonwire.ToInt64([]byte(text))
	if err != nil || n == math.MaxInt64 || n == math.MinInt64 {
		return "", false
	}
	return string(jsonwire.AppendInt(nil, n+by)), true
}
