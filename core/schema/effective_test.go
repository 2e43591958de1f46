package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// effective is one row of a table: what came, and what the tool gets, or the words that the agent gets.
type effective struct {
	name, schema, in, out, repaired, message string
}

// whyRefused is, for rows of repairTable that are refused, the reason that docs/validation.md gives.
var whyRefused = map[string]string{
	"null for a required member":              "there is nothing to fall back to",
	"null in an array":                        "an item cannot be left out without moving the others",
	"a fraction for an integer":               "it would have to be rounded",
	"words for a number":                      "it is not JSON",
	"two numbers":                             "it is not one JSON value",
	"nothing for a number":                    "an empty string is not JSON, and 0 would be invented",
	"NaN":                                     "it is not JSON",
	"Python's boolean":                        "it is not JSON",
	"a number for a boolean":                  "it is no slip of the encoding: 1 may be a count",
	"a number for a string":                   "it is no slip of the encoding: names made of digits have their zeros in front",
	"a single value for an array":             "it is no slip of the encoding: others may have been left out",
	"a single value in a string for an array": "the string holds no array",
	"an array for an object":                  "it is another value",
	"broken JSON in a string":                 "it is not JSON",
	"JSON with words around it":               "what else was meant cannot be told",
	"an object in a string that does not fit": "one repair, one check: what is inside must fit as it is",
	"a string in a string in a string":        "a string inside a string is no slip",
	"out of bounds once repaired":             "the outcome has to fit",
	"under anyOf":                             "which form was meant cannot be told",
	"case of an enum value":                   "the type is right; the message names the value that was probably meant",
	"a null in a string for an enum":          "the type is right: it is a string",
	"one of two cannot be":                    "all repairs together must make the value fit",
	"a duplicate in a string":                 "it is not JSON that is accepted here",
	"nonsense for the whole":                  "it is not JSON; never an empty object for nonsense",
	"null for the whole":                      "there is nothing to fall back to",
}

// row is the line of the table in docs/validation.md.
func (e effective) row() string {
	cell := func(s string) string {
		return "`" + strings.ReplaceAll(strings.ReplaceAll(s, "`", "'"), "|", "\\|") + "`"
	}
	if e.message == "" {
		return "| " + e.name + " | " + cell(e.in) + " | " + cell(e.out) + " | repaired |"
	}
	return "| " + e.name + " | " + cell(e.in) + " | refused | " + whyRefused[e.name] + " |"
}

func (e effective) run(t *testing.T, o Options) {
	t.Helper()
	s := mustCompile(t, e.schema, o)
	var c Checker
	ok := s.Check(&c, checked(t, e.in))
	require.Equal(t, e.message, c.Message(), e.name)
	require.Equal(t, e.message == "", ok, e.name)
	require.Equal(t, e.repaired, strings.Join(c.Repaired, " "), e.name)
	if ok {
		require.Equal(t, e.out, string(c.Value), e.name)
		checked(t, e.out)
	}
}

// repairable is a tool whose members are of every type.
const repairable = `{"type":"object","properties":{
	"n":{"type":"number"},"i":{"type":"integer","minimum":1},"b":{"type":"boolean"},"s":{"type":"string"},
	"o":{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]},"a":{"type":"array","items":{"type":"integer"}},
	"z":{"type":["integer","null"]},"e":{"type":"string","enum":["on","off"]},
	"u":{"anyOf":[{"type":"integer"},{"type":"null"}]},"must":{"type":"integer"}},"required":["must"]}`

// repairTable is the one of docs/validation.md.
var repairTable = []effective{
	{"a number in a string", repairable, `{"must":1,"n":"2.50"}`, `{"must":1,"n":2.50}`, "/n", ""},
	{"with space around it", repairable, `{"must":1,"n":" 3 "}`, `{"must":1,"n":3}`, "/n", ""},
	{"an integer in a string", repairable, `{"must":"7"}`, `{"must":7}`, "/must", ""},
	{"an integer written as a fraction", repairable, `{"must":1,"i":"3.0"}`, `{"must":1,"i":3.0}`, "/i", ""},
	{"a boolean in a string", repairable, `{"must":1,"b":"true"}`, `{"must":1,"b":true}`, "/b", ""},
	{"an object in a string", repairable, `{"must":1,"o":"{\"x\": 1}"}`, `{"must":1,"o":{"x": 1}}`, "/o", ""},
	{"an array in a string", repairable, `{"must":1,"a":"[1,2]"}`, `{"must":1,"a":[1,2]}`, "/a", ""},
	{"in a code block", repairable, "{\"must\":1,\"o\":\"```json\\n{\\\"x\\\":2}\\n```\"}", `{"must":1,"o":{"x":2}}`, "/o", ""},
	{"in a block without a language", repairable, "{\"must\":1,\"a\":\"```\\n[3]\\n```\"}", `{"must":1,"a":[3]}`, "/a", ""},
	{"null for an optional member", repairable, `{"must":1,"n":null,"s":null,"o":null}`, `{"must":1}`, "/n /s /o", ""},
	{"the word null for one that is no string", repairable, `{"n":"null","must":1}`, `{"must":1}`, "/n", ""},
	{"the word null where null may be", repairable, `{"must":1,"z":"null"}`, `{"must":1,"z":null}`, "/z", ""},
	{"items of an array", repairable, `{"must":1,"a":["1",2,"3"]}`, `{"must":1,"a":[1,2,3]}`, "/a/0 /a/2", ""},
	{"several at once", repairable, `{"must":"1","b":"false","o":{"x":"5"},"extra":"9"}`, `{"must":1,"b":false,"o":{"x":5}}`, "/must /b /o/x", ""},

	{"null for a required member", repairable, `{"must":null}`, ``, "", `/must: wanted an integer; got null`},
	{"null in an array", repairable, `{"must":1,"a":[null]}`, ``, "", `/a/0: wanted an integer; got null`},
	{"a fraction for an integer", repairable, `{"must":"1.5"}`, ``, "", `/must: wanted an integer; got "1.5"`},
	{"words for a number", repairable, `{"must":"three"}`, ``, "", `/must: wanted an integer; got "three"`},
	{"two numbers", repairable, `{"must":"1 2"}`, ``, "", `/must: wanted an integer; got "1 2"`},
	{"nothing for a number", repairable, `{"must":""}`, ``, "", `/must: wanted an integer; got ""`},
	{"NaN", repairable, `{"must":1,"n":"NaN"}`, ``, "", `/n: wanted a number; got "NaN"`},
	{"Python's boolean", repairable, `{"must":1,"b":"True"}`, ``, "", `/b: wanted a boolean; got "True"`},
	{"a number for a boolean", repairable, `{"must":1,"b":1}`, ``, "", `/b: wanted a boolean; got 1`},
	{"a number for a string", repairable, `{"must":1,"s":5}`, ``, "", `/s: wanted a string; got 5`},
	{"a single value for an array", repairable, `{"must":1,"a":4}`, ``, "", `/a: wanted an array, each item an integer; got 4`},
	{"a single value in a string for an array", repairable, `{"must":1,"a":"4"}`, ``, "", `/a: wanted an array, each item an integer; got "4"`},
	{"an array for an object", repairable, `{"must":1,"o":[]}`, ``, "", `/o: wanted an object with "x"; got []`},
	{"broken JSON in a string", repairable, `{"must":1,"o":"{\"x\":1"}`, ``, "", `/o: wanted an object with "x"; got "{\"x\":1"`},
	{"JSON with words around it", repairable, `{"must":1,"o":"here: {\"x\":1}"}`, ``, "", `/o: wanted an object with "x"; got "here: {\"x\":1}"`},
	{"an object in a string that does not fit", repairable, `{"must":1,"o":"{}"}`, ``, "", `/o: wanted an object with "x"; got "{}"`},
	{"a string in a string in a string", repairable, `{"must":"\"7\""}`, ``, "", `/must: wanted an integer; got "\"7\""`},
	{"out of bounds once repaired", repairable, `{"must":1,"i":"0"}`, ``, "", `/i: wanted an integer (at least 1); got "0"`},
	{"under anyOf", repairable, `{"must":1,"u":"5"}`, ``, "", `/u: wanted an integer or null; got "5"`},
	{"case of an enum value", repairable, `{"must":1,"e":"On"}`, ``, "", `/e: wanted one of "on" or "off" (did you mean "on"?); got "On"`},
	{"a null in a string for an enum", repairable, `{"must":1,"e":"null"}`, ``, "", `/e: wanted one of "on" or "off"; got "null"`},
	{"one of two cannot be", repairable, `{"must":"1","b":"maybe"}`, ``, "", "/b: wanted a boolean; got \"maybe\"\n/must: wanted an integer; got \"1\""},
	{"a duplicate in a string", repairable, `{"must":1,"o":"{\"x\":1,\"x\":2}"}`, ``, "", `/o: wanted an object with "x"; got "{\"x\":1,\"x\":2}"`},
	{"the whole in a string", `{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]}`, `"{\"x\":1}"`, `{"x":1}`, "", ""},
	{"nonsense for the whole", `{"type":"object"}`, `"nonsense"`, ``, "", `(root): wanted an object; got "nonsense"`},
	{"null for the whole", `{"type":"object"}`, `null`, ``, "", `(root): wanted an object; got null`},
}

func TestRepair(t *testing.T) {
	for _, one := range repairTable {
		one.run(t, Options{})
		require.Equal(t, one.message != "", whyRefused[one.name] != "", one.name)
		published(t, one.row())
	}
}

func TestRepairOff(t *testing.T) {
	one := effective{"off", repairable, `{"must":"7"}`, ``, "", `/must: wanted an integer; got "7"`}
	one.run(t, Options{NoRepair: true})
	one.run(t, Options{Strict: true})
	one.run(t, Options{Role: Output})
}

func TestRepairBounds(t *testing.T) {
	list := `{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}}}}`
	strs := func(n int) string { return `{"a":[` + strings.TrimSuffix(strings.Repeat(`"1",`, n), ",") + `]}` }
	s := mustCompile(t, list, Options{})
	var c Checker
	require.True(t, s.Check(&c, checked(t, strs(maxRepairs))))
	require.Len(t, c.Repaired, maxRepairs)
	require.False(t, s.Check(&c, checked(t, strs(maxRepairs+1))))
	require.Len(t, c.Faults, 16)
	require.Equal(t, 1, c.More)
	require.Empty(t, c.Repaired)
	// a repair may not take the value over the depth that a text may have
	inside := strings.Repeat("[", 40) + strings.Repeat("]", 40)
	deep := mustCompile(t, `{"type":"object","additionalProperties":{"$ref":"#/$defs/d"},"$defs":{"d":{"type":"array","items":{"$ref":"#/$defs/d"}}}}`, Options{})
	require.True(t, deep.Check(&c, checked(t, `{"a":"`+inside+`"}`)))
	outside := strings.Repeat("[", 30) + `"` + inside + `"` + strings.Repeat("]", 30)
	require.False(t, deep.Check(&c, checked(t, `{"a":`+outside+`}`)))
}

func TestStrict(t *testing.T) {
	const d = `"$defs":{"base":{"properties":{"id":{"type":"integer"}}}}`
	for _, one := range []effective{
		{"declared", guard, `{"target":"x"}`, `{"target":"x","speed":1.5}`, "", ""},
		{"undeclared", guard, `{"target":"x","tgt":1}`, ``, "", `/tgt: wanted no member of this name (known: "target", "speed", "mode", "count", "quiet" and "path"); got 1`},
		{"misspelt", guard, `{"target":"x","sped":1}`, ``, "", `/sped: wanted no member of this name (did you mean "speed"?); got 1`},
		{"inside an array", guard, `{"target":"x","path":[{"x":1,"y":2,"z":3}]}`, ``, "", `/path/0/z: wanted no member of this name (known: "x" and "y"); got 3`},
		{"together with other faults", guard, `{"target":7,"zz":1}`, ``, "", "/target: wanted a string (at least 1 character); got 7\n/zz: wanted no member of this name (known: \"target\", \"speed\", \"mode\", \"count\", \"quiet\" and \"path\"); got 1"},
		{"no properties, anything goes", `{"type":"object"}`, `{"a":1}`, `{"a":1}`, "", ""},
		{"the schema's own additionalProperties wins", `{"properties":{"a":{}},"additionalProperties":true}`, `{"b":1}`, `{"b":1}`, "", ""},
		{"by patternProperties", `{"properties":{"a":{}},"patternProperties":{"^x_":{}}}`, `{"x_1":1}`, `{"x_1":1}`, "", ""},
		{"over allOf", `{"allOf":[{"$ref":"#/$defs/base"},{"properties":{"name":{}}}],` + d + `}`, `{"id":1,"name":2}`, `{"id":1,"name":2}`, "", ""},
		{"over allOf, undeclared", `{"allOf":[{"$ref":"#/$defs/base"},{"properties":{"name":{}}}],` + d + `}`, `{"id":1,"nam":2}`, ``, "", `/nam: wanted no member of this name (did you mean "name"?); got 2`},
		{"beside $ref", `{"$ref":"#/$defs/base","properties":{"name":{}},` + d + `}`, `{"id":1,"name":2}`, `{"id":1,"name":2}`, "", ""},
		{"of the branch that fits", `{"oneOf":[{"properties":{"k":{"const":1},"a":{}},"required":["k"]},{"properties":{"k":{"const":2},"b":{}},"required":["k"]}]}`, `{"k":2,"b":1}`, `{"k":2,"b":1}`, "", ""},
		{"of the branch that does not fit", `{"oneOf":[{"properties":{"k":{"const":1},"a":{}},"required":["k"]},{"properties":{"k":{"const":2},"b":{}},"required":["k"]}]}`, `{"k":2,"a":1}`, ``, "", `/a: wanted no member of this name (known: "k", "a" and "b"); got 1`},
		{"by if and then", `{"properties":{"m":{}},"if":{"properties":{"m":{"const":1}}},"then":{"properties":{"t":{}}}}`, `{"m":1,"t":2}`, `{"m":1,"t":2}`, "", ""},
		{"by if and then, not taken", `{"properties":{"m":{}},"if":{"properties":{"m":{"const":1}}},"then":{"properties":{"t":{}}}}`, `{"m":2,"t":2}`, ``, "", `/t: wanted no member of this name (known: "m" and "t"); got 2`},
		{"required alone declares", `{"properties":{"a":{}},"required":["b"]}`, `{"b":1}`, `{"b":1}`, "", ""},
		{"not says nothing", `{"properties":{"a":{}},"not":{"properties":{"a":{"type":"string"},"q":{}},"required":["a"]}}`, `{"a":1}`, `{"a":1}`, "", ""},
	} {
		one.run(t, Options{Strict: true})
	}
}

func TestUndeclaredIsDropped(t *testing.T) {
	const d = `"$defs":{"base":{"properties":{"id":{"type":"integer"}}}}`
	for _, one := range []effective{
		{"no properties, anything stays", `{"type":"object"}`, `{"a":1}`, `{"a":1}`, "", ""},
		{"additionalProperties true stays", `{"properties":{"a":{}},"additionalProperties":true}`, `{"b":1}`, `{"b":1}`, "", ""},
		{"additionalProperties false refuses", `{"properties":{"a":{}},"additionalProperties":false}`, `{"b":1}`, ``, "", `/b: wanted no member of this name (known: "a"); got 1`},
		{"over allOf", `{"allOf":[{"$ref":"#/$defs/base"},{"properties":{"name":{}}}],` + d + `}`, `{"x":0,"id":1,"y":0,"name":2,"z":0}`, `{"id":1,"name":2}`, "", ""},
		{"of the branch that fits", `{"anyOf":[{"properties":{"k":{"const":1},"a":{}},"required":["k"]},{"properties":{"k":{"const":2},"b":{}},"required":["k"]}]}`, `{"k":2,"a":1,"b":1}`, `{"k":2,"b":1}`, "", ""},
		{"what two schemas know in parts stays whole", `{"allOf":[{"properties":{"p":{"properties":{"x":{}}}}},{"properties":{"p":{"properties":{"y":{}}}}}]}`, `{"p":{"x":1,"y":2,"z":3}}`, `{"p":{"x":1,"y":2}}`, "", ""},
		{"under unevaluatedProperties", `{"properties":{"a":{}},"unevaluatedProperties":{"type":"integer"}}`, `{"b":1}`, `{"b":1}`, "", ""},
		{"every member", `{"properties":{"a":{}}}`, ` { "b" : 1 , "c" : 2 } `, ` {} `, "", ""},
	} {
		one.run(t, Options{})
	}
	out := effective{"an output keeps what it has", `{"properties":{"a":{"default":1}}}`, `{"b":1}`, `{"b":1}`, "", ""}
	out.run(t, Options{Role: Output})
}

func TestDefaults(t *testing.T) {
	for _, one := range []effective{
		{"several, in the schema's order", `{"properties":{"b":{"default":1},"a":{"default":[ 2 ]},"c":{}}}`, `{}`, `{"b":1,"a":[ 2 ]}`, "", ""},
		{"not over what came", `{"properties":{"a":{"default":1}}}`, `{"a":null}`, `{"a":null}`, "", ""},
		{"inside objects and arrays", `{"properties":{"o":{"properties":{"x":{"default":0}}},"l":{"items":{"properties":{"y":{"default":"q"}}}}}}`, `{"o":{},"l":[{},{"y":1}]}`, `{"o":{"x":0},"l":[{"y":"q"},{"y":1}]}`, "", ""},
		{"a default has its own defaults", `{"properties":{"o":{"type":"object","default":{},"properties":{"x":{"default":5}}}}}`, `{}`, `{"o":{"x":5}}`, "", ""},
		{"one that does not fit is not used", `{"properties":{"s":{"type":"string","default":null},"n":{"type":"integer","default":"x"}}}`, `{}`, `{}`, "", ""},
		{"behind $ref", `{"properties":{"p":{"$ref":"#/$defs/p"}},"$defs":{"p":{"type":"integer","default":3}}}`, `{}`, `{"p":3}`, "", ""},
		{"beside $ref", `{"properties":{"p":{"$ref":"#/$defs/p","default":4}},"$defs":{"p":{"type":"integer","default":3}}}`, `{}`, `{"p":4}`, "", ""},
		{"beside $ref in draft-07", `{` + d7 + `"properties":{"p":{"$ref":"#/definitions/p","default":4}},"definitions":{"p":{"type":"integer"}}}`, `{}`, `{"p":4}`, "", ""},
		{"in allOf", `{"allOf":[{"properties":{"a":{"default":1}}},{"properties":{"a":{"default":2},"b":{"default":3}}}]}`, `{}`, `{"a":1,"b":3}`, "", ""},
		{"in then", `{"properties":{"m":{}},"required":["m"],"if":{"properties":{"m":{"const":1}}},"then":{"properties":{"t":{"default":9}}}}`, `{"m":1}`, `{"m":1,"t":9}`, "", ""},
		{"not in anyOf, oneOf or if", `{"anyOf":[{"properties":{"a":{"default":1}}}],"oneOf":[{"properties":{"b":{"default":1}}}],"if":{"properties":{"c":{"default":1}}}}`, `{}`, `{}`, "", ""},
		{"not for a required member", `{"properties":{"a":{"default":1}},"required":["a"]}`, `{}`, ``, "", `/a: wanted a value, required; got nothing`},
		{"not where it would break another rule", `{"properties":{"a":{"default":1},"b":{}},"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"b":1}`, `{"b":1}`, "", ""},
		{"nor one that counts members", `{"properties":{"a":{"default":1},"b":{}},"maxProperties":1}`, `{"b":1}`, `{"b":1}`, "", ""},
		{"a recursive schema", `{"properties":{"v":{"default":0},"kid":{"$ref":"#","default":{}}}}`, `{"kid":{}}`, `{"kid":{"v":0,"kid":{"v":0}},"v":0}`, "", ""},
	} {
		one.run(t, Options{})
		if one.message == "" {
			one.run(t, Options{Strict: true})
		}
	}
}
