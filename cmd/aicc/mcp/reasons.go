package mcp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/transport"
)

// reason is why the game is not there, for a model: what people can do about it stands on standard error, in the words of the other commands.
type reason struct {
	code      string
	text      string
	retryable bool
	advice    string
}

const (
	adviceWait = "wait, for instance with " + waitName + ", then call again; if it stays so, tell the user."
	adviceTell = "tell the user, who can see more in what this MCP server writes to standard error; it goes on trying by itself, and calling again does not help."
)

// vacant is what came of looking for a character that is free.
type vacant struct {
	error      // for people
	taken bool // there are some
}

// diagnose finds the reason in an error of the connection.
func diagnose(err error, t live.Target, token string) *reason {
	var refused *agent.Refused
	var ended *agent.Ended
	var none *vacant
	switch {
	case errors.As(err, &none) && none.taken:
		return &reason{codeTaken, "every character of the game at " + t.Address + " has an agent", false, adviceTell}
	case errors.As(err, &none):
		return &reason{codeMissing, "the game at " + t.Address + " has no character yet", true, adviceWait}
	case errors.As(err, &refused):
		return refusal(refused.Status, refused.Message, t, token)
	case errors.As(err, &ended) && ended.Code == transport.CloseTaken:
		return refusal(http.StatusConflict, ended.Reason, t, token)
	}
	return &reason{codeUnreachable, silence(err, t), true, adviceWait}
}

func refusal(status int, said string, t live.Target, token string) *reason {
	who := "the character"
	if t.Character != "" {
		who = "the character " + live.Clean(t.Character)
	}
	switch {
	case status == http.StatusUnauthorized && token == "":
		return &reason{codeRefuses, "the game at " + t.Address + " asks for its token, and this MCP server was started without", false, adviceTell}
	case status == http.StatusUnauthorized:
		return &reason{codeRefuses, "the game at " + t.Address + " does not take the token that this MCP server was started with", false, adviceTell}
	case status == http.StatusConflict && said == transport.TakenBy(t.Character, transport.Away).Message:
		return &reason{codeReserved, who + " is kept for the agent that played it last, which may come back until its time is over", true, adviceWait}
	case status == http.StatusConflict:
		return &reason{codeTaken, who + " is played by another agent", false, adviceTell}
	case status == http.StatusNotFound && (said == transport.NotFound("bridge", "", nil).Message || said == transport.NotFound("character", "", nil).Message):
		return &reason{codeMissing, "the game at " + t.Address + " has no character yet", true, adviceWait}
	case status == http.StatusNotFound && t.World != "":
		return &reason{codeMissing, fmt.Sprintf("the game at %s has no world %s with %s", t.Address, live.Clean(t.World), who), false, adviceTell}
	case status == http.StatusNotFound:
		return &reason{codeMissing, "the game at " + t.Address + " does not have " + who, false, adviceTell}
	case status == http.StatusTooManyRequests || status >= 500:
		return &reason{codeUnreachable, fmt.Sprintf("the game at %s cannot let this MCP server in now", t.Address), true, adviceWait}
	}
	return &reason{codeRefuses, fmt.Sprintf("the game at %s refuses this MCP server (%d)", t.Address, status), false, adviceTell}
}

// silence is what is between here and a game that gives no answer.
func silence(err error, t live.Target) string {
	var ended *agent.Ended
	var unknown *net.DNSError
	var record tls.RecordHeaderError
	switch {
	case err == nil || errors.Is(err, errConnecting):
		return errConnecting.Error()
	case errors.As(err, &ended) && ended.Reason != "":
		return "the game has closed the connection: " + live.Clean(ended.Reason)
	case errors.As(err, &ended):
		return "the game has closed the connection"
	case errors.Is(err, syscall.ECONNREFUSED) || strings.Contains(err.Error(), "refused"):
		return "nothing listens at " + t.Address + ": the game does not run, or does not listen"
	case errors.As(err, &unknown):
		return "there is no machine called " + live.Clean(t.Host())
	case errors.Is(err, context.DeadlineExceeded):
		return t.Address + " does not answer in time"
	case errors.As(err, &record) || errors.Is(err, http.ErrSchemeMismatch):
		return t.Address + " does not speak TLS"
	case errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET):
		return "the connection to " + t.Address + " has broken"
	}
	return "there is no connection to " + t.Address
}
