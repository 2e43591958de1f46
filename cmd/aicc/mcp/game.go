package mcp

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/message"
)

// game is the connection to the game, which comes and goes.
type game struct {
	front *Front

	mu       sync.Mutex
	target   live.Target // with the character that was found, where none was asked for
	asked    live.Target
	played   bool  // there was a session with that character
	nobody   error // no character was found
	agent    *agent.Agent
	up       bool
	since    time.Time // it is up, or down
	why      error     // it is down
	said     string    // of why, to people
	over     error     // it will not come back
	manifest *message.Manifest
	changed  chan struct{} // closed when any of this changes
}

var errConnecting = errors.New("the first connection is being made")

func newGame(f *Front) *game {
	return &game{front: f, target: f.o.Target, asked: f.o.Target, since: time.Now(), why: errConnecting, changed: make(chan struct{})}
}

// change does something with mu and tells who waits.
func (g *game) change(do func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	do()
	close(g.changed)
	g.changed = make(chan struct{})
}

// between is the pause before a new agent is tried where the last was refused for good: the game may be restarted with another token.
const between = 10 * time.Second

// run has an agent at all times. One that loses its connection comes back by itself; one that is refused is followed by another.
func (g *game) run(ctx context.Context) {
	for ctx.Err() == nil {
		o := g.front.o.Agent
		o.Token, o.Patient, o.GiveUp = g.front.o.Token, true, 1<<62
		o.Dial, o.OnManifest = g.dial, g.learn
		orElse(&o.Most, 5*time.Second) // somebody sits and waits
		a, err := live.Connect(ctx, g.asked, o, g.hear)
		if err == nil {
			g.change(func() { g.agent = a })
			g.front.listen(ctx, a)
			select {
			case <-a.Done():
			case <-ctx.Done():
				leave(a)
			}
			err = a.Err()
		}
		g.change(func() {
			g.agent, g.up, g.since = nil, false, time.Now()
			if err != nil && ctx.Err() == nil {
				if g.why = live.Explain(err, g.target, g.front.o.Token); g.nobody != nil {
					g.why = g.nobody
				}
			}
			if errors.Is(err, agent.ErrReplaced) {
				g.over = err
			}
		})
		if g.over != nil {
			g.front.logf("%v; start this program anew to take it back", g.over)
			return
		}
		if ctx.Err() == nil {
			g.complain()
		}
		select {
		case <-ctx.Done():
		case <-time.After(between):
		}
	}
}

// dial connects to the character, and finds one first where none was asked for: by its name an agent may come back to it.
func (g *game) dial(ctx context.Context) (agent.Wire, error) {
	g.mu.Lock()
	t := g.target
	g.mu.Unlock()
	if t.Character == "" {
		found, err := vacancy(ctx, t, g.front.o.Token)
		g.change(func() { g.nobody = err })
		if err != nil {
			return nil, err
		}
		t = found
		g.change(func() { g.target, g.played = t, false })
	}
	wire, err := agent.WebSocket(t.URL(), g.front.o.Token)(ctx)
	var refused *agent.Refused
	if g.asked.Character == "" && errors.As(err, &refused) {
		g.change(func() { // gone, or somebody was faster: another one will do
			if refused.Status == http.StatusNotFound || refused.Status == http.StatusConflict && !g.played {
				g.target = g.asked
			}
		})
	}
	return wire, err
}

// vacancy is the target with the first character that is free.
func vacancy(ctx context.Context, t live.Target, token string) (live.Target, error) {
	seats, err := t.List(ctx, token)
	if err != nil {
		return t, err
	}
	if at := slices.IndexFunc(seats, live.Seat.Free); at >= 0 {
		return t.At(seats[at]), nil
	}
	return t, &vacant{t.Nobody(seats), len(seats) > 0}
}

// hear takes the downs; learn hears of the ups.
func (g *game) hear(c live.Change) {
	if c.Phase != live.Down {
		return
	}
	wasUp := false
	g.change(func() {
		if wasUp = g.up; wasUp {
			g.since = time.Now()
		}
		if g.up, g.why = false, c.Err; g.nobody != nil {
			g.why = g.nobody
		}
	})
	g.complain()
	if wasUp {
		g.front.feed.note("connection", `{"game":"unreachable","retrying":true}`)
	}
}

// complain tells people why the game is not there: once, and again when that has changed.
func (g *game) complain() {
	g.mu.Lock()
	text := ""
	if g.why != nil && g.why != errConnecting {
		text = g.why.Error()
	}
	news := text != "" && text != g.said
	if news {
		g.said = text
	}
	g.mu.Unlock()
	if news {
		g.front.logf("cannot play, goes on trying: %s", text)
	}
}

func (g *game) place() live.Target {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.target
}

// learn takes a manifest: of a new session, one that goes on, or one that has changed. The game is there once its tools are.
func (g *game) learn(m *message.Manifest) {
	g.front.tools.set(m)
	g.mu.Lock()
	back := !g.up
	g.mu.Unlock()
	if back {
		g.front.logf("plays %s", g.place())
		g.front.feed.note("connection", `{"game":"connected"}`)
	}
	g.change(func() {
		if g.manifest = m; back {
			g.up, g.since, g.why, g.said, g.played = true, time.Now(), nil, "", true
		}
	})
	g.front.told.mark(worldURI)
}

// state is what there is now, and what is closed when that is no longer so.
type state struct {
	agent    *agent.Agent // nil: none
	up       bool
	since    time.Time
	why      error
	reason   *reason // of why, for models; never nil
	over     error
	manifest *message.Manifest
	target   live.Target
	changed  chan struct{}
}

func (g *game) now() state {
	g.mu.Lock()
	defer g.mu.Unlock()
	return state{g.agent, g.up && g.agent != nil, g.since, g.why, diagnose(g.why, g.target, g.front.o.Token), g.over, g.manifest, g.target, g.changed}
}

// settle waits a little until the first attempt to connect has come to something: many clients ask for the tools once, at once.
func (g *game) settle(ctx context.Context, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		s := g.now()
		if s.up || s.why != nil && s.why != errConnecting { // between up and the agent there is no why
			return
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
			return
		}
	}
}

// ready waits a little for the game where it is just not there. nil: it is still not.
func (g *game) ready(ctx context.Context, grace time.Duration) *agent.Agent {
	limit := time.NewTimer(grace)
	defer limit.Stop()
	for {
		s := g.now()
		if s.up || s.over != nil {
			return s.agent
		}
		select {
		case <-s.changed:
		case <-limit.C:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// leave says good-bye: the character is free for the next.
func leave(a *agent.Agent) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	a.Close(ctx, "the MCP server has been ended")
}
