package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/coder/websocket"
)

// Wire is one connection. Read and Write are each called by one goroutine at a time.
type Wire interface {
	// Read gives the next message, which holds until the next Read. An error that is a *Ended says how the other side ended it.
	Read(context.Context) ([]byte, error)
	Write(context.Context, []byte) error
	// Ping returns once the other side has answered.
	Ping(context.Context) error
	// Abort ends it at once.
	Abort()
}

// Dialer makes a connection. An error that is a *Refused says why there is none.
type Dialer func(context.Context) (Wire, error)

// Refused is the listener's answer to a request that it does not grant.
type Refused struct {
	Status  int
	Code    string
	Message string
}

func (r *Refused) Error() string {
	return fmt.Sprintf("the listener refuses with %d: %s", r.Status, r.Message)
}

// forGood says that asking again will not help. A character that is missing or taken may be there, or free, again.
func (r *Refused) forGood() bool {
	return r.Status >= 400 && r.Status < 500 && r.Status != http.StatusNotFound && r.Status != http.StatusConflict && r.Status != http.StatusTooManyRequests
}

// Ended is how the other side closed the connection.
type Ended struct {
	Code   int
	Reason string
}

func (e *Ended) Error() string {
	return fmt.Sprintf("the connection was closed with %d: %s", e.Code, e.Reason)
}

// What the listener closes with, of core/transport.
const (
	closeTaken    = 4409
	closeReplaced = 4410
)

// maxMessage is what a bridge sends at most: a manifest of 1 MiB and its envelope, with room to spare.
const maxMessage = 4 << 20

// WebSocket dials a listener.
func WebSocket(url, token string) Dialer {
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }} // the token is for this one
	return func(ctx context.Context) (Wire, error) {
		o := &websocket.DialOptions{HTTPClient: client, HTTPHeader: http.Header{}}
		if token != "" {
			o.HTTPHeader.Set("Authorization", "Bearer "+token)
		}
		ws, r, err := websocket.Dial(ctx, url, o)
		if err == nil {
			ws.SetReadLimit(maxMessage)
			return &socket{ws: ws}, nil
		}
		if r == nil || r.StatusCode == http.StatusSwitchingProtocols {
			return nil, err
		}
		refused := &Refused{Status: r.StatusCode, Message: http.StatusText(r.StatusCode)}
		var body struct {
			Error struct{ Code, Message string }
		}
		if text, err := io.ReadAll(io.LimitReader(r.Body, 4096)); err == nil && json.Unmarshal(text, &body) == nil && body.Error.Message != "" {
			refused.Code, refused.Message = body.Error.Code, body.Error.Message
		}
		return nil, refused
	}
}

type socket struct {
	ws  *websocket.Conn
	buf []byte
}

func (s *socket) Read(ctx context.Context) ([]byte, error) {
	kind, r, err := s.ws.Reader(ctx)
	if err != nil {
		var ce websocket.CloseError
		if errors.As(err, &ce) {
			return nil, &Ended{int(ce.Code), ce.Reason}
		}
		return nil, err
	}
	if kind != websocket.MessageText {
		return nil, errors.New("a binary frame came, a text frame was wanted")
	}
	for s.buf = s.buf[:0]; ; {
		if len(s.buf) == cap(s.buf) {
			s.buf = append(make([]byte, 0, max(1024, 2*cap(s.buf))), s.buf...)
		}
		n, err := r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		if err == io.EOF {
			return s.buf, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (s *socket) Write(ctx context.Context, m []byte) error {
	return s.ws.Write(ctx, websocket.MessageText, m)
}

func (s *socket) Ping(ctx context.Context) error { return s.ws.Ping(ctx) }

func (s *socket) Abort() { _ = s.ws.CloseNow() }
