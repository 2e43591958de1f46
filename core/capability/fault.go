package capability

import (
	"strconv"
	"strings"
)

// Strictness says what a document is held against.
type Strictness uint8

// Strict is the schema and its prose. Lenient is the schema alone; what its prose forbids passes and is reported.
const (
	Strict Strictness = iota
	Lenient
)

// Fault is one way in which a document is not what it should be.
type Fault struct {
	Pointer string `json:"pointer"` // JSON Pointer into the document; "" is the whole
	Rule    string `json:"rule"`    // the schema's keyword, or one of the Rule constants
	Want    string `json:"wanted"`
	Got     string `json:"got"`
}

// The rules that are not keywords of the schema.
const (
	RuleJSON     = "json"     // the text is no JSON value by DESIGN 5.15
	RuleRoot     = "root"     // prose: a name begins with a reserved root, or with x and a level below it
	RuleVersion  = "version"  // prose: semver, whose numbers have no leading zeros
	RuleParams   = "params"   // prose: an extension's params have at most 4 KB
	RuleTag      = "tag"      // prose: kebab-case
	RuleMode     = "mode"     // prose: MIME types
	RuleCurrency = "currency" // prose: ISO 4217, or BTC, ETH, USDC, SOL, SAT
	RuleDialect  = "dialect"  // prose: payload schemas are draft-07
	RulePayload  = "payload"  // import: a payload that cannot be a tool's input or output
	RuleRequired = "required_extension"
	RuleTool     = "tool" // import: what our extension says is no tool
	RuleBound    = "bound"
)

// String is the fault in one line.
func (f Fault) String() string {
	at := f.Pointer
	if at == "" {
		at = "(root)"
	}
	return at + ": wanted " + f.Want + "; got " + f.Got
}

// Error is what a document was refused for.
type Error struct {
	Faults []Fault
	More   int // faults beyond those listed
}

func (e *Error) Error() string {
	var b strings.Builder
	for i, f := range e.Faults {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(f.String())
	}
	if e.More > 0 {
		b.WriteString("\nand " + strconv.Itoa(e.More) + " more")
	}
	return b.String()
}

func refuse(pointer, rule, want, got string) *Error {
	return &Error{Faults: []Fault{{pointer, rule, want, got}}}
}

// NoteKind says what a Note is about.
type NoteKind string

// The kinds of notes.
const (
	Loss      NoteKind = "loss"      // it is not on the other side
	Rewritten NoteKind = "rewritten" // said in other words that mean the same
	Weaker    NoteKind = "weaker"    // it is there, but may not be heeded
	Chosen    NoteKind = "chosen"    // nobody said it; this was taken
	Collision NoteKind = "collision" // the name was taken, another is used
	Passed    NoteKind = "lenient"   // a strict look would have refused it
)

// Note is one thing that a translation did and whoever asked for it should know.
type Note struct {
	Kind    NoteKind `json:"kind"`
	Tool    string   `json:"tool,omitempty"`    // the tool's id
	Pointer string   `json:"pointer,omitempty"` // into the tool's or the document's JSON, whichever was read
	Text    string   `json:"text"`
}

// String is the note in one line.
func (n Note) String() string {
	s := string(n.Kind) + ": "
	if n.Tool != "" {
		s += n.Tool
		if n.Pointer == "" {
			s += ": "
		}
	}
	if n.Pointer != "" {
		s += n.Pointer + ": "
	}
	return s + n.Text
}

// snippet is a value as a fault shows it.
func snippet(raw []byte) string {
	const most = 80
	if len(raw) <= most {
		return string(raw)
	}
	cut := most
	for cut > 0 && raw[cut]&0xC0 == 0x80 {
		cut--
	}
	return string(raw[:cut]) + "..."
}
