package crowd

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

// Generator makes inputs that a tool's schema takes, by chance. One goroutine at a time.
type Generator struct {
	root    map[string]any
	random  *rand.Rand
	check   *schema.Schema
	checker schema.Checker
	tool    string
	work    int
}

// NewGenerator reads a tool's schema. The same seed gives the same inputs.
func NewGenerator(t *message.Tool, seed uint64) (*Generator, error) {
	g := &Generator{random: rand.New(rand.NewPCG(seed, 0x61696363)), tool: t.ID}
	compiled, err := schema.Compile(t.InputSchema, schema.Options{Strict: t.StrictInput, NoRepair: true, Role: schema.Input})
	if err != nil {
		return nil, fmt.Errorf("the schema of %s cannot be used: %w; give an input by --input", t.ID, err)
	}
	g.check = compiled
	if err := json.Unmarshal(t.InputSchema, &g.root); err != nil {
		return nil, fmt.Errorf("the schema of %s is no object: give an input by --input", t.ID)
	}
	return g, nil
}

const (
	attempts  = 200
	maxNested = 8 // objects and arrays in each other, behind which nothing optional is made
	maxMerged = 64
	maxWork   = 2_000_000 // values and characters, of all attempts for one input
)

// Input makes one.
func (g *Generator) Input() ([]byte, error) {
	why := "too much is wanted"
	g.work = maxWork
	for range attempts {
		if g.work <= 0 {
			break
		}
		merged := maxMerged
		text, err := json.Marshal(g.top(&merged))
		if err != nil || text[0] != '{' {
			continue
		}
		if g.check.Check(&g.checker, text) {
			return text, nil
		}
		why = g.checker.Message()
	}
	return nil, fmt.Errorf("no input for %s could be made from its schema (%s): give one by --input", g.tool, strings.TrimSpace(why))
}

// top is an object, whatever type the schema leaves open.
func (g *Generator) top(left *int) any {
	m := maps.Clone(g.merge(g.root, left))
	if _, ok := m["const"]; !ok && m["enum"] == nil {
		m["type"] = "object"
	}
	return g.value(m, 0, left)
}

// merge makes one schema of all that is to hold together: references, allOf, and by chance one of anyOf and of oneOf.
func (g *Generator) merge(s any, left *int) map[string]any {
	m, ok := s.(map[string]any)
	if *left--; !ok || *left < 0 {
		return map[string]any{}
	}
	var parts []any
	if ref, ok := m["$ref"].(string); ok {
		parts = append(parts, g.target(ref))
	}
	if all, ok := m["allOf"].([]any); ok {
		parts = append(parts, all...)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if some, ok := m[keyword].([]any); ok && len(some) > 0 {
			parts = append(parts, some[g.random.IntN(len(some))])
		}
	}
	if parts == nil {
		return m
	}
	out := map[string]any{}
	for _, part := range parts {
		join(out, g.merge(part, left))
	}
	join(out, m)
	return out
}

// join adds a schema's keywords to another's.
func join(to, from map[string]any) {
	for key, value := range from {
		switch key {
		case "$ref", "allOf", "anyOf", "oneOf":
			continue
		case "properties":
			had, _ := to[key].(map[string]any)
			more, _ := value.(map[string]any)
			all := maps.Clone(had)
			if all == nil {
				all = map[string]any{}
			}
			maps.Copy(all, more)
			value = all
		case "required":
			had, _ := to[key].([]any)
			more, _ := value.([]any)
			value = append(slices.Clone(had), more...)
		}
		to[key] = value
	}
}

func (g *Generator) target(ref string) any {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	var at any = g.root
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if part == "" {
			continue
		}
		m, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		at = m[strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")]
	}
	return at
}

func (g *Generator) chance(n int) bool { return g.random.IntN(n) == 0 }

func (g *Generator) value(s any, depth int, left *int) any {
	if g.work--; g.work <= 0 {
		return nil
	}
	m := g.merge(s, left)
	if one, ok := m["const"]; ok {
		return one
	}
	if some, ok := m["enum"].([]any); ok && len(some) > 0 {
		return some[g.random.IntN(len(some))]
	}
	if some, ok := m["examples"].([]any); ok && len(some) > 0 && g.chance(2) {
		return some[g.random.IntN(len(some))]
	}
	if one, ok := m["default"]; ok && g.chance(4) {
		return one
	}
	switch g.kind(m) {
	case "object":
		return g.object(m, depth, left)
	case "array":
		return g.array(m, depth, left)
	case "string":
		return g.text(m)
	case "integer":
		return json.Number(fmt.Sprintf("%.0f", g.number(m, true)))
	case "number":
		return g.number(m, false)
	case "boolean":
		return g.chance(2)
	case "null":
		return nil
	}
	return g.random.IntN(100)
}

// kind is the type that is made.
func (g *Generator) kind(m map[string]any) string {
	switch t := m["type"].(type) {
	case string:
		return t
	case []any:
		if len(t) > 0 {
			one, _ := t[g.random.IntN(len(t))].(string)
			return one
		}
	}
	for _, of := range telling {
		for _, keyword := range of[1:] {
			if _, ok := m[keyword]; ok {
				return of[0]
			}
		}
	}
	return ""
}

// telling are the keywords that tell of a type where none is said.
var telling = [][]string{{"object", "properties", "required", "additionalProperties"}, {"array", "items", "prefixItems"},
	{"string", "minLength", "maxLength", "pattern", "format"}, {"number", "minimum", "maximum", "multipleOf"}}

func (g *Generator) object(m map[string]any, depth int, left *int) any {
	out := map[string]any{}
	properties, _ := m["properties"].(map[string]any)
	required, _ := m["required"].([]any)
	for _, name := range required {
		if text, ok := name.(string); ok {
			out[text] = g.value(properties[text], depth+1, left)
		}
	}
	least := int(number(m, "minProperties", 0))
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if _, ok := out[name]; !ok && depth < maxNested && properties[name] != false && (len(out) < least || g.chance(2)) {
			out[name] = g.value(properties[name], depth+1, left)
		}
	}
	return out
}

func (g *Generator) array(m map[string]any, depth int, left *int) any {
	first, _ := m["prefixItems"].([]any)
	low := max(int(number(m, "minItems", 0)), 0)
	high := max(int(number(m, "maxItems", float64(low+3))), low)
	high = min(high, low+8)
	if depth >= maxNested {
		high = low
	}
	n := min(low+g.random.IntN(high-low+1), 10_000)
	out := []any{}
	for i := range n {
		switch {
		case g.work <= 0:
			return out
		case i < len(first):
			out = append(out, g.value(first[i], depth+1, left))
		case m["items"] == false:
			return out
		default:
			out = append(out, g.value(m["items"], depth+1, left))
		}
	}
	return out
}

func (g *Generator) text(m map[string]any) string {
	switch m["format"] {
	case "uuid":
		return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", g.random.Uint32(), g.random.IntN(1<<16), g.random.IntN(1<<12), g.random.IntN(1<<12), g.random.Int64N(1<<48))
	case "date-time":
		return fmt.Sprintf("2026-%02d-%02dT%02d:%02d:00Z", 1+g.random.IntN(12), 1+g.random.IntN(28), g.random.IntN(24), g.random.IntN(60))
	case "date":
		return fmt.Sprintf("2026-%02d-%02d", 1+g.random.IntN(12), 1+g.random.IntN(28))
	case "time":
		return fmt.Sprintf("%02d:%02d:00Z", g.random.IntN(24), g.random.IntN(60))
	case "email":
		return fmt.Sprintf("guard%d@example.com", g.random.IntN(1000))
	case "uri":
		return fmt.Sprintf("https://example.com/%d", g.random.IntN(1000))
	}
	low := max(int(number(m, "minLength", 0)), 0)
	high := max(int(number(m, "maxLength", float64(low+24))), low)
	n := min(low+g.random.IntN(min(high-low, 1000)+1), 1<<16)
	g.work -= n
	const letters = "abcdefghijklmnopqrstuvwxyz     ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,!?-äöé東京"
	runes := []rune(letters)
	out := make([]rune, n)
	for i := range out {
		out[i] = runes[g.random.IntN(len(runes))]
	}
	return string(out)
}

func (g *Generator) number(m map[string]any, whole bool) float64 {
	low, high := number(m, "minimum", math.Inf(-1)), number(m, "maximum", math.Inf(1))
	step := number(m, "multipleOf", 0)
	edge := step
	if whole {
		step = max(step, 1)
		edge = step
	}
	if edge == 0 {
		edge = 1e-6
	}
	low = max(low, number(m, "exclusiveMinimum", math.Inf(-1))+edge)
	high = min(high, number(m, "exclusiveMaximum", math.Inf(1))-edge)
	switch {
	case math.IsInf(low, -1) && math.IsInf(high, 1):
		low, high = -100, 100
	case math.IsInf(low, -1):
		low = high - 200
	case math.IsInf(high, 1):
		high = low + 200
	}
	n := low + g.random.Float64()*max(high-low, 0)
	if step > 0 {
		n = math.Round(n/step) * step
		if n < low {
			n = math.Ceil(low/step) * step
		} else if n > high {
			n = math.Floor(high/step) * step
		}
		return n
	}
	if short := math.Round(n*100) / 100; short >= low && short <= high {
		n = short
	}
	return n
}

func number(m map[string]any, name string, otherwise float64) float64 {
	if n, ok := m[name].(float64); ok {
		return n
	}
	return otherwise
}
