package inspector

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The page keeps to what its rules allow: nothing from elsewhere, no markup made of text.
func TestFiles(t *testing.T) {
	h := New(Options{})
	for _, name := range []string{"", "index.html", "app.css", "main.js", "icon.svg"} {
		_, content, ok := h.File(name)
		require.True(t, ok, name)
		require.NotEmpty(t, content)
	}
	for _, name := range []string{"x.js", "../files.go", "page/main.js", "main", "/", "main.js/", ".js", "files.go"} {
		_, _, ok := h.File(name)
		require.False(t, ok, name)
	}
	page, err := files.ReadDir("page")
	require.NoError(t, err)
	for _, entry := range page {
		text, err := files.ReadFile("page/" + entry.Name())
		require.NoError(t, err)
		require.NotRegexp(t, `(src|href|url|import|from)[=(" ]+["']?(https?:)?//`, string(text), entry.Name())
		for _, word := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "style=", "onclick=\""} {
			require.NotContains(t, string(text), word, entry.Name())
		}
	}
}

// A fault of the hub's own ends the hub, and nothing else.
func TestFaultEndsTheInspectorAlone(t *testing.T) {
	told := make(chan string, 1)
	h := New(Options{Every: time.Millisecond, Log: func(s string) { told <- s }})
	w := h.World("yard", nil)
	w.Open(1, "guard")
	over := make(chan string, 1)
	h.Watch(func(m []byte) bool {
		switch text := string(m); {
		case text[:12] == `{"t":"over",`:
			over <- text
		case text[:12] == `{"t":"batch"`:
			panic("a fault")
		}
		return true
	})
	require.Contains(t, <-told, "internal fault, the inspector stops: a fault; ")
	require.Equal(t, `{"t":"over","why":"the inspector has stopped after an internal fault: the game's log says more"}`, <-over)
	h.Close()
	require.False(t, h.Watching())
	w.In(1, 1, []byte("{}"))
	_, leave := h.Watch(func([]byte) bool { t.Error("it is over"); return false })
	leave()
}

// What a message costs its bridge's goroutine, and the hub's own.
func BenchmarkMessage(b *testing.B) {
	h := New(Options{Every: time.Hour})
	defer h.Close()
	w := h.World("yard", nil)
	w.Open(1, "guard")
	text := call("c", "go")
	b.Run("nobody looks", func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			w.In(1, 1, text)
		}
	})
	_, leave := h.Watch(func([]byte) bool { return true })
	defer leave()
	b.Run("copied", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			if w.In(1, 1, text); i%1024 == 1023 {
				h.pending.reset()
			}
		}
	})
	b.Run("copied, read, counted and made a row", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			if w.In(1, 1, text); i%1024 == 1023 {
				h.turn()
			}
		}
	})
}
