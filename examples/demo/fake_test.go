package main

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"aicc.dev/libaicc/core/message"
)

// fakeHost plays the guard's side of the script with canned messages, over pipes.
type fakeHost struct {
	in      *bufio.Scanner
	out     io.WriteCloser
	told    io.WriteCloser
	session message.ID
	ids     *message.IDSource
	tick    uint64
	// tamper may replace what is sent; what: "init", "look", "walk_to 2" (the second), "heard", "close" ...
	tamper func(what string, raw []byte) [][]byte
	counts map[string]int
}

var fakeTools = []message.Tool{
	{ID: "look", Class: message.Sensor, Description: "Sees what is there.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object"}`)},
	{ID: "listen", Class: message.Sensor, Description: "Hears what is there.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object"}`)},
	{ID: "light_lantern", Class: message.Actuator, Description: "Lights the guard's lantern.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object"}`)},
	{ID: "walk_to", Class: message.Actuator, Description: "Walks to a place.", OutputSchema: []byte(`{"type":"object"}`),
		InputSchema: []byte(`{"type":"object","properties":{"place":{"enum":["gate","store"]},"speed":{"maximum":9}}}`)},
	{ID: "ring_bell", Class: message.Actuator, Description: "Rings the bell.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object"}`)},
	{ID: "say", Class: message.Generator, Description: "Speaks a line that is heard twelve metres away, and this description is long enough to need a second row in the table of tools.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object"}`)},
}

func (h *fakeHost) send(what string, raw []byte) {
	h.counts[what]++
	if n := h.counts[what]; n > 1 {
		what = fmt.Sprintf("%s %d", what, n)
	}
	all := [][]byte{raw}
	if h.tamper != nil {
		all = h.tamper(what, raw)
	}
	for _, m := range all {
		_, _ = h.out.Write(append(m, '\n')) // an agent that has given up reads no more
	}
}

func (h *fakeHost) meta() *message.Meta {
	h.tick++
	return &message.Meta{Tick: h.tick, LatencyMS: 7, Source: "night watch"}
}

func (h *fakeHost) ok(m *message.Message, output string) {
	h.send(string(m.Tool), message.AppendToolResultOK(nil, h.session, h.ids.Next(), string(m.CallID), []byte(output), h.meta()))
}

func (h *fakeHost) failed(m *message.Message, code message.ErrorCode, text string, retryable bool, retryAfter int64) {
	meta := h.meta()
	meta.RetryAfterMS = retryAfter
	h.send(string(m.Tool), message.AppendToolResultError(nil, h.session, h.ids.Next(), string(m.CallID), code, text, retryable, meta))
}

func (h *fakeHost) event(what string, topic message.Topic, payload string) {
	h.send(what, message.AppendEvent(nil, h.session, h.ids.Next(), topic, []byte(payload), h.meta()))
}

func (h *fakeHost) tell(text string) { _, _ = fmt.Fprintln(h.told, "guard: "+text) }

// run answers until its input ends. It returns "" or what the agent did wrong.
func (h *fakeHost) run() string {
	defer h.out.Close()
	defer h.told.Close()
	manifest := message.Manifest{TickRateHz: 10, TickMode: message.TickHybrid, WorldName: "night watch", WorldKind: message.World2D, Tools: fakeTools,
		Model: message.Model{Class: message.CloudMedium, FirstTokenMS: -1, FullResponseMS: -1}, Topics: []string{"audio", "state_change"}}
	h.send("init", message.AppendSessionInit(nil, h.session, h.ids.Next(), message.AppendManifestBody(nil, &manifest)))
	lit, said, at := false, 0, "[4,9]"
	var home *message.Message
	for h.in.Scan() {
		m := new(message.Message)
		if f := message.Decode(append([]byte(nil), h.in.Bytes()...), m); f != nil {
			return f.Error()
		}
		if m.SessionID != h.session {
			return "another session's id"
		}
		if m.Type == message.SessionClose {
			h.tell("stops where he is")
			if home != nil {
				h.failed(home, message.SessionExpired, "the agent closed the session", false, 0)
			}
			h.send("close", message.AppendSessionClose(nil, h.session, h.ids.Next(), ""))
			continue
		}
		input := string(m.Input)
		switch string(m.Tool) {
		case "look":
			sees, light := "", 0
			if lit {
				light = 8
				sees = `"a thief with a sack"`
			}
			h.tell("looks around")
			h.ok(m, fmt.Sprintf(`{"at":%s,"light":%d,"sees":[%s],"map":{"gate":[4,9],"store":[31,2]}}`, at, light, sees))
			if h.counts["heard"] == 0 {
				h.event("heard", message.TopicAudio, `{"sound":"breaking glass"}`)
			}
		case "listen":
			h.ok(m, `{"sounds":[{"what":"breaking glass","from":"store"}]}`)
		case "light_lantern":
			lit = true
			h.ok(m, `{}`)
		case "walk_to":
			switch {
			case strings.Contains(input, "cellar"):
				h.failed(m, message.InvalidInput, "/place: wanted one of 2 values, got \"cellar\"\n/speed: wanted at most 9, got 90", false, 0)
			case strings.Contains(input, "store"):
				h.event("walking", message.TopicStateChange, `{"kind":"walking","at":[17,6]}`)
				at = "[31,2]"
				h.ok(m, `{"place":"store"}`)
			default:
				home = m
			}
		case "ring_bell":
			h.tell("lets go of the rope")
			h.failed(m, message.Timeout, "no answer in 800 ms", false, 0)
		case "say":
			if said++; said > 2 {
				h.failed(m, message.ToolUnavailable, "two calls a minute", true, 58_000)
				break
			}
			h.ok(m, `{"heard_by":["thief"]}`)
			h.event("thief", message.TopicStateChange, fmt.Sprintf(`{"kind":"thief","does":%q}`, []string{"drops the sack", "runs away"}[said-1]))
		default:
			return "unknown tool " + string(m.Tool)
		}
	}
	return ""
}
