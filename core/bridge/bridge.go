// Package bridge is one environment: its tools and toolsets, its characters, its events. Records go in, one a step; effects come out at
// its Host. The same records give the same effects, wherever batches of them end.
package bridge

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"unicode/utf8"

	"aicc.dev/libaicc/core/layout"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/session"
)

// The header's numbers stand in host.go and record.go, where a test compares them; here they are held against session's.
var (
	_ = [1]int{}[CallWasAnswered-session.CallWasAnswered]
	_ = [1]int{}[EndedReset-session.EndedReset]
	_ = [1]int{}[AgentGone-session.AgentGone]
	_ = [1]int{}[Error-session.Error]
	_ = [1]int{}[AttachWait-session.AttachWait+AttachFresh-session.AttachFresh+AttachReplace-session.AttachReplace+AttachHeld-session.AttachHeld]
)

// Bridge is one environment. One goroutine at a time.
type Bridge struct {
	host   Host
	world  *session.World
	most   bounds
	closed bool
	ended  bool

	sessions map[uint32]*session.Session
	tools    map[uint32]*tool
	sets     map[uint32]*session.Set
	own      *session.Set
	events   map[uint32]*session.Event
	layouts  func(number uint32) *layout.Layout
	json     []byte // of an output that came as a struct
}

// UseLayouts says where the layouts are that records name by number; without it there are none.
func (b *Bridge) UseLayouts(find func(number uint32) *layout.Layout) { b.layouts = find }

type tool struct {
	*session.Tool
	set *session.Set
}

const (
	maxName  = 256
	maxMS    = 86_400_000
	maxTools = 1024
)

// New makes a bridge of a RecCreate record, whose waiter is the caller's to answer. now is the clock's time; random is
// asked for 32 bytes, and for 16 with each session that an agent plays, unless the record has a seed.
func New(h Host, create *Record, now int64, random io.Reader) (*Bridge, *Failure) {
	f, ok := ParseFields(create.Data)
	if !ok {
		return nil, &Failure{Status: StatusInternal, Message: "the record of a bridge is damaged"}
	}
	name := f.Str(0)
	if len(name) == 0 || len(name) > maxName || !utf8.Valid(name) {
		return nil, &Failure{Status: StatusName, Field: "name", Message: "the world needs a name of 1 to 256 bytes of UTF-8"}
	}
	r := ranges{f: f}
	o := session.Options{
		Name:        string(name),
		Kind:        message.WorldKind(r.int(CreateIntKind, "kind", 1, int64(message.WorldKindCount), int64(message.World3D))),
		TickMode:    message.TickMode(r.int(CreateIntTickMode, "tick_mode", 1, int64(message.TickModeCount), int64(message.TickHybrid))),
		TickRateHz:  f.Float(CreateIntTickRate),
		Debug:       f.Int(CreateIntDebug) != 0,
		OutboxBytes: int(r.int(CreateIntOutboxBytes, "outbox_bytes", 4<<10, 64<<20, 512<<10)),
		HeartbeatNS: ms * r.int(CreateIntHeartbeatMS, "heartbeat_ms", 100, 3_600_000, 15_000),
		IdleNS:      ms * r.int(CreateIntIdleMS, "idle_ms", 0, maxMS, 0),
		ResumeNS:    ms * r.int(CreateIntResumeMS, "resume_window_ms", 0, maxMS, 0),
		WindowBytes: r.int(CreateIntMessageWindow, "message window", 0, 1<<40, 0),
		AnyTickRate: f.Int(CreateIntAnyTickRate) != 0,
		MaxCalls:    int(r.int(CreateIntMaxCalls, "max_calls_in_flight", 1, session.MaxInFlight, session.MaxInFlight)),
		MaxCallID:   int(r.int(CreateIntMaxCallID, "max_call_id_bytes", 1, session.MaxCallID, session.MaxCallID)),
		MaxOutput:   int(r.int(CreateIntMaxOutput, "max_output_bytes", 1<<10, session.MaxOutputBytes, session.MaxOutputBytes)),
		FrameClock:  f.Int(CreateIntClock) != 0,
	}
	most := bounds{
		toolID:      int(r.int(CreateIntMaxToolID, "max_tool_id_bytes", 1, message.MaxToolIDBytes, message.MaxToolIDBytes)),
		description: int(r.int(CreateIntMaxDescription, "max_description_bytes", 1, maxDescription, maxDescription)),
		manifest:    int(r.int(CreateIntMaxManifest, "max_manifest_bytes", 2*restManifest, maxManifest, maxManifest)),
	}
	if o.TickRateHz == 0 {
		o.TickRateHz = 10
	}
	if !(o.TickRateHz > 0 && o.TickRateHz <= 1000) {
		r.fail("tick_rate_hz", "tick_rate_hz must be above 0 and at most 1000")
	}
	if r.failure != nil {
		return nil, r.failure
	}
	if seed := uint64(f.Int(CreateIntSeed)); seed != 0 {
		var bytes [32]byte
		for i := range bytes {
			bytes[i] = byte(seed >> (8 * (i % 8)))
		}
		random = rand.NewChaCha8(bytes)
	}
	w, err := session.NewWorld(h, o, now, random)
	if err != nil {
		return nil, &Failure{Status: StatusInternal, Message: "the system gives no randomness: " + err.Error()}
	}
	b := &Bridge{host: h, world: w, most: most, sessions: map[uint32]*session.Session{}, tools: map[uint32]*tool{},
		sets: map[uint32]*session.Set{}, own: session.NewSet(0, ""), events: map[uint32]*session.Event{},
		layouts: func(uint32) *layout.Layout { return nil }}
	return b, nil
}

const ms = int64(1e6)

// bounds are those of a bridge's options that its tools must keep (5.18).
type bounds struct{ toolID, description, manifest int }

// ranges reads integers that must lie between bounds; the first that does not makes the failure. 0 where that is below its
// bounds means the default: an older front did not know of it.
type ranges struct {
	f       Fields
	failure *Failure
}

func (r *ranges) int(place int, field string, least, most, standard int64) int64 {
	v := r.f.Int(place)
	if v == 0 && least > 0 {
		return standard
	}
	if v < least || v > most {
		r.fail(field, fmt.Sprintf("%s must be from %d to %d, it is %d", field, least, most, v))
	}
	return v
}

// bytes is a bound on an object's text, the smallest of which has 2 bytes; 0: none.
func (r *ranges) bytes(place int, field string) int64 {
	v := r.int(place, field, 0, math.MaxInt64, 0)
	if v == 1 {
		r.fail(field, field+" must be 0, no bound, or at least 2, which an empty object takes")
	}
	return v
}

func (r *ranges) fail(field, text string) {
	if r.failure == nil {
		r.failure = &Failure{Status: StatusArg, Field: field, Message: text}
	}
}

// Want is when the bridge wants a clock record, or with the frame's clock a frame, though nothing else happens; math.MaxInt64: never.
func (b *Bridge) Want() int64 {
	if b.ended {
		return 1<<63 - 1
	}
	return b.world.Want()
}

// Counters are those of aicc_stats that the core keeps.
func (b *Bridge) Counters() session.Stats { return b.world.Stats }

// Step does one record. What names something that is gone, or never was, is ignored: the front has checked its handles, so that is a race.
func (b *Bridge) Step(r *Record) {
	w := b.world
	if b.ended {
		return
	}
	w.Tick(r.Tick)
	switch r.Kind { // what a bridge does also once it is closed
	case RecDestroy:
		b.ended = true
		return
	case RecFrame:
		if w.FrameClock {
			w.FrameAt(int64(r.Arg), r.Tick, r.Flags&FramePaused != 0)
		} else {
			w.Frame(r.Tick, r.Flags&FramePaused != 0)
		}
		return
	case RecClock:
		if !w.FrameClock {
			w.Clock(int64(r.Arg))
		}
		return
	case RecFlush:
		w.Flush()
		b.host.Reply(r.Arg, nil)
		return
	case RecDrained:
		w.Drained(r.Arg)
		return
	case RecAnswer:
		w.Answer(r.Arg, r.Data, r.Tick)
		return
	case RecAnswerStruct:
		b.answerStruct(r)
		return
	case RecFail:
		b.fail(r)
		return
	}
	if b.closed {
		if r.Kind == RecToolRegister || r.Kind == RecToolUpdate {
			b.host.Reply(r.Arg, &Failure{Status: StatusState, Message: "the bridge is closed: create another"})
		}
		return
	}
	switch r.Kind {
	case RecClose:
		b.close()
	case RecToolRegister:
		b.registerTool(r)
	case RecToolUpdate:
		b.updateTool(r)
	case RecToolEnable:
		b.enableTool(r)
	case RecToolRemove:
		if t := b.tools[r.Object]; t != nil {
			b.removeTool(r.Object, t)
		}
	case RecSetCreate:
		if r.Object != 0 && b.sets[r.Object] == nil {
			b.sets[r.Object] = session.NewSet(r.Object, string(r.Data))
		}
	case RecSetDestroy:
		b.destroySet(r.Object)
	case RecSessionOpen:
		b.openSession(r)
	case RecEventDefine:
		b.defineEvent(r)
	case RecEventJSON:
		b.emit(r)
	case RecEventReply:
		if e := b.events[r.Object]; e != nil {
			w.Respond(r.Arg, e, r.Data, r.Tick)
		}
	case RecEventStruct:
		b.emitStructs(r)
	case RecEventReplyStruct:
		if e := b.events[r.Object]; e != nil {
			w.RespondStruct(r.Arg, e, r.Data, r.Tick)
		}
	case RecExtend:
		if f, ok := ParseFields(r.Data); ok {
			w.Extend(r.Arg, ms*min(max(f.Int(0), -1), maxMS))
		}
	default:
		if s := b.sessions[r.Session]; s != nil {
			b.sessionStep(s, r)
		}
	}
}

// fail takes a tool's no.
func (b *Bridge) fail(r *Record) {
	codes := [...]message.ErrorCode{message.ExecutionFailed, // what a front cannot name
		message.ToolUnavailable, message.InvalidInput, message.ExecutionFailed, message.Timeout, message.InternalError}
	i := int(r.Flags &^ FailRetryable)
	if i >= len(codes) {
		i = 0
	}
	b.world.Fail(r.Arg, codes[i], r.Data, r.Flags&FailRetryable != 0, r.Tick)
}

func (b *Bridge) close() {
	b.closed = true
	for _, n := range b.numbers() {
		b.sessions[n].End()
	}
	clear(b.sessions)
}

// numbers are the sessions', in their order.
func (b *Bridge) numbers() []uint32 {
	list := make([]uint32, 0, len(b.sessions))
	for n := range b.sessions {
		list = append(list, n)
	}
	slices.Sort(list)
	return list
}
