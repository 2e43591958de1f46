package chat

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"aicc.dev/libaicc/cmd/aicc/llm/fakemodel"
)

// Whatever comes: nothing breaks, each value is JSON, the turn is text, its calls have ids that differ, and it is the same however the bytes arrive.
func FuzzAnswer(f *testing.F) {
	twice := []fakemodel.Call{{ID: "a", Name: "walk_to", Args: `{"p":"ä"}`}, {ID: "b", Name: "look", Args: `{}`}}
	for _, a := range []fakemodel.Answer{{Text: "<think>a</think>b", Piece: 2}, {Calls: twice, Piece: 1, Names: true, NoID: true}, {Calls: twice, NoIndex: true}, {Calls: twice, SameIndex: true, Object: true, NoID: true}, {Calls: twice, Always: true, Piece: 3, Prompt: 1, Out: 2}} {
		f.Add([]byte("data: " + strings.Join(a.Chunks(), "\n\ndata: ") + "\n\n"))
		f.Add([]byte(strings.Join(a.Chunks(), "\n")))
	}
	f.Add([]byte("\xEF\xBB\xBF: c\r\ndata: {\r\ndata: }\r\r\nerror: {\"message\":1}\n{\"error\":null}\ndata\n"))
	f.Add([]byte(`{"choices":[{"message":{"content":[{"text":"a\ud800"}],"function_call":{"name":"look"}},"finish_reason":"length"}],"usage":{"prompt_tokens":1e400}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		whole, one := assembled(t, strings.NewReader(string(text))), assembled(t, iotest.OneByteReader(strings.NewReader(string(text))))
		if a, b := dump(whole), dump(one); a != b {
			t.Fatalf("it depends on how the bytes arrive:\n%s\n%s", a, b)
		}
		if s := dump(whole); !utf8.ValidString(s) {
			t.Fatalf("not text: %q", s)
		}
		ids := map[string]bool{}
		for _, c := range whole.Calls {
			if c.ID == "" || ids[c.ID] {
				t.Fatalf("ids: %+v", whole.Calls)
			}
			ids[c.ID] = true
		}
	})
}

func dump(t Turn) string {
	text, _ := json.Marshal(t)
	return string(text)
}

func assembled(t *testing.T, from io.Reader) Turn {
	a := assembler{known: (&Request{Tools: tools}).knows, hear: func(Piece, string) {}, most: 1000}
	v := newValues(from)
	for !a.over {
		text, err := v.next()
		if err != nil || string(text) == "[DONE]" {
			break
		}
		if !json.Valid(text) {
			t.Fatalf("not JSON: %q", text)
		}
		if a.take(text) != nil {
			break
		}
	}
	return a.turn()
}
