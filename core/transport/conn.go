package transport

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"aicc.dev/libaicc/core/message"
)

// keepBytes is how much memory of a burst a connection keeps for the next.
const keepBytes = 16 << 10

// conn is an upgraded connection. One goroutine reads, one writes.
type conn struct {
	l    *Listener
	nc   *netConn
	ws   *websocket.Conn
	seat Seat
	ask  Ask

	mu      sync.Mutex
	up      bool   // ws is there
	buf     []byte // what waits to be sent, message behind message
	ends    []int
	held    int // bytes of l.held that are this queue's, what is being written included
	closing bool
	code    int
	reason  string

	wake    chan struct{} // something waits, or closing
	written chan struct{} // the writer has ended

	sent     atomic.Uint32
	pingedAt atomic.Int64 // of the ping that is out; 0: none
	lastPing time.Time
	pinged   uint32 // sent as of the last ping

	waitMu    sync.Mutex // so that no Begin comes after Leave
	waits     bool       // for session_resume
	orElse    Wait
	waitTimer *time.Timer
}

// begin starts an upgraded connection and returns at once.
func (c *conn) begin(ws *websocket.Conn) {
	c.mu.Lock()
	c.ws, c.up, c.lastPing = ws, true, time.Now()
	c.mu.Unlock()
	c.l.start(c.nc, c.run)
}

func (c *conn) run() {
	c.l.start(c.nc, c.write)
	seated := false
	defer func() {
		if seated {
			c.seat.Leave()
		}
		c.abort()
		<-c.written
		_ = c.ws.CloseNow()
		c.l.part(c)
	}()
	how, err := c.seat.Attach(c)
	if err != nil {
		c.Close(CloseTaken, refusalOf(err).Message)
		<-c.written
		return
	}
	seated = true
	if how != NoWait {
		c.waitMu.Lock()
		c.waits, c.orElse, c.waitTimer = true, how, time.AfterFunc(c.l.o.Limits.ResumeWait, c.waited)
		c.waitMu.Unlock()
	}
	c.read()
}

// Send implements Conn.
func (c *conn) Send(m []byte) bool {
	c.mu.Lock()
	if c.closing {
		c.mu.Unlock()
		return false
	}
	if !c.room(len(m)) {
		c.closing = true
		c.mu.Unlock()
		c.abort()
		c.l.count(&c.l.stats.Slow)
		c.l.o.Log("an agent reads too slowly and is detached; it may resume")
		return false
	}
	c.buf = append(c.buf, m...)
	c.ends = append(c.ends, len(c.buf))
	c.mu.Unlock()
	c.signal()
	return true
}

// room counts n more bytes of the queue. When all queues together are full, those with less than their part of it still have room.
func (c *conn) room(n int) bool {
	limits := &c.l.o.Limits
	if c.held+n > limits.QueueBytes && c.held > 0 {
		return false
	}
	if c.l.held.Add(int64(n)) > int64(limits.TotalBytes) && c.held > limits.TotalBytes/limits.Connections {
		c.l.held.Add(int64(-n))
		return false
	}
	c.held += n
	return true
}

// Close implements Conn.
func (c *conn) Close(code int, reason string) {
	c.mu.Lock()
	if !c.closing {
		c.closing, c.code, c.reason = true, code, reason
	}
	c.mu.Unlock()
	c.signal()
}

func (c *conn) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// abort cuts the connection. What reads and writes on it ends.
func (c *conn) abort() { _ = c.nc.Close() }

func (c *conn) write() {
	defer close(c.written)
	var buf []byte
	var ends []int
	for {
		c.mu.Lock()
		buf, c.buf = c.buf, buf[:0]
		ends, c.ends = c.ends, ends[:0]
		closing := c.closing
		c.mu.Unlock()
		from := 0
		for _, end := range ends {
			if c.ws.Write(context.Background(), websocket.MessageText, buf[from:end]) != nil {
				c.abort()
				break
			}
			c.sent.Add(1)
			from = end
		}
		c.mu.Lock()
		c.held -= len(buf)
		c.l.held.Add(-int64(len(buf)))
		more := len(c.ends) > 0
		c.mu.Unlock()
		if cap(buf) > keepBytes {
			buf, ends = nil, nil
		}
		if more && from == len(buf) {
			continue
		}
		if closing && !more {
			c.farewell()
			return
		}
		select {
		case <-c.nc.done:
			c.discard()
			return
		case <-c.wake:
		}
	}
}

// discard drops what waits; nothing is taken any more.
func (c *conn) discard() {
	c.mu.Lock()
	c.closing = true
	c.l.held.Add(-int64(c.held))
	c.held, c.buf, c.ends = 0, nil, nil
	c.mu.Unlock()
}

// farewell is the closing handshake; who does not take part is cut off.
func (c *conn) farewell() {
	c.mu.Lock()
	code, reason := c.code, c.reason
	c.mu.Unlock()
	if code != 0 {
		stop := time.AfterFunc(c.l.o.Limits.CloseTime, c.abort)
		_ = c.ws.Close(websocket.StatusCode(code), cut(reason, 120))
		stop.Stop()
	}
	c.abort()
}

// read takes what the agent sends until the connection ends.
func (c *conn) read() {
	defer c.stopWaiting()
	limits := &c.l.o.Limits
	pace := newBucket(limits.MessagesPerSecond)
	var buf []byte
	for {
		kind, r, err := c.ws.Reader(context.Background())
		if err != nil {
			c.ended()
			return
		}
		if kind != websocket.MessageText {
			c.fault(closeBinary, "messages are text frames of JSON")
			return
		}
		late := time.AfterFunc(limits.MessageTime, c.abort)
		var code int
		buf, code, err = c.body(r, buf[:0])
		late.Stop()
		took := cap(buf) - keepBytes // what body has counted
		switch {
		case code == closeTooBig:
			c.fault(code, fmt.Sprintf("a message has at most %d bytes", limits.MessageBytes))
		case code == closeBusy:
			c.fault(code, "too much is on its way to the game: connect again later")
		case err == nil && c.take(buf) && pace.take(1, c.nc.done):
			if took > 0 {
				c.l.held.Add(-int64(took))
				buf = nil
			}
			continue
		}
		if took > 0 {
			c.l.held.Add(-int64(took))
		}
		c.ended()
		return
	}
}

// ended lets a farewell that is going on come to its end.
func (c *conn) ended() {
	c.mu.Lock()
	farewell := c.closing && c.code != 0
	c.mu.Unlock()
	if farewell {
		<-c.written
	}
}

// fault closes over what came and leaves the reading to the closing handshake.
func (c *conn) fault(code int, reason string) {
	c.Close(code, reason)
	<-c.written
}

// body reads one message; memory is taken as it comes and counted beyond keepBytes. A code other than 0 says which bound was reached.
func (c *conn) body(r io.Reader, buf []byte) (_ []byte, code int, err error) {
	most := c.l.o.Limits.MessageBytes
	for {
		if len(buf) > most {
			return buf, closeTooBig, nil
		}
		if len(buf) == cap(buf) {
			size := max(512, min(2*cap(buf), most+1))
			more := max(size-keepBytes, 0) - max(cap(buf)-keepBytes, 0)
			if c.l.held.Add(int64(more)) > int64(c.l.o.Limits.TotalBytes) && more > 0 {
				c.l.held.Add(-int64(more))
				return buf, closeBusy, nil
			}
			buf = append(make([]byte, 0, size), buf...)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if err == io.EOF {
			if len(buf) > most {
				return buf, closeTooBig, nil
			}
			return buf, 0, nil
		}
		if err != nil {
			return buf, 0, err
		}
	}
}

// take gives a message to the bridge, when that has room. false: the connection has ended.
func (c *conn) take(m []byte) bool {
	if !c.decide(m) {
		<-c.written
		return false
	}
	const least, most = time.Millisecond, 50 * time.Millisecond
	for pause := least; !c.seat.Receive(m); pause = min(2*pause, most) {
		if !wait(pause, c.nc.done) {
			return false
		}
	}
	return true
}

// decide ends a wait for session_resume by the first message. false: the agent is refused.
func (c *conn) decide(first []byte) bool {
	c.waitMu.Lock()
	defer c.waitMu.Unlock()
	if c.waitTimer == nil {
		return true
	}
	if !c.waits {
		return c.orElse == OrBegin // it was too long
	}
	c.waits = false
	c.waitTimer.Stop()
	var m message.Message
	resume := message.Decode(first, &m) == nil && m.Type == message.SessionResume
	switch {
	case resume && c.seat.Resumes(m.SessionID):
	case c.orElse == OrBegin:
		c.seat.Begin()
	default:
		if resume {
			id, _ := message.NewSessionID(rand.Reader)
			c.Send(message.AppendError(nil, m.SessionID, id, message.SessionExpired,
				"this session is not open here, and the character's own agent may come back (message "+m.MessageID.String()+")", false))
		}
		c.refuse()
		return false
	}
	c.waitTimer = nil
	return true
}

// waited ends the wait since it was long enough.
func (c *conn) waited() {
	defer c.l.caught(c.nc)
	c.waitMu.Lock()
	defer c.waitMu.Unlock()
	if !c.waits {
		return
	}
	if c.waits = false; c.orElse == OrBegin {
		c.seat.Begin()
	} else {
		c.refuse()
	}
}

func (c *conn) refuse() { c.Close(CloseTaken, TakenBy(c.ask.Character, Away).Message) }

func (c *conn) stopWaiting() {
	c.waitMu.Lock()
	defer c.waitMu.Unlock()
	if c.waits = false; c.waitTimer != nil {
		c.waitTimer.Stop()
	}
}

// tend pings when it is time, and cuts off who has answered none for too long.
func (c *conn) tend(now time.Time) {
	c.mu.Lock()
	up := c.up && !c.closing
	c.mu.Unlock()
	if !up {
		return
	}
	limits := &c.l.o.Limits
	if at := c.pingedAt.Load(); at != 0 {
		most := max(limits.PongTime, 3*time.Duration(c.ask.FullMS)*time.Millisecond)
		if now.Sub(time.Unix(0, at)) > most && !c.nc.ended() { // it takes its time to go, and is counted once
			c.l.count(&c.l.stats.Silent)
			c.abort()
		}
		return
	}
	sent, since := c.sent.Load(), now.Sub(c.lastPing)
	if since < limits.PingEvery && (sent == c.pinged || since < limits.PingEvery/8) {
		return
	}
	c.lastPing, c.pinged = now, sent
	c.pingedAt.Store(now.UnixNano())
	c.l.start(c.nc, func() {
		if c.ws.Ping(context.Background()) == nil { // it waits for the pong, or for the connection's end
			c.seat.Arrived(sent)
		}
		c.pingedAt.Store(0)
	})
}
