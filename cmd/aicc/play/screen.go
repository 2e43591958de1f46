package play

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// Screen plays on the whole of a terminal.
func Screen(ctx context.Context, o Options) error {
	m := newModel(ctx, o)
	// Signals end ctx: two who watch for them would wait for each other.
	program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithAltScreen(), tea.WithInput(o.In), tea.WithOutput(o.Out))
	_, err := program.Run()
	if m.s != nil {
		m.s.leave()
	}
	if m.cancel != nil {
		m.cancel()
	}
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil {
		return nil
	}
	if err == nil {
		err = m.fatal
	}
	return err
}

// Bounds of what is kept.
const (
	maxEntries = 2000
	maxHistory = 500
	maxBody    = 400     // lines of one entry
	maxBytes   = 1 << 14 // of JSON in one entry
)

// model is the whole view. Before a character is chosen pick is there, after it s.
type model struct {
	ctx    context.Context
	cancel context.CancelFunc
	o      Options
	width  int
	height int
	style  style
	fatal  error

	pick *picker

	s        *session
	manifest *message.Manifest
	entries  []entry
	lines    map[int][]string // of entries, by their number, at the width
	first    int              // the number of entries[0]
	show     shows
	up       int  // lines that the view is above the newest
	paused   bool // it stays where it is
	unseen   int  // entries that came since
	phase    live.Phase
	link     string
	stats    agent.Stats // when the connection came up last
	tick     uint64
	hasTick  bool
	calls    map[int]int // open ones, to their entry
	began    map[int]time.Time
	pane     bool // the tools

	input   editor
	history []string
	past    int // where in it; len(history): at the line that is being typed
	draft   string
	cycle   *cycle
	fault   string
	ticking bool
}

type (
	feedMsg   struct{}
	joinedMsg struct {
		s   *session
		err error
	}
	tickMsg struct{}
)

func newModel(ctx context.Context, o Options) *model {
	m := &model{o: o, width: 80, height: 24, style: newStyle(os.Getenv), show: showAll, lines: map[int][]string{}, calls: map[int]int{}, began: map[int]time.Time{}, pane: true}
	m.ctx, m.cancel = context.WithCancel(ctx)
	m.pick = &picker{status: "asking " + o.Target.Address + " for its characters"}
	return m
}

func (m *model) Init() tea.Cmd {
	return m.list(0)
}

// join connects to a seat.
func (m *model) join(t live.Target) tea.Cmd {
	return func() tea.Msg {
		s, err := join(m.ctx, m.o, t)
		if err == nil && m.ctx.Err() != nil {
			s.leave()
			return nil
		}
		return joinedMsg{s, err}
	}
}

// waitFeed tells once when there is something new.
func (m *model) waitFeed() tea.Cmd {
	s := m.s
	return func() tea.Msg {
		select {
		case <-s.more:
			return feedMsg{}
		case <-s.ctx.Done():
			return nil
		}
	}
}

func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = max(msg.Width, 20), max(msg.Height, 6)
		clear(m.lines)
		m.scroll(0)
		return m, nil
	case joinedMsg:
		if msg.err != nil {
			m.pick.status, m.pick.fault, m.pick.busy = "", msg.err.Error(), false
			return m, m.list(2 * time.Second)
		}
		m.s = msg.s
		m.manifest = m.s.a.Manifest()
		return m, tea.Batch(m.waitFeed(), m.drain())
	case feedMsg:
		return m, tea.Batch(m.drain(), m.waitFeed())
	case tickMsg:
		m.ticking = false
		return m, m.ticks()
	case listMsg:
		return m, m.listed(msg)
	case tea.KeyMsg:
		if m.s == nil {
			return m, m.pickKey(msg)
		}
		return m, m.key(msg)
	}
	return m, nil
}

// ticks lets the view be drawn again while it shows a time that runs.
func (m *model) ticks() tea.Cmd {
	if m.ticking || len(m.calls) == 0 {
		return nil
	}
	m.ticking = true
	return tea.Tick(200*time.Millisecond, func(time.Time) tea.Msg { return tickMsg{} })
}

// drain takes what has come.
func (m *model) drain() tea.Cmd {
	all, lost := m.s.take()
	if lost > 0 {
		all = append(all, entry{at: time.Now(), kind: isFault, text: fmt.Sprintf("%d events came too fast to be shown", lost)})
	}
	for i := range all {
		m.add(all[i])
	}
	return m.ticks()
}

func (m *model) add(e entry) {
	if (e.kind == isEvent || e.kind == isResult && e.err == nil) && !e.meta.NoTick {
		m.tick, m.hasTick = max(m.tick, e.meta.Tick), true
	}
	if more := len(e.body) - maxBytes; more > 0 {
		e.body, _ = jsonwire.AppendString(nil, fmt.Sprintf("%s ... and %d bytes more", e.body[:maxBytes], more))
	}
	if m.same(&e) {
		return
	}
	switch e.kind {
	case isTools:
		if e = m.learn(e); e.text == "" {
			return
		}
	case isLink:
		m.phase = e.change.Phase
		m.link = linkText(&e)
		if e.change.Phase == live.Dialling || e.change.Phase == live.Waiting { // the line at the top says it
			return
		}
		if e.change.Phase == live.Up {
			now := m.s.a.Stats()
			if now.SessionsLost > m.stats.SessionsLost {
				e.text = "connected again: a new session has begun"
			} else if now.Resumes > m.stats.Resumes {
				e.text = "connected again: the session goes on"
			}
			m.stats = now
		}
	case isCall:
		m.calls[e.call] = m.first + len(m.entries)
		m.began[e.call] = e.at
	case isResult:
		if number, ok := m.calls[e.call]; ok {
			if at := number - m.first; at >= 0 {
				m.entries[at].state = callGood
				if e.err != nil || !e.result.OK {
					m.entries[at].state = callFailed
				}
				delete(m.lines, number)
			}
			delete(m.calls, e.call)
			delete(m.began, e.call)
		}
	}
	m.entries = append(m.entries, e)
	if m.show.entry(&e) {
		if m.paused || m.up > 0 {
			m.unseen++
			m.up += len(m.rendered(len(m.entries) - 1))
		}
	}
	if len(m.entries) > maxEntries {
		delete(m.lines, m.first)
		m.entries = slices.Delete(m.entries, 0, 1)
		m.first++
	}
}

// same counts what is as the one before it, as ticks are and attempts to connect: one line stands for all of them.
func (m *model) same(e *entry) bool {
	if len(m.entries) == 0 {
		return false
	}
	last := &m.entries[len(m.entries)-1]
	switch {
	case e.kind != last.kind:
		return false
	case e.kind == isEvent && last.topic == e.topic && bytes.Equal(last.body, e.body):
	case e.kind == isLink && e.change.Phase == live.Down && last.change.Phase == live.Down && linkText(e) == linkText(last):
		m.phase, m.link = e.change.Phase, linkText(e)
	default:
		return false
	}
	last.times, last.at = max(last.times, 1)+1, e.at
	delete(m.lines, m.first+len(m.entries)-1)
	return true
}

// learn notes a manifest, and says what is new in it.
func (m *model) learn(e entry) entry {
	old, now := m.manifest, m.s.a.Manifest()
	m.manifest = now
	if old == nil || old == now {
		if len(m.entries) > 0 && old == now {
			return e
		}
		e.text = fmt.Sprintf("%s has %d tools", live.Clean(now.WorldName), len(now.Tools))
		return e
	}
	var parts []string
	had, has := ids(old.Tools), ids(now.Tools)
	for _, id := range has {
		if !slices.Contains(had, id) {
			parts = append(parts, "a new tool: "+id)
		}
	}
	for _, id := range had {
		if !slices.Contains(has, id) {
			parts = append(parts, id+" is gone")
		}
	}
	names := func(c *message.Capabilities) []string { return slices.Concat(c.Sensors, c.Actuators, c.Generators) }
	for _, c := range names(&now.Capabilities) {
		if !slices.Contains(names(&old.Capabilities), c) {
			parts = append(parts, "a new capability: "+live.Clean(c))
		}
	}
	e.text = strings.Join(parts, ", ")
	return e
}

// key is a key while a character is played.
func (m *model) key(k tea.KeyMsg) tea.Cmd {
	page := max(m.bodyHeight()-1, 1)
	switch k.String() {
	case "ctrl+c":
		return tea.Quit
	case "ctrl+d":
		if len(m.input.text) == 0 {
			return tea.Quit
		}
	case "esc":
		if m.cycle == nil && len(m.input.text) == 0 {
			m.follow()
		}
		m.cycle, m.fault = nil, ""
		m.input.set("", "")
		m.past = len(m.history)
		return nil
	case "enter":
		return m.enter()
	case "tab":
		m.complete(1)
		return nil
	case "shift+tab":
		m.complete(-1)
		return nil
	case "up":
		m.recall(-1)
		return nil
	case "down":
		m.recall(1)
		return nil
	case "pgup":
		m.scroll(page)
		return nil
	case "pgdown":
		m.scroll(-page)
		return nil
	case "ctrl+up", "shift+up":
		m.scroll(1)
		return nil
	case "ctrl+down", "shift+down":
		m.scroll(-1)
		return nil
	case "ctrl+p":
		m.pause()
		return nil
	case "ctrl+t":
		m.pane = !m.pane
		clear(m.lines)
		return nil
	case "ctrl+f":
		m.nextFilter()
		return nil
	case "ctrl+l":
		return tea.ClearScreen
	}
	if m.input.key(k) {
		m.fault, m.cycle = "", nil
	}
	return nil
}

func (m *model) pause() {
	if m.paused = !m.paused; !m.paused {
		m.follow()
	}
}

// follow goes back to the newest.
func (m *model) follow() { m.paused, m.up, m.unseen = false, 0, 0 }

func (m *model) scroll(by int) {
	total := 0
	for i := range m.entries {
		if m.show.entry(&m.entries[i]) {
			total += len(m.rendered(i))
		}
	}
	m.up = min(max(m.up+by, 0), max(total-m.bodyHeight(), 0))
	if m.up == 0 && !m.paused {
		m.unseen = 0
	}
}

// nextFilter goes through the usual choices.
func (m *model) nextFilter() {
	order := []shows{showAll, {message.TopicAll &^ message.TopicTick, true, true}, {0, true, true}}
	for i := range message.TopicCount {
		order = append(order, shows{topics: 1 << i})
	}
	at := slices.Index(order, m.show)
	m.show = order[(at+1)%len(order)]
	m.up = 0
}
