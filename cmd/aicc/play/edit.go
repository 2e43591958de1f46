package play

import (
	"slices"
	"unicode"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"aicc.dev/libaicc/cmd/aicc/live"
)

// editor is a line that is being typed.
type editor struct {
	text []rune
	at   int // the cursor stands before text[at]
}

// maxTyped bounds it.
const maxTyped = 1 << 16

func (e *editor) value() string { return string(e.text) }

// split is the line before and behind the cursor.
func (e *editor) split() (before, behind string) { return string(e.text[:e.at]), string(e.text[e.at:]) }

func (e *editor) set(before, behind string) {
	e.text = []rune(before)
	e.at = len(e.text)
	e.text = append(e.text, []rune(behind)...)
}

// insert puts what was typed or pasted before the cursor: what is no character of a line becomes a space.
func (e *editor) insert(runes []rune) {
	runes = slices.Clone(runes[:min(len(runes), max(maxTyped-len(e.text), 0))])
	for i, r := range runes {
		if !unicode.IsPrint(r) {
			runes[i] = ' '
		}
	}
	e.text = slices.Insert(e.text, e.at, runes...)
	e.at += len(runes)
}

// word is where the word before the cursor begins, or the one behind it ends.
func (e *editor) word(step int) int {
	at := e.at
	inside := false
	for at+min(step, 0) >= 0 && at+min(step, 0) < len(e.text) {
		if space := unicode.IsSpace(e.text[at+min(step, 0)]); space && inside {
			break
		} else if !space {
			inside = true
		}
		at += step
	}
	return at
}

func (e *editor) cut(from, to int) {
	e.text = slices.Delete(e.text, from, to)
	e.at = from
}

// key does what a key does in a line; false: nothing.
func (e *editor) key(k tea.KeyMsg) bool {
	switch k.String() {
	case "left", "ctrl+b":
		e.at = max(e.at-1, 0)
	case "right":
		e.at = min(e.at+1, len(e.text))
	case "home", "ctrl+a":
		e.at = 0
	case "end", "ctrl+e":
		e.at = len(e.text)
	case "ctrl+left", "alt+left", "alt+b":
		e.at = e.word(-1)
	case "ctrl+right", "alt+right", "alt+f":
		e.at = e.word(1)
	case "backspace", "ctrl+h":
		if e.at > 0 {
			e.cut(e.at-1, e.at)
		}
	case "delete", "ctrl+d":
		if e.at < len(e.text) {
			e.cut(e.at, e.at+1)
		}
	case "ctrl+w", "alt+backspace":
		e.cut(e.word(-1), e.at)
	case "ctrl+u":
		e.cut(0, e.at)
	case "ctrl+k":
		e.cut(e.at, len(e.text))
	default:
		if k.Alt || k.Type != tea.KeyRunes && k.Type != tea.KeySpace {
			return false
		}
		e.insert(k.Runes)
	}
	return true
}

// view is the part of the line around the cursor, and the cursor.
func (e *editor) view(width int, placeholder string) string {
	if len(e.text) == 0 {
		first, rest := " ", ""
		if placeholder != "" {
			first, rest = placeholder[:1], placeholder[1:]
		}
		return reverse(first) + lipgloss.NewStyle().Faint(true).Render(ansi.Truncate(rest, width-1, ""))
	}
	from := 0
	for from < e.at && ansi.StringWidth(live.Clean(string(e.text[from:e.at]))) > width-2 {
		from += max((e.at-from)/4, 1)
	}
	under, rest := " ", ""
	if e.at < len(e.text) {
		under, rest = live.Clean(string(e.text[e.at])), live.Clean(string(e.text[e.at+1:])) // a value of the game's may have been completed
	}
	before := live.Clean(string(e.text[from:e.at]))
	room := max(width-ansi.StringWidth(before)-ansi.StringWidth(under), 0)
	return before + reverse(under) + ansi.Truncate(rest, room, "")
}
