package mcp

import (
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// guests are the sessions of clients over HTTP, which may leave without a word.
type guests struct {
	most int

	mu   sync.Mutex
	seen map[string]*guest
	only guest // over stdio
}

// maxGuests sessions are kept; one more, and the one that was silent longest ends.
const maxGuests = 64

type guest struct {
	mu      sync.Mutex
	session *sdk.ServerSession
	last    time.Time
	told    uint64 // the last event that wait-for-event has told
}

func (g *guest) get() uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.told
}

func (g *guest) set(seq uint64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.told = max(g.told, seq)
}

// touch notes that a session is in use.
func (g *guests) touch(f *Front, s *sdk.ServerSession) {
	g.mu.Lock()
	defer g.mu.Unlock()
	one := g.seen[s.ID()]
	if one == nil {
		one = &guest{session: s}
		g.seen[s.ID()] = one
	}
	one.last = time.Now()
	if len(g.seen) <= g.most {
		return
	}
	alive := map[string]bool{}
	for s := range f.server.Sessions() {
		alive[s.ID()] = true
	}
	var oldest *guest
	for id, other := range g.seen {
		if !alive[id] {
			delete(g.seen, id)
		} else if other != one && (oldest == nil || other.last.Before(oldest.last)) {
			oldest = other
		}
	}
	if len(g.seen) > g.most && oldest != nil {
		delete(g.seen, oldest.session.ID())
		f.tasks.Go(func() { _ = oldest.session.Close() }) // waits for its calls
	}
}

// cursor is what a client has been told by wait-for-event. nil: it has no session, and has to say it itself.
func (g *guests) cursor(req *sdk.CallToolRequest) *guest {
	if id := req.Session.ID(); id != "" {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.seen[id]
	}
	if req.Extra != nil && req.Extra.Header != nil {
		return nil
	}
	return &g.only
}
