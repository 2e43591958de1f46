package schema

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpecSchemas holds documents against the two schemas of the protocol.
func TestSpecSchemas(t *testing.T) {
	spec := func(name string) *Schema {
		path := filepath.Join(dataDir(t, ""), "..", "spec", name)
		text, err := os.ReadFile(path)
		if err != nil && os.Getenv("CI") != "true" {
			t.Skipf("the specification %s is not here", name)
		}
		require.NoError(t, err)
		return mustCompile(t, string(text), Options{Role: Output})
	}
	const head = `{"protocol":"aicc/0.1","session_id":"123e4567-e89b-12d3-a456-426614174000","message_id":"123e4567-e89b-12d3-a456-426614174001",`
	aicc := spec("aicc.schema.json")
	var c Checker
	for _, one := range []struct{ message, fault string }{
		{head + `"type":"tool_call","call_id":"1","tool":"move_to","input":{}}`, ""},
		{head + `"type":"heartbeat"}`, ""},
		{head + `"type":"tool_call","call_id":"1","tool":"Move To","input":{}}`, `/tool: wanted a string that matches ^[a-z][a-z0-9_]*$; got "Move To"`},
		{head + `"type":"tool_result","call_id":"1","ok":true,"output":null}`, `/output: wanted an object; got null`},
		{head + `"type":"tool_cal","call_id":"1","tool":"move_to","input":{}}`, `/type: wanted "session_init" or "session_resume" or "session_close" or "manifest_request" or "tool_call" or "tool_result" or "event" or "error" or "heartbeat"; got "tool_cal"`},
		{head + `"type":"event","topic":"tick"}`, `/payload: wanted an object, required; got nothing`},
	} {
		require.Equal(t, one.fault == "", aicc.Check(&c, checked(t, one.message)), "%s: %s", one.message, c.Message())
		require.Equal(t, one.fault, c.Message())
	}
	anp2 := spec("anp2.cap.v1.json")
	files, err := filepath.Glob(filepath.Join(dataDir(t, "anp2"), "*.v1.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		body, err := os.ReadFile(file)
		require.NoError(t, err)
		require.True(t, json.Valid(body))
		require.True(t, anp2.Check(&c, checked(t, string(body))), "%s: %s", file, c.Message())
	}
	require.False(t, anp2.Check(&c, []byte(`{"name":"X","version":"1"}`)))
	require.Equal(t, "/name: wanted a string that matches ^[a-z0-9_]+(\\.[a-z0-9_]+){0,5}$; got \"X\"\n/version: wanted a string that matches ^[0-9]+\\.[0-9]+$; got \"1\"", c.Message())
}
