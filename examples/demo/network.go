package main

import (
	"bytes"
	"fmt"

	"aicc.dev/libaicc/core/message"
)

// goDark loses what the host sends from now on.
func (p *player) goDark() {
	if p.err == nil {
		p.tap.become(dark)
		p.show.network("the connection breaks, and nobody has noticed: what comes back now is lost")
	}
}

// lose notes what the network loses.
func (p *player) lose(m *message.Message, raw []byte) {
	what := m.Type.String()
	switch m.Type {
	case message.ToolResult:
		c := p.called(m)
		if c == nil {
			return
		}
		bare := withoutID(m, raw)
		switch {
		case !p.due(c):
			p.fail("a second result came for %s (%s)", c.name, c.tool.ID)
		case c.result != nil && !bytes.Equal(c.bare, bare):
			p.another(c, "as another than before", c.bare, bare)
		}
		c.lost = bare
		what += " of " + c.tool.ID
	case message.Event:
		what += " " + m.Topic.String()
	}
	p.checkTick(m)
	p.show.network("lost: " + what)
}

// cutOff lets both sides notice that the connection is gone.
func (p *player) cutOff() {
	if p.err != nil {
		return
	}
	p.show.network("the host notices: nobody is connected")
	p.tap.become(down)
	p.away = 0
	p.exchange("the agent to notice that too", p.tap.host, func() bool { return p.away > 0 })
}

// mend makes connections possible again. The agent finds that out by itself, and asks for its session: that it goes on, for what may have been
// lost, and once more for what it has no result of.
func (p *player) mend() {
	if p.err == nil {
		p.tap.become(up)
		p.until("session_init", func() bool { return p.away == 0 && p.inits == 0 })
	}
}

// connects notes that the agent has made a connection.
func (p *player) connects() {
	if p.session.IsZero() {
		return
	}
	p.show.network("there is a connection again")
	p.epoch++
	p.inits, p.hello = 1, true
	for _, c := range p.calls {
		c.asked = 0
	}
}

// waits notes that the agent has none.
func (p *player) waits(n passing) {
	said := "the agent notices too, and tries again in %d ms"
	if p.away++; p.away > 1 {
		said = "in vain: the agent tries again in %d ms"
	}
	p.show.network(fmt.Sprintf(said, n.wait.Milliseconds()))
}

// catchUp is behind the answer to session_resume: results come again, in front of anything else and of results of calls that are new. The agent
// may have them; what it has not it asks for besides, at once and in the order in which it had asked.
func (p *player) catchUp() {
	p.away, p.replay, p.replayTick, p.repeats = 0, true, 0, 0
	for _, c := range p.calls {
		if c.kept = c.epoch < p.epoch && c.epoch > 0; c.kept && c.result == nil {
			p.own("the agent to ask once more for "+c.name+" ("+c.tool.ID+")", func() bool { return c.asked > 0 })
		}
	}
}

// caughtUp ends that.
func (p *player) caughtUp() {
	p.showRepeats()
	p.replay = false
	for _, c := range p.calls {
		c.kept = false
	}
}

func (p *player) showRepeats() {
	if p.repeats > 0 {
		p.show.repeated(p.repeats)
	}
	p.repeats = 0
}
