package session

import (
	"fmt"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// Receive takes what came from the agent of a connection: one message, or what should be one.
func (s *Session) Receive(epoch uint64, data []byte) {
	w := s.w
	if s.state == free || epoch != s.epoch {
		return
	}
	w.Stats.MessagesIn++
	s.lastHeard = w.now
	m := &w.msg
	fault := message.Decode(data, m)
	if lone := m.LoneSurrogates; fault == nil && lone > 0 {
		w.host.Log(Debug, s.number, 0, fmt.Sprintf("a message of the agent had %d lone surrogates, which read as U+FFFD", lone))
		w.mended = append(w.mended[:0], data...)
		jsonwire.MendSurrogates(w.mended)
		fault = message.Decode(w.mended, m)
	}
	resume := fault == nil && m.Type == message.SessionResume
	if s.state == waiting {
		if resume && s.resumable() && m.SessionID == s.id {
			s.resume()
			return
		}
		knows := m.SessionID == s.id
		if fault != nil {
			knows = fault.HaveSessionID && fault.SessionID == s.id
		}
		if knows && s.resumable() { // only the agent of before knows the id
			s.begin(true)
		} else {
			s.anew(!resume) // the session_init of a failed resume comes behind the error
		}
	}
	switch {
	case fault != nil && fault.Type != 0 && !message.FromAgent(fault.Type) && fault.HaveMessageID: // what is wrong in it does not matter
		w.Stats.MessagesBad++
		s.fail(fault.MessageID, message.InvalidInput, notYours(fault.Type), false)
	case fault != nil:
		s.bad(fault)
	case m.Type == message.ErrorMessage: // never answered
	case !message.FromAgent(m.Type):
		w.Stats.MessagesBad++
		s.fail(m.MessageID, message.InvalidInput, notYours(m.Type), false)
	case m.SessionID != s.id:
		s.fail(m.MessageID, message.SessionExpired, "the session of this session_id is not open here: use the session_id of the last session_init", false)
		if resume {
			s.putSession(mailInit)
		}
	default:
		s.message(m)
	}
	if cap(w.mended) > keepBoxBytes {
		w.mended = nil
	}
}

func notYours(t message.Type) string {
	return fmt.Sprintf("%s is sent by the bridge only: send a tool_call, or one of the other messages of an agent", t)
}

func (s *Session) message(m *message.Message) {
	w := s.w
	switch m.Type {
	case message.ToolCall:
		if n := len(m.CallID); n > w.MaxCallID { // as message.Decode says it of what is too long for everybody
			w.Stats.MessagesBad++
			s.fail(m.MessageID, message.InvalidInput, fmt.Sprintf("at /call_id: at most %d bytes were wanted, %d came", w.MaxCallID, n), false)
			return
		}
		s.toolCall(m)
	case message.ManifestRequest:
		s.putSession(mailInit)
	case message.SessionResume:
		s.resume()
	case message.SessionClose:
		s.closedByAgent()
	case message.Heartbeat:
		if !s.beats {
			s.beats = true
			s.timeAlarm()
		}
	case message.Event:
		if m.Topic != message.TopicAgentMessage {
			s.fail(m.MessageID, message.InvalidInput, fmt.Sprintf("an agent sends events of the topic agent_message only, not of %s: call a tool to act", m.Topic), false)
			return
		}
		w.host.AgentMessage(s.number, m.Payload)
	}
}

// bad answers what is no message: by a result if it is a call of this session that can be told, else by an error.
func (s *Session) bad(f *message.Fault) {
	w := s.w
	w.Stats.MessagesBad++
	switch {
	case f.Type == message.ErrorMessage:
		return
	case f.Type == message.ToolCall && f.HaveCallID && f.HaveSessionID && f.SessionID == s.id && !s.knows(f.CallID):
		w.Stats.CallsRefused++
		w.out = w.appendResult(w.out[:0], s, w.ids.Next(), f.CallID, &outcome{code: f.Code, text: f.Error(), tick: w.tick}, nil, 0)
	default:
		w.out = message.AppendError(w.out[:0], s.id, w.ids.Next(), f.Code, f.Error(), false)
	}
	s.putText()
}

// knows tells whether a call id has an outcome, or will.
func (s *Session) knows(id []byte) bool {
	key := s.w.digest(id)
	for _, c := range s.calls {
		if c.key == key {
			return true
		}
	}
	return s.past != nil && s.past.known.has(key)
}

// fail sends an error that quotes the message it is about.
func (s *Session) fail(about message.ID, code message.ErrorCode, text string, retryable bool) {
	w := s.w
	w.out = message.AppendError(w.out[:0], s.id, w.ids.Next(), code, text+" (message "+about.String()+")", retryable)
	s.putText()
}
