package capability

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/latency"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

func TestImportOfWhatOthersPublish(t *testing.T) {
	for _, c := range []struct {
		file, id, input string
		bounds          [3]int64
		notes           []string
	}{
		{"meta.health.v1.json", "meta_health", `{"type":"object","maxProperties":0}`, [3]int64{0, 16384, 100}, nil},
		{"translate.ja_en.v1.json", "translate_en_es", ``, [3]int64{16384, 16384, 32}, nil},
		{"verify.translation.v1.json", "verify_translation", ``, [3]int64{16384, 16384, 16}, nil},
		{"vision.ocr.document.japanese.v1.json", "vision_ocr_document_japanese", ``, [3]int64{5242880, 524288, 10}, nil},
	} {
		text := published(t)[c.file]
		tool, notes, err := Import(text, ImportOptions{})
		require.NoError(t, err, c.file)
		require.Equal(t, c.id, tool.ID)
		require.Equal(t, message.Generator, tool.Class)
		require.Equal(t, []string{"chosen: " + c.id + "/name: the tool's id is " + c.id, "chosen: " + c.id + ": the tool is a generator, which the document does not say"}, texted(notes))
		require.Equal(t, c.bounds, [3]int64{tool.MaxInputBytes, tool.MaxOutputBytes, tool.MaxConcurrent})
		if c.input != "" {
			require.Equal(t, c.input, string(tool.InputSchema))
		}
		for role, text := range map[schema.Role][]byte{schema.Input: tool.InputSchema, schema.Output: tool.OutputSchema} {
			_, err := schema.Compile(text, schema.Options{Role: role})
			require.NoError(t, err, c.file)
		}
		docs, notes, err := export([]Tool{*tool}, Options{World: "not asked"})
		require.NoError(t, err)
		require.NotContains(t, strings.Join(texted(notes), "\n"), c.id)
		equalJSON(t, text, docs[0].Append(nil), c.file)
	}
}

// What a tool has no place for rides along, whatever else changes.
func TestWhatHasNoHomeRidesAlong(t *testing.T) {
	text := strings.Replace(strings.Replace(full, `"e",""`, `"e"`, 1), `"required":true`, `"required":false`, 1)
	tool, notes, err := Import([]byte(text), ImportOptions{})
	require.NoError(t, err)
	require.Len(t, notes, 2)
	docs, _, err := export([]Tool{*tool}, Options{World: "w", Version: "9.9", Pricing: &Pricing{"EUR", "free", "1", ""}})
	require.NoError(t, err)
	require.Equal(t, text, string(docs[0].Append(nil)))

	// Each field of a tool changes its own place and no other.
	for _, c := range []struct {
		change   func(*Tool)
		from, to string
	}{
		{func(t *Tool) { t.Description = "other" }, `"description":"d"`, `"description":"other"`},
		{func(t *Tool) { t.InputSchema = []byte(`{"type":"object"}`) }, `"input_schema":{"type":"null"}`, `"input_schema":{"type":"object"}`},
		{func(t *Tool) { t.MaxOutputBytes = 7 }, `"max_output_bytes":1e3`, `"max_output_bytes":7`},
		{func(t *Tool) { t.MaxOutputBytes = 0 }, `"max_output_bytes":1e3,`, ``},
		{func(t *Tool) { t.MaxInputBytes = 7 }, `"max_input_bytes":0`, `"max_input_bytes":7`},
		{func(t *Tool) { t.MaxConcurrent = 2 }, `"max_concurrent":1`, `"max_concurrent":2`},
		{func(t *Tool) { t.Latency = latency.Summary{Calls: 99, P50NS: 1, P95NS: 1} }, `x`, `x`},
		{func(t *Tool) { t.Latency = latency.Summary{Calls: 100, P50NS: 1, P95NS: 1} }, `"p50_latency_ms":1.0,"p95_latency_ms":2`, `"p50_latency_ms":1,"p95_latency_ms":1`},
		{func(t *Tool) { t.Name, t.Version = "x.new", "3.0" }, `"name":"x.a.b.c.d.e","version":"0.10"`, `"name":"x.new","version":"3.0"`},
		{func(t *Tool) { t.ID = "other" }, `{"uri":"urn:y"}`, `{"uri":"urn:y"},{"uri":"` + ToolExtension + `","params":{"id":"other","class":"generator"},"required":false}`},
	} {
		changed := *tool
		c.change(&changed)
		docs, notes, err := export([]Tool{changed}, Options{World: "w"})
		require.NoError(t, err)
		require.Empty(t, notes)
		want := strings.Replace(text, c.from, c.to, 1)
		require.Equal(t, want, string(docs[0].Append(nil)))
		require.Equal(t, text, string(tool.Origin.Append(nil)), "Origin is left alone")
	}

	// What others put beside our params stays, and so does a breach that was let in.
	own := `{"name":"game.say","version":"01.0","description":"d","input_schema":{"type":"object"},"output_schema":{"type":"object"},"extensions":[{"uri":"` + ToolExtension +
		`","description":"e","params":{"theirs":[1],"id":"say","class":"sensor"},"required":true}]}`
	tool, notes, err = Import([]byte(own), ImportOptions{Strictness: Lenient})
	require.NoError(t, err)
	require.Len(t, notes, 2)
	tool.StrictInput = true
	docs, notes, err = export([]Tool{*tool}, Options{World: "w"})
	require.NoError(t, err)
	require.Equal(t, []string{`lenient: say: /name: wanted ` + rootWanted + `; got "game.say"`, `lenient: say: /version: wanted two numbers without leading zeros, MAJOR.MINOR; got "01.0"`}, texted(notes))
	require.Equal(t, strings.Replace(own, `{"theirs":[1],"id":"say","class":"sensor"}`, `{"id":"say","class":"sensor","strict_input":true,"theirs":[1]}`, 1), string(docs[0].Append(nil)))
}

func TestImportChoices(t *testing.T) {
	text := []byte(`{"name":"x.1.b","version":"1.0","tags":["sensor"]}`)
	tool, notes, err := Import(text, ImportOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"chosen: x_1_b/name: the tool's id is x_1_b", "chosen: x_1_b: the tool is a sensor, which the document does not say",
		"chosen: x_1_b/description: there is none; the name stands for it", "chosen: x_1_b/input_schema: there is none; any object will do",
		"chosen: x_1_b/output_schema: there is none; any object will do"}, texted(notes))
	require.Equal(t, message.Tool{ID: "x_1_b", Class: message.Sensor, Description: "x.1.b", InputSchema: []byte(anyOutput), OutputSchema: []byte(anyOutput)}, tool.Tool)
	docs, _, err := export([]Tool{*tool}, Options{World: "w"})
	require.NoError(t, err)
	require.Equal(t, string(text), string(docs[0].Append(nil)))

	tool, notes, err = Import(text, ImportOptions{ID: "mine", Class: message.Actuator})
	require.NoError(t, err)
	require.Equal(t, "mine", tool.ID)
	require.Equal(t, message.Actuator, tool.Class)
	require.Len(t, notes, 4)

	tool, notes, err = Import([]byte(`{"name":"x.`+strings.Repeat("a", 100)+`","version":"1.0"}`), ImportOptions{})
	require.NoError(t, err)
	require.Len(t, tool.ID, 64)
	require.Equal(t, "the id keeps 64 bytes of it", notes[1].Text)
}

func TestImportRefuses(t *testing.T) {
	ours := func(params string) string {
		return `{~,"extensions":[{"uri":"` + ToolExtension + `","params":` + params + `}]}`
	}
	for _, c := range []struct{ doc, want string }{
		{`{~,"version2":1}`, `/version2: wanted no member of this name (did you mean "version"?); got 1`},
		{`{~,"extensions":[{"uri":"urn:a","required":false},{"uri":"urn:pay","required":true}]}`, `/extensions/1/uri: wanted no extension that is required and not known here; got "urn:pay"`},
		{ours(`{}`), `/extensions/0/params: wanted an object with id and class; got {}`},
		{ours(`{"id":"A","class":"robot","strict_input":1,"limits":{"calls_per_minute":0,"per_day":1},"requires_capability":""}`),
			"/extensions/0/params/class: wanted one of sensor, actuator, generator; got \"robot\"\n" +
				"/extensions/0/params/id: wanted a tool's id ([a-z][a-z0-9_]*, at most 64 bytes); got \"A\"\n" +
				"/extensions/0/params/limits/calls_per_minute: wanted an integer of at least 1; got 0\n" +
				"/extensions/0/params/limits/per_day: wanted calls_per_minute and calls_per_session only; got \"per_day\"\n" +
				"/extensions/0/params/requires_capability: wanted a capability's name; got \"\"\n" +
				"/extensions/0/params/strict_input: wanted a boolean; got 1"},
		{ours(`{"id":"a","class":"sensor","limits":5,"input_dialect":"draft-03"}`),
			"/extensions/0/params/input_dialect: wanted \"https://json-schema.org/draft/2020-12/schema\"; got \"draft-03\"\n/extensions/0/params/limits: wanted an object; got 5"},
		{strings.Replace(ours(`{"id":"a","class":"sensor"}`), `}}]`, `}},{"uri":"`+ToolExtension+`"}]`, 1), `/extensions/1: wanted one extension that says what tool it is; got a second one`},
		{`{~,"input_schema":{"type":"string"}}`, `/input_schema: wanted a schema that a tool can have; got this schema accepts no object, and inputs and outputs are objects (payload_of_no_object)`},
		{`{~,"input_schema":{"type":"null","enum":[null]}}`, `/input_schema/enum: wanted a schema that a tool can have; got enum beside the type null: there is no object that means the same (null_payload)`},
		{`{~,"output_schema":{"properties":{"a":{"pattern":"(?=a)"}}}}`,
			`/output_schema/properties/a/pattern: wanted a schema that a tool can have; got pattern "(?=a)" cannot be used here: it looks ahead or behind, which needs backtracking (malformed)`},
		{`{~,"input_schema":{"$ref":"http://h/x"}}`, `/input_schema/$ref: wanted a schema that a tool can have; got $ref "http://h/x" leads outside the schema, and nothing is fetched (remote_reference)`},
		{`{~,"input_schema":{},"constraints":{"max_input_bytes":1,"max_output_bytes":0}}`,
			"/constraints/max_input_bytes: wanted room for an object, the smallest of which has 2 bytes; got 1\n/constraints/max_output_bytes: wanted room for an object, the smallest of which has 2 bytes; got 0"},
	} {
		tool, _, err := Import([]byte(expand(c.doc)), ImportOptions{})
		require.Nil(t, tool)
		require.EqualError(t, err, c.want)
	}
	_, _, err := Import([]byte(expand(`{~}`)), ImportOptions{ID: "Bad"})
	require.EqualError(t, err, `(root): wanted a tool's id ([a-z][a-z0-9_]*, at most 64 bytes); got "Bad"`)
	_, _, err = Import([]byte(expand(`{~,"extensions":[{"uri":"urn:pay","required":true}]}`)), ImportOptions{Extensions: []string{"urn:pay"}})
	require.NoError(t, err)
}

// {"type":"null"} becomes an object that may hold nothing, and goes back as null; so does a tool's own such object.
func TestNullPayloads(t *testing.T) {
	for _, c := range []struct{ doc, tool, back string }{
		{`{"type":"null"}`, `{"type":"object","maxProperties":0}`, `{"type":"null"}`},
		{`{"description":"d","type":["null"],"title":"t"}`, `{"description":"d","type":"object","maxProperties":0,"title":"t"}`, `{"description":"d","type":"null","title":"t"}`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"null"}`, `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","maxProperties":0}`,
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"null"}`},
	} {
		doc := expand(`{~,"description":"d","input_schema":` + c.doc + `,"output_schema":` + c.doc + `,"constraints":{"max_input_bytes":0,"max_output_bytes":0}}`)
		tool, _, err := Import([]byte(doc), ImportOptions{})
		require.NoError(t, err)
		require.Equal(t, c.tool, string(tool.InputSchema))
		require.Equal(t, c.tool, string(tool.OutputSchema))
		require.Zero(t, tool.MaxInputBytes)
		docs, _, err := export([]Tool{*tool}, Options{World: "w"})
		require.NoError(t, err)
		require.Equal(t, doc, string(docs[0].Append(nil)))
		tool.Origin = nil
		docs, notes, err := export([]Tool{*tool}, Options{World: "w"})
		require.NoError(t, err)
		require.Empty(t, notes)
		require.Equal(t, c.back, string(docs[0].InputSchema))
		require.Nil(t, docs[0].InputModes)
	}
	for _, s := range []string{`{"type":"object","maxProperties":1}`, `{"type":"object","maxProperties":0,"properties":{}}`, `{"maxProperties":0}`, `true`, `{"type":["object"],"maxProperties":0}`} {
		require.Nil(t, toNullPayload([]byte(s)), s)
	}
}

func TestImportAll(t *testing.T) {
	parts, err := Split([]byte(`{"capabilities":[{"name":"meta.a_b","version":"1.0"},{"name":"meta.a.b","version":"1.0"},{"name":"meta.a.b","version":"2.0"}]}`))
	require.NoError(t, err)
	tools, notes, err := ImportAll(parts, ImportOptions{})
	require.NoError(t, err)
	require.Equal(t, []string{"meta_a_b", "meta_a_b_2", "meta_a_b_3"}, []string{tools[0].ID, tools[1].ID, tools[2].ID})
	require.Contains(t, texted(notes), "collision: meta_a_b/capabilities/1: there is a tool of this id already; this one is meta_a_b_2")
	parts[2].Text = []byte(`{}`)
	_, _, err = ImportAll(parts, ImportOptions{})
	require.ErrorContains(t, err, "/capabilities/2/name: wanted")
}

func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		` {"name":"a"} `: {""}, `[]`: {}, `[{},7]`: {"/0", "/1"}, `{"capabilities":[{}]}`: {"/capabilities/0"}, `{"content":"{\"capabilities\":[1]}"}`: {"/content/capabilities/0"},
	} {
		parts, err := Split([]byte(text))
		require.NoError(t, err, text)
		require.Len(t, parts, len(want), text)
		for i, p := range parts {
			require.Equal(t, want[i], p.Pointer)
		}
	}
	for text, want := range map[string]string{
		`x`: "(root): wanted one JSON value; got byte 0: a value was wanted, 'x' came", `7`: "(root): wanted a document, an array of documents, an object with capabilities, or an event; got 7",
		`{"capabilities":{}}`: "/capabilities: wanted a document, an array of documents, an object with capabilities, or an event; got {}",
		`{"content":"["}`:     "/content/0: wanted one JSON value; got byte 1 (/0): a value was wanted, the end of the text came",
	} {
		_, err := Split([]byte(text))
		require.EqualError(t, err, want)
	}
	docs, notes, err := DecodeAll([]byte(`[{"name":"game.a","version":"1.0"}]`), Lenient)
	require.NoError(t, err)
	require.Len(t, docs, 1)
	require.Equal(t, "/0/name", notes[0].Pointer)
	_, _, err = DecodeAll([]byte(`[{"name":"game.a","version":"1.0"}]`), Strict)
	require.EqualError(t, err, "/0/name: wanted "+rootWanted+`; got "game.a"`)
}
