//go:build unix

package layout

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/message"
)

// encoder makes an event's whole message the way a session does.
type encoder struct {
	layout       *Layout
	prefix       []byte
	ids          *message.IDSource
	meta         message.Meta
	payload, out []byte
	counts       Counts
}

const benchSession = "6f0c1b9e-55ab-4b07-9f5e-0d9c7f6a1234"

func newEncoder(t testing.TB, l *Layout) *encoder {
	id, ok := message.ParseID(benchSession)
	require.True(t, ok)
	return &encoder{layout: l, prefix: message.AppendPrefix(nil, message.Event, id), ids: message.NewIDSource([32]byte{1}),
		meta: message.Meta{LatencyMS: -1, Source: "keep"}}
}

func (e *encoder) message(data []byte, tick uint64) []byte {
	e.payload = append(e.payload[:0], `{"kind":"guard"`...)
	e.payload = append(e.layout.AppendMembers(e.payload, data, &e.counts), '}')
	e.meta.Tick = tick
	e.out = message.AppendEventBehind(e.out[:0], e.prefix, e.ids.Next(), message.TopicStateChange, e.payload, &e.meta)
	return e.out
}

// rapidJSON runs the reference. It gives its message, with the id that is asked for, and its nanoseconds.
func rapidJSON(t testing.TB, id string, rounds int) (text string, ns float64) {
	t.Helper()
	lacking := func(err error) {
		if err == nil {
			return
		}
		if os.Getenv("CI") == "true" {
			t.Fatalf("RapidJSON (Debian: rapidjson-dev) and a C++ compiler: %v", err)
		}
		t.Skipf("RapidJSON (Debian: rapidjson-dev) and a C++ compiler: %v", err)
	}
	compiler := os.Getenv("CXX")
	if compiler == "" {
		compiler = "c++"
	}
	_, err := os.Stat("/usr/include/rapidjson/writer.h")
	lacking(err)
	program := filepath.Join(t.TempDir(), "event")
	said, err := exec.Command(compiler, "-std=c++11", "-O2", "-DNDEBUG", "-o", program, "testdata/rapidjson/event.cpp").CombinedOutput()
	if err != nil {
		t.Log(string(said))
	}
	lacking(err)
	out, err := exec.Command(program, benchSession, id, strconv.Itoa(rounds)).Output()
	require.NoError(t, err)
	lines := strings.Split(string(out), "\n")
	ns, err = strconv.ParseFloat(lines[1], 64)
	require.NoError(t, err)
	return lines[0], ns
}

func TestRapidJSONWritesTheSame(t *testing.T) {
	l, data := guard(t)
	e := newEncoder(t, l)
	ours := string(e.message(data, 123456))
	at := len(e.prefix)
	theirs, _ := rapidJSON(t, ours[at:at+36], 1)
	require.Equal(t, theirs, ours)
	require.Equal(t, Counts{}, e.counts)
	buf := 0
	require.Zero(t, testing.AllocsPerRun(100, func() { buf += len(e.message(data, 123456)) }))
}

// BenchmarkEvent prints, for one event of 32 bytes made into its whole message with an id of its own, the processor time
// as a ratio to RapidJSON's Writer, which writes the same text with a constant id. The budget is 0.35.
func BenchmarkEvent(b *testing.B) {
	l, nice := guard(b)
	// The same with floats as physics makes them, which have nine digits, and with three decimals.
	full := guardData(12.4837266, -3.2581734, 118.120384, 1.5709231)
	three := guardLayout(b, 3)
	_, reference := rapidJSON(b, benchSession, 400000)
	for _, c := range []struct {
		name   string
		layout *Layout
		data   []byte
	}{{"short_floats", l, nice}, {"full_floats", l, full}, {"full_floats_3_decimals", three, full}} {
		b.Run(c.name, func(b *testing.B) {
			e := newEncoder(b, c.layout)
			b.ReportAllocs()
			least := math.Inf(1)
			for b.Loop() {
				// The least of many short runs: on a busy machine the others measure its other work.
				const rounds = 2000
				from := processorTime()
				for i := range rounds {
					e.message(c.data, 123456+uint64(i&1))
				}
				least = min(least, (processorTime()-from)/rounds)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(least, "ns/event")
			b.ReportMetric(least/reference, "x_rapidjson")
			b.ReportMetric(0.35, "x_budget")
		})
	}
}

// BenchmarkAppend is the payload alone.
func BenchmarkAppend(b *testing.B) {
	l, data := guard(b)
	buf := make([]byte, 0, 1024)
	var c Counts
	b.ReportAllocs()
	for b.Loop() {
		buf = l.Append(buf[:0], data, &c)
	}
}

// processorTime is that of this process, in nanoseconds.
func processorTime() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}
