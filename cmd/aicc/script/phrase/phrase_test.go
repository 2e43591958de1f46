package phrase

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

func TestParse(t *testing.T) {
	for line, want := range map[string]string{
		"look":                                  `{}`,
		"  look  ":                              `{}`,
		"walk_to place=gate":                    `{"place":"gate"}`,
		"walk_to place=gate speed:=2":           `{"place":"gate","speed":2}`,
		"walk_to place=":                        `{"place":""}`,
		"walk_to speed=2":                       `{"speed":"2"}`,
		`say text="Halt! Who goes there?"`:      `{"text":"Halt! Who goes there?"}`,
		`say text="a \"b\" \u00e9"`:             `{"text":"a \"b\" \u00e9"}`,
		`say text=don't`:                        `{"text":"don't"}`,
		`say text=5"`:                           `{"text":"5\""}`,
		`say text=a=b`:                          `{"text":"a=b"}`,
		`say text={x`:                           "column 10: this { is not closed",
		`a b.c:=1 b.d=x e:=[1, {"f": " "}]`:     `{"b":{"c":1,"d":"x"},"e":[1, {"f": " "}]}`,
		`walk_to {"place": "gate", "n": [ 1 ]}`: `{"place": "gate", "n": [ 1 ]}`,
		`say text=$x`:                           `{"text":"$x"}`,
		`say text="${x}"`:                       `{"text":"${x}"}`,

		"":                            "column 1: the name of a tool is wanted",
		"Walk":                        `column 1: "Walk" is no name of a tool: they are of a to z, 0 to 9 and _`,
		"walk_to place":               `column 9: "place" is no name=text, name:=JSON or {...}`,
		"walk_to [1]":                 `column 9: "[1]" is no name=text, name:=JSON or {...}`,
		`walk_to "place"`:             `column 9: "\"place\"" is no name=text, name:=JSON or {...}`,
		"walk_to a:=1x":               "column 13: one value was wanted, 'x' came behind it",
		"walk_to a:=gate":             "column 12: a value was wanted, 'g' came",
		"walk_to a=1 a=2":             "column 15: a is given twice",
		"walk_to a=1 a.b=2":           "column 17: a is given twice",
		`walk_to {"a":1,"a":2}`:       "column 16: duplicate member",
		`walk_to {"a":1} {"b":1}`:     "column 17: the input is either one {...} or words of name=text",
		`walk_to {"a":1}}`:            "column 16: ",
		`walk_to {}x`:                 "column 11: ",
		"walk_to a:={\"b\":\"\xff\"}": "column 18: ",
		"walk_to " + strings.Repeat("a.", 70) + "b=1": "column 9: more than 63 objects in each other",
	} {
		p, err := Parse(line)
		var input []byte
		if err == nil {
			input, err = p.Input(nil)
		}
		if err != nil {
			require.True(t, strings.HasPrefix(err.Error(), want) && want != "", "%s: %s", line, err)
			continue
		}
		require.Equal(t, want, string(input), line)
	}
}

func TestVariables(t *testing.T) {
	values := map[string]string{"x": `1`, "s": `"a \"b\""`, "o.k": `{"y":[2]}`}
	lookup := func(path string) ([]byte, error) {
		if v, ok := values[path]; ok {
			return []byte(v), nil
		}
		return nil, errors.New("not there")
	}
	for line, want := range map[string]string{
		"t a=$x b=$s c=$o.k":               `{"a":1,"b":"a \"b\"","c":{"y":[2]}}`,
		`t a="${x} and ${s}${o.k}"`:        `{"a":"1 and a \"b\"{\"y\":[2]}"}`,
		`t a=${x}-`:                        `{"a":"1-"}`,
		`t a="$x" b=$${x} c=$x! d=$`:       `{"a":"$x","b":"${x}","c":"$x!","d":"$"}`,
		`t {"a": $x, "b": [$o.k, "${s}"]}`: `{"a": 1, "b": [{"y":[2]}, "a \"b\""]}`,
		`t a:=$x b:=[$x,$x]`:               `{"a":1,"b":[1,1]}`,
		`t a=$y`:                           "column 5: $y: not there",
		`t {"a": $}`:                       "column 9: the name of a variable is wanted behind $",
		`t a="${x"`:                        "column 5: a } is missing behind ${",
		`t a=${1}`:                         `column 5: "${1}" is no variable`,
	} {
		p, err := Parse(line)
		require.NoError(t, err, line)
		input, err := p.Input(lookup)
		if err != nil {
			require.EqualError(t, err, want)
			continue
		}
		require.Equal(t, want, string(input), line)
	}
}

var tools = []message.Tool{
	{ID: "walk_to", Description: "Walks.", InputSchema: []byte(`{"type":"object","required":["place","pool"],"properties":{
		"place":{"enum":["gate","old well","yard"]},"speed":{"type":"number","minimum":0.5,"maximum":9,"default":1.5},"quiet":{"type":"boolean"},
		"pool":{"$ref":"#/$defs/pool"},"any":{},"odd name":{"type":"string"}},
		"$defs":{"pool":{"type":"object","required":["deep"],"properties":{"deep":{"type":"integer"},"kind":{"const":"round"}}}}}`)},
	{ID: "wait", Description: "Waits.", InputSchema: []byte(`{"type":"object"}`)},
	{ID: "bad", Description: "Has no schema.", InputSchema: []byte(`{"type":`)},
}

func TestComplete(t *testing.T) {
	for line, want := range map[string]string{
		"":                             "0: walk_to | wait | bad",
		"w":                            "0: walk_to | wait",
		"  wal":                        "2: walk_to",
		"walk_to ":                     "8: place= | speed:= | quiet:= | pool. | any:=",
		"walk_to p":                    "8: place= | pool.",
		"walk_to place=":               `14: gate | "old well" | yard`,
		"walk_to place=g":              "14: gate",
		`walk_to place="`:              `14: "old well"`,
		`walk_to place="old well" p`:   "25: pool.",
		"walk_to speed:=":              "15: 1.5",
		"walk_to quiet:=":              "15: true | false",
		"walk_to quiet:=f":             "15: false",
		"walk_to pool.":                "8: pool.deep:= | pool.kind=",
		"walk_to pool.deep:=3 pool.":   "21: pool.kind=",
		"walk_to pool.kind=":           "18: round",
		"walk_to nothing.":             "16: ",
		"walk_to nothing=":             "16: ",
		"walk_to {":                    `9: "place":  | "speed":  | "quiet":  | "pool":  | "any":  | "odd name": `,
		"walk_to {p":                   `9: "place":  | "pool": `,
		`walk_to {"p`:                  `9: "place":  | "pool": `,
		`walk_to {"place"`:             `16: : `,
		`walk_to {"place":`:            `17: "gate" | "old well" | "yard"`,
		`walk_to {"place": "g`:         `18: "gate"`,
		`walk_to {"place": "gate"`:     `24: , `,
		`walk_to {"place": "gate", `:   `26: "speed":  | "quiet":  | "pool":  | "any":  | "odd name": `,
		`walk_to {"pool": `:            `17: {`,
		`walk_to {"pool": {`:           `18: "deep":  | "kind": `,
		`walk_to {"pool": {"kind": `:   `26: "round"`,
		`walk_to {"pool": {"deep": 1`:  `26: `,
		`walk_to {"pool": {"deep": 1 `: `28: } | , `,
		`walk_to {"pool": {"deep": 1}, "place": "gate" `: `46: } | , `,
		`walk_to {"pool": {"deep": 1}} `:                 "30: ",
		`walk_to {"any": [{`:                             `18: `,
		"wait ":                                          "5: ",
		"wait {":                                         "6: }",
		"bad ":                                           "4: ",
		"nothing ":                                       "8: ",
	} {
		from, options := Complete(line, tools)
		var texts []string
		for _, o := range options {
			texts = append(texts, o.Text)
		}
		require.Equal(t, want, fmt.Sprintf("%d: %s", from, strings.Join(texts, " | ")), line)
	}
	_, options := Complete("walk_to sp", tools)
	require.Equal(t, []Option{{Text: "speed:=", Note: "number 0.5 to 9, else 1.5", Open: true}}, options)
}

func TestMissing(t *testing.T) {
	for line, want := range map[string]string{
		"walk_to":                                        "place* speed quiet pool* any odd name",
		"walk_to place":                                  "place* speed quiet pool* any odd name",
		"walk_to place=":                                 "place* speed quiet pool* any odd name",
		"walk_to place=gate pool.deep:=3 ":               "speed quiet any odd name",
		`walk_to {"place": "gate"`:                       "speed quiet pool* any odd name",
		`walk_to {"place": "gate", "pool": {`:            "deep* kind",
		`walk_to {"place": "gate", "pool": {"deep": 2}}`: "speed quiet any odd name",
	} {
		fields, given := Missing(line, &tools[0])
		var left []string
		for i, f := range fields {
			name := f.Name
			if f.Required {
				name += "*"
			}
			if !given[i] {
				left = append(left, name)
			}
		}
		require.Equal(t, want, strings.Join(left, " "), line)
	}
}

func TestFields(t *testing.T) {
	for schema, want := range map[string]string{
		`{"properties":{"a":{"type":"integer","minimum":1},"b":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1},"c":{"type":"string","maxLength":9},"d":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":3}}}`: "a integer from 1; b number above 0 below 1; c text up to 9; d array of string 1 to 3",
		`{"properties":{"a":{"type":["string","null"]},"b":{"enum":[1,"x",null]},"c":{"const":{"y":1}},"d":{"enum":[1,2,3,4,5,6,7,8,9]}}}`:                                                                                                 `a string or null; b 1|x|null; c {"y":1}; d 1|2|3|4|5|6|7|8|...`,
		`{"allOf":[{"properties":{"a":{}},"required":["a"]},{"$ref":"#/$defs/x"}],"anyOf":[{"properties":{"c":{"type":"boolean"}},"required":["c"]}],"$defs":{"x":{"properties":{"b":{"$ref":"#/$defs/y"}}},"y":{"type":"integer"}}}`:      "a* any; b integer; c true|false",
		`{"$ref":"#"}`: "", `{"properties":{"a":{"$ref":"#/properties/a"}}}`: "a any", `{"required":["z"]}`: "z* any", `true`: "", `{"properties":[1],"required":7}`: "", `{"properties":{"a":7}}`: "a any",
	} {
		var all []string
		for _, f := range Fields([]byte(schema), []byte(schema)) {
			name := f.Name
			if f.Required {
				name += "*"
			}
			all = append(all, name+" "+f.Words)
		}
		require.Equal(t, want, strings.Join(all, "; "), schema)
	}
}

func FuzzParse(f *testing.F) {
	for _, line := range []string{"walk_to place=gate speed:=2", `say text="Halt! ${x}" n:=[1,{"a":$y}]`, `walk_to {"a": {"b": [1, "}"]}}`, "a b.c:=1 b.d=x", "\x00\xff=", `a b={`, `a "`} {
		f.Add(line, uint8(9))
	}
	f.Fuzz(func(t *testing.T, line string, at uint8) {
		p, err := Parse(line)
		if err != nil {
			var of *Error
			require.True(t, errors.As(err, &of))
			require.GreaterOrEqual(t, of.At, 0)
			require.LessOrEqual(t, of.At, len(line))
		} else if input, err := p.Input(nil); err == nil {
			var s jsonwire.Scanner
			info, fault := s.Check(input)
			require.Nil(t, fault)
			require.Equal(t, jsonwire.Object, info.Kind)
			again, err := Parse(p.Tool + " " + string(jsonwire.AppendCompact(nil, input)))
			require.NoError(t, err)
			same, err := again.Input(nil)
			require.NoError(t, err)
			require.True(t, jsonwire.Equal(input, same))
		}
		if p != nil {
			_, _ = p.Input(func(string) ([]byte, error) { return []byte(`{"a":["x"]}`), nil })
		}
		from, _ := Complete(line, tools)
		require.GreaterOrEqual(t, from, 0)
		require.LessOrEqual(t, from, len(line))
		before := line[:min(int(at), len(line))]
		from, options := Complete(before, tools)
		for _, o := range options {
			Complete(before[:from]+o.Text, tools)
		}
		Missing(line, &tools[0])
	})
}

// FuzzFields holds whatever JSON as a schema: it ends, and soon.
func FuzzFields(f *testing.F) {
	f.Add(string(tools[0].InputSchema))
	f.Add(`{"allOf":[{"$ref":"#"},{"$ref":"#/allOf/0"}],"properties":{"a":{"$ref":"#/properties/a"}}}`)
	f.Fuzz(func(t *testing.T, schema string) {
		if !scanned([]byte(schema)) {
			return
		}
		tool := []message.Tool{{ID: "t", InputSchema: []byte(schema)}}
		for _, line := range []string{"t ", "t a=", "t a.", "t {", `t {"a": `, `t {"a": {`} {
			Complete(line, tool)
			Missing(line, &tool[0])
		}
	})
}
