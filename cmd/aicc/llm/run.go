package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"aicc.dev/libaicc/cmd/aicc/llm/chat"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/message"
)

// doing is one call of a turn.
type doing struct {
	call  chat.Call // as the conversation has it
	t     *tool
	input []byte
	key   string
	notes []string // what was put right
	where []string // the same, in the input
	began time.Time
	c     *agent.Call
	out   *outcome // nil: not yet
	again bool     // it was a repetition of what has failed
}

// waiting is our own tool at work.
type waiting struct {
	on    bool
	ticks bool
	began time.Time
	timer *time.Timer
}

// run runs the calls of a turn and tells the model what came of them.
func (p *Player) run(ctx context.Context, turn *chat.Turn) {
	var list, queue []*doing
	w := waiting{began: time.Now()}
	for i := range turn.Calls {
		d := p.prepare(&turn.Calls[i], &w)
		if list = append(list, d); d.t != nil && d.out == nil {
			queue = append(queue, d)
		}
	}
	if w.on {
		defer w.timer.Stop()
	}
	woken := p.work(ctx, queue, &w)
	results := make([]chat.Message, len(list))
	assistant := chat.Message{Role: "assistant", Content: cut(turn.Content, maxSaid), Thoughts: turn.Thoughts}
	for i, d := range list {
		if d.out == nil {
			d.out = &outcome{OK: true, Output: fmt.Appendf(nil, `{"waited_seconds":%.1f,"woken_by":%s}`, time.Since(w.began).Seconds(), quoted(woken))}
		}
		d.out.Repaired = append(d.where, d.out.Repaired...)
		for _, n := range d.notes {
			if d.out.Note != "" {
				d.out.Note += "; "
			}
			d.out.Note += n
		}
		if d.t == nil && d.out.Error != nil { // what the game never saw
			p.o.Log.outcome(p.end.Turns, d)
		}
		assistant.Calls = append(assistant.Calls, d.call)
		results[i] = chat.Message{Role: "tool", CallID: d.call.ID, Content: d.out.text()}
	}
	p.history.assistant(assistant, results)
	p.judge(list)
}

// prepare reads a call. One that cannot be run has its outcome at once.
func (p *Player) prepare(call *chat.Call, w *waiting) *doing {
	d := &doing{call: *call, began: time.Now()}
	d.call.Name = legalName(call.Name)
	d.key = call.Name + " " + call.Arguments
	name, renamed, near := p.tools.find(call.Name)
	input, note, err := object(call.Arguments)
	d.call.Arguments = string(input)
	if err != nil { // some servers read a conversation's arguments again, and fail where they are no JSON
		d.call.Arguments = `{"unreadable":` + string(quoted(cut(call.Arguments, 200))) + `}`
	}
	switch {
	case call.Cut:
		d.out = bad(fault{Code: codeNotRun, Message: "your answer was cut in the middle of this call, so it was not run", Advice: "make it again, and be brief"})
		return d
	case name == "":
		d.out = p.tools.unknown(call.Name, near)
	case err != nil:
		d.out = bad(fault{Code: codeArguments, Message: err.Error() + "; nothing was done", Advice: "call again with arguments that are one JSON object, and nothing around it"})
	case name == p.tools.wait:
		p.prepareWait(d, input, w)
		return d
	}
	if d.out != nil {
		d.again = p.repeats.failed(d.key, d.out, time.Now()) > p.o.Repeats
		return d
	}
	if renamed {
		d.notes = append(d.notes, "the tool's name is "+name)
	}
	if d.call.Name = name; note != "" {
		d.notes = append(d.notes, note)
	}
	t := p.tools.tools[name]
	d.input = t.fn.Restore(input)
	d.input, d.where = t.mend(d.input)
	d.key = repeatKey(t.ID, d.input)
	switch {
	case p.o.MaxCalls > 0 && p.end.Calls >= p.o.MaxCalls:
		d.out = bad(fault{Code: codeNotRun, Message: "the budget of calls is used up", Advice: "say good-bye"})
	case p.repeats.blocks(d.key, p.o.Repeats, time.Now()):
		d.again = true
		d.out = bad(fault{Code: codeRepeated, Message: fmt.Sprintf("this very call has failed each time, the last time with: %s; it was not sent again", p.repeats[d.key].last),
			Advice: fmt.Sprintf("do something else, or call %s until something changes; after more of these calls you are stopped", p.tools.wait)})
	default:
		d.t = t
		p.end.Calls++
	}
	return d
}

// legalName is a name as servers take it in a conversation, also one that was made up.
func legalName(name string) string {
	b := []byte(cut(name, 60))
	for i, c := range b {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			if (c < '0' || c > '9') && c != '_' && c != '-' {
				b[i] = '_'
			}
		}
	}
	if len(b) == 0 {
		return "nameless"
	}
	return string(b)
}

func (p *Player) prepareWait(d *doing, input []byte, w *waiting) {
	var args struct {
		Seconds json.Number
		Ticks   any
	}
	_ = json.Unmarshal(input, &args) // what is odd in it is as if it were not there
	seconds, err := args.Seconds.Float64()
	if err != nil || math.IsNaN(seconds) {
		seconds = 30
	}
	d.call.Name = p.tools.wait
	limit := time.Duration(min(max(seconds, 0), 600) * float64(time.Second))
	if w.ticks = w.ticks || args.Ticks == true || args.Ticks == "true"; !w.on {
		w.on, w.timer = true, time.NewTimer(limit)
		p.o.Log.note(Note{Do: "wait", Turn: p.end.Turns, Text: fmt.Sprintf("for %v, or until something happens", limit.Round(time.Millisecond))})
	}
}

// work runs the calls, some at once, in their order. It returns when all have ended, when the waiting has, or when patience has: calls that go on
// then tell of their result later.
func (p *Player) work(ctx context.Context, queue []*doing, w *waiting) (woken string) {
	finished := make(chan *doing, len(queue))
	patience := time.NewTimer(p.o.Patience)
	defer patience.Stop()
	var enough, gone = patience.C, p.a.Done()
	var alarm <-chan time.Time
	if len(queue) == 0 {
		enough = nil
	}
	if w.on {
		alarm = w.timer.C
	}
	started, running, ended := 0, 0, 0
	up := p.isUp()
	for woken == "" {
		for ; running < p.o.Parallel && started < len(queue); started++ {
			if p.start(queue[started], finished) {
				running++
			} else {
				ended++
			}
		}
		if ended == len(queue) && (!w.on || len(queue) > 0) {
			return wokenByCalls
		}
		if w.on && p.box.news(w.ticks) {
			p.settle(ctx)
			woken = wokenByEvent
			break
		}
		select {
		case d := <-finished:
			p.finish(d)
			running--
			ended++
		case <-p.box.wake:
		case <-p.changed:
			if w.on && (p.isUp() != up || up && p.refresh()) {
				woken = wokenByTools
			}
		case <-alarm:
			woken = wokenByTime
		case <-enough:
			woken = wokenByTime
		case <-ctx.Done():
			woken = wokenByTheEnd
		case <-gone: // its calls end with it
			if gone = nil; len(queue) == 0 {
				woken = wokenByTheEnd
			}
		}
	}
	p.leave(ctx, queue[:started], finished, running)
	for _, d := range queue[started:] {
		p.end.Calls--
		d.out = bad(fault{Code: codeNotRun, Message: "the calls before it have not ended, so it was not begun", Advice: "make it again if it is still wanted"})
		p.o.Log.outcome(p.end.Turns, d)
	}
	return woken
}

// start sends a call; its end is told to finished. False: it has ended already.
func (p *Player) start(d *doing, finished chan<- *doing) bool {
	d.began = time.Now()
	c, err := p.a.Start(d.t.ID, d.input)
	p.o.Log.note(Note{Do: "call", Turn: p.end.Turns, ID: d.call.ID, Tool: d.t.ID, Input: d.input, Text: join(d.notes)})
	if err != nil {
		p.end.Calls--
		d.out = bad(fault{Code: codeNotRun, Message: err.Error(), Advice: "wait until the game is there again"})
		p.o.Log.outcome(p.end.Turns, d)
		return false
	}
	d.c = c
	p.late.Go(func() {
		<-c.Done()
		finished <- d
	})
	return true
}

func join(notes []string) (s string) {
	for i, n := range notes {
		if i > 0 {
			s += "; "
		}
		s += n
	}
	return s
}

// finish takes the outcome of a call.
func (p *Player) finish(d *doing) {
	d.out = d.outcome()
	p.o.Log.outcome(p.end.Turns, d)
	if d.out.OK {
		delete(p.repeats, d.key)
		if d.t.Class != message.Sensor {
			p.repeats.changed()
		}
		return
	}
	d.again = p.repeats.failed(d.key, d.out, time.Now()) > p.o.Repeats
}

// outcome is that of a call that has ended.
func (d *doing) outcome() *outcome {
	r, err := d.c.Wait(context.Background())
	switch {
	case err == nil && r.OK:
		return good(&r)
	case err == nil:
		return refusal(&r, d.t, d.input)
	case errors.Is(err, agent.ErrLost):
		return bad(fault{Code: codeUnknown, Message: "the connection to the game was lost for good while the call was open: it may have been done, or not", Advice: "look before you call again"})
	}
	return bad(fault{Code: codeNotRun, Message: "the game has begun anew, or is gone: the call has not run", Retryable: true, Advice: "look around, then decide again"})
}

// leave is for calls that have not ended: they go on, or, at the end of the play, are not waited for.
func (p *Player) leave(ctx context.Context, started []*doing, finished <-chan *doing, running int) {
	over := ctx.Err() != nil
	for _, d := range started {
		switch {
		case d.out != nil:
		case over:
			code, text := codeUnknown, "the play is over; the call was sent, and may still be done"
			if d.c.Leave() {
				code, text = codeNotRun, "the play is over; the call was not sent"
				p.end.Calls--
			}
			d.out = bad(fault{Code: code, Message: text})
			p.o.Log.outcome(p.end.Turns, d)
		default:
			d.out = &outcome{Note: "it goes on; its result comes later, as a message. Do not make this call again", Error: &fault{Code: codeRunning,
				Message: fmt.Sprintf("it has not ended after %.0f seconds", time.Since(d.began).Seconds()), Advice: "do something else meanwhile, or wait"}}
			d.notes, d.where = nil, nil
			p.o.Log.outcome(p.end.Turns, d)
		}
	}
	if running == 0 {
		return
	}
	turn := p.end.Turns
	p.late.Go(func() {
		for range running {
			d := <-finished
			if over {
				continue
			}
			last := &doing{call: d.call, t: d.t, input: d.input, began: d.began, c: d.c}
			last.out = last.outcome()
			p.o.Log.outcome(turn, last)
			p.box.say(fmt.Sprintf("the result of your call %s of %s: %s", d.call.ID, d.t.ID, last.out.text()))
		}
	})
}

// judge looks whether a turn has led anywhere.
func (p *Player) judge(list []*doing) {
	all := slices.DeleteFunc(slices.Clone(list), func(d *doing) bool { return d.t == nil && d.out.OK })
	if len(all) == 0 {
		return // only waiting
	}
	again, failed := true, true
	for _, d := range all {
		again = again && d.again
		failed = failed && !d.out.OK && d.out.Error.Code != codeRunning
	}
	p.stuck, p.failing = counted(p.stuck, again), counted(p.failing, failed)
}

func counted(n int, more bool) int {
	if more {
		return n + 1
	}
	return 0
}
