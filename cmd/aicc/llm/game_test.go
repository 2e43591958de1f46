package llm

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/llm/chat"
	"aicc.dev/libaicc/cmd/aicc/llm/fakemodel"
	"aicc.dev/libaicc/core/agent"
)

// The whole way: the C example behind the library's listener, its guard played by a model that makes what mistakes models make.
func TestGame(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the library and a game in C")
	}
	game := ctest.Game(t)
	wait := fakemodel.Do("waitForEvents", `{"seconds":20}`)
	var caught fakemodel.Reply // asks again and again until there is a sack
	s := fakemodel.New(t,
		fakemodel.Answer{Thoughts: "Where am I?", Calls: []fakemodel.Call{{ID: "a", Name: "look", Args: ""}}}.Stream(), wait,
		fakemodel.Do("Listen", `"{}"`),
		fakemodel.Do("ring_bell", `{}`),
		fakemodel.Do("walk_to", `{"place":"cellar","speed":90}`),
		fakemodel.Answer{Calls: []fakemodel.Call{{Name: "walk_to", Args: "```json\n{\"place\": \"store\", \"speed\": \"9\"}\n```"}}, Piece: 1, NoID: true, NoIndex: true}.Stream(),
		fakemodel.Do("light_lantern", `{}`, "look", `{}`),
		fakemodel.Status(429, `{"error":{"message":"slow down"}}`),
		fakemodel.Do("ring_bell", `{}`), // the rope is stiff: out of time the first time
		fakemodel.Do("ring_bell", `{}`),
		fakemodel.Answer{Calls: []fakemodel.Call{{ID: "x", Name: "say", Args: `{"text":"Halt! Put that down."}`}}, Piece: 3, CutAfter: 6}.Stream(),
		fakemodel.Do("say", `{"text":"Halt! Put that down."}`), wait)
	caught = func(w http.ResponseWriter, r *http.Request, q *fakemodel.Request) {
		for _, tool := range q.Tools {
			if tool.Function.Name == "open_sack" {
				fakemodel.Do("open_sack", `{}`)(w, r, q)
				return
			}
		}
		s.Then(caught)
		wait(w, r, q)
	}
	s.Then(caught)

	persona, err := os.ReadFile(filepath.Join(ctest.Root(), "examples", "agents", "guard.persona.md"))
	require.NoError(t, err)
	var lines strings.Builder
	p := New(Options{Persona: string(persona), MaxCalls: 11, MaxTurns: 30, MaxTime: time.Minute, Log: (&Log{}).Text(&lines, 0, false),
		Model: chat.New(chat.Options{URL: s.URL, Model: "m", Transport: &http.Transport{DisableKeepAlives: true}, Wait: func(context.Context, time.Duration) error { return nil }})})
	target, err := live.Parse(game.URL)
	require.NoError(t, err)
	a, err := live.Connect(t.Context(), target, agent.Options{OnManifest: p.Manifest}, p.Change)
	require.NoError(t, err)
	p.As(target.Character)
	end := p.Play(t.Context(), a)
	t.Logf("%s\n%s", lines.String(), game.Told())
	require.Equal(t, Calls, end.Why, end.Text)

	for told, times := range map[string]int{"looks around": 2, "listens": 1, "sets out for the store at 9.0 m/s": 1, "is at the store": 1, "strikes a match": 1,
		"hangs on the bell rope": 2, "lets go of the rope": 1, "rings the bell": 1, "says: Halt! Put that down.": 1, "opens the sack": 1} {
		require.Equal(t, times, strings.Count(game.Told(), "guard: "+told), told)
	}
	var all []string
	for _, q := range s.Requests() {
		for _, m := range q.Messages {
			all = append(all, m.Role+": "+m.Content)
		}
	}
	conversation := strings.Join(all, "\n")
	for _, want := range []string{`{"sound":"breaking glass"}`, `"from":"store"`, `"code":"tool_unavailable"`, `"at":"/speed","wanted":"a number of at most 9","got":"90"`,
		`"at":"/place","wanted":"one of \"gate\", \"yard\", \"tower\", \"store\" or \"well\"","got":"\"cellar\"","allowed":["gate","yard","tower","store","well"]`,
		`"place":"store"`, `"repaired":["/speed"]`, `a thief with a sack`, `"code":"timeout"`, `{"heard_by":["thief"]}`, `{"kind":"thief","does":"drops the sack"}`, "Your tools have changed; new: open_sack."} {
		require.Contains(t, conversation, want)
	}
}
