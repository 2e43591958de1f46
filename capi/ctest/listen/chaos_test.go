package listen

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
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
	"aicc.dev/libaicc/core/agent/flaky"
	"aicc.dev/libaicc/core/transport"
)

// An agent's calls go through connections that end one after the other, anyhow: the game has run each once, the agent has each result once.
func TestChaos(t *testing.T) {
	w := start(t, ctest.Plain, nil, "1", "120000", "npc")
	duplicates := uint64(0)
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 11))
		p, err := flaky.New(w.addr, func(connection int) (flaky.Fate, bool) {
			return flaky.Fate{Frames: 3 + r.IntN(25), Half: r.IntN(2) == 0, End: flaky.Ending(r.IntN(int(flaky.Endings)))}, connection < 10
		})
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		a, err := agent.Connect(ctx, "ws://"+p.Addr()+"/aicc?character=npc", agent.Options{Patient: true, First: time.Millisecond, Most: 10 * time.Millisecond,
			Handshake: 3 * time.Second, PingEvery: 40 * time.Millisecond, MaxInFlight: 6})
		require.NoError(t, err)
		var calls []*agent.Call
		for i := range 40 {
			c, err := a.Start("go", fmt.Appendf(nil, `{"n":%d,"ms":%d,"fail":%v}`, i, i%3*10, i%4 == 3))
			require.NoError(t, err)
			calls = append(calls, c)
		}
		for i, c := range calls {
			got, err := c.Wait(ctx)
			require.NoError(t, err)
			if i%4 == 3 {
				require.Equal(t, "no way", got.Text)
			} else {
				require.Equal(t, `{"done":true}`, string(got.Output))
			}
			require.Equal(t, 1, w.count("ran "+c.ID))
		}
		require.NotZero(t, p.Cuts())
		s := a.Stats()
		require.EqualValues(t, len(calls), s.Results)
		require.Zero(t, s.SessionsLost)
		require.Zero(t, s.Bad)
		duplicates += s.Duplicates
		a.Close(ctx, "done")
		cancel()
		p.Close()
	}
	t.Logf("%d results came more than once", duplicates)
	require.NotZero(t, duplicates, "nothing was ever delivered twice: this test shows little")
}

// A thousand agents connect at once, each to its own character, are told of it, call, and leave.
func TestCrowd(t *testing.T) {
	w := start(t, ctest.Plain, nil, "0", "120000", "c*")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	began := time.Now()
	var wg sync.WaitGroup
	conns, faults := make([]*websocket.Conn, 1000), make([]error, 1000)
	for i := range conns {
		wg.Go(func() {
			if conns[i], _, faults[i] = websocket.Dial(ctx, fmt.Sprintf("ws://%s/aicc?character=c%d", w.addr, i), nil); faults[i] == nil {
				var text []byte
				if _, text, faults[i] = conns[i].Read(ctx); faults[i] == nil && !bytes.Contains(text, []byte(`"session_init"`)) {
					faults[i] = fmt.Errorf("first came %.200s", text)
				}
			}
		})
	}
	wg.Wait()
	for i, err := range faults {
		require.NoError(t, err, i)
	}
	t.Logf("1000 agents were there after %v", time.Since(began))
	w.do("stats")
	require.Equal(t, 1, w.count("stats sessions 1000 agents 1000 in flight 0 waiting 0"))
	for _, c := range conns {
		require.NoError(t, c.CloseNow())
	}
	w.eventually("all have left", func() bool {
		w.do("stats")
		return w.count("stats sessions 1000 agents 0 in flight 0 waiting 0") > 0
	})
}

// The npm package ws is a client that knows nothing of this library; foreign.mjs says what it tries.
func TestForeignClient(t *testing.T) {
	modules := ctest.NodeModules(t)
	w := start(t, ctest.Plain, []string{"WORLD_TOKEN=sesame"}, "0", "120000", "npc", "other")
	path, err := filepath.Abs("foreign.mjs")
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", path, w.addr, "sesame")
	cmd.Env = append(os.Environ(), "AICC_NODE_MODULES="+modules)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "ok", strings.TrimSpace(string(out)))
	ran := 0
	for _, line := range w.said() {
		if strings.HasPrefix(line, "ran ") {
			ran++
		}
		require.NotContains(t, line, "internal fault")
	}
	require.Equal(t, 4, ran, strings.Join(w.said(), "\n"))
}

// An agent is cut off, others want its character: they wait beside it and are let go, and the agent has it back at once.
func TestTheRightfulAgentComesFirst(t *testing.T) {
	w := start(t, ctest.Plain, nil, "0", "120000", "npc")
	dial := func() *websocket.Conn {
		c, _, err := websocket.Dial(t.Context(), "ws://"+w.addr+"/aicc?character=npc", nil)
		require.NoError(t, err)
		t.Cleanup(func() { _ = c.CloseNow() })
		return c
	}
	first := dial()
	_, init, err := first.Read(t.Context())
	require.NoError(t, err)
	session, ok := transport.SessionOf(init)
	require.True(t, ok)
	say := func(c *websocket.Conn, kind, more string) {
		require.NoError(t, c.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil,
			`{"protocol":"aicc/0.1","type":%q,"session_id":%q,"message_id":"00000000-0000-4000-8000-000000000001"%s}`, kind, session, more)))
	}
	say(first, "tool_call", `,"call_id":"slow","tool":"go","input":{"ms":50}`)
	w.eventually("it runs", func() bool { return w.count("ran slow") == 1 })
	require.NoError(t, first.CloseNow())
	w.eventually("it is away", func() bool { return w.states()["npc"] == "away" })
	strangers := []*websocket.Conn{dial(), dial(), dial()}
	require.Equal(t, "away", w.states()["npc"])
	back := dial()
	say(back, "session_resume", "")
	_, init, err = back.Read(t.Context())
	require.NoError(t, err)
	again, ok := transport.SessionOf(init)
	require.True(t, ok)
	require.Equal(t, session, again)
	_, result, err := back.Read(t.Context())
	require.NoError(t, err)
	require.Contains(t, string(result), `"call_id":"slow"`)
	for _, c := range strangers {
		_, _, err = c.Read(t.Context())
		require.Equal(t, websocket.StatusCode(transport.CloseTaken), websocket.CloseStatus(err), "%v", err)
	}
	require.Equal(t, "taken", w.states()["npc"])
}
