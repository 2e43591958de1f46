// Package events runs C hosts that give structs to the library: events, results and inputs by layouts.
package events

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	ctest.Clean()
	os.Exit(code)
}

const limit = 3 * time.Minute

var variants = []ctest.Variant{ctest.Plain, ctest.Address}

func run(t *testing.T, v ctest.Variant, name string, args ...string) string {
	t.Helper()
	ctest.Need(t, v.CC, v.CC+" libclang-rt-14-dev")
	source, err := filepath.Abs(filepath.Join("c", name+".c"))
	require.NoError(t, err)
	program := ctest.Program(t, v, ctest.Library(t, v), source, "-lm")
	out := ctest.Run(t, ".", append(os.Environ(), v.Env...), limit, program, args...)
	require.True(t, strings.HasSuffix(out, "ok\n"), out)
	return out
}

// each runs a program in every variant, and a further one under the thread sanitizer.
func each(t *testing.T, f func(t *testing.T, v ctest.Variant)) {
	for _, v := range variants {
		if testing.Short() && v.Name != "plain" {
			continue
		}
		t.Run(v.Name, func(t *testing.T) { f(t, v) })
	}
}

const (
	allGood = `"f32":0.1,"f64":-1.5e-09,"i8":-128,"u8":255,"i16":-32768,"u16":65535,"i32":-2147483648,"u32":4294967295,` +
		`"i64":-9223372036854775808,"u64":18446744073709551615,"is":"-9223372036854775808","us":"18446744073709551615","b8":true,"b32":false,` +
		`"chars":"ab","counted":"a\u0000c","text":"a \"text\"\né","e8":"idle","e16":"chase \"it\"","e32":"idle","position":{"x":12.25},` +
		`"rounded":1,"three":[1,-0,3.4028235e+38],"some":[-1,7],` +
		`"items":[{"id":7,"name":"sword","note":"sharp"},{"id":8,"name":"shield1"}],"strided":[1.5,16777216]`
	allBad = `"f32":null,"f64":null,"i8":-128,"u8":255,"i16":-32768,"u16":65535,"i32":-2147483648,"u32":4294967295,` +
		`"i64":-9223372036854775808,"u64":18446744073709551615,"is":"-9223372036854775808","us":"18446744073709551615","b8":true,"b32":false,` +
		`"chars":"��abcd","counted":"a\u0000czzz","text":"ééééééééé","e8":null,"e16":null,"e32":null,"position":{"x":12.25},` +
		`"rounded":1e+30,"three":[1,-0,3.4028235e+38],"some":[-1,7,1,2],"items":[],"strided":[1.5,16777216]`
)

// Objects that do not fit, by what reading them says.
var misfits = []string{
	`{"AICC_OK nothing":{},"AICC_OK null":{"f32":null,"position":null},"AICC_OK other":{"other":[1]},"AICC_E_TYPE number":{"f32":"1"},"AICC_E_RANGE float":{"f32":1e39},
	"AICC_OK float":{"f32":3.4028235677973362e38},"AICC_E_TYPE path":{"position":1},"AICC_E_TYPE path2":{"position":[]},"AICC_E_TYPE fraction":{"i8":1.5},
	"AICC_E_RANGE i8":{"i8":128},"AICC_OK i8":{"i8":-128.0},"AICC_OK i8e":{"i8":1e2},"AICC_E_RANGE u8":{"u8":-1},"AICC_E_RANGE u8m":{"u8":256},"AICC_OK u8":{"u8":255}}`,
	`{"AICC_OK u64":{"u64":18446744073709551615},"AICC_OK u64e":{"u64":1.8e19},"AICC_E_RANGE u64":{"u64":18446744073709551616},"AICC_E_RANGE u64e":{"u64":1e20},
	"AICC_E_TYPE u64":{"u64":1.5},"AICC_E_RANGE i64":{"i64":9223372036854775808},"AICC_OK i64":{"i64":-9223372036854775808},"AICC_E_TYPE is":{"is":"1.0"},
	"AICC_E_TYPE is2":{"is":"01"},"AICC_E_TYPE is3":{"is":""},"AICC_E_TYPE is4":{"is":"-"},"AICC_OK is":{"is":"-9223372036854775808"},"AICC_OK isn":{"is":5},
	"AICC_E_RANGE is":{"is":"9223372036854775808"},"AICC_E_RANGE us":{"us":"-1"},"AICC_OK us":{"us":"-0"},"AICC_E_TYPE b8":{"b8":1},"AICC_OK b8":{"b8":false}}`,
	`{"AICC_E_RANGE chars":{"chars":"123456"},"AICC_OK chars":{"chars":"12345"},"AICC_E_RANGE nul":{"chars":"1\u00002"},"AICC_OK counted":{"counted":"1\u00003456"},
	"AICC_E_RANGE counted":{"counted":"1234567"},"AICC_E_RANGE text":{"text":"123456789012345678901"},"AICC_OK text":{"text":"12345678901234567890"},
	"AICC_E_TYPE text":{"text":[]},"AICC_E_RANGE enum":{"e8":"run"},"AICC_E_RANGE enum2":{"e8":""},"AICC_E_TYPE enum":{"e8":0},"AICC_OK enum":{"e32":"chase \"it\""},
	"AICC_E_RANGE few":{"three":[1,2]},"AICC_E_RANGE many":{"three":[1,2,3,4]},"AICC_E_TYPE null":{"three":[1,null,3]},"AICC_E_TYPE array":{"three":1},
	"AICC_OK some":{"some":[]},"AICC_E_RANGE some":{"some":[1,2,3,4,5]},"AICC_E_TYPE items":{"items":[1]},"AICC_E_RANGE items":{"items":[{"id":65536}]},
	"AICC_OK items":{"items":[{},{"note":"x"}]},"AICC_E_RANGE late":{"f32":1,"strided":[1]}}`,
}

func TestEveryType(t *testing.T) {
	each(t, func(t *testing.T, v ctest.Variant) {
		out := run(t, v, "types", misfits...)
		said := map[string]string{}
		for _, line := range strings.Split(out, "\n") {
			name, text, _ := strings.Cut(line, ": ")
			said[name] = text
		}
		require.Equal(t, `{"kind":"all",`+allGood+`}`, said["emit"])
		require.Equal(t, `{"kind":"all",`+allBad+`}`, said["bad"])
		require.Equal(t, "10", said["values_bad"])
		require.Equal(t, `{`+allGood+`}`, said["write"])
		require.Equal(t, `{`+allBad+`}`, said["write bad"])
		read := strings.Replace(allGood, `"position":{"x":12.25}`, `"position":{"x":12.25,"y":42}`, 1)
		require.Equal(t, `{`+strings.Replace(read, `"rounded":1,`, `"rounded":1,"none":41,`, 1)+`}`, said["read"])
		require.Contains(t, said["result"], `"ok":true,"output":{`+allGood+`}`)
		require.True(t, json.Valid([]byte(said["schema"])), said["schema"])
	})
}

func TestBadLayouts(t *testing.T) {
	each(t, func(t *testing.T, v ctest.Variant) { run(t, v, "bad") })
}

func TestWhoGetsWhat(t *testing.T) {
	each(t, func(t *testing.T, v ctest.Variant) { run(t, v, "emit") })
}

// 10,000 sessions and more events than can be sent.
func TestBounds(t *testing.T) {
	seconds := "3"
	if testing.Short() {
		seconds = "1"
	}
	t.Log(run(t, ctest.Plain, "bounds", seconds))
}

func TestThreads(t *testing.T) {
	run(t, ctest.Plain, "threads")
	if testing.Short() {
		return
	}
	run(t, ctest.Address, "threads")
	run(t, ctest.Thread, "threads")
}

// figures are what c/steady.c prints.
type figures struct {
	Sessions, Frames, Messages, Allocated, Bytes, Collections int
	Before                                                    int `json:"resident_before_kib"`
	After                                                     int `json:"resident_after_kib"`
	Heap                                                      int `json:"heap_kib"`
	Seconds                                                   float64
}

func steady(t *testing.T, sessions, frames string) (f figures) {
	t.Helper()
	source, err := filepath.Abs("c/steady.c")
	require.NoError(t, err)
	program := ctest.Program(t, ctest.Plain, ctest.Library(t, ctest.Plain, "aicc_testmem"), source)
	page := filepath.Join(t.TempDir(), "page")
	require.NoError(t, os.WriteFile(page, make([]byte, 64), 0o600))
	out := ctest.Run(t, ".", append(os.Environ(), "AICC_TEST_MEM="+page), limit, program, sessions, frames)
	line, rest, _ := strings.Cut(out, "\n")
	require.Equal(t, "ok\n", rest)
	require.NoError(t, json.Unmarshal([]byte(line), &f))
	t.Logf("%+v", f)
	return f
}

// From emit to the hand-over of the message, through the library as it is, Go allocates nothing once its buffers have grown.
func TestNothingIsAllocated(t *testing.T) {
	for _, sessions := range []string{"1", "1000"} {
		t.Run(sessions, func(t *testing.T) {
			f := steady(t, sessions, "2000")
			require.Zero(t, f.Allocated)
			require.Zero(t, f.Collections)
		})
	}
}

// Ten minutes of a game with 1,000 characters, as fast as it goes: the collector does not run once.
func TestNoCollection(t *testing.T) {
	if testing.Short() {
		t.Skip("a long run")
	}
	f := steady(t, "1000", "36000")
	require.Greater(t, f.Messages, 1_000_000)
	require.Zero(t, f.Collections, "collections")
	require.Less(t, f.Allocated, 100)
	require.Less(t, f.After-f.Before, 4<<10, "KiB more are resident")
}
