package llm

import (
	"fmt"

	"aicc.dev/libaicc/cmd/aicc/llm/chat"
)

// history is the conversation. Its turns are kept or dropped whole: a call never without its result.
type history struct {
	system  string
	turns   [][]chat.Message // the last one may still grow
	dropped int
	most    int // bytes of the whole, tools included
	ceiling int // that most may rise to; 0: none. The model has refused more
}

func weight(messages []chat.Message) (n int) {
	for i := range messages {
		m := &messages[i]
		n += 24 + len(m.Content) + len(m.Thoughts) + len(m.CallID)
		for _, c := range m.Calls {
			n += 48 + len(c.ID) + len(c.Name) + len(c.Arguments)
		}
	}
	return n
}

// user adds what the model is told before its next turn.
func (h *history) user(text string) {
	last := len(h.turns) - 1
	if last >= 0 && len(h.turns[last]) == 1 && h.turns[last][0].Role == "user" { // which it has not answered
		h.turns[last][0].Content += "\n\n" + text
		return
	}
	h.turns = append(h.turns, []chat.Message{{Role: "user", Content: text}})
}

// assistant adds the model's turn, and the results of its calls.
func (h *history) assistant(m chat.Message, results []chat.Message) {
	last := len(h.turns) - 1
	if last < 0 || h.turns[last][len(h.turns[last])-1].Role != "user" {
		h.turns = append(h.turns, nil)
		last++
	}
	h.turns[last] = append(append(h.turns[last], m), results...)
}

func (h *history) weight(tools int) int {
	total := tools + len(h.system)
	for _, t := range h.turns {
		total += weight(t)
	}
	return total
}

// measured takes what a server has counted: the bound, which is in tokens, becomes as many bytes as they are here, instead of four each.
func (h *history) measured(tools, tokens, bound int) {
	const few = 200
	if tokens < few {
		return
	}
	each := min(max(float64(h.weight(tools))/float64(tokens), 1), 6)
	if h.most = int(each * float64(bound)); h.ceiling > 0 {
		h.most = min(h.most, h.ceiling)
	}
}

// fit drops the oldest turns until the rest is within the bound.
func (h *history) fit(tools int) (dropped int) {
	total := h.weight(tools)
	for len(h.turns) > 1 && total > h.most {
		total -= weight(h.turns[0])
		h.turns = h.turns[1:]
		dropped++
	}
	h.dropped += dropped
	return dropped
}

// shrink lowers the bound, since the model takes less than was thought. False: there is nothing to drop.
func (h *history) shrink(tools int) bool {
	h.most = min(h.most, h.weight(tools)) * 3 / 4
	h.ceiling = h.most
	return h.fit(tools) > 0
}

// messages are all of it, as it is sent.
func (h *history) messages() []chat.Message {
	all := []chat.Message{{Role: "system", Content: h.system}}
	if h.dropped > 0 {
		all = append(all, chat.Message{Role: "user", Content: fmt.Sprintf("(%s left out here. Look again at what you need to know.)", count(h.dropped, "earlier turn"))})
		if first := h.turns[0][0]; first.Role == "user" {
			all[1].Content += "\n\n" + first.Content
			all = append(all, h.turns[0][1:]...)
			return h.rest(all)
		}
	}
	all = append(all, h.turns[0]...)
	return h.rest(all)
}

func (h *history) rest(all []chat.Message) []chat.Message {
	for _, t := range h.turns[1:] {
		all = append(all, t...)
	}
	return all
}
