package schema

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"sort"
	"strings"
)

// maker makes values from a schema: some that fit it, and for each constraint some that break that one alone.
// It knows the keywords that tool definitions use, and reads them from plain decoded JSON, not from this package.
type maker struct {
	r    *rand.Rand
	root map[string]any
}

// broken is a value that must not fit, and why.
type broken struct {
	why   string
	value any
}

func asObject(schema any) map[string]any {
	o, _ := schema.(map[string]any)
	return o
}

func (m *maker) follow(schema any) map[string]any {
	o := asObject(schema)
	for ref, ok := o["$ref"].(string); ok; ref, ok = o["$ref"].(string) {
		o = m.root
		for _, token := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			o = asObject(o[token])
		}
	}
	return o
}

func number(o map[string]any, key string) (float64, bool) {
	n, ok := o[key].(float64)
	return n, ok
}

func typesOf(o map[string]any) []string {
	switch t := o["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var out []string
		for _, one := range t {
			out = append(out, one.(string))
		}
		return out
	}
	switch {
	case o["properties"] != nil:
		return []string{"object"}
	case o["items"] != nil:
		return []string{"array"}
	}
	return nil
}

func clone(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	var out any
	if json.Unmarshal(text, &out) != nil {
		return nil
	}
	return out
}

// fitting makes a value that fits; full has every declared member, else only those required and a few.
func (m *maker) fitting(schema any, full bool) any {
	o := m.follow(schema)
	if c, ok := o["const"]; ok {
		return c
	}
	if e, ok := o["enum"].([]any); ok {
		return e[m.r.IntN(len(e))]
	}
	for _, key := range []string{"oneOf", "anyOf"} {
		if list, ok := o[key].([]any); ok {
			v := m.fitting(list[m.r.IntN(len(list))], full)
			if own := asObject(m.ownObject(o, full)); own != nil {
				for k, one := range asObject(v) {
					own[k] = one
				}
				if req, ok := asObject(list[0])["required"].([]any); ok && v == nil {
					own[req[0].(string)] = m.fitting(asObject(o["properties"])[req[0].(string)], full)
				}
				return own
			}
			return v
		}
	}
	kinds := typesOf(o)
	if kinds == nil {
		return []any{nil, true, 1.0, "x", []any{}, map[string]any{}}[m.r.IntN(6)]
	}
	switch kinds[m.r.IntN(len(kinds))] {
	case "null":
		return nil
	case "boolean":
		return m.r.IntN(2) == 0
	case "integer", "number":
		return m.fittingNumber(o)
	case "string":
		return m.fittingString(o)
	case "array":
		n := 0
		if v, ok := number(o, "minItems"); ok {
			n = int(v)
		}
		if full && n == 0 {
			n = 1 + m.r.IntN(2)
		}
		if v, ok := number(o, "maxItems"); ok && n > int(v) {
			n = int(v)
		}
		out := []any{}
		for range n {
			out = append(out, m.fitting(o["items"], full))
		}
		return out
	}
	return m.ownObject(o, full)
}

func (m *maker) ownObject(o map[string]any, full bool) any {
	props := asObject(o["properties"])
	if props == nil && !contains(typesOf(o), "object") {
		return nil
	}
	out := map[string]any{}
	required := map[string]bool{}
	if list, ok := o["required"].([]any); ok {
		for _, one := range list {
			required[one.(string)] = true
			if props[one.(string)] == nil {
				out[one.(string)] = "x"
			}
		}
	}
	for _, name := range sortedKeys(props) {
		if required[name] || full || m.r.IntN(3) == 0 {
			out[name] = m.fitting(props[name], full)
		}
	}
	if extra := asObject(o["additionalProperties"]); extra != nil && full {
		out["zz_extra"] = m.fitting(extra, full)
	}
	return out
}

func sortedKeys(o map[string]any) []string {
	var out []string
	for k := range o {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func contains(list []string, s string) bool {
	for _, one := range list {
		if one == s {
			return true
		}
	}
	return false
}

func (m *maker) fittingNumber(o map[string]any) any {
	lo, hi := -5.0, 5.0
	least, hasLeast := number(o, "minimum")
	over, hasOver := number(o, "exclusiveMinimum")
	most, hasMost := number(o, "maximum")
	under, hasUnder := number(o, "exclusiveMaximum")
	if hasLeast {
		lo = least
	}
	if hasOver {
		lo = over + 1
	}
	hi = lo + 10
	if hasMost {
		hi = most
	}
	if hasUnder {
		hi = under - 1
	}
	if !hasLeast && !hasOver {
		lo = hi - 10
	}
	v := lo + m.r.Float64()*(hi-lo)
	if contains(typesOf(o), "integer") || m.r.IntN(3) == 0 {
		if v = float64(int64(v)); v < lo {
			v = lo
		}
	}
	if step, ok := number(o, "multipleOf"); ok {
		v = float64(int64(v/step)) * step
	}
	return v
}

func (m *maker) fittingString(o map[string]any) any {
	switch o["format"] {
	case "uri":
		return "https://example.com/a?b=c#d"
	case "date-time":
		return "2025-01-31T12:00:00Z"
	case "uuid":
		return "123e4567-e89b-12d3-a456-426614174000"
	}
	if p, ok := o["pattern"].(string); ok {
		re := regexp.MustCompile(p)
		for _, s := range []string{"abc", "a_b", "AB", "Assets/x", "Packages/x", "1.0", "a1", "0x1", "name@host", "a-b-c", strings.Repeat("0", 64)} {
			if re.MatchString(s) {
				return s
			}
		}
	}
	n := 1 + m.r.IntN(4)
	if v, ok := number(o, "minLength"); ok && n < int(v) {
		n = int(v)
	}
	letters := []rune("aé😀\"\\\n/ z")
	var b strings.Builder
	for range n {
		b.WriteRune(letters[m.r.IntN(len(letters))])
	}
	return b.String()
}

// breaking makes, for each constraint under a schema, values that fit but for that one.
func (m *maker) breaking(schema any) []broken {
	o := m.follow(schema)
	var out []broken
	add := func(why string, v any) { out = append(out, broken{why, v}) }
	kinds := typesOf(o)
	if kinds != nil || o["enum"] != nil || o["const"] != nil {
		for _, wrong := range []struct {
			kind string
			v    any
		}{{"null", nil}, {"boolean", true}, {"number", 1.5}, {"integer", 7.0}, {"string", "~other~"}, {"array", []any{1.0}}, {"object", map[string]any{"~": 1.0}}} {
			if contains(kinds, wrong.kind) || wrong.kind == "integer" && contains(kinds, "number") || kinds == nil && listed(o, wrong.v) {
				continue
			}
			add("type "+wrong.kind, wrong.v)
		}
	}
	if e, ok := o["enum"].([]any); ok {
		if s, ok := e[0].(string); ok {
			for _, v := range []string{s + "x", strings.ToUpper(s) + "_", ""} {
				if !listed(o, v) {
					add("enum", v)
				}
			}
		}
		return out
	}
	if _, ok := o["const"]; ok {
		return out
	}
	for _, key := range []string{"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum"} {
		v, ok := number(o, key)
		if !ok {
			continue
		}
		switch key {
		case "minimum":
			add(key, v-1)
		case "maximum":
			add(key, v+1)
		default:
			add(key, v)
		}
	}
	if v, ok := number(o, "minLength"); ok && v > 0 {
		add("minLength", strings.Repeat("é", int(v)-1))
	}
	if v, ok := number(o, "maxLength"); ok {
		add("maxLength", strings.Repeat("é", int(v)+1))
	}
	if p, ok := o["pattern"].(string); ok && !regexp.MustCompile(p).MatchString("~~\n") {
		add("pattern", "~~\n")
	}
	if o["format"] == "uri" {
		add("format", "not a uri")
	}
	if contains(kinds, "array") {
		out = append(out, m.breakingArray(o)...)
	}
	if contains(kinds, "object") {
		out = append(out, m.breakingObject(o)...)
	}
	return out
}

func listed(o map[string]any, v any) bool {
	if o["enum"] == nil && o["const"] == nil {
		return true
	}
	list, _ := o["enum"].([]any)
	if c, ok := o["const"]; ok {
		list = append(list, c)
	}
	for _, one := range list {
		if fmt.Sprint(one) == fmt.Sprint(v) {
			return true
		}
	}
	return false
}

func (m *maker) breakingArray(o map[string]any) (out []broken) {
	if v, ok := number(o, "minItems"); ok && v > 0 {
		list := []any{}
		for range int(v) - 1 {
			list = append(list, m.fitting(o["items"], true))
		}
		out = append(out, broken{"minItems", list})
	}
	if v, ok := number(o, "maxItems"); ok {
		list := []any{}
		for range int(v) + 1 {
			list = append(list, m.fitting(o["items"], true))
		}
		out = append(out, broken{"maxItems", list})
	}
	if o["items"] == nil {
		return out
	}
	for _, b := range m.breaking(o["items"]) {
		list := []any{}
		n, _ := number(o, "minItems")
		for range max(int(n), 1) {
			list = append(list, m.fitting(o["items"], true))
		}
		list[m.r.IntN(len(list))] = b.value
		out = append(out, broken{"items > " + b.why, list})
	}
	return out
}

func (m *maker) breakingObject(o map[string]any) (out []broken) {
	full := func() map[string]any { return asObject(clone(m.fitting(o, true))) }
	if list, ok := o["required"].([]any); ok {
		for _, one := range list {
			v := full()
			delete(v, one.(string))
			out = append(out, broken{"required " + one.(string), v})
		}
	}
	props := asObject(o["properties"])
	switch extra := o["additionalProperties"].(type) {
	case bool:
		if !extra {
			v := full()
			v["zz_unknown"] = 1.0
			out = append(out, broken{"additionalProperties", v})
		}
	case map[string]any:
		for _, b := range m.breaking(extra) {
			v := full()
			v["zz_extra"] = b.value
			out = append(out, broken{"additionalProperties > " + b.why, v})
		}
	}
	for _, name := range sortedKeys(props) {
		for _, b := range m.breaking(props[name]) {
			v := full()
			v[name] = b.value
			out = append(out, broken{name + " > " + b.why, v})
		}
	}
	return out
}
