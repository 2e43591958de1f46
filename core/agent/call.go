package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// Result is what came of a call.
type Result struct {
	OK        bool
	Output    []byte // an object, when OK
	Code      message.ErrorCode
	Text      string // for the model: what was wrong
	Retryable bool
	Meta      message.Meta
}

// ToolError is a Result that is not OK, as an error.
type ToolError struct {
	Tool string
	Result
}

func (e *ToolError) Error() string { return fmt.Sprintf("%s: %v: %s", e.Tool, e.Code, e.Text) }

// Call is one tool call. It has one result, or one error, for ever.
type Call struct {
	ID, Tool string
	Input    []byte

	a       *Agent
	done    chan struct{}
	result  Result
	err     error
	link    *link // it was sent on last
	sent    bool  // it may have arrived
	message message.ID
	left    bool // nobody waits for it
}

// Start makes a call and returns at once. It is sent as soon as there is a session and room, and, should the connection be lost, asked for again.
// It is a call of the session that there is, or else of the next: where that ends, what was decided in it is not done in another one.
func (a *Agent) Start(tool string, input []byte) (*Call, error) {
	if !message.ValidToolID(tool) {
		return nil, fmt.Errorf("%q is no tool id: use one of the manifest", tool)
	}
	if input == nil {
		input = []byte("{}")
	}
	if err := checkObject(input); err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	select {
	case <-a.done:
		return nil, a.err
	default:
	}
	if a.closing {
		return nil, ErrClosed
	}
	a.lastCall++
	c := &Call{ID: fmt.Sprint(a.prefix, a.lastCall), Tool: tool, Input: slices.Clone(input), a: a, done: make(chan struct{})}
	a.calls[c.ID] = c
	a.order = append(a.order, c)
	a.wake()
	return c, nil
}

// Done is closed when the call has its result or error.
func (c *Call) Done() <-chan struct{} { return c.done }

// Wait gives the result. Where ctx is over first the call goes on, and Wait may be called again.
func (c *Call) Wait(ctx context.Context) (Result, error) {
	select {
	case <-c.done:
		return c.result, c.err
	case <-ctx.Done():
		return Result{}, ctx.Err()
	}
}

// Leave says that nobody waits for the call any more: it is not asked for again, and not sent if it was not yet, which it says by true.
func (c *Call) Leave() (unsent bool) {
	a := c.a
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.left || a.calls[c.ID] != c {
		return false
	}
	if c.left = true; c.sent {
		return false
	}
	a.finish(c, Result{}, ErrNotRun)
	return true
}

// Call makes a call and waits for its result, or for ctx: then the error says whether the call may have run.
func (a *Agent) Call(ctx context.Context, tool string, input []byte) (Result, error) {
	c, err := a.Start(tool, input)
	if err != nil {
		return Result{}, err
	}
	r, err := c.Wait(ctx)
	if err == nil || ctx.Err() == nil {
		return r, err
	}
	if c.Leave() {
		return Result{}, fmt.Errorf("%w: %w", ErrNotRun, ctx.Err())
	}
	select {
	case <-c.done: // just now
		return c.result, c.err
	default:
		return Result{}, fmt.Errorf("the call was sent and its outcome is unknown: %w", ctx.Err())
	}
}

// Ask is Call with an input that becomes JSON and an output that is made of it. A result that is not OK is a *ToolError.
func Ask[Out any](ctx context.Context, a *Agent, tool string, input any) (out Out, err error) {
	text, err := json.Marshal(input)
	if err != nil {
		return out, fmt.Errorf("the input of %s cannot be written: %w", tool, err)
	}
	r, err := a.Call(ctx, tool, text)
	if err != nil {
		return out, err
	}
	if !r.OK {
		return out, &ToolError{Tool: tool, Result: r}
	}
	if err = json.Unmarshal(r.Output, &out); err != nil {
		return out, fmt.Errorf("the output of %s is not what was expected: %w", tool, err)
	}
	return out, nil
}

func checkObject(text []byte) error {
	var s jsonwire.Scanner
	info, err := s.Check(text)
	if err != nil {
		return fmt.Errorf("not JSON: %w", err)
	}
	if info.Kind != jsonwire.Object {
		return fmt.Errorf("a JSON object was wanted, %s came", info.Kind)
	}
	return nil
}

// finish gives a call its outcome; with mu. Who calls has found it in a.calls, so it is the first.
func (a *Agent) finish(c *Call, r Result, err error) {
	delete(a.calls, c.ID)
	if i := slices.Index(a.order, c); i >= 0 {
		a.order = slices.Delete(a.order, i, i+1)
	}
	if c.sent {
		a.past.add(c.ID)
	}
	c.result, c.err = r, err
	close(c.done)
	a.wake() // there may be room for the next
}

// next is the call that is to be sent now; with mu.
func (a *Agent) next(l *link) *Call {
	inFlight := 0
	for _, c := range a.order {
		if c.sent {
			if inFlight++; c.link != l && !c.left {
				return c
			}
			continue
		}
		if inFlight >= a.o.MaxInFlight {
			return nil
		}
		return c
	}
	return nil
}

// past is the last ids of calls that have ended.
type past struct {
	known map[string]struct{}
	ring  []string
	from  int
}

const maxPast = 4096

func (p *past) has(id []byte) bool {
	_, ok := p.known[string(id)]
	return ok
}

func (p *past) add(id string) {
	if p.known == nil {
		p.known = map[string]struct{}{}
	}
	p.known[id] = struct{}{}
	if len(p.ring) < maxPast {
		p.ring = append(p.ring, id)
		return
	}
	delete(p.known, p.ring[p.from])
	p.ring[p.from] = id
	p.from = (p.from + 1) % maxPast
}
