package capability

import (
	"errors"
	"io"
	"testing"

	"github.com/kaptinlin/jsonschema"
	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/schema"
)

// judges give verdicts on values, by one schema.
type judge func(value []byte) bool

// ourJudge is core/schema. It takes only schemas of objects, so the schema becomes that of a member, with a URI of its own so
// that its references stay inside it.
func ourJudge(text []byte, draft Draft) (judge, error) {
	text = trim(text)
	if jsonwire.KindOf(text) == jsonwire.Object {
		const uri = "http://judge.example/s"
		_, refers := jsonwire.Lookup(text, "$ref")
		refers = refers && draft == Draft7
		out, named := object(), false
		members(text, func(name string, v []byte) {
			switch {
			case name == "$id":
				named = true
			case name == "$ref" && refers: // beside which draft-07 heeds no $id
				out.put("allOf", list(object().put(name, leaf(v))))
				return
			case refers && name != "definitions" && name != "$defs" && name != "$schema":
				return
			}
			out.put(name, leaf(v))
		})
		if !named || refers {
			out.put("$id", leafText(uri))
		}
		text = out.append(nil)
	}
	dialect := uri2020
	if draft == Draft7 {
		dialect = uri7
	}
	whole := object().put("$schema", leafText(dialect)).put("type", leafText("object")).put("properties", object().put("v", leaf(text)))
	s, err := schema.Compile(whole.append(nil), schema.Options{Role: schema.Output})
	if err != nil {
		return nil, err
	}
	var c schema.Checker
	return func(value []byte) bool { return s.Check(&c, append(append([]byte(`{"v":`), value...), '}')) }, nil
}

func kaptinlinJudge(text []byte, draft Draft) (judge, error) {
	c := jsonschema.NewCompiler()
	clear(c.Loaders)
	c.Loaders["http"] = func(string) (io.ReadCloser, error) { return nil, errors.New("nothing is fetched") }
	if draft == Draft7 {
		c.SetDefaultDialect(jsonschema.Draft7)
	}
	s, err := c.SetAssertFormat(true).Compile(text)
	if err != nil {
		return nil, err
	}
	return func(value []byte) bool { return s.ValidateJSON(value).IsValid() }, nil
}

func TestJudges(t *testing.T) {
	for _, make := range []func([]byte, Draft) (judge, error){ourJudge, kaptinlinJudge} {
		for _, c := range []struct {
			schema, value string
			draft         Draft
			want          bool
		}{
			{`{"type":"string"}`, `"a"`, Draft7, true}, {`{"type":"string"}`, `1`, Draft2020, false}, {`false`, `1`, Draft7, false},
			{`{"$ref":"#/definitions/a","definitions":{"a":{"type":"null"}}}`, `1`, Draft7, false},
			{`{"$ref":"#/definitions/a","definitions":{"a":true},"type":"null"}`, `1`, Draft7, true},
			{`{"$ref":"#/$defs/a","$defs":{"a":true},"type":"null"}`, `1`, Draft2020, false},
		} {
			j, err := make([]byte(c.schema), c.draft)
			require.NoError(t, err, c.schema)
			require.Equal(t, c.want, j([]byte(c.value)), "%s %s", c.schema, c.value)
		}
	}
}
