package provider

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

var update = flag.Bool("update", false, "write testdata/schemas.txt anew")

// cases are inputs, and what of them is to be seen in testdata/schemas.txt.
var cases = []struct{ says, schema string }{
	{"nothing at all", ``},
	{"no members", `{"type":"object","additionalProperties":false}`},
	{"a union of objects, told apart by a constant", `{"type":"object","oneOf":[{"title":"Walk","properties":{"kind":{"const":"walk"},"x":{"type":"number"}},"required":["kind","x"]},{"properties":{"kind":{"const":"say"},"text":{"type":"string"},"loud":{"type":"boolean"}},"required":["kind","text"]}]}`},
	{"a union of what is required", `{"type":"object","properties":{"x":{"type":"integer"},"name":{"enum":["gate","well"]}},"anyOf":[{"required":["x"]},{"required":["name"]}]}`},
	{"a union of one", `{"type":"object","anyOf":[{"properties":{"a":{"type":"integer"}},"required":["a"]},{"type":"string"}]}`},
	{"a union that cannot be put together", `{"type":"object","additionalProperties":false,"properties":{"a":{"type":"integer"}},"oneOf":[{"properties":{"b":{"type":"integer"}}},{"required":["a"]}]}`},
	{"allOf at the root", `{"allOf":[{"type":"object","properties":{"a":{"type":"integer","minimum":1}},"required":["a"]},{"$ref":"#/$defs/b"}],"$defs":{"b":{"properties":{"a":{"maximum":9},"b":{"type":"string"}}}}}`},
	{"a reference at the root", `{"$ref":"#/$defs/in","$defs":{"in":{"type":"object","properties":{"a":{"$ref":"#/$defs/a","description":"the first"}}},"a":{"type":"integer"},"unused":{}}}`},
	{"references to places", `{"type":"object","properties":{"a":{"type":"integer"},"b":{"$ref":"#/properties/a"},"c":{"$ref":"#here"},"d":{"$anchor":"here","type":"boolean"}}}`},
	{"a tree", `{"type":"object","properties":{"t":{"$ref":"#/$defs/tree"}},"$defs":{"tree":{"type":"object","properties":{"name":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#/$defs/tree"}}}}}}`},
	{"names that are refused", `{"type":"object","properties":{"a b":{"type":"integer"},"a_b":{"type":"integer"},"größe":{"type":"number","description":"in metres"}},"required":["a b"]}`},
	{"numbers", `{"type":"object","properties":{"a":{"type":"integer","exclusiveMinimum":0,"exclusiveMaximum":10,"multipleOf":5,"default":5},"b":{"type":"number","exclusiveMinimum":0,"maximum":1e2,"description":"How much"},"c":{"type":"integer","minimum":3,"exclusiveMinimum":5,"format":"int32"}}}`},
	{"text", `{"type":"object","properties":{"a":{"type":"string","minLength":1,"maxLength":9,"pattern":"^a"},"b":{"type":"string","format":"date-time"},"c":{"type":"string","format":"uri-reference","examples":["/a","/b"]}}}`},
	{"lists", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":5,"uniqueItems":true},"b":{"type":"array","prefixItems":[{"type":"number"},{"type":"string"}],"items":false,"minItems":2},"c":{"type":"array"}}}`},
	{"enumerations", `{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"enum":[1,2]},"c":{"enum":["x",null]},"d":{"const":"only"},"e":{"type":["string","integer"],"enum":["x",1]},"f":{"enum":["","x"]}}}`},
	{"null", `{"type":"object","properties":{"a":{"type":["integer","null"]},"b":{"anyOf":[{"type":"string"},{"type":"null"}],"description":"a name"},"c":{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]}},"required":["a"]}`},
	{"unions in members", `{"type":"object","properties":{"to":{"description":"where to","oneOf":[{"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]},{"type":"string","description":"a place"}]},"n":{"type":["integer","string"],"minimum":1},"o":{"oneOf":[{"type":"integer","minimum":5},{"type":"integer","maximum":9}]}}}`},
	{"conditions", `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"if":{"required":["a"]},"then":{"required":["b"]},"dependentRequired":{"b":["a"]},"not":{"required":["c"]}}`},
	{"objects without a list of members", `{"type":"object","properties":{"a":{"type":"object"},"b":{"type":"object","additionalProperties":{"type":"number"}},"c":{"type":"object","patternProperties":{"^x":{"type":"string"}}}}}`},
	{"no types", `{"type":"object","properties":{"a":{},"b":{"description":"anything"},"c":{"minimum":1},"d":true,"e":false,"f":{"properties":{"g":{"type":"integer"}}}},"required":["a","z"]}`},
	{"draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"at":{"type":"array","items":[{"type":"integer"},{"type":"integer"}],"additionalItems":false},"to":{"$ref":"#/definitions/place"}},"definitions":{"place":{"enum":["gate"]}}}`},
	{"an id inside", `{"type":"object","properties":{"a":{"$id":"https://example.com/a","type":"integer"}}}`},
	{"a malformed schema", `{"type":"object","properties":[]}`},
}

func TestSchemas(t *testing.T) {
	var got strings.Builder
	for _, c := range cases {
		fmt.Fprintf(&got, "# %s\n%s\n", c.says, c.schema)
		tool := message.Tool{ID: "try", Class: message.Actuator, Description: "Tries.", InputSchema: []byte(c.schema)}
		for _, f := range Formats() {
			for _, strict := range []bool{false, true} {
				if strict && f != OpenAI && f != Anthropic {
					continue
				}
				l := Export(f, []message.Tool{tool}, Options{Strict: strict, Plain: true})
				checkList(t, l)
				name := f.String()
				if strict {
					name += " strict"
				}
				fn := l.Functions[0]
				fmt.Fprintf(&got, "%s: %s\n", name, fn.Input)
				if fn.Strict != strict {
					got.WriteString("  is not strict\n")
				}
				if fn.Description != "Tries." {
					fmt.Fprintf(&got, "  description: %q\n", fn.Description)
				}
				for _, loss := range l.Losses {
					fmt.Fprintf(&got, "  loss: %s\n", strings.TrimPrefix(loss.String(), "try: "))
				}
			}
		}
		got.WriteByte('\n')
	}
	file := filepath.Join("testdata", "schemas.txt")
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

func TestListsAsTheProvidersTakeThem(t *testing.T) {
	tools := []message.Tool{
		{ID: "look", Class: message.Sensor, Description: "Looks around", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"properties":{"sees":{"type":"string"}}}`)},
		{ID: "say", Class: message.Generator, Description: "Speaks.", InputSchema: []byte(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
			CallsPerMinute: 2, CallsPerSession: 1, RequiresCapability: "voice", StrictInput: true},
	}
	for _, c := range []struct {
		format Format
		o      Options
		want   string
	}{
		{OpenAI, Options{}, `[{"type":"function","function":{"name":"look","description":"Looks around\nSensor: it only looks, and changes nothing.","parameters":{"type":"object","properties":{}}}},` +
			`{"type":"function","function":{"name":"say","description":"Speaks.\nGenerator: it makes content.\nAt most 2 calls a minute and 1 call a session.\nIt needs the capability \"voice\".","parameters":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}}}]`},
		{OpenAI, Options{Strict: true, Plain: true, Prefix: "guard_"}, `[{"type":"function","function":{"name":"guard_look","description":"Looks around","parameters":{"type":"object","properties":{},"required":[],"additionalProperties":false},"strict":true}},` +
			`{"type":"function","function":{"name":"guard_say","description":"Speaks.","parameters":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false},"strict":true}}]`},
		{Anthropic, Options{Held: []string{"walk"}}, `[{"name":"look","description":"Looks around\nSensor: it only looks, and changes nothing.","input_schema":{"type":"object","properties":{}}},` +
			`{"name":"say","description":"Speaks.\nGenerator: it makes content.\nAt most 2 calls a minute and 1 call a session.\nIt cannot be used now: it needs the capability \"voice\", which this character does not have.","input_schema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false}}]`},
		{Gemini, Options{Held: []string{"voice"}}, `[{"functionDeclarations":[{"name":"look","description":"Looks around\nSensor: it only looks, and changes nothing.","parameters":{"type":"OBJECT","properties":{}}},` +
			`{"name":"say","description":"Speaks.\nGenerator: it makes content.\nAt most 2 calls a minute and 1 call a session.","parameters":{"type":"OBJECT","properties":{"text":{"type":"STRING"}},"required":["text"]}}]}]`},
		{MCP, Options{Plain: true}, `[{"name":"look","description":"Looks around","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"sees":{"type":"string"}}},"annotations":{"readOnlyHint":true}},` +
			`{"name":"say","description":"Speaks.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"],"additionalProperties":false},"outputSchema":{"type":"object"},"annotations":{"readOnlyHint":false}}]`},
	} {
		l := Export(c.format, tools, c.o)
		require.Equal(t, c.want, string(l.JSON()))
		checkList(t, l)
	}
	require.Equal(t, `[]`, string(Export(Gemini, nil, Options{}).JSON()))
}

func TestWhatAProviderWouldRefuseIsSaid(t *testing.T) {
	one := message.Tool{ID: "a", Class: message.Actuator, Description: "Acts.", InputSchema: []byte(`{}`)}
	l := Export(OpenAI, []message.Tool{one, one}, Options{})
	require.Len(t, l.Functions, 1)
	require.Equal(t, []Loss{{Tool: "a", Pointer: "/id", Text: "a tool of this id came before: this one is left out", Refused: true}}, l.Losses)

	var many []message.Tool
	for i := range 129 {
		one.ID = fmt.Sprintf("a%d", i)
		many = append(many, one)
	}
	l = Export(OpenAI, many, Options{})
	require.Equal(t, []Loss{{Text: "openai takes at most 128 functions, these are 129: send fewer", Refused: true}}, l.Losses)
	require.Empty(t, Export(Anthropic, many, Options{}).Losses)

	one.Description = strings.Repeat("ä", 1100)
	l = Export(OpenAI, []message.Tool{one}, Options{})
	require.Equal(t, "a128: /description: openai takes at most 1024 characters, with what is added to it it has 1132: the rest is cut off", l.Losses[0].String())
	require.Equal(t, 1024, len([]rune(l.Functions[0].Description)))
	require.True(t, strings.HasSuffix(l.Functions[0].Description, "ä ...\nActuator: it acts in the world."))
	require.Equal(t, 1132, len([]rune(Export(Anthropic, []message.Tool{one}, Options{}).Functions[0].Description)))
}

// What the strict modes count over a request, and in a schema.
func TestStrictModesHaveBounds(t *testing.T) {
	tool := func(i int, schema string) message.Tool {
		return message.Tool{ID: fmt.Sprintf("t%d", i), Class: message.Actuator, Description: "Acts.", InputSchema: []byte(schema)}
	}
	strict := func(l *List) (n int) {
		for _, f := range l.Functions {
			if f.Strict {
				n++
			}
		}
		return n
	}
	var tools []message.Tool
	for i := range 22 {
		tools = append(tools, tool(i, `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`))
	}
	l := Export(Anthropic, tools, Options{Strict: true})
	require.Equal(t, 20, strict(l))
	require.Equal(t, "t20: /input_schema: anthropic's strict mode takes no more: 21 strict tools (at most 20): the tool is listed without it", l.Losses[0].String())
	require.Equal(t, 22, strict(Export(OpenAI, tools, Options{Strict: true})))

	tools = nil
	for i := range 4 {
		tools = append(tools, tool(i, `{"type":"object","properties":{`+many(8, `"a%":{"type":"integer"}`)+`}}`))
	}
	l = Export(Anthropic, append(tools, tool(9, `{"type":"object","additionalProperties":false}`)), Options{Strict: true})
	require.Equal(t, []bool{true, true, true, false, true}, []bool{l.Functions[0].Strict, l.Functions[1].Strict, l.Functions[2].Strict, l.Functions[3].Strict, l.Functions[4].Strict})
	require.Equal(t, "t3: /input_schema: anthropic's strict mode takes no more: 32 optional parameters (at most 24): the tool is listed without it", l.Losses[0].String())
	require.Len(t, l.Losses, 1)

	l = Export(Anthropic, []message.Tool{tool(1, `{"type":"object","properties":{`+many(17, `"a%":{"type":["integer","null"]}`)+`},"required":[`+many(17, `"a%"`)+`]}`)}, Options{Strict: true})
	require.Equal(t, "t1: /input_schema: anthropic's strict mode takes no more: 17 parameters of several types (at most 16): the tool is listed without it", l.Losses[0].String())

	deep := `{"type":"integer"}`
	for range 11 {
		deep = `{"type":"object","properties":{"in":` + deep + `}}`
	}
	l = Export(OpenAI, []message.Tool{tool(1, deep), tool(2, `{"type":"object","properties":{"a":{"enum":[`+many(1001, `"v%"`)+`]}}}`)}, Options{Strict: true})
	require.Zero(t, strict(l))
	require.Equal(t, "t1: /input_schema: openai's strict mode takes no more: 11 levels (at most 10): the tool is listed without it", l.Losses[0].String())
	require.Equal(t, "t2: /input_schema: openai's strict mode takes no more: 1002 values (at most 1000): the tool is listed without it", l.Losses[1].String())
	require.Len(t, l.Losses, 2)
}

func TestNames(t *testing.T) {
	n := NewNames(OpenAI, "", []string{"look", "door/open", "door.open", "", strings.Repeat("x", 65), "größe"})
	for id, want := range map[string]string{"look": "look", "door/open": "door_open_f821ca6a", "door.open": "door_open_3c2fde1b", "": "_e3b0c442", "größe": "gr__e_d353a267", strings.Repeat("x", 65): strings.Repeat("x", 55) + "_9537c5fd"} {
		require.Equal(t, want, n.To(id), id)
		back, ok := n.Back(want)
		require.True(t, ok)
		require.Equal(t, id, back)
		// The same whatever else is in the list, and before it is.
		require.Equal(t, want, NewNames(OpenAI, "", []string{id}).To(id))
		require.Equal(t, want, NewNames(OpenAI, "", nil).To(id))
	}
	_, ok := n.Back("door/open")
	require.False(t, ok)

	// Who names a tool as another one would be named does not get its calls.
	n = NewNames(OpenAI, "", []string{"door/open", "door_open_f821ca6a"})
	require.Equal(t, "door_open_f821ca6a", n.To("door_open_f821ca6a"))
	require.NotEqual(t, "door_open_f821ca6a", n.To("door/open"))
	id, _ := n.Back(n.To("door/open"))
	require.Equal(t, "door/open", id)

	n = NewNames(Gemini, "1.", []string{"look"})
	require.Regexp(t, `^_1_look_[0-9a-f]{8}$`, n.To("look"))
	require.True(t, Gemini.Takes(n.To("look")))
	require.Equal(t, "1.look", NewNames(MCP, "1.", []string{"look"}).To("look"))
}

func TestRestore(t *testing.T) {
	for _, c := range []struct {
		format          Format
		strict          bool
		schema          string
		model, restored string
	}{
		{OpenAI, false, `{"type":"object","properties":{"a":{"type":"integer"}}}`, `{ "a": null }`, `{ "a": null }`},
		{OpenAI, true, `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":["integer","null"]},"c":{"type":"integer"}},"required":["c"]}`, `{"a":null,"b":null,"c":null}`, `{"b":null,"c":null}`},
		{OpenAI, true, `{"type":"object","properties":{"l":{"type":"array","items":{"type":"object","properties":{"a":{"enum":["x"]},"b":{"type":"string"}},"required":["b"]}}}}`,
			`{"l":[{"a":null,"b":"x"},{"a":"x","b":"y"}]}`, `{"l":[{"b":"x"},{"a":"x","b":"y"}]}`},
		{OpenAI, true, `{"type":"object","properties":{"u":{"anyOf":[{"type":"object","properties":{"k":{"const":"p"},"a":{"type":"integer"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"q"},"a":{"type":["integer","null"]}},"required":["k","a"]}]}},"required":["u"]}`,
			`{"u":{"k":"p","a":null}}`, `{"u":{"k":"p"}}`},
		{OpenAI, true, `{"type":"object","properties":{"u":{"anyOf":[{"type":"object","properties":{"k":{"const":"p"},"a":{"type":"integer"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"q"},"a":{"type":["integer","null"]}},"required":["k","a"]}]}},"required":["u"]}`,
			`{"u":{"k":"q","a":null}}`, `{"u":{"k":"q","a":null}}`},
		{Anthropic, false, `{"type":"object","properties":{"a b":{"type":"integer"}}}`, `{"a_b_c8687a08":1,"a b":2}`, `{"a_b_c8687a08":1,"a b":2}`},
		{Anthropic, false, `{"type":"object","properties":{"a b":{"type":"integer"}}}`, `{"a_b_c8687a08":1}`, `{"a b":1}`},
		{Anthropic, true, `{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"a":null}`, `{"a":null}`},
		{OpenAI, true, `{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"a":null`, `{"a":null`},
		{OpenAI, true, `{"type":"object","properties":{"a":{"type":"integer"}}}`, `[null]`, `[null]`},
	} {
		l := Export(c.format, []message.Tool{{ID: "try", Class: message.Actuator, Description: "Tries.", InputSchema: []byte(c.schema)}}, Options{Strict: c.strict})
		require.Equal(t, c.strict, l.Functions[0].Strict, c.schema)
		require.Equal(t, c.restored, string(l.Functions[0].Restore([]byte(c.model))), c.schema)
	}
}

func FuzzExport(f *testing.F) {
	for _, c := range cases {
		f.Add([]byte(c.schema), "try", []byte(`{"a":null,"l":[{}]}`))
	}
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#"}}}`), "", []byte(`{}`))
	f.Add([]byte(`{"properties":{"0":{"anyOf":[{}],"description":""}}}`), "0", []byte(`0`))
	f.Add([]byte(`{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},"b":{"properties":{"x":{"$ref":"#/$defs/a"}}}}}`), "ü", []byte(`{}`))
	f.Fuzz(func(t *testing.T, text []byte, id string, input []byte) {
		tools := []message.Tool{{ID: id, Class: message.Sensor, Description: "Tries.", InputSchema: text, OutputSchema: text}}
		for _, format := range Formats() {
			for _, strict := range []bool{false, true} {
				l := Export(format, tools, Options{Strict: strict})
				checkList(t, l)
				require.Equal(t, string(l.JSON()), string(Export(format, tools, Options{Strict: strict}).JSON()))
				back := l.Functions[0].Restore(input)
				var scanner jsonwire.Scanner
				if _, err := scanner.Check(input); err == nil {
					_, err := scanner.Check(back)
					require.Nil(t, err)
				}
			}
		}
	})
}
