package transport

import (
	"fmt"
	"net/http"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// Refusal is why an agent gets no connection: the status and the body of the answer.
type Refusal struct {
	Status  int
	Code    string // a word for programs
	Message string // for people: what to do
}

func (r *Refusal) Error() string { return r.Message }

// NotFound is the refusal of a world or character that is not there. Up to eight of those that are there are named.
func NotFound(what, name string, have []string) *Refusal {
	if len(have) == 0 {
		return &Refusal{http.StatusNotFound, "not_found", fmt.Sprintf("there is no %s here yet: connect again once the game has opened one", what)}
	}
	list, more := have[:min(len(have), 8)], ""
	if len(have) > len(list) {
		more = fmt.Sprintf(" and %d others", len(have)-len(list))
	}
	said := "%s"
	if name != "" {
		said = fmt.Sprintf("there is no %s %q: ", what, cut(name, 64)) + said
	} else {
		said = fmt.Sprintf("which %s is not said: ", what) + said
	}
	return &Refusal{http.StatusNotFound, "not_found", fmt.Sprintf(said, "ask for one of "+quoteAll(list)+more+"; GET / lists all")}
}

// TakenBy is the refusal of a character that another agent has, or of all where name is "".
func TakenBy(name string, state State) *Refusal {
	text := "every character has an agent: connect again when one has left, or let the game listen with replace"
	switch {
	case name != "" && state == Away:
		text = fmt.Sprintf("character %q waits for its agent, which may come back: connect again later, or send session_resume if that is you", cut(name, 64))
	case name != "":
		text = fmt.Sprintf("character %q has an agent: ask for another one, or connect again when it has left", cut(name, 64))
	}
	return &Refusal{http.StatusConflict, "taken", text}
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "..."
}

func quoteAll(list []string) string {
	var b strings.Builder
	for i, s := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", cut(s, 64))
	}
	return b.String()
}

func (r *Refusal) body() []byte {
	b, _ := jsonwire.AppendString([]byte(`{"error":{"code":`), r.Code)
	b, _ = jsonwire.AppendString(append(b, `,"message":`...), r.Message)
	return append(b, "}}\n"...)
}

// listing is the body of GET /.
func listing(worlds []World) []byte {
	b := []byte(`{"protocol":"aicc/0.1","bridges":[`)
	for i, w := range worlds {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsonwire.AppendString(append(b, `{"name":`...), w.Name)
		b, _ = jsonwire.AppendString(append(b, `,"path":`...), pathOf(w.Name))
		b = append(b, `,"characters":[`...)
		for j, c := range w.Characters {
			if j > 0 {
				b = append(b, ',')
			}
			b, _ = jsonwire.AppendString(append(b, `{"name":`...), c.Name)
			b = append(append(append(b, `,"state":"`...), c.State.String()...), `"}`...)
		}
		b = append(b, "]}"...)
	}
	return append(b, "]}\n"...)
}
