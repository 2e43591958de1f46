package inspector_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/bridge"
	"aicc.dev/libaicc/core/inspector"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

// game joins a bridge to a listener and an inspector, as the front does it. Its engine answers each call at once, by the tool's name.
type game struct {
	t     testing.TB
	began time.Time

	mu      sync.Mutex
	b       *bridge.Bridge
	hub     *inspector.Hub
	world   *inspector.World
	roster  *transport.Roster
	mailbox chan func()
	asked   chan struct{} // the hub wants the tools
	epochs  atomic.Uint64
	lastRef uint64
	dead    map[uint64]bool
	drained uint64
	tick    uint64
	ran     []string // "tool input" of each call that reached the game
	tools   []toolSpec
	waiting []waiting // calls of wait, which wave ends
	over    bool
	done    sync.WaitGroup
}

type waiting struct{ no, ref uint64 }

type toolSpec struct {
	class                                 message.ToolClass
	id, description, input, output, needs string
	perMinute, timeoutMS                  int64
}

var watchTools = []toolSpec{
	{message.Sensor, "look", "Sees where the guard is, how far there is light, and who is in it.", "", "", "", 0, 30_000},
	{message.Actuator, "walk_to", "Walks to a place; reports on the way. One walk at a time.",
		`{"type":"object","required":["place"],"properties":{"place":{"enum":["gate","yard","tower","store","well"]},"speed":{"type":"number","minimum":0.5,"maximum":9,"default":1.5,"description":"metres a second"},"quietly":{"type":"boolean"}}}`, "", "", 0, 20_000},
	{message.Actuator, "patrol", "Walks a round of places, with what to do at each.",
		`{"type":"object","required":["name","stops"],"additionalProperties":false,"$defs":{"point":{"type":"object","required":["x","y"],"properties":{"x":{"type":"integer","minimum":-100,"maximum":100},"y":{"type":"integer","minimum":-100,"maximum":100}}}},` +
			`"properties":{"name":{"type":"string","minLength":1,"maxLength":24},"stops":{"type":"array","minItems":1,"maxItems":4,"items":{"$ref":"#/$defs/point"}},"rest":{"type":"object","required":["seconds"],"properties":{"seconds":{"type":"number","exclusiveMinimum":0}}},"extra":{}}}`, "", "", 0, 20_000},
	{message.Actuator, "ring_bell", "Rings the alarm bell, which is for thieves only.", "", "", "alarm", 0, 800},
	{message.Generator, "say", "Speaks a line, heard 12 metres away. Twice a minute.",
		`{"type":"object","required":["text"],"properties":{"text":{"type":"string","minLength":1,"maxLength":120}}}`, "", "", 2, 30_000},
	{message.Actuator, "fail", "Fails.", "", "", "", 0, 30_000},
}

// oddTools are for what forms and calls by hand have to cope with.
var oddTools = []toolSpec{
	{message.Actuator, "wait", "Waits until somebody waves.", `{"type":"object","required":["why"],"properties":{"why":{"type":"string","minLength":1}}}`, "", "", 0, 60_000},
	{message.Actuator, "wave", "Ends all waiting.", "", "", "", 0, 60_000},
	{message.Generator, "say", "Once a minute.", "", "", "", 1, 30_000},
	{message.Sensor, "odd", "Numbers of many digits.",
		`{"type":"object","properties":{"n":{"type":"integer","minimum":9007199254740993},"pick":{"enum":[1,"1","two"]},"most":{"type":"number","maximum":1.5}}}`, "", "", 0, 30_000},
}

// newGame makes a world with the tools above and one session for each name.
func newGame(t testing.TB, hub *inspector.Hub, rosters *transport.Rosters, world string, tools []toolSpec, names ...string) *game {
	g := &game{t: t, began: time.Now(), hub: hub, tools: tools, mailbox: make(chan func(), 1024), dead: map[uint64]bool{}}
	ints := make([]int64, bridge.CreateInts)
	ints[bridge.CreateIntKind], ints[bridge.CreateIntTickMode], ints[bridge.CreateIntTickRate] = 2, int64(message.TickFixed), int64(math.Float64bits(20))
	ints[bridge.CreateIntHeartbeatMS], ints[bridge.CreateIntIdleMS], ints[bridge.CreateIntResumeMS] = 15_000, 45_000, 120_000
	b, failure := bridge.New(g, &bridge.Record{Kind: bridge.RecCreate, Data: bridge.AppendFields(nil, ints, world)}, 0, rand.Reader)
	require.Nil(t, failure)
	g.b = b
	g.world = hub.World(world, func() { g.post(g.publish) })
	for i, s := range tools {
		f := make([]int64, bridge.ToolInts)
		f[bridge.ToolIntClass], f[bridge.ToolIntTimeoutMS], f[bridge.ToolIntPerMinute] = int64(s.class), s.timeoutMS, s.perMinute
		g.step(bridge.Record{Kind: bridge.RecToolRegister, Object: uint32(i + 1), Data: bridge.AppendFields(nil, f, s.id, s.description, s.input, s.output, s.needs)})
	}
	g.step(bridge.Record{Kind: bridge.RecEventDefine, Object: 1, Data: bridge.AppendFields(nil, []int64{int64(message.TopicAudio), 2, 0, 0}, "")})
	g.roster = transport.NewRoster(world, g)
	rosters.Add(g.roster)
	for i, name := range names {
		g.open(uint32(i+1), name)
	}
	g.done.Go(g.act)
	t.Cleanup(func() {
		g.mu.Lock()
		g.over = true
		close(g.mailbox)
		g.mu.Unlock()
		g.done.Wait()
	})
	return g
}

func (g *game) open(number uint32, name string) {
	s := make([]int64, bridge.SessionInts)
	s[bridge.SessionIntModel], s[bridge.SessionIntTopics] = int64(message.CloudMedium), int64(message.TopicAudio|message.TopicTick)
	g.step(bridge.Record{Kind: bridge.RecSessionOpen, Session: number, Data: bridge.AppendFields(nil, s, name)})
	g.world.Open(number, name)
	g.roster.Open(number, name)
}

// act is the actor: it takes what came, and the time.
func (g *game) act() {
	t := time.NewTicker(10 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case f, ok := <-g.mailbox:
			if !ok {
				return
			}
			f()
		case <-t.C:
			g.tick++
			g.step(bridge.Record{Kind: bridge.RecFrame, Tick: g.tick})
		}
	}
}

func (g *game) post(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.over {
		g.mailbox <- f
	}
}

func (g *game) step(r bridge.Record) {
	r.Tick = max(r.Tick, g.tick)
	clock := bridge.Record{Kind: bridge.RecClock, Arg: uint64(time.Since(g.began))}
	g.b.Step(&clock)
	if r.Kind == bridge.RecReceive {
		g.world.In(r.Session, r.Tick, r.Data)
	}
	g.b.Step(&r)
	if g.drained > 0 {
		g.b.Step(&bridge.Record{Kind: bridge.RecDrained, Arg: g.drained})
		g.drained = 0
	}
	clock.Arg = uint64(time.Since(g.began))
	g.b.Step(&clock)
}

// publish tells the hub the tools of each session.
func (g *game) publish() {
	for n := uint32(1); ; n++ {
		_, tools, ok := g.b.Published(n)
		if !ok {
			return
		}
		list := make([][]byte, len(tools))
		for i := range tools {
			list[i] = tools[i].JSON
		}
		g.world.Tools(n, list)
	}
}

// emit sends an event to a session.
func (g *game) emit(session uint32, payload string) {
	g.post(func() {
		g.step(bridge.Record{Kind: bridge.RecEventJSON, Object: 1, Session: session, Data: []byte(payload)})
	})
}

func (g *game) calls() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.ran...)
}

// The listener's side.

func (g *game) Attach(session uint32, how transport.How, _ transport.Ask) uint64 {
	r := bridge.Record{Kind: bridge.RecAttach, Session: session, Arg: g.epochs.Add(1)}
	if how.Replace {
		r.Flags |= bridge.AttachReplace
	}
	if how.Wait {
		r.Flags |= bridge.AttachWait | bridge.AttachHeld
	}
	g.post(func() { g.step(r) })
	return r.Arg
}

func (g *game) Begin(session uint32, epoch uint64) {
	g.post(func() {
		g.step(bridge.Record{Kind: bridge.RecAttach, Session: session, Arg: epoch, Flags: bridge.AttachFresh})
	})
}

func (g *game) Receive(session uint32, epoch uint64, m []byte) bool {
	m = bytes.Clone(m)
	g.post(func() { g.step(bridge.Record{Kind: bridge.RecReceive, Session: session, Arg: epoch, Data: m}) })
	return true
}

func (g *game) Arrived(session uint32, epoch uint64, count uint32) {
	g.post(func() { g.step(bridge.Record{Kind: bridge.RecArrived, Session: session, Arg: epoch, Object: count}) })
}

func (g *game) Leave(session uint32, epoch uint64) {
	g.post(func() { g.step(bridge.Record{Kind: bridge.RecDetach, Session: session, Arg: epoch}) })
}

// The bridge's side; all within step.

func (g *game) Message(session uint32, epoch uint64, m []byte) {
	g.drained += uint64(len(m))
	g.world.Out(session, g.tick, m)
	g.roster.Message(session, epoch, m)
}

func (g *game) Detached(session uint32, epoch uint64) { g.roster.Detached(session, epoch) }

func (g *game) Agent(session uint32, change bridge.AgentChange) {
	g.world.Agent(session, change)
	g.roster.Agent(session, change == bridge.AgentGone)
}

func (g *game) CallQueued(c bridge.CallItem) uint64 {
	g.lastRef++
	ref := g.lastRef
	tool := g.tools[c.Tool-1].id
	g.mu.Lock()
	g.ran = append(g.ran, tool+" "+string(c.Input))
	g.mu.Unlock()
	r := bridge.Record{Kind: bridge.RecAnswer, Arg: c.No, Data: fmt.Appendf(nil, `{"at":[%d,4.5],"did":%s}`, ref, c.Input)}
	switch {
	case tool == "ring_bell":
		return ref // no answer: it times out
	case tool == "wait":
		g.waiting = append(g.waiting, waiting{c.No, ref})
		return ref
	case tool == "wave":
		waiting := g.waiting
		g.waiting = nil
		g.done.Go(func() {
			g.post(func() {
				for _, w := range waiting {
					if !g.dead[w.ref] {
						g.step(bridge.Record{Kind: bridge.RecAnswer, Arg: w.no, Data: []byte(`{"waved":true}`)})
					}
				}
			})
		})
	case tool == "fail":
		r = bridge.Record{Kind: bridge.RecFail, Arg: c.No, Flags: 6, Data: []byte("The rope is stuck.")}
	}
	g.done.Go(func() {
		g.post(func() {
			if !g.dead[ref] {
				g.step(r)
			}
		})
	})
	return ref
}

func (g *game) CallEnd(ref uint64, _ bridge.EndReason) bridge.CallState {
	g.dead[ref] = true
	return bridge.CallWasStarted
}
func (g *game) CallDone(ref uint64)         { g.dead[ref] = true }
func (g *game) AgentMessage(uint32, []byte) {}
func (g *game) Fault(session, _ uint32, text string) {
	g.world.Fault(session, text)
}
func (g *game) Log(level bridge.Level, session, _ uint32, text string) {
	g.world.Log(level, session, text)
}
func (g *game) SessionClosed(session uint32) {
	g.world.Closed(session)
	g.roster.Closed(session)
}
func (g *game) ToolReleased(uint32) {}
func (g *game) Reply(_ uint64, f *bridge.Failure) bool {
	require.Nil(g.t, f)
	return true
}

// stage is a listener with an inspector, and what there is behind it.
type stage struct {
	hub     *inspector.Hub
	rosters transport.Rosters
	l       *transport.Listener
}

func newStage(t testing.TB, o inspector.Options) *stage {
	t.Helper()
	s := &stage{hub: inspector.New(o)}
	var err error
	s.l, err = transport.Listen(transport.Options{Inspector: s.hub}, &s.rosters)
	require.NoError(t, err)
	t.Cleanup(s.hub.Close)
	t.Cleanup(s.l.Close)
	return s
}

func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	require.Eventually(t, is, 20*time.Second, time.Millisecond, what)
}

// traffic makes messages of many characters, as a busy game has them.
type traffic struct {
	w       *inspector.World
	n       int // characters
	turn    int
	session []message.ID
	ids     []message.ID
	open    []string // each character's call that has no result yet
}

func newTraffic(t testing.TB, hub *inspector.Hub, world string, names []string) *traffic {
	x := &traffic{w: hub.World(world, nil), n: len(names), open: make([]string, len(names))}
	for i, name := range names {
		id, err := message.NewSessionID(rand.Reader)
		require.NoError(t, err)
		x.session = append(x.session, id)
		x.w.Open(uint32(i+1), name)
		x.w.Agent(uint32(i+1), bridge.AgentConnected)
	}
	for range 1024 {
		id, _ := message.NewSessionID(rand.Reader)
		x.ids = append(x.ids, id)
	}
	return x
}

var trafficFaults = []struct {
	code message.ErrorCode
	text string
}{
	{message.ExecutionFailed, "The rope is stuck."}, {message.InvalidInput, "at /heading: at most 359 was wanted, 412 came"}, {message.ToolUnavailable, "steer may be called 30 times a minute: try again in 4200 ms"},
	{message.ExecutionFailed, "There is no wind."}, {message.Timeout, "no answer within 800 ms; the call had begun, so what it did is not known"},
}

var trafficTools = []string{"steer", "look_out", "hail", "haul_rope"}

// send makes one message: of ten, two are calls, two their results and six are events.
func (x *traffic) send() {
	i := x.turn % x.n
	no, s, tick := uint32(i+1), x.session[i], uint64(18_000+x.turn/33)
	id := x.ids[x.turn%len(x.ids)]
	meta := &message.Meta{Tick: tick, LatencyMS: -1}
	switch k := (x.turn/x.n + i) % 10; k {
	case 0, 4:
		x.open[i] = fmt.Sprintf("c-%d", x.turn)
		x.w.In(no, tick, message.AppendToolCall(nil, s, id, x.open[i], trafficTools[x.turn/7%len(trafficTools)], fmt.Appendf(nil, `{"heading":%d,"speed":%.1f}`, x.turn*7%360, float64(x.turn%90)/10)))
	case 3, 8:
		if f := x.turn / 97 % len(trafficFaults); x.turn%97 == 5 {
			x.w.Out(no, tick, message.AppendToolResultError(nil, s, id, x.open[i], trafficFaults[f].code, trafficFaults[f].text, f%2 == 0, meta))
		} else {
			x.w.Out(no, tick, message.AppendToolResultOK(nil, s, id, x.open[i], fmt.Appendf(nil, `{"heading":%d,"wind":[%d,%d]}`, x.turn*7%360, x.turn%9, x.turn%7), meta))
		}
	default:
		topic := []message.Topic{message.TopicTick, message.TopicStateChange, message.TopicAudio, message.TopicCollision}[(x.turn/x.n+2*i)%4]
		payload := []string{`{"tick":%d,"time":%d.25,"position":[12.5,-3.25,0.75]}`, `{"kind":"sail","set":%d,"torn":[%d]}`, `{"sound":"gull","from":[%d,%d]}`, `{"with":"pier %d","speed":%d.5}`}[(x.turn/x.n+2*i)%4]
		x.w.Out(no, tick, message.AppendEvent(nil, s, id, topic, fmt.Appendf(nil, payload, x.turn, x.turn%60), meta))
	}
	x.turn++
}

// run sends so many a second until stop is closed.
func (x *traffic) run(perSecond int, stop <-chan struct{}) (sent int) {
	began := time.Now()
	t := time.NewTicker(5 * time.Millisecond)
	defer t.Stop()
	for {
		for ; sent < int(time.Since(began).Seconds()*float64(perSecond)); sent++ {
			x.send()
		}
		select {
		case <-stop:
			return sent
		case <-t.C:
		}
	}
}

func vesselNames(n int) []string {
	first := []string{"Aurora", "Bellwether", "Cormorant", "Dauntless", "Egret", "Fulmar", "Gannet", "Halcyon", "Isolde", "Jackdaw", "Kestrel", "Lapwing", "Merlin", "Nightjar", "Osprey", "Petrel", "Quail", "Redshank", "Shearwater", "Tern"}
	names := make([]string, n)
	for i := range names {
		names[i] = strings.TrimSpace(first[i%len(first)] + " " + []string{"", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X"}[i/len(first)%10])
	}
	return names
}
