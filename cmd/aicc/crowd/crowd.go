// Package crowd is many agents at once that call one tool of a running game again and again, and what that shows of the game.
package crowd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/script/phrase"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/latency"
	"aicc.dev/libaicc/core/message"
)

// Options of a run.
type Options struct {
	Target      live.Target
	Token       string
	Connections int           // at most; 0: one for each character that is free
	InFlight    int           // calls at once, of each connection
	Tool        string        // "": the only one there is
	Input       []byte        // of every call; nil: made from the tool's schema
	Calls       int           // in all; 0: for Time
	Time        time.Duration // 0: until all Calls are made
	Seed        uint64        // of the inputs
	Patience    time.Duration // for results: behind the end, or of one call where Calls says the end
}

// Report is what came of it.
type Report struct {
	Target      string            `json:"target"`
	Tool        string            `json:"tool"`
	Connections int               `json:"connections"`
	InFlight    int               `json:"in_flight"`
	Seconds     float64           `json:"seconds"`
	Calls       uint64            `json:"calls"`
	Results     uint64            `json:"results"`
	Good        uint64            `json:"good"`
	Errors      map[string]uint64 `json:"errors"`    // by code
	NoResult    uint64            `json:"no_result"` // calls without any
	Rate        float64           `json:"results_per_second"`
	LatencyMS   Latency           `json:"latency_ms"` // from the call to its result
	GameMS      Latency           `json:"game_ms"`    // of that, between its coming to the game and its answer, as the game says it
	Events      uint64            `json:"events"`
	Duplicates  uint64            `json:"duplicates"` // results that came again
	AskedAgain  uint64            `json:"asked_again"`
	Reconnects  uint64            `json:"reconnects"`
	Resumes     uint64            `json:"resumes"`
	Lost        uint64            `json:"sessions_lost"`
	Ratios      map[string]Ratio  `json:"ratios"`
	TickRate    float64           `json:"tick_rate_hz"`
}

// Latency is quantiles in milliseconds.
type Latency struct {
	P50 float64 `json:"p50"`
	P95 float64 `json:"p95"`
	P99 float64 `json:"p99"`
	Max float64 `json:"max"`
}

// Ratio is a number that may be compared from one machine to the next.
type Ratio float64

// member is one connection.
type member struct {
	a      *agent.Agent
	tool   *message.Tool
	all    latency.Histogram
	game   latency.Histogram
	errors map[string]uint64
	report Report
	mu     sync.Mutex
}

// connectAtOnce bounds how many connections are being made together.
const connectAtOnce = 16

// Run connects, calls, and tells. tell hears what is going on, in words.
func Run(ctx context.Context, o Options, tell func(string)) (*Report, error) {
	o.InFlight = max(o.InFlight, 1)
	seats, err := o.Target.List(ctx, o.Token)
	if err != nil {
		return nil, err
	}
	all := seats
	seats = slices.DeleteFunc(slices.Clone(seats), func(s live.Seat) bool { return !s.Free() })
	if o.Connections > 0 {
		seats = seats[:min(len(seats), o.Connections)]
	}
	if len(seats) == 0 {
		return nil, o.Target.Nobody(all)
	}
	if len(seats) < o.Connections {
		tell(fmt.Sprintf("%s wanted, and %s free: so many then", plural(o.Connections, "connection"), plural(len(seats), "character")))
	}
	members, err := connect(ctx, o, seats)
	defer func() {
		var wg sync.WaitGroup
		for _, m := range members {
			wg.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
				defer cancel()
				m.a.Close(ctx, "the crowd leaves")
			})
		}
		wg.Wait()
	}()
	if err != nil {
		return nil, err
	}
	for _, m := range members {
		if err := m.choose(o.Tool); err != nil {
			return nil, err
		}
	}
	tell(fmt.Sprintf("calls %s over %s, %d at once each", members[0].tool.ID, plural(len(members), "connection"), o.InFlight))
	return play(ctx, o, members)
}

func connect(ctx context.Context, o Options, seats []live.Seat) (members []*member, err error) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	gate := make(chan struct{}, connectAtOnce)
	for _, seat := range seats {
		gate <- struct{}{}
		wg.Go(func() {
			defer func() { <-gate }()
			a, fault := live.Connect(ctx, o.Target.At(seat), agent.Options{Token: o.Token, MaxInFlight: o.InFlight}, nil)
			mu.Lock()
			defer mu.Unlock()
			if fault != nil {
				if err == nil {
					err = fault
				}
				return
			}
			members = append(members, &member{a: a, errors: map[string]uint64{}})
		})
	}
	wg.Wait()
	return members, err
}

// choose finds the tool that is called.
func (m *member) choose(id string) error {
	tools := m.a.Manifest().Tools
	if id == "" && len(tools) == 1 {
		id = tools[0].ID
	}
	if m.tool = phrase.Find(tools, id); m.tool != nil {
		return nil
	}
	var have []string
	for i := range tools {
		have = append(have, tools[i].ID)
	}
	if len(have) == 0 {
		return errors.New("the character has no tools")
	}
	list := strings.Join(have, ", ")
	if id == "" {
		return fmt.Errorf("which tool is not said: give --tool one of %s", list)
	}
	return fmt.Errorf("there is no tool %q: give --tool one of %s", id, list)
}

// play makes the calls.
func play(ctx context.Context, o Options, members []*member) (*Report, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	until := ctx
	if o.Time > 0 {
		var cancel context.CancelFunc
		until, cancel = context.WithTimeout(ctx, o.Time)
		defer cancel()
	}
	var left atomic.Int64
	left.Store(int64(o.Calls))
	more := func() bool { return until.Err() == nil && (o.Calls == 0 || left.Add(-1) >= 0) }
	var callers, hearers sync.WaitGroup
	var fault atomic.Pointer[error]
	began := time.Now()
	for i, m := range members {
		hearers.Go(func() {
			for {
				if _, err := m.a.Event(ctx); err != nil {
					return
				}
				m.mu.Lock()
				m.report.Events++
				m.mu.Unlock()
			}
		})
		for j := range o.InFlight {
			callers.Go(func() {
				if err := m.caller(until, o, o.Seed+uint64(i*o.InFlight+j), more); err != nil {
					fault.CompareAndSwap(nil, &err)
				}
			})
		}
	}
	callers.Wait()
	took := time.Since(began)
	stop()
	hearers.Wait()
	if err := fault.Load(); err != nil {
		return nil, *err
	}
	return sum(o, members, took), nil
}

// caller makes one call after the other.
func (m *member) caller(until context.Context, o Options, seed uint64, more func() bool) error {
	g, err := NewGenerator(m.tool, seed)
	if err != nil && o.Input == nil {
		return err
	}
	for more() {
		input := o.Input
		if input == nil {
			if input, err = g.Input(); err != nil {
				return err
			}
		}
		began := time.Now()
		c, err := m.a.Start(m.tool.ID, input)
		if err != nil {
			return fmt.Errorf("a connection has ended: %w", err)
		}
		wait := m.settle(until, c, began, o)
		if wait > 0 {
			t := time.NewTimer(wait)
			select {
			case <-t.C:
			case <-until.Done():
			}
			t.Stop()
		}
	}
	return nil
}

// settle waits for a call's end and counts it. It says how long the game asks to be left alone.
func (m *member) settle(until context.Context, c *agent.Call, began time.Time, o Options) (wait time.Duration) {
	var r agent.Result
	err := errors.New("none")
	var alone <-chan time.Time
	patience := o.Patience
	if o.Time == 0 {
		t := time.NewTimer(patience)
		defer t.Stop()
		alone = t.C
	}
	select {
	case <-c.Done():
		r, err = c.Wait(context.Background())
	case <-until.Done():
	case <-alone: // no end is set but that of this call
		patience = 0
	}
	if err != nil {
		t := time.NewTimer(patience)
		defer t.Stop()
		select {
		case <-c.Done():
			r, err = c.Wait(context.Background())
		case <-t.C:
			c.Leave()
		}
	}
	took := time.Since(began)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.report.Calls++
	if err != nil {
		m.report.NoResult++
		return 0
	}
	m.report.Results++
	m.all.Record(took.Nanoseconds())
	if r.Meta.LatencyMS >= 0 {
		m.game.Record(r.Meta.LatencyMS * int64(time.Millisecond))
	}
	if r.OK {
		m.report.Good++
		return 0
	}
	m.errors[r.Code.String()]++
	return time.Duration(max(r.Meta.RetryAfterMS, 0)) * time.Millisecond
}

func sum(o Options, members []*member, took time.Duration) *Report {
	r := &Report{Target: o.Target.String(), Tool: members[0].tool.ID, Connections: len(members), InFlight: o.InFlight, Seconds: took.Seconds(), Errors: map[string]uint64{},
		TickRate: members[0].a.Manifest().TickRateHz}
	var all, game latency.Histogram
	for _, m := range members {
		r.Calls += m.report.Calls
		r.Results += m.report.Results
		r.Good += m.report.Good
		r.NoResult += m.report.NoResult
		r.Events += m.report.Events
		for code, n := range m.errors {
			r.Errors[code] += n
		}
		all.Add(&m.all)
		game.Add(&m.game)
		s := m.a.Stats()
		r.Duplicates += s.Duplicates
		r.AskedAgain += s.AskedAgain
		r.Reconnects += s.Connections - 1
		r.Resumes += s.Resumes
		r.Lost += s.SessionsLost
	}
	r.Rate = float64(r.Results) / max(took.Seconds(), 1e-9)
	r.LatencyMS, r.GameMS = quantiles(&all), quantiles(&game)
	r.Ratios = map[string]Ratio{}
	ratio := func(name string, a, b float64) {
		if b > 0 {
			r.Ratios[name] = Ratio(a / b)
		}
	}
	ratio("p99_to_p50", r.LatencyMS.P99, r.LatencyMS.P50)
	ratio("good_to_calls", float64(r.Good), float64(r.Calls))
	ratio("duplicates_to_results", float64(r.Duplicates), float64(r.Results))
	if r.TickRate > 0 {
		ratio("p50_to_tick", r.LatencyMS.P50, 1000/r.TickRate)
	}
	return r
}

func quantiles(h *latency.Histogram) Latency {
	ms := func(q float64) float64 { return float64(h.Quantile(q)) / 1e6 }
	return Latency{ms(0.5), ms(0.95), ms(0.99), ms(1)}
}

// String is the report for people.
func (r *Report) String() string {
	var b strings.Builder
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-18s"+format+"\n", append([]any{name}, args...)...)
	}
	row("tool", "%s at %s", r.Tool, r.Target)
	row("connections", "%d, %d calls at once each", r.Connections, r.InFlight)
	row("calls", "%d in %.2f s, %d results, %.1f a second", r.Calls, r.Seconds, r.Results, r.Rate)
	row("good", "%d (%.1f %%)", r.Good, 100*float64(r.Ratios["good_to_calls"]))
	codes := make([]string, 0, len(r.Errors))
	for code := range r.Errors {
		codes = append(codes, code)
	}
	slices.Sort(codes)
	for _, code := range codes {
		row("  "+code, "%d", r.Errors[code])
	}
	if r.NoResult > 0 {
		row("no result", "%d", r.NoResult)
	}
	times := func(name string, l Latency, more string) {
		row(name, "p50 %.3g ms, p95 %.3g ms, p99 %.3g ms, max %.3g ms%s", l.P50, l.P95, l.P99, l.Max, more)
	}
	tail := fmt.Sprintf("; p99 is %.1f times p50", r.Ratios["p99_to_p50"])
	if ticks, ok := r.Ratios["p50_to_tick"]; ok {
		tail += fmt.Sprintf(", p50 %.2g ticks", ticks)
	}
	times("latency", r.LatencyMS, tail)
	times("  in the game", r.GameMS, "")
	row("events", "%d", r.Events)
	row("duplicates", "%d results came again, %d calls were asked again", r.Duplicates, r.AskedAgain)
	row("reconnects", "%d, %d sessions went on, %d were lost", r.Reconnects, r.Resumes, r.Lost)
	return b.String()
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
