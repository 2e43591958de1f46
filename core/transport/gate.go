package transport

import (
	"bytes"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	maxHeader      = 8 << 10
	maxHeaderLines = 64
)

// netConn is a connection from the moment it was accepted.
type netConn struct {
	net.Conn
	early []byte // came with the header, and is what follows it

	writeTime time.Duration // from the upgrade on
	pace      *bucket
	done      chan struct{}
	once      sync.Once
}

// Close may be called often, by anybody.
func (n *netConn) Close() error {
	err := net.ErrClosed
	n.once.Do(func() {
		close(n.done)
		err = n.Conn.Close()
	})
	return err
}

// ended says whether Close was called.
func (n *netConn) ended() bool {
	select {
	case <-n.done:
		return true
	default:
		return false
	}
}

// Read reads at the pace that a connection may have once it is upgraded.
func (n *netConn) Read(p []byte) (int, error) {
	if len(n.early) > 0 {
		k := copy(p, n.early)
		if n.early = n.early[k:]; len(n.early) == 0 {
			n.early = nil
		}
		return k, nil
	}
	k, err := n.Conn.Read(p)
	if n.pace != nil && !n.pace.take(k, n.done) {
		return 0, net.ErrClosed
	}
	return k, err
}

func (n *netConn) Write(p []byte) (int, error) {
	if n.writeTime > 0 {
		_ = n.Conn.SetWriteDeadline(time.Now().Add(n.writeTime))
	}
	return n.Conn.Write(p)
}

var headerEnd = []byte("\r\n\r\n")

// tlsHandshake is the first byte of whoever connects to wss:// or https://. It hears at once that it is wrong here, instead of waiting.
const tlsHandshake = 0x16

// readHeader reads up to the empty line; what came behind it stays in nc.early. Nothing is parsed before it is whole: what a connection that
// never gets so far costs is this buffer.
func readHeader(nc *netConn) ([]byte, *Refusal) {
	buf := make([]byte, 0, 512)
	for from := 0; ; {
		if len(buf) == cap(buf) {
			if len(buf) >= maxHeader {
				return nil, &Refusal{http.StatusRequestHeaderFieldsTooLarge, "header", "the request's header is over 8 KiB: send less"}
			}
			buf = append(make([]byte, 0, min(2*cap(buf), maxHeader)), buf...)
		}
		n, err := nc.Conn.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if len(buf) > 0 && buf[0] == tlsHandshake {
			return nil, &Refusal{http.StatusBadRequest, "tls", "this listener speaks no TLS: connect to ws://, or put a proxy that does in front"}
		}
		if i := bytes.Index(buf[from:], headerEnd); i >= 0 {
			end := from + i + len(headerEnd)
			if bytes.Count(buf[:end], headerEnd[:2]) > maxHeaderLines {
				return nil, &Refusal{http.StatusRequestHeaderFieldsTooLarge, "header", "the request's header has over 64 lines: send less"}
			}
			if end < len(buf) {
				nc.early = bytes.Clone(buf[end:])
			}
			return buf[:end], nil
		}
		if err != nil {
			return nil, nil
		}
		from = max(0, len(buf)-len(headerEnd)+1)
	}
}

// bucket bounds a rate: what is over it waits.
type bucket struct {
	perSecond float64
	left      float64 // below 0: owed
	at        time.Time
}

func newBucket(perSecond int) *bucket {
	return &bucket{perSecond: float64(perSecond), left: 2 * float64(perSecond), at: time.Now()}
}

// take takes n and waits until they are paid for, or until done, which it says by false. One goroutine at a time.
func (b *bucket) take(n int, done <-chan struct{}) bool {
	now := time.Now()
	b.left = min(b.left+now.Sub(b.at).Seconds()*b.perSecond, 2*b.perSecond) - float64(n)
	b.at = now
	if b.left >= 0 {
		return true
	}
	return wait(time.Duration(-b.left/b.perSecond*float64(time.Second)), done)
}

// wait waits, and says whether it was not cut short by done.
func wait(d time.Duration, done <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-done:
		return false
	}
}
