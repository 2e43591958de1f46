package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"aicc.dev/libaicc/cmd/aicc/provider"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/schema"
)

// parameter looks at one member of an input: its name, its description, its type.
func (t *tool) parameter(p spot) {
	d := p.s.get("description")
	text := strings.TrimSpace(d.text())
	if text != "" {
		t.hidden(d, under(p.pointer, "description"), d.text())
	}
	if !p.property {
		return
	}
	letter := len(p.name) == 1 && p.told // the x of a position that is described
	if text == "" && t.described(p.s) == "" && !p.s.has("const") && !letter {
		if name := t.path(p.pointer); !slices.Contains(t.bare, name) {
			t.bare = append(t.bare, name)
		}
	}
	if text != "" && (placeholder(text) || repeats(text, p.name)) {
		t.say("useless-parameter-description", d, under(p.pointer, "description"), "%q says no more of %s than its name", cut(text), p.name)
	}
	if !p.s.has("type", "enum", "const", "$ref", "$dynamicRef", "anyOf", "oneOf", "allOf", "not", "if", "properties") {
		t.say("no-type", p.s, p.pointer, "%s has no type: any value is taken", p.name)
	}
	kinds := types(p.s)
	if slices.Contains(kinds, "boolean") && negative(p.name) {
		t.say("negative-boolean", p.s, p.pointer, "%s is true when something is not", p.name)
	}
	if (slices.Contains(kinds, "number") || slices.Contains(kinds, "integer")) && quantity(p.name) && !measured(p.name+" "+text+" "+p.s.get("title").text(), p.s) {
		t.say("unit-missing", p.s, p.pointer, "%s: in what unit?", p.name)
	}
	if !p.required && !p.branch && takesNull(p.s) {
		t.say("optional-null", p.s, p.pointer, "%s may be left out, and may be null: what is the difference?", p.name)
	}
	if p.required && p.s.has("default") {
		t.say("required-default", p.s.get("default"), under(p.pointer, "default"), "%s is required, so its default is never used", p.name)
	}
}

// described is a description that a property has from what it refers to or consists of.
func (t *tool) described(s *tree) string {
	if r := t.resolve(s); r != nil && r != s {
		return r.get("description").text()
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		for _, one := range s.get(key).elements() {
			if r := t.resolve(one); r.get("description").text() != "" {
				return r.get("description").text()
			}
		}
	}
	return ""
}

// path is a place in the input as people write it: a.b, list[].c, definition d.e.
func (t *tool) path(pointer string) string {
	var b strings.Builder
	list := tokens(strings.TrimPrefix(pointer, t.at))
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case "properties":
			if i++; i < len(list) {
				if b.Len() > 0 {
					b.WriteByte('.')
				}
				b.WriteString(list[i])
			}
		case "$defs", "definitions":
			if i++; i < len(list) {
				b.Reset()
				b.WriteString("definition " + list[i])
			}
		case "items", "prefixItems":
			b.WriteString("[]")
		}
	}
	return b.String()
}

func takesNull(s *tree) bool {
	if slices.Contains(types(s), "null") {
		return true
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		for _, one := range s.get(key).elements() {
			if slices.Contains(types(one), "null") {
				return true
			}
		}
	}
	return slices.ContainsFunc(s.get("enum").elements(), func(e *tree) bool { return e.kind == jsonwire.Null })
}

// negative tells whether a name says no: true then means that something is not so.
func negative(name string) bool {
	list := words(name)
	for i, w := range list {
		switch w {
		case "not", "dont", "disable", "disabled", "never", "without", "prevent", "suppress":
			return true
		case "no", "non":
			return i == 0 || list[i-1] == "has" || list[i-1] == "is"
		}
	}
	return false
}

var quantities = []string{"acceleration", "altitude", "angle", "azimuth", "bearing", "delay", "diameter", "distance", "duration", "elevation", "force", "frequency", "heading", "height",
	"interval", "mass", "pitch", "pressure", "radius", "reach", "roll", "rotation", "speed", "temperature", "thrust", "time", "timeout", "torque", "velocity", "wait", "weight", "width", "yaw"}

// relative are words that say that a number has no unit, or that its name has one.
var relative = []string{"factor", "ratio", "scale", "multiplier", "multiple", "times", "fraction", "percent", "percentage", "normalized", "normalised", "relative", "index", "count", "level",
	"number", "score", "priority", "id", "iterations", "iteration"}

var units = []string{"m", "km", "cm", "mm", "metre", "metres", "meter", "meters", "kilometre", "kilometres", "kilometer", "kilometers", "centimetre", "centimetres", "centimeter", "centimeters",
	"millimetre", "millimetres", "millimeter", "millimeters", "foot", "feet", "ft", "inch", "inches", "mile", "miles", "mph", "kmh", "kph", "mps",
	"s", "sec", "secs", "second", "seconds", "ms", "msec", "millis", "millisecond", "milliseconds", "us", "microseconds", "ns", "minute", "minutes", "min", "hour", "hours", "day", "days", "tick", "ticks",
	"frame", "frames", "turn", "turns", "round", "rounds", "deg", "degree", "degrees", "rad", "radian", "radians", "px", "pixel", "pixels", "tile", "tiles", "cell", "cells", "block", "blocks", "voxel", "voxels", "unit", "units",
	"step", "steps", "kg", "g", "gram", "grams", "kilogram", "kilograms", "ton", "tons", "lb", "pound", "pounds", "n", "newton", "newtons", "nm", "pa", "kpa", "bar", "celsius", "kelvin", "fahrenheit", "hz", "khz", "hertz",
	"bpm", "rpm", "db", "decibel", "decibels", "em", "rem", "character", "characters", "byte", "bytes", "iso", "unix", "epoch", "timestamp", "utc", "clock"}

func quantity(name string) bool {
	for _, w := range words(name) {
		if slices.Contains(quantities, w) {
			return true
		}
	}
	return false
}

var symbols = regexp.MustCompile(`[%°]|\d\s*(?:m|s|ms|km|kg|px)\b|(?:0|-1)(?:\.0)?\s*(?:to|\.\.+|-|–|and|or)\s*1(?:\.0)?\b`)

// measured tells whether a number's unit is said, or it has none.
func measured(text string, s *tree) bool {
	for _, w := range words(text) {
		if slices.Contains(units, w) || slices.Contains(relative, w) {
			return true
		}
	}
	low, ok1 := s.get("minimum").number()
	high, ok2 := s.get("maximum").number()
	return symbols.MatchString(text) || ok1 && ok2 && (low == 0 || low == -1) && high == 1 || s.has("enum", "const")
}

// values looks at what a schema takes.
func (t *tool) values(p spot) {
	kinds := types(p.s)
	where := t.path(p.pointer)
	if slices.Contains(kinds, "string") && !p.s.has("maxLength", "enum", "const", "pattern", "format") {
		if !slices.Contains(t.long, where) {
			t.long = append(t.long, where)
		}
	}
	if slices.Contains(kinds, "array") {
		if !p.s.has("items", "prefixItems") {
			t.say("array-without-items", p.s, p.pointer, "%s is a list, of what is not said", where)
		}
		if !p.s.has("maxItems", "enum", "const") && !(p.s.has("prefixItems") && p.s.get("items").isFalse()) {
			t.say("unbounded-array", p.s, p.pointer, "%s may be of any length", where)
		}
	}
	if p.s.has("prefixItems") || p.s.get("items").elements() != nil {
		t.say("tuple", p.s, p.pointer, "%s is a list whose items differ by their place", where)
	}
	if p.s.has("$ref") && t.recursive(p.pointer, p.s.get("$ref").text()) {
		t.say("recursive", p.s.get("$ref"), under(p.pointer, "$ref"), "%s contains itself", orRoot(where))
	}
	t.enumeration(p, where)
	for _, pair := range [][2]string{{"minimum", "maximum"}, {"minLength", "maxLength"}, {"minItems", "maxItems"}, {"minProperties", "maxProperties"}} {
		low, high := p.s.get(pair[0]), p.s.get(pair[1])
		if low != nil && high != nil && low.kind == jsonwire.Number && high.kind == jsonwire.Number && jsonwire.CompareNumbers(low.raw, high.raw) > 0 {
			t.say("empty-range", low, under(p.pointer, pair[0]), "%s %s is over %s %s: nothing fits", pair[0], low.raw, pair[1], high.raw)
		}
	}
	if d := p.s.get("default"); d != nil && !t.fits(p.s, d) {
		t.say("default-refused", d, under(p.pointer, "default"), "the default %s does not fit its own schema", cut(string(d.raw)))
	}
	for i, e := range p.s.get("examples").elements() {
		if !t.fits(p.s, e) {
			t.say("default-refused", e, fmt.Sprintf("%s/examples/%d", p.pointer, i), "the example %s does not fit its own schema", cut(string(e.raw)))
		}
	}
}

func orRoot(where string) string {
	if where == "" {
		return "the input"
	}
	return where
}

func (t *tool) enumeration(p spot, where string) {
	enum := p.s.get("enum")
	list := enum.elements()
	t.counts.enums += len(list)
	bytes, seen := 0, map[string]string{}
	alike := false
	for _, e := range list {
		text := e.text()
		bytes += len(text)
		if other, ok := seen[plain(text)]; ok && other != text && text != "" && !alike {
			t.say("enum-alike", e, under(p.pointer, "enum"), "%q and %q differ in capitals or _ only", other, text)
			alike = true
		}
		seen[plain(text)] = text
	}
	if c := p.s.get("const"); c != nil {
		t.counts.texts += len(c.text())
	}
	t.counts.texts += bytes
	if len(list) > 250 && bytes > 15000 {
		t.say("too-many-values", enum, under(p.pointer, "enum"), "%s lists %d values of %d characters together; above 250 values OpenAI's strict mode takes 15,000 characters", where, len(list), bytes)
	}
}

// fits holds a value against the schema that it stands in.
func (t *tool) fits(s, value *tree) bool {
	text := []byte(`{"properties":{"v":`)
	text = append(append(text, s.raw...), `}`...)
	for _, key := range []string{"$schema", "$defs", "definitions"} {
		if d := t.root.get(key); d != nil {
			text, _ = jsonwire.AppendString(append(text, ','), key)
			text = append(append(text, ':'), d.raw...)
		}
	}
	compiled, err := schema.Compile(append(text, '}'), schema.Options{Role: schema.Output})
	if err != nil {
		return true // it refers to somewhere else
	}
	var c schema.Checker
	return compiled.Check(&c, append(append([]byte(`{"v":`), value.raw...), '}'))
}

// members looks at an object: what it takes and what it asks for.
func (t *tool) members(p spot) {
	properties := p.s.get("properties")
	kinds := types(p.s)
	if slices.Contains(kinds, "object") && properties == nil && !p.root && !p.s.has("additionalProperties", "patternProperties", "propertyNames", "maxProperties", "$ref", "allOf", "anyOf", "oneOf", "enum", "const") ||
		slices.Contains(kinds, "object") && !p.root && p.s.get("additionalProperties").isTrue() && (properties == nil || len(properties.names) == 0) {
		t.say("free-form-object", p.s, p.pointer, "%s is an object, with what members is not said", t.path(p.pointer))
	}
	if properties.isObject() && !t.StrictInput && !p.s.has("additionalProperties", "unevaluatedProperties", "patternProperties") && !p.branch {
		t.open = append(t.open, orRoot(t.path(p.pointer)))
	}
	if required := p.s.get("required"); required != nil && !p.branch && !p.s.has("allOf", "anyOf", "oneOf", "$ref", "patternProperties") {
		for _, name := range required.texts() {
			if properties.get(name) == nil {
				t.say("required-unknown", required, under(p.pointer, "required"), "%s is required, and no member of that name is described", name)
			}
		}
	}
	if !properties.isObject() {
		return
	}
	t.counts.properties += len(properties.names)
	seen := map[string]string{}
	r := provider.Anthropic.Rules()
	for i, name := range properties.names {
		t.counts.texts += len(name)
		place := &tree{at: properties.named[i]}
		if other, ok := seen[plain(name)]; ok {
			t.say("parameters-alike", place, under(p.pointer, "properties", name), "%s and %s differ in capitals or _ only", other, name)
		}
		seen[plain(name)] = name
		if p.root && !provider.Anthropic.TakesKey(name) {
			t.say("parameter-refused", place, under(p.pointer, "properties", name), "%q is refused as a parameter's name by Anthropic: at most %d letters, digits, _, . and -", name, r.MaxKey)
		}
	}
}

// totals says what is known once the whole input has been seen.
func (t *tool) totals(s *tree, at string) {
	if len(t.bare) > 0 {
		t.say("parameter-undocumented", s, at, "%s: no description", few(t.bare))
	}
	if len(t.long) > 0 {
		t.say("unbounded-string", s, at, "%s: text of any length", few(t.long))
	}
	if len(t.open) > 0 {
		t.say("open-object", s, at, "%s: other members are taken, and ignored", few(t.open))
	}
	c := &t.counts
	for _, d := range []*tree{t.root.get("$defs"), t.root.get("definitions")} {
		if d.isObject() {
			for _, name := range d.names {
				c.texts += len(name)
			}
		}
	}
	if c.depth > 10 {
		t.say("too-deep", c.deepestAt, c.deepest, "%d objects inside each other: OpenAI's strict mode takes 10", c.depth)
	}
	if c.properties > 5000 {
		t.say("too-many-properties", s, at, "%d members: OpenAI's strict mode takes 5,000", c.properties)
	}
	if c.enums > 1000 {
		t.say("too-many-values", s, at, "%d values in enumerations: OpenAI's strict mode takes 1,000", c.enums)
	}
	if c.texts > 120000 {
		t.say("too-many-properties", s, at, "names and values of %d characters together: OpenAI's strict mode takes 120,000", c.texts)
	}
}
