// Package llm lets a language model play a character: it tells the model of the world and of what happens, runs the calls that the model makes, tells
// it what came of them so that it can do better, and ends in good order when a budget is used up.
//
//	p := llm.New(llm.Options{Model: chat.New(...), Persona: text, Log: log})
//	a, err := live.Connect(ctx, target, agent.Options{OnManifest: p.Manifest}, p.Change)
//	end := p.Play(ctx, a)                           // end.Why.Status() is how the command ends
//
// A call that the model has made runs at most once, whatever becomes of the model's connection or the game's.
package llm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/llm/chat"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/message"
)

// Options of a Player. Zero fields get the default; a budget of zero is none.
type Options struct {
	Model     *chat.Client
	Persona   string // who the character is, in the system prompt; "": somebody of that world
	Character string // its name, where it is known
	Log       *Log   // nil: none

	Parallel    int           // calls that run at once: 4
	Context     int           // tokens that a conversation may have, tools included: 16,000. They are four bytes each until the server has counted
	ReplyTokens int           // for one turn, sent to the server; 0: its own bound
	Repeats     int           // how often the same call may fail before it is not sent any more: 3
	Patience    time.Duration // a call that takes longer goes on while the model is told so: 60 s
	Nudge       time.Duration // how long a model that does nothing is left alone, if nothing happens: 20 s

	MaxCalls, MaxTokens, MaxTurns int
	MaxTime                       time.Duration
}

// Bounds on what leads nowhere.
const (
	maxQuiet   = 10 // turns one after the other without a call
	maxFailing = 20 // turns one after the other of which every call has failed
	maxNudge   = 5 * time.Minute
)

func (o *Options) fill() {
	orElse(&o.Parallel, 4)
	orElse(&o.Context, 16_000)
	orElse(&o.Repeats, 3)
	orElse(&o.Patience, time.Minute)
	orElse(&o.Nudge, 20*time.Second)
	if o.Log == nil {
		o.Log = &Log{}
	}
}

func orElse[T ~int | ~int64](to *T, standard T) {
	if *to <= 0 {
		*to = standard
	}
}

// Why says how a play has ended.
type Why uint8

// The ways.
const (
	Interrupted Why = iota // its context was
	Turns                  // the budgets
	Calls
	Tokens
	Time
	Circles // the model does the same over and over, or nothing
	NoModel // its server refuses, or was asked often enough
	NoGame  // it is gone, or another agent has the character
)

// Status is how the command ends. 1 and 2 have their meaning for all commands.
func (w Why) Status() int { return [...]int{0, 3, 4, 5, 6, 7, 8, 9}[w] }

var whyNames = [...]string{"interrupted", "turns", "calls", "tokens", "time", "circles", "model", "game"}

func (w Why) String() string { return whyNames[w] }

// End is how a play has ended, and what it took.
type End struct {
	Why     Why
	Text    string // in words
	Turns   int
	Calls   int // that the game was sent
	Tokens  int
	Guessed bool // some of the tokens, since the server does not count
	Took    time.Duration
}

// Player plays one character, once.
type Player struct {
	o       Options
	box     *inbox
	changed chan struct{} // the manifest, or the connection
	fence   string

	settling time.Duration

	mu   sync.Mutex
	up   bool
	said string // of the connection

	// Of Play alone.
	a       *agent.Agent
	began   time.Time
	tools   *toolbox
	session message.ID
	history history
	notes   []string // for the model, before its next turn
	repeats repeats
	end     End
	quiet   int // turns without a call, one after the other
	failing int // turns of which every call has failed
	stuck   int // turns of which every call was a repetition
	late    sync.WaitGroup
}

// New makes a Player.
func New(o Options) *Player {
	o.fill()
	return &Player{o: o, box: newInbox(), changed: make(chan struct{}, 1), fence: "game-" + strings.ToLower(rand.Text()[:8]), up: true, settling: settling,
		history: history{most: 4 * o.Context}, repeats: repeats{}}
}

// As says which character it has come to be, before Play.
func (p *Player) As(character string) { p.o.Character = character }

// Manifest hears of every manifest that comes: OnManifest of the agent's options.
func (p *Player) Manifest(*message.Manifest) { p.poke() }

// Change hears of the connection's ups and downs, for live.Connect.
func (p *Player) Change(c live.Change) {
	p.mu.Lock()
	p.up = c.Phase == live.Up
	p.mu.Unlock()
	switch c.Phase {
	case live.Up:
		p.news("connected")
	case live.Down:
		p.news(c.Err.Error())
	}
	p.poke()
}

// news logs what is not the same as before: a game that is away is tried again many times.
func (p *Player) news(text string) {
	p.mu.Lock()
	old := p.said
	p.said = text
	p.mu.Unlock()
	if text != old {
		p.o.Log.note(Note{Do: "game", Text: text})
	}
}

func (p *Player) poke() {
	select {
	case p.changed <- struct{}{}:
	default:
	}
}

func (p *Player) isUp() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.up && !p.a.Session().IsZero()
}

var errTime = errors.New("the time is over")

// Play plays until something ends it, and says good-bye to the game. It is called once.
func (p *Player) Play(parent context.Context, a *agent.Agent) End {
	p.a, p.began = a, time.Now()
	ctx, cancel := context.WithCancel(parent)
	defer cancel()
	if p.o.MaxTime > 0 {
		ctx, cancel = context.WithTimeoutCause(ctx, p.o.MaxTime, errTime)
		defer cancel()
	}
	p.late.Go(func() {
		for {
			e, err := a.Event(ctx)
			if err != nil {
				return
			}
			p.o.Log.note(Note{Do: "event", Event: &e})
			p.box.put(e)
		}
	})
	why, text := p.turns(ctx)
	if why == Interrupted && errors.Is(context.Cause(ctx), errTime) {
		why, text = Time, fmt.Sprintf("the time of %v is over", p.o.MaxTime)
	}
	limit, done := context.WithTimeout(context.Background(), 2*time.Second)
	defer done()
	a.Close(limit, text)
	cancel()
	p.late.Wait()
	p.end.Why, p.end.Text, p.end.Took = why, text, time.Since(p.began)
	p.o.Log.note(Note{Do: "end", Text: text, End: &p.end})
	return p.end
}

// turns asks for one turn after the other.
func (p *Player) turns(ctx context.Context) (Why, string) {
	for {
		if why, text := p.over(ctx); text != "" {
			return why, text
		}
		if !p.isUp() { // a model that is asked now would only burn tokens
			p.await(ctx)
			continue
		}
		p.refresh()
		p.tell()
		turn, err := p.ask(ctx)
		if err != nil {
			if ctx.Err() != nil {
				continue
			}
			return NoModel, err.Error()
		}
		p.end.Turns++
		if len(turn.Calls) == 0 {
			p.history.assistant(chat.Message{Role: "assistant", Content: cut(turn.Content, maxSaid), Thoughts: turn.Thoughts}, nil)
			p.quiet++
			if _, text := p.over(ctx); text == "" {
				p.idle(ctx, &turn)
			}
			continue
		}
		p.quiet = 0
		p.run(ctx, &turn)
	}
}

const maxSaid = 8 << 10 // of what the model has said, told to it again

// over says whether there is to be no further turn, and why.
func (p *Player) over(ctx context.Context) (Why, string) {
	o := &p.o
	switch {
	case ctx.Err() != nil:
		return Interrupted, "interrupted"
	case isClosed(p.a.Done()):
		return NoGame, p.a.Err().Error()
	case o.MaxCalls > 0 && p.end.Calls >= o.MaxCalls:
		return Calls, usedUp(o.MaxCalls, "call")
	case o.MaxTokens > 0 && p.end.Tokens >= o.MaxTokens:
		return Tokens, usedUp(o.MaxTokens, "token")
	case o.MaxTurns > 0 && p.end.Turns >= o.MaxTurns:
		return Turns, usedUp(o.MaxTurns, "turn")
	case p.stuck >= o.Repeats:
		return Circles, "the model goes round in circles: it makes calls again and again that have failed each time"
	case p.failing >= maxFailing:
		return Circles, fmt.Sprintf("every call of the last %d turns has failed", maxFailing)
	case p.quiet >= maxQuiet:
		return Circles, fmt.Sprintf("the model has made no call in its last %d turns: can it call tools?", maxQuiet)
	}
	return 0, ""
}

func usedUp(budget int, of string) string {
	return "the budget of " + count(budget, of) + " is used up"
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// ask gets a turn; where the conversation turns out too long for the model, with less of it.
func (p *Player) ask(ctx context.Context) (chat.Turn, error) {
	if n := p.history.fit(p.tools.size); n > 0 {
		p.o.Log.note(Note{Do: "model", Text: fmt.Sprintf("%s left out of its memory", turnsWere(n))})
	}
	for {
		r := chat.Request{Messages: p.history.messages(), Tools: p.tools.chat, ReplyTokens: p.o.ReplyTokens}
		turn, err := p.o.Model.Ask(ctx, &r, p.o.Log.hear)
		p.end.Tokens += turn.Usage.Total()
		p.end.Guessed = p.end.Guessed || turn.Usage.Guessed
		p.o.Log.turn(p.end.Turns+1, &turn, err)
		var of *chat.Error
		if errors.As(err, &of) && of.Kind == chat.TooLong && p.history.shrink(p.tools.size) {
			p.o.Log.note(Note{Do: "model", Text: of.Message + "; asked again with less"})
			continue
		}
		if err == nil && !turn.Usage.Guessed {
			p.history.measured(p.tools.size, turn.Usage.Prompt, p.o.Context)
		}
		return turn, err
	}
}

func turnsWere(n int) string {
	if n == 1 {
		return "its oldest turn was"
	}
	return fmt.Sprintf("its %d oldest turns were", n)
}

// tell puts what is new before the model.
func (p *Player) tell() {
	if p.history.system == "" {
		p.history.system = p.prompt()
		p.notes = append(p.notes, "You are there now. Begin.")
	}
	text := strings.Join(p.notes, "\n")
	p.notes = nil
	if p.box.news(false) {
		p.repeats.changed()
	}
	if events := p.box.take(p.fence); events != "" {
		if text != "" {
			text += "\n\n"
		}
		text += events
	}
	if text != "" {
		p.history.user(text)
	}
}

// idle is for a turn without calls: the model is left alone until something happens.
func (p *Player) idle(ctx context.Context, turn *chat.Turn) {
	switch {
	case turn.Cut:
		p.notes = append(p.notes, "Your answer was cut at its bound before a call came: be brief.")
		return
	case strings.Contains(turn.Finish, "malformed"):
		p.notes = append(p.notes, "Your call could not be read. Make it again, with arguments that are a JSON object.")
		return
	}
	d := min(p.o.Nudge<<min(p.quiet-1, 10), maxNudge)
	p.o.Log.note(Note{Do: "wait", Text: fmt.Sprintf("it made no call: left alone for %v, or until something happens", d)})
	if p.pause(ctx, d, false) == wokenByTime {
		p.notes = append(p.notes, fmt.Sprintf("Nothing has happened for %v. Your words are heard by nobody: call a tool to act, or %s to wait.", d, p.tools.wait))
	}
}
