package script

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"aicc.dev/libaicc/cmd/aicc/script/phrase"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// Failed is that a step did not hold.
type Failed struct {
	Line int
	Text string // the step
	Why  string
}

func (f *Failed) Error() string { return fmt.Sprintf("line %d: %s: %s", f.Line, f.Text, f.Why) }

// Note is one thing that happened, for a log.
type Note struct {
	Line    int
	Do      string // the step's first word
	Text    string // the step as it stands
	Tool    string
	Name    string
	Input   []byte // of a call that begins
	Result  *agent.Result
	Err     error // of a call that has no result
	Event   *agent.Event
	Took    time.Duration
	Message string // in words
}

// Options of a run.
type Options struct {
	Agent     *agent.Agent
	Character string
	Log       func(Note)
	Wake      <-chan struct{} // tells that the manifest may have changed
}

// Summary is what came of a run.
type Summary struct {
	Steps, Calls, Events int
	Took                 time.Duration
}

// maxKept bounds the events that no step has taken.
const maxKept = 4096

type runner struct {
	Options
	ctx     context.Context
	timeout time.Duration
	vars    map[string][]byte
	calls   map[string]*open
	tick    uint64 // the last that the game told, and when it did
	tickAt  time.Time
	sum     Summary

	mu     sync.Mutex
	events []agent.Event
	more   chan struct{}
}

// open is a call that was started.
type open struct {
	*agent.Call
	began time.Time
}

// Run plays a script. The error is a *Failed where a step did not hold, and anything else where it could not be played to its end.
func (s *Script) Run(ctx context.Context, o Options) (Summary, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.Log == nil {
		o.Log = func(Note) {}
	}
	r := &runner{Options: o, ctx: ctx, timeout: firstWait, vars: map[string][]byte{}, calls: map[string]*open{}, more: make(chan struct{}, 1)}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(r.hear)
	began := time.Now()
	err := r.run(s.steps)
	r.sum.Took = time.Since(began)
	return r.sum, err
}

// hear keeps the events until steps take them.
func (r *runner) hear() {
	for {
		e, err := r.Agent.Event(r.ctx)
		if err != nil {
			return
		}
		r.mu.Lock()
		if len(r.events) >= maxKept {
			r.events = slices.Delete(r.events, 0, 1)
		}
		r.events = append(r.events, e)
		r.saw(e.Meta)
		r.mu.Unlock()
		select {
		case r.more <- struct{}{}:
		default:
		}
	}
}

// saw notes the game's tick; with mu.
func (r *runner) saw(m message.Meta) {
	if !m.NoTick && m.Tick >= r.tick {
		r.tick, r.tickAt = m.Tick, time.Now()
	}
}

func (r *runner) run(steps []step) error {
	for i := range steps {
		s := &steps[i]
		if err := r.ctx.Err(); err != nil {
			return err
		}
		r.sum.Steps++
		if err := r.step(s); err != nil {
			var fault *phrase.Error
			var failed *Failed
			if errors.As(err, &fault) && !errors.As(err, &failed) {
				return &Failed{s.line, s.text, fault.Error()}
			}
			return err
		}
	}
	return nil
}

func (s *step) fail(format string, args ...any) error {
	return &Failed{s.line, s.text, fmt.Sprintf(format, args...)}
}

func (r *runner) note(s *step, n Note) {
	n.Line, n.Do, n.Text = s.line, s.do.String(), s.text
	r.Log(n)
}

func (r *runner) step(s *step) error {
	switch s.do {
	case doCall:
		return r.call(s)
	case doStart:
		name := s.nameOf()
		if r.calls[name] != nil {
			return s.fail("%s is open already: wait for it by `result %s`, or give this one another name by `as`", name, name)
		}
		o, err := r.start(s)
		if err == nil {
			r.calls[name] = o
			delete(r.vars, name)
		}
		return err
	case doResult:
		o := r.calls[s.name]
		if o == nil {
			return s.fail("no call %s is open: begin one by `start TOOL as %s`", s.name, s.name)
		}
		delete(r.calls, s.name)
		res, err := r.await(s, o, time.Now().Add(s.wait(r.timeout)))
		if err != nil {
			return err
		}
		return r.judge(s, s.name, res)
	case doEvent:
		return r.event(s)
	case doQuiet:
		return r.quiet(s)
	case doTool, doCapability:
		return r.has(s)
	case doExpect:
		ok, why, err := s.cond.holds(r.lookup)
		if err == nil && !ok {
			return s.fail("%s", why)
		}
		if err == nil {
			r.note(s, Note{Message: "holds"})
		}
		return err
	case doLet:
		v, err := loose(s.value, r.lookup)
		if err == nil {
			r.vars[s.name] = slices.Clone(v)
		}
		return err
	case doSay:
		input, err := s.phrase.Input(r.lookup)
		if err == nil {
			if err = r.Agent.Say(input); err == nil {
				r.note(s, Note{Input: input})
			}
		}
		return err
	case doPrint:
		text, err := phrase.Fill(s.value.Text, s.value.At, r.lookup)
		if err == nil {
			r.note(s, Note{Message: text})
		}
		return err
	case doSleep:
		return r.sleep(s)
	case doTimeout:
		r.timeout = s.time
	case doRepeat:
		return r.repeat(s)
	}
	return nil
}

func (s *step) nameOf() string {
	if s.name != "" {
		return s.name
	}
	return s.phrase.Tool
}

func (r *runner) start(s *step) (*open, error) {
	input, err := s.phrase.Input(r.lookup)
	if err != nil {
		return nil, err
	}
	c, err := r.Agent.Start(s.phrase.Tool, input)
	if err != nil {
		return nil, err
	}
	r.sum.Calls++
	r.note(s, Note{Tool: c.Tool, Name: s.nameOf(), Input: input})
	return &open{c, time.Now()}, nil
}

// call makes a call and waits for its result, again and again with retry.
func (r *runner) call(s *step) error {
	end := time.Now().Add(s.wait(r.timeout))
	for {
		o, err := r.start(s)
		if err != nil {
			return err
		}
		res, err := r.await(s, o, end)
		if err != nil {
			return err
		}
		if !s.retry || res.OK || !res.Retryable {
			return r.judge(s, s.nameOf(), res)
		}
		wait := max(time.Duration(res.Meta.RetryAfterMS)*time.Millisecond, 50*time.Millisecond)
		if time.Until(end) < wait {
			return s.fail("%s may be called again in %v, and there are %v left: say more by `within`", o.Tool, wait, time.Until(end).Round(time.Millisecond))
		}
		if err := r.pause(wait); err != nil {
			return err
		}
	}
}

// await waits for a call's result.
func (r *runner) await(s *step, o *open, end time.Time) (agent.Result, error) {
	ctx, cancel := context.WithDeadline(r.ctx, end)
	defer cancel()
	res, err := o.Wait(ctx)
	took := time.Since(o.began)
	switch {
	case err != nil && ctx.Err() != nil && r.ctx.Err() == nil:
		state := "was sent, its outcome is unknown"
		if o.Leave() {
			state = "has not run"
		}
		return res, s.fail("%s has no result after %v: it %s", o.Tool, took.Round(time.Millisecond), state)
	case err != nil:
		r.note(s, Note{Tool: o.Tool, Err: err, Took: took})
		return res, err
	}
	r.mu.Lock()
	r.saw(res.Meta)
	r.mu.Unlock()
	r.note(s, Note{Tool: o.Tool, Name: s.nameFor(o), Result: &res, Took: took})
	return res, nil
}

func (s *step) nameFor(o *open) string {
	if s.name != "" {
		return s.name
	}
	return o.Tool
}

// judge holds a result against what the step expects, and remembers it.
func (r *runner) judge(s *step, name string, res agent.Result) error {
	value := slices.Clone(res.Output)
	if !res.OK {
		value, _ = jsonwire.AppendString([]byte(`{"code":`), res.Code.String())
		value, _ = jsonwire.AppendString(append(value, `,"message":`...), res.Text)
		value = fmt.Appendf(value, `,"retryable":%t,"retry_after_ms":%d}`, res.Retryable, max(res.Meta.RetryAfterMS, 0))
	}
	r.vars[name], r.vars["it"] = value, value
	switch {
	case res.OK && s.fails:
		return s.fail("it was to fail, and gives %s", shortValue(res.Output))
	case !res.OK && !s.fails:
		return s.fail("%s: %s", res.Code, res.Text)
	case s.fails && s.code != 0 && s.code != res.Code:
		return s.fail("it was to fail with %s, and fails with %s: %s", s.code, res.Code, res.Text)
	}
	return nil
}

// pause waits, unless the script or the agent ends.
func (r *runner) pause(d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-r.ctx.Done():
		return r.ctx.Err()
	case <-r.Agent.Done():
		return r.Agent.Err()
	}
}

func (r *runner) repeat(s *step) error {
	end := time.Now().Add(s.wait(r.timeout))
	for round := 1; ; round++ {
		r.vars["round"] = jsonwire.AppendInt(nil, int64(round))
		if err := r.run(s.body); err != nil {
			return err
		}
		if s.cond == nil {
			if round >= s.count {
				return nil
			}
			continue
		}
		ok, why, err := s.cond.holds(r.lookup)
		if err != nil || ok {
			return err
		}
		if !time.Now().Before(end) {
			return s.fail("it does not after %d rounds and %v: %s", round, s.wait(r.timeout), why)
		}
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if len(s.body) == 0 {
			if err := r.pause(10 * time.Millisecond); err != nil {
				return err
			}
		}
	}
}

// lookup gives a variable, or what is inside of one.
func (r *runner) lookup(path string) ([]byte, error) {
	name, rest, deeper := strings.Cut(path, ".")
	value, ok := r.vars[name]
	if !ok {
		switch name {
		case "tick":
			r.mu.Lock()
			value = jsonwire.AppendUint(nil, r.tick)
			r.mu.Unlock()
		case "world":
			value, _ = jsonwire.AppendString(nil, r.Agent.Manifest().WorldName)
		case "character":
			value, _ = jsonwire.AppendString(nil, r.Character)
		case "tools":
			value = toolsOf(r.Agent.Manifest())
		default:
			return nil, r.unknown(name)
		}
	}
	if !deeper {
		return value, nil
	}
	return descend(value, name, strings.Split(rest, "."))
}

func (r *runner) unknown(name string) error {
	if r.calls[name] != nil {
		return fmt.Errorf("%s has no result yet: wait for it by `result %s`", name, name)
	}
	have := []string{"tick", "world", "character", "tools"}
	for name := range r.vars {
		have = append(have, name)
	}
	slices.Sort(have)
	return fmt.Errorf("there is no %s: there is %s", short(name), strings.Join(have, ", "))
}

// toolsOf is the tools by their ids: {"look":{"class":"sensor","description":"..."}}.
func toolsOf(m *message.Manifest) []byte {
	out := []byte{'{'}
	for i := range m.Tools {
		if i > 0 {
			out = append(out, ',')
		}
		t := &m.Tools[i]
		out, _ = jsonwire.AppendString(out, t.ID)
		out, _ = jsonwire.AppendString(append(out, `:{"class":`...), t.Class.String())
		out, _ = jsonwire.AppendString(append(out, `,"description":`...), t.Description)
		out = append(out, '}')
	}
	return append(out, '}')
}
