// Package transport is the built-in listener: one port on which agents reach the characters of many bridges by WebSocket, one text
// frame a message. What it knows of bridges is the interface Bridges; what bridges know of it is the interface Conn.
package transport

import (
	"bytes"
	"time"

	"aicc.dev/libaicc/core/message"
)

// Bridges is the game's side. Its methods are called on goroutines of the listener, several at once. They may wait for a lock, but not for
// an engine's frame, and not for Listener.Close.
type Bridges interface {
	// Worlds lists what agents may connect to, for GET /.
	Worlds() []World
	// Seat finds the character that an agent asks for, before its connection is upgraded. The error is a *Refusal, as NotFound and Taken
	// make them, or anything else, which becomes an answer of status 500. Nothing is reserved: Attach may still find the character taken.
	Seat(Ask) (Seat, error)
}

// World is one bridge as GET / shows it. Session ids are not part of it.
type World struct {
	Name       string
	Characters []Character
}

// Character is one session as GET / shows it.
type Character struct {
	Name  string
	State State
}

// State says whether an agent may have a character.
type State uint8

// The states.
const (
	Free  State = iota // nobody plays it
	Taken              // an agent is connected
	Away               // its agent was disconnected and may resume
)

func (s State) String() string { return [...]string{"free", "taken", "away"}[min(s, Away)] }

// Ask is what an agent asks for.
type Ask struct {
	World     string // "": the only one
	Character string // "": the first that is free
	Replace   bool   // the listener's policy: take the place of an agent that is there
	Model     message.ModelClass
	FullMS    int64 // -1: not said
	Topics    message.Topic
	HasTopics bool
}

// Seat is one character as one connection sees it. Attach comes first; then the others, one at a time; then Leave, once, unless Attach has
// failed. Arrived alone comes beside the others, and may come after Leave.
type Seat interface {
	// Attach gives the connection to the character. Where an agent that was here may still resume, it says so: then nothing may be said on the
	// connection before it has sent session_resume or Begin was called. The error is a *Refusal: the connection is closed with CloseTaken.
	Attach(Conn) (Wait, error)
	// Resumes tells whether this is the session that may be resumed here. Who has waited beside the seat has it from then on.
	Resumes(message.ID) bool
	// Begin ends the wait: the agent that was here may no longer resume, this one has the character afresh.
	Begin()
	// Receive takes what came in one text frame, borrowed for the call: a message, or what should be one. false: there is no room now; it
	// is offered again, and nothing is read meanwhile.
	Receive([]byte) bool
	// Arrived says that so many messages, from the connection's first one on, have arrived: a pong came whose ping followed them.
	Arrived(count uint32)
	// Leave says that the connection is gone.
	Leave()
}

// Wait is what a connection does whose character an agent may still come back to. It has Limits.ResumeWait for a session_resume that fits.
type Wait uint8

// What comes of it when no such comes.
const (
	NoWait   Wait = iota // nobody may come back
	OrBegin              // the newcomer has the character afresh
	OrRefuse             // the newcomer is let go with CloseTaken
)

// Conn is one connection as a bridge sees it. Any goroutine may call its methods; they neither wait nor call back, so that a bridge may be
// locked around them.
type Conn interface {
	// Send queues one message, which is copied. false: it will not arrive, and the connection is at its end; Leave follows. Results
	// that a bridge keeps are sent again when the agent resumes, so nothing is lost by it.
	Send([]byte) bool
	// Close lets the agent go, after what was sent before. The first code counts.
	Close(code int, reason string)
}

// Close codes. The first two are this protocol's, the others RFC 6455's.
const (
	CloseTaken    = 4409 // the character has an agent, or one that may come back
	CloseReplaced = 4410 // another agent took its place
	CloseOver     = 1000 // the session is over, or was detached: connect again
	CloseAway     = 1001 // the listener or the world is closed

	closeBinary = 1003
	closeTooBig = 1009
	closeBusy   = 1013
)

// Options say where to listen and whom to let in.
type Options struct {
	Address string            // an IP address or "localhost"; "": 127.0.0.1. Any that is not loopback needs a Token
	Port    int               // 0: any that is free
	Token   string            // what agents send as "Authorization: Bearer ..."; "": none is asked for
	Hosts   []string          // names, besides those of loopback and Address, by which agents may call this machine, without ports
	Origins []string          // of web pages that may connect, as browsers send them: "https://studio.example"
	Replace bool              // a newcomer takes the place of an agent that is there; otherwise it is refused
	Log     func(text string) // must not wait for a bridge: Send may call it
	Limits  Limits

	Inspector Inspector // what is served below /inspector/, to this machine alone; nil: nothing
}

// Limits bound what clients can cost. Zero fields get the default.
type Limits struct {
	MessageBytes      int           // of one message that comes: 1 MiB
	MessagesPerSecond int           // of one connection; twice as many may come at once. More are not read until it is time: 200
	BytesPerSecond    int           // likewise: 2 MiB
	QueueBytes        int           // that wait to be sent on one connection: 4 MiB. More: the agent reads too slowly and is detached
	TotalBytes        int           // the same and parts of messages that came, of all connections: 128 MiB
	Connections       int           // that are upgraded: 4,096
	Unfinished        int           // that are not; one more, and the oldest goes: 1,024
	UpgradeTime       time.Duration // from connect to the upgrade, or to the last byte of another answer: 10 s
	MessageTime       time.Duration // from a message's first byte to its last: 30 s
	WriteTime         time.Duration // for one message, or a part of it, to be taken by the system: 10 s
	CloseTime         time.Duration // for the farewell: 2 s
	ResumeWait        time.Duration // for session_resume where an agent may come back: 2 s
	PingEvery         time.Duration // 15 s; an eighth of it where messages were sent since
	PongTime          time.Duration // until a ping must be answered, and never less than three times an agent's full_ms: 60 s
}

func (l *Limits) fill() {
	set(&l.MessageBytes, 1<<20)
	set(&l.MessagesPerSecond, 200)
	set(&l.BytesPerSecond, 2<<20)
	set(&l.QueueBytes, 4<<20)
	set(&l.TotalBytes, 128<<20)
	set(&l.Connections, 4096)
	set(&l.Unfinished, 1024)
	set(&l.UpgradeTime, 10*time.Second)
	set(&l.MessageTime, 30*time.Second)
	set(&l.WriteTime, 10*time.Second)
	set(&l.CloseTime, 2*time.Second)
	set(&l.ResumeWait, 2*time.Second)
	set(&l.PingEvery, 15*time.Second)
	set(&l.PongTime, 60*time.Second)
}

func set[T ~int | ~int64](to *T, standard T) {
	if *to <= 0 {
		*to = standard
	}
}

// Stats counts since the listener began, but for the first two.
type Stats struct {
	Connections int    // upgraded, now
	Unfinished  int    // not yet, now
	Accepted    uint64 // connections
	Refused     uint64 // answered with an error instead of an upgrade
	Evicted     uint64 // closed unfinished for newer ones
	Slow        uint64 // detached since they read too slowly
	Silent      uint64 // detached since they answered no ping
}

var initHead = message.AppendPrefix(nil, message.SessionInit, message.ID{})[:len(`{"protocol":"aicc/0.1","type":"session_init","session_id":"`)]

// SessionOf gives the session's id where a message that a bridge sends is session_init: what Seat.Resumes is to be answered by.
func SessionOf(text []byte) (message.ID, bool) {
	if rest, ok := bytes.CutPrefix(text, initHead); ok && len(rest) >= 36 {
		return message.ParseID(rest[:36])
	}
	return message.ID{}, false
}
