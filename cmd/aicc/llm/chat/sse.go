package chat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

var (
	done = []byte("[DONE]")
	bom  = []byte("\xEF\xBB\xBF")
)

// Bounds on what one answer may weigh on the wire: each token has a chunk of a few hundred bytes.
const (
	maxValue  = 8 << 20
	maxAnswer = 128 << 20
)

// badStream is an answer that cannot be read.
type badStream string

func (b badStream) Error() string { return string(b) }

// values are the JSON values of an answer, in whatever they are wrapped: an event stream, one JSON value, or several one behind the other.
type values struct {
	r       *bufio.Reader
	left    int
	begun   bool
	bare    *json.Decoder // no event stream
	lines   [][]byte      // cut at lone carriage returns
	event   []byte        // data lines of an event that is not over
	several bool          // there is one
}

func newValues(r io.Reader) *values {
	return &values{r: bufio.NewReader(io.LimitReader(r, maxAnswer+1)), left: maxAnswer}
}

// next gives a value's text, which is JSON or done, and holds until the next call.
func (v *values) next() ([]byte, error) {
	if !v.begun {
		v.begun = true
		if err := v.begin(); err != nil {
			return nil, err
		}
	}
	if v.bare != nil {
		return v.nextBare()
	}
	for {
		line, err := v.line()
		if err != nil && (err != io.EOF || !v.several) {
			return nil, err
		}
		if err != nil || len(line) == 0 { // the end of an event; a stream that ends may leave that away
			if !v.several {
				continue
			}
			text := v.event
			v.event, v.several = nil, false
			if len(bytes.TrimSpace(text)) == 0 {
				continue
			}
			if err != nil && !json.Valid(text) {
				return nil, io.ErrUnexpectedEOF
			}
			return checked(text)
		}
		text, ok := data(line)
		if !ok {
			continue
		}
		if !v.several && (json.Valid(text) || bytes.Equal(bytes.TrimSpace(text), done)) {
			return bytes.TrimSpace(text), nil // nearly all are one line, and some servers send no empty line behind it
		}
		if len(v.event)+len(text) > maxValue {
			return nil, badStream("one event has more than 8 MiB")
		}
		if v.several {
			v.event = append(v.event, '\n')
		}
		v.event = append(v.event, text...)
		v.several = true
	}
}

func checked(text []byte) ([]byte, error) {
	text = bytes.TrimSpace(text)
	if json.Valid(text) || bytes.Equal(text, done) {
		return text, nil
	}
	return nil, badStream(fmt.Sprintf("an event is not JSON: %.80q", text))
}

// data takes the value out of a line: "data: VALUE", "error: VALUE" as llama.cpp has it, or a JSON object where a field should be.
func data(line []byte) ([]byte, bool) {
	for _, field := range [][]byte{[]byte("data:"), []byte("error:")} {
		if rest, ok := bytes.CutPrefix(line, field); ok {
			rest = bytes.TrimPrefix(rest, []byte(" "))
			if field[0] == 'e' && len(rest) > 0 {
				return append(append([]byte(`{"error":`), rest...), '}'), true
			}
			return rest, true
		}
	}
	if bytes.Equal(line, []byte("data")) {
		return nil, true
	}
	return line, line[0] == '{'
}

// begin looks whether it is an event stream: no line of one begins like JSON.
func (v *values) begin() error {
	if head, _ := v.r.Peek(len(bom)); bytes.Equal(head, bom) {
		_, _ = v.r.Discard(len(bom))
	}
	for {
		c, err := v.r.ReadByte()
		if err != nil {
			return err
		}
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		}
		if err := v.r.UnreadByte(); err != nil {
			return err
		}
		if c == '{' || c == '[' {
			v.bare = json.NewDecoder(io.LimitReader(v.r, maxValue))
		}
		return nil
	}
}

func (v *values) nextBare() ([]byte, error) {
	var text json.RawMessage
	if v.bare.InputOffset() >= maxValue-1 {
		return nil, badStream("the answer has more than 8 MiB")
	}
	err := v.bare.Decode(&text)
	if _, syntax := err.(*json.SyntaxError); syntax {
		return nil, badStream("it is neither an event stream nor JSON")
	}
	return text, err
}

// line gives the next one, without its end, which may be LF, CR or both.
func (v *values) line() ([]byte, error) {
	if len(v.lines) > 0 {
		line := v.lines[0]
		v.lines = v.lines[1:]
		return line, nil
	}
	var line []byte
	for {
		part, err := v.r.ReadSlice('\n')
		if v.left -= len(part); v.left < 0 {
			return nil, badStream("the answer has more than 128 MiB")
		}
		if len(line)+len(part) > maxValue {
			return nil, badStream("one line has more than 8 MiB")
		}
		line = append(line, part...)
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && (err != io.EOF || len(line) == 0) {
			return nil, err
		}
		break
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if bytes.IndexByte(line, '\r') >= 0 {
		v.lines = bytes.Split(line, []byte("\r"))
		line, v.lines = v.lines[0], v.lines[1:]
	}
	return line, nil
}
