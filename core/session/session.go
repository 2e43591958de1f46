// Package session is one character's seat in aicc/0.1: handshake, calls, limits, capabilities, kept results, cadence and outbox.
// Agents come and go in it. It knows of the engine what Host says, and of time and randomness what World is told.
package session

import (
	"slices"

	"aicc.dev/libaicc/core/message"
)

type state uint8

const (
	free    state = iota // no connection
	waiting              // one that may ask for the session back: nothing was said yet
	live                 // session_init was sent
)

// Flags of Attach.
const (
	AttachWait    = 1 // to a character that had an agent: say nothing before the first message, which may be session_resume, for 2 s; then the seat is a new agent's
	AttachFresh   = 2 // the agent before may no longer resume
	AttachReplace = 4 // take the place of an agent that is there
	AttachHeld    = 8 // with AttachWait: the wait has no end of its own, the same connection's AttachFresh ends it
)

// Session is one character.
type Session struct {
	w      *World
	number uint32
	state  state
	valid  bool // id may be resumed, or is in use
	paused bool
	played bool // an agent has sat here
	beats  bool // the agent has sent a heartbeat on this connection
	closed bool
	inMail bool
	// closing: its calls are being ended, nothing else is to be said
	closing bool
	resumed bool // on this connection
	held    bool // waiting has no end of its own
	dropped bool // an event, on this connection
	agentAt int  // place among the world's agents

	kit    *Kit
	model  message.Model // as the host says
	topics message.Topic // likewise
	wish   Wish          // of the agent that is here, or was last
	id     message.ID
	epoch  uint64
	count  uint32 // messages handed over on this connection
	print  print  // of the manifest that was sent last

	calls []*call
	past  *past
	uses  []use
	box   *outbox
	paces []pace

	prefix   []byte // of its events
	lastTick *lastTick

	alarms    [clocks]alarm
	lastSent  int64
	lastHeard int64
	updateAt  int64 // when a manifest_update may be sent; never: none is due
	updatedAt int64
	leftAt    int64 // when the connection ended
	overAt    int64 // when the protocol session ended, and its limits began to fade
	pausedAt  int64 // of play
	tickDue   int64 // of play; never: no periodic ticks
}

// Open makes a session. sets begins with the bridge's own; sets and capabilities become the session's.
func (w *World) Open(number uint32, sets []*Set, capabilities []string, model message.Model, topics message.Topic) *Session {
	return &Session{w: w, number: number, model: model, topics: topics, kit: w.kit(sets, capabilities, model, topics), updateAt: never, updatedAt: -minute, tickDue: never, agentAt: -1}
}

// Number is the front's.
func (s *Session) Number() uint32 { return s.number }

// Attach seats the agent of a connection. What it asks for counts once: with the end of a wait it is given already.
func (s *Session) Attach(epoch uint64, flags uint16, wish Wish) {
	w := s.w
	if s.state != free {
		switch {
		case epoch == s.epoch && s.state == waiting && flags&AttachWait == 0: // the wait is over
			wish = s.wish
		case epoch == s.epoch:
			return
		case flags&AttachReplace == 0:
			w.host.Detached(s.number, epoch)
			return
		default:
			s.leave(true)
		}
	}
	s.epoch, s.state = epoch, waiting
	s.lastHeard, s.lastSent, s.count, s.beats, s.resumed, s.dropped = w.now, w.now, 0, false, false, false
	s.held = flags&AttachHeld != 0
	s.grant(wish)
	if flags&AttachFresh != 0 && s.valid {
		s.gone()
	}
	if flags&AttachWait == 0 || !s.played { // nobody can want to come back to a seat where nobody sat
		s.begin(true)
	}
	s.timeAlarm()
}

// anew gives the seat to another agent than the one before, which may no longer resume: it must not get what was that one's.
func (s *Session) anew(say bool) {
	if s.valid {
		s.gone()
	}
	s.begin(say)
}

// begin starts, or goes on with, the protocol session on this connection, and says so unless what follows does.
func (s *Session) begin(say bool) {
	w := s.w
	if s.valid && !s.resumable() {
		s.gone()
	}
	if !s.valid {
		if w.now-s.overAt >= w.ResumeNS {
			s.uses = nil
		}
		s.renew()
	}
	s.enter()
	w.host.Agent(s.number, AgentConnected)
	if say {
		s.putSession(mailInit)
	}
}

// renew gives the session a new id.
func (s *Session) renew() {
	id, err := message.NewSessionID(s.w.random)
	if err != nil { // the system's randomness is gone: an id that can be guessed is better than none
		id = s.w.ids.Next()
	}
	s.id, s.valid, s.prefix = id, true, nil
}

func (s *Session) enter() {
	w := s.w
	s.state, s.played = live, true
	s.agentAt = len(w.agents)
	w.agents = append(w.agents, s)
	s.startTicks()
	s.timeAlarm()
}

// resumable tells whether the agent that left may have the session back.
func (s *Session) resumable() bool { return s.valid && s.w.now-s.leftAt < s.w.ResumeNS }

// resume answers session_resume: the manifest, then what may not have arrived, then events.
func (s *Session) resume() {
	w := s.w
	if s.state == waiting {
		s.enter()
	}
	if !s.resumed {
		s.resumed = true
		w.host.Agent(s.number, AgentResumed)
	}
	var events []mail
	if b := s.box; b != nil {
		list := b.list[:b.from]
		for _, m := range b.list[b.from:] {
			switch {
			case m.kind == mailKept:
				if k := s.past.at(m.seq); k != nil {
					k.waits = false
				}
				b.bytes -= m.cost
			case m.class < classMust:
				events = append(events, m)
			default:
				list = append(list, m)
			}
		}
		b.list = list
	}
	s.putSession(mailInit)
	if p := s.past; p != nil {
		for seq := p.first; seq < p.next; seq++ {
			if k := p.at(seq); !k.arrived {
				s.putKept(k, 0)
			}
		}
	}
	if s.box != nil {
		s.box.list = append(s.box.list, events...)
	}
}

// Detach says that the connection is gone.
func (s *Session) Detach(epoch uint64) {
	if s.state != free && s.epoch == epoch {
		s.leave(false)
	}
}

// Arrived says that the connection's messages up to count have arrived.
func (s *Session) Arrived(epoch uint64, count uint32) {
	if s.state == live && s.epoch == epoch && s.past != nil {
		s.past.arrive(count)
	}
}

// leave ends the connection; ours says that the host does not know of it. What was not handed over is not sent; results are kept.
func (s *Session) leave(ours bool) {
	w := s.w
	epoch, wasLive := s.epoch, s.state == live
	s.drop()
	if ours {
		w.host.Detached(s.number, epoch)
	}
	if !wasLive {
		return
	}
	w.host.Agent(s.number, AgentDetached)
	if w.ResumeNS == 0 {
		s.gone()
	}
}

// drop forgets the connection.
func (s *Session) drop() {
	w := s.w
	wasLive := s.state == live
	s.dropBox()
	s.state, s.epoch = free, 0
	if s.past != nil {
		s.past.detach()
	}
	if wasLive {
		last := len(w.agents) - 1
		w.agents[s.agentAt] = w.agents[last]
		w.agents[s.agentAt].agentAt = s.agentAt
		w.agents[last] = nil
		w.agents = w.agents[:last]
		s.agentAt = -1
		s.leftAt = w.now
	}
	s.prefix, s.paces, s.lastTick = nil, nil, nil
	s.updateAt, s.tickDue = never, never
	s.playAlarm()
	s.timeAlarm()
}

// gone ends the protocol session whose agent did not come back.
func (s *Session) gone() {
	s.over(EndedAgent)
	s.w.host.Agent(s.number, AgentGone)
}

// over ends the protocol session: what is open fails, what is kept is forgotten, the id is used up. Limits fade later.
func (s *Session) over(reason EndReason) {
	s.closing = true
	s.endCalls(anyCall, false, reason, message.SessionExpired, overTexts[reason])
	s.closing = false
	s.past = nil
	s.valid = false
	s.overAt = s.w.now
	s.timeAlarm()
}

var overTexts = map[EndReason]string{
	EndedSession: "the game has ended this session: wait for a new session_init",
	EndedReset:   "the game was reset while the call was open: go on in the session that follows",
	EndedBridge:  "the game has closed this world: connect again later",
	EndedAgent:   "the session was closed while the call was open: call again in a new session",
}

// farewell ends the protocol session of an agent that is there, sends what is queued and a session_close, and lets it go.
func (s *Session) farewell(reason EndReason, text []byte) {
	w := s.w
	if s.state == live {
		s.lastWords(reason, text)
	} else {
		s.over(reason)
	}
	if s.state != free { // it may have been let go for what it did not take
		epoch := s.epoch
		s.drop()
		w.host.Detached(s.number, epoch)
	}
}

// lastWords ends the protocol session, and sends all that is queued and a session_close. The room that the host has is no matter here:
// the outbox is bounded.
func (s *Session) lastWords(reason EndReason, text []byte) {
	w := s.w
	s.closing = true
	s.endCalls(anyCall, false, reason, message.SessionExpired, overTexts[reason])
	s.closing = false
	if s.state == live {
		s.deliver(true)
		w.out = message.AppendSessionClose(w.out[:0], s.id, w.ids.Next(), text)
		w.hand(s, w.out)
	}
	s.over(reason)
}

func (s *Session) closedByAgent() {
	s.farewell(EndedAgent, []byte("closed by the agent"))
	s.w.host.Agent(s.number, AgentGone)
}

// Close ends the session for good.
func (s *Session) Close(reason []byte) {
	s.farewell(EndedSession, reason)
	s.end()
}

// End ends it with its bridge: the number stays.
func (s *Session) End() {
	had := s.state == live
	s.farewell(EndedBridge, []byte("the world is closed"))
	if had {
		s.w.host.Agent(s.number, AgentGone)
	}
	s.end()
}

func (s *Session) end() {
	s.closed = true
	s.w.real.set(s, never)
	s.w.games.set(s, never)
	s.w.dropKit(s.kit)
	s.uses = nil
}

// Reset begins anew, as after a load or a respawn: nothing of before is remembered. An agent that is there stays and gets a new session_init.
func (s *Session) Reset(reason []byte) {
	if s.state != live {
		had := s.valid
		s.over(EndedReset)
		s.uses = nil
		if had {
			s.w.host.Agent(s.number, AgentGone)
		}
		return
	}
	s.lastWords(EndedReset, reason)
	s.uses, s.paces, s.lastTick = nil, nil, nil
	if s.state == live {
		s.renew()
		s.startTicks()
		s.putSession(mailInit)
	}
}

// Pause stops the session's time, or lets it go on.
func (s *Session) Pause(paused bool) {
	w := s.w
	if s.paused == paused {
		return
	}
	s.paused = paused
	if paused {
		s.pausedAt = w.play
	} else {
		stood := w.play - s.pausedAt
		for _, c := range s.calls {
			c.since += stood
			if c.deadline != never {
				c.deadline += stood
			}
		}
		if s.tickDue != never {
			s.tickDue += stood
			s.tellDue()
		}
		if !w.paused {
			w.release()
		}
	}
	s.playAlarm()
}

// stopped tells whether a pause is on, of the session or of the world.
func (s *Session) stopped() bool { return s.paused || s.w.paused }

// clock is the session's own time: play, less its own pauses that are going on.
func (s *Session) clock() int64 {
	if s.paused {
		return s.pausedAt
	}
	return s.w.play
}

// rekit gives the session another kit, and tells its agent.
func (s *Session) rekit(sets []*Set, capabilities []string) {
	old := s.kit
	model, topics := s.wished()
	s.kit = s.w.kit(sets, slices.Clone(capabilities), model, topics)
	s.w.dropKit(old)
	s.manifestChanged()
}

// SetTopics changes what the agent is subscribed to.
func (s *Session) SetTopics(topics message.Topic) {
	s.topics = topics
	s.rekit(s.kit.Sets, s.kit.Capabilities)
	if s.state == live && (s.kit.Topics&message.TopicTick != 0) != (s.tickDue != never) {
		s.startTicks()
	}
}

// SetSets changes the session's toolsets; sets begins with the bridge's own and becomes the session's. Calls of tools that it loses end.
func (s *Session) SetSets(sets []*Set) {
	s.rekit(sets, s.kit.Capabilities)
	s.endCalls(func(c *call) bool { return s.kit.Find([]byte(c.tool.ID)) != c.tool }, true,
		EndedTool, message.ToolUnknown, "the character has lost the tool of this call: use a tool of the new manifest")
}

// Sets are the session's, the bridge's own first.
func (s *Session) Sets() []*Set { return s.kit.Sets }

// Held is how many capabilities the session holds.
func (s *Session) Held() int { return len(s.kit.Capabilities) }

// Grant gives the session a capability or takes it. Calls that need it end with it.
func (s *Session) Grant(capability string, held bool) {
	if s.kit.holds(capability) == held {
		return
	}
	list := slices.Clone(s.kit.Capabilities)
	if held {
		list = append(list, capability)
	} else {
		list = slices.DeleteFunc(list, func(c string) bool { return c == capability })
	}
	s.rekit(s.kit.Sets, list)
	s.endCalls(func(c *call) bool { return !s.kit.allowed(c.tool) }, true,
		EndedTool, message.ToolUnavailable, "the character has lost the capability that this call needs: use another tool")
}

// Lose ends the calls of a tool that was removed: session by session, in each as they came.
func (w *World) Lose(t *Tool) {
	t.Removed = true
	var losers []*Session
	for _, c := range w.calls.list {
		if c.state != callFree && c.state != callOrphan && c.tool == t {
			losers = append(losers, c.session)
		}
	}
	slices.SortFunc(losers, func(a, b *Session) int { return int(a.number) - int(b.number) })
	for _, s := range slices.Compact(losers) {
		s.endCalls(func(c *call) bool { return c.tool == t }, true,
			EndedTool, message.ToolUnknown, "the game has removed the tool of this call: use a tool of the new manifest")
	}
}
