package main

import (
	"slices"

	"aicc.dev/libaicc/core/message"
)

// holds tells whether the character holds a capability.
func (p *player) holds(capability string) bool {
	c := &p.manifest.Capabilities
	return slices.Contains(c.Sensors, capability) || slices.Contains(c.Actuators, capability) || slices.Contains(c.Generators, capability)
}

// compare says what a manifest has that the one before it had not, and the reverse.
func compare(old, now *message.Manifest) (changes []string) {
	find := func(m *message.Manifest, id string) *message.Tool {
		if i := slices.IndexFunc(m.Tools, func(t message.Tool) bool { return t.ID == id }); i >= 0 {
			return &m.Tools[i]
		}
		return nil
	}
	for i := range now.Tools {
		t := &now.Tools[i]
		switch was := find(old, t.ID); {
		case was == nil:
			changes = append(changes, "a new "+t.Class.String()+", "+t.ID+": "+t.Description)
		case string(message.AppendTool(nil, was)) != string(message.AppendTool(nil, t)):
			changes = append(changes, t.ID+" is another than before")
		}
	}
	for i := range old.Tools {
		if id := old.Tools[i].ID; find(now, id) == nil {
			changes = append(changes, id+" is gone")
		}
	}
	list := func(m *message.Manifest) []string {
		c := &m.Capabilities
		return slices.Compact(slices.Sorted(slices.Values(slices.Concat(c.Sensors, c.Actuators, c.Generators))))
	}
	had, has := list(old), list(now)
	for _, c := range has {
		if !slices.Contains(had, c) {
			changes = append(changes, "the character now holds the capability "+c)
		}
	}
	for _, c := range had {
		if !slices.Contains(has, c) {
			changes = append(changes, "the character no longer holds the capability "+c)
		}
	}
	return changes
}
