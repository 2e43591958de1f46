package crowd

import (
	"context"
	"encoding/json"
	"os"
	"regexp"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/live/livetest"
	"aicc.dev/libaicc/core/leak"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
	"aicc.dev/libaicc/core/transport"
)

func TestMain(m *testing.M) { os.Exit(leak.Check(m.Run(), "core/transport.", "core/agent.")) }

func bench(t *testing.T, g *livetest.Game, o Options) (*Report, string, error) {
	t.Helper()
	target, err := live.Parse(g.Address)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return g.Connected() == 0 }, 20*time.Second, time.Millisecond, "those of before have left")
	o.Target = target
	told := ""
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, err := Run(ctx, o, func(text string) { told += text + "\n" })
	return r, told, err
}

func TestRun(t *testing.T) {
	g := livetest.Yard(t, transport.Options{}, "a", "b", "c")
	r, told, err := bench(t, g, Options{Tool: "walk_to", Calls: 90, InFlight: 4, Patience: 10 * time.Second})
	require.NoError(t, err)
	require.Equal(t, "calls walk_to over 3 connections, 4 at once each\n", told)
	require.Equal(t, 3, r.Connections)
	require.EqualValues(t, 90, r.Calls)
	require.EqualValues(t, 90, r.Results)
	require.EqualValues(t, 90, r.Good)
	require.Empty(t, r.Errors)
	require.Equal(t, 90, g.Calls())
	require.Equal(t, Ratio(1), r.Ratios["good_to_calls"])
	require.Equal(t, Ratio(0), r.Ratios["duplicates_to_results"])
	require.Greater(t, r.LatencyMS.P50, 0.0)
	require.GreaterOrEqual(t, r.LatencyMS.Max, r.LatencyMS.P99)
	require.Positive(t, r.Rate)
	require.Equal(t, 60.0, r.TickRate)
	require.Regexp(t, regexp.MustCompile(`(?s)^tool              walk_to at 127.*\nconnections       3, 4 calls at once each\ncalls             90 in .* s, 90 results, .* a second\ngood              90 \(100.0 %\)\nlatency           p50 .* ms; p99 is .* times p50, p50 .* ticks\n`), r.String())
	text, err := json.Marshal(r)
	require.NoError(t, err)
	require.Contains(t, string(text), `"errors":{},"no_result":0,`)
}

// What is refused for now is called again when the game says; other failures are counted by their codes.
func TestFailures(t *testing.T) {
	g := livetest.Yard(t, transport.Options{}, "a", "b")
	r, told, err := bench(t, g, Options{Tool: "shout", Calls: 6, Connections: 1, Patience: 10 * time.Second})
	require.NoError(t, err)
	require.Equal(t, "calls shout over 1 connection, 1 at once each\n", told)
	require.Equal(t, map[string]uint64{"tool_unavailable": 3}, r.Errors)
	require.EqualValues(t, 3, r.Good)
	require.GreaterOrEqual(t, r.Seconds, 0.12, "60 ms each, but for the last")
	r, told, err = bench(t, g, Options{Tool: "break_down", Calls: 5, Connections: 7, Patience: 10 * time.Second})
	require.NoError(t, err)
	require.Equal(t, "7 connections wanted, and 2 characters free: so many then\ncalls break_down over 2 connections, 1 at once each\n", told)
	require.Equal(t, map[string]uint64{"execution_failed": 5}, r.Errors)
	r, _, err = bench(t, g, Options{Tool: "wait", Calls: 2, Patience: 20 * time.Millisecond})
	require.NoError(t, err)
	require.EqualValues(t, 2, r.NoResult)
	require.Zero(t, r.Results)
	_, _, err = bench(t, g, Options{})
	require.EqualError(t, err, "which tool is not said: give --tool one of look, walk_to, say, shout, break_down, wait")
	_, _, err = bench(t, g, Options{Tool: "fly"})
	require.EqualError(t, err, `there is no tool "fly": give --tool one of look, walk_to, say, shout, break_down, wait`)
}

// The connections break in the middle: each call has its result once, and the report says how often they came back.
func TestCuts(t *testing.T) {
	g := livetest.Yard(t, transport.Options{}, "a", "b")
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for cuts := 0; cuts < 3; {
			select {
			case <-over:
				return
			default:
			}
			if g.Connected() > 0 && g.Calls() > 20*cuts {
				g.Cut()
				cuts++
			}
			runtime.Gosched()
		}
	}()
	r, _, err := bench(t, g, Options{Tool: "say", Input: []byte(`{"text":"x"}`), Calls: 400, InFlight: 3, Patience: 20 * time.Second})
	close(over)
	<-done
	require.NoError(t, err)
	require.EqualValues(t, 400, r.Calls)
	require.EqualValues(t, 400, r.Results)
	require.Zero(t, r.NoResult)
	require.Positive(t, r.Reconnects)
	require.Positive(t, r.Resumes)
	require.LessOrEqual(t, r.Resumes, r.Reconnects, "a connection may be cut again before its session goes on")
	require.Zero(t, r.Lost)
}

func TestTime(t *testing.T) {
	g := livetest.Yard(t, transport.Options{}, "a")
	r, _, err := bench(t, g, Options{Tool: "look", Time: 100 * time.Millisecond, Patience: 10 * time.Second})
	require.NoError(t, err)
	require.Positive(t, r.Results)
	require.Equal(t, r.Calls, r.Results)
	require.GreaterOrEqual(t, r.Seconds, 0.1)
}

// Inputs are made for many kinds of schemas, the same ones for the same seed, and each is one that the schema takes.
func TestGenerator(t *testing.T) {
	for _, text := range []string{
		`{}`, `{"type":"object"}`, `{"type":"object","additionalProperties":false}`,
		`{"type":"object","required":["a","b"],"properties":{"a":{"type":"integer","minimum":3,"maximum":3},"b":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":0.001}},"additionalProperties":false}`,
		`{"type":"object","required":["a"],"properties":{"a":{"type":"integer","multipleOf":7,"minimum":8},"b":{"type":"number","maximum":-5},"c":{"type":"integer","exclusiveMinimum":4,"maximum":5}}}`,
		`{"type":"object","required":["t","u"],"properties":{"t":{"type":"string","minLength":5,"maxLength":5},"u":{"type":"string","format":"uuid"},"d":{"type":"string","format":"date-time"},"p":{"type":"string","pattern":"^[a-z]","examples":["x"]}}}`,
		`{"type":"object","required":["a"],"properties":{"a":{"type":"array","items":{"enum":["x","y"]},"minItems":2,"maxItems":4},"b":{"type":"array","prefixItems":[{"type":"number"},{"type":"boolean"}],"items":false}}}`,
		`{"type":"object","required":["o"],"properties":{"o":{"$ref":"#/$defs/o"}},"$defs":{"o":{"type":"object","required":["x"],"properties":{"x":{"const":[1]},"next":{"$ref":"#/$defs/o"}}}}}`,
		`{"anyOf":[{"type":"object","required":["a"],"properties":{"a":{"type":"boolean"}}},{"type":"object","required":["b"],"properties":{"b":{"type":"null"}}}]}`,
		`{"type":"object","allOf":[{"required":["a"]},{"properties":{"a":{"type":["integer","string"]}}},{"oneOf":[{"required":["b"],"properties":{"b":{"type":"number"}}}]}],"properties":{"c":{}}}`,
		`{"type":"object","minProperties":3,"properties":{"a":{},"b":{},"c":{"type":"boolean","default":true}}}`,
		`{"type":"object","properties":{"a":false,"b":true}}`,
	} {
		tool := &message.Tool{ID: "t", InputSchema: []byte(text), StrictInput: true}
		g, err := NewGenerator(tool, 7)
		require.NoError(t, err, text)
		same, err := NewGenerator(tool, 7)
		require.NoError(t, err)
		check, err := schema.Compile([]byte(text), schema.Options{Strict: true, NoRepair: true})
		require.NoError(t, err)
		for range 50 {
			input, err := g.Input()
			require.NoError(t, err, text)
			var c schema.Checker
			require.True(t, check.Check(&c, input), "%s: %s: %s", text, input, c.Message())
			again, err := same.Input()
			require.NoError(t, err)
			require.Equal(t, string(input), string(again))
		}
	}
	g, err := NewGenerator(&message.Tool{ID: "t", InputSchema: []byte(`{"type":"object","required":["a"],"properties":{"a":{"type":"string","pattern":"^[0-9]{12}$"}}}`)}, 1)
	require.NoError(t, err)
	_, err = g.Input()
	require.ErrorContains(t, err, "no input for t could be made from its schema (/a: ")
	require.ErrorContains(t, err, "): give one by --input")
	_, err = NewGenerator(&message.Tool{ID: "t", InputSchema: []byte(`{"type":"string"}`)}, 1)
	require.ErrorContains(t, err, "the schema of t cannot be used: ")
}

// FuzzGenerator holds whatever JSON as a schema: it ends, and what it makes is taken.
func FuzzGenerator(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#"},"b":{"type":"array","items":{"$ref":"#"},"minItems":3}},"required":["a","b"]}`)
	f.Add(`{"type":"object","properties":{"a":{"type":"string","minLength":1e9},"b":{"type":"integer","minimum":1e308}},"required":["a","b"]}`)
	f.Fuzz(func(t *testing.T, text string) {
		g, err := NewGenerator(&message.Tool{ID: "t", InputSchema: []byte(text)}, 1)
		if err != nil {
			return
		}
		if input, err := g.Input(); err == nil {
			require.True(t, json.Valid(input))
		}
	})
}
