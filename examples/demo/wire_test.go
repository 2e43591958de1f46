package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/message"
)

// The game with a wire of its own is examples/c/wire: what comes and goes over TCP, one message a line.

// ownWire starts it. end is Ctrl-C, and gives all that it has printed.
func ownWire(t *testing.T) (address string, end func() string) {
	t.Helper()
	ctest.Need(t, "gcc", "gcc")
	cmd := exec.Command(ctest.Program(t, ctest.Plain, ctest.Library(t, ctest.Plain), example("wire", "wire.c"), "-std=c11", "-pedantic"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() { timer.Stop() })
	lines := bufio.NewScanner(out)
	require.True(t, lines.Scan())
	address = lines.Text()
	printed := make(chan string, 1)
	go func() {
		var all strings.Builder
		for lines.Scan() {
			all.WriteString(lines.Text() + "\n")
		}
		printed <- all.String()
	}()
	return address, func() string {
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		all := <-printed
		require.NoError(t, cmd.Wait())
		return all
	}
}

// line is one connection as an agent's wire.
type line struct {
	net.Conn
	in *bufio.Reader
}

func dialLine(address string) (*line, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &line{conn, bufio.NewReader(conn)}, nil
}

func (l *line) Read(context.Context) ([]byte, error) {
	text, err := l.in.ReadBytes('\n')
	return bytes.TrimSuffix(text, []byte("\n")), err
}

func (l *line) Write(_ context.Context, m []byte) error {
	_, err := l.Conn.Write(append(m, '\n'))
	return err
}

func (l *line) Ping(context.Context) error { return nil }
func (l *line) Abort()                     { _ = l.Conn.Close() }

// TestWireCuts: however often that wire breaks, each call is done once and has its result.
func TestWireCuts(t *testing.T) {
	address, end := ownWire(t)
	var mu sync.Mutex
	var last *line
	a, err := agent.Connect(t.Context(), "", agent.Options{First: time.Millisecond, Most: time.Millisecond, Dial: func(context.Context) (agent.Wire, error) {
		l, err := dialLine(address)
		if err != nil {
			return nil, err
		}
		mu.Lock()
		defer mu.Unlock()
		last = l
		return l, nil
	}})
	require.NoError(t, err)
	const calls = 30
	for i := range calls {
		c, err := a.Start("jump", nil)
		require.NoError(t, err)
		if i%3 > 0 {
			mu.Lock()
			last.Abort()
			mu.Unlock()
		}
		r, err := c.Wait(t.Context())
		require.NoError(t, err)
		require.True(t, r.OK, r.Text)
	}
	a.Close(t.Context(), "enough")
	stats := a.Stats()
	require.EqualValues(t, calls, stats.Results)
	require.NotZero(t, stats.Resumes)
	require.EqualValues(t, 1, stats.SessionsLost, "by the good-bye")
	require.Equal(t, strings.Repeat("the hero jumps\n", calls), end())
}

// TestWireLines: whatever a line holds, it is answered and the next one is understood; and after a good-bye another agent may come.
func TestWireLines(t *testing.T) {
	address, end := ownWire(t)
	var l *line
	hear := func(want message.Type) *message.Message {
		t.Helper()
		text, err := l.Read(t.Context())
		require.NoError(t, err)
		m := &message.Message{}
		require.Nil(t, message.Decode(text, m), "%s", text)
		require.Equal(t, want, m.Type, "%s", text)
		return m
	}
	begin := func() message.ID {
		t.Helper()
		var err error
		l, err = dialLine(address)
		require.NoError(t, err)
		return hear(message.SessionInit).SessionID
	}
	session := begin()
	for i, c := range []struct {
		name, line string
		answers    int
	}{
		{"too long", `{"protocol":"aicc/0.1","type":"` + strings.Repeat("x", 3<<20) + `"}`, 1},
		{"as long as may be", strings.Repeat("y", 1<<20), 1},
		{"one byte more", strings.Repeat("y", 1<<20+1), 1},
		{"two bytes more", strings.Repeat("y", 1<<20+2), 1},
		{"a flood", strings.Repeat("{}\n", 5000), 5000},
		{"empty lines", "\n\n\n", 0},
		{"NUL", "\x00", 1},
		{"not UTF-8", "\xff\xfe", 1},
		{"return and newline", "hello\r", 1},
	} {
		go func() {
			_ = l.Write(t.Context(), []byte(c.line))
			_ = l.Write(t.Context(), message.AppendToolCall(nil, session, message.ID{1, byte(i)}, c.name, "jump", []byte(`{}`)))
		}()
		for range c.answers {
			require.Equal(t, message.InvalidInput, hear(message.ErrorMessage).Error.Code, c.name)
		}
		r := hear(message.ToolResult)
		require.Equal(t, c.name, string(r.CallID))
		require.True(t, r.OK)
	}
	require.NoError(t, l.Write(t.Context(), message.AppendSessionClose(nil, session, message.ID{2}, "enough")))
	hear(message.SessionClose)
	_, err := l.Read(t.Context())
	require.Equal(t, io.EOF, err, "the host ends the connection")
	require.NotEqual(t, session, begin(), "another agent has another session")
	printed := end()
	hear(message.SessionClose)
	require.Equal(t, strings.Repeat("the hero jumps\n", 9), printed)
}
