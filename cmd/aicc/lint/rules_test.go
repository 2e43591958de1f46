package lint

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/provider"
)

const (
	before = `{"id":"walk_to","class":"actuator","description":"Walks the guard somewhere and reports on the way.","input_schema":`
	behind = `,"output_schema":{"type":"object"}}`
)

// manifest makes a whole list of an example.
func manifest(example string) string {
	switch {
	case strings.HasPrefix(example, "["):
		return example
	case strings.HasPrefix(example, `"`):
		return "[" + before + `{"type":"object","additionalProperties":false,"properties":{` + example + `}}` + behind + "]"
	case strings.HasPrefix(example, `{"id"`), strings.HasPrefix(example, `{"name"`), strings.HasPrefix(example, `{"world"`):
		return example
	}
	return "[" + before + example + behind + "]"
}

func found(t *testing.T, text string) []Finding {
	t.Helper()
	source, fault := provider.Read([]byte(text))
	require.Nil(t, fault, text)
	return Check([]byte(text), source, nil)
}

func ids(findings []Finding) (list []string) {
	for _, f := range findings {
		list = append(list, f.Rule)
	}
	return list
}

func repeat(n int, form string) string {
	var list []string
	for i := range n {
		list = append(list, strings.ReplaceAll(form, "%", strconv.Itoa(i)))
	}
	return strings.Join(list, ",")
}

func nest(n int) string {
	text := `{"enum":["a","b"],"description":"the innermost"}`
	for range n {
		text = `{"type":"object","description":"a level","additionalProperties":false,"properties":{"in":` + text + `}}`
	}
	return text
}

const numbered = `{"id":"tool%","class":"actuator","description":"Does thing % of many.","input_schema":{"type":"object"}}`

// large are the examples that are too large to be shown.
var large = map[string][2]string{
	"too-many-tools": {"[" + repeat(129, numbered) + "]", "[" + repeat(128, numbered) + "]"},
	"many-tools":     {"[" + repeat(21, numbered) + "]", "[" + repeat(20, numbered) + "]"},
	"too-deep":       {nest(11), nest(10)},
	"too-many-properties": {`"all":{"type":"object","description":"everything","additionalProperties":false,"properties":{` + repeat(1000, `"`+strings.Repeat("p", 120)+`%":{"type":"boolean","description":"one of all"}`) + `}}`,
		`"all":{"type":"object","description":"everything","additionalProperties":false,"properties":{` + repeat(1000, `"`+strings.Repeat("p", 110)+`%":{"type":"boolean","description":"one of all"}`) + `}}`},
	"too-many-values": {`"item":{"description":"one of all","enum":[` + repeat(1001, `"v%"`) + `]}`, `"item":{"description":"one of all","enum":[` + repeat(1000, `"v%"`) + `]}`},
	"long-description": {`{"id":"look","class":"sensor","description":"` + strings.Repeat("word ", 204) + `words","input_schema":{"type":"object"}}`,
		`{"id":"look","class":"sensor","description":"` + strings.Repeat("word ", 204) + `word","input_schema":{"type":"object"}}`},
	"large-list": {"[" + repeat(20, `{"id":"tool%","class":"sensor","description":"Does thing %.","input_schema":{"type":"object","x-pad":"`+strings.Repeat("p", 3300)+`"}}`) + "]",
		"[" + repeat(20, `{"id":"tool%","class":"sensor","description":"Does thing %.","input_schema":{"type":"object","x-pad":"`+strings.Repeat("p", 3100)+`"}}`) + "]"},
	"many-parameters": {repeat(21, `"p%":{"type":"boolean","description":"one of all"}`), repeat(20, `"p%":{"type":"boolean","description":"one of all"}`)},
	"capability-not-held": {`{"world":{"name":"yard"},"capabilities":{"sensors":[],"actuators":["walk"],"generators":[]},"tools":[{"id":"ring","class":"actuator","description":"Rings the alarm bell.","input_schema":{"type":"object"},"requires_capability":"alarm"}]}`,
		`{"world":{"name":"yard"},"capabilities":{"sensors":["alarm"],"actuators":["walk"],"generators":[]},"tools":[{"id":"ring","class":"actuator","description":"Rings the alarm bell.","input_schema":{"type":"object"},"requires_capability":"alarm"}]}`},
}

// Each rule finds its bad example, and nothing else does; the good one, which is next to it, is found by no rule at all.
func TestRulesFindTheirExamples(t *testing.T) {
	alsoFound := map[string][]string{ // what is wrong in more than one way
		"too-many-tools":      {"many-tools"},
		"too-many-properties": {"large-list"},
	}
	for _, r := range rules {
		t.Run(r.ID, func(t *testing.T) {
			bad, good := r.Bad, r.Good
			if pair, ok := large[r.ID]; ok {
				require.Empty(t, bad)
				bad, good = pair[0], pair[1]
			}
			require.NotEmpty(t, bad)
			got := ids(found(t, manifest(bad)))
			require.Contains(t, got, r.ID)
			for _, id := range got {
				require.Contains(t, append(alsoFound[r.ID], r.ID), id)
			}
			got = ids(found(t, manifest(good)))
			got = slices.DeleteFunc(got, func(id string) bool { return slices.Contains(alsoFound[r.ID], id) })
			require.Empty(t, got)
		})
	}
}

func TestRulesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rules {
		require.Regexp(t, `^[a-z]+(-[a-z]+)*$`, r.ID)
		require.False(t, seen[r.ID], r.ID)
		seen[r.ID] = true
		require.NotEmpty(t, r.Short, r.ID)
		require.NotEmpty(t, r.Why, r.ID)
		require.NotEmpty(t, r.Fix, r.ID)
	}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	var code strings.Builder
	for _, name := range files {
		if name != "rules.go" && !strings.HasSuffix(name, "_test.go") {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			code.Write(text)
		}
	}
	for id := range seen {
		require.Contains(t, code.String(), fmt.Sprintf("say(%q", id), "a rule that nothing looks for")
	}
}
