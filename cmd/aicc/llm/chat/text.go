package chat

import (
	"bytes"
	"encoding/json"
	"strings"
)

// thinker takes thoughts out of a text that comes in pieces: what stands between <think> and </think>.
type thinker struct {
	inside         bool
	held           string // the beginning of what may be a tag
	spoken, minded bool   // there was speech, there were thoughts: more of them begins on a line of its own
}

var openings, closings = []string{"<think>", "<thinking>"}, []string{"</think>", "</thinking>"}

// feed takes a piece. close says that a closing tag came which nothing had opened, so that all that was said before it was thought.
func (t *thinker) feed(piece string) (speech, thought string, close bool) {
	var out [2]strings.Builder // said, thought
	s := t.held + piece
	t.held = ""
	for s != "" {
		to := &out[0]
		if t.inside {
			to = &out[1]
		}
		at := strings.IndexByte(s, '<')
		if at < 0 {
			to.WriteString(s)
			break
		}
		to.WriteString(s[:at])
		s = s[at:]
		switch tag, partly := tagOf(s); {
		case tag == "" && partly:
			t.held = s
			s = ""
		case tag == "":
			to.WriteByte('<')
			s = s[1:]
		default:
			opens := tag[1] != '/'
			switch {
			case !opens && !t.inside:
				close, t.spoken = true, false
				out[1].WriteString(out[0].String())
				out[0].Reset()
			case opens && !t.inside && (t.minded || out[1].Len() > 0):
				out[1].WriteByte('\n')
			case !opens && (t.spoken || out[0].Len() > 0):
				out[0].WriteByte('\n')
			}
			t.inside = opens
			s = s[len(tag):]
		}
	}
	t.spoken, t.minded = t.spoken || out[0].Len() > 0, t.minded || out[1].Len() > 0 || close
	return out[0].String(), out[1].String(), close
}

// rest is what was held when no more comes.
func (t *thinker) rest() (speech, thought string) {
	held := t.held
	t.held = ""
	if t.inside {
		return "", held
	}
	return held, ""
}

// tagOf gives the tag that a text begins with, or says that it may be the beginning of one.
func tagOf(s string) (tag string, partly bool) {
	for _, list := range [][]string{openings, closings} {
		for _, tag := range list {
			if strings.HasPrefix(s, tag) {
				return tag, false
			}
			partly = partly || strings.HasPrefix(tag, s)
		}
	}
	return "", partly
}

// callsInText reads calls that a model has written into its text, since its server does not know its way of calling: <tool_call>{...}</tool_call>,
// or nothing but one JSON object, perhaps in a code block, that names a tool. Anything less clear is text.
func callsInText(content string, known func(string) bool) ([]Call, string) {
	const open, shut = "<tool_call>", "</tool_call>"
	if strings.Contains(content, open) {
		var calls []Call
		var rest strings.Builder
		s := content
		for {
			before, inner, ok := strings.Cut(s, open)
			rest.WriteString(before)
			if !ok {
				break
			}
			body, after, closed := strings.Cut(inner, shut)
			call, good := callIn(body, known)
			if !good || !closed && strings.Contains(body, open) {
				return nil, content
			}
			calls = append(calls, call)
			s = after
		}
		return calls, strings.TrimSpace(rest.String())
	}
	body := strings.TrimSpace(content)
	if inner, ok := strings.CutPrefix(body, "```"); ok {
		if inner, ok = strings.CutSuffix(inner, "```"); !ok || strings.Contains(inner, "```") {
			return nil, content
		}
		if line, rest, ok := strings.Cut(inner, "\n"); ok && !strings.ContainsAny(line, "{[") {
			inner = rest
		}
		body = inner
	}
	if call, ok := callIn(body, known); ok {
		return []Call{call}, ""
	}
	return nil, content
}

func callIn(body string, known func(string) bool) (Call, bool) {
	var c struct {
		Name, Tool, Function, Arguments, Parameters, Input json.RawMessage
	}
	text := []byte(strings.TrimSpace(body))
	if !bytes.HasPrefix(text, []byte("{")) || json.Unmarshal(text, &c) != nil {
		return Call{}, false
	}
	name := first(plain(c.Name), plain(c.Tool), plain(c.Function))
	if !known(name) {
		return Call{}, false
	}
	call := Call{Name: name, Arguments: "{}"}
	for _, args := range []json.RawMessage{c.Arguments, c.Parameters, c.Input} {
		if len(args) > 0 && string(args) != "null" {
			if call.Arguments = plain(args); call.Arguments == "" {
				call.Arguments = string(args)
			}
			return call, true
		}
	}
	return call, true
}
