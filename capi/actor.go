package main

/*
#include "core.h"

#cgo noescape aicc_core_take
#cgo nocallback aicc_core_take
#cgo nocallback aicc_core_want
#cgo nocallback aicc_core_gone
#cgo nocallback aicc_core_now
#cgo noescape aicc_core_stats
#cgo nocallback aicc_core_stats
*/
import "C"

import (
	"crypto/rand"
	"fmt"
	"runtime/debug"
	"unsafe"

	"aicc.dev/libaicc/core/bridge"
)

// actor is one bridge's mailbox and the bridge behind it. Between two turns nothing of it runs.
type actor struct {
	slot       uint32
	host       host
	bridge     *bridge.Bridge
	frameClock bool
	broken     bool // a fault of ours: the bridge is no longer stepped, requests fail
	ended      bool // DESTROY was stepped
	closing    bool // CLOSE was
	batch      C.aicc_core_batch
	counters   C.aicc_core_counters
	rec        bridge.Record
}

func newActor(slot uint32) *actor {
	a := &actor{slot: slot}
	a.host = host{slot: C.uint32_t(slot), publish: a.publish}
	return a
}

// turn takes what came and steps it, between two clock records: time moves at those only, so where batches begin and end shows in nothing else.
func (a *actor) turn() {
	C.aicc_core_take(C.uint32_t(a.slot), &a.batch)
	came := a.batch.messages != nil || a.batch.events != nil
	if came {
		a.clock(a.rec.Tick) // the records are of this frame or later ones
	}
	m, e := cursor{chunk: a.batch.messages}, cursor{chunk: a.batch.events}
	mr, er := m.next(), e.next()
	for (mr != nil || er != nil) && !a.ended {
		r := mr
		if mr == nil || er != nil && er.seq < mr.seq {
			r, er = er, e.next()
		} else {
			mr = m.next()
		}
		a.step(r)
	}
	if a.ended {
		return
	}
	if came { // the work took its time, and what it made is to be sent now
		a.batch.now_ns = C.aicc_core_now()
	}
	a.clock(uint64(a.batch.tick))
	for a.drain() && a.closing { // the last words, however many
		a.clock(uint64(a.batch.tick))
	}
	if a.closing {
		a.unwire()
	}
	if w := a.host.wire; w != nil && w.Asked() {
		a.bridge.EachManifest(w.Tools)
	}
	a.publish()
}

// publish tells the front when the bridge wants its next turn, and its counters. A reply makes it first: who waited for it may rely on both.
func (a *actor) publish() {
	if a.bridge == nil || a.broken {
		return
	}
	C.aicc_core_want(C.uint32_t(a.slot), C.int64_t(a.bridge.Want()))
	s := a.bridge.Counters()
	a.counters = C.aicc_core_counters{
		calls: C.uint64_t(s.Calls), calls_failed: C.uint64_t(s.CallsFailed), calls_timed_out: C.uint64_t(s.CallsTimedOut),
		calls_refused: C.uint64_t(s.CallsRefused), messages_in: C.uint64_t(s.MessagesIn), messages_out: C.uint64_t(s.MessagesOut),
		messages_bad: C.uint64_t(s.MessagesBad), events_dropped: C.uint64_t(s.EventsDropped), values_bad: C.uint64_t(s.ValuesBad), calls_in_flight: C.int32_t(s.CallsInFlight),
	}
	C.aicc_core_stats(C.uint32_t(a.slot), &a.counters)
}

// release gives the slot back to the front, which may make a new bridge of it.
func (a *actor) release() { C.aicc_core_gone(C.uint32_t(a.slot)) }

func (a *actor) clock(tick uint64) {
	if a.bridge == nil || a.frameClock || a.broken {
		return
	}
	a.rec = bridge.Record{Kind: bridge.RecClock, Arg: uint64(a.batch.now_ns), Tick: tick}
	a.guarded(&a.rec)
}

func (a *actor) step(r *C.aicc_rec) {
	a.rec = bridge.Record{
		Kind: bridge.Kind(r.kind), Flags: uint16(r.flags), Session: uint32(r.session), Object: uint32(r.object),
		Arg: uint64(r.arg), Tick: uint64(r.tick), Data: payload(r),
	}
	if a.host.wire != nil {
		a.host.wire.At(a.rec.Tick)
		if a.rec.Kind == bridge.RecReceive {
			a.host.wire.Received(a.rec.Session, a.rec.Data)
		}
	}
	switch a.rec.Kind {
	case bridge.RecCreate:
		a.create()
	case bridge.RecDestroy:
		a.ended = true
		a.unwire()
	case bridge.RecCapabilities:
		a.capabilities(&a.rec)
	default:
		a.guarded(&a.rec)
	}
	if a.host.wire != nil {
		a.wired()
	}
}

// wired tells the listener's side what the record was, and the bridge that what went by the wire is gone.
func (a *actor) wired() {
	switch a.rec.Kind {
	case bridge.RecSessionOpen:
		if f, ok := bridge.ParseFields(a.rec.Data); ok && !a.broken {
			a.host.wire.Open(a.rec.Session, string(f.Str(0)))
		}
	case bridge.RecClose:
		a.closing = true
	}
	a.drain()
}

// drain says whether anything went by the wire.
func (a *actor) drain() (went bool) {
	for a.host.drained > 0 && !a.broken {
		a.rec = bridge.Record{Kind: bridge.RecDrained, Arg: a.host.drained, Tick: a.rec.Tick}
		a.host.drained = 0
		a.guarded(&a.rec)
		went = true
	}
	return went
}

// unwire ends the listener's side: agents are let go.
func (a *actor) unwire() {
	if w := a.host.wire; w != nil {
		a.host.wire = nil
		w.End()
	}
}

func (a *actor) create() {
	if f, ok := bridge.ParseFields(a.rec.Data); ok {
		a.frameClock = f.Int(bridge.CreateIntClock) != 0
		if number := f.Int(bridge.CreateIntListener); number != 0 {
			var failure *bridge.Failure
			if a.host.wire, failure = join(uint64(number), string(f.Str(0)), a.slot); failure != nil {
				a.host.Reply(a.rec.Arg, failure)
				return
			}
		}
	}
	b, failure := bridge.New(&a.host, &a.rec, int64(a.batch.now_ns), rand.Reader)
	if failure == nil {
		b.UseLayouts(layouts.Find)
		a.bridge = b
	}
	if !a.host.Reply(a.rec.Arg, failure) {
		a.bridge = nil // nobody waits any more: the front has destroyed its half already
	}
	if a.bridge == nil {
		a.unwire()
	}
}

// guarded steps one record. A panic is a fault of this library; it must cost a bridge and not the game.
func (a *actor) guarded(r *bridge.Record) {
	if a.bridge == nil || a.broken {
		a.refuse(r)
		return
	}
	defer func() {
		if p := recover(); p != nil {
			a.broken = true
			a.host.Log(bridge.Error, 0, 0, fmt.Sprintf("internal fault, this bridge stops: %v; record kind %d; %.1200s", p, r.Kind, debug.Stack()))
			a.refuse(r)
			a.unwire()
		}
	}()
	a.bridge.Step(r)
}

// refuse answers those records that somebody waits for.
func (a *actor) refuse(r *bridge.Record) {
	switch r.Kind {
	case bridge.RecFlush, bridge.RecToolRegister, bridge.RecToolUpdate, bridge.RecCapabilities:
		a.host.Reply(r.Arg, &bridge.Failure{Status: bridge.StatusInternal, Message: "this bridge has stopped after an internal fault: see the log, destroy it and create another"})
	}
}

// cursor walks the records of a chain of chunks, which is the front's memory and stays as it is until the next take.
type cursor struct {
	chunk *C.aicc_chunk
	at    uintptr
}

func (c *cursor) next() *C.aicc_rec {
	for c.chunk != nil {
		if c.at < uintptr(c.chunk.used) {
			r := (*C.aicc_rec)(unsafe.Add(unsafe.Pointer(c.chunk), unsafe.Sizeof(*c.chunk)+c.at))
			c.at += uintptr(r.size)
			return r
		}
		c.chunk, c.at = c.chunk.next, 0
	}
	return nil
}

// payload is the record's bytes: behind its header, or in a block of their own.
func payload(r *C.aicc_rec) []byte {
	if r.length == 0 {
		return nil
	}
	p := unsafe.Add(unsafe.Pointer(r), unsafe.Sizeof(*r))
	if r.block != 0 {
		p = *(*unsafe.Pointer)(p)
	}
	return unsafe.Slice((*byte)(p), int(r.length))
}
