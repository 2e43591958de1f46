package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
	"aicc.dev/libaicc/core/message"
)

// The README's first tool is examples/c/first, and what it prints is what the README shows.

// TestReadmeLinks: what README.md links to is there, and its picture is XML.
func TestReadmeLinks(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(ctest.Root(), "README.md"))
	require.NoError(t, err)
	links := regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`).FindAllStringSubmatch(string(readme), -1)
	require.NotEmpty(t, links)
	for _, link := range links {
		_, err := os.Stat(filepath.Join(ctest.Root(), link[1]))
		require.NoError(t, err)
	}
	picture, err := os.Open(filepath.Join(ctest.Root(), "docs", "aicc.svg"))
	require.NoError(t, err)
	defer picture.Close()
	for text := xml.NewDecoder(picture); ; {
		_, err := text.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
	}
}

// shown is the first block of a language behind a heading of README.md.
func shown(t *testing.T, heading, language string) string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(ctest.Root(), "README.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(readme), "\n"+heading+"\n")
	require.True(t, found, "README.md has no heading %q", heading)
	_, rest, found = strings.Cut(rest, "\n```"+language+"\n")
	require.True(t, found, "README.md has no %s block below %q", language, heading)
	block, _, found := strings.Cut(rest, "```\n")
	require.True(t, found)
	return block
}

func example(name ...string) string {
	return filepath.Join(append([]string{ctest.Root(), "examples", "c"}, name...)...)
}

func TestReadmeShowsFirst(t *testing.T) {
	program, err := os.ReadFile(example("first", "first.c"))
	require.NoError(t, err)
	require.True(t, string(program) == shown(t, "## Your first tool", "c"), "README.md shows another program than examples/c/first/first.c")
	require.LessOrEqual(t, bytes.Count(program, []byte("\n")), 60, "a first program is short")
}

// varying is what may differ from run to run, or from one version of the library to the next.
var varying = regexp.MustCompile(`"(latency_ms":\d+|message_id":"[^"]*")`)

func TestFirst(t *testing.T) {
	ctest.Need(t, "gcc", "gcc")
	lib := ctest.Library(t, ctest.Plain)
	first := exec.Command(ctest.Program(t, ctest.Plain, lib, example("first", "first.c"), "-pedantic", "-std=c99"))
	lines, err := os.ReadFile(example("first", "hello.jsonl"))
	require.NoError(t, err)
	first.Stdin = bytes.NewReader(lines)
	var complaints bytes.Buffer
	first.Stderr = &complaints
	out, err := first.Output()
	require.NoError(t, err, complaints.String())
	require.Empty(t, complaints.String())

	printed := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	require.Len(t, printed, 3)
	for _, line := range printed {
		var m message.Message
		require.Nil(t, message.Decode([]byte(line), &m), line)
	}
	require.Contains(t, printed[0], `"type":"session_init"`)
	wanted := strings.Split(shown(t, "## Your first tool", "json"), "\n")
	for i, line := range printed[1:] {
		require.Equal(t, varying.ReplaceAllString(wanted[i], "varies"), varying.ReplaceAllString(line, "varies"))
	}
	require.Len(t, wanted, 3, "two lines")
}
