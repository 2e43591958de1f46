package main

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"time"

	"aicc.dev/libaicc/core/agent"
)

// tap is the wire between the agent and the host, with the referee at it: whoever sends or receives goes on when the referee has taken note.
// It plays the network too: it goes dark, and breaks.
type tap struct {
	dial agent.Dialer
	wait func(context.Context, time.Duration) error
	host chan passing  // what comes from the host
	own  chan passing  // what the agent does
	over chan struct{} // the referee takes no more notes

	mu     sync.Mutex
	net    network
	wire   agent.Wire    // the last connection
	mended chan struct{} // closed once the network is up again
}

// network is how it is.
type network int

const (
	up   network = iota
	dark         // what the host sends gets lost, and nobody knows yet
	down         // there is no connection, nor can one be made
)

// passing is one thing that happens at the wire.
type passing struct {
	what what
	raw  []byte // of a message
	lost bool   // by the network
	err  error  // why a connection has ended
	wait time.Duration
}

type what int

const (
	sent      what = iota // a message
	connected             // a connection was made
	ended                 // by the host, or by the network
	waits                 // before the next attempt to connect
)

var errNoNetwork = errors.New("there is no network")

func newTap(dial agent.Dialer) *tap {
	t := &tap{dial: dial, host: make(chan passing), own: make(chan passing), over: make(chan struct{}), mended: make(chan struct{})}
	t.wait = func(ctx context.Context, d time.Duration) error {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	close(t.mended)
	return t
}

func (t *tap) tell(to chan<- passing, p passing) {
	select {
	case to <- p:
	case <-t.over:
	}
}

// become changes the network; down, it breaks the connection that there is.
func (t *tap) become(n network) {
	t.mu.Lock()
	wire, was := t.wire, t.net
	t.net = n
	switch {
	case n == down && was != down:
		t.mended = make(chan struct{})
	case n == up && was == down:
		close(t.mended)
	}
	t.mu.Unlock()
	if n == down && wire != nil {
		wire.Abort()
	}
}

func (t *tap) is() network {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.net
}

func (t *tap) isMended() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mended
}

// connect is an agent.Dialer.
func (t *tap) connect(ctx context.Context) (agent.Wire, error) {
	if t.is() == down {
		return nil, errNoNetwork
	}
	wire, err := t.dial(ctx)
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.wire = wire
	t.mu.Unlock()
	t.tell(t.own, passing{what: connected})
	return &tapped{wire, t}, nil
}

// pause is what an agent does between two attempts.
func (t *tap) pause(ctx context.Context, d time.Duration) error {
	t.tell(t.own, passing{what: waits, wait: d})
	return t.wait(ctx, d)
}

// tapped is one connection.
type tapped struct {
	agent.Wire
	tap *tap
}

func (w *tapped) Read(ctx context.Context) ([]byte, error) {
	for {
		raw, err := w.Wire.Read(ctx)
		if err != nil {
			w.tap.tell(w.tap.host, passing{what: ended, err: err})
			return nil, err
		}
		lost := w.tap.is() != up
		w.tap.tell(w.tap.host, passing{raw: bytes.Clone(raw), lost: lost})
		if !lost {
			return raw, nil
		}
	}
}

func (w *tapped) Write(ctx context.Context, raw []byte) error {
	w.tap.tell(w.tap.own, passing{raw: raw})
	return w.Wire.Write(ctx, raw)
}
