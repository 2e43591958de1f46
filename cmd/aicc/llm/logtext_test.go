package llm

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/llm/chat"
	"aicc.dev/libaicc/cmd/aicc/llm/fakemodel"
)

// What the model thinks and what it says have a line each, whatever brings them.
func TestThoughtsAreNotSpeech(t *testing.T) {
	for name, c := range map[string]struct {
		answer fakemodel.Answer
		want   string
	}{
		"a member, then tags":   {fakemodel.Answer{Thoughts: "hmm secret", Text: "<think>deep</think>answer"}, "thinks   hmm secret\nthinks   deep\nsays     answer"},
		"a member":              {fakemodel.Answer{Thoughts: "hmm secret", Text: "answer", Piece: 3}, "thinks   hmm secret\nsays     answer"},
		"tags":                  {fakemodel.Answer{Text: "<think>deep</think>answer", Piece: 1}, "thinks   deep\nsays     answer"},
		"speech, then thoughts": {fakemodel.Answer{Text: "Halt!<think>deep</think>answer", Piece: 5}, "says     Halt!\nthinks   deep\nsays     answer"},
		"no opening tag":        {fakemodel.Answer{Text: "deep</think>answer", Piece: 2}, "thinks   deep\nsays     answer"},
		"no opening tag, lines": {fakemodel.Answer{Text: "deep\nand deeper</think>answer", Piece: 2}, "says     deep\nthinks   and deeper\nnote     what it says up to here it only thinks\nsays     answer"},
		"very many thoughts":    {fakemodel.Answer{Thoughts: strings.Repeat("deep ", 1000), Text: "answer", Piece: 4000}, "thinks   " + strings.TrimSpace(strings.Repeat("deep ", 800)) + "\nthinks   ...\nsays     answer"},
	} {
		t.Run(name, func(t *testing.T) {
			p := run(t, Options{MaxTurns: 1}, chat.Options{}, c.answer.Stream())
			var lines []string
			for _, l := range strings.Split(p.lines.String(), "\n") {
				if len(l) > 13 && strings.Contains(" thinks says note ", " "+strings.Fields(l[13:])[0]+" ") {
					lines = append(lines, l[13:])
				}
			}
			require.Equal(t, c.want, strings.Join(lines, "\n"))
		})
	}
}

// One turn is no turns, also where the model reads it.
func TestOneIsNotMany(t *testing.T) {
	h := history{system: "s", dropped: 1, turns: [][]chat.Message{{{Role: "assistant", Content: "a"}}}}
	require.Equal(t, "(1 earlier turn left out here. Look again at what you need to know.)", h.messages()[1].Content)
	h.dropped = 2
	require.Equal(t, "(2 earlier turns left out here. Look again at what you need to know.)", h.messages()[1].Content)
	b := newInbox()
	for range maxKept + 1 {
		b.say("a")
	}
	require.Contains(t, b.take("x"), "\n(1 older event left out)\n")
}
