package script

import (
	"fmt"
	"io"
	"time"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// Text writes notes for people: the line of the script, what is done, and what came of it.
func Text(w io.Writer) func(Note) {
	return func(n Note) {
		at := fmt.Sprintf("%4d  ", n.Line)
		const under = "      "
		switch {
		case n.Input != nil && n.Tool != "":
			name := ""
			if n.Name != n.Tool {
				name = " as " + n.Name
			}
			fmt.Fprintf(w, "%s%s %s %s%s\n", at, n.Do, n.Tool, live.Line(n.Input), name)
		case n.Input != nil:
			fmt.Fprintf(w, "%s%s %s\n", at, n.Do, live.Line(n.Input))
		case n.Result != nil && n.Result.OK:
			fmt.Fprintf(w, "%s-> %s %s  (%s)\n", under, n.Name, live.Line(n.Result.Output), when(n.Took, n.Result.Meta))
		case n.Result != nil:
			fmt.Fprintf(w, "%s-> %s failed: %s: %s  (%s)\n", under, n.Name, n.Result.Code, live.Clean(n.Result.Text), when(n.Took, n.Result.Meta))
		case n.Err != nil:
			fmt.Fprintf(w, "%s-> %s: %s\n", under, n.Tool, live.Clean(n.Err.Error()))
		case n.Event != nil:
			fmt.Fprintf(w, "%s%s\n%s<- %s %s  (%s)\n", at, live.Clean(n.Text), under, n.Event.Topic, live.Line(n.Event.Payload), when(n.Took, n.Event.Meta))
		case n.Do == "print":
			fmt.Fprintf(w, "%s%s\n", at, live.Clean(n.Message))
		default:
			fmt.Fprintf(w, "%s%s: %s\n", at, live.Clean(n.Text), live.Clean(n.Message))
		}
	}
}

func when(took time.Duration, m message.Meta) string {
	text := live.Took(took)
	if !m.NoTick {
		text += fmt.Sprintf(", tick %d", m.Tick)
	}
	return text
}

// JSON writes notes for programs, an object a line: "line" and "do" always; of a call "tool", "name" and "input"; of its result "ok", then "output" or
// "code", "message" and "retryable", "ms" and "tick"; of an event "topic", "payload", "ms" and "tick"; otherwise "message".
func JSON(w io.Writer) func(Note) {
	return func(n Note) {
		b := fmt.Appendf(nil, `{"line":%d,"do":"%s"`, n.Line, n.Do)
		text := func(name, s string) {
			if s != "" {
				b, _ = jsonwire.AppendString(fmt.Appendf(b, `,"%s":`, name), s)
			}
		}
		timing := func(m message.Meta) {
			b = fmt.Appendf(b, `,"ms":%.3f`, float64(n.Took)/1e6)
			if !m.NoTick {
				b = fmt.Appendf(b, `,"tick":%d`, m.Tick)
			}
		}
		text("tool", n.Tool)
		text("name", n.Name)
		if n.Input != nil {
			b = jsonwire.AppendCompact(append(b, `,"input":`...), n.Input)
		}
		switch r := n.Result; {
		case r != nil && r.OK:
			b = jsonwire.AppendCompact(append(b, `,"ok":true,"output":`...), r.Output)
			timing(r.Meta)
		case r != nil:
			b = fmt.Appendf(b, `,"ok":false,"code":"%s","retryable":%t`, r.Code, r.Retryable)
			text("message", r.Text)
			if r.Meta.RetryAfterMS > 0 {
				b = fmt.Appendf(b, `,"retry_after_ms":%d`, r.Meta.RetryAfterMS)
			}
			timing(r.Meta)
		case n.Err != nil:
			b = append(b, `,"ok":false`...)
			text("message", n.Err.Error())
		case n.Event != nil:
			text("topic", n.Event.Topic.String())
			b = jsonwire.AppendCompact(append(b, `,"payload":`...), n.Event.Payload)
			timing(n.Event.Meta)
		default:
			text("message", n.Message)
		}
		_, _ = w.Write(append(b, '}', '\n'))
	}
}
