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

	manifest message.Manifest
	kept     []func() // sends a result anew
	down     bool
	minute   int64 // milliseconds that the third line is too early
}

var fakeTools = []message.Tool{
	{ID: "look", Class: message.Sensor, Description: "Sees what is there.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object"}`)},
	{ID: "listen", Class: message.Sensor, Description: "Hears what is there.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object"}`)},
	{ID: "light_lantern", Class: message.Actuator, Description: "Lights the guard's lantern.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object"}`)},
	{ID: "walk_to", Class: message.Actuator, Description: "Walks to a place.", OutputSchema: []byte(`{"type":"object"}`),
		InputSchema: []byte(`{"type":"object","properties":{"place":{"enum":["gate","store"]},"speed":{"maximum":9}}}`)},
	{ID: "ring_bell", Class: message.Actuator, Description: "Rings the bell.", RequiresCapability: "alarm", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object"}`)},
	{ID: "say", Class: message.Generator, Description: "Speaks a line that is heard twelve metres away, and this description is long enough to need a second row in the table of tools.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object"}`)},
}

var fakeSack = message.Tool{ID: "open_sack", Class: message.Actuator, Description: "Opens the sack.", InputSchema: []byte(`{"type":"object"}`), OutputSchema: []byte(`{"type":"object"}`)}

func newFake(in io.Reader, out, told io.WriteCloser) *fakeHost {
	return &fakeHost{in: bufio.NewScanner(in), out: out, told: told, session: message.ID{1, 2, 3}, ids: message.NewIDSource([32]byte{9}),
		counts: map[string]int{}, minute: 58_000, manifest: message.Manifest{TickRateHz: 10, TickMode: message.TickHybrid, WorldName: "night watch",
			WorldKind: message.World2D, Tools: fakeTools, Model: message.Model{Class: message.CloudMedium, FirstTokenMS: -1, FullResponseMS: -1},
			Topics: []string{"audio", "state_change"}}}
}

func (h *fakeHost) send(what string, raw []byte) {
	if h.down {
		return
	}
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

// keep sends a result and remembers it.
func (h *fakeHost) keep(m *message.Message, result func() []byte) {
	h.kept = append(h.kept, func() { h.send("again "+string(m.Tool), result()) })
	h.send(string(m.Tool), result())
}

func (h *fakeHost) ok(m *message.Message, output string) {
	meta := h.meta()
	h.keep(m, func() []byte {
		return message.AppendToolResultOK(nil, h.session, h.ids.Next(), string(m.CallID), []byte(output), meta)
	})
}

func (h *fakeHost) failed(m *message.Message, code message.ErrorCode, text string) {
	meta := h.meta()
	h.keep(m, func() []byte {
		return message.AppendToolResultError(nil, h.session, h.ids.Next(), string(m.CallID), code, text, false, meta)
	})
}

// later refuses a call for now, which is not remembered.
func (h *fakeHost) later(m *message.Message, text string, retryAfter int64) {
	meta := h.meta()
	meta.RetryAfterMS = retryAfter
	h.send(string(m.Tool), message.AppendToolResultError(nil, h.session, h.ids.Next(), string(m.CallID), message.ToolUnavailable, text, true, meta))
}

func (h *fakeHost) event(what string, topic message.Topic, payload string) {
	h.send(what, message.AppendEvent(nil, h.session, h.ids.Next(), topic, []byte(payload), h.meta()))
}

func (h *fakeHost) init() {
	h.send("init", message.AppendSessionInit(nil, h.session, h.ids.Next(), message.AppendManifestBody(nil, &h.manifest)))
}

func (h *fakeHost) update() {
	h.send("update", message.AppendHeartbeat(nil, h.session, h.ids.Next(), message.AppendManifestUpdate(nil, message.AppendManifestBody(nil, &h.manifest))))
}

func (h *fakeHost) tell(text string) { _, _ = fmt.Fprintln(h.told, "guard: "+text) }

// run answers until its input ends. It returns "" or what the agent did wrong.
func (h *fakeHost) run() string {
	defer h.out.Close()
	defer h.told.Close()
	h.init()
	lit, at, pulls := false, "[4,9]", 0
	var home, walk, halt, never *message.Message
	for h.in.Scan() {
		switch h.in.Text() {
		case cut:
			h.down = true
			h.tell("hears no more orders, and goes on with the last")
			at = "[31,2]"
			h.ok(walk, `{"place":"store"}`)
			h.tell("is at the store")
			continue
		case dialled:
			h.down = false
			h.tell("hears orders again")
			h.send("dial", []byte(dialled))
			continue
		}
		m := new(message.Message)
		if f := message.Decode(append([]byte(nil), h.in.Bytes()...), m); f != nil {
			return f.Error()
		}
		if m.SessionID != h.session {
			return "another session's id"
		}
		if h.down {
			return "a message without a connection"
		}
		switch m.Type {
		case message.SessionClose:
			h.tell("stops where he is")
			if home != nil {
				h.failed(home, message.SessionExpired, "the agent closed the session")
			}
			h.send("close", message.AppendSessionClose(nil, h.session, h.ids.Next(), ""))
			continue
		case message.SessionResume:
			h.init()
			for _, again := range h.kept {
				again()
			}
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
			if lit {
				h.manifest.Capabilities.Actuators = []string{"alarm"}
				h.update()
			}
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
			if strings.Contains(input, "cellar") {
				h.failed(m, message.InvalidInput, "/place: wanted one of 2 values, got \"cellar\"\n/speed: wanted at most 9, got 90")
				break
			}
			h.tell("sets out")
			if strings.Contains(input, "store") {
				h.event("walking", message.TopicStateChange, `{"kind":"walking","at":[10,7]}`)
				h.event("walking", message.TopicStateChange, `{"kind":"walking","at":[17,6]}`)
				walk, at = m, "[21,5]"
			} else {
				home = m
			}
		case "ring_bell":
			if h.manifest.Capabilities.Actuators == nil {
				h.failed(m, message.ToolUnavailable, "needs alarm")
				break
			}
			h.tell("hangs on the rope")
			if pulls++; pulls > 1 {
				h.ok(m, `{}`)
				break
			}
			h.tell("lets go of the rope")
			h.failed(m, message.Timeout, "no answer in 800 ms")
		case "open_sack":
			h.tell("opens the sack")
			h.ok(m, `{"found":["a cheese"]}`)
		case "say":
			switch {
			case halt == nil:
				h.tell("says: " + input)
				halt = m
			case h.counts["thief"] == 0:
				h.later(m, "one at a time", 20)
				h.ok(halt, `{"heard_by":["thief"]}`)
				h.manifest.Tools = append(fakeTools[:len(fakeTools):len(fakeTools)], fakeSack)
				h.update()
				h.event("thief", message.TopicStateChange, `{"kind":"thief","does":"drops the sack"}`)
			case h.counts["thief"] == 1:
				h.tell("says: " + input)
				h.ok(m, `{"heard_by":["thief"]}`)
				h.event("thief", message.TopicStateChange, `{"kind":"thief","does":"runs away"}`)
			case never == nil:
				never = m
				h.later(m, "two calls a minute", h.minute)
			default:
				h.tell("says: " + input)
				h.ok(m, `{"heard_by":[]}`)
			}
		default:
			return "unknown tool " + string(m.Tool)
		}
	}
	return ""
}
