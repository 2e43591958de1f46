package capability

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func find(docs []*Document, q Query) string {
	var list []string
	for _, m := range Find(docs, q) {
		list = append(list, m.Document.Name+" "+m.Document.Version)
	}
	return strings.Join(list, ", ")
}

func matchDocs(t testing.TB) []*Document {
	var docs []*Document
	for _, text := range []string{
		`{"name":"translate","version":"1.0"}`,
		`{"name":"translate.en_ja","version":"1.2","tags":["fast","text"],"input_modes":["Text/Plain; charset=utf-8"],"output_modes":["text/*"],"constraints":{"p50_latency_ms":50,"p95_latency_ms":500,"supported_languages":["ja","en_GB"]},"pricing":{"currency":"USD","model":"per_request","amount":0.5}}`,
		`{"name":"translate.en_ja","version":"1.10","tags":["text"],"constraints":{"p95_latency_ms":90,"supported_languages":["ja_JP"]},"pricing":{"currency":"USD","model":"per_request","amount":0.25}}`,
		`{"name":"translate.en_ja","version":"2.0","constraints":{"p95_latency_ms":1e2},"pricing":{"currency":"EUR","model":"per_token","amount":0.001}}`,
		`{"name":"translate.fr","version":"1.0","pricing":{"currency":"JPY","model":"free","amount":0},"extensions":[{"uri":"urn:pay"}]}`,
		`{"name":"translatex.fr","version":"1.0"}`,
	} {
		d, _, err := Decode([]byte(text), Lenient)
		require.NoError(t, err)
		docs = append(docs, d)
	}
	return docs
}

func TestFind(t *testing.T) {
	docs := matchDocs(t)
	const a, b, c = "translate.en_ja 1.2", "translate.en_ja 1.10", "translate.en_ja 2.0"
	for _, q := range []struct {
		q    Query
		want string
	}{
		{Query{}, "translate.fr 1.0, " + b + ", " + c + ", " + a + ", translate 1.0, translatex.fr 1.0"},
		{Query{Name: "translate.en_ja"}, b + ", " + c + ", " + a},
		{Query{Prefix: "translate"}, "translate 1.0, translate.fr 1.0, " + b + ", " + c + ", " + a},
		{Query{Prefix: "translate.en"}, ""},
		{Query{Prefix: "translate", Limit: 2}, "translate 1.0, translate.fr 1.0"},
		{Query{Name: "translate.en_ja", Version: "1.2"}, b + ", " + a},
		{Query{Name: "translate.en_ja", Version: "1.3"}, b},
		{Query{Name: "translate.en_ja", Version: "1.11"}, ""},
		{Query{Name: "translate.en_ja", Version: "2.0"}, c},
		{Query{Version: "3.0"}, ""}, {Query{Version: "1"}, ""}, {Query{Version: "1.x"}, ""},
		{Query{Tags: []string{"text"}}, b + ", " + a},
		{Query{Tags: []string{"text", "fast"}}, a},
		{Query{InputModes: []string{"text/plain"}}, a},
		{Query{OutputModes: []string{"TEXT/html;q=1"}}, a},
		{Query{OutputModes: []string{"image/png"}}, ""},
		{Query{Languages: []string{"ja"}}, b + ", " + a},
		{Query{Languages: []string{"ja_JP"}}, b},
		{Query{Languages: []string{"ja", "en"}}, a},
		{Query{Languages: []string{"j"}}, ""},
		{Query{MaxPrice: &Price{}}, "translate.fr 1.0"},
		{Query{MaxPrice: &Price{Currency: "USD", Amount: 0.5}}, "translate.fr 1.0, " + b + ", " + a},
		{Query{MaxPrice: &Price{Currency: "USD", Amount: 0.49}}, "translate.fr 1.0, " + b},
		{Query{MaxPrice: &Price{Currency: "EUR", Model: "per_request", Amount: 9}}, "translate.fr 1.0"},
		{Query{MaxPrice: &Price{Currency: "EUR", Model: "per_token", Amount: 9}}, "translate.fr 1.0, " + c},
		{Query{MaxP50MS: 50}, a}, {Query{MaxP50MS: 49}, ""},
		{Query{MaxP95MS: 100}, b + ", " + c},
		{Query{Extension: "urn:pay"}, "translate.fr 1.0"},
	} {
		require.Equal(t, q.want, find(docs, q.q), "%+v", q.q)
	}
	require.Equal(t, []Match{}, Find(nil, Query{}))
	require.Equal(t, 4, Find(docs, Query{Extension: "urn:pay"})[0].Index)
}

// Prices rank where they can be compared: in one currency, by one model.
func TestFindRanksPrices(t *testing.T) {
	dear, cheap := *matchDocs(t)[1], *matchDocs(t)[1]
	dear.Name, cheap.Name = "translate.a", "translate.b"
	cheap.Pricing = &Pricing{"USD", "per_request", "0.1", ""}
	docs := []*Document{&dear, &cheap}
	require.Equal(t, "translate.a 1.2, translate.b 1.2", find(docs, Query{}))
	require.Equal(t, "translate.b 1.2, translate.a 1.2", find(docs, Query{MaxPrice: &Price{"USD", "per_request", 1}}))
}

// The order in which documents come does not matter, but for those that are alike.
func TestFindIsStable(t *testing.T) {
	docs := matchDocs(t)
	want := find(docs, Query{})
	r := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		r.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		require.Equal(t, want, find(docs, Query{}))
	}
	twins := []*Document{{Name: "meta.a", Version: "1.0"}, {Name: "meta.a", Version: "1.0", Tags: []string{"b"}}}
	found := Find(twins, Query{})
	require.Equal(t, []int{0, 1}, []int{found[0].Index, found[1].Index})
}
