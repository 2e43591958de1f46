package capability

import (
	"aicc.dev/libaicc/core/jsonwire"
)

// Part is one document's text and where it stood in what it came in.
type Part struct {
	Pointer string
	Text    []byte
}

// Split finds the documents in a text: it is a document, an array of them, an object with capabilities as an event's
// content is, or a kind-4 event, which is not verified here. What the documents are worth is Validate's business.
func Split(text []byte) ([]Part, error) {
	var scan jsonwire.Scanner
	if _, bad := scan.Check(text); bad != nil {
		return nil, refuse(bad.Pointer, RuleJSON, "one JSON value", bad.Error())
	}
	text = trim(text)
	at := ""
	if jsonwire.KindOf(text) == jsonwire.Object {
		if content, ok := jsonwire.Lookup(text, "content"); ok && jsonwire.KindOf(content) == jsonwire.String {
			parts, err := Split([]byte(decoded(content)))
			for i := range parts {
				parts[i].Pointer = "/content" + parts[i].Pointer
			}
			return parts, under("/content", err)
		}
		list, ok := jsonwire.Lookup(text, "capabilities")
		if !ok {
			return []Part{{"", text}}, nil
		}
		at, text = "/capabilities", list
	}
	if jsonwire.KindOf(text) != jsonwire.Array {
		return nil, refuse(at, "type", "a document, an array of documents, an object with capabilities, or an event", snippet(text))
	}
	parts := []Part{}
	elements(text, func(v []byte) { parts = append(parts, Part{pointerItem(at, len(parts)), v}) })
	return parts, nil
}

// DecodeAll splits a text and reads every document in it.
func DecodeAll(text []byte, how Strictness) ([]*Document, []Note, error) {
	parts, err := Split(text)
	if err != nil {
		return nil, nil, err
	}
	var docs []*Document
	var notes []Note
	for _, p := range parts {
		d, passed, err := Decode(p.Text, how)
		if err != nil {
			return nil, nil, under(p.Pointer, err)
		}
		for _, n := range passed {
			n.Pointer = p.Pointer + n.Pointer
			notes = append(notes, n)
		}
		docs = append(docs, d)
	}
	return docs, notes, nil
}
