package inspector

import (
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"time"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// feed is what the hub makes of what came, and the pages that get it; all with Hub.turns.
type feed struct {
	pages   map[*page]struct{}
	since   time.Time // that counting goes on
	lonely  time.Time // since when there is no page
	version uint64    // of the tallies: the turn's number
	counts  [message.TypeCount + 1]uint64
	failed  uint64 // results that say so
	in, out uint64
	lost    uint64

	all        *tally
	tallies    map[uint32]*tally
	histograms int
	hub        uint64 // the version of the hub's characters that tallies reflect

	lines uint64 // number of the newest line when the last turn's messages were taken: what is newer waits for the messages beside it
	slabs []slab
	last  uint64 // number of the newest row; they count from 1
	bytes int    // of all slabs

	message message.Message
	learned []learned
	spare   intake
	scratch []byte
}

// slab is the rows of one turn, ready to be sent: the newest ones of them are what a page's queue is, so all queues together have one bound.
type slab struct {
	first uint64
	ends  []int // of each row in text, which has commas between
	at    []int64
	text  []byte
}

type learned struct {
	char *character
	list []byte
}

// start begins a new count: nothing is known of what went by while nobody looked.
func (f *feed) start(now time.Time) {
	*f = feed{pages: f.pages, since: now, all: newTally(0), tallies: map[uint32]*tally{}, last: f.last, version: f.version, spare: f.spare}
	if f.pages == nil {
		f.pages = map[*page]struct{}{}
	}
}

// Watch feeds a page through send until leave is called, which must be; receive takes what the page says. send is called by one goroutine at a
// time and must not wait; it is false once the page is gone.
func (h *Hub) Watch(send func(message []byte) bool) (receive func(message []byte), leave func()) {
	p := &page{hub: h, send: send}
	h.turns.Lock()
	if h.closed {
		h.turns.Unlock()
		return func([]byte) {}, func() {}
	}
	if h.cancel == nil {
		h.begin()
	}
	h.feed.pages[p] = struct{}{}
	p.greet()
	h.turns.Unlock()
	h.refresh(0)
	return p.receive, func() {
		h.turns.Lock()
		defer h.turns.Unlock()
		h.feed.remove(p, h.o.Now())
	}
}

func (f *feed) remove(p *page, now time.Time) {
	delete(f.pages, p)
	p.hub.mu.Lock()
	p.play(nil)
	p.hub.mu.Unlock()
	if len(f.pages) == 0 {
		f.lonely = now
	}
}

// begin starts the goroutine, with turns.
func (h *Hub) begin() {
	h.feed.start(h.o.Now())
	h.mu.Lock()
	h.pending.reset()
	for _, c := range h.chars {
		c.in, c.out = 0, 0
	}
	h.mu.Unlock()
	h.watching.Store(true)
	stop := make(chan struct{})
	h.cancel = func() { close(stop) }
	h.done.Go(func() {
		defer h.caught()
		t := time.NewTicker(h.o.Every)
		defer t.Stop()
		for {
			select {
			case <-stop:
				return
			case <-t.C:
			}
			if !h.turn() {
				return
			}
		}
	})
}

// caught is deferred: a fault of ours must cost the inspector and not the game.
func (h *Hub) caught() {
	p := recover()
	if p == nil {
		return
	}
	h.o.Log(fmt.Sprintf("internal fault, the inspector stops: %v; %.1200s", p, debug.Stack()))
	h.turns.Lock()
	defer h.turns.Unlock()
	for p := range h.feed.pages {
		p.send([]byte(`{"t":"over","why":"the inspector has stopped after an internal fault: the game's log says more"}`))
	}
	clear(h.feed.pages)
	if h.closed = true; h.cancel != nil {
		h.end()
	}
}

// end lets go of all that was kept for pages, with turns.
func (h *Hub) end() {
	h.watching.Store(false)
	h.cancel()
	h.cancel = nil
	h.feed.start(time.Time{})
	h.mu.Lock()
	h.pending.reset()
	for _, c := range h.chars {
		c.tools = nil
	}
	for _, w := range h.worlds {
		clear(w.sets)
	}
	h.mu.Unlock()
}

// Close ends it: pages get nothing any more. What bridges tell is ignored.
func (h *Hub) Close() {
	if h == nil {
		return
	}
	h.turns.Lock()
	if h.closed = true; h.cancel != nil {
		h.end()
	}
	clear(h.feed.pages)
	h.turns.Unlock()
	h.done.Wait()
}

// refresh asks worlds for their tools; 0: all.
func (h *Hub) refresh(world uint32) {
	var list []func()
	h.mu.Lock()
	for _, w := range h.worlds {
		if w.refresh != nil && (world == 0 || w.id == world) {
			list = append(list, w.refresh)
		}
	}
	h.mu.Unlock()
	for _, f := range list {
		f()
	}
}

// turn makes rows of what came and sends each page what it has room for. false: nobody has looked for long enough.
func (h *Hub) turn() bool {
	h.turns.Lock()
	defer h.turns.Unlock()
	f := &h.feed
	now := h.o.Now()
	if h.cancel == nil {
		return false
	}
	if len(f.pages) == 0 && now.Sub(f.lonely) >= h.o.Linger {
		h.end()
		return false
	}
	h.mu.Lock()
	f.spare, h.pending = h.pending, f.spare
	f.lines = h.lines.last
	h.mu.Unlock()
	f.version++
	f.in, f.out, f.lost = f.in+f.spare.in, f.out+f.spare.out, f.lost+f.spare.lost
	f.take(&h.o)
	f.spare.reset()
	h.settle()
	for p := range f.pages {
		if !p.feed(now) {
			f.remove(p, now)
		}
	}
	return true
}

// take makes a slab of what came.
func (f *feed) take(o *Options) {
	if len(f.spare.list) == 0 {
		return
	}
	s := slab{first: f.last + 1, ends: make([]int, 0, len(f.spare.list))}
	from := 0
	for i := range f.spare.list {
		came := &f.spare.list[i]
		text := f.spare.text[from:came.end]
		from = came.end
		if came.over {
			if t := f.tallies[came.char.id]; t != nil {
				f.ended(t)
			}
			continue
		}
		r := f.digest(came, text)
		if len(s.text) > 0 {
			s.text = append(s.text, ',')
		}
		f.last++
		s.text = appendRow(s.text, f.last, came, &r, text, o.TextBytes, &f.scratch, f.message.SessionID, f.tallies[came.char.id].session)
		s.ends, s.at = append(s.ends, len(s.text)), append(s.at, came.at)
		if len(s.text) > o.KeepBytes/8 { // so that what is kept can be let go of in parts
			f.keep(o, s)
			s = slab{first: f.last + 1}
		}
	}
	if len(s.ends) > 0 {
		f.keep(o, s)
	}
	if cap(f.scratch) > keepIntake {
		f.scratch = nil
	}
}

func (f *feed) keep(o *Options, s slab) {
	f.slabs = append(f.slabs, s)
	f.bytes += len(s.text)
	drop := 0
	for rows := f.last - f.slabs[0].first + 1; drop < len(f.slabs)-1 && (f.bytes > o.KeepBytes || rows > uint64(o.KeepMessages)); drop++ {
		f.bytes -= len(f.slabs[drop].text)
		rows -= uint64(len(f.slabs[drop].ends))
	}
	f.slabs = slices.Delete(f.slabs, 0, drop)
}

// settle gives characters the tools that manifests told of, and forgets what was counted of those that are gone.
func (h *Hub) settle() {
	f := &h.feed
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, l := range f.learned {
		if h.chars[l.char.id] == l.char {
			l.char.world.use(l.char, l.list)
		}
	}
	clear(f.learned)
	f.learned = f.learned[:0]
	if f.hub == h.version {
		return
	}
	f.hub = h.version
	for id, t := range f.tallies {
		if h.chars[id] == nil {
			f.drop(t)
		}
	}
}

// rows appends rows from number next on, up to a bound of bytes. It gives the number after the last, how many were no longer there, and the time
// up to which nothing is left to send.
func (f *feed) rows(dst []byte, next uint64, most int) (out []byte, after, missed uint64, until int64) {
	began := len(dst)
	for i := range f.slabs {
		s := &f.slabs[i]
		if next < s.first {
			missed += s.first - next
			next = s.first
		}
		at := int(next - s.first)
		if at >= len(s.ends) {
			continue
		}
		from := 0
		if at > 0 {
			from = s.ends[at-1] + 1
		}
		to := at
		for to < len(s.ends) && (s.ends[to]-from+len(dst)-began <= most || to == at && len(dst) == began) {
			to++
		}
		if to == at {
			return dst, next, missed, until
		}
		if len(dst) > began {
			dst = append(dst, ',')
		}
		dst = append(dst, s.text[from:s.ends[to-1]]...)
		next, until = s.first+uint64(to), s.at[to-1]
		if to < len(s.ends) {
			return dst, next, missed, until
		}
	}
	return dst, next, missed, math.MaxInt64
}

func appendMembers(dst []byte, name string, n uint64) []byte {
	return jsonwire.AppendUint(append(append(append(dst, `,"`...), name...), `":`...), n)
}
