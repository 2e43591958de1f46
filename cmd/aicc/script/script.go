// Package script is a small language for agents that always do the same: calls, waiting, and what is expected of results and events. A game is
// tested with it, or shown. Help is its reference.
package script

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"aicc.dev/libaicc/cmd/aicc/script/phrase"
	"aicc.dev/libaicc/core/message"
)

// Help is the language, for people.
const Help = `A script is text, one step a line; # begins a comment. A step that does not hold ends the script.

  call TOOL [INPUT] [as NAME] [fails [CODE]] [retry] [within TIME]
      calls, and waits for the result, which must be good, or with fails must not be. retry: what is refused for now is tried again when
      the game says it may be. INPUT is name=text, name:=JSON, pool.depth:=3 for an object inside, or all of it as {...}.
  start TOOL [INPUT] as NAME         calls and goes on
  result NAME [fails [CODE]] [within TIME]    waits for its result
  event TOPIC [MATCH] [as NAME] [within TIME]
      waits for an event, one that came before and was not taken included. TOPIC is tick, collision, audio, state_change, agent_message or
      any; MATCH is like an input, and what it names the event must have.
  quiet TOPIC [MATCH] for TIME       holds when no such event comes, and none came before
  tool NAME [within TIME]            waits for the character to have a tool
  capability NAME [within TIME]      and to hold a capability
  expect PATH [OP VALUE]             OP is == != < <= > >= has like exists missing; without one: it is there, and neither null nor false
  let NAME = VALUE
  say INPUT                          sends a message to the game (agent_message)
  print TEXT                         ${PATH} in it is filled in
  sleep TIME | sleep N ticks
  timeout TIME                       how long steps wait from here on that say nothing of it: 30s at first
  repeat N ... end,  repeat until PATH [OP VALUE] [within TIME] ... end    the second looks after each round

A result is known by its NAME, else by its tool's, and the last result or event as it: it.at.0 is the first of its member at. A good one is
the tool's output; one that fails has code, message, retryable and retry_after_ms. Others are tick, world, character, round and tools.
A VALUE is JSON, a word, or $PATH; in an input place=$it.from is the value itself and text="to the ${it.from}" a part of the text.
TIME is 500ms, 3s, 2m.
`

// Bounds of a script.
const (
	MaxBytes  = 1 << 20
	maxDepth  = 16
	maxRounds = 1_000_000
	maxTime   = 24 * time.Hour
	firstWait = 30 * time.Second
)

// Error is a mistake in a script.
type Error struct {
	Line int
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Msg) }

// Script is a script that was read.
type Script struct{ steps []step }

type verb uint8

const (
	doCall verb = iota
	doStart
	doResult
	doEvent
	doQuiet
	doTool
	doCapability
	doExpect
	doLet
	doSay
	doPrint
	doSleep
	doTimeout
	doRepeat
	doEnd
)

var verbs = []string{"call", "start", "result", "event", "quiet", "tool", "capability", "expect", "let", "say", "print", "sleep", "timeout", "repeat", "end"}

func (v verb) String() string { return verbs[v] }

type step struct {
	line int
	text string
	do   verb

	phrase *phrase.Phrase // of call, start, event, quiet; say has its input in one
	topic  message.Topic
	name   string // as NAME; of result, tool, capability, let
	fails  bool
	code   message.ErrorCode // 0: any
	retry  bool
	time   time.Duration // within, for, of sleep and timeout; 0: not said
	count  int           // ticks of sleep, rounds of repeat
	cond   *condition
	value  phrase.Word // of let, print
	body   []step
}

// wait is how long the step waits at most.
func (s *step) wait(standard time.Duration) time.Duration {
	if s.time > 0 {
		return s.time
	}
	return standard
}

// Parse reads a script.
func Parse(text string) (*Script, error) {
	if len(text) > MaxBytes {
		return nil, &Error{1, fmt.Sprintf("a script of more than %d bytes", MaxBytes)}
	}
	var open [][]step // of the repeats around
	var heads []step
	body := []step{}
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if !utf8.ValidString(line) {
			return nil, &Error{number, "this is not UTF-8"}
		}
		s, empty, err := parseStep(line)
		if err != nil {
			return nil, &Error{number, err.Error()}
		}
		if empty {
			continue
		}
		s.line = number
		switch s.do {
		case doRepeat:
			if len(open) >= maxDepth {
				return nil, &Error{number, fmt.Sprintf("more than %d repeats in each other", maxDepth)}
			}
			open, heads, body = append(open, body), append(heads, s), []step{}
			continue
		case doEnd:
			if len(open) == 0 {
				return nil, &Error{number, "there is no repeat that this ends"}
			}
			last := len(open) - 1
			s = heads[last]
			s.body = body
			body, open, heads = open[last], open[:last], heads[:last]
		}
		body = append(body, s)
	}
	if len(open) > 0 {
		return nil, &Error{heads[len(heads)-1].line, "this repeat has no end"}
	}
	return &Script{body}, nil
}

func parseStep(line string) (s step, empty bool, err error) {
	trimmed := strings.TrimLeft(line, " \t\r")
	if trimmed == "" || trimmed[0] == '#' {
		return s, true, nil
	}
	first, rest, _ := strings.Cut(strings.ReplaceAll(trimmed, "\t", " "), " ")
	s.text = strings.TrimSpace(trimmed)
	for i, name := range verbs {
		if name == first {
			s.do = verb(i)
			if s.do == doPrint { // what it prints is not split
				at := len(line) - len(rest)
				s.value = phrase.Word{Text: strings.TrimSpace(line[min(at, len(line)):]), At: at}
				return s, false, nil
			}
			words, fault := phrase.Split(line, true)
			if fault != nil {
				return s, false, fault
			}
			return s, false, s.read(words[1:])
		}
	}
	return s, false, fmt.Errorf("there is no step %q: steps are %s", short(first), strings.Join(verbs, ", "))
}

// read takes a step's words.
func (s *step) read(words []phrase.Word) error {
	mods := ""
	switch s.do {
	case doCall, doStart, doEvent, doQuiet:
		p, rest, fault := phrase.Take(words)
		if fault != nil {
			if len(words) == 0 && s.do >= doEvent {
				return fmt.Errorf("a topic is wanted: %s", topics)
			}
			return fault
		}
		s.phrase, words = p, rest
		mods = map[verb]string{doCall: "as fails retry within", doStart: "as", doEvent: "as within", doQuiet: "for"}[s.do]
		if s.do >= doEvent {
			if s.topic = message.ParseTopic(p.Tool); s.topic == 0 {
				if s.topic = message.TopicAll; p.Tool != "any" {
					return fmt.Errorf("%q is no topic: they are %s", short(p.Tool), topics)
				}
			}
		}
	case doResult, doTool, doCapability:
		if len(words) == 0 {
			return fmt.Errorf("a name is wanted behind %s", s.do)
		}
		s.name, words = words[0].Text, words[1:]
		if mods = "within"; s.do == doResult {
			mods = "fails within"
		}
	case doExpect:
		return s.condition(words)
	case doLet:
		if len(words) != 3 || words[1].Text != "=" || !plainName(words[0].Text) {
			return fmt.Errorf("let NAME = VALUE is wanted, NAME of letters, digits and _")
		}
		s.name, s.value = words[0].Text, words[2]
		return nil
	case doSay:
		p, rest, fault := phrase.Take(append([]phrase.Word{{Text: "say"}}, words...))
		if fault != nil {
			return fault
		}
		if len(rest) > 0 || len(words) == 0 {
			return fmt.Errorf("what is said is name=text, name:=JSON or {...}")
		}
		s.phrase = p
		return nil
	case doSleep:
		if len(words) == 2 && (words[1].Text == "ticks" || words[1].Text == "tick") {
			return s.number(words[0].Text, "ticks")
		}
		return s.onlyTime(words)
	case doTimeout:
		return s.onlyTime(words)
	case doRepeat:
		if len(words) == 1 {
			return s.number(words[0].Text, "rounds")
		}
		if len(words) < 2 || words[0].Text != "until" {
			return fmt.Errorf("repeat N or repeat until PATH OP VALUE is wanted")
		}
		if n := len(words); n > 3 && words[n-2].Text == "within" {
			if err := s.setTime(words[n-1].Text); err != nil {
				return err
			}
			words = words[:n-2]
		}
		return s.condition(words[1:])
	case doEnd:
		if len(words) > 0 {
			return fmt.Errorf("nothing is wanted behind end")
		}
	}
	return s.modifiers(words, mods)
}

const topics = "tick, collision, audio, state_change, agent_message, any"

// modifiers takes what may stand behind: each word of allowed, with what belongs to it.
func (s *step) modifiers(words []phrase.Word, allowed string) error {
	for len(words) > 0 {
		word := words[0].Text
		words = words[1:]
		if !strings.Contains(" "+allowed+" ", " "+word+" ") {
			if allowed == "" {
				return fmt.Errorf("%q is not wanted here", short(word))
			}
			return fmt.Errorf("%q is not wanted here: name=text, name:=JSON, {...}, or %s", short(word), strings.ReplaceAll(allowed, " ", ", "))
		}
		switch word {
		case "retry":
			s.retry = true
		case "fails":
			s.fails = true
			if len(words) > 0 && !strings.Contains(" "+allowed+" ", " "+words[0].Text+" ") {
				if s.code = message.ParseErrorCode(words[0].Text); s.code == 0 {
					return fmt.Errorf("%q is no error code: they are %s", short(words[0].Text), codes())
				}
				words = words[1:]
			}
		default:
			if len(words) == 0 {
				return fmt.Errorf("something is missing behind %s", word)
			}
			if word == "as" {
				if s.name = words[0].Text; !plainName(s.name) {
					return fmt.Errorf("%q is no name: letters, digits and _", short(s.name))
				}
			} else if err := s.setTime(words[0].Text); err != nil {
				return err
			}
			words = words[1:]
		}
	}
	switch {
	case s.do == doQuiet && s.time == 0:
		return fmt.Errorf("for how long is not said: add for 2s")
	case s.fails && s.retry:
		return fmt.Errorf("fails and retry do not go together")
	}
	return nil
}

func (s *step) setTime(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > maxTime {
		return fmt.Errorf("%q is no time: 500ms, 3s and 2m are, up to 24h", short(text))
	}
	s.time = d
	return nil
}

func (s *step) onlyTime(words []phrase.Word) error {
	if len(words) != 1 {
		return fmt.Errorf("a time is wanted behind %s, like 500ms or 3s", s.do)
	}
	return s.setTime(words[0].Text)
}

func (s *step) number(text, of string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxRounds {
		return fmt.Errorf("%q is no number of %s: 1 to %d are", short(text), of, maxRounds)
	}
	s.count = n
	return nil
}

func (s *step) condition(words []phrase.Word) (err error) {
	s.cond, err = parseCondition(words)
	return err
}

func codes() string {
	var all []string
	for c := 1; c <= message.ErrorCodeCount; c++ {
		all = append(all, message.ErrorCode(c).String())
	}
	return strings.Join(all, ", ")
}

func plainName(s string) bool {
	for i, r := range s {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return s != ""
}

func short(s string) string {
	if len(s) > 64 {
		return strings.ToValidUTF8(s[:64], "") + "..."
	}
	return s
}
