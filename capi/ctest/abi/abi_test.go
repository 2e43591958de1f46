package abi

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
)

const limit = 3 * time.Minute

func TestMain(m *testing.M) {
	code := m.Run()
	ctest.Clean()
	os.Exit(code)
}

func include() string { return filepath.Join(ctest.Root(), "include") }

func readHeader(t *testing.T) header {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(include(), "aicc.h"))
	require.NoError(t, err)
	h := parse(string(text))
	require.NotEmpty(t, h.structs)
	require.NotEmpty(t, h.constants)
	require.NotEmpty(t, h.functions)
	return h
}

// library is the folder with libaicc.so.0: where AICC_LIB, a file, lies, or of one that is built now.
func library(t *testing.T) string {
	t.Helper()
	if file := os.Getenv("AICC_LIB"); file != "" {
		file, err := filepath.Abs(file)
		require.NoError(t, err)
		require.FileExists(t, file)
		return filepath.Dir(file)
	}
	return ctest.Library(t, ctest.Plain)
}

// program compiles C text and runs it.
func program(t *testing.T, text string, link ...string) string {
	t.Helper()
	dir := t.TempDir()
	source, out := filepath.Join(dir, "main.c"), filepath.Join(dir, "main")
	require.NoError(t, os.WriteFile(source, []byte(text), 0o600))
	args := append([]string{"-std=c11", "-Wall", "-Wextra", "-Werror", "-I", include(), "-o", out, source}, link...)
	ctest.Run(t, ".", os.Environ(), limit, "gcc", args...)
	return ctest.Run(t, ".", os.Environ(), limit, out)
}

func TestHeaderCompilesUnderEveryStandard(t *testing.T) {
	warnings := []string{"-Wall", "-Wextra", "-Wundef", "-Wshadow", "-Werror", "-pedantic", "-fsyntax-only", "-I", include()}
	alone := filepath.Join(t.TempDir(), "alone.c")
	require.NoError(t, os.WriteFile(alone, []byte("#include \"aicc.h\"\n"), 0o600))
	for _, compiler := range []string{"gcc", "clang"} {
		for _, standard := range []string{"c99", "c11", "c17"} {
			t.Run(compiler+" "+standard, func(t *testing.T) {
				ctest.Need(t, compiler, compiler)
				for _, file := range []string{alone, "c/uses.c"} {
					ctest.Run(t, ".", os.Environ(), limit, compiler, append(warnings, "-std="+standard, "-x", "c", file)...)
				}
			})
		}
	}
	for compiler, pkg := range map[string]string{"g++": "g++", "clang++": "clang"} {
		for _, standard := range []string{"c++11", "c++14", "c++17", "c++20"} {
			t.Run(compiler+" "+standard, func(t *testing.T) {
				ctest.Need(t, compiler, pkg)
				for _, file := range []string{alone, "c/uses.c"} {
					ctest.Run(t, ".", os.Environ(), limit, compiler, append(warnings, "-Wold-style-cast", "-std="+standard, "-x", "c++", file)...)
				}
			})
		}
	}
}

func TestEveryMacroIsTried(t *testing.T) {
	uses, err := os.ReadFile("c/uses.c")
	require.NoError(t, err)
	for _, name := range readHeader(t).macros {
		if name != "AICC_BUILD" {
			require.Regexp(t, `\b`+name+`\b`, string(uses))
		}
	}
}

// Sizes, offsets and values, where long and pointers have 64 bits. What is in lp64.txt may be added to, and never changes once the ABI is frozen.
func TestLayout(t *testing.T) {
	h := readHeader(t)
	var c strings.Builder
	c.WriteString("#include <stdio.h>\n#include \"aicc.h\"\nint main(void)\n{\n")
	for _, s := range h.structs {
		fmt.Fprintf(&c, "printf(\"%[1]s %%zu\\n\", sizeof (%[1]s));\n", s.name)
		for _, f := range s.fields {
			fmt.Fprintf(&c, "printf(\"%[1]s.%[2]s %%zu %%zu\\n\", offsetof(%[1]s, %[2]s), sizeof ((%[1]s *)0)->%[2]s);\n", s.name, f.name)
		}
	}
	for _, name := range h.constants {
		fmt.Fprintf(&c, "printf(\"%[1]s %%d\\n\", (int)%[1]s);\n", name)
	}
	c.WriteString("return 0;\n}\n")
	got := program(t, c.String())
	const golden = "lp64.txt"
	if os.Getenv("AICC_UPDATE") == "1" {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "if this is meant: AICC_UPDATE=1 go test ./capi/ctest/abi writes lp64.txt anew")
}

func TestFunctionsAreTheSameEverywhere(t *testing.T) {
	h := readHeader(t)
	declared := slices.Sorted(slices.Values(h.functions))
	require.Equal(t, declared, slices.Compact(slices.Clone(declared)), "declared twice")
	require.Equal(t, declared, slices.Sorted(slices.Values(h.listed)), "AICC_FUNCTIONS")

	script, err := os.ReadFile(filepath.Join(ctest.Root(), "capi", "aicc.map"))
	require.NoError(t, err)
	body := regexp.MustCompile(`(?s)^AICC_0 \{\s*global:(.*?)local:\s*\*;\s*\};$`).FindStringSubmatch(strings.TrimSpace(comments.ReplaceAllString(string(script), "")))
	require.NotNil(t, body, "aicc.map has the form AICC_0 { global: ...; local: *; };")
	exported := strings.Fields(strings.ReplaceAll(body[1], ";", " "))
	require.Equal(t, declared, slices.Sorted(slices.Values(exported)), "aicc.map")
}

func TestLibraryExportsTheHeaderAlone(t *testing.T) {
	ctest.Need(t, "nm", "binutils")
	out, err := exec.Command("nm", "-D", "--defined-only", filepath.Join(library(t), "libaicc.so.0")).Output()
	require.NoError(t, err)
	var exported []string
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		name, version, versioned := strings.Cut(words[2], "@@")
		if words[1] == "A" { // the version itself
			continue
		}
		require.Equal(t, "T", words[1], line)
		require.True(t, versioned && version == "AICC_0", line)
		exported = append(exported, name)
	}
	h := readHeader(t)
	require.Equal(t, slices.Sorted(slices.Values(h.functions)), slices.Sorted(slices.Values(exported)))
}

func TestEveryFunctionIsSpokenOf(t *testing.T) {
	require.Empty(t, readHeader(t).bare)
	// The test would be worth nothing if it let these through.
	h := parse("\nAICC_API int AICC_CALL aicc_a(void);\n\n/* This. */\nAICC_API int AICC_CALL aicc_b(void);\nAICC_API int AICC_CALL aicc_c(void);\n" +
		"\nAICC_API void AICC_CALL aicc_o_init(int *o);\nAICC_API int AICC_CALL aicc_d(void); /* That. */\nAICC_API int AICC_CALL aicc_e(void);\n")
	require.Equal(t, []string{"aicc_a", "aicc_e"}, h.bare)
}

func optionStructs(t *testing.T, h header) (found []structure) {
	for _, s := range h.structs {
		if strings.HasSuffix(s.name, "_options") {
			require.Equal(t, "struct_size", s.fields[0].name, s.name)
			require.Contains(t, h.functions, s.name+"_init")
			found = append(found, s)
		}
	}
	require.NotEmpty(t, found)
	for _, name := range h.functions {
		if kind, ok := strings.CutSuffix(name, "_init"); ok {
			require.True(t, slices.ContainsFunc(found, func(s structure) bool { return s.name == kind }), name)
		}
	}
	return found
}

var (
	saysDefault  = regexp.MustCompile(`[Dd]efault (-?[\d,]+|AICC_\w+)(?: (KiB|MiB|GiB))?`)
	namesDefault = regexp.MustCompile(`(-?\d+), the default`)
)

// wantedDefault is what a field's comment says init sets: "0" when it says nothing.
func wantedDefault(f field) string {
	if m := namesDefault.FindStringSubmatch(f.comment); m != nil {
		return m[1]
	}
	m := saysDefault.FindStringSubmatch(f.comment)
	if m == nil {
		return "0"
	}
	if strings.HasPrefix(m[1], "AICC_") {
		return m[1]
	}
	shift := map[string]string{"": "", "KiB": "LL << 10", "MiB": "LL << 20", "GiB": "LL << 30"}[m[2]]
	return strings.ReplaceAll(m[1], ",", "") + shift
}

func TestWantedDefault(t *testing.T) {
	for comment, want := range map[string]string{
		" 1 to 64; default 2 */": "2", " bytes, at least 16 MiB; default 256 MiB */": "256LL << 20", " the least; default AICC_INFO */": "AICC_INFO",
		" does the same. Default 0 */": "0", " 100 to 3,600,000; default 15,000 */": "15000", " 0, the default: LATEST */": "0", " -1: none; default 30,000 */": "30000",
		"": "0", " required */": "0",
	} {
		require.Equal(t, want, wantedDefault(field{comment: comment}), comment)
	}
}

func TestInitSetsWhatTheCommentsSay(t *testing.T) {
	h := readHeader(t)
	var c strings.Builder
	c.WriteString("#include <stdio.h>\n#include <string.h>\n#include \"aicc.h\"\n" +
		"static const unsigned char zeros[64];\n" +
		"#define SAME(field, is) do { if (!(is)) printf(\"%s\\n\", field); } while (0)\nint main(void)\n{\n")
	for _, s := range optionStructs(t, h) {
		fmt.Fprintf(&c, "{ %[1]s o; memset(&o, 0xaa, sizeof o); %[1]s_init(&o, sizeof o);\n", s.name)
		for _, f := range s.fields {
			what := strconv.Quote(s.name + "." + f.name)
			want := wantedDefault(f)
			switch {
			case f.name == "struct_size":
				fmt.Fprintf(&c, "SAME(%s, o.struct_size == sizeof o);\n", what)
			case want == "0":
				fmt.Fprintf(&c, "SAME(%s, memcmp(&o.%s, zeros, sizeof o.%s) == 0);\n", what, f.name, f.name)
			default:
				fmt.Fprintf(&c, "SAME(%s, o.%s == %s);\n", what, f.name, want)
			}
		}
		// It writes no more than it was given, and says how much that was.
		fmt.Fprintf(&c, "for (size_t size = 0; size <= sizeof o; size++) {\n"+
			"    unsigned char room[sizeof o]; uint32_t said; memset(room, 0xaa, sizeof room); %[1]s *small = (void *)room;\n"+
			"    %[1]s_init(small, size); memcpy(&said, room, 4);\n"+
			"    if (size >= 4 && said != size) printf(\"%[1]s_init of %%zu says %%u\\n\", size, said);\n"+
			"    for (size_t i = size; i < sizeof o; i++) if (room[i] != 0xaa) printf(\"%[1]s_init of %%zu writes at %%zu\\n\", size, i);\n}\n"+
			"%[1]s_init(NULL, sizeof o); }\n", s.name)
	}
	c.WriteString("return 0;\n}\n")
	lib := library(t)
	require.Empty(t, program(t, c.String(), "-Wno-maybe-uninitialized", "-L", lib, "-laicc", "-Wl,-rpath,"+lib))
}

func TestWrapperCompilesUnderEveryStandard(t *testing.T) {
	for compiler, pkg := range map[string]string{"g++": "g++", "clang++": "clang"} {
		for _, standard := range []string{"c++17", "c++20"} {
			t.Run(compiler+" "+standard, func(t *testing.T) {
				ctest.Need(t, compiler, pkg)
				ctest.Run(t, ".", os.Environ(), limit, compiler, "-std="+standard, "-Wall", "-Wextra", "-Wundef", "-Wshadow", "-Wold-style-cast", "-Werror", "-pedantic",
					"-fsyntax-only", "-I", include(), "c/wrapper.cpp")
			})
		}
	}
}

func TestWrapper(t *testing.T) {
	ctest.Need(t, "g++", "g++")
	source, err := filepath.Abs("c/wrapper.cpp")
	require.NoError(t, err)
	for _, c := range []struct {
		name  string
		flags []string
	}{{"plain", nil}, {"under sanitizers", []string{"-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"}}} {
		t.Run(c.name, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "wrapper")
			lib := library(t)
			args := append([]string{"-std=c++17", "-g", "-Wall", "-Wextra", "-Werror", "-I", include(), "-o", out, source}, c.flags...)
			ctest.Run(t, ".", os.Environ(), limit, "g++", append(args, "-L", lib, "-laicc", "-lpthread", "-Wl,-rpath,"+lib)...)
			require.Equal(t, "ok\n", ctest.Run(t, ".", os.Environ(), limit, out))
		})
	}
}
