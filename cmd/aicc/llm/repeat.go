package llm

import (
	"fmt"
	"time"

	"aicc.dev/libaicc/core/jsonwire"
)

// repeats are the calls that have failed, by tool and input.
type repeats map[string]*repeated

type repeated struct {
	row   int       // failures since something changed
	total int       // since it succeeded
	until time.Time // the game said that it may be tried again then
	last  string
}

const maxRepeats = 4096 // calls that are remembered

func repeatKey(tool string, input []byte) string {
	hash := jsonwire.Hash(input)
	return tool + " " + string(hash[:])
}

// failed counts, and says how often it has failed in a row.
func (r repeats) failed(key string, o *outcome, now time.Time) int {
	one := r[key]
	if one == nil {
		if len(r) >= maxRepeats {
			clear(r)
		}
		one = &repeated{}
		r[key] = one
	}
	one.freshen(now)
	one.row++
	one.total++
	one.last = cut(fmt.Sprintf("%s: %s", o.Error.Code, o.Error.Message), 300)
	if ms := o.Error.RetryAfterMS; ms > 0 {
		one.until = now.Add(time.Duration(min(ms, 1e9)) * time.Millisecond)
	}
	return one.row
}

func (one *repeated) freshen(now time.Time) {
	if !one.until.IsZero() && !now.Before(one.until) {
		one.row, one.until = 0, time.Time{}
	}
}

// blocks says that a call is not to be sent: it has failed so often in a row, or four times as often with changes in between.
func (r repeats) blocks(key string, most int, now time.Time) bool {
	one := r[key]
	if one == nil {
		return false
	}
	one.freshen(now)
	return one.row >= most || one.total >= 4*most
}

// changed says that something has happened after which what failed may work.
func (r repeats) changed() {
	for _, one := range r {
		one.row = 0
	}
}
