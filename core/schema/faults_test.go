package schema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// badInputs states, for each kind of mistake, the exact words that an agent gets.
var badInputs = []struct{ schema, input, message string }{
	{`{"properties":{"n":{"type":"integer"}}}`, `{"n":"three"}`, `/n: wanted an integer; got "three"`},
	{`{"properties":{"n":{"type":"integer"}}}`, `{"n":3.5}`, `/n: wanted an integer; got 3.5`},
	{`{"properties":{"n":{"type":"number"}}}`, `{"n":true}`, `/n: wanted a number; got true`},
	{`{"properties":{"s":{"type":"string"}}}`, `{"s":3}`, `/s: wanted a string; got 3`},
	{`{"properties":{"s":{"type":"string"}}}`, `{"s":["a"]}`, `/s: wanted a string; got ["a"]`},
	{`{"properties":{"b":{"type":"boolean"}}}`, `{"b":"yes"}`, `/b: wanted a boolean; got "yes"`},
	{`{"properties":{"b":{"type":"boolean"}}}`, `{"b":1}`, `/b: wanted a boolean; got 1`},
	{`{"properties":{"a":{"type":"array"}}}`, `{"a":{"0":1}}`, `/a: wanted an array; got {"0":1}`},
	{`{"properties":{"a":{"type":"array","items":{"type":"string"}}}}`, `{"a":"x"}`, `/a: wanted an array, each item a string; got "x"`},
	{`{"properties":{"o":{"type":"object"}}}`, `{"o":[1,2,3]}`, `/o: wanted an object; got [1,2,3]`},
	{`{"properties":{"o":{"type":"object","required":["x","y"]}}}`, `{"o":7}`, `/o: wanted an object with "x" and "y"; got 7`},
	{`{"properties":{"z":{"type":"null"}}}`, `{"z":0}`, `/z: wanted null; got 0`},
	{`{"properties":{"m":{"type":["string","null"]}}}`, `{"m":5}`, `/m: wanted a string or null; got 5`},
	{`{"properties":{"n":{"type":"number","minimum":0,"maximum":10}},"required":["n"]}`, `{"n":null}`, `/n: wanted a number (at least 0, at most 10); got null`},
	{`{"properties":{"s":{"type":"string","enum":["a","b"]}}}`, `{"s":1}`, `/s: wanted one of "a" or "b"; got 1`},
	{`{"type":"object"}`, `[]`, `(root): wanted an object; got []`},
	{`{"type":"object"}`, `"do it"`, `(root): wanted an object; got "do it"`},
	{`{"properties":{"n":{"minimum":1}}}`, `{"n":0}`, `/n: wanted a number of at least 1; got 0`},
	{`{"properties":{"n":{"maximum":10}}}`, `{"n":10.5}`, `/n: wanted a number of at most 10; got 10.5`},
	{`{"properties":{"n":{"exclusiveMinimum":0}}}`, `{"n":0}`, `/n: wanted a number over 0; got 0`},
	{`{"properties":{"n":{"exclusiveMaximum":1e2}}}`, `{"n":100}`, `/n: wanted a number under 1e2; got 100`},
	{`{"properties":{"n":{"multipleOf":0.25}}}`, `{"n":0.3}`, `/n: wanted a multiple of 0.25; got 0.3`},
	{`{"properties":{"n":{"type":"integer","minimum":1,"maximum":6}}}`, `{"n":"d6"}`, `/n: wanted an integer (at least 1, at most 6); got "d6"`},
	{`{"properties":{"n":{"minimum":5,"multipleOf":2}}}`, `{"n":3}`, `/n: wanted a number of at least 5; got 3
/n: wanted a multiple of 2; got 3`},
	{`{"properties":{"n":{"maximum":9007199254740992}}}`, `{"n":9007199254740993}`, `/n: wanted a number of at most 9007199254740992; got 9007199254740993`},
	{`{"properties":{"n":{"maximum":1}}}`, `{"n":1e400}`, `/n: wanted a number of at most 1; got 1e400`},
	{`{"properties":{"s":{"minLength":3}}}`, `{"s":"ab"}`, `/s: wanted a string of at least 3 characters; got "ab"`},
	{`{"properties":{"s":{"minLength":1}}}`, `{"s":""}`, `/s: wanted a string of at least 1 character; got ""`},
	{`{"properties":{"s":{"maxLength":4}}}`, `{"s":"héééé"}`, `/s: wanted a string of at most 4 characters; got "héééé"`},
	{`{"properties":{"s":{"pattern":"^[a-z_]+$"}}}`, `{"s":"Iron Key"}`, `/s: wanted a string that matches ^[a-z_]+$; got "Iron Key"`},
	{`{"properties":{"s":{"format":"uuid"}}}`, `{"s":"msg-1"}`, `/s: wanted a string that is a UUID such as 123e4567-e89b-12d3-a456-426614174000; got "msg-1"`},
	{`{"properties":{"s":{"format":"date-time"}}}`, `{"s":"yesterday"}`, `/s: wanted a string that is a date-time such as 2025-01-31T12:00:00Z; got "yesterday"`},
	{`{"properties":{"s":{"format":"date"}}}`, `{"s":"2025-02-30"}`, `/s: wanted a string that is a date such as 2025-01-31; got "2025-02-30"`},
	{`{"properties":{"s":{"format":"time"}}}`, `{"s":"25:00:00Z"}`, `/s: wanted a string that is a time such as 12:00:00Z; got "25:00:00Z"`},
	{`{"properties":{"s":{"format":"duration"}}}`, `{"s":"10s"}`, `/s: wanted a string that is a duration such as PT30S; got "10s"`},
	{`{"properties":{"s":{"format":"uri"}}}`, `{"s":"/a/b"}`, `/s: wanted a string that is a URI such as https://example.com/x; got "/a/b"`},
	{`{"properties":{"s":{"format":"email"}}}`, `{"s":"nobody"}`, `/s: wanted a string that is an email address; got "nobody"`},
	{`{"properties":{"s":{"format":"ipv4"}}}`, `{"s":"256.1.1.1"}`, `/s: wanted a string that is an IPv4 address; got "256.1.1.1"`},
	{`{"properties":{"s":{"format":"ipv6"}}}`, `{"s":"1::2::3"}`, `/s: wanted a string that is an IPv6 address; got "1::2::3"`},
	{`{"properties":{"s":{"format":"hostname"}}}`, `{"s":"-bad-"}`, `/s: wanted a string that is a host name; got "-bad-"`},
	{`{"properties":{"s":{"format":"json-pointer"}}}`, `{"s":"a/b"}`, `/s: wanted a string that is a JSON Pointer such as /a/0; got "a/b"`},
	{`{"properties":{"s":{"format":"regex"}}}`, `{"s":"(a"}`, `/s: wanted a string that is a regular expression; got "(a"`},
	{`{"properties":{"s":{"type":"string","format":"uuid"}}}`, `{"s":12}`, `/s: wanted a string (a UUID such as 123e4567-e89b-12d3-a456-426614174000); got 12`},
	{`{"properties":{"s":{"type":"string","minLength":2,"maxLength":5}}}`, `{"s":{}}`, `/s: wanted a string (at least 2 characters, at most 5 characters); got {}`},
	{`{"properties":{"e":{"enum":["walk","run","sneak"]}}}`, `{"e":"Walk"}`, `/e: wanted one of "walk", "run" or "sneak" (did you mean "walk"?); got "Walk"`},
	{`{"properties":{"e":{"enum":["walk","run","sneak"]}}}`, `{"e":"sneek"}`, `/e: wanted one of "walk", "run" or "sneak" (did you mean "sneak"?); got "sneek"`},
	{`{"properties":{"e":{"enum":["walk","run","sneak"]}}}`, `{"e":"teleport"}`, `/e: wanted one of "walk", "run" or "sneak"; got "teleport"`},
	{`{"properties":{"e":{"enum":["walk_fast","walk_slow"]}}}`, `{"e":"walk-fast"}`, `/e: wanted one of "walk_fast" or "walk_slow" (did you mean "walk_fast"?); got "walk-fast"`},
	{`{"properties":{"e":{"enum":[1,2,4,null]}}}`, `{"e":3}`, `/e: wanted one of 1, 2, 4 or null; got 3`},
	{`{"properties":{"e":{"enum":["a","b","c","d","e","f","g","h","i","j","k","l","m","n"]}}}`, `{"e":"zzz"}`, `/e: wanted one of "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l" or 2 others; got "zzz"`},
	{`{"properties":{"e":{"enum":["only"]}}}`, `{"e":"other"}`, `/e: wanted "only"; got "other"`},
	{`{"properties":{"c":{"const":"on"}}}`, `{"c":"off"}`, `/c: wanted "on"; got "off"`},
	{`{"properties":{"c":{"const":{"x":[1,2]}}}}`, `{"c":{"x":[1]}}`, `/c: wanted {"x":[1,2]}; got {"x":[1]}`},
	{`{"properties":{"target":{"type":"string"}},"required":["target"]}`, `{}`, `/target: wanted a string, required; got nothing`},
	{`{"properties":{"target":{"type":"string"}},"required":["target"]}`, `{"tagret":"gate"}`, `/target: wanted a string, required; got nothing (is "tagret" meant to be "target"?)`},
	{`{"properties":{"target":{"type":"string"}},"required":["target"]}`, `{"Target":"gate"}`, `/target: wanted a string, required; got nothing (is "Target" meant to be "target"?)`},
	{`{"properties":{"max_distance":{"type":"number"}},"required":["max_distance"]}`, `{"maxDistance":3}`, `/max_distance: wanted a number, required; got nothing (is "maxDistance" meant to be "max_distance"?)`},
	{`{"required":["a","b"]}`, `{"b":1}`, `/a: wanted a value, required; got nothing`},
	{`{"properties":{"a/b":{"type":"string"},"~":{"type":"string"}}}`, `{"a/b":1,"~":2}`, `/a~1b: wanted a string; got 1
/~0: wanted a string; got 2`},
	{`{"properties":{"speed":{}},"additionalProperties":false}`, `{"sped":4}`, `/sped: wanted no member of this name (did you mean "speed"?); got 4`},
	{`{"properties":{"speed":{},"target":{}},"additionalProperties":false}`, `{"colour":"red"}`, `/colour: wanted no member of this name (known: "speed" and "target"); got "red"`},
	{`{"additionalProperties":false}`, `{"x":{"y":"z"}}`, `/x: wanted no member of this name; got {"y":"z"}`},
	{`{"additionalProperties":{"type":"integer"}}`, `{"gold":"many"}`, `/gold: wanted an integer; got "many"`},
	{`{"patternProperties":{"^x_":{"type":"integer"}}}`, `{"x_a":1,"x_b":"2?"}`, `/x_b: wanted an integer; got "2?"`},
	{`{"propertyNames":{"pattern":"^[a-z]+$"}}`, `{"Up":1}`, `/Up: wanted a member name that is a string that matches ^[a-z]+$; got "Up"`},
	{`{"minProperties":2}`, `{"a":1}`, `(root): wanted at least 2 members; got {"a":1}`},
	{`{"maxProperties":1}`, `{"a":1,"b":2}`, `(root): wanted at most 1 member; got {"a":1,"b":2}`},
	{`{"dependentRequired":{"x":["y","z"]}}`, `{"x":1}`, `/y: wanted a value, required beside "x"; got nothing
/z: wanted a value, required beside "x"; got nothing`},
	{`{"dependentSchemas":{"x":{"required":["y"]}}}`, `{"x":1}`, `/y: wanted a value, required; got nothing`},
	{`{"properties":{"goal":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"}},"required":["x","y"]}}}`, `{"goal":{"x":"left"}}`, `/goal/x: wanted a number; got "left"
/goal/y: wanted a number, required; got nothing`},
	{`{"properties":{"secret":false}}`, `{"secret":1}`, `/secret: wanted nothing here; got 1`},
	{`{"properties":{"a":{}},"unevaluatedProperties":false}`, `{"b":1}`, `/b: wanted no member of this name (known: "a"); got 1`},
	{`{"properties":{"a":{"items":{"type":"string"}}}}`, `{"a":["x",1,"y",null]}`, `/a/1: wanted a string; got 1
/a/3: wanted a string; got null`},
	{`{"properties":{"a":{"minItems":1}}}`, `{"a":[]}`, `/a: wanted at least 1 item; got []`},
	{`{"properties":{"a":{"maxItems":2}}}`, `{"a":[1,2,3]}`, `/a: wanted at most 2 items; got [1,2,3]`},
	{`{"properties":{"a":{"uniqueItems":true}}}`, `{"a":[1,"x",1.0]}`, `/a: wanted items that differ: item 2 equals item 0; got [1,"x",1.0]`},
	{`{"properties":{"a":{"uniqueItems":true}}}`, `{"a":[1,2,3,3,2,1]}`, `/a: wanted items that differ: item 3 equals item 2; got [1,2,3,3,2,1]`},
	{`{"properties":{"s":{"minLength":3}}}`, `{"s":"😀😀"}`, `/s: wanted a string of at least 3 characters; got "😀😀"`},
	{`{"properties":{"s":{"minLength":3}}}`, `{"s":"\u0061\u0062"}`, `/s: wanted a string of at least 3 characters; got "\u0061\u0062"`},
	{`{"required":["b"],"unevaluatedProperties":false}`, `{"b":1}`, `/b: wanted no member of this name (known: "b"); got 1`},
	{`{"properties":{"a":{"contains":{"type":"integer"}}}}`, `{"a":["x"]}`, `/a: wanted at least 1 item that is an integer; got ["x"]`},
	{`{"properties":{"a":{"contains":{"type":"integer"},"maxContains":1}}}`, `{"a":[1,2]}`, `/a: wanted at most 1 item that is an integer; got [1,2]`},
	{`{"properties":{"a":{"prefixItems":[{"type":"number"},{"type":"number"}],"items":false}}}`, `{"a":[1,2,3]}`, `/a/2: wanted no item here: at most 2 items; got 3`},
	{`{"properties":{"a":{"prefixItems":[{"type":"number"},{"type":"string"}]}}}`, `{"a":["1x",2]}`, `/a/0: wanted a number; got "1x"
/a/1: wanted a string; got 2`},
	{`{"properties":{"a":{"prefixItems":[true],"unevaluatedItems":false}}}`, `{"a":[1,2]}`, `/a/1: wanted no item here; got 2`},
	{`{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"items":[{}],"additionalItems":{"type":"string"}}}}`, `{"a":[1,2]}`, `/a/1: wanted a string; got 2`},
	{`{"properties":{"v":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"v":1}`, `/v: wanted a string or null; got 1`},
	{`{"properties":{"v":{"anyOf":[{"type":"integer","minimum":1},{"const":"all"}]}}}`, `{"v":0}`, `/v: wanted a number of at least 1; got 0`},
	{`{"properties":{"v":{"oneOf":[{"type":"integer"},{"type":"number","minimum":5}]}}}`, `{"v":7}`, `/v: wanted a value that fits exactly one form: it fits forms 1 and 2; got 7`},
	{`{"oneOf":[{"properties":{"kind":{"const":"move"},"to":{"type":"string"}},"required":["kind","to"]},{"properties":{"kind":{"const":"say"},"text":{"type":"string"}},"required":["kind","text"]}]}`, `{"kind":"say","txt":"hi"}`, `/text: wanted a string, required; got nothing (is "txt" meant to be "text"?)`},
	{`{"oneOf":[{"properties":{"kind":{"const":"move"},"to":{"type":"string"}},"required":["kind","to"]},{"properties":{"kind":{"const":"say"},"text":{"type":"string"}},"required":["kind","text"]}]}`, `{"kind":"jump"}`, `/kind: wanted "move" or "say"; got "jump"`},
	{`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"c":1}`, `(root): wanted an object with "a" or an object with "b"; got {"c":1}`},
	{`{"properties":{"v":{"not":{"type":"null"}}}}`, `{"v":null}`, `/v: wanted anything but null; got null`},
	{`{"properties":{"v":{"not":{"enum":["root","admin"]}}}}`, `{"v":"root"}`, `/v: wanted anything but one of "root" or "admin"; got "root"`},
	{`{"if":{"properties":{"mode":{"const":"fly"}},"required":["mode"]},"then":{"required":["height"]},"else":{"maxProperties":1}}`, `{"mode":"fly"}`, `/height: wanted a value, required; got nothing`},
	{`{"allOf":[{"required":["a"]},{"properties":{"b":{"type":"string"}}}]}`, `{"b":1}`, `/a: wanted a value, required; got nothing
/b: wanted a string; got 1`},
	{`{"properties":{"p":{"$ref":"#/$defs/point"}},"$defs":{"point":{"type":"array","items":{"type":"number"},"minItems":2}}}`, `{"p":[1]}`, `/p: wanted at least 2 items; got [1]`},
	{`{"properties":{"v":{"anyOf":[{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]},{"type":"string"}]}}}`, `{"v":{"x":"far"}}`, `/v/x: wanted a number; got "far"`},
	{`{"properties":{"a":{"type":"integer"},"b":{"type":"string"},"c":{"enum":["x"]}},"required":["d"],"additionalProperties":false}`, `{"c":"y","b":2,"a":"q","e":1}`, `/a: wanted an integer; got "q"
/b: wanted a string; got 2
/c: wanted "x"; got "y"
/d: wanted a value, required; got nothing
/e: wanted no member of this name (known: "a", "b", "c" and "d"); got 1`},
	{`{"items":{"type":"integer"}}`, `["a","b","c","d","e","f","g","h","i","j","k","l","m","n","o","p","q","r"]`, `/0: wanted an integer; got "a"
/1: wanted an integer; got "b"
/10: wanted an integer; got "k"
/11: wanted an integer; got "l"
/12: wanted an integer; got "m"
/13: wanted an integer; got "n"
/14: wanted an integer; got "o"
/15: wanted an integer; got "p"
/16: wanted an integer; got "q"
/17: wanted an integer; got "r"
/2: wanted an integer; got "c"
/3: wanted an integer; got "d"
/4: wanted an integer; got "e"
/5: wanted an integer; got "f"
/6: wanted an integer; got "g"
/7: wanted an integer; got "h"
and 2 more`},
	{`{"properties":{"n":{"type":"integer"}}}`, `{"n":"long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long "}`, `/n: wanted an integer; got "long long long long long long long long long long long long long long long l...`},
	{`{"properties":{"n":{"type":"integer"}}}`, `{"n":{"deep": [1, 2, {"x": "with space"}],  "more": null }}`, `/n: wanted an integer; got {"deep":[1,2,{"x":"with space"}],"more":null}`},
	{`{"properties":{"n":{"type":"integer"}}}`, "{\"n\":\"line\\nbreak \\u2028 \\u0000 end \u2028\u202e\"}", `/n: wanted an integer; got "line\nbreak \u2028 \u0000 end \u2028\u202e"`},
}

func TestFaultWords(t *testing.T) {
	require.GreaterOrEqual(t, len(badInputs), 80)
	for _, one := range badInputs {
		s, err := compile([]byte(one.schema), Options{}, settings{anyRoot: true})
		require.Nil(t, err, one.schema)
		var c Checker
		require.False(t, s.Check(&c, checked(t, one.input)), "%s takes %s", one.schema, one.input)
		require.Equal(t, one.message, c.Message(), "%s\n%s", one.schema, one.input)
		require.Equal(t, one.input, string(c.Value), "a value that does not fit is left as it came")
		for range 20 { // the same words every time
			require.False(t, s.Check(&c, []byte(one.input)))
			require.Equal(t, one.message, c.Message())
		}
	}
}

func TestFaultIsOneLine(t *testing.T) {
	f := Fault{"/a\nb\u2028", "pattern", "a string that matches x\ty", `"\u202e"`}
	require.Equal(t, `/a\u000ab\u2028: wanted a string that matches x\u0009y; got "\u202e"`, f.String())
	s := mustCompile(t, `{"properties":{"a\nb":{"type":"integer"}}}`, Options{})
	var c Checker
	require.False(t, s.Check(&c, checked(t, `{"a\u000ab":"x"}`)))
	require.Equal(t, "/a\nb", c.Faults[0].Pointer)
	require.Equal(t, `/a\u000ab: wanted an integer; got "x"`, c.Message())
	name := strings.Repeat("é", 400)
	require.False(t, s.Check(&c, checked(t, `{"a\nb":{"`+name+`":1}}`)))
	deep := mustCompile(t, `{"additionalProperties":{"type":"integer"}}`, Options{})
	require.False(t, deep.Check(&c, checked(t, `{"`+name+`":"1"}`)))
	require.Equal(t, "/"+strings.Repeat("é", 255)+"...", c.Faults[0].Pointer)
}

func TestFaultsAreData(t *testing.T) {
	s := mustCompile(t, guard, Options{})
	var c Checker
	require.False(t, s.Check(&c, checked(t, `{"speed":11,"mode":"fly","path":[{"x":1}]}`)))
	require.Equal(t, []Fault{
		{"/mode", "enum", `one of "walk", "run" or "sneak"`, `"fly"`},
		{"/path/0/y", "required", "a number, required", "nothing"},
		{"/speed", "maximum", "a number of at most 10", "11"},
		{"/target", "required", "a string (at least 1 character), required", "nothing"},
	}, c.Faults)
	require.Zero(t, c.More)
	require.True(t, s.Check(&c, checked(t, `{"target":"x"}`)))
	require.Empty(t, c.Faults)
	require.Empty(t, c.Message())
}
