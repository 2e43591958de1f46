package session

import (
	"hash/maphash"
	"io"
	"math"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

// Bounds of DESIGN 5.5 and 5.18.
const (
	MaxInFlight    = 16 // these three are the most that Options may say
	MaxCallID      = message.MaxCallIDBytes
	MaxOutputBytes = 256 << 10
	MaxEventBytes  = 64 << 10
	MaxFailBytes   = 4 << 10
	MaxSets        = 8
	maxKept        = 256
	maxKeptBytes   = 256 << 10
	maxKnown       = 4096
)

const (
	never       = math.MaxInt64
	millisecond = int64(1e6)
	second      = int64(1e9)
)

// Options are what all sessions of a world have in common.
type Options struct {
	Name        string // the world's, and the source in meta
	Kind        message.WorldKind
	TickMode    message.TickMode
	TickRateHz  float64
	Debug       bool
	OutboxBytes int
	HeartbeatNS int64
	IdleNS      int64 // 0: never
	ResumeNS    int64
	WindowBytes int64 // that may wait in the host's message queue
	AnyTickRate bool  // periodic ticks pay no regard to the model
	MaxCalls    int   // in flight, a session
	MaxCallID   int   // bytes
	MaxOutput   int   // bytes
	FrameClock  bool  // frames carry the time, and it stands still before the first
}

// Stats counts what happened in a world.
type Stats struct {
	Calls, CallsFailed, CallsTimedOut, CallsRefused uint64
	MessagesIn, MessagesOut, MessagesBad            uint64
	EventsDropped                                   uint64
	ValuesBad                                       uint64 // in structs: what JSON cannot say, see layout.Counts
	CallsInFlight                                   int32
}

// World is what the sessions of one bridge share: time, ids, the calls that are open, and memory to work in.
// One goroutine at a time.
type World struct {
	Options
	Stats Stats

	host   Host
	ids    *message.IDSource
	random io.Reader

	base   int64  // the host's time at which now was 0
	now    int64  // since the world began
	play   int64  // the same less what was paused
	tick   uint64 // the last frame
	paused bool
	begun  bool // it is known what time it is

	real, games timers // heaps over now and over play
	calls       callTable
	held        []*call // accepted in a pause, oldest first
	agents      []*Session
	mail        []*Session // with something to send, in turn
	mailFrom    int
	waiting     int64 // bytes that the host has not taken yet

	version uint64 // of tools, for what is rendered of them
	told    uint64 // the version that the agents were last compared with
	shelf   map[string]*toolList
	kits    map[string]*Kit

	ticker   Event
	dues     DueHost
	lastTick lastTick
	tickSeq  uint64

	seedA, seedB maphash.Seed
	msg          message.Message
	scanner      jsonwire.Scanner
	checker      schema.Checker
	meta         message.Meta
	out, out2    []byte
	mended       []byte // what came, without lone surrogates
	work         []byte
	boxes        []*outbox
	boxBytes     int
}

// NewWorld makes one whose time is now. Session ids come from random, message ids from a generator that it seeds.
func NewWorld(h Host, o Options, now int64, random io.Reader) (*World, error) {
	var seed [32]byte
	if _, err := io.ReadFull(random, seed[:]); err != nil {
		return nil, err
	}
	w := &World{
		Options: o, host: h, ids: message.NewIDSource(seed), random: random, base: now, paused: o.FrameClock, begun: !o.FrameClock,
		shelf: map[string]*toolList{}, kits: map[string]*Kit{}, version: 1, told: 1,
		seedA: maphash.MakeSeed(), seedB: maphash.MakeSeed(),
	}
	w.sane(&w.base)
	w.real.which, w.games.which = realTime, gameTime
	w.ticker = Event{Topic: message.TopicTick, Latest: true}
	w.dues, _ = h.(DueHost)
	if w.WindowBytes <= 0 {
		w.WindowBytes = never
	}
	return w, nil
}

// digest is 128 bits that stand for a text within this process. The seeds are random, so nobody can look for two texts with one digest.
type digest [2]uint64

func (w *World) digest(text []byte) digest {
	return digest{maphash.Bytes(w.seedA, text), maphash.Bytes(w.seedB, text)}
}

// requestDigest stands for a tool and an input as a JSON value.
func (w *World) requestDigest(tool, input []byte) digest {
	h := jsonwire.Hash(input)
	w.work = append(append(w.work[:0], h[:]...), tool...)
	return w.digest(w.work)
}

// Clock moves the time to the host's time t and does what became due. The same time again does nothing at all, so that where
// a batch of records ends cannot be seen.
func (w *World) Clock(t int64) {
	if w.sane(&t); t-w.base > w.now {
		w.advance(t - w.base)
		w.send()
	}
}

// Tick notes the host's frame, which each record carries: a frame with nothing to do sends no record of its own.
func (w *World) Tick(tick uint64) { w.tick = tick }

// Frame notes the host's frame. What is queued is sent.
func (w *World) Frame(tick uint64, paused bool) {
	w.tick = tick
	if w.paused && !paused {
		w.paused = false
		w.release()
	}
	w.paused = paused
	w.send()
}

// FrameAt is Frame where frames carry the time; going back is standing still.
func (w *World) FrameAt(t int64, tick uint64, paused bool) {
	w.sane(&t)
	if !w.begun { // what the frame's clock said before is nobody's business
		w.begun = true
		w.base = t - w.now
		for _, s := range w.agents {
			s.tellDue()
		}
	}
	w.tick = tick
	if t-w.base > w.now {
		w.advance(t - w.base)
	}
	w.Frame(tick, paused)
}

// sane keeps times where sums of them do not overflow.
func (w *World) sane(t *int64) { *t = min(max(*t, 0), 1<<61) }

func (w *World) advance(now int64) {
	if !w.paused {
		w.play += now - w.now
	}
	w.now = now
	for { // first, since what comes of it makes heartbeats needless
		s := w.games.due(w.play)
		if s == nil {
			break
		}
		s.onPlay()
	}
	for {
		s := w.real.due(w.now)
		if s == nil {
			return
		}
		s.onTime()
	}
}

// Flush sends what is queued.
func (w *World) Flush() { w.send() }

// Drained says that the host has taken so many bytes of messages.
func (w *World) Drained(bytes uint64) {
	w.waiting -= int64(min(bytes, uint64(w.waiting)))
}

// Want is the host's time at which the world wants to hear of the time next.
func (w *World) Want() int64 {
	if !w.begun {
		return never
	}
	if w.version != w.told && len(w.agents) > 0 || w.mailFrom < len(w.mail) && w.waiting < w.WindowBytes {
		return w.base + w.now + 1
	}
	at := w.real.next()
	if p := w.games.next(); p != never && !w.paused {
		at = min(at, w.now+max(p-w.play, 0))
	}
	if at == never {
		return never
	}
	return w.base + max(at, w.now+1)
}

// Changed says that tools have changed: agents are told with their next heartbeat.
func (w *World) Changed() {
	w.version++
	clear(w.shelf)
}

// send compares manifests if tools changed, and hands over what is queued, as far as the host has room. Sessions take turns.
func (w *World) send() {
	if w.version != w.told {
		w.told = w.version
		for i := len(w.agents) - 1; i >= 0; i-- { // backwards: one that is detached for it leaves the list
			w.agents[i].manifestChanged()
		}
	}
	for w.mailFrom < len(w.mail) && w.waiting < w.WindowBytes {
		s := w.mail[w.mailFrom]
		w.mail[w.mailFrom] = nil
		w.mailFrom++
		s.inMail = false
		if !s.deliver(false) {
			w.post(s)
		}
	}
	if w.mailFrom == len(w.mail) {
		w.mail, w.mailFrom = w.mail[:0], 0
	}
}

// post puts a session into the queue of those with something to send.
func (w *World) post(s *Session) {
	if s.inMail {
		return
	}
	s.inMail = true
	if w.mailFrom > 1024 && w.mailFrom > len(w.mail)/2 {
		n := copy(w.mail, w.mail[w.mailFrom:])
		clear(w.mail[n:])
		w.mail, w.mailFrom = w.mail[:n], 0
	}
	w.mail = append(w.mail, s)
}

// hostTime is a time of the session's clock as the host's clock will show it if nothing is paused from now on.
func (s *Session) hostTime(at int64) int64 {
	if at == never {
		return never
	}
	return s.w.base + s.w.now + (at - s.clock())
}
