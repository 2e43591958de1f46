package transport

import (
	"container/list"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Listener is one open port.
type Listener struct {
	o       Options
	guard   guard
	bridges Bridges
	desk    *desk // nil: no inspector
	port    net.Listener
	wg      sync.WaitGroup
	done    chan struct{}
	held    atomic.Int64  // bytes of Limits.TotalBytes
	lists   chan struct{} // answers to GET / that are on their way: there may be many characters

	mu         sync.Mutex
	closed     bool
	unfinished *list.List // of *netConn, the oldest first
	conns      map[*conn]struct{}
	stats      Stats
}

// Listen opens the port. Its errors say what to do.
func Listen(o Options, b Bridges) (*Listener, error) {
	o.Limits.fill()
	if o.Log == nil {
		o.Log = func(string) {}
	}
	if o.Address == "" {
		o.Address = "127.0.0.1"
	}
	if o.Port < 0 || o.Port > 65535 {
		return nil, &OptionError{"port", fmt.Sprintf("port must be from 0, which is any, to 65535, it is %d", o.Port)}
	}
	ip, err := netip.ParseAddr(o.Address)
	loopback := err == nil && ip.IsLoopback() || o.Address == "localhost"
	switch {
	case err != nil && !loopback:
		return nil, &OptionError{"address", fmt.Sprintf("address must be an IP address or \"localhost\", it is %q", cut(o.Address, 64))}
	case !loopback && o.Token == "":
		return nil, &OptionError{"token", fmt.Sprintf("address %s can be reached from other machines: give a token, and put TLS in front, or listen on 127.0.0.1", o.Address)}
	}
	for _, c := range []byte(o.Token) {
		if c <= ' ' || c > '~' {
			return nil, &OptionError{"token", "token must be of printable ASCII without spaces, since it travels in a header"}
		}
	}
	if fault := checkNames(&o); fault != nil {
		return nil, fault
	}
	network := "tcp" // which takes 0.0.0.0 for all addresses of either kind
	if ip.Is4() {
		network = "tcp4"
	}
	port, err := net.Listen(network, net.JoinHostPort(o.Address, strconv.Itoa(o.Port)))
	if errors.Is(err, syscall.EADDRNOTAVAIL) {
		return nil, &OptionError{"address", fmt.Sprintf("address %s is none of this machine's: %v", o.Address, err)}
	}
	if err != nil {
		return nil, fmt.Errorf("port %d of %s cannot be opened: %w; give port 0 for any that is free", o.Port, o.Address, err)
	}
	l := &Listener{o: o, guard: newGuard(&o, o.Address), bridges: b, desk: newDesk(o.Inspector), port: port, done: make(chan struct{}),
		lists: make(chan struct{}, maxLists), unfinished: list.New(), conns: map[*conn]struct{}{}}
	l.wg.Go(l.accept)
	l.wg.Go(l.tend)
	return l, nil
}

// checkNames refuses hosts and origins that no request can have.
func checkNames(o *Options) *OptionError {
	for _, h := range o.Hosts {
		if name := HostName(h); name == "" || strings.ContainsAny(name, "*/?#@ ") {
			return &OptionError{"hosts", fmt.Sprintf("%q is no host: give a name as agents call this machine, game.example; there are no patterns", cut(h, 64))}
		}
	}
	for _, s := range o.Origins {
		u, err := url.Parse(strings.TrimSuffix(s, "/"))
		if err != nil || u.Scheme == "" || u.Host == "" || strings.Contains(u.Host, "*") || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil ||
			u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80" {
			return &OptionError{"origins", fmt.Sprintf("%q is no origin: give it as browsers send it, https://studio.example, with a port only if it is not the scheme's own; there are no patterns", cut(s, 64))}
		}
	}
	return nil
}

// Addr is where it listens: an address and the port that it got.
func (l *Listener) Addr() string { return l.port.Addr().String() }

// Stats are the counters as of now.
func (l *Listener) Stats() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.stats
	s.Connections, s.Unfinished = len(l.conns), l.unfinished.Len()
	return s
}

// Shut frees the port. Those who are connected stay until Close. It never waits.
func (l *Listener) Shut() { _ = l.port.Close() }

// OptionError is an option that cannot be.
type OptionError struct{ Field, Message string }

func (e *OptionError) Error() string { return e.Message }

// Close ends it and lets all agents go. It waits until nothing of the listener runs any more, for little longer than Limits.CloseTime.
func (l *Listener) Close() {
	l.mu.Lock()
	again := l.closed
	l.closed = true
	var open []*conn
	for c := range l.conns {
		open = append(open, c)
	}
	for e := l.unfinished.Front(); e != nil; e = e.Next() {
		_ = e.Value.(*netConn).Close()
	}
	l.mu.Unlock()
	if !again {
		close(l.done)
		_ = l.port.Close()
	}
	for _, c := range open {
		c.Close(CloseAway, "the game no longer listens: connect again later")
	}
	stop := time.AfterFunc(l.o.Limits.CloseTime, func() {
		for _, c := range open {
			c.abort()
		}
	})
	defer stop.Stop()
	l.wg.Wait()
}

func (l *Listener) accept() {
	const most = time.Second
	pause := time.Duration(0)
	for {
		raw, err := l.port.Accept()
		if err != nil {
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if pause == 0 {
				l.o.Log("connections cannot be accepted, it is tried again: " + err.Error())
			}
			if pause = min(max(2*pause, 5*time.Millisecond), most); !wait(pause, l.done) {
				return
			}
			continue
		}
		pause = 0
		nc := &netConn{Conn: raw, done: make(chan struct{})}
		_ = raw.SetDeadline(time.Now().Add(l.o.Limits.UpgradeTime))
		if entry := l.enter(nc); entry != nil {
			l.start(nc, func() { l.serve(nc, entry) })
		}
	}
}

// start runs f, which is about a connection.
func (l *Listener) start(nc *netConn, f func()) {
	l.wg.Go(func() {
		defer l.caught(nc)
		f()
	})
}

// caught is deferred: a fault of ours must cost a connection and not the game.
func (l *Listener) caught(nc *netConn) {
	if p := recover(); p != nil {
		l.o.Log(fmt.Sprintf("internal fault, a connection ends: %v; %.1200s", p, debug.Stack()))
		_ = nc.Close()
	}
}

// enter takes a connection among the unfinished; the oldest makes room, so that many of them keep nobody out.
func (l *Listener) enter(nc *netConn) *list.Element {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Accepted++
	if l.closed {
		_ = nc.Close()
		return nil
	}
	if l.unfinished.Len() >= l.o.Limits.Unfinished {
		oldest := l.unfinished.Front()
		l.unfinished.Remove(oldest)
		_ = oldest.Value.(*netConn).Close()
		l.stats.Evicted++
	}
	return l.unfinished.PushBack(nc)
}

// serve is a connection's way to its upgrade, or to an answer.
func (l *Listener) serve(nc *netConn, entry *list.Element) {
	upgraded := false
	defer func() {
		l.mu.Lock()
		l.unfinished.Remove(entry) // does nothing once it is out
		l.mu.Unlock()
		if !upgraded {
			_ = nc.Close()
		}
	}()
	header, refusal := readHeader(nc)
	if header == nil && refusal == nil {
		return
	}
	if refusal == nil {
		var r *http.Request
		r, refusal = parse(header)
		inspects := refusal == nil && l.inspects(r)
		if refusal == nil && !inspects {
			refusal = l.guard.check(r)
		}
		switch {
		case refusal != nil:
		case inspects:
			upgraded, refusal = l.inspect(nc, r, entry)
		case r.URL.Path == "/" && !isUpgrade(r):
			if refusal = l.list(nc, r.Header.Get("Origin")); refusal == nil {
				return
			}
		default:
			upgraded, refusal = l.admit(nc, r, entry)
		}
	}
	if refusal != nil {
		l.mu.Lock()
		l.stats.Refused++
		l.mu.Unlock()
		answer(nc, refusal.Status, "", refusal.body())
		linger(nc)
	}
}

const maxLists = 8

// list answers GET /. A page of an origin that may connect may read it.
func (l *Listener) list(nc *netConn, origin string) *Refusal {
	select {
	case l.lists <- struct{}{}:
		defer func() { <-l.lists }()
		answer(nc, http.StatusOK, origin, listing(l.bridges.Worlds()))
		linger(nc)
		return nil
	default:
		return &Refusal{http.StatusServiceUnavailable, "busy", "too many ask for the list at once: ask again"}
	}
}

// admit seats an agent, if what it asks for can be had.
func (l *Listener) admit(nc *netConn, r *http.Request, entry *list.Element) (upgraded bool, refusal *Refusal) {
	ask, refusal := readAsk(r.URL)
	if refusal != nil {
		return false, refusal
	}
	if ask.Replace = l.o.Replace; !isUpgrade(r) {
		return false, &Refusal{http.StatusUpgradeRequired, "upgrade", "agents connect here by WebSocket: open ws:// with this path; GET / lists bridges and characters"}
	}
	seat, err := l.bridges.Seat(ask)
	if err != nil {
		return false, refusalOf(err)
	}
	return l.settle(nc, r, entry, ask, seat)
}

// settle upgrades a connection to the seat that it has found.
func (l *Listener) settle(nc *netConn, r *http.Request, entry *list.Element, ask Ask, seat Seat, protocols ...string) (upgraded bool, refusal *Refusal) {
	c := &conn{l: l, nc: nc, seat: seat, ask: ask, wake: make(chan struct{}, 1), written: make(chan struct{})}
	if refusal = l.join(c); refusal != nil {
		return false, refusal
	}
	ws, refusal := upgrade(nc, r, protocols...)
	if refusal != nil {
		l.part(c)
		return false, refusal
	}
	l.mu.Lock()
	l.unfinished.Remove(entry)
	l.mu.Unlock()
	_ = nc.Conn.SetDeadline(time.Time{})
	nc.writeTime, nc.pace = l.o.Limits.WriteTime, newBucket(l.o.Limits.BytesPerSecond)
	c.begin(ws)
	return true, nil
}

func refusalOf(err error) *Refusal {
	var r *Refusal
	if errors.As(err, &r) {
		return r
	}
	return &Refusal{http.StatusInternalServerError, "internal", "the game cannot seat an agent now: " + cut(err.Error(), 256)}
}

// join takes a connection among those that are upgraded, or are about to be.
func (l *Listener) join(c *conn) *Refusal {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return &Refusal{http.StatusServiceUnavailable, "closed", "the game no longer listens: connect again later"}
	}
	if len(l.conns) >= l.o.Limits.Connections {
		return &Refusal{http.StatusServiceUnavailable, "full", fmt.Sprintf("%d agents are connected, which is the most: connect again when one has left", l.o.Limits.Connections)}
	}
	l.conns[c] = struct{}{}
	return nil
}

func (l *Listener) part(c *conn) {
	l.mu.Lock()
	delete(l.conns, c)
	l.mu.Unlock()
}

func (l *Listener) count(n *uint64) {
	l.mu.Lock()
	*n++
	l.mu.Unlock()
}

// tend pings.
func (l *Listener) tend() {
	t := time.NewTicker(max(l.o.Limits.PingEvery/16, time.Millisecond))
	defer t.Stop()
	var open []*conn
	for {
		select {
		case <-l.done:
			return
		case <-t.C:
		}
		l.mu.Lock()
		for c := range l.conns {
			open = append(open, c)
		}
		l.mu.Unlock()
		now := time.Now()
		for _, c := range open {
			c.tend(now)
		}
		clear(open)
		open = open[:0]
	}
}
