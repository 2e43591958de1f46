package capability

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
)

func TestSchemaIsTheOneThatIsPublished(t *testing.T) {
	require.Equal(t, string(contents(t, shared(t, "spec", "anp2.cap.v1.json"))), string(formText))
}

// What others have published is valid, is read and is written with nothing lost.
func TestPublishedDocuments(t *testing.T) {
	for name, text := range published(t) {
		for _, how := range []Strictness{Strict, Lenient} {
			v := Validate(text, how)
			require.NoError(t, v.Err(), name)
			require.Empty(t, v.Passed, name)
		}
		d, notes, err := Decode(text, Strict)
		require.NoError(t, err, name)
		require.Empty(t, notes)
		out, err := d.Encode(Strict)
		require.NoError(t, err, name)
		equalJSON(t, text, out, name)
		require.Equal(t, d, d.clone(), name)
	}
	d, _, err := Decode(published(t)["verify.translation.v1.json"], Strict)
	require.NoError(t, err)
	require.Equal(t, Number("0.50"), d.Pricing.MaxPerSession, "as it was written")
	require.Equal(t, []string{"ja", "en", "zh_CN", "ko"}, d.Constraints.SupportedLanguages)
	require.Equal(t, "translate.en_es", must(Decode(published(t)["translate.ja_en.v1.json"], Strict)).Name, "not what its file is called")
}

func must(d *Document, _ []Note, err error) *Document {
	if err != nil {
		panic(err)
	}
	return d
}

// full has every field that the schema has.
const full = `{"name":"x.a.b.c.d.e","version":"0.10","description":"d","examples":["e",""],"input_modes":["text/plain; charset=utf-8"],"output_modes":[],"tags":["a-b"],` +
	`"input_schema":{"type":"null"},"output_schema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"},` +
	`"constraints":{"max_input_bytes":0,"max_output_bytes":1e3,"p50_latency_ms":1.0,"p95_latency_ms":2,"min_context_size":123456789012345678901234567890,"max_concurrent":1,"supported_languages":["ja","pt_BR"]},` +
	`"quality":{"self_reported_precision":1.0,"self_reported_recall":0,"self_reported_hallucination_rate":0.250,"training_sources":[],"verified_by":["` + hex64 + `"]},` +
	`"pricing":{"currency":"USDC","model":"per_token","amount":0.0000001,"max_per_session":0},"policy":{"data_retention":"30d","model_logs_inputs":false,"geo_restrictions":["DE"]},` +
	`"extensions":[{"uri":"https://example.com/x","description":"","params":{"a":[1,{"b":null}]},"required":true},{"uri":"urn:y"}]}`

const hex64 = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestEveryFieldIsKept(t *testing.T) {
	text := strings.Replace(full, `"e",""`, `"e"`, 1)
	d, _, err := Decode([]byte(text), Strict)
	require.NoError(t, err)
	require.Equal(t, text, string(d.Append(nil)))
	yes, no, empty, words := true, false, "", "d"
	require.Equal(t, &Document{Name: "x.a.b.c.d.e", Version: "0.10", Description: &words, Examples: []string{"e"}, InputModes: []string{"text/plain; charset=utf-8"},
		OutputModes: []string{}, Tags: []string{"a-b"}, InputSchema: []byte(`{"type":"null"}`), OutputSchema: []byte(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`),
		Constraints: &Constraints{"0", "1e3", "1.0", "2", "123456789012345678901234567890", "1", []string{"ja", "pt_BR"}},
		Quality:     &Quality{"1.0", "0", "0.250", []string{}, []string{hex64}},
		Pricing:     &Pricing{"USDC", "per_token", "0.0000001", "0"}, Policy: &Policy{"30d", &no, []string{"DE"}},
		Extensions: []Extension{{"https://example.com/x", &empty, []byte(`{"a":[1,{"b":null}]}`), &yes}, {URI: "urn:y"}}}, d)

	// Each field that the schema has is in the document above.
	for _, part := range []string{"", "/properties/constraints", "/properties/quality", "/properties/pricing", "/properties/policy", "/properties/extensions/items"} {
		v := formText
		for _, token := range strings.Split(part, "/")[1:] {
			v, _ = jsonwire.Lookup(trim(v), token)
		}
		properties, ok := jsonwire.Lookup(trim(v), "properties")
		require.True(t, ok, part)
		members(properties, func(name string, _ []byte) { require.Contains(t, text, `"`+name+`":`) })
	}
}

func TestEncodeRefusesWhatHostsMakeWrong(t *testing.T) {
	bad := func(d Document) string {
		_, err := d.Encode(Strict)
		require.Error(t, err)
		return err.Error()
	}
	require.Equal(t, `/name: wanted a string that matches ^[a-z0-9_]+(\.[a-z0-9_]+){0,5}$; got ""`+"\n"+`/version: wanted a string that matches ^[0-9]+\.[0-9]+$; got ""`, bad(Document{}))
	require.Equal(t, `/input_schema: wanted one JSON value; got byte 48 (/input_schema): a value was wanted, 'n' came`, bad(Document{Name: "meta.a", Version: "1.0", InputSchema: []byte("nonsense")}))
	require.Equal(t, `/pricing/amount: wanted a number (at least 0), required; got nothing`, bad(Document{Name: "meta.a", Version: "1.0", Pricing: &Pricing{Currency: "USD", Model: "free"}}))
}

func TestNumbers(t *testing.T) {
	for n, want := range map[Number]int64{"0": 0, "3.0": 3, "1e3": 1000, "-2": -2, "1e400": 1<<63 - 1, "-1e400": -1 << 63} {
		got, ok := n.Int()
		require.True(t, ok, n)
		require.Equal(t, want, got, n)
	}
	for _, n := range []Number{"", "1.5", "x", "null"} {
		_, ok := n.Int()
		require.False(t, ok, n)
	}
	f, ok := Number("0.0005").Float()
	require.True(t, ok)
	require.Equal(t, 0.0005, f)
	_, ok = Number("").Float()
	require.False(t, ok)
	require.Equal(t, Number("0.5"), Float(0.5))
	require.Equal(t, Number("-7"), Int(-7))
}

// Whatever the text, the work is in proportion to it: each of these megabytes takes a part of a second, and would take minutes by squares.
func TestLargeTextsEnd(t *testing.T) {
	many := func(n int, member string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(`,"m` + strconv.Itoa(i) + `":` + member)
		}
		return b.String()[1:]
	}
	for _, schema := range []string{
		`{` + many(60_000, `1`) + `}`, `{"$ref":"#/x",` + many(60_000, `1`) + `}`, `{"definitions":{` + many(40_000, `{}`) + `},"$defs":{` + many(25_000, `{}`) + `}}`,
		`{"dependencies":{` + many(50_000, `[]`) + `}}`, `{"properties":{` + many(30_000, `{"$ref":"#"}`) + `}}`, `{"required":["a"` + strings.Repeat(`,"b"`, 200_000) + `]}`,
	} {
		began := time.Now()
		text := []byte(`{"name":"meta.a","version":"1.0","input_schema":` + schema + `}`)
		_ = Validate(text, Strict)
		_, _, _ = Import(text, ImportOptions{Strictness: Lenient})
		_, _, _ = ToDraft7([]byte(schema))
		_, _, _ = export([]Tool{simple(schema)}, Options{World: "w"})
		require.Less(t, time.Since(began), 20*time.Second, schema[:40])
	}
	deep := strings.Repeat(`{"not":`, 1000) + `{}` + strings.Repeat(`}`, 1000)
	v := Validate([]byte(`{"name":"meta.a","version":"1.0","input_schema":`+deep+`}`), Lenient)
	require.ErrorContains(t, v.Err(), "more than 64 arrays and objects inside each other")
}

func TestLoneSurrogatesAreReported(t *testing.T) {
	d, notes, err := Decode([]byte(`{"name":"meta.a","version":"1.0","description":"a\ud800b"}`), Strict)
	require.NoError(t, err)
	require.Equal(t, "a\uFFFDb", *d.Description)
	require.Equal(t, []string{"loss: 1 lone surrogates in its escapes are U+FFFD"}, texted(notes))
}
