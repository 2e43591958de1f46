package session

// Host is the engine as sessions see it. Every method is called within a call of this package; byte slices are borrowed for it.
type Host interface {
	// CallQueued hands a call to the engine. It returns the front's reference to it, 0 when there is no room for one more.
	CallQueued(c CallItem) (ref uint64)
	// CallEnd takes a call away from the engine and says how far it had come. After CallWasQueued and CallWasStarted the reference is dead; a
	// started call comes to the engine as an item with the reason. After CallWasAnswered its answer is in the mailbox and will be stepped.
	CallEnd(ref uint64, reason EndReason) CallState
	// CallDone drops the reference of a call whose answer has been stepped.
	CallDone(ref uint64)

	// Agent, Fault and AgentMessage are items for the engine.
	Agent(session uint32, change AgentChange)
	Fault(session, tool uint32, text string)
	AgentMessage(session uint32, payload []byte)

	// Message queues one message for the wire of the session's connection `epoch`.
	Message(session uint32, epoch uint64, message []byte)
	// Detached says that the bridge itself has let the agent of this connection go. What was queued before still goes out.
	Detached(session uint32, epoch uint64)

	Log(level Level, session, tool uint32, text string)
}

// DueHost is a Host that wants to know for which sessions a tick's payload is of use.
type DueHost interface {
	// TickDue says that the session's next periodic tick takes what is emitted from the host's time `at` on; math.MaxInt64: it has none.
	TickDue(session uint32, at int64)
}

// CallItem is a call as the engine gets it.
type CallItem struct {
	No         uint64 // the number that RecAnswer, RecFail and RecEventReply carry
	Session    uint32
	Tool       uint32
	Tick       uint64 // frame of its receipt
	DeadlineNS int64  // math.MaxInt64: none
	Input      []byte // effective input: valid JSON, an object
	CallID     []byte
}

// CallState is how far a call had come when it was taken away.
type CallState int

// The states.
const (
	CallWasQueued   CallState = iota + 1 // never delivered, and never will be
	CallWasStarted                       // the engine was working on it
	CallWasAnswered                      // its answer is on its way here
)

// EndReason is AICC_ENDED_* of the header.
type EndReason int32

// The reasons.
const (
	EndedTimeout EndReason = iota + 1
	EndedSession
	EndedTool
	EndedBridge
	EndedAgent
	EndedReset
)

// AgentChange is AICC_AGENT_* of the header.
type AgentChange int32

// The changes.
const (
	AgentConnected AgentChange = iota + 1
	AgentDetached
	AgentResumed
	AgentGone
)

// Level is a log level, AICC_DEBUG and so on of the header.
type Level int32

// The levels.
const (
	Debug Level = iota + 1
	Info
	Warn
	Error
)
