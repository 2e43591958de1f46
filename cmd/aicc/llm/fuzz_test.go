package llm

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

// Whatever a model writes for arguments: what is run is an object that the protocol takes, JSON as it should be stays what it is, and what is
// mended fits its schema where it did not.
func FuzzArguments(f *testing.F) {
	for _, s := range []string{``, `null`, `{"depth":1}`, `"{\"depth\":\"1\"}"`, "```json\n{\"depth\":\"1\",\"bait\":null}\n```", `{}{"depth":2}`, `{"depth":1} and so on`, `x {"depth":1`, `{"at":"{\"x\":1}","depth":"0x1"}`,
		`[{"depth":1}]`, `{"depth":1,"depth":2}`, "{\"bait\":\"\xff\\ud800\"}", `"\"\\\"{}\\\"\""`, `{"at":{"x":"1"},"depth":3.0}`} {
		f.Add([]byte(s))
	}
	trap := gameTools[4]
	box := newToolbox(&message.Manifest{WorldName: "w", Tools: []message.Tool{{ID: trap.id, Class: trap.class, Description: trap.description, InputSchema: []byte(trap.input), StrictInput: true}}})
	f.Fuzz(func(t *testing.T, text []byte) {
		obj, _, err := object(string(text))
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		kind, bad := check(obj)
		require.NoError(t, bad)
		require.Equal(t, jsonwire.Object, kind)
		if kind, bad := check(bytes.Clone(text)); bad == nil && kind == jsonwire.Object {
			require.True(t, jsonwire.Equal(obj, bytes.TrimSpace(text)))
		}
		tool := box.tools[trap.id]
		mended, where := tool.mend(bytes.Clone(obj))
		var c schema.Checker
		fits := tool.exact.Check(&c, mended)
		require.Equal(t, len(where) == 0, bytes.Equal(mended, obj) || jsonwire.Equal(mended, obj))
		require.True(t, fits || len(where) == 0)
		require.True(t, json.Valid([]byte(refusalOf(tool, mended))))
	})
}

func refusalOf(t *tool, input []byte) string {
	return bad(fault{Code: "invalid_input", Faults: t.slips(input)}).text()
}
