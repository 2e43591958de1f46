package transport

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"aicc.dev/libaicc/core/message"
)

const root = "/aicc"

func pathOf(world string) string { return root + "/" + url.PathEscape(world) }

// guard says whom to let in.
type guard struct {
	hosts   []string
	origins []string
	token   *[sha256.Size]byte
}

func newGuard(o *Options, address string) (g guard) {
	for _, h := range o.Hosts {
		g.hosts = append(g.hosts, HostName(h))
	}
	if ip, err := netip.ParseAddr(address); err == nil && !ip.IsUnspecified() {
		g.hosts = append(g.hosts, ip.String())
	}
	for _, s := range o.Origins {
		g.origins = append(g.origins, strings.ToLower(strings.TrimSuffix(s, "/")))
	}
	if o.Token != "" {
		sum := sha256.Sum256([]byte(o.Token))
		g.token = &sum
	}
	return g
}

// HostName is a Host without its port, in the one form in which names are compared.
func HostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	return host
}

// check looks at what a request must have whatever it asks for. A page on a name that was rebound to this machine has that name as its Host;
// its Origin is the same, so the two are never compared with each other.
func (g *guard) check(r *http.Request) *Refusal {
	name := HostName(r.Host)
	if !(isLoopbackName(name) || name != "" && slices.Contains(g.hosts, name)) {
		return &Refusal{http.StatusForbidden, "host", fmt.Sprintf("this listener does not go by the name %q: connect to a loopback name or address, or let the game list the name among its hosts", cut(r.Host, 64))}
	}
	if origins := r.Header["Origin"]; len(origins) > 1 || len(origins) == 1 && !slices.Contains(g.origins, strings.ToLower(origins[0])) {
		return &Refusal{http.StatusForbidden, "origin", fmt.Sprintf("web pages of %q may not connect: let the game list that origin", cut(strings.Join(origins, ", "), 64))}
	}
	q := r.URL.Query()
	if q.Has("token") || q.Has("access_token") {
		return &Refusal{http.StatusBadRequest, "token_in_query", "a token in the URL ends up in logs: send it in the header Authorization: Bearer TOKEN"}
	}
	if g.token == nil {
		return nil
	}
	given := r.Header["Authorization"]
	if len(given) == 0 {
		return &Refusal{http.StatusUnauthorized, "token_missing", "this listener wants a token: send it in the header Authorization: Bearer TOKEN"}
	}
	scheme, token, _ := strings.Cut(given[0], " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(token)))
	same := subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
	if len(given) > 1 || !strings.EqualFold(scheme, "Bearer") || !same {
		return &Refusal{http.StatusUnauthorized, "token_wrong", "this is not the listener's token: send the one that the game was given, in the header Authorization: Bearer TOKEN"}
	}
	return nil
}

var asked = []string{"character", "model", "full_ms", "topics"}

// readAsk reads path and query of a request for a character.
func readAsk(u *url.URL) (a Ask, refusal *Refusal) {
	a.FullMS = -1
	if u.Path != root {
		world, ok := strings.CutPrefix(u.Path, root+"/")
		if !ok {
			return a, &Refusal{http.StatusNotFound, "not_found", "agents connect to /aicc/BRIDGE?character=NAME; GET / lists bridges and characters"}
		}
		a.World = world
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return a, &Refusal{http.StatusBadRequest, "query", "the query cannot be read: escape what stands in it"}
	}
	for name, values := range q {
		if !slices.Contains(asked, name) || len(values) > 1 {
			return a, &Refusal{http.StatusBadRequest, "query", fmt.Sprintf("the query has %q, or has it more than once: it takes %s, each once", cut(name, 64), strings.Join(asked, ", "))}
		}
	}
	a.Character = q.Get("character")
	if s := q.Get("model"); s != "" {
		if a.Model = message.ParseModelClass(s); a.Model == 0 {
			return a, &Refusal{http.StatusBadRequest, "model", fmt.Sprintf("model is one of edge_small, edge_medium, cloud_medium, cloud_large, not %q", cut(s, 64))}
		}
	}
	if s := q.Get("full_ms"); s != "" {
		if a.FullMS, err = strconv.ParseInt(s, 10, 64); err != nil || a.FullMS < 0 || a.FullMS > 86_400_000 {
			return a, &Refusal{http.StatusBadRequest, "full_ms", fmt.Sprintf("full_ms is a number of milliseconds from 0 to 86400000, not %q", cut(s, 64))}
		}
	}
	if a.HasTopics = q.Has("topics"); a.HasTopics {
		for _, s := range strings.FieldsFunc(q.Get("topics"), func(r rune) bool { return r == ',' }) {
			t := message.ParseTopic(s)
			if t == 0 {
				return a, &Refusal{http.StatusBadRequest, "topics", fmt.Sprintf("topics are any of tick, collision, audio, state_change, agent_message with commas between, not %q", cut(s, 64))}
			}
			a.Topics |= t
		}
	}
	return a, nil
}

// parse makes a request of a whole header. It must be in one piece, so that no part of it is waited for here.
func parse(header []byte) (*http.Request, *Refusal) {
	r, err := http.ReadRequest(bufio.NewReaderSize(bytes.NewReader(header), 1024))
	var escape url.EscapeError
	switch {
	case errors.As(err, &escape):
		return nil, &Refusal{http.StatusBadRequest, "request", fmt.Sprintf("%s in the path is no percent-encoding: write a %% itself as %%25", strconv.Quote(cut(string(escape), 8)))}
	case err != nil:
		return nil, &Refusal{http.StatusBadRequest, "request", "this is no HTTP request: open a WebSocket, or GET /"} // two Hosts are a fault too
	case r.URL.Host != "": // it would stand for the header Host
		return nil, &Refusal{http.StatusBadRequest, "request", "a path is wanted, not a whole URL"}
	case r.Method != http.MethodGet:
		return nil, &Refusal{http.StatusMethodNotAllowed, "method", "only GET is answered here: open a WebSocket, or GET /"}
	}
	return r, nil
}

func isUpgrade(r *http.Request) bool {
	return strings.Contains(strings.ToLower(r.Header.Get("Upgrade")), "websocket")
}

// answer writes a whole response.
func answer(nc net.Conn, status int, origin string, body []byte) {
	b := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n",
		status, http.StatusText(status), len(body))
	if origin != "" {
		b = fmt.Appendf(b, "Access-Control-Allow-Origin: %s\r\nVary: Origin\r\n", origin)
	}
	switch status {
	case http.StatusUnauthorized:
		b = append(b, "WWW-Authenticate: Bearer\r\n"...)
	case http.StatusUpgradeRequired:
		b = append(b, "Upgrade: websocket\r\n"...)
	case http.StatusMethodNotAllowed:
		b = append(b, "Allow: GET\r\n"...)
	case http.StatusServiceUnavailable:
		b = append(b, "Retry-After: 1\r\n"...)
	}
	_, _ = nc.Write(append(append(b, "\r\n"...), body...))
}

// upgrade makes the WebSocket. The writer that it gives to the library takes the library's refusals instead of writing them.
func upgrade(nc *netConn, r *http.Request, protocols ...string) (*websocket.Conn, *Refusal) {
	w := &upgrader{nc: nc, header: http.Header{}}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true, Subprotocols: protocols}) // guard has looked at the Origin
	if err != nil {
		status := w.status
		if status < 400 {
			status = http.StatusBadRequest
		}
		return nil, &Refusal{status, "upgrade", cut(strings.TrimSpace(string(w.text)), 256)}
	}
	ws.SetReadLimit(-1) // ours is kept where messages are read
	return ws, nil
}

type upgrader struct {
	nc     *netConn
	header http.Header
	status int
	text   []byte
}

func (u *upgrader) Header() http.Header { return u.header }

func (u *upgrader) Write(p []byte) (int, error) {
	u.text = append(u.text, p...)
	return len(p), nil
}

func (u *upgrader) WriteHeader(status int) {
	if u.status = status; status == http.StatusSwitchingProtocols {
		var b bytes.Buffer
		b.WriteString("HTTP/1.1 101 Switching Protocols\r\n")
		_ = u.header.Write(&b)
		b.WriteString("\r\n")
		_, _ = u.nc.Write(b.Bytes()) // where that fails, so does the first read
	}
}

// Hijack hands over the connection; its buffers are those that it keeps for as long as it lives.
func (u *upgrader) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return u.nc, bufio.NewReadWriter(bufio.NewReaderSize(u.nc, 1024), bufio.NewWriterSize(u.nc, 1024)), nil
}

// linger lets the answer arrive: closing while something is unread would take it back.
func linger(nc *netConn) {
	if t, ok := nc.Conn.(*net.TCPConn); ok {
		_ = t.CloseWrite()
		_ = t.SetReadDeadline(time.Now().Add(time.Second))
		_, _ = io.CopyN(io.Discard, nc.Conn, 64<<10)
	}
}
