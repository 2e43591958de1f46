package main

import (
	"flag"
	"fmt"
	"strings"

	"aicc.dev/libaicc/cmd/aicc/lint"
	"aicc.dev/libaicc/cmd/aicc/live"
)

var lintCommand = command(verb{name: "lint", arguments: "[--strict] [--notes] [--disable RULE]... [--explain RULE | --rules] [--json] [FILE|URL]",
	short: "say what of a manifest models get wrong, and providers refuse", long: lintHelp, setup: setupLint})

const lintHelp = `
FILE is a manifest: a session_init as an agent receives it, a heartbeat with a manifest_update, any other object with "tools", an array of tools, or what an
MCP server lists. URL is a running game: 127.0.0.1:4100, or ws://127.0.0.1:4100/aicc/WORLD?character=NAME; the character is taken for a moment.

An error is what a bridge or a provider refuses, or a rule that does not hold; a warning is what models get wrong; a note is good to know, and told with
--notes only. Each finding names its rule: --explain RULE says why and shows an example, --disable RULE leaves it out, --rules lists all. The
status is 1 when there is an error, with --strict also when there is a warning.

  aicc lint session_init.json
  aicc lint --strict --disable many-tools 127.0.0.1:4100
  aicc lint --explain root-union
` + tokenHelp

func setupLint(flags *flag.FlagSet) func(*call) error {
	var disabled list
	join := addJoining(flags)
	strict := flags.Bool("strict", false, "warnings count as errors")
	notes := flags.Bool("notes", false, "tell the notes as well")
	explain := flags.String("explain", "", "say what a `RULE` is for")
	all := flags.Bool("rules", false, "list the rules")
	flags.Var(&disabled, "disable", "leave a `RULE` out; may be given more than once, or several with commas between")
	flags.Lookup("json").Usage = "write findings, notes too, or rules to standard output, as one JSON value"
	return func(c *call) error {
		switch {
		case *explain != "":
			r, ok := lint.Find(*explain)
			if !ok {
				return noRule("--explain", *explain)
			}
			return c.showRules([]lint.Rule{r}, true)
		case *all:
			return c.showRules(lint.Rules(), false)
		}
		var left []string
		for _, one := range disabled {
			for _, id := range strings.Split(one, ",") {
				if _, ok := lint.Find(id); !ok {
					return noRule("--disable", id)
				}
				left = append(left, id)
			}
		}
		name, text, source, err := c.tools(join)
		if err != nil {
			return err
		}
		findings := lint.Check(text, source, left)
		var count [lint.Error + 1]int
		for _, f := range findings {
			count[f.Severity]++
		}
		if c.json {
			err = c.write(struct {
				File     string         `json:"file"`
				Tools    int            `json:"tools"`
				Errors   int            `json:"errors"`
				Warnings int            `json:"warnings"`
				Notes    int            `json:"notes"`
				Findings []lint.Finding `json:"findings"`
			}{name, len(source.Tools), count[lint.Error], count[lint.Warning], count[lint.Note], append([]lint.Finding{}, findings...)})
		} else {
			c.showFindings(name, isAddress(name), len(source.Tools), findings, *notes, count)
		}
		if err == nil && (count[lint.Error] > 0 || *strict && count[lint.Warning] > 0) {
			err = errNo
		}
		return err
	}
}

func noRule(option, id string) error {
	return usagef("%s %s: there is no such rule; `aicc lint --rules` lists them", option, live.Clean(id))
}

func (c *call) showRules(rules []lint.Rule, whole bool) error {
	type rule struct {
		ID       string        `json:"id"`
		Severity lint.Severity `json:"severity"`
		Short    string        `json:"short"`
		Why      string        `json:"why"`
		Fix      string        `json:"fix"`
		Bad      string        `json:"bad,omitempty"`
		Good     string        `json:"good,omitempty"`
	}
	if c.json {
		list := []rule{}
		for _, r := range rules {
			list = append(list, rule(r))
		}
		return c.write(list)
	}
	p := c.paint(c.out)
	for _, r := range rules {
		if !whole {
			fmt.Fprintf(c.out, "%s %s %s\n", p.severity(r.Severity, fmt.Sprintf("%-8s", r.Severity)), p.bold(fmt.Sprintf("%-30s", r.ID)), r.Short)
			continue
		}
		fmt.Fprintf(c.out, "%s (%s): %s\n\n%s\n\nWhat to do: %s.\n", p.bold(r.ID), p.severity(r.Severity, r.Severity.String()), r.Short, wrap(r.Why, 100), r.Fix)
		if r.Bad != "" {
			fmt.Fprintf(c.out, "\nFound:     %s\nNot found: %s\n", live.Clean(r.Bad), live.Clean(r.Good))
		}
	}
	return nil
}

// severity is in red, yellow or blue.
func (p paint) severity(s lint.Severity, text string) string {
	return p.with([...]string{lint.Note: "34", lint.Warning: "33", lint.Error: "31"}[s], text)
}

func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for i, word := range strings.Fields(text) {
		switch {
		case i == 0:
		case column+1+len(word) > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

// showFindings writes a line for each finding, as compilers do, so that editors find the place; to a terminal they come under their tools, in columns.
func (c *call) showFindings(name string, running bool, tools int, findings []lint.Finding, notes bool, count [lint.Error + 1]int) {
	p := c.paint(c.out)
	if !notes {
		findings = without(findings, lint.Note)
	}
	if p {
		c.showColumns(p, running, findings)
	} else {
		for _, f := range findings {
			place := live.Clean(name)
			if !running {
				place = fmt.Sprintf("%s:%d:%d", place, f.Line, f.Column)
			}
			of := ""
			if f.Tool != "" {
				of = live.Clean(f.Tool) + ": "
			}
			fmt.Fprintf(c.out, "%s: %s: %s%s [%s]\n", place, f.Severity, of, live.Clean(f.Text), f.Rule)
		}
	}
	c.showFixes(p, findings)
	line := fmt.Sprintf("%s: %s: %s, %s", live.Clean(name), plural(tools, "tool"), plural(count[lint.Error], "error"), plural(count[lint.Warning], "warning"))
	if n := count[lint.Note]; n > 0 {
		if line += ", " + plural(n, "note"); !notes {
			line += " (--notes)"
		}
	}
	if count[lint.Error]+count[lint.Warning] == 0 {
		line = live.Clean(name) + ": good: " + strings.TrimPrefix(line, live.Clean(name)+": ")
	}
	fmt.Fprintln(c.out, line)
}

// showFixes says once of each rule what to do.
func (c *call) showFixes(p paint, findings []lint.Finding) {
	seen := map[string]bool{}
	for _, f := range findings {
		if seen[f.Rule] {
			continue
		}
		if len(seen) == 0 {
			fmt.Fprintln(c.out, "what to do (`aicc lint --explain RULE` says more):")
		}
		seen[f.Rule] = true
		fmt.Fprintf(c.out, "  %s: %s\n", p.bold(f.Rule), f.Fix)
	}
}

func without(findings []lint.Finding, s lint.Severity) (left []lint.Finding) {
	for _, f := range findings {
		if f.Severity != s {
			left = append(left, f)
		}
	}
	return left
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (c *call) showColumns(p paint, running bool, findings []lint.Finding) {
	wide := 0
	for _, f := range findings {
		wide = max(wide, len(f.Rule))
	}
	tool, first := "", true
	for _, f := range findings {
		if f.Tool != tool || first {
			if tool, first = f.Tool, false; tool == "" {
				fmt.Fprintln(c.out, p.bold("all tools"))
			} else {
				fmt.Fprintln(c.out, p.bold(live.Clean(tool)))
			}
		}
		place := ""
		if !running {
			place = fmt.Sprintf("%5d:%-4d", f.Line, f.Column)
		}
		fmt.Fprintf(c.out, "%s %s %s %s\n", p.dim(place), p.severity(f.Severity, fmt.Sprintf("%-7s", f.Severity)), p.dim(fmt.Sprintf("%-*s", wide, f.Rule)), live.Clean(f.Text))
	}
}
