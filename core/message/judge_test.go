package message

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/kaptinlin/jsonschema"
	"github.com/stretchr/testify/require"
)

// judge says what the protocol's schema says of a message. Each type's definition is compiled on
// its own and chosen by the message's type, since the whole oneOf is slow; format is asserted. The schema
// library is not safe for concurrent use.
type judge struct {
	mu   sync.Mutex
	defs map[string]*jsonschema.Schema
}

var defNames = map[string]string{"session_init": "sessionInit", "session_resume": "sessionResume", "session_close": "sessionClose",
	"manifest_request": "manifestRequest", "tool_call": "toolCall", "tool_result": "toolResult", "event": "event", "error": "errorMessage", "heartbeat": "heartbeat"}

func newJudge(tb testing.TB) *judge {
	var schema map[string]any
	require.NoError(tb, json.Unmarshal(SchemaJSON, &schema))
	require.Len(tb, schema["oneOf"], len(defNames))
	delete(schema, "oneOf")
	delete(schema, "$id")
	j := &judge{defs: map[string]*jsonschema.Schema{}}
	for name, def := range defNames {
		require.Contains(tb, schema["$defs"], def)
		schema["$ref"] = "#/$defs/" + def
		text, err := json.Marshal(schema)
		require.NoError(tb, err)
		c := jsonschema.NewCompiler()
		c.SetAssertFormat(true)
		c.Loaders = nil
		j.defs[name], err = c.Compile(text)
		require.NoError(tb, err)
	}
	return j
}

func (j *judge) accepts(src []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(src))
	dec.UseNumber()
	var v map[string]any
	if !json.Valid(src) || dec.Decode(&v) != nil || v == nil {
		return false
	}
	name, _ := v["type"].(string)
	j.mu.Lock()
	defer j.mu.Unlock()
	def := j.defs[name]
	return def != nil && def.ValidateMap(v).IsValid()
}

func TestSchemaIsTheSpecification(t *testing.T) {
	spec, err := os.ReadFile(filepath.Join("..", "..", "..", "shared", "spec", "aicc.schema.json"))
	if os.IsNotExist(err) {
		if os.Getenv("CI") == "true" {
			t.Fatal("../shared/spec/aicc.schema.json, beside the repository, is missing")
		}
		t.Skip("TestSchemaIsTheSpecification: ../shared/spec/aicc.schema.json is missing")
	}
	require.NoError(t, err)
	require.True(t, bytes.Equal(spec, SchemaJSON), "core/message/aicc.schema.json differs from the specification's")
}

// The words of every enum are the schema's, in its order.
func TestEnumsAreTheSchemas(t *testing.T) {
	var schema struct {
		Defs map[string]struct {
			Enum       []string
			Properties map[string]struct {
				Enum       []string
				Properties map[string]struct{ Enum []string }
			}
		} `json:"$defs"`
	}
	require.NoError(t, json.Unmarshal(SchemaJSON, &schema))
	same := func(want []string, count int, name func(i uint8) string, parse func(s string) uint8) {
		require.Len(t, want, count)
		for i, w := range want {
			require.Equal(t, w, name(uint8(i+1)))
			require.Equal(t, uint8(i+1), parse(w))
		}
		require.Empty(t, name(0))
		require.Empty(t, name(uint8(count+1)))
		require.Empty(t, name(255))
		for _, bad := range []string{"", "x", want[0] + " ", want[0][1:]} {
			require.Zero(t, parse(bad))
		}
	}
	d := schema.Defs
	same(d["envelope"].Properties["type"].Enum, TypeCount, func(i uint8) string { return Type(i).String() }, func(s string) uint8 { return uint8(ParseType(s)) })
	same(d["errorCode"].Enum, ErrorCodeCount, func(i uint8) string { return ErrorCode(i).String() }, func(s string) uint8 { return uint8(ParseErrorCode(s)) })
	same(d["toolClass"].Enum, ToolClassCount, func(i uint8) string { return ToolClass(i).String() }, func(s string) uint8 { return uint8(ParseToolClass([]byte(s))) })
	same(d["tickMode"].Enum, TickModeCount, func(i uint8) string { return TickMode(i).String() }, func(s string) uint8 { return uint8(ParseTickMode(s)) })
	same(d["worldKind"].Enum, WorldKindCount, func(i uint8) string { return WorldKind(i).String() }, func(s string) uint8 { return uint8(ParseWorldKind(s)) })
	same(d["modelClass"].Enum, ModelClassCount, func(i uint8) string { return ModelClass(i).String() }, func(s string) uint8 { return uint8(ParseModelClass(s)) })

	topics := d["event"].Properties["topic"].Enum
	require.Len(t, topics, TopicCount)
	var all Topic
	for i, w := range topics {
		require.Equal(t, w, Topic(1<<i).String())
		require.Equal(t, Topic(1<<i), ParseTopic(w))
		all |= Topic(1 << i)
	}
	require.Equal(t, TopicAll, all)
	require.Equal(t, []Topic{1, 2, 4, 8, 16}, []Topic{TopicTick, TopicCollision, TopicAudio, TopicStateChange, TopicAgentMessage})
	require.Empty(t, TopicAll.String())
	require.Empty(t, Topic(0).String())
	require.Zero(t, ParseTopic("weather"))
}

func TestFromAgent(t *testing.T) {
	for typ, want := range map[Type]bool{0: false, SessionInit: false, SessionResume: true, SessionClose: true, ManifestRequest: true, ToolCall: true,
		ToolResult: false, Event: true, ErrorMessage: true, Heartbeat: true} {
		require.Equal(t, want, FromAgent(typ), typ.String())
	}
}
