package play

import (
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"aicc.dev/libaicc/cmd/aicc/live"
)

// picker is the choice of a character.
type picker struct {
	seats  []live.Seat
	at     int
	status string
	fault  string
	busy   bool // a connection is being made
	chosen bool // by the person, or since there was no choice
}

type listMsg struct {
	seats []live.Seat
	err   error
}

// list asks for the characters, after a while.
func (m *model) list(after time.Duration) tea.Cmd {
	return tea.Tick(after, func(time.Time) tea.Msg {
		seats, err := m.o.Target.List(m.ctx, m.o.Token)
		return listMsg{seats, err}
	})
}

const lookEvery = 2 * time.Second

// listed takes what there is. A character that leaves no choice is taken at once.
func (m *model) listed(msg listMsg) tea.Cmd {
	p := m.pick
	if m.s != nil || p.busy {
		return nil
	}
	again := m.list(lookEvery)
	if msg.err != nil {
		p.status = "trying again every two seconds"
		p.fault, p.seats = msg.err.Error(), nil
		return again
	}
	if p.status != "" { // the first answer, or the first after a failure
		p.fault = ""
	}
	p.seats, p.status = msg.seats, ""
	p.at = min(p.at, max(len(p.seats)-1, 0))
	free, last := 0, 0
	for i, s := range p.seats {
		if s.Free() {
			free, last = free+1, i
		}
	}
	named := m.o.Target.Character != "" && len(p.seats) == 1
	if !p.chosen && (free == 1 || named) {
		p.at = last
		return m.choose()
	}
	if free == 0 && p.fault == "" {
		p.fault = m.o.Target.Nobody(p.seats).Error()
	}
	return again
}

func (m *model) choose() tea.Cmd {
	p := m.pick
	if p.busy || p.at >= len(p.seats) {
		return nil
	}
	p.busy, p.chosen, p.fault = true, true, ""
	t := m.o.Target.At(p.seats[p.at])
	p.status = "connecting to " + t.String()
	return m.join(t)
}

func (m *model) pickKey(k tea.KeyMsg) tea.Cmd {
	p := m.pick
	switch k.String() {
	case "ctrl+c", "ctrl+d", "q", "esc":
		return tea.Quit
	case "up", "k":
		p.at = max(p.at-1, 0)
	case "down", "j":
		p.at = min(p.at+1, max(len(p.seats)-1, 0))
	case "enter":
		return m.choose()
	}
	return nil
}

// Row is a character as a line of a list.
func Row(s live.Seat) string {
	return fmt.Sprintf("%-20s %-24s %s", live.Clean(s.Character), live.Clean(s.World), live.Clean(s.State))
}

func (m *model) pickView() string {
	p := m.pick
	lines := []string{m.style.title.Render(fit("aicc play "+m.o.Target.Address, m.width)), ""}
	if len(p.seats) > 0 {
		lines = append(lines, "Which character?", "")
	}
	room := max(m.height-9, 1)
	from := max(min(p.at-room/2, len(p.seats)-room), 0)
	for i := from; i < min(from+room, len(p.seats)); i++ {
		s := p.seats[i]
		line := Row(s)
		switch {
		case i == p.at:
			line = reverse(fit("> "+line, m.width))
		case s.Free():
			line = fit("  "+line, m.width)
		default:
			line = m.style.faint.Render(fit("  "+line, m.width))
		}
		lines = append(lines, line)
	}
	if more := len(p.seats) - room; more > 0 {
		lines = append(lines, m.style.faint.Render(fmt.Sprintf("  %d of %d", p.at+1, len(p.seats))))
	}
	lines = append(lines, "")
	if p.fault != "" {
		for _, line := range wrap(p.fault, m.width) {
			lines = append(lines, m.style.fault.Render(line))
		}
	}
	if p.status != "" {
		lines = append(lines, m.style.faint.Render(fit(p.status, m.width)))
	}
	return m.page(lines, "up/down choose  enter play  q quit")
}
