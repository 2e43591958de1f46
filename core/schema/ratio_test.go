//go:build unix

package schema

import (
	"fmt"
	"syscall"
	"testing"

	"aicc.dev/libaicc/core/jsonwire"
	"github.com/stretchr/testify/require"
)

// used is the processor time of this process in nanoseconds: on a busy machine it says more than the clock.
func used() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

// cpu is the least processor time of one call, of five tries of n.
func cpu(n int, f func()) float64 {
	f()
	least := 0.0
	for try := range 5 {
		from := used()
		for range n {
			f()
		}
		if t := (used() - from) / float64(n); try == 0 || t < least {
			least = t
		}
	}
	return least
}

// ratioCases are what BenchmarkRatios runs. budget is the most that check may take of a peer's time.
var ratioCases = []struct {
	name, schema string
	input        []byte
	fits         bool
	rounds       int
	budget       float64
}{
	{"typical", benchSchema, []byte(benchInput), true, 20000, 0.5},
	{"100 KB", benchLargeSchema, benchLarge(), true, 30, 0.5},
	{"all faults", benchSchema, []byte(benchBad), false, 4000, 0},
}

// BenchmarkRatios prints, for the same schemas and inputs, this package's processor time and its ratio to the peers'. A peer starts from
// text, since it has to parse. Ours is once without the scan that every message has had before it comes here, and once with it.
func BenchmarkRatios(b *testing.B) {
	for _, p := range []struct {
		name  string
		start func(testing.TB) *peer
	}{{"ajv", startAJV}, {"rapidjson", startRapidJSON}, {"kaptinlin", startKaptinlin}} {
		b.Run(p.name, func(b *testing.B) {
			running := p.start(b)
			for _, one := range ratioCases {
				if p.name == "rapidjson" && !one.fits {
					continue // it stops at the first fault
				}
				s := mustCompile(b, one.schema, Options{})
				var c Checker
				var scan jsonwire.Scanner
				check := cpu(one.rounds, func() { s.Check(&c, one.input) })
				both := cpu(one.rounds, func() {
					if _, bad := scan.Check(one.input); bad == nil {
						s.Check(&c, one.input)
					}
				})
				compile := cpu(200, func() { _, _ = Compile([]byte(one.schema), Options{}) })
				var least peerAnswer
				for try := range 3 {
					a := running.ask(b, peerQuestion{Schema: []byte(one.schema), Inputs: []string{string(one.input)}, Rounds: one.rounds, All: !one.fits})
					require.Empty(b, a.Error)
					require.Equal(b, one.fits, a.Fits)
					if try == 0 || a.NS.Parse < least.NS.Parse {
						least = a
					}
				}
				fmt.Printf("| %s | %s | %.0f ns | %.0f ns | %.2fx | %.2fx | %.2fx of %.0f ns | %.4fx of %.0f us |\n", p.name, one.name, check, least.NS.Parse,
					check/least.NS.Parse, both/least.NS.Parse, check/least.NS.Only, least.NS.Only, compile/least.NS.Compile, least.NS.Compile/1e3)
				if one.budget > 0 {
					require.LessOrEqual(b, check/least.NS.Parse, one.budget, "over budget")
				}
			}
			for b.Loop() { // the work is done above
			}
		})
	}
}
