// Package inspector is a page on which people watch a running game: its characters, their tools, and every message between them and their
// agents. Hub takes what happens, at no cost while nobody looks, and feeds it in batches to the pages that are open.
//
// The bridge's side tells it, each on its own goroutine, several at once:
//
//	w := hub.World("night watch", refresh)  // a bridge came to be
//	w.Open(1, "guard")                      // RecSessionOpen was stepped
//	w.Agent(1, session.AgentConnected)      // Host.Agent
//	w.In(1, tick, text)                     // RecReceive, before it is stepped
//	w.Out(1, tick, text)                    // Host.Message
//	w.Fault(1, text)                        // Host.Fault
//	w.Log(session.Warn, 1, text)            // Host.Log
//	w.Tools(1, list)                        // after refresh was called: for each session, its Published tools' JSON
//	w.Closed(1)                             // Host.SessionClosed
//	w.Close()                               // the bridge is gone
//
// The listener's side, core/transport, takes a *Hub as its Options.Inspector: File, Watch.
// A nil *Hub and a nil *World do nothing, so that callers need no ifs.
package inspector

import (
	"crypto/sha256"
	"sync"
	"sync/atomic"
	"time"

	"aicc.dev/libaicc/core/session"
)

// Options bound what a Hub may cost while somebody looks. Zero fields get the default.
type Options struct {
	KeepBytes    int           // of messages, for pages that are slow or new: 8 MiB
	KeepMessages int           // likewise: 16,384
	TextBytes    int           // of one message, as pages get it: 32 KiB
	PendingBytes int           // that came since the last turn; what is more is only counted: 16 MiB
	Every        time.Duration // a turn: 50 ms
	Linger       time.Duration // that counting goes on after the last page has left, so that one may be reloaded: 30 s

	Now func() time.Time  // of messages; nil: time.Now
	Log func(text string) // of faults of its own; nil: nobody is told. Must not wait for a bridge
}

// Hub collects what pages show.
type Hub struct {
	o        Options
	watching atomic.Bool

	mu        sync.Mutex // of what the bridges' side touches; held for a copy at most
	worlds    map[uint32]*World
	chars     map[uint32]*character
	lastWorld uint32
	lastChar  uint32
	version   uint64 // of worlds and chars: each change is one
	gone      []parted
	forgotten uint64 // the newest version that gone no longer reaches back to
	pending   intake
	lines     lineRing

	turns  sync.Mutex // of what follows; taken before mu
	feed   feed
	cancel func() // ends the goroutine that turns; nil: there is none
	closed bool
	done   sync.WaitGroup
}

// World is one bridge as a Hub knows it.
type World struct {
	hub     *Hub
	id      uint32
	name    string
	refresh func()
	version uint64
	byNo    map[uint32]*character
	sets    map[[sha256.Size]byte]*toolset
}

// character is one session, from Open to Closed.
type character struct {
	id      uint32
	world   *World
	name    string
	state   state
	version uint64 // of the hub when name or state changed last
	tools   *toolset
	in, out uint64
	hands   int // pages that say they play it
}

// state is who plays a character; the page knows them by these numbers.
type state uint8

const (
	free state = iota
	taken
	away
)

// parted is a character, or a world, that is no more.
type parted struct {
	version uint64
	id      uint32
	world   bool
}

const keepParted = 1024

// New makes one.
func New(o Options) *Hub {
	set(&o.KeepBytes, 8<<20)
	set(&o.KeepMessages, 16<<10)
	set(&o.TextBytes, 32<<10)
	set(&o.PendingBytes, 16<<20)
	set(&o.Every, 50*time.Millisecond)
	set(&o.Linger, 30*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return &Hub{o: o, worlds: map[uint32]*World{}, chars: map[uint32]*character{}}
}

func set[T ~int | ~int64](to *T, standard T) {
	if *to <= 0 {
		*to = standard
	}
}

// Watching says whether anybody looks, for what is worth telling only then.
func (h *Hub) Watching() bool { return h != nil && h.watching.Load() }

// World tells of a bridge. refresh, which may be nil, is called when a page needs the characters' tools: from any goroutine, often, with nothing
// locked; it must not wait. The bridge answers with Tools for each of its sessions when it gets to it.
func (h *Hub) World(name string, refresh func()) *World {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lastWorld++
	h.version++
	w := &World{hub: h, id: h.lastWorld, name: short(name), refresh: refresh, version: h.version, byNo: map[uint32]*character{}, sets: map[[sha256.Size]byte]*toolset{}}
	h.worlds[w.id] = w
	return w
}

// Close tells that the bridge is gone, and its characters with it.
func (w *World) Close() {
	if w == nil {
		return
	}
	h := w.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	for no := range w.byNo {
		w.part(no)
	}
	if h.worlds[w.id] == w {
		delete(h.worlds, w.id)
		h.left(w.id, true)
	}
}

// Open tells of a session under the bridge's number for it.
func (w *World) Open(number uint32, name string) {
	if w == nil {
		return
	}
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	w.part(number)
	w.open(number, name)
}

func (w *World) open(number uint32, name string) *character {
	h := w.hub
	h.lastChar++
	h.version++
	c := &character{id: h.lastChar, world: w, name: short(name), version: h.version}
	w.byNo[number], h.chars[c.id] = c, c
	return c
}

// Closed tells that the number is free for another session.
func (w *World) Closed(number uint32) {
	if w == nil {
		return
	}
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	w.part(number)
}

func (w *World) part(number uint32) {
	if c := w.byNo[number]; c != nil {
		delete(w.byNo, number)
		delete(w.hub.chars, c.id)
		w.hub.left(c.id, false)
	}
}

func (h *Hub) left(id uint32, world bool) {
	h.version++
	if len(h.gone) == keepParted {
		h.forgotten = h.gone[keepParted/2-1].version
		h.gone = append(h.gone[:0], h.gone[keepParted/2:]...)
	}
	h.gone = append(h.gone, parted{h.version, id, world})
}

// Agent tells of a session's agent.
func (w *World) Agent(number uint32, change session.AgentChange) {
	if w == nil || change < session.AgentConnected || change > session.AgentGone {
		return
	}
	h := w.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.o.Now() // with the lock, so that times are in the order of what they are of
	c := w.character(number)
	if c == nil {
		return
	}
	h.version++
	c.version = h.version
	c.state = [...]state{session.AgentConnected: taken, session.AgentDetached: away, session.AgentResumed: taken, session.AgentGone: free}[change]
	h.lines.add(now, lineAgent, int32(change), w.id, c.id, "")
	if h.watching.Load() && (change == session.AgentConnected || change == session.AgentGone) {
		h.pending.ended(now.UnixMicro(), c)
	}
}

// character finds one by its session's number: 0 is the bridge itself, which has none. One that nobody has told of gets a name from its number.
func (w *World) character(number uint32) *character {
	c := w.byNo[number]
	if c == nil && number != 0 && w.hub.worlds[w.id] == w {
		c = w.open(number, "session "+itoa(number))
	}
	return c
}

// In tells of a message from a session's agent, as it came: it may be anything. It is copied if anybody looks.
func (w *World) In(number uint32, tick uint64, text []byte) {
	if w != nil && w.hub.watching.Load() {
		w.message(number, true, tick, text)
	}
}

// Out tells of a message to a session's agent.
func (w *World) Out(number uint32, tick uint64, text []byte) {
	if w != nil && w.hub.watching.Load() {
		w.message(number, false, tick, text)
	}
}

func (w *World) message(number uint32, in bool, tick uint64, text []byte) {
	h := w.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.o.Now()
	c := w.character(number)
	if c == nil {
		return
	}
	if in {
		c.in++
		h.pending.in++
	} else {
		c.out++
		h.pending.out++
	}
	h.pending.add(&h.o, seen{at: now.UnixMicro(), char: c, in: in, tick: tick}, text)
}

// Fault tells what the host was told of a fault of its own.
func (w *World) Fault(number uint32, text string) { w.line(number, lineFault, 0, text) }

// Log tells of a line of the log.
func (w *World) Log(level session.Level, number uint32, text string) {
	w.line(number, lineLog, int32(level), text)
}

func (w *World) line(number uint32, kind lineKind, level int32, text string) {
	if w == nil {
		return
	}
	h := w.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.o.Now()
	char := uint32(0)
	if c := w.byNo[number]; c != nil {
		char = c.id
	}
	h.lines.add(now, kind, level, w.id, char, text)
}

// Tools gives a session's tools, each as it stands in a manifest, in its order. What manifests say later is learned from them.
func (w *World) Tools(number uint32, tools [][]byte) {
	if w == nil || !w.hub.watching.Load() {
		return
	}
	list := join(tools)
	w.hub.mu.Lock()
	defer w.hub.mu.Unlock()
	if c := w.character(number); c != nil {
		w.use(c, list)
	}
}
