// Summary reads the JSON stream of `go test -json` and says what came of it.
//
// Standard input is the stream. The log is what `go test -v` would have printed. Standard output gets a line for each package as it ends, and
// everything that a failed test printed. The counts file gets three numbers: passed, failed, skipped. The notes file gets a line for each
// test that failed or was skipped. A test with subtests counts through them, a fuzz test counts once however many seeds it has.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	mostLines = 80
	mostBytes = 300
)

type event struct {
	Action, Package, ImportPath, Test, Output string
	Elapsed                                   float64
}

type test struct {
	verdict string
	output  []string
	parent  bool
}

type pack struct {
	name  string
	tests map[string]*test
	order []string
	loose []string // output that belongs to no test
}

type counts struct{ passed, failed, skipped int }

type run struct {
	log, notes, out io.Writer
	step, module    string
	packs           map[string]*pack
	builds          map[string][]string // what compilers said, by import path
	total           counts
}

func main() {
	log := flag.String("log", os.DevNull, "file for the whole output")
	totals := flag.String("counts", os.DevNull, "file for passed, failed, skipped")
	notes := flag.String("notes", os.DevNull, "file to append failures and skips to")
	step := flag.String("step", "", "what the notes say before each line's package")
	module := flag.String("module", "", "prefix of package names that need not be said")
	flag.Parse()
	if err := summarize(os.Stdin, os.Stdout, *log, *totals, *notes, *step, *module); err != nil {
		fmt.Fprintln(os.Stderr, "summary:", err)
		os.Exit(2)
	}
}

func summarize(in io.Reader, out io.Writer, logName, totalsName, notesName, step, module string) error {
	log, err := os.Create(logName)
	if err != nil {
		return err
	}
	defer log.Close()
	notes, err := os.OpenFile(notesName, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer notes.Close()
	r := &run{log: log, notes: notes, out: out, step: step, module: module, packs: map[string]*pack{}, builds: map[string][]string{}}
	if err := r.read(in); err != nil {
		return err
	}
	return os.WriteFile(totalsName, fmt.Appendln(nil, r.total.passed, r.total.failed, r.total.skipped), 0o644)
}

func (r *run) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			r.line(line)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *run) line(line string) {
	var e event
	if json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
		fmt.Fprint(r.log, line) // go itself: downloads, a pattern without packages
		fmt.Fprint(r.out, line)
		return
	}
	fmt.Fprint(r.log, e.Output)
	switch {
	case e.Action == "build-output":
		r.builds[e.ImportPath] = append(r.builds[e.ImportPath], e.Output)
	case e.Action == "build-fail":
		fmt.Fprint(r.out, strings.Join(r.builds[e.ImportPath], ""))
	case e.Package != "":
		r.record(e)
	}
}

func (r *run) record(e event) {
	p := r.packs[e.Package]
	if p == nil {
		p = &pack{name: strings.TrimPrefix(strings.TrimPrefix(e.Package, r.module), "/"), tests: map[string]*test{}}
		if p.name == "" {
			p.name = "."
		}
		r.packs[e.Package] = p
	}
	verdict := e.Action == "pass" || e.Action == "fail" || e.Action == "skip"
	if e.Test == "" {
		if e.Action == "output" {
			p.loose = append(p.loose, e.Output)
		} else if verdict {
			r.end(p, e)
		}
		return
	}
	t := p.test(e.Test)
	if e.Action == "output" {
		t.output = append(t.output, e.Output)
	} else if verdict {
		t.verdict = e.Action
	}
}

// A seed of a fuzz test is the fuzz test.
func (p *pack) test(name string) *test {
	if strings.HasPrefix(name, "Fuzz") {
		name, _, _ = strings.Cut(name, "/")
	}
	t := p.tests[name]
	if t != nil {
		return t
	}
	t = &test{}
	p.tests[name] = t
	p.order = append(p.order, name)
	for i := range name {
		if parent := p.tests[name[:i]]; name[i] == '/' && parent != nil {
			parent.parent = true
		}
	}
	return t
}

// end counts a package. A parent counts only if nothing below it says why it failed; a test that never ended failed.
func (r *run) end(p *pack, e event) {
	var c counts
	for _, name := range p.order {
		t := p.tests[name]
		switch {
		case t.verdict == "skip":
			c.skipped++
			r.note("skipped", p, name, t.reason())
		case t.verdict == "pass" && !t.parent:
			c.passed++
		case t.verdict == "pass" || t.parent && p.failedBelow(name):
		default:
			c.failed++
			r.note("failed", p, name, "")
			r.show(t.output)
		}
	}
	if e.Action == "fail" && c.failed == 0 {
		c.failed++
		r.note("failed", p, "", "the package did not build or its tests did not end")
		r.show(p.loose)
	}
	if len(p.order) > 0 || c.failed > 0 {
		fmt.Fprintf(r.out, "    %-24s %s  %.1fs\n", p.name, c, e.Elapsed)
	}
	r.total.passed += c.passed
	r.total.failed += c.failed
	r.total.skipped += c.skipped
}

// show prints what a failed test said. The terminal gets the end of it, the log has it all.
func (r *run) show(output []string) {
	if left := len(output) - mostLines; left > 0 {
		fmt.Fprintf(r.out, "    (%d lines before this are in the log)\n", left)
		output = output[left:]
	}
	for _, line := range output {
		if len(line) > mostBytes {
			line = strings.ToValidUTF8(line[:mostBytes], "") + "...\n"
		}
		fmt.Fprint(r.out, line)
	}
}

func (p *pack) failedBelow(name string) bool {
	for below, t := range p.tests {
		if strings.HasPrefix(below, name+"/") && t.verdict != "pass" && t.verdict != "skip" {
			return true
		}
	}
	return false
}

func (r *run) note(what string, p *pack, name, why string) {
	line := what + ": " + r.step + " " + p.name
	if name != "" {
		line += " " + name
	}
	if why != "" {
		line += ": " + why
	}
	fmt.Fprintln(r.notes, line)
}

// reason is what t.Skip said: the last line of output before the verdict, without its place in the source.
func (t *test) reason() string {
	for i := len(t.output) - 1; i >= 0; i-- {
		line := strings.TrimSpace(t.output[i])
		if line == "" || strings.HasPrefix(line, "---") || strings.HasPrefix(line, "===") {
			continue
		}
		if place, said, ok := strings.Cut(line, ": "); ok && strings.Contains(place, "_test.go:") {
			return said
		}
		return line
	}
	return ""
}

func (c counts) String() string {
	text := fmt.Sprintf("%d passed", c.passed)
	if c.failed > 0 {
		text += fmt.Sprintf(", %d failed", c.failed)
	}
	if c.skipped > 0 {
		text += fmt.Sprintf(", %d skipped", c.skipped)
	}
	return text
}
