package inspector

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/session"
)

// Calls end with their agent: when it is gone, or another one has come, no result of theirs can come any more.
func TestCallsEndWithTheirAgent(t *testing.T) {
	r := newRig(t, Options{})
	w := r.hub.World("yard", nil)
	w.Open(1, "guard")
	v := r.open()
	for _, change := range []session.AgentChange{session.AgentConnected, session.AgentGone} {
		w.In(1, 1, call("c", "go"))
		w.Agent(1, session.AgentDetached) // it may resume, and get its results
		r.turn(time.Second)
		got := v.take()
		require.EqualValues(t, 1, got[len(got)-1].Uses[0][4])
		require.EqualValues(t, 1, got[len(got)-1].Stats[0][5])
		w.Agent(1, change)
		w.In(1, 1, call("d", "go")) // the next one's
		w.Out(1, 1, good("c"))      // nobody's
		w.Out(1, 1, good("d"))
		r.turn(time.Second)
		got = v.take()
		require.EqualValues(t, 0, got[0].Uses[0][4])
		require.EqualValues(t, 0, got[0].Stats[0][5])
		rows := rowsOf(got)
		require.Equal(t, []any{-1., 0.}, []any{rows[1][8], rows[2][8]})
	}
	w.In(1, 1, call("e", "go"))
	w.Out(1, 1, message.AppendError(nil, sid, mid, message.SessionExpired, "the session is not open here (message "+other.String()+")", false))
	r.turn(time.Second)
	require.EqualValues(t, 1, v.take()[0].Uses[0][4], "that answers another message")
	w.Out(1, 1, message.AppendError(nil, sid, mid, message.SessionExpired, "the session is not open here (message "+mid.String()+")", false))
	r.turn(time.Second)
	got := v.take()
	require.Equal(t, []any{"go", 5., 2., 1., 0.}, got[0].Uses[0][:5])
	require.EqualValues(t, message.SessionExpired, got[0].Uses[0][8])
	require.Equal(t, []any{"go", "e"}, rowsOf(got)[0][9:11])
}

// How soon a call is refused says nothing of how long the game takes.
func TestLatenciesAreOfCallsThatReachedTheGame(t *testing.T) {
	r := newRig(t, Options{})
	w := r.hub.World("yard", nil)
	w.Open(1, "guard")
	v := r.open()
	codes := []message.ErrorCode{message.InvalidInput, message.ToolUnavailable, message.ToolUnknown, message.SessionExpired, message.InternalError}
	for i, code := range codes {
		w.In(1, 1, call(fmt.Sprint("c", i), "go"))
		w.Out(1, 1, message.AppendToolResultError(nil, sid, mid, fmt.Sprint("c", i), code, "no", false, nil))
	}
	r.turn(time.Second)
	u := v.take()[1].Uses[0]
	require.Equal(t, []any{"go", 5., 0., 5., 0., -1., -1.}, u[:7])
	for i, end := range [][]byte{good("d0"), bad("d1"), message.AppendToolResultError(nil, sid, mid, "d2", message.ExecutionFailed, "no", false, nil)} {
		w.In(1, 1, call(fmt.Sprint("d", i), "go"))
		r.mu.Lock()
		r.now = r.now.Add(3 * time.Second)
		r.mu.Unlock()
		w.Out(1, 1, end)
	}
	r.turn(time.Second)
	u = v.take()[0].Uses[0]
	require.InDelta(t, 3e6, u[5], 3e6/32)
	require.InDelta(t, 3e6, u[6], 3e6/32)
}

// Lines come in the order of time with the messages beside them, also when those take many batches.
func TestLinesComeBesideTheirMessages(t *testing.T) {
	r := newRig(t, Options{})
	w := r.hub.World("yard", nil)
	w.Open(1, "guard")
	r.open().leave()
	text := []byte(`"` + strings.Repeat("x", 20_000) + `"`)
	for i := range 100 {
		r.mu.Lock()
		r.now = r.now.Add(time.Millisecond)
		r.mu.Unlock()
		w.In(1, 1, text)
		if i%10 == 5 {
			r.mu.Lock()
			r.now = r.now.Add(time.Millisecond)
			r.mu.Unlock()
			w.Log(session.Info, 1, "x")
		}
	}
	r.turn(time.Second)
	v := r.open()
	last, rows, lines, batches := 0., 0, 0, 0
	for range 10 {
		r.turn(time.Second)
		for _, b := range v.take() {
			newest := last
			for _, list := range [][][]any{b.Rows, b.Lines} {
				for _, x := range list {
					require.Greater(t, x[1], last, "it is later than all of an earlier batch")
					newest = max(newest, x[1].(float64))
				}
			}
			last, rows, lines = newest, rows+len(b.Rows), lines+len(b.Lines)
			if len(b.Rows) > 0 {
				batches++
			}
		}
	}
	require.Equal(t, []int{100, 10}, []int{rows, lines})
	require.Greater(t, batches, 3)
}

// A page can tell that another page plays a character.
func TestPagesTellWhatTheyPlay(t *testing.T) {
	r := newRig(t, Options{})
	w := r.hub.World("yard", nil)
	w.Open(1, "guard")
	w.Open(2, "cook")
	first, second := r.open(), r.open()
	hands := func() (list []any) {
		r.turn(time.Second)
		first.take()
		for _, b := range second.take() {
			for _, c := range b.Chars {
				list = append(list, c[2], c[4])
			}
		}
		return list
	}
	require.Equal(t, []any{"guard", 0., "cook", 0.}, hands())
	first.receive([]byte(`{"hands":[1,99,-1,"2",1e400]}`))
	require.Equal(t, []any{"guard", 1.}, hands())
	first.receive([]byte(`{"hands":[2]}`))
	require.Equal(t, []any{"guard", 0., "cook", 1.}, hands())
	first.leave()
	require.Equal(t, []any{"cook", 0.}, hands())
}
