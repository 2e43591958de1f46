package play

import (
	"fmt"
	"slices"
	"strings"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/script/phrase"
	"aicc.dev/libaicc/core/message"
)

// Help is what :help says of the prompt, in every form.
const Help = `walk_to place=gate speed:=2   calls a tool: name=text, name:=JSON, pool.depth:=3 for an object inside
walk_to {"place": "gate"}     the same with all of its input as JSON
:tools        lists the tools               :tool NAME    tells all of one
:say {...}    sends the game a message      :refresh      asks for the tools anew
:filter       audio,calls,...: shows only these of tick, collision, audio, state_change, agent_message, calls, connection; all shows all
:stats        counts of this connection     :quit         leaves`

// command is a line that begins with a colon.
type command struct{ name, rest string }

var commands = []struct{ name, note string }{
	{"help", "what can be typed"}, {"quit", "leave"}, {"tools", "list the tools"}, {"tool", "tell all of one tool"}, {"filter", "show only some"},
	{"pause", "hold the view, or go on"}, {"clear", "empty the view"}, {"say", "send the game a message"}, {"refresh", "ask for the tools anew"}, {"stats", "counts"},
}

func readCommand(line string) (c command, ok bool) {
	line, ok = strings.CutPrefix(strings.TrimSpace(line), ":")
	if !ok {
		return c, false
	}
	c.name, c.rest, _ = strings.Cut(line, " ")
	c.rest = strings.TrimSpace(c.rest)
	if c.name == "q" {
		c.name = "quit"
	}
	return c, true
}

// shows is what the view shows, by topic and by kind.
type shows struct {
	topics      message.Topic
	calls, link bool
}

var showAll = shows{message.TopicAll, true, true}

func (s shows) entry(e *entry) bool {
	switch e.kind {
	case isEvent:
		return s.topics&e.topic != 0
	case isCall, isResult:
		return s.calls
	case isLink, isTools:
		return s.link
	}
	return true
}

func (s shows) String() string {
	if s == showAll {
		return "all"
	}
	var parts []string
	for i := range message.TopicCount {
		if t := message.Topic(1 << i); s.topics&t != 0 {
			parts = append(parts, t.String())
		}
	}
	if s.calls {
		parts = append(parts, "calls")
	}
	if s.link {
		parts = append(parts, "connection")
	}
	return strings.Join(parts, ",")
}

func readShows(text string) (s shows, err error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	if len(words) == 0 || slices.Contains(words, "all") {
		return showAll, nil
	}
	for _, w := range words {
		switch t := message.ParseTopic(w); {
		case t != 0:
			s.topics |= t
		case w == "calls":
			s.calls = true
		case w == "connection":
			s.link = true
		case w == "events":
			s.topics = message.TopicAll
		default:
			return s, fmt.Errorf("%q is nothing to filter by: there are tick, collision, audio, state_change, agent_message, events, calls, connection, all", live.Clean(w))
		}
	}
	return s, nil
}

// common does a command that both forms have; false: it is none.
func (s *session) common(c command) (known bool) {
	say := func(lines ...string) { s.put(entry{kind: isNote, text: strings.Join(lines, "\n")}) }
	wrong := func(text string) { s.put(entry{kind: isFault, text: text}) }
	m := s.a.Manifest()
	switch c.name {
	case "help":
		say(strings.Split(Help, "\n")...)
	case "tools":
		var lines []string
		for i := range m.Tools {
			t := &m.Tools[i]
			lines = append(lines, fmt.Sprintf("%-14s %-9s %s", t.ID, t.Class, live.Clean(t.Description)))
		}
		if lines == nil {
			lines = []string{"the character has no tools"}
		}
		say(lines...)
	case "tool":
		t := phrase.Find(m.Tools, c.rest)
		if t == nil {
			wrong(fmt.Sprintf("the character has no tool %q; it has %s", live.Clean(c.rest), strings.Join(ids(m.Tools), ", ")))
			return true
		}
		say(describe(t)...)
	case "say":
		p, err := phrase.Parse("say " + c.rest)
		var input []byte
		if err == nil {
			input, err = p.Input(nil)
		}
		if err == nil {
			err = s.a.Say(input)
		}
		if err != nil {
			wrong("not said: " + err.Error())
			return true
		}
		say("said: " + live.Line(input))
	case "refresh":
		s.a.Refresh()
	case "stats":
		t := s.a.Stats()
		say(fmt.Sprintf("connections %d, resumed %d, sessions lost %d", t.Connections, t.Resumes, t.SessionsLost),
			fmt.Sprintf("calls %d, results %d, duplicates dropped %d, events missed %d, bad messages %d", t.Calls, t.Results, t.Duplicates, t.EventsLost, t.Bad))
	default:
		return false
	}
	return true
}

func noCommand(c command) string {
	var all []string
	for _, one := range commands {
		all = append(all, ":"+one.name)
	}
	return fmt.Sprintf("there is no :%s: there are %s", live.Clean(c.name), strings.Join(all, " "))
}

// linkText is a change of the connection in words.
func linkText(e *entry) string {
	switch e.change.Phase {
	case live.Dialling:
		return "connecting"
	case live.Up:
		if e.text != "" {
			return e.text
		}
		return "connected"
	case live.Waiting:
		return "trying again in " + live.Took(e.change.For)
	}
	if e.text == "ended" {
		return fmt.Sprintf("this is the end: %v", e.change.Err)
	}
	return fmt.Sprint(e.change.Err)
}
