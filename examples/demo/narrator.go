package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"aicc.dev/libaicc/core/message"
)

// narrator tells what happens: one row for each thing, with the time, who, and what.
//
//	agent   the agent's reason
//	-->     what it asks for
//	guard   what the character does
//	<--     what comes back
//	net     what becomes of the connection
type narrator struct {
	w      io.Writer
	width  int
	colour bool
	start  time.Time
}

// Colours of a terminal.
const (
	plain   = ""
	bold    = "1"
	dim     = "2"
	red     = "31"
	green   = "32"
	yellow  = "33"
	blue    = "34"
	magenta = "35"
	cyan    = "36"
)

const (
	indent  = 17 // where the text of a row starts
	maxRows = 4  // of one text
)

func newNarrator(w io.Writer, width int, colour bool) *narrator {
	return &narrator{w: w, width: max(width, 60), colour: colour, start: time.Now()}
}

func (n *narrator) paint(colour, text string) string {
	if !n.colour || colour == plain || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// row prints one thing. Its text is wrapped, and cut where it is very long.
func (n *narrator) row(who, colour, text string) {
	lines := wrap(text, n.width-indent)
	if len(lines) > maxRows {
		lines = append(lines[:maxRows-1], "...")
	}
	fmt.Fprintf(n.w, "%s  %s  %s\n", n.paint(dim, fmt.Sprintf("%6.2f s", time.Since(n.start).Seconds())), n.paint(colour, fmt.Sprintf("%-5s", who)), n.paint(colour, lines[0]))
	n.more(colour, lines[1:]...)
}

// more prints lines that belong to the row before.
func (n *narrator) more(colour string, lines ...string) {
	for _, line := range lines {
		fmt.Fprintf(n.w, "%*s%s\n", indent, "", n.paint(colour, line))
	}
}

func (n *narrator) manifest(m *message.Manifest) {
	n.row("<--", magenta, fmt.Sprintf("session_init: world %q (%v), %d tools", m.WorldName, m.WorldKind, len(m.Tools)))
	for _, t := range m.Tools {
		head := fmt.Sprintf("%-10v%-15s", t.Class, t.ID)
		text := t.Description
		if t.RequiresCapability != "" {
			text += " Needs the capability " + t.RequiresCapability + "."
		}
		lines := wrap(text, n.width-indent-len(head))
		fmt.Fprintf(n.w, "%*s%s%s\n", indent, "", n.paint(magenta, head), n.paint(dim, lines[0]))
		for _, line := range lines[1:] {
			fmt.Fprintf(n.w, "%*s%s\n", indent+len(head), "", n.paint(dim, line))
		}
	}
}

// title says how to read what follows.
func (n *narrator) title() {
	for _, line := range wrap("agent: its reason   -->: what it asks   guard: what he does   <--: what comes back   net: the wire", n.width) {
		fmt.Fprintln(n.w, n.paint(dim, line))
	}
}

// thought starts a new paragraph.
func (n *narrator) thought(text string) {
	fmt.Fprintln(n.w)
	n.row("agent", bold, text)
}

func (n *narrator) asked(c *call) {
	again := ""
	switch {
	case c.epoch > 0:
		again = "   (the same call, once more)"
	case c.again:
		again = "   (again)"
	}
	n.row("-->", cyan, c.tool.ID+" "+c.input+again)
}

func (n *narrator) network(text string) { n.row("net", blue, text) }

func (n *narrator) resumes() { n.row("-->", cyan, "session_resume") }

// resumed shows a session_init that is not the first.
func (n *narrator) resumed(text string, changes []string) {
	n.row("<--", magenta, text)
	n.more(magenta, changes...)
}

// repeated shows that results came which the agent has.
func (n *narrator) repeated(times int) {
	what := "results"
	if times == 1 {
		what = "result"
	}
	n.row("<--", dim, fmt.Sprintf("%d %s that the agent has already, byte for byte: dropped", times, what))
}

// learnt shows what a manifest_update changes.
func (n *narrator) learnt(changes []string) {
	n.row("<--", magenta, "heartbeat with a manifest_update: "+changes[0])
	n.more(magenta, changes[1:]...)
}

func (n *narrator) leaves(reason string) {
	n.row("-->", cyan, fmt.Sprintf("session_close: %s", reason))
}

// did shows a line of the host's stderr.
func (n *narrator) did(text string) {
	if what, ok := strings.CutPrefix(text, "guard: "); ok {
		n.row("guard", yellow, what)
	} else {
		n.row("host", dim, text)
	}
}

func (n *narrator) answered(c *call) {
	r := c.result
	took := ""
	if r.Meta.LatencyMS >= 0 {
		took = fmt.Sprintf(" after %d ms", r.Meta.LatencyMS)
	}
	if r.OK {
		n.row("<--", green, fmt.Sprintf("%s: done%s %s", c.tool.ID, took, r.Output))
		return
	}
	if r.Meta.RetryAfterMS > 0 {
		took += fmt.Sprintf(", retry_after_ms %d", r.Meta.RetryAfterMS)
	}
	n.row("<--", red, fmt.Sprintf("%s: %v%s: %s", c.tool.ID, r.Code, took, r.Text))
}

func (n *narrator) event(e event) {
	n.row("<--", magenta, fmt.Sprintf("event %v %s", e.Topic, e.Payload))
}

func (n *narrator) closed(reason string) {
	n.row("<--", magenta, strings.TrimSuffix(fmt.Sprintf("session_close: %s", reason), ": "))
}

// draw shows the world as the agent knows it.
func (p *player) draw(v view, marks ...mark) {
	if p.err == nil {
		for _, line := range drawMap(v, marks) {
			p.show.more(plain, p.show.paintMap(line))
		}
	}
}

func (n *narrator) ended(p *player) {
	failed, again := 0, 0
	for _, c := range p.calls {
		if !c.result.OK {
			failed++
		}
		if c.again {
			again++
		}
	}
	fmt.Fprintln(n.w)
	n.row("", bold, fmt.Sprintf("All as it should be: %d calls, each done at most once, one result each, none lost; %d failed, as the script wanted; "+
		"%d refused for now and asked again.", len(p.calls), failed-again, again))
}

func (n *narrator) failed(err error) { n.row("FAIL", red, err.Error()) }

// wrap breaks text into lines of at most width bytes, at its newlines and at spaces or commas where there are some. It gives at least one line.
func wrap(text string, width int) (lines []string) {
	width = max(width, 10)
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' || r == 0x7f {
			return ' ' // nothing that a host says moves the cursor
		}
		return r
	}, text)
	for {
		if line, rest, found := strings.Cut(text, "\n"); found && len(line) <= width {
			lines, text = append(lines, line), rest
			continue
		}
		if len(text) <= width {
			return append(lines, text)
		}
		cut := strings.LastIndexAny(text[:width], " ,") + 1
		if cut < width/2 {
			for cut = width; cut > 1 && text[cut]&0xc0 == 0x80; cut-- { // not within a character
			}
		}
		lines = append(lines, strings.TrimRight(text[:cut], " "))
		text = strings.TrimLeft(text[cut:], " ")
	}
}
