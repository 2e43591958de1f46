package main

import "aicc.dev/libaicc/core/bridge"

// wire is what a bridge's host wrapper knows of the listener that seats its agents, and of the inspector that watches. All of it is called by
// the bridge's actor.
type wire interface {
	// At says at which frame what follows happens.
	At(tick uint64)
	Open(session uint32, name string)
	Closed(session uint32)
	Agent(session uint32, change bridge.AgentChange)
	Received(session uint32, m []byte)
	Message(session uint32, epoch uint64, m []byte)
	Detached(session uint32, epoch uint64)
	Fault(session uint32, text string)
	Log(level bridge.Level, session uint32, text string)
	// Asked says, once, that somebody wants to be told the Tools of all sessions.
	Asked() bool
	Tools(session uint32, tools [][]byte)
	// End lets everybody go: nothing is heard of this bridge any more.
	End()
}
