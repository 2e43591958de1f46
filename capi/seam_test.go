package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The seam's numbers stand twice, in C and in Go. They are compared as text, since a test cannot import "C".
func TestSeamNumbersAgree(t *testing.T) {
	inC := headerEnums(t, "core.h", "../include/aicc.h")
	inGo := goConstants(t, "../core/bridge/record.go", "../core/bridge/host.go")
	prefixes := []struct{ c, g string }{
		{"AICC_REC_", "Rec"}, {"AICC_CREATE_", "CreateInt"}, {"AICC_TOOL_", "ToolInt"}, {"AICC_SESSION_", "SessionInt"},
		{"AICC_EVENT_", "EventInt"}, {"AICC_CAPABILITY_", "CapabilityInt"}, {"AICC_AGENT_", "Agent"}, {"AICC_ENDED_", "Ended"}, {"AICC_E_", "Status"},
	}
	compared := 0
	for name, value := range inC {
		for _, p := range prefixes {
			rest, ok := strings.CutPrefix(name, p.c)
			if !ok {
				continue
			}
			got, ok := inGo[p.g+camel(rest)]
			if p.c == "AICC_TOOL_" && !ok { // the strings of a tool have names of their own
				got, ok = inGo["ToolStr"+camel(rest)]
			}
			if p.c == "AICC_E_" && !ok { // the core gives only some of them
				continue
			}
			if name == "AICC_REC_FAIL_RETRYABLE" {
				got, ok = inGo["FailRetryable"]
			}
			if rest, is := strings.CutPrefix(name, "AICC_REC_ATTACH_"); is {
				got, ok = inGo["Attach"+camel(rest)]
			}
			switch name { // a count stands as CreateInts, not as CreateIntInts
			case "AICC_CREATE_INTS", "AICC_TOOL_INTS", "AICC_SESSION_INTS", "AICC_EVENT_INTS", "AICC_CAPABILITY_INTS", "AICC_TOOL_STRS":
				got, ok = inGo[camel(strings.TrimPrefix(name, "AICC_"))]
			}
			require.True(t, ok, "%s has no twin in Go", name)
			require.Equal(t, got, value, "%s", name)
			compared++
		}
	}
	require.Greater(t, compared, 80)
}

func camel(snake string) string {
	var out strings.Builder
	for _, w := range strings.Split(snake, "_") {
		switch w {
		case "MS", "JSON", "ID", "IO":
			out.WriteString(w)
		default:
			out.WriteString(w[:1] + strings.ToLower(w[1:]))
		}
	}
	return out.String()
}

// headerEnums reads every enum of the files: NAME, NAME = number, NAME = 1 << number.
func headerEnums(t *testing.T, files ...string) map[string]int64 {
	out := map[string]int64{}
	comment := regexp.MustCompile(`(?s)/\*.*?\*/`)
	block := regexp.MustCompile(`(?s)enum\s*\{(.*?)\}`)
	for _, f := range files {
		src, err := os.ReadFile(f)
		require.NoError(t, err)
		for _, m := range block.FindAllStringSubmatch(comment.ReplaceAllString(string(src), ""), -1) {
			next := int64(0)
			for _, item := range strings.Split(m[1], ",") {
				name, value, given := strings.Cut(strings.TrimSpace(item), "=")
				if name = strings.TrimSpace(name); name == "" {
					continue
				}
				if given {
					shift := int64(0)
					if base, by, ok := strings.Cut(value, "<<"); ok {
						shift, err = strconv.ParseInt(strings.TrimSpace(by), 10, 64)
						require.NoError(t, err)
						value = base
					}
					next, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
					require.NoError(t, err, name)
					next <<= shift
				}
				out[name] = next
				next++
			}
		}
	}
	return out
}

// goConstants evaluates the integer constants of the files: numbers, iota, sums and shifts of them.
func goConstants(t *testing.T, files ...string) map[string]int64 {
	out := map[string]int64{}
	for _, f := range files {
		file, err := parser.ParseFile(token.NewFileSet(), f, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.CONST {
				continue
			}
			var last []ast.Expr
			for i, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				if v.Values != nil {
					last = v.Values
				}
				for j, n := range v.Names {
					out[n.Name] = evaluate(t, last[j], int64(i))
				}
			}
		}
	}
	return out
}

func evaluate(t *testing.T, e ast.Expr, iota int64) int64 {
	switch x := e.(type) {
	case *ast.BasicLit:
		n, err := strconv.ParseInt(x.Value, 0, 64)
		require.NoError(t, err)
		return n
	case *ast.Ident:
		require.Equal(t, "iota", x.Name)
		return iota
	case *ast.UnaryExpr:
		return -evaluate(t, x.X, iota)
	case *ast.BinaryExpr:
		a, b := evaluate(t, x.X, iota), evaluate(t, x.Y, iota)
		if x.Op == token.SHL {
			return a << b
		}
		return a + b
	}
	t.Fatalf("a constant of a form that this test does not read: %T", e)
	return 0
}
