package godot_test

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
)

// In the order of the alphabet, as all lists of files are.
var classes = []string{"AiccBridge", "AiccCall", "AiccCharacter", "AiccEvent", "AiccJson", "AiccTool"}

// A help page, as far as it matters here.
type page struct {
	Name    string  `xml:"name,attr"`
	Brief   string  `xml:"brief_description"`
	Text    string  `xml:"description"`
	Methods []entry `xml:"methods>method"`
	Signals []entry `xml:"signals>signal"`
	Members []struct {
		Name      string `xml:"name,attr"`
		Overrides string `xml:"overrides,attr"`
		Text      string `xml:",chardata"`
	} `xml:"members>member"`
	Constants []struct {
		Name string `xml:"name,attr"`
		Enum string `xml:"enum,attr"`
		Text string `xml:",chardata"`
	} `xml:"constants>constant"`
}

type entry struct {
	Name   string `xml:"name,attr"`
	Text   string `xml:"description"`
	Params []struct {
		Name string `xml:"name,attr"`
	} `xml:"param"`
}

func readPages(t *testing.T) map[string]*page {
	t.Helper()
	names, err := filepath.Glob("doc_classes/*.xml")
	require.NoError(t, err)
	pages := map[string]*page{}
	var found []string
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		p := &page{}
		require.NoError(t, xml.Unmarshal(text, p), name)
		require.Equal(t, p.Name+".xml", filepath.Base(name))
		pages[p.Name] = p
		found = append(found, p.Name)
	}
	require.Equal(t, classes, found)
	return pages
}

var (
	code      = regexp.MustCompile(`(?s)\[code\].*?\[/code\]|\[codeblock\].*?\[/codeblock\]`)
	reference = regexp.MustCompile(`\[(method|member|signal|constant|enum|param) ([A-Za-z_.]+)\]`)
)

// Everything has its words, and what the words refer to is there.
func TestHelpIsWhole(t *testing.T) {
	pages := readPages(t)
	known := map[string]bool{}
	for name, p := range pages {
		for _, m := range p.Methods {
			known["method "+name+"."+m.Name] = true
		}
		for _, m := range p.Members {
			known["member "+name+"."+m.Name] = true
		}
		for _, m := range p.Signals {
			known["signal "+name+"."+m.Name] = true
		}
		for _, m := range p.Constants {
			known["constant "+name+"."+m.Name], known["enum "+name+"."+m.Enum] = true, true
		}
	}
	for name, p := range pages {
		check := func(where, text string, params ...string) {
			require.NotEmpty(t, strings.TrimSpace(text), "%s.%s has no description", name, where)
			for _, found := range reference.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
				kind, what := found[1], found[2]
				if kind == "param" {
					require.Contains(t, params, what, "%s.%s speaks of a parameter that is not its own", name, where)
					continue
				}
				if !strings.Contains(what, ".") {
					if strings.HasPrefix(what, "OK") || strings.HasPrefix(what, "ERR_") {
						continue
					}
					what = name + "." + what
				}
				if strings.HasPrefix(what, "Aicc") {
					require.True(t, known[kind+" "+what], "%s.%s speaks of the %s %s, which there is not", name, where, kind, what)
				}
			}
		}
		check("brief_description", p.Brief)
		check("description", p.Text)
		for _, list := range [][]entry{p.Methods, p.Signals} {
			for _, m := range list {
				var params []string
				for _, param := range m.Params {
					params = append(params, param.Name)
				}
				check(m.Name, m.Text, params...)
			}
		}
		for _, m := range p.Members {
			if m.Overrides == "" {
				check(m.Name, m.Text)
			}
		}
		for _, m := range p.Constants {
			check(m.Name, m.Text)
		}
	}
}

// The engine writes pages for what it finds in its registry, and puts our words where they belong. If that is what we have, nothing is missing,
// nothing is too much, and each signature is the real one.
func TestHelpIsOfWhatThereIs(t *testing.T) {
	godot, build := engine(t)
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(folder, "doc_classes"), os.DirFS("doc_classes")))
	out, err := ctest.Try(project(t, build, filepath.Join(build, "godot/demo")), environment(t), limit, filepath.Join(godot, "godot"), "--headless", "--doctool", folder, "--gdextension-docs")
	require.NoError(t, err, out)
	var found []string
	entries, err := os.ReadDir(filepath.Join(folder, "doc_classes"))
	require.NoError(t, err)
	for _, entry := range entries {
		found = append(found, strings.TrimSuffix(entry.Name(), ".xml"))
	}
	require.Equal(t, classes, found)
	for _, class := range classes {
		made, err := os.ReadFile(filepath.Join(folder, "doc_classes", class+".xml"))
		require.NoError(t, err, out)
		have, err := os.ReadFile(filepath.Join("doc_classes", class+".xml"))
		require.NoError(t, err)
		require.Equal(t, schema.ReplaceAllString(string(made), ""), string(have), "%s is not what the engine makes of it: godot --headless --doctool FOLDER --gdextension-docs", class)
	}
}

var schema = regexp.MustCompile(` xmlns:xsi="[^"]*" xsi:noNamespaceSchemaLocation="[^"]*"`)

// An editor that nobody sees opens the help of each class. One that has never run before knows the words only from its second start on.
func TestHelpIsShownByTheEditor(t *testing.T) {
	godot, build := engine(t)
	folder := project(t, build, "testdata/help")
	env := environment(t)
	var out string
	for range 2 {
		var err error
		out, err = ctest.Try(".", env, limit, filepath.Join(godot, "godot"), "--headless", "--editor", "--path", folder)
		require.NoError(t, err, out)
		require.Empty(t, complaints(out), out)
	}
	for name, p := range readPages(t) {
		shown := regexp.MustCompile(`(?m)^HELP ` + name + `: .*$`).FindString(out)
		require.Contains(t, shown, strings.TrimSpace(p.Brief), out)
		for _, m := range p.Methods {
			require.Contains(t, shown, m.Name+"(")
		}
		require.NotContains(t, shown, "There is currently no description")
		require.Contains(t, out, "ICON "+name+": (16.0, 16.0)")
	}
	imported, err := os.ReadFile(filepath.Join(folder, "addons/aicc/icons/AiccTool.svg.import"))
	require.NoError(t, err)
	require.Contains(t, string(imported), "editor/convert_colors_with_editor_theme=true")
	require.Contains(t, string(imported), "has_editor_variant")
}
