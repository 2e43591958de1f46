package mcp

import (
	"slices"
	"sync"
	"time"

	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// entry is one thing that happened, as JSON for clients.
type entry struct {
	seq   uint64
	topic string
	text  []byte
}

// Bounds on what is kept.
const (
	maxEntries = 256
	maxKept    = 1 << 20 // bytes
)

// feed is what happened lately: a log of all but ticks, and the latest of each topic. A tick is state: the newest counts, and a log of them
// would be of nothing else.
type feed struct {
	mark func(uri string)

	mu     sync.Mutex
	seq    uint64
	kept   int
	log    []entry
	latest map[string][]byte
	ticks  uint64
	more   chan struct{} // closed when anything comes
}

func newFeed(mark func(string)) *feed {
	return &feed{mark: mark, latest: map[string][]byte{}, more: make(chan struct{})}
}

// add takes an event of the game.
func (f *feed) add(e *agent.Event) {
	topic := e.Topic.String()
	f.mu.Lock()
	seq := uint64(0)
	if e.Topic != message.TopicTick {
		f.seq++
		seq = f.seq
	}
	text := record(seq, topic, &e.Meta, e.Payload)
	f.latest[topic] = text
	if seq > 0 {
		f.keep(entry{seq, topic, text})
	} else {
		f.ticks++
	}
	f.wake()
	f.mu.Unlock()
	f.mark(latestURI + topic)
	if seq > 0 {
		f.mark(eventsURI)
	}
}

// note logs what this program has seen itself.
func (f *feed) note(topic, payload string) {
	f.mu.Lock()
	f.seq++
	f.keep(entry{f.seq, topic, record(f.seq, topic, &message.Meta{NoTick: true, LatencyMS: -1}, []byte(payload))})
	f.wake()
	f.mu.Unlock()
	f.mark(eventsURI)
}

func (f *feed) keep(e entry) {
	f.log = append(f.log, e)
	f.kept += len(e.text)
	drop := 0
	for len(f.log)-drop > maxEntries || f.kept > maxKept && len(f.log)-drop > 1 {
		f.kept -= len(f.log[drop].text)
		drop++
	}
	f.log = slices.Delete(f.log, 0, drop)
}

func (f *feed) wake() {
	close(f.more)
	f.more = make(chan struct{})
}

// record writes an entry. seq 0 is left out.
func record(seq uint64, topic string, m *message.Meta, payload []byte) []byte {
	b := []byte{'{'}
	if seq > 0 {
		b = append(jsonwire.AppendUint(append(b, `"seq":`...), seq), ',')
	}
	b, _ = jsonwire.AppendString(append(b, `"topic":`...), topic)
	if !m.NoTick {
		b = jsonwire.AppendUint(append(b, `,"tick":`...), m.Tick)
	}
	b, _ = jsonwire.AppendString(append(b, `,"time":`...), time.Now().UTC().Format("2006-01-02T15:04:05.000Z"))
	b = append(append(b, `,"payload":`...), jsonwire.AppendCompact(nil, payload)...)
	jsonwire.MendSurrogates(b) // one of them would be the end of a whole conversation
	return append(b, '}')
}

// last is the number of the newest entry, and of the newest tick.
func (f *feed) last() (seq, ticks uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seq, f.ticks
}

// slice is a part of the log.
type slice struct {
	entries []entry
	last    uint64 // the newest that was looked at: continue behind it
	lost    uint64 // of those asked for, how many are kept no more
	left    bool   // there is more than fits
	ticks   uint64
	more    <-chan struct{}
}

// after gives what came behind an entry, of some topics (nil: all), up to a number of entries and of bytes, but at least one.
func (f *feed) after(seq uint64, topics []string, most, bytes int) slice {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := slice{last: max(seq, f.seq), ticks: f.ticks, more: f.more}
	if seq > f.seq { // of another run of this program
		seq = 0
	}
	s.last = f.seq
	first := f.seq + 1
	if len(f.log) > 0 {
		first = f.log[0].seq
	}
	if first > seq+1 {
		s.lost = first - seq - 1
	}
	for _, e := range f.log {
		if e.seq <= seq || topics != nil && !slices.Contains(topics, e.topic) {
			continue
		}
		if bytes -= len(e.text); len(s.entries) > 0 && (len(s.entries) == most || bytes < 0) {
			s.last, s.left = s.entries[len(s.entries)-1].seq, true
			break
		}
		s.entries = append(s.entries, e)
	}
	return s
}

// state is the latest event of a topic, nil when there was none.
func (f *feed) state(topic string) []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.latest[topic]
}
