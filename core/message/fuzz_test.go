package message

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
)

// farNumbers are exponents that the schema library would work on for seconds.
var farNumbers = regexp.MustCompile(`[eE][+-]?\d{4,}`)

// checkVerdict holds Decode against the schema: equal, but for the rules that are stricter on purpose.
func checkVerdict(t *testing.T, j *judge, src []byte, m *Message) {
	f := Decode(src, m)
	accepted := j.accepts(src)
	if f == nil {
		require.True(t, accepted, "we accept what the schema refuses")
		return
	}
	require.LessOrEqual(t, f.Offset, len(src))
	require.Less(t, len(f.Text), 500)
	require.True(t, utf8.ValidString(f.Text))
	require.NotZero(t, f.Code)
	if !accepted {
		return
	}
	switch f.Rule {
	case RuleCallID, RuleToolID, RuleOutcome:
		return
	case RuleText:
		for _, named := range []string{jsonwire.DuplicateMember, "more than 64 arrays", "invalid UTF-8", "at most 1048576"} {
			if strings.Contains(f.Text, named) {
				return
			}
		}
	}
	t.Fatalf("the schema accepts it, we say: %s", f.Text)
}

func FuzzDecode(f *testing.F) {
	for _, r := range table(f) {
		f.Add(r.src)
	}
	j := newJudge(f)
	var m Message
	f.Fuzz(func(t *testing.T, src []byte) {
		if farNumbers.Match(src) {
			return
		}
		checkVerdict(t, j, src, &m)
		var man Manifest
		if m.Type == SessionInit && m.Init != nil {
			require.Nil(t, DecodeManifest(m.Init, &man))
		}
		// Over text that nobody has checked the answer means nothing, but there is one.
		DecodeManifest(src, &man)
		var meta Meta
		DecodeMeta(src, &meta)
	})
}

// FuzzParts builds messages from parts, so that more of them come past the envelope than by changing bytes: a base, one of whose pieces
// between punctuation is replaced by a piece of another, or left out.
func FuzzParts(f *testing.F) {
	order := []string{"init", "resume", "close", "request", "call", "result", "fail", "event", "error", "beat"}
	for i := range order {
		f.Add(uint8(i), uint16(9), uint8(i+1), uint16(17), "null")
		f.Add(uint8(i), uint16(21), uint8(i+4), uint16(30), "")
	}
	values := []string{`null`, `true`, `false`, `0`, `-1`, `1.0`, `1e2`, `0.5`, `""`, `"x"`, `"tick"`, `[]`, `{}`, `["a"]`, `[1]`, `{"a":1}`, `"sensor"`, `"timeout"`, `"` + testSession + `"`}
	j := newJudge(f)
	var m Message
	pieces := regexp.MustCompile(`"[a-z_]+":("[^"]*"|[^",{}\[\]]+|\{\}|\[[^\[\]]*\])|"[^"]*"|\d+|true|false`)
	f.Fuzz(func(t *testing.T, base uint8, at uint16, from uint8, piece uint16, with string) {
		text := bases[order[int(base)%len(order)]]
		other := bases[order[int(from)%len(order)]]
		found := pieces.FindAllStringIndex(text, -1)
		taken := pieces.FindAllString(other, -1)
		cut := found[int(at)%len(found)]
		put := with
		switch piece % 3 {
		case 0:
			put = taken[int(piece/3)%len(taken)]
		case 1:
			put = values[int(piece/3)%len(values)]
			if name, _, ok := strings.Cut(text[cut[0]:cut[1]], ":"); ok {
				put = name + ":" + put
			}
		}
		src := text[:cut[0]] + put + text[cut[1]:]
		if piece%5 == 0 && put == "" {
			src = strings.NewReplacer(",,", ",", "{,", "{", ",}", "}").Replace(src)
		}
		if !farNumbers.MatchString(src) {
			checkVerdict(t, j, []byte(src), &m)
		}
	})
}

// FuzzEncode: whatever a host hands over, what is emitted is valid by the schema and reads back the same.
func FuzzEncode(f *testing.F) {
	f.Add([]byte("0123456789abcdef"), "c1", "some text", "move_to", int64(7), `{"x":1}`, uint8(1), true)
	f.Add([]byte{0xFF}, "\xff", "", "", int64(-1), `[]`, uint8(200), false)
	f.Add([]byte{}, "\"\\\n", "é\u2028\ud7ff", "a_b", int64(1)<<62, ` { "a" : [ 1e5 , null ] } `, uint8(33), true)
	j := newJudge(f)
	var scanner jsonwire.Scanner
	f.Fuzz(func(t *testing.T, ids []byte, a, b, tool string, n int64, raw string, enum uint8, flag bool) {
		var session, id ID
		copy(session[:], ids)
		copy(id[:], ids[len(ids)/2:])
		info, err := scanner.Check([]byte(raw))
		if err != nil || info.Kind != jsonwire.Object || info.Depth > 60 || farNumbers.MatchString(raw) {
			raw = `{"x":[1,2.5]}`
		}
		value := []byte(strings.TrimSpace(raw))
		callID := string([]rune(a))
		if callID == "" || len(callID) > MaxCallIDBytes {
			a, callID = "c", "c"
		}
		if !ValidToolID(tool) {
			tool = "tool"
		}
		text := string([]rune(b))
		meta := &Meta{NoTick: n&1 == 0, Tick: uint64(n), LatencyMS: n, Source: b, RetryAfterMS: n / 2, Repaired: []string{b, a}[:uint64(n)%3]}
		if n&2 == 0 {
			meta = nil
		}
		if meta != nil && meta.NoTick {
			meta.Tick = 0
		}
		var m Message
		read := func(typ Type, src []byte) {
			require.Nil(t, Decode(src, &m), "%s", src)
			require.True(t, j.accepts(src), "%s", src)
			require.Equal(t, typ, m.Type)
			require.Equal(t, session, m.SessionID)
			require.Equal(t, id, m.MessageID)
		}
		readMeta := func() {
			if meta == nil {
				require.Nil(t, m.Meta)
				return
			}
			want := *meta
			want.Source, want.LatencyMS, want.RetryAfterMS = text, max(n, -1), max(n/2, 0)
			want.Repaired = nil
			for _, r := range meta.Repaired {
				want.Repaired = append(want.Repaired, string([]rune(r)))
			}
			var got Meta
			DecodeMeta(m.Meta, &got)
			require.Equal(t, want, got)
		}
		readError := func(code ErrorCode) {
			want := Error{Code: code, Message: []byte(text), Retryable: flag}
			if code.String() == "" {
				want.Code = InternalError
			}
			if text == "" {
				want.Message = []byte(want.Code.String())
			}
			require.Equal(t, want, m.Error)
		}
		code, topic := ErrorCode(enum%11), Topic(enum%33)

		read(SessionResume, AppendSessionResume(nil, session, id))
		read(ManifestRequest, AppendManifestRequest(nil, session, id))
		read(SessionClose, AppendSessionClose(nil, session, id, b))
		require.Equal(t, text, string(m.Reason))
		read(ToolCall, AppendToolCall(nil, session, id, a, tool, value))
		require.Equal(t, []string{callID, tool, string(value)}, []string{string(m.CallID), string(m.Tool), string(m.Input)})
		read(ToolResult, AppendToolResultOK(nil, session, id, a, value, meta))
		require.Equal(t, []string{callID, string(value)}, []string{string(m.CallID), string(m.Output)})
		require.True(t, m.OK)
		readMeta()
		read(ToolResult, AppendToolResultError(nil, session, id, []byte(a), code, b, flag, meta))
		require.Equal(t, callID, string(m.CallID))
		require.False(t, m.OK)
		readError(code)
		readMeta()
		read(Event, AppendEvent(nil, session, id, topic, value, meta))
		if topic.String() == "" {
			topic = TopicStateChange
		}
		require.Equal(t, topic, m.Topic)
		require.Equal(t, string(value), string(m.Payload))
		readMeta()
		read(ErrorMessage, AppendError(nil, session, id, code, []byte(b), flag))
		readError(code)

		want := Manifest{TickRateHz: float64(n) / 8, TickMode: TickMode(enum % 5), WorldName: b, WorldKind: WorldKind(enum % 6),
			Capabilities: Capabilities{Sensors: []string{a, b}, Actuators: []string{}, Generators: []string{text}},
			Tools: []Tool{{ID: tool, Class: ToolClass(enum % 5), Description: b, InputSchema: value, OutputSchema: value,
				CallsPerMinute: n, CallsPerSession: -n, RequiresCapability: a, StrictInput: flag}},
			Model: Model{Class: ModelClass(enum % 6), FirstTokenMS: n, FullResponseMS: -n}}
		if flag {
			want.Topics = []string{b}
		}
		body := AppendManifestBody(nil, &want)
		read(SessionInit, AppendSessionInit(nil, session, id, body))
		if !(want.TickRateHz > 0) {
			want.TickRateHz = 1
		}
		tl := &want.Tools[0]
		want.TickMode, want.WorldKind = orFirst(want.TickMode, TickFixed), orFirst(want.WorldKind, World2D)
		want.Model.Class, tl.Class = orFirst(want.Model.Class, EdgeSmall), orFirst(tl.Class, Sensor)
		want.WorldName, tl.Description, tl.RequiresCapability = orWord(text, "world"), orWord(text, tool), callID
		tl.CallsPerMinute, tl.CallsPerSession = max(n, 0), max(-n, 0)
		want.Model.FirstTokenMS, want.Model.FullResponseMS = max(n, -1), max(-n, -1)
		want.Capabilities.Sensors = []string{callID, text}
		if flag {
			want.Topics = []string{text}
		}
		var got Manifest
		require.Nil(t, DecodeManifest(m.Init, &got))
		require.Equal(t, want, got)
		update := AppendManifestUpdate(nil, body)
		read(Heartbeat, AppendHeartbeat(nil, session, id, update))
		require.Nil(t, DecodeManifest(m.ManifestUpdate, &got))
		require.Equal(t, want, got)
		read(Heartbeat, AppendHeartbeat(nil, session, id, nil))
		require.Nil(t, m.ManifestUpdate)
	})
}
