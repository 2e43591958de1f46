package capability

import (
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// chooser makes schemas and values of bytes, so that a fuzzer can look for those that convert wrong.
type chooser struct {
	data  []byte
	draft Draft
}

func (c *chooser) n(most int) int {
	if len(c.data) == 0 {
		return 0
	}
	b := c.data[0]
	c.data = c.data[1:]
	return int(b) % most
}

func (c *chooser) pick(list ...string) string { return list[c.n(len(list))] }

func (c *chooser) name() string { return c.pick("a", "b", "c", "a/b") }

var chooserNames = []string{"type", "enum", "const", "minimum", "maximum", "multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minProperties", "maxProperties", "required",
	"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "properties", "patternProperties", "additionalProperties", "propertyNames", "items", "additionalItems", "prefixItems", "contains", "minContains", "maxContains",
	"dependencies", "dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems", "$ref", "title", "format", "default", "unknown"}

func (c *chooser) schema(depth int) string {
	if depth > 3 || len(c.data) == 0 || c.n(8) == 0 {
		return c.pick("true", "false", "{}", `{"type":"string"}`, `{"type":"integer"}`, `{"type":"array"}`, `{"const":1}`)
	}
	var b strings.Builder
	seen := map[string]bool{}
	for range 1 + c.n(4) {
		word := c.pick(chooserNames...)
		if seen[word] {
			continue
		}
		if seen[word] = true; b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(word) + ":" + c.value(word, depth))
	}
	return "{" + b.String() + "}"
}

func (c *chooser) value(word string, depth int) string {
	list := func() string {
		parts := []string{c.schema(depth + 1)}
		for range c.n(3) {
			parts = append(parts, c.schema(depth+1))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	switch k := keywords[word]; {
	case word == "$ref":
		return quoted(c.pick("#/definitions/d", "#/$defs/d", "#/definitions/a~1b", "#/properties/a", "#/items", "#/items/0", "#/prefixItems/0", "#/allOf/0", "#/dependencies/a", "#/dependentSchemas/a", "#/definitions/d/properties/b", "#n", "#/additionalItems", "#/contains"))
	case word == "type":
		return c.pick(`"string"`, `"number"`, `"object"`, `"array"`, `["integer","null"]`, `["object","array"]`)
	case word == "enum":
		return c.pick(`[1,"a"]`, `[[],{}]`, `[null,true,"ab"]`)
	case word == "pattern":
		return c.pick(`"^a"`, `"b$"`)
	case word == "format":
		return c.pick(`"uuid"`, `"date"`, `"none"`)
	case word == "patternProperties":
		return `{` + c.pick(`"^a"`, `"b"`) + `:` + c.schema(depth+1) + `}`
	case word == "items" && c.draft == Draft7 && c.n(2) == 0:
		return list()
	case k.shape == shapeSchema || k.shape == shapeItems:
		return c.schema(depth + 1)
	case k.shape == shapeSchemas:
		return list()
	case k.shape == shapeDepends && c.n(2) == 0, k.shape == shapeNameMap:
		return `{` + quoted(c.name()) + `:` + c.pick(`["b"]`, `[]`, `["a","c"]`) + `}`
	case k.shape == shapeSchemaMap || k.shape == shapeDepends:
		first, second := c.name(), c.name()
		s := quoted(first) + `:` + c.schema(depth+1)
		if second != first && c.n(2) == 0 {
			s += `,` + quoted(second) + `:` + c.schema(depth+1)
		}
		return `{` + s + `}`
	case k.shape == shapeNames:
		return c.pick(`["a"]`, `["b","c"]`, `[]`)
	case k.shape == shapeBool:
		return c.pick("true", "false")
	case k.shape == shapeString:
		return `"t"`
	case k.shape == shapePositive:
		return c.pick("2", "0.5")
	}
	return c.pick("0", "1", "2", "3")
}

// root has definitions beside whatever else.
func (c *chooser) root() string {
	s := c.schema(0)
	if s[0] != '{' {
		return s
	}
	anchor := `"$anchor":"n"`
	if c.draft == Draft7 {
		anchor = `"$id":"#n"`
	}
	defs := `"definitions":{"d":` + c.schema(2) + `,"a/b":` + c.schema(2) + `},"$defs":{"d":` + c.schema(2) + `,"n":{` + anchor + `,"minimum":1}}`
	if s == "{}" {
		return "{" + defs + "}"
	}
	return s[:len(s)-1] + "," + defs + "}"
}

func (c *chooser) data0(depth int) string {
	switch k := c.n(10); {
	case k < 3 && depth < 3:
		var parts []string
		for i := range c.n(4) {
			parts = append(parts, quoted([]string{"a", "b", "c", "a/b"}[i])+":"+c.data0(depth+1))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case k < 6 && depth < 3:
		var parts []string
		for range c.n(4) {
			parts = append(parts, c.data0(depth+1))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	return c.pick("null", "true", "0", "1", "2.5", "3", `""`, `"a"`, `"ab"`, `"2020-01-01"`)
}

// sameThere converts one schema and tells how many verdicts it compared: of the schema, of what it became, and of what that became.
func sameThere(t testing.TB, data []byte, values int) (compared int) {
	c := chooser{data: data, draft: Draft2020}
	if c.n(2) == 0 {
		c.draft = Draft7
	}
	text := []byte(c.root())
	before, err := ourJudge(text, c.draft)
	there, _, failed := convert(text, c.draft)
	if err != nil || failed != nil {
		return 0
	}
	to := anyDraft &^ c.draft
	after, err := ourJudge(there, to)
	if loops(err) { // in definitions that nobody refers to, and that the draft it was read as does not look into
		return 0
	}
	require.NoError(t, err, "%s\n%s", text, there)
	back, _, err := convert(there, to)
	require.NoError(t, err, "%s\n%s", text, there)
	again, err := ourJudge(back, c.draft)
	if loops(err) {
		return 0
	}
	require.NoError(t, err, "%s\n%s\n%s", text, there, back)
	for range values {
		value := []byte(c.data0(0))
		compared++
		want := before(value)
		require.Equal(t, want, after(value), "%s\n%s\n%s", text, there, value)
		require.Equal(t, want, again(value), "%s\n%s\n%s\n%s", text, there, back, value)
	}
	return compared
}

func loops(err error) bool {
	return err != nil && strings.Contains(err.Error(), "refers to itself without consuming anything")
}

func FuzzConvert(f *testing.F) {
	r := rand.New(rand.NewPCG(8, 9))
	for i := range 60 {
		seed := make([]byte, 30+i*4)
		for k := range seed {
			seed[k] = byte(r.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) { sameThere(t, data, 6) })
}

// TestConversionsAtLength compares AICC_CAMPAIGN verdicts, or a few, over schemas that were made at random.
func TestConversionsAtLength(t *testing.T) {
	goal := 20_000
	if n, err := strconv.Atoi(os.Getenv("AICC_CAMPAIGN")); err == nil {
		goal = n
	}
	r := rand.New(rand.NewPCG(10, 11))
	data := make([]byte, 400)
	compared, schemas, made := 0, 0, 0
	for compared < goal {
		data = data[:60+r.IntN(340)]
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		made++
		if n := sameThere(t, data, 8); n > 0 {
			schemas++
			compared += n
		}
	}
	t.Logf("%d schemas made, %d convert, %d verdicts the same", made, schemas, compared)
}

// FuzzConvertText gives the converter any text: it may refuse, and what it gives has to be JSON of the other draft.
func FuzzConvertText(f *testing.F) {
	for _, c := range conversions {
		f.Add([]byte(c.text), c.from == Draft7)
	}
	f.Fuzz(func(t *testing.T, text []byte, draft7 bool) {
		from := Draft2020
		if draft7 {
			from = Draft7
		}
		out, _, err := convert(text, from)
		if err != nil {
			return
		}
		_, bad := parseSchema(out, anyDraft&^from)
		require.Nil(t, bad, "%s\n%s", text, out)
	})
}
