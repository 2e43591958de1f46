package play

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/script/phrase"
	"aicc.dev/libaicc/core/message"
)

// style is how parts look. NO_COLOR takes all of it away: words say everything too. What is chosen, and the cursor, are turned around all the same.
type style struct {
	title, strong, faint, fault, good, event lipgloss.Style
	dot, rule, bar, more                     string
}

func newStyle(getenv func(string) string) style {
	s := style{
		title: lipgloss.NewStyle().Bold(true), strong: lipgloss.NewStyle().Bold(true), faint: lipgloss.NewStyle().Faint(true),
		fault: lipgloss.NewStyle().Foreground(lipgloss.ANSIColor(9)), good: lipgloss.NewStyle().Foreground(lipgloss.ANSIColor(10)),
		event: lipgloss.NewStyle().Foreground(lipgloss.ANSIColor(14)),
		dot:   "●", rule: "─", bar: "│", more: "…",
	}
	locale := getenv("LC_ALL")
	for _, name := range []string{"LC_CTYPE", "LANG"} {
		if locale == "" {
			locale = getenv(name)
		}
	}
	if l := strings.ToLower(locale); locale != "" && !strings.Contains(l, "utf-8") && !strings.Contains(l, "utf8") {
		s.dot, s.rule, s.bar, s.more = "*", "-", "|", "..."
	}
	return s
}

// reverse turns clean text around.
func reverse(text string) string { return "\x1b[7m" + text + "\x1b[27m" }

// fit cuts clean text to a width and fills it up.
func fit(text string, width int) string {
	text = ansi.Truncate(text, width, "")
	return text + strings.Repeat(" ", max(width-ansi.StringWidth(text), 0))
}

// wrap breaks clean text into lines of a width.
func wrap(text string, width int) []string {
	return strings.Split(ansi.Wrap(text, max(width, 1), "|,"), "\n")
}

// page puts lines on the whole screen with a line of help at its end.
func (m *model) page(lines []string, help string) string {
	for len(lines) < m.height-1 {
		lines = append(lines, "")
	}
	lines = lines[:m.height-1]
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], m.width, "")
	}
	return strings.Join(append(lines, m.style.faint.Render(ansi.Truncate(help, m.width, ""))), "\n")
}

func (m *model) paneWidth() int {
	if !m.pane || m.width < 70 {
		return 0
	}
	return min(max(m.width/3, 24), 44)
}

func (m *model) streamWidth() int {
	if w := m.paneWidth(); w > 0 {
		return m.width - w - 2
	}
	return m.width
}

// The lines that are no body: title, rule, two of hints, prompt, help.
func (m *model) bodyHeight() int { return max(m.height-6, 1) }

// View implements tea.Model.
func (m *model) View() string {
	if m.s == nil {
		return m.pickView()
	}
	lines := []string{m.titleLine(), m.ruleLine()}
	stream := m.streamLines(m.bodyHeight())
	if w := m.paneWidth(); w > 0 {
		tools := m.toolLines(w, m.bodyHeight())
		for i := range stream {
			stream[i] = tools[i] + m.style.faint.Render(m.style.bar) + " " + stream[i]
		}
	}
	lines = append(lines, stream...)
	lines = append(lines, m.hintLines()...)
	lines = append(lines, m.style.strong.Render("> ")+m.input.view(m.width-3, "a tool, or :help"))
	return m.page(lines, "tab completes  up history  pgup scroll  ^P pause  ^F filter  ^T tools  ^C quit")
}

func (m *model) titleLine() string {
	left := live.Clean(m.manifest.WorldName)
	if m.s.target.Character != "" {
		left += ", " + live.Clean(m.s.target.Character)
	}
	state := m.style.good.Render(m.style.dot + " connected")
	if m.phase != live.Up {
		state = m.style.fault.Render(m.style.dot + " " + live.Clean(m.link))
	}
	right := ""
	if n := len(m.calls); n > 0 {
		oldest := time.Now()
		for _, at := range m.began {
			if at.Before(oldest) {
				oldest = at
			}
		}
		right = fmt.Sprintf("%d open, %.1f s  ", n, time.Since(oldest).Seconds())
	}
	if m.hasTick {
		right += fmt.Sprintf("tick %d", m.tick)
	}
	left = m.style.title.Render(ansi.Truncate(left, max(m.width/2, 10), m.style.more)) + "  " + state
	left = ansi.Truncate(left, max(m.width-ansi.StringWidth(right)-1, 10), m.style.more)
	return left + strings.Repeat(" ", max(m.width-ansi.StringWidth(left)-ansi.StringWidth(right), 1)) + right
}

// ruleLine says how the view below stands.
func (m *model) ruleLine() string {
	said := ""
	if m.show != showAll {
		said += " only " + m.show.String() + " "
	}
	if m.paused {
		said += " paused "
	} else if m.up > 0 {
		said += " scrolled back, esc returns "
	}
	if m.unseen > 0 {
		said += fmt.Sprintf(" %d new ", m.unseen)
	}
	said = ansi.Truncate(said, m.width-2, "")
	return m.style.faint.Render(strings.Repeat(m.style.rule, max(m.width-ansi.StringWidth(said)-2, 0))) + m.style.strong.Render(said) + m.style.faint.Render(strings.Repeat(m.style.rule, 2))
}

// streamLines is the view's part of all lines.
func (m *model) streamLines(height int) []string {
	var out []string // from the last
	skip := m.up
	for i := len(m.entries) - 1; i >= 0 && len(out) < height; i-- {
		if !m.show.entry(&m.entries[i]) {
			continue
		}
		lines := m.rendered(i)
		if skip >= len(lines) {
			skip -= len(lines)
			continue
		}
		for j := len(lines) - 1 - skip; j >= 0 && len(out) < height; j-- {
			out = append(out, lines[j])
		}
		skip = 0
	}
	slices.Reverse(out)
	for len(out) < height {
		out = append(out, "")
	}
	return out
}

// rendered is an entry's lines, made once for each width.
func (m *model) rendered(i int) []string {
	number := m.first + i
	lines, ok := m.lines[number]
	if !ok {
		lines = m.render(&m.entries[i], m.streamWidth())
		m.lines[number] = lines
	}
	return lines
}

const indent = "  "

func (m *model) render(e *entry, width int) []string {
	at := m.style.faint.Render(e.at.Format("15:04:05")) + " "
	const atWidth = 9
	var head string // plain, for its width, with its style
	look := m.style.strong
	switch e.kind {
	case isEvent:
		head, look = e.topic.String(), m.style.event
	case isCall:
		head = fmt.Sprintf("> #%d %s", e.call, e.tool)
		switch e.state {
		case callOpen:
			head += " (open)"
		case callFailed:
			head += " (failed)"
		}
	case isResult:
		head, look = fmt.Sprintf("< #%d %s in %s", e.call, e.tool, live.Took(e.took)), m.style.good
		if e.err != nil || !e.result.OK {
			look = m.style.fault
		}
	case isLink:
		if head, look = linkText(e), m.style.good; e.change.Phase != live.Up {
			look = m.style.fault
		}
	case isTools:
		head = e.text
	}
	if e.times > 1 {
		head += fmt.Sprintf(" (%d times)", e.times)
	}
	var body []string
	switch {
	case e.kind == isEvent, e.kind == isCall, e.kind == isResult && e.err == nil && e.result.OK:
		one := live.Line(e.body)
		if atWidth+ansi.StringWidth(head)+1+ansi.StringWidth(one) <= width {
			return []string{at + look.Render(head) + " " + one}
		}
		for _, line := range live.Pretty(e.body, width-len(indent)) {
			body = append(body, wrap(line, width-len(indent))...)
		}
	case e.kind == isResult && e.err != nil:
		body = wrap(live.Clean(e.err.Error()), width-len(indent))
	case e.kind == isResult:
		body = wrap(failure(e), width-len(indent))
	case e.kind == isNote, e.kind == isFault:
		look = m.style.faint
		if e.kind == isFault {
			look = m.style.fault
		}
		for _, line := range live.Lines(e.text) {
			for _, part := range wrap(line, width) {
				body = append(body, look.Render(part))
			}
		}
		return cutBody(body)
	}
	var lines []string
	for i, part := range wrap(live.Clean(head), width-atWidth) {
		if i == 0 {
			lines = append(lines, at+look.Render(part))
		} else {
			lines = append(lines, indent+look.Render(part))
		}
	}
	for _, line := range cutBody(body) {
		lines = append(lines, indent+line)
	}
	return lines
}

func cutBody(body []string) []string {
	if len(body) > maxBody {
		return append(body[:maxBody:maxBody], fmt.Sprintf("and %d lines more", len(body)-maxBody))
	}
	return body
}

// toolLines is the list of tools, with what they do where there is room, and below it what there is to say of the one that is being typed.
func (m *model) toolLines(width, height int) []string {
	tools := m.manifest.Tools
	current := slices.IndexFunc(tools, func(t message.Tool) bool { return t.ID == firstWord(m.input.value()) })
	var about []string
	if current >= 0 {
		about = append(about, strings.Repeat(m.style.rule, width-1))
		for _, line := range describe(&tools[current]) {
			about = append(about, wrap(line, width-1)...)
		}
		about = about[:min(len(about), height*2/3)]
	}
	room := max(height-len(about), 1)
	lines := m.toolList(width, room, current, current < 0)
	if len(lines) > room {
		lines = m.toolList(width, room, current, false)
	}
	if more := len(lines) - room; more > 0 {
		from := max(min(current-room/2, len(lines)-room), 0)
		lines = lines[from : from+room]
		lines[room-1] = m.style.faint.Render(fit(fmt.Sprintf("%d tools, :tools lists them", len(tools)), width))
	}
	for i, line := range about {
		if line = fit(line, width); i == 0 {
			line = m.style.faint.Render(line)
		}
		lines = append(lines, line)
	}
	for len(lines) < height {
		lines = append(lines, strings.Repeat(" ", width))
	}
	return lines[:height]
}

// toolList is one line for each tool, and with their descriptions some more.
func (m *model) toolList(width, room, current int, described bool) (lines []string) {
	for i := range m.manifest.Tools {
		t := &m.manifest.Tools[i]
		kind := t.Class.String()
		line := ansi.Truncate(t.ID, max(width-len(kind)-2, 4), m.style.more)
		line += strings.Repeat(" ", max(width-ansi.StringWidth(line)-len(kind)-1, 1))
		if i == current {
			lines = append(lines, reverse(line+kind)+" ")
		} else {
			lines = append(lines, m.style.strong.Render(line)+m.style.faint.Render(kind)+" ")
		}
		if described && len(lines) <= room {
			for _, text := range wrap(live.Clean(t.Description), width-3) {
				lines = append(lines, m.style.faint.Render(fit("  "+text, width)))
			}
		}
	}
	return lines
}

// hintLines are what the tool still wants, and how the word at the cursor may go on; or what was wrong with the line.
func (m *model) hintLines() []string {
	if m.fault != "" {
		return twoLines(wrap(live.Clean(strings.ReplaceAll(m.fault, "\n", "; ")), m.width), m.style.fault.Render)
	}
	_, options, before, _ := m.options()
	chosen := -1
	if m.cycle != nil {
		options, chosen = m.cycle.options, m.cycle.at
	}
	first := ""
	if t := phrase.Find(m.manifest.Tools, firstWord(before)); t != nil {
		first = m.fieldsLine(m.input.value(), t)
	}
	second := ""
	if len(options) > 0 && before != "" {
		second = m.optionsLine(options, chosen)
	}
	return []string{first, second}
}

func firstWord(line string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
	return word
}

func twoLines(lines []string, render func(...string) string) []string {
	out := []string{"", ""}
	for i := range min(len(lines), 2) {
		out[i] = render(lines[i])
	}
	return out
}

func (m *model) fieldsLine(line string, t *message.Tool) string {
	fields, given := phrase.Missing(line, t)
	if len(fields) == 0 {
		return m.style.faint.Render("takes nothing: enter calls it")
	}
	var needs, may []string
	for i, f := range fields {
		text := live.Clean(f.Name + " " + f.Words)
		switch {
		case given[i]:
		case f.Required:
			needs = append(needs, m.style.strong.Render(text))
		default:
			if f.Default != "" {
				text += " else " + live.Clean(f.Default)
			}
			may = append(may, m.style.faint.Render(text))
		}
	}
	out := ""
	if len(needs) > 0 {
		out = "needs " + strings.Join(needs, ", ")
	}
	if len(may) > 0 {
		if out != "" {
			out += "; "
		}
		out += "may have " + strings.Join(may, ", ")
	}
	if out == "" {
		out = "all is given: enter calls it"
	}
	return ansi.Truncate(out, m.width, m.style.more)
}

func (m *model) optionsLine(options []phrase.Option, chosen int) string {
	if len(options) == 1 || chosen >= 0 && options[chosen].Note != "" {
		o := options[max(chosen, 0)]
		text := live.Clean(o.Text)
		if o.Note != "" {
			text += "  " + live.Clean(o.Note)
		}
		if chosen >= 0 && len(options) > 1 {
			text = fmt.Sprintf("%d/%d  %s", chosen+1, len(options), text)
		}
		return ansi.Truncate(text, m.width, m.style.more)
	}
	var parts []string
	for i, o := range options {
		text := live.Clean(o.Text)
		if i == chosen {
			text = reverse(text)
		}
		parts = append(parts, text)
	}
	from := 0
	for chosen > from && ansi.StringWidth(strings.Join(parts[from:chosen+1], "  ")) > m.width-2 {
		from++
	}
	return ansi.Truncate(strings.Join(parts[from:], "  "), m.width, m.style.more)
}
