package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// messages are those of the bridge's vectors: all nine types, good and bad.
func messages(t testing.TB) (list []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "core", "bridge", "testdata", "vectors", "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	seen := map[string]bool{}
	add := func(text string) {
		if !seen[text] {
			seen[text] = true
			list = append(list, text)
		}
	}
	name := regexp.MustCompile(`<[^<>"]*>`)
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if m, ok := v["message"].(map[string]any); ok && (v["do"] == "receive" || v["to"] != nil) {
				text, err := json.Marshal(m)
				require.NoError(t, err)
				add(string(text))
			}
			if text, ok := v["text"].(string); ok && v["do"] == "receive" {
				add(text)
			}
			for _, one := range v {
				walk(one)
			}
		case []any:
			for _, one := range v {
				walk(one)
			}
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		text = name.ReplaceAll(text, []byte("11111111-2222-4333-8444-555555555555"))
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var doc any
		require.NoError(t, decoder.Decode(&doc), file)
		walk(doc)
	}
	slices.Sort(list)
	return list
}

// mutant changes one thing of a message.
func mutant(r *rand.Rand, text string) (string, bool) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var doc any
	if decoder.Decode(&doc) != nil {
		return "", false
	}
	var objects []map[string]any
	var find func(v any)
	find = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			objects = append(objects, v)
			for _, key := range keys(v) {
				find(v[key])
			}
		case []any:
			for _, one := range v {
				find(one)
			}
		}
	}
	find(doc)
	if len(objects) == 0 {
		return "", false
	}
	o := objects[0]
	if r.Intn(2) == 0 {
		o = objects[r.Intn(len(objects))]
	}
	list := keys(o)
	if len(list) == 0 {
		o["new"] = true
	} else {
		values := []any{nil, true, false, 0, -1, 1.5, json.Number("1e2"), "", "x", "Go", "aicc/0.1", "tick", "11111111-2222-4333-8444-555555555555", "11111111-2222-4333-8444-55555555555",
			"urn:uuid:11111111-2222-4333-8444-555555555555", "heartbeat", "event", "tool_result", "error", []any{}, []any{1}, []any{"a"}, map[string]any{}, map[string]any{"class": "sensor"},
			map[string]any{"code": "timeout", "message": "late", "retryable": true}}
		key := list[r.Intn(len(list))]
		switch r.Intn(6) {
		case 0:
			delete(o, key)
		case 1:
			o[strings.ToUpper(key[:1])+key[1:]] = o[key]
		case 2:
			o[[]string{"input", "output", "error", "meta", "payload", "reason", "topic", "manifest_update", "call_id", "ok", "tool", "extra", "limits"}[r.Intn(13)]] = values[r.Intn(len(values))]
		default:
			o[key] = values[r.Intn(len(values))]
		}
	}
	out, err := json.Marshal(doc)
	return string(out), err == nil
}

func keys(o map[string]any) []string {
	list := make([]string, 0, len(o))
	for key := range o {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

// corpus is the messages, and mutants of them.
func corpus(t testing.TB, mutants int) []string {
	list := messages(t)
	r := rand.New(rand.NewSource(1))
	for base := list; mutants > 0; mutants-- {
		text := base[r.Intn(len(base))]
		for range 1 + r.Intn(2) {
			if changed, ok := mutant(r, text); ok {
				text = changed
			}
		}
		list = append(list, text)
	}
	return list
}

// ajv refuses what is refused here for the schema's sake, and nothing else.
func TestAjvAgrees(t *testing.T) {
	modules, node := os.Getenv("AICC_NODE_MODULES"), ""
	if modules != "" {
		node, _ = exec.LookPath("node")
	}
	if node == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("node, and the modules of .ci/node in the folder AICC_NODE_MODULES, are needed")
		}
		t.Skip("TestAjvAgrees: AICC_NODE_MODULES does not name the modules of .ci/node, or there is no node")
	}
	texts := corpus(t, 6000)
	var input bytes.Buffer
	for _, text := range texts {
		line, err := json.Marshal(text)
		require.NoError(t, err)
		input.Write(append(line, '\n'))
	}
	cmd := exec.CommandContext(t.Context(), node, filepath.Join("testdata", "ajv.mjs"), filepath.Join("..", "..", "..", "core", "message", "aicc.schema.json"))
	cmd.Stdin, cmd.Stderr = &input, os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	verdicts := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	require.Len(t, verdicts, len(texts))
	good, bad, stricter := 0, 0, 0
	for i, text := range texts {
		r := Check([]byte(text), Options{})
		if len(r.Faults) == 1 && r.Faults[0].Rule == "json" && !r.Faults[0].Schema { // JSON that is not taken is not looked into
			stricter++
			continue
		}
		bySchema := false
		for _, f := range r.Faults {
			bySchema = bySchema || f.Schema
		}
		ajv := verdicts[i] == "yes"
		if r.Messages != 1 { // nothing, or several
			require.False(t, ajv, text)
			continue
		}
		require.Equal(t, ajv, !bySchema, "%s\n%s\najv: %s\nhere: %+v", fmt.Sprint(i), text, verdicts[i], r.Faults)
		switch {
		case r.Bad == 0:
			good++
		case bySchema:
			bad++
		default:
			require.NotEmpty(t, r.Faults)
			stricter++
		}
	}
	t.Logf("%d messages: %d good for both, %d bad for both, %d that the schema's text refuses and its types do not", len(texts), good, bad, stricter)
	require.Greater(t, good, 500)
	require.Greater(t, bad, 1000)
	require.Greater(t, stricter, 50)
}
