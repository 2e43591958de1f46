package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Rules are what a provider asks of a list, each as its public documentation or its own error messages say it. Zero is no known bound.
type Rules struct {
	MaxName        int    // bytes of a function's name
	NameSigns      string // what a name may have beside letters and digits of ASCII
	LetterFirst    bool   // a name begins with a letter or _
	MaxTools       int    // functions in a request
	MaxDescription int    // code points of a function's description
	MaxKey         int    // bytes of a member's name at the top of an input
	KeySigns       string // what such a name may have beside letters and digits; "": anything
	Source         string // where it is said
}

// OpenAI: "Must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64" and "a max of 128 functions are supported" (API
// reference, chat completions, tools); descriptions: "Expected a string with maximum length 1024" (error string_above_max_length).
// Anthropic: "Must match the regex ^[a-zA-Z0-9_-]{1,64}$" (Define tools); "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'" (error, for the
// members at the top of input_schema alone).
// Gemini: "Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores, dots, colons and dashes, with a maximum length of 64"
// (API reference, FunctionDeclaration; some versions of it leave out dots and colons, so they are not used here); "At most 512 function declarations can be
// specified" (error).
// MCP: "between 1 and 128 characters", letters, digits, underscore, hyphen and dot (specification 2025-11-25, server/tools, Tool Names).
var rules = [...]Rules{
	OpenAI:    {MaxName: 64, NameSigns: "_-", MaxTools: 128, MaxDescription: 1024, Source: "OpenAI API reference, chat completions, tools"},
	Anthropic: {MaxName: 64, NameSigns: "_-", MaxKey: 64, KeySigns: "_.-", Source: "Anthropic documentation, Define tools"},
	Gemini:    {MaxName: 64, NameSigns: "_-", LetterFirst: true, MaxTools: 512, Source: "Gemini API reference, FunctionDeclaration"},
	MCP:       {MaxName: 128, NameSigns: "_-.", Source: "Model Context Protocol 2025-11-25, server/tools"},
}

// Rules are the format's.
func (f Format) Rules() Rules {
	if int(f) < len(rules) {
		return rules[f]
	}
	return Rules{}
}

// Takes tells whether a provider takes a name for a function.
func (f Format) Takes(name string) bool {
	r := f.Rules()
	return legal(name, r.MaxName, r.NameSigns) && !(r.LetterFirst && !letterFirst(name))
}

func letterFirst(name string) bool {
	return name != "" && (name[0] == '_' || name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z')
}

func legalByte(c byte, signs string) bool {
	if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' {
		return true
	}
	for i := range len(signs) {
		if signs[i] == c {
			return true
		}
	}
	return false
}

func legal(name string, most int, signs string) bool {
	if name == "" || len(name) > most {
		return false
	}
	for i := range len(name) {
		if !legalByte(name[i], signs) {
			return false
		}
	}
	return true
}

// mend makes a legal name of any other: what is refused becomes _, and digits of the name's hash follow, so that its legal name is the same whatever
// else is in the list. again is for the case that another name has that one.
func mend(name string, most int, signs string, letter bool, again int) string {
	sum := sha256.Sum256([]byte(name + strings.Repeat("\x00", again)))
	tail := "_" + hex.EncodeToString(sum[:4])
	b := make([]byte, 0, most)
	if letter && !letterFirst(name) {
		b = append(b, '_')
	}
	for _, r := range name {
		if len(b) == most-len(tail) {
			break
		}
		if r < 0x80 && legalByte(byte(r), signs) {
			b = append(b, byte(r))
		} else {
			b = append(b, '_')
		}
	}
	return string(b) + tail
}

// Names gives each tool a name that a provider takes, and finds the tool of a name. One that is taken as it is stays as it is. It does not change once made.
type Names struct {
	format   Format
	prefix   string
	to, back map[string]string
}

// NewNames names tools, prefix before each id.
func NewNames(f Format, prefix string, ids []string) *Names {
	n := &Names{f, prefix, map[string]string{}, map[string]string{}}
	for _, id := range ids {
		if f.Takes(prefix + id) {
			n.to[id], n.back[prefix+id] = prefix+id, id
		}
	}
	for _, id := range ids {
		if _, ok := n.to[id]; ok {
			continue
		}
		for again := 0; ; again++ {
			name := n.mend(id, again)
			if _, taken := n.back[name]; !taken {
				n.to[id], n.back[name] = name, id
				break
			}
		}
	}
	return n
}

func (n *Names) mend(id string, again int) string {
	r := n.format.Rules()
	return mend(n.prefix+id, max(r.MaxName, 64), r.NameSigns, r.LetterFirst, again)
}

// To gives a tool's name. A tool that is not in the list has the one that it would get.
func (n *Names) To(id string) string {
	if name, ok := n.to[id]; ok {
		return name
	}
	if n.format.Takes(n.prefix + id) {
		return n.prefix + id
	}
	return n.mend(id, 0)
}

// Back gives the tool of a name.
func (n *Names) Back(name string) (id string, ok bool) {
	id, ok = n.back[name]
	return id, ok
}

// TakesKey tells whether a provider takes a name for a member at the top of an input.
func (f Format) TakesKey(name string) bool {
	r := f.Rules()
	return r.MaxKey == 0 || legal(name, r.MaxKey, r.KeySigns)
}
