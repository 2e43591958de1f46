package llm

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/llm/chat"
	"aicc.dev/libaicc/cmd/aicc/llm/fakemodel"
)

// A play as it should be, and all that the model was told in it.
func TestPlay(t *testing.T) {
	p := run(t, Options{MaxTurns: 3, Persona: "You are a tired guard.\n"}, chat.Options{},
		fakemodel.Answer{Thoughts: "Dark.", Text: "Who is there?", Calls: []fakemodel.Call{{ID: "a", Name: "look", Args: "{}"}, {ID: "b", Name: "walk_to", Args: `{"place":"store","speed":2}`}}, Prompt: 100, Out: 10}.Stream(),
		fakemodel.Answer{Calls: []fakemodel.Call{{ID: "c", Name: "waitForEvents", Args: `{"seconds":0.01}`}}, Prompt: 200, Out: 5}.Stream(),
		fakemodel.Answer{Text: "Good night.", Prompt: 300, Out: 7}.Stream())
	require.ElementsMatch(t, []string{"look {}", `walk_to {"place":"store","speed":2}`}, p.did())
	require.Equal(t, End{Why: Turns, Text: "the budget of 3 turns is used up", Turns: 3, Calls: 2, Tokens: 622, Took: p.end.Took}, p.end)
	require.Equal(t, 3, p.end.Why.Status())
	require.Len(t, p.goodbye, 1)
	require.Contains(t, p.goodbye[0], `"reason":"the budget of 3 turns is used up"`)
	q := p.model.Requests()
	require.Len(t, q, 3)
	system := q[0].Messages[0]
	require.Equal(t, "system", system.Role)
	require.True(t, strings.HasPrefix(system.Content, "You are a tired guard.\n\n# The game\n\nYou play the character \"guard\" in the world \"night watch\", which is flat, seen from above or from the side."), system.Content)
	require.Contains(t, system.Content, "between <game-x> and </game-x>")
	require.Equal(t, "You are there now. Begin.", q[0].Messages[1].Content)
	var names []string
	for _, tool := range q[0].Tools {
		names = append(names, tool.Function.Name)
	}
	require.Equal(t, []string{"look", "walk_to", "ring_bell", "say", "set_trap", "break_down", "dig", "read_sign", "waitForEvents"}, names)
	require.JSONEq(t, waitSchema, string(q[0].Tools[8].Function.Parameters))
	require.Contains(t, q[0].Tools[2].Function.Description, `It cannot be used now: it needs the capability "alarm"`)

	said := q[1].Messages[2]
	require.Equal(t, "Who is there?", said.Content)
	require.Empty(t, said.Reasoning, "thoughts are not fed back")
	require.Equal(t, "a", said.Calls[0].ID)
	require.Equal(t, `{"place":"store","speed":2}`, said.Calls[1].Function.Arguments)
	require.Equal(t, []string{`{"ok":true,"output":{"sees":["a thief"]},"tick":0}`, `{"ok":true,"output":{},"tick":0}`}, p.told(1))
	require.Equal(t, "b", q[1].Messages[4].CallID)
	last := p.told(2)
	require.Len(t, last, 1)
	require.Regexp(t, `^\{"ok":true,"output":\{"waited_seconds":[0-9.]+,"woken_by":"(time|event)"\}\}$`, last[0])
}

// What models get wrong is put right where it is clear, refused in words where it is not, and the game runs what was meant, once.
func TestDamagedCalls(t *testing.T) {
	const accepted = `{"ok":true,"output":{},"tick":0`
	for name, c := range map[string]struct {
		tool, args string
		ran, told  string // told is a part
		history    string // arguments as the conversation has them; "": as they were
	}{
		"fenced":                  {"walk_to", "```json\n{\"place\":\"gate\"}\n```", `walk_to {"place":"gate","speed":1.5}`, accepted + `,"note":"the arguments stood in a block of code"}`, `{"place":"gate"}`},
		"a string":                {"walk_to", `"{\"place\":\"gate\"}"`, `walk_to {"place":"gate","speed":1.5}`, accepted + `,"note":"the arguments were a string, and not an object"}`, `{"place":"gate"}`},
		"a string in a string":    {"walk_to", `"\"{\\\"place\\\":\\\"gate\\\"}\""`, `walk_to {"place":"gate","speed":1.5}`, accepted + `,"note":"the arguments were a string, and not an object"}`, `{"place":"gate"}`},
		"a number in a string":    {"walk_to", `{"place":"gate","speed":"2"}`, `walk_to {"place":"gate","speed":2}`, accepted + `,"repaired":["/speed"]}`, ""},
		"trailing text":           {"walk_to", `{"place":"gate"} I hope that is right.`, `walk_to {"place":"gate","speed":1.5}`, accepted + `,"note":"there was text around the arguments"}`, `{"place":"gate"}`},
		"leading text":            {"walk_to", `Arguments: {"place":"gate"}`, `walk_to {"place":"gate","speed":1.5}`, accepted + `,"note":"there was text around the arguments"}`, `{"place":"gate"}`},
		"twice":                   {"walk_to", `{"place":"gate"}{"place": "gate"}`, `walk_to {"place":"gate","speed":1.5}`, accepted + `,"note":"the arguments came twice"}`, `{"place":"gate"}`},
		"an empty object first":   {"walk_to", `{}{"place":"gate"}`, `walk_to {"place":"gate","speed":1.5}`, accepted + `,"note":"an empty object stood before the arguments"}`, `{"place":"gate"}`},
		"null for what is absent": {"walk_to", `{"place":"gate","speed":null}`, `walk_to {"place":"gate","speed":1.5}`, accepted + `,"repaired":["/speed"]}`, ""},
		"nulls, strictly":         {"set_trap", `{"depth":"3","bait":null,"at":"{\"x\":\"1\"}"}`, `set_trap {"at":{"x":1},"depth":3}`, "", ""},
		"strictly":                {"set_trap", `{"depth":"3","bait":null,"at":"{\"x\":1}"}`, `set_trap {"at":{"x":1},"depth":3}`, accepted + `,"repaired":["/depth","/bait","/at"]}`, ""},
		"nothing":                 {"look", ``, `look {}`, `{"ok":true,"output":{"sees":["a thief"]},"tick":0}`, `{}`},
		"null":                    {"look", `null`, `look {}`, `{"ok":true,"output":{"sees":["a thief"]},"tick":0}`, `{}`},
		"an empty object": {"walk_to", `{}`, "", `{"ok":false,"error":{"code":"invalid_input","message":"the arguments do not fit the tool's schema","faults":[{"at":"/place","wanted":"one of \"gate\", \"yard\" or \"store\", required",` +
			`"got":"nothing","allowed":["gate","yard","store"]}],"retryable":false,"what_to_do":"correct the arguments as the faults say and call again; nothing was done"}}`, ""},
		"another value":         {"walk_to", `{"place":"cellar","speed":90}`, "", `"faults":[{"at":"/place","wanted":"one of \"gate\", \"yard\" or \"store\"","got":"\"cellar\"","allowed":["gate","yard","store"]},{"at":"/speed","wanted":"a number of at most 9","got":"90"}]`, ""},
		"undeclared, strictly":  {"set_trap", `{"depth":1,"height":2}`, "", `"faults":[{"at":"/height","wanted":"no member of this name (known: \"depth\", \"bait\" and \"at\")","got":"2"}]`, ""},
		"two that differ":       {"walk_to", `{"place":"gate"}{"place":"yard"}`, "", `{"ok":false,"error":{"code":"bad_arguments","message":"the arguments are not JSON: `, `{"unreadable":"{\"place\":\"gate\"}{\"place\":\"yard\"}"}`},
		"half":                  {"walk_to", `{"place":"gate"`, "", `"code":"bad_arguments"`, `{"unreadable":"{\"place\":\"gate\""}`},
		"a list":                {"walk_to", `["gate"]`, "", `"message":"the arguments are an array, a JSON object was wanted; nothing was done"`, `{"unreadable":"[\"gate\"]"}`},
		"a number":              {"walk_to", `7`, "", `"message":"the arguments are a number, a JSON object was wanted; nothing was done"`, `{"unreadable":"7"}`},
		"words":                 {"walk_to", `to the gate`, "", `"code":"bad_arguments"`, `{"unreadable":"to the gate"}`},
		"the same member twice": {"walk_to", `{"place":"gate","place":"yard"}`, "", `"code":"bad_arguments"`, `{"unreadable":"{\"place\":\"gate\",\"place\":\"yard\"}"}`},
		"no text":               {"say", "{\"text\":\"a\xffb\"}", "say {\"text\":\"a\uFFFDb\"}", accepted, "{\"text\":\"a\uFFFDb\"}"},
		"half an emoji":         {"say", `{"text":"a\ud83d"}`, `say {"text":"a\ufffd"}`, accepted, `{"text":"a\ufffd"}`},
		"other letters":         {"walkTo", `{"place":"gate"}`, `walk_to {"place":"gate","speed":1.5}`, accepted + `,"note":"the tool's name is walk_to"}`, ""},
		"a prefix":              {"functions.walk_to", `{"place":"gate"}`, `walk_to {"place":"gate","speed":1.5}`, accepted + `,"note":"the tool's name is walk_to"}`, ""},
		"a name near one":       {"walk", `{"place":"gate"}`, "", `{"ok":false,"error":{"code":"tool_unknown","message":"there is no tool \"walk\"; nothing was done","did_you_mean":["walk_to"],"retryable":false,"what_to_do":"use a tool that there is, by its exact name"}}`, ""},
		"a name near none":      {"teleport_all_thieves", `{}`, "", `"there_are":["break_down","dig","look","read_sign","ring_bell","say","set_trap","waitForEvents","walk_to"]`, ""},
		"no capability":         {"ring_bell", `{}`, "", `"code":"tool_unavailable","message":"`, ""},
		"a no of the game":      {"break_down", `{}`, "break_down {}", `{"ok":false,"error":{"code":"execution_failed","message":"the door is stronger","retryable":false,"what_to_do":"the game has said no: find out what stands in the way; the same call is likely to fail again"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := run(t, Options{MaxTurns: 2}, chat.Options{}, fakemodel.Do(c.tool, c.args), fakemodel.Say(""))
			want := []string{}
			if c.ran != "" {
				want = append(want, c.ran)
			}
			if name == "nulls, strictly" { // a repair within a repair is none
				want = []string{}
			}
			require.Equal(t, want, p.did())
			told := p.told(1)
			require.Len(t, told, 1)
			require.Contains(t, told[0], c.told)
			require.Equal(t, Turns, p.end.Why)
			call := p.model.Requests()[1].Messages[2].Calls[0]
			if c.history == "" {
				c.history = c.args
			}
			require.Equal(t, c.history, call.Function.Arguments)
			require.Regexp(t, `^[a-zA-Z0-9_-]{1,64}$`, call.Function.Name)
		})
	}
}

// A limit says when to try again.
func TestLimits(t *testing.T) {
	say := `{"text":"Halt!"}`
	p := run(t, Options{MaxTurns: 2}, chat.Options{}, fakemodel.Do("say", say, "say", say, "say", say), fakemodel.Say(""))
	require.Equal(t, []string{"say " + say, "say " + say}, p.did())
	told := strings.Join(p.told(1), "\n")
	require.Regexp(t, `"code":"tool_unavailable","message":"tool \\"say\\" may be called 2 times in 60 seconds: call it again after retry_after_ms","retryable":true,"retry_after_ms":[0-9]+,"what_to_do":"do something else meanwhile, then make the same call again"`, told)
}

// The same call that fails is sent three times, refused three times, and then it is over.
func TestCircles(t *testing.T) {
	var script, unknown, words, failing []fakemodel.Reply
	for i := range 30 {
		script = append(script, fakemodel.Do("break_down", fmt.Sprintf(`{"door":%s}`, []string{"1", "1.0", "1e0"}[i%3])))
		unknown = append(unknown, fakemodel.Do("fly", `{}`))
		words = append(words, fakemodel.Say("I am thinking."))
		failing = append(failing, fakemodel.Do("break_down", fmt.Sprintf(`{"door":%d}`, i)))
	}
	p := run(t, Options{}, chat.Options{}, script...)
	require.Len(t, p.did(), 3)
	require.Equal(t, Circles, p.end.Why)
	require.Equal(t, 7, p.end.Why.Status())
	require.Equal(t, "the model goes round in circles: it makes calls again and again that have failed each time", p.end.Text)
	require.Equal(t, 6, p.end.Turns)
	require.Contains(t, p.told(3)[0], `"code":"execution_failed"`)
	require.Equal(t, `{"ok":false,"error":{"code":"repeated","message":"this very call has failed each time, the last time with: execution_failed: the door is stronger; it was not sent again","retryable":false,`+
		`"what_to_do":"do something else, or call waitForEvents until something changes; after more of these calls you are stopped"}}`, p.told(4)[0])

	p = run(t, Options{}, chat.Options{}, unknown...)
	require.Empty(t, p.did())
	require.Equal(t, Circles, p.end.Why)
	require.Equal(t, 6, p.end.Turns)

	p = run(t, Options{Nudge: time.Microsecond}, chat.Options{}, words...)
	require.Empty(t, p.did())
	require.Equal(t, "the model has made no call in its last 10 turns: can it call tools?", p.end.Text)
	require.Contains(t, p.model.Requests()[1].Last("user"), "Your words are heard by nobody: call a tool to act, or waitForEvents to wait.")

	p = run(t, Options{}, chat.Options{}, failing...)
	require.Len(t, p.did(), 20)
	require.Equal(t, "every call of the last 20 turns has failed", p.end.Text)
}

// What has failed may be tried again once something has changed, but not for ever.
func TestAgainAfterAChange(t *testing.T) {
	var script []fakemodel.Reply
	for range 16 {
		script = append(script, fakemodel.Do("break_down", `{}`), fakemodel.Do("walk_to", `{"place":"gate"}`))
	}
	p := run(t, Options{MaxTurns: 32}, chat.Options{}, script...)
	n := 0
	for _, d := range p.did() {
		if d == "break_down {}" {
			n++
		}
	}
	require.Equal(t, 12, n)
	require.Equal(t, Turns, p.end.Why)
}

// Budgets end the play politely, with a status of their own each.
func TestBudgets(t *testing.T) {
	look := fakemodel.Answer{Calls: []fakemodel.Call{{ID: "a", Name: "look", Args: "{}"}, {ID: "b", Name: "look", Args: "{}"}}, Prompt: 60, Out: 40}.Stream()
	for _, c := range []struct {
		o      Options
		why    Why
		status int
		text   string
		ran    int
	}{
		{Options{MaxTurns: 2}, Turns, 3, "the budget of 2 turns is used up", 4},
		{Options{MaxCalls: 3}, Calls, 4, "the budget of 3 calls is used up", 3},
		{Options{MaxTokens: 101}, Tokens, 5, "the budget of 101 tokens is used up", 4},
		{Options{MaxTurns: 1}, Turns, 3, "the budget of 1 turn is used up", 2},
		{Options{MaxCalls: 1}, Calls, 4, "the budget of 1 call is used up", 1},
		{Options{MaxTokens: 1}, Tokens, 5, "the budget of 1 token is used up", 2},
	} {
		p := run(t, c.o, chat.Options{}, look, look, look, look)
		require.Equal(t, c.why, p.end.Why)
		require.Equal(t, c.status, p.end.Why.Status())
		require.Equal(t, c.text, p.end.Text)
		require.Len(t, p.did(), c.ran)
		require.Len(t, p.goodbye, 1)
		require.Contains(t, p.goodbye[0], `"reason":"`+c.text+`"`)
	}
	p := run(t, Options{MaxTime: 100 * time.Millisecond}, chat.Options{}, fakemodel.Do("dig", "{}", "waitForEvents", "{}"))
	require.Equal(t, Time, p.end.Why)
	require.Equal(t, 6, p.end.Why.Status())
	require.Equal(t, "the time of 100ms is over", p.end.Text)
	require.Len(t, p.goodbye, 1)
	require.Equal(t, []string{"dig {}"}, p.did())
}
