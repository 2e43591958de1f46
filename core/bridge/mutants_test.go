package bridge

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// mutant is a change of the code that the vectors must notice.
type mutant struct {
	File  string `json:"file"` // from the module's root
	Old   string `json:"old"`  // stands there once
	New   string `json:"new"`
	Says  string `json:"says"`            // what the code would then do wrong
	Quick bool   `json:"quick,omitempty"` // also in an ordinary run
	Lives string `json:"lives,omitempty"` // why no vector can notice it
}

// TestMutants changes the code and plays the vectors: a few mutants always, all of them with AICC_MUTANTS=all, those whose
// file or text contains it with another value.
func TestMutants(t *testing.T) {
	which := os.Getenv("AICC_MUTANTS")
	goTool, err := exec.LookPath("go")
	if testing.Short() || err != nil {
		t.Skip("mutants are built with the go tool, which takes a while")
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	text, err := os.ReadFile("testdata/mutants.json")
	require.NoError(t, err)
	var list []mutant
	require.NoError(t, json.Unmarshal(text, &list))
	killed, known := 0, 0
	var survived, wrong []string
	for _, m := range list {
		if which == "" && !m.Quick || which != "" && which != "all" && !strings.Contains(m.File+" "+m.Says, which) {
			continue
		}
		changed := mutate(t, root, &m)
		if changed == "" {
			wrong = append(wrong, m.File+": "+m.Says+": the old text must stand there once")
			continue
		}
		switch died, output := vectorsDie(t, goTool, root, filepath.Join(root, m.File), changed); {
		case strings.Contains(output, "[build failed]") || strings.Contains(output, "[setup failed]"):
			wrong = append(wrong, m.File+": "+m.Says+": does not compile\n"+output)
		case died && m.Lives != "":
			wrong = append(wrong, m.File+": "+m.Says+": dies, though there is a reason why it should not")
		case died:
			killed++
		case m.Lives != "":
			known++
		default:
			t.Logf("survives: %s: %s", m.File, m.Says)
			survived = append(survived, m.File+": "+m.Says)
		}
	}
	t.Logf("mutants: %d killed, %d survived, %d are known to survive, of %d tried and %d in all", killed, len(survived), known, killed+len(survived)+known, len(list))
	require.Empty(t, wrong)
	require.Empty(t, survived)
	require.Positive(t, killed)
}

// mutate is the file's text with the change, "" when there is no one place for it.
func mutate(t *testing.T, root string, m *mutant) string {
	text, err := os.ReadFile(filepath.Join(root, m.File))
	require.NoError(t, err)
	require.NotEqual(t, m.Old, m.New, m.Says)
	if strings.Count(string(text), m.Old) != 1 {
		return ""
	}
	return strings.Replace(string(text), m.Old, m.New, 1)
}

// vectorsDie plays the vectors with one file replaced.
func vectorsDie(t *testing.T, goTool, root, file, text string) (bool, string) {
	folder := t.TempDir()
	changed, overlay := filepath.Join(folder, "mutant.go"), filepath.Join(folder, "overlay.json")
	require.NoError(t, os.WriteFile(changed, []byte(text), 0o600))
	files := map[string]string{file: changed}
	tests, err := filepath.Glob(filepath.Join(root, "core/bridge/*_test.go"))
	require.NoError(t, err)
	for _, name := range tests { // without the other tests it is built sooner
		if !strings.HasPrefix(filepath.Base(name), "vectors_") {
			files[name] = ""
		}
	}
	replace, err := json.Marshal(map[string]map[string]string{"Replace": files})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, replace, 0o600))
	limit, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(limit, goTool, "test", "-overlay", overlay, "-vet=off", "-ldflags=-s -w", "-count=1", "-timeout=60s", "-failfast", "-run=^TestVectors$", "./core/bridge")
	command.Dir = root
	output, err := command.CombinedOutput()
	if err == nil {
		return false, ""
	}
	require.NoError(t, limit.Err())
	return true, string(output)
}
