package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

// fakeHost plays the guard's side of the script with canned messages, behind a real listener.
type fakeHost struct {
	told    io.Writer
	session message.ID
	ids     *message.IDSource
	tick    uint64
	// tamper may replace what is sent; what: "init", "look", "walk_to 2" (the second), "heard", "close" ... nil: nothing is sent, and the connection ends.
	tamper func(what string, raw []byte) [][]byte
	counts map[string]int

	mu       sync.Mutex
	conn     transport.Conn
	began    bool
	over     bool     // the agent has said good-bye
	names    []string // of the calls, as they came: the first is call-1
	manifest message.Manifest
	kept     []keptResult
	down     bool
	minute   int64 // milliseconds that the third line is too early
	wrong    string

	lit, pulled             bool
	at                      string
	home, walk, halt, never *message.Message
}

type keptResult struct {
	call string
	send func(what string)
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

func newFake(told io.Writer) *fakeHost {
	return &fakeHost{told: told, session: message.ID{1, 2, 3}, ids: message.NewIDSource([32]byte{9}),
		counts: map[string]int{}, minute: 58_000, at: "[4,9]", manifest: message.Manifest{TickRateHz: 10, TickMode: message.TickHybrid, WorldName: "night watch",
			WorldKind: message.World2D, Tools: fakeTools, Model: message.Model{Class: message.CloudMedium, FirstTokenMS: -1, FullResponseMS: -1},
			Topics: []string{"audio", "state_change"}}}
}

// listen opens a port for the agent.
func (h *fakeHost) listen() (url string, stop func(), err error) {
	l, err := transport.Listen(transport.Options{}, h)
	if err != nil {
		return "", nil, err
	}
	return "ws://" + l.Addr() + "/aicc?character=guard", l.Close, nil
}

func (h *fakeHost) Worlds() []transport.World                  { return nil }
func (h *fakeHost) Seat(transport.Ask) (transport.Seat, error) { return h, nil }
func (h *fakeHost) Resumes(id message.ID) bool                 { return id == h.session }
func (h *fakeHost) Begin()                                     {}
func (h *fakeHost) Arrived(uint32)                             {}
func (h *fakeHost) Attach(c transport.Conn) (w transport.Wait, _ error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.conn, h.down = c, false
	if h.began {
		return transport.OrRefuse, nil
	}
	h.began = true
	h.init()
	return transport.NoWait, nil
}

// Leave is the end of a connection: he walks on alone.
func (h *fakeHost) Leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.down = true; h.over || h.walk == nil {
		return
	}
	h.tell("hears no more orders, and goes on with the last")
	h.at = "[31,2]"
	h.ok(h.walk, `{"place":"store"}`)
	h.tell("is at the store")
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
		if all = h.tamper(what, raw); all == nil {
			h.conn.Close(transport.CloseAway, "enough")
		}
	}
	for _, m := range all {
		h.conn.Send(m)
	}
}

// call is the id of the call of a name.
func (h *fakeHost) call(name string) string {
	i, _ := strconv.Atoi(strings.TrimPrefix(name, "call-"))
	if i < 1 || i > len(h.names) {
		return name
	}
	return h.names[i-1]
}

func (h *fakeHost) meta() *message.Meta {
	h.tick++
	return &message.Meta{Tick: h.tick, LatencyMS: 7, Source: "night watch"}
}

// keep sends a result and remembers it.
func (h *fakeHost) keep(m *message.Message, result func() []byte) {
	h.kept = append(h.kept, keptResult{string(m.CallID), func(what string) { h.send(what+" "+string(m.Tool), result()) }})
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

// Receive takes one message of the agent.
func (h *fakeHost) Receive(raw []byte) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	m := new(message.Message)
	if f := message.Decode(bytes.Clone(raw), m); f != nil {
		h.wrong = f.Error()
	} else if m.SessionID != h.session {
		h.wrong = "another session's id"
	} else {
		h.take(m)
	}
	return true
}

func (h *fakeHost) take(m *message.Message) {
	switch m.Type {
	case message.SessionClose:
		h.over = true
		h.tell("stops where he is")
		if h.home != nil {
			h.failed(h.home, message.SessionExpired, "the agent closed the session")
		}
		h.send("close", message.AppendSessionClose(nil, h.session, h.ids.Next(), ""))
		h.conn.Close(transport.CloseOver, "")
	case message.SessionResume:
		h.tell("hears orders again")
		h.init()
		for _, k := range h.kept {
			k.send("again")
		}
	case message.ToolCall:
		h.called(m)
	default:
		h.wrong = "a message of type " + m.Type.String()
	}
}

// called answers a call; one that is known it answers as before.
func (h *fakeHost) called(m *message.Message) {
	if slices.Contains(h.names, string(m.CallID)) {
		for _, k := range h.kept {
			if k.call == string(m.CallID) {
				k.send("asked")
			}
		}
		return
	}
	h.names = append(h.names, string(m.CallID))
	input := string(m.Input)
	switch string(m.Tool) {
	case "look":
		sees, light := "", 0
		if h.lit {
			light = 8
			sees = `"a thief with a sack"`
		}
		h.tell("looks around")
		if h.lit {
			h.manifest.Capabilities.Actuators = []string{"alarm"}
			h.update()
		}
		h.ok(m, fmt.Sprintf(`{"at":%s,"light":%d,"sees":[%s],"map":{"gate":[4,9],"store":[31,2]}}`, h.at, light, sees))
		if h.counts["heard"] == 0 {
			h.event("heard", message.TopicAudio, `{"sound":"breaking glass"}`)
		}
	case "listen":
		h.ok(m, `{"sounds":[{"what":"breaking glass","from":"store"}]}`)
	case "light_lantern":
		h.lit = true
		h.ok(m, `{}`)
	case "walk_to":
		if strings.Contains(input, "cellar") {
			h.failed(m, message.InvalidInput, "/place: wanted one of 2 values, got \"cellar\"\n/speed: wanted h.at most 9, got 90")
			break
		}
		h.tell("sets out")
		if strings.Contains(input, "store") {
			h.event("walking", message.TopicStateChange, `{"kind":"walking","at":[10,7]}`)
			h.event("walking", message.TopicStateChange, `{"kind":"walking","at":[17,6]}`)
			h.walk, h.at = m, "[21,5]"
		} else {
			h.home = m
		}
	case "ring_bell":
		if h.manifest.Capabilities.Actuators == nil {
			h.failed(m, message.ToolUnavailable, "needs alarm")
			break
		}
		h.tell("hangs on the rope")
		if h.pulled {
			h.ok(m, `{}`)
			break
		}
		h.pulled = true
		h.tell("lets go of the rope")
		h.failed(m, message.Timeout, "no answer in 800 ms")
	case "open_sack":
		h.tell("opens the sack")
		h.ok(m, `{"found":["a cheese"]}`)
	case "say":
		switch {
		case h.halt == nil:
			h.tell("says: " + input)
			h.halt = m
		case h.counts["thief"] == 0:
			h.later(m, "one h.at a time", 20)
			h.ok(h.halt, `{"heard_by":["thief"]}`)
			h.manifest.Tools = append(fakeTools[:len(fakeTools):len(fakeTools)], fakeSack)
			h.update()
			h.event("thief", message.TopicStateChange, `{"kind":"thief","does":"drops the sack"}`)
		case h.counts["thief"] == 1:
			h.tell("says: " + input)
			h.ok(m, `{"heard_by":["thief"]}`)
			h.event("thief", message.TopicStateChange, `{"kind":"thief","does":"runs away"}`)
		case h.never == nil:
			h.never = m
			h.later(m, "two calls a minute", h.minute)
		default:
			h.tell("says: " + input)
			h.ok(m, `{"heard_by":[]}`)
		}
	default:
		h.wrong = "unknown tool " + string(m.Tool)
	}
}
