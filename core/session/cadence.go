package session

import (
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// classPeriods are how far apart periodic ticks are at least for an agent that does not say how fast it is (DESIGN 5.14).
var classPeriods = [message.ModelClassCount + 1]int64{
	message.EdgeSmall: second / 4, message.EdgeMedium: second / 2, message.CloudMedium: second, message.CloudLarge: 2 * second,
}

const (
	slowestPeriod = 10 * second // to which a model slows ticks at most
	longestPeriod = 366 * 24 * 3600 * second
)

// period is how far apart the session's periodic ticks are.
func (s *Session) period() int64 {
	p := int64(min(float64(second)/s.w.TickRateHz, float64(longestPeriod)))
	if s.w.AnyTickRate {
		return p
	}
	m := s.kit.Model
	slow := classPeriods[m.Class]
	if m.FullResponseMS > 0 {
		slow = min(m.FullResponseMS, slowestPeriod/millisecond) * millisecond
	}
	return max(p, min(slow, slowestPeriod))
}

func (s *Session) startTicks() {
	s.tickDue = never
	if s.w.TickMode != message.TickEvent && s.kit.Topics&message.TopicTick != 0 {
		s.tickDue = s.clock() + s.period()
	}
	s.tellDue()
	s.playAlarm()
}

// playAlarm says when the session's own time has something to do next.
func (s *Session) playAlarm() {
	at := int64(never)
	if !s.paused && !s.closed {
		at = s.tickDue
		for _, c := range s.calls {
			at = min(at, c.deadline)
		}
	}
	s.w.games.set(s, at)
}

func (s *Session) onPlay() {
	s.timeOut()
	if s.tickDue <= s.w.play && s.state == live {
		p := s.period()
		s.tickDue += (s.w.play-s.tickDue)/p*p + p
		s.tellDue()
		s.sendTick()
	}
	s.playAlarm()
}

// longestLead is how long before a tick its payload may be asked for: three frames of a slow game.
const longestLead = 50 * millisecond

// tellDue tells the host from when on a payload for the next tick is of use.
func (s *Session) tellDue() {
	w := s.w
	switch {
	case w.dues == nil:
	case s.tickDue == never:
		w.dues.TickDue(s.number, never)
	case !w.begun: // what time it is the first frame will say
		w.dues.TickDue(s.number, 0)
	default:
		w.dues.TickDue(s.number, max(s.hostTime(s.tickDue)-min(s.period()/4, longestLead), 0))
	}
}

// completed is after each call that has had its outcome.
func (s *Session) completed() {
	if s.w.TickMode != message.TickFixed && !s.stopped() {
		s.sendTick()
	}
}

// lastTick is the payload that the host emitted last on the topic tick, and when in the order of such.
type lastTick struct {
	content content
	seq     uint64
}

func (l *lastTick) note(w *World, c *content) {
	w.tickSeq++
	l.seq = w.tickSeq
	l.content = content{form: c.form, data: append(l.content.data[:0], c.data...)}
}

// sendTick queues a tick event if the agent is subscribed.
func (s *Session) sendTick() {
	w := s.w
	if s.state != live || s.kit.Topics&message.TopicTick == 0 {
		return
	}
	last := &w.lastTick
	if s.lastTick != nil && s.lastTick.seq > last.seq {
		last = s.lastTick
	}
	c := content{form: last.content.form, data: last.content.data, tick: w.tick}
	if last.seq == 0 {
		w.out = jsonwire.AppendUint(append(w.out[:0], `{"tick":`...), w.tick)
		w.out = append(w.out, `,"time":`...)
		w.out, _ = jsonwire.AppendFloat(w.out, float64(w.play/millisecond)/1000)
		w.out = append(w.out, '}')
		c.data = w.out
	}
	s.putEvent(&w.ticker, &c)
}

// resumeWaitNS is how long a connection to a character that had an agent waits for session_resume (5.3).
const resumeWaitNS = 2000 * millisecond

// timeAlarm says when the real time has something to do next.
func (s *Session) timeAlarm() {
	w := s.w
	at := int64(never)
	switch {
	case s.closed:
	case s.state == live:
		at = min(s.lastSent+w.HeartbeatNS, s.idleAt(), s.updateAt)
		for i := range s.paces {
			if s.paces[i].waits {
				at = min(at, s.paces[i].nextAt)
			}
		}
	case s.state == waiting && s.held:
	case s.state == waiting:
		at = s.lastHeard + resumeWaitNS
	case !s.valid && s.uses == nil:
	case s.valid:
		at = s.leftAt + w.ResumeNS
	default:
		at = s.overAt + w.ResumeNS
	}
	w.real.set(s, at)
}

// idleAt is when an agent that is silent is let go.
func (s *Session) idleAt() int64 {
	if !s.beats || s.w.IdleNS == 0 {
		return never
	}
	return s.lastHeard + max(s.w.IdleNS, 3*s.kit.Model.FullResponseMS*millisecond)
}

// onTime does what the real time asks for. What was sent or heard since only makes the alarm come too early.
func (s *Session) onTime() {
	w := s.w
	switch {
	case s.state == waiting:
		if s.lastHeard+resumeWaitNS <= w.now {
			s.anew(true)
		}
	case s.state == live && s.idleAt() <= w.now:
		w.host.Log(Info, s.number, 0, "the agent has fallen silent and is detached")
		s.leave(true)
		return
	case s.state == live:
		s.onPaces()
		if s.updateAt <= w.now {
			s.updateAt = never
			s.manifestChanged()
		}
		if s.lastSent+w.HeartbeatNS <= w.now {
			s.lastSent = w.now
			if s.box == nil {
				s.putSession(mailHeartbeat)
			}
		}
	case s.state == free && s.valid:
		if !s.resumable() {
			s.gone()
		}
	case s.state == free:
		s.uses = nil
	}
	s.timeAlarm()
}

// manifestChanged looks whether the manifest's bytes are others than those that were sent, and tells the agent, once a second at most.
func (s *Session) manifestChanged() {
	w := s.w
	if s.state != live {
		return
	}
	w.fresh(s.kit)
	if s.kit.print == s.print || s.initWaits() {
		return
	}
	if at := s.updatedAt + second; at > w.now {
		s.updateAt = at
		s.timeAlarm()
		return
	}
	s.updatedAt = w.now
	s.putSession(mailUpdate)
}

// initWaits tells whether a message is queued that will carry the manifest as it is when that is sent.
func (s *Session) initWaits() bool {
	if s.box == nil {
		return false
	}
	for i := len(s.box.list) - 1; i >= s.box.from; i-- {
		if k := s.box.list[i].kind; k == mailInit || k == mailUpdate {
			return true
		}
	}
	return false
}
