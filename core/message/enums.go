package message

// Every enum below counts from 1; zero means absent or unknown, and its String is "".
// XCount is the highest value. ParseX gives zero for text that is no member of X.

// Type is which of the nine messages a message is.
type Type uint8

// The nine messages.
const (
	SessionInit Type = 1 + iota
	SessionResume
	SessionClose
	ManifestRequest
	ToolCall
	ToolResult
	Event
	ErrorMessage
	Heartbeat
	TypeCount = int(Heartbeat)
)

var typeNames = [...]string{"", "session_init", "session_resume", "session_close", "manifest_request",
	"tool_call", "tool_result", "event", "error", "heartbeat"}

func (t Type) String() string { return nameOf(typeNames[:], uint8(t)) }

// ParseType reads a type's name.
func ParseType[S text](name S) Type { return Type(indexOf(typeNames[:], name)) }

// FromAgent tells whether an agent may send messages of this type. session_init,
// tool_result and error come from a bridge only; an agent's error is allowed since
// DESIGN 5.6 says that one is never answered.
func FromAgent(t Type) bool {
	switch t {
	case SessionResume, SessionClose, ManifestRequest, ToolCall, Event, ErrorMessage, Heartbeat:
		return true
	}
	return false
}

// ErrorCode is the code of an error.
type ErrorCode uint8

// The eight codes.
const (
	ProtocolMismatch ErrorCode = 1 + iota
	SessionExpired
	ToolUnknown
	ToolUnavailable
	InvalidInput
	ExecutionFailed
	Timeout
	InternalError
	ErrorCodeCount = int(InternalError)
)

var errorCodeNames = [...]string{"", "protocol_mismatch", "session_expired", "tool_unknown", "tool_unavailable",
	"invalid_input", "execution_failed", "timeout", "internal_error"}

func (c ErrorCode) String() string { return nameOf(errorCodeNames[:], uint8(c)) }

// ParseErrorCode reads a code's name.
func ParseErrorCode[S text](name S) ErrorCode { return ErrorCode(indexOf(errorCodeNames[:], name)) }

// ToolClass is what a tool does.
type ToolClass uint8

// The three classes.
const (
	Sensor ToolClass = 1 + iota
	Actuator
	Generator
	ToolClassCount = int(Generator)
)

var toolClassNames = [...]string{"", "sensor", "actuator", "generator"}

func (c ToolClass) String() string { return nameOf(toolClassNames[:], uint8(c)) }

// ParseToolClass reads a class's name.
func ParseToolClass[S text](name S) ToolClass { return ToolClass(indexOf(toolClassNames[:], name)) }

// TickMode is how an environment advances.
type TickMode uint8

// The three modes.
const (
	TickFixed TickMode = 1 + iota
	TickEvent
	TickHybrid
	TickModeCount = int(TickHybrid)
)

var tickModeNames = [...]string{"", "fixed", "event", "hybrid"}

func (m TickMode) String() string { return nameOf(tickModeNames[:], uint8(m)) }

// ParseTickMode reads a mode's name.
func ParseTickMode[S text](name S) TickMode { return TickMode(indexOf(tickModeNames[:], name)) }

// WorldKind is the style of a world.
type WorldKind uint8

// The four kinds.
const (
	World2D WorldKind = 1 + iota
	World3D
	WorldText
	WorldAbstract
	WorldKindCount = int(WorldAbstract)
)

var worldKindNames = [...]string{"", "2d", "3d", "text", "abstract"}

func (k WorldKind) String() string { return nameOf(worldKindNames[:], uint8(k)) }

// ParseWorldKind reads a kind's name.
func ParseWorldKind[S text](name S) WorldKind { return WorldKind(indexOf(worldKindNames[:], name)) }

// ModelClass is the declared class of an agent's model.
type ModelClass uint8

// The four classes.
const (
	EdgeSmall ModelClass = 1 + iota
	EdgeMedium
	CloudMedium
	CloudLarge
	ModelClassCount = int(CloudLarge)
)

var modelClassNames = [...]string{"", "edge_small", "edge_medium", "cloud_medium", "cloud_large"}

func (c ModelClass) String() string { return nameOf(modelClassNames[:], uint8(c)) }

// ParseModelClass reads a class's name.
func ParseModelClass[S text](name S) ModelClass { return ModelClass(indexOf(modelClassNames[:], name)) }

// Topic is an event's topic as a bit, so that a set of topics is a mask of the same type.
type Topic uint8

// The five topics.
const (
	TopicTick Topic = 1 << iota
	TopicCollision
	TopicAudio
	TopicStateChange
	TopicAgentMessage
	TopicAll   = TopicTick | TopicCollision | TopicAudio | TopicStateChange | TopicAgentMessage
	TopicCount = 5
)

var topicNames = [...]string{"tick", "collision", "audio", "state_change", "agent_message"}

// String is the name of a single topic, "" of a mask that is not one topic.
func (t Topic) String() string {
	for i, name := range topicNames {
		if t == 1<<i {
			return name
		}
	}
	return ""
}

// ParseTopic reads a topic's name.
func ParseTopic[S text](name S) Topic {
	for i, n := range topicNames {
		if string(name) == n {
			return 1 << i
		}
	}
	return 0
}

type text interface{ ~string | ~[]byte }

func nameOf(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return ""
}

func indexOf[S text](names []string, name S) int {
	for i := 1; i < len(names); i++ {
		if string(name) == names[i] {
			return i
		}
	}
	return 0
}
