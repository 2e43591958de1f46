package play

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"
)

// line shows an editor with its cursor as |.
func line(e *editor) string {
	before, behind := e.split()
	return before + "|" + behind
}

func TestEditor(t *testing.T) {
	k := func(kind tea.KeyType) tea.KeyMsg { return tea.KeyMsg{Type: kind} }
	alt := func(r rune) tea.KeyMsg { return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{r}, Alt: true} }
	for _, one := range []struct {
		at, want string
		keys     []tea.KeyMsg
	}{
		{"ab|cd", "abx|cd", []tea.KeyMsg{{Type: tea.KeyRunes, Runes: []rune("x")}}},
		{"|", "é東|", []tea.KeyMsg{{Type: tea.KeyRunes, Runes: []rune("é東")}}},
		{"a|", "a b c  d|", []tea.KeyMsg{{Type: tea.KeyRunes, Runes: []rune(" b\nc\x1b\td"), Paste: true}}},
		{"a|", "a |", []tea.KeyMsg{{Type: tea.KeySpace, Runes: []rune(" ")}}},
		{"ab|", "|ab", []tea.KeyMsg{k(tea.KeyLeft), k(tea.KeyLeft), k(tea.KeyLeft)}},
		{"|ab", "ab|", []tea.KeyMsg{k(tea.KeyRight), k(tea.KeyRight), k(tea.KeyRight)}},
		{"ab|cd", "|abcd", []tea.KeyMsg{k(tea.KeyHome)}},
		{"ab|cd", "abcd|", []tea.KeyMsg{k(tea.KeyCtrlE)}},
		{"ab|cd", "a|cd", []tea.KeyMsg{k(tea.KeyBackspace)}},
		{"|cd", "|cd", []tea.KeyMsg{k(tea.KeyBackspace)}},
		{"ab|cd", "ab|d", []tea.KeyMsg{k(tea.KeyDelete)}},
		{"ab|", "ab|", []tea.KeyMsg{k(tea.KeyDelete)}},
		{"one two  |x", "one |x", []tea.KeyMsg{k(tea.KeyCtrlW)}},
		{"one two|x", "|x", []tea.KeyMsg{k(tea.KeyCtrlU)}},
		{"one| two", "one|", []tea.KeyMsg{k(tea.KeyCtrlK)}},
		{"one two|", "|one two", []tea.KeyMsg{alt('b'), alt('b'), alt('b')}},
		{"|one two", "one two|", []tea.KeyMsg{alt('f'), alt('f'), alt('f')}},
		{"a|", "a|", []tea.KeyMsg{alt('x'), k(tea.KeyF1)}},
	} {
		var e editor
		before, behind, _ := strings.Cut(one.at, "|")
		e.set(before, behind)
		for _, key := range one.keys {
			e.key(key)
		}
		require.Equal(t, one.want, line(&e), one.at)
	}
	var e editor
	e.insert([]rune(strings.Repeat("x", maxTyped+9)))
	require.Len(t, e.text, maxTyped)
}

// What is shown fits, has the cursor, and obeys nothing, also where a value of the game's was completed.
func TestEditorView(t *testing.T) {
	var e editor
	require.Equal(t, "\x1b[7ma\x1b[27m", ansi.Truncate(e.view(10, "a tool"), 1, ""))
	e.set("say text=\x1b[2J\u202e", "\x07x")
	require.Equal(t, `say text=\x1b[2J\u202e`+"\x1b[7m"+`\x07`+"\x1b[27mx", e.view(60, ""))
	e.set(strings.Repeat("東", 100), strings.Repeat("b", 100))
	for width := 4; width < 120; width++ {
		require.LessOrEqual(t, ansi.StringWidth(e.view(width, "")), width)
		require.Contains(t, e.view(width, ""), "\x1b[7mb\x1b[27m")
	}
}

func FuzzEditor(f *testing.F) {
	f.Add("walk_to ", []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 20)
	f.Fuzz(func(t *testing.T, text string, keys []byte, width int) {
		var e editor
		e.insert([]rune(text))
		kinds := []tea.KeyType{tea.KeyLeft, tea.KeyRight, tea.KeyHome, tea.KeyEnd, tea.KeyCtrlLeft, tea.KeyCtrlRight, tea.KeyBackspace, tea.KeyDelete, tea.KeyCtrlW, tea.KeyCtrlU, tea.KeyCtrlK, tea.KeySpace}
		for _, k := range keys[:min(len(keys), 100)] {
			e.key(tea.KeyMsg{Type: kinds[int(k)%len(kinds)], Runes: []rune{' '}})
			require.LessOrEqual(t, e.at, len(e.text))
			require.GreaterOrEqual(t, e.at, 0)
		}
		e.view(max(width%200, 4), "a tool")
	})
}
