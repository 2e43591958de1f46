package transport

import (
	"container/list"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"aicc.dev/libaicc/core/message"
)

// Inspector is a page for the people of this machine, and what feeds it. The page holds no secret: whoever may read the feed, or play by hand,
// shows the run's token, which the page was given behind the # of its URL and which no request has in its path.
type Inspector interface {
	// File gives a part of the page by its name; "" is the page itself.
	File(name string) (kind string, content []byte, ok bool)
	// Watch feeds one page through send, which does not wait, until leave is called. receive takes what the page says.
	Watch(send func(message []byte) bool) (receive func(message []byte), leave func())
}

const (
	inspectorRoot = "/inspector/"
	feedName      = "feed"
	playName      = "play"

	// inspectorProtocol is what the page's WebSockets speak. A browser lets a page set no header of a WebSocket but this list: the token follows in
	// it and is never chosen, so it is not sent back.
	inspectorProtocol = "aicc-inspector"
)

// desk is the listener's side of an inspector.
type desk struct {
	inspector Inspector
	token     string
	sum       [sha256.Size]byte
}

func newDesk(i Inspector) *desk {
	if i == nil {
		return nil
	}
	var random [16]byte
	_, _ = rand.Read(random[:]) // it never fails
	d := &desk{inspector: i, token: base64.RawURLEncoding.EncodeToString(random[:])}
	d.sum = sha256.Sum256([]byte(d.token))
	return d
}

// InspectorURL is where the inspector is, its token included: it is for the person who runs the game. "" without an inspector.
func (l *Listener) InspectorURL() string {
	if l.desk == nil {
		return ""
	}
	at, err := netip.ParseAddrPort(l.Addr())
	if err != nil {
		return ""
	}
	ip := at.Addr().Unmap()
	switch {
	case ip.IsLoopback():
	case ip.Is4():
		ip = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	default:
		ip = netip.IPv6Loopback()
	}
	return "http://" + netip.AddrPortFrom(ip, at.Port()).String() + inspectorRoot + "#" + l.desk.token
}

// inspects says whether a request is for the inspector, which has a gate of its own.
func (l *Listener) inspects(r *http.Request) bool {
	return l.desk != nil && strings.HasPrefix(r.URL.Path, inspectorRoot)
}

// inspect serves the page, its feed, and its hand at playing.
func (l *Listener) inspect(nc *netConn, r *http.Request, entry *list.Element) (upgraded bool, refusal *Refusal) {
	name := strings.TrimPrefix(r.URL.Path, inspectorRoot)
	socket := name == feedName || name == playName
	if refusal = l.desk.check(nc.RemoteAddr(), r, socket); refusal != nil {
		return false, refusal
	}
	switch {
	case !socket:
		kind, content, ok := l.desk.inspector.File(name)
		if !ok {
			return false, &Refusal{http.StatusNotFound, "not_found", "the inspector has no such part: open " + inspectorRoot}
		}
		answerPage(nc, r.Host, kind, content)
		linger(nc)
		return false, nil
	case !isUpgrade(r):
		return false, &Refusal{http.StatusUpgradeRequired, "upgrade", "this is the inspector's WebSocket: open " + inspectorRoot}
	case name == feedName:
		return l.settle(nc, r, entry, Ask{FullMS: -1}, &watcher{inspector: l.desk.inspector}, inspectorProtocol)
	}
	q := r.URL.Query()
	ask := Ask{World: q.Get("world"), Character: q.Get("character"), Replace: q.Get("take") == "1", FullMS: -1}
	if ask.Character == "" {
		return false, &Refusal{http.StatusBadRequest, "character", "which character is to be played by hand is not said"}
	}
	seat, err := l.bridges.Seat(ask)
	if err != nil {
		return false, refusalOf(err)
	}
	return l.settle(nc, r, entry, ask, hand{seat, ask.Character}, inspectorProtocol)
}

// hand is the seat of a page that plays: it never comes back to a session, so that nothing is waited for.
type hand struct {
	Seat
	character string
}

func (h hand) Attach(c Conn) (Wait, error) {
	wait, err := h.Seat.Attach(c)
	switch {
	case err != nil || wait == NoWait:
		return NoWait, err
	case wait == OrBegin:
		h.Seat.Begin()
		return NoWait, nil
	}
	return NoWait, TakenBy(h.character, Away)
}

// check is the gate: a peer on this machine, who calls it by a loopback name, and for a WebSocket the inspector's own page with the run's token.
// Host and Origin are compared with each other only when Host is known to be a loopback name, so a name that was rebound comes to nothing.
func (d *desk) check(peer net.Addr, r *http.Request, socket bool) *Refusal {
	if !isLoopback(peer) {
		return &Refusal{http.StatusForbidden, "peer", "the inspector is for the machine that the game runs on: open it there, or forward the port by ssh"}
	}
	if name := HostName(r.Host); !isLoopbackName(name) || strings.Trim(strings.ToLower(r.Host), hostBytes) != "" {
		return &Refusal{http.StatusForbidden, "host", fmt.Sprintf("the inspector does not go by the name %q: open it as 127.0.0.1 or localhost", cut(r.Host, 64))}
	}
	origins := r.Header["Origin"]
	if own := strings.ToLower("http://" + r.Host); len(origins) > 1 || len(origins) == 1 && strings.ToLower(origins[0]) != own || socket && len(origins) == 0 {
		return &Refusal{http.StatusForbidden, "origin", fmt.Sprintf("only the inspector's own page may connect here, not %q", cut(strings.Join(origins, ", "), 64))}
	}
	if r.URL.Query().Has("token") {
		return &Refusal{http.StatusBadRequest, "token_in_query", "a token in the query ends up in logs: it stands behind the # of the inspector's URL"}
	}
	if !socket {
		return nil
	}
	given := offered(r)
	if len(given) != 2 || given[0] != inspectorProtocol {
		return &Refusal{http.StatusForbidden, "token_missing", "the inspector's token is missing: open the URL that the game has printed, with what stands behind its #"}
	}
	sum := sha256.Sum256([]byte(given[1]))
	if subtle.ConstantTimeCompare(sum[:], d.sum[:]) != 1 {
		return &Refusal{http.StatusForbidden, "token_wrong", "this is not the token of this run: open the URL that the game has printed when it started"}
	}
	return nil
}

// hostBytes are what a loopback name or address and a port consist of: Host goes into a header of the answer.
const hostBytes = "abcdefghijklmnopqrstuvwxyz0123456789.:[]"

// offered lists the WebSocket protocols that a request offers.
func offered(r *http.Request) (list []string) {
	for _, line := range r.Header["Sec-Websocket-Protocol"] {
		for s := range strings.SplitSeq(line, ",") {
			list = append(list, strings.TrimSpace(s))
		}
	}
	return list
}

func isLoopback(a net.Addr) bool {
	t, ok := a.(*net.TCPAddr)
	return ok && t.AddrPort().Addr().Unmap().IsLoopback()
}

func isLoopbackName(name string) bool {
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || err == nil && ip.IsLoopback()
}

// answerPage writes a part of the page. It may load and reach nothing but this listener, make no script of text, and stand in no other page.
func answerPage(nc net.Conn, host, kind string, content []byte) {
	b := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n", kind, len(content))
	b = fmt.Appendf(b, "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' ws://%s; base-uri 'none'; form-action 'none'; "+
		"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'\r\n", host)
	b = append(b, "X-Frame-Options: DENY\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n\r\n"...)
	_, _ = nc.Write(slices.Concat(b, content))
}

// watcher is the seat of a page that watches: no character's.
type watcher struct {
	inspector Inspector
	receive   func([]byte)
	leave     func()
}

func (w *watcher) Attach(c Conn) (Wait, error) {
	w.receive, w.leave = w.inspector.Watch(c.Send)
	return NoWait, nil
}

func (w *watcher) Receive(m []byte) bool {
	w.receive(m)
	return true
}

func (w *watcher) Resumes(message.ID) bool { return false }
func (w *watcher) Begin()                  {}
func (w *watcher) Arrived(uint32)          {}
func (w *watcher) Leave()                  { w.leave() }
