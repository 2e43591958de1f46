package schema

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const d7 = `"$schema":"http://json-schema.org/draft-07/schema#",`

func TestCompileRefuses(t *testing.T) {
	for _, one := range []struct{ schema, err string }{
		{`{"type":"strng"}`, `schema at /type: unknown type "strng" (did you mean "string"?)`},
		{`{"type":["string","string"]}`, `schema at /type/1: type lists "string" twice`},
		{`{"type":["string",5]}`, `schema at /type/1: type must list strings, not number`},
		{`{"type":[]}`, `schema at /type: type must not be empty`},
		{`{"type":null}`, `schema at /type: type must be a string or an array of strings, not null`},
		{`{"properties":{"a":{"type":"int"}}}`, `schema at /properties/a/type: unknown type "int" (did you mean "integer"?)`},
		{`{"properties":{"a":5}}`, `schema at /properties/a: a schema must be an object or a boolean, not number`},
		{`{"properties":[]}`, `schema at /properties: properties must be an object of schemas, not array`},
		{`{"properties":{"a":{"required":true}}}`, `schema at /properties/a/required: required must be an array of names beside properties, not boolean`},
		{`{"required":["a","a"]}`, `schema at /required/1: required lists "a" twice`},
		{`{"required":[1]}`, `schema at /required/0: required must list strings, not number`},
		{`{"enum":[]}`, `schema at /enum: enum must not be empty: nothing could fit`},
		{`{"properties":{"a":{"enum":"x"}}}`, `schema at /properties/a/enum: enum must be an array, not string`},
		{`{"minimum":"0"}`, `schema at /minimum: minimum must be a number, not string`},
		{`{"exclusiveMinimum":true}`, `schema at /exclusiveMinimum: exclusiveMinimum must be a number (the boolean is draft-04's form), not boolean`},
		{`{"multipleOf":0}`, `schema at /multipleOf: multipleOf must be over 0, not 0`},
		{`{"multipleOf":-1}`, `schema at /multipleOf: multipleOf must be over 0, not -1`},
		{`{"multipleOf":1.2345678901234567891}`, `schema at /multipleOf: multipleOf may have 18 significant digits`},
		{`{"minLength":-1}`, `schema at /minLength: minLength must be an integer of at least 0, not -1`},
		{`{"maxLength":1.5}`, `schema at /maxLength: maxLength must be an integer of at least 0, not 1.5`},
		{`{"minItems":"1"}`, `schema at /minItems: minItems must be an integer of at least 0, not "1"`},
		{`{"uniqueItems":1}`, `schema at /uniqueItems: uniqueItems must be a boolean, not number`},
		{`{"pattern":5}`, `schema at /pattern: pattern must be a string, not number`},
		{`{"pattern":"("}`, "schema at /pattern: pattern \"(\" cannot be used here: missing closing ): `(`"},
		{`{"pattern":"a(?=b)"}`, `schema at /pattern: pattern "a(?=b)" cannot be used here: it looks ahead or behind, which needs backtracking`},
		{`{"pattern":"(?<!a)b"}`, `schema at /pattern: pattern "(?<!a)b" cannot be used here: it looks ahead or behind, which needs backtracking`},
		{`{"pattern":"(a)\\1"}`, `schema at /pattern: pattern "(a)\\1" cannot be used here: it refers back to a group, which needs backtracking`},
		{`{"pattern":"\\k<x>"}`, `schema at /pattern: pattern "\\k<x>" cannot be used here: it refers back to a group, which needs backtracking`},
		{`{"pattern":"\\a"}`, `schema at /pattern: pattern "\\a" cannot be used here: \a is no escape`},
		{`{"pattern":"a{2000}"}`, "schema at /pattern: pattern \"a{2000}\" cannot be used here: invalid repeat count: `{2000}`"},
		{`{"pattern":"` + strings.Repeat("a", 513) + `"}`, `schema at /pattern: a pattern may have 512 bytes, this one has 513`},
		{`{"patternProperties":{"[":{}}}`, "schema at /patternProperties/[: pattern \"[\" cannot be used here: missing closing ]: `[`"},
		{`{"patternProperties":{"a":1}}`, `schema at /patternProperties/a: a schema must be an object or a boolean, not number`},
		{`{"format":1}`, `schema at /format: format must be a string, not number`},
		{`{"additionalProperties":"no"}`, `schema at /additionalProperties: a schema must be an object or a boolean, not string`},
		{`{"items":[{"type":"string"}]}`, `schema at /items: items must be a schema; a list of schemas is prefixItems in 2020-12`},
		{`{"items":3}`, `schema at /items: a schema must be an object or a boolean, not number`},
		{`{"prefixItems":{}}`, `schema at /prefixItems: prefixItems must be an array of schemas, not object`},
		{`{"prefixItems":[]}`, `schema at /prefixItems: prefixItems must not be empty`},
		{`{"allOf":[]}`, `schema at /allOf: allOf must not be empty`},
		{`{"anyOf":{}}`, `schema at /anyOf: anyOf must be an array of schemas, not object`},
		{`{"oneOf":[{"type":"x"}]}`, `schema at /oneOf/0/type: unknown type "x"`},
		{`{"not":[]}`, `schema at /not: a schema must be an object or a boolean, not array`},
		{`{"if":1}`, `schema at /if: a schema must be an object or a boolean, not number`},
		{`{"dependentRequired":{"a":"b"}}`, `schema at /dependentRequired/a: dependentRequired must be an array of names, not string`},
		{`{"dependentRequired":[]}`, `schema at /dependentRequired: dependentRequired must be an object of arrays of names, not array`},
		{`{"dependentSchemas":{"a":[]}}`, `schema at /dependentSchemas/a: a schema must be an object or a boolean, not array`},
		{`{"dependencies":{"a":3}}`, `schema at /dependencies/a: a schema must be an object or a boolean, not number`},
		{`{"minContains":-1}`, `schema at /minContains: minContains must be an integer of at least 0, not -1`},
		{`{"$defs":{"a":1}}`, `schema at /$defs/a: a schema must be an object or a boolean, not number`},
		{`{"definitions":{"a":1}}`, `schema at /definitions/a: a schema must be an object or a boolean, not number`},
		{`{"title":5}`, `schema at /title: title must be a string, not number`},
		{`{"description":["x"]}`, `schema at /description: description must be a string, not array`},
		{`{"readOnly":"yes"}`, `schema at /readOnly: readOnly must be a boolean, not string`},
		{`{"deprecated":1}`, `schema at /deprecated: deprecated must be a boolean, not number`},
		{`{"examples":{}}`, `schema at /examples: examples must be an array, not object`},
		{`{"$ref":"#/$defs/none"}`, `schema at /$ref: $ref "#/$defs/none" leads to no schema: there is no "$defs"`},
		{`{"$ref":"#/properties/a/x","properties":{"a":{"x":5}}}`, `schema at /$ref: $ref "#/properties/a/x" leads to no schema: a schema must be an object or a boolean, not number`},
		{`{"$ref":"#nowhere"}`, `schema at /$ref: $ref "#nowhere" leads to no schema: there is no anchor "nowhere"`},
		{`{"$ref":"https://example.com/s.json"}`, `schema at /$ref: $ref leads outside the schema, to "https://example.com/s.json", and nothing is fetched: put it into $defs`},
		{`{"$ref":"other.json#/a"}`, `schema at /$ref: $ref leads outside the schema, to "/other.json", and nothing is fetched: put it into $defs`},
		{`{"$ref":"file:///etc/passwd"}`, `schema at /$ref: $ref leads outside the schema, to "file:///etc/passwd", and nothing is fetched: put it into $defs`},
		{`{"$ref":5}`, `schema at /$ref: $ref must be a string, not number`},
		{`{"$ref":"%zz"}`, `schema at /$ref: $ref "%zz" is not a URI reference`},
		{`{"$dynamicRef":"#none"}`, `schema at /$dynamicRef: $dynamicRef "#none" leads to no schema: there is no anchor "none"`},
		{`{"$ref":"#"}`, `schema: this schema refers to itself without consuming anything`},
		{`{"properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"allOf":[{"$ref":"#/$defs/b"}]},"b":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/a"}]}}}`, `schema at /$defs/a: this schema refers to itself without consuming anything`},
		{`{"properties":{"a":{"not":{"$ref":"#/properties/a"}}}}`, `schema at /properties/a: this schema refers to itself without consuming anything`},
		{`{"$anchor":"1x"}`, `schema at /$anchor: $anchor must be a letter or _ and then letters, digits, - _ . only`},
		{`{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}`, `schema at /$defs/b/$anchor: two schemas have the anchor "x"`},
		{`{"$id":"#frag"}`, `schema at /$id: $id must not have a fragment: use $anchor`},
		{`{"$id":5}`, `schema at /$id: $id must be a string, not number`},
		{`{"$id":"https://e.x/a","$defs":{"b":{"$id":"https://e.x/a"}}}`, `schema at /$defs/b/$id: two schemas have the $id "https://e.x/a"`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#"}`, `schema at /$schema: $schema "http://json-schema.org/draft-04/schema#" is not known here: use 2020-12 (https://json-schema.org/draft/2020-12/schema) or draft-07 (http://json-schema.org/draft-07/schema#)`},
		{`{"$schema":"my-own"}`, `schema at /$schema: $schema "my-own" is not known here: use 2020-12 (https://json-schema.org/draft/2020-12/schema) or draft-07 (http://json-schema.org/draft-07/schema#)`},
		{`{"$schema":5}`, `schema at /$schema: $schema must be a string, not number`},
		{`{` + d7 + `"items":5}`, `schema at /items: a schema must be an object or a boolean, not number`},
		{`{` + d7 + `"additionalItems":5}`, `schema at /additionalItems: a schema must be an object or a boolean, not number`},
		{`false`, `schema: a tool's schema must be an object, not boolean`},
		{`true`, `schema: a tool's schema must be an object, not boolean`},
		{`{"type":"string"}`, `schema: this schema accepts no object, and inputs and outputs are objects`},
		{`{"type":"null"}`, `schema: this schema accepts no object, and inputs and outputs are objects`},
		{`{"enum":["a",1]}`, `schema: this schema accepts no object, and inputs and outputs are objects`},
		{`{"const":[]}`, `schema: this schema accepts no object, and inputs and outputs are objects`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"type":"array"}}}`, `schema: this schema accepts no object, and inputs and outputs are objects`},
		{`{"anyOf":[{"type":"string"},{"type":"null"}]}`, `schema: this schema accepts no object, and inputs and outputs are objects`},
		{`{"allOf":[{"type":"object"},{"type":"string"}]}`, `schema: this schema accepts no object, and inputs and outputs are objects`},
		{`[]`, `schema: a schema must be an object or a boolean, not array`},
		{`"object"`, `schema: a schema must be an object or a boolean, not string`},
		{`{"type":"object"`, `schema at /type: not JSON: ',' or '}' was wanted, the end of the text came`},
		{`{"a":1,"a":2}`, `schema at /a: not JSON: duplicate member`},
		{`{} {}`, `schema: not JSON: one value was wanted, '{' came behind it`},
		{` `, `schema: not JSON: the text is empty`},
	} {
		_, err := Compile([]byte(one.schema), Options{})
		var bad *CompileError
		require.ErrorAs(t, err, &bad, one.schema)
		require.Equal(t, one.err, err.Error(), one.schema)
		require.LessOrEqual(t, bad.Offset, len(one.schema))
	}
}

func TestCompileErrorPlace(t *testing.T) {
	text := `{ "properties": { "a/b": { "type": "strng" } } }`
	_, err := Compile([]byte(text), Options{})
	var bad *CompileError
	require.ErrorAs(t, err, &bad)
	require.Equal(t, CompileError{Pointer: "/properties/a~1b/type", Keyword: "type", Offset: strings.Index(text, `"strng"`), Msg: `unknown type "strng" (did you mean "string"?)`}, *bad)
}

func TestCompileBounds(t *testing.T) {
	refused := func(text, msg string) {
		t.Helper()
		_, err := Compile([]byte(text), Options{})
		require.Error(t, err)
		require.Contains(t, err.Error(), msg)
	}
	big := `{"description":"` + strings.Repeat("x", maxSchemaBytes) + `"}`
	refused(big, "a schema may have 262144 bytes, this one has 262162")

	var many strings.Builder
	many.WriteString(`{"properties":{"p0":{}`)
	for i := range maxNodes {
		many.WriteString(`,"q` + strings.Repeat("x", i%50) + string(rune('a'+i/50%26)) + string(rune('a'+i/1300)) + `":{}`)
	}
	refused(many.String()+"}}", "more than 4096 schemas in one")

	// each definition applies the next one twice: 2^14 schemas for one value
	var double strings.Builder
	double.WriteString(`{"$ref":"#/$defs/d0","$defs":{"d14":{}`)
	for i := range 14 {
		next := `{"$ref":"#/$defs/d` + itoa(i+1) + `"}`
		double.WriteString(`,"d` + itoa(i) + `":{"allOf":[` + next + `,` + next + `]}`)
	}
	refused(double.String()+"}}", "references expand to more than 4096 schemas for one value")

	var chain strings.Builder
	chain.WriteString(`{"$ref":"#/$defs/d0","$defs":{"d400":{}`)
	for i := range 400 {
		chain.WriteString(`,"d` + itoa(i) + `":{"$ref":"#/$defs/d` + itoa(i+1) + `"}`)
	}
	refused(chain.String()+"}}", "more than 256 schemas inside each other for one value")
	refused(strings.Repeat(`{"not":`, 70)+"{}"+strings.Repeat("}", 70), "not JSON")
}

func itoa(i int) string { return strconv.Itoa(i) }

func TestCompileAccepts(t *testing.T) {
	for _, one := range []struct{ schema, fits, not string }{
		{`{}`, `{"a":1}`, ``},
		{`{"minimum":5,"maximum":1}`, `{}`, ``}, // bounds out of order are JSON Schema's business
		{`{"x-own":{"type":"nonsense"},"nullable":true}`, `{}`, ``},
		{`{"properties":{"p":{"$ref":"#/components/schemas/P"}},"components":{"schemas":{"P":{"type":"integer"}}}}`, `{"p":1}`, `{"p":"x"}`},
		{`{"properties":{"p":{"$ref":"#/definitions/P"}},"definitions":{"P":{"type":"integer"}}}`, `{"p":1}`, `{"p":"x"}`},
		{`{"properties":{"p":{"$ref":"#p"}},"$defs":{"x":{"$anchor":"p","type":"integer"}}}`, `{"p":1}`, `{"p":"x"}`},
		{`{"properties":{"p":{"$ref":"https://e.x/p"}},"$defs":{"x":{"$id":"https://e.x/p","type":"integer"}}}`, `{"p":1}`, `{"p":"x"}`},
		{`{"properties":{"kids":{"type":"array","items":{"$ref":"#"}},"v":{"type":"integer"}}}`, `{"kids":[{"kids":[{"v":1}]}]}`, `{"kids":[{"kids":[{"v":"x"}]}]}`},
		{`{"properties":{"a~/%":{"type":"integer"},"b":{"$ref":"#/properties/a~0~1%25"}}}`, `{"b":1}`, `{"b":"x"}`},
		{`{"dependencies":{"a":["b"],"c":{"required":["d"]}}}`, `{"a":1,"b":2}`, `{"c":1}`},
		{`{` + d7 + `"properties":{"a":{"items":[{"type":"integer"}],"additionalItems":false}}}`, `{"a":[1]}`, `{"a":[1,2]}`},
		{`{` + d7 + `"properties":{"a":{"$ref":"#/definitions/s","type":"integer"}},"definitions":{"s":{"type":"string"}}}`, `{"a":"x"}`, `{"a":1}`},
		{`{"properties":{"s":{"pattern":"^\\p{Lu}\\d\\S+\\u00e9\\/$"}}}`, `{"s":"É1xxé/"}`, `{"s":"é1xxé/"}`},
		{`{"properties":{"s":{"pattern":"^(?:a|b)(?<n>c)[^]\\cJ$"}}}`, `{"s":"acx\n"}`, `{"s":"acx"}`},
		{`{"properties":{"a":{"maxItems":1e30,"minItems":0.0}}}`, `{"a":[1]}`, ``},
		{`{"$schema":"https://json-schema.org/draft-07/schema","type":"object"}`, `{}`, `[]`},
		{`{"$schema":"https://json-schema.org/draft/2020-12/schema#","type":["object","null"]}`, `{}`, `[]`},
	} {
		s := mustCompile(t, one.schema, Options{NoRepair: true})
		var c Checker
		require.True(t, s.Check(&c, checked(t, one.fits)), "%s: %s", one.schema, c.Message())
		if one.not != "" {
			require.False(t, s.Check(&c, checked(t, one.not)), one.schema)
		}
	}
}

func TestJSONIsCompact(t *testing.T) {
	s := mustCompile(t, " { \"type\" : \"object\" ,\n \"description\" : \"a  b\" } ", Options{})
	require.Equal(t, `{"type":"object","description":"a  b"}`, string(s.JSON()))
}
