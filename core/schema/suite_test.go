package schema

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"aicc.dev/libaicc/core/jsonwire"
	"github.com/stretchr/testify/require"
)

// dataDir is a folder of test data beside the repository.
func dataDir(t testing.TB, name string) string {
	dir := filepath.Join("..", "..", "..", "shared", "data", name)
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("the test data %s is missing", name)
		}
		t.Skipf("the test data %s is not here", name)
	}
	return dir
}

type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// suiteSkips are the tests of the suite that this package answers otherwise, by a pattern
// for "file | group | test", each with its reason. What is not here must pass; what is here must not.
var suiteSkips = []struct{ part, pattern, reason string }{
	{"required", `^enum \| empty enum \|`, "an empty enum accepts nothing, and is refused as a slip of its author"},
	{"required", `^(defs|definitions) \| validate definition against metaschema \|`, "a reference to the meta-schema leads outside the schema; nothing is fetched"},
	{"required", `^ref \| remote ref, containing refs itself \|`, "a reference to the meta-schema leads outside the schema; nothing is fetched"},
	{"required", `^vocabulary \|`, "a $schema of one's own is refused: what its keywords mean is not known"},
	{"optional", `^format-assertion \|`, "a $schema of one's own is refused: what its keywords mean is not known"},
	{"optional", `^cross-draft \|`, "2019-09 and earlier drafts are not spoken here"},
	{"optional", `^content \|`, "contentEncoding and contentMediaType are annotations"},
	{"format", `^hostname \| validation of A-label \(punycode\) host names \|`, "a host name is held to RFC 1123; what an xn-- label decodes to needs tables that are not here"},
	{"format", `^idn-hostname \|`, "an annotation: deciding it needs IDNA's tables, which are not here"},
}

// suiteCount is one line of the table that docs/validation.md has too.
type suiteCount struct {
	draft, part            string
	total, passed, skipped int
}

func (c suiteCount) row() string {
	return fmt.Sprintf("| %s | %s | %d | %d | %d |", c.draft, c.part, c.total, c.passed, c.skipped)
}

// published says that docs/validation.md has a line, so that what it claims is what the tests print.
func published(t *testing.T, line string) {
	t.Helper()
	t.Log(line)
	body, err := os.ReadFile(filepath.Join("..", "..", "docs", "validation.md"))
	require.NoError(t, err)
	require.Contains(t, string(body), "\n"+line+"\n", "docs/validation.md does not say what this test found")
}

// suiteParts are the folders of a draft; format is asserted in the last.
var suiteParts = []struct{ name, folder string }{{"required", ""}, {"optional", "optional"}, {"format", "optional/format"}}

func TestSuite(t *testing.T) {
	dir := dataDir(t, "json-schema-test-suite")
	docs := suiteDocuments(t, dir)
	required := suiteCount{draft: "both", part: "required"}
	used := map[string]bool{}
	for _, draft := range []string{"draft2020-12", "draft7"} {
		for _, part := range suiteParts {
			count := suiteCount{draft: draft, part: part.name}
			eachSuiteTest(t, dir, draft, part.folder, func(name string, g *suiteGroup, i int) {
				count.total++
				got, err := suiteVerdict(t, g, i, draft, part.name, docs)
				passed := err == nil && got == g.Tests[i].Valid
				skip := suiteSkip(part.name, name)
				used[skip] = used[skip] || !passed
				if passed {
					count.passed++
				} else {
					count.skipped++
					require.NotEmpty(t, skip, "%s %s: wanted %v, got %v, %v", draft, name, g.Tests[i].Valid, got, err)
				}
			})
			if part.name == "required" {
				required.total += count.total
				required.passed += count.passed
				required.skipped += count.skipped
			}
			published(t, count.row())
		}
	}
	published(t, required.row())
	for _, s := range suiteSkips {
		require.True(t, used[s.reason], "nothing is skipped because %s", s.reason)
	}
	require.GreaterOrEqual(t, float64(required.passed), 0.95*float64(required.total))
}

func suiteSkip(part, name string) string {
	for _, s := range suiteSkips {
		if s.part == part && regexp.MustCompile(s.pattern).MatchString(name) {
			return s.reason
		}
	}
	return ""
}

// eachSuiteTest calls f for each test of a folder, in order.
func eachSuiteTest(t *testing.T, dir, draft, folder string, f func(name string, g *suiteGroup, i int)) {
	files, err := filepath.Glob(filepath.Join(dir, "tests", draft, folder, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	sort.Strings(files)
	for _, file := range files {
		var groups []suiteGroup
		body, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(body, &groups), file)
		for k := range groups {
			for i, one := range groups[k].Tests {
				f(strings.Join([]string{strings.TrimSuffix(filepath.Base(file), ".json"), groups[k].Description, one.Description}, " | "), &groups[k], i)
			}
		}
	}
}

// suiteVerdict asks the engine twice: told to stop at the first fault, and told to find all.
func suiteVerdict(t *testing.T, g *suiteGroup, i int, draft, part string, docs map[string][]byte) (bool, error) {
	s, cerr := compile(g.Schema, Options{Role: Output}, settings{documents: docs, annotate: part != "format", anyRoot: true, draft7: draft == "draft7"})
	if cerr != nil {
		return false, cerr
	}
	data := g.Tests[i].Data
	var scan jsonwire.Scanner
	if _, bad := scan.Check(data); bad != nil {
		return false, bad
	}
	var c Checker
	ok := s.Check(&c, data)
	require.Equal(t, ok, len(c.Faults) == 0, "the two runs differ over %s", data)
	return ok, nil
}

// suiteDocuments are what the suite serves at http://localhost:1234.
func suiteDocuments(t *testing.T, dir string) map[string][]byte {
	docs := map[string][]byte{}
	root := filepath.Join(dir, "remotes")
	require.NoError(t, filepath.Walk(root, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		docs["http://localhost:1234/"+filepath.ToSlash(rel)] = body
		return err
	}))
	return docs
}

// TestSuiteKaptinlin runs the same tests through kaptinlin/jsonschema, which gets the suite's documents and no network.
func TestSuiteKaptinlin(t *testing.T) {
	dir := dataDir(t, "json-schema-test-suite")
	p := startKaptinlin(t)
	docs := suiteDocuments(t, dir)
	for _, draft := range []string{"draft2020-12", "draft7"} {
		for _, part := range suiteParts {
			count := suiteCount{draft: draft, part: part.name}
			eachSuiteTest(t, dir, draft, part.folder, func(_ string, g *suiteGroup, i int) {
				count.total++
				a := p.ask(t, peerQuestion{Schema: g.Schema, Draft7: draft == "draft7", Format: part.name == "format", Inputs: []string{string(g.Tests[i].Data)}, Documents: docs})
				if want := map[bool]string{true: "1", false: "0"}[g.Tests[i].Valid]; a.Verdicts == want {
					count.passed++
				} else {
					count.skipped++
				}
			})
			published(t, "| kaptinlin "+count.row()[2:])
		}
	}
}
