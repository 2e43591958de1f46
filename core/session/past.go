package session

// kept is the result of a call that has ended.
type kept struct {
	seq     uint64
	id      digest // of the call id
	request digest // of tool and input
	text    []byte // the whole tool_result; its message id is replaced with each sending
	again   bool   // the same id is a new attempt: kept only until it has arrived
	waits   bool   // in the outbox
	arrived bool
	sent    uint32 // which message of its connection it was when it was last handed over; 0: never
}

// past is what a session remembers of calls that have ended: their ids, and the results of the last ones.
type past struct {
	known       known
	ring        []kept // by seq, its length a power of two
	first, next uint64
	bytes       int
	retries     int // how many are there whose id is a new attempt
}

// keepTextBytes is up to what size the text of a forgotten result serves the next one.
const keepTextBytes = 1 << 10

// at gives the kept result of this number, nil when it is gone.
func (p *past) at(seq uint64) *kept {
	if p == nil || seq < p.first || seq >= p.next {
		return nil
	}
	return &p.ring[seq&uint64(len(p.ring)-1)]
}

// find gives the result that answers a call id, nil when none does.
func (p *past) find(id digest) *kept {
	for seq := p.next; seq > p.first; seq-- {
		if k := p.at(seq - 1); k.id == id && !k.again {
			return k
		}
	}
	return nil
}

// add makes place for one more result; its text is empty. Results that were not handed over yet are never
// forgotten for it: pinned says that those that wait for a resume are such too.
func (p *past) add(id, request digest, again, pinned bool) *kept {
	for p.next-p.first >= maxKept && p.forget(pinned) {
	}
	if n := uint64(len(p.ring)); p.next-p.first == n {
		grown := make([]kept, max(8, 2*n))
		for seq := p.first; seq < p.next; seq++ {
			grown[seq&uint64(len(grown)-1)] = *p.at(seq)
		}
		p.ring = grown
	}
	p.next++
	k := p.at(p.next - 1)
	*k = kept{seq: p.next - 1, id: id, request: request, again: again, text: k.text[:0]}
	if again {
		p.retries++
	} else {
		p.known.add(id)
	}
	return k
}

// account counts the text of the last result, and forgets old ones beyond the bound.
func (p *past) account(k *kept, pinned bool) {
	p.bytes += len(k.text)
	for p.bytes > maxKeptBytes && p.first < k.seq && p.forget(pinned) {
	}
}

func (p *past) forget(pinned bool) bool {
	k := p.at(p.first)
	if k.waits || pinned && !k.arrived && k.sent == 0 {
		return false
	}
	p.bytes -= len(k.text)
	if k.again {
		p.retries--
	}
	if cap(k.text) > keepTextBytes {
		k.text = nil
	}
	p.first++
	return true
}

// retry forgets the results of an id that is attempted anew.
func (p *past) retry(id digest) {
	if p.retries == 0 {
		return
	}
	for seq := p.first; seq < p.next; seq++ {
		if k := p.at(seq); k.again && k.id == id {
			k.arrived = true
		}
	}
}

// arrive notes that all messages of a connection up to this one have arrived.
func (p *past) arrive(count uint32) {
	for seq := p.first; seq < p.next; seq++ {
		if k := p.at(seq); k.sent != 0 && k.sent <= count {
			k.arrived = true
		}
	}
}

// detach makes what was handed over count as sent, whichever message it was: counts begin anew.
func (p *past) detach() {
	for seq := p.first; seq < p.next; seq++ {
		if k := p.at(seq); k.sent != 0 {
			k.sent = lastMessage
		}
	}
}

const lastMessage = 1<<32 - 1

// known is the last call ids, as digests: a ring, and a table with open addressing that finds them.
type known struct {
	ring  []digest
	from  int      // of the oldest once the ring is full
	table []uint16 // places in ring, from 1
}

func (k *known) slot(d digest) int {
	mask := len(k.table) - 1
	for i := int(d[0]) & mask; ; i = (i + 1) & mask {
		if at := k.table[i]; at == 0 || k.ring[at-1] == d {
			return i
		}
	}
}

func (k *known) has(d digest) bool { return len(k.table) > 0 && k.table[k.slot(d)] != 0 }

func (k *known) add(d digest) {
	if k.has(d) {
		return
	}
	at := len(k.ring)
	if at < maxKnown {
		k.ring = append(k.ring, d)
		if 2*len(k.ring) > len(k.table) {
			k.table = make([]uint16, max(32, 2*len(k.table)))
			for i := range at {
				k.table[k.slot(k.ring[i])] = uint16(i + 1)
			}
		}
	} else {
		at = k.from
		k.from = (k.from + 1) % maxKnown
		k.remove(k.slot(k.ring[at]))
		k.ring[at] = d
	}
	k.table[k.slot(d)] = uint16(at + 1)
}

// remove empties a place of the table and moves up those behind it that belong before.
func (k *known) remove(i int) {
	mask := len(k.table) - 1
	k.table[i] = 0
	for j := (i + 1) & mask; k.table[j] != 0; j = (j + 1) & mask {
		home := int(k.ring[k.table[j]-1][0]) & mask
		if (j-home)&mask >= (j-i)&mask {
			k.table[i], k.table[j] = k.table[j], 0
			i = j
		}
	}
}
