package jsonwire

import "hash/maphash"

// A name is a member's name as it stands in the text, with its quotes.
type name struct {
	start, end int32
	escaped    bool
}

func (s *Scanner) sameName(a, b name) bool {
	x, y := s.src[a.start:a.end], s.src[b.start:b.end]
	if a.escaped || b.escaped {
		return compareText(x, y) == 0
	}
	return string(x) == string(y)
}

// fewNames is up to how many names an object compares each with each; beyond, it uses the set.
const fewNames = 8

// add notes a member's name; false when its object already has it.
func (s *Scanner) add(l *level, n name) bool {
	own := s.names[l.base:]
	switch {
	case len(own) < fewNames:
		for _, o := range own {
			if s.sameName(o, n) {
				return false
			}
		}
	case len(own) == fewNames:
		for _, o := range own {
			s.set.add(s, l.id, o)
		}
		fallthrough
	default:
		if !s.set.add(s, l.id, n) {
			return false
		}
	}
	s.names = append(s.names, n)
	return true
}

// Above these sizes what one text has made grow is given back after it.
const (
	keepNames = 1 << 13
	keepSlots = 1 << 14
)

// nameSet holds the names of all large objects of one text, by open addressing. The hash has a
// random seed, so nobody can choose names that collide; no answer depends on it.
type nameSet struct {
	slots   []slot
	used    int
	epoch   uint32 // slots of other epochs are free
	seed    maphash.Seed
	scratch []byte
}

type slot struct {
	hash   uint64
	epoch  uint32
	object uint32
	name   name
}

func (t *nameSet) reset() {
	t.used = 0
	if t.epoch++; t.epoch == 0 || len(t.slots) > keepSlots {
		t.slots, t.epoch = nil, 1
	}
}

func (t *nameSet) add(s *Scanner, object uint32, n name) bool {
	if t.used*2 >= len(t.slots) {
		t.grow()
	}
	text := s.src[n.start+1 : n.end-1]
	if n.escaped {
		t.scratch, _ = AppendUnquoted(t.scratch[:0], s.src[n.start:n.end])
		text = t.scratch
	}
	h := maphash.Bytes(t.seed, text) + uint64(object)*0x9E3779B97F4A7C15
	for at := h; ; at++ {
		p := &t.slots[at&uint64(len(t.slots)-1)]
		if p.epoch != t.epoch {
			*p = slot{hash: h, epoch: t.epoch, object: object, name: n}
			t.used++
			return true
		}
		if p.hash == h && p.object == object && s.sameName(p.name, n) {
			return false
		}
	}
}

func (t *nameSet) grow() {
	if t.slots == nil {
		t.seed = maphash.MakeSeed()
	}
	old := t.slots
	t.slots = make([]slot, max(64, 2*len(old)))
	for _, o := range old {
		if o.epoch != t.epoch {
			continue
		}
		at := o.hash
		for t.slots[at&uint64(len(t.slots)-1)].epoch == t.epoch {
			at++
		}
		t.slots[at&uint64(len(t.slots)-1)] = o
	}
}
