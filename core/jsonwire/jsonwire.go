// Package jsonwire is JSON text as bytes: a strict checker, readers over
// checked text, and functions that append text. It keeps no state, uses no
// reflection, and allocates nothing once its caller's buffers have grown.
//
// The rules for a text are those of DESIGN 5.15: valid UTF-8, exactly one
// value, no duplicate members, at most MaxDepth containers inside each other, a bound
// on the size, no NaN, no comments, no byte order mark. Numbers stay as they are written.
//
// Only Scanner takes arbitrary bytes. Every other function that reads takes text
// that a Scanner has accepted, or a part of it that holds exactly one value; over anything else
// its answer means nothing, though it still ends and does not panic.
package jsonwire

// DefaultMaxBytes is the size bound of a Scanner that names none.
const DefaultMaxBytes = 1 << 20

// MaxDepth is how many arrays and objects may be open at once.
const MaxDepth = 64

// Kind is what a JSON value is.
type Kind uint8

// The kinds. None is what KindOf says of text that no value begins with.
const (
	None Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"none", "null", "boolean", "number", "string", "array", "object"}

// String is the kind's name in JSON Schema's words.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return kindNames[None]
}

// KindOf tells the kind of a value by its first byte.
func KindOf(value []byte) Kind {
	if len(value) == 0 {
		return None
	}
	switch c := value[0]; c {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n':
		return Null
	default:
		if c == '-' || '0' <= c && c <= '9' {
			return Number
		}
		return None
	}
}
