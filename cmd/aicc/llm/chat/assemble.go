package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// assembler makes a turn of its pieces.
type assembler struct {
	known func(name string) bool // says whether there is such a tool
	hear  Hear
	most  int

	content, thoughts strings.Builder
	split             thinker
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
			a.add(one.Delta)
		}
		if one.Message != nil {
			a.add(one.Message)
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

func (a *assembler) add(w *words) {
	thought := first(plain(w.Thoughts), plain(w.Reasoning))
	a.think(thought)
	speech, more, close := a.split.feed(text(w.Content) + plain(w.Refusal))
	if close { // the opening tag was in the prompt: all before it was thought
		before := a.content.String()
		a.content.Reset()
		a.thoughts.WriteString(before)
	}
	a.think(more)
	a.speak(speech)
	var list []json.RawMessage
	if json.Unmarshal(w.Calls, &list) != nil && len(w.Calls) > 0 && w.Calls[0] == '{' {
		list = []json.RawMessage{w.Calls}
	}
	a.array++
	for i, raw := range list {
		a.call(readDelta(raw), i)
	}
	if len(w.FunctionCall) > 0 && string(w.FunctionCall) != "null" {
		a.call(readFunction(w.FunctionCall), 0)
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

// delta is a piece of a call.
type delta struct {
	id, name, args string
	index          string // as it is written: some write it as a string
	object         bool   // the arguments came as an object, so they are whole
}

func readDelta(raw json.RawMessage) delta {
	var c struct{ Index, ID, Function, Name, Arguments json.RawMessage }
	if json.Unmarshal(raw, &c) != nil {
		return delta{}
	}
	d := delta{}
	if len(c.Function) > 0 {
		d = readFunction(c.Function)
	} else if len(c.Name) > 0 {
		d = readFunction(raw)
	}
	d.id, d.index = plain(c.ID), plain(c.Index)
	return d
}

func readFunction(raw json.RawMessage) (d delta) {
	var f struct{ Name, Arguments json.RawMessage }
	if json.Unmarshal(raw, &f) != nil {
		return d
	}
	d.name = plain(f.Name)
	if d.args = plain(f.Arguments); d.args == "" && len(f.Arguments) > 0 && (f.Arguments[0] == '{' || f.Arguments[0] == '[') {
		d.args, d.object = string(f.Arguments), true
	}
	return d
}

// partial is a call that is not whole yet.
type partial struct {
	id, index string
	names     []string
	args      strings.Builder
	array     int  // the list that brought its last piece
	again     bool // its name came once more behind the whole of it

	depth                    int
	began, text, escape, odd bool
}

// write adds to the arguments, and counts brackets, so that complete costs nothing.
func (p *partial) write(s string) {
	p.args.WriteString(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case p.escape:
			p.escape = false
		case p.text:
			p.escape = c == '\\'
			p.text = c != '"'
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
		case !p.began:
			p.began, p.odd, p.depth = true, c != '{', 1
		case c == '"':
			p.text = true
		case c == '{' || c == '[':
			p.depth++
		case c == '}' || c == ']':
			p.depth--
		}
	}
}

// complete says that the arguments are an object whose brackets are closed.
func (p *partial) complete() bool { return p.began && !p.odd && p.depth <= 0 }

// call takes one piece; position is its place in the list that brought it.
func (a *assembler) call(d delta, position int) {
	if d == (delta{}) || a.over {
		return
	}
	p := a.find(&d, position)
	if p != nil && p.again && d.name == "" && strings.TrimSpace(d.args) != "" { // that was the next call's name
		d.name, p = p.name(a.known), nil
	}
	if p == nil {
		if len(a.calls) == maxCalls {
			a.cut, a.over = true, true
			a.notes = append(a.notes, fmt.Sprintf("the answer was cut at %d calls", maxCalls))
			return
		}
		p = &partial{id: d.id, index: d.index}
		a.calls = append(a.calls, p)
	} else if p.complete() && p.twin(&d) { // the whole call, a second time
		if len(a.notes) < maxCalls {
			a.notes = append(a.notes, fmt.Sprintf("the call of %s came twice under one number: it counts once", p.name(a.known)))
		}
		return
	}
	if p.id == "" {
		p.id = d.id
	}
	if d.name != "" && p.complete() {
		p.again = true
	} else if d.name != "" && len(p.names) < maxNames {
		p.names = append(p.names, a.room(d.name))
	}
	p.write(a.room(d.args))
	p.array, a.last = a.array, p
}

const (
	maxCalls = 128
	maxNames = 64 // pieces of a name; where there are more it is the same one each time
)

// twin says that a piece has the whole of the arguments that there are.
func (p *partial) twin(d *delta) bool {
	args := strings.TrimSpace(d.args)
	return args != "" && args == strings.TrimSpace(p.args.String())
}

// find gives the call that a piece belongs to, nil when it begins another one. Pieces should have the call's index, and the first one its id; there
// are servers that leave out either, or give every call the same index, or repeat id and name with every piece.
func (a *assembler) find(d *delta, position int) *partial {
	begins := d.name != ""
	by := func(is func(*partial) bool) *partial {
		for _, p := range slices.Backward(a.calls) {
			if is(p) {
				return p
			}
		}
		return nil
	}
	if d.id != "" {
		if p := by(func(p *partial) bool { return p.id == d.id }); p != nil {
			if a.another(p, d) && p.index != d.index {
				return nil
			}
			return p
		}
		if d.index != "" && !begins { // its first piece had none
			return by(func(p *partial) bool { return p.index == d.index && p.id == "" })
		}
		return nil
	}
	if d.index != "" {
		p := by(func(p *partial) bool { return p.index == d.index })
		if p != nil && begins && (p.array == a.array || a.another(p, d)) {
			return nil
		}
		return p
	}
	if a.last == nil || !begins {
		return a.last
	}
	if a.last.name(a.known) != d.name || position > 0 || a.last.args.Len() == 0 && d.args == "" || a.last.complete() && !a.last.twin(d) {
		return nil
	}
	return a.last // which came with its name again
}

// another says that a piece with a name begins another call although it has the number of one.
func (a *assembler) another(p *partial, d *delta) bool {
	if d.name == "" || p.twin(d) && (d.name == p.name(a.known) || !a.known(d.name)) {
		return false
	}
	if p.complete() {
		return d.args != "" || d.name != p.name(a.known)
	}
	was := strings.Join(p.names, "")
	return p.args.Len() == 0 && was != d.name && a.known(was) && a.known(d.name) && !a.known(was+d.name)
}

// name puts the pieces of a name together. Some servers send it in pieces, and some the whole of it with each piece of the arguments.
func (p *partial) name(known func(string) bool) string {
	all := strings.Join(p.names, "")
	if len(p.names) < 2 || known(all) {
		return all
	}
	for _, n := range p.names {
		if n != p.names[0] {
			return all
		}
	}
	return p.names[0]
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
