package chat

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/llm/fakemodel"
	"aicc.dev/libaicc/core/leak"
)

// No request goes on when its test is over.
func TestMain(m *testing.M) { os.Exit(leak.Check(m.Run(), "llm/chat.")) }

// rig is a client of a fake model whose waits are noted and not waited for.
type rig struct {
	*Client
	server *fakemodel.Server
	waits  []time.Duration
	heard  strings.Builder
}

var now = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func newRig(t testing.TB, o Options, script ...fakemodel.Reply) *rig {
	r := &rig{server: fakemodel.New(t, script...)}
	o.URL, o.Model = r.server.URL, "m"
	o.Random = func() float64 { return 1 }
	o.Now = func() time.Time { return now }
	o.Wait = func(ctx context.Context, d time.Duration) error { r.waits = append(r.waits, d); return ctx.Err() }
	o.Transport = &http.Transport{DisableKeepAlives: true}
	r.Client = New(o)
	return r
}

var tools = []Tool{
	{"look", []byte(`{"type":"function","function":{"name":"look","parameters":{"type":"object"}}}`)},
	{"walk_to", []byte(`{"type":"function","function":{"name":"walk_to","parameters":{"type":"object"}}}`)},
}

func (r *rig) ask(t testing.TB) (Turn, error) {
	t.Helper()
	return r.Ask(t.Context(), &Request{Messages: []Message{{Role: "system", Content: "be a guard"}, {Role: "user", Content: "<it is dark>"}}, Tools: tools},
		func(p Piece, text string) { fmt.Fprintf(&r.heard, "%s%s", [...]string{"~", "", "^", "!"}[p], text) })
}

func TestWhatIsSent(t *testing.T) {
	r := newRig(t, Options{Key: "s3cret", Extra: map[string]json.RawMessage{"temperature": json.RawMessage("0.5")}}, fakemodel.Say("Halt!"))
	turn, err := r.ask(t)
	require.NoError(t, err)
	require.Equal(t, Turn{Content: "Halt!", Finish: "stop", Usage: Usage{Prompt: turn.Usage.Prompt, Completion: 2, Guessed: true}}, turn)
	q := r.server.Requests()[0]
	require.Equal(t, "/v1/chat/completions", q.Path)
	require.Equal(t, "Bearer s3cret", q.Header.Get("Authorization"))
	require.Equal(t, `{"messages":[{"role":"system","content":"be a guard"},{"role":"user","content":"<it is dark>"}],"model":"m","stream":true,"stream_options":{"include_usage":true},`+
		`"temperature":0.5,"tools":[{"type":"function","function":{"name":"look","parameters":{"type":"object"}}},{"type":"function","function":{"name":"walk_to","parameters":{"type":"object"}}}]}`, q.Text)
	require.Equal(t, len(q.Text)/4, turn.Usage.Prompt)
}

// The same two calls, in every way that servers send them.
func TestCallsAreWhatTheyWereMeantToBe(t *testing.T) {
	twice := []fakemodel.Call{{ID: "a", Name: "walk_to", Args: `{"place":"wäll","quote":"\"}{"}`}, {ID: "b", Name: "walk_to", Args: `{"place":"gate"}`}}
	other := []fakemodel.Call{{ID: "a", Name: "look", Args: `{}`}, {ID: "b", Name: "walk_to", Args: `{"place":"gate"}`}}
	for name, shape := range map[string]fakemodel.Answer{
		"as it should be": {}, "a byte a piece": {Piece: 1}, "names in pieces": {Piece: 1, Names: true}, "three bytes a piece": {Piece: 3, Names: true}, "no ids": {NoID: true},
		"no ids, in pieces": {NoID: true, Piece: 1}, "no ids, names in pieces": {NoID: true, Piece: 1, Names: true}, "no index": {NoIndex: true}, "no index, in pieces": {NoIndex: true, Piece: 2},
		"no index, no ids": {NoIndex: true, NoID: true}, "no index, no ids, in pieces": {NoIndex: true, NoID: true, Piece: 1}, "index 0": {SameIndex: true}, "index 0, in pieces": {SameIndex: true, Piece: 1},
		"index 0, no ids": {SameIndex: true, NoID: true}, "index 0, no ids, in pieces": {SameIndex: true, NoID: true, Piece: 1}, "all of it each time": {Always: true, Piece: 1},
		"all of it each time, index 0": {Always: true, SameIndex: true, Piece: 1}, "all of it each time, no ids": {Always: true, NoID: true, Piece: 3},
		"all of it each time, index 0, no ids": {Always: true, NoID: true, SameIndex: true, Piece: 3}, "all of it each time, no index, no ids": {Always: true, NoID: true, NoIndex: true, Piece: 4},
		"index is text": {TextIndex: true, Piece: 5}, "objects": {Object: true}, "objects, no ids, index 0": {Object: true, NoID: true, SameIndex: true}, "no [DONE]": {NoDone: true},
		"no finish": {Finish: "-"}, "finish stop": {Finish: "stop"}, "finish function_call": {Finish: "function_call"}, "finish nonsense": {Finish: "eos_token"}, "comments": {Between: ": still here\n\n"},
		"event lines": {Between: "event: message\nid: 3\nretry: 10\n"}, "carriage returns": {Between: ": a\r\n\r\n"}, "words before": {Text: "I go.", Thoughts: "Where?", Piece: 1},
	} {
		for which, calls := range map[string][]fakemodel.Call{"twice the same": twice, "two tools": other} {
			t.Run(name+"/"+which, func(t *testing.T) {
				shape.Calls = calls
				r := newRig(t, Options{}, shape.Stream())
				turn, err := r.ask(t)
				require.NoError(t, err)
				require.Len(t, turn.Calls, 2)
				for i, want := range calls {
					got := turn.Calls[i]
					require.Equal(t, Call{ID: got.ID, Name: want.Name, Arguments: want.Args}, got)
					if !shape.NoID {
						require.Equal(t, want.ID, got.ID)
					}
				}
				require.NotEqual(t, turn.Calls[0].ID, turn.Calls[1].ID)
				require.Equal(t, shape.Text, turn.Content)
				require.Equal(t, shape.Thoughts, turn.Thoughts)
			})
		}
	}
}

// Answers that are no stream, or one of another kind, written out.
func TestForms(t *testing.T) {
	chunk := func(delta string) string { return `{"choices":[{"delta":` + delta + `}]}` }
	end := "data: [DONE]\n\n"
	look := []Call{{ID: "x", Name: "look", Arguments: "{}"}}
	for name, c := range map[string]struct {
		reply fakemodel.Reply
		want  Turn
		heard string
	}{
		"one JSON value": {fakemodel.Answer{Text: "Hm.", Calls: []fakemodel.Call{{ID: "x", Name: "look", Args: "{}"}}, Prompt: 10, Out: 3}.Plain(),
			Turn{Content: "Hm.", Calls: look, Finish: "tool_calls", Usage: Usage{Prompt: 10, Completion: 3}}, "Hm."},
		"JSON that is called a stream": {fakemodel.Raw(` {"choices":[{"message":{"content":null,"function_call":{"name":"look","arguments":"{}"}},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`),
			Turn{Calls: []Call{{ID: "call_1", Name: "look", Arguments: "{}"}}, Finish: "stop", Usage: Usage{Prompt: 1}}, ""},
		"a line each": {fakemodel.Raw(chunk(`{"content":"a"}`)+"\n", chunk(`{"content":"b"}`)+"\n", `{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`),
			Turn{Content: "ab", Finish: "stop", Usage: Usage{Prompt: 1, Completion: 2}}, "ab"},
		"no empty lines":                {fakemodel.Raw("data:" + chunk(`{"content":"a"}`) + "\ndata: " + chunk(`{"content":"b"}`) + "\ndata: [DONE]\n"), Turn{Content: "ab"}, "ab"},
		"CR alone":                      {fakemodel.Raw("data: " + chunk(`{"content":"a"}`) + "\r\rdata: [DONE]\r\r"), Turn{Content: "a"}, "a"},
		"a mark, and values over lines": {fakemodel.Raw("\xEF\xBB\xBF\ndata: {\ndata: \"choices\":[{\"delta\":{\"content\":\"a\"}}]\ndata: }\n\n", "data\n\n", "odd\n", end), Turn{Content: "a"}, "a"},
		"odd members": {fakemodel.Raw("data: "+`{"choices":[{"index":"0","delta":{"content":[{"type":"text","text":"a"},{"type":"image"},{"text":7}],"role":5,"tool_calls":"none"},"finish_reason":0}],"usage":null}`+"\n\n",
			`data: {"choices":[{"index":1,"delta":{"content":"not this one"}}]}`+"\n\n", `data: {"choices":[],"usage":{"prompt_tokens":-4,"completion_tokens":1e99}}`+"\n\n", end), Turn{Content: "a7", Finish: "0", Usage: Usage{Completion: 1e12}}, "a7"},
		"one call that is no list": {fakemodel.Raw("data: "+chunk(`{"tool_calls":{"id":"x","name":"look","arguments":{}}}`)+"\n\n", end), Turn{Calls: look}, ""},
		"a call that comes twice": {fakemodel.Raw("data: "+chunk(`{"tool_calls":[{"index":0,"id":"x","function":{"name":"look","arguments":"{}"}}]}`)+"\n\n",
			"data: "+chunk(`{"tool_calls":[{"index":0,"id":"x","function":{"name":"look","arguments":"{}"}}]}`)+"\n\n", end),
			Turn{Calls: look, Notes: []string{"the call of look came twice under one number: it counts once"}}, ""},
		"the id comes late": {fakemodel.Raw("data: "+chunk(`{"tool_calls":[{"index":0,"function":{"name":"look"}}]}`)+"\n\n",
			"data: "+chunk(`{"tool_calls":[{"index":0,"id":"x","function":{"arguments":"{}"}}]}`)+"\n\n", end), Turn{Calls: look}, ""},
		"one id for two": {fakemodel.Raw("data: "+chunk(`{"tool_calls":[{"index":0,"id":"x","function":{"name":"look","arguments":"{}"}},{"index":1,"id":"x","function":{"name":"walk_to","arguments":"{}"}}]}`)+"\n\n", end),
			Turn{Calls: []Call{look[0], {ID: "call_2", Name: "walk_to", Arguments: "{}"}}}, ""},
		"tools without arguments at one index": {fakemodel.Raw("data: "+chunk(`{"tool_calls":[{"index":0,"function":{"name":"look","arguments":""}}]}`)+"\n\n",
			"data: "+chunk(`{"tool_calls":[{"index":0,"function":{"name":"walk_to","arguments":""}}]}`)+"\n\n", end), Turn{Calls: []Call{{ID: "call_1", Name: "look"}, {ID: "call_2", Name: "walk_to"}}}, ""},
		"thoughts in tags": {fakemodel.Answer{Text: "<think>Is he < me?</think>\n\nHalt <b>!", Piece: 1}.Stream(), Turn{Content: "Halt <b>!", Thoughts: "Is he < me?", Finish: "stop"},
			"~I~s~ ~h~e~ ~< ~m~e~?\n\nHalt <b>!"},
		"thoughts whose tag was in the prompt": {fakemodel.Answer{Text: "Is he?</think>Halt!", Piece: 4}.Stream(), Turn{Content: "Halt!", Thoughts: "Is he?", Finish: "stop"}, "Is he?^Halt!"},
		"thoughts of two kinds":                {fakemodel.Answer{Thoughts: "hmm secret", Text: "<think>deep</think>answer"}.Stream(), Turn{Content: "answer", Thoughts: "hmm secret\ndeep", Finish: "stop"}, "~hmm secret~\ndeepanswer"},
		"thoughts in between":                  {fakemodel.Answer{Text: "a<think>b</think>c<think>d</think>", Piece: 9}.Stream(), Turn{Content: "a\nc", Thoughts: "b\nd", Finish: "stop"}, "~ba\nc~\nd\n"},
		"thoughts behind those in tags":        {fakemodel.Raw("data: "+chunk(`{"content":"<think>a</think>"}`)+"\n\n", "data: "+chunk(`{"reasoning_content":"b"}`)+"\n\n", "data: "+chunk(`{"reasoning_content":"c"}`)+"\n\n", end), Turn{Thoughts: "a\nbc"}, "~a~\nb~c"},
		"thoughts without end":                 {fakemodel.Say("<think>Is he</thi"), Turn{Thoughts: "Is he</thi", Finish: "stop"}, "~Is he~</thi"},
		"thoughts of vLLM":                     {fakemodel.Answer{Thoughts: "Is he?", Reasoning: "reasoning", Text: "Halt!"}.Stream(), Turn{Content: "Halt!", Thoughts: "Is he?", Finish: "stop"}, "~Is he?Halt!"},
		"calls in tags": {fakemodel.Say("I look.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {}}\n</tool_call>\n<tool_call>{\"name\":\"walk_to\",\"arguments\":\"{\\\"place\\\":1}\"}</tool_call>"),
			Turn{Content: "I look.", Calls: []Call{{ID: "call_1", Name: "look", Arguments: "{}"}, {ID: "call_2", Name: "walk_to", Arguments: `{"place":1}`}}, Finish: "stop", Notes: []string{"the model has written its calls as text: they are taken for calls"}},
			"I look.\n<tool_call>\n{\"name\": \"look\", \"arguments\": {}}\n</tool_call>\n<tool_call>{\"name\":\"walk_to\",\"arguments\":\"{\\\"place\\\":1}\"}</tool_call>"},
		"a call in a block": {fakemodel.Say("```json\n{\"tool\":\"walk_to\",\"parameters\":{\"place\":\"gate\"}}\n```"),
			Turn{Calls: []Call{{ID: "call_1", Name: "walk_to", Arguments: `{"place":"gate"}`}}, Finish: "stop", Notes: []string{"the model has written its calls as text: they are taken for calls"}}, "```json\n{\"tool\":\"walk_to\",\"parameters\":{\"place\":\"gate\"}}\n```"},
		"JSON that is no call":     {fakemodel.Say(`{"name":"fly","arguments":{}}`), Turn{Content: `{"name":"fly","arguments":{}}`, Finish: "stop"}, `{"name":"fly","arguments":{}}`},
		"a call within a sentence": {fakemodel.Say(`I could do {"name":"look"}`), Turn{Content: `I could do {"name":"look"}`, Finish: "stop"}, `I could do {"name":"look"}`},
		"bytes that are no text":   {fakemodel.Answer{Text: "a\xffb", Calls: []fakemodel.Call{{ID: "x\xff", Name: "look", Args: "{\"a\":\"\xc3\"}"}}}.Stream(), Turn{Content: "a\uFFFDb", Calls: []Call{{ID: "x\uFFFD", Name: "look", Arguments: "{\"a\":\"\uFFFD\"}"}}, Finish: "tool_calls"}, "a\xffb"},
		"the bound of the server": {fakemodel.Answer{Calls: []fakemodel.Call{{ID: "x", Name: "look", Args: "{}"}, {ID: "y", Name: "walk_to", Args: `{"place":"ga`}}, Finish: "length"}.Stream(),
			Turn{Calls: []Call{look[0], {ID: "y", Name: "walk_to", Arguments: `{"place":"ga`, Cut: true}}, Finish: "length", Cut: true}, ""},
		"no more than said":         {fakemodel.Say(""), Turn{Finish: "stop"}, ""},
		"the end, and then silence": {fakemodel.Raw("data: "+`{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`+"\n\n", fakemodel.HANG), Turn{Content: "a", Finish: "stop"}, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, Options{Idle: 300 * time.Millisecond}, c.reply)
			turn, err := r.ask(t)
			require.NoError(t, err)
			if turn.Usage.Guessed {
				turn.Usage = Usage{}
			}
			require.Equal(t, c.want, turn)
			require.Equal(t, c.heard, r.heard.String())
			require.Len(t, r.server.Requests(), 1)
		})
	}
}
