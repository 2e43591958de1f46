package capability

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/latency"
	"aicc.dev/libaicc/core/message"
)

// allExported are all documents that the tests of this run have exported; zz_ajv_test.go has somebody else look at them.
var allExported [][]byte

// export is Export, and keeps what came out for the referee.
func export(tools []Tool, o Options) ([]*Document, []Note, error) {
	docs, notes, err := Export(tools, o)
	for i, d := range docs {
		if len(allExported) < 3000 && i < len(tools) && tools[i].Origin == nil { // an Origin may break the prose, and is not ours
			allExported = append(allExported, d.Append(nil))
		}
	}
	return docs, notes, err
}

// The guard of the example, published and read back, is the guard.
func TestGuardRoundTrip(t *testing.T) {
	world, tools := guard(t)
	docs, notes, err := export(tools, Options{World: world})
	require.NoError(t, err)
	require.Equal(t, []string{`loss: the world's name "night watch" stands in names as night_watch`}, texted(notes))
	parts, err := Split(AppendManifest(nil, docs))
	require.NoError(t, err)
	back, notes, err := ImportAll(parts, ImportOptions{})
	require.NoError(t, err)
	require.Empty(t, notes)
	for i := range tools {
		require.Equal(t, tools[i].Tool, back[i].Tool)
		require.Equal(t, docs[i], back[i].Origin)
	}
}

var sentences = []string{"Speaks.", "é\n\"\\ 😀", " ", "a\u0000b", strings.Repeat("long ", 500), strings.Repeat("é", 2048)}

// tool makes one of a chooser's bytes.
func (c *chooser) tool() Tool {
	payload := func() []byte {
		switch c.n(6) {
		case 0:
			return []byte(`{"type":"object","maxProperties":0}`)
		case 1:
			return []byte(`{ "type": "object" , "$schema": "https://json-schema.org/draft/2020-12/schema#" }`)
		case 2:
			return []byte(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","dependencies":{"a":["b"]}}`)
		}
		defs := `"definitions":{"d":true,"a/b":` + c.schema(2) + `},"$defs":{"d":` + c.schema(2) + `,"n":{"$anchor":"n"}}`
		return []byte(`{"type":"object","properties":{"v":` + c.schema(1) + `},` + defs + `}`)
	}
	t := Tool{Tool: message.Tool{ID: c.pick("a", "say", "t_9", strings.Repeat("z", 64)), Class: message.ToolClass(1 + c.n(3)), Description: c.pick(sentences...), InputSchema: payload(), OutputSchema: payload(),
		CallsPerMinute: int64(c.n(3)), CallsPerSession: int64(c.n(3)) * 1000, RequiresCapability: c.pick("", "alarm", "é \"q\""), StrictInput: c.n(2) == 0}}
	if c.n(2) == 0 {
		t.MaxInputBytes, t.MaxOutputBytes, t.MaxConcurrent = int64(c.n(3)*70_000), int64(c.n(3)*9), int64(c.n(3))
	}
	if c.n(2) == 0 {
		t.Latency = latency.Summary{Calls: uint64(c.n(200)), P50NS: int64(c.n(256)) * 1e5, P95NS: int64(c.n(256)) * 1e6}
	}
	return t
}

// thereAndBack publishes one tool and reads it; false when it cannot be published.
func thereAndBack(t testing.TB, data []byte) bool {
	c := chooser{data: data, draft: Draft2020}
	tool := c.tool()
	docs, notes, err := export([]Tool{tool}, Options{World: "w"})
	if err != nil {
		var failed *ToolError
		require.ErrorAs(t, err, &failed)
		return false
	}
	text := docs[0].Append(nil)
	v := Validate(text, Strict)
	require.NoError(t, v.Err())
	back, more, err := Import(text, ImportOptions{})
	if loops(err) {
		return false
	}
	require.NoError(t, err, "%s", text)
	notes = append(notes, more...)

	for _, p := range []struct {
		at       string
		was, now *[]byte
	}{{"/input_schema", &tool.InputSchema, &back.InputSchema}, {"/output_schema", &tool.OutputSchema, &back.OutputSchema}} {
		changed := slices.ContainsFunc(notes, func(n Note) bool { return strings.HasPrefix(n.Pointer, p.at) && n.Kind != Weaker })
		if !changed {
			require.Equal(t, string(jsonwire.AppendCompact(nil, *p.was)), string(*p.now), "%s", text)
		} else {
			before, err := ourJudge(*p.was, Draft2020)
			require.NoError(t, err)
			after, err := ourJudge(*p.now, Draft2020)
			require.NoError(t, err)
			for range 4 {
				value := []byte(`{"v":` + c.data0(0) + `}`)
				require.Equal(t, before(value), after(value), "%s\n%s\n%s", *p.was, *p.now, value)
			}
		}
		*p.now = *p.was
	}
	if slices.ContainsFunc(notes, func(n Note) bool { return n.Kind == Loss && n.Pointer == "/description" }) {
		require.Equal(t, string([]rune(tool.Description)[:MaxDescriptionRunes]), back.Description)
		back.Description = tool.Description
	}
	require.Equal(t, tool.Tool, back.Tool)
	require.Equal(t, [3]int64{tool.MaxInputBytes, tool.MaxOutputBytes, tool.MaxConcurrent}, [3]int64{back.MaxInputBytes, back.MaxOutputBytes, back.MaxConcurrent})

	// And what was imported goes out again as it came.
	back, _, err = Import(text, ImportOptions{})
	require.NoError(t, err)
	again, _, err := Export([]Tool{*back}, Options{World: "other"})
	require.NoError(t, err)
	require.Equal(t, string(text), string(again[0].Append(nil)))
	return true
}

func FuzzRoundTrip(f *testing.F) {
	r := rand.New(rand.NewPCG(12, 13))
	for i := range 40 {
		seed := make([]byte, 40+i*5)
		for k := range seed {
			seed[k] = byte(r.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) { thereAndBack(t, data) })
}

// TestRoundTripsAtLength makes AICC_CAMPAIGN tools, or a few.
func TestRoundTripsAtLength(t *testing.T) {
	goal := 1500
	if n, err := strconv.Atoi(os.Getenv("AICC_CAMPAIGN")); err == nil {
		goal = n
	}
	r := rand.New(rand.NewPCG(14, 15))
	data := make([]byte, 300)
	through := 0
	for range goal {
		data = data[:80+r.IntN(220)]
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		if thereAndBack(t, data) {
			through++
		}
	}
	t.Logf("%d tools made, %d published and read back", goal, through)
	require.Greater(t, through, goal/4)
}
