// Package lint says what of a manifest models get wrong, and what of it providers refuse: each finding by a rule that says why, and what to do.
package lint

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aicc.dev/libaicc/cmd/aicc/provider"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// Severity is how bad a finding is.
type Severity uint8

// The severities. Notes are about what is good to know and often meant.
const (
	Note Severity = 1 + iota
	Warning
	Error
)

var severityNames = [...]string{Note: "note", Warning: "warning", Error: "error"}

func (s Severity) String() string { return severityNames[s] }

// MarshalText is the severity's name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// Rule is one thing that is looked for.
type Rule struct {
	ID       string
	Severity Severity
	Short    string // what is wrong
	Why      string // what a model or a provider makes of it; whose limit it is and where that is said
	Fix      string
	Bad      string // an example that it finds: a tool, an array of tools, or a parameter ("name":{...})
	Good     string // the same without
}

// Finding is one place that breaks a rule.
type Finding struct {
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"`
	Tool     string   `json:"tool,omitempty"`
	Line     int      `json:"line"`
	Column   int      `json:"column"`
	Pointer  string   `json:"pointer"` // JSON Pointer into the file
	Text     string   `json:"text"`
	Fix      string   `json:"fix"`
}

// Find gives the rule of an id.
func Find(id string) (Rule, bool) {
	i := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == id })
	if i < 0 {
		return Rule{}, false
	}
	return rules[i], true
}

// Rules are all rules, in the order of the documentation.
func Rules() []Rule { return slices.Clone(rules) }

// mostFindings bounds what a hostile file can make this say, of each severity: many warnings hide no error.
const mostFindings = 10000

// Check looks at a manifest: text, and what provider.Read has found in it. disabled has the ids of rules that are left out. Findings come in the order of the text.
func Check(text []byte, source *provider.Source, disabled []string) []Finding {
	l := &linter{text: text, source: source, doc: grow(text, 0), disabled: map[string]bool{}}
	for _, id := range disabled {
		l.disabled[id] = true
	}
	l.list() // first: of what is said of a list of many tools, this must not be left out
	for i := range source.Tools {
		l.tool(i)
	}
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	return l.findings
}

type linter struct {
	text     []byte
	source   *provider.Source
	doc      *tree
	disabled map[string]bool
	findings []Finding
	said     [Error + 1]int // of each severity
	lines    []int          // where each line begins
}

// say notes a finding at a place in the text.
func (l *linter) say(rule, tool string, at int, pointer, format string, arguments ...any) {
	r, _ := Find(rule)
	if l.disabled[rule] || l.said[r.Severity] >= mostFindings {
		return
	}
	l.said[r.Severity]++
	line, column := l.place(at)
	l.findings = append(l.findings, Finding{rule, r.Severity, tool, line, column, pointer, fmt.Sprintf(format, arguments...), r.Fix})
}

// place is provider.LineColumn, without counting all lines each time.
func (l *linter) place(at int) (line, column int) {
	if l.lines == nil {
		l.lines = []int{0}
		for i, c := range l.text {
			if c == '\n' {
				l.lines = append(l.lines, i+1)
			}
		}
	}
	n, found := slices.BinarySearch(l.lines, at)
	if !found {
		n--
	}
	_, column = provider.LineColumn(l.text[l.lines[n]:], at-l.lines[n])
	return n + 1, column
}

// tool is one tool under the glass.
type tool struct {
	*linter
	*message.Tool
	object  *tree
	pointer string
	input   string // the names of the schemas' members
	output  string
	root    *tree // the schema at hand
	at      string

	bare   []string // parameters without a description
	open   []string // objects that take members which they do not list
	long   []string // texts without a bound
	counts counts
}

func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	list := strings.Split(pointer[1:], "/")
	for i := range list {
		list[i] = strings.ReplaceAll(strings.ReplaceAll(list[i], "~1", "/"), "~0", "~")
	}
	return list
}

func under(pointer string, keys ...string) string {
	b := []byte(pointer)
	for _, key := range keys {
		b = jsonwire.AppendPointerToken(b, key)
	}
	return string(b)
}

func (l *linter) tool(i int) {
	p := l.source.Places[i]
	t := &tool{linter: l, Tool: &l.source.Tools[i], object: l.doc.find(tokens(p.Pointer)), pointer: p.Pointer, input: p.Input, output: p.Output}
	t.identity()
	t.description()
	t.schema(t.input, true)
	t.schema(t.output, false)
}

// say notes a finding at a part of the tool; nil is the tool itself.
func (t *tool) say(rule string, part *tree, pointer, format string, arguments ...any) {
	at := t.object.at
	if part != nil {
		at = part.at
	}
	t.linter.say(rule, t.ID, at, pointer, format, arguments...)
}

// few lists names, the first of them where there are many.
func few(names []string) string {
	const most = 6
	if len(names) <= most+1 {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + " and " + strconv.Itoa(len(names)-most) + " more"
}
