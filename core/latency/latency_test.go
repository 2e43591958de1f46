package latency

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

const second = int64(1e9)

func TestEmpty(t *testing.T) {
	var h Histogram
	require.Zero(t, h.Summary())
	require.Zero(t, h.Quantile(1))
}

// Every bucket holds what lies between its neighbours, and its middle is within the stated error of both its ends.
func TestBuckets(t *testing.T) {
	last := -1
	for us := uint64(0); us < 1<<longest; us += 1 + us/977 {
		i := bucket(us)
		require.True(t, i == last || i == last+1, us)
		last = i
		off := math.Abs(float64(middle(i)) - float64(us*unit))
		require.LessOrEqual(t, off, max(float64(us*unit)*RelativeError, unit), us)
	}
	require.Equal(t, buckets-1, last)
	require.Equal(t, buckets-1, bucket(math.MaxUint64))
	require.Equal(t, buckets-1, bucket(1<<longest))
}

func TestQuantilesAreWithinTheStatedError(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, draw := range map[string]func() int64{
		"even":    func() int64 { return r.Int64N(second) },
		"skewed":  func() int64 { return int64(math.Exp(r.NormFloat64()*2+13)) % (3600 * second) },
		"two":     func() int64 { return []int64{2_000_000, 9_000_000_000}[r.IntN(2)] },
		"minutes": func() int64 { return 600*second + r.Int64N(600*second) },
	} {
		var h Histogram
		var all []int64
		for range 20_000 {
			ns := draw()
			all = append(all, ns)
			h.Record(ns)
		}
		slices.Sort(all)
		for _, q := range []float64{0, 0.01, 0.5, 0.95, 0.99, 1} {
			want := float64(all[max(int(math.Ceil(q*float64(len(all))))-1, 0)])
			require.InDelta(t, want, float64(h.Quantile(q)), want*RelativeError+unit, "%s %v", name, q)
		}
		require.Equal(t, uint64(20_000), h.Calls())
	}
}

func TestEdges(t *testing.T) {
	var h Histogram
	h.Record(-5)
	require.Equal(t, int64(unit/2), h.Quantile(0.5))
	h = Histogram{}
	h.Record(math.MaxInt64)
	require.InDelta(t, float64(1<<longest)*unit, float64(h.Quantile(0.5)), float64(1<<longest)*unit*RelativeError)
}

func TestFullCountersHalve(t *testing.T) {
	h := Histogram{calls: math.MaxUint32 + 10}
	slow := bucket(1_000_000)
	h.counts[slow], h.counts[3] = math.MaxUint32, 10
	h.Record(second)
	require.Equal(t, uint32(math.MaxUint32/2+1), h.counts[slow])
	require.Equal(t, uint32(5), h.counts[3])
	require.Equal(t, uint64(math.MaxUint32+11), h.Calls())

	var sum Histogram
	full := Histogram{calls: 7}
	full.counts[slow] = math.MaxUint32
	sum.Add(&full)
	sum.Add(&full)
	require.Equal(t, uint64(14), sum.Calls())
	require.InDelta(t, float64(second), float64(sum.Quantile(0.5)), float64(second)*RelativeError)
}

func TestAddIsTheSameAsRecordingAll(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var a, b, all Histogram
	for i := range 5000 {
		ns := r.Int64N(second)
		all.Record(ns)
		if i%3 == 0 {
			a.Record(ns)
		} else {
			b.Record(ns)
		}
	}
	a.Add(&b)
	require.Equal(t, all, a)
}

func TestRecordAllocatesNothing(t *testing.T) {
	var h Histogram
	require.Zero(t, testing.AllocsPerRun(100, func() { h.Record(123_456_789) }))
}

func BenchmarkRecord(b *testing.B) {
	var h Histogram
	for i := int64(0); b.Loop(); i += 977 {
		h.Record(i)
	}
}
