package message

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
)

func mustID(t testing.TB, s string) ID {
	id, ok := ParseID(s)
	require.True(t, ok, s)
	return id
}

func TestDecodedFields(t *testing.T) {
	session, message := mustID(t, testSession), mustID(t, testMessage)
	meta := `{"tick":7,"latency_ms":12,"source":"keep"}`
	for name, want := range map[string]Message{
		"init":    {Type: SessionInit, Init: []byte(bases["init"])},
		"resume":  {Type: SessionResume},
		"close":   {Type: SessionClose, Reason: []byte("bye"), HasReason: true},
		"request": {Type: ManifestRequest},
		"call":    {Type: ToolCall, CallID: []byte("c1"), Tool: []byte("move_to"), Input: []byte(`{"x":1.5}`)},
		"result":  {Type: ToolResult, CallID: []byte("c1"), OK: true, Output: []byte(`{"done":true}`), Meta: []byte(meta)},
		"fail":    {Type: ToolResult, CallID: []byte("c1"), Error: Error{Timeout, []byte("too slow"), true}},
		"event":   {Type: Event, Topic: TopicCollision, Payload: []byte(`{"with":"wall"}`), Meta: []byte(`{"tick":7}`)},
		"error":   {Type: ErrorMessage, Error: Error{InternalError, []byte("oops"), false}},
		"beat":    {Type: Heartbeat, ManifestUpdate: []byte(`{"type":"session_init"}`)},
	} {
		want.SessionID, want.MessageID = session, message
		var m Message
		require.Nil(t, Decode([]byte(" \n"+bases[name]+"\t"), &m), name)
		m.d = nil
		require.Equal(t, want, m, name)
	}
}

// A Message keeps nothing of the message before, and reads escapes in names and values.
func TestReuse(t *testing.T) {
	m := Message{MaxBytes: 600}
	require.Nil(t, Decode([]byte(bases["result"]), &m))
	require.Nil(t, Decode([]byte(bases["resume"]), &m))
	require.Nil(t, m.CallID)
	require.False(t, m.OK)
	require.Nil(t, m.Output)
	require.Nil(t, m.Meta)
	require.Equal(t, 600, m.MaxBytes)

	text := envelope("tool_call") + `,"call\u005fid":"\u00e9\n\ud83d\ude00\ud800","tool":"\u006dove","input":{"\u0061":1}}`
	require.Nil(t, Decode([]byte(text), &m))
	require.Equal(t, "é\n😀\uFFFD", string(m.CallID))
	require.Equal(t, "move", string(m.Tool))
	require.Equal(t, `{"\u0061":1}`, string(m.Input))
	require.Equal(t, 1, m.LoneSurrogates)
	require.NotNil(t, Decode([]byte(bases["init"]), &m), "longer than MaxBytes")
}

// Ids are compared without case (DESIGN 5.6).
func TestIDsWithoutCase(t *testing.T) {
	var a, b Message
	require.Nil(t, Decode([]byte(bases["resume"]), &a))
	require.Nil(t, Decode([]byte(strings.Replace(bases["resume"], testMessage, strings.ToUpper(testMessage), 1)), &b))
	require.Equal(t, a.MessageID, b.MessageID)
	require.Equal(t, testMessage, b.MessageID.String())
}

// Of several faults, the first by rule and then by place is given.
func TestOrderOfChecks(t *testing.T) {
	all := func(order ...string) string {
		part := map[string]string{"protocol": `"protocol":"aicc/9"`, "type": `"type":"tool_cal"`, "session": `"session_id":"s"`, "message": `"message_id":7`, "extra": `"extra":1`}
		var list []string
		for _, o := range order {
			list = append(list, part[o])
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	env := envelope("tool_call")
	for _, c := range []struct {
		src, pointer string
		rule         Rule
		code         ErrorCode
	}{
		{`[1,]`, "/0", RuleText, InvalidInput},
		{`[]`, "", RuleObject, InvalidInput},
		{all("extra", "message", "session", "type", "protocol"), "/protocol", RuleProtocol, ProtocolMismatch},
		{all("extra", "message", "session", "type"), "/protocol", RuleProtocol, InvalidInput},
		{strings.Replace(all("extra", "message", "session", "type", "protocol"), "aicc/9", Protocol, 1), "/message_id", RuleEnvelope, InvalidInput},
		{strings.Replace(all("protocol", "type", "session", "message"), "aicc/9", Protocol, 1), "/type", RuleEnvelope, InvalidInput},
		{strings.Replace(all("extra", "session", "protocol"), "aicc/9", Protocol, 1), "/session_id", RuleEnvelope, InvalidInput},
		{`{"protocol":"aicc/0.1","x":1}`, "/type", RuleEnvelope, InvalidInput},
		{env + `,"x":1,"call_id":1,"y":2}`, "/x", RuleSchema, InvalidInput},
		{env + `,"call_id":1,"x":1,"tool":1}`, "/call_id", RuleSchema, InvalidInput},
		{env + `,"tool":1,"call_id":1,"ok":1}`, "/tool", RuleSchema, InvalidInput},
		{env + `,"ok":1,"tool":1}`, "/ok", RuleSchema, InvalidInput},
		{env + `,"input":{}}`, "/call_id", RuleSchema, InvalidInput},
		{env + `,"input":{},"call_id":"c"}`, "/tool", RuleSchema, InvalidInput},
		{envelope("error") + `,"error":{"retryable":1,"code":1}}`, "/error/retryable", RuleSchema, InvalidInput},
		{envelope("error") + `,"error":{"x":1,"code":1}}`, "/error/x", RuleSchema, InvalidInput},
		{envelope("error") + `,"error":{"retryable":true}}`, "/error/code", RuleSchema, InvalidInput},
		{envelope("tool_result") + `,"output":{},"ok":0,"call_id":"c"}`, "/ok", RuleSchema, InvalidInput},
		{envelope("tool_result") + `,"output":null,"ok":false,"call_id":"c"}`, "/output", RuleSchema, InvalidInput},
		{envelope("tool_result") + `,"ok":true}`, "/call_id", RuleSchema, InvalidInput},
	} {
		var m Message
		f := Decode([]byte(c.src), &m)
		require.NotNil(t, f, c.src)
		require.Equal(t, c.pointer, f.Pointer, c.src)
		require.Equal(t, c.rule, f.Rule, c.src)
		require.Equal(t, c.code, f.Code, c.src)
		for range 5 {
			require.Equal(t, f, Decode([]byte(c.src), &m), "the same each time")
		}
	}
}

func TestOffsets(t *testing.T) {
	for _, c := range []struct{ src, at string }{
		{envelope("tool_call") + `,"call_id":1}`, `1}`},
		{envelope("tool_call") + ` }`, `}`},
		{envelope("tool_call") + `, "x" :1}`, `"x" :1}`},
		{envelope("error") + `,"error":{"code":"timeout"} }`, `} }`},
		{envelope("error") + `,"error":{"code":"timeout","z":[]}}`, `"z":[]}}`},
		{`  [ ]`, `[ ]`},
	} {
		var m Message
		f := Decode([]byte(c.src), &m)
		require.NotNil(t, f, c.src)
		require.Equal(t, strings.LastIndex(c.src, c.at), f.Offset, c.src)
	}
}

// What a Fault says of the envelope, for the answer by DESIGN 5.6.
func TestWhatCouldBeRead(t *testing.T) {
	session, message := mustID(t, testSession), mustID(t, testMessage)
	full := Fault{Type: ToolCall, HaveSessionID: true, HaveMessageID: true, HaveCallID: true, SessionID: session, MessageID: message, CallID: []byte("c1")}
	noCall := full
	noCall.HaveCallID, noCall.CallID = false, nil
	call := bases["call"]
	long := strings.Repeat("x", 256)
	for _, c := range []struct {
		name, src string
		want      Fault
	}{
		{"bad tool", strings.Replace(call, "move_to", "Move", 1), full},
		{"bad input", strings.Replace(call, `{"x":1.5}`, `3`, 1), full},
		{"other protocol", strings.Replace(call, "aicc/0.1", "aicc/1.0", 1), full},
		{"call id that is no string", strings.Replace(call, `"c1"`, `1`, 1), noCall},
		{"empty call id", strings.Replace(call, `"c1"`, `""`, 1), noCall},
		{"call id of 256 bytes", strings.Replace(strings.Replace(call, "c1", long, 1), "move_to", "", 1), func() Fault { f := full; f.CallID = []byte(long); return f }()},
		{"call id of 257 bytes", strings.Replace(call, "c1", long+"x", 1), noCall},
		{"an event's call id", strings.Replace(strings.Replace(call, "tool_call", "event", 1), "x", "y", 1), func() Fault { f := noCall; f.Type = Event; return f }()},
		{"unknown type", strings.Replace(call, "tool_call", "tool_cal", 1), func() Fault { f := noCall; f.Type = 0; return f }()},
		{"bad session id", strings.Replace(call, testSession, "s", 1), func() Fault { f := full; f.HaveSessionID, f.SessionID = false, ID{}; return f }()},
		{"bad message id", strings.Replace(call, testMessage, "m", 1), func() Fault { f := full; f.HaveMessageID, f.MessageID = false, ID{}; return f }()},
		{"nothing", `{}`, Fault{}},
		{"no object", `[` + call + `]`, Fault{}},
		{"broken in the input", strings.Replace(call, "1.5", "01.5", 1), full},
		{"broken off in the input", call[:len(call)-5], full},
		{"duplicate in the input", strings.Replace(call, `"x":1.5`, `"x":1,"x":2`, 1), full},
		{"something behind it", call + "x", full},
		{"a call id that comes twice", strings.Replace(call, `}}`, `},"call_id":"c2"}`, 1), noCall},
		{"a session id that comes twice", strings.Replace(call, `}}`, `},"session_id":"`+testMessage+`"}`, 1), func() Fault { f := full; f.HaveSessionID, f.SessionID = false, ID{}; return f }()},
		{"broken in the call id", strings.Replace(call, "c1", "c123\x01", 1), noCall},
		{"broken off in the call id", call[:strings.Index(call, "c1")+2], noCall},
		{"broken in the message id", strings.Replace(call, "eeee\"", "eeee\x01\"", 1), func() Fault {
			return Fault{Type: ToolCall, HaveSessionID: true, SessionID: session}
		}()},
		{"broken at once", `{"protocol"`, Fault{}},
		{"single quotes", strings.ReplaceAll(call, `"`, `'`), Fault{}},
	} {
		var m Message
		f := Decode([]byte(c.src), &m)
		require.NotNil(t, f, c.name)
		got := *f
		got.Rule, got.Code, got.Offset, got.Pointer, got.Text = 0, 0, 0, "", ""
		require.Equal(t, c.want, got, c.name)
	}
	var m Message
	f := Decode([]byte(strings.Replace(call, "move_to", "", 1)), &m)
	require.Equal(t, f.Text+" (message "+testMessage+")", f.Error())
	f = Decode([]byte(`{}`), &m)
	require.Equal(t, f.Text, f.Error())
	m.MaxBytes = 100
	f = Decode([]byte(call), &m)
	require.False(t, f.HaveSessionID, "text over the bound is not read at all")
}

// A Fault holds no part of the text it came from.
func TestFaultKeepsNothing(t *testing.T) {
	src := []byte(strings.Replace(bases["call"], "move_to", "Move", 1))
	var m Message
	f := Decode(src, &m)
	before := fmt.Sprint(*f, string(f.CallID))
	clear(src)
	require.Equal(t, before, fmt.Sprint(*f, string(f.CallID)))
}

// However long what came is, the text for the agent is short and valid.
func TestFaultTextIsBounded(t *testing.T) {
	big := strings.Repeat("é/", 50_000)
	for _, src := range []string{
		strings.Replace(bases["call"], "move_to", big, 1),
		strings.Replace(bases["call"], `}}`, `},"`+big+`":1}`, 1),
		strings.Replace(bases["call"], `{"x":1.5}`, strings.Repeat("1", 100_000), 1),
		strings.Replace(bases["call"], `"x"`, `"`+big+`":{"a":0,"a":0},"x"`, 1),
		strings.Replace(bases["resume"], Protocol, big, 1),
	} {
		var m Message
		f := Decode([]byte(src), &m)
		require.NotNil(t, f)
		require.Less(t, len(f.Text), 400)
		require.True(t, strings.ToValidUTF8(f.Text, "?") == f.Text)
		require.Contains(t, f.Text, "...")
	}
}

// The rules below refuse, on purpose, what the schema accepts. Each test shows both.
func stricter(t *testing.T, src string, rule Rule, text string) {
	t.Helper()
	require.True(t, newJudge(t).accepts([]byte(src)), "the schema accepts it")
	var m Message
	f := Decode([]byte(src), &m)
	require.NotNil(t, f)
	require.Equal(t, rule, f.Rule)
	require.Equal(t, InvalidInput, f.Code)
	require.Equal(t, text, f.Text)
}

func TestStricterDuplicateMembers(t *testing.T) {
	stricter(t, strings.Replace(bases["call"], `"x":1.5`, `"x":1,"x":2`, 1), RuleText, "bad JSON: byte 193 (/input/x): duplicate member")
	stricter(t, strings.Replace(bases["call"], `"tool":`, `"tool":"a","tool":`, 1), RuleText, "bad JSON: byte 172 (/tool): duplicate member")
}

func TestStricterDepth(t *testing.T) {
	in := func(n int) string {
		return strings.Replace(bases["call"], "1.5", strings.Repeat("[", n)+strings.Repeat("]", n), 1)
	}
	var m Message
	require.Nil(t, Decode([]byte(in(jsonwire.MaxDepth-2)), &m))
	stricter(t, in(jsonwire.MaxDepth-1), RuleText, "bad JSON: byte 253 (/input/x"+strings.Repeat("/0", 62)+"): more than 64 arrays and objects inside each other")
}

func TestStricterSize(t *testing.T) {
	of := func(n int) string {
		return strings.Replace(bases["close"], "bye", strings.Repeat("x", n-len(bases["close"])+3), 1)
	}
	var m Message
	require.Nil(t, Decode([]byte(of(1<<20)), &m))
	stricter(t, of(1<<20+1), RuleText, "bad JSON: byte 1048576: the text has 1048577 bytes, at most 1048576 are accepted")
}

func TestStricterUTF8(t *testing.T) {
	stricter(t, strings.Replace(bases["close"], "bye", "b\xffe", 1), RuleText, "bad JSON: byte 161 (/reason): invalid UTF-8")
}

func TestStricterCallIDBytes(t *testing.T) {
	id := func(s string) string { return strings.Replace(bases["call"], "c1", s, 1) }
	var m Message
	require.Nil(t, Decode([]byte(id(strings.Repeat("é", 128))), &m))
	require.Nil(t, Decode([]byte(id(strings.Repeat(`\u00e9`, 128))), &m))
	stricter(t, id(strings.Repeat("é", 128)+"x"), RuleCallID, "at /call_id: at most 256 bytes were wanted, 257 came")
	stricter(t, strings.Replace(bases["result"], "c1", strings.Repeat("x", 300), 1), RuleCallID, "at /call_id: at most 256 bytes were wanted, 300 came")
}

func TestStricterToolIDBytes(t *testing.T) {
	id := func(n int) string { return strings.Replace(bases["call"], "move_to", strings.Repeat("m", n), 1) }
	var m Message
	require.Nil(t, Decode([]byte(id(64)), &m))
	stricter(t, id(65), RuleToolID, "at /tool: at most 64 bytes were wanted, 65 came")
	stricter(t, strings.Replace(bases["init"], "move_to", strings.Repeat("m", 65), 1), RuleToolID, "at /tools/0/id: at most 64 bytes were wanted, 65 came")
}

func TestStricterOutputExactlyWhenOK(t *testing.T) {
	stricter(t, strings.Replace(bases["result"], `,"output":{"done":true}`, ``, 1), RuleOutcome, "at /output: an object, since ok is true, was wanted, nothing came")
	stricter(t, strings.Replace(bases["fail"], `,"error"`, `,"output":{},"error"`, 1), RuleOutcome, "at /output: no output, since ok is false, was wanted, an object came")
}

func TestStricterErrorExactlyWhenNotOK(t *testing.T) {
	stricter(t, envelope("tool_result")+`,"call_id":"c","ok":false}`, RuleOutcome, "at /error: an error object, since ok is false, was wanted, nothing came")
	stricter(t, strings.Replace(bases["fail"], `false`, `true`, 1), RuleOutcome, "at /error: no error, since ok is true, was wanted, an object came")
}
