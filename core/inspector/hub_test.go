package inspector

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/session"
)

// rig is a hub whose clock and turns are the test's.
type rig struct {
	t   *testing.T
	mu  sync.Mutex
	now time.Time
	hub *Hub
}

func newRig(t *testing.T, o Options) *rig {
	r := &rig{t: t, now: time.UnixMicro(1_000_000_000)}
	o.Every, o.Now = time.Hour, func() time.Time { r.mu.Lock(); defer r.mu.Unlock(); return r.now }
	r.hub = New(o)
	t.Cleanup(r.hub.Close)
	return r
}

func (r *rig) turn(pass time.Duration) {
	r.mu.Lock()
	r.now = r.now.Add(pass)
	r.mu.Unlock()
	r.hub.turn()
}

// batch is what a page gets.
type batch struct {
	T                                       string
	N, Now, In, Out, Lost, Dropped, Failed  int
	Since                                   int
	Counts                                  []int
	Afresh                                  bool
	Worlds, Chars, Stats, Lines, Rows, Uses [][]any
	Gone, Ended                             []int
	ToolsOf, UsesOf                         *int
	Tools                                   []json.RawMessage
}

// viewer is a page of which the test decides whether it acknowledges.
type viewer struct {
	t       *testing.T
	got     []batch
	text    strings.Builder
	deaf    bool // sends fail
	receive func([]byte)
	leave   func()
	slow    bool // does not acknowledge
}

func (r *rig) open() *viewer {
	v := &viewer{t: r.t}
	v.receive, v.leave = r.hub.Watch(func(m []byte) bool {
		var b batch
		require.NoError(r.t, json.Unmarshal(m, &b), string(m))
		v.got = append(v.got, b)
		v.text.Write(m)
		return !v.deaf
	})
	return v
}

func (v *viewer) ack() {
	for i := len(v.got) - 1; i >= 0 && !v.slow; i-- {
		if v.got[i].T == "batch" {
			v.receive(fmt.Appendf(nil, `{"ack":%d}`, v.got[i].N))
			return
		}
	}
}

// take gives what came since, and acknowledges it.
func (v *viewer) take() []batch {
	got := v.got
	v.ack()
	v.got = nil
	return got
}

func rowsOf(got []batch) (rows [][]any) {
	for _, b := range got {
		rows = append(rows, b.Rows...)
	}
	return rows
}

var (
	sid, _   = message.ParseID("11111111-2222-4333-8444-555555555555")
	other, _ = message.ParseID("99999999-2222-4333-8444-555555555555")
	mid, _   = message.ParseID("aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee")
)

func call(id, tool string) []byte {
	return message.AppendToolCall(nil, sid, mid, id, tool, []byte(`{"n":1}`))
}
func good(id string) []byte { return message.AppendToolResultOK(nil, sid, mid, id, []byte(`{}`), nil) }
func bad(id string) []byte {
	return message.AppendToolResultError(nil, sid, mid, id, message.Timeout, "late", true, nil)
}

func TestNobodyLooksAndNothingIsKept(t *testing.T) {
	r := newRig(t, Options{})
	w := r.hub.World("yard", func() { t.Error("nobody needs tools") })
	w.Open(1, "guard")
	text := call("c", "go")
	require.False(t, r.hub.Watching())
	require.Zero(t, testing.AllocsPerRun(1000, func() {
		w.In(1, 7, text)
		w.Out(1, 7, text)
	}))
	w.Tools(1, [][]byte{[]byte(`{"id":"go"}`)})
	require.Empty(t, r.hub.pending.list)
	require.Nil(t, r.hub.chars[1].tools)
	require.Nil(t, r.hub.cancel)
	var none *World
	var noHub *Hub
	require.Nil(t, noHub.World("x", nil))
	none.Open(1, "x")
	none.In(1, 1, text)
	none.Out(1, 1, text)
	none.Agent(1, session.AgentConnected)
	none.Fault(1, "x")
	none.Log(session.Error, 1, "x")
	none.Tools(1, nil)
	none.Closed(1)
	none.Close()
	noHub.Close()
}

// Lines are kept whether anybody looks or not, in memory that is used again.
func TestLinesDoNotAllocate(t *testing.T) {
	r := newRig(t, Options{})
	w := r.hub.World("yard", nil)
	w.Open(1, "guard")
	text := strings.Repeat("x", 2000)
	for range 2 * keepLines {
		w.Log(session.Warn, 1, text)
	}
	require.Zero(t, testing.AllocsPerRun(1000, func() { w.Log(session.Warn, 1, text) }))
	v := r.open()
	r.turn(time.Second)
	require.Len(t, v.got[1].Lines, keepLines)
	require.Len(t, v.got[1].Lines[0][6], maxLine)
}

// What it costs while somebody looks: a copy.
func TestWatchedMessagesCostACopy(t *testing.T) {
	r := newRig(t, Options{})
	w := r.hub.World("yard", nil)
	w.Open(1, "guard")
	r.open()
	text := call("c", "go")
	for range 2000 {
		w.In(1, 7, text)
	}
	r.hub.pending.reset()
	require.LessOrEqual(t, testing.AllocsPerRun(1000, func() { w.In(1, 7, text) }), 0.5)
}

func TestRowsAndCounts(t *testing.T) {
	r := newRig(t, Options{})
	w := r.hub.World("yard", nil)
	w.Open(1, "guard")
	w.Agent(1, session.AgentConnected)
	v := r.open()
	v.receive([]byte(`{"look":1}`))
	w.In(1, 7, call("c1", "go"))
	w.In(1, 7, call("c2", "go"))
	w.In(1, 8, []byte(`{"protocol":"aicc/0.1","type":"dance"`))
	r.turn(40 * time.Millisecond)
	r.mu.Lock()
	r.now = r.now.Add(2 * time.Millisecond)
	r.mu.Unlock()
	w.Out(1, 9, good("c1"))
	w.Out(1, 9, bad("c2"))
	w.Out(1, 9, good("c9"))
	w.Out(1, 9, message.AppendEvent(nil, sid, mid, message.TopicAudio, []byte(`{}`), nil))
	w.Out(1, 9, message.AppendError(nil, sid, mid, message.ToolUnknown, "no such tool", false))
	v.ack()
	r.turn(250 * time.Millisecond)
	got := v.take()
	require.Equal(t, []batch{{T: "hello", Since: 1_000_000_000}}, got[:1])
	last := got[len(got)-1]
	require.Equal(t, []int{1, 0, 0, 0, 0, 2, 3, 1, 1, 0}, last.Counts)
	require.Equal(t, []int{3, 5, 1, 0, 0}, []int{last.In, last.Out, last.Failed, last.Lost, last.Dropped})
	require.Equal(t, [][]any{{1., "yard"}}, got[1].Worlds)
	require.Equal(t, [][]any{{1., 1., "guard", 1., 0.}}, got[1].Chars)
	require.True(t, got[1].Afresh)
	require.Equal(t, [][]any{{1., 3., 5., 1., 2., 0., 2.}}, last.Stats)
	require.Len(t, last.Uses, 1)
	u := last.Uses[0]
	require.Equal(t, []any{"go", 2., 1., 1., 0.}, u[:5])
	require.InDelta(t, 42_000, u[5], 42_000/32+1)
	require.EqualValues(t, message.Timeout, u[8])
	rows := rowsOf(got)
	require.Len(t, rows, 8)
	// no, at, character, in, type, code, size, frame, took, label, call, note, text
	require.Equal(t, []any{1., 1e9, 1., 1., 5., 0., float64(len(call("c1", "go"))), 7., -1., "go", "c1", ""}, rows[0][:12])
	require.Equal(t, []any{4., 1e9 + 42_000, 1., 0., 6., 0., float64(len(good("c1"))), 9., 42_000., "go", "c1", ""}, rows[3][:12])
	require.Equal(t, []any{float64(message.Timeout), 42_000., "go", "c2"}, []any{rows[4][5], rows[4][8], rows[4][9], rows[4][10]})
	require.Equal(t, []any{0., -1., "", "c9"}, []any{rows[5][5], rows[5][8], rows[5][9], rows[5][10]})
	require.Equal(t, "audio", rows[6][9])
	require.EqualValues(t, message.ToolUnknown, rows[7][5])
	require.Equal(t, []any{0., float64(message.InvalidInput), "bad JSON: byte 37 (/type): ',' or '}' was wanted, the end of the text came"}, []any{rows[2][4], rows[2][5], rows[2][11]})
	require.Equal(t, `{"protocol":"aicc/0.1","type":"dance"`, rows[2][12])
}

// Whatever an agent calls, what is kept of it is bounded, and what is beyond the bound is still counted.
func TestToolsAndFlightsAreBounded(t *testing.T) {
	r := newRig(t, Options{})
	w := r.hub.World("yard", nil)
	w.Open(1, "guard")
	v := r.open()
	v.receive([]byte(`{"look":1}`))
	for i := range 2000 {
		w.In(1, 1, call(fmt.Sprint("c", i), fmt.Sprint("tool_", i)))
	}
	r.turn(time.Second)
	f := &r.hub.feed
	require.Len(t, f.tallies[1].order, maxTools+1)
	require.Len(t, f.tallies[1].inFlight, maxFlights)
	for i := range 2000 {
		w.Out(1, 1, good(fmt.Sprint("c", i)))
	}
	v.take()
	r.turn(time.Second)
	got := v.take()
	uses := got[len(got)-1].Uses
	require.Len(t, uses, maxTools+1)
	require.Equal(t, []any{otherTools, 2000. - maxTools, 0., 0., 0.}, uses[maxTools][:5])
	require.Empty(t, f.tallies[1].inFlight)
	require.Equal(t, 2*maxFlights, f.histograms)
	w.Closed(1)
	r.turn(time.Second)
	require.Empty(t, f.tallies)
	require.Equal(t, maxFlights, f.histograms)
}

func TestInFlightGoesWithItsCharacter(t *testing.T) {
	r := newRig(t, Options{})
	w := r.hub.World("yard", nil)
	w.Open(1, "guard")
	v := r.open()
	w.In(1, 1, call("c", "go"))
	w.In(1, 1, call("c", "go")) // the same again, while it is on its way
	r.turn(time.Second)
	got := v.take()
	require.Equal(t, []any{"go", 2., 0., 0., 1.}, got[len(got)-1].Uses[0][:5])
	w.Closed(1)
	r.turn(time.Second)
	got = v.take()
	require.Equal(t, []any{"go", 2., 0., 0., 0.}, got[len(got)-1].Uses[0][:5])
}

// A page that does not acknowledge gets four batches and then none; when it goes on, it is told how many were dropped, and nothing of the counts
// is missing.
func TestSlowPageIsToldOfDrops(t *testing.T) {
	r := newRig(t, Options{KeepMessages: 100})
	w := r.hub.World("yard", nil)
	w.Open(1, "guard")
	slow, quick := r.open(), r.open()
	slow.slow = true
	for i := range 1000 {
		w.Out(1, uint64(i), message.AppendEvent(nil, sid, mid, message.TopicTick, []byte(`{}`), nil))
		if i%10 == 9 {
			r.turn(50 * time.Millisecond)
			quick.ack()
		}
	}
	require.Len(t, rowsOf(quick.got), 1000)
	require.Zero(t, quick.got[len(quick.got)-1].Dropped)
	require.Len(t, slow.got, 1+window)
	require.LessOrEqual(t, len(r.hub.feed.slabs), 11)
	slow.slow = false
	slow.ack()
	r.turn(250 * time.Millisecond)
	last := slow.got[len(slow.got)-1]
	require.Equal(t, 1000, last.Out)
	require.Equal(t, []int{0, 0, 0, 0, 0, 0, 0, 1000, 0, 0}, last.Counts)
	require.Equal(t, 1000, len(rowsOf(slow.got))+last.Dropped)
	require.Positive(t, last.Dropped)
}

// What comes faster than it is read costs a bounded amount, and is counted.
func TestFloodIsBounded(t *testing.T) {
	r := newRig(t, Options{PendingBytes: 10_000, KeepBytes: 40_000, TextBytes: 100})
	w := r.hub.World("yard", nil)
	w.Open(1, "guard")
	v := r.open()
	text := []byte(`"` + strings.Repeat("x", 998) + `"`)
	for range 50 {
		w.In(1, 1, text)
	}
	require.Len(t, r.hub.pending.list, 10)
	r.turn(time.Second)
	got := v.take()
	require.Equal(t, []int{50, 40, 10}, []int{got[1].In, got[1].Lost, len(got[1].Rows)})
	require.Equal(t, 1000., got[1].Rows[0][6])
	require.Equal(t, string(text[:100]), got[1].Rows[0][12])
	for range 100 {
		for range 9 {
			w.In(1, 1, text)
		}
		r.turn(time.Second)
	}
	require.LessOrEqual(t, r.hub.feed.bytes, 40_000)
	require.Zero(t, len(r.hub.pending.list))
}

// Characters and worlds come and go, and a page that was away for long gets them all afresh.
func TestCharactersComeAndGo(t *testing.T) {
	r := newRig(t, Options{})
	w := r.hub.World("yard", nil)
	w.Open(1, "guard")
	v := r.open()
	r.turn(time.Second)
	v.take()
	w.Open(1, "another") // under the same number
	w.Agent(1, session.AgentConnected)
	w.Agent(1, session.AgentDetached)
	w.In(7, 1, call("c", "go")) // of a session that nobody told of
	w2 := r.hub.World("harbour", nil)
	r.turn(time.Second)
	got := v.take()[0]
	require.False(t, got.Afresh)
	require.Equal(t, []int{1}, got.Gone)
	require.Equal(t, [][]any{{2., 1., "another", 2., 0.}, {3., 1., "session 7", 0., 0.}}, got.Chars)
	require.Equal(t, [][]any{{2., "harbour"}}, got.Worlds)
	require.Equal(t, [][]any{{1., 1_001_000_000., 3., 1., 1., 2., ""}, {2., 1_001_000_000., 3., 2., 1., 2., ""}}, got.Lines)
	w.Close()
	w2.Close()
	r.turn(time.Second)
	got = v.take()[0]
	require.ElementsMatch(t, []int{2, 3}, got.Gone)
	require.Equal(t, []int{1, 2}, got.Ended)
	w3 := r.hub.World("many", nil)
	for i := range 2 * keepParted {
		w3.Open(1, fmt.Sprint("n", i))
	}
	r.turn(time.Second)
	got = v.take()[0]
	require.True(t, got.Afresh)
	require.Len(t, got.Chars, 1)
	require.Equal(t, [][]any{{3., "many"}}, got.Worlds)
	require.LessOrEqual(t, len(r.hub.gone), keepParted)
	w.In(1, 1, call("c", "go")) // of a world that is gone
	require.Len(t, r.hub.chars, 1)
}

// Tools come by Tools, and from manifests that go by; characters with the same ones share them.
func TestToolsOfACharacter(t *testing.T) {
	r := newRig(t, Options{})
	asked := 0
	w := r.hub.World("yard", func() { asked++ })
	w.Open(1, "guard")
	w.Open(2, "cook")
	v := r.open()
	require.Equal(t, 1, asked)
	list := [][]byte{[]byte(`{"id":"go"}`), []byte(`nonsense`), []byte(`[]`), []byte(`{"id":"look"}`)}
	w.Tools(1, list)
	w.Tools(2, list)
	require.Same(t, r.hub.chars[1].tools, r.hub.chars[2].tools)
	r.turn(time.Second)
	require.Nil(t, v.take()[1].ToolsOf, "nobody has asked for them")
	v.receive([]byte(`{"look":2}`))
	require.Equal(t, 2, asked)
	r.turn(time.Second)
	got := v.take()[0]
	require.Equal(t, 2, *got.ToolsOf)
	require.Equal(t, []json.RawMessage{[]byte(`{"id":"go"}`), []byte(`{"id":"look"}`)}, got.Tools)
	r.turn(time.Second)
	require.Nil(t, v.take()[0].ToolsOf, "they are the same")
	tool := message.Tool{ID: "sing", Class: message.Generator, Description: "Sings.", InputSchema: []byte(`{}`), OutputSchema: []byte(`{}`)}
	body := message.AppendManifestBody(nil, &message.Manifest{TickRateHz: 1, TickMode: message.TickFixed, WorldName: "yard", WorldKind: message.World2D, Model: message.Model{Class: message.CloudMedium}, Tools: []message.Tool{tool}})
	w.Out(2, 1, message.AppendSessionInit(nil, sid, mid, body))
	r.turn(time.Second)
	got = v.take()[0]
	require.Equal(t, []json.RawMessage{message.AppendTool(nil, &tool)}, got.Tools)
	w.Out(2, 1, message.AppendHeartbeat(nil, sid, mid, message.AppendManifestUpdate([]byte(nil), message.AppendManifestBody(nil, &message.Manifest{TickRateHz: 1, TickMode: message.TickFixed, WorldName: "yard", WorldKind: message.World2D, Model: message.Model{Class: message.CloudMedium}}))))
	r.turn(time.Second)
	got = v.take()[0]
	require.Equal(t, 2, *got.ToolsOf)
	require.Empty(t, got.Tools)
}

// Counting goes on for a while after the last page has left, for a page that is reloaded; then all is let go of.
func TestLinger(t *testing.T) {
	r := newRig(t, Options{Linger: 10 * time.Second})
	w := r.hub.World("yard", nil)
	w.Open(1, "guard")
	v := r.open()
	w.In(1, 1, call("c", "go"))
	r.turn(time.Second)
	v.leave()
	w.In(1, 1, call("d", "go"))
	r.turn(9 * time.Second)
	require.True(t, r.hub.Watching())
	v = r.open()
	r.turn(time.Second)
	require.Len(t, rowsOf(v.got), 2)
	require.Equal(t, 1_000_000_000, v.got[0].Since)
	v.leave()
	r.turn(10 * time.Second)
	require.False(t, r.hub.Watching())
	require.Empty(t, r.hub.feed.slabs)
	w.In(1, 1, call("e", "go"))
	v = r.open()
	r.turn(time.Second)
	require.Empty(t, rowsOf(v.got))
	require.Equal(t, 0, v.got[1].In)
	require.Equal(t, 1_021_000_000, v.got[0].Since)
	v.deaf = true
	r.turn(time.Second)
	v.ack()
	require.Empty(t, r.hub.feed.pages)
	r.hub.Close()
	require.False(t, r.hub.Watching())
	n := len(v.got)
	v = r.open()
	r.turn(time.Second)
	v.leave()
	require.Equal(t, 0, len(v.got), n)
}

// A page may say anything.
func TestPageSaysNonsense(t *testing.T) {
	r := newRig(t, Options{})
	w := r.hub.World("yard", nil)
	w.Open(1, "guard")
	v := r.open()
	for _, text := range []string{"", "x", "[]", `{"ack":-1}`, `{"ack":"1"}`, `{"ack":1e400}`, `{"ack":99}`, `{"look":null}`, `{"look":4294967296}`, `{"look":77}`, `{"look":1,"look":2}`} {
		v.receive([]byte(text))
	}
	for p := range r.hub.feed.pages {
		require.Equal(t, []uint64{0, 77}, []uint64{p.acked, uint64(p.look)})
	}
	r.turn(time.Second)
	require.Len(t, v.got, 2)
}

// All sides at once, for the race detector.
func TestManyAtOnce(t *testing.T) {
	h := New(Options{Every: time.Millisecond})
	defer h.Close()
	var wg sync.WaitGroup
	for i := range 3 {
		wg.Go(func() {
			w := h.World(fmt.Sprint("w", i), func() {})
			for n := range uint32(200) {
				w.Open(n%5, "x")
				w.Agent(n%5, session.AgentConnected)
				w.In(n%5, 1, call("c", "go"))
				w.Out(n%5, 1, good("c"))
				w.Log(session.Info, 1, "x")
				w.Tools(n%5, [][]byte{[]byte(`{"id":"go"}`)})
			}
			w.Close()
		})
		wg.Go(func() {
			for range 20 {
				receive, leave := h.Watch(func([]byte) bool { return true })
				receive([]byte(`{"look":1,"ack":1}`))
				leave()
			}
		})
	}
	wg.Wait()
}
