package session

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

// The table of known ids against a plain list of the last 4,096.
func TestKnown(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var k known
	var plain []digest
	for range 30_000 {
		d := digest{uint64(rng.IntN(200)), uint64(rng.IntN(60))} // homes that collide
		has := slices.Contains(plain, d)
		require.Equal(t, has, k.has(d))
		k.add(d)
		if !has {
			if plain = append(plain, d); len(plain) > maxKnown {
				plain = plain[1:]
			}
		}
	}
	for _, d := range plain {
		require.True(t, k.has(d))
	}
	used := 0
	for _, at := range k.table {
		if at != 0 {
			used++
		}
	}
	require.Equal(t, maxKnown, used)
	require.Len(t, k.table, 2*maxKnown)
}

func idOf(n int) digest { return digest{uint64(n), uint64(n)} }

func TestPastForgetsTheOldest(t *testing.T) {
	var p past
	for i := range 300 {
		k := p.add(idOf(i), idOf(i), false, false)
		k.text = append(k.text, make([]byte, 100)...)
		p.account(k, false)
	}
	require.Nil(t, p.find(idOf(43)))
	require.Equal(t, idOf(44), p.find(idOf(44)).id)
	require.Equal(t, maxKept*100, p.bytes)
	k := p.add(idOf(500), idOf(500), false, false)
	k.text = append(k.text, make([]byte, maxKeptBytes)...)
	p.account(k, false)
	require.Equal(t, uint64(1), p.next-p.first, "one that is as large as all is kept alone")
	require.Equal(t, maxKeptBytes, p.bytes)
}

// What waits in the outbox is not forgotten, nor what waits for a resume.
func TestPastKeepsWhatWasNotSent(t *testing.T) {
	var p past
	for i := range 300 {
		k := p.add(idOf(i), idOf(i), false, true)
		k.waits = i < 2
		p.account(k, true)
	}
	require.Equal(t, uint64(300), p.next-p.first)
	for i := range 300 {
		p.find(idOf(i)).sent = 1
	}
	p.add(idOf(300), idOf(300), false, true)
	require.Equal(t, uint64(301), p.next-p.first)
	p.find(idOf(0)).waits, p.find(idOf(1)).waits = false, false
	p.add(idOf(301), idOf(301), false, true)
	require.Equal(t, uint64(maxKept), p.next-p.first)
}

func TestPastRetries(t *testing.T) {
	var p past
	p.add(idOf(1), idOf(1), true, false)
	require.Nil(t, p.find(idOf(1)))
	require.False(t, p.known.has(idOf(1)))
	require.False(t, p.at(0).arrived)
	p.retry(idOf(1))
	require.True(t, p.at(0).arrived, "what a new attempt replaces is not sent again")
}

// The heap against a plain search.
func TestTimers(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	h := timers{which: gameTime}
	sessions := make([]*Session, 50)
	due := make([]int64, 50)
	for i := range sessions {
		sessions[i], due[i] = &Session{number: uint32(i)}, never
	}
	for range 20_000 {
		i := rng.IntN(50)
		switch rng.IntN(4) {
		case 0:
			due[i] = int64(rng.IntN(30))
			h.set(sessions[i], due[i])
		case 1:
			due[i] = never
			h.set(sessions[i], never)
		case 2:
			at := int64(rng.IntN(30))
			due[i] = min(due[i], at)
			h.sooner(sessions[i], at)
		case 3:
			now, first := int64(rng.IntN(30)), -1
			for j, at := range due {
				if at <= now && (first < 0 || at < due[first]) {
					first = j
				}
			}
			s := h.due(now)
			if first < 0 {
				require.Nil(t, s)
				continue
			}
			require.Equal(t, uint32(first), s.number)
			due[first] = never
		}
		require.Equal(t, slices.Min(due), h.next())
	}
}

// The sliding window against all times: never more than the limit in any 60 s, and never less than it could be.
func TestCallsPerMinute(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, limit := range []int{1, 2, 7, 100} {
		w := &World{}
		s := &Session{w: w}
		tool := &Tool{PerMinute: limit}
		var all []int64
		for range 3000 {
			w.now += rng.Int64N(2 * minute / int64(limit))
			recent := 0
			for _, at := range all {
				if w.now-at < minute {
					recent++
				}
			}
			wait := int64(0)
			if u := s.use(tool); u != nil {
				wait = u.wait(limit, w.now)
			}
			require.Equal(t, recent >= limit, wait > 0)
			if wait > 0 {
				require.Equal(t, all[len(all)-limit]+minute-w.now, wait)
				continue
			}
			s.countUse(tool)
			all = append(all, w.now)
		}
		require.LessOrEqual(t, cap(s.uses[0].times), 2*limit+8, "the window's memory is bounded by the limit")
	}
}

func TestUsesOfRemovedToolsAreForgotten(t *testing.T) {
	s := &Session{w: &World{}}
	old := &Tool{PerSession: 3}
	s.countUse(old)
	old.Removed = true
	s.countUse(&Tool{PerSession: 3})
	require.Len(t, s.uses, 1)
}

// Call numbers: each place in turn, and an old number finds nothing.
func TestCallTable(t *testing.T) {
	var table callTable
	a, b := table.take(), table.take()
	require.Equal(t, []uint64{1, 2}, []uint64{a.no, b.no})
	require.Nil(t, table.find(1), "not accepted yet")
	a.state, b.state = callGiven, callGiven
	require.Same(t, a, table.find(1))
	table.release(a)
	require.Nil(t, table.find(1))
	c := table.take()
	c.state = callGiven
	require.Equal(t, uint64(1<<32|1), c.no)
	require.Nil(t, table.find(1))
	require.Same(t, c, table.find(c.no))
	for _, no := range []uint64{0, 3, 1<<32 | 2, 1 << 63, 1<<64 - 1} {
		require.Nil(t, table.find(no))
	}
}

// 5.14: the model slows ticks unless that is turned off.
func TestPeriod(t *testing.T) {
	s := &Session{w: &World{Options: Options{TickRateHz: 60}}, kit: &Kit{Model: message.Model{Class: message.CloudLarge}}}
	require.Equal(t, 2*second, s.period())
	s.w.AnyTickRate = true
	require.Equal(t, second/60, s.period())
	s.w.TickRateHz = 1e-300
	require.Equal(t, int64(longestPeriod), s.period())
}

// Sessions that say the same share what is rendered, whatever else differs in who plays them.
func TestManifestsAreShared(t *testing.T) {
	w, err := NewWorld(nil, Options{Name: "yard", TickRateHz: 10}, 0, &counter{})
	require.NoError(t, err)
	own, guard := NewSet(0, ""), NewSet(1, "guard")
	own.Add(&Tool{ID: "go", Class: message.Actuator, JSON: []byte(`{"id":"go"}`)})
	guard.Add(&Tool{ID: "dig", Number: 2, Class: message.Actuator, Capability: "claws", Hidden: true, JSON: []byte(`{"id":"dig"}`)})
	open := func(sets []*Set, class message.ModelClass, capabilities ...string) *Session {
		return w.Open(1, sets, capabilities, message.Model{Class: class}, message.TopicAll)
	}
	a, b := open([]*Set{own, guard}, message.EdgeSmall), open([]*Set{own, guard}, message.EdgeSmall)
	require.Same(t, a.kit, b.kit)
	c := open([]*Set{own, guard}, message.CloudLarge, "voice")
	d := open([]*Set{own, guard}, message.CloudLarge, "claws")
	e := open([]*Set{own}, message.CloudLarge)
	for _, s := range []*Session{a, c, d, e} {
		w.fresh(s.kit)
	}
	require.Same(t, a.kit.tools, c.kit.tools)
	require.NotSame(t, a.kit.tools, d.kit.tools)
	require.Equal(t, `[{"id":"go"}]`, string(a.kit.tools.json))
	require.Equal(t, `[{"id":"go"},{"id":"dig"}]`, string(d.kit.tools.json))
	require.NotEqual(t, a.kit.print, c.kit.print)
	require.Len(t, w.kits, 4)
	for _, s := range []*Session{a, b, c, d, e} {
		w.dropKit(s.kit)
	}
	require.Empty(t, w.kits)
}

// An event that is replaced again and again while nobody takes it costs no more memory for that.
func TestReplacedEventsLeaveNoMemory(t *testing.T) {
	w, err := NewWorld(nil, Options{Name: "yard", TickRateHz: 10, OutboxBytes: 1 << 20}, 0, &counter{})
	require.NoError(t, err)
	s := w.Open(1, []*Set{NewSet(0, "")}, nil, message.Model{Class: message.EdgeSmall}, message.TopicAll)
	s.state = live
	each, latest := &Event{Topic: message.TopicAudio}, &Event{Topic: message.TopicTick, Latest: true}
	s.putEvent(each, &content{data: []byte(`{"first":1}`)})
	for range 100_000 {
		s.putEvent(latest, &content{data: []byte(`{"n":"some text of a usual length"}`)})
	}
	require.Less(t, cap(s.box.buf), 64<<10)
	require.Less(t, len(s.box.list), 1000)
	require.Equal(t, `{"first":1}`, string(s.box.buf[s.box.list[0].from:s.box.list[0].to]))
	require.Equal(t, [classMust]int{1, 1, 0}, s.box.drops)
}

type counter struct{ n uint64 }

func (c *counter) Read(p []byte) (int, error) {
	c.n++
	return copy(p, append(binary.LittleEndian.AppendUint64(nil, c.n), make([]byte, len(p))...)), nil
}
