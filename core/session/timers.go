package session

// timers is a heap of sessions by when they are due next, so that a step for one session does not look at the others.
type timers struct {
	which int
	heap  []*Session
}

// Each session stands in at most one place of each heap.
const (
	realTime = iota
	gameTime
	clocks
)

type alarm struct {
	at  int64
	pos int32 // in the heap, from 1; 0: not in it
}

func (t *timers) next() int64 {
	if len(t.heap) == 0 {
		return never
	}
	return t.heap[0].alarms[t.which].at
}

// due takes out a session whose time has come.
func (t *timers) due(now int64) *Session {
	if t.next() > now || len(t.heap) == 0 {
		return nil
	}
	s := t.heap[0]
	t.set(s, never)
	return s
}

// set says when s is due; never takes it out.
func (t *timers) set(s *Session, at int64) {
	a := &s.alarms[t.which]
	i := int(a.pos) - 1
	switch {
	case at == never && i < 0:
		return
	case at == never:
		last := len(t.heap) - 1
		moved := t.heap[last]
		t.heap[last] = nil
		t.heap = t.heap[:last]
		a.pos = 0
		if moved != s {
			t.put(moved, i)
			t.fix(i)
		}
		return
	case i < 0:
		i = len(t.heap)
		t.heap = append(t.heap, s)
		a.pos = int32(i) + 1
	case a.at == at:
		return
	}
	a.at = at
	t.fix(i)
}

// sooner is set, for a time that can only come nearer.
func (t *timers) sooner(s *Session, at int64) {
	if a := &s.alarms[t.which]; a.pos == 0 || at < a.at {
		t.set(s, at)
	}
}

func (t *timers) put(s *Session, i int) {
	t.heap[i] = s
	s.alarms[t.which].pos = int32(i) + 1
}

// before orders by time, then by number, so that the order does not depend on history.
func (t *timers) before(i, j int) bool {
	a, b := t.heap[i], t.heap[j]
	x, y := a.alarms[t.which].at, b.alarms[t.which].at
	return x < y || x == y && a.number < b.number
}

func (t *timers) swap(i, j int) {
	a, b := t.heap[i], t.heap[j]
	t.put(a, j)
	t.put(b, i)
}

func (t *timers) fix(i int) {
	for i > 0 && t.before(i, (i-1)/2) {
		t.swap(i, (i-1)/2)
		i = (i - 1) / 2
	}
	for {
		child := 2*i + 1
		if child >= len(t.heap) {
			return
		}
		if child+1 < len(t.heap) && t.before(child+1, child) {
			child++
		}
		if !t.before(child, i) {
			return
		}
		t.swap(i, child)
		i = child
	}
}
