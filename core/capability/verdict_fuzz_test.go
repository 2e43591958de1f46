package capability

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
)

// farNumber is a number that costs the other validator seconds.
var farNumber = regexp.MustCompile(`[eE][+-]?[0-9]{4}`)

// sameVerdict holds a lenient look against kaptinlin's verdict by the schema, format asserted, and a strict one against both.
func sameVerdict(t testing.TB, kaptinlin judge, doc []byte) (valid bool) {
	var scan jsonwire.Scanner
	info, bad := scan.Check(doc)
	if bad != nil || info.LoneSurrogates > 0 || info.Depth > 24 || len(doc) > 16<<10 || farNumber.Match(doc) {
		return false // not for the schema to judge, or too much for the other
	}
	lenient, strict := Validate(doc, Lenient), Validate(doc, Strict)
	require.Equal(t, strict.OK(), lenient.OK() && len(lenient.Passed) == 0, "%s", doc)
	want := kaptinlin(doc)
	if want && !lenient.OK() && !slices.ContainsFunc(lenient.Faults, func(f Fault) bool { return f.Rule != "format" || !strings.HasSuffix(f.Pointer, "/uri") }) {
		return false // kaptinlin's uri is Go's url.Parse, which takes more than RFC 3986
	}
	require.Equal(t, want, lenient.OK(), "%s\n%v", doc, lenient.Faults)
	if lenient.OK() {
		d, _, err := Decode(doc, Lenient)
		require.NoError(t, err)
		require.True(t, jsonwire.Equal(trim(doc), d.Append(nil)), "%s\n%s", doc, d.Append(nil))
	}
	return lenient.OK()
}

func FuzzVerdict(f *testing.F) {
	f.Add([]byte(full))
	for _, c := range badDocuments {
		f.Add([]byte(expand(c.doc)))
	}
	kaptinlin, err := kaptinlinJudge(formText, Draft7)
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, doc []byte) { sameVerdict(t, kaptinlin, doc) })
}

// TestVerdictsAtLength compares AICC_CAMPAIGN verdicts, or a few, over documents that are nearly right.
func TestVerdictsAtLength(t *testing.T) {
	goal := 4000
	if n, err := strconv.Atoi(os.Getenv("AICC_CAMPAIGN")); err == nil {
		goal = n
	}
	kaptinlin, err := kaptinlinJudge(formText, Draft7)
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(5, 6))
	valid := 0
	for range goal {
		doc := mutant(t, r)
		if sameVerdict(t, kaptinlin, doc) {
			valid++
		}
	}
	t.Logf("%d documents, %d of them valid", goal, valid)
	require.Greater(t, valid, goal/20)
	require.Less(t, valid, goal*19/20)
}

// pieces are values that are right somewhere, or nearly.
var pieces = []string{`null`, `true`, `false`, `0`, `-0`, `1`, `-1`, `1.0`, `1.5`, `1e2`, `0.5`, `1.0000000000000000001`, `""`, `"a"`, `"meta.a"`, `"x.b.c"`, `"a.b.c.d.e.f"`, `"1.0"`, `"01.2"`, `"USD"`, `"USDC"`,
	`"free"`, `"none"`, `"30d"`, `"ja"`, `"zh_CN"`, `"DE"`, `"` + hex64 + `"`, `"text/plain"`, `"urn:a"`, `"https://example.com/a?b#c"`, `"a b"`, `"é"`, `"a\n"`, `"\u0061"`, `{}`, `[]`, `[1]`, `["a"]`, `["a","a"]`, `["a","b"]`,
	`{"a":1}`, `{"type":"null"}`, `{"uri":"urn:a"}`, `[{"uri":"urn:b","required":true}]`, `{"currency":"EUR","model":"per_token","amount":0.1}`, `{"max_concurrent":2}`}

var names = []string{"name", "version", "description", "examples", "input_modes", "output_modes", "tags", "input_schema", "output_schema", "constraints", "quality", "pricing", "policy", "extensions", "max_input_bytes",
	"max_concurrent", "supported_languages", "self_reported_precision", "training_sources", "verified_by", "currency", "model", "amount", "max_per_session", "data_retention", "model_logs_inputs", "geo_restrictions", "uri", "params", "required", "other"}

// mutant is a full document of which a few parts are gone, replaced or new.
func mutant(t testing.TB, r *rand.Rand) []byte {
	var doc any
	d := json.NewDecoder(strings.NewReader(strings.Replace(full, `"e",""`, `"e"`, 1)))
	d.UseNumber()
	require.NoError(t, d.Decode(&doc))
	for range r.IntN(4) {
		change(r, &doc)
	}
	out, err := json.Marshal(doc)
	require.NoError(t, err)
	return out
}

func change(r *rand.Rand, at *any) {
	piece := json.RawMessage(pieces[r.IntN(len(pieces))])
	switch v := (*at).(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		switch k := r.IntN(8); {
		case k == 0:
			v[names[r.IntN(len(names))]] = piece
		case len(keys) > 0:
			name := keys[r.IntN(len(keys))]
			if k == 1 {
				delete(v, name)
				return
			}
			inner := v[name]
			change(r, &inner)
			v[name] = inner
		}
	case []any:
		switch k := r.IntN(4); {
		case k == 0 || len(v) == 0:
			*at = append(v, piece)
		case k == 1:
			*at = v[1:]
		default:
			change(r, &v[r.IntN(len(v))])
		}
	default:
		*at = piece
	}
}
