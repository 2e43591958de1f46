package script

import (
	"context"
	"slices"
	"time"

	"aicc.dev/libaicc/core/agent"
)

// take takes the oldest event that fits out of those that are kept.
func (r *runner) take(s *step, match []byte) *agent.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, e := range r.events {
		if e.Topic&s.topic != 0 && like(e.Payload, match) {
			r.events = slices.Delete(r.events, i, i+1)
			return &e
		}
	}
	return nil
}

// until waits for something that events or the manifest bring; false: the time was over first.
func (r *runner) until(end time.Time, is func() bool) (bool, error) {
	ctx, cancel := context.WithDeadline(r.ctx, end)
	defer cancel()
	for !is() {
		select {
		case <-r.more:
		case <-r.Wake:
		case <-r.Agent.Done():
			if is() {
				return true, nil
			}
			return false, r.Agent.Err()
		case <-ctx.Done():
			return is(), r.ctx.Err()
		}
	}
	return true, nil
}

func (r *runner) event(s *step) error {
	match, err := s.phrase.Input(r.lookup)
	if err != nil {
		return err
	}
	began := time.Now()
	wait := s.wait(r.timeout)
	var e *agent.Event
	ok, err := r.until(began.Add(wait), func() bool {
		e = r.take(s, match)
		return e != nil
	})
	if err != nil {
		return err
	}
	if !ok {
		return s.fail("none came in %v%s", wait, r.others(s))
	}
	r.sum.Events++
	name := s.name
	if name == "" {
		name = "it"
	}
	r.vars[name], r.vars["it"] = e.Payload, e.Payload
	r.note(s, Note{Name: s.name, Event: e, Took: time.Since(began)})
	return nil
}

// others tells of the last event of the topic that did not fit.
func (r *runner) others(s *step) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range slices.Backward(r.events) {
		if e.Topic&s.topic != 0 {
			return "; the last that did not fit is " + shortValue(e.Payload)
		}
	}
	return ""
}

func (r *runner) quiet(s *step) error {
	match, err := s.phrase.Input(r.lookup)
	if err != nil {
		return err
	}
	var e *agent.Event
	came, err := r.until(time.Now().Add(s.time), func() bool {
		e = r.take(s, match)
		return e != nil
	})
	if err == nil && came {
		return s.fail("one came: %s", shortValue(e.Payload))
	}
	if err == nil {
		r.note(s, Note{Message: "holds"})
	}
	return err
}

// has waits for a tool or a capability.
func (r *runner) has(s *step) error {
	wait := s.wait(r.timeout)
	ok, err := r.until(time.Now().Add(wait), func() bool {
		m := r.Agent.Manifest()
		if s.do == doTool {
			for i := range m.Tools {
				if m.Tools[i].ID == s.name {
					return true
				}
			}
			return false
		}
		c := &m.Capabilities
		return slices.Contains(c.Sensors, s.name) || slices.Contains(c.Actuators, s.name) || slices.Contains(c.Generators, s.name)
	})
	if err == nil && !ok {
		return s.fail("the character has it not after %v", wait)
	}
	if err == nil {
		r.note(s, Note{Message: "is there"})
	}
	return err
}

// sleep waits for a time, or until the game's tick is so much further. Where nothing tells the tick, it is taken to go on at its rate.
func (r *runner) sleep(s *step) error {
	if s.count == 0 {
		return r.pause(s.time)
	}
	rate := max(r.Agent.Manifest().TickRateHz, 0.001)
	length := func(ticks uint64) time.Duration {
		return time.Duration(min(float64(ticks)/rate*float64(time.Second), float64(maxTime)))
	}
	r.mu.Lock()
	began := time.Now()
	passed := uint64(0) // since the tick was told
	if !r.tickAt.IsZero() {
		passed = uint64(began.Sub(r.tickAt).Seconds() * rate)
	}
	target := r.tick + passed + uint64(s.count)
	at, tick := began, r.tick+passed
	r.mu.Unlock()
	for {
		end := at.Add(length(target - tick))
		reached, err := r.until(end, func() bool {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.tick >= target || r.tickAt.After(at)
		})
		if err != nil || !reached {
			return err
		}
		r.mu.Lock()
		at, tick = r.tickAt, r.tick
		r.mu.Unlock()
		if tick >= target {
			return nil
		}
	}
}
