package main

import (
	"bytes"
	"slices"
	"time"

	"aicc.dev/libaicc/core/message"
)

// A pipe does not break, so the demo plays the network too, by two lines that are no messages: see examples/c/host.h.
const (
	cut     = "#cut"
	dialled = "#dial"
)

// network is how the connection is.
type network int

const (
	up   network = iota
	dark         // what the host sends gets lost, and it does not know yet
	down         // it knows
)

// goDark loses what the host sends from now on.
func (a *agent) goDark() {
	if a.err == nil {
		a.net = dark
		a.show.network("the connection breaks, and nobody has noticed: what comes back now is lost")
	}
}

// lose notes what the network loses.
func (a *agent) lose(m *message.Message, raw []byte) {
	what := m.Type.String()
	switch m.Type {
	case message.ToolResult:
		c := a.called(m)
		if c == nil {
			return
		}
		switch bare := withoutID(m, raw); {
		case c.result != nil:
			a.takeAgain(c, bare)
		case c.lost != nil && !(a.replay != nil && bytes.Equal(c.lost, bare)):
			a.fail("a second result came for %s (%s)", c.id, c.tool.ID)
		default:
			c.lost = bare
		}
		what += " of " + c.tool.ID
	case message.Event:
		what += " " + m.Topic.String()
	}
	a.checkTick(m)
	a.show.network("lost: " + what)
}

// cutOff lets the host notice that the connection is gone.
func (a *agent) cutOff() {
	if a.err == nil {
		a.net = down
		a.show.network("the host notices: nobody is connected")
		a.write([]byte(cut))
	}
}

// resume connects again and asks for the session: that it goes on, and what may have been lost.
func (a *agent) resume() {
	if a.err != nil {
		return
	}
	a.show.network("there is a connection again")
	a.dialling = true
	a.write([]byte(dialled))
	a.until("the host to take the new connection", func() bool { return a.net == up })
	if a.err != nil {
		return
	}
	a.epoch++
	a.inits = 1 // the answer: to a character that had an agent the bridge says nothing first
	a.show.resumes()
	a.send(message.AppendSessionResume(nil, a.session, a.ids.Next()))
	a.until("session_init", func() bool { return a.inits == 0 })
}

// catchUp is behind the answer to session_resume: results that the agent has may come again, in front of anything else and of results of
// calls that it makes now.
func (a *agent) catchUp() {
	a.replay, a.replayTick, a.repeats = map[*call]bool{}, 0, 0
	for _, c := range a.calls {
		if c.result != nil {
			a.replay[c] = true
		}
	}
}

// caughtUp ends that.
func (a *agent) caughtUp() {
	a.showRepeats()
	a.replay = nil
}

func (a *agent) showRepeats() {
	if a.repeats > 0 {
		a.show.repeated(a.repeats)
	}
	a.repeats = 0
}

// until waits for a condition.
func (a *agent) until(what string, is func() bool) {
	end := time.Now().Add(a.patience)
	for a.err == nil && !is() {
		a.step(what, time.Until(end))
	}
}

// holds tells whether the character holds a capability.
func (a *agent) holds(capability string) bool {
	c := &a.manifest.Capabilities
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
