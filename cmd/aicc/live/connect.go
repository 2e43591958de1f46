package live

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/message"
)

// Phase is where a connection stands.
type Phase uint8

// The phases.
const (
	Dialling Phase = iota // a connection is being made
	Up                    // there is a session, calls are sent
	Down                  // the connection is gone, or could not be made
	Waiting               // until the next attempt
)

// Change is a connection's step from one phase to the next.
type Change struct {
	Phase Phase
	Err   error         // of Down
	For   time.Duration // of Waiting
}

// Connect connects an agent to a character. tell, if it is there, hears of every change: on goroutines of the agent's, one at a time, and must
// not wait for the agent. The error is in plain words.
func Connect(ctx context.Context, t Target, o agent.Options, tell func(Change)) (*agent.Agent, error) {
	token := o.Token
	if tell != nil {
		watch(t, &o, tell)
	}
	a, err := agent.Connect(ctx, t.URL(), o)
	if err != nil {
		return nil, Explain(err, t, token)
	}
	return a, nil
}

// watch puts itself between the agent and its connections.
func watch(t Target, o *agent.Options, tell func(Change)) {
	var mu sync.Mutex
	up := false
	say := func(c Change) {
		mu.Lock()
		defer mu.Unlock()
		if c.Phase == Up && up || c.Phase == Down && errors.Is(c.Err, context.Canceled) {
			return
		}
		up = c.Phase == Up
		tell(c)
	}
	dial, heard, wait := o.Dial, o.OnManifest, o.Wait
	if dial == nil {
		dial = agent.WebSocket(t.URL(), o.Token)
	}
	o.Dial = func(ctx context.Context) (agent.Wire, error) {
		say(Change{Phase: Dialling})
		wire, err := dial(ctx)
		if err != nil {
			say(Change{Phase: Down, Err: Explain(err, t, o.Token)})
			return nil, err
		}
		return &watched{Wire: wire, lost: func(err error) { say(Change{Phase: Down, Err: Explain(err, t, o.Token)}) }}, nil
	}
	o.OnManifest = func(m *message.Manifest) {
		say(Change{Phase: Up})
		if heard != nil {
			heard(m)
		}
	}
	o.Wait = func(ctx context.Context, d time.Duration) error {
		say(Change{Phase: Waiting, For: d})
		if wait != nil {
			return wait(ctx, d)
		}
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// watched is a connection that tells of its end.
type watched struct {
	agent.Wire
	lost func(error)
}

func (w *watched) Read(ctx context.Context) ([]byte, error) {
	text, err := w.Wire.Read(ctx)
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		w.lost(err)
	}
	return text, err
}

// Explain is an error of a connection in words that say what to do.
func Explain(err error, t Target, token string) error {
	var refused *agent.Refused
	var ended *agent.Ended
	var unknown *net.DNSError
	var record tls.RecordHeaderError
	var authority x509.UnknownAuthorityError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		return explainRefusal(refused, t, token)
	case errors.As(err, &ended):
		if ended.Reason != "" {
			return said(err, "the game has closed the connection: %s", Clean(ended.Reason))
		}
		return said(err, "the game has closed the connection (%d)", ended.Code)
	case errors.Is(err, agent.ErrReplaced), errors.Is(err, agent.ErrClosed):
		return err
	case errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(err.Error(), "refused"):
		return said(err, "nothing listens at %s: is the game running, and does it listen? A game that listens says its address", t.Address)
	case errors.As(err, &unknown):
		return said(err, "there is no machine called %s: give its address, like 127.0.0.1:4100", Clean(t.Host()))
	case errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET):
		return said(err, "the connection to %s has broken: the game has ended, or the network has", t.Address)
	case errors.As(err, &record) || errors.Is(err, http.ErrSchemeMismatch):
		return said(err, "%s does not speak TLS: give ws:// or http:// instead", t.Address)
	case errors.As(err, &authority):
		return said(err, "the certificate of %s is signed by nobody whom this machine trusts", t.Address)
	case errors.Is(err, context.DeadlineExceeded):
		return said(err, "%s does not answer in time: does the game still run, and is a firewall between?", t.Address)
	case errors.Is(err, context.Canceled):
		return err
	}
	text := err.Error()
	var of *url.Error
	if errors.As(err, &of) {
		text = of.Err.Error()
	}
	return said(err, "the connection to %s is gone: %s", t.Address, Clean(text))
}

func explainRefusal(r *agent.Refused, t Target, token string) error {
	switch r.Status {
	case http.StatusUnauthorized:
		if token == "" {
			return said(r, "the game at %s asks for its token: give --token-file FILE, or set AICC_TOKEN", t.Address)
		}
		return said(r, "the game at %s does not take this token: give the one that it was given, by --token-file FILE or AICC_TOKEN", t.Address)
	case http.StatusConflict:
		return said(r, "%s is taken: %s; `aicc play %s --list` shows who is free", t, Clean(r.Message), t.Address)
	case http.StatusForbidden:
		return said(r, "the game at %s does not let this in: %s", t.Address, Clean(r.Message))
	}
	return said(r, "the game at %s refuses with %d: %s", t.Address, r.Status, Clean(r.Message))
}

// explained is an error in other words.
type explained struct {
	text  string
	cause error
}

func said(cause error, format string, args ...any) error {
	return &explained{fmt.Sprintf(format, args...), cause}
}

func (e *explained) Error() string { return e.text }
func (e *explained) Unwrap() error { return e.cause }

// ForGood says that trying again will not help: the game listens, and does not let this in.
func ForGood(err error) bool {
	var refused *agent.Refused
	return errors.As(err, &refused) && refused.Status >= 400 && refused.Status < 500 &&
		refused.Status != http.StatusNotFound && refused.Status != http.StatusConflict && refused.Status != http.StatusTooManyRequests
}
