package provider

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

// dataDir is a folder of test data beside the repository.
func dataDir(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "..", "shared", "data", name)
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the test data %s is missing", name)
		}
		t.Skipf("%s: the test data %s is not here", t.Name(), name)
	}
	return dir
}

// rulesOf are what a provider's documentation says of a schema, written down a second time: keyword by keyword, as a checker that knows nothing of how lists are made.
type rulesOf struct {
	allowed  []string
	gemini   bool
	closed   bool
	full     bool
	anywhere bool // no rules below the root
}

var judges = map[string]rulesOf{
	"openai":    {anywhere: true},
	"anthropic": {anywhere: true},
	"mcp":       {anywhere: true},
	"openai strict": {closed: true, full: true, allowed: []string{"type", "title", "description", "enum", "pattern", "format", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
		"minItems", "maxItems", "properties", "required", "items", "anyOf", "additionalProperties"}},
	"anthropic strict": {closed: true, allowed: []string{"type", "title", "description", "enum", "pattern", "format", "minItems", "properties", "required", "items", "anyOf", "additionalProperties"}},
	"gemini": {gemini: true, allowed: []string{"type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required", "minProperties", "maxProperties",
		"minLength", "maxLength", "pattern", "anyOf", "items", "minimum", "maximum"}},
}

func judgeOf(f Format, strict bool) rulesOf {
	if strict {
		return judges[f.String()+" strict"]
	}
	return judges[f.String()]
}

// check says where a schema breaks a provider's rules.
func (r rulesOf) check(s *value, at string, root bool) (faults []string) {
	fault := func(format string, arguments ...any) {
		faults = append(faults, at+": "+fmt.Sprintf(format, arguments...))
	}
	if s.kind != jsonwire.Object {
		return []string{at + ": is no schema object"}
	}
	if root {
		if kind := strings.ToLower(s.get("type").text()); kind != "object" {
			fault("the root is no object")
		}
		for _, key := range []string{"oneOf", "anyOf", "allOf", "enum", "not", "$ref", "const"} {
			if s.has(key) && !(r.anywhere && at == "mcp") {
				fault("%s at the root", key)
			}
		}
	}
	if r.anywhere {
		return faults
	}
	for _, key := range s.keys {
		if !slices.Contains(r.allowed, key) {
			fault("%s is not known", key)
		}
	}
	if union := s.get("anyOf"); union != nil {
		if len(union.list) == 0 {
			fault("an empty union")
		}
		if r.gemini && len(s.keys) > 1 {
			fault("anyOf is not the only field")
		}
		if s.has("type") {
			fault("a type beside anyOf")
		}
		for i, one := range union.list {
			faults = append(faults, r.check(one, fmt.Sprintf("%s/anyOf/%d", at, i), false)...)
		}
		return faults
	}
	kinds := types(s)
	if len(kinds) == 0 {
		fault("no type")
		return faults
	}
	kind := slices.DeleteFunc(slices.Clone(kinds), func(k string) bool { return k == "null" })
	if r.gemini {
		if s.get("type").kind != jsonwire.String || !slices.Contains([]string{"STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"}, kinds[0]) {
			fault("no type of the dialect: %s", s.get("type"))
		}
		if e := s.get("enum"); e != nil && (kinds[0] != "STRING" || len(e.texts()) != len(e.list) || slices.Contains(e.texts(), "")) {
			fault("an enumeration of something else than text")
		}
		for _, key := range []string{"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"} {
			if v := s.get(key); v != nil && (v.kind != jsonwire.String || strings.Trim(v.text(), "0123456789") != "") {
				fault("%s is no 64-bit integer: %s", key, v)
			}
		}
		if n := s.get("nullable"); n != nil && !n.isTrue() {
			fault("nullable is no boolean")
		}
	}
	if len(kinds) == 1 && len(kind) == 0 && !r.gemini && !root {
		return faults // "null"
	}
	if len(kind) != 1 {
		fault("types %v", kinds)
		return faults
	}
	switch strings.ToLower(kind[0]) {
	case "object":
		properties := s.get("properties")
		if properties == nil || properties.kind != jsonwire.Object {
			fault("no properties")
			return faults
		}
		required := s.get("required").texts()
		for _, name := range required {
			if !properties.has(name) {
				fault("required %q is no property", name)
			}
		}
		if r.closed && !s.get("additionalProperties").isFalse() {
			fault("an open object")
		}
		if r.full && !slices.Equal(required, properties.keys) {
			fault("not all are required")
		}
		for i, name := range properties.keys {
			faults = append(faults, r.check(properties.list[i], pointer(at+"/properties", name), false)...)
		}
	case "array":
		if !s.has("items") {
			fault("no items")
			return faults
		}
		faults = append(faults, r.check(s.get("items"), at+"/items", false)...)
		fallthrough
	default:
		if s.has("properties") || s.has("required") {
			fault("properties of no object")
		}
	}
	return faults
}

// checkList looks at a whole list, as JSON.
func checkList(t testing.TB, l *List) {
	t.Helper()
	require.True(t, json.Valid(l.JSON()))
	names := map[string]bool{}
	for i := range l.Functions {
		f := &l.Functions[i]
		require.True(t, l.Format.Takes(f.Name), f.Name)
		require.False(t, names[f.Name], f.Name)
		names[f.Name] = true
		require.Same(t, f, l.Find(f.Name))
		id, ok := l.Names.Back(f.Name)
		require.True(t, ok)
		require.Equal(t, f.Tool, id)
		require.Equal(t, f.Name, l.Names.To(f.Tool))
		root := parse(f.Input)
		require.Empty(t, judgeOf(l.Format, f.Strict).check(root, l.Format.String(), true), "%s", f.Input)
		for _, key := range root.get("properties").keysOrNone() {
			require.True(t, l.Format.TakesKey(key), key)
		}
		if most := l.Format.Rules().MaxDescription; most > 0 {
			require.LessOrEqual(t, len([]rune(f.Description)), most)
		}
	}
}

func (v *value) keysOrNone() []string {
	if v == nil {
		return nil
	}
	return v.keys
}

// plain writes a Gemini schema as JSON Schema.
func plain(s *value) *value {
	out := newObject()
	for i, key := range s.keys {
		v := s.list[i]
		switch key {
		case "type":
			out.set("type", newString(strings.ToLower(v.text())))
		case "nullable":
		case "properties":
			p := newObject()
			for j, name := range v.keys {
				p.set(name, plain(v.list[j]))
			}
			out.set(key, p)
		case "items":
			out.set(key, plain(v))
		case "anyOf":
			a := newArray()
			for _, one := range v.list {
				a.list = append(a.list, plain(one))
			}
			out.set(key, a)
		case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties":
			out.set(key, newNumber(v.text()))
		default:
			out.set(key, v)
		}
	}
	if s.get("nullable").isTrue() {
		return newObject("anyOf", newArray(out, newObject("type", newString("null"))))
	}
	return out
}

// filled gives what a model in a mode without optional members writes: null for what is not given.
func filled(v, s *value) *value {
	if union := s.get("anyOf"); union != nil {
		for _, one := range union.list {
			if f := filled(v, one); takes(one, f) {
				return f
			}
		}
		return v
	}
	switch v.kind {
	case jsonwire.Array:
		out := newArray()
		for _, e := range v.list {
			out.list = append(out.list, filled(e, s.get("items")))
		}
		return out
	case jsonwire.Object:
		out := v.copy()
		for i, key := range v.keys {
			if p := s.get("properties").get(key); p != nil {
				out.list[i] = filled(v.list[i], p)
			}
		}
		for i, name := range s.get("properties").keysOrNone() {
			if !out.has(name) && slices.Contains(s.get("properties").added, name) {
				_ = i
				out.set(name, &value{kind: jsonwire.Null, raw: "null"})
			}
		}
		return out
	}
	return v
}

// A schema in a provider's form takes what the tool takes, and where no loss is named, nothing else.
func TestSchemasMeanTheSame(t *testing.T) {
	dir := dataDir(t, "json-schema-test-suite")
	type count struct{ schemas, exact, told, losses, values int }
	counts := map[string]*count{}
	for _, draft := range []string{"draft2020-12", "draft7"} {
		files, err := filepath.Glob(filepath.Join(dir, "tests", draft, "*.json"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var groups []struct {
				Description string
				Schema      json.RawMessage
				Tests       []struct{ Data json.RawMessage }
			}
			require.NoError(t, json.Unmarshal(text, &groups))
			for _, g := range groups {
				var values []json.RawMessage
				for _, one := range g.Tests {
					values = append(values, one.Data)
				}
				for _, wrapped := range wraps(g.Schema, values, draft == "draft7") {
					compiled, err := schema.Compile(wrapped.schema, schema.Options{Role: schema.Input, NoRepair: true})
					if err != nil {
						continue
					}
					for _, f := range []Format{OpenAI, Anthropic, Gemini} {
						for _, strict := range []bool{false, true} {
							if strict && f == Gemini {
								continue
							}
							tool := message.Tool{ID: "try", Class: message.Actuator, Description: "Tries.", InputSchema: wrapped.schema}
							l := Export(f, []message.Tool{tool}, Options{Strict: strict})
							checkList(t, l)
							fn := &l.Functions[0]
							if strict && !fn.Strict {
								continue
							}
							name := f.String()
							if strict {
								name += " strict"
							}
							if counts[name] == nil {
								counts[name] = &count{}
							}
							n := counts[name]
							n.schemas++
							told := 0
							for _, loss := range l.Losses {
								if loss.Told {
									told++
								}
							}
							switch {
							case len(l.Losses) == 0:
								n.exact++
							case told == len(l.Losses):
								n.told++
							}
							n.losses += len(l.Losses)
							n.values += same(t, file+" "+g.Description, wrapped, compiled, l, fn)
						}
					}
				}
			}
		}
	}
	for _, name := range []string{"openai", "anthropic", "openai strict", "anthropic strict", "gemini"} {
		t.Logf("%-16s %+v", name, *counts[name])
	}
}

type wrapping struct {
	schema []byte
	values [][]byte
}

// wraps makes inputs of a schema: it is that of a member, and, for its objects, that of the whole.
func wraps(s json.RawMessage, values []json.RawMessage, draft7 bool) (list []wrapping) {
	v := parse(s)
	inner := wrapping{}
	if v.kind == jsonwire.Object {
		v.drop("$schema")
	}
	if text := v.String(); !strings.Contains(text, `"#"`) && !strings.Contains(text, `"$id"`) && !strings.Contains(text, `"#/`) {
		root := newObject("type", newString("object"), "properties", newObject("v", v), "required", newStrings([]string{"v"}))
		if draft7 {
			root.set("$schema", newString("http://json-schema.org/draft-07/schema#"))
		}
		inner.schema = root.append(nil)
		for _, one := range values {
			inner.values = append(inner.values, append(append([]byte(`{"v":`), one...), '}'))
		}
		list = append(list, inner)
	}
	if v.kind == jsonwire.Object {
		outer := wrapping{}
		root := v.copy()
		if draft7 {
			root.set("$schema", newString("http://json-schema.org/draft-07/schema#"))
		}
		outer.schema = root.append(nil)
		for _, one := range values {
			if jsonwire.KindOf(one) == jsonwire.Object {
				outer.values = append(outer.values, one)
			}
		}
		list = append(list, outer)
	}
	return list
}

func same(t *testing.T, where string, w wrapping, was *schema.Schema, l *List, fn *Function) (n int) {
	s := fn.root
	if l.Format == Gemini {
		s = plain(s)
	}
	now, err := schema.Compile(s.append(nil), schema.Options{Role: schema.Output})
	require.NoError(t, err, "%s\n%s\n%s", where, w.schema, s)
	var before, after schema.Checker
	for _, v := range w.values {
		took := was.Check(&before, v)
		given := v
		if took {
			given = slices.Clone(before.Value)
		}
		model := parse(given)
		if fn.Strict {
			model = filled(model, fn.root)
		}
		for key, name := range fn.keys {
			if i := slices.Index(model.keys, name); i >= 0 {
				model.keys[i] = key
			}
		}
		takes := now.Check(&after, model.append(nil))
		n++
		switch {
		case took && !takes:
			require.NotEmpty(t, l.Losses, "%s: a value is refused that the tool takes\n%s\n%s\n%s\n%v", where, w.schema, s, model, after.Faults)
		case !took && takes && l.Format == Gemini && !slices.ContainsFunc(before.Faults, func(f schema.Fault) bool {
			return f.Keyword != "additionalProperties" && f.Keyword != "unevaluatedProperties"
		}): // that no others are taken cannot be said, and no model gives what is not listed
		case !took && takes:
			require.NotEmpty(t, l.Losses, "%s: a value is taken that the tool refuses\n%s\n%s\n%s", where, w.schema, s, model)
		case took && takes:
			require.True(t, jsonwire.Equal(given, fn.Restore(model.append(nil))), "%s: %s comes back as %s", where, given, fn.Restore(model.append(nil)))
		}
	}
	return n
}

func TestPublishedLists(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(dataDir(t, "tools"), "*.json"))
	require.NoError(t, err)
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		s, fault := Read(text)
		require.Nil(t, fault, name)
		for _, f := range Formats() {
			for _, strict := range []bool{false, true} {
				l := Export(f, s.Tools, Options{Strict: strict})
				require.Len(t, l.Functions, len(s.Tools))
				checkList(t, l)
				require.Equal(t, string(l.JSON()), string(Export(f, s.Tools, Options{Strict: strict}).JSON()))
				n := 0
				for _, fn := range l.Functions {
					if fn.Strict {
						n++
					}
				}
				t.Logf("%s %s: %d tools, %d strict, %d losses, %d bytes", filepath.Base(name), f, len(l.Functions), n, len(l.Losses), len(l.JSON()))
			}
		}
	}
}
