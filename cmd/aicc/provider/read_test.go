package provider

import (
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

func TestReadTakesEveryForm(t *testing.T) {
	const tool = `{"id":"go","class":"actuator","description":"Goes.","input_schema":{"type":"object"},"output_schema":{},"limits":{"calls_per_minute":2,"calls_per_session":9},"requires_capability":"walk","strict_input":true}`
	want := message.Tool{ID: "go", Class: message.Actuator, Description: "Goes.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{}`), CallsPerMinute: 2, CallsPerSession: 9,
		RequiresCapability: "walk", StrictInput: true}
	for text, place := range map[string]string{
		tool:                       "",
		" [" + tool + "]":          "/0",
		`{"tools":[` + tool + `]}`: "/tools/0",
		`{"type":"session_init","world":{"name":"yard"},"capabilities":{"actuators":["walk"],"sensors":["see"]},"tools":[` + tool + `]}`: "/tools/0",
		`{"type":"heartbeat","manifest_update":{"tools":[` + tool + `]}}`:                                                                "/manifest_update/tools/0",
	} {
		s, fault := Read([]byte(text))
		require.Nil(t, fault, text)
		require.Equal(t, []message.Tool{want}, s.Tools)
		require.Equal(t, place, s.Places[0].Pointer)
		require.Equal(t, s.Places[0].Offset, Locate([]byte(text), place))
		require.Equal(t, tool[:10], text[s.Places[0].Offset:][:10])
		require.False(t, s.MCP)
		if s.World != "" {
			require.Equal(t, "yard", s.World)
			require.Equal(t, []string{"see", "walk"}, s.Held)
		} else {
			require.Nil(t, s.Held)
		}
	}
	s, fault := Read([]byte(`{"tools":[{"name":"a/b","annotations":{"readOnlyHint":true},"inputSchema":{}},{"name":"c"}]}`))
	require.Nil(t, fault)
	require.True(t, s.MCP)
	require.Equal(t, []message.Tool{{ID: "a/b", Class: message.Sensor, InputSchema: []byte(`{}`)}, {ID: "c", Class: message.Actuator}}, s.Tools)
	require.Equal(t, "inputSchema", s.Places[0].Input)
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]Fault{
		``:                                  {0, "", "this is not JSON: the text is empty"},
		`{"tools":[}`:                       {10, "/tools/0", "this is not JSON: a value was wanted, '}' came"},
		` 3`:                                {1, "", "a manifest was wanted, or an array of tools"},
		`{}`:                                {0, "", `this has no "tools": a manifest was wanted (a session_init, or an object with "tools"), or an array of tools`},
		`{"tools":{}}`:                      {9, "/tools", "an array of tools was wanted"},
		`{"manifest_update":1}`:             {19, "/manifest_update", "an object was wanted"},
		`{"manifest_update":{"id":"a"}}`:    {19, "/manifest_update", `this has no "tools": a manifest was wanted (a session_init, or an object with "tools"), or an array of tools`},
		`[{"id":"a"},1]`:                    {12, "/1", "a tool was wanted, which is an object"},
		`[{}]`:                              {1, "/0", `a tool was wanted, this has no "id"`},
		`[{"id":1}]`:                        {7, "/0/id", "text was wanted"},
		`[{"id":"a","input_schema":true}]`:  {26, "/0/input_schema", "a JSON Schema was wanted, which is an object here"},
		`[{"name":"a","outputSchema":[]}]`:  {28, "/0/outputSchema", "a JSON Schema was wanted, which is an object here"},
		`[{"id":"a","id":"b","limits":{}}]`: {11, "/0/id", "this is not JSON: " + jsonwire.DuplicateMember},
	} {
		s, fault := Read([]byte(text))
		require.Nil(t, s, text)
		require.Equal(t, &want, fault, text)
	}
	require.Equal(t, "at /tools: an array of tools was wanted", (&Fault{9, "/tools", "an array of tools was wanted"}).Error())
}

func TestPlaces(t *testing.T) {
	text := []byte("{\"a\": [1,\n  {\"ü/~\": \"ä\", \"b\": 2}]}")
	for pointer, want := range map[string]string{"": "f:1:1", "/a": "f:1:7", "/a/1": "f:2:3", "/a/1/b": "f:2:21", "/a/1/ü~1~0": "f:2:11", "/a/9": "f:1:7", "/a/1/x": "f:2:3", "/a/0/x": "f:1:8"} {
		require.Equal(t, want, At("f", text, Locate(text, pointer)), pointer)
	}
	require.Equal(t, "f:2:25", At("f", text, 1000))
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"manifest_update":{"capabilities":{"sensors":["a",1]},"tools":[{"id":"a","limits":{"calls_per_minute":1e9999},"input_schema":{}}]}}`))
	f.Add([]byte(`[{"name":"\ud800","annotations":[]}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, fault := Read(text)
		if fault != nil {
			require.Nil(t, s)
			require.True(t, fault.Offset >= 0 && fault.Offset <= len(text))
			return
		}
		require.Len(t, s.Places, len(s.Tools))
		for _, p := range s.Places {
			require.Equal(t, p.Offset, Locate(text, p.Pointer))
		}
	})
}
