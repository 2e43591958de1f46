package session

import (
	"slices"

	"aicc.dev/libaicc/core/latency"
	"aicc.dev/libaicc/core/layout"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

// Tool is one tool as calls need it. Its fields may be replaced between calls; calls in flight keep the output schema they began with.
type Tool struct {
	Number      uint32
	ID          string
	Class       message.ToolClass
	Input       *schema.Schema
	Output      *schema.Schema
	PerMinute   int
	PerSession  int64
	MaxInFlight int
	Capability  string // "": none
	Hidden      bool   // from sessions that lack the capability
	WhilePaused bool
	TimeoutNS   int64 // never: none
	Disabled    bool
	Removed     bool
	JSON        []byte // as it stands in a manifest

	MaxInputBytes  int64  // of the input as it came; 0: none but the protocol's
	MaxOutputBytes int64  // of the output as it came; 0: the same
	MaxConcurrent  int64  // calls in flight, over all sessions; 0: no bound
	Origin         []byte // the document it was made of, or nil; not this package's business

	Latency  *latency.Histogram // of the calls that had a result, from receipt to that; nil until the first
	inFlight int64              // over all sessions
}

// Set is a scope of tool ids. Its tools keep the order in which they came.
type Set struct {
	Number uint32
	Name   string
	Tools  []*Tool
	byID   map[string]*Tool
	bytes  int
}

// NewSet makes an empty one.
func NewSet(number uint32, name string) *Set {
	return &Set{Number: number, Name: name, byID: map[string]*Tool{}}
}

// Find gives the tool of this id, or nil.
func (s *Set) Find(id string) *Tool { return s.byID[id] }

// Bytes is what the tools take in a manifest.
func (s *Set) Bytes() int { return s.bytes }

// Add puts a tool in that has an id which no other has.
func (s *Set) Add(t *Tool) {
	s.Tools = append(s.Tools, t)
	s.byID[t.ID] = t
	s.bytes += len(t.JSON) + 1
}

// Remove takes a tool out.
func (s *Set) Remove(t *Tool) {
	s.Tools = slices.DeleteFunc(s.Tools, func(o *Tool) bool { return o == t })
	delete(s.byID, t.ID)
	s.bytes -= len(t.JSON) + 1
}

// Replace gives a tool of the set other fields, and perhaps another id.
func (s *Set) Replace(t *Tool, with Tool) {
	delete(s.byID, t.ID)
	s.bytes += len(with.JSON) - len(t.JSON)
	with.Latency, with.inFlight = t.Latency, t.inFlight
	*t = with
	s.byID[t.ID] = t
}

// measure notes how long a call took.
func (t *Tool) measure(ns int64) {
	if t.Latency == nil {
		t.Latency = &latency.Histogram{}
	}
	t.Latency.Record(ns)
}

// Event is one kind of event.
type Event struct {
	Number        uint32
	Topic         message.Topic
	Kind          []byte // `"kind":"x"`, ready to be put first into a payload; nil: none
	Latest        bool   // newest wins; else each one counts
	MinIntervalNS int64
	Layout        *layout.Layout // of its payload, which is then given as a struct; nil: as JSON
}
