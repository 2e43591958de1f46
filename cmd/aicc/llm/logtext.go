package llm

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/llm/chat"
	"aicc.dev/libaicc/core/message"
)

// textLog writes lines: when, who or what, and the text. What the model says is written as it comes.
type textLog struct {
	w      io.Writer
	width  int // of the terminal; 0: none
	colour bool
	began  time.Time

	kind   chat.Piece
	open   bool   // a turn's text has begun
	part   string // of its last line
	shown  int    // bytes of this turn
	ticked time.Time
}

const (
	indent   = 21      // of the text
	maxShown = 4 << 10 // of one note, or of what one turn says
	tickGap  = 5 * time.Second
)

var colours = map[string]string{"thinks": "2", "says": "1", "calls": "36", "result": "32", "fault": "31", "event": "33", "model": "35", "game": "34", "tools": "34", "end": "1", "waits": "2", "note": "2"}

func (t *textLog) note(n *Note) {
	switch n.Do {
	case "thought", "speech", "usage": // were written as they came, or are for programs
		return
	case "event": // ticks come all the time and say little
		if n.Event.Topic == message.TopicTick {
			if n.At.Sub(t.ticked) < tickGap {
				return
			}
			t.ticked = n.At
		}
	}
	t.turn()
	label, text := n.describe()
	if e := n.End; e != nil {
		about := ""
		if e.Guessed {
			about = "about "
		}
		text = fmt.Sprintf("%s: %s, %s, %s%s in %s", text, count(e.Turns, "turn"), count(e.Calls, "call"), about, count(e.Tokens, "token"), live.Took(e.Took))
	}
	t.line(n.At, label, cut(text, maxShown))
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func (t *textLog) line(at time.Time, label, text string) {
	var b strings.Builder
	head := fmt.Sprintf("%9.2f s  %-8s", at.Sub(t.began).Seconds(), label)
	for i, line := range t.wrap(text) {
		if i > 0 {
			head = strings.Repeat(" ", indent)
		}
		b.WriteString(strings.TrimRight(t.paint(label, head)+" "+t.paint(label, strings.TrimRight(line, " ")), " "))
		b.WriteByte('\n')
	}
	_, _ = io.WriteString(t.w, b.String())
}

func (t *textLog) paint(label, s string) string {
	if c := colours[label]; t.colour && c != "" && strings.TrimSpace(s) != "" {
		return "\x1b[" + c + "m" + s + "\x1b[0m"
	}
	return s
}

// wrap gives the lines of a text, each of them clean.
func (t *textLog) wrap(text string) []string {
	if t.width <= indent+20 {
		return []string{live.Clean(text)}
	}
	return strings.Split(ansi.Wrap(live.Clean(text), t.width-indent-2, ""), "\n")
}

func (t *textLog) piece(kind chat.Piece, text string) {
	if kind == chat.Unsaid {
		t.unsaid()
		return
	}
	if kind != t.kind {
		t.turn()
	}
	t.kind = kind
	if t.shown += len(text); t.shown > maxShown {
		return
	}
	t.part += text
	for {
		line, rest, ok := strings.Cut(t.part, "\n")
		if room := t.width - indent - 2; !ok && room > 20 && utf8.RuneCountInString(t.part) > room {
			if at := strings.LastIndexByte(t.part[:room], ' '); at > 0 {
				line, rest, ok = t.part[:at], t.part[at+1:], true
			}
		}
		if !ok {
			return
		}
		t.part = rest
		t.said(line)
	}
}

func (t *textLog) said(line string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	label := "says"
	if t.kind == chat.Thought {
		label = "thinks"
	}
	t.line(time.Now(), label, strings.TrimRight(line, " \r"))
	t.open = true
}

// unsaid puts right what was written as speech.
func (t *textLog) unsaid() {
	if t.kind != chat.Speech {
		return
	}
	wrong := t.open
	t.kind = chat.Thought
	t.turn()
	if wrong {
		t.line(time.Now(), "note", "what it says up to here it only thinks")
	}
}

func (t *textLog) turn() {
	if t.part != "" {
		t.said(t.part)
	}
	if t.shown > maxShown {
		t.said("...")
	}
	t.part, t.open, t.shown = "", false, 0
}
