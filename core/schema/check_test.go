package schema

import (
	"sync"
	"testing"

	"aicc.dev/libaicc/core/jsonwire"
	"github.com/stretchr/testify/require"
)

// mustCompile compiles or fails the test.
func mustCompile(t testing.TB, text string, o Options) *Schema {
	t.Helper()
	s, err := Compile([]byte(text), o)
	require.NoError(t, err)
	return s
}

// checked makes sure that a text is one that Check may be given.
func checked(t testing.TB, text string) []byte {
	t.Helper()
	var scan jsonwire.Scanner
	_, bad := scan.Check([]byte(text))
	require.Nil(t, bad, "%s: %v", text, bad)
	return []byte(text)
}

const guard = `{
  "type": "object",
  "properties": {
    "target": {"type": "string", "minLength": 1},
    "speed": {"type": "number", "minimum": 0, "maximum": 10, "default": 1.5},
    "mode": {"enum": ["walk", "run", "sneak"]},
    "count": {"type": "integer"},
    "quiet": {"type": "boolean"},
    "path": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "number"}, "y": {"type": "number"}}, "required": ["x", "y"]}}
  },
  "required": ["target"]
}`

func TestEffectiveValue(t *testing.T) {
	for _, one := range []struct{ name, in, out string }{
		{"as it came", `{"target":"gate", "speed": 2}`, `{"target":"gate", "speed": 2}`},
		{"default", `{"target":"gate"}`, `{"target":"gate","speed":1.5}`},
		{"default after space", `{ "target" : "gate" }`, `{ "target" : "gate","speed":1.5}`},
		{"undeclared first", `{"zz":[1,{}],"target":"gate","speed":2}`, `{"target":"gate","speed":2}`},
		{"undeclared last", `{"target":"gate","speed":2 , "zz":1 }`, `{"target":"gate","speed":2 }`},
		{"undeclared all over", `{"a":1,"target":"gate","b":2,"c":3,"speed":2,"d":4}`, `{"target":"gate","speed":2}`},
		{"undeclared inside", `{"target":"gate","speed":2,"path":[{"x":1,"y":2,"z":3},{"w":0,"x":1,"y":2}]}`, `{"target":"gate","speed":2,"path":[{"x":1,"y":2},{"x":1,"y":2}]}`},
		{"drop and fill", `{"a":1,"target":"gate","b":2}`, `{"target":"gate","speed":1.5}`},
		{"escaped name", `{"t\u0061rget":"gate","speed":0}`, `{"t\u0061rget":"gate","speed":0}`},
	} {
		s := mustCompile(t, guard, Options{})
		var c Checker
		require.True(t, s.Check(&c, checked(t, one.in)), "%s: %s", one.name, c.Message())
		require.Equal(t, one.out, string(c.Value), one.name)
		require.Empty(t, c.Repaired)
		checked(t, string(c.Value))
	}
}

// TestOneSchemaManyCheckers is for the race detector.
func TestOneSchemaManyCheckers(t *testing.T) {
	s := mustCompile(t, guard, Options{})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			var c Checker
			for range 200 {
				if !s.Check(&c, []byte(`{"target":"a","count":"4","zz":1}`)) || string(c.Value) != `{"target":"a","count":4,"speed":1.5}` {
					t.Errorf("got %s: %s", c.Value, c.Message())
				}
				if s.Check(&c, []byte(`{"target":5,"mode":"rum"}`)) || len(c.Faults) != 2 {
					t.Errorf("got %v", c.Faults)
				}
			}
		})
	}
	all.Wait()
}

func TestNoText(t *testing.T) {
	var c Checker
	in := mustCompile(t, "", Options{})
	require.Equal(t, `{"type":"object","additionalProperties":false}`, string(in.JSON()))
	require.True(t, in.Check(&c, []byte(`{}`)))
	require.False(t, in.Check(&c, []byte(`{"a":1}`)))
	require.Equal(t, "/a: wanted no member of this name; got 1", c.Message())
	out := mustCompile(t, "", Options{Role: Output})
	require.Equal(t, `{"type":"object"}`, string(out.JSON()))
	require.True(t, out.Check(&c, []byte(`{"a":1}`)))
	require.Equal(t, `{"a":1}`, string(c.Value))
	require.False(t, out.Check(&c, []byte(`[]`)))
}

// A name that needs an escape must not be taken for what stands in the text.
func TestEscapedNames(t *testing.T) {
	s := mustCompile(t, `{"properties":{"a\"b":{"type":"integer"},"c\\":{}},"patternProperties":{"\\\\.":false}}`, Options{NoRepair: true})
	var c Checker
	require.True(t, s.Check(&c, checked(t, `{"a\"b":1,"c\\":2}`)), c.Message())
	require.False(t, s.Check(&c, checked(t, `{"a\"b":"x"}`)))
	require.Equal(t, `/a"b`, c.Faults[0].Pointer)
	require.False(t, s.Check(&c, checked(t, `{"x\\y":1}`)))
}
