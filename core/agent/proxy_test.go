package agent

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// ending is how a proxy ends a connection when its time has come.
type ending uint8

const (
	cutBoth   ending = iota // both ends at once
	cutClient               // the agent's end at once; the listener's once the agent has been there again and was answered, or at the end
	cutServer               // the other way round
	halfOpen                // neither: nothing passes any more, and nobody hears of it
	endings
)

// fate is what becomes of one connection: how many frames pass, in both directions together, before it ends, and whether half of the next one
// does. The requests and answers of the upgrade count as frames.
type fate struct {
	frames int
	half   bool
	end    ending
}

// proxy stands between agents and a listener. It knows where frames begin and end.
type proxy struct {
	port   net.Listener
	to     string
	fateOf func(connection int) (fate, bool)
	wg     sync.WaitGroup

	mu    sync.Mutex
	n     int
	cuts  int
	late  []net.Conn // ends that are closed when the next connection was answered
	open  map[net.Conn]struct{}
	ended bool
}

func newProxy(t testing.TB, to string, fateOf func(int) (fate, bool)) *proxy {
	port, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{port: port, to: to, fateOf: fateOf, open: map[net.Conn]struct{}{}}
	p.wg.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

func (p *proxy) close() {
	p.mu.Lock()
	p.ended = true
	for c := range p.open {
		c.Close()
	}
	p.mu.Unlock()
	p.port.Close()
	p.wg.Wait()
}

func (p *proxy) wasCut() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

func (p *proxy) hold(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[c] = struct{}{}; p.ended {
		c.Close()
	}
}

func (p *proxy) accept() {
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
	p              *proxy
	client, server net.Conn
	fate           fate
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
	if !l.doomed || l.count < l.fate.frames {
		l.count++
		_, err := to.Write(unit)
		if !up && l.count == 2 {
			l.p.answered()
		}
		return err == nil
	}
	l.over = true
	if l.fate.half {
		_, _ = to.Write(unit[:len(unit)/2])
	}
	l.p.cut(l)
	return false
}

func (p *proxy) cut(l *leg) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts++
	switch l.fate.end {
	case cutBoth:
		l.client.Close()
		l.server.Close()
	case cutClient:
		l.client.Close()
		p.late = append(p.late, l.server)
	case cutServer:
		l.server.Close()
		p.late = append(p.late, l.client)
	}
}

// answered closes what was to be closed late: the order of the two connections' ends is now another one.
func (p *proxy) answered() {
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
