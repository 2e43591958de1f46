package main

/*
#include "core.h"

#cgo noescape aicc_core_call
#cgo nocallback aicc_core_call
#cgo nocallback aicc_core_call_end
#cgo nocallback aicc_core_call_done
#cgo noescape aicc_core_item
#cgo nocallback aicc_core_item
#cgo noescape aicc_core_message
#cgo nocallback aicc_core_message
#cgo nocallback aicc_core_detached
#cgo nocallback aicc_core_tick_due
#cgo noescape aicc_core_reply
#cgo nocallback aicc_core_reply
#cgo noescape aicc_core_log
#cgo nocallback aicc_core_log
*/
import "C"

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	"aicc.dev/libaicc/core/bridge"
	"aicc.dev/libaicc/core/tape"
)

// host is bridge.Host over the C front: each effect is one call into C, which copies what it is given.
type host struct {
	slot    C.uint32_t
	publish func() // what a reply promises
	wire    wire   // nil: it is the host's
	drained uint64 // bytes that went by the wire, and so are no longer waiting
	tape    []byte
	error   C.aicc_error
}

// text lends a slice to C for one call.
func text(b []byte) (unsafe.Pointer, C.size_t) {
	return unsafe.Pointer(unsafe.SliceData(b)), C.size_t(len(b))
}

func textOf(s string) (unsafe.Pointer, C.size_t) {
	return unsafe.Pointer(unsafe.StringData(s)), C.size_t(len(s))
}

func (h *host) CallQueued(c bridge.CallItem) uint64 {
	h.tape = tape.Append(h.tape[:0], c.Input)
	in, inLen := text(h.tape)
	id, idLen := text(c.CallID)
	return uint64(C.aicc_core_call(h.slot, C.uint32_t(c.Session), C.uint32_t(c.Tool), C.uint64_t(c.No), C.uint64_t(c.Tick),
		C.int64_t(c.DeadlineNS), in, inLen, id, idLen))
}

func (h *host) CallEnd(ref uint64, reason bridge.EndReason) bridge.CallState {
	return bridge.CallState(C.aicc_core_call_end(h.slot, C.uint64_t(ref), C.int32_t(reason)))
}

func (h *host) CallDone(ref uint64) { C.aicc_core_call_done(h.slot, C.uint64_t(ref)) }

func (h *host) item(kind, session, tool uint32, reason int32, p unsafe.Pointer, n C.size_t) {
	C.aicc_core_item(h.slot, C.int32_t(kind), C.uint32_t(session), C.uint32_t(tool), C.int32_t(reason), p, n)
}

func (h *host) Agent(session uint32, change bridge.AgentChange) {
	if h.wire != nil {
		h.wire.Agent(session, change)
	}
	h.item(C.AICC_ITEM_AGENT, session, 0, int32(change), nil, 0)
}

func (h *host) Fault(session, tool uint32, message string) {
	if h.wire != nil {
		h.wire.Fault(session, message)
	}
	p, n := textOf(message)
	h.item(C.AICC_ITEM_FAULT, session, tool, 0, p, n)
}

func (h *host) AgentMessage(session uint32, payload []byte) {
	p, n := text(payload)
	h.item(C.AICC_ITEM_AGENT_MESSAGE, session, 0, 0, p, n)
}

func (h *host) SessionClosed(session uint32) {
	if h.wire != nil {
		h.wire.Closed(session)
	}
	h.item(C.AICC_ITEM_SESSION_CLOSED, session, 0, 0, nil, 0)
}

func (h *host) ToolReleased(tool uint32) { h.item(C.AICC_ITEM_TOOL_RELEASED, 0, tool, 0, nil, 0) }

func (h *host) Message(session uint32, epoch uint64, message []byte) {
	if h.wire != nil {
		h.wire.Message(session, epoch, message)
		h.drained += uint64(len(message))
		return
	}
	p, n := text(message)
	C.aicc_core_message(h.slot, C.uint32_t(session), C.uint64_t(epoch), p, n)
}

func (h *host) Detached(session uint32, epoch uint64) {
	C.aicc_core_detached(h.slot, C.uint32_t(session), C.uint64_t(epoch))
	if h.wire != nil {
		h.wire.Detached(session, epoch)
	}
}

// TickDue makes host a session.DueHost.
func (h *host) TickDue(session uint32, at int64) {
	C.aicc_core_tick_due(h.slot, C.uint32_t(session), C.int64_t(at))
}

func (h *host) Reply(waiter uint64, f *bridge.Failure) bool {
	h.publish()
	if f == nil {
		return C.aicc_core_reply(C.uint64_t(waiter), nil) != 0
	}
	fill(&h.error, f)
	return C.aicc_core_reply(C.uint64_t(waiter), &h.error) != 0
}

// fill makes an aicc_error of a failure.
func fill(e *C.aicc_error, f *bridge.Failure) {
	*e = C.aicc_error{status: C.aicc_status(f.Status), offset: C.uint64_t(f.Offset)}
	put(e.field[:], f.Field)
	put(e.pointer[:], f.Pointer)
	put(e.message[:], f.Message)
}

// put copies a text into a C array of the error: whole characters, a NUL behind them.
func put(dst []C.char, s string) {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", " ")
	if n := len(dst) - 1; len(s) > n {
		for !utf8.RuneStart(s[n]) {
			n--
		}
		s = s[:n]
	}
	for i := range len(s) {
		dst[i] = C.char(s[i])
	}
	dst[len(s)] = 0
}

// logLine is a line that is of no bridge.
func logLine(level bridge.Level, message string) {
	p, n := textOf(message)
	C.aicc_core_log(C.int32_t(level), 0, 0, 0, p, n)
}

func (h *host) Log(level bridge.Level, session, tool uint32, message string) {
	if h.wire != nil {
		h.wire.Log(level, session, message)
	}
	p, n := textOf(message)
	C.aicc_core_log(C.int32_t(level), h.slot, C.uint32_t(session), C.uint32_t(tool), p, n)
}
