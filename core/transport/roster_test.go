package transport

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/message"
)

// mailbox notes the records that a roster leaves.
type mailbox struct {
	mu     sync.Mutex
	epoch  uint64
	closed bool // nobody can be seated
	notes  []string
}

func (m *mailbox) note(format string, args ...any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}

func (m *mailbox) took(t *testing.T, notes ...string) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	require.Equal(t, notes, m.notes)
	m.notes = nil
}

func (m *mailbox) Attach(session uint32, how How, _ Ask) uint64 {
	if m.closed {
		return 0
	}
	m.epoch++
	m.note("attach %d as %d %+v", session, m.epoch, how)
	return m.epoch
}
func (m *mailbox) Begin(session uint32, epoch uint64) { m.note("begin %d %d", session, epoch) }
func (m *mailbox) Receive(session uint32, epoch uint64, text []byte) bool {
	m.note("receive %d %d %s", session, epoch, text)
	return true
}
func (m *mailbox) Arrived(session uint32, epoch uint64, n uint32) {
	m.note("arrived %d %d %d", session, epoch, n)
}
func (m *mailbox) Leave(session uint32, epoch uint64) { m.note("leave %d %d", session, epoch) }

// ear is a connection whose end is noted.
type ear struct {
	sent []string
	code int
}

func (e *ear) Send(m []byte) bool       { e.sent = append(e.sent, string(m)); return true }
func (e *ear) Close(code int, _ string) { e.code = code }

func sat(t *testing.T, s *Rosters, a Ask) (Seat, *ear, Wait) {
	t.Helper()
	seat, err := s.Seat(a)
	require.NoError(t, err)
	c := &ear{}
	wait, err := seat.Attach(c)
	require.NoError(t, err)
	return seat, c, wait
}

var rosterSession = message.ID{6: 0x40, 8: 0x80, 15: 1}

// An agent is cut off. While others wait beside its seat, any number of them, it comes back; and they never had it.
func TestThoseWhoWaitKeepNobodyOut(t *testing.T) {
	m := &mailbox{}
	r := NewRoster("yard", m)
	var s Rosters
	s.Add(r)
	r.Open(1, "npc")
	npc := Ask{World: "yard", Character: "npc"}
	first, c, wait := sat(t, &s, npc)
	require.Equal(t, NoWait, wait)
	r.Agent(1, false)
	r.Message(1, 1, message.AppendSessionInit(nil, rosterSession, rosterSession, []byte(`"tools":[]`)))
	require.Len(t, c.sent, 1)
	require.True(t, first.Receive([]byte("{}")))
	_, err := s.Seat(npc)
	require.EqualError(t, err, TakenBy("npc", Taken).Message)
	first.Leave()
	m.took(t, "attach 1 as 1 {Replace:false Wait:false}", "receive 1 1 {}", "leave 1 1")
	require.Equal(t, Away, s.Worlds()[0].Characters[0].State)

	strangers := make([]Seat, 3)
	for i := range strangers {
		strangers[i], _, wait = sat(t, &s, npc)
		require.Equal(t, OrRefuse, wait)
	}
	require.Equal(t, Away, s.Worlds()[0].Characters[0].State, "who waits has nothing")
	require.False(t, strangers[0].Resumes(message.ID{6: 0x40, 8: 0x80, 15: 2}))
	strangers[0].Arrived(1)
	strangers[0].Leave()
	m.took(t)
	owner, back, wait := sat(t, &s, npc)
	require.Equal(t, OrRefuse, wait)
	require.True(t, owner.Resumes(rosterSession))
	require.True(t, owner.Receive([]byte("resume")))
	m.took(t, "attach 1 as 2 {Replace:false Wait:true}", "receive 1 2 resume")
	require.False(t, strangers[1].Resumes(rosterSession), "even with the id: somebody is there")
	r.Message(1, 2, []byte("result"))
	require.Equal(t, []string{"result"}, back.sent)
	strangers[2].Leave()
	owner.Arrived(1)
	m.took(t, "arrived 1 2 1")
	r.Detached(1, 2)
	require.Equal(t, CloseOver, back.code)
}

// Of many who name no character each gets one, however their requests and connections mingle.
func TestAnyCharacterWillDo(t *testing.T) {
	m := &mailbox{}
	r := NewRoster("yard", m)
	var s Rosters
	s.Add(r)
	const n = 20
	for i := range uint32(n) {
		r.Open(i+1, "")
	}
	seats := make([]Seat, n)
	for i := range seats {
		var err error
		seats[i], err = s.Seat(Ask{}) // all find the same one
		require.NoError(t, err)
	}
	for _, seat := range seats {
		wait, err := seat.Attach(&ear{})
		require.NoError(t, err)
		require.Equal(t, NoWait, wait)
	}
	_, err := s.Seat(Ask{})
	require.EqualError(t, err, TakenBy("", Taken).Message)
	one := &chair{r: r, p: r.place(1)}
	_, err = one.Attach(&ear{})
	require.EqualError(t, err, TakenBy("", Taken).Message)
}

// A newcomer takes over, cannot be seated, finds the character gone, or the world.
func TestRosterEnds(t *testing.T) {
	m := &mailbox{}
	r := NewRoster("yard", m)
	var s Rosters
	s.Add(r)
	r.Open(7, "npc")
	_, c, _ := sat(t, &s, Ask{Character: "npc"})
	_, _, wait := sat(t, &s, Ask{Character: "npc", Replace: true})
	require.Equal(t, NoWait, wait)
	require.Equal(t, CloseReplaced, c.code)
	m.took(t, "attach 7 as 1 {Replace:false Wait:false}", "attach 7 as 2 {Replace:true Wait:false}")
	r.Open(8, "late")
	seat, err := s.Seat(Ask{Character: "late"})
	require.NoError(t, err)
	m.closed = true
	_, err = seat.Attach(&ear{})
	require.ErrorContains(t, err, "cannot seat an agent now")
	m.closed = false
	_, held, _ := sat(t, &s, Ask{Character: "late"})
	r.Closed(8)
	require.Equal(t, CloseOver, held.code)
	_, err = seat.Attach(&ear{})
	require.ErrorContains(t, err, `there is no character "late"`)
	seat, err = s.Seat(Ask{Character: "npc", Replace: true})
	require.NoError(t, err)
	s.Remove(r)
	_, err = seat.Attach(&ear{})
	require.ErrorContains(t, err, "there is no character")
	_, err = s.Seat(Ask{})
	require.ErrorContains(t, err, "there is no bridge here yet")
}
