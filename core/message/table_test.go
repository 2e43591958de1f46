package message

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	testSession = "11111111-2222-4333-8444-555555555555"
	testMessage = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
)

func envelope(typ string) string {
	return `{"protocol":"aicc/0.1","type":"` + typ + `","session_id":"` + testSession + `","message_id":"` + testMessage + `"`
}

const testTool = `{"id":"move_to","class":"actuator","description":"Walk.","input_schema":{"type":"object"},"output_schema":{},` +
	`"limits":{"calls_per_minute":60,"calls_per_session":5},"requires_capability":"locomotion","strict_input":true}`

// bases are good messages, the shortest that have every member.
var bases = map[string]string{
	"init": envelope("session_init") + `,"tick_rate_hz":20,"tick_mode":"hybrid","world":{"name":"Keep","kind":"3d"},` +
		`"capabilities":{"sensors":["vision"],"actuators":[],"generators":[]},"tools":[` + testTool + `],` +
		`"agent_model":{"class":"edge_small","expected_first_token_ms":300,"expected_full_response_ms":900},"event_subscriptions":["tick"]}`,
	"resume":  envelope("session_resume") + `}`,
	"close":   envelope("session_close") + `,"reason":"bye"}`,
	"request": envelope("manifest_request") + `}`,
	"call":    envelope("tool_call") + `,"call_id":"c1","tool":"move_to","input":{"x":1.5}}`,
	"result":  envelope("tool_result") + `,"call_id":"c1","ok":true,"output":{"done":true},"meta":{"tick":7,"latency_ms":12,"source":"keep"}}`,
	"fail":    envelope("tool_result") + `,"call_id":"c1","ok":false,"error":{"code":"timeout","message":"too slow","retryable":true}}`,
	"event":   envelope("event") + `,"topic":"collision","payload":{"with":"wall"},"meta":{"tick":7}}`,
	"error":   envelope("error") + `,"error":{"code":"internal_error","message":"oops","retryable":false}}`,
	"beat":    envelope("heartbeat") + `,"manifest_update":{"type":"session_init"}}`,
}

// mutate replaces the last occurrence of old in a base. Without a base, old is the message.
func mutate(t testing.TB, base, old, with string) []byte {
	if base == "" {
		return []byte(old)
	}
	text := bases[base]
	i := strings.LastIndex(text, old)
	require.GreaterOrEqual(t, i, 0, "%s has no %s", base, old)
	return []byte(text[:i] + with + text[i+len(old):])
}

type row struct {
	line int
	src  []byte
	want string // the fault's text; "" for a good message
}

// table reads testdata/messages.tsv.
func table(t testing.TB) []row {
	file, err := os.ReadFile(filepath.Join("testdata", "messages.tsv"))
	require.NoError(t, err)
	short := strings.NewReplacer("$S", testSession, "$M", testMessage, "$TOOL", testTool,
		"$TYPES", "one of session_init, session_resume, session_close, manifest_request, tool_call, tool_result, event, error, heartbeat was wanted",
		"$CODES", "one of protocol_mismatch, session_expired, tool_unknown, tool_unavailable, invalid_input, execution_failed, timeout, internal_error was wanted")
	var rows []row
	for i, line := range strings.Split(strings.TrimSuffix(string(file), "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(line, "\t")
		require.Len(t, c, 4, "line %d", i+1)
		for j := range c {
			c[j] = short.Replace(c[j])
		}
		rows = append(rows, row{i + 1, mutate(t, c[0], c[1], c[2]), c[3]})
	}
	return rows
}

func TestTable(t *testing.T) {
	j := newJudge(t)
	var m Message
	good, bad := 0, 0
	for _, r := range table(t) {
		f := Decode(r.src, &m)
		if r.want == "" {
			require.Nil(t, f, "line %d: %s", r.line, r.src)
			good++
		} else {
			require.NotNil(t, f, "line %d: %s", r.line, r.src)
			require.Equal(t, r.want, f.Text, "line %d: %s", r.line, r.src)
			bad++
		}
		require.Equal(t, r.want == "", j.accepts(r.src), "the schema's verdict, line %d: %s", r.line, r.src)
	}
	require.GreaterOrEqual(t, good, 70)
	require.GreaterOrEqual(t, bad, 200)
}
