package session

import "aicc.dev/libaicc/core/message"

// Wish is what an agent asks for as it connects. The zero Wish asks for nothing.
type Wish struct {
	Class     message.ModelClass // of its model; 0: as the host says
	FullMS    int64              // until its model has answered; 0: as the host says
	Topics    message.Topic      // of those that the host gives
	HasTopics bool
}

// wished is what the kit of the session is made with: what the host says, and what the agent asks for.
func (s *Session) wished() (message.Model, message.Topic) {
	model, topics := s.model, s.topics
	if w := s.wish; w.Class != 0 && w.Class != model.Class { // what the host has declared was of another model
		model = message.Model{Class: w.Class, FirstTokenMS: -1, FullResponseMS: -1}
	}
	if s.wish.FullMS > 0 {
		model.FullResponseMS = s.wish.FullMS
	}
	if s.wish.HasTopics {
		topics &= s.wish.Topics
	}
	return model, topics
}

func (s *Session) grant(w Wish) {
	if w != s.wish {
		s.wish = w
		s.rekit(s.kit.Sets, s.kit.Capabilities)
	}
}
