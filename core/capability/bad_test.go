package capability

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
)

// What a document breaks: the rules for JSON text, the schema, or only the schema's prose.
type breach int

const (
	breaksText breach = iota
	breaksForm
	breaksWords
)

const rootWanted = "a name that begins with meta, translate, vision, verify, compute, text, audio, data, payment, observe, summarize, code, research, coordinate, " +
	"or with x and a level below it"

func TestBadDocuments(t *testing.T) {
	kaptinlin, err := kaptinlinJudge(formText, Draft7)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(badDocuments), 60)
	for _, c := range badDocuments {
		doc := []byte(expand(c.doc))
		want := strings.ReplaceAll(c.want, "{ROOT}", rootWanted)
		v := Validate(doc, Strict)
		require.Error(t, v.Err(), c.doc)
		require.Equal(t, want, v.Err().Error(), c.doc)
		d, _, err := Decode(doc, Strict)
		require.Nil(t, d)
		require.EqualError(t, err, want)

		// A lenient look lets through what is only said in words, and says so.
		v = Validate(doc, Lenient)
		require.Equal(t, c.breaks == breaksWords, v.OK(), c.doc)
		if c.breaks == breaksWords {
			require.Equal(t, want, (&Error{Faults: v.Passed}).Error(), c.doc)
			_, notes, err := Decode(doc, Lenient)
			require.NoError(t, err)
			require.Len(t, notes, len(v.Passed))
			require.Equal(t, "lenient: "+v.Passed[0].Pointer+": wanted "+v.Passed[0].Want+"; got "+v.Passed[0].Got, notes[0].String())
		} else if c.breaks == breaksForm {
			require.Equal(t, want, v.Err().Error(), c.doc)
		}
		if c.breaks != breaksText {
			require.Equal(t, c.breaks == breaksWords, kaptinlin(doc), c.doc)
		}
	}
}

// What stands right at a bound is good, and is for the schema.
func TestGoodDocuments(t *testing.T) {
	kaptinlin, err := kaptinlinJudge(formText, Draft7)
	require.NoError(t, err)
	for _, c := range []string{
		`{~}`, ` {~}` + "\n", full,
		`{"name":"x.a.b.c.d.e","version":"0.0"}`, `{"name":"meta","version":"10.203"}`, `{"name":"meta.‹a×123›","version":"1.0"}`, `{"name":"audio._","version":"1.0"}`,
		`{"name":"meta.a","version":"1‹0×200›.9"}`,
		`{~,"description":"‹é×2048›"}`, `{~,"description":""}`, `{~,"examples":["‹\ud83d\ude00×256›"]}`, `{~,"examples":["a"‹,"a"×15›]}`, `{~,"examples":[]}`,
		`{~,"input_modes":["*/*","image/*","application/vnd.a+json;v=1"]}`, `{~,"output_modes":["a/‹b×126›"]}`, `{~,"tags":["‹a×32›","a-1-b"]}`,
		`{~,"input_schema":{},"output_schema":{"type":"null"}}`, `{~,"input_schema":{"$ref":"#/x","type":7}}`, `{~,"input_schema":{"prefixItems":"means nothing"}}`,
		`{~,"constraints":{}}`, `{~,"constraints":{"max_concurrent":1.0,"max_input_bytes":-0,"p50_latency_ms":1e2,"max_output_bytes":1e30}}`,
		`{~,"constraints":{"supported_languages":["ja","tok","zh_CN","gsw_CH"]}}`, `{~,"quality":{"self_reported_precision":1,"self_reported_recall":0.0}}`,
		`{~,"pricing":{"currency":"SAT","model":"subscription","amount":1e-400}}`, `{~,"policy":{}}`, `{~,"extensions":[]}`,
		`{~,"extensions":[{"uri":"http://x/‹a×503›","description":"‹é×512›"}]}`, `{~,"extensions":[{"uri":"urn:a","params": { "a" : "‹a×4088›" } }]}`,
		`{~,"extensions":[{"uri":"urn:a","params":{"deep":{"name":1,"":[null]}}},{"uri":"urn:a"}]}`,
	} {
		doc := []byte(expand(strings.ReplaceAll(c, `"e",""`, `"e"`)))
		v := Validate(doc, Strict)
		require.NoError(t, v.Err(), c)
		require.Empty(t, v.Passed)
		require.True(t, kaptinlin(doc), c)
		d, notes, err := Decode(doc, Strict)
		require.NoError(t, err)
		require.Empty(t, notes)
		out := d.Append(nil)
		require.True(t, jsonwire.Equal(trim(doc), out), "%s\n%s", c, out)
		again, _, err := Decode(out, Strict)
		require.NoError(t, err)
		require.Equal(t, d, again)
	}
}

// badDocuments are documents, what they break, and all that is said of it.
var badDocuments = []struct {
	breaks breach
	doc    string
	want   string
}{
	{breaksForm, `[]`,
		`(root): wanted an object with "name" and "version"; got []`},
	{breaksForm, `null`,
		`(root): wanted an object with "name" and "version"; got null`},
	{breaksText, `{"name":"meta.a"`,
		`/name: wanted one JSON value; got byte 16 (/name): ',' or '}' was wanted, the end of the text came`},
	{breaksText, `{"name":"meta.a","name":"meta.b","version":"1.0"}`,
		`/name: wanted one JSON value; got byte 17 (/name): duplicate member`},
	{breaksText, `{~} {}`,
		`(root): wanted one JSON value; got byte 34: one value was wanted, '{' came behind it`},
	{breaksForm, `{}`,
		`/name: wanted a string that matches ^[a-z0-9_]+(\.[a-z0-9_]+){0,5}$, required; got nothing
/version: wanted a string that matches ^[0-9]+\.[0-9]+$, required; got nothing`},
	{breaksForm, `{"name":"meta.a"}`,
		`/version: wanted a string that matches ^[0-9]+\.[0-9]+$, required; got nothing`},
	{breaksForm, `{"version":"1.0"}`,
		`/name: wanted a string that matches ^[a-z0-9_]+(\.[a-z0-9_]+){0,5}$, required; got nothing`},
	{breaksForm, `{"name":7,"version":"1.0"}`,
		`/name: wanted a string that matches ^[a-z0-9_]+(\.[a-z0-9_]+){0,5}$; got 7`},
	{breaksForm, `{"name":"","version":"1.0"}`,
		`/name: wanted a string that matches ^[a-z0-9_]+(\.[a-z0-9_]+){0,5}$; got ""`},
	{breaksForm, `{"name":"Meta.a","version":"1.0"}`,
		`/name: wanted a string that matches ^[a-z0-9_]+(\.[a-z0-9_]+){0,5}$; got "Meta.a"`},
	{breaksForm, `{"name":"meta.a-b","version":"1.0"}`,
		`/name: wanted a string that matches ^[a-z0-9_]+(\.[a-z0-9_]+){0,5}$; got "meta.a-b"`},
	{breaksForm, `{"name":"meta..a","version":"1.0"}`,
		`/name: wanted a string that matches ^[a-z0-9_]+(\.[a-z0-9_]+){0,5}$; got "meta..a"`},
	{breaksForm, `{"name":"meta.a.","version":"1.0"}`,
		`/name: wanted a string that matches ^[a-z0-9_]+(\.[a-z0-9_]+){0,5}$; got "meta.a."`},
	{breaksForm, `{"name":".meta","version":"1.0"}`,
		`/name: wanted a string that matches ^[a-z0-9_]+(\.[a-z0-9_]+){0,5}$; got ".meta"`},
	{breaksForm, `{"name":"meta.a\n","version":"1.0"}`,
		`/name: wanted a string that matches ^[a-z0-9_]+(\.[a-z0-9_]+){0,5}$; got "meta.a\n"`},
	{breaksForm, `{"name":"meta.é","version":"1.0"}`,
		`/name: wanted a string that matches ^[a-z0-9_]+(\.[a-z0-9_]+){0,5}$; got "meta.é"`},
	{breaksForm, `{"name":"meta.b.c.d.e.f.g","version":"1.0"}`,
		`/name: wanted a string that matches ^[a-z0-9_]+(\.[a-z0-9_]+){0,5}$; got "meta.b.c.d.e.f.g"`},
	{breaksForm, `{"name":"meta.‹a×124›","version":"1.0"}`,
		`/name: wanted a string of at most 128 characters; got "meta.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...`},
	{breaksWords, `{"name":"game.say","version":"1.0"}`,
		`/name: wanted {ROOT}; got "game.say"`},
	{breaksWords, `{"name":"metaa.b","version":"1.0"}`,
		`/name: wanted {ROOT}; got "metaa.b"`},
	{breaksWords, `{"name":"x","version":"1.0"}`,
		`/name: wanted {ROOT}; got "x"`},
	{breaksWords, `{"name":"x_.a","version":"1.0"}`,
		`/name: wanted {ROOT}; got "x_.a"`},
	{breaksForm, `{"name":"meta.a","version":1.0}`,
		`/version: wanted a string that matches ^[0-9]+\.[0-9]+$; got 1.0`},
	{breaksForm, `{"name":"meta.a","version":"1"}`,
		`/version: wanted a string that matches ^[0-9]+\.[0-9]+$; got "1"`},
	{breaksForm, `{"name":"meta.a","version":"1.0.0"}`,
		`/version: wanted a string that matches ^[0-9]+\.[0-9]+$; got "1.0.0"`},
	{breaksForm, `{"name":"meta.a","version":"1.0\n"}`,
		`/version: wanted a string that matches ^[0-9]+\.[0-9]+$; got "1.0\n"`},
	{breaksForm, `{"name":"meta.a","version":"v1.0"}`,
		`/version: wanted a string that matches ^[0-9]+\.[0-9]+$; got "v1.0"`},
	{breaksForm, `{"name":"meta.a","version":"1.٠"}`,
		`/version: wanted a string that matches ^[0-9]+\.[0-9]+$; got "1.٠"`},
	{breaksWords, `{"name":"meta.a","version":"01.0"}`,
		`/version: wanted two numbers without leading zeros, MAJOR.MINOR; got "01.0"`},
	{breaksWords, `{"name":"meta.a","version":"1.00"}`,
		`/version: wanted two numbers without leading zeros, MAJOR.MINOR; got "1.00"`},
	{breaksForm, `{~,"summary":"x"}`,
		`/summary: wanted no member of this name (known: "name", "version", "description", "examples", "input_modes", "output_modes", "tags", "input_schema", "output_schema", "constraints", "quality", "pricing" and 2 others); got "x"`},
	{breaksForm, `{~,"Name":"meta.a"}`,
		`/Name: wanted no member of this name (did you mean "name"?); got "meta.a"`},
	{breaksForm, `{~,"description":null}`,
		`/description: wanted a string (at most 2048 characters); got null`},
	{breaksForm, `{~,"description":"‹é×2049›"}`,
		`/description: wanted a string of at most 2048 characters; got "éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé...`},
	{breaksForm, `{~,"examples":"hi"}`,
		`/examples: wanted an array, each item a string (at least 1 character, at most 256 characters); got "hi"`},
	{breaksForm, `{~,"examples":["a",""]}`,
		`/examples/1: wanted a string of at least 1 character; got ""`},
	{breaksForm, `{~,"examples":["‹é×257›"]}`,
		`/examples/0: wanted a string of at most 256 characters; got "éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé...`},
	{breaksForm, `{~,"examples":["a"‹,"a"×16›]}`,
		`/examples: wanted at most 16 items; got ["a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a","a"]`},
	{breaksForm, `{~,"input_modes":["text/plain","text/plain"]}`,
		`/input_modes: wanted items that differ: item 1 equals item 0; got ["text/plain","text/plain"]`},
	{breaksForm, `{~,"input_modes":["a/‹b×127›"]}`,
		`/input_modes/0: wanted a string of at most 128 characters; got "a/bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb...`},
	{breaksForm, `{~,"output_modes":["a/0","a/1","a/2","a/3","a/4","a/5","a/6","a/7","a/8","a/9","a/10","a/11","a/12","a/13","a/14","a/15","a/16"]}`,
		`/output_modes: wanted at most 16 items; got ["a/0","a/1","a/2","a/3","a/4","a/5","a/6","a/7","a/8","a/9","a/10","a/11","a...`},
	{breaksWords, `{~,"output_modes":["text"]}`,
		`/output_modes/0: wanted a MIME type such as text/plain; got "text"`},
	{breaksWords, `{~,"input_modes":["text/plain","te xt/plain",""]}`,
		`/input_modes/1: wanted a MIME type such as text/plain; got "te xt/plain"
/input_modes/2: wanted a MIME type such as text/plain; got ""`},
	{breaksForm, `{~,"tags":["Night"]}`,
		`/tags/0: wanted a string that matches ^[a-z0-9-]+$; got "Night"`},
	{breaksForm, `{~,"tags":["a_b"]}`,
		`/tags/0: wanted a string that matches ^[a-z0-9-]+$; got "a_b"`},
	{breaksForm, `{~,"tags":["‹a×33›"]}`,
		`/tags/0: wanted a string of at most 32 characters; got "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"`},
	{breaksForm, `{~,"tags":["a","b","a"]}`,
		`/tags: wanted items that differ: item 2 equals item 0; got ["a","b","a"]`},
	{breaksForm, `{~,"tags":["a0","a1","a2","a3","a4","a5","a6","a7","a8","a9","a10","a11","a12"]}`,
		`/tags: wanted at most 12 items; got ["a0","a1","a2","a3","a4","a5","a6","a7","a8","a9","a10","a11","a12"]`},
	{breaksWords, `{~,"tags":["-a","a--b","c-"]}`,
		`/tags/0: wanted a tag in kebab-case, such as night-watch; got "-a"
/tags/1: wanted a tag in kebab-case, such as night-watch; got "a--b"
/tags/2: wanted a tag in kebab-case, such as night-watch; got "c-"`},
	{breaksForm, `{~,"tags":["night\n"]}`,
		`/tags/0: wanted a string that matches ^[a-z0-9-]+$; got "night\n"`},
	{breaksForm, `{~,"input_schema":true}`,
		`/input_schema: wanted an object; got true`},
	{breaksForm, `{~,"output_schema":[{"type":"object"}]}`,
		`/output_schema: wanted an object; got [{"type":"object"}]`},
	{breaksWords, `{~,"input_schema":{"type":"strin"}}`,
		`/input_schema/type: wanted a JSON Schema of draft-07; got type must be a type's name or an array of different ones, not "strin"`},
	{breaksWords, `{~,"input_schema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}}`,
		`/input_schema/$schema: wanted a JSON Schema of draft-07; got $schema "https://json-schema.org/draft/2020-12/schema" is not draft-07`},
	{breaksWords, `{~,"output_schema":{"properties":{"a":{"required":true}}}}`,
		`/output_schema/properties/a/required: wanted a JSON Schema of draft-07; got required must be an array of different names, not true`},
	{breaksWords, `{~,"output_schema":{"properties":{"a/b":{"items":[{"minLength":-1}]}}}}`,
		`/output_schema/properties/a~1b/items/0/minLength: wanted a JSON Schema of draft-07; got minLength must be an integer of at least 0, not -1`},
	{breaksForm, `{~,"constraints":{"max_input_bytes":-1}}`,
		`/constraints/max_input_bytes: wanted a number of at least 0; got -1`},
	{breaksForm, `{~,"constraints":{"max_output_bytes":1.5}}`,
		`/constraints/max_output_bytes: wanted an integer (at least 0); got 1.5`},
	{breaksForm, `{~,"constraints":{"p50_latency_ms":"20"}}`,
		`/constraints/p50_latency_ms: wanted an integer (at least 0); got "20"`},
	{breaksForm, `{~,"constraints":{"p95_latency_ms":null,"min_context_size":-0.5}}`,
		`/constraints/min_context_size: wanted an integer (at least 0); got -0.5
/constraints/p95_latency_ms: wanted an integer (at least 0); got null`},
	{breaksForm, `{~,"constraints":{"max_concurrent":0}}`,
		`/constraints/max_concurrent: wanted a number of at least 1; got 0`},
	{breaksForm, `{~,"constraints":{"max_inputs":1}}`,
		`/constraints/max_inputs: wanted no member of this name (known: "max_input_bytes", "max_output_bytes", "p50_latency_ms", "p95_latency_ms", "min_context_size", "max_concurrent" and "supported_languages"); got 1`},
	{breaksForm, `{~,"constraints":{"supported_languages":["ja","JA","ja-JP","jpn_J","ja"]}}`,
		`/constraints/supported_languages: wanted items that differ: item 4 equals item 0; got ["ja","JA","ja-JP","jpn_J","ja"]
/constraints/supported_languages/1: wanted a string that matches ^[a-z]{2,3}(_[A-Z]{2})?$; got "JA"
/constraints/supported_languages/2: wanted a string that matches ^[a-z]{2,3}(_[A-Z]{2})?$; got "ja-JP"
/constraints/supported_languages/3: wanted a string that matches ^[a-z]{2,3}(_[A-Z]{2})?$; got "jpn_J"`},
	{breaksForm, `{~,"quality":{"self_reported_precision":1.01}}`,
		`/quality/self_reported_precision: wanted a number of at most 1; got 1.01`},
	{breaksForm, `{~,"quality":{"self_reported_recall":-0.1,"self_reported_hallucination_rate":true}}`,
		`/quality/self_reported_hallucination_rate: wanted a number (at least 0, at most 1); got true
/quality/self_reported_recall: wanted a number of at least 0; got -0.1`},
	{breaksForm, `{~,"quality":{"training_sources":[1]}}`,
		`/quality/training_sources/0: wanted a string; got 1`},
	{breaksForm, `{~,"quality":{"verified_by":["0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"]}}`,
		`/quality/verified_by/0: wanted a string that matches ^[0-9a-f]{64}$; got "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"`},
	{breaksForm, `{~,"quality":{"verified_by":["0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdeF"]}}`,
		`/quality/verified_by/0: wanted a string that matches ^[0-9a-f]{64}$; got "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdeF"`},
	{breaksForm, `{~,"quality":{"precision":1}}`,
		`/quality/precision: wanted no member of this name (known: "self_reported_precision", "self_reported_recall", "self_reported_hallucination_rate", "training_sources" and "verified_by"); got 1`},
	{breaksForm, `{~,"pricing":{}}`,
		`/pricing/amount: wanted a number (at least 0), required; got nothing
/pricing/currency: wanted a string that matches ^[A-Z]{3,4}$, required; got nothing
/pricing/model: wanted one of "free", "per_request", "per_token", "per_second" or "subscription", required; got nothing`},
	{breaksForm, `{~,"pricing":{"currency":"USD","model":"free"}}`,
		`/pricing/amount: wanted a number (at least 0), required; got nothing`},
	{breaksForm, `{~,"pricing":{"currency":"usd","model":"free","amount":0}}`,
		`/pricing/currency: wanted a string that matches ^[A-Z]{3,4}$; got "usd"`},
	{breaksWords, `{~,"pricing":{"currency":"DOGE","model":"free","amount":0}}`,
		`/pricing/currency: wanted an ISO 4217 code, or BTC, ETH, USDC, SOL or SAT; got "DOGE"`},
	{breaksForm, `{~,"pricing":{"currency":"USD","model":"per_call","amount":0}}`,
		`/pricing/model: wanted one of "free", "per_request", "per_token", "per_second" or "subscription"; got "per_call"`},
	{breaksForm, `{~,"pricing":{"currency":"USD","model":"free","amount":-0.001}}`,
		`/pricing/amount: wanted a number of at least 0; got -0.001`},
	{breaksForm, `{~,"pricing":{"currency":"USD","model":"free","amount":0,"max_per_session":"1"}}`,
		`/pricing/max_per_session: wanted a number (at least 0); got "1"`},
	{breaksForm, `{~,"policy":{"data_retention":"1y"}}`,
		`/policy/data_retention: wanted one of "none", "ephemeral_24h", "30d" or "indefinite"; got "1y"`},
	{breaksForm, `{~,"policy":{"model_logs_inputs":"no"}}`,
		`/policy/model_logs_inputs: wanted a boolean; got "no"`},
	{breaksForm, `{~,"policy":{"geo_restrictions":["de","DEU"]}}`,
		`/policy/geo_restrictions/0: wanted a string that matches ^[A-Z]{2}$; got "de"
/policy/geo_restrictions/1: wanted a string that matches ^[A-Z]{2}$; got "DEU"`},
	{breaksForm, `{~,"policy":{"logs":true}}`,
		`/policy/logs: wanted no member of this name (known: "data_retention", "model_logs_inputs" and "geo_restrictions"); got true`},
	{breaksForm, `{~,"extensions":{}}`,
		`/extensions: wanted an array, each item an object with "uri"; got {}`},
	{breaksForm, `{~,"extensions":[{}]}`,
		`/extensions/0/uri: wanted a string (a URI such as https://example.com/x), required; got nothing`},
	{breaksForm, `{~,"extensions":[{"uri":""}]}`,
		`/extensions/0/uri: wanted a string that is a URI such as https://example.com/x; got ""
/extensions/0/uri: wanted a string of at least 1 character; got ""`},
	{breaksForm, `{~,"extensions":[{"uri":"not a uri"}]}`,
		`/extensions/0/uri: wanted a string that is a URI such as https://example.com/x; got "not a uri"`},
	{breaksForm, `{~,"extensions":[{"uri":"/relative"}]}`,
		`/extensions/0/uri: wanted a string that is a URI such as https://example.com/x; got "/relative"`},
	{breaksForm, `{~,"extensions":[{"uri":"http://x/‹a×504›"}]}`,
		`/extensions/0/uri: wanted a string of at most 512 characters; got "http://x/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...`},
	{breaksForm, `{~,"extensions":[{"uri":"urn:a","params":[]}]}`,
		`/extensions/0/params: wanted an object; got []`},
	{breaksWords, `{~,"extensions":[{"uri":"urn:a","params":{"a":"‹a×4089›"}}]}`,
		`/extensions/0/params: wanted params of at most 4096 bytes without white space; got 4097 bytes`},
	{breaksForm, `{~,"extensions":[{"uri":"urn:a","required":"yes"}]}`,
		`/extensions/0/required: wanted a boolean; got "yes"`},
	{breaksForm, `{~,"extensions":[{"uri":"urn:a","required":true,"url":"urn:a"}]}`,
		`/extensions/0/url: wanted no member of this name (did you mean "uri"?); got "urn:a"`},
	{breaksForm, `{~,"extensions":[{"uri":"urn:a"}‹,{"uri":"urn:a"}×16›]}`,
		`/extensions: wanted at most 16 items; got [{"uri":"urn:a"},{"uri":"urn:a"},{"uri":"urn:a"},{"uri":"urn:a"},{"uri":"urn:...`},
	{breaksForm, `{~,"extensions":[{"uri":"urn:a","description":"‹é×513›"}]}`,
		`/extensions/0/description: wanted a string of at most 512 characters; got "éééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééééé...`},
}
