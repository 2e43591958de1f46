package livetest

import (
	"sync/atomic"
	"testing"

	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

// Yard is a game with tools of each kind and the characters that are named: look, walk_to, say, shout (refused for now at first), break_down
// (always fails), wait (never answers).
func Yard(t testing.TB, o transport.Options, characters ...string) *Game {
	t.Helper()
	return Start(t, o, "back yard", YardTools(), characters...)
}

// YardTools are the tools of Yard.
func YardTools() []Tool {
	tool := func(id string, class message.ToolClass, description, input string, do func(*Character, string) Answer) Tool {
		return Tool{message.Tool{ID: id, Class: class, Description: description, InputSchema: []byte(input), OutputSchema: []byte(`{"type":"object"}`)}, do}
	}
	const nothing = `{"type":"object","additionalProperties":false}`
	echo := func(_ *Character, input string) Answer { return Answer{Output: `{"did":` + input + `}`} }
	var shouts atomic.Int64
	return []Tool{
		tool("look", message.Sensor, "Sees what is around.", nothing, func(*Character, string) Answer {
			return Answer{Output: `{"at":[4,9],"light":3,"sees":["a thief with a sack","a cat"],"map":{"gate":[4,9],"store":[31,2]}}`}
		}),
		tool("walk_to", message.Actuator, "Walks to a place; reports on the way.", `{"type":"object","required":["place"],"properties":{
			"place":{"enum":["gate","yard","tower","store","well"],"description":"where to"},
			"speed":{"type":"number","minimum":0.5,"maximum":9,"default":1.5,"description":"metres a second"},
			"quietly":{"type":"boolean"},
			"with":{"type":"object","properties":{"lantern":{"type":"boolean"},"friend":{"type":"string"}}}},"additionalProperties":false}`, echo),
		tool("say", message.Generator, "Speaks a line.",
			`{"type":"object","required":["text"],"properties":{"text":{"type":"string","minLength":1,"maxLength":120}}}`, echo),
		tool("shout", message.Generator, "Shouts, after a breath.", nothing, func(*Character, string) Answer {
			if shouts.Add(1)%2 == 1 {
				return Answer{Code: message.ToolUnavailable, Text: "out of breath", Retryable: true, RetryAfterMS: 60}
			}
			return Answer{Output: `{"loud":true}`}
		}),
		tool("break_down", message.Actuator, "Always fails.", nothing, func(*Character, string) Answer {
			return Answer{Code: message.ExecutionFailed, Text: "the door is stronger"}
		}),
		tool("wait", message.Actuator, "Never ends.", nothing, func(*Character, string) Answer { return Answer{Never: true} }),
	}
}
