package llm

import (
	"encoding/json"
	"fmt"
	"strings"

	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

// outcome is what the model is told of a call.
type outcome struct {
	OK       bool            `json:"ok"`
	Output   json.RawMessage `json:"output,omitempty"`
	Part     string          `json:"output_begins,omitempty"` // of one that is too long
	Tick     *uint64         `json:"tick,omitempty"`
	Repaired []string        `json:"repaired,omitempty"` // where slips of the arguments were undone
	Note     string          `json:"note,omitempty"`
	Error    *fault          `json:"error,omitempty"`
}

// fault is why a call has no output, in a form that lets a model do better.
type fault struct {
	Code         string   `json:"code"`
	Message      string   `json:"message"`
	Faults       []slip   `json:"faults,omitempty"`
	Near         []string `json:"did_you_mean,omitempty"`
	Tools        []string `json:"there_are,omitempty"`
	Retryable    bool     `json:"retryable"`
	RetryAfterMS int64    `json:"retry_after_ms,omitempty"`
	Advice       string   `json:"what_to_do"`
}

// slip is one way in which an input does not fit.
type slip struct {
	At      string          `json:"at"` // JSON Pointer into the arguments
	Wanted  string          `json:"wanted"`
	Got     string          `json:"got"`
	Allowed json.RawMessage `json:"allowed,omitempty"` // all values, where they are few
}

// Codes of ours, beside the eight of aicc/0.1.
const (
	codeArguments = "bad_arguments" // they are no JSON object, so the game has not seen them
	codeRepeated  = "repeated"
	codeNotRun    = "not_run"
	codeUnknown   = "outcome_unknown"
	codeRunning   = "still_running"
)

// Bounds on what the model is told of one call.
const (
	maxOutput  = 16 << 10
	maxMessage = 2 << 10
	maxListed  = 40
)

// text is the content of a tool's message.
func (o *outcome) text() string {
	b, err := marshal(o)
	if err != nil { // no output of a game's gets here that is not JSON
		b = fmt.Appendf(nil, `{"ok":%t,"note":"the outcome cannot be written"}`, o.OK)
	}
	return string(b)
}

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// good is a result.
func good(r *agent.Result) *outcome {
	o := &outcome{OK: true, Repaired: r.Meta.Repaired}
	if len(r.Output) > maxOutput {
		o.Part = cut(string(r.Output), maxOutput)
		o.Note = fmt.Sprintf("the output has %d bytes: this is its beginning", len(r.Output))
	} else {
		o.Output = r.Output
	}
	if !r.Meta.NoTick {
		tick := r.Meta.Tick
		o.Tick = &tick
	}
	return o
}

func bad(f fault) *outcome {
	f.Message = cut(f.Message, maxMessage)
	return &outcome{Error: &f}
}

// refusal is a result that is not OK.
func refusal(r *agent.Result, t *tool, input []byte) *outcome {
	f := fault{Code: r.Code.String(), Message: r.Text, Retryable: r.Retryable, RetryAfterMS: r.Meta.RetryAfterMS}
	switch r.Code {
	case message.InvalidInput:
		f.Advice = "correct the arguments as the faults say and call again; nothing was done"
		if f.Faults = t.slips(input); len(f.Faults) > 0 {
			f.Message = "the arguments do not fit the tool's schema"
		}
	case message.ToolUnknown:
		f.Advice = "the tools have changed: use one that there is"
	case message.ToolUnavailable:
		f.Advice = "do something else: the character may not use this tool now"
		if r.Retryable {
			f.Advice = "do something else meanwhile, then make the same call again"
		}
	case message.ExecutionFailed:
		f.Advice = "the game has said no: find out what stands in the way; the same call is likely to fail again"
		if r.Retryable {
			f.Advice = "the same call may work later: look at what stands in the way first"
		}
	case message.Timeout:
		f.Advice = "the game had begun and may have done it: look before you call again"
		if r.Retryable {
			f.Advice = "the game had no time to begin, nothing was done: call again"
		}
	case message.SessionExpired:
		f.Advice = "the game has begun anew for this character: look around, then decide again"
	default:
		f.Advice = "this is a fault of the game and not of your arguments: do something else"
	}
	return bad(f)
}

// slips are what is wrong with an input, by the schema that there is here.
func (t *tool) slips(input []byte) []slip {
	if t == nil || t.exact == nil {
		return nil
	}
	var c schema.Checker
	if t.exact.Check(&c, input) {
		return nil
	}
	var list []slip
	for _, f := range c.Faults {
		at := f.Pointer
		if at == "" {
			at = "(root)"
		}
		list = append(list, slip{At: at, Wanted: f.Want, Got: f.Got, Allowed: allowed(t.InputSchema, f.Pointer)})
	}
	return list
}

// allowed are the values of an enum, where a plain way of properties and items leads to it.
func allowed(text []byte, pointer string) json.RawMessage {
	at := text
	for _, token := range strings.Split(pointer, "/")[1:] {
		name := strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if members, ok := jsonwire.Lookup(at, "properties"); ok && jsonwire.KindOf(members) == jsonwire.Object {
			if next, ok := jsonwire.Lookup(members, name); ok && jsonwire.KindOf(next) == jsonwire.Object {
				at = next
				continue
			}
		}
		next, ok := jsonwire.Lookup(at, "items")
		if !ok || jsonwire.KindOf(next) != jsonwire.Object {
			return nil
		}
		at = next
	}
	values, ok := jsonwire.Lookup(at, "enum")
	if !ok || len(values) > maxMessage {
		return nil
	}
	return json.RawMessage(values)
}

// unknown is for a tool that is not there.
func (b *toolbox) unknown(name string, near []string) *outcome {
	f := fault{Code: message.ToolUnknown.String(), Message: fmt.Sprintf("there is no tool %s; nothing was done", quoted(cut(name, 64))), Near: near,
		Advice: "use a tool that there is, by its exact name"}
	if len(near) == 0 {
		f.Tools = b.names[:min(len(b.names), maxListed)]
	}
	return bad(f)
}
