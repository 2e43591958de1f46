package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// One line of the stream.
func says(action, test, output string) string {
	line, _ := json.Marshal(map[string]any{"Action": action, "Package": "m/a", "Test": test, "Output": output, "Elapsed": 0.5})
	return string(line) + "\n"
}

func TestCounts(t *testing.T) {
	build := `{"ImportPath":"m/a [m/a.test]","Action":"build-output","Output":"a.go:1: no\n"}` + "\n" +
		`{"ImportPath":"m/a [m/a.test]","Action":"build-fail"}` + "\n"
	for name, c := range map[string]struct {
		stream, counts, notes, said string
	}{
		"a test that passes":      {says("run", "TestA", "") + says("pass", "TestA", "") + says("pass", "", ""), "1 0 0", "", "    a                        1 passed  0.5s\n"},
		"a package without tests": {says("output", "", "? no test files\n") + says("skip", "", ""), "0 0 0", "", ""},
		"a parent counts through its subtests": {
			says("run", "TestA", "") + says("run", "TestA/x", "") + says("run", "TestA/y", "") + says("pass", "TestA/x", "") +
				says("pass", "TestA/y", "") + says("pass", "TestA", "") + says("pass", "", ""),
			"2 0 0", "", "    a                        2 passed  0.5s\n"},
		"a subtest fails": {
			says("run", "TestA", "") + says("run", "TestA/x", "") + says("output", "TestA/x", "a_test.go:9: bad\n") + says("fail", "TestA/x", "") +
				says("fail", "TestA", "") + says("fail", "", ""),
			"0 1 0", "failed: race: a TestA/x\n", "a_test.go:9: bad\n    a                        0 passed, 1 failed  0.5s\n"},
		"a parent fails after its subtests passed": {
			says("run", "TestA", "") + says("run", "TestA/x", "") + says("pass", "TestA/x", "") + says("output", "TestA", "late\n") + says("fail", "TestA", "") + says("fail", "", ""),
			"1 1 0", "failed: race: a TestA\n", "late\n    a                        1 passed, 1 failed  0.5s\n"},
		"a skip says why": {
			says("run", "TestA", "") + says("output", "TestA", "=== RUN   TestA\n") + says("output", "TestA", "    a_test.go:4: clang is missing: get it\n") +
				says("output", "TestA", "--- SKIP: TestA (0.00s)\n") + says("skip", "TestA", "") + says("pass", "", ""),
			"0 0 1", "skipped: race: a TestA: clang is missing: get it\n", "    a                        0 passed, 1 skipped  0.5s\n"},
		"a fuzz test counts once": {
			says("run", "FuzzA", "") + says("run", "FuzzA/seed#0", "") + says("pass", "FuzzA/seed#0", "") + says("run", "FuzzA/seed#1", "") +
				says("pass", "FuzzA/seed#1", "") + says("pass", "FuzzA", "") + says("pass", "", ""),
			"1 0 0", "", "    a                        1 passed  0.5s\n"},
		"a test that never ended": {
			says("run", "TestA", "") + says("output", "TestA", "fatal error\n") + says("fail", "", ""),
			"0 1 0", "failed: race: a TestA\n", "fatal error\n    a                        0 passed, 1 failed  0.5s\n"},
		"a package that does not build": {
			build + says("output", "", "FAIL a [build failed]\n") + says("fail", "", ""),
			"0 1 0", "failed: race: a: the package did not build or its tests did not end\n",
			"a.go:1: no\nFAIL a [build failed]\n    a                        0 passed, 1 failed  0.5s\n"},
		"tests pass and the package fails": {
			says("run", "TestA", "") + says("pass", "TestA", "") + says("output", "", "goroutines leak\n") + says("fail", "", ""),
			"1 1 0", "failed: race: a: the package did not build or its tests did not end\n", "goroutines leak\n    a                        1 passed, 1 failed  0.5s\n"},
		"much output is cut": {
			says("run", "TestA", "") + strings.Repeat(says("output", "TestA", strings.Repeat("x", 400)+"\n"), 82) + says("fail", "TestA", "") + says("fail", "", ""),
			"0 1 0", "failed: race: a TestA\n",
			"    (2 lines before this are in the log)\n" + strings.Repeat(strings.Repeat("x", 300)+"...\n", 80) + "    a                        0 passed, 1 failed  0.5s\n"},
		"what is no JSON is shown": {"go: downloading x\n{\"half\":", "0 0 0", "", "go: downloading x\n{\"half\":"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			in := func(file string) string { return filepath.Join(folder, file) }
			var said bytes.Buffer
			require.NoError(t, summarize(strings.NewReader(c.stream), &said, in("log"), in("counts"), in("notes"), "race:", "m"))
			counts, err := os.ReadFile(in("counts"))
			require.NoError(t, err)
			require.Equal(t, c.counts+"\n", string(counts))
			notes, err := os.ReadFile(in("notes"))
			require.NoError(t, err)
			require.Equal(t, c.notes, string(notes))
			require.Equal(t, c.said, said.String())
		})
	}
}
