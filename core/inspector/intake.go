package inspector

import (
	"crypto/sha256"
	"strconv"
	"time"

	"aicc.dev/libaicc/core/jsonwire"
)

// intake is what came since the last turn: the bridges' side only copies, all the reading is done on the hub's own goroutine.
type intake struct {
	list    []seen
	text    []byte
	in, out uint64 // all messages, those that are lost included
	lost    uint64 // for which there was no room
}

// seen is one message as it went by.
type seen struct {
	at   int64 // in microseconds
	char *character
	in   bool
	over bool // no message: its agent is gone, or another one has come
	tick uint64
	size int // of the whole; what of it was kept is in intake.text, up to end
	end  int
}

const (
	maxPending = 1 << 16
	// keepIntake is how much memory of a burst is kept for the next turn.
	keepIntake = 1 << 20
)

func (p *intake) add(o *Options, s seen, text []byte) {
	if len(p.list) >= maxPending || len(p.text)+len(text) > o.PendingBytes {
		p.lost++
		return
	}
	p.text = append(p.text, text...)
	s.size, s.end = len(text), len(p.text)
	p.list = append(p.list, s)
}

// ended notes where among the messages a character's agent has changed.
func (p *intake) ended(at int64, c *character) {
	if len(p.list) < 2*maxPending {
		p.list = append(p.list, seen{at: at, char: c, over: true, end: len(p.text)})
	}
}

func (p *intake) reset() {
	clear(p.list)
	*p = intake{list: p.list[:0], text: p.text[:0]}
	if cap(p.text) > keepIntake {
		p.text = nil
	}
	if cap(p.list) > keepIntake/64 {
		p.list = nil
	}
}

// lineKind is what a line is about; the page knows them by these numbers.
type lineKind uint8

const (
	lineLog   lineKind = iota + 1 // level: session.Level
	lineFault                     // of the host
	lineAgent                     // level: session.AgentChange
)

const (
	keepLines = 256
	maxLine   = 1024
	maxName   = 256
)

type line struct {
	no    uint64
	at    int64 // in microseconds
	kind  lineKind
	level int32
	world uint32
	char  uint32 // 0: none
	text  []byte
}

// lineRing keeps the last lines. They are few beside messages, and what led to a fault is wanted by a page that is opened because of it: so they
// are kept whether anybody looks or not, in memory that is used again.
type lineRing struct {
	last uint64
	ring [keepLines]line
}

func (r *lineRing) add(now time.Time, kind lineKind, level int32, world, char uint32, text string) {
	r.last++
	l := &r.ring[r.last%keepLines]
	*l = line{no: r.last, at: now.UnixMicro(), kind: kind, level: level, world: world, char: char, text: append(l.text[:0], cut(text, maxLine)...)}
}

// since calls f with each line that is newer than no and still there, up to number last and not later than until. It gives the last one's number.
func (r *lineRing) since(no, last uint64, until int64, f func(*line)) uint64 {
	if r.last > keepLines {
		no = max(no, r.last-keepLines)
	}
	for ; no < last && r.ring[(no+1)%keepLines].at <= until; no++ {
		f(&r.ring[(no+1)%keepLines])
	}
	return no
}

// toolset is the tools of one or many characters: the array as it stands in a manifest. It does not change.
type toolset struct{ json []byte }

// join makes the array of tools of its elements; what is no JSON object is left out.
func join(tools [][]byte) []byte {
	var s jsonwire.Scanner
	b := []byte{'['}
	for _, t := range tools {
		if info, err := s.Check(t); err != nil || info.Kind != jsonwire.Object {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(b, t...)
	}
	return append(b, ']')
}

const maxSets = 64 // that a world remembers to share

// use gives a character its tools, which others of the world may have too; with hub.mu. list is kept.
func (w *World) use(c *character, list []byte) {
	sum := sha256.Sum256(list)
	t := w.sets[sum]
	if t == nil {
		if len(w.sets) >= maxSets {
			clear(w.sets)
		}
		t = &toolset{list}
		w.sets[sum] = t
	}
	if c.tools != t {
		w.hub.version++
		c.tools, c.version = t, w.hub.version
	}
}

func short(name string) string { return cut(name, maxName) }

// cut shortens a text to whole characters.
func cut[S ~string | ~[]byte](s S, n int) S {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

func itoa(n uint32) string { return strconv.FormatUint(uint64(n), 10) }
