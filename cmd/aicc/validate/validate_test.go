package validate

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/message"
)

const (
	session = `"session_id":"11111111-2222-4333-8444-555555555555","message_id":"aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"`
	call    = `{"protocol":"aicc/0.1","type":"tool_call",` + session + `,"call_id":"c1","tool":"walk_to","input":{}}`
	beat    = `{"protocol":"aicc/0.1","type":"heartbeat",` + session + `}`
	world   = `"tick_rate_hz":20,"tick_mode":"fixed","world":{"name":"yard","kind":"2d"},"capabilities":{"sensors":[],"actuators":[],"generators":[]},"agent_model":{"class":"edge_small"}`
)

func of(kind, rest string) string {
	return `{"protocol":"aicc/0.1","type":"` + kind + `",` + session + rest + `}`
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		text string
		from Side
		want string // MESSAGE LINE:WHAT-STANDS-THERE POINTER RULE [schema]: WANTED; GOT (FIX)
	}{
		{call, Anyone, ``},
		{call, Agent, ``},
		{call, Game, `1 1:"tool_ /type direction: a message that a game sends; "tool_call" (only an agent sends tool_call)`},
		{of("tool_result", `,"call_id":"c","ok":true,"output":{}`), Agent, `1 1:"tool_ /type direction: a message that an agent sends; "tool_result" (only the game sends tool_result)`},
		{of("error", `,"error":{"code":"timeout","message":"late","retryable":true}`), Agent, ``},
		{of("event", `,"topic":"tick","payload":{}`), Agent, `1 1:"tick" /topic direction: "agent_message"; "tick" (an agent sends events of this topic alone: call a tool to act)`},
		{of("event", `,"topic":"tick","payload":{}`), Game, ``},
		{of("heartbeat", `,"manifest_update":{"protocol":"aicc/0.1","type":"session_init",`+world+`,"tools":[]}`), Agent, `1 1:{"prot /manifest_update direction: no such member;  (only the game tells of its manifest)`},
		{of("heartbeat", `,"manifest_update":{"type":"session_init",`+world+`}`), Game,
			"1 1:{\"type /manifest_update/protocol protocol: \"aicc/0.1\", required; nothing (manifest_update is the whole session_init without session_id and message_id)\n1 1:{\"type /manifest_update/tools protocol: an array, each item an object with \"id\", \"class\", \"description\", \"input_schema\" and \"output_schema\", required; nothing (manifest_update is the whole session_init without session_id and message_id)"},
		{strings.Replace(call, "aicc/0.1", "aicc/0.2", 1), Anyone, `1 1:"aicc/ /protocol schema schema: "aicc/0.1"; "aicc/0.2" (every message says "protocol":"aicc/0.1")`},
		{strings.Replace(call, `"walk_to"`, `"WalkTo"`, 1), Anyone, `1 1:"WalkT /tool schema schema: a string that matches ^[a-z][a-z0-9_]*$; "WalkTo" (tool ids are in snake_case: small letters, digits and _, a letter first)`},
		{strings.Replace(call, `"input":{}`, `"input":[],"extra":1`, 1), Anyone, "1 1:[],\"ex /input schema schema: an object; [] ()\n1 1:1} /extra schema schema: no member of this name (known: \"protocol\", \"type\", \"session_id\", \"message_id\", \"call_id\", \"tool\" and \"input\"); 1 (leave it out: what is a game's own goes into input, output, payload or meta)"},
		{strings.Replace(call, `"call_id":"c1",`, ``, 1), Anyone, `1 1:{"prot /call_id schema schema: a string (at least 1 character), required; nothing (add call_id)`},
		{strings.Replace(call, `"c1"`, `"`+strings.Repeat("c", 257)+`"`, 1), Anyone, `1 1:"ccccc /call_id protocol: at most 256 bytes; 257 (make call ids short: a UUID or a counter)`},
		{strings.Replace(call, "1111-", "111-", 1), Anyone, `1 1:"11111 /session_id schema schema: a string that is a UUID such as 123e4567-e89b-12d3-a456-426614174000; "1111111-2222-4333-8444-555555555555" (use the id that the game's session_init came with)`},
		{strings.Replace(call, `"11111111`, `"urn:uuid:11111111`, 1), Anyone, `1 1:"urn:u /session_id protocol: a string that is a UUID such as 123e4567-e89b-12d3-a456-426614174000; "urn:uuid:11111111-2222-4333-8444-555555555555" (use the id that the game's session_init came with)`},
		{of("tool_result", `,"call_id":"c","ok":true`), Anyone, `1 1:{"prot /output protocol: an object, since ok is true; nothing (a result has output exactly when ok is true, and error exactly when it is false)`},
		{of("tool_result", `,"call_id":"c","ok":false,"output":{}`), Anyone, `1 1:{}} /output protocol: no output, since ok is false; an object (a result has output exactly when ok is true, and error exactly when it is false)`},
		{`{"type":"tool_cal","x":1}`, Anyone, "1 1:{\"type /message_id schema schema: a string (a UUID such as 123e4567-e89b-12d3-a456-426614174000), required; nothing (make a random UUID for each message)\n1 1:{\"type /protocol schema schema: \"aicc/0.1\", required; nothing (every message says \"protocol\":\"aicc/0.1\")\n1 1:{\"type /session_id schema schema: a string (a UUID such as 123e4567-e89b-12d3-a456-426614174000), required; nothing (use the id that the game's session_init came with)\n1 1:\"tool_ /type schema schema: one of \"session_init\", \"session_resume\", \"session_close\", \"manifest_request\", \"tool_call\", \"tool_result\", \"event\", \"error\" or \"heartbeat\" (did you mean \"tool_call\"?); \"tool_cal\" (the type decides what else the message has)"},
		{of("session_init", `,`+world+`,"tools":[{"id":"a","class":"sensor","description":"A.","input_schema":{"type":"objekt"},"output_schema":{}},{"id":"a","class":"sensor","description":"B.","input_schema":{},"output_schema":{}}]`), Anyone,
			"1 1:\"objek /tools/0/input_schema/type protocol: a JSON Schema that bridges take; unknown type \"objekt\" (did you mean \"object\"?) (`aicc lint` says more of a manifest's schemas)\n1 1:\"a\",\"c /tools/1/id protocol: an id that no other tool of the session has; \"a\", as /tools/0 has (ids are unique within a session: rename one of the two)"},
		{"", Anyone, ``},
		{"[]", Anyone, ``},
		{"null", Anyone, `1 1:null  schema schema: an object; null (a message is a JSON object)`},
		{"\ufeff" + call, Anyone, "1 1:\ufeff{\"pro  json schema: JSON; a byte order mark is not accepted (save the file as UTF-8 without a byte order mark)"},
		{`{"a":1,"a":2}`, Anyone, `1 1:"a":2} /a json: JSON; duplicate member (give each member of an object once)`},
		{beat + "\n" + `{"protocol":"aicc` + "\n" + beat + "\n}\n" + beat, Anyone, "2 2: /protocol json schema: JSON; the text ends inside a string ()\n4 4:}  json schema: JSON; a value was wanted, '}' came ()"},
		{beat + "\n\n{\n  \"protocol\": \"aicc/0.1\",\n  \"ty\u00e4e\": 1\n}\n" + beat, Anyone, "2 3:{ /message_id schema schema: a string (a UUID such as 123e4567-e89b-12d3-a456-426614174000), required; nothing (make a random UUID for each message)\n2 3:{ /session_id schema schema: a string (a UUID such as 123e4567-e89b-12d3-a456-426614174000), required; nothing (use the id that the game's session_init came with)\n2 3:{ /type schema schema: one of \"session_init\", \"session_resume\", \"session_close\", \"manifest_request\", \"tool_call\", \"tool_result\", \"event\", \"error\" or \"heartbeat\", required; nothing (is \"tyäe\" meant to be \"type\"?) (the type decides what else the message has)"},
		{"[" + beat + ",\n" + strings.Replace(beat, "heartbeat", "beat", 1) + "]", Anyone, `2 2:"beat" /type schema schema: one of "session_init", "session_resume", "session_close", "manifest_request", "tool_call", "tool_result", "event", "error" or "heartbeat"; "beat" (the type decides what else the message has)`},
		{`{"time_ms":1,"direction":"to_bridge","message":` + of("tool_result", `,"call_id":"c","ok":true,"output":{}`) + `}`, Anyone, `1 1:"tool_ /type direction: a message that an agent sends; "tool_result" (only the game sends tool_result)`},
		{`{"time_ms":1,"direction":"to_agent","message":` + beat + `}`, Anyone, ``},
		{"[" + beat + ",", Anyone, `1 1: /1 json schema: JSON; a value was wanted, the end of the text came ()`},
	} {
		var got []string
		for _, f := range Check([]byte(c.text), Options{From: c.from}).Faults {
			rule := f.Rule
			if f.Schema {
				rule += " schema"
			}
			there := []rune(strings.Split(c.text, "\n")[f.Line-1])[f.Column-1:]
			got = append(got, fmt.Sprintf("%d %d:%s %s %s: %s; %s (%s)", f.Message, f.Line, string(there[:min(6, len(there))]), f.Pointer, rule, f.Wanted, f.Got, f.Fix))
		}
		require.Equal(t, c.want, strings.Join(got, "\n"), c.text)
	}
}

func TestCounts(t *testing.T) {
	r := Check([]byte(beat+"\n"+call+"\n{}\n"+beat), Options{MaxFaults: 2})
	require.Equal(t, 4, r.Messages)
	require.Equal(t, 1, r.Bad)
	require.Len(t, r.Faults, 2)
	require.Equal(t, 2, r.More)
	require.Equal(t, map[string]int{"heartbeat": 2, "tool_call": 1}, r.Types)
	r = Check(nil, Options{})
	require.Zero(t, r.Messages)
	many := Check([]byte(of("session_init", `,`+world+`,"tools":[`+strings.Repeat(`{},`, 30)+`{}]`)), Options{})
	require.Len(t, many.Faults, 16) // as many as a checker tells
	require.Equal(t, 31*5-16, many.More)
}

// Calls and results are held to the manifest of their session, if that is asked for.
func TestCallsFitTheManifest(t *testing.T) {
	tools := `"tools":[{"id":"walk_to","class":"actuator","description":"Walks.","input_schema":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},"output_schema":{"required":["at"]}}]`
	text := strings.Join([]string{
		strings.Replace(call, `"walk_to"`, `"fly_to"`, 1), // no manifest yet
		of("session_init", `,`+world+`,`+tools),
		strings.Replace(call, `{}`, `{"n":3,"more":1}`, 1),
		strings.Replace(call, `{}`, `{"n":"3"}`, 1), // repaired
		strings.Replace(call, `"walk_to"`, `"fly_to"`, 1),
		call,
		of("tool_result", `,"call_id":"c1","ok":true,"output":{}`),
		of("tool_result", `,"call_id":"c1","ok":true,"output":{"at":1}`),
		of("tool_result", `,"call_id":"c9","ok":true,"output":{}`),
		strings.ReplaceAll(call, "11111111-2222-4333-8444-555555555555", "99999999-2222-4333-8444-555555555555"), // another session
		of("heartbeat", `,"manifest_update":{"protocol":"aicc/0.1","type":"session_init",`+world+`,`+strings.Replace(tools, "walk_to", "fly_to", 1)+`}`),
		call,
		of("tool_result", `,"call_id":"c1","ok":true,"output":{}`),
	}, "\n")
	require.Empty(t, Check([]byte(text), Options{}).Faults)
	var got []string
	for _, f := range Check([]byte(text), Options{Calls: true}).Faults {
		require.False(t, f.Schema)
		got = append(got, fmt.Sprintf("%d %s %s: %s; %s", f.Message, f.Pointer, f.Rule, f.Wanted, f.Got))
	}
	require.Equal(t, []string{
		`5 /tool manifest: a tool of the manifest: walk_to; "fly_to"`,
		`6 /input/n manifest: an integer, required; nothing`,
		`7 /output/at manifest: a value, required; nothing`,
		`12 /tool manifest: a tool of the manifest: fly_to; "walk_to"`,
	}, got)
}

// Messages of a file are found whatever stands between them.
func TestMessagesAreFound(t *testing.T) {
	pretty := "{\n  \"protocol\": \"aicc/0.1\",\n  \"type\": \"heartbeat\",\n  " + session + "\n}"
	for _, text := range []string{beat + beat + beat, beat + "\n" + beat + "\n" + beat, beat + " " + pretty + "\r\n" + beat + "\n\n", "[" + beat + "," + pretty + "\n," + beat + "]", "\n\n" + pretty + pretty + beat} {
		r := Check([]byte(text), Options{})
		require.Equal(t, 3, r.Types["heartbeat"], text)
		require.Equal(t, 3, r.Messages)
		require.Empty(t, r.Faults)
	}
	// What is broken costs itself alone.
	for _, broken := range []string{`{"a":"`, `{"a":[`, `{`, `hello`, `}`, `{"a":1}}`, "{\"a\":\n 1", `"`, `{"protocol":"aicc/0.1","type":"heart`} {
		r := Check([]byte(beat+"\n"+broken+"\n"+beat+"\n"+beat), Options{})
		require.Equal(t, 3, r.Types["heartbeat"], broken)
		require.NotZero(t, r.Bad, broken)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(call), byte(0))
	f.Add([]byte("["+beat+","+call+"]"), byte(1))
	f.Add([]byte(`{"direction":"to_agent","message":`+beat+`}`+"\n"+beat), byte(2))
	f.Add([]byte(of("session_init", `,`+world+`,"tools":[{"id":"a","class":"sensor","description":"A.","input_schema":{"$ref":"#"},"output_schema":{}}]`)), byte(2))
	f.Add([]byte("{\"a\":\"\n{}{}[\n{]}"), byte(0))
	f.Fuzz(func(t *testing.T, text []byte, from byte) {
		r := Check(text, Options{From: Side(from % 3), Calls: from > 127})
		require.LessOrEqual(t, r.Bad, r.Messages)
		require.Equal(t, r.Bad > 0, len(r.Faults) > 0)
		good := 0
		for _, n := range r.Types {
			good += n
		}
		require.Equal(t, r.Messages, good+r.Bad)
		for _, one := range r.Faults {
			require.True(t, one.Line >= 1 && one.Line <= bytes.Count(text, []byte("\n"))+1 && one.Column >= 1)
		}
		// A single message that is good here is good for whoever receives it.
		if r.Messages == 1 && r.Bad == 0 && from%3 == 0 && from < 128 && bytes.HasPrefix(text, []byte(`{"protocol"`)) && len(text) <= 1<<20 {
			var m message.Message
			require.Nil(t, message.Decode(text, &m))
		}
	})
}
