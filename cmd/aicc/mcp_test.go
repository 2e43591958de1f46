package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
	"aicc.dev/libaicc/cmd/aicc/live/livetest"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

// foreign finds node and the modules of others.
func foreign(t *testing.T) (node, modules string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if modules = os.Getenv("AICC_NODE_MODULES"); modules == "" {
		if found, _ := filepath.Glob(filepath.Join(os.Getenv("HOME"), ".cache/aicc/node-*/node_modules/@modelcontextprotocol")); len(found) > 0 {
			modules = filepath.Dir(found[len(found)-1])
		}
	}
	switch {
	case err == nil && modules != "":
		return node, modules
	case os.Getenv("CI") == "true":
		t.Fatal("the MCP client of others: node or AICC_NODE_MODULES is missing: ./build.sh test installs them")
	}
	t.Skip("the MCP client of others: node or AICC_NODE_MODULES is missing: ./build.sh test installs them")
	return "", ""
}

// serving is `aicc mcp` over HTTP.
type serving struct {
	url string
	cmd *exec.Cmd
}

var serves = regexp.MustCompile(`^aicc mcp: (http://\S+)$`)

func serveHTTP(t *testing.T, game, address, token string) *serving {
	t.Helper()
	s := &serving{cmd: exec.Command(program, "mcp", game, "--http", address)}
	s.cmd.Env = append(os.Environ(), "AICC_MCP_TOKEN="+token)
	said, err := s.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() { s.stop(t) })
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if found := serves.FindStringSubmatch(lines.Text()); found != nil {
			s.url = found[1]
			go func() { _, _ = io.Copy(io.Discard, said) }()
			return s
		}
	}
	t.Fatal("it does not say where it listens")
	return nil
}

func (s *serving) stop(t *testing.T) {
	if s.cmd.ProcessState == nil {
		require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
		require.NoError(t, s.cmd.Wait(), "it ends by itself when it is told to")
	}
}

// play runs client.mjs, does what it asks for, and gives the steps that held.
func playMCP(t *testing.T, do map[string]func(), args ...string) (held []string) {
	t.Helper()
	node, modules := foreign(t)
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, node, append([]string{"mcp/testdata/client.mjs"}, args...)...)
	c.Env = append(os.Environ(), "AICC_NODE_MODULES="+modules)
	var complaints bytes.Buffer
	c.Stderr = &complaints
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if order, ok := strings.CutPrefix(lines.Text(), "do "); ok {
			require.Contains(t, do, order)
			do[order]()
			_, err := io.WriteString(in, "done\n")
			require.NoError(t, err)
		} else {
			held = append(held, lines.Text())
		}
	}
	require.NoError(t, c.Wait(), "held: %s\n%s", strings.Join(held, ", "), &complaints)
	return held
}

var clientSteps = []string{"ok list", "ok call", "ok bad input", "ok wait for event", "ok progress", "ok list change", "ok resources", "ok cancel", "ok the game restarts", "ok the client restarts"}

// restartable is the C example, which can be stopped and started where it was.
func restartable(t *testing.T) (address string, do map[string]func()) {
	game := ctest.Game(t)
	u, err := url.Parse(game.URL)
	require.NoError(t, err)
	return game.URL, map[string]func(){
		"stop the game":  func() { game.Stop() },
		"start the game": func() { game = ctest.GameAt(t, u.Port()) },
	}
}

func TestMCPTypeScriptClientOverStdio(t *testing.T) {
	foreign(t)
	address, do := restartable(t)
	require.Equal(t, append(clientSteps[:len(clientSteps):len(clientSteps)], "all held"), playMCP(t, do, "stdio", program, address))
}

func TestMCPTypeScriptClientOverHTTP(t *testing.T) {
	foreign(t)
	address, do := restartable(t)
	s := serveHTTP(t, address, "127.0.0.1:0", "s3cret")
	do["restart the server"] = func() {
		u, err := url.Parse(s.url)
		require.NoError(t, err)
		s.stop(t)
		s = serveHTTP(t, address, u.Host, "s3cret")
	}
	require.Equal(t, append(clientSteps[:len(clientSteps):len(clientSteps)], "ok the server restarts", "all held"), playMCP(t, do, "http", s.url, "s3cret"))
}

// A schema that the client cannot compile would cost it the whole list.
func TestMCPTypeScriptClientListsStrangeSchemas(t *testing.T) {
	node, modules := foreign(t)
	var tools []livetest.Tool
	names := []string{}
	for i, s := range []string{`{"type":"object","properties":{"a":true,"b":false}}`, `{"type":"object","properties":{"a":{"type":"string","pattern":"(?i)x"}}}`, `{"$id":"https://x.example/same","type":"object"}`,
		`{"$id":"https://x.example/same","type":"object","required":["x"]}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"}`, `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{"a":{}},"properties":{"a":{"$ref":"#/definitions/a"}}}`,
		`{"type":"object","properties":{"a":{"type":"string","pattern":"\\_\\-"}}}`, `{"oneOf":[{"type":"object"}]}`, `{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"type":["object","null"]}`, `{"type":"object","properties":{"a":{"format":"strange"}}}`} {
		id := string(rune('a' + i))
		names = append(names, id)
		tools = append(tools, livetest.Tool{Tool: message.Tool{ID: id, Class: message.Generator, Description: "Strange.", InputSchema: []byte(s), OutputSchema: []byte(s)},
			Do: func(*livetest.Character, string) livetest.Answer { return livetest.Answer{Output: `{"x":1}`} }})
	}
	game := livetest.Start(t, transport.Options{}, "yard", tools, "guard")
	c := exec.CommandContext(t.Context(), node, "mcp/testdata/list.mjs", program, game.Address)
	c.Env = append(os.Environ(), "AICC_NODE_MODULES="+modules)
	var complaints bytes.Buffer
	c.Stderr = &complaints
	out, err := c.Output()
	require.NoError(t, err, complaints.String())
	require.Equal(t, strings.Join(names, " ")+" wait-for-event\n", string(out))
}

// MCP's own conformance suite, those of its scenarios that a server without the suite's sample tools, prompts and files can play.
func TestMCPConformance(t *testing.T) {
	node, modules := foreign(t)
	s := serveHTTP(t, ctest.Game(t).URL, "127.0.0.1:0", "")
	for _, scenario := range []string{"server-initialize", "ping", "tools-list", "tools-call-error", "resources-list", "dns-rebinding-protection", "server-sse-multiple-streams"} {
		t.Run(scenario, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			c := exec.CommandContext(ctx, node, "--import", "./mcp/testdata/older_node.mjs", filepath.Join(modules, "@modelcontextprotocol/conformance/dist/index.js"),
				"server", "--url", s.url, "--scenario", scenario, "--output-dir", t.TempDir())
			text, err := c.CombinedOutput()
			require.NoError(t, err, "%s", text)
			require.Regexp(t, `Passed: [1-9]\d*/\d+, 0 failed`, string(text))
		})
	}
}

// Nothing but MCP stands on standard output, whatever comes in, and the end of the input ends it.
func TestMCPStdoutIsMCP(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c := exec.CommandContext(ctx, program, "mcp", "127.0.0.1:1")
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"look"}}
{"jsonrpc":"2.0","id":4,"method":"no/such"}
{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"wait-for-event","arguments":"nonsense"}}
`)
	require.NoError(t, err)
	answered := map[int]bool{}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		var m struct {
			JSONRPC string
			ID      int
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &m), lines.Text())
		require.Equal(t, "2.0", m.JSONRPC)
		if answered[m.ID] = true; len(answered) == 5 {
			require.NoError(t, in.Close())
		}
	}
	require.NoError(t, c.Wait())
	require.Len(t, answered, 5)
}

// A polite kill ends it while its input is still open, and the character is free.
func TestMCPGoSDKOverStdio(t *testing.T) {
	game := ctest.Game(t)
	for _, version := range []string{"2026-07-28", "2025-11-25"} {
		c := exec.Command(program, "mcp", game.URL)
		client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: c}, &sdk.ClientSessionOptions{ProtocolVersion: version})
		require.NoError(t, err)
		tools, err := session.ListTools(t.Context(), nil)
		require.NoError(t, err)
		require.Len(t, tools.Tools, 7)
		result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "look"})
		require.NoError(t, err)
		require.False(t, result.IsError, version)
		require.NoError(t, c.Process.Signal(syscall.SIGTERM))
		_ = session.Wait()
		_ = session.Close()
		require.Equal(t, 0, c.ProcessState.ExitCode())
	}
}

// Bad lines are answered one by one, a process and its standard error included: it goes on, and ends with its input.
func TestMCPGoesOnAfterBadLines(t *testing.T) {
	var in strings.Builder
	in.WriteString(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n")
	for _, line := range []string{"hello", "7", "null", "[]", `{"id":1,"method":"ping"}`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}`, `{"jsonrpc":"2.0","id":true,"method":"ping"}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"look","arguments":"` + strings.Repeat("x", 4<<20) + `"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"look","arguments":` + strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000) + "}}", `{"jsonrpc":"2.0","id":4,"method":"ping"`} {
		in.WriteString(line + "\n" + `{"jsonrpc":"2.0","id":99,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","id":98,"method":"resources/read","params":{"uri":"aicc://events"}}` + "\n")
	}
	c := exec.Command(program, "mcp", "127.0.0.1:1")
	to, err := c.StdinPipe()
	require.NoError(t, err)
	from, err := c.StdoutPipe()
	require.NoError(t, err)
	var said bytes.Buffer
	c.Stderr = &said
	require.NoError(t, c.Start())
	answers := bufio.NewReader(from)
	kinds := map[string]int{}
	for line := range strings.Lines(in.String()) {
		_, err := io.WriteString(to, line)
		require.NoError(t, err)
		answer, err := answers.ReadString('\n')
		require.NoError(t, err)
		for _, kind := range []string{`"code":-32700`, `"code":-32600`, `"code":"invalid_input"`, `"id":99,"result":{}`, `"id":98,"result":{`} {
			if strings.Contains(answer, kind) {
				kinds[kind]++
			}
		}
	}
	require.Equal(t, map[string]int{`"code":-32700`: 2, `"code":-32600`: 8, `"code":"invalid_input"`: 2, `"id":99,"result":{}`: 12, `"id":98,"result":{`: 12}, kinds)
	require.NoError(t, to.Close())
	require.NoError(t, c.Wait(), said.String())
	require.Equal(t, "aicc mcp: cannot play, goes on trying: nothing listens at 127.0.0.1:1: is the game running, and does it listen? A game that listens says its address\n", said.String())
}

// One that is killed after it has acted leaves the character waiting for it, as docs/mcp.md says; the next is told so.
func TestMCPKilledHoldsTheCharacter(t *testing.T) {
	game := ctest.Game(t)
	begin := func() (c *exec.Cmd, said *bufio.Scanner, do func(line string) string) {
		c = exec.Command(program, "mcp", game.URL)
		in, err := c.StdinPipe()
		require.NoError(t, err)
		out, err := c.StdoutPipe()
		require.NoError(t, err)
		complaints, err := c.StderrPipe()
		require.NoError(t, err)
		require.NoError(t, c.Start())
		t.Cleanup(func() { _ = c.Process.Kill() })
		said, answers := bufio.NewScanner(complaints), bufio.NewReader(out)
		require.True(t, said.Scan())
		return c, said, func(line string) string {
			_, err := io.WriteString(in, line+"\n")
			require.NoError(t, err)
			for {
				answer, err := answers.ReadString('\n')
				require.NoError(t, err)
				if strings.Contains(answer, `"id":`) {
					return answer
				}
			}
		}
	}
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	const look = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"look"}}`
	one, said, do := begin()
	require.Contains(t, said.Text(), "aicc mcp: plays guard at ")
	do(initialize)
	require.Contains(t, do(look), `"structuredContent"`)
	two, said, do := begin()
	require.Contains(t, said.Text(), `: character "guard" has an agent: `)
	do(initialize)
	require.Contains(t, do(look), `character_taken: there is no tool \"look\" now: the character guard is played by another agent; it is tried again; nothing was done\nRetryable: no.`)
	require.NoError(t, one.Process.Kill())
	_ = one.Wait()
	require.True(t, said.Scan())
	require.Contains(t, said.Text(), `aicc mcp: cannot play, goes on trying: `)
	require.Contains(t, said.Text(), `character "guard" waits for its agent, which may come back`)
	require.Contains(t, do(look), `character_reserved: there is no tool \"look\" now: the character guard is kept for the agent that played it last, which may come back until its time is over; it is tried again; nothing was done\nRetryable: yes.`)
	require.NoError(t, two.Process.Signal(syscall.SIGTERM))
	require.NoError(t, two.Wait())
}

func TestMCPArguments(t *testing.T) {
	for line, want := range map[string]string{
		"mcp":                                         "aicc mcp: one URL was wanted, 0 came\n",
		"mcp ftp://x:1":                               `aicc mcp: "ftp://" cannot be spoken here: give ws://, wss://, http://, https://, or only host:port` + "\n",
		"mcp 127.0.0.1:1 --host x":                    "aicc mcp: --http-token-file, --host and --origin are for --http\n",
		"mcp 127.0.0.1:1 --json":                      "aicc mcp: --json is not for this command: standard output is MCP's\n",
		"mcp 127.0.0.1:1 --http 0.0.0.0:0":            "aicc mcp: others can reach 0.0.0.0: that wants a token for clients, by --http-token-file or AICC_MCP_TOKEN\n",
		"mcp 127.0.0.1:1 --http 1 ":                   "aicc mcp: \"1\" is no address to listen at: give one like 127.0.0.1:8377\n",
		"mcp 127.0.0.1:1?character=a --character b":   "aicc mcp: the URL says character \"a\", and --character says \"b\"\n",
		"mcp 127.0.0.1:1 --http :0 --http-token-file": "aicc mcp: flag needs an argument: -http-token-file\n",
	} {
		status, out, complaint := aicc(t, "", strings.Fields(line)...)
		require.Equal(t, exitWrong, status, line)
		require.Empty(t, out)
		first, _, _ := strings.Cut(complaint, "\nusage: ")
		require.Equal(t, strings.TrimSuffix(want, "\n"), strings.TrimSuffix(first, "\n"), line)
	}
	status, out, _ := aicc(t, "", "help", "mcp")
	require.Zero(t, status)
	require.Contains(t, out, "usage: aicc mcp URL [--character NAME]")
}
