package schema

import (
	"strconv"
	"strings"
)

// chooser makes schemas and values out of a fuzzer's bytes, each byte a choice, from a
// vocabulary so small that the two meet.
type chooser struct {
	data []byte
	plan int  // schemas left to make
	flat bool // no schema applies to the same value as another
}

func (g *chooser) pick(n int) int {
	if len(g.data) == 0 {
		return 0
	}
	b := g.data[0]
	g.data = g.data[1:]
	return int(b) % n
}

func (g *chooser) of(list ...string) string { return list[g.pick(len(list))] }

func (g *chooser) name() string { return g.of(`"a"`, `"b"`, `"c"`, `"a b"`, `"é"`, `"q\"t"`) }

func (g *chooser) value(depth int) string {
	n := 12
	if depth > 3 {
		n = 8
	}
	switch g.pick(n) {
	case 0:
		return "null"
	case 1:
		return g.of("true", "false")
	case 2, 3:
		return g.of("0", "1", "2", "3", "-1")
	case 4:
		return g.of("1.5", "0.1", "-0.0", "1e1", "2.50", "12345678901234567890", "1E-2", "-3.75", "9007199254740993", "0.30000000000000004")
	case 5, 6, 7:
		return g.of(`""`, `"a"`, `"ab"`, `"é"`, `"1"`, `"\u0061b"`, `"x y"`, `"😀😀"`)
	case 8, 9:
		return "[" + g.list(4, func() string { return g.value(depth + 1) }) + "]"
	}
	seen := map[string]bool{}
	var parts []string
	for range g.pick(5) {
		name := g.name()
		if !seen[name] {
			seen[name] = true
			parts = append(parts, name+":"+g.value(depth+1))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (g *chooser) list(most int, f func() string) string {
	var parts []string
	for range g.pick(most) {
		parts = append(parts, f())
	}
	return strings.Join(parts, ",")
}

// root is a whole schema, with definitions to refer to.
func (g *chooser) root() string {
	g.plan = 24
	body := g.schema(0)
	if body == "true" || body == "false" {
		return body
	}
	defs := `"$defs":{"d0":` + g.schema(2) + `,"d1":` + g.schema(2) + `}`
	if body == "{}" {
		return "{" + defs + "}"
	}
	return strings.TrimSuffix(body, "}") + "," + defs + "}"
}

func (g *chooser) schema(depth int) string {
	if g.plan--; g.plan < 0 || depth > 5 {
		return g.of("true", `{"type":"integer"}`, `{"type":"string"}`, "false")
	}
	if depth > 0 && g.pick(8) == 7 {
		return g.of("true", "false", `{"$ref":"#/$defs/d0"}`, `{"$ref":"#/$defs/d1"}`)
	}
	seen := map[string]bool{}
	var parts []string
	for range 1 + g.pick(4) {
		word, body := g.keyword(depth + 1)
		if !seen[word] {
			seen[word] = true
			parts = append(parts, strconv.Quote(word)+":"+body)
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (g *chooser) some(depth int) string {
	parts := []string{g.schema(depth)}
	for range g.pick(3) {
		parts = append(parts, g.schema(depth))
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (g *chooser) members(depth int, name func() string) string {
	seen := map[string]bool{}
	var parts []string
	for range 1 + g.pick(3) {
		n := name()
		if !seen[n] {
			seen[n] = true
			parts = append(parts, n+":"+g.schema(depth))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (g *chooser) names() string {
	seen := map[string]bool{}
	var parts []string
	for range g.pick(3) {
		if n := g.name(); !seen[n] {
			seen[n] = true
			parts = append(parts, n)
		}
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (g *chooser) keyword(depth int) (word, body string) {
	small := func() string { return g.of("0", "1", "2", "3", "2.0") }
	figure := func() string { return g.of("0", "1", "2", "-1", "1.5", "1e1", "12345678901234567890", "0.1") }
	regex := func() string {
		return g.of(`"^a"`, `"b$"`, `"^[a-c]+$"`, `""`, `"é|x"`, `"^.{2,3}$"`, `"\\bb"`, `"\\\\"`, `"^(a|ab)(c|b)?$"`)
	}
	choice := g.pick(36)
	if g.flat && (26 <= choice && choice <= 30 || choice == 32 || choice == 33) {
		choice = 10
	}
	switch choice {
	case 0, 1, 2:
		return "type", `"` + g.of("object", "array", "string", "number", "integer", "boolean", "null") + `"`
	case 3:
		return "type", g.of(`["string","null"]`, `["integer","string"]`, `["object","array"]`, `["number","boolean"]`)
	case 4:
		return "enum", "[" + g.value(3) + "," + g.value(3) + "," + g.value(3) + "]"
	case 5:
		return "const", g.value(3)
	case 6:
		return g.of("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), figure()
	case 7:
		return "multipleOf", g.of("1", "2", "0.5", "0.1", "1e-2", "3", "0.75")
	case 8:
		return g.of("minLength", "maxLength"), small()
	case 9:
		return "pattern", regex()
	case 10, 11, 12:
		return "properties", g.members(depth, g.name)
	case 13, 14:
		return "required", g.names()
	case 15:
		return "additionalProperties", g.schema(depth)
	case 16:
		return "patternProperties", g.members(depth, regex)
	case 17:
		return "propertyNames", g.schema(depth)
	case 18:
		return g.of("minProperties", "maxProperties"), small()
	case 19, 20:
		return "items", g.schema(depth)
	case 21:
		return "prefixItems", g.some(depth)
	case 22:
		return "contains", g.schema(depth)
	case 23:
		return g.of("minContains", "maxContains"), small()
	case 24:
		return "uniqueItems", g.of("true", "false")
	case 25:
		return g.of("minItems", "maxItems"), small()
	case 26:
		return "allOf", g.some(depth)
	case 27:
		return "anyOf", g.some(depth)
	case 28:
		return "oneOf", g.some(depth)
	case 29:
		return "not", g.schema(depth)
	case 30:
		return g.of("if", "then", "else"), g.schema(depth)
	case 31:
		return "dependentRequired", `{` + g.name() + `:` + g.names() + `}`
	case 32:
		return "dependentSchemas", g.members(depth, g.name)
	case 33:
		return "$ref", g.of(`"#/$defs/d0"`, `"#/$defs/d1"`)
	case 34:
		return "unevaluatedProperties", g.schema(depth)
	}
	return "unevaluatedItems", g.schema(depth)
}
