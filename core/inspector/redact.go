package inspector

import (
	"bytes"

	"aicc.dev/libaicc/core/message"
)

const (
	idBytes   = 36
	idShown   = 8
	idHidden  = "-…"
	firstDash = 8
)

// appendRedacted appends a text in which a session's id is shortened wherever it stands, as is every UUID where all is true. A session id is
// what lets anybody resume the session: who watches needs to tell two apart, no more.
func appendRedacted(dst, text []byte, all bool, ids ...message.ID) []byte {
	if bytes.Contains(text, escapeHead) {
		text = unescapeIDs(text)
	}
	from := 0
	for at := 0; ; {
		dash := bytes.IndexByte(text[at:], '-')
		if dash < 0 {
			break
		}
		start := at + dash - firstDash
		at += dash + 1
		if start < 0 || start+idBytes > len(text) {
			continue
		}
		id, ok := message.ParseID(text[start : start+idBytes])
		if !ok || !all && !contains(ids, id) {
			continue
		}
		if start >= from { // else it begins in one that is hidden, and so is the rest of it
			dst = append(append(dst, text[from:start+idShown]...), idHidden...)
		}
		from = start + idBytes
	}
	return append(dst, text[from:]...)
}

func contains(ids []message.ID, id message.ID) bool {
	for _, x := range ids {
		if x == id && id != (message.ID{}) {
			return true
		}
	}
	return false
}

var escapeHead = []byte(`\u00`)

// unescapeIDs writes escapes of what an id consists of as the characters that they stand for, which is the same JSON; so no id hides in them.
func unescapeIDs(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		switch {
		case text[i] != '\\' || i+1 == len(text):
			out = append(out, text[i])
			i++
		case bytes.HasPrefix(text[i:], escapeHead) && i+6 <= len(text) && isIDByte(unhex(text[i+4])<<4|unhex(text[i+5])):
			out = append(out, unhex(text[i+4])<<4|unhex(text[i+5]))
			i += 6
		default:
			out = append(out, text[i], text[i+1])
			i += 2
		}
	}
	return out
}

// unhex gives 0xFF for what is no hexadecimal digit.
func unhex(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return c | 0x20 - 'a' + 10
	}
	return 0xFF
}

func isIDByte(c byte) bool { return c == '-' || unhex(c) != 0xFF }
