package godot_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
)

// The addon promises to load in Godot 4.2. The engine's header says since when it has each function of its interface.
func TestUsesOnlyFunctionsOfGodot42(t *testing.T) {
	_, build := engine(t)
	header := filepath.Join(build, "godot/include/gdextension_interface.h")
	require.Contains(t, ctest.Run(t, ".", nil, limit, "tests/interface.sh", header), "none younger than 4.2")
	out, err := ctest.Try(".", nil, limit, "tests/interface.sh", header, "4.1")
	require.Error(t, err, "the functions of 4.2 are too young for 4.1: %s", out)
}

// Where libaicc loads, the addon loads: it wants no newer C library.
func TestWantsNoNewerLibc(t *testing.T) {
	_, build := engine(t)
	newest := func(name string) int {
		out, err := exec.Command("objdump", "-T", filepath.Join(build, "godot/bin/linux.x86_64", name)).Output()
		require.NoError(t, err)
		most := 0
		for _, found := range regexp.MustCompile(`\(GLIBC_2\.(\d+)`).FindAllStringSubmatch(string(out), -1) {
			minor, err := strconv.Atoi(found[1])
			require.NoError(t, err)
			most = max(most, minor)
		}
		require.NotZero(t, most, "%s: objdump -T names no version: %s", name, out)
		return most
	}
	require.LessOrEqual(t, newest("libaicc_godot.so"), newest("libaicc.so.0"))
}

// One symbol is there for the engine, and nothing of the C++ library is given to others in the process.
func TestExportsOneFunction(t *testing.T) {
	_, build := engine(t)
	out, err := exec.Command("nm", "-D", "--defined-only", filepath.Join(build, "godot/bin/linux.x86_64/libaicc_godot.so")).Output()
	require.NoError(t, err)
	var exported []string
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		exported = append(exported, line[strings.LastIndex(line, " ")+1:])
	}
	require.Equal(t, []string{"aicc_godot_init"}, exported)
}
