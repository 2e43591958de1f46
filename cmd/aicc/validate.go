package main

import (
	"flag"
	"fmt"
	"sort"
	"strings"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/validate"
)

var validateCommand = command(verb{name: "validate", arguments: "[--from agent|game] [--calls] [--most N] [--json] [FILE...]",
	short: "say what is wrong with messages of the protocol", long: validateMessagesHelp, setup: setupValidateMessages})

const validateMessagesHelp = `
FILE is a message, messages a line each or each over many lines, an array of them, or a transcript, whose lines are
{"direction":"to_agent"|"to_bridge","message":{...}}. Each is held against the schema of aicc/0.1, and against what that schema says in words: one of output and
error, bounds, ids that are unique, tool schemas that can be used. Each fault is told with its place, what was wanted, what came, and what to do.
--from says who has sent them, and also finds what that side may not send. --calls finds calls of no tool, inputs that their tool refuses, and results that it
should not give, by the session_init and the manifest_updates in the file. The status is 1 when there is a fault.

  aicc validate --calls transcript.jsonl
  aicc validate --from agent --json - < call.json`

func setupValidateMessages(flags *flag.FlagSet) func(*call) error {
	from := flags.String("from", "", "`WHO` has sent the messages: agent or game; not given: not held against them")
	calls := flags.Bool("calls", false, "hold calls and results against the manifest that came before them in their session")
	most := flags.Int("most", 100, "tell at most `N` faults of a file")
	return func(c *call) error {
		side, ok := validate.ParseSide(*from)
		if !ok {
			return usagef("--from %s: agent or game was wanted", *from)
		}
		if *most < 1 {
			return usagef("--most %d: at least 1 was wanted", *most)
		}
		type verdict struct {
			File     string           `json:"file"`
			Valid    bool             `json:"valid"`
			Messages int              `json:"messages"`
			Bad      int              `json:"bad"`
			Faults   []validate.Fault `json:"faults"`
			More     int              `json:"more,omitempty"`
			Types    map[string]int   `json:"types"`
		}
		all := []verdict{}
		for _, name := range c.files() {
			text, err := c.read(name)
			if err != nil {
				return err
			}
			r := validate.Check(text, validate.Options{From: side, Calls: *calls, MaxFaults: *most})
			v := verdict{name, r.Bad == 0 && r.Messages > 0, r.Messages, r.Bad, append([]validate.Fault{}, r.Faults...), r.More, r.Types}
			if all = append(all, v); !c.json {
				c.showFaults(name, r)
			}
		}
		if c.json {
			if err := c.write(all); err != nil {
				return err
			}
		}
		for _, v := range all {
			if !v.Valid {
				return errNo
			}
		}
		return nil
	}
}

func (c *call) showFaults(name string, r *validate.Report) {
	p := c.paint(c.out)
	name = live.Clean(name)
	for _, f := range r.Faults {
		what := "message " + fmt.Sprint(f.Message)
		if f.Type != "" {
			what += ", " + f.Type
		}
		if f.Pointer != "" {
			what += ", at " + live.Clean(f.Pointer)
		}
		got := ""
		if f.Got != "" {
			got = "; got " + live.Clean(f.Got)
		}
		text := "wanted " + live.Clean(f.Wanted) + got
		switch {
		case f.Rule == "json" && f.Schema:
			text = "this is not JSON: " + live.Clean(f.Got)
		case f.Rule == "json":
			text = "this JSON is not taken: " + live.Clean(f.Got)
		}
		fmt.Fprintf(c.out, "%s %s %s\n", p.bold(fmt.Sprintf("%s:%d:%d:", name, f.Line, f.Column)), p.dim("("+what+")"), text)
		if f.Fix != "" {
			fmt.Fprintf(c.out, "    %s\n", live.Clean(f.Fix))
		}
	}
	if r.More > 0 {
		fmt.Fprintf(c.out, "%s: and %d faults more\n", name, r.More)
	}
	switch {
	case r.Messages == 0:
		fmt.Fprintf(c.out, "%s: there is no message in it\n", name)
	case r.Bad > 0:
		fmt.Fprintf(c.out, "%s: %d of %d messages are bad\n", name, r.Bad, r.Messages)
	default:
		var kinds []string
		for kind := range r.Types {
			kinds = append(kinds, kind)
		}
		sort.Strings(kinds)
		for i, kind := range kinds {
			kinds[i] = fmt.Sprintf("%d %s", r.Types[kind], kind)
		}
		fmt.Fprintf(c.out, "%s: good: %s\n", name, strings.Join(kinds, ", "))
	}
}
