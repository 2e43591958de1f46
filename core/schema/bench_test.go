package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the benchmarks run on, here and in the other engines: see bench_peers_test.go.
const (
	benchSchema = `{
  "type": "object",
  "properties": {
    "target": {"type": "string", "minLength": 1, "maxLength": 64},
    "item": {"type": "string", "pattern": "^[a-z][a-z0-9_]*$"},
    "mode": {"type": "string", "enum": ["walk", "run", "sneak", "fly"]},
    "speed": {"type": "number", "minimum": 0, "maximum": 10},
    "count": {"type": "integer", "minimum": 1, "maximum": 99},
    "quiet": {"type": "boolean"},
    "goal": {
      "type": "object",
      "properties": {"x": {"type": "number"}, "y": {"type": "number"}, "z": {"type": "number"}},
      "required": ["x", "y"], "additionalProperties": false
    },
    "tags": {"type": "array", "items": {"type": "string", "maxLength": 32}, "maxItems": 8}
  },
  "required": ["target", "mode"],
  "additionalProperties": false
}`
	benchInput = `{"target":"north_gate","item":"iron_key","mode":"sneak","speed":2.5,"count":3,"quiet":true,"goal":{"x":12.5,"y":-3.25,"z":0},"tags":["night","urgent"]}`
	benchBad   = `{"target":"","item":"Iron Key","mode":"sneek","speed":25,"count":3.5,"quiet":"maybe","goal":{"x":12.5,"zz":0},"tags":["night",7]}`
)

// benchLarge is an input of about 100 KB, and benchLargeSchema what it fits.
const benchLargeSchema = `{"type":"object","properties":{"path":{"type":"array","items":` + benchSchema + `}},"required":["path"],"additionalProperties":false}`

func benchLarge() []byte {
	one := benchInput + ","
	n := 100_000/len(one) + 1
	return []byte(`{"path":[` + strings.TrimSuffix(strings.Repeat(one, n), ",") + `]}`)
}

func BenchmarkTypical(b *testing.B)   { benchCheck(b, benchSchema, []byte(benchInput), true) }
func BenchmarkLarge(b *testing.B)     { benchCheck(b, benchLargeSchema, benchLarge(), true) }
func BenchmarkErrorPath(b *testing.B) { benchCheck(b, benchSchema, []byte(benchBad), false) }

func benchCheck(b *testing.B, schema string, input []byte, fits bool) {
	s := mustCompile(b, schema, Options{})
	var c Checker
	require.Equal(b, fits, s.Check(&c, input), c.Message())
	b.SetBytes(int64(len(input)))
	b.ReportAllocs()
	for b.Loop() {
		s.Check(&c, input)
	}
}

func BenchmarkCompile(b *testing.B) {
	for b.Loop() {
		if _, err := Compile([]byte(benchSchema), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestCheckAllocatesNothing holds for every kind of keyword, on values that fit.
func TestCheckAllocatesNothing(t *testing.T) {
	for _, one := range []struct{ schema, input string }{
		{benchSchema, benchInput},
		{guard, `{"target":"g\u0061te","zz":1,"path":[{"x":1,"y":2,"q":0}]}`},
		{`{"properties":{"a":{"format":"uuid"},"b":{"format":"date-time"},"c":{"format":"uri"},"d":{"format":"email"},"e":{"format":"ipv6"}}}`,
			`{"a":"123e4567-e89b-12d3-a456-426614174000","b":"2025-01-31T12:00:00Z","c":"https://example.com/x?y#z","d":"a@b.example","e":"::1"}`},
		{`{"properties":{"a":{"oneOf":[{"type":"string"},{"type":"integer"}]},"b":{"anyOf":[{"properties":{"x":{}}},{"type":"null"}]},"c":{"not":{"type":"null"}}},"if":{"required":["a"]},"then":{"required":["b"]}}`,
			`{"a":1,"b":{"x":[1]},"c":2}`},
		{`{"properties":{"a":{"uniqueItems":true,"contains":{"const":2}},"b":{"multipleOf":0.01},"c":{"enum":[1,"x",null,{"y":[1]}]}},"unevaluatedProperties":false}`,
			`{"a":[1,2,3,"x",{"y":1}],"b":12.340,"c":{"y":[1.0]}}`},
		{`{"patternProperties":{"^x_":{"type":"integer"}},"propertyNames":{"maxLength":5},"additionalProperties":{"type":"string"},"dependentRequired":{"x_a":["b"]},"minProperties":1}`,
			`{"x_a":1,"b":"c","\u0064":"e"}`},
		{`{"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}},"v":{"type":"number","exclusiveMinimum":-1e2}}}}}`,
			`{"v":1e1,"kids":[{"v":2,"kids":[]},{"v":0.5}]}`},
	} {
		s := mustCompile(t, one.schema, Options{})
		var c Checker
		input := checked(t, one.input)
		require.True(t, s.Check(&c, input), "%s: %s", one.schema, c.Message())
		require.Zero(t, testing.AllocsPerRun(100, func() { s.Check(&c, input) }), one.schema)
	}
}
