package bridge

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// answer is one that is on its way. Its call may have had another outcome when it comes.
type answer struct {
	call *twinCall
	of   *playedCall
}

// op is one thing that happens in a random story: its name, and numbers that choose among what it may be about.
type op struct {
	do   string
	a, b int
}

// tale is a bridge and its twin, to which the same things happen.
type tale struct {
	p *player
	w *twin
	n int // of the agent's messages

	counts []int    // of messages on this connection, after each step
	onWay  []answer // that the game has given, and the bridge has not stepped

	seen     map[string]int    // what happened, for TestModel
	executed map[string]int    // how often the game was given a call id, in this session
	final    map[string]string // the result that an id has for good
}

func newTale(t testing.TB, seed int, seen map[string]int) *tale {
	s := &tale{p: newPlayer(t), seen: seen, executed: map[string]int{}, final: map[string]string{}}
	modes := []string{"event", "fixed", "hybrid"}
	s.w = &twin{ticks: modes[seed%3], heard: seed%2 == 0, uses: map[string][]int64{}, updated: -60_000}
	topics := "[]"
	if s.w.heard {
		topics = `["tick"]`
	}
	s.real(`{"do":"create_bridge","world":"yard","tick_mode":"%s","tick_rate_hz":20}`, s.w.ticks)
	number := `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`
	for _, t := range []twinTool{{id: "go", inFlight: 16, timeout: 700}, {id: "lim", inFlight: 16, timeout: 30_000, perMinute: 2, perSession: 5},
		{id: "fly", inFlight: 1, timeout: 5000, wings: true}, {id: "num", inFlight: 16, timeout: 86_400_000, number: true}} {
		input, capability := `{"type":"object"}`, ""
		if t.number {
			input = number
		}
		if t.wings {
			capability = "wings"
		}
		s.real(`{"do":"register_tool","tool":"%s","class":"actuator","description":"x","input_schema":%s,"output_schema":{"type":"object","properties":{"bad":false}},"requires_capability":"%s",`+
			`"calls_per_minute":%d,"calls_per_session":%d,"max_in_flight":%d,"timeout_ms":%d,"strict_input":true}`, t.id, input, capability, t.perMinute, t.perSession, t.inFlight, t.timeout)
		s.w.tools = append(s.w.tools, &t)
	}
	s.real(`{"do":"open_session","session":"guard","model_class":"cloud_medium","topics":%s}`, topics)
	return s
}

// real does a step of the bridge.
func (s *tale) real(format string, args ...any) {
	step := parseStep(s.p.t, fmt.Appendf(nil, format, args...))
	s.p.step(&step)
}

var waits = []int64{1, 1, 1, 3, 99, 99, 500, 500, 699, 700, 999, 1000, 4000, 15_000, 29_000, 45_000, 59_999, 60_000, 119_999, 120_000}

// ops are weighted by how often they stand here.
var opNames = strings.Fields("call call call call call call call call badcall start start start answer answer badanswer fail fail wait wait wait extend cut " +
	"answering answering comes join join join resume resume manifest beat event error close reset grant grant revoke remove disable enable enable arrived again")

var (
	callTools  = []string{"go", "lim", "lim", "fly", "num", "nix"}
	callInputs = []string{`{"n":1}`, `{"n":1}`, `{"n":1}`, `{"n":"1"}`}
)

// message is what the agent sends; right: with the id of the session that is, else with the one before or of nobody.
func (s *tale) message(right bool, kind, rest string) {
	id := "99999999-9999-4999-8999-999999999999"
	if right && s.w.sid > 0 {
		id = s.w.mark()
	}
	s.n++
	s.real(`{"do":"receive","connection":%d,"message":{"protocol":"aicc/0.1","type":"%s","session_id":"%s","message_id":"%s"%s}}`, max(s.w.conn, 1), kind, id, said(s.n), rest)
}

// do does one op, if it makes sense now, to both. What it says is queued on both sides until flush.
func (s *tale) do(o op) {
	w := s.w
	right := o.b%8 != 0
	speaks := w.conn != 0
	id := "c" + strconv.Itoa(o.a%7)
	var open *twinCall
	if len(w.open) > 0 {
		open = w.open[o.a%len(w.open)]
	}
	switch o.do {
	case "wait":
		w.advance(w.now + waits[o.a%len(waits)])
		s.real(`{"do":"wait","at_ms":%d}`, w.now)
	case "cut":
		if w.conn != 0 {
			s.real(`{"do":"detach","connection":%d}`, w.conn)
			w.leave(false)
		}
	case "join", "again":
		if w.conn != 0 && o.a%4 != 0 {
			return
		}
		conn := w.lastConn + 1
		if o.do == "again" && w.conn != 0 {
			conn = w.conn
		}
		wait, fresh, replace := o.a%3 != 0, o.b%7 == 0, o.b%5 == 0
		if known := s.p.epochs[1]; true {
			s.real(`{"do":"attach","connection":%d,"wait":%v,"fresh":%v,"replace":%v}`, conn, wait, fresh, replace)
			if w.conn != 0 && conn != w.conn && !replace {
				s.p.epochs[1] = known // it was let go
			}
		}
		w.lastConn = max(conn, w.lastConn)
		if w.attach(conn, wait, fresh, replace); w.sent == 0 {
			s.counts = nil
		}
	case "reset":
		if o.a%3 != 0 {
			return
		}
		s.real(`{"do":"reset_session"}`)
		w.reset()
		s.executed, s.final = map[string]int{}, map[string]string{}
	case "grant", "revoke":
		s.real(`{"do":"%s","capability":"wings"}`, o.do)
		if w.wings = o.do == "grant"; !w.wings {
			w.endAll(func(c *twinCall) bool { return c.tool == "fly" }, "tool", "tool_unavailable", true)
		}
	case "remove":
		if t := w.tool("num"); t != nil && o.a%4 == 0 {
			s.real(`{"do":"remove_tool","tool":"num"}`)
			w.endAll(func(c *twinCall) bool { return c.tool == "num" }, "tool", "tool_unknown", true)
			w.tools = slices.DeleteFunc(w.tools, func(x *twinTool) bool { return x == t })
			delete(w.uses, "num")
		}
	case "disable", "enable":
		s.real(`{"do":"%s_tool","tool":"go"}`, o.do)
		w.tool("go").disabled = o.do == "disable"
	case "arrived":
		if w.live() {
			count := append(s.counts, 0)[o.a%(len(s.counts)+1)] // which of two messages comes first is not always decided, but at a step's end it does not matter
			s.real(`{"do":"arrived","count":%d}`, count)
			for _, r := range w.past {
				r.arrived = r.arrived || r.sent != 0 && r.sent <= count
			}
		}
	case "comes":
		if len(s.onWay) > 0 {
			a := s.onWay[0]
			s.onWay = s.onWay[1:]
			s.p.do(Record{Kind: RecAnswer, Arg: a.of.no, Data: []byte(`{"v":9}`)})
			if slices.Contains(w.open, a.call) {
				w.finish(a.call, `ok {"v":9}`, false, true, true, "")
			}
		}
	case "start", "answer", "answering", "badanswer", "fail", "extend":
		if open != nil && !open.coming {
			s.host(o, open)
		}
	default:
		if speaks {
			s.agent(o, right, id)
		}
	}
}

// host is what the game does with an open call.
func (s *tale) host(o op, c *twinCall) {
	w := s.w
	switch o.do {
	case "start":
		s.real(`{"do":"start","call":"%s"}`, c.id)
		c.started = true
	case "answer":
		s.real(`{"do":"answer","call":"%s","output":{"v":%d}}`, c.id, o.b%3)
		w.finish(c, fmt.Sprintf(`ok {"v":%d}`, o.b%3), false, true, true, "")
	case "answering":
		k := s.p.byID["guard "+c.id]
		k.answered, c.started, c.coming = true, true, true
		s.onWay = append(s.onWay, answer{c, k})
	case "badanswer":
		s.real(`{"do":"answer","call":"%s","output":{"bad":1}}`, c.id)
		w.finish(c, "internal_error", false, true, true, "")
	case "fail":
		s.real(`{"do":"fail","call":"%s","code":"execution_failed","words":"no","retryable":%v}`, c.id, o.b%2 == 0)
		w.finish(c, "execution_failed", o.b%2 == 0, true, true, "")
	case "extend":
		s.real(`{"do":"extend","call":"%s","ms":%d}`, c.id, 100+o.b%5000)
		c.until = w.now + 100 + int64(o.b%5000)
	}
}

// agent is what the agent says.
func (s *tale) agent(o op, right bool, id string) {
	w := s.w
	switch o.do {
	case "call":
		tool, input := callTools[o.b%len(callTools)], callInputs[o.a/7%len(callInputs)]
		s.message(right, "tool_call", fmt.Sprintf(`,"call_id":"%s","tool":"%s","input":%s`, id, tool, input))
		w.call(right, id, tool, input)
	case "badcall":
		s.message(right, "tool_call", fmt.Sprintf(`,"call_id":"%s","tool":"go","input":[]`, id))
		w.badCall(right, id)
	case "resume":
		s.message(right, "session_resume", "")
		w.resume(right && w.sid > 0)
	case "manifest":
		s.message(right, "manifest_request", "")
		if w.first(right, "session_expired") {
			w.init()
		}
	case "beat":
		s.message(right, "heartbeat", "")
		if w.first(right, "session_expired") {
			w.beats = true
		}
	case "event":
		s.message(right, "event", `,"topic":"agent_message","payload":{}`)
		if w.first(right, "session_expired") {
			w.item("agent_message")
		}
	case "error":
		s.message(right, "error", `,"error":{"code":"timeout","message":"x","retryable":true}`)
		w.first(right, "")
	case "close":
		if o.a%3 == 0 {
			s.message(right, "session_close", "")
			if w.first(right, "session_expired") {
				w.closedByAgent()
			}
		}
	}
}

// compare ends a step: both send, and have said and done the same.
func (s *tale) compare() string {
	p, w := s.p, s.w
	p.b.Step(&Record{Kind: RecFlush, Arg: vectorWaiter})
	w.flush()
	var items, said, beat []string
	for _, line := range p.out {
		switch what, text := plain(line); what {
		case "item":
			items = append(items, text)
		case "beat":
			beat = append(beat, text)
		case "said":
			said = append(said, text)
		}
	}
	p.out = nil
	slices.Sort(items)
	slices.Sort(w.items)
	for _, x := range [...]struct {
		what      string
		got, want []string
	}{{"messages", said, w.said}, {"heartbeats", beat, w.beat}, {"items", items, w.items}} {
		if !slices.Equal(x.got, x.want) {
			return fmt.Sprintf("%s of the bridge:\n  %s\nof the twin:\n  %s", x.what, strings.Join(x.got, "\n  "), strings.Join(x.want, "\n  "))
		}
	}
	for _, text := range slices.Concat(said, beat, items) {
		s.note(text)
	}
	fault := s.invariants(items, said)
	w.items, w.said, w.beat = nil, nil, nil
	s.counts = append(s.counts, w.sent)
	return fault
}

// note counts a kind of thing that came out: RESULT and its code, ended and its reason.
func (s *tale) note(text string) {
	f := append(strings.Fields(text), "", "", "")
	switch {
	case f[1] == "RESULT":
		s.seen[strings.Join([]string{f[1], f[3], f[5]}, " ")]++
	case strings.HasPrefix(text, "<"):
		s.seen[strings.TrimSpace(f[1]+" "+strings.TrimSuffix(f[2], "go,lim,fly,num,"))]++
	case f[0] == "withdrawn" || f[0] == "ended":
		s.seen[f[0]+" "+f[2]]++
	default:
		s.seen[f[0]]++
	}
}

// invariants holds what was promised against what the bridge did, whatever the twin says.
func (s *tale) invariants(items, said []string) string {
	if n := s.p.b.Counters().CallsInFlight; n < 0 || n > 16 {
		return fmt.Sprintf("%d calls are in flight", n)
	}
	for _, text := range said {
		mark, text, _ := strings.Cut(text, " ")
		f := strings.Fields(text)
		if f[0] != "RESULT" || strings.Contains(text, " retryable true ") && !strings.Contains(text, "execution_failed") {
			continue // it may become another
		}
		if strings.Contains(text, " invalid_input ") {
			continue // of no call
		}
		key := mark + f[1]
		if before := s.final[key]; before != "" && before != text {
			return fmt.Sprintf("two outcomes: %s, then %s", before, text)
		}
		s.final[key] = text
	}
	for _, text := range items {
		f := strings.Fields(text)
		switch key := ""; f[0] {
		case "call":
			if key = s.w.mark() + f[1]; s.final[key] != "" || s.executed[key] > 0 {
				return "executed twice: " + text
			}
			s.executed[key]++
		case "withdrawn":
			delete(s.executed, s.w.mark()+f[1]) // it was not executed
		}
	}
	return ""
}

func resultText(id, outcome string, retryable bool, latency, wait int64) string {
	return fmt.Sprintf("RESULT %s %s retryable %v after %d wait %d", id, outcome, retryable, latency, wait)
}

// one is the first of a list that is so, or nil.
func one[T any](list []*T, is func(*T) bool) *T {
	if i := slices.IndexFunc(list, is); i >= 0 {
		return list[i]
	}
	return nil
}

// plain is a line of the player in the twin's words.
func plain(line string) (what, text string) {
	var v struct {
		To, Call, Withdrawn, Ended, Reason, Agent, Tool, Log string
		LetGo                                                int             `json:"let_go"`
		AgentMessage                                         json.RawMessage `json:"agent_message"`
		Message                                              struct {
			Type      string
			SessionID string `json:"session_id"`
			CallID    string `json:"call_id"`
			OK        bool
			Output    json.RawMessage
			Error     struct {
				Code      string
				Retryable bool
			}
			Meta struct {
				Latency int64 `json:"latency_ms"`
				Wait    int64 `json:"retry_after_ms"`
			}
			plainManifest
			Update *plainManifest `json:"manifest_update"`
		}
	}
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		return "said", err.Error() + line
	}
	m := &v.Message
	switch {
	case v.To == "":
	case m.Type == "session_init":
		return "said", m.SessionID + " INIT " + m.text()
	case m.Type == "tool_result" && m.OK:
		return "said", m.SessionID + " " + resultText(m.CallID, "ok "+string(m.Output), false, m.Meta.Latency, m.Meta.Wait)
	case m.Type == "tool_result":
		return "said", m.SessionID + " " + resultText(m.CallID, m.Error.Code, m.Error.Retryable, m.Meta.Latency, m.Meta.Wait)
	case m.Type == "error":
		return "said", m.SessionID + " ERROR " + m.Error.Code
	case m.Type == "event":
		return "said", m.SessionID + " TICK"
	case m.Type == "session_close":
		return "said", m.SessionID + " CLOSE"
	case m.Update != nil:
		return "beat", "UPDATE " + m.Update.text()
	default:
		return "beat", "BEAT"
	}
	switch {
	case v.Call != "":
		return "item", "call " + v.Call + " " + v.Tool
	case v.Withdrawn != "":
		return "item", "withdrawn " + v.Withdrawn + " " + v.Reason
	case v.Ended != "":
		return "item", "ended " + v.Ended + " " + v.Reason
	case v.Agent != "":
		return "item", v.Agent
	case v.LetGo != 0:
		return "item", fmt.Sprintf("let_go %d", v.LetGo)
	case v.AgentMessage != nil:
		return "item", "agent_message"
	}
	return "log", line
}

type plainManifest struct {
	Tools        []struct{ ID string }
	Capabilities struct{ Actuators []string }
}

func (m *plainManifest) text() string {
	text := ""
	for _, t := range m.Tools {
		text += t.ID + ","
	}
	return fmt.Sprintf("%s wings %v", text, slices.Contains(m.Capabilities.Actuators, "wings"))
}
