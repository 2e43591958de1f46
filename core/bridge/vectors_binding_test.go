package bridge

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What the vectors' README says of other implementations, as code: they are held to values, not to bytes, and to what a text must have in it.

var (
	textIDs      = regexp.MustCompile(`[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|call_id "[^"]*"`)
	textPointers = regexp.MustCompile(`(?m)(?:^|at )(/[^ :]*):`)
)

// binds tells whether a message is what a vector expects, of any implementation.
func binds(expected, got map[string]any) bool {
	e, g := clone(expected), clone(got)
	want, have := takeMember(e, "error", "message"), takeMember(g, "error", "message")
	if want != nil {
		text, ok := have.(string)
		if !ok || text == "" {
			return false
		}
		for _, id := range textIDs.FindAllString(want.(string), -1) {
			if !strings.Contains(text, strings.TrimPrefix(id, "call_id ")) {
				return false
			}
		}
		for _, p := range textPointers.FindAllStringSubmatch(want.(string), -1) {
			_, rest, found := strings.Cut(text, p[1])
			if !found {
				return false
			}
			text = rest
		}
	}
	for _, m := range []map[string]any{e, g} {
		takeMember(m, "meta", "source")
		if meta, _ := m["meta"].(map[string]any); meta["retry_after_ms"] == 1000.0 {
			delete(meta, "retry_after_ms")
		}
		if m["type"] == "session_close" {
			delete(m, "reason")
		}
	}
	return reflect.DeepEqual(e, g)
}

func clone(m map[string]any) (c map[string]any) {
	text, _ := json.Marshal(m)
	_ = json.Unmarshal(text, &c)
	return c
}

func takeMember(m map[string]any, object, name string) any {
	inner, _ := m[object].(map[string]any)
	v := inner[name]
	delete(inner, name)
	return v
}

// Every message of every vector binds itself, in other words too, and nothing that says something else.
func TestVectorsBind(t *testing.T) {
	messages, texts := 0, 0
	var walk func(steps []json.RawMessage)
	walk = func(steps []json.RawMessage) {
		for _, raw := range steps {
			s := parseStep(t, raw)
			walk(s.Steps)
			for _, line := range s.Expect {
				var entry struct{ Message map[string]any }
				require.NoError(t, json.Unmarshal(line, &entry))
				if entry.Message == nil {
					continue
				}
				messages++
				m := entry.Message
				require.True(t, binds(m, m))
				for name := range m {
					if other := clone(m); name != "reason" {
						delete(other, name)
						require.False(t, binds(m, other), "%s without %s", line, name)
					}
				}
				said, is := m["error"].(map[string]any)
				if !is {
					continue
				}
				texts++
				other := clone(m)
				with := other["error"].(map[string]any)
				with["message"] = "Pardon? " + strings.Join(textIDs.FindAllString(said["message"].(string), -1), "") + strings.Join(textPointers.FindAllString(said["message"].(string), -1), "\n")
				require.True(t, binds(m, other), "%s", line)
				with["message"] = "No."
				require.Equal(t, len(textIDs.FindAllString(said["message"].(string), -1))+len(textPointers.FindAllString(said["message"].(string), -1)) == 0, binds(m, other), "%s", line)
				with["message"], with["retryable"] = said["message"], said["retryable"] != true
				require.False(t, binds(m, other), "%s", line)
			}
		}
	}
	for _, file := range vectorFiles(t) {
		walk(readVector(t, file).Steps)
	}
	require.Greater(t, messages, 400)
	require.Greater(t, texts, 100)
}
