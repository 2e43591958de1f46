package agent

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/agent/flaky"
	"aicc.dev/libaicc/core/transport"
)

// journey is an agent that makes calls through a proxy: at once, slow ones, some that fail. Each must have run once and have its one result.
func journey(t *testing.T, replace bool, calls int, fateOf func(int) (flaky.Fate, bool)) (Stats, int) {
	g := newGame(t, 120_000, "npc")
	address := play(t, g, transport.Options{Replace: replace, Limits: transport.Limits{PingEvery: 40 * time.Millisecond, PongTime: 100 * time.Millisecond,
		CloseTime: 50 * time.Millisecond, ResumeWait: 500 * time.Millisecond}})
	p, err := flaky.New(address, fateOf)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	a, err := Connect(ctx, "ws://"+p.Addr()+"/aicc?character=npc", Options{Patient: true, First: time.Millisecond, Most: 10 * time.Millisecond,
		PingEvery: 40 * time.Millisecond, Handshake: 1500 * time.Millisecond, MaxInFlight: 6})
	require.NoError(t, err)
	var made []*Call
	for i := range calls {
		input := fmt.Sprintf(`{"n":%d}`, i)
		switch i % 4 {
		case 1:
			input = fmt.Sprintf(`{"n":%d,"ms":%d}`, i, 5+i%3*20)
		case 3:
			input = fmt.Sprintf(`{"n":%d,"fail":true}`, i)
		}
		c, err := a.Start("go", []byte(input))
		require.NoError(t, err)
		made = append(made, c)
	}
	for i, c := range made {
		r, err := c.Wait(ctx)
		require.NoError(t, err, "%s: %+v", c.Input, a.Stats())
		if i%4 == 3 {
			require.Equal(t, "no way", r.Text)
		} else {
			require.Equal(t, fmt.Sprintf(`{"did":%s}`, c.Input), string(r.Output))
		}
	}
	g.ranOnce(t, made)
	cuts := p.Cuts()
	s := a.Stats()
	require.EqualValues(t, calls, s.Results, "each result was delivered once")
	require.EqualValues(t, calls, s.Calls)
	require.Zero(t, s.Strays)
	require.Zero(t, s.Bad)
	require.Zero(t, s.SessionsLost)
	a.Close(ctx, "done")
	require.ErrorIs(t, a.Err(), ErrClosed)
	return s, cuts
}

// The first connection ends before each of its frames in turn, or in the middle of it, in each way that it may end.
func TestCutAnywhere(t *testing.T) {
	for end := range flaky.Endings {
		for _, half := range []bool{false, true} {
			t.Run(fmt.Sprintf("end %d half %v", end, half), func(t *testing.T) {
				t.Parallel()
				step := 1
				if testing.Short() || end == flaky.HalfOpen {
					step = 3
				}
				var sum Stats
				n := 0
				for ; ; n += step {
					s, cuts := journey(t, end != flaky.CutBoth, 8, func(connection int) (flaky.Fate, bool) {
						return flaky.Fate{Frames: n, Half: half, End: end}, connection == 0
					})
					if cuts == 0 {
						break
					}
					sum.add(s)
				}
				require.Greater(t, n, 15, "there were few places to cut")
				t.Logf("%d places: %+v", n/step, sum)
				require.NotZero(t, sum.Resumes)
			})
		}
	}
}

func (s *Stats) add(o Stats) {
	s.Connections += o.Connections
	s.Resumes += o.Resumes
	s.Calls += o.Calls
	s.AskedAgain += o.AskedAgain
	s.Results += o.Results
	s.Duplicates += o.Duplicates
}

// One connection after the other ends, anyhow. Where the listener refuses a second agent, the first must be found dead before it is let in again.
func TestChaos(t *testing.T) {
	seeds := uint64(12)
	if testing.Short() {
		seeds = 4
	}
	var sum Stats
	all := 0
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 7))
		s, cuts := journey(t, seed%2 == 0, 40, func(connection int) (flaky.Fate, bool) {
			return flaky.Fate{Frames: 3 + r.IntN(25), Half: r.IntN(2) == 0, End: flaky.Ending(r.IntN(int(flaky.Endings)))}, connection < 12
		})
		sum.add(s)
		all += cuts
	}
	t.Logf("%d cuts: %+v", all, sum)
	require.NotZero(t, sum.AskedAgain)
	require.NotZero(t, sum.Duplicates, "nothing was ever delivered twice: this test shows little")
}
