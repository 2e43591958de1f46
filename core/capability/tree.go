package capability

import (
	"strconv"

	"aicc.dev/libaicc/core/jsonwire"
)

// Draft is one of the two dialects that payload schemas are written in.
type Draft uint8

// Documents are written in Draft7; tools, unless their $schema says otherwise, in Draft2020.
const (
	Draft2020 Draft = 1 << iota
	Draft7
	anyDraft = Draft2020 | Draft7
)

func (d Draft) String() string {
	if d == Draft7 {
		return "draft-07"
	}
	return "2020-12"
}

// The dialects' names, as $schema has them.
const (
	uri2020 = "https://json-schema.org/draft/2020-12/schema"
	uri7    = "http://json-schema.org/draft-07/schema#"
)

// ConvertError says what in a schema cannot be said in the other draft, or is wrong.
type ConvertError struct {
	Name    string // one of the Cannot constants
	Pointer string // JSON Pointer into the schema
	Keyword string
	Msg     string
}

func (e *ConvertError) Error() string {
	at := e.Pointer
	if at == "" {
		at = "(root)"
	}
	return "schema at " + at + ": " + e.Msg + " (" + e.Name + ")"
}

// The names of what cannot be converted.
const (
	CannotRead        = "malformed"            // no schema of the draft it is read as
	CannotDialect     = "dialect"              // a $schema that is neither draft
	CannotUnevaluated = "unevaluated"          // unevaluated* beside schemas that evaluate
	CannotCount       = "count_of_contains"    // minContains over 1, maxContains
	CannotDynamic     = "dynamic_reference"    // $dynamicRef, $dynamicAnchor
	CannotAnchor      = "anchor"               // an anchor that the other draft cannot name
	CannotRemote      = "remote_reference"     // a $ref that leads outside the schema
	CannotTarget      = "reference_target"     // a $ref to a place that is no schema, or is gone
	CannotNull        = "null_payload"         // {"type":"null"} with rules beside it
	CannotDeep        = "depth"                // too many values inside each other once converted
	CannotPayload     = "payload_of_no_object" // no object fits
)

// tree is a JSON value that can be taken apart: text, or members, or items.
type tree struct {
	raw     []byte
	members []*treeMember
	items   []*tree
	kind    jsonwire.Kind // Object or Array when not raw
}

type treeMember struct {
	name  string
	value *tree
}

func leaf(raw []byte) *tree { return &tree{raw: raw} }

func leafText(s string) *tree { return leaf([]byte(quoted(s))) }

func object() *tree { return &tree{kind: jsonwire.Object} }

func list(items ...*tree) *tree { return &tree{kind: jsonwire.Array, items: items} }

func (t *tree) put(name string, value *tree) *tree {
	t.members = append(t.members, &treeMember{name, value})
	return t
}

func (t *tree) get(name string) *tree {
	for _, m := range t.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

func (t *tree) append(dst []byte) []byte {
	switch {
	case t.raw != nil:
		return append(dst, t.raw...)
	case t.kind == jsonwire.Array:
		dst = append(dst, '[')
		for i, item := range t.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.append(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for i, m := range t.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst, _ = jsonwire.AppendString(dst, m.name)
		dst = append(dst, ':')
		dst = m.value.append(dst)
	}
	return append(dst, '}')
}

func pointer(at, token string) string {
	return string(jsonwire.AppendPointerToken([]byte(at), token))
}

func pointerItem(at string, i int) string { return at + "/" + strconv.Itoa(i) }
