package schema

import (
	"fmt"
	"strings"
)

// CompileError says why a schema is refused, and where in it.
type CompileError struct {
	Pointer string // JSON Pointer into the schema; "" is the whole
	Keyword string // the keyword at fault, "" when it is none
	Offset  int    // byte offset into the text
	Msg     string // what is wrong, without the place
}

func (e *CompileError) Error() string {
	if e.Pointer == "" {
		return "schema: " + e.Msg
	}
	return fmt.Sprintf("schema at %s: %s", e.Pointer, e.Msg)
}

// Fault is one way in which a value does not fit.
type Fault struct {
	Pointer string // JSON Pointer into the value, cut with "..." behind 512 bytes; "" is the whole
	Keyword string // the schema keyword that says no
	Want    string // what was wanted
	Got     string // what came, cut at 80 characters
}

// String is the fault in one line, fit for a model to read.
func (f Fault) String() string {
	at := f.Pointer
	if at == "" {
		at = "(root)"
	}
	return oneLine(at + ": wanted " + f.Want + "; got " + f.Got)
}

// oneLine writes what would break a line, or reorder it, as an escape.
func oneLine(s string) string {
	if strings.IndexFunc(s, unruly) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unruly(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unruly(r rune) bool {
	return r < ' ' || 0x7f <= r && r <= 0x9f || 0x200b <= r && r <= 0x200f || 0x2028 <= r && r <= 0x202e || 0x2060 <= r && r <= 0x206f || r == 0xfeff
}
