package message

import (
	"math"

	"aicc.dev/libaicc/core/jsonwire"
)

// The encoders append one whole message, its members in the order of the schema's required
// lists and optional ones behind. Arguments of type []byte named input, output, payload, manifestUpdate or body are JSON that the
// caller has checked (and made compact, if it cares); they are appended as they are, nil as {}. All other texts are
// repaired to valid UTF-8. What the schema cannot take is replaced: an unknown enum by its first value (a code
// by InternalError, a topic by TopicStateChange), a text that must not be empty by a word. Only call ids and tool ids cannot be mended;
// the caller has checked them.

const head = `{"protocol":"` + Protocol + `","type":"`

// prefixes are the messages' texts up to where the session id begins.
var prefixes = func() (p [TypeCount + 1]string) {
	for t := SessionInit; int(t) <= TypeCount; t++ {
		p[t] = head + t.String() + `","session_id":"`
	}
	return p
}()

// AppendPrefix appends a message's text up to where its message id begins. AppendEventBehind goes on from
// there, so that what does not change is rendered once per session. An unknown type is Heartbeat.
func AppendPrefix(dst []byte, t Type, session ID) []byte {
	if t == 0 || int(t) > TypeCount {
		t = Heartbeat
	}
	dst = append(dst, prefixes[t]...)
	dst = session.Append(dst)
	return append(dst, `","message_id":"`...)
}

// begin appends the envelope without the closing quote of the message id.
func begin(dst []byte, t Type, session, message ID) []byte {
	return message.Append(AppendPrefix(dst, t, session))
}

func appendRaw(dst, value []byte) []byte {
	if value == nil {
		return append(dst, "{}"...)
	}
	return append(dst, value...)
}

func appendText[S text](dst []byte, s S) []byte {
	dst, _ = jsonwire.AppendString(dst, s)
	return dst
}

// AppendSessionInit takes the manifest as AppendManifestBody rendered it.
func AppendSessionInit(dst []byte, session, message ID, body []byte) []byte {
	dst = begin(dst, SessionInit, session, message)
	dst = append(dst, `",`...)
	return append(append(dst, body...), '}')
}

// AppendSessionResume asks for a session back.
func AppendSessionResume(dst []byte, session, message ID) []byte {
	return append(begin(dst, SessionResume, session, message), `"}`...)
}

// AppendSessionClose gives a reason unless it is "".
func AppendSessionClose[S text](dst []byte, session, message ID, reason S) []byte {
	dst = append(begin(dst, SessionClose, session, message), '"')
	if len(reason) > 0 {
		dst = append(dst, `,"reason":`...)
		dst = appendText(dst, reason)
	}
	return append(dst, '}')
}

// AppendManifestRequest asks for session_init again.
func AppendManifestRequest(dst []byte, session, message ID) []byte {
	return append(begin(dst, ManifestRequest, session, message), `"}`...)
}

// AppendToolCall calls a tool. The caller has checked callID (1 to 256 bytes) and tool (ValidToolID).
func AppendToolCall[S, T text](dst []byte, session, message ID, callID S, tool T, input []byte) []byte {
	dst = begin(dst, ToolCall, session, message)
	dst = append(dst, `","call_id":`...)
	dst = appendText(dst, callID)
	dst = append(dst, `,"tool":`...)
	dst = appendText(dst, tool)
	dst = append(dst, `,"input":`...)
	return append(appendRaw(dst, input), '}')
}

// AppendToolResultOK answers a call with its output, an object. meta may be nil.
func AppendToolResultOK[S text](dst []byte, session, message ID, callID S, output []byte, meta *Meta) []byte {
	dst = begin(dst, ToolResult, session, message)
	dst = append(dst, `","call_id":`...)
	dst = appendText(dst, callID)
	dst = append(dst, `,"ok":true,"output":`...)
	return appendEnd(appendRaw(dst, output), meta)
}

// AppendToolResultError answers a call with an error. An empty text is replaced by the code's name.
func AppendToolResultError[S, T text](dst []byte, session, message ID, callID S, code ErrorCode, msg T, retryable bool, meta *Meta) []byte {
	dst = begin(dst, ToolResult, session, message)
	dst = append(dst, `","call_id":`...)
	dst = appendText(dst, callID)
	dst = append(dst, `,"ok":false,"error":`...)
	return appendEnd(appendError(dst, code, msg, retryable), meta)
}

// AppendError sends an error that answers no call. An empty text is replaced by the code's name.
func AppendError[T text](dst []byte, session, message ID, code ErrorCode, msg T, retryable bool) []byte {
	dst = begin(dst, ErrorMessage, session, message)
	dst = append(dst, `","error":`...)
	return append(appendError(dst, code, msg, retryable), '}')
}

func appendError[T text](dst []byte, code ErrorCode, msg T, retryable bool) []byte {
	if code == 0 || int(code) > ErrorCodeCount {
		code = InternalError
	}
	dst = append(dst, `{"code":"`...)
	dst = append(dst, code.String()...)
	dst = append(dst, `","message":`...)
	if len(msg) == 0 {
		dst = appendText(dst, code.String())
	} else {
		dst = appendText(dst, msg)
	}
	if retryable {
		return append(dst, `,"retryable":true}`...)
	}
	return append(dst, `,"retryable":false}`...)
}

// AppendEvent sends an event of one topic. meta may be nil.
func AppendEvent(dst []byte, session, message ID, topic Topic, payload []byte, meta *Meta) []byte {
	return appendEvent(AppendPrefix(dst, Event, session), message, topic, payload, meta)
}

// AppendEventBehind appends prefix, which AppendPrefix has made for Event, and the rest of an event.
func AppendEventBehind(dst, prefix []byte, message ID, topic Topic, payload []byte, meta *Meta) []byte {
	return appendEvent(append(dst, prefix...), message, topic, payload, meta)
}

func appendEvent(dst []byte, message ID, topic Topic, payload []byte, meta *Meta) []byte {
	dst = message.Append(dst)
	name := topic.String()
	if name == "" {
		name = TopicStateChange.String()
	}
	dst = append(dst, `","topic":"`...)
	dst = append(dst, name...)
	dst = append(dst, `","payload":`...)
	return appendEnd(appendRaw(dst, payload), meta)
}

// AppendHeartbeat carries manifestUpdate, as AppendManifestUpdate made it, unless that is nil.
func AppendHeartbeat(dst []byte, session, message ID, manifestUpdate []byte) []byte {
	dst = append(begin(dst, Heartbeat, session, message), '"')
	if manifestUpdate != nil {
		dst = append(dst, `,"manifest_update":`...)
		dst = append(dst, manifestUpdate...)
	}
	return append(dst, '}')
}

func appendEnd(dst []byte, meta *Meta) []byte {
	if meta != nil {
		dst = append(dst, `,"meta":`...)
		dst = AppendMeta(dst, meta)
	}
	return append(dst, '}')
}

// Meta is the metadata of a result or an event. The zero value says tick 0 and latency 0.
type Meta struct {
	NoTick       bool     // leave Tick out
	Tick         uint64   // the last pumped frame
	LatencyMS    int64    // left out when negative
	Source       string   // left out when ""
	Repaired     []string // JSON Pointers (DESIGN 5.16); left out when empty
	RetryAfterMS int64    // left out when 0 or negative
}

// AppendMeta appends the object.
func AppendMeta(dst []byte, meta *Meta) []byte {
	dst = append(dst, '{')
	from := len(dst)
	if !meta.NoTick {
		dst = jsonwire.AppendUint(append(dst, `"tick":`...), meta.Tick)
	}
	if meta.LatencyMS >= 0 {
		dst = jsonwire.AppendInt(appendName(dst, from, `"latency_ms":`), meta.LatencyMS)
	}
	if meta.Source != "" {
		dst = appendText(appendName(dst, from, `"source":`), meta.Source)
	}
	if len(meta.Repaired) > 0 {
		dst = appendStrings(appendName(dst, from, `"repaired":`), meta.Repaired)
	}
	if meta.RetryAfterMS > 0 {
		dst = jsonwire.AppendInt(appendName(dst, from, `"retry_after_ms":`), meta.RetryAfterMS)
	}
	return append(dst, '}')
}

// appendName appends a member's name with its colon, and a comma unless it is the first behind from.
func appendName(dst []byte, from int, name string) []byte {
	if len(dst) > from {
		dst = append(dst, ',')
	}
	return append(dst, name...)
}

func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendText(dst, s)
	}
	return append(dst, ']')
}

// DecodeMeta reads a Message's Meta; nil is an object without members. Numbers too large become the largest that fits. retry_after_ms
// and repaired, which the schema leaves open, are read only where they have the form that AppendMeta gives them.
func DecodeMeta(raw []byte, meta *Meta) {
	*meta = Meta{NoTick: true, LatencyMS: -1}
	it := jsonwire.ObjectMembers(raw)
	for {
		name, v, ok := it.Next()
		if !ok {
			return
		}
		var scratch []byte
		switch string(jsonwire.Text(name, &scratch)) {
		case "tick":
			n, err := jsonwire.ToUint64(v)
			if err != nil {
				n = math.MaxUint64
			}
			meta.NoTick, meta.Tick = false, n
		case "latency_ms":
			meta.LatencyMS = clamp(v)
		case "source":
			meta.Source = string(jsonwire.Text(v, &scratch))
		case "repaired":
			meta.Repaired = pointers(v)
		case "retry_after_ms":
			if jsonwire.KindOf(v) == jsonwire.Number && jsonwire.IsInteger(v) && jsonwire.Sign(v) > 0 {
				meta.RetryAfterMS = clamp(v)
			}
		}
	}
}

func clamp(v []byte) int64 {
	n, err := jsonwire.ToInt64(v)
	if err != nil {
		return math.MaxInt64
	}
	return n
}

func pointers(v []byte) []string {
	if jsonwire.KindOf(v) != jsonwire.Array {
		return nil
	}
	var list []string
	it := jsonwire.ArrayElements(v)
	for {
		e, ok := it.Next()
		if !ok {
			return list
		}
		if jsonwire.KindOf(e) != jsonwire.String {
			return nil
		}
		var scratch []byte
		list = append(list, string(jsonwire.Text(e, &scratch)))
	}
}
