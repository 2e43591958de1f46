package bridge

import "aicc.dev/libaicc/core/session"

// Host is the engine's side as the bridge sees it: where effects go. The front implements it over C, tests with a recorder.
// Every method is called within Step, on the goroutine that called it; byte slices are borrowed for the call.
type Host interface {
	session.Host // of calls, items and messages

	// SessionClosed and ToolReleased give a number back: no record after it names it, until it is used anew.
	SessionClosed(session uint32)
	ToolReleased(tool uint32)

	// Reply answers a record that carried a waiter. It returns false when nobody waits any more: what was made is then undone.
	Reply(waiter uint64, f *Failure) (taken bool)
}

// CallItem is a call as the engine gets it.
type CallItem = session.CallItem

// CallState is how far a call had come when it was taken away.
type CallState = session.CallState

const (
	CallWasQueued   CallState = iota + 1 // never delivered, and never will be
	CallWasStarted                       // the engine was working on it
	CallWasAnswered                      // its answer is on its way here
)

// EndReason is AICC_ENDED_* of the header.
type EndReason = session.EndReason

const (
	EndedTimeout EndReason = iota + 1
	EndedSession
	EndedTool
	EndedBridge
	EndedAgent
	EndedReset
)

// AgentChange is AICC_AGENT_* of the header.
type AgentChange = session.AgentChange

const (
	AgentConnected AgentChange = iota + 1
	AgentDetached
	AgentResumed
	AgentGone
)

// Level is a log level, AICC_DEBUG and so on of the header.
type Level = session.Level

const (
	Debug Level = iota + 1
	Info
	Warn
	Error
)

// Status is the part of aicc_status that the core gives to requests.
type Status int32

const (
	StatusFull        Status = -4
	StatusState       Status = -3
	StatusSchema      Status = -8
	StatusJSON        Status = -9
	StatusName        Status = -10
	StatusArg         Status = -1
	StatusInternal    Status = -12
	StatusHandle      Status = -2
	StatusUnsupported Status = -13
	StatusIO          Status = -14
)

// Failure is why a request was refused; a nil one is success. It becomes an aicc_error.
type Failure struct {
	Status  Status
	Offset  int
	Field   string
	Pointer string
	Message string
}
