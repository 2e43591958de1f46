// Package agent is the agent's side of aicc/0.1 as a Go client: it connects, calls tools, hears events, and comes back by itself when a
// connection is lost, so that each call runs at most once and its result is delivered exactly once.
package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"sync"
	"time"

	"aicc.dev/libaicc/core/message"
)

// Options of a connection. Zero fields get the default.
type Options struct {
	Token     string        // of the listener
	Heartbeat time.Duration // sent when nothing else was for so long; 0: never. Who sends them is let go by the bridge when they stop
	Patient   bool          // Connect goes on trying until its context is over; otherwise the first failure is its error

	MaxInFlight int           // calls that are sent before results come; more wait here: 16, which is what a bridge takes
	MaxEvents   int           // that wait for Event; the oldest go first: 256
	First, Most time.Duration // delay before the second attempt to connect, and the longest; each is twice the one before: 250 ms, 15 s
	GiveUp      time.Duration // the agent ends when it was without a session for so long: 2 min
	Handshake   time.Duration // for a connection to be made, and then for its session_init: 10 s
	PingEvery   time.Duration // 15 s; a connection whose pong does not come in as long again is given up

	OnManifest func(*message.Manifest) // was received, also with each resume. Called between messages: it must not wait for one
	OnError    func(message.Error)     // came as a message of its own; likewise

	Dial   Dialer                                           // nil: WebSocket to the URL
	Random func() float64                                   // from 0 to 1, for the jitter of delays; nil: math/rand
	Wait   func(ctx context.Context, d time.Duration) error // nil: a timer
	Now    func() time.Time                                 // nil: time.Now
}

func (o *Options) fill(url string) {
	orElse(&o.MaxInFlight, 16)
	orElse(&o.MaxEvents, 256)
	orElse(&o.First, 250*time.Millisecond)
	orElse(&o.Most, 15*time.Second)
	orElse(&o.GiveUp, 2*time.Minute)
	orElse(&o.Handshake, 10*time.Second)
	orElse(&o.PingEvery, 15*time.Second)
	if o.Dial == nil {
		o.Dial = WebSocket(url, o.Token)
	}
	if o.Random == nil {
		o.Random = mathrand.Float64
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Wait == nil {
		o.Wait = func(ctx context.Context, d time.Duration) error {
			t := time.NewTimer(d)
			defer t.Stop()
			select {
			case <-t.C:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

func orElse[T ~int | ~int64](to *T, standard T) {
	if *to <= 0 {
		*to = standard
	}
}

// Why calls have no result, and why an agent has ended.
var (
	ErrClosed   = errors.New("the agent was closed")
	ErrReplaced = errors.New("another agent has taken the character: this one does not come back")
	ErrLost     = errors.New("the session has ended while the call was open, its outcome is unknown: look before you call again")
	ErrNotRun   = errors.New("the call has not run")
)

// Stats counts since Connect.
type Stats struct {
	Connections  uint64 // that were made
	Resumes      uint64 // of them, those that went on with a session
	SessionsLost uint64
	Calls        uint64 // that were sent
	AskedAgain   uint64 // tool_call messages beyond the first of a call
	Results      uint64 // that were delivered
	Duplicates   uint64 // results of calls that had one already: dropped
	Strays       uint64 // results of calls that this agent does not know: dropped
	Late         uint64 // results of calls that nobody waited for any more
	Bad          uint64 // messages that are none
	EventsLost   uint64 // that nobody took
}

// Agent plays one character. Its methods may be called by any goroutine.
type Agent struct {
	o      Options
	ctx    context.Context
	cancel context.CancelFunc
	ready  chan struct{} // closed with the first session_init
	done   chan struct{} // closed when it has ended
	more   chan struct{} // there is an event

	mu       sync.Mutex
	ids      *message.IDSource
	prefix   string // of call ids: another process that plays the same session has others
	lastCall uint64
	link     *link // the connection there is
	session  message.ID
	manifest *message.Manifest
	calls    map[string]*Call // without a result
	order    []*Call          // the same, as they were made
	past     past
	queue    [][]byte // other messages that wait to be sent
	events   []Event
	closing  bool
	reason   string
	err      error
	stats    Stats
}

// Connect connects to a character: ws://ADDRESS/aicc/BRIDGE?character=NAME. It returns once the agent may call; ctx is for that time only.
func Connect(ctx context.Context, url string, o Options) (*Agent, error) {
	o.fill(url)
	var seed [32]byte
	if _, err := rand.Read(seed[:]); err != nil {
		return nil, err
	}
	a := &Agent{o: o, ready: make(chan struct{}), done: make(chan struct{}), more: make(chan struct{}, 1), ids: message.NewIDSource(seed),
		calls: map[string]*Call{}}
	a.prefix = a.ids.Next().String()[:18] + "-"
	a.ctx, a.cancel = context.WithCancel(context.Background())
	go a.run()
	select {
	case <-a.ready:
		return a, nil
	case <-a.done:
		return nil, a.Err()
	case <-ctx.Done():
		a.cancel()
		<-a.done
		if err := a.Err(); err != nil && !errors.Is(err, ErrClosed) {
			return nil, fmt.Errorf("%w, the last attempt: %w", ctx.Err(), err)
		}
		return nil, ctx.Err()
	}
}

// Manifest is what the character can do, as of now. It is not to be changed.
func (a *Agent) Manifest() *message.Manifest {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.manifest
}

// Session is the id of the session there is, zero when there is none.
func (a *Agent) Session() message.ID {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.session
}

// Stats are the counters as of now.
func (a *Agent) Stats() Stats {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stats
}

// Done is closed when the agent has ended: by Close, since another took its place, since it is not let in, or since it gave up.
func (a *Agent) Done() <-chan struct{} { return a.done }

// Err says why, once it has.
func (a *Agent) Err() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.err
}

// Refresh asks for the manifest; OnManifest hears of it.
func (a *Agent) Refresh() {
	a.put(func(s, m message.ID) []byte { return message.AppendManifestRequest(nil, s, m) })
}

// Say sends a JSON object to the game, on the topic agent_message: at most once, and not at all where the session or the connection ends first.
func (a *Agent) Say(payload []byte) error {
	if err := checkObject(payload); err != nil {
		return err
	}
	a.put(func(s, m message.ID) []byte {
		return message.AppendEvent(nil, s, m, message.TopicAgentMessage, payload, nil)
	})
	return nil
}

// put queues a message if there is a session; it is of no use in another one.
func (a *Agent) put(make func(session, id message.ID) []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.session.IsZero() && len(a.queue) < a.o.MaxEvents {
		a.queue = append(a.queue, make(a.session, a.ids.Next()))
		a.wake()
	}
}

// Close says good-bye and ends the agent. Calls that are open get what the bridge makes of them until ctx is over, then ErrClosed.
func (a *Agent) Close(ctx context.Context, reason string) {
	a.mu.Lock()
	first := !a.closing
	a.closing = true
	if first && a.link != nil && a.link.live {
		a.link.goodbye = message.AppendSessionClose(nil, a.session, a.ids.Next(), reason)
		a.wake()
	} else if first {
		a.cancel()
	}
	a.mu.Unlock()
	select {
	case <-a.done:
	case <-ctx.Done():
		a.cancel()
		<-a.done
	}
}

// wake tells the writer that there is something; with mu.
func (a *Agent) wake() {
	if a.link != nil {
		select {
		case a.link.wake <- struct{}{}:
		default:
		}
	}
}
