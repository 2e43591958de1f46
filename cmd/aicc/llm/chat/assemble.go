package chat

import (
	"encoding/json"
	"fmt"
	"strings"
)

// assembler makes a turn of its pieces.
type assembler struct {
	known func(name string) bool // says whether there is such a tool
	hear  Hear
	most  int

	content, thoughts strings.Builder
	split             thinker
	tagged            bool // the last thought stood in the text
	calls             []*partial
	last              *partial
	finish            string
	usage             *Usage
	notes             []string
	size              int    // of what came
	some              bool   // a chunk came
	done              bool   // [DONE] came, or a whole message
	over              bool   // no more is wanted
	cut               bool   // by our bound
	stray             string // the first value that is no chunk
	array             int    // counts lists of calls
}

// whole says that the answer has said it is complete. One that only ends may have been cut anywhere.
func (a *assembler) whole() bool { return a.done || a.over || a.finish != "" }

// chunk is what counts of a chunk, or of an answer that is not streamed. Members are read one by one, since one odd one must not lose the rest.
type chunk struct {
	Choices []choice
	Usage   json.RawMessage
	Error   json.RawMessage
	Message json.RawMessage // of an error without an envelope
	Code    json.RawMessage
	Object  json.RawMessage
}

type choice struct {
	Index   json.RawMessage
	Delta   *words
	Message *words
	Finish  json.RawMessage `json:"finish_reason"`
}

type words struct {
	Content      json.RawMessage
	Thoughts     json.RawMessage `json:"reasoning_content"`
	Reasoning    json.RawMessage // the same, of vLLM, Ollama and OpenRouter
	Refusal      json.RawMessage
	Calls        json.RawMessage `json:"tool_calls"`
	FunctionCall json.RawMessage `json:"function_call"` // as it was before tool_calls
}

// take takes one value of the stream. What it returns is an error that the server has put there.
func (a *assembler) take(text []byte) *complaint {
	var c chunk
	err := json.Unmarshal(text, &c)
	switch {
	case len(c.Error) > 0 && string(c.Error) != "null" || err == nil && len(c.Choices) == 0 && plain(c.Message) != "" && len(c.Object) == 0:
		said := complaintOf(text)
		return &said
	case err != nil || len(c.Choices) == 0 && len(c.Usage) == 0 && len(c.Object) == 0:
		if a.stray == "" {
			a.stray = string(text[:min(len(text), 200)])
		}
		return nil
	}
	a.some = true
	a.count(c.Usage)
	for i := range c.Choices {
		one := &c.Choices[i]
		if plain(one.Index) != "" && plain(one.Index) != "0" { // one was asked for
			continue
		}
		if one.Delta != nil {
			a.add(one.Delta, false)
		}
		if one.Message != nil {
			a.add(one.Message, true)
			a.done = one.Delta == nil || a.done
		}
		if f := plain(one.Finish); f != "" {
			a.finish = f
		}
	}
	if a.finish == "error" {
		return &complaint{message: "finish_reason is error"}
	}
	return nil
}

func (a *assembler) count(raw json.RawMessage) {
	var u struct {
		Prompt     *float64 `json:"prompt_tokens"`
		Completion *float64 `json:"completion_tokens"`
	}
	if json.Unmarshal(raw, &u) == nil && u.Prompt != nil {
		a.usage = &Usage{Prompt: tokens(u.Prompt), Completion: tokens(u.Completion)}
	}
}

func tokens(n *float64) int {
	if n == nil || *n < 0 {
		return 0
	}
	return int(min(*n, 1e12))
}

// add takes pieces, or a whole message, whose calls are whole too.
func (a *assembler) add(w *words, whole bool) {
	if thought := first(plain(w.Thoughts), plain(w.Reasoning)); thought != "" {
		if a.tagged {
			thought = "\n" + thought
		}
		a.tagged, a.split.minded = false, true
		a.think(thought)
	}
	speech, more, close := a.split.feed(text(w.Content) + plain(w.Refusal))
	if close { // the opening tag was in the prompt: all before it was thought
		if before := a.content.String(); before != "" {
			a.content.Reset()
			a.thoughts.WriteString(before)
			a.hear(Unsaid, "")
		}
	}
	a.tagged = a.tagged || more != ""
	a.think(more)
	a.speak(speech)
	var list []json.RawMessage
	if json.Unmarshal(w.Calls, &list) != nil && len(w.Calls) > 0 && w.Calls[0] == '{' {
		list = []json.RawMessage{w.Calls}
	}
	a.array++
	for i, raw := range list {
		a.call(readDelta(raw), i, whole)
	}
	if len(list) == 0 && len(w.FunctionCall) > 0 && string(w.FunctionCall) != "null" { // beside a list it is the same once more
		a.call(readFunction(w.FunctionCall), 0, whole)
	}
}

// text is a content: a string, or parts of which some have text.
func text(raw json.RawMessage) string {
	var parts []struct{ Text json.RawMessage }
	if len(raw) == 0 || raw[0] != '[' {
		return plain(raw)
	}
	_ = json.Unmarshal(raw, &parts) // what is no such list has no text
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(plain(p.Text))
	}
	return b.String()
}

func (a *assembler) think(s string) {
	if s = a.room(s); s != "" {
		a.thoughts.WriteString(s)
		a.hear(Thought, s)
	}
}

func (a *assembler) speak(s string) {
	if s = a.room(s); s != "" {
		a.content.WriteString(s)
		a.hear(Speech, s)
	}
}

// room cuts what is beyond the bound and ends the turn there.
func (a *assembler) room(s string) string {
	if left := a.most - a.size; len(s) > left {
		s = strings.ToValidUTF8(s[:max(left, 0)], "")
		if !a.cut {
			a.cut, a.over = true, true
			a.notes = append(a.notes, fmt.Sprintf("the answer was cut at %d bytes", a.most))
		}
	}
	a.size += len(s)
	return s
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// turn is what has come.
func (a *assembler) turn() Turn {
	speech, thought := a.split.rest()
	a.think(thought)
	a.speak(speech)
	t := Turn{Content: strings.TrimSpace(valid(a.content.String())), Thoughts: strings.TrimSpace(valid(a.thoughts.String())), Finish: a.finish, Notes: a.notes,
		Cut: a.cut || a.finish == "length" || a.finish == "max_tokens"}
	ids := map[string]bool{}
	for _, p := range a.calls {
		t.Calls = append(t.Calls, Call{ID: valid(p.id), Name: valid(p.name(a.known)), Arguments: valid(p.args.String()), Cut: t.Cut && !json.Valid([]byte(p.args.String()))})
	}
	if len(t.Calls) == 0 && !t.Cut {
		t.Calls, t.Content = callsInText(t.Content, a.known)
		if len(t.Calls) > 0 {
			t.Notes = append(t.Notes, "the model has written its calls as text: they are taken for calls")
		}
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		for n := i; c.ID == "" || ids[c.ID]; n++ {
			c.ID = fmt.Sprintf("call_%d", n+1)
		}
		ids[c.ID] = true
	}
	return t
}
