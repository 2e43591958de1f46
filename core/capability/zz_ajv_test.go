package capability

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/jsonwire"
)

// ajv is a referee who knows nothing of this package: a process of its own, spoken to by core/schema's peer program.
type ajv struct {
	in  io.Writer
	out *bufio.Reader
}

type question struct {
	Schema json.RawMessage `json:"schema"`
	Draft7 bool            `json:"draft7"`
	Inputs []string        `json:"inputs"`
}

func startAJV(t testing.TB) *ajv {
	node, err := exec.LookPath("node")
	if err != nil {
		lacking(t, "ajv: node is not installed")
	}
	peers := filepath.Join("..", "schema", "testdata", "ajv")
	modules := os.Getenv("AICC_NODE_MODULES")
	if modules == "" {
		modules = filepath.Join(peers, "node_modules")
	}
	modules, err = filepath.Abs(modules)
	require.NoError(t, err)
	if _, err := os.Stat(filepath.Join(modules, "ajv")); err != nil {
		lacking(t, "ajv: no node_modules: ./build.sh test installs them, or set AICC_NODE_MODULES")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	c := exec.CommandContext(ctx, node, filepath.Join(peers, "peer.js"))
	c.Env = append(os.Environ(), "AICC_NODE_MODULES="+modules)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = c.Wait()
		cancel()
	})
	return &ajv{in, bufio.NewReaderSize(out, 1<<20)}
}

// ask gives a verdict, '1' or '0', for each input, or why the schema is refused.
func (a *ajv) ask(t testing.TB, q question) (verdicts, refused string) {
	line, err := json.Marshal(q)
	require.NoError(t, err)
	_, err = a.in.Write(append(line, '\n'))
	require.NoError(t, err)
	line, err = a.out.ReadBytes('\n')
	require.NoError(t, err)
	var answer struct{ Error, Verdicts string }
	require.NoError(t, json.Unmarshal(line, &answer))
	return answer.Verdicts, answer.Error
}

// TestExportedDocumentsByAJV runs last: every document that this run has exported, and some more, is held against the schema by ajv in its
// draft-07 form, and so is every payload schema against what ajv takes for one of draft-07.
func TestExportedDocumentsByAJV(t *testing.T) {
	a := startAJV(t)
	world, tools := guard(t)
	_, _, err := export(tools, Options{World: world})
	require.NoError(t, err)
	r := rand.New(rand.NewPCG(16, 17))
	for range 100 {
		data := make([]byte, 200)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		c := chooser{data: data, draft: Draft2020}
		_, _, _ = export([]Tool{c.tool()}, Options{World: "w"})
	}
	var inputs []string
	schemas := map[string]bool{}
	for _, doc := range allExported {
		inputs = append(inputs, string(doc))
		for _, name := range []string{"input_schema", "output_schema"} {
			if s, ok := jsonwire.Lookup(doc, name); ok {
				schemas[string(s)] = true
			}
		}
	}
	for name, text := range published(t) { // that the referee is awake
		inputs = append(inputs, string(text))
		schemas[`{"title":`+quoted(name)+`}`] = true
	}
	verdicts, refused := a.ask(t, question{Schema: formText, Draft7: true, Inputs: append(inputs, `{"name":"meta.a"}`)})
	require.Empty(t, refused)
	require.Len(t, verdicts, len(inputs)+1)
	require.Equal(t, byte('0'), verdicts[len(inputs)])
	for i := range inputs {
		require.Equal(t, byte('1'), verdicts[i], inputs[i])
	}
	// Those that name nothing go together into one; of the others a hundred will do, since the referee takes its time for each.
	together, alone := object(), 0
	for s := range schemas {
		switch names := strings.Contains(s, `"$id"`) || strings.Contains(s, `"$ref"`) || strings.Contains(s, `"$schema"`); {
		case !names:
			together.put(strconv.Itoa(len(together.members)), leaf([]byte(s)))
		case alone < 100:
			alone++
			_, refused := a.ask(t, question{Schema: json.RawMessage(s), Draft7: true, Inputs: []string{"{}"}})
			require.Empty(t, refused, s)
		}
	}
	_, refused = a.ask(t, question{Schema: object().put("properties", together).append(nil), Draft7: true, Inputs: []string{"{}"}})
	require.Empty(t, refused)
	_, refused = a.ask(t, question{Schema: json.RawMessage(`{"type":"strin"}`), Draft7: true, Inputs: []string{"{}"}})
	require.NotEmpty(t, refused)
	t.Logf("ajv: %d exported documents are valid, %d payload schemas are draft-07", len(allExported), len(together.members)+alone)
}

// Our verdicts on bad and good documents are ajv's too.
func TestBadDocumentsByAJV(t *testing.T) {
	a := startAJV(t)
	var inputs []string
	var want []byte
	for _, c := range badDocuments {
		if c.breaks != breaksText {
			inputs = append(inputs, expand(c.doc))
			want = append(want, map[breach]byte{breaksForm: '0', breaksWords: '1'}[c.breaks])
		}
	}
	r := rand.New(rand.NewPCG(18, 19))
	for range 1500 {
		doc := mutant(t, r)
		if bytes.Contains(doc, []byte("1.0000000000000000001")) {
			continue // an integer to JavaScript
		}
		v := Validate(doc, Lenient)
		inputs = append(inputs, string(doc))
		want = append(want, map[bool]byte{true: '1', false: '0'}[v.OK()])
	}
	verdicts, refused := a.ask(t, question{Schema: formText, Draft7: true, Inputs: inputs})
	require.Empty(t, refused)
	for i := range inputs {
		require.Equal(t, string(want[i]), string(verdicts[i]), inputs[i])
	}
}

// TestSuiteByAJV has a third judge over the conversions of JSON-Schema-Test-Suite, wherever it is right about the schema before.
func TestSuiteByAJV(t *testing.T) {
	a := startAJV(t)
	dir := shared(t, "data", "json-schema-test-suite")
	for folder, from := range map[string]Draft{"draft2020-12": Draft2020, "draft7": Draft7} {
		same := 0
		eachGroup(t, filepath.Join(dir, "tests", folder), func(file string, g *suiteGroup) {
			there, _, err := convert(g.Schema, from)
			plain := strings.ReplaceAll(string(jsonwire.AppendCompact(nil, trim(g.Schema))), uri2020, uri7)
			if err != nil || plain == string(there) {
				return // nothing to see: the same text, but for $schema
			}
			var inputs []string
			for _, one := range g.Tests {
				inputs = append(inputs, string(one.Data))
			}
			before, refused := a.ask(t, question{Schema: g.Schema, Draft7: from == Draft7, Inputs: inputs})
			if refused != "" {
				return
			}
			after, refused := a.ask(t, question{Schema: there, Draft7: from == Draft2020, Inputs: inputs})
			if refused != "" {
				t.Logf("%s | %s | %s: %s\n%s", folder, file, g.Description, refused, there)
				return
			}
			for i, one := range g.Tests {
				if (before[i] == '1') == one.Valid {
					same++
					require.Equal(t, string(before[i]), string(after[i]), "%s | %s | %s | %s\n%s\n%s", folder, file, g.Description, one.Description, g.Schema, there)
				}
			}
		})
		t.Logf("%s: %d verdicts the same by ajv", folder, same)
		require.Greater(t, same, 100)
	}
}
