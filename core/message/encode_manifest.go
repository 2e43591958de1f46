package message

import (
	"math"

	"aicc.dev/libaicc/core/jsonwire"
)

// AppendTool appends a tool's object.
func AppendTool(dst []byte, t *Tool) []byte {
	dst = append(dst, `{"id":`...)
	dst = appendText(dst, t.ID)
	dst = append(dst, `,"class":"`...)
	dst = append(dst, orFirst(t.Class, Sensor).String()...)
	dst = append(dst, `","description":`...)
	dst = appendText(dst, orWord(t.Description, t.ID))
	dst = append(dst, `,"input_schema":`...)
	dst = appendRaw(dst, t.InputSchema)
	dst = append(dst, `,"output_schema":`...)
	dst = appendRaw(dst, t.OutputSchema)
	if t.CallsPerMinute > 0 || t.CallsPerSession > 0 {
		dst = append(dst, `,"limits":{`...)
		from := len(dst)
		if t.CallsPerMinute > 0 {
			dst = jsonwire.AppendInt(append(dst, `"calls_per_minute":`...), t.CallsPerMinute)
		}
		if t.CallsPerSession > 0 {
			dst = jsonwire.AppendInt(appendName(dst, from, `"calls_per_session":`), t.CallsPerSession)
		}
		dst = append(dst, '}')
	}
	if t.RequiresCapability != "" {
		dst = append(dst, `,"requires_capability":`...)
		dst = appendText(dst, t.RequiresCapability)
	}
	if t.StrictInput {
		dst = append(dst, `,"strict_input":true`...)
	}
	return append(dst, '}')
}

// AppendTools appends the array of tools, for Manifest.ToolsJSON.
func AppendTools(dst []byte, tools []Tool) []byte {
	dst = append(dst, '[')
	for i := range tools {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendTool(dst, &tools[i])
	}
	return append(dst, ']')
}

// AppendManifestBody appends everything of a session_init that follows message_id: members
// without braces, for AppendSessionInit and AppendManifestUpdate. A rate that is not above 0 and finite becomes 1.
func AppendManifestBody(dst []byte, m *Manifest) []byte {
	rate := m.TickRateHz
	if !(rate > 0 && rate <= math.MaxFloat64) {
		rate = 1
	}
	dst = append(dst, `"tick_rate_hz":`...)
	dst, _ = jsonwire.AppendFloat(dst, rate)
	dst = append(dst, `,"tick_mode":"`...)
	dst = append(dst, orFirst(m.TickMode, TickFixed).String()...)
	dst = append(dst, `","world":{"name":`...)
	dst = appendText(dst, orWord(m.WorldName, "world"))
	dst = append(dst, `,"kind":"`...)
	dst = append(dst, orFirst(m.WorldKind, World2D).String()...)
	dst = append(dst, `"},"capabilities":{"sensors":`...)
	dst = appendStrings(dst, m.Capabilities.Sensors)
	dst = append(dst, `,"actuators":`...)
	dst = appendStrings(dst, m.Capabilities.Actuators)
	dst = append(dst, `,"generators":`...)
	dst = appendStrings(dst, m.Capabilities.Generators)
	dst = append(dst, `},"tools":`...)
	if m.ToolsJSON != nil {
		dst = append(dst, m.ToolsJSON...)
	} else {
		dst = AppendTools(dst, m.Tools)
	}
	dst = append(dst, `,"agent_model":{"class":"`...)
	dst = append(dst, orFirst(m.Model.Class, EdgeSmall).String()...)
	dst = append(dst, '"')
	if m.Model.FirstTokenMS >= 0 {
		dst = jsonwire.AppendInt(append(dst, `,"expected_first_token_ms":`...), m.Model.FirstTokenMS)
	}
	if m.Model.FullResponseMS >= 0 {
		dst = jsonwire.AppendInt(append(dst, `,"expected_full_response_ms":`...), m.Model.FullResponseMS)
	}
	dst = append(dst, '}')
	if m.Topics != nil {
		dst = append(dst, `,"event_subscriptions":`...)
		dst = appendStrings(dst, m.Topics)
	}
	return dst
}

// AppendManifestUpdate appends the manifest_update of a heartbeat (DESIGN 5.13): session_init less its two ids.
func AppendManifestUpdate(dst, body []byte) []byte {
	dst = append(dst, head...)
	dst = append(dst, `session_init",`...)
	return append(append(dst, body...), '}')
}

// orFirst is v, or first where v is no member of its enum.
func orFirst[E interface{ String() string }](v, first E) E {
	if v.String() == "" {
		return first
	}
	return v
}

func orWord(s, word string) string {
	if s == "" {
		return word
	}
	return s
}
