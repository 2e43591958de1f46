package capability

import (
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// FromManifest makes of a manifest what Export takes.
func FromManifest(m *message.Manifest) []Tool {
	tools := make([]Tool, len(m.Tools))
	for i := range m.Tools {
		tools[i].Tool = m.Tools[i]
	}
	return tools
}

// ReadTools finds tools in a text: a session_init, a manifest_update, any other object with tools and perhaps a world, or an array
// of tools. world is "" where none is named. The error is an *Error.
func ReadTools(text []byte) (world string, tools []Tool, err error) {
	var scan jsonwire.Scanner
	if _, bad := scan.Check(text); bad != nil {
		return "", nil, refuse(bad.Pointer, RuleJSON, "one JSON value", bad.Error())
	}
	text = trim(text)
	at, list := "", text
	if jsonwire.KindOf(text) == jsonwire.Object {
		at, list = "/tools", nil
		members(text, func(name string, v []byte) {
			switch {
			case name == "tools":
				list = v
			case name == "world" && jsonwire.KindOf(v) == jsonwire.Object:
				if v, ok := jsonwire.Lookup(v, "name"); ok && jsonwire.KindOf(v) == jsonwire.String {
					world = decoded(v)
				}
			}
		})
	}
	if jsonwire.KindOf(list) != jsonwire.Array {
		return "", nil, refuse(at, "type", "an array of tools, or an object with tools such as a session_init", snippet(text))
	}
	var m message.Manifest
	whole := append([]byte(`{"tick_rate_hz":1,"tick_mode":"event","world":{"name":"w","kind":"2d"},"capabilities":{"sensors":[],"actuators":[],"generators":[]},`+
		`"agent_model":{"class":"edge_small"},"tools":`), list...)
	if f := message.DecodeManifest(append(whole, '}'), &m); f != nil {
		said := strings.TrimPrefix(f.Text, "at "+f.Pointer+": ")
		want, got, ok := strings.Cut(strings.TrimSuffix(said, " came"), " was wanted, ")
		if !ok {
			want, got = "a tool", said
		}
		return "", nil, refuse(at+strings.TrimPrefix(f.Pointer, "/tools"), RuleTool, want, got)
	}
	return world, FromManifest(&m), nil
}
