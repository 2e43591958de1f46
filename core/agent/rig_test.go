package agent

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/bridge"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/leak"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

// Whatever a test did, nothing of it may run when all are through.
func TestMain(m *testing.M) {
	os.Exit(leak.Check(m.Run(), "core/transport.", "core/agent.", "coder/websocket."))
}

const ms = int64(time.Millisecond)

// game joins a bridge to a listener, as the front does it: one record at a time, the clock before and behind each, effects at once. Its engine
// runs calls on goroutines of its own and notes how often each has run.
type game struct {
	t     testing.TB
	began time.Time

	mu       sync.Mutex
	b        *bridge.Bridge
	roster   *transport.Roster
	rosters  transport.Rosters
	epochs   atomic.Uint64
	mailbox  chan bridge.Record
	boxMu    sync.Mutex
	shut     bool
	calls    map[uint64]*gameCall
	lastRef  uint64
	runs     map[string]int
	drained  uint64
	timer    *time.Timer
	over     bool
	messages []string // of agents to the game
	hold     bool     // calls are not run
	wg       sync.WaitGroup
}

type gameCall struct {
	bridge.CallItem
	id, input               string
	started, answered, dead bool
}

// newGame makes a world called yard with a tool "go" and one session for each name.
func newGame(t testing.TB, resumeMS int64, names ...string) *game {
	g := &game{t: t, began: time.Now(), mailbox: make(chan bridge.Record, 1024), calls: map[uint64]*gameCall{}, runs: map[string]int{}}
	ints := make([]int64, bridge.CreateInts)
	ints[bridge.CreateIntKind], ints[bridge.CreateIntTickMode], ints[bridge.CreateIntTickRate] = 2, int64(message.TickFixed), int64(math.Float64bits(20))
	ints[bridge.CreateIntHeartbeatMS], ints[bridge.CreateIntIdleMS], ints[bridge.CreateIntResumeMS] = 15_000, 45_000, resumeMS
	b, failure := bridge.New(g, &bridge.Record{Kind: bridge.RecCreate, Data: bridge.AppendFields(nil, ints, "yard")}, 0, rand.Reader)
	require.Nil(t, failure)
	g.b = b
	g.timer = time.AfterFunc(time.Hour, func() { g.step(bridge.Record{Kind: bridge.RecFlush}) })
	tool := make([]int64, bridge.ToolInts)
	tool[bridge.ToolIntClass], tool[bridge.ToolIntTimeoutMS] = int64(message.Actuator), 30_000
	g.step(bridge.Record{Kind: bridge.RecToolRegister, Object: 1, Data: bridge.AppendFields(nil, tool, "go", "Goes.", `{"type":"object"}`, "", "")})
	g.step(bridge.Record{Kind: bridge.RecEventDefine, Object: 1, Data: bridge.AppendFields(nil, []int64{int64(message.TopicAudio), 2, 0, 0}, "")})
	g.roster = transport.NewRoster("yard", g)
	g.rosters.Add(g.roster)
	for i, name := range names {
		s := make([]int64, bridge.SessionInts)
		s[bridge.SessionIntModel], s[bridge.SessionIntTopics] = int64(message.CloudMedium), int64(message.TopicAudio)
		g.step(bridge.Record{Kind: bridge.RecSessionOpen, Session: uint32(i + 1), Data: bridge.AppendFields(nil, s, name)})
		g.roster.Open(uint32(i+1), name)
	}
	go g.act()
	t.Cleanup(func() {
		g.boxMu.Lock()
		g.shut = true
		close(g.mailbox)
		g.boxMu.Unlock()
		g.mu.Lock()
		g.over = true
		g.timer.Stop()
		g.mu.Unlock()
		g.wg.Wait()
	})
	return g
}

func (g *game) step(r bridge.Record) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turn(r)
}

// turn is step with mu.
func (g *game) turn(r bridge.Record) {
	if g.over {
		return
	}
	g.clock()
	g.b.Step(&r)
	if g.drained > 0 { // the listener's queues are not the bridge's window: what was handed over is taken
		g.b.Step(&bridge.Record{Kind: bridge.RecDrained, Arg: g.drained})
		g.drained = 0
	}
	g.clock()
	if want := g.b.Want(); want != math.MaxInt64 {
		g.timer.Reset(max(time.Duration(want)-time.Since(g.began), time.Millisecond))
	}
}

func (g *game) clock() {
	g.b.Step(&bridge.Record{Kind: bridge.RecClock, Arg: uint64(time.Since(g.began))})
}

// The listener's side: its records wait in the mailbox until the actor takes them.

func (g *game) post(r bridge.Record) {
	g.boxMu.Lock()
	defer g.boxMu.Unlock()
	if !g.shut {
		r.Data = bytes.Clone(r.Data)
		g.mailbox <- r
	}
}

func (g *game) act() {
	for r := range g.mailbox {
		g.step(r)
	}
}

func (g *game) Attach(session uint32, how transport.How, _ transport.Ask) uint64 {
	r := bridge.Record{Kind: bridge.RecAttach, Session: session, Arg: g.epochs.Add(1)}
	if how.Replace {
		r.Flags |= bridge.AttachReplace
	}
	if how.Wait {
		r.Flags |= bridge.AttachWait | bridge.AttachHeld
	}
	g.post(r)
	return r.Arg
}

func (g *game) Begin(session uint32, epoch uint64) {
	g.post(bridge.Record{Kind: bridge.RecAttach, Session: session, Arg: epoch, Flags: bridge.AttachFresh})
}

func (g *game) Receive(session uint32, epoch uint64, m []byte) bool {
	g.post(bridge.Record{Kind: bridge.RecReceive, Session: session, Arg: epoch, Data: m})
	return true
}

func (g *game) Arrived(session uint32, epoch uint64, count uint32) {
	g.post(bridge.Record{Kind: bridge.RecArrived, Session: session, Arg: epoch, Object: count})
}

func (g *game) Leave(session uint32, epoch uint64) {
	g.post(bridge.Record{Kind: bridge.RecDetach, Session: session, Arg: epoch})
}

// The bridge's side; all within turn.

func (g *game) Message(session uint32, epoch uint64, m []byte) {
	g.drained += uint64(len(m))
	g.roster.Message(session, epoch, m)
}

func (g *game) Detached(session uint32, epoch uint64) { g.roster.Detached(session, epoch) }

func (g *game) Agent(session uint32, change bridge.AgentChange) {
	g.roster.Agent(session, change == bridge.AgentGone)
}

func (g *game) CallQueued(c bridge.CallItem) uint64 {
	g.lastRef++
	ref := g.lastRef
	gc := &gameCall{CallItem: c, id: string(c.CallID), input: string(c.Input)}
	gc.CallID, gc.Input = nil, nil
	g.calls[ref] = gc
	if !g.hold {
		g.wg.Go(func() { g.run(gc) })
	}
	return ref
}

// run is the engine: {"ms":n} answers so much later, {"fail":true} fails.
func (g *game) run(c *gameCall) {
	g.mu.Lock()
	if c.dead || g.over {
		g.mu.Unlock()
		return
	}
	c.started = true
	g.runs[c.id]++
	g.mu.Unlock()
	if v, ok := jsonwire.Lookup([]byte(c.input), "ms"); ok {
		n, _ := jsonwire.ToInt64(v)
		<-time.After(time.Duration(n * ms))
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if c.dead {
		return
	}
	c.answered = true
	if strings.Contains(c.input, "fail") {
		g.turn(bridge.Record{Kind: bridge.RecFail, Arg: c.No, Flags: 3, Data: []byte("no way")})
		return
	}
	g.turn(bridge.Record{Kind: bridge.RecAnswer, Arg: c.No, Data: fmt.Appendf(nil, `{"did":%s}`, c.input)})
}

func (g *game) CallEnd(ref uint64, _ bridge.EndReason) bridge.CallState {
	c := g.calls[ref]
	if c.answered {
		return bridge.CallWasAnswered
	}
	delete(g.calls, ref)
	c.dead = true
	if c.started {
		return bridge.CallWasStarted
	}
	return bridge.CallWasQueued
}

func (g *game) CallDone(ref uint64) {
	g.calls[ref].dead = true
	delete(g.calls, ref)
}

func (g *game) AgentMessage(_ uint32, payload []byte) {
	g.messages = append(g.messages, string(payload))
}
func (g *game) Fault(uint32, uint32, string)              {}
func (g *game) Log(_ bridge.Level, _, _ uint32, _ string) {}
func (g *game) SessionClosed(uint32)                      {}
func (g *game) ToolReleased(uint32)                       {}
func (g *game) Reply(_ uint64, f *bridge.Failure) bool {
	require.Nil(g.t, f)
	return true
}

func (g *game) ranOnce(t testing.TB, calls []*Call) {
	t.Helper()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range calls {
		require.Equal(t, 1, g.runs[c.ID], "%s %s", c.ID, c.Input)
	}
	require.Len(t, g.runs, len(calls))
}

// play opens a listener for a game.
func play(t testing.TB, g *game, o transport.Options) string {
	t.Helper()
	l, err := transport.Listen(o, &g.rosters)
	require.NoError(t, err)
	t.Cleanup(l.Close)
	return l.Addr()
}

func join(t testing.TB, address string, o Options) *Agent {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if o.First == 0 {
		o.First, o.Most = time.Millisecond, 20*time.Millisecond
	}
	a, err := Connect(ctx, "ws://"+address+"/aicc?character=npc", o)
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		a.Close(ctx, "done")
	})
	return a
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, is, 20*time.Second, time.Millisecond, what)
}
