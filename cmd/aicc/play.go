package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"golang.org/x/term"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/play"
	"aicc.dev/libaicc/core/agent"
)

var playCommand = command(verb{name: "play", arguments: "URL [--character NAME] [--list] [--plain] [--wait TIME] [--token-file FILE] [--json]",
	short: "play a character of a running game by hand", long: playHelp, setup: setupPlay})

const playHelp = `
URL is where the game listens: 127.0.0.1:4100, or ws://127.0.0.1:4100/aicc/WORLD?character=NAME. Where the URL leaves open who is to be played and
several characters are free, you choose. Shown are the tools, what happens in the game as it happens, and what comes of the calls that you type:

  walk_to place=gate speed:=2        name=text, name:=JSON, pool.depth:=3 for an object inside
  say text="Halt! Who goes there?"   quotes where text has spaces
  walk_to {"place": "gate"}          or the whole input as JSON
  :help                              what else can be typed

Tab completes tools, names and values from the tool's schema; what it still wants stands above the prompt; what it does not take is not sent.
Ctrl-C, Ctrl-D or :quit leaves, and tells the game so. What the game writes is shown and never obeyed: control characters are written as escapes.

Where standard input or output is no terminal, or TERM is dumb, or with --plain, lines are read and written instead; with --json each line written is an
object with "type": tools, event, call, result, connection, note or error. It ends when its input has ended and every call has its result. The
status is 0; 1 when a line was wrong or a call failed; 2 when the game could not be joined.

  aicc play 127.0.0.1:4100
  aicc play 127.0.0.1:4100 --list
  echo look | aicc play 127.0.0.1:4100 --json

NO_COLOR is respected.
` + tokenHelp

func setupPlay(flags *flag.FlagSet) func(*call) error {
	join := addJoining(flags)
	list := flags.Bool("list", false, "only list the characters with their worlds, and who is free; status 1 when there is none")
	plain := flags.Bool("plain", false, "read and write lines, also in a terminal")
	flags.Lookup("json").Usage = "read and write lines, and write an object each"
	return func(c *call) error {
		t, token, err := join.target(c)
		if err != nil {
			return err
		}
		ctx, stop := interruptible()
		defer stop()
		if *list {
			return listSeats(ctx, c, t, token)
		}
		o := play.Options{Target: t, Token: token, In: c.in, Out: c.out, JSON: c.json,
			Connect: func(ctx context.Context, t live.Target, o agent.Options, tell func(live.Change)) (*agent.Agent, live.Target, error) {
				return join.connect(ctx, t, o, tell)
			}}
		if !*plain && !c.json && os.Getenv("TERM") != "dumb" && isTerminal(c.in) && isTerminal(c.out) {
			return play.Screen(ctx, o)
		}
		switch err := play.Lines(ctx, o); {
		case errors.Is(err, play.ErrLines):
			return errNo
		case errors.Is(err, context.Canceled):
			return nil
		default:
			return err
		}
	}
}

func listSeats(ctx context.Context, c *call, t live.Target, token string) error {
	seats, err := t.List(ctx, token)
	if err != nil {
		return err
	}
	if c.json {
		if err := c.write(append([]live.Seat{}, seats...)); err != nil {
			return err
		}
	} else {
		for _, s := range seats {
			fmt.Fprintln(c.out, play.Row(s))
		}
	}
	if len(seats) == 0 {
		return errNo
	}
	return nil
}

func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
