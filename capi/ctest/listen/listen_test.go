// Package listen tries the library's listener from outside: C games, and agents that reach them over real sockets.
package listen

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/message"
)

func TestMain(m *testing.M) {
	code := m.Run()
	ctest.Clean()
	os.Exit(code)
}

func program(t *testing.T, v ctest.Variant, name string, tags ...string) string {
	path, err := filepath.Abs(filepath.Join("c", name))
	require.NoError(t, err)
	return ctest.Program(t, v, ctest.Library(t, v, tags...), path)
}

func runs(t *testing.T, v ctest.Variant, name string, tags ...string) {
	out := ctest.Run(t, ".", append(os.Environ(), v.Env...), 2*time.Minute, program(t, v, name, tags...))
	require.Equal(t, "ok\n", out)
}

func TestOptions(t *testing.T) { runs(t, ctest.Plain, "options.c") }

func TestOptionsUnderAddressAndUB(t *testing.T) {
	ctest.Need(t, "clang", "clang libclang-rt-14-dev")
	runs(t, ctest.Address, "options.c")
}

// A build without the listener says so, and does not hold it.
func TestNoNet(t *testing.T) {
	runs(t, ctest.Plain, "nonet.c", "aicc_nonet")
	deps := ctest.Run(t, ctest.Root(), os.Environ(), time.Minute, "go", "list", "-deps", "-tags", "aicc_nonet", "./capi")
	for _, without := range []string{"net/http", "crypto/tls", "github.com/coder/websocket", "aicc.dev/libaicc/core/transport"} {
		require.NotContains(t, strings.Fields(deps), without)
	}
}

// world is a running game of world.c.
type world struct {
	t     *testing.T
	in    io.WriteCloser
	cmd   *exec.Cmd
	addr  string
	mu    sync.Mutex
	lines []string
	ended chan struct{}
}

// start runs it: args are world.c's.
func start(t *testing.T, v ctest.Variant, env []string, args ...string) *world {
	w := &world{t: t, cmd: exec.Command(program(t, v, "world.c"), args...), ended: make(chan struct{})}
	w.cmd.Env = append(append(os.Environ(), v.Env...), env...)
	out, err := w.cmd.StdoutPipe()
	require.NoError(t, err)
	w.cmd.Stderr = os.Stderr
	w.in, err = w.cmd.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, w.cmd.Start())
	r := bufio.NewReader(out)
	first, err := r.ReadString('\n')
	require.NoError(t, err)
	w.addr = strings.TrimSpace(first)
	require.Regexp(t, `^127\.0\.0\.1:\d+$`, w.addr)
	go func() {
		defer close(w.ended)
		for s := bufio.NewScanner(r); s.Scan(); {
			w.mu.Lock()
			w.lines = append(w.lines, s.Text())
			w.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		w.in.Close()
		<-w.ended
		require.NoError(t, w.cmd.Wait(), strings.Join(w.said(), "\n"))
	})
	return w
}

func (w *world) said() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.lines...)
}

func (w *world) count(line string) (n int) {
	for _, l := range w.said() {
		if l == line {
			n++
		}
	}
	return n
}

// do gives an order and waits until it was obeyed.
func (w *world) do(order string) {
	before := w.count("ok")
	_, err := io.WriteString(w.in, order+"\n")
	require.NoError(w.t, err)
	w.eventually(order, func() bool { return w.count("ok") > before })
}

func (w *world) eventually(what string, is func() bool) {
	w.t.Helper()
	require.Eventually(w.t, is, 30*time.Second, time.Millisecond, what)
}

// states lists the characters as GET / does.
func (w *world) states() map[string]string {
	response, err := http.Get("http://" + w.addr + "/")
	require.NoError(w.t, err)
	defer response.Body.Close()
	var got struct {
		Bridges []struct {
			Name, Path string
			Characters []struct{ Name, State string }
		}
	}
	require.NoError(w.t, json.NewDecoder(response.Body).Decode(&got))
	states := map[string]string{}
	for _, b := range got.Bridges {
		require.Equal(w.t, "/aicc/yard", b.Path)
		for _, c := range b.Characters {
			states[c.Name] = c.State
		}
	}
	return states
}

func (w *world) join(character string, o agent.Options) *agent.Agent {
	ctx, cancel := context.WithTimeout(w.t.Context(), 30*time.Second)
	defer cancel()
	a, err := agent.Connect(ctx, "ws://"+w.addr+"/aicc?character="+character, o)
	require.NoError(w.t, err)
	return a
}

func leave(a *agent.Agent) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	a.Close(ctx, "done")
}

func TestPlay(t *testing.T) {
	for _, v := range []ctest.Variant{ctest.Plain, ctest.Address, ctest.Thread} {
		t.Run(v.Name, func(t *testing.T) {
			ctest.Need(t, v.CC, v.CC)
			w := start(t, v, nil, "0", "120000", "one", "two")
			require.Equal(t, map[string]string{"one": "free", "two": "free"}, w.states())
			a := w.join("one", agent.Options{})
			require.Equal(t, map[string]string{"one": "taken", "two": "free"}, w.states())
			require.Equal(t, "go", a.Manifest().Tools[0].ID)
			r, err := a.Call(t.Context(), "go", []byte(`{"n":1}`))
			require.NoError(t, err)
			require.Equal(t, `{"done":true}`, string(r.Output))
			r, err = a.Call(t.Context(), "go", []byte(`{"n":"x"}`))
			require.NoError(t, err)
			require.Equal(t, message.InvalidInput, r.Code)
			w.do(`emit {"sound":"bell"}`)
			e, err := a.Event(t.Context())
			require.NoError(t, err)
			require.Equal(t, `{"sound":"bell"}`, string(e.Payload))
			b := w.join("", agent.Options{}) // the first that is free
			require.Equal(t, map[string]string{"one": "taken", "two": "taken"}, w.states())
			_, err = agent.Connect(t.Context(), "ws://"+w.addr+"/aicc", agent.Options{})
			var refused *agent.Refused
			require.ErrorAs(t, err, &refused)
			require.Equal(t, 409, refused.Status)
			leave(b)
			w.eventually("two is free", func() bool { return w.states()["two"] == "free" })
			w.do("close one")
			w.eventually("one is gone", func() bool { _, there := w.states()["one"]; return !there })
			leave(a)
			w.do("open three")
			w.eventually("three is there", func() bool { return w.states()["three"] == "free" })
			w.do("address")
			require.Equal(t, 1, w.count("address AICC_OK"))
		})
	}
}

// The listener is closed under its agents: they are let go, the calls that run go on, and the game too.
func TestUnlisten(t *testing.T) {
	w := start(t, ctest.Plain, nil, "0", "120000", "one")
	a := w.join("one", agent.Options{GiveUp: time.Millisecond})
	_, err := a.Start("go", []byte(`{"ms":1}`))
	require.NoError(t, err)
	w.eventually("it runs", func() bool { return strings.Contains(strings.Join(w.said(), "\n"), "ran ") })
	w.do("unlisten")
	<-a.Done()
	w.do("address")
	require.Equal(t, 1, w.count("address AICC_E_HANDLE"))
	w.eventually("nothing is in flight", func() bool {
		w.do("stats")
		return w.count("stats sessions 1 agents 0 in flight 0 waiting 0") > 0
	})
}

// The game ends politely: each agent hears session_close, even where the window of what is on its way is full of other things.
func TestBye(t *testing.T) {
	w := start(t, ctest.Plain, nil, "0", "120000", "one", "two")
	var last [2]message.Type
	var agents [2]*agent.Agent
	for i, name := range []string{"one", "two"} {
		agents[i] = w.join(name, agent.Options{GiveUp: time.Millisecond, Dial: tap("ws://"+w.addr+"/aicc?character="+name, func(m *message.Message) { last[i] = m.Type })})
	}
	big := fmt.Sprintf(`emit {"x":"%s"}`, strings.Repeat("y", 3000))
	for range 300 {
		_, err := io.WriteString(w.in, big+"\n")
		require.NoError(t, err)
	}
	_, err := io.WriteString(w.in, "bye\n")
	require.NoError(t, err)
	for i, a := range agents {
		<-a.Done()
		require.Equal(t, message.SessionClose, last[i])
	}
}

// The inspector shows the page to this machine, and a game's characters, tools and messages to who has the run's token.
func TestInspector(t *testing.T) {
	w := start(t, ctest.Plain, []string{"WORLD_INSPECTOR=1"}, "0", "120000", "one")
	var url string
	w.eventually("it says where the inspector is", func() bool {
		for _, line := range w.said() {
			url, _ = strings.CutPrefix(line, "inspector ")
		}
		return url != ""
	})
	page, token, ok := strings.Cut(url, "#")
	require.True(t, ok)
	require.Equal(t, "http://"+w.addr+"/inspector/", page)
	response, err := http.Get(page)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, 200, response.StatusCode)
	feed := "ws://" + w.addr + "/inspector/feed"
	own := http.Header{"Origin": {"http://" + w.addr}}
	_, refused, err := websocket.Dial(t.Context(), feed, &websocket.DialOptions{HTTPHeader: own, Subprotocols: []string{"aicc-inspector", "guessed"}})
	require.Error(t, err)
	require.Equal(t, 403, refused.StatusCode)
	c, _, err := websocket.Dial(t.Context(), feed, &websocket.DialOptions{HTTPHeader: own, Subprotocols: []string{"aicc-inspector", token}})
	require.NoError(t, err)
	defer c.CloseNow()
	c.SetReadLimit(16 << 20)
	require.NoError(t, c.Write(t.Context(), websocket.MessageText, []byte(`{"look":1}`)))
	a := w.join("one", agent.Options{})
	_, err = a.Call(t.Context(), "go", []byte(`{"n":7}`))
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	all := ""
	for _, part := range []string{`yard`, `one`, `Goes.`, `tool_call`, `\"n\":7`, `tool_result`} {
		for !strings.Contains(all, part) {
			_, text, err := c.Read(ctx)
			require.NoError(t, err, "waiting for %s in %s", part, all)
			all += string(text)
			var batch struct{ N int }
			require.NoError(t, json.Unmarshal(text, &batch))
			require.NoError(t, c.Write(ctx, websocket.MessageText, fmt.Appendf(nil, `{"ack":%d}`, batch.N)))
		}
	}
	require.NotContains(t, all, token)
	leave(a)
}

// tap shows what comes on each connection.
func tap(url string, show func(*message.Message)) agent.Dialer {
	dial := agent.WebSocket(url, "")
	return func(ctx context.Context) (agent.Wire, error) {
		c, err := dial(ctx)
		if err != nil {
			return nil, err
		}
		return &tapped{c, show}, nil
	}
}

type tapped struct {
	agent.Wire
	show func(*message.Message)
}

func (c *tapped) Read(ctx context.Context) ([]byte, error) {
	text, err := c.Wire.Read(ctx)
	var m message.Message
	if err == nil && message.Decode(text, &m) == nil {
		c.show(&m)
	}
	return text, err
}
