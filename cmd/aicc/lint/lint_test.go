package lint

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/provider"
)

var update = flag.Bool("update", false, "write docs/lint.md anew")

// The words and the places of findings, where they depend on what is found.
func TestFindings(t *testing.T) {
	for _, c := range []struct{ example, want string }{
		{`"a":{"type":"string","maxlength":3,"description":"some text"}`, "unbounded-string /0/input_schema a: text of any length\nmisspelt-keyword /0/input_schema/properties/a/maxlength \"maxlength\" means nothing in JSON Schema: maxLength is meant"},
		{`"a":{"type":"integer","minimun":3,"description":"how many"}`, `misspelt-keyword /0/input_schema/properties/a/minimun "minimun" means nothing in JSON Schema: minimum is meant`},
		{`"a":{"type":"string","maxLength":9,"optional":true,"description":"some text"}`, `misspelt-keyword /0/input_schema/properties/a/optional "optional" means nothing in JSON Schema: required (of the object around it, without this name) is meant`},
		{`"a":{"type":"integer","nullable":true,"description":"how many"}`, `misspelt-keyword /0/input_schema/properties/a/nullable "nullable" means nothing in JSON Schema: "type":["...","null"] is meant`},
		{`{"type":"object","additionalProperties":false,"place":{"type":"string","description":"where to"}}`, `misspelt-keyword /0/input_schema/place "place" means nothing in JSON Schema: is it a member? Those stand in "properties"`},
		{`"a":{"type":"integer","description":"how many","then":{},"else":{}}`, "idle-keyword /0/input_schema/properties/a/then then means nothing without if\nidle-keyword /0/input_schema/properties/a/else else means nothing without if"},
		{`"a":{"type":["integer","boolean"],"description":"how many","pattern":"a"}`, `idle-keyword /0/input_schema/properties/a/pattern pattern is about values of the type string, this one is integer or boolean`},
		{`"in":{"type":"object","additionalProperties":false,"description":"a thing","properties":{"kind":{"enum":[1]},"b":{"type":"array","description":"up to two","maxItems":2,"items":{"type":"object","additionalProperties":false,"properties":{"c":{"enum":[2]}}}}}}`,
			`parameter-undocumented /0/input_schema in.kind, in.b[].c: no description`},
		{`"position":{"type":"object","additionalProperties":false,"description":"where, in metres","properties":{"x":{"type":"number"},"y":{"type":"number"}}}`, ``},
		{`"a":{"$ref":"#/$defs/kind"}},"$defs":{"kind":{"enum":["a","b"],"description":"which of the two"}`, ``},
		{`"tilt":{"type":"number","description":"how far to lean, as an angle"},"angle":{"type":"number","description":"how far to turn","minimum":-1,"maximum":1},"turn_angle_deg":{"type":"number","description":"how far to turn"}`, ``},
		{`"wait_time":{"type":"integer","description":"until the next one"}`, `unit-missing /0/input_schema/properties/wait_time wait_time: in what unit?`},
		{`"path":{"type":"array","maxItems":3,"description":"where to go","items":{"type":"array","description":"one place","items":{"type":"integer"}}}`, `unbounded-array /0/input_schema/properties/path/items path[] may be of any length`},
		{`"a":{"description":"which","enum":["ab","a_b","Ab"]}`, `enum-alike /0/input_schema/properties/a/enum "ab" and "a_b" differ in capitals or _ only`},
		{`"a":{"type":"string","format":"date","description":"which day","examples":["2026-01-01","soon"]}`, `default-refused /0/input_schema/properties/a/examples/1 the example "soon" does not fit its own schema`},
		{`"a":{"$ref":"#/$defs/kind","description":"which","default":"c"}},"$defs":{"kind":{"enum":["a","b"]}`, `default-refused /0/input_schema/properties/a/default the default "c" does not fit its own schema`},
		{`"a":{"type":"string","maxLength":3,"description":"name` + "\u202e" + `"}`, `hidden-text /0/input_schema/properties/a/description there is an invisible character, U+202E, at byte 4`},
		{`"a":{"description":"which","anyOf":[{"enum":["a","b"]},{"type":"null"}]}`, `optional-null /0/input_schema/properties/a a may be left out, and may be null: what is the difference?`},
		{`[{"id":"","class":"sensor","description":"TODO: write","input_schema":{"type":"object"}}]`, "bad-id /0/id \"\" is no tool id of the protocol: small letters, digits and _, a letter first, at most 64 bytes\n" +
			"name-refused /0/id \"\" is refused as a function's name by openai (OpenAI API reference, chat completions, tools), anthropic (Anthropic documentation, Define tools), gemini (Gemini API reference, FunctionDeclaration), mcp (Model Context Protocol 2025-11-25, server/tools)\n" +
			"useless-description /0/description \"TODO: write\" is a placeholder"},
		{`{"name":"a.b","description":"Does this and that.","inputSchema":{"type":"object"}}`, `name-refused /name "a.b" is refused as a function's name by openai (OpenAI API reference, chat completions, tools), anthropic (Anthropic documentation, Define tools), gemini (Gemini API reference, FunctionDeclaration)`},
		{`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"integer","descripton":"how many"}}}`, "parameter-undocumented /0/input_schema a: no description\nmisspelt-keyword /0/input_schema/properties/a/descripton \"descripton\" means nothing in JSON Schema: description is meant"},
		{`{"$ref":"#/$defs/in","$defs":{"in":{"type":"object"}}}`, "root-not-object /0/input_schema the root of the input: it is a $ref\nfree-form-object /0/input_schema/$defs/in definition in is an object, with what members is not said"},
		{`"a":{"type":"integer","description":"how many","minimum":5,"maximum":4,"minLength":1}`, "empty-range /0/input_schema/properties/a/minimum minimum 5 is over maximum 4: nothing fits\nidle-keyword /0/input_schema/properties/a/minLength minLength is about values of the type string, this one is integer"},
		{`"no_wait":{"type":"boolean","description":"go on at once"},"is_not_locked":{"type":"boolean","description":"whether it opens"},"node":{"type":"boolean","description":"whether it is one"}`,
			"negative-boolean /0/input_schema/properties/no_wait no_wait is true when something is not\nnegative-boolean /0/input_schema/properties/is_not_locked is_not_locked is true when something is not"},
	} {
		var got []string
		text := manifest(c.example)
		for _, f := range found(t, text) {
			got = append(got, f.Rule+" "+f.Pointer+" "+f.Text)
			require.Equal(t, 1, f.Line)
			r, ok := Find(f.Rule)
			require.True(t, ok)
			require.Equal(t, r.Fix, f.Fix)
			require.Equal(t, r.Severity, f.Severity)
		}
		require.Equal(t, c.want, strings.Join(got, "\n"), c.example)
	}
}

func TestPlacesAreThoseOfEditors(t *testing.T) {
	text := "{\n  \"tools\": [\n    {\"id\": \"go\", \"description\": \"Geht über die Brücke.\", \"input_schema\": {\n      \"type\": \"object\", \"properties\": {},\n      \"reqired\": []}}\n  ]\n}\n"
	got := found(t, text)
	require.Len(t, got, 2)
	require.Equal(t, Finding{"open-object", Note, "go", 3, 74, "/tools/0/input_schema", "the input: other members are taken, and ignored", got[0].Fix}, got[0])
	require.Equal(t, Finding{"misspelt-keyword", Error, "go", 5, 7, "/tools/0/input_schema/reqired", `"reqired" means nothing in JSON Schema: required is meant`, got[1].Fix}, got[1])
}

func TestDisabledRulesAreSilent(t *testing.T) {
	text := []byte(manifest(`"a":{"type":"array","items":{"type":"string"}}`))
	source, fault := provider.Read(text)
	require.Nil(t, fault)
	require.Equal(t, []string{"parameter-undocumented", "unbounded-string", "unbounded-array"}, ids(Check(text, source, nil)))
	require.Equal(t, []string{"unbounded-string"}, ids(Check(text, source, []string{"unbounded-array", "parameter-undocumented"})))
}

// What the rules find in lists that others have published: enough to be worth a look, and not a word for each line. A change of a rule shows here.
func TestPublishedLists(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "..", "shared", "data", "tools")
	names, err := filepath.Glob(filepath.Join(folder, "*.json"))
	require.NoError(t, err)
	if len(names) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s: the tool lists that this test reads are not here", folder)
		}
		t.Skipf("TestPublishedLists: %s is not here", folder)
	}
	var got strings.Builder
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		source, fault := provider.Read(text)
		require.Nil(t, fault, name)
		var count [Error + 1]int
		for _, f := range Check(text, source, nil) {
			count[f.Severity]++
		}
		fmt.Fprintf(&got, "%s: %d tools, %d errors, %d warnings, %d notes\n", strings.TrimSuffix(filepath.Base(name), ".json"), len(source.Tools), count[Error], count[Warning], count[Note])
	}
	require.Equal(t, strings.TrimPrefix(`
mcp_tool-with-array-output-schema: 1 tools, 1 errors, 0 warnings, 1 notes
mcp_tool-with-composition-input-schema: 1 tools, 1 errors, 0 warnings, 1 notes
mcp_with-default-2020-12-input-schema: 1 tools, 0 errors, 1 warnings, 1 notes
mcp_with-explicit-draft-07-input-schema: 1 tools, 0 errors, 1 warnings, 1 notes
mcp_with-no-parameters: 1 tools, 0 errors, 0 warnings, 0 notes
mcp_with-output-schema-for-structured-content: 1 tools, 0 errors, 0 warnings, 2 notes
mcpserver_official-everything: 11 tools, 0 errors, 0 warnings, 3 notes
mcpserver_official-filesystem: 14 tools, 0 errors, 16 warnings, 27 notes
mcpserver_official-memory: 9 tools, 0 errors, 17 warnings, 17 notes
mcpserver_thirdparty-playwright: 22 tools, 0 errors, 9 warnings, 15 notes
unity_toolManifest: 108 tools, 1 errors, 73 warnings, 188 notes
`, "\n"), got.String())
}

// A manifest made to cost: the time is bounded by its size.
func TestHostileManifestsEnd(t *testing.T) {
	for name, text := range map[string]string{
		"many errors": "[" + repeat(30000, `{"id":"%"}`) + "]",
		"wide enum":   manifest(`"a":{"enum":[` + repeat(20000, `"v%"`) + `]}`),
		"wide object": "[" + before + `{"properties":{` + repeat(4000, `"p%":{"defautl":[{}]}`) + `}}` + behind + "]",
		"ref chain":   manifest(`{"$defs":{` + repeat(3000, `"d%":{"$ref":"#/$defs/d%0"}`) + `},"properties":{` + repeat(3000, `"p%":{"$ref":"#/$defs/d%"}`) + `}}`),
		"defaults":    manifest(`{"$defs":{"big":{"enum":[` + repeat(5000, `"v%"`) + `]}},"properties":{` + repeat(400, `"p%":{"$ref":"#/$defs/big","default":"w"}`) + `}}`),
	} {
		start := time.Now()
		n := len(found(t, text))
		require.LessOrEqual(t, n, 3*mostFindings, "of each severity so many")
		require.Less(t, time.Since(start), 20*time.Second, name)
		t.Logf("%s: %d bytes, %d findings, %s", name, len(text), n, time.Since(start).Round(time.Millisecond))
	}
}

// However many warnings there are, an error is among the findings.
func TestErrorsAreNotCrowdedOut(t *testing.T) {
	n := 0
	for _, one := range found(t, "["+repeat(20000, `{"id":"t%","description":"d"}`)+"]") {
		if one.Rule == "too-many-tools" {
			n++
		}
	}
	require.Equal(t, 1, n)
}

func FuzzCheck(f *testing.F) {
	for _, r := range rules {
		if r.Bad != "" {
			f.Add([]byte(manifest(r.Bad)))
			f.Add([]byte(manifest(r.Good)))
		}
	}
	f.Add([]byte(`{"manifest_update":{"tools":[{"name":"a","inputSchema":{"items":[{"$ref":"#"}],"$schema":"http://json-schema.org/draft-07/schema#"}}]}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		source, fault := provider.Read(text)
		if fault != nil {
			return
		}
		a, b := Check(text, source, nil), Check(text, source, nil)
		require.Equal(t, a, b)
		for _, one := range a {
			r, ok := Find(one.Rule)
			require.True(t, ok)
			require.Equal(t, r.Severity, one.Severity)
			require.True(t, one.Line >= 1 && one.Line <= bytes.Count(text, []byte("\n"))+1 && one.Column >= 1)
		}
	})
}

// docs/lint.md is made of the rules.
func TestDocumentation(t *testing.T) {
	file := filepath.Join("..", "..", "..", "docs", "lint.md")
	if *update {
		require.NoError(t, os.WriteFile(file, document(), 0o644))
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(document()), string(text), "docs/lint.md is not what the rules say: go test ./cmd/aicc/lint -run Documentation -update")
}

func document() []byte {
	var b bytes.Buffer
	b.WriteString(head)
	b.WriteString("\n| rule | severity | what is found |\n| --- | --- | --- |\n")
	for _, r := range rules {
		fmt.Fprintf(&b, "| [%s](#%s) | %s | %s |\n", r.ID, r.ID, r.Severity, r.Short)
	}
	part := Severity(0)
	for _, r := range rules {
		if r.Severity != part {
			part = r.Severity
			fmt.Fprintf(&b, "\n## %s\n\n%s\n", map[Severity]string{Error: "Errors", Warning: "Warnings", Note: "Notes"}[part], map[Severity]string{
				Error:   "A bridge or a provider refuses it, or a rule that the schema's author has written does not hold. The status is 1.",
				Warning: "Models get it wrong, or a provider takes it only after a rewriting that loses something. With `--strict` the status is 1.",
				Note:    "Good to know, and often meant. Told with `--notes`."}[part])
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s. %s\n\nWhat to do: %s.\n", r.ID, strings.ToUpper(r.Short[:1])+r.Short[1:], r.Why, r.Fix)
		if r.Bad != "" {
			fmt.Fprintf(&b, "\nFound:\n\n```json\n%s\n```\n\nNot found:\n\n```json\n%s\n```\n", indented(r.Bad), indented(r.Good))
		}
	}
	return b.Bytes()
}

// indented shows an example on as few lines as it fits, a parameter without braces around it, and what cannot be seen as an escape.
func indented(example string) string {
	bare := strings.HasPrefix(example, `"`)
	if bare {
		example = "{" + example + "}"
	}
	lines := live.Pretty([]byte(example), 150)
	if !bare {
		return strings.Join(lines, "\n")
	}
	if len(lines) == 1 {
		return strings.TrimSuffix(strings.TrimPrefix(lines[0], "{"), "}")
	}
	lines = lines[1 : len(lines)-1]
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], "  ")
	}
	return strings.Join(lines, "\n")
}

const head = `# What ` + "`aicc lint`" + ` looks for

A manifest is read by two kinds of readers that complain late or not at all: providers, which refuse a whole request for one word in it, and models, which
guess where nothing is said. ` + "`aicc lint`" + ` reads it before they do.

<!-- not run: there is no such file, and a game has to run -->
` + "```sh" + `
aicc lint session_init.json               # a file: a session_init, a manifest, an array of tools, what an MCP server lists
aicc lint 127.0.0.1:4100                  # a running game
aicc lint --strict --disable many-tools session_init.json
aicc lint --explain root-union
` + "```" + `

Findings come as ` + "`FILE:LINE:COLUMN: SEVERITY: TOOL: TEXT [RULE]`" + `, with ` + "`--json`" + ` as one JSON value, to a terminal in columns. The status is 1 when there is an
error, or with ` + "`--strict`" + ` a warning. Input schemas are read as a model reads them; output schemas are read for what a bridge refuses and for words that mean
nothing.

Providers' limits are those of their public documentation and error messages in November 2026, named with each rule; ` + "`aicc export`" + ` writes lists that keep
within them, and says what they lose. This page is made of the rules' own words by a test.
`
