package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

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
func (a *assembler) call(d delta, position int, whole bool) {
	if d == (delta{}) || a.over {
		return
	}
	var p *partial
	if whole && (d.name != "" || position > 0) { // the elements of a whole list are calls, whatever their ids
		if p = a.by(func(p *partial) bool { return p.array != a.array && p.copied(&d, a.known) }); p != nil {
			a.twice(p)
			return
		}
	} else {
		p = a.find(&d)
	}
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
		a.twice(p)
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

// twice is for a call that was sent once more, and is not a second one.
func (a *assembler) twice(p *partial) {
	p.array = a.array
	if len(a.notes) < maxCalls {
		a.notes = append(a.notes, fmt.Sprintf("the call of %s came twice under one number: it counts once", p.name(a.known)))
	}
}

// twin says that a piece has the whole of the arguments that there are.
func (p *partial) twin(d *delta) bool {
	args := strings.TrimSpace(d.args)
	return args != "" && args == strings.TrimSpace(p.args.String())
}

// copied says that an element of a whole message is a call that its pieces have brought before.
func (p *partial) copied(d *delta, known func(string) bool) bool {
	return (d.id == p.id || d.id == "" || p.id == "") && d.name == p.name(known) && strings.TrimSpace(d.args) == strings.TrimSpace(p.args.String())
}

// by gives the newest call that is one.
func (a *assembler) by(is func(*partial) bool) *partial {
	for _, p := range slices.Backward(a.calls) {
		if is(p) {
			return p
		}
	}
	return nil
}

// find gives the call that a piece belongs to, nil when it begins another one. Pieces should have the call's index, and the first one its id; there
// are servers that leave out either, or give every call the same index or the same id, or repeat id and name with every piece.
func (a *assembler) find(d *delta) *partial {
	p := a.owner(d)
	switch {
	case p == nil || d.name == "":
		return p
	case p.array == a.array: // elements of one list that both have a name
		return nil
	case d.index == "" && !p.goesOn(d, a.known), d.index != "" && a.another(p, d):
		return nil
	}
	return p
}

// owner gives the call that has a piece's number.
func (a *assembler) owner(d *delta) *partial {
	switch {
	case d.id != "":
		if p := a.by(func(p *partial) bool { return p.id == d.id && p.index == d.index }); p != nil {
			return p
		}
		if p := a.by(func(p *partial) bool { // under two indexes it is two calls
			return p.id == d.id && (p.index == "" || d.index == "" || d.name == "")
		}); p != nil || d.name != "" {
			return p
		}
		return a.by(func(p *partial) bool { return p.id == "" && p.index == d.index }) // its first piece had none
	case d.index != "":
		return a.by(func(p *partial) bool { return p.index == d.index })
	}
	return a.last
}

// goesOn says that a piece without an index is no new call although it names a function: the same one, in the middle of its arguments.
func (p *partial) goesOn(d *delta, known func(string) bool) bool {
	args := strings.TrimSpace(d.args)
	return args != "" && d.name == p.name(known) && !p.odd && !p.complete() && (!p.began || args[0] != '{')
}

// another says that a piece with a name begins another call although it has the index of one.
func (a *assembler) another(p *partial, d *delta) bool {
	was := p.name(a.known)
	if p.twin(d) && (d.name == was || !a.known(d.name)) {
		return false
	}
	if p.complete() {
		return strings.TrimSpace(d.args) != "" || d.name != was
	}
	return was != d.name && a.known(was) && a.known(d.name) && !a.known(was+d.name)
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
