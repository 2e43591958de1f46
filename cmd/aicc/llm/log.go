package llm

import (
	"io"
	"sync"
	"time"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/llm/chat"
	"aicc.dev/libaicc/core/agent"
)

// Note is one thing that is logged.
type Note struct {
	At    time.Time
	Do    string // thought, speech, call, result, fault, event, wait, tools, model, game, usage, note, end
	Turn  int
	Text  string
	ID    string // of a call
	Tool  string
	Input []byte
	Out   *outcome // of result and fault
	Took  time.Duration
	Event *agent.Event
	Usage *chat.Usage
	End   *End
}

// Log is what a play is told to, line by line as it happens. It may be used by any goroutine, and its zero value tells nobody.
type Log struct {
	mu    sync.Mutex
	sinks []sink
}

type sink interface {
	note(*Note)
	piece(kind chat.Piece, text string) // of a turn as it comes
	turn()                              // the pieces of it are over
}

// Text adds a reader who reads lines. With a width, the one of a terminal, lines are wrapped; with colour they are coloured.
func (l *Log) Text(w io.Writer, width int, colour bool) *Log {
	l.sinks = append(l.sinks, &textLog{w: w, width: width, colour: colour, began: time.Now()})
	return l
}

// JSON adds a program that reads: an object a line, as jsonLog says.
func (l *Log) JSON(w io.Writer) *Log {
	l.sinks = append(l.sinks, &jsonLog{w: w})
	return l
}

func (l *Log) note(n Note) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n.At.IsZero() {
		n.At = time.Now()
	}
	for _, s := range l.sinks {
		s.note(&n)
	}
}

// hear takes a turn's pieces as they come.
func (l *Log) hear(kind chat.Piece, text string) {
	if kind == chat.Again {
		l.note(Note{Do: "model", Text: text})
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.sinks {
		s.piece(kind, text)
	}
}

// turn takes a whole one.
func (l *Log) turn(n int, t *chat.Turn, err error) {
	l.mu.Lock()
	for _, s := range l.sinks {
		s.turn()
	}
	l.mu.Unlock()
	if err == nil && t.Thoughts != "" {
		l.note(Note{Do: "thought", Turn: n, Text: t.Thoughts})
	}
	if err == nil && t.Content != "" {
		l.note(Note{Do: "speech", Turn: n, Text: t.Content})
	}
	for _, text := range t.Notes {
		l.note(Note{Do: "model", Turn: n, Text: text})
	}
	l.note(Note{Do: "usage", Turn: n, Usage: &t.Usage, Text: t.Finish})
}

// outcome tells of a call that has ended, or goes on, or was not made.
func (l *Log) outcome(turn int, d *doing) {
	n := Note{Do: "result", Turn: turn, ID: d.call.ID, Tool: d.call.Name, Out: d.out, Took: time.Since(d.began)}
	if !d.out.OK {
		n.Do = "fault"
	}
	l.note(n)
}

// jsonLog writes an object for each note: "t" (RFC 3339) and "do" always; then, as they are known, "turn", "id", "tool", "input", "ok", "output", "error"
// (as the model was told), "ms", "topic", "payload", "tick", "prompt_tokens", "completion_tokens", "guessed", "text"; and at the end "why", "status",
// "turns", "calls", "tokens".
type jsonLog struct{ w io.Writer }

type jsonNote struct {
	T       string   `json:"t"`
	Do      string   `json:"do"`
	Turn    int      `json:"turn,omitempty"`
	ID      string   `json:"id,omitempty"`
	Tool    string   `json:"tool,omitempty"`
	Input   raw      `json:"input,omitempty"`
	Told    *outcome `json:"told,omitempty"`
	MS      *float64 `json:"ms,omitempty"`
	Topic   string   `json:"topic,omitempty"`
	Payload raw      `json:"payload,omitempty"`
	Tick    *uint64  `json:"tick,omitempty"`
	Prompt  *int     `json:"prompt_tokens,omitempty"`
	Out     *int     `json:"completion_tokens,omitempty"`
	Guessed bool     `json:"guessed,omitempty"`
	Text    string   `json:"text,omitempty"`
	Why     string   `json:"why,omitempty"`
	Status  *int     `json:"status,omitempty"`
	Turns   *int     `json:"turns,omitempty"`
	Calls   *int     `json:"calls,omitempty"`
	Tokens  *int     `json:"tokens,omitempty"`
}

// raw is JSON that stays as it is; it has been checked where it came in.
type raw []byte

func (r raw) MarshalJSON() ([]byte, error) { return r, nil }

func (j *jsonLog) note(n *Note) {
	o := jsonNote{T: n.At.UTC().Format("2006-01-02T15:04:05.000Z"), Do: n.Do, Turn: n.Turn, ID: n.ID, Tool: n.Tool, Input: n.Input, Told: n.Out, Text: n.Text}
	if n.Out != nil {
		ms := float64(n.Took.Microseconds()) / 1000
		o.MS = &ms
	}
	if e := n.Event; e != nil {
		o.Topic, o.Payload = e.Topic.String(), e.Payload
		if !e.Meta.NoTick {
			o.Tick = &e.Meta.Tick
		}
	}
	if u := n.Usage; u != nil {
		o.Prompt, o.Out, o.Guessed = &u.Prompt, &u.Completion, u.Guessed
	}
	if e := n.End; e != nil {
		status := e.Why.Status()
		o.Why, o.Status, o.Turns, o.Calls, o.Tokens, o.Guessed = e.Why.String(), &status, &e.Turns, &e.Calls, &e.Tokens, e.Guessed
	}
	text, err := marshal(o)
	if err != nil {
		text = []byte(`{"do":"note","text":"something could not be written"}`)
	}
	_, _ = j.w.Write(append(text, '\n'))
}

func (j *jsonLog) piece(chat.Piece, string) {}
func (j *jsonLog) turn()                    {}

// describe is a note's label and text for a person.
func (n *Note) describe() (label, text string) {
	switch n.Do {
	case "call":
		text = n.Tool + " " + live.Line(n.Input)
		if n.Text != "" {
			text += "  (" + n.Text + ")"
		}
		return "calls", text
	case "result":
		text = n.Tool + " ok"
		switch {
		case n.Out.Part != "":
			text += " " + live.Clean(n.Out.Part)
		case string(n.Out.Output) != "{}":
			text += " " + live.Line(n.Out.Output)
		}
		return "result", text + "  (" + live.Took(n.Took) + ")"
	case "fault":
		f := n.Out.Error
		text = n.Tool + " " + f.Code + ": " + f.Message
		for _, s := range f.Faults {
			text += "; " + s.At + ": wanted " + s.Wanted + "; got " + s.Got
		}
		if len(f.Near) > 0 {
			text += "; near: " + join(f.Near)
		}
		if f.RetryAfterMS > 0 {
			text += "; again in " + live.Took(time.Duration(f.RetryAfterMS)*time.Millisecond)
		}
		return "fault", text
	case "event":
		return "event", n.Event.Topic.String() + " " + live.Line(n.Event.Payload)
	case "wait":
		return "waits", n.Text
	}
	return n.Do, n.Text
}
