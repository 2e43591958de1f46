package validate

import (
	"encoding/json"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

var definitions = map[message.Type]string{0: "envelope", message.SessionInit: "sessionInit", message.SessionResume: "sessionResume", message.SessionClose: "sessionClose",
	message.ManifestRequest: "manifestRequest", message.ToolCall: "toolCall", message.ToolResult: "toolResult", message.Event: "event",
	message.ErrorMessage: "errorMessage", message.Heartbeat: "heartbeat"}

// schemas has the part of the protocol's schema for each type: whoever reads the faults of one wants none of the eight others'. updateSchema is session_init's
// without the two ids.
var schemas, updateSchema = compile()

func compile() (of map[message.Type]*schema.Schema, update *schema.Schema) {
	var doc map[string]json.RawMessage
	must(json.Unmarshal(message.SchemaJSON, &doc))
	var defs map[string]json.RawMessage
	must(json.Unmarshal(doc["$defs"], &defs))
	var init map[string]json.RawMessage
	must(json.Unmarshal(defs["sessionInit"], &init))
	var required []string
	must(json.Unmarshal(init["required"], &required))
	var properties map[string]json.RawMessage
	must(json.Unmarshal(init["properties"], &properties))
	var left []string
	for _, name := range required {
		if name != "session_id" && name != "message_id" {
			left = append(left, name)
		}
	}
	delete(properties, "session_id")
	delete(properties, "message_id")
	init["required"], init["properties"] = text(left), text(properties)
	defs["manifestUpdate"] = text(init)
	one := func(name string) *schema.Schema {
		s, err := schema.Compile(text(map[string]any{"$ref": "#/$defs/" + name, "$defs": defs}), schema.Options{Role: schema.Output})
		must(err)
		return s
	}
	of = map[message.Type]*schema.Schema{}
	for kind, name := range definitions {
		of[kind] = one(name)
	}
	return of, one("manifestUpdate")
}

func text(v any) []byte {
	b, err := json.Marshal(v)
	must(err)
	return b
}

// must is for the protocol's schema, which is compiled in.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// fix says what to do about a fault of the schema.
func fix(f schema.Fault, kind message.Type) string {
	name := f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:]
	switch {
	case f.Pointer == "/protocol":
		return `every message says "protocol":"` + message.Protocol + `"`
	case f.Pointer == "/type" && kind == 0:
		return "the type decides what else the message has"
	case f.Pointer == "/session_id":
		return "use the id that the game's session_init came with"
	case f.Pointer == "/message_id":
		return "make a random UUID for each message"
	case f.Got == "nothing":
		return "add " + name
	case strings.HasPrefix(f.Got, "nothing (is "):
		return "rename it"
	case strings.HasPrefix(f.Want, "no member of this name"):
		if kind != 0 {
			return "leave it out: what is a game's own goes into input, output, payload or meta"
		}
	case f.Keyword == "pattern" && (strings.HasSuffix(f.Pointer, "/id") || f.Pointer == "/tool"):
		return "tool ids are in snake_case: small letters, digits and _, a letter first"
	}
	return ""
}

func jsonFix(e *jsonwire.Error) string {
	switch {
	case e.Msg == jsonwire.DuplicateMember:
		return "give each member of an object once"
	case strings.Contains(e.Msg, "byte order mark"):
		return "save the file as UTF-8 without a byte order mark"
	}
	return ""
}
