package capability

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// lacking skips a test that cannot run here by name, and fails it where everything must be.
func lacking(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// shared is a file or folder beside the repository.
func shared(t testing.TB, parts ...string) string {
	t.Helper()
	name := filepath.Join(append([]string{"..", "..", "..", "shared"}, parts...)...)
	if _, err := os.Stat(name); err != nil {
		lacking(t, "the test data "+filepath.Join(parts...)+" is not beside the repository")
	}
	return name
}

func contents(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(name)
	require.NoError(t, err)
	return body
}

// published are the documents of others.
func published(t testing.TB) map[string][]byte {
	t.Helper()
	docs := map[string][]byte{}
	for _, name := range []string{"meta.health.v1.json", "translate.ja_en.v1.json", "verify.translation.v1.json", "vision.ocr.document.japanese.v1.json"} {
		docs[name] = contents(t, shared(t, "data", "anp2", name))
	}
	return docs
}

// guard is the manifest of the example.
func guard(t testing.TB) (string, []Tool) {
	t.Helper()
	world, tools, err := ReadTools(contents(t, filepath.Join("testdata", "guard.json")))
	require.NoError(t, err)
	require.Len(t, tools, 6)
	return world, tools
}

func equalJSON(t testing.TB, want, got []byte, about ...any) {
	t.Helper()
	require.True(t, json.Valid(want), "%s", want)
	require.True(t, json.Valid(got), "%s", got)
	if !jsonwire.Equal(trim(want), trim(got)) {
		require.JSONEq(t, string(want), string(got), about...)
		require.Equal(t, string(want), string(got), about...) // numbers that JSONEq takes for the same
	}
}

// simple is a tool with a schema of its own.
func simple(input string) Tool {
	return Tool{Tool: message.Tool{ID: "say", Class: message.Actuator, Description: "Speaks.", InputSchema: []byte(input), OutputSchema: []byte(`{"type":"object"}`)}}
}

func texted(notes []Note) []string {
	list := []string{}
	for _, n := range notes {
		list = append(list, n.String())
	}
	return list
}

var repeats = regexp.MustCompile(`‹([^‹›]*)×(\d+)›`)

// expand writes out ‹text×n› as n times text, and ~ as the name and version that most documents have.
func expand(line string) string {
	line = strings.Replace(line, "~", `"name":"meta.a","version":"1.0"`, 1)
	return repeats.ReplaceAllStringFunc(line, func(s string) string {
		m := repeats.FindStringSubmatch(s)
		n, _ := strconv.Atoi(m[2])
		return strings.Repeat(m[1], n)
	})
}
