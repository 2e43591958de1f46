package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"aicc.dev/libaicc/cmd/aicc/crowd"
	"aicc.dev/libaicc/cmd/aicc/script/phrase"
)

var benchCommand = command(verb{name: "bench", arguments: "URL --tool TOOL [--connections N] [--in-flight M] [--time TIME | --calls N] [--input INPUT] [--token-file FILE] [--json]",
	short: "let a crowd of agents call a tool of a running game, and measure", long: benchHelp, setup: setupBench})

const benchHelp = `
One agent connects to each character that is free, or to so many as --connections says, and calls the tool, with --in-flight calls at once, for a
time or a number of calls in all. Inputs are made from the tool's schema by chance, the same ones for the same --seed, or --input gives one for
all calls, as for aicc play: 'place=gate speed:=2' or '{"place":"gate"}'. What the game refuses for now is called again when it says.

Latency is from the call to its result, as an agent sees it. Of that "in the game" is the time from the call's coming to the answer, in whole
milliseconds, as the game says it (meta.latency_ms). A game answers when it runs a frame, so about half a tick is the least to expect. A listener reads 200
messages a second of one connection and lets the rest wait, so that one connection measures no more than that. Do not take it for the speed of the
library: the game's own work is in it.

The status is 0, or 1 when calls were left without a result.

  aicc bench 127.0.0.1:4100 --tool look --time 10s --in-flight 4
  aicc bench 127.0.0.1:4100 --tool walk_to --calls 1000 --json
` + tokenHelp

func setupBench(flags *flag.FlagSet) func(*call) error {
	join := addJoining(flags)
	tool := flags.String("tool", "", "the `TOOL` that is called; may be left out where there is one only")
	connections := flags.Int("connections", 0, "connect `N` agents at most; 0 is one for each free character")
	inFlight := flags.Int("in-flight", 1, "`M` calls at once of each connection; a game takes 16")
	duration := flags.Duration("time", 0, "go on for this `TIME`: 5s, unless --calls is given")
	calls := flags.Int("calls", 0, "make `N` calls in all")
	input := flags.String("input", "", "the `INPUT` of all calls; otherwise it is made from the schema")
	seed := flags.Uint64("seed", 1, "the `NUMBER` from which inputs are made")
	patience := flags.Duration("patience", 30*time.Second, "wait so much `TIME` for the results that are open at the end")
	return func(c *call) error {
		t, token, err := join.target(c)
		if err != nil {
			return err
		}
		o := crowd.Options{Target: t, Token: token, Connections: *connections, InFlight: *inFlight, Tool: *tool, Calls: *calls, Time: *duration, Seed: *seed, Patience: *patience}
		given := map[string]bool{}
		flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
		switch {
		case given["time"] && *duration == 0 || given["calls"] && *calls == 0:
			return usagef("--time and --calls are above 0; leave both out for 5 s")
		case *connections < 0 || *inFlight < 1 || *calls < 0 || *duration < 0 || *patience < 0:
			return usagef("numbers and times are at least 0, --in-flight is at least 1")
		case *inFlight > maxInFlight:
			return usagef("--in-flight is at most %d", maxInFlight)
		case *duration == 0 && *calls == 0:
			o.Time = 5 * time.Second
		}
		if *input != "" {
			const tool = "tool "
			p, err := phrase.Parse(tool + *input)
			if err == nil {
				o.Input, err = p.Input(nil)
			}
			if of := new(phrase.Error); errors.As(err, &of) {
				return usagef("--input: %s", &phrase.Error{At: of.At - len(tool), Msg: of.Msg})
			}
		}
		ctx, stop := interruptible()
		defer stop()
		if err := join.await(ctx, t, token); err != nil {
			return err
		}
		r, err := crowd.Run(ctx, o, func(text string) { fmt.Fprintln(c.err, text) })
		if errors.Is(err, context.Canceled) {
			return errors.New("interrupted")
		}
		if err != nil {
			return err
		}
		if c.json {
			err = c.write(r)
		} else {
			_, err = fmt.Fprint(c.out, r)
		}
		if err == nil && r.NoResult > 0 {
			return errNo
		}
		return err
	}
}

const maxInFlight = 1024
