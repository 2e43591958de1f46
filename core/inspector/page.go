package inspector

import (
	"cmp"
	"math"
	"slices"
	"time"

	"aicc.dev/libaicc/core/jsonwire"
)

const (
	window     = 4         // batches that may be on their way to a page; it acknowledges each
	batchBytes = 512 << 10 // of rows
	statsEvery = 250 * time.Millisecond
)

// page is one open page, with Hub.turns. What it has not had yet is found by versions and numbers, so it holds nothing of its own; what is gone
// before the page had room for it is counted.
type page struct {
	hub  *Hub
	send func([]byte) bool

	sent, acked uint64
	next        uint64 // row
	dropped     uint64
	version     uint64 // of the hub
	told        bool   // whether it has any list of characters
	lines       uint64
	hands       []uint32 // characters that it plays
	stats       uint64   // version of the feed
	statsAt     time.Time
	look        uint32 // whose tools it shows; 0: all
	tools       *toolset
	toolsOf     uint32
	used        uint64 // version of the feed
	buf         []byte
}

// greet says what the numbers count from, with turns.
func (p *page) greet() {
	h := p.hub
	p.next = h.feed.last + 1
	if len(h.feed.slabs) > 0 {
		p.next = h.feed.slabs[0].first
	}
	b := jsonwire.AppendInt([]byte(`{"t":"hello","since":`), h.feed.since.UnixMicro())
	b = jsonwire.AppendInt(append(b, `,"every":`...), h.o.Every.Milliseconds())
	b = jsonwire.AppendInt(append(b, `,"text":`...), int64(h.o.TextBytes))
	p.send(append(b, '}'))
}

// receive takes what a page says: {"ack":n}, {"look":character}, {"hands":[character...]}. Anything else is ignored: it is the run's token that lets a page speak here.
func (p *page) receive(text []byte) {
	var s jsonwire.Scanner
	if info, err := s.Check(text); err != nil || info.Kind != jsonwire.Object {
		return
	}
	number := func(name string) (uint64, bool) {
		v, ok := jsonwire.Lookup(text, name)
		if !ok || jsonwire.KindOf(v) != jsonwire.Number {
			return 0, false
		}
		n, err := jsonwire.ToUint64(v)
		return n, err == nil
	}
	world := uint32(0)
	p.hub.turns.Lock()
	if n, ok := number("ack"); ok && n <= p.sent {
		p.acked = max(p.acked, n)
	}
	if n, ok := number("look"); ok && n <= 1<<32-1 {
		p.look, p.tools, p.toolsOf, p.used, p.statsAt = uint32(n), nil, 0, 0, time.Time{}
		p.hub.mu.Lock()
		if c := p.hub.chars[p.look]; c != nil {
			world = c.world.id
		}
		p.hub.mu.Unlock()
	}
	if list, ok := jsonwire.Lookup(text, "hands"); ok && jsonwire.KindOf(list) == jsonwire.Array {
		p.hub.mu.Lock()
		p.play(numbers(list))
		p.hub.mu.Unlock()
	}
	p.hub.turns.Unlock()
	if world != 0 {
		p.hub.refresh(world)
	}
}

const maxHands = 256 // of one page

// numbers reads an array of characters.
func numbers(list []byte) (out []uint32) {
	for e := jsonwire.ArrayElements(list); len(out) < maxHands; {
		v, ok := e.Next()
		if !ok {
			break
		}
		if n, err := jsonwire.ToUint64(v); jsonwire.KindOf(v) == jsonwire.Number && err == nil && n <= math.MaxUint32 {
			out = append(out, uint32(n))
		}
	}
	return out
}

// play notes which characters the page plays, so that other pages can tell who it is that has them; with both locks.
func (p *page) play(list []uint32) {
	h := p.hub
	count := func(ids []uint32, by int) {
		for _, id := range ids {
			if c := h.chars[id]; c != nil {
				h.version++
				c.hands, c.version = max(0, c.hands+by), h.version
			}
		}
	}
	count(p.hands, -1)
	count(list, 1)
	p.hands = list
}

// feed sends one batch, if there is anything to say and room for it; false: the page is gone.
func (p *page) feed(now time.Time) bool {
	f := &p.hub.feed
	stats := now.Sub(p.statsAt) >= statsEvery
	if p.sent-p.acked >= window || !stats && p.next > f.last {
		return true
	}
	p.sent++
	b := jsonwire.AppendUint(append(p.buf[:0], `{"t":"batch","n":`...), p.sent)
	b = jsonwire.AppendInt(append(b, `,"now":`...), now.UnixMicro())
	b = append(b, `,"counts":[`...)
	for i, n := range f.counts {
		b = jsonwire.AppendUint(comma(b, i), n)
	}
	b = append(b, ']')
	b = appendMembers(b, "failed", f.failed)
	b = appendMembers(b, "in", f.in)
	b = appendMembers(b, "out", f.out)
	b = appendMembers(b, "lost", f.lost)
	b = p.characters(b)
	if stats {
		p.statsAt = now
		b = p.tallies(b)
		b = p.uses(b)
	}
	b = append(b, `,"rows":[`...)
	var missed uint64
	var until int64
	b, p.next, missed, until = f.rows(b, p.next, batchBytes)
	p.dropped += missed
	b = appendMembers(append(b, ']'), "dropped", p.dropped)
	b = p.logged(b, until)
	b = append(b, '}')
	if p.buf = b; cap(b) > 2*batchBytes {
		p.buf = nil
	}
	return p.send(b)
}

// characters appends worlds, characters and the tools that are looked at, as far as they are news.
func (p *page) characters(b []byte) []byte {
	h := p.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.version < h.version || !p.told {
		afresh := !p.told || p.version < h.forgotten
		if afresh {
			p.version = 0
			b = append(b, `,"afresh":true`...)
		}
		b = append(b, `,"worlds":[`...)
		n := 0
		for _, w := range sorted(h.worlds, func(w *World) bool { return w.version > p.version }) {
			b = jsonwire.AppendUint(append(comma(b, n), '['), uint64(w.id))
			b, _ = jsonwire.AppendString(append(b, ','), w.name)
			b = append(b, ']')
			n++
		}
		b = append(b, `],"chars":[`...)
		n = 0
		for _, c := range sorted(h.chars, func(c *character) bool { return c.version > p.version }) {
			b = jsonwire.AppendUint(append(comma(b, n), '['), uint64(c.id))
			b = jsonwire.AppendUint(append(b, ','), uint64(c.world.id))
			b, _ = jsonwire.AppendString(append(b, ','), c.name)
			b = jsonwire.AppendUint(append(b, ','), uint64(c.state))
			b = jsonwire.AppendUint(append(b, ','), uint64(c.hands))
			b = append(b, ']')
			n++
		}
		b = append(b, `],"gone":[`...)
		n = 0
		for i := range h.gone {
			if g := &h.gone[i]; g.version > p.version && !afresh && !g.world {
				b = jsonwire.AppendUint(comma(b, n), uint64(g.id))
				n++
			}
		}
		b = append(b, `],"ended":[`...)
		n = 0
		for i := range h.gone {
			if g := &h.gone[i]; g.version > p.version && !afresh && g.world {
				b = jsonwire.AppendUint(comma(b, n), uint64(g.id))
				n++
			}
		}
		b = append(b, ']')
		p.version, p.told = h.version, true
	}
	if c := h.chars[p.look]; c != nil && c.tools != nil && (p.tools != c.tools || p.toolsOf != c.id) {
		p.tools, p.toolsOf = c.tools, c.id
		b = appendMembers(b, "toolsOf", uint64(c.id))
		b = append(append(b, `,"tools":`...), c.tools.json...)
	}
	return b
}

// logged appends lines, none that is later than a row which is still to be sent: so the page has both in one order.
func (p *page) logged(b []byte, until int64) []byte {
	h := p.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if p.lines >= h.feed.lines {
		return b
	}
	b = append(b, `,"lines":[`...)
	n := 0
	p.lines = h.lines.since(p.lines, h.feed.lines, until, func(l *line) {
		b = p.line(comma(b, n), l)
		n++
	})
	return append(b, ']')
}

func (p *page) line(b []byte, l *line) []byte {
	b = jsonwire.AppendUint(append(b, '['), l.no)
	b = jsonwire.AppendInt(append(b, ','), l.at)
	b = jsonwire.AppendUint(append(b, ','), uint64(l.kind))
	b = jsonwire.AppendInt(append(b, ','), int64(l.level))
	b = jsonwire.AppendUint(append(b, ','), uint64(l.world))
	b = jsonwire.AppendUint(append(b, ','), uint64(l.char))
	p.hub.feed.scratch = appendRedacted(p.hub.feed.scratch[:0], l.text, true)
	b, _ = jsonwire.AppendString(append(b, ','), p.hub.feed.scratch)
	return append(b, ']')
}

// tallies appends the counts of characters that have changed.
func (p *page) tallies(b []byte) []byte {
	f := &p.hub.feed
	p.hub.mu.Lock()
	defer p.hub.mu.Unlock()
	b = append(b, `,"stats":[`...)
	n := 0
	for id, t := range f.tallies {
		c := p.hub.chars[id]
		if t.version <= p.stats || c == nil {
			continue
		}
		b = jsonwire.AppendUint(append(comma(b, n), '['), uint64(id))
		for _, v := range [...]uint64{c.in, c.out, t.events, t.calls, uint64(len(t.inFlight)), t.faults} {
			b = jsonwire.AppendUint(append(b, ','), v)
		}
		b = append(b, ']')
		n++
	}
	p.stats = f.version
	return append(b, ']')
}

// uses appends the counts of the tools that the page shows.
func (p *page) uses(b []byte) []byte {
	f := &p.hub.feed
	t := f.all
	if p.look != 0 {
		t = f.tallies[p.look]
	}
	if t == nil || t.version <= p.used {
		return b
	}
	p.used = f.version
	b = appendMembers(b, "usesOf", uint64(p.look))
	b = append(b, `,"uses":[`...)
	for i, u := range t.order {
		b, _ = jsonwire.AppendString(append(comma(b, i), '['), u.name)
		p50, p95 := int64(-1), int64(-1)
		if u.took != nil {
			p50, p95 = u.took.Quantile(0.50)/1000, u.took.Quantile(0.95)/1000
		}
		for _, v := range [...]int64{int64(u.calls), int64(u.ok), int64(u.failed), int64(u.inFlight), p50, p95, u.last, int64(u.lastCode)} {
			b = jsonwire.AppendInt(append(b, ','), v)
		}
		b = append(b, ']')
	}
	return append(b, ']')
}

func comma(b []byte, n int) []byte {
	if n > 0 {
		b = append(b, ',')
	}
	return b
}

// sorted lists those that are wanted by their ids, which is the order in which they came to be.
func sorted[T any](m map[uint32]T, want func(T) bool) []T {
	type pair struct {
		id uint32
		v  T
	}
	var list []pair
	for id, v := range m {
		if want(v) {
			list = append(list, pair{id, v})
		}
	}
	slices.SortFunc(list, func(a, b pair) int { return cmp.Compare(a.id, b.id) })
	out := make([]T, len(list))
	for i := range list {
		out[i] = list[i].v
	}
	return out
}
