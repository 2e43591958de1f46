// Package capability runs C hosts that publish their tools and take in those of others, and holds what they write against core/capability and ajv.
package capability

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/capability"
)

func TestMain(m *testing.M) {
	code := m.Run()
	ctest.Clean()
	os.Exit(code)
}

const limit = 3 * time.Minute

func source(t *testing.T, name string) string {
	path, err := filepath.Abs(filepath.Join("c", name))
	require.NoError(t, err)
	return path
}

// run gives what a program of c/ writes to its standard output.
func run(t *testing.T, v ctest.Variant, name string, args ...string) string {
	lib := ctest.Library(t, v)
	out := ctest.Run(t, ".", append(os.Environ(), v.Env...), limit, ctest.Program(t, v, lib, source(t, name)), args...)
	require.True(t, strings.HasSuffix(out, "ok\n"), out)
	return strings.TrimSuffix(out, "ok\n")
}

// lacking skips a test that cannot run here by name, and fails it where everything must be.
func lacking(t *testing.T, what string) {
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(what)
}

// files are those that host.c writes.
func files(t *testing.T) (documents, event string) {
	dir := t.TempDir()
	return filepath.Join(dir, "documents.json"), filepath.Join(dir, "event.json")
}

func contents(t *testing.T, name string) []byte {
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return text
}

func TestHost(t *testing.T) {
	documents, event := files(t)
	run(t, ctest.Plain, "host.c", documents, event)
	docs, notes, err := capability.DecodeAll(contents(t, documents), capability.Strict)
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Len(t, docs, 3)
	require.Equal(t, `{"name":"x.aicc.night_watch.look","version":"1.0","description":"A tool of the guard.","input_modes":["application/json"],"output_modes":["application/json"],"tags":["aicc","sensor"],`+
		`"input_schema":{"type":"object","additionalProperties":false},"output_schema":{"type":"object","required":["light"],"properties":{"light":{"type":"integer"}}},`+
		`"constraints":{"max_output_bytes":64},"extensions":[{"uri":"https://aicc.dev/schemas/0.1/aicc.schema.json#/$defs/tool","params":{"id":"look","class":"sensor"},"required":false}]}`,
		string(docs[0].Append(nil)))

	// The event is core/capability's, byte by byte: Ed25519 signs the same thing the same way.
	signed, err := capability.VerifyEvent(contents(t, event))
	require.NoError(t, err)
	require.Equal(t, int64(1_800_000_000), signed.CreatedAt)
	require.Equal(t, [][]string{{"cap", "x.aicc.night_watch.look"}, {"cap", "x.aicc.night_watch.walk_to"}, {"cap", "x.aicc.night_watch.say"}}, signed.Tags)
	published, _, err := signed.Documents(capability.Strict)
	require.NoError(t, err)
	require.Len(t, published, 3)
	require.NotNil(t, published[0].Constraints)
	require.NotEmpty(t, published[0].Constraints.P95LatencyMS, "100 calls were made by then")
	text := string(signed.Append(nil))
	require.Equal(t, text, string(contents(t, event)))
	seed := make([]byte, 32)
	for i := range seed {
		seed[i] = byte(7*i + 1)
	}
	require.NotContains(t, text, hex.EncodeToString(seed))

	byAJV(t, documents)
}

// The command reads what the library has written.
func TestCommandReadsWhatTheLibraryWrote(t *testing.T) {
	documents, event := files(t)
	run(t, ctest.Plain, "host.c", documents, event)
	command := aicc(t)
	require.Equal(t, documents+" /0: good: x.aicc.night_watch.look 1.0\n"+documents+" /1: good: x.aicc.night_watch.walk_to 1.0\n"+
		documents+" /2: good: x.aicc.night_watch.say 1.0\n", ctest.Run(t, ".", os.Environ(), limit, command, "capability", "validate", documents))
	require.Equal(t, "x.aicc.night_watch.walk_to 1.0\t"+documents+" /1\n",
		ctest.Run(t, ".", os.Environ(), limit, command, "capability", "match", "--tag", "actuator", documents))
	require.Contains(t, ctest.Run(t, ".", os.Environ(), limit, command, "capability", "verify", event), ": good: signed by ")
}

// The two mistakes that others make in events, and the event itself.
func TestBad(t *testing.T) {
	name := filepath.Join(ctest.Root(), "..", "shared", "data", "anp2", "kind4_vector.json")
	if _, err := os.Stat(name); err != nil {
		lacking(t, "the test data data/anp2/kind4_vector.json is not beside the repository")
	}
	var v struct {
		Event    json.RawMessage
		WrongID  string `json:"wrong_id_if_object_hashed_as_in_PORTING_md"`
		WrongSig string `json:"wrong_sig_if_hex_text_signed"`
	}
	require.NoError(t, json.Unmarshal(contents(t, name), &v))
	var e struct{ ID, Sig string }
	require.NoError(t, json.Unmarshal(v.Event, &e))
	dir := t.TempDir()
	var args []string
	for i, text := range []string{string(v.Event), strings.ReplaceAll(string(v.Event), e.ID, v.WrongID), strings.ReplaceAll(string(v.Event), e.Sig, v.WrongSig)} {
		args = append(args, filepath.Join(dir, fmt.Sprint(i)))
		require.NoError(t, os.WriteFile(args[i], []byte(text), 0o600))
	}
	want := "AICC_OK  \nAICC_E_SCHEMA /id event id: what it says hashes to " + e.ID + ", its id is " + v.WrongID + "\n" +
		"AICC_E_SCHEMA /sig event sig: the signature is not this agent's over this id\n"
	require.Equal(t, want, run(t, ctest.Plain, "bad.c", args...))
}

func TestUnderAddressAndUB(t *testing.T) {
	ctest.Need(t, "clang", "clang libclang-rt-14-dev")
	documents, event := files(t)
	run(t, ctest.Address, "host.c", documents, event)
	require.Equal(t, "AICC_E_JSON  "+"byte 0: a value was wanted, 'h' came\n", run(t, ctest.Address, "bad.c", func() string {
		name := filepath.Join(t.TempDir(), "no")
		require.NoError(t, os.WriteFile(name, []byte("hello"), 0o600))
		return name
	}()))
}

func TestUnderThreadSanitizer(t *testing.T) {
	ctest.Need(t, "clang", "clang libclang-rt-14-dev")
	documents, event := files(t)
	run(t, ctest.Thread, "host.c", documents, event)
}

// aicc builds the command.
func aicc(t *testing.T) string {
	out := filepath.Join(t.TempDir(), "aicc")
	ctest.Run(t, ctest.Root(), append(os.Environ(), "CGO_ENABLED=0"), limit, "go", "build", "-o", out, "./cmd/aicc")
	return out
}

// byAJV holds the documents of a file against the schema by ajv in its draft-07 form, and their payload schemas against what ajv takes for draft-07.
func byAJV(t *testing.T, name string) { t.Run("ajv", func(t *testing.T) { askAJV(t, name) }) }

func askAJV(t *testing.T, name string) {
	node, err := exec.LookPath("node")
	if err != nil {
		lacking(t, "ajv: node is not installed")
	}
	peers := filepath.Join(ctest.Root(), "core", "schema", "testdata", "ajv")
	modules := os.Getenv("AICC_NODE_MODULES")
	if modules == "" {
		modules = filepath.Join(peers, "node_modules")
	}
	if _, err := os.Stat(filepath.Join(modules, "ajv")); err != nil {
		lacking(t, "ajv: no node_modules: ./build.sh test installs them, or set AICC_NODE_MODULES")
	}
	type question struct {
		Schema json.RawMessage `json:"schema"`
		Draft7 bool            `json:"draft7"`
		Inputs []string        `json:"inputs"`
	}
	parts, err := capability.Split(contents(t, name))
	require.NoError(t, err)
	q := []question{{Schema: contents(t, filepath.Join(ctest.Root(), "core", "capability", "anp2.cap.v1.json")), Draft7: true, Inputs: []string{`{"name":"meta.a"}`}}}
	want := "0"
	for _, p := range parts {
		q[0].Inputs = append(q[0].Inputs, string(p.Text))
		want += "1"
		var d struct {
			In  json.RawMessage `json:"input_schema"`
			Out json.RawMessage `json:"output_schema"`
		}
		require.NoError(t, json.Unmarshal(p.Text, &d))
		q = append(q, question{Schema: d.In, Draft7: true, Inputs: []string{}}, question{Schema: d.Out, Draft7: true, Inputs: []string{}})
	}
	var lines strings.Builder
	for _, one := range q {
		line, err := json.Marshal(one)
		require.NoError(t, err)
		lines.Write(append(line, '\n'))
	}
	c := exec.CommandContext(t.Context(), node, filepath.Join(peers, "peer.js"))
	c.Env = append(os.Environ(), "AICC_NODE_MODULES="+modules)
	c.Stdin, c.Stderr = strings.NewReader(lines.String()), os.Stderr
	out, err := c.Output()
	require.NoError(t, err)
	answers := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Len(t, answers, len(q))
	for i, line := range answers {
		var answer struct{ Error, Verdicts string }
		require.NoError(t, json.Unmarshal([]byte(line), &answer))
		require.Empty(t, answer.Error, line)
		if i == 0 {
			require.Equal(t, want, answer.Verdicts)
		}
	}
}

// world is a host program at the other end of a pipe.
type world struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	told  strings.Builder // its standard error, once it has ended
	id    string
	tools json.RawMessage
	calls int
}

func start(t *testing.T, program string, args ...string) *world {
	w := &world{t: t, cmd: exec.CommandContext(t.Context(), program, args...)}
	var err error
	w.in, err = w.cmd.StdinPipe()
	require.NoError(t, err)
	out, err := w.cmd.StdoutPipe()
	require.NoError(t, err)
	w.out = bufio.NewReaderSize(out, 1<<20)
	w.cmd.Stderr = &w.told
	require.NoError(t, w.cmd.Start())
	return w
}

// init reads session_init and gives its text.
func (w *world) init() string { return w.begun(w.line()) }

// begun takes session_init.
func (w *world) begun(line string) string {
	var m struct {
		Type  string
		ID    string `json:"session_id"`
		Tools json.RawMessage
	}
	require.NoError(w.t, json.Unmarshal([]byte(line), &m))
	require.Equal(w.t, "session_init", m.Type)
	w.id, w.tools = m.ID, m.Tools
	return line
}

func (w *world) line() string {
	line, err := w.out.ReadString('\n')
	require.NoError(w.t, err, w.told.String())
	return line
}

// call calls a tool and gives what is told of it: its output, or its error.
func (w *world) call(tool, input string) string {
	w.calls++
	_, err := fmt.Fprintf(w.in, `{"protocol":"aicc/0.1","type":"tool_call","session_id":"%s","message_id":"00000000-0000-4000-8000-%012d","call_id":"c%d","tool":"%s","input":%s}`+"\n",
		w.id, w.calls, w.calls, tool, input)
	require.NoError(w.t, err)
	for {
		var m struct {
			Type   string
			ID     string `json:"call_id"`
			Output json.RawMessage
			Error  *struct{ Code, Message string }
		}
		require.NoError(w.t, json.Unmarshal([]byte(w.line()), &m))
		switch {
		case m.Type != "tool_result" || m.ID != fmt.Sprintf("c%d", w.calls):
		case m.Error != nil:
			return m.Error.Code + ": " + m.Error.Message
		default:
			return string(m.Output)
		}
	}
}

func (w *world) end() {
	require.NoError(w.t, w.in.Close())
	_, err := io.Copy(io.Discard, w.out)
	require.NoError(w.t, err)
	require.NoError(w.t, w.cmd.Wait(), w.told.String())
}

// The example's guard is published by the command, taken in by another world, and played there: the same tools with the same rules.
func TestTheGuardElsewhere(t *testing.T) {
	lib := ctest.Library(t, ctest.Plain)
	wire, err := agent.WebSocket(ctest.Game(t).URL, "")(t.Context())
	require.NoError(t, err)
	first, err := wire.Read(t.Context())
	require.NoError(t, err)
	guard := &world{t: t}
	init := guard.begun(string(first))
	wire.Abort()

	dir := t.TempDir()
	manifest, documents, published := filepath.Join(dir, "session_init.json"), filepath.Join(dir, "documents.json"), filepath.Join(dir, "published.json")
	require.NoError(t, os.WriteFile(manifest, []byte(init), 0o600))
	export := exec.CommandContext(t.Context(), aicc(t), "capability", "export", manifest)
	out, err := export.Output()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(documents, out, 0o600))
	byAJV(t, documents)

	w := start(t, ctest.Program(t, ctest.Plain, lib, source(t, "play.c")), documents, published)
	w.init()
	require.Equal(t, string(guard.tools), string(w.tools), "the manifest that an agent gets is the same")
	require.Equal(t, `{"at":[4,9],"light":8,"sees":[],"map":{"gate":[4,9]}}`, w.call("look", "{}"))
	require.Equal(t, `{"sounds":[]}`, w.call("listen", "{}"))
	require.Equal(t, `{}`, w.call("light_lantern", "{}"))
	require.Equal(t, `invalid_input: /place: wanted one of "gate", "yard", "tower", "store" or "well"; got "cellar"`+"\n/speed: wanted a number of at most 9; got 90",
		w.call("walk_to", `{"place":"cellar","speed":90}`))
	require.Equal(t, `{}`, w.call("walk_to", `{"place":"store","speed":9}`))
	require.Equal(t, `{}`, w.call("ring_bell", "{}"))
	for range 2 {
		require.Equal(t, `{"heard_by":["thief"]}`, w.call("say", `{"text":"Drop the sack!"}`))
	}
	require.Equal(t, `tool_unavailable: tool "say" may be called 2 times in 60 seconds: call it again after retry_after_ms`, w.call("say", `{"text":"Stop!"}`))
	w.end()
	require.Equal(t, "look\nlisten\nlight_lantern\nwalk_to\nring_bell\nsay\nsay\n", w.told.String())

	// What was taken in and published again is what came.
	exported, err := capability.Split(contents(t, documents))
	require.NoError(t, err)
	again, err := capability.Split(contents(t, published))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(exported), 6)
	require.Len(t, again, len(exported))
	for i := range exported {
		require.Equal(t, string(exported[i].Text), string(again[i].Text))
	}
}
