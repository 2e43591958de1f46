package chat

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"aicc.dev/libaicc/core/jsonwire"
)

// Error says why there is no turn.
type Error struct {
	Kind    Kind
	Status  int           // of HTTP; 0: none came
	Message string        // what happened, and what to do
	After   time.Duration // the server asked to wait so long
}

func (e *Error) Error() string { return e.Message }

// Kind is what can be done about an Error.
type Kind uint8

// Kinds.
const (
	Passing Kind = iota // asking again may help; it has been done often enough
	Refused             // asking again will not help
	TooLong             // the conversation is longer than the model takes
	adapted             // the request is written otherwise from now on
)

// complaint is what a server says was wrong.
type complaint struct {
	message, code string
}

// complaintOf reads the forms that there are: {"error":{"message","code","type"}}, {"error":"..."}, {"message":...}, {"detail":...}.
func complaintOf(text []byte) complaint {
	var body struct {
		Error, Message, Detail, Code, Type json.RawMessage
	}
	if json.Unmarshal(text, &body) != nil {
		return complaint{message: string(text)}
	}
	from := complaint{message: first(plain(body.Message), plain(body.Detail), string(body.Detail)), code: first(plain(body.Code), plain(body.Type))}
	var inner struct{ Message, Code, Type, Status, Metadata json.RawMessage }
	switch {
	case len(body.Error) == 0 || string(body.Error) == "null":
	case json.Unmarshal(body.Error, &inner) == nil:
		from = complaint{message: first(plain(inner.Message), string(body.Error)), code: first(plain(inner.Code), plain(inner.Type), plain(inner.Status))}
	default:
		from.message = first(plain(body.Error), string(body.Error))
	}
	return from
}

// plain is a string's or a number's text, of JSON that has been checked. Bytes that are no UTF-8 stay as they are: their other half may come with the
// next piece.
func plain(raw json.RawMessage) string {
	switch {
	case len(raw) > 0 && raw[0] == '"':
		text, _ := jsonwire.AppendUnquoted(nil, raw)
		return string(text)
	case len(raw) > 0 && (raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9'):
		return string(raw)
	}
	return ""
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// refusal is the error of an answer that is not 200.
func (c *Client) refusal(r *Request, answer *http.Response, text []byte) *Error {
	said := complaintOf(text)
	e := &Error{Status: answer.StatusCode, Kind: Refused, After: retryAfter(answer.Header, c.o.Now())}
	e.Message = fmt.Sprintf("the model's server says %d %s", answer.StatusCode, strings.ToLower(http.StatusText(answer.StatusCode)))
	if said.message != "" {
		e.Message += ": " + c.words(said.message)
	}
	switch status := answer.StatusCode; {
	case status == http.StatusTooManyRequests && (strings.Contains(said.code, "insufficient_quota") || strings.Contains(said.code, "billing")):
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status == http.StatusTooEarly, status >= 500 && status != http.StatusNotImplemented:
		e.Kind = Passing
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		if c.o.Key == "" {
			e.Message += "; no key was given: set AICC_LLM_KEY or OPENAI_API_KEY, or give --key-file FILE"
		} else {
			e.Message += "; is the key the right one for this server?"
		}
	case status == http.StatusNotFound:
		e.Message += fmt.Sprintf("; is %q a model of this server, and its address right? Most end in /v1", c.o.Model)
	case status >= 300 && status < 400:
		e.Message += fmt.Sprintf("; it points to %q: give that address instead", c.words(answer.Header.Get("Location")))
	case tooLong(said):
		e.Kind = TooLong
	case c.adapt(r, said.message):
		e.Kind = adapted
		e.Message += "; asked again without that"
	}
	return e
}

func tooLong(said complaint) bool {
	if strings.Contains(said.code, "context_length") || strings.Contains(said.code, "exceed_context") {
		return true
	}
	text := strings.ToLower(said.message)
	return strings.Contains(text, "context") && (strings.Contains(text, "length") || strings.Contains(text, "exceed") || strings.Contains(text, "window")) ||
		strings.Contains(text, "too many tokens") || strings.Contains(text, "prompt is too long")
}

// adapt writes the next request otherwise where a server complains of something in it that can go. Each is done once.
func (c *Client) adapt(r *Request, text string) bool {
	once := func(flag *bool, if_ bool) bool {
		if !if_ || *flag {
			return false
		}
		*flag = true
		return true
	}
	text = strings.ToLower(text)
	says := func(s string) bool { return strings.Contains(text, s) }
	limited := r.ReplyTokens > 0
	return once(&c.noUsage, !c.noStream && (says("stream_options") || says("include_usage"))) ||
		once(&c.thoughts, c.o.Thoughts == ThoughtsAsked && says("reasoning_content")) ||
		once(&c.newLimit, limited && says("max_completion_tokens")) ||
		once(&c.noLimit, limited && (says("max_tokens") || says("max_completion_tokens"))) ||
		once(&c.noStream, says("stream"))
}

// inStream is the error of an error object in a stream: its code, if it is a number, is a status.
func (c *Client) inStream(said *complaint) *Error {
	e := &Error{Kind: Passing, Message: "the model's server broke off with an error: " + c.words(said.message)}
	status, err := strconv.Atoi(said.code)
	switch {
	case tooLong(*said):
		e.Kind = TooLong
	case strings.Contains(said.code, "insufficient_quota"), strings.Contains(said.code, "invalid_request"), strings.Contains(said.code, "authentication"):
		e.Kind = Refused
	case err == nil && status >= 400 && status < 500 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout:
		e.Kind, e.Status = Refused, status
	}
	return e
}

// retryAfter is how long a server asks to wait: in seconds, in milliseconds, or until a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("Retry-After-Ms")), 64); err == nil && ms >= 0 {
		return duration(ms, time.Millisecond)
	}
	text := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(text, 64); err == nil && s >= 0 {
		return duration(s, time.Second)
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

func duration(n float64, unit time.Duration) time.Duration {
	return time.Duration(min(n*float64(unit), float64(365*24*time.Hour)))
}
