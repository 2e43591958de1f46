package inspector

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The page keeps to what its rules allow: nothing from elsewhere, no markup made of text.
func TestFiles(t *testing.T) {
	h := New(Options{})
	for _, name := range []string{"", "index.html", "app.css", "main.js"} {
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
		for _, word := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http://", "https://", "style=", "onclick=\""} {
			require.NotContains(t, string(text), word, entry.Name())
		}
	}
}
