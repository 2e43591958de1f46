// Package libaicc_test holds the repository to its plan: which room may import which, what lies where, how long a file may be, and that
// the commands in the documentation work.
package libaicc_test

import (
	"bufio"
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "aicc.dev/libaicc"

// A room imports only rooms of a lower number. What lies in a folder below a room belongs to the room.
var rooms = map[string]int{
	"core/jsonwire": 0, "core/latency": 0, "core/leak": 0, "core/near": 0,
	"core/layout": 1, "core/tape": 1, "core/message": 1, "core/schema": 1,
	"core/session": 2,
	"core/bridge":  3, "core/capability": 3, "core/transcript": 3, "core/transport": 3, "core/agent": 3, "core/inspector": 3,
	"capi": 4, "cmd": 4, "examples": 4, "bindings": 4, ".ci": 4,
}

// Modules of others, and the rooms that may import them. Tests may import testify besides.
var modules = map[string][]string{
	"github.com/goccy/go-json":        {"core/jsonwire", "core/schema", "core/message", "core/capability"},
	"github.com/google/uuid":          {"core/message", "core/session"},
	"github.com/kaptinlin/jsonschema": {"core/schema"},
	"github.com/coder/websocket":      {"core/transport", "core/agent"},
	// The command alone is more than a library: what it links, no game links.
	"github.com/charmbracelet/bubbletea":     {"cmd"},
	"github.com/charmbracelet/lipgloss":      {"cmd"},
	"github.com/charmbracelet/x/ansi":        {"cmd"},
	"github.com/modelcontextprotocol/go-sdk": {"cmd"},
	"golang.org/x/term":                      {"cmd"},
}

// Time, randomness and I/O enter these rooms as arguments, so that the same records give the same bytes.
var pure = []string{"core/jsonwire", "core/latency", "core/layout", "core/tape", "core/message", "core/schema", "core/session", "core/bridge"}

var (
	impure  = []string{"crypto/rand", "log", "log/slog", "math/rand", "net", "net/http", "os", "os/exec", "os/signal", "syscall"}
	clocks  = []string{"After", "AfterFunc", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"}
	topmost = []string{
		".ci", ".git", ".gitignore", "CMakeLists.txt", "LICENSE", "README.md", "bindings", "build", "build.sh", "capi", "cmd", "core",
		"doc.go", "docs", "examples", "go.mod", "go.sum", "include",
	}
)

const longest = 500

// One header is one page to its reader: it is the ABI's specification and is not cut in two.
var mayBeLonger = map[string]int{"include/aicc.h": 1000}

func TestRoomsImportOnlyLowerRooms(t *testing.T) {
	require.Empty(t, faultsOfImports(t, goFiles(t)))
}

// The test above would be worth nothing if it let these through.
func TestRoomsFaultsAreFound(t *testing.T) {
	for name, source := range map[string]string{
		"core/jsonwire/a.go imports aicc.dev/libaicc/core/message: room 0 may not import room 1":          `import _ "aicc.dev/libaicc/core/message"`,
		"core/layout/a.go imports aicc.dev/libaicc/core/tape: room 1 may not import room 1":               `import _ "aicc.dev/libaicc/core/tape"`,
		"core/bridge/sub/a.go imports aicc.dev/libaicc/capi: room 3 may not import room 4":                `import _ "aicc.dev/libaicc/capi"`,
		"core/bridge/a.go imports aicc.dev/libaicc/core/other: no such room":                              `import _ "aicc.dev/libaicc/core/other"`,
		"core/session/a.go imports github.com/kaptinlin/jsonschema: this module is not for this room":     `import _ "github.com/kaptinlin/jsonschema"`,
		"capi/a.go imports github.com/stretchr/testify/require: this module is not for this room":         `import _ "github.com/stretchr/testify/require"`,
		"core/unheard/a.go: is in no room":                                                                `import _ "fmt"`,
		"core/session/a.go imports os: time, randomness and I/O enter core/session as arguments":          `import _ "os"`,
		"core/bridge/a.go uses time.Now: time, randomness and I/O enter core/bridge as arguments":         `import clock "time"; var _ = clock.Now`,
		"core/message/a.go imports crypto/rand: time, randomness and I/O enter core/message as arguments": `import _ "crypto/rand"`,
	} {
		file, _, _ := strings.Cut(name, " ")
		file = strings.TrimSuffix(file, ":")
		parsed, err := parser.ParseFile(token.NewFileSet(), file, "package a; "+source, parser.SkipObjectResolution)
		require.NoError(t, err)
		require.Equal(t, []string{name}, faultsOfFile(file, parsed))
	}
	good, err := parser.ParseFile(token.NewFileSet(), "core/bridge/a.go",
		`package a; import ("time"; _ "aicc.dev/libaicc/core/session"; _ "aicc.dev/libaicc/core/bridge/sub"); var _ time.Duration`, parser.SkipObjectResolution)
	require.NoError(t, err)
	require.Empty(t, faultsOfFile("core/bridge/a.go", good))
}

func TestFilesAreShort(t *testing.T) {
	var long []string
	for _, name := range files(t) {
		if !slices.Contains([]string{".go", ".c", ".h", ".hpp", ".cpp", ".cs", ".gd", ".sh", ".js", ".mjs"}, path.Ext(name)) {
			continue
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		bound := max(longest, mayBeLonger[name])
		if lines := bytes.Count(text, []byte("\n")); lines > bound {
			long = append(long, name+" has "+strconv.Itoa(lines)+" lines, more than "+strconv.Itoa(bound))
		}
	}
	require.Empty(t, long)
}

func TestTopLevelHoldsWhatThePlanSays(t *testing.T) {
	entries, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), "_test.go") || ignored(t, entry.Name()) {
			continue
		}
		require.Contains(t, topmost, entry.Name(), "a new folder or file at the top level")
	}
}

func TestEveryRoomSaysItsIdea(t *testing.T) {
	said := map[string]bool{}
	for _, name := range goFiles(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.PackageClauseOnly)
		require.NoError(t, err)
		said[path.Dir(name)] = said[path.Dir(name)] || parsed.Doc != nil
	}
	for folder, ok := range said {
		require.True(t, ok, "%s: no file of this package has a doc comment that says its idea", folder)
	}
}

func faultsOfImports(t *testing.T, names []string) []string {
	var faults []string
	for _, name := range names {
		parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		faults = append(faults, faultsOfFile(name, parsed)...)
	}
	return faults
}

func faultsOfFile(name string, file *ast.File) []string {
	room, ok := roomOf(path.Dir(name))
	if !ok {
		return []string{name + ": is in no room"}
	}
	var faults []string
	for _, spec := range file.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value)
		if why := faultOfImport(room, imported); why != "" {
			faults = append(faults, name+" imports "+imported+": "+why)
		}
		if imported == "time" && slices.Contains(pure, room) {
			faults = append(faults, clocksUsed(name, room, file, localName(spec, "time"))...)
		}
	}
	return faults
}

func faultOfImport(room, imported string) string {
	if inner, ok := strings.CutPrefix(imported, module+"/"); ok {
		other, known := roomOf(inner)
		if !known {
			return "no such room"
		}
		if other != room && rooms[other] >= rooms[room] {
			return "room " + strconv.Itoa(rooms[room]) + " may not import room " + strconv.Itoa(rooms[other])
		}
		return ""
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		if slices.Contains(pure, room) && slices.Contains(impure, imported) {
			return "time, randomness and I/O enter " + room + " as arguments"
		}
		return ""
	}
	for name, allowed := range modules {
		if (imported == name || strings.HasPrefix(imported, name+"/")) && slices.Contains(allowed, room) {
			return ""
		}
	}
	return "this module is not for this room"
}

func clocksUsed(name, room string, file *ast.File, clock string) []string {
	var faults []string
	ast.Inspect(file, func(node ast.Node) bool {
		use, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if from, ok := use.X.(*ast.Ident); ok && from.Name == clock && slices.Contains(clocks, use.Sel.Name) {
			faults = append(faults, name+" uses time."+use.Sel.Name+": time, randomness and I/O enter "+room+" as arguments")
		}
		return true
	})
	return faults
}

func localName(spec *ast.ImportSpec, otherwise string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	return otherwise
}

func roomOf(folder string) (string, bool) {
	for room := range rooms {
		if folder == room || strings.HasPrefix(folder, room+"/") {
			return room, true
		}
	}
	return "", false
}

// goFiles lists the Go files that belong to a room: no tests, and not what tests keep in testdata.
func goFiles(t *testing.T) []string {
	var names []string
	for _, name := range files(t) {
		if path.Ext(name) == ".go" && strings.Contains(name, "/") && !strings.HasSuffix(name, "_test.go") && !strings.Contains(name, "/testdata/") {
			names = append(names, name)
		}
	}
	require.NotEmpty(t, names)
	return names
}

// files lists what belongs to the repository, by slashed names from its root.
func files(t *testing.T) []string {
	var names []string
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		if entry.IsDir() && (name == ".git" || name == "build" || ignored(t, name)) {
			return filepath.SkipDir
		}
		if entry.Type().IsRegular() {
			names = append(names, name)
		}
		return nil
	})
	require.NoError(t, err)
	return names
}

// ignored says whether .gitignore names this entry of the root, as /name or /name/.
func ignored(t *testing.T, name string) bool {
	list, err := os.Open(".gitignore")
	require.NoError(t, err)
	defer list.Close()
	for lines := bufio.NewScanner(list); lines.Scan(); {
		if strings.Trim(lines.Text(), "/") == name {
			return true
		}
	}
	return false
}
