// Demo runs a host program, connects to the port that it opens, plays its character over aicc/0.1 with a scripted agent, and tells in the terminal
// what happens.
//
//	demo -host build/bin/guard [-transcript FILE] [-pace 600ms] [-patient] [-timeout 30s]
//
// It is an end-to-end test as well: whatever goes otherwise than the script demands ends it with a sentence and status 1.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

func main() {
	host := flag.String("host", "", "the host program, with its arguments behind the flags; one more, 0, asks it for any port")
	file := flag.String("transcript", "", "write each message to `FILE`, one JSON object a line")
	pace := flag.Duration("pace", 600*time.Millisecond, "how long the agent thinks before it does something, so that one can follow")
	limit := flag.Duration("timeout", 30*time.Second, "kill the host and fail after this time")
	patient := flag.Bool("patient", false, "let the agent wait until a limit of calls a minute lets it speak again, which takes most of a minute")
	flag.Parse()
	if *host == "" {
		fmt.Fprintln(os.Stderr, "demo: -host PROGRAM is missing, for instance -host build/bin/guard")
		os.Exit(2)
	}
	width, isTerminal := terminal(os.Stdout)
	show := newNarrator(os.Stdout, width, isTerminal && os.Getenv("NO_COLOR") == "")
	if *patient {
		*limit += time.Minute
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *host, flag.Args(), *file, script{*pace, *patient}, *limit, show); err != nil {
		show.failed(err)
		os.Exit(1)
	}
}

// script is how the script is played.
type script struct {
	pace    time.Duration
	patient bool // wait out a limit of calls a minute
}

// run starts the host, plays the script, tells the host to end and waits for that.
func run(interrupt context.Context, host string, args []string, file string, how script, limit time.Duration, show *narrator) (err error) {
	ctx, cancel := context.WithTimeout(interrupt, limit)
	defer cancel()
	var log *transcript
	if file != "" {
		f, err := os.Create(file)
		if err != nil {
			return fmt.Errorf("the transcript cannot be written: %w", err)
		}
		log = &transcript{w: f, start: time.Now()}
		defer func() { err = errors.Join(err, log.err, f.Close()) }()
	}

	cmd := exec.CommandContext(ctx, host, append(args, "0")...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	told, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("the host does not start: %w", err)
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	p := newPlayer(strings.TrimSpace(address), told, show, log, how.pace)
	switch {
	case err != nil:
		p.fail("the host closed its end while the agent waited for its address")
	case !strings.HasPrefix(address, "ws://"):
		p.fail("the host's first line should be the address at which it listens; it is %.200q", strings.TrimSpace(address))
	}
	play(p, how.patient)
	err = p.finish(func() error {
		if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
			return err
		}
		return nil
	})
	if err != nil {
		defer time.AfterFunc(time.Second, cancel).Stop() // it may hang; if it crashed, how is worth knowing
	}
	exit := cmd.Wait()
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return errors.Join(err, fmt.Errorf("the host had not ended after %v and was killed", limit))
	case interrupt.Err() != nil:
		return errors.New("interrupted, and the host was killed")
	case exit != nil && ctx.Err() == nil:
		return errors.Join(err, fmt.Errorf("the host ended with %v; 0 was wanted", exit))
	case err != nil:
		return err
	}
	if err := behaved(p); err != nil {
		return err
	}
	show.ended(p)
	return nil
}

// transcript writes messages as they pass. Its first error sticks.
type transcript struct {
	w     io.Writer
	start time.Time
	err   error
}

const (
	toAgent  = "to_agent"
	toBridge = "to_bridge"
)

// add writes one message, which is JSON.
func (t *transcript) add(direction string, raw []byte) {
	if t == nil || t.err != nil {
		return
	}
	_, t.err = fmt.Fprintf(t.w, "{\"time_ms\":%d,\"direction\":%q,\"message\":%s}\n", time.Since(t.start).Milliseconds(), direction, raw)
}
