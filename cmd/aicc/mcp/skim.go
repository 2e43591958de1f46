package mcp

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// skim looks at a line as it comes, and keeps of it only what an answer needs: one that is too long, too deep or no JSON gets one too.
// What it says of a line that is no JSON means little.
type skim struct {
	depth, deepest int
	object         bool // the outermost value is one
	text, escaped  bool // inside a string
	named          bool // behind the colon
	name, token    []byte
	seen           [lastMember]bool
	twice          bool
	id, method     []byte // as they were written
}

// The members of a message.
const (
	memberVersion = iota
	memberID
	memberMethod
	memberParams
	memberResult
	memberError
	lastMember
)

var members = []string{"jsonrpc", "id", "method", "params", "result", "error"}

// maxToken bytes of a name or a value are kept.
const maxToken = 4 << 10

func (s *skim) feed(part []byte) {
	for _, b := range part {
		switch {
		case s.text:
			s.keep(b)
			switch {
			case s.escaped:
				s.escaped = false
			case b == '\\':
				s.escaped = true
			case b == '"':
				s.text = false
			}
		case b == '"':
			s.text = true
			s.keep(b)
		case b == '{' || b == '[':
			if s.depth++; s.depth == 1 {
				s.object = b == '{'
			} else {
				s.keep(b)
			}
			s.deepest = max(s.deepest, s.depth)
		case b == '}' || b == ']':
			if s.depth == 1 {
				s.member()
			}
			s.depth = max(0, s.depth-1)
			s.keep(b)
		case b == ',' && s.depth == 1:
			s.member()
		case b == ':' && s.depth == 1 && !s.named:
			s.name, s.token, s.named = append(s.name[:0], s.token...), s.token[:0], true
		case b != ' ' && b != '\t' && b != '\r' && b != '\n':
			s.keep(b)
		}
	}
}

func (s *skim) keep(b byte) {
	if s.depth > 0 && len(s.token) <= maxToken {
		s.token = append(s.token, b)
	}
}

// member takes the one that has ended.
func (s *skim) member() {
	defer func() { s.token, s.named = s.token[:0], false }()
	var name string
	if !s.object || !s.named || json.Unmarshal(s.name, &name) != nil {
		return
	}
	at := slices.Index(members, name)
	if at < 0 {
		return
	}
	s.twice = s.twice || s.seen[at]
	s.seen[at] = true
	switch at {
	case memberID:
		s.id = slices.Clone(s.token)
	case memberMethod:
		s.method = slices.Clone(s.token)
	}
}

// maxInteger is the largest that all clients and the SDK read as it was written.
const maxInteger = 1<<53 - 1

// readable says whether the id may be that of a request: a string, or an integer that comes back as it came.
func (s *skim) readable() bool {
	if len(s.id) == 0 || s.twice {
		return false
	}
	if s.id[0] == '"' {
		var text string
		return len(s.id) > maxToken || json.Unmarshal(s.id, &text) == nil && !strings.ContainsRune(text, utf8.RuneError) // which it would become
	}
	n, err := strconv.ParseInt(string(s.id), 10, 64)
	return err == nil && -maxInteger <= n && n <= maxInteger && string(s.id) == strconv.FormatInt(n, 10)
}

// echo is the id for an answer.
func (s *skim) echo() []byte {
	if s.readable() && len(s.id) <= maxToken {
		return s.id
	}
	return []byte("null")
}

// calls says that it is a tool's call.
func (s *skim) calls() bool {
	var method string
	return json.Unmarshal(s.method, &method) == nil && method == "tools/call"
}

// answers says that it is the answer to a request: such are never answered, or two sides could go on for ever.
func (s *skim) answers() bool {
	return !s.seen[memberMethod] && (s.seen[memberResult] || s.seen[memberError])
}
