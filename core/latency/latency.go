// Package latency is a histogram of durations that takes one in a few nanoseconds, needs no memory beyond itself, and
// gives quantiles with a known error.
//
// A duration is kept to within 1/32 of its value (3.2 %) and one microsecond; what is longer than 71 minutes counts as
// 71 minutes. The zero Histogram is ready. It takes 2 KiB, so hold a pointer and make one with the first call.
package latency

import (
	"math"
	"math/bits"
)

// Sixteen buckets for each doubling, from one microsecond up to 2^32.
const (
	finest  = 4 // bits that tell the buckets of one doubling apart
	longest = 32
	buckets = (longest - finest + 1) << finest
	unit    = 1000 // nanoseconds
)

// RelativeError bounds how far a quantile is from a duration that was recorded, as a part of it.
const RelativeError = 1.0 / (2 << finest)

// Histogram counts durations. One goroutine at a time.
type Histogram struct {
	calls  uint64
	counts [buckets]uint32
}

// Record counts one duration in nanoseconds. A negative one counts as 0. Nothing allocates.
func (h *Histogram) Record(ns int64) {
	i := bucket(uint64(max(ns, 0)) / unit)
	if h.counts[i] == math.MaxUint32 {
		h.halve()
	}
	h.counts[i]++
	h.calls++
}

// halve makes room: what was long ago weighs half from now on.
func (h *Histogram) halve() {
	for i := range h.counts {
		h.counts[i] /= 2
	}
}

func bucket(us uint64) int {
	us = min(us, 1<<longest-1)
	if us < 1<<finest {
		return int(us)
	}
	shift := bits.Len64(us) - 1 - finest
	return (shift+1)<<finest + int(us>>shift) - 1<<finest
}

// middle is the duration in nanoseconds that stands for a bucket.
func middle(i int) int64 {
	if i < 1<<finest {
		return int64(i)*unit + unit/2
	}
	shift := i>>finest - 1
	low := int64(i&(1<<finest-1)|1<<finest) << shift
	return (low*2 + 1<<shift) * unit / 2
}

// Calls is how many durations were recorded.
func (h *Histogram) Calls() uint64 { return h.calls }

// Quantile gives the duration in nanoseconds that a part q, from 0 to 1, of all are not above; 0 when there are none.
func (h *Histogram) Quantile(q float64) int64 {
	total := uint64(0)
	for _, n := range h.counts {
		total += uint64(n)
	}
	if total == 0 {
		return 0
	}
	rank := uint64(math.Ceil(min(max(q, 0), 1) * float64(total)))
	rank = max(rank, 1)
	for i, n := range h.counts {
		if uint64(n) >= rank {
			return middle(i)
		}
		rank -= uint64(n)
	}
	return middle(buckets - 1)
}

// Add counts what another histogram has counted.
func (h *Histogram) Add(other *Histogram) {
	for i, n := range other.counts {
		for uint64(h.counts[i])+uint64(n) > math.MaxUint32 {
			h.halve()
			n /= 2
		}
		h.counts[i] += n
	}
	h.calls += other.calls
}

// Summary is what is published of a Histogram.
type Summary struct {
	Calls        uint64
	P50NS, P95NS int64
}

// Summary gives the count and both quantiles.
func (h *Histogram) Summary() Summary {
	return Summary{Calls: h.calls, P50NS: h.Quantile(0.50), P95NS: h.Quantile(0.95)}
}
