package capability

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// conversions has every keyword that the drafts do not share, and what it becomes. An empty back is the text that was begun with.
var conversions = []struct {
	from            Draft
	text, out, back string
	notes           []string
}{
	{Draft2020, `{"type":"object","properties":{"a":{"minimum":1}},"required":["a"],"x-own":{"prefixItems":1}}`,
		`{"type":"object","properties":{"a":{"minimum":1}},"required":["a"],"x-own":{"prefixItems":1}}`, ``, nil},
	{Draft2020, `true`, `true`, ``, nil},
	{Draft2020, `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`, `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`, ``, nil},
	{Draft2020, `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{}}`, `{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{}}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema"}`, nil},
	{Draft2020, `{"$defs":{"a/b":{"prefixItems":[true]}},"properties":{"x":{"$ref":"#/$defs/a~1b/prefixItems/0"},"y":{"$ref":"#/$defs/a~1b"}}}`,
		`{"definitions":{"a/b":{"items":[true]}},"properties":{"x":{"$ref":"#/definitions/a~1b/items/0"},"y":{"$ref":"#/definitions/a~1b"}}}`, ``,
		[]string{"rewritten: /$defs/a~1b/prefixItems: is items there", "rewritten: /$defs: is definitions there"}},
	{Draft2020, `{"definitions":{"a":true},"$defs":{"a":false,"b c":{}},"anyOf":[{"$ref":"#/definitions/a"},{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b%20c"}]}`,
		`{"definitions":{"a":true,"a_2":false,"b c":{}},"anyOf":[{"$ref":"#/definitions/a"},{"$ref":"#/definitions/a_2"},{"$ref":"#/definitions/b%20c"}]}`,
		`{"$defs":{"a":true,"a_2":false,"b c":{}},"anyOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a_2"},{"$ref":"#/$defs/b%20c"}]}`, []string{"rewritten: /$defs: is definitions there"}},
	{Draft2020, `{"$id":"http://h/r","$defs":{"s":{"$id":"s","$defs":{"t":{"type":"null"}}}},"items":{"$ref":"s#/$defs/t"},"contains":{"$ref":"r#/$defs/s"}}`,
		`{"$id":"http://h/r","definitions":{"s":{"$id":"s","definitions":{"t":{"type":"null"}}}},"items":{"$ref":"s#/definitions/t"},"contains":{"$ref":"r#/definitions/s"}}`, ``,
		[]string{"rewritten: /$defs/s/$defs: is definitions there", "rewritten: /$defs: is definitions there"}},
	{Draft2020, `{"$anchor":"top","items":{"$ref":"#top"}}`, `{"$id":"#top","items":{"$ref":"#top"}}`, ``, nil},
	{Draft2020, `{"$ref":"#/$defs/a","description":"d","$defs":{"a":{}}}`, `{"$ref":"#/definitions/a","description":"d","definitions":{"a":{}}}`, ``, []string{"rewritten: /$defs: is definitions there"}},
	{Draft2020, `{"$ref":"#/$defs/a","maxItems":1,"$defs":{"a":{}}}`, `{"allOf":[{"$ref":"#/definitions/a"}],"maxItems":1,"definitions":{"a":{}}}`,
		`{"allOf":[{"$ref":"#/$defs/a"}],"maxItems":1,"$defs":{"a":{}}}`,
		[]string{"rewritten: /$ref: is in allOf there: beside $ref nothing else counts in draft-07", "rewritten: /$defs: is definitions there"}},
	{Draft2020, `{"$ref":"#/$defs/a","allOf":[true],"$defs":{"a":{}}}`, `{"allOf":[true,{"$ref":"#/definitions/a"}],"definitions":{"a":{}}}`,
		`{"allOf":[true,{"$ref":"#/$defs/a"}],"$defs":{"a":{}}}`,
		[]string{"rewritten: /$ref: is in allOf there: beside $ref nothing else counts in draft-07", "rewritten: /$defs: is definitions there"}},
	{Draft2020, `{"$ref":"#a","$defs":{"x":{"$anchor":"a"}}}`, `{"allOf":[{"$ref":"#a"}],"definitions":{"x":{"$id":"#a"}}}`, `{"allOf":[{"$ref":"#a"}],"$defs":{"x":{"$anchor":"a"}}}`,
		[]string{"rewritten: /$ref: is in allOf there: beside $ref nothing else counts in draft-07", "rewritten: /$defs: is definitions there"}},
	{Draft2020, `{"prefixItems":[{"type":"null"},true],"items":{"type":"string"},"maxItems":4}`, `{"items":[{"type":"null"},true],"additionalItems":{"type":"string"},"maxItems":4}`, ``,
		[]string{"rewritten: /prefixItems: is items there", "rewritten: /items: is additionalItems there"}},
	{Draft2020, `{"items":false,"additionalItems":false}`, `{"items":false}`, `{"items":false}`, []string{"loss: /additionalItems: means nothing in 2020-12, and would mean something in draft-07"}},
	{Draft2020, `{"contains":{},"minContains":1}`, `{"contains":{}}`, `{"contains":{}}`, []string{"rewritten: /minContains: 1 is what contains means anyhow"}},
	{Draft2020, `{"contains":{"const":1},"minContains":0.0}`, `{}`, `{}`, []string{"loss: /contains: asks for nothing, since minContains is 0"}},
	{Draft2020, `{"minContains":7,"maxContains":8}`, `{}`, `{}`, []string{"loss: /minContains: means nothing without contains", "loss: /maxContains: means nothing without contains"}},
	{Draft2020, `{"dependentRequired":{"a":["b"],"c":[]},"dependentSchemas":{"d":{"required":["e"]}}}`, `{"dependencies":{"a":["b"],"c":[],"d":{"required":["e"]}}}`, ``,
		[]string{"rewritten: /dependentRequired: is dependencies there", "rewritten: /dependentSchemas: is dependencies there"}},
	{Draft2020, `{"dependentSchemas":{"a":{"maxProperties":3}},"dependentRequired":{"a":["b"]},"dependencies":{"a":["c"]},"not":{"$ref":"#/dependentSchemas/a"}}`,
		`{"dependencies":{"a":{"allOf":[{"required":["c"]},{"required":["b"]},{"maxProperties":3}]}},"not":{"$ref":"#/dependencies/a/allOf/2"}}`,
		`{"dependentSchemas":{"a":{"allOf":[{"required":["c"]},{"required":["b"]},{"maxProperties":3}]}},"not":{"$ref":"#/dependentSchemas/a/allOf/2"}}`,
		[]string{"rewritten: /dependentRequired: is dependencies there", "rewritten: /dependentSchemas: is dependencies there"}},
	{Draft2020, `{"properties":{"a":true},"unevaluatedProperties":false}`, `{"properties":{"a":true},"additionalProperties":false}`, `{"properties":{"a":true},"additionalProperties":false}`,
		[]string{"rewritten: /unevaluatedProperties: is additionalProperties there"}},
	{Draft2020, `{"additionalProperties":{},"unevaluatedProperties":false}`, `{"additionalProperties":{}}`, `{"additionalProperties":{}}`,
		[]string{"loss: /unevaluatedProperties: asks for nothing, since every part is evaluated beside it"}},
	{Draft2020, `{"allOf":[true],"unevaluatedProperties":true}`, `{"allOf":[true]}`, `{"allOf":[true]}`, []string{"loss: /unevaluatedProperties: true asks for nothing"}},
	{Draft2020, `{"prefixItems":[true],"unevaluatedItems":false}`, `{"items":[true],"additionalItems":false}`, `{"prefixItems":[true],"items":false}`,
		[]string{"rewritten: /prefixItems: is items there", "rewritten: /unevaluatedItems: is additionalItems there"}},
	{Draft2020, `{"unevaluatedItems":{"type":"string"}}`, `{"items":{"type":"string"}}`, `{"items":{"type":"string"}}`, []string{"rewritten: /unevaluatedItems: is items there"}},
	{Draft2020, `{"deprecated":true,"contentSchema":{"$defs":{"a":true}},"contentMediaType":"application/json"}`,
		`{"deprecated":true,"contentSchema":{"definitions":{"a":true}},"contentMediaType":"application/json"}`, ``, []string{"rewritten: /contentSchema/$defs: is definitions there"}},
	{Draft2020, `{"$vocabulary":{},"format":"uuid"}`, `{"format":"uuid"}`, `{"format":"uuid"}`,
		[]string{"loss: /$vocabulary: draft-07 has no vocabularies", "weaker: /format: uuid is not among draft-07's formats: not everyone heeds it"}},

	{Draft7, `{"items":[true,{"type":"null"}],"additionalItems":false}`, `{"prefixItems":[true,{"type":"null"}],"items":false}`, ``,
		[]string{"rewritten: /items: is prefixItems there", "rewritten: /additionalItems: is items there"}},
	{Draft7, `{"items":[],"additionalItems":{"type":"null"}}`, `{"items":{"type":"null"}}`, `{"items":{"type":"null"}}`,
		[]string{"rewritten: /items: a list of no schemas asks for nothing", "rewritten: /additionalItems: is items there"}},
	{Draft7, `{"items":true,"additionalItems":false}`, `{"items":true}`, `{"items":true}`, []string{"loss: /additionalItems: means nothing unless items is a list"}},
	{Draft7, `{"dependencies":{"a":["b"],"c":false,"d":{}}}`, `{"dependentRequired":{"a":["b"]},"dependentSchemas":{"c":false,"d":{}}}`, ``,
		[]string{"rewritten: /dependencies: is dependentRequired there", "rewritten: /dependencies: is dependentSchemas there"}},
	{Draft7, `{"$defs":{"a":{"items":[true]}},"$ref":"#/$defs/a/items/0"}`, `{"$defs":{"a":{"prefixItems":[true]}},"$ref":"#/$defs/a/prefixItems/0"}`,
		`{"definitions":{"a":{"items":[true]}},"$ref":"#/definitions/a/items/0"}`, []string{"rewritten: /$defs/a/items: is prefixItems there"}},
	{Draft7, `{"$ref":"#/definitions/a","type":"null","title":"t","readOnly":"malformed","definitions":{"a":{}}}`, `{"$ref":"#/$defs/a","title":"t","$defs":{"a":{}}}`,
		`{"$ref":"#/definitions/a","title":"t","definitions":{"a":{}}}`,
		[]string{"loss: /type: means nothing beside $ref in draft-07", "loss: /readOnly: means nothing here in draft-07, and is malformed in 2020-12", "rewritten: /definitions: is $defs there"}},
	{Draft7, `{"prefixItems":"x","minContains":-1,"dependentRequired":1,"unevaluatedItems":7,"$anchor":5,"$dynamicRef":[],"deprecated":1,"contentSchema":3}`, `{}`, `{}`,
		[]string{"loss: /prefixItems: means nothing in draft-07, and would mean something in 2020-12", "loss: /minContains: means nothing in draft-07, and would mean something in 2020-12",
			"loss: /dependentRequired: means nothing in draft-07, and would mean something in 2020-12", "loss: /unevaluatedItems: means nothing in draft-07, and would mean something in 2020-12",
			"loss: /$anchor: means nothing in draft-07, and would mean something in 2020-12", "loss: /$dynamicRef: means nothing in draft-07, and would mean something in 2020-12",
			"loss: /deprecated: means nothing here in draft-07, and is malformed in 2020-12", "loss: /contentSchema: means nothing here in draft-07, and is malformed in 2020-12"}},
	{Draft7, `{"$id":"http://h/r","definitions":{"a":{"$id":"s#n"},"b":{"$id":"#m"}},"anyOf":[{"$ref":"s#n"},{"$ref":"#m"}]}`,
		`{"$id":"http://h/r","$defs":{"a":{"$id":"s","$anchor":"n"},"b":{"$anchor":"m"}},"anyOf":[{"$ref":"s#n"},{"$ref":"#m"}]}`, `-`,
		[]string{"rewritten: /definitions/a/$id: is $anchor there", "rewritten: /definitions/b/$id: is $anchor there", "rewritten: /definitions: is $defs there"}},
}

func TestConversions(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range conversions {
		out, notes, err := convert([]byte(c.text), c.from)
		require.NoError(t, err, c.text)
		require.Equal(t, c.out, string(out), c.text)
		require.ElementsMatch(t, c.notes, texted(notes), c.text)
		if c.back != "-" {
			back, _, err := convert(out, anyDraft&^c.from)
			require.NoError(t, err, c.text)
			if c.back == "" {
				c.back = c.text
			}
			require.Equal(t, c.back, string(back), c.text)
		}
		for word := range keywords {
			seen[word] = seen[word] || string(c.text) != "" && containsWord(c.text, word)
		}
	}
	for word, k := range keywords {
		if k.in != anyDraft && word != "$dynamicAnchor" && word != "unevaluatedProperties" {
			require.True(t, seen[word], "no conversion of %s is tested", word)
		}
	}
}

func containsWord(text, word string) bool {
	found := false
	var walk func(v []byte)
	walk = func(v []byte) {
		switch v[0] {
		case '{':
			members(v, func(name string, v []byte) { found = found || name == word; walk(v) })
		case '[':
			elements(v, walk)
		}
	}
	walk([]byte(text))
	return found
}

func TestWhatCannotBeConverted(t *testing.T) {
	for _, c := range []struct {
		from             Draft
		text, name, want string
	}{
		{Draft2020, `{"a":`, CannotRead, "schema at /a: byte 5 (/a): a value was wanted, the end of the text came (malformed)"},
		{Draft2020, `7`, CannotRead, "schema at (root): a schema must be an object or a boolean, not 7 (malformed)"},
		{Draft2020, `{"items":[true]}`, CannotRead, "schema at /items: items must be a schema or an array of schemas, not [true] (malformed)"},
		{Draft2020, `{"prefixItems":[]}`, CannotRead, "schema at /prefixItems: prefixItems must be an array of schemas that is not empty, not [] (malformed)"},
		{Draft2020, `{"properties":{"a":{"type":["null","null"]}}}`, CannotRead, `schema at /properties/a/type: type must be a type's name or an array of different ones, not ["null","null"] (malformed)`},
		{Draft2020, `{"dependentRequired":{"a":"b"}}`, CannotRead, `schema at /dependentRequired/a: dependentRequired must be an object of arrays of names, not "b" (malformed)`},
		{Draft2020, `{"multipleOf":0}`, CannotRead, "schema at /multipleOf: multipleOf must be a number over 0, not 0 (malformed)"},
		{Draft2020, `{"$id":"a#b"}`, CannotRead, "schema at /$id: $id must not have a fragment (malformed)"},
		{Draft2020, `{"$id":"%"}`, CannotRead, `schema at /$id: $id "%" is not a URI reference (malformed)`},
		{Draft2020, `{"$ref":"%"}`, CannotRead, `schema at /$ref: $ref "%" is not a URI reference (malformed)`},
		{Draft2020, `{"$schema":"http://json-schema.org/draft-04/schema#"}`, CannotDialect, `schema at /$schema: $schema "http://json-schema.org/draft-04/schema#" is not 2020-12 (dialect)`},
		{Draft2020, `{"$schema":1}`, CannotDialect, `schema at /$schema: $schema 1 is not 2020-12 (dialect)`},
		{Draft2020, `{"not":{"$id":"a","$schema":"http://json-schema.org/draft-07/schema#"}}`, CannotDialect,
			`schema at /not/$schema: $schema "http://json-schema.org/draft-07/schema#" is not 2020-12 (dialect)`},
		{Draft2020, `{"items":{"anyOf":[true],"unevaluatedProperties":false}}`, CannotUnevaluated,
			"schema at /items/unevaluatedProperties: unevaluatedProperties beside schemas that may evaluate the same parts; draft-07 cannot ask which did (unevaluated)"},
		{Draft2020, `{"contains":true,"unevaluatedItems":false}`, CannotUnevaluated,
			"schema at /unevaluatedItems: unevaluatedItems beside schemas that may evaluate the same parts; draft-07 cannot ask which did (unevaluated)"},
		{Draft2020, `{"contains":true,"minContains":2}`, CannotCount, "schema at /minContains: draft-07 cannot say that contains wants more than one item (count_of_contains)"},
		{Draft2020, `{"contains":true,"maxContains":2}`, CannotCount, "schema at /maxContains: draft-07 cannot say how many items contains may find (count_of_contains)"},
		{Draft2020, `{"$dynamicRef":"#a"}`, CannotDynamic, "schema at /$dynamicRef: $dynamicRef depends on who refers; draft-07 has nothing like it (dynamic_reference)"},
		{Draft2020, `{"$dynamicAnchor":"a"}`, CannotDynamic, "schema at /$dynamicAnchor: $dynamicAnchor depends on who refers; draft-07 has nothing like it (dynamic_reference)"},
		{Draft2020, `{"$id":"http://h/","$anchor":"a"}`, CannotAnchor, "schema at /$anchor: $anchor beside $id: draft-07 has one $id for both (anchor)"},
		{Draft7, `{"$id":"#a:b"}`, CannotAnchor, `schema at /$id: the name "a:b" is no $anchor: a letter or _ and then letters, digits, - _ . (anchor)`},
		{Draft7, `{"$ref":"http://h/x"}`, CannotRemote, `schema at /$ref: $ref "http://h/x" leads outside the schema, and nothing is fetched (remote_reference)`},
		{Draft7, `{"$ref":"#/definitions/a"}`, CannotTarget, `schema at /$ref: $ref "#/definitions/a" leads to a place that is no schema, or has no place in the other draft (reference_target)`},
		{Draft7, `{"items":{"$ref":"#/x/y"},"x":{"y":{}}}`, CannotTarget, `schema at /items/$ref: $ref "#/x/y" leads to a place that is no schema, or has no place in the other draft (reference_target)`},
		{Draft2020, `{"contains":{},"minContains":0,"items":{"$ref":"#/contains"}}`, CannotTarget,
			`schema at /items/$ref: $ref "#/contains" leads to a place that is no schema, or has no place in the other draft (reference_target)`},
		{Draft2020, expand(`‹{"not":×62›{"$ref":"#","maxItems":1}‹}×62›`), CannotDeep, "schema at (root): once converted, more than 64 arrays and objects inside each other (depth)"},
	} {
		out, notes, err := convert([]byte(c.text), c.from)
		require.Nil(t, out, c.text)
		require.Nil(t, notes)
		var why *ConvertError
		require.True(t, errors.As(err, &why), c.text)
		require.Equal(t, c.name, why.Name, c.text)
		require.Equal(t, c.want, err.Error(), c.text)
	}
}
