package mcp

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"aicc.dev/libaicc/core/transport"
)

// HTTP says how clients come over HTTP.
type HTTP struct {
	Token   string   // that clients send as "Authorization: Bearer ..."; "": none is asked for
	Hosts   []string // names, besides those of loopback, by which clients may call this machine, without ports
	Origins []string // of web pages that may connect
}

// Path is where MCP is spoken.
const Path = "/mcp"

// stateless is the first revision of MCP that has no sessions: each of its requests stands for itself.
const stateless = "2026-07-28"

const (
	maxRequests = 256
	maxHeader   = 16 << 10
	bodyTime    = 30 * time.Second
)

// Listen opens a port for clients, ADDRESS:PORT. One that others than this machine can reach wants a token.
func (h *HTTP) Listen(address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("%q is no address to listen at: give one like 127.0.0.1:8377", address)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if loopback := host == "localhost" || err == nil && ip.IsLoopback(); !loopback && h.Token == "" {
		return nil, fmt.Errorf("others can reach %s: that wants a token for clients, by --http-token-file or AICC_MCP_TOKEN", host)
	}
	if err == nil && !ip.IsUnspecified() {
		h.Hosts = append(h.Hosts, ip.String())
	} else if err != nil { // a name that was given is one that it goes by
		h.Hosts = append(h.Hosts, host)
	}
	return net.Listen("tcp", net.JoinHostPort(host, port))
}

// shortToken is one that can be guessed by trying.
const shortToken = 16

// Where says where clients connect, for people: the address as it was given, with the port that it became, and what else there is to know.
func (h *HTTP) Where(address string, l net.Listener) (url string, notes []string) {
	host, port, _ := net.SplitHostPort(address)
	if _, bound, err := net.SplitHostPort(l.Addr().String()); err == nil {
		port = bound
	}
	if host == "" {
		host = "127.0.0.1"
	}
	ip, err := netip.ParseAddr(host)
	if err == nil && ip.IsUnspecified() {
		note := fmt.Sprintf("on this machine that is http://127.0.0.1:%s%s", port, Path)
		if len(h.Hosts) == 0 {
			note += "; others are let in by no name yet: start it with --host NAME for each name or address by which they call this machine"
		}
		notes = append(notes, note)
	}
	if loopback := host == "localhost" || err == nil && ip.IsLoopback(); !loopback && len(h.Token) < shortToken {
		notes = append(notes, fmt.Sprintf("others can reach %s, and the token for clients has only %d characters: give one of at least %d that nobody can guess", host, len(h.Token), shortToken))
	}
	return "http://" + net.JoinHostPort(host, port) + Path, notes
}

// Handler is the MCP server over HTTP: with sessions for the revisions that have them, without for those that do not.
func (f *Front) Handler(h HTTP) http.Handler {
	server := func(*http.Request) *sdk.Server { return f.server }
	with := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{SessionTimeout: f.o.Times.Idle, MaxRequestBodyBytes: maxMessage, DisableLocalhostProtection: true})
	without := sdk.NewStreamableHTTPHandler(server, &sdk.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true, MaxRequestBodyBytes: maxMessage,
		DisableLocalhostProtection: true}) // the door looks at the Host
	d := newDoor(&h)
	places := make(chan struct{}, maxRequests)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !d.admit(w, r) {
			return
		}
		if r.URL.Path != Path {
			http.Error(w, "MCP is spoken at "+Path, http.StatusNotFound)
			return
		}
		select {
		case places <- struct{}{}:
			defer func() { <-places }()
		default:
			w.Header().Set("Retry-After", "1")
			http.Error(w, "too many requests are open", http.StatusServiceUnavailable)
			return
		}
		control := http.NewResponseController(w)
		if r.Body != nil && r.Method == http.MethodPost {
			_ = control.SetReadDeadline(time.Now().Add(bodyTime))
			r.Body = &body{r.Body, control}
		}
		w = &writer{w, control, f.o.Times.Write}
		if r.Header.Get("Mcp-Protocol-Version") >= stateless {
			without.ServeHTTP(w, r)
		} else {
			with.ServeHTTP(w, r)
		}
	})
}

// ServeHTTP serves clients until the listener is closed.
func (f *Front) ServeHTTP(l net.Listener, h HTTP) *http.Server {
	s := &http.Server{Handler: f.Handler(h), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(&journal{front: f}, slog.LevelError)}
	f.tasks.Go(func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			f.logf("%v", err)
		}
	})
	return s
}

// body lifts the deadline for a request once it is there: its answer may take as long as the game does.
type body struct {
	io.ReadCloser
	control *http.ResponseController
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		_ = b.control.SetReadDeadline(time.Time{})
	}
	return n, err
}

// writer gives up on a client that does not take what it is sent: others wait behind it.
type writer struct {
	http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
}

func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *writer) Write(p []byte) (int, error) {
	_ = w.control.SetWriteDeadline(time.Now().Add(w.limit))
	n, err := w.ResponseWriter.Write(p)
	if err == nil {
		err = w.control.Flush()
	}
	_ = w.control.SetWriteDeadline(time.Time{})
	return n, err
}

// door says whom to let in.
type door struct {
	hosts, origins []string
	token          *[sha256.Size]byte
}

func newDoor(h *HTTP) *door {
	d := &door{}
	for _, name := range h.Hosts {
		d.hosts = append(d.hosts, transport.HostName(name))
	}
	for _, o := range h.Origins {
		d.origins = append(d.origins, strings.ToLower(strings.TrimSuffix(o, "/")))
	}
	if h.Token != "" {
		sum := sha256.Sum256([]byte(h.Token))
		d.token = &sum
	}
	return d
}

// admit answers who may not come in. A page on a name that was rebound to this machine has that name as its Host, and an Origin that is the same.
func (d *door) admit(w http.ResponseWriter, r *http.Request) bool {
	name := transport.HostName(r.Host)
	ip, err := netip.ParseAddr(name)
	loopback := name == "localhost" || err == nil && ip.IsLoopback()
	if !loopback && (name == "" || !slices.Contains(d.hosts, name)) {
		http.Error(w, "this server does not go by that name: use 127.0.0.1, or start it with --host NAME", http.StatusForbidden)
		return false
	}
	origins := r.Header.Values("Origin")
	own := loopback && len(origins) == 1 && strings.EqualFold(origins[0], "http://"+r.Host) // there are no pages here, so it is no page of others
	if len(origins) > 1 || len(origins) == 1 && !own && !slices.Contains(d.origins, strings.ToLower(origins[0])) {
		http.Error(w, "web pages of this origin may not connect: start the server with --origin ORIGIN", http.StatusForbidden)
		return false
	}
	if len(origins) == 1 {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", origins[0])
		h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, Mcp-Protocol-Version")
		h.Add("Vary", "Origin")
		if r.Method == http.MethodOptions {
			h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
			h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Last-Event-ID, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name")
			w.WriteHeader(http.StatusNoContent)
			return false
		}
	}
	if d.token == nil {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	if !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(sum[:], d.token[:]) != 1 {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "this server wants its token, in the header Authorization: Bearer TOKEN", http.StatusUnauthorized)
		return false
	}
	return true
}
