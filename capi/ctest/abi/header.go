// Package abi holds the library to its header: what a compiler makes of it, what is exported, what the functions do with options.
package abi

import (
	"regexp"
	"slices"
	"strings"
)

// field is one field of a struct.
type field struct {
	ctype, name string
	array       string // "[48]"
	comment     string
}

type structure struct {
	name   string
	fields []field
}

// header is what aicc.h declares, read by its form: one declaration a line, as the file is written.
type header struct {
	structs   []structure
	constants []string
	functions []string // as declared
	listed    []string // as AICC_FUNCTIONS has them
	macros    []string
	bare      []string // functions that nothing is said about
}

var (
	comments   = regexp.MustCompile(`(?s)/\*.*?\*/`)
	structHead = regexp.MustCompile(`^typedef struct (aicc_\w+) *\{(.*)`)
	structTail = regexp.MustCompile(`^\} (aicc_\w+);`)
	fieldLine  = regexp.MustCompile(`^\s*([\w\s]+?[\s*]+)(\w+)(\[\d+\])?;\s*(?:/\*(.*))?`)
	enumBody   = regexp.MustCompile(`(?s)\benum\s*\{(.*?)\}`)
	constant   = regexp.MustCompile(`\b(AICC_\w+)\s*=`)
	function   = regexp.MustCompile(`^AICC_API .*?\bAICC_CALL (aicc_\w+)\s*\(`)
	macro      = regexp.MustCompile(`(?m)^#\s*define (AICC_\w+)`)
	listing    = regexp.MustCompile(`\bX\((\w+)\)`)
)

func parse(text string) header {
	var h header
	plain := comments.ReplaceAllStringFunc(text, func(c string) string { return strings.Repeat("\n", strings.Count(c, "\n")) })
	for _, body := range enumBody.FindAllStringSubmatch(plain, -1) {
		for _, c := range constant.FindAllStringSubmatch(body[1], -1) {
			h.constants = append(h.constants, c[1])
		}
	}
	for _, m := range macro.FindAllStringSubmatch(text, -1) {
		if m[1] != "AICC_H" && !slices.Contains(h.macros, m[1]) {
			h.macros = append(h.macros, m[1])
		}
	}
	_, list, _ := strings.Cut(plain, "#define AICC_FUNCTIONS(X)")
	for _, m := range listing.FindAllStringSubmatch(list, -1) {
		h.listed = append(h.listed, "aicc_"+m[1])
	}
	h.lines(strings.Split(text, "\n"))
	return h
}

// lines reads structs and functions. A function is spoken of in its line, in the comment above the lines of functions that it stands
// among, or at the struct that these follow.
func (h *header) lines(lines []string) {
	var s *structure
	spoken := false
	for _, line := range lines {
		switch {
		case s != nil && structTail.MatchString(line):
			h.structs = append(h.structs, *s)
			s = nil
		case s != nil:
			if f := fieldLine.FindStringSubmatch(line); f != nil {
				s.fields = append(s.fields, field{strings.TrimSpace(f[1]), f[2], f[3], f[4]})
				spoken = spoken || f[4] != ""
			} else if len(s.fields) > 0 {
				s.fields[len(s.fields)-1].comment += line // a comment that goes on
			}
		case structHead.MatchString(line):
			m := structHead.FindStringSubmatch(line)
			s = &structure{name: m[1]}
			if body, _, whole := strings.Cut(m[2], "}"); whole { // on one line: the handles
				f := fieldLine.FindStringSubmatch(body)
				s.fields = append(s.fields, field{ctype: strings.TrimSpace(f[1]), name: f[2]})
				h.structs = append(h.structs, *s)
				s = nil
			}
		case function.MatchString(line):
			name := function.FindStringSubmatch(line)[1]
			h.functions = append(h.functions, name)
			if !spoken && !strings.Contains(line, "/*") && !strings.HasSuffix(name, "_init") {
				h.bare = append(h.bare, name)
			}
		case strings.HasPrefix(line, "/* ---"):
			spoken = false
		case strings.HasPrefix(line, "/*"), strings.HasPrefix(line, " *"):
			spoken = true
		case strings.TrimSpace(line) == "":
			spoken = false
		}
	}
}
