package mcp

import (
	"fmt"
	"math"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/near"
)

// fault is why a call has no result, for a model to act on.
type fault struct {
	code      string
	text      string // what went wrong
	retryable bool
	after     int64 // milliseconds; 0: not said
	advice    string
}

// Codes of this program's own, beside the eight of aicc/0.1.
const (
	codeUnreachable = "game_unreachable"
	codeRefuses     = "game_refuses"
	codeTaken       = "character_taken"
	codeReserved    = "character_reserved"
	codeMissing     = "character_missing"
	codeUnknown     = "outcome_unknown"
	codeCancelled   = "cancelled"
	codeBusy        = "too_many_calls"
)

// result makes it the result of a call. It has no structured content: that would have to fit the tool's output schema, and a client that checks it
// would show its own complaint instead of this.
func (x *fault) result() *sdk.CallToolResult {
	about := map[string]any{"code": x.code, "retryable": x.retryable}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", x.code, x.text)
	switch {
	case x.retryable && x.after > 0:
		about["retry_after_ms"] = x.after
		fmt.Fprintf(&b, "Retryable: yes, after %s.\n", seconds(x.after))
	case x.retryable:
		b.WriteString("Retryable: yes.\n")
	default:
		b.WriteString("Retryable: no.\n")
	}
	fmt.Fprintf(&b, "What to do: %s", x.advice)
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: b.String()}}, Meta: sdk.Meta{metaError: about}}
}

func seconds(ms int64) string {
	return fmt.Sprintf("%g seconds", math.Ceil(float64(ms)/100)/10)
}

// refusedBy is a result of the game's that is not OK.
func refusedBy(r *agent.Result) *fault {
	x := &fault{code: r.Code.String(), text: r.Text, retryable: r.Retryable, after: r.Meta.RetryAfterMS}
	switch r.Code {
	case message.InvalidInput:
		x.advice = "correct the arguments as said, by the tool's input schema, and call again."
	case message.ToolUnknown:
		x.advice = "look at the list of tools again, it has changed, and use one of them."
	case message.ToolUnavailable:
		x.advice = "do something else: the character may not use this tool now, and the same call will be refused again."
		if r.Retryable {
			x.advice = "do something else meanwhile, then make the same call again."
		}
	case message.ExecutionFailed:
		x.advice = "the game has said no: find out what stands in the way and change the plan; the same call is likely to fail again."
		if r.Retryable {
			x.advice = "the same call may work later; look at what stands in the way first."
		}
	case message.Timeout:
		x.advice = "the game had begun and may have done it: look before you call again."
		if r.Retryable {
			x.advice = "the game had no time to begin, nothing was done: call again."
		}
	case message.SessionExpired:
		x.advice = "the game has begun anew for this character: look around, then decide again."
	default:
		x.advice = "this is a fault of the game, not of your arguments: look at what has happened, and do something else."
	}
	return x
}

func badInput(text string) *fault {
	return &fault{code: message.InvalidInput.String(), text: text, advice: "nothing was done; correct the arguments as said, by the tool's input schema, and call again."}
}

const nothing = "; nothing was done"

func unreachable(s *state) *fault {
	if s.over != nil {
		return &fault{code: codeTaken, text: "another agent has taken the character, which is no longer played from here" + nothing,
			advice: "tell the user: this MCP server has to be started anew to take the character back."}
	}
	r := s.reason
	return &fault{code: r.code, text: r.text + "; it is tried again" + nothing, retryable: r.retryable, advice: r.advice}
}

// appendWhy appends the member that says why the game is not there.
func (s *state) appendWhy(b []byte) []byte {
	x := unreachable(s)
	b, _ = jsonwire.AppendString(append(b, `,"why":`...), x.code+": "+strings.TrimSuffix(x.text, nothing))
	return b
}

// unknown is the result of a call of a tool that is not there. MCP has an error of the protocol for it, which models do not get to see.
func (f *Front) unknown(name string) *sdk.CallToolResult {
	const most = 40
	names := append(f.tools.names(), waitName)
	list := strings.Join(names[:min(len(names), most)], ", ")
	if more := len(names) - most; more > 0 {
		list += fmt.Sprintf(" and %d others", more)
	}
	if len(name) > 64 {
		name = strings.ToValidUTF8(name[:64], "") + "..."
	}
	quoted, _ := jsonwire.AppendString(nil, name)
	x := fault{code: message.ToolUnknown.String(), text: fmt.Sprintf("there is no tool %s. There are: %s", quoted, list),
		advice: "use one of these; if you expected another, look at the list of tools again."}
	if s := f.game.now(); !s.up {
		x = *unreachable(&s)
		x.text = fmt.Sprintf("there is no tool %s now: ", quoted) + x.text
		return x.result()
	}
	if meant := nearest(name, names); meant != "" {
		x.text = fmt.Sprintf("there is no tool %s: did you mean %s? There are: %s", quoted, meant, list)
		x.advice = "call " + meant + " if that is what you meant, or another one of these."
	}
	return x.result()
}

// nearest is the tool that a name was meant to be, "" where that is not clear.
func nearest(name string, names []string) (found string) {
	name = letters(name)
	best := max(1, min(len(name), message.MaxToolIDBytes)/3) + 1 // a client's name may be of any length
	for _, other := range names {
		far := near.Distance(name, letters(other), best-1)
		if far < best {
			found, best = other, far
		}
	}
	return found
}

// letters is a name without what people write in different ways.
func letters(name string) string { return separators.Replace(strings.ToLower(name)) }

var separators = strings.NewReplacer("_", "", "-", "", ".", "", "/", "", " ", "")
