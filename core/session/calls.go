package session

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

type callState uint8

const (
	callFree   callState = iota
	callHeld             // accepted in a pause: the engine does not know of it
	callGiven            // the engine has it
	callComing           // its time is over, but its answer is on its way
	callOrphan           // it has had its outcome; only its answer is still to be taken
)

// call is one accepted call, until it has had its outcome.
type call struct {
	no       uint64
	ref      uint64 // the front's
	state    callState
	session  *Session
	tool     *Tool
	output   *schema.Schema
	most     int64 // bytes of its output; 0: none but the protocol's bound
	id       []byte
	key      digest // of id
	request  digest
	tick     uint64
	received int64 // of now
	since    int64 // the same of the session's clock
	deadline int64 // of that; never: none
	input    []byte
	repaired []string
}

// callTable finds calls by number: a place in it, and in the upper half how often that was used.
type callTable struct {
	list []*call
	free []uint32
}

func (t *callTable) take() *call {
	if n := len(t.free); n > 0 {
		c := t.list[t.free[n-1]]
		t.free = t.free[:n-1]
		return c
	}
	c := &call{no: uint64(len(t.list) + 1)}
	t.list = append(t.list, c)
	return c
}

func (t *callTable) find(no uint64) *call {
	if i := uint64(uint32(no)) - 1; i < uint64(len(t.list)) && t.list[i].no == no && t.list[i].state != callFree {
		return t.list[i]
	}
	return nil
}

func (t *callTable) release(c *call) {
	*c = call{no: c.no + 1<<32, id: c.id[:0], input: c.input[:0]}
	if cap(c.input) > keepTextBytes {
		c.input = nil
	}
	t.free = append(t.free, uint32(c.no)-1)
}

// outcome is what becomes of a call.
type outcome struct {
	output    []byte // when it went well
	code      message.ErrorCode
	text      string
	retryable bool
	started   bool // the engine may have worked on it
	retryNS   int64
	tick      uint64
	measured  bool // the time that it took says something of the tool
}

// toolCall takes a call, or answers it.
func (s *Session) toolCall(m *message.Message) {
	w := s.w
	key, request := w.digest(m.CallID), w.requestDigest(m.Tool, m.Input)
	for _, c := range s.calls {
		if c.key == key {
			if c.request != request {
				s.mismatch(m)
			}
			return
		}
	}
	if p := s.past; p != nil && p.known.has(key) {
		s.replay(m, p.find(key), request)
		return
	}
	t := s.kit.Find(m.Tool)
	if o := s.objection(t, m); o.code != 0 {
		s.refuse(m.CallID, key, request, &o)
		return
	}
	if n := int64(len(m.Input)); t.MaxInputBytes > 0 && n > t.MaxInputBytes {
		s.refuse(m.CallID, key, request, &outcome{code: message.InvalidInput,
			text: fmt.Sprintf("the input has %d bytes, and tool %q takes at most %d: send less", n, t.ID, t.MaxInputBytes)})
		return
	}
	if !t.Input.Check(&w.checker, m.Input) {
		s.refuse(m.CallID, key, request, &outcome{code: message.InvalidInput, text: w.checker.Message()})
		return
	}
	c := w.calls.take()
	c.session, c.tool, c.output, c.most, c.key, c.request, c.tick, c.received = s, t, t.Output, t.MaxOutputBytes, key, request, w.tick, w.now
	c.id = append(c.id[:0], m.CallID...)
	c.since, c.deadline = s.clock(), never
	if t.TimeoutNS != never {
		c.deadline = c.since + t.TimeoutNS
	}
	if len(w.checker.Repaired) > 0 {
		c.repaired = slices.Clone(w.checker.Repaired)
	}
	if s.stopped() && !t.WhilePaused {
		c.state = callHeld
		c.input = append(c.input[:0], w.checker.Value...)
		w.held = append(w.held, c)
	} else if !w.give(c, w.checker.Value) {
		w.calls.release(c)
		s.refuse(m.CallID, key, request, &outcome{code: message.ToolUnavailable, retryable: true, retryNS: second,
			text: "the game has no room for another call: wait for results and call again"})
		return
	}
	if s.past != nil {
		s.past.retry(key)
	}
	s.calls = append(s.calls, c)
	s.countUse(t)
	t.inFlight++
	w.Stats.Calls++
	w.Stats.CallsInFlight++
	s.playAlarm()
}

// give hands a call to the engine, and says whether that had room.
func (w *World) give(c *call, input []byte) bool {
	c.state = callGiven
	c.ref = w.host.CallQueued(CallItem{No: c.no, Session: c.session.number, Tool: c.tool.Number, Tick: c.tick,
		DeadlineNS: c.session.hostTime(c.deadline), Input: input, CallID: c.id})
	return c.ref != 0
}

// objection is why a call is not accepted, its input aside.
func (s *Session) objection(t *Tool, m *message.Message) (o outcome) {
	if t == nil || t.Hidden && !s.kit.allowed(t) {
		o.code = message.ToolUnknown
		o.text = fmt.Sprintf("there is no tool %q: use an id of the manifest, which manifest_request brings", m.Tool)
		return o
	}
	o.code = message.ToolUnavailable
	inTool := 0
	for _, c := range s.calls {
		if c.tool == t {
			inTool++
		}
	}
	u := s.use(t)
	switch {
	case t.Disabled:
		o.text = fmt.Sprintf("tool %q is switched off: use another one until a manifest_update brings it back", t.ID)
	case !s.kit.allowed(t):
		o.text = fmt.Sprintf("tool %q needs the capability %q, which this character does not hold: use another tool", t.ID, t.Capability)
	case t.PerSession > 0 && u != nil && u.total >= t.PerSession:
		o.text = fmt.Sprintf("tool %q may be called %s in this session, and no more: use another tool", t.ID, times(t.PerSession))
	case u != nil && u.wait(t.PerMinute, s.w.now) > 0:
		o.retryable, o.retryNS = true, u.wait(t.PerMinute, s.w.now)
		o.text = fmt.Sprintf("tool %q may be called %s in 60 seconds: call it again after retry_after_ms", t.ID, times(int64(t.PerMinute)))
	case inTool >= t.MaxInFlight:
		o.retryable, o.retryNS = true, second
		o.text = fmt.Sprintf("tool %q takes %s at a time: wait for a result and call again", t.ID, calls(int64(inTool)))
	case t.MaxConcurrent > 0 && t.inFlight >= t.MaxConcurrent:
		o.retryable, o.retryNS = true, second
		o.text = fmt.Sprintf("tool %q takes %s at a time from all characters together: call it again after retry_after_ms", t.ID, calls(t.MaxConcurrent))
	case len(s.calls) >= s.w.MaxCalls:
		o.retryable, o.retryNS = true, second
		o.text = fmt.Sprintf("%s may be in flight, and as many are: wait for a result and call again", calls(int64(s.w.MaxCalls)))
	default:
		o.code = 0
	}
	return o
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprint(n, " times")
}

func calls(n int64) string {
	if n == 1 {
		return "1 call"
	}
	return fmt.Sprint(n, " calls")
}

// refuse answers a call that is not accepted. One that would be refused again is remembered.
func (s *Session) refuse(id []byte, key, request digest, o *outcome) {
	w := s.w
	w.Stats.CallsRefused++
	o.tick = w.tick
	if o.retryable {
		w.out = w.appendResult(w.out[:0], s, w.ids.Next(), id, o, nil, 0)
		s.putText()
		return
	}
	s.keep(id, key, request, o, nil, 0)
}

// keep remembers a result and sends it.
func (s *Session) keep(id []byte, key, request digest, o *outcome, repaired []string, latency int64) {
	if s.past == nil {
		s.past = &past{}
	}
	away := s.state != live
	k := s.past.add(key, request, o.code != 0 && o.retryable && !o.started, away)
	k.text = s.w.appendResult(k.text, s, message.ID{}, id, o, repaired, latency) // its message id comes with each sending
	s.past.account(k, away)
	s.putKept(k, len(k.text))
}

func (w *World) appendResult(dst []byte, s *Session, mid message.ID, id []byte, o *outcome, repaired []string, latency int64) []byte {
	w.meta = message.Meta{Tick: o.tick, LatencyMS: latency / millisecond, Source: w.Name, Repaired: repaired,
		RetryAfterMS: (o.retryNS + millisecond - 1) / millisecond}
	if o.code == 0 {
		return message.AppendToolResultOK(dst, s.id, mid, id, o.output, &w.meta)
	}
	return message.AppendToolResultError(dst, s.id, mid, id, o.code, o.text, o.retryable, &w.meta)
}

// mismatch answers a call id that was used for something else: never with a result, of which there is one already.
func (s *Session) mismatch(m *message.Message) {
	s.fail(m.MessageID, message.InvalidInput, fmt.Sprintf("call_id %q was used for another tool or input: use a new call_id for each call", m.CallID), false)
}

// replay answers a call that has had its outcome.
func (s *Session) replay(m *message.Message, k *kept, request digest) {
	switch {
	case k == nil:
		w := s.w
		w.out = w.appendResult(w.out[:0], s, w.ids.Next(), m.CallID, &outcome{code: message.InternalError, tick: w.tick,
			text: fmt.Sprintf("call_id %q had its result, which is no longer kept: use a new call_id", m.CallID)}, nil, 0)
		s.putText()
	case k.request != request:
		s.mismatch(m)
	default:
		k.arrived = false
		s.putKept(k, len(k.text))
	}
}

// finish gives a call its outcome.
func (c *call) finish(o *outcome) {
	s, w := c.session, c.session.w
	s.calls = slices.DeleteFunc(s.calls, func(x *call) bool { return x == c })
	w.Stats.CallsInFlight--
	if o.code != 0 {
		w.Stats.CallsFailed++
	}
	c.tool.inFlight--
	if o.measured {
		c.tool.measure(w.now - c.received)
	}
	s.keep(c.id, c.key, c.request, o, c.repaired, w.now-c.received)
	if c.state == callOrphan {
		c.session, c.repaired = nil, nil
	} else {
		w.calls.release(c)
	}
	s.playAlarm()
	if !s.closing {
		s.completed()
	}
}

// takeBack takes a call away from the engine.
func (c *call) takeBack(reason EndReason) CallState {
	w := c.session.w
	switch c.state {
	case callHeld:
		w.held = slices.DeleteFunc(w.held, func(x *call) bool { return x == c })
		return CallWasQueued
	case callComing:
		return CallWasAnswered
	}
	return w.host.CallEnd(c.ref, reason)
}

// timeOut ends the calls whose time is over, in the order of their deadlines.
func (s *Session) timeOut() {
	for {
		var c *call
		for _, x := range s.calls {
			if x.deadline <= s.w.play && (c == nil || x.deadline < c.deadline) {
				c = x
			}
		}
		if c == nil {
			return
		}
		limit := (c.deadline - c.since) / millisecond
		o := outcome{code: message.Timeout, tick: s.w.tick, measured: true}
		switch c.takeBack(EndedTimeout) {
		case CallWasAnswered:
			c.state, c.deadline = callComing, never
			continue
		case CallWasStarted:
			o.started = true
			o.text = fmt.Sprintf("the call was not done within %d ms and its outcome is unknown: look before you call again", limit)
		default:
			o.retryable = true
			o.text = fmt.Sprintf("the game did not begin the call within %d ms and will not: call again", limit)
		}
		s.w.Stats.CallsTimedOut++
		c.finish(&o)
	}
}

// endCalls ends those calls that match. Where waits is set, an answer that is on its way is still the outcome.
func (s *Session) endCalls(match func(*call) bool, waits bool, reason EndReason, code message.ErrorCode, text string) {
	for _, c := range slices.Clone(s.calls) {
		if c.session != s || !match(c) { // ending one may have ended others
			continue
		}
		o := outcome{code: code, text: text, tick: s.w.tick}
		switch c.takeBack(reason) {
		case CallWasAnswered:
			if waits {
				c.state, c.deadline = callComing, never
				continue
			}
			c.state, o.started = callOrphan, true
		case CallWasStarted:
			o.started = true
		}
		c.finish(&o)
	}
}

func anyCall(*call) bool { return true }

// release gives the calls that a pause held back to the engine.
func (w *World) release() {
	held := w.held
	w.held = nil
	for _, c := range held {
		if c.state != callHeld { // ending one may have ended others
			continue
		}
		if c.session.stopped() {
			w.held = append(w.held, c)
			continue
		}
		if !w.give(c, c.input) {
			c.finish(&outcome{code: message.ToolUnavailable, retryable: true, retryNS: second, tick: w.tick,
				text: "the game has no room for another call: wait for results and call again"})
		}
	}
}

// Answer takes the output of a call.
func (w *World) Answer(no uint64, output []byte, tick uint64) {
	c := w.answered(no)
	if c == nil {
		return
	}
	if len(output) == 0 {
		output = noOutput
	}
	value, lone, fault := w.checkObject(output, w.MaxOutput)
	if fault == "" && !c.output.Check(&w.checker, value) {
		fault = strings.ReplaceAll(w.checker.Message(), "\n", "; ")
	}
	o := outcome{output: w.forWire(value, lone), started: true, tick: tick, measured: true}
	if fault != "" {
		fault = "its output is not what its output_schema says: " + fault
	}
	if n := int64(len(output)); c.most > 0 && n > c.most {
		fault = fmt.Sprintf("its output has %d bytes, and its max_output_bytes is %d", n, c.most)
	}
	if fault != "" {
		w.badOutput(c, fault)
		o.code, o.text = message.InternalError, "the tool's output was not valid and is withheld, a fault of the game: use another tool"
	}
	c.finish(&o)
}

var noOutput = []byte("{}")

func (w *World) badOutput(c *call, fault string) {
	number := c.tool.Number
	if c.tool.Removed {
		number = 0
	}
	fault = fmt.Sprintf("tool %q: %s", c.tool.ID, fault)
	w.host.Log(Error, c.session.number, number, fault)
	if w.Debug {
		w.host.Fault(c.session.number, number, fault)
	}
}

// Fail takes the failure of a call.
func (w *World) Fail(no uint64, code message.ErrorCode, text []byte, retryable bool, tick uint64) {
	c := w.answered(no)
	if c == nil {
		return
	}
	if len(text) > MaxFailBytes {
		text = text[:MaxFailBytes]
		for len(text) > 0 && !utf8.RuneStart(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
		if len(text) > 0 && text[len(text)-1] >= utf8.RuneSelf {
			text = text[:len(text)-1]
		}
	}
	c.finish(&outcome{code: code, text: string(text), retryable: retryable, started: true, tick: tick, measured: true})
}

// answered finds the call that an answer is for and drops the front's reference to it.
func (w *World) answered(no uint64) *call {
	c := w.calls.find(no)
	if c == nil || c.state == callHeld {
		return nil
	}
	w.host.CallDone(c.ref)
	if c.state == callOrphan {
		w.calls.release(c)
		return nil
	}
	return c
}

// Extend gives a call so much time from now on; negative: as much as it takes.
func (w *World) Extend(no uint64, ns int64) {
	c := w.calls.find(no)
	if c == nil || c.state == callComing || c.state == callOrphan {
		return
	}
	c.deadline = never
	if ns >= 0 {
		c.deadline = c.session.clock() + ns
	}
	c.session.playAlarm()
}

// checkObject gives the object that a host's text is, with the number of its lone surrogates, or what is wrong with it.
func (w *World) checkObject(text []byte, limit int) (value []byte, lone int, fault string) {
	w.scanner.MaxBytes = limit
	info, err := w.scanner.Check(text)
	if err != nil {
		return nil, 0, "not JSON that can be sent: " + err.Error()
	}
	if info.Kind != jsonwire.Object {
		return nil, 0, "an object was wanted, " + info.Kind.String() + " came"
	}
	return text[info.Start:info.End], info.LoneSurrogates, ""
}

// forWire takes the line breaks out of JSON, so that a message is one line on any wire, and lone surrogates, which an agent's parser may refuse.
func (w *World) forWire(value []byte, lone int) []byte {
	if lone == 0 && bytes.IndexByte(value, '\n') < 0 && bytes.IndexByte(value, '\r') < 0 {
		return value
	}
	w.work = jsonwire.AppendCompact(w.work[:0], value)
	if lone > 0 {
		jsonwire.MendSurrogates(w.work)
	}
	return w.work
}
