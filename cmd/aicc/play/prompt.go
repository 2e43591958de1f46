package play

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"aicc.dev/libaicc/cmd/aicc/script/phrase"
	"aicc.dev/libaicc/core/message"
)

// cycle is the options that tab goes through.
type cycle struct {
	from    int
	options []phrase.Option
	at      int // -1: none was chosen, the text that they have in common is there
	behind  string
}

// options are those of what stands before the cursor.
func (m *model) options() (from int, options []phrase.Option, before, behind string) {
	before, behind = m.input.split()
	from, options = complete(before, m.manifest.Tools)
	return from, options, before, behind
}

// complete is phrase.Complete with the commands.
func complete(before string, tools []message.Tool) (from int, options []phrase.Option) {
	rest, ok := strings.CutPrefix(before, ":")
	if !ok {
		return phrase.Complete(before, tools)
	}
	name, argument, more := strings.Cut(rest, " ")
	if !more {
		for _, c := range commands {
			if strings.HasPrefix(c.name, name) {
				options = append(options, phrase.Option{Text: ":" + c.name, Note: c.note})
			}
		}
		return 0, options
	}
	var words []string
	switch name {
	case "tool":
		words = ids(tools)
	case "filter":
		words = []string{"all", "calls", "connection", "events"}
		for i := range message.TopicCount {
			words = append(words, message.Topic(1<<i).String())
		}
	}
	last := strings.LastIndexAny(argument, " ,") + 1
	from = len(before) - len(argument) + last
	for _, w := range words {
		if strings.HasPrefix(w, argument[last:]) {
			options = append(options, phrase.Option{Text: w, Open: name == "filter"})
		}
	}
	return from, options
}

// complete is the key tab: takes what all options have in common, and then one after the other.
func (m *model) complete(step int) {
	if m.cycle == nil {
		from, options, before, behind := m.options()
		switch len(options) {
		case 0:
			return
		case 1:
			o := options[0]
			text := before[:from] + o.Text
			if !o.Open && !strings.HasPrefix(behind, " ") {
				text += " "
			}
			m.set(text, behind)
			return
		}
		m.cycle = &cycle{from: from, options: options, at: -1, behind: behind}
		if common := before[:from] + commonOf(options); len(common) > len(before) {
			m.set(common, behind)
			return
		}
		if step < 0 {
			m.cycle.at = 0
		}
	}
	c := m.cycle
	n := len(c.options)
	c.at = (c.at + step + n) % n
	value := m.input.value()
	m.set(value[:min(c.from, len(value))]+c.options[c.at].Text, c.behind)
}

func (m *model) set(before, behind string) {
	m.input.set(before, behind)
	m.fault = ""
}

// commonOf is what all options begin with.
func commonOf(options []phrase.Option) string {
	common := options[0].Text
	for _, o := range options[1:] {
		n := 0
		for n < len(common) && n < len(o.Text) && common[n] == o.Text[n] {
			n++
		}
		common = common[:n]
	}
	return strings.ToValidUTF8(common, "")
}

// enter does what the line says.
func (m *model) enter() tea.Cmd {
	line := strings.TrimSpace(m.input.value())
	if line == "" {
		return nil
	}
	if c, ok := readCommand(line); ok {
		switch c.name {
		case "quit":
			return tea.Quit
		case "pause":
			m.pause()
		case "clear":
			m.first += len(m.entries)
			m.entries = nil
			clear(m.lines)
			m.follow()
		case "filter":
			s, err := readShows(c.rest)
			if err != nil {
				m.fault = err.Error()
				return nil
			}
			m.show, m.up = s, 0
		default:
			if !m.s.common(c) {
				m.fault = noCommand(c)
				return nil
			}
		}
	} else if err := m.s.do(line); err != nil {
		m.fault = err.Error()
		if strings.Contains(m.fault, "\n") {
			m.s.put(entry{kind: isFault, text: "not sent: " + m.fault})
		}
		return nil
	}
	m.fault, m.cycle = "", nil
	if len(m.history) == 0 || m.history[len(m.history)-1] != line {
		m.history = append(m.history, line)
		m.history = m.history[max(len(m.history)-maxHistory, 0):]
	}
	m.past = len(m.history)
	m.input.set("", "")
	return nil
}

// recall goes through the lines that were typed.
func (m *model) recall(by int) {
	to := m.past + by
	if to < 0 || to > len(m.history) {
		return
	}
	if m.past == len(m.history) {
		m.draft = m.input.value()
	}
	m.past, m.cycle, m.fault = to, nil, ""
	line := m.draft
	if to < len(m.history) {
		line = m.history[to]
	}
	m.input.set(line, "")
}
