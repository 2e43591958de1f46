// Package livetest is a small game behind a real listener, for the tests of the commands that join one: its tools are Go functions, its
// characters come back after a cut, and what it was told it remembers. It is not the bridge: what only the bridge knows is tested with the bridge.
package livetest

import (
	"fmt"
	"sync"
	"testing"

	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

// Answer is what a tool says: Output, or a code and a text.
type Answer struct {
	Output       string
	Code         message.ErrorCode
	Text         string
	Retryable    bool
	RetryAfterMS int64
	Never        bool // no answer comes
}

// Tool is a tool, and what it does.
type Tool struct {
	message.Tool
	Do func(c *Character, input string) Answer
}

// Game is a world with characters.
type Game struct {
	Address string

	l     *transport.Listener
	ids   *message.IDSource
	world string

	mu         sync.Mutex
	tick       uint64
	tools      []Tool
	capable    []string
	characters []*Character
	said       []string
	calls      int
	late       sync.WaitGroup
}

// Character is one session.
type Character struct {
	Name string

	g       *Game
	session message.ID
	conn    transport.Conn
	kept    [][]byte // results
	spoken  bool     // session_init was sent on the connection
}

// Start opens a listener on a free port. It is closed at the test's end.
func Start(t testing.TB, o transport.Options, world string, tools []Tool, characters ...string) *Game {
	t.Helper()
	g := &Game{world: world, tools: tools, ids: message.NewIDSource([32]byte{1})}
	for _, name := range characters {
		g.characters = append(g.characters, &Character{Name: name, g: g})
	}
	l, err := transport.Listen(o, g)
	if err != nil {
		t.Fatal(err)
	}
	g.l, g.Address = l, l.Addr()
	t.Cleanup(g.Stop)
	return g
}

// Stop closes the listener.
func (g *Game) Stop() {
	g.l.Close()
	g.late.Wait()
}

// Emit sends an event to every character's agent; the tick goes on by one.
func (g *Game) Emit(topic message.Topic, payload string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tick++
	for _, c := range g.characters {
		if c.conn != nil && c.spoken {
			c.conn.Send(message.AppendEvent(nil, c.session, g.ids.Next(), topic, []byte(payload), g.meta()))
		}
	}
}

// Cut breaks every connection off.
func (g *Game) Cut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.characters {
		if c.conn != nil {
			c.conn.Close(transport.CloseOver, "cut by the test")
		}
	}
}

// Change gives the characters other tools and capabilities, and tells their agents.
func (g *Game) Change(tools []Tool, actuators ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tools, g.capable = tools, actuators
	for _, c := range g.characters {
		if c.conn != nil && c.spoken {
			c.conn.Send(message.AppendHeartbeat(nil, c.session, g.ids.Next(), message.AppendManifestUpdate(nil, g.body())))
		}
	}
}

// Said is what agents have said, and Calls how many calls came.
func (g *Game) Said() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.said...)
}

// Calls is how many calls came.
func (g *Game) Calls() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls
}

// Connected is how many agents are connected.
func (g *Game) Connected() (n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, c := range g.characters {
		if c.conn != nil {
			n++
		}
	}
	return n
}

func (g *Game) meta() *message.Meta {
	return &message.Meta{Tick: g.tick, LatencyMS: 1, Source: g.world}
}

func (g *Game) body() []byte {
	m := message.Manifest{TickRateHz: 60, TickMode: message.TickFixed, WorldName: g.world, WorldKind: message.World2D,
		Capabilities: message.Capabilities{Actuators: g.capable}, Model: message.Model{Class: message.CloudMedium, FirstTokenMS: -1, FullResponseMS: -1}}
	for _, t := range g.tools {
		m.Tools = append(m.Tools, t.Tool)
	}
	return message.AppendManifestBody(nil, &m)
}

// Worlds implements transport.Bridges.
func (g *Game) Worlds() []transport.World {
	g.mu.Lock()
	defer g.mu.Unlock()
	w := transport.World{Name: g.world}
	for _, c := range g.characters {
		state := transport.Free
		switch {
		case c.conn != nil:
			state = transport.Taken
		case !c.session.IsZero():
			state = transport.Away
		}
		w.Characters = append(w.Characters, transport.Character{Name: c.Name, State: state})
	}
	return []transport.World{w}
}

// Seat implements transport.Bridges.
func (g *Game) Seat(a transport.Ask) (transport.Seat, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if a.World != "" && a.World != g.world {
		return nil, transport.NotFound("bridge", a.World, []string{g.world})
	}
	var names []string
	for _, c := range g.characters {
		if c.Name == a.Character {
			if c.conn != nil {
				return nil, transport.TakenBy(c.Name, transport.Taken)
			}
			return &seat{c: c}, nil
		}
		names = append(names, c.Name)
	}
	return nil, transport.NotFound("character", a.Character, names)
}

type seat struct {
	c    *Character
	conn transport.Conn
	m    message.Message
}

func (s *seat) Attach(conn transport.Conn) (transport.Wait, error) {
	g := s.c.g
	g.mu.Lock()
	defer g.mu.Unlock()
	if s.c.conn != nil {
		return transport.NoWait, transport.TakenBy(s.c.Name, transport.Taken)
	}
	s.c.conn, s.conn = conn, conn
	if !s.c.session.IsZero() {
		return transport.OrBegin, nil
	}
	s.fresh()
	return transport.NoWait, nil
}

func (s *seat) fresh() {
	s.c.session, s.c.kept = s.c.g.ids.Next(), nil
	s.greet()
}

func (s *seat) greet() {
	g := s.c.g
	s.c.spoken = true
	s.conn.Send(message.AppendSessionInit(nil, s.c.session, g.ids.Next(), g.body()))
}

func (s *seat) Resumes(id message.ID) bool {
	s.c.g.mu.Lock()
	defer s.c.g.mu.Unlock()
	return s.c.session == id
}

func (s *seat) Begin() {
	s.c.g.mu.Lock()
	defer s.c.g.mu.Unlock()
	s.fresh()
}

func (s *seat) Receive(text []byte) bool {
	g := s.c.g
	g.mu.Lock()
	defer g.mu.Unlock()
	if message.Decode(text, &s.m) != nil {
		return true
	}
	switch s.m.Type {
	case message.SessionResume:
		s.greet()
		for _, r := range s.c.kept {
			s.conn.Send(r)
		}
	case message.ManifestRequest:
		s.greet()
	case message.Event:
		g.said = append(g.said, string(s.m.Payload))
	case message.SessionClose:
		s.conn.Send(message.AppendSessionClose(nil, s.c.session, g.ids.Next(), "good-bye"))
		s.conn.Close(transport.CloseOver, "the session is over")
		s.c.session, s.c.kept = message.ID{}, nil
	case message.ToolCall:
		g.calls++
		s.call(string(s.m.CallID), string(s.m.Tool), string(s.m.Input))
	}
	return true
}

// call runs a tool beside the connection, so that it may wait.
func (s *seat) call(id, tool, input string) {
	g, c := s.c.g, s.c
	session := c.session
	var do func(*Character, string) Answer
	for _, t := range g.tools {
		if t.ID == tool {
			do = t.Do
		}
	}
	g.late.Go(func() {
		answer := Answer{Code: message.ToolUnknown, Text: fmt.Sprintf("there is no tool %q", tool)}
		if do != nil {
			answer = do(c, input)
		}
		if answer.Never {
			return
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.tick++
		meta := g.meta()
		meta.RetryAfterMS = answer.RetryAfterMS
		var r []byte
		if answer.Code == 0 {
			r = message.AppendToolResultOK(nil, session, g.ids.Next(), id, []byte(answer.Output), meta)
		} else {
			r = message.AppendToolResultError(nil, session, g.ids.Next(), id, answer.Code, answer.Text, answer.Retryable, meta)
		}
		if c.session != session {
			return
		}
		c.kept = append(c.kept, r)
		if c.conn != nil && c.spoken {
			c.conn.Send(r)
		}
	})
}

func (s *seat) Arrived(uint32) {}

func (s *seat) Leave() {
	s.c.g.mu.Lock()
	defer s.c.g.mu.Unlock()
	if s.c.conn == s.conn {
		s.c.conn, s.c.spoken = nil, false
	}
}
