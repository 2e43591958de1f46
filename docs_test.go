package libaicc_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A block of code in a page. Its mark is the HTML comment on the line before it:
//
//	<!-- not run: REASON -->    a block of commands that no test runs, and why
//	<!-- file: NAME -->         the block is a file, which the commands after it find under this name
type block struct {
	page, language, mark, text string
	line                       int
}

func (b block) place() string { return fmt.Sprintf("%s:%d", b.page, b.line) }

var (
	fence  = regexp.MustCompile("^```(\\S*)\\s*$")
	notRun = regexp.MustCompile(`^<!-- not run: \S.* -->$`)
	asFile = regexp.MustCompile(`^<!-- file: ([A-Za-z0-9_./-]+) -->$`)
)

func pages(t *testing.T) []string {
	found := []string{}
	for _, name := range files(t) {
		if name == "README.md" || strings.HasPrefix(name, "docs/") && path.Ext(name) == ".md" {
			found = append(found, name)
		}
	}
	require.Contains(t, found, "README.md")
	return found
}

func blocks(page, text string) []block {
	var found []block
	var open *block
	previous := ""
	for number, line := range strings.Split(text, "\n") {
		switch mark := fence.FindStringSubmatch(line); {
		case open != nil && mark != nil:
			found = append(found, *open)
			open = nil
		case open != nil:
			open.text += line + "\n"
		case mark != nil:
			open = &block{page: page, language: mark[1], mark: previous, line: number + 1}
		}
		previous = line
	}
	if open != nil {
		open.language = "unclosed"
		found = append(found, *open)
	}
	return found
}

func isCommands(b block) bool {
	return b.language == "sh" || b.language == "bash" || b.language == "shell" || b.language == "console"
}

// Each block of commands is run by TestDocsCommandsWork or says why not.
func TestMarkdownCommandsAreRunOrSayWhyNot(t *testing.T) {
	run, marked := 0, 0
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, b := range blocks(page, string(text)) {
			require.NotEqual(t, "unclosed", b.language, "%s: a block of code without an end", b.place())
			if !isCommands(b) {
				continue
			}
			require.Equal(t, "sh", b.language, "%s: blocks of commands are ```sh", b.place())
			if strings.HasPrefix(b.mark, "<!--") {
				require.Regexp(t, notRun, b.mark, "%s: the comment before it gives no reason", b.place())
				t.Logf("%s: not run: %s", b.place(), strings.TrimSuffix(strings.TrimPrefix(b.mark, "<!-- not run: "), " -->"))
				marked++
				continue
			}
			t.Logf("%s: run", b.place())
			run++
		}
	}
	t.Logf("%d blocks run, %d not", run, marked)
	require.Positive(t, run, "no block of commands is run at all")
}

func TestMarkdownBlocksAreRead(t *testing.T) {
	text := "a\n```sh\nmake\n```\n<!-- not run: no network -->\n```sh\ncurl\ngit\n```\n<!-- file: a.c -->\n```c\nint a;\n```\n```sh\nnever"
	require.Equal(t, []block{
		{"p", "sh", "a", "make\n", 2},
		{"p", "sh", "<!-- not run: no network -->", "curl\ngit\n", 6},
		{"p", "c", "<!-- file: a.c -->", "int a;\n", 11},
		{"p", "unclosed", "```", "never\n", 14},
	}, blocks("p", text))
	require.NotRegexp(t, notRun, "<!-- not run: -->")
}

// A page is read from its top in a copy of the repository: its files are written and its commands run in order, and none may fail.
// build.sh test asks for it; it builds the library anew.
func TestDocsCommandsWork(t *testing.T) {
	if os.Getenv("AICC_TEST_DOCS") == "" && os.Getenv("CI") != "true" {
		t.Skip("the pages' commands are run by ./build.sh test docs")
	}
	clone := t.TempDir()
	copyRepository(t, clone)
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		for _, b := range blocks(page, string(text)) {
			if name := asFile.FindStringSubmatch(b.mark); name != nil {
				write(t, filepath.Join(clone, name[1]), []byte(b.text), 0o644)
			}
			if isCommands(b) && !notRun.MatchString(b.mark) {
				runBlock(t, clone, b)
			}
		}
	}
}

func runBlock(t *testing.T, clone string, b block) {
	t.Helper()
	limit, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(limit, "bash", "-euo", "pipefail", "-c", b.text)
	command.Dir = clone
	command.Env = append(os.Environ(), "AICC_BUILD_DIR=", "AICC_TEST_DOCS=")
	began := time.Now()
	output, err := command.CombinedOutput()
	t.Logf("%s: %.1f s\n%s%s", b.place(), time.Since(began).Seconds(), b.text, output)
	require.NoError(t, err, "%s: these commands fail", b.place())
}

func copyRepository(t *testing.T, to string) {
	for _, name := range files(t) {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		info, err := os.Stat(name)
		require.NoError(t, err)
		write(t, filepath.Join(to, filepath.FromSlash(name)), text, info.Mode()|0o200)
	}
}

func write(t *testing.T, name string, text []byte, mode fs.FileMode) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, text, mode))
}
