package bridge

import (
	"fmt"
	"slices"
	"strings"
)

// twin is a slow, plain copy of one session, written from section 5 of the design and not from the code: nothing is bounded but what the
// design bounds, everything is a list that is looked through. TestModel holds the bridge against it.
type twin struct {
	now                     int64 // ms
	ticks                   string
	heard                   bool // subscribed to tick
	tools                   []*twinTool
	wings                   bool // the one capability
	conn, lastConn          int  // the connection, 0: none
	waiting, beats, resumed bool
	played                  bool  // there was an agent
	sent                    int   // messages on this connection
	sid                     int   // how many session ids there were
	valid                   bool  // the last of them is in use, or may be resumed
	left, over              int64 // when the connection, and the protocol session, ended
	lastSent, lastSaid      int64 // by the bridge, by the agent
	tickDue, updated        int64
	told                    string // the manifest that the agent knows
	open                    []*twinCall
	past                    []*twinResult
	uses                    map[string][]int64
	queue                   []*twinResult // other messages, too
	items, said, beat       []string      // what reaches the game; messages, heartbeats apart
}

type twinTool struct {
	id                      string
	perMinute, perSession   int
	inFlight                int
	timeout                 int64
	wings, disabled, number bool // number: its input must be {"n":integer}
}

type twinCall struct {
	id, tool, input string
	started, coming bool // coming: its answer is on its way
	received, until int64
}

type twinResult struct {
	id, request, text string
	remembered        bool
	arrived           bool
	sent              int // which message of its connection it was; 0: none
}

const twinWindow, twinBeat, twinIdle, twinPeriod, twinNever = 120_000, 15_000, 45_000, 1000, 1 << 40 // ms; ticks of cloud_medium

func (w *twin) live() bool { return w.conn != 0 && !w.waiting }

func (w *twin) mark() string { return strings.Replace(fmt.Sprintf("<guard:%d>", w.sid), ":1>", ">", 1) }

func (w *twin) item(format string, args ...any) {
	w.items = append(w.items, fmt.Sprintf(format, args...))
}

func (w *twin) say(text string) { w.send(&twinResult{text: w.mark() + " " + text}) }

func (w *twin) send(r *twinResult) {
	if w.live() {
		w.queue = append(w.queue, r)
	}
}

func (w *twin) manifest() string {
	text := ""
	for _, t := range w.tools {
		if !t.disabled {
			text += t.id + ","
		}
	}
	return fmt.Sprintf("%s wings %v", text, w.wings)
}

// flush sends what is queued, and what is due when nothing is.
func (w *twin) flush() {
	for _, r := range w.queue {
		w.sent++
		w.said, r.sent, w.lastSent = append(w.said, r.text), w.sent, w.now
	}
	w.queue = nil
	if w.live() && w.manifest() != w.told && w.now >= w.updated+1000 {
		w.told, w.updated, w.lastSent = w.manifest(), w.now, w.now
		w.sent++
		w.beat = append(w.beat, "UPDATE "+w.told)
	}
	if w.live() && w.now >= w.lastSent+twinBeat {
		w.lastSent = w.now
		w.sent++
		w.beat = append(w.beat, "BEAT")
	}
}

// advance lets time pass, moment by moment.
func (w *twin) advance(to int64) {
	for {
		at := int64(twinNever)
		due := func(may bool, then int64) {
			if may {
				at = min(at, then)
			}
		}
		for _, c := range w.open {
			due(true, c.until)
		}
		due(w.live(), w.lastSent+twinBeat)
		due(w.live() && w.ticks != "event" && w.heard, w.tickDue)
		due(w.live() && w.beats, w.lastSaid+twinIdle)
		due(w.live() && w.manifest() != w.told, w.updated+1000)
		due(w.conn == 0 && w.valid, w.left+twinWindow)
		due(w.waiting, w.lastSaid+2000)
		if w.now = max(w.now, min(at, to)); at > to {
			return
		}
		w.moment()
		w.flush()
	}
}

func (w *twin) moment() {
	for _, c := range slices.SortedStableFunc(slices.Values(w.open), func(a, b *twinCall) int { return int(a.until - b.until) }) {
		if c.until <= w.now && c.coming {
			c.until = twinNever
		} else if c.until <= w.now {
			w.finish(c, "timeout", !c.started, c.started, true, "timeout")
		}
	}
	if w.live() && w.ticks != "event" && w.heard && w.now >= w.tickDue {
		w.tickDue += ((w.now-w.tickDue)/twinPeriod + 1) * twinPeriod
		w.tick()
	}
	switch {
	case w.waiting && w.now >= w.lastSaid+2000:
		w.anew(true)
	case w.live() && w.beats && w.now >= w.lastSaid+twinIdle:
		w.leave(true)
	case w.conn == 0 && w.valid && w.now >= w.left+twinWindow:
		w.gone()
	}
}

// tick queues a tick event, and no other stays queued.
func (w *twin) tick() {
	if w.heard {
		w.queue = slices.DeleteFunc(w.queue, func(r *twinResult) bool { return strings.HasSuffix(r.text, " TICK") })
		w.say("TICK")
	}
}

func (w *twin) init() { w.told = w.manifest(); w.say("INIT " + w.told) }

// finish gives a call its one outcome: "ok" and its output, or a code. With a reason it is taken from the game.
func (w *twin) finish(c *twinCall, outcome string, retryable, started, ticks bool, reason string) {
	if reason != "" && !c.coming {
		w.item("%s %s %s", map[bool]string{true: "ended", false: "withdrawn"}[c.started], c.id, reason)
	}
	w.open = slices.DeleteFunc(w.open, func(x *twinCall) bool { return x == c })
	w.keep(c.id, c.tool+c.input, outcome, retryable, !retryable || started, w.now-c.received)
	if ticks && w.ticks != "fixed" {
		w.tick()
	}
}

func (w *twin) keep(id, request, outcome string, retryable, remembered bool, latency int64) {
	r := &twinResult{id: id, request: request, remembered: remembered, text: w.mark() + " " + resultText(id, outcome, retryable, latency, 0)}
	w.past = append(w.past, r)
	w.send(r)
}

func (w *twin) endAll(match func(*twinCall) bool, reason, code string, ticks bool) {
	for _, c := range slices.Clone(w.open) {
		if match(c) && (!c.coming || !ticks) { // the answer still counts, unless the session ends
			w.finish(c, code, false, c.started, ticks, reason)
		}
	}
}

func (w *twin) attach(conn int, wait, fresh, replace bool) {
	switch {
	case conn == w.conn && (!w.waiting || wait):
		return
	case conn != w.conn && w.conn != 0 && !replace:
		w.item("let_go %d", conn)
		return
	case conn != w.conn && w.conn != 0:
		w.leave(true)
	}
	w.conn, w.lastConn, w.waiting = conn, conn, true
	w.sent, w.beats, w.resumed, w.lastSent, w.lastSaid = 0, false, false, w.now, w.now
	if fresh && w.valid {
		w.gone()
	}
	if !wait || !w.played {
		w.begin(true)
	}
}

// anew is for an agent that does not show that it is the one of before.
func (w *twin) anew(say bool) {
	if w.valid {
		w.gone()
	}
	w.begin(say)
}

func (w *twin) begin(say bool) {
	if w.valid && w.now >= w.left+twinWindow {
		w.gone()
	}
	if !w.valid {
		if w.now >= w.over+twinWindow {
			w.uses = map[string][]int64{}
		}
		w.sid++
		w.valid = true
	}
	w.waiting, w.played, w.tickDue = false, true, w.now+twinPeriod
	w.item("connected")
	if say {
		w.init()
	}
}

func (w *twin) leave(ours bool) {
	was := w.live()
	if ours {
		w.item("let_go %d", w.conn)
	}
	w.conn, w.waiting, w.queue = 0, false, nil
	for _, r := range w.past {
		if r.sent != 0 {
			r.sent = twinNever // counts begin anew
		}
	}
	if was {
		w.left = w.now
		w.item("detached")
	}
}

func (w *twin) gone() { w.endSession("agent"); w.item("gone") }

func (w *twin) endSession(reason string) {
	w.endAll(func(*twinCall) bool { return true }, reason, "session_expired", false)
	w.past, w.valid, w.over = nil, false, w.now
}

// In what an agent says `right` means that it has the session's id. first is what any message but session_resume does at first; it says whether the session is the one that it named.
func (w *twin) first(right bool, code string) bool {
	w.lastSaid = w.now
	old := w.sid
	if w.waiting && right && w.valid && w.now < w.left+twinWindow {
		w.begin(true)
	} else if w.waiting {
		w.anew(true)
	}
	if right = right && old == w.sid; !right && code != "" {
		w.say("ERROR " + code)
	}
	return right
}

func (w *twin) resume(right bool) {
	w.lastSaid = w.now
	if w.waiting && right && w.valid && w.now < w.left+twinWindow {
		w.waiting, w.tickDue = false, w.now+twinPeriod
	} else if w.waiting {
		w.anew(false)
		right = false
	}
	if !right {
		w.say("ERROR session_expired")
		w.init()
		return
	}
	if !w.resumed {
		w.resumed = true
		w.item("resumed")
	}
	w.init()
	for _, r := range w.past {
		if !r.arrived {
			w.send(r)
		}
	}
}

func (w *twin) call(right bool, id, tool, input string) {
	if !w.first(right, "session_expired") {
		return
	}
	request := tool + input
	c, r := w.calling(id), w.remembered(id)
	code, retryable, wait := w.refusal(tool, input)
	switch {
	case c != nil && c.tool+c.input == request:
	case c != nil:
		w.say("ERROR invalid_input")
	case r != nil && r.request != request:
		w.say("ERROR invalid_input")
	case r != nil:
		r.arrived = false
		w.send(r)
	case code != "" && retryable:
		w.say(resultText(id, code, true, 0, wait))
	case code != "":
		w.keep(id, request, code, false, true, 0)
	default:
		t := w.tool(tool)
		w.past = slices.DeleteFunc(w.past, func(r *twinResult) bool { return r.id == id })
		w.open = append(w.open, &twinCall{id: id, tool: tool, input: input, received: w.now, until: w.now + t.timeout})
		w.uses[tool] = append(w.uses[tool], w.now)
		w.item("call %s %s", id, tool)
	}
}

func (w *twin) calling(id string) *twinCall {
	return one(w.open, func(c *twinCall) bool { return c.id == id })
}

func (w *twin) remembered(id string) *twinResult {
	return one(w.past, func(r *twinResult) bool { return r.id == id && r.remembered })
}

func (w *twin) tool(id string) *twinTool {
	return one(w.tools, func(t *twinTool) bool { return t.id == id })
}

func (w *twin) refusal(tool, input string) (code string, retryable bool, wait int64) {
	t, mine := w.tool(tool), 0
	for _, c := range w.open {
		if c.tool == tool {
			mine++
		}
	}
	recent := slices.DeleteFunc(slices.Clone(w.uses[tool]), func(at int64) bool { return w.now-at >= 60_000 })
	switch {
	case t == nil:
		return "tool_unknown", false, 0
	case t.disabled || t.wings && !w.wings || t.perSession > 0 && len(w.uses[tool]) >= t.perSession:
		return "tool_unavailable", false, 0
	case t.perMinute > 0 && len(recent) >= t.perMinute:
		return "tool_unavailable", true, recent[len(recent)-t.perMinute] + 60_000 - w.now
	case mine >= t.inFlight || len(w.open) >= 16:
		return "tool_unavailable", true, 1000
	case t.number && input != `{"n":1}`:
		return "invalid_input", false, 0
	}
	return "", false, 0
}

// badCall is a tool_call that is none, but whose call_id can be read.
func (w *twin) badCall(right bool, id string) {
	if !w.first(right, "invalid_input") {
		return
	}
	if w.calling(id) != nil || w.remembered(id) != nil {
		w.say("ERROR invalid_input")
	} else {
		w.say(resultText(id, "invalid_input", false, 0, 0))
	}
}

func (w *twin) closedByAgent() {
	w.endAll(func(*twinCall) bool { return true }, "agent", "session_expired", false)
	w.say("CLOSE")
	w.flush()
	w.item("let_go %d", w.conn)
	w.conn = 0
	w.left = w.now
	w.endSession("agent")
	w.item("gone")
}

func (w *twin) reset() {
	w.uses = map[string][]int64{}
	if !w.live() {
		if w.valid {
			w.endSession("reset")
			w.item("gone")
		}
		return
	}
	w.endAll(func(*twinCall) bool { return true }, "reset", "session_expired", false)
	w.say("CLOSE")
	w.endSession("reset")
	w.sid++
	w.valid, w.tickDue = true, w.now+twinPeriod
	w.init()
}
