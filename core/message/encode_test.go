package message

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEncodedBytes(t *testing.T) {
	s, m := mustID(t, testSession), mustID(t, testMessage)
	meta := &Meta{Tick: 7, LatencyMS: 12, Source: "keep"}
	keep := keepManifest()
	body := AppendManifestBody(nil, &keep)
	for name, got := range map[string][]byte{
		"init":    AppendSessionInit([]byte("<"), s, m, body),
		"resume":  AppendSessionResume([]byte("<"), s, m),
		"close":   AppendSessionClose([]byte("<"), s, m, "bye"),
		"request": AppendManifestRequest([]byte("<"), s, m),
		"call":    AppendToolCall([]byte("<"), s, m, "c1", []byte("move_to"), []byte(`{"x":1.5}`)),
		"result":  AppendToolResultOK([]byte("<"), s, m, "c1", []byte(`{"done":true}`), meta),
		"fail":    AppendToolResultError([]byte("<"), s, m, []byte("c1"), Timeout, "too slow", true, nil),
		"event":   AppendEvent([]byte("<"), s, m, TopicCollision, []byte(`{"with":"wall"}`), &Meta{Tick: 7, LatencyMS: -1}),
		"error":   AppendError([]byte("<"), s, m, InternalError, "oops", false),
		"beat":    AppendHeartbeat([]byte("<"), s, m, []byte(`{"type":"session_init"}`)),
	} {
		require.Equal(t, "<"+bases[name], string(got), name)
	}
	prefix := AppendPrefix(nil, Event, s)
	require.Equal(t, "<"+bases["event"], string(AppendEventBehind([]byte("<"), prefix, m, TopicCollision, []byte(`{"with":"wall"}`), &Meta{Tick: 7, LatencyMS: -1})))
}

// What the schema cannot take is replaced, what need not be there is left out.
func TestEncodedEdges(t *testing.T) {
	s, m := mustID(t, testSession), mustID(t, testMessage)
	for _, c := range []struct {
		name, want string
		got        []byte
	}{
		{"no reason", envelope("session_close") + `}`, AppendSessionClose(nil, s, m, "")},
		{"bad UTF-8 in a reason", envelope("session_close") + `,"reason":"a�b\n"}`, AppendSessionClose(nil, s, m, "a\xffb\n")},
		{"no input", envelope("tool_call") + `,"call_id":"\"","tool":"t","input":{}}`, AppendToolCall(nil, s, m, `"`, "t", nil)},
		{"no output", envelope("tool_result") + `,"call_id":"c","ok":true,"output":{}}`, AppendToolResultOK(nil, s, m, "c", nil, nil)},
		{"no code, no text", envelope("error") + `,"error":{"code":"internal_error","message":"internal_error","retryable":false}}`, AppendError(nil, s, m, 0, "", false)},
		{"unknown code", envelope("error") + `,"error":{"code":"internal_error","message":"x","retryable":true}}`, AppendError(nil, s, m, 99, "x", true)},
		{"no text", envelope("tool_result") + `,"call_id":"c","ok":false,"error":{"code":"tool_unknown","message":"tool_unknown","retryable":false},"meta":{}}`,
			AppendToolResultError(nil, s, m, "c", ToolUnknown, "", false, &Meta{NoTick: true, LatencyMS: -1})},
		{"two topics, no payload", envelope("event") + `,"topic":"state_change","payload":{}}`, AppendEvent(nil, s, m, TopicAll, nil, nil)},
		{"no update", envelope("heartbeat") + `}`, AppendHeartbeat(nil, s, m, nil)},
		{"unknown type", envelope("heartbeat")[:len(envelope("heartbeat"))-37], AppendPrefix(nil, 77, s)},
		{"all of meta", `{"tick":18446744073709551615,"latency_ms":0,"source":"\"�","repaired":["/a","/b~1c"],"retry_after_ms":9}`,
			AppendMeta(nil, &Meta{Tick: math.MaxUint64, Source: "\"\xff", Repaired: []string{"/a", "/b~1c"}, RetryAfterMS: 9})},
		{"the end of meta", `{"retry_after_ms":9}`, AppendMeta(nil, &Meta{NoTick: true, LatencyMS: -1, RetryAfterMS: 9})},
		{"zero meta", `{"tick":0,"latency_ms":0}`, AppendMeta(nil, &Meta{})},
	} {
		require.Equal(t, c.want, string(c.got), c.name)
	}
}

func TestDecodeMeta(t *testing.T) {
	for raw, want := range map[string]Meta{
		``:   {NoTick: true, LatencyMS: -1},
		`{}`: {NoTick: true, LatencyMS: -1},
		`{"tick":7,"latency_ms":1e3,"source":"a\n","repaired":["\/a",""],"retry_after_ms":5.0}`: {Tick: 7, LatencyMS: 1000, Source: "a\n", Repaired: []string{"/a", ""}, RetryAfterMS: 5},
		`{"t\u0069ck":99999999999999999999,"latency_ms":9223372036854775808}`:                   {Tick: math.MaxUint64, LatencyMS: math.MaxInt64},
		`{"repaired":["/a",1],"retry_after_ms":"5","other":{"tick":1}}`:                         {NoTick: true, LatencyMS: -1},
		`{"repaired":"/a","retry_after_ms":-1}`:                                                 {NoTick: true, LatencyMS: -1},
		`{"retry_after_ms":1.5}`:                                                                {NoTick: true, LatencyMS: -1},
		`{"tick":18446744073709551615,"retry_after_ms":1e300}`:                                  {Tick: math.MaxUint64, LatencyMS: -1, RetryAfterMS: math.MaxInt64},
	} {
		meta := Meta{Source: "old", Repaired: []string{"old"}}
		DecodeMeta([]byte(raw), &meta)
		require.Equal(t, want, meta, raw)
	}
}

func keepManifest() Manifest {
	return Manifest{TickRateHz: 20, TickMode: TickHybrid, WorldName: "Keep", WorldKind: World3D,
		Capabilities: Capabilities{Sensors: []string{"vision"}, Actuators: []string{}, Generators: []string{}},
		Tools: []Tool{{ID: "move_to", Class: Actuator, Description: "Walk.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{}`),
			CallsPerMinute: 60, CallsPerSession: 5, RequiresCapability: "locomotion", StrictInput: true}},
		Model: Model{Class: EdgeSmall, FirstTokenMS: 300, FullResponseMS: 900}, Topics: []string{"tick"}}
}

func TestManifestRoundTrip(t *testing.T) {
	keep := keepManifest()
	var got Manifest
	require.Nil(t, DecodeManifest([]byte(bases["init"]), &got))
	require.Equal(t, keep, got)

	body := AppendManifestBody(nil, &keep)
	update := AppendManifestUpdate(nil, body)
	require.Equal(t, `{"protocol":"aicc/0.1","type":"session_init",`+string(body)+`}`, string(update))
	require.Nil(t, DecodeManifest(update, &got))
	require.Equal(t, keep, got)

	shared := keep
	shared.ToolsJSON = AppendTools(nil, keep.Tools)
	shared.Tools = nil
	require.Equal(t, string(body), string(AppendManifestBody(nil, &shared)))

	// A manifest keeps no part of its text.
	clear(update)
	require.Equal(t, keep, got)

	small := Manifest{TickRateHz: 0.5, TickMode: TickEvent, WorldName: "w", WorldKind: WorldText, Model: Model{Class: CloudLarge, FirstTokenMS: -1, FullResponseMS: -1},
		Tools: []Tool{{ID: "a", Class: Sensor, Description: "d", InputSchema: []byte(`{}`), OutputSchema: []byte(`{}`), CallsPerSession: 3}, {ID: "b", Class: Generator, Description: "é", InputSchema: []byte(`{}`), OutputSchema: []byte(`{}`)}}}
	require.Nil(t, DecodeManifest(AppendManifestUpdate(nil, AppendManifestBody(nil, &small)), &got))
	small.Capabilities = Capabilities{Sensors: []string{}, Actuators: []string{}, Generators: []string{}}
	require.Equal(t, small, got)
}

func TestManifestEdges(t *testing.T) {
	require.Equal(t, `"tick_rate_hz":1,"tick_mode":"fixed","world":{"name":"world","kind":"2d"},"capabilities":{"sensors":[],"actuators":[],"generators":[]},"tools":[],`+
		`"agent_model":{"class":"edge_small","expected_first_token_ms":0,"expected_full_response_ms":0}`, string(AppendManifestBody(nil, &Manifest{TickRateHz: math.NaN(), TickMode: 9})))
	require.Contains(t, string(AppendManifestBody(nil, &Manifest{TickRateHz: math.Inf(1)})), `"tick_rate_hz":1,`)
	require.Equal(t, `{"id":"a","class":"sensor","description":"a","input_schema":{},"output_schema":{}}`, string(AppendTool(nil, &Tool{ID: "a", CallsPerMinute: -1})))
	require.Equal(t, `{"id":"a","class":"generator","description":"d","input_schema":{},"output_schema":{},"limits":{"calls_per_session":2}}`,
		string(AppendTool(nil, &Tool{ID: "a", Class: Generator, Description: "d", CallsPerSession: 2})))

	var man Manifest
	extreme := strings.Replace(strings.Replace(bases["init"], ":20,", ":1e400,", 1), ":900", ":1e400", 1)
	var m Message
	require.Nil(t, Decode([]byte(extreme), &m))
	require.Nil(t, DecodeManifest(m.Init, &man))
	require.Equal(t, math.MaxFloat64, man.TickRateHz)
	require.Equal(t, int64(math.MaxInt64), man.Model.FullResponseMS)
	require.Nil(t, DecodeManifest([]byte(strings.Replace(bases["init"], ":20,", ":1e-400,", 1)), &man))
	require.Equal(t, math.SmallestNonzeroFloat64, man.TickRateHz)

	for src, want := range map[string]string{
		`{"type":"session_init"}`: "at /tick_rate_hz: a number above 0 was wanted, nothing came",
		`[]`:                      "an object was wanted, an array came",
		`{"tick_mode":7}`:         "at /tick_mode: one of fixed, event, hybrid was wanted, 7 came",
		`{"call_id":"c"}`:         "at /call_id: session_init has no such member",
		`{"tools":[{"id":"a"},1],"tick_rate_hz":1}`: "at /tools/0/class: one of sensor, actuator, generator was wanted, nothing came",
	} {
		f := DecodeManifest([]byte(src), &man)
		require.NotNil(t, f, src)
		require.Equal(t, want, f.Text)
		require.Equal(t, InvalidInput, f.Code)
	}
}

func TestValidToolID(t *testing.T) {
	for id, want := range map[string]bool{"a": true, "move_to_2": true, strings.Repeat("a", 64): true, strings.Repeat("a", 65): false,
		"": false, "A": false, "_a": false, "2a": false, "a-b": false, "a b": false, "é": false, "a\n": false} {
		require.Equal(t, want, ValidToolID(id), id)
	}
}

func TestNothingAllocates(t *testing.T) {
	s, m := mustID(t, testSession), mustID(t, testMessage)
	var msg Message
	buf := make([]byte, 0, 8192)
	meta := &Meta{Tick: 7, LatencyMS: 3, Source: "keep"}
	escaped := []byte(strings.Replace(bases["call"], `"c1"`, `"\u00e9"`, 1))
	keep := keepManifest()
	prefix := AppendPrefix(nil, Event, s)
	payload := []byte(`{"with":"wall"}`)
	runs := map[string]func(){
		"a call with escapes": func() { _ = Decode(escaped, &msg) },
		"AppendEvent":         func() { AppendEvent(buf[:0], s, m, TopicTick, payload, meta) },
		"AppendEventBehind":   func() { AppendEventBehind(buf[:0], prefix, m, TopicTick, payload, meta) },
		"AppendToolResultOK":  func() { AppendToolResultOK(buf[:0], s, m, "c1", payload, meta) },
		"AppendToolResultError": func() {
			AppendToolResultError(buf[:0], s, m, msg.CallID, Timeout, "too slow", true, meta)
		},
		"AppendHeartbeat":    func() { AppendHeartbeat(buf[:0], s, m, nil) },
		"AppendToolCall":     func() { AppendToolCall(buf[:0], s, m, "c1", "move_to", payload) },
		"AppendManifestBody": func() { AppendManifestBody(buf[:0], &keep) },
	}
	for name, src := range bases {
		text := []byte(src)
		runs["Decode "+name] = func() {
			if Decode(text, &msg) != nil {
				panic(name)
			}
		}
	}
	for name, run := range runs {
		run()
		require.Zero(t, testing.AllocsPerRun(100, run), name)
	}
}

func BenchmarkDecodeToolCall(b *testing.B) {
	src := []byte(bases["call"])
	var m Message
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if Decode(src, &m) != nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkAppendEvent(b *testing.B) {
	ids := NewIDSource([32]byte{1})
	session := ids.Next()
	prefix := AppendPrefix(nil, Event, session)
	payload := []byte(`{"x":1.5,"y":-2.25,"z":0.125,"hp":97}`)
	buf := make([]byte, 0, 1024)
	meta := &Meta{Tick: 123456, LatencyMS: -1, Source: "keep"}
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendEventBehind(buf[:0], prefix, ids.Next(), TopicTick, payload, meta)
	}
	b.SetBytes(int64(len(buf)))
}
