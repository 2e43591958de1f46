package bridge

import (
	"strings"
	"testing"

	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

// Each bound of 5.18 is an option of the bridge, with the bound itself as its maximum.
func TestBoundsAreOptions(t *testing.T) {
	g := ready(t, with(CreateIntMaxCalls, 2), with(CreateIntMaxCallID, 3), with(CreateIntMaxToolID, 4), with(CreateIntMaxDescription, 10),
		with(CreateIntMaxManifest, 32<<10), with(CreateIntMaxOutput, 1024))
	require.Nil(t, g.tool(2, toolDef{id: "four"}))
	require.Equal(t, &Failure{Status: StatusName, Field: "id", Message: "a tool's id is [a-z][a-z0-9_]*, at most 4 bytes"}, g.tool(3, toolDef{id: "fives"}))
	g.step(Record{Kind: RecToolRegister, Object: 3, Arg: 9, Data: AppendFields(nil, []int64{1}, "t", "eleven long")})
	require.Equal(t, &Failure{Status: StatusName, Field: "description", Message: "a tool needs a description of 1 to 10 bytes of UTF-8: it is all that the agent knows of it"}, g.reply)
	require.Equal(t, &Failure{Status: StatusFull, Field: "description", Message: "with this tool the manifest would pass 32768 bytes: shorten descriptions or schemas"},
		g.tool(3, toolDef{id: "wide", in: `{"type":"object","description":"` + strings.Repeat("x", 16<<10) + `"}`}))
	g.after(1000)
	g.forget()

	g.call("abcd", "go", `{}`)
	g.then(`s1 {"error","error":{"code":"invalid_input","message":"at /call_id: at most 3 bytes were wanted, 4 came (message ` + said(1) + `)","retryable":false}}`)
	g.call("abc", "go", `{}`)
	g.call("b", "go", `{}`)
	g.forget()
	g.call("c", "go", `{}`)
	g.after(1)
	require.Contains(t, g.log[len(g.log)-1], `"message":"2 calls may be in flight, and as many are: wait for a result and call again","retryable":true`)
	g.answer("abc", `{"x":"`+strings.Repeat("x", 1024-8)+`"}`)
	g.after(1)
	require.Contains(t, g.log[len(g.log)-1], `"ok":true`)
	g.answer("b", `{"x":"`+strings.Repeat("x", 1024-7)+`"}`)
	g.after(1)
	require.Contains(t, g.log[len(g.log)-1], `"internal_error"`)

	for _, over := range []struct {
		place int
		value int64
		field string
	}{
		{CreateIntMaxCalls, 17, "max_calls_in_flight"}, {CreateIntMaxCallID, 257, "max_call_id_bytes"}, {CreateIntMaxToolID, 65, "max_tool_id_bytes"},
		{CreateIntMaxDescription, 65537, "max_description_bytes"}, {CreateIntMaxManifest, 1<<20 + 1, "max_manifest_bytes"}, {CreateIntMaxOutput, 256<<10 + 1, "max_output_bytes"},
	} {
		ints := make([]int64, CreateInts)
		ints[CreateIntSeed], ints[CreateIntHeartbeatMS], ints[over.place] = 7, 15_000, over.value
		_, failure := New(g, &Record{Kind: RecCreate, Data: AppendFields(nil, ints, "yard")}, 0, nil)
		require.NotNil(t, failure)
		require.Equal(t, over.field, failure.Field)
	}
}

// 5.14: the model slows periodic ticks, unless an option turns that off.
func TestAnyTickRate(t *testing.T) {
	for option, want := range map[int64]int{0: 1, 1: 20} {
		g := newRig(t, with(CreateIntAnyTickRate, option))
		g.session(1, message.TopicTick)
		g.attach(1, 0)
		g.after(1)
		g.forget()
		for range 1000 {
			g.after(1)
		}
		require.Len(t, g.log, want, "ticks in a second at 20 Hz, for a model that is asked once a second")
	}
}
