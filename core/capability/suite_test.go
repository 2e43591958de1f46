package capability

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type suiteGroup struct {
	Description string
	Schema      json.RawMessage
	Tests       []struct {
		Description string
		Data        json.RawMessage
		Valid       bool
	}
}

// inDocs says that the page has a line, so that what it claims is what the tests find.
func inDocs(t *testing.T, line string) {
	t.Helper()
	t.Log(line)
	require.Contains(t, string(contents(t, filepath.Join("..", "..", "docs", "capabilities.md"))), "\n"+line+"\n", "docs/capabilities.md does not say what this test found")
}

// TestSuite converts every schema of JSON-Schema-Test-Suite to the other draft and back. What converts gives the same verdicts in all
// three forms by core/schema, and by kaptinlin where that is right about the form it came in.
func TestSuite(t *testing.T) {
	dir := shared(t, "data", "json-schema-test-suite")
	for _, c := range []struct {
		folder string
		from   Draft
	}{{"draft2020-12", Draft2020}, {"draft7", Draft7}} {
		total, converted, verdicts, foreign := 0, 0, 0, 0
		refused := map[string]int{}
		eachGroup(t, filepath.Join(dir, "tests", c.folder), func(file string, g *suiteGroup) {
			total++
			name := c.folder + " | " + file + " | " + g.Description
			before, err := ourJudge(g.Schema, c.from)
			there, _, failed := convert(g.Schema, c.from)
			if failed != nil {
				var why *ConvertError
				require.True(t, errors.As(failed, &why), name)
				refused[why.Name]++
				return
			}
			if err != nil { // core/schema takes no such schema, so there is nothing to compare
				refused["not taken by core/schema"]++
				return
			}
			converted++
			to := anyDraft &^ c.from
			after, err := ourJudge(there, to)
			require.NoError(t, err, "%s\n%s\n%s", name, g.Schema, there)
			back, _, failed := convert(there, to)
			require.NoError(t, failed, "%s\n%s\n%s", name, g.Schema, there)
			again, err := ourJudge(back, c.from)
			require.NoError(t, err, "%s\n%s\n%s\n%s", name, g.Schema, there, back)
			theirs, err1 := kaptinlinJudge(g.Schema, c.from)
			other, err2 := kaptinlinJudge(there, to)
			for _, one := range g.Tests {
				verdicts++
				want := before(one.Data)
				require.Equal(t, want, after(one.Data), "%s | %s\n%s\n%s\n%s", name, one.Description, g.Schema, there, one.Data)
				require.Equal(t, want, again(one.Data), "%s | %s\n%s\n%s\n%s\n%s", name, one.Description, g.Schema, there, back, one.Data)
				if err1 == nil && err2 == nil && theirs(one.Data) == one.Valid && want == one.Valid {
					foreign++
					require.Equal(t, one.Valid, other(one.Data), "kaptinlin: %s | %s\n%s\n%s\n%s", name, one.Description, g.Schema, there, one.Data)
				}
			}
		})
		inDocs(t, fmt.Sprintf("| %s | %d | %d | %d | %d |", c.folder, total, converted, verdicts, foreign))
		for _, why := range []string{CannotUnevaluated, CannotDynamic, CannotRemote, CannotCount, CannotTarget, CannotDialect, CannotAnchor, "not taken by core/schema"} {
			if refused[why] > 0 {
				inDocs(t, fmt.Sprintf("| %s | %s | %d |", c.folder, why, refused[why]))
				delete(refused, why)
			}
		}
		require.Empty(t, refused)
	}
}

func eachGroup(t *testing.T, dir string, f func(file string, g *suiteGroup)) {
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	more, err := filepath.Glob(filepath.Join(dir, "optional", "*.json"))
	require.NoError(t, err)
	files = append(files, more...)
	require.NotEmpty(t, files)
	sort.Strings(files)
	for _, file := range files {
		var groups []suiteGroup
		body, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(body, &groups), file)
		for k := range groups {
			f(strings.TrimSuffix(filepath.Base(file), ".json"), &groups[k])
		}
	}
}
