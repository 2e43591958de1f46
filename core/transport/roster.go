package transport

import (
	"container/list"
	"net/http"
	"sync"

	"aicc.dev/libaicc/core/message"
)

// Wire is the way into one bridge's mailbox. Each method leaves a record there and returns; none waits for the bridge, so that a roster may
// be locked around them. A connection is named by its epoch, which Attach gives; with an older one the others do nothing.
type Wire interface {
	// Attach seats the agent of a new connection. 0: the session is closed, or there is no room for the record.
	Attach(session uint32, how How, want Ask) (epoch uint64)
	Begin(session uint32, epoch uint64)
	Receive(session uint32, epoch uint64, m []byte) bool
	Arrived(session uint32, epoch uint64, count uint32)
	Leave(session uint32, epoch uint64)
}

// How an agent is seated.
type How struct {
	Replace bool // in the place of one that is there
	Wait    bool // say nothing before it has sent session_resume, or Begin was called
}

// Roster is one bridge's side of a listener: who sits where. The bridge says what becomes of its sessions, the listener seats agents.
type Roster struct {
	name string
	wire Wire

	mu      sync.Mutex
	ended   bool
	seats   *list.List // of *place, in the order in which they were opened
	numbers map[uint32]*list.Element
	names   map[string]*list.Element
}

// place is one session.
type place struct {
	name   string
	number uint32
	epoch  uint64     // of the last connection
	conn   Conn       // nil: none
	spoken bool       // something was said on it
	valid  bool       // its protocol session may be resumed, or is in use
	said   bool       // its agent has said something in it: one that has not, and may never have heard its id, leaves nothing to come back to
	id     message.ID // of that
}

func (p *place) state() State {
	switch {
	case p.conn != nil:
		return Taken
	case p.valid && p.said:
		return Away
	}
	return Free
}

// NewRoster makes one for a bridge without sessions.
func NewRoster(world string, w Wire) *Roster {
	return &Roster{name: world, wire: w, seats: list.New(), numbers: map[uint32]*list.Element{}, names: map[string]*list.Element{}}
}

// The bridge's side.

// Open says that there is a session.
func (r *Roster) Open(session uint32, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.seats.PushBack(&place{name: name, number: session})
	r.numbers[session], r.names[name] = e, e
}

// Closed says that there is no longer.
func (r *Roster) Closed(session uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.numbers[session]
	if e == nil {
		return
	}
	p := e.Value.(*place)
	if p.conn != nil {
		p.conn.Close(CloseOver, "the character is gone: ask for another one")
		p.conn = nil
	}
	r.seats.Remove(e)
	delete(r.numbers, session)
	if r.names[p.name] == e {
		delete(r.names, p.name)
	}
}

// Agent says whether somebody may sit, or come back, under the protocol session that was announced last.
func (r *Roster) Agent(session uint32, gone bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.place(session); p != nil {
		p.valid = !gone
		p.said = p.said && p.valid
	}
}

// Message sends what the bridge says on a connection.
func (r *Roster) Message(session uint32, epoch uint64, m []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.place(session)
	if p == nil {
		return
	}
	if id, ok := SessionOf(m); ok {
		p.id = id
	}
	if p.conn != nil && p.epoch == epoch {
		p.spoken = true
		p.conn.Send(m) // where it cannot, the listener ends the connection
	}
}

// Detached says that the bridge has let a connection go.
func (r *Roster) Detached(session uint32, epoch uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.place(session)
	if p == nil || p.epoch != epoch || p.conn == nil {
		return // replaced, and told so
	}
	if p.spoken {
		p.conn.Close(CloseOver, "the session is over; if no session_close came before this, connect again and send session_resume")
	} else {
		p.conn.Close(CloseTaken, TakenBy(p.name, Taken).Message)
	}
	p.conn = nil
}

// End says that the bridge is gone.
func (r *Roster) End() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	for e := r.seats.Front(); e != nil; e = e.Next() {
		if p := e.Value.(*place); p.conn != nil {
			p.conn.Close(CloseAway, "the game has ended this world: connect again later")
			p.conn = nil
		}
	}
	r.seats.Init()
	clear(r.numbers)
	clear(r.names)
}

func (r *Roster) place(session uint32) *place {
	if e := r.numbers[session]; e != nil {
		return e.Value.(*place)
	}
	return nil
}

// The listener's side.

func (r *Roster) world() World {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := World{Name: r.name}
	for e := r.seats.Front(); e != nil; e = e.Next() {
		p := e.Value.(*place)
		w.Characters = append(w.Characters, Character{Name: p.name, State: p.state()})
	}
	return w
}

func (r *Roster) seat(a Ask) (Seat, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found *place
	if e := r.names[a.Character]; e != nil {
		found = e.Value.(*place)
	}
	if a.Character == "" {
		found = r.free()
	}
	switch {
	case found == nil && a.Character == "" && r.seats.Len() > 0:
		return nil, TakenBy("", Taken)
	case found == nil:
		return nil, NotFound("character", a.Character, r.someNames())
	case found.state() == Taken && !a.Replace:
		return nil, TakenBy(found.name, Taken)
	}
	return &chair{r: r, p: found, ask: a}, nil
}

// free is the first that nobody plays; nil: none is.
func (r *Roster) free() *place {
	for e := r.seats.Front(); e != nil; e = e.Next() {
		if p := e.Value.(*place); p.state() == Free {
			return p
		}
	}
	return nil
}

// someNames are enough for a refusal.
func (r *Roster) someNames() (names []string) {
	for e := r.seats.Front(); e != nil; e = e.Next() {
		names = append(names, e.Value.(*place).name)
	}
	return names
}

// chair is the Seat of one connection.
type chair struct {
	r     *Roster
	p     *place
	ask   Ask
	epoch uint64 // 0: not seated
	waits Conn   // beside the seat
}

// Attach seats the newcomer, or, where the agent that was here may still come back and is not to be replaced, lets it wait beside the seat: any
// number may, and the one that Resumes has it.
func (c *chair) Attach(conn Conn) (Wait, error) {
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	if c.r.ended || c.r.place(c.p.number) != c.p {
		return NoWait, NotFound("character", c.p.name, c.r.someNames())
	}
	if c.p.state() != Free && c.ask.Character == "" { // others were faster: any other will do
		if p := c.r.free(); p != nil {
			c.p = p
		}
	}
	p := c.p
	switch {
	case p.conn != nil && !c.ask.Replace:
		return NoWait, TakenBy(c.ask.Character, Taken)
	case p.state() == Away && !c.ask.Replace:
		c.waits = conn
		return OrRefuse, nil
	}
	wait := NoWait
	if p.valid {
		wait = OrBegin
	}
	if !c.sit(conn, wait != NoWait) {
		return NoWait, &Refusal{http.StatusServiceUnavailable, "busy", "the game cannot seat an agent now: connect again later"}
	}
	return wait, nil
}

// sit gives the connection to the bridge, with the roster's mu.
func (c *chair) sit(conn Conn, wait bool) bool {
	p := c.p
	if c.epoch = c.r.wire.Attach(p.number, How{Replace: p.conn != nil, Wait: wait}, c.ask); c.epoch == 0 {
		return false
	}
	if p.conn != nil {
		p.conn.Close(CloseReplaced, "another agent has taken the character")
	}
	p.epoch, p.conn, p.spoken = c.epoch, conn, false
	return true
}

func (c *chair) Resumes(id message.ID) bool {
	c.r.mu.Lock()
	defer c.r.mu.Unlock()
	if c.r.ended || !c.p.valid || c.p.id != id {
		return false
	}
	return c.waits == nil || c.p.conn == nil && c.sit(c.waits, true)
}

func (c *chair) Begin() { c.r.wire.Begin(c.p.number, c.epoch) }

func (c *chair) Receive(m []byte) bool {
	c.r.mu.Lock()
	c.p.said = c.p.said || c.p.epoch == c.epoch
	c.r.mu.Unlock()
	return c.r.wire.Receive(c.p.number, c.epoch, m)
}

func (c *chair) Arrived(count uint32) {
	c.r.mu.Lock()
	number, epoch := c.p.number, c.epoch
	c.r.mu.Unlock()
	if epoch != 0 {
		c.r.wire.Arrived(number, epoch, count)
	}
}

func (c *chair) Leave() {
	c.r.mu.Lock() // until the bridge's mailbox has it: who is seated next comes behind it
	defer c.r.mu.Unlock()
	if c.epoch == 0 {
		return
	}
	if c.p.epoch == c.epoch {
		c.p.conn = nil
	}
	c.r.wire.Leave(c.p.number, c.epoch)
}

// Rosters are the bridges of one listener.
type Rosters struct {
	mu  sync.Mutex
	all []*Roster
}

// Add makes a bridge reachable.
func (s *Rosters) Add(r *Roster) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, r)
}

// Remove ends it.
func (s *Rosters) Remove(r *Roster) {
	s.mu.Lock()
	for i, x := range s.all {
		if x == r {
			s.all = append(s.all[:i:i], s.all[i+1:]...)
			break
		}
	}
	s.mu.Unlock()
	r.End()
}

func (s *Rosters) list() []*Roster {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[:len(s.all):len(s.all)]
}

// Worlds implements Bridges.
func (s *Rosters) Worlds() []World {
	worlds := []World{}
	for _, r := range s.list() {
		worlds = append(worlds, r.world())
	}
	return worlds
}

// Seat implements Bridges. Of two bridges of one name, one of which may be about to end, the newer counts.
func (s *Rosters) Seat(a Ask) (Seat, error) {
	all := s.list()
	var names []string
	for i := len(all) - 1; i >= 0; i-- {
		if r := all[i]; r.name == a.World || a.World == "" && len(all) == 1 {
			return r.seat(a)
		}
	}
	for _, r := range all {
		names = append(names, r.name)
	}
	return nil, NotFound("bridge", a.World, names)
}
