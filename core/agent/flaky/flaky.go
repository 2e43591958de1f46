// Package flaky is a bad network for tests: a proxy between agents and a listener that knows where WebSocket frames begin and end, and ends each
// connection as it is told: at a frame's border or within it, at one end first, at both, or at neither.
package flaky

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
)

// Ending is how a proxy ends a connection when its time has come.
type Ending uint8

const (
	// The ways.
	CutBoth   Ending = iota // both ends at once
	CutClient               // the agent's end at once; the listener's once the agent has been there again and was answered, or at the end
	CutServer               // the other way round
	HalfOpen                // neither: nothing passes any more, and nobody hears of it
	Endings                 // how many there are
)

// Fate is what becomes of one connection: how many frames pass, in both directions together, before it ends, and whether half of the next one
// does. The requests and answers of the upgrade count as frames.
type Fate struct {
	Frames int
	Half   bool
	End    Ending
}

// Proxy stands between agents and a listener. It knows where frames begin and end.
type Proxy struct {
	port   net.Listener
	to     string
	fateOf func(connection int) (Fate, bool)
	wg     sync.WaitGroup

	mu    sync.Mutex
	n     int
	cuts  int
	late  []net.Conn // ends that are closed when the next connection was answered
	open  map[net.Conn]struct{}
	ended bool
}

// New opens one before the listener at an address. fateOf says what becomes of its connections, which are counted from 0; false: nothing.
func New(to string, fateOf func(connection int) (Fate, bool)) (*Proxy, error) {
	port, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{port: port, to: to, fateOf: fateOf, open: map[net.Conn]struct{}{}}
	p.wg.Go(p.accept)
	return p, nil
}

// Addr is where agents connect.
func (p *Proxy) Addr() string { return p.port.Addr().String() }

// Close ends everything.
func (p *Proxy) Close() {
	p.mu.Lock()
	p.ended = true
	for c := range p.open {
		c.Close()
	}
	p.mu.Unlock()
	p.port.Close()
	p.wg.Wait()
}

// Cuts is how many connections it has ended.
func (p *Proxy) Cuts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

func (p *Proxy) hold(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[c] = struct{}{}; p.ended {
		c.Close()
	}
}

func (p *Proxy) accept() {
	for {
		client, err := p.port.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.to)
		if err != nil {
			client.Close()
			continue
		}
		p.hold(client)
		p.hold(server)
		p.mu.Lock()
		f, doomed := p.fateOf(p.n)
		p.n++
		p.mu.Unlock()
		l := &leg{p: p, client: client, server: server, fate: f, doomed: doomed}
		p.wg.Go(func() { l.pass(client, server, true) })
		p.wg.Go(func() { l.pass(server, client, false) })
	}
}

// leg is one connection through the proxy.
type leg struct {
	p              *Proxy
	client, server net.Conn
	fate           Fate
	doomed         bool

	mu    sync.Mutex
	count int
	over  bool
}

func (l *leg) pass(from, to net.Conn, up bool) {
	r := bufio.NewReader(from)
	unit, err := header(r)
	for ; err == nil; unit, err = nextFrame(r) {
		if !l.send(unit, to, up) {
			return
		}
	}
	l.mu.Lock()
	over := l.over
	l.mu.Unlock()
	if !over { // an end of its own goes through
		l.client.Close()
		l.server.Close()
	}
}

// send passes one frame on, or ends the connection instead.
func (l *leg) send(unit []byte, to net.Conn, up bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return false
	}
	if !l.doomed || l.count < l.fate.Frames {
		l.count++
		_, err := to.Write(unit)
		if !up && l.count == 2 {
			l.p.answered()
		}
		return err == nil
	}
	l.over = true
	if l.fate.Half {
		_, _ = to.Write(unit[:len(unit)/2])
	}
	l.p.cut(l)
	return false
}

func (p *Proxy) cut(l *leg) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts++
	switch l.fate.End {
	case CutBoth:
		l.client.Close()
		l.server.Close()
	case CutClient:
		l.client.Close()
		p.late = append(p.late, l.server)
	case CutServer:
		l.server.Close()
		p.late = append(p.late, l.client)
	}
}

// answered closes what was to be closed late: the order of the two connections' ends is now another one.
func (p *Proxy) answered() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.late {
		c.Close()
	}
	p.late = nil
}

func header(r *bufio.Reader) ([]byte, error) {
	var b []byte
	for {
		line, err := r.ReadBytes('\n')
		if b = append(b, line...); err != nil || len(line) <= 2 {
			return b, err
		}
	}
}

func nextFrame(r *bufio.Reader) ([]byte, error) {
	head, err := r.Peek(2)
	if err != nil {
		return nil, err
	}
	size, n := 2, int(head[1]&0x7F)
	switch n {
	case 126:
		if head, err = r.Peek(4); err == nil {
			size, n = 4, int(binary.BigEndian.Uint16(head[2:]))
		}
	case 127:
		if head, err = r.Peek(10); err == nil {
			size, n = 10, int(binary.BigEndian.Uint64(head[2:]))
		}
	}
	if err != nil {
		return nil, err
	}
	if head[1]&0x80 != 0 {
		size += 4
	}
	if n > 8<<20 {
		return nil, errors.New("a frame that is too large")
	}
	b := make([]byte, size+n)
	_, err = io.ReadFull(r, b)
	return b, err
}
