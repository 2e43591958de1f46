package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/script"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/message"
)

var agentCommand = command(verb{name: "agent", arguments: "URL --script FILE|--llm BASE_URL --model NAME [--persona FILE] [--character NAME] [--wait TIME] [--token-file FILE] [--json]",
	short: "let a script, or a model, play a character of a running game", long: agentHelp + modelHelp + "\n" + script.Help, setup: setupAgent})

const agentHelp = `
URL is where the game listens: 127.0.0.1:4100, or ws://127.0.0.1:4100/aicc/WORLD?character=NAME. Without a character the first that is free is taken.
With --script - the script is read from standard input. Each step is written to standard output as it happens, what comes of the whole to standard
error. The status is 0 when every step held, 1 when one did not, 2 when the script could not be played.

  aicc agent 127.0.0.1:4100 --script examples/agents/guard.aicc
  aicc agent "ws://127.0.0.1:4100/aicc/night%20watch?character=guard" --script test.aicc --json --wait 20s
` + tokenHelp

const tokenHelp = `
A game that was given a token asks for it. It is read from --token-file FILE or from the environment variable AICC_TOKEN; --token TOKEN is for trying
things out, since everybody on the machine can read it in the list of processes.
`

// joining is the options of every command that joins a game.
type joining struct {
	token, tokenFile, character *string
	wait                        *time.Duration
}

func addJoining(flags *flag.FlagSet) *joining {
	return &joining{
		token:     flags.String("token", "", "the game's `TOKEN` (default: AICC_TOKEN); others on this machine can see it in ps: --token-file and AICC_TOKEN are better"),
		tokenFile: flags.String("token-file", "", "a `FILE` that holds the game's token"),
		character: flags.String("character", "", "the `NAME` of the character, when the URL does not say it (default: the first that is free)"),
		wait:      addSpan(flags, "wait", 0, 0, 0, "go on trying for this `TIME` when the game does not listen yet, or no character is free"),
	}
}

// target reads the only argument and the token.
func (j *joining) target(c *call) (t live.Target, token string, err error) {
	if len(c.args) != 1 {
		return t, "", usagef("one URL was wanted, %d came", len(c.args))
	}
	if t, err = live.Parse(c.args[0]); err != nil {
		return t, "", usageError(err.Error())
	}
	if *j.character != "" {
		if t.Character != "" && t.Character != *j.character {
			return t, "", usagef("the URL says character %q, and --character says %q", t.Character, *j.character)
		}
		t.Character = *j.character
	}
	switch {
	case j.wait != nil && *j.wait < 0:
		return t, "", usagef("--wait is a time from now on, like 20s; it is %v", *j.wait)
	case *j.token != "" && *j.tokenFile != "":
		return t, "", usagef("--token and --token-file were both given")
	case *j.tokenFile != "":
		text, err := c.read(*j.tokenFile)
		if err != nil {
			return t, "", err
		}
		if token = strings.TrimSpace(string(text)); token == "" {
			return t, "", fmt.Errorf("%s holds no token", *j.tokenFile)
		}
	default:
		if token = *j.token; token == "" {
			token = strings.TrimSpace(os.Getenv("AICC_TOKEN"))
		}
	}
	for _, b := range []byte(token) {
		if b <= ' ' || b > '~' {
			return t, "", errors.New("this is no token: it is printable ASCII without spaces")
		}
	}
	return t, token, nil
}

// retryPause is between two attempts of --wait.
const retryPause = 100 * time.Millisecond

// connect finds a character and connects to it.
func (j *joining) connect(ctx context.Context, t live.Target, o agent.Options, tell func(live.Change)) (*agent.Agent, live.Target, error) {
	end := time.Now().Add(*j.wait)
	for {
		found, err := t.Find(ctx, o.Token)
		if err == nil {
			var a *agent.Agent
			if a, err = live.Connect(ctx, found, o, tell); err == nil {
				return a, found, nil
			}
		}
		if live.ForGood(err) || time.Now().Add(retryPause).After(end) {
			return nil, found, err
		}
		select {
		case <-ctx.Done():
			return nil, found, ctx.Err()
		case <-time.After(retryPause):
		}
	}
}

// await waits for a character to be free, as long as --wait says.
func (j *joining) await(ctx context.Context, t live.Target, token string) error {
	end := time.Now().Add(*j.wait)
	for {
		_, err := t.Find(ctx, token)
		if err == nil || live.ForGood(err) || time.Now().Add(retryPause).After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryPause):
		}
	}
}

// interruptible is a context that Ctrl-C and a polite kill end.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

func goodbye(a *agent.Agent, reason string) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	a.Close(ctx, reason)
}

func setupAgent(flags *flag.FlagSet) func(*call) error {
	join := addJoining(flags)
	file := flags.String("script", "", "the `FILE` that says what to do; - is standard input")
	model := addModelling(flags)
	flags.Lookup("json").Usage = "write an object a line, for each step and at the end"
	return func(c *call) error {
		t, token, err := join.target(c)
		if err != nil {
			return err
		}
		switch {
		case *file == "" && *model.url == "":
			return usagef("who plays is not said: give --script FILE, or --llm BASE_URL and --model NAME")
		case *file != "" && *model.url != "":
			return usagef("--script and --llm were both given: one of them plays")
		case *file == "":
			return runModel(c, join, t, token, model)
		}
		return runScript(c, join, t, token, *file)
	}
}

func runScript(c *call, join *joining, t live.Target, token, file string) error {
	text, err := c.read(file)
	if err != nil {
		return err
	}
	s, err := script.Parse(string(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	ctx, stop := interruptible()
	defer stop()
	wake := make(chan struct{}, 1)
	o := agent.Options{Token: token, OnManifest: func(*message.Manifest) {
		select {
		case wake <- struct{}{}:
		default:
		}
	}}
	a, t, err := join.connect(ctx, t, o, nil)
	if err != nil {
		return err
	}
	defer goodbye(a, "the script has ended")
	log := script.Text(c.out)
	if c.json {
		log = script.JSON(c.out)
	} else {
		fmt.Fprintf(c.out, "plays %s\n", t)
	}
	sum, err := s.Run(ctx, script.Options{Agent: a, Character: t.Character, Log: log, Wake: wake})
	return endScript(c, file, sum, err)
}

// endScript says what came of a script.
func endScript(c *call, file string, sum script.Summary, err error) error {
	var failed *script.Failed
	if c.json {
		end := struct {
			Do      string  `json:"do"`
			Passed  bool    `json:"passed"`
			Steps   int     `json:"steps"`
			Calls   int     `json:"calls"`
			Events  int     `json:"events"`
			MS      float64 `json:"ms"`
			Line    int     `json:"line,omitempty"`
			Message string  `json:"message,omitempty"`
		}{"end", err == nil, sum.Steps, sum.Calls, sum.Events, float64(sum.Took.Microseconds()) / 1000, 0, ""}
		if errors.As(err, &failed) {
			end.Line = failed.Line
		}
		if err != nil {
			end.Message = err.Error()
		}
		if err := c.write(end); err != nil {
			return err
		}
	}
	switch {
	case err == nil:
		fmt.Fprintf(c.err, "%s holds: %d steps, %d calls, %d events in %s\n", file, sum.Steps, sum.Calls, sum.Events, live.Took(sum.Took))
		return nil
	case errors.As(err, &failed):
		fmt.Fprintf(c.err, "%s:%d: %s\n  %s\n", file, failed.Line, live.Clean(failed.Text), strings.Join(live.Lines(failed.Why), "\n  "))
		return errNo
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted")
	}
	return err
}
