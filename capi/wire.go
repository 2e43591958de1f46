package main

// wire is what a bridge's host wrapper knows of the listener that seats its agents.
type wire interface {
	Open(session uint32, name string)
	Closed(session uint32)
	Agent(session uint32, gone bool)
	Message(session uint32, epoch uint64, m []byte)
	Detached(session uint32, epoch uint64)
	// End lets everybody go: nothing is heard of this bridge any more.
	End()
}
