package capability

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/latency"
	"aicc.dev/libaicc/core/message"
)

func TestExportedDocument(t *testing.T) {
	tool := Tool{Tool: message.Tool{ID: "say", Class: message.Actuator, Description: "Speaks.", InputSchema: []byte(`{ "type":"object","properties":{"text":{"type":"string"}} }`),
		OutputSchema: []byte(`{"type":"object"}`), CallsPerMinute: 30, CallsPerSession: 9, RequiresCapability: "voice", StrictInput: true},
		MaxInputBytes: 1000, MaxOutputBytes: 2000, MaxConcurrent: 1, Latency: latency.Summary{Calls: 100, P50NS: 2_000_001, P95NS: 9_000_000}}
	docs, notes, err := export([]Tool{tool}, Options{World: "tavern", Tags: []string{"aicc", "night-watch"}, Pricing: &Pricing{"USD", "free", "0", ""},
		Policy: &Policy{DataRetention: "none"}, Quality: &Quality{Precision: "1"}})
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Equal(t, `{"name":"x.aicc.tavern.say","version":"1.0","description":"Speaks.","input_modes":["application/json"],"output_modes":["application/json"],"tags":["aicc","actuator","night-watch"],`+
		`"input_schema":{"type":"object","properties":{"text":{"type":"string"}}},"output_schema":{"type":"object"},`+
		`"constraints":{"max_input_bytes":1000,"max_output_bytes":2000,"p50_latency_ms":3,"p95_latency_ms":9,"max_concurrent":1},"quality":{"self_reported_precision":1},`+
		`"pricing":{"currency":"USD","model":"free","amount":0},"policy":{"data_retention":"none"},"extensions":[{"uri":"https://aicc.dev/schemas/0.1/aicc.schema.json#/$defs/tool",`+
		`"params":{"id":"say","class":"actuator","strict_input":true,"limits":{"calls_per_minute":30,"calls_per_session":9},"requires_capability":"voice"},"required":false}]}`, string(docs[0].Append(nil)))

	tool.Latency.Calls = MinCalls - 1
	docs, _, err = export([]Tool{tool}, Options{World: "tavern", Version: "2.1", Prefix: "audio.game"})
	require.NoError(t, err)
	require.Equal(t, Number(""), docs[0].Constraints.P50LatencyMS)
	require.Equal(t, "audio.game.say 2.1", docs[0].Name+" "+docs[0].Version)
	require.Nil(t, docs[0].Pricing)

	bare := Tool{Tool: message.Tool{ID: "a", Class: message.Sensor, Description: "d"}}
	docs, notes, err = export([]Tool{bare}, Options{})
	require.NoError(t, err)
	require.Equal(t, []string{"chosen: the world has no name; names say world"}, texted(notes))
	require.Nil(t, docs[0].Constraints)
	require.Equal(t, `{"type":"object","additionalProperties":false}`, string(docs[0].InputSchema))
	require.Equal(t, `{"type":"object"}`, string(docs[0].OutputSchema))
}

func TestSlug(t *testing.T) {
	for world, want := range map[string]string{
		"tavern": "tavern", "Night Watch": "night_watch", "  The -- Keep!! ": "the_keep", "": "world", "日本": "world", "Café 9": "caf_9", "a_b__c": "a_b_c", "_": "world", "7": "7", "ÀB": "b",
		strings.Repeat("a", 60): strings.Repeat("a", 48), strings.Repeat("a", 47) + " b": strings.Repeat("a", 47),
	} {
		require.Equal(t, want, Slug(world), world)
	}
	for name, want := range map[string]string{"meta.health": "meta_health", "x.1": "x_1", "_a.b": "c__a_b", "9": "c_9", "": "c_", "a." + strings.Repeat("b", 100): "a_" + strings.Repeat("b", 62)} {
		require.Equal(t, want, ToolID(name), name)
		require.True(t, message.ValidToolID(ToolID(name)), name)
	}
	// The longest of both fit into a name.
	docs, _, err := export([]Tool{{Tool: message.Tool{ID: strings.Repeat("t", 64), Class: message.Sensor, Description: "d"}}}, Options{World: strings.Repeat("w", 99)})
	require.NoError(t, err)
	require.Len(t, docs[0].Name, 120)
}

// Whatever a document cannot hold is named.
func TestLossesAreNamed(t *testing.T) {
	long := simple(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"a":{"contains":{},"minContains":0,"format":"uuid"}},"unevaluatedProperties":false}`)
	long.Description = strings.Repeat("é", 2049)
	docs, notes, err := export([]Tool{long, simple(`{}`)}, Options{World: "The Keep"})
	require.NoError(t, err)
	require.Equal(t, []string{
		`loss: the world's name "The Keep" stands in names as the_keep`,
		`loss: say/description: of 2049 code points 2048 stay`,
		`loss: say/input_schema/properties/a/contains: asks for nothing, since minContains is 0`,
		`weaker: say/input_schema/properties/a/format: uuid is not among draft-07's formats: not everyone heeds it`,
		`rewritten: say/input_schema/unevaluatedProperties: is additionalProperties there`,
		`collision: say: x.aicc.the_keep.say 1.0 is there already; this one is x.aicc.the_keep.say_2`,
	}, texted(notes))
	require.Equal(t, strings.Repeat("é", 2048), *docs[0].Description)
	require.Equal(t, "x.aicc.the_keep.say_2", docs[1].Name)

	// Another version is another capability; a name at its bound makes room for the number.
	one, two, three := simple(`{}`), simple(`{}`), simple(`{}`)
	two.Version = "1.1"
	one.Name = "x." + strings.Repeat("a", 126)
	three.Name = one.Name
	docs, notes, err = export([]Tool{one, two, three}, Options{World: "w"})
	require.NoError(t, err)
	require.Len(t, notes, 1)
	require.Equal(t, "x."+strings.Repeat("a", 124)+"_2", docs[2].Name)

	far := simple(`{}`)
	far.ID = strings.Repeat("s", 64)
	docs, notes, err = export([]Tool{far}, Options{Prefix: "x." + strings.Repeat("p", 100)})
	require.NoError(t, err)
	require.Equal(t, []string{"loss: " + far.ID + "/id: the name has 167 bytes, of which 128 stay"}, texted(notes))
	require.Len(t, docs[0].Name, 128)
}

func TestToolsThatHaveNoDocument(t *testing.T) {
	bad := func(id string, change func(*Tool)) Tool {
		tool := simple(`{"type":"object"}`)
		tool.ID = id
		change(&tool)
		return tool
	}
	tools := []Tool{
		bad("Bad", func(*Tool) {}),
		bad("none", func(t *Tool) { t.Class = 0 }),
		bad("counts", func(t *Tool) {
			t.InputSchema = []byte(`{"properties":{"a":{"contains":{},"minContains":2,"unevaluatedItems":true}}}`)
		}),
		bad("loads", func(t *Tool) { t.OutputSchema = []byte(`{"$ref":"http://h/x"}`) }),
		bad("text", func(t *Tool) { t.InputSchema = []byte(`{"type":"string"}`) }),
		bad("broken", func(t *Tool) { t.InputSchema = []byte(`{"type":`) }),
		bad("tiny", func(t *Tool) { t.MaxOutputBytes = 1 }),
		bad("fine", func(*Tool) {}),
		bad("named", func(t *Tool) { t.Name = "game.say" }),
		bad("tagged", func(t *Tool) { t.Version = "1" }),
	}
	docs, notes, err := export(tools, Options{World: "w"})
	require.Len(t, docs, 1)
	require.Empty(t, notes)
	require.EqualError(t, err, strings.Join([]string{
		`tool "Bad": (root): wanted a tool with an id ([a-z][a-z0-9_]*, at most 64 bytes) and a class; got id "Bad", class "actuator"`,
		`tool "none": (root): wanted a tool with an id ([a-z][a-z0-9_]*, at most 64 bytes) and a class; got id "none", class ""`,
		`tool "counts": schema at /input_schema/properties/a/minContains: draft-07 cannot say that contains wants more than one item (count_of_contains)`,
		`tool "loads": schema at /output_schema/$ref: $ref leads outside the schema, to "http://h/x", and nothing is fetched: put it into $defs (malformed)`,
		`tool "text": schema at /input_schema: this schema accepts no object, and inputs and outputs are objects (payload_of_no_object)`,
		`tool "broken": schema at /input_schema/type: not JSON: a value was wanted, the end of the text came (malformed)`,
		`tool "tiny": (root): wanted room for an object, the smallest of which has 2 bytes; got 1`,
		`tool "named": /name: wanted ` + rootWanted + `; got "game.say"`,
		`tool "tagged": /version: wanted a string that matches ^[0-9]+\.[0-9]+$; got "1"`,
	}, "\n"))
	var one *ToolError
	require.True(t, errors.As(err, &one))
	var why *ConvertError
	require.True(t, errors.As(err, &why))
	require.Equal(t, CannotCount, why.Name)
}

func TestReadTools(t *testing.T) {
	world, tools := guard(t)
	require.Equal(t, "night watch", world)
	require.Equal(t, "alarm", tools[4].RequiresCapability)
	world, tools, err := ReadTools([]byte(` [{"id":"a","class":"sensor","description":"d","input_schema":{},"output_schema":{}}] `))
	require.NoError(t, err)
	require.Equal(t, "", world)
	require.Equal(t, "a", tools[0].ID)
	world, _, err = ReadTools([]byte(`{"world":{"name":"W"},"tools":[]}`))
	require.NoError(t, err)
	require.Equal(t, "W", world)
	for text, want := range map[string]string{
		`{`:            "(root): wanted one JSON value; got byte 1: a member name in double quotes was wanted, the end of the text came",
		`7`:            "(root): wanted an array of tools, or an object with tools such as a session_init; got 7",
		`{"a":1}`:      `/tools: wanted an array of tools, or an object with tools such as a session_init; got {"a":1}`,
		`{"tools":1}`:  `/tools: wanted an array of tools, or an object with tools such as a session_init; got {"tools":1}`,
		`[1]`:          `/0: wanted an object; got 1`,
		`[{"id":"A"}]`: `/0/id: wanted a tool id (a letter a to z, then a to z, 0 to 9 and _); got "A"`,
		`{"tools":[{"id":"a","class":"sensor","x":1}]}`: `/tools/0/x: wanted a tool; got tool has no such member`,
	} {
		_, _, err := ReadTools([]byte(text))
		require.EqualError(t, err, want)
	}
}
