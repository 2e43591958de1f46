package chat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/llm/fakemodel"
)

// There are servers that call every call of a turn call_0. What the model meant is run all the same, under ids of our own.
func TestOneIDForTwoCalls(t *testing.T) {
	call := func(name, args string) fakemodel.Call { return fakemodel.Call{ID: "call_0", Name: name, Args: args} }
	places := []fakemodel.Call{call("walk_to", `{"place":"gate"}`), call("walk_to", `{"place":"yard"}`)}
	tools := []fakemodel.Call{call("walk_to", `{}`), call("look", `{}`)}
	same := []fakemodel.Call{call("look", `{}`), call("look", `{}`)}
	whole := func(a fakemodel.Answer) fakemodel.Reply { return a.Plain() }
	stream := func(a fakemodel.Answer) fakemodel.Reply { return a.Stream() }
	for name, c := range map[string]struct {
		shape fakemodel.Answer
		send  func(fakemodel.Answer) fakemodel.Reply
		once  bool // where index and id, tool and arguments are the same it is the same call
	}{
		"whole, no index": {fakemodel.Answer{NoIndex: true}, whole, false}, "whole": {fakemodel.Answer{}, whole, false}, "whole, index 0": {fakemodel.Answer{SameIndex: true}, whole, false},
		"whole, objects": {fakemodel.Answer{NoIndex: true, Object: true}, whole, false}, "whole, no ids": {fakemodel.Answer{NoIndex: true, NoID: true}, whole, false},
		"no index": {fakemodel.Answer{NoIndex: true}, stream, false}, "no index, in pieces": {fakemodel.Answer{NoIndex: true, Piece: 1}, stream, false},
		"no index, all of it each time": {fakemodel.Answer{NoIndex: true, Piece: 3, Always: true}, stream, false}, "no index, objects": {fakemodel.Answer{NoIndex: true, Object: true}, stream, false},
		"no index, no ids": {fakemodel.Answer{NoIndex: true, NoID: true}, stream, false},
		"index":            {fakemodel.Answer{}, stream, false}, "index, in pieces": {fakemodel.Answer{Piece: 1}, stream, false}, "index, all of it each time": {fakemodel.Answer{Piece: 3, Always: true}, stream, false},
		"index 0": {fakemodel.Answer{SameIndex: true}, stream, true}, "index 0, in pieces": {fakemodel.Answer{SameIndex: true, Piece: 1}, stream, false},
	} {
		for which, calls := range map[string][]fakemodel.Call{"two places": places, "two tools": tools, "the same": same} {
			t.Run(name+"/"+which, func(t *testing.T) {
				c.shape.Calls = calls
				r := newRig(t, Options{}, c.send(c.shape))
				turn, err := r.ask(t)
				require.NoError(t, err)
				var want []Call
				for i, id := range []string{"call_0", "call_2"} {
					if c.shape.NoID && i == 0 {
						id = "call_1"
					}
					want = append(want, Call{ID: id, Name: calls[i].Name, Arguments: calls[i].Args})
				}
				if c.once && which == "the same" {
					require.Equal(t, want[:1], turn.Calls)
					require.Equal(t, []string{"the call of look came twice under one number: it counts once"}, turn.Notes)
					return
				}
				require.Equal(t, want, turn.Calls)
				require.Empty(t, turn.Notes)
			})
		}
	}
}

// Lists of calls, written out.
func TestWhichPiecesAreOneCall(t *testing.T) {
	look := Call{ID: "call_0", Name: "look", Arguments: "{}"}
	for name, c := range map[string]struct {
		values []string // each is a delta's tool_calls, or with = before it a message's
		want   []Call
	}{
		"two in one list of a stream": {[]string{`{"id":"call_0","function":{"name":"look","arguments":"{}"}},{"id":"call_0","function":{"name":"look","arguments":"{}"}}`},
			[]Call{look, {ID: "call_2", Name: "look", Arguments: "{}"}}},
		"two in one list, under one index": {[]string{`{"index":0,"id":"call_0","function":{"name":"look","arguments":"{}"}},{"index":0,"id":"call_0","function":{"name":"look","arguments":"{}"}}`},
			[]Call{look, {ID: "call_2", Name: "look", Arguments: "{}"}}},
		"pieces of one call in one list": {[]string{`{"index":0,"id":"call_0","function":{"name":"look","arguments":""}},{"index":0,"function":{"arguments":"{}"}}`}, []Call{look}},
		"a call cut short before another": {[]string{`{"id":"call_0","function":{"name":"walk_to","arguments":"{\"pl"}}`, `{"id":"call_0","function":{"name":"look","arguments":"{}"}}`},
			[]Call{{ID: "call_0", Name: "walk_to", Arguments: `{"pl`}, {ID: "call_2", Name: "look", Arguments: "{}"}}},
		"a call cut short before the same": {[]string{`{"id":"call_0","function":{"name":"walk_to","arguments":"{\"pl"}}`, `{"id":"call_0","function":{"name":"walk_to","arguments":"{}"}}`},
			[]Call{{ID: "call_0", Name: "walk_to", Arguments: `{"pl`}, {ID: "call_2", Name: "walk_to", Arguments: "{}"}}},
		"one cut short, all index 0": {[]string{`{"index":0,"id":"call_0","function":{"name":"walk_to","arguments":"{\"pl"}}`, `{"index":0,"id":"call_0","function":{"name":"look","arguments":"{}"}}`},
			[]Call{{ID: "call_0", Name: "walk_to", Arguments: `{"pl`}, {ID: "call_2", Name: "look", Arguments: "{}"}}},
		"no arguments at all":         {[]string{`{"id":"call_0","function":{"name":"look"}}`, `{"id":"call_0","function":{"name":"look"}}`}, []Call{{ID: "call_0", Name: "look"}, {ID: "call_2", Name: "look"}}},
		"the id comes late, no index": {[]string{`{"function":{"name":"look"}}`, `{"id":"call_0","function":{"arguments":"{}"}}`}, []Call{look}},
		"an element without a name":   {[]string{`={"id":"call_0","function":{"name":"look","arguments":"{}"}},{"id":"call_0","function":{"arguments":"{}"}}`}, []Call{look, {ID: "call_2", Arguments: "{}"}}},
		"pieces, and then the whole":  {[]string{`{"index":0,"id":"call_0","function":{"name":"look","arguments":"{}"}}`, `={"id":"call_0","function":{"name":"look","arguments":"{}"}}`}, []Call{look}},
		"pieces of two, and then the whole": {[]string{`{"function":{"name":"look","arguments":"{}"}}`, `{"function":{"name":"look","arguments":"{}"}}`,
			`={"function":{"name":"look","arguments":"{}"}},{"function":{"name":"look","arguments":"{}"}}`}, []Call{{ID: "call_1", Name: "look", Arguments: "{}"}, {ID: "call_2", Name: "look", Arguments: "{}"}}},
		"an id of ours that is taken": {[]string{`={"id":"a","function":{"name":"look"}},{"id":"a","function":{"name":"look"}},{"id":"call_2","function":{"name":"look"}}`},
			[]Call{{ID: "a", Name: "look"}, {ID: "call_2", Name: "look"}, {ID: "call_3", Name: "look"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var all []string
			for _, v := range c.values {
				v, whole := strings.CutPrefix(v, "=")
				member := "delta"
				if whole {
					member = "message"
				}
				all = append(all, `{"choices":[{"`+member+`":{"tool_calls":[`+v+`]}}]}`)
			}
			r := newRig(t, Options{}, fakemodel.Raw("data: "+strings.Join(all, "\n\ndata: ")+"\n\ndata: [DONE]\n\n"))
			turn, err := r.ask(t)
			require.NoError(t, err)
			require.Equal(t, c.want, turn.Calls)
		})
	}
	both := fakemodel.Raw(`{"choices":[{"message":{"tool_calls":[{"id":"call_0","function":{"name":"look","arguments":"{}"}}],"function_call":{"name":"look","arguments":"{}"}}}]}`)
	turn, err := newRig(t, Options{}, both).ask(t)
	require.NoError(t, err)
	require.Equal(t, []Call{look}, turn.Calls, "the old form beside the new one is no second call")
}
