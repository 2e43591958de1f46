//go:build !aicc_nonet

package main

/*
#include "core.h"

#cgo nocallback aicc_core_bridge
#cgo nocallback aicc_core_wake
#cgo noescape aicc_core_attach
#cgo nocallback aicc_core_attach
#cgo nocallback aicc_core_begin
#cgo noescape aicc_core_receive
#cgo nocallback aicc_core_receive
#cgo nocallback aicc_core_arrived
#cgo nocallback aicc_core_leave
*/
import "C"

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"aicc.dev/libaicc/core/bridge"
	"aicc.dev/libaicc/core/inspector"
	"aicc.dev/libaicc/core/transport"
)

const maxListeners = 64

// listener is one open port and the bridges that are reached by it.
type listener struct {
	owner   uint64
	fixed   bool // what agents ask for does not count
	port    *transport.Listener
	rosters transport.Rosters
	hub     *inspector.Hub // nil: nobody may look
}

// listeners are the process's, by their number in the handle. Numbers are not used again.
var listeners struct {
	sync.Mutex
	last uint64
	all  map[uint64]*listener
}

func listenerOf(number uint64) (*listener, *bridge.Failure) {
	listeners.Lock()
	defer listeners.Unlock()
	if l := listeners.all[number]; l != nil {
		return l, nil
	}
	return nil, &bridge.Failure{Status: bridge.StatusHandle, Field: "listener", Message: "no such listener: it was closed, or never was"}
}

// listen opens a port and gives the listener's number.
func listen(f bridge.Fields) ([]byte, *bridge.Failure) {
	names := func(from, n int64) (list []string) {
		for i := range n {
			list = append(list, string(f.Str(int(from+i))))
		}
		return list
	}
	hosts, origins := f.Int(C.AICC_LISTEN_HOSTS), f.Int(C.AICC_LISTEN_ORIGINS)
	l := &listener{owner: uint64(f.Int(C.AICC_LISTEN_OWNER)), fixed: f.Int(C.AICC_LISTEN_FIXED) != 0}
	o := transport.Options{
		Address: string(f.Str(0)), Port: int(f.Int(C.AICC_LISTEN_PORT)), Token: string(f.Str(1)), Hosts: names(2, hosts), Origins: names(2+hosts, origins),
		Replace: f.Int(C.AICC_LISTEN_SECOND) != 0, Log: func(text string) { logLine(bridge.Warn, text) },
	}
	if f.Int(C.AICC_LISTEN_INSPECTOR) != 0 {
		l.hub = inspector.New(inspector.Options{Log: func(text string) { logLine(bridge.Error, text) }})
		o.Inspector = l.hub
	}
	listeners.Lock()
	full := len(listeners.all) >= maxListeners
	listeners.Unlock()
	if full {
		return nil, &bridge.Failure{Status: bridge.StatusFull, Message: fmt.Sprintf("there are %d listeners: one serves any number of bridges", maxListeners)}
	}
	port, err := transport.Listen(o, &l.rosters)
	if err != nil {
		if l.hub != nil {
			l.hub.Close()
		}
		return nil, listenFailure(err)
	}
	l.port = port
	listeners.Lock()
	defer listeners.Unlock()
	if listeners.all == nil {
		listeners.all = map[uint64]*listener{}
	}
	listeners.last++
	listeners.all[listeners.last] = l
	return binary.NativeEndian.AppendUint64(nil, listeners.last), nil
}

func listenFailure(err error) *bridge.Failure {
	var of *net.OpError
	if errors.As(err, &of) || errors.Is(err, fs.ErrPermission) {
		return &bridge.Failure{Status: bridge.StatusIO, Field: "port", Message: err.Error()}
	}
	var option *transport.OptionError
	if errors.As(err, &option) {
		return &bridge.Failure{Status: bridge.StatusArg, Field: option.Field, Message: err.Error()}
	}
	return &bridge.Failure{Status: bridge.StatusIO, Message: err.Error()}
}

// ofListener answers what is asked of one.
func ofListener(kind int32, number uint64) ([]byte, *bridge.Failure) {
	l, failure := listenerOf(number)
	if failure != nil {
		return nil, failure
	}
	switch kind {
	case C.AICC_ASK_ADDRESS:
		return []byte(l.port.Addr()), nil
	case C.AICC_ASK_INSPECTOR:
		if l.hub == nil {
			return nil, &bridge.Failure{Status: bridge.StatusState, Message: "the inspector was not turned on: aicc_listen_options.inspector"}
		}
		return []byte(l.port.InspectorURL()), nil
	}
	select {
	case <-endListener(number):
	case <-time.After(farewell):
	}
	return nil, nil
}

// farewell is how long closing a listener waits for its agents to be told; a game may be about to end its process.
const farewell = 500 * time.Millisecond

// endListener frees the port and lets the agents go; told is closed when they have heard.
func endListener(number uint64) (told <-chan struct{}) {
	done := make(chan struct{})
	listeners.Lock()
	l := listeners.all[number]
	delete(listeners.all, number)
	listeners.Unlock()
	if l == nil {
		close(done)
		return done
	}
	l.port.Shut()
	go func() {
		defer close(done)
		l.port.Close()
		if l.hub != nil {
			l.hub.Close()
		}
	}()
	return done
}

// endListeners ends those of one owner; 0: all.
func endListeners(owner uint64) {
	listeners.Lock()
	var numbers []uint64
	for n, l := range listeners.all {
		if owner == 0 || l.owner == owner {
			numbers = append(numbers, n)
		}
	}
	listeners.Unlock()
	for _, n := range numbers {
		endListener(n)
	}
}

// join makes a bridge reachable by a listener.
func join(number uint64, world string, slot uint32) (wire, *bridge.Failure) {
	l, failure := listenerOf(number)
	if failure != nil {
		return nil, failure
	}
	m := &mailbox{handle: C.aicc_core_bridge(C.uint32_t(slot)), fixed: l.fixed}
	r := &roster{roster: transport.NewRoster(world, m), of: &l.rosters}
	if l.hub != nil {
		r.watched = l.hub.World(world, func() {
			r.asked.Store(true)
			C.aicc_core_wake(C.uint32_t(slot))
		})
	}
	l.rosters.Add(r.roster)
	return r, nil
}

// roster is the wire of a bridge.
type roster struct {
	roster  *transport.Roster
	of      *transport.Rosters
	watched *inspector.World // nil: by nobody, and every method of it does nothing
	asked   atomic.Bool
	tick    uint64
}

func (r *roster) At(tick uint64) { r.tick = tick }

func (r *roster) Open(session uint32, name string) {
	r.watched.Open(session, name)
	r.roster.Open(session, name)
}

func (r *roster) Closed(session uint32) {
	r.watched.Closed(session)
	r.roster.Closed(session)
}

func (r *roster) Agent(session uint32, change bridge.AgentChange) {
	r.watched.Agent(session, change)
	r.roster.Agent(session, change == bridge.AgentGone)
}

func (r *roster) Received(session uint32, m []byte) { r.watched.In(session, r.tick, m) }

func (r *roster) Message(session uint32, epoch uint64, m []byte) {
	r.watched.Out(session, r.tick, m)
	r.roster.Message(session, epoch, m)
}

func (r *roster) Detached(session uint32, epoch uint64) { r.roster.Detached(session, epoch) }

func (r *roster) Fault(session uint32, text string) { r.watched.Fault(session, text) }

func (r *roster) Log(level bridge.Level, session uint32, text string) {
	r.watched.Log(level, session, text)
}

func (r *roster) Asked() bool { return r.asked.Load() && r.asked.CompareAndSwap(true, false) }

func (r *roster) Tools(session uint32, tools [][]byte) { r.watched.Tools(session, tools) }

func (r *roster) End() {
	r.of.Remove(r.roster)
	r.watched.Close()
}

// mailbox is transport.Wire over the front: each method leaves a record there.
type mailbox struct {
	handle C.uint64_t
	fixed  bool
}

func (m *mailbox) Attach(session uint32, how transport.How, ask transport.Ask) uint64 {
	var flags C.int32_t
	if how.Replace {
		flags |= C.AICC_REC_ATTACH_REPLACE
	}
	if how.Wait {
		flags |= C.AICC_REC_ATTACH_WAIT | C.AICC_REC_ATTACH_HELD
	}
	var wish []byte
	if topics := int64(-1); !m.fixed {
		if ask.HasTopics {
			topics = int64(ask.Topics)
		}
		wish = bridge.AppendFields(nil, []int64{int64(ask.Model), max(ask.FullMS, 0), topics})
	}
	p, n := text(wish)
	return uint64(C.aicc_core_attach(m.handle, C.uint32_t(session), flags, p, n))
}

func (m *mailbox) Begin(session uint32, epoch uint64) {
	C.aicc_core_begin(m.handle, C.uint32_t(session), C.uint64_t(epoch))
}

func (m *mailbox) Receive(session uint32, epoch uint64, message []byte) bool {
	p, n := text(message)
	return C.aicc_core_receive(m.handle, C.uint32_t(session), C.uint64_t(epoch), p, n) != 0
}

func (m *mailbox) Arrived(session uint32, epoch uint64, count uint32) {
	C.aicc_core_arrived(m.handle, C.uint32_t(session), C.uint64_t(epoch), C.uint32_t(count))
}

func (m *mailbox) Leave(session uint32, epoch uint64) {
	C.aicc_core_leave(m.handle, C.uint32_t(session), C.uint64_t(epoch))
}
