package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// How the command ends.
const (
	exitGood  = 0
	exitNo    = 1 // it ran, and the answer is no: a fault, no match, a bad signature
	exitWrong = 2 // it could not run: wrong arguments, a file that cannot be read
)

// env is what the command has of the world.
type env struct {
	in       io.Reader
	out, err io.Writer
	now      func() time.Time
}

// group is the first word of a command. A group of one verb without a name is a command by itself: `aicc lint FILE`.
type group struct {
	name, short string
	verbs       []verb
}

// command makes a group that needs no second word. short is what the list says, and v has the rest.
func command(v verb) group {
	g := group{name: v.name, short: v.short}
	v.name = ""
	g.verbs = []verb{v}
	return g
}

func (g *group) single() bool { return len(g.verbs) == 1 && g.verbs[0].name == "" }

// words are what is typed before a verb's arguments.
func (g *group) words(v *verb) string { return strings.TrimSpace("aicc " + g.name + " " + v.name) }

type verb struct {
	name, arguments string
	short           string // one line
	long            string // what reads, what writes, what to do next; with its examples
	setup           func(*flag.FlagSet) func(*call) error
}

// call is one run of a verb.
type call struct {
	*env
	args []string
	json bool
}

// errNo ends with exitNo; what there is to say has been said.
var errNo = errors.New("no")

// usageError is a mistake in the arguments.
type usageError string

func (e usageError) Error() string { return string(e) }

func usagef(format string, args ...any) error { return usageError(fmt.Sprintf(format, args...)) }

func run(args []string, e *env) int {
	if len(args) == 0 {
		help(e.err)
		return exitWrong
	}
	asked := false
	switch args[0] {
	case "help", "-h", "--help":
		asked = true
		args = args[1:]
		if len(args) == 0 {
			help(e.out)
			return exitGood
		}
	case "version", "--version":
		fmt.Fprintln(e.out, "aicc", version)
		return exitGood
	}
	g := findGroup(args[0])
	if g == nil {
		fmt.Fprintf(e.err, "aicc: there is no %q; `aicc help` lists what there is\n", args[0])
		return exitWrong
	}
	if g.single() {
		if asked {
			g.verbs[0].help(e.out, g)
			return exitGood
		}
		return g.verbs[0].run(g, args[1:], e)
	}
	if len(args) == 1 || args[1] == "help" && len(args) == 2 || isHelp(args[1]) {
		if asked || len(args) > 1 {
			g.help(e.out)
			return exitGood
		}
		g.help(e.err)
		return exitWrong
	}
	v := g.find(args[1])
	if v == nil {
		fmt.Fprintf(e.err, "aicc %s: there is no %q; there are %s\n", g.name, args[1], strings.Join(g.names(), ", "))
		return exitWrong
	}
	if asked {
		v.help(e.out, g)
		return exitGood
	}
	return v.run(g, args[2:], e)
}

func isHelp(s string) bool { return s == "-h" || s == "-help" || s == "--help" }

func (v *verb) flags(g *group) (flags *flag.FlagSet, asJSON *bool, act func(*call) error) {
	flags = flag.NewFlagSet(g.words(v), flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	asJSON = flags.Bool("json", false, "write everything to standard output, as one JSON value")
	return flags, asJSON, v.setup(flags)
}

func (v *verb) run(g *group, args []string, e *env) int {
	flags, asJSON, act := v.flags(g)
	c := &call{env: e}
	for { // options may stand before, between and behind the files
		if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
			v.help(e.out, g)
			return exitGood
		} else if err != nil {
			return v.fail(g, e, usageError(strings.ReplaceAll(err.Error(), "flag provided but not defined: -", "there is no option --")))
		}
		rest := flags.Args()
		if len(rest) == 0 {
			break
		}
		if len(args) > len(rest) && args[len(args)-len(rest)-1] == "--" {
			c.args = append(c.args, rest...)
			break
		}
		c.args = append(c.args, rest[0])
		args = rest[1:]
	}
	c.json = *asJSON
	return v.fail(g, e, act(c))
}

// fail says what went wrong and gives the status to end with.
func (v *verb) fail(g *group, e *env, err error) int {
	var usage usageError
	var status exitStatus
	switch {
	case err == nil:
		return exitGood
	case errors.As(err, &status):
		return int(status)
	case errors.Is(err, errNo):
		return exitNo
	case errors.As(err, &usage):
		fmt.Fprintf(e.err, "%s: %s\nusage: %s %s\n`%s` says more\n", g.words(v), err, g.words(v), v.arguments, strings.Replace(g.words(v), "aicc", "aicc help", 1))
	default:
		fmt.Fprintf(e.err, "%s: %s\n", g.words(v), err)
	}
	return exitWrong
}

func findGroup(name string) *group {
	for i := range groups {
		if groups[i].name == name {
			return &groups[i]
		}
	}
	return nil
}

func (g *group) find(name string) *verb {
	for i := range g.verbs {
		if g.verbs[i].name == name {
			return &g.verbs[i]
		}
	}
	return nil
}

func (g *group) names() (names []string) {
	for _, v := range g.verbs {
		names = append(names, v.name)
	}
	return names
}

func help(w io.Writer) {
	fmt.Fprint(w, "usage: aicc COMMAND [OPTIONS] [ARGUMENT...]\n\n")
	for i := range groups {
		g := &groups[i]
		if g.single() {
			fmt.Fprintf(w, "aicc %-12s%s\n", g.name, g.short)
			continue
		}
		fmt.Fprintf(w, "%s: %s\n", g.name, g.short)
		for _, v := range g.verbs {
			fmt.Fprintf(w, "  aicc %s %-10s%s\n", g.name, v.name, v.short)
		}
	}
	fmt.Fprint(w, "\n`aicc help COMMAND` says more of one. A FILE is - for standard input, which is also read when no file is named.\n"+
		"Status: 0 good; 1 the answer is no; 2 wrong arguments, or a file that cannot be read.\n")
}

func (g *group) help(w io.Writer) {
	fmt.Fprintf(w, "aicc %s: %s\n\n", g.name, g.short)
	for _, v := range g.verbs {
		fmt.Fprintf(w, "  aicc %s %s %s\n      %s\n", g.name, v.name, v.arguments, v.short)
	}
	fmt.Fprintf(w, "\n`aicc help %s VERB` says more of one.\n", g.name)
}

func (v *verb) help(w io.Writer, g *group) {
	fmt.Fprintf(w, "usage: %s %s\n\n%s\n", g.words(v), v.arguments, strings.TrimSpace(v.long))
	flags, _, _ := v.flags(g)
	fmt.Fprint(w, "\noptions:\n")
	flags.VisitAll(func(f *flag.Flag) {
		value, text := flag.UnquoteUsage(f)
		if value != "" {
			value = " " + value
		}
		fmt.Fprintf(w, "  --%s%s\n      %s\n", f.Name, value, text)
	})
}

// list is an option that may be given more than once.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(s string) error {
	*l = append(*l, s)
	return nil
}

const maxFile = 16 << 20

// read gives a file's text; "-" is standard input.
func (c *call) read(name string) ([]byte, error) {
	from := c.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		from = f
	}
	text, err := io.ReadAll(io.LimitReader(from, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s: more than %d bytes", name, maxFile)
	}
	return text, err
}

// one gives the only file that an argument names, or standard input.
func (c *call) one() (name string, text []byte, err error) {
	switch len(c.args) {
	case 0:
		name = "-"
	case 1:
		name = c.args[0]
	default:
		return "", nil, usagef("one file was wanted, %d came", len(c.args))
	}
	text, err = c.read(name)
	return name, text, err
}

// files are the names of all files, or standard input.
func (c *call) files() []string {
	if len(c.args) == 0 {
		return []string{"-"}
	}
	return c.args
}

// write writes one JSON value and the end of its line.
func (c *call) write(v any) error {
	e := json.NewEncoder(c.out)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
