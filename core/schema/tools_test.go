package schema

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// toolSchema is one schema of a tool definition that somebody else wrote.
type toolSchema struct {
	name   string
	text   json.RawMessage
	parsed map[string]any
}

func toolSchemas(t testing.TB) []toolSchema {
	files, err := filepath.Glob(filepath.Join(dataDir(t, "tools"), "*.json"))
	require.NoError(t, err)
	sort.Strings(files)
	var out []toolSchema
	for _, file := range files {
		body, err := os.ReadFile(file)
		require.NoError(t, err)
		var tools []struct {
			Name                      string
			InputSchema, OutputSchema json.RawMessage
		}
		if json.Unmarshal(body, &tools) != nil {
			tools = append(tools[:0], tools[0:0]...)
			body = []byte("[" + string(body) + "]")
			require.NoError(t, json.Unmarshal(body, &tools), file)
		}
		for _, tool := range tools {
			for _, one := range []struct {
				kind string
				text json.RawMessage
			}{{"input", tool.InputSchema}, {"output", tool.OutputSchema}} {
				if one.text == nil {
					continue
				}
				s := toolSchema{name: filepath.Base(file) + " " + tool.Name + " " + one.kind, text: one.text}
				require.NoError(t, json.Unmarshal(one.text, &s.parsed), s.name)
				out = append(out, s)
			}
		}
	}
	require.NotEmpty(t, out)
	return out
}

// toolPairs makes inputs for a schema and says which must fit.
func toolPairs(s toolSchema) (inputs []string, why []string, fits string) {
	m := &maker{r: rand.New(rand.NewPCG(1, 2)), root: s.parsed}
	add := func(v any, reason, verdict string) {
		text, err := json.Marshal(v)
		if err == nil {
			inputs, why, fits = append(inputs, string(text)), append(why, reason), fits+verdict
		}
	}
	for i := range 8 {
		add(m.fitting(s.parsed, i%2 == 0), "fits", "1")
	}
	for _, b := range m.breaking(s.parsed) {
		add(b.value, b.why, "0")
	}
	return inputs, why, fits
}

// TestToolsAgree compiles every tool definition, and holds the verdicts on inputs made from each
// against what they were made to be and against ajv.
func TestToolsAgree(t *testing.T) {
	schemas := toolSchemas(t)
	pairs := 0
	wrong := map[string]int{}
	type asked struct {
		s      toolSchema
		inputs []string
		why    []string
		fits   string
	}
	var all []asked
	for _, s := range schemas {
		for _, role := range []Role{Input, Output} {
			if strings.HasSuffix(s.name, "output") && role == Input || strings.HasSuffix(s.name, "input") && role == Output {
				continue
			}
			root := s.parsed["type"]
			compiled, cerr := compile(s.text, Options{Role: role, NoRepair: true}, settings{anyRoot: root == "array"})
			require.Nil(t, cerr, "%s: %v", s.name, cerr)
			inputs, why, fits := toolPairs(s)
			var c Checker
			for i, in := range inputs {
				ok := compiled.Check(&c, checked(t, in))
				if ok != (fits[i] == '1') {
					wrong[fmt.Sprintf("%s | %s | %s: made to be %c, got %v: %s", s.name, why[i], in, fits[i], ok, c.Message())]++
				}
			}
			pairs += len(inputs)
			all = append(all, asked{s, inputs, why, fits})
		}
	}
	require.Empty(t, wrong)
	require.GreaterOrEqual(t, pairs, 5000)
	t.Run("ajv", func(t *testing.T) {
		p := startAJV(t)
		agreed := 0
		for _, a := range all {
			answer := p.ask(t, peerQuestion{Schema: a.s.text, Draft7: strings.Contains(string(a.s.text), "draft-07"), Inputs: a.inputs})
			require.Empty(t, answer.Error, a.s.name)
			for i := range a.inputs {
				require.Equal(t, a.fits[i], answer.Verdicts[i], "%s | %s | %s", a.s.name, a.why[i], a.inputs[i])
				agreed++
			}
		}
		require.Equal(t, pairs, agreed)
	})
	published(t, fmt.Sprintf("| tool definitions | %d schemas | %d pairs |", len(schemas), pairs))
}
