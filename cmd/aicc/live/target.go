// Package live is how the commands join a running game: where it listens, which of its characters is free, a connection that tells of its ups
// and downs, plain words for what went wrong, and the game's text made fit for a terminal.
package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"aicc.dev/libaicc/core/agent"
)

// Target is a listener, and what of it is wanted. "" for World or Character: it is to be found.
type Target struct {
	Address          string // host and port
	Secure           bool
	World, Character string
	Query            url.Values // what else an agent may ask for: model, full_ms, topics
}

const root = "/aicc"

// Parse reads an address as people have it: 127.0.0.1:4100, localhost:4100/aicc/WORLD?character=NAME, ws://... or http://...
func Parse(text string) (t Target, err error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return t, errors.New("the address of a running game is wanted, like 127.0.0.1:4100: a game that listens says it")
	}
	if !strings.Contains(text, "://") {
		text = "ws://" + text
	}
	u, err := url.Parse(text)
	if err != nil {
		var of *url.Error
		if errors.As(err, &of) {
			err = of.Err
		}
		return t, fmt.Errorf("%q is no address: %w", text, err)
	}
	switch strings.ToLower(u.Scheme) {
	case "ws", "http":
	case "wss", "https":
		t.Secure = true
	default:
		return t, fmt.Errorf("%q cannot be spoken here: give ws://, wss://, http://, https://, or only host:port", u.Scheme+"://")
	}
	switch {
	case u.User != nil:
		return t, errors.New("a name or password does not belong in the address: give the token by --token-file or AICC_TOKEN")
	case u.Hostname() == "":
		return t, fmt.Errorf("%q names no host: give one like 127.0.0.1:4100", text)
	case u.Port() == "" && !t.Secure:
		return t, fmt.Errorf("%q names no port: a game that listens says it, like 127.0.0.1:4100", u.Host)
	}
	t.Address = u.Host
	switch path := strings.TrimSuffix(u.Path, "/"); {
	case path == "" || path == root:
	case strings.HasPrefix(path, root+"/"):
		t.World = strings.TrimPrefix(path, root+"/")
	default:
		return t, fmt.Errorf("agents connect to /aicc/WORLD?character=NAME, not to %q: leave it away to see what there is", u.Path)
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return t, errors.New("what stands behind ? cannot be read: escape what is in it, a space as %20")
	}
	t.Character = q.Get("character")
	q.Del("character")
	t.Query = q
	return t, nil
}

// URL is what an agent dials.
func (t Target) URL() string {
	u := url.URL{Scheme: "ws", Host: t.Address, Path: root}
	if t.Secure {
		u.Scheme = "wss"
	}
	if t.World != "" {
		u.Path += "/" + t.World
		u.RawPath = root + "/" + url.PathEscape(t.World)
	}
	q := url.Values{}
	for name, values := range t.Query {
		q[name] = values
	}
	if t.Character != "" {
		q.Set("character", t.Character)
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// String is the target in words.
func (t Target) String() string {
	switch {
	case t.Character != "" && t.World != "":
		return fmt.Sprintf("%s of %s at %s", Clean(t.Character), Clean(t.World), t.Address)
	case t.Character != "":
		return fmt.Sprintf("%s at %s", Clean(t.Character), t.Address)
	}
	return t.Address
}

// Seat is one character of a listener.
type Seat struct {
	World     string `json:"world"`
	Character string `json:"character"`
	State     string `json:"state"` // free, taken or away
}

// Free says that nobody plays the character.
func (s Seat) Free() bool { return s.State == "free" }

func (s Seat) String() string {
	return fmt.Sprintf("%s of %s (%s)", Clean(s.Character), Clean(s.World), Clean(s.State))
}

const (
	listTime  = 10 * time.Second
	listBytes = 16 << 20
)

// List asks the listener for its worlds and characters, and gives those that fit the target.
func (t Target) List(ctx context.Context, token string) ([]Seat, error) {
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	u := url.URL{Scheme: "http", Host: t.Address, Path: "/"}
	if t.Secure {
		u.Scheme = "https"
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%s is no address: %w", t.Address, err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }} // the token is for this one
	answer, err := client.Do(r)
	if err != nil {
		return nil, Explain(err, t, token)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, listBytes))
	if err != nil {
		return nil, Explain(err, t, token)
	}
	var body struct {
		Protocol string
		Bridges  []struct {
			Name       string
			Characters []struct{ Name, State string }
		}
		Error struct{ Code, Message string }
	}
	bad := json.Unmarshal(text, &body)
	if answer.StatusCode != http.StatusOK {
		refused := &agent.Refused{Status: answer.StatusCode, Code: body.Error.Code, Message: body.Error.Message}
		if refused.Message == "" {
			refused.Message = http.StatusText(answer.StatusCode)
		}
		return nil, Explain(refused, t, token)
	}
	if bad != nil || !strings.HasPrefix(body.Protocol, "aicc/") {
		return nil, fmt.Errorf("what answers at %s is no game that listens for agents: is this the port that the game says?", t.Address)
	}
	var seats []Seat
	for _, w := range body.Bridges {
		for _, c := range w.Characters {
			if (t.World == "" || t.World == w.Name) && (t.Character == "" || t.Character == c.Name) {
				seats = append(seats, Seat{w.Name, c.Name, c.State})
			}
		}
	}
	return seats, nil
}

// At is the target with the seat's world and character.
func (t Target) At(s Seat) Target {
	t.World, t.Character = s.World, s.Character
	return t
}

// Find names the world and character where the target leaves them open: the first character that is free.
func (t Target) Find(ctx context.Context, token string) (Target, error) {
	if t.World != "" && t.Character != "" {
		return t, nil
	}
	seats, err := t.List(ctx, token)
	if err != nil {
		return t, err
	}
	if t.Character != "" && len(seats) == 1 { // a taken one is for the listener to judge: it may let newcomers replace
		return t.At(seats[0]), nil
	}
	for _, s := range seats {
		if s.Free() {
			return t.At(s), nil
		}
	}
	return t, t.nobody(seats)
}

// nobody is the error of a target without a free character.
func (t Target) nobody(seats []Seat) error {
	if len(seats) > 0 {
		return fmt.Errorf("no character is free at %s: there is %s; try again when its agent has left", t.Address, names(seats))
	}
	what := "the game at " + t.Address + " has no character yet"
	switch {
	case t.Character != "":
		what = "there is no " + t.String()
	case t.World != "":
		what = "there is no character of " + Clean(t.World) + " at " + t.Address
	}
	return errors.New(what + ": `aicc play " + t.Address + " --list` shows what there is")
}

// Nobody is the error of a target for which List gave these, none of them free.
func (t Target) Nobody(seats []Seat) error { return t.nobody(seats) }

func names(seats []Seat) string {
	var b strings.Builder
	for i, s := range seats[:min(len(seats), 8)] {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(s.String())
	}
	if more := len(seats) - 8; more > 0 {
		fmt.Fprintf(&b, " and %d others", more)
	}
	return b.String()
}

// Host is the name or address without the port.
func (t Target) Host() string {
	host, _, err := net.SplitHostPort(t.Address)
	if err != nil {
		return t.Address
	}
	return host
}
