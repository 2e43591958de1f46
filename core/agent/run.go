package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"aicc.dev/libaicc/core/message"
)

// link is one connection, from its making to its end.
type link struct {
	wire    Wire
	wake    chan struct{}
	live    bool // its session_init has come; with mu, as the rest
	resume  message.ID
	resumes message.ID // the message that asked for it
	asked   bool       // that was sent
	goodbye []byte
	gone    bool // session_close has come
}

// run is the one that makes connections, and makes them again.
func (a *Agent) run() {
	var err, last error
	since, attempt := a.o.Now(), 0
	for {
		var live bool
		if live, err = a.connection(); live {
			since, attempt = a.o.Now(), 0
		}
		if a.ctx.Err() == nil {
			last = err
		} else if err = ErrClosed; !isClosed(a.ready) && last != nil {
			err = last
		}
		if err = a.verdict(err, live, a.o.Now().Sub(since)); err != nil {
			break
		}
		_ = a.o.Wait(a.ctx, a.delay(attempt)) // cut short, the next attempt fails at once
		attempt++
	}
	a.end(err)
}

// delay grows twofold; half of it is chance, so that agents that lost a game together do not come back together.
func (a *Agent) delay(attempt int) time.Duration {
	d := a.o.Most
	if attempt < 30 {
		d = min(a.o.First<<attempt, a.o.Most)
	}
	return d/2 + time.Duration(a.o.Random()*float64(d/2))
}

// verdict says why there is to be no further attempt, nil when there is.
func (a *Agent) verdict(err error, live bool, without time.Duration) error {
	var refused *Refused
	var ended *Ended
	a.mu.Lock()
	closing := a.closing || a.ctx.Err() != nil
	a.mu.Unlock()
	live = live || isClosed(a.ready)
	switch {
	case errors.As(err, &ended) && ended.Code == closeReplaced:
		return ErrReplaced
	case errors.As(err, &refused) && refused.forGood():
		return err
	case closing && live:
		return ErrClosed
	case closing:
		return err
	case !live && !a.o.Patient:
		return err
	case live && without >= a.o.GiveUp:
		return fmt.Errorf("there was no session for %v, the last attempt: %w", without.Round(time.Second), err)
	}
	return nil
}

// connection makes one and lives with it to its end, of which it says the reason, and whether there was a session.
func (a *Agent) connection() (live bool, err error) {
	ctx, cancel := context.WithTimeout(a.ctx, a.o.Handshake)
	wire, err := a.o.Dial(ctx)
	cancel()
	if err != nil {
		return false, err
	}
	l := &link{wire: wire, wake: make(chan struct{}, 1)}
	a.mu.Lock()
	a.stats.Connections++
	a.link, l.resume = l, a.session
	a.wake()
	a.mu.Unlock()

	ctx, cancel = context.WithCancel(a.ctx)
	var wg sync.WaitGroup
	wg.Go(func() { a.write(ctx, l) })
	wg.Go(func() { a.watch(ctx, l) })
	late := time.AfterFunc(a.o.Handshake, func() {
		a.mu.Lock()
		late := !l.live
		a.mu.Unlock()
		if late {
			wire.Abort()
		}
	})
	err = a.read(ctx, l)
	late.Stop()
	cancel()
	wire.Abort()
	wg.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.link = nil
	return l.live, err
}

// watch gives a connection up whose other side does not answer.
func (a *Agent) watch(ctx context.Context, l *link) {
	t := time.NewTicker(a.o.PingEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		limit, cancel := context.WithTimeout(ctx, a.o.PingEvery)
		err := l.wire.Ping(limit)
		cancel()
		if err != nil {
			l.wire.Abort()
			return
		}
	}
}

// write sends what there is to send, in this order: session_resume, and once there is a session, calls that were sent on an earlier
// connection, other messages, calls, good-bye.
func (a *Agent) write(ctx context.Context, l *link) {
	beat := time.NewTimer(time.Hour)
	defer beat.Stop()
	for {
		if a.o.Heartbeat > 0 {
			beat.Reset(a.o.Heartbeat)
		}
		for m := a.outgoing(l, false); m != nil; m = a.outgoing(l, false) {
			if l.wire.Write(ctx, m) != nil {
				l.wire.Abort()
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
		case <-beat.C:
			if m := a.outgoing(l, a.o.Heartbeat > 0); m != nil && l.wire.Write(ctx, m) != nil {
				l.wire.Abort()
				return
			}
		}
	}
}

// outgoing is the next message, nil when there is none. It counts as sent from here on: whether it arrives nobody knows.
func (a *Agent) outgoing(l *link, beat bool) []byte {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !l.resume.IsZero() && !l.asked {
		l.asked, l.resumes = true, a.ids.Next()
		return message.AppendSessionResume(nil, l.resume, l.resumes)
	}
	if !l.live || l.gone {
		return nil
	}
	c := a.next(l)
	if (c == nil || !c.sent) && len(a.queue) > 0 {
		m := a.queue[0]
		a.queue = a.queue[1:]
		return m
	}
	if c != nil {
		if c.sent {
			a.stats.AskedAgain++
		} else {
			a.stats.Calls++
		}
		c.sent, c.link, c.message = true, l, a.ids.Next()
		return message.AppendToolCall(nil, a.session, c.message, c.ID, c.Tool, c.Input)
	}
	if m := l.goodbye; m != nil {
		l.goodbye = nil
		return m
	}
	if beat {
		return message.AppendHeartbeat(nil, a.session, a.ids.Next(), nil)
	}
	return nil
}

// end is the agent's.
func (a *Agent) end(err error) {
	a.cancel()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.err = err
	for len(a.order) > 0 {
		c := a.order[0]
		why := ErrNotRun
		if c.sent {
			why = ErrLost
		}
		a.finish(c, Result{}, fmt.Errorf("%w; the agent has ended: %w", why, err))
	}
	close(a.done)
}
