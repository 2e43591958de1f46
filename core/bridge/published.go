package bridge

import (
	"aicc.dev/libaicc/core/latency"
	"aicc.dev/libaicc/core/session"
)

// Published is what can be published of a tool. Its bytes do not change.
type Published struct {
	JSON           []byte // as it stands in a manifest
	MaxInputBytes  int64
	MaxOutputBytes int64
	MaxConcurrent  int64
	Latency        latency.Summary
	Origin         []byte // the document that it was made of, or nil
}

// Published gives the tools that a session's manifest has, in its order; with session 0 those of the bridge that are switched on: its own, then
// each toolset's. ok is false when there is no such session.
func (b *Bridge) Published(number uint32) (world string, tools []Published, ok bool) {
	add := func(t *session.Tool) {
		p := Published{JSON: t.JSON, MaxInputBytes: t.MaxInputBytes, MaxOutputBytes: t.MaxOutputBytes, MaxConcurrent: t.MaxConcurrent, Origin: t.Origin}
		if t.Latency != nil {
			p.Latency = t.Latency.Summary()
		}
		tools = append(tools, p)
	}
	if number != 0 {
		s := b.sessions[number]
		if s == nil {
			return "", nil, false
		}
		s.EachTool(add)
		return b.world.Name, tools, true
	}
	for _, set := range b.allSets() {
		for _, t := range set.Tools {
			if !t.Disabled {
				add(t)
			}
		}
	}
	return b.world.Name, tools, true
}

// allSets are the bridge's own and the others by their numbers.
func (b *Bridge) allSets() []*session.Set {
	list := []*session.Set{b.own}
	for n := uint32(1); len(list) <= len(b.sets); n++ {
		if set := b.sets[n]; set != nil {
			list = append(list, set)
		}
	}
	return list
}
