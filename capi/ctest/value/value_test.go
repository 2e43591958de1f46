// Package value tests how values are read and written in C: value*.c and writer*.c are compiled without the rest of the library, under sanitizers,
// and held against what Go makes of the same values.
package value

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/tape"
)

const limit = 3 * time.Minute

var (
	sources = []string{"value.c", "value_open.c", "writer.c", "writer_number.c"}
	strict  = []string{"-std=c11", "-pedantic", "-Wall", "-Wextra", "-Wshadow", "-Wundef", "-Wconversion", "-Wno-sign-conversion", "-Werror"}
	checked = append([]string{"-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"}, strict...)
	fast    = append([]string{"-O2"}, strict...)
)

// build compiles one program of c/ with the files under test.
func build(t *testing.T, cc, name string, flags ...string) string {
	t.Helper()
	ctest.Need(t, cc, cc)
	capi := filepath.Join(ctest.Root(), "capi")
	out := filepath.Join(t.TempDir(), strings.TrimSuffix(name, ".c"))
	args := append(append([]string{}, flags...), "-o", out, filepath.Join("c", name))
	for _, s := range sources {
		args = append(args, filepath.Join(capi, s))
	}
	ctest.Run(t, ".", os.Environ(), limit, cc, args...)
	return out
}

func run(t *testing.T, program string, args ...string) string {
	t.Helper()
	return ctest.Run(t, ".", os.Environ(), limit, program, args...)
}

func writeRecords(t *testing.T, records [][]byte) string {
	t.Helper()
	var all []byte
	for _, r := range records {
		all = append(binary.LittleEndian.AppendUint64(all, uint64(len(r))), r...)
	}
	path := filepath.Join(t.TempDir(), "records")
	require.NoError(t, os.WriteFile(path, all, 0o600))
	return path
}

func readRecords(t *testing.T, path string) (records [][]byte) {
	t.Helper()
	all, err := os.ReadFile(path)
	require.NoError(t, err)
	for len(all) > 0 {
		n := binary.LittleEndian.Uint64(all)
		records, all = append(records, all[8:8+n]), all[8+n:]
	}
	return records
}

// maker makes random JSON texts, with white space, escapes and numbers of all forms.
type maker struct{ *rand.Rand }

func (m maker) pick(from ...string) string { return from[m.IntN(len(from))] }
func (m maker) space() string              { return m.pick("", "", "", "", " ", "\n\t", "\r") }

func (m maker) number() string {
	digits := func(n int) string {
		s := strconv.Itoa(1 + m.IntN(9))
		for range m.IntN(n) {
			s += strconv.Itoa(m.IntN(10))
		}
		return s
	}
	switch m.IntN(6) {
	case 0:
		return m.pick("0", "-0", "-0.0", "1e3", "3.0", "-25e-1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551615",
			"1e400", "-1E+400", "1e-400", "5e-324", "0.1", "100e-2", "1E2", "9007199254740993")
	case 1:
		return m.pick("", "-") + digits(22)
	case 2:
		return m.pick("", "-") + digits(12) + "." + digits(12)
	case 3:
		return m.pick("", "-") + digits(3) + m.pick("", "."+digits(20)) + m.pick("e", "E", "e+", "e-") + digits(3)
	case 4:
		return strconv.FormatFloat(math.Float64frombits(m.Uint64()&^(1<<62)), 'g', -1, 64)
	}
	return strconv.Itoa(m.IntN(1000))
}

func (m maker) str() string {
	s := `"`
	for range m.IntN(9) {
		s += m.pick("a", "bc", "/", "~", " ", "'", "\u00e4", "\u20ac", "\U0001F600", "\x7f", "\ufffd", `\n`, `\"`, `\\`, `\/`, `\b`, `\f`, `\r`, `\t`, `\u0000`, `\u001f`, `\u00E4`,
			`\u20ac`, `\ud83d\ude00`, `\ud800`, `\udc00\ud800`, `\ufffd`)
	}
	return s + `"`
}

func (m maker) value(depth int) string {
	kind := m.IntN(9)
	if depth == 0 && kind > 6 {
		kind -= 3
	}
	switch kind {
	case 0:
		return "null"
	case 1:
		return m.pick("true", "false")
	case 2, 3, 4:
		return m.number()
	case 5, 6:
		return m.str()
	case 7:
		var parts []string
		for range m.IntN(6) {
			parts = append(parts, m.space()+m.value(depth-1)+m.space())
		}
		return "[" + strings.Join(parts, ",") + m.space() + "]"
	}
	var parts []string
	for i := range m.IntN(6) {
		// The writer takes an empty key for none, so each has its number.
		parts = append(parts, m.space()+m.str()[:1]+strconv.Itoa(i)+m.str()[1:]+m.space()+":"+m.space()+m.value(depth-1))
	}
	return "{" + strings.Join(parts, ",") + m.space() + "}"
}

func TestRoundTrip(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(1, 2))}
	texts := []string{strings.Repeat("[", 64) + strings.Repeat("]", 64), strings.Repeat(`{"a":`, 64) + "1" + strings.Repeat("}", 64), "[" + strings.Repeat("1,", 4000) + "1]"}
	for len(texts) < 5000 {
		texts = append(texts, m.space()+m.value(m.IntN(6))+m.space())
	}
	var s jsonwire.Scanner
	var tapes [][]byte
	for _, text := range texts {
		_, err := s.Check([]byte(text))
		require.Nil(t, err, text)
		tapes = append(tapes, tape.Append(nil, []byte(text)))
	}
	in, out := writeRecords(t, tapes), filepath.Join(t.TempDir(), "out")
	run(t, build(t, "gcc", "print.c", checked...), in, out)
	got := readRecords(t, out)
	require.Len(t, got, 3*len(texts))
	for i, text := range texts {
		require.Equal(t, strings.Trim(text, " \n\t\r"), string(got[3*i+1]), "the text of value_json")
		require.Equal(t, tapes[i], got[3*i+2], "the tape's copy")
		_, err := s.Check(got[3*i])
		require.Nil(t, err, string(got[3*i]))
		requireSameNumbers(t, text, decode(t, text), decode(t, string(got[3*i])))
	}
}

func decode(t *testing.T, text string) (v any) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&v))
	return v
}

// requireSameNumbers compares two values: whole numbers of 64 bits exactly, others as the float64 that C has of them.
func requireSameNumbers(t *testing.T, text string, want, got any) {
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		require.Len(t, g, len(w), text)
		for name := range w {
			requireSameNumbers(t, text, w[name], g[name])
		}
	case []any:
		g, _ := got.([]any)
		require.Len(t, g, len(w), text)
		for i := range w {
			requireSameNumbers(t, text, w[i], g[i])
		}
	case json.Number:
		g, _ := got.(json.Number)
		n, err := jsonwire.ToInt64([]byte(w))
		if err == nil {
			require.Equal(t, strconv.FormatInt(n, 10), string(g), text)
			return
		}
		a, _ := strconv.ParseFloat(string(w), 64)
		b, _ := strconv.ParseFloat(string(g), 64)
		require.Equal(t, math.Float64bits(a), math.Float64bits(b), "%s as %s", w, g)
	default:
		require.Equal(t, want, got, text)
	}
}

func TestHostileTapes(t *testing.T) {
	var tapes [][]byte
	for _, text := range []string{
		`{}`, `"a\u00e4\ud83d\ude00"`, `[1,[2.5,null],"x",{}]`, `{"a":{"b":[true,-0]},"~":"y\n","big":1e400}`, strings.Repeat("[", 12) + strings.Repeat("]", 12),
	} {
		tapes = append(tapes, tape.Append(nil, []byte(text)))
	}
	in := writeRecords(t, tapes)
	for _, cc := range []string{"gcc", "clang"} {
		t.Run(cc, func(t *testing.T) {
			said := run(t, build(t, cc, "hostile.c", checked...), in)
			var tried, accepted int
			_, err := fmt.Sscanf(said, "%d opened, %d accepted", &tried, &accepted)
			require.NoError(t, err)
			t.Log(strings.TrimSpace(said))
			// Payloads of numbers are what may be changed without notice, so some are accepted.
			require.Greater(t, tried, 100_000)
			require.Greater(t, accepted, 1000)
		})
	}
}

// places is what c/pointers.c reads.
const places = `{
 "": "empty", "speed": 3, "target": {"x": 1.5, "y": 2, "z": 3}, "list": [0, [{"deep": true}], null],
 "01": "zero one", "-": "dash", "a/b": "slash", "m~n": "tilde", "~1": "tilde one", "\u00e4\ud83d\ude00": "unicode",
 "null": null, "off": false, "text": "a\u0000b\"\n", "position": [1, -2.5, 3e-7], "far": [1, 1e400], "none": [],
 "numbers": {"min": -9223372036854775808, "max": 9223372036854775807, "over": 9223372036854775808, "under": -9223372036854775809e0,
  "near": 9223372036854775807.5, "huge": -1e400, "tiny": 1e-400, "three": 3.0, "kilo": 1e3, "minus": -0.0}
}`

func TestPointers(t *testing.T) {
	in := writeRecords(t, [][]byte{tape.Append(nil, []byte(places))})
	run(t, build(t, "gcc", "pointers.c", checked...), in)
}

func TestWriter(t *testing.T) {
	for _, cc := range []string{"gcc", "clang"} {
		t.Run(cc, func(t *testing.T) { run(t, build(t, cc, "writer.c", checked...)) })
	}
	t.Run("without 128 bits", func(t *testing.T) { run(t, build(t, "gcc", "writer.c", append(checked, "-DAICC__NO_INT128")...)) })
}

// Games call setlocale, and then printf writes "1,5".
func TestWriterInALocaleWithCommas(t *testing.T) {
	ctest.Need(t, "localedef", "locales")
	dir := t.TempDir()
	if out, err := ctest.Try(".", os.Environ(), limit, "localedef", "-i", "de_DE", "-f", "UTF-8", filepath.Join(dir, "de_DE.UTF-8")); err != nil {
		t.Skipf("no locale can be made here: %v %s", err, out)
	}
	out := ctest.Run(t, ".", append(os.Environ(), "LOCPATH="+dir), limit, build(t, "gcc", "writer.c", fast...), "de_DE.UTF-8")
	require.Empty(t, out)
}

// No heap, no locale, no printf: only these functions of the C library are used.
func TestWhatIsUsedOfTheCLibrary(t *testing.T) {
	ctest.Need(t, "nm", "binutils")
	allowed := []string{"memchr", "memcmp", "memcpy", "memset", "strchr", "strlen", "aicc__format_number", "aicc__format_fixed", "aicc__format_integer"}
	dir := t.TempDir()
	for _, source := range sources {
		object := filepath.Join(dir, source+".o")
		ctest.Run(t, ".", os.Environ(), limit, "gcc", append(fast, "-c", "-o", object, filepath.Join(ctest.Root(), "capi", source))...)
		out, err := exec.Command("nm", "-u", object).Output()
		require.NoError(t, err)
		for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			name := strings.TrimPrefix(strings.TrimSpace(line), "U ")
			if name != "" && name != "_GLOBAL_OFFSET_TABLE_" && name != "__stack_chk_fail" {
				require.Contains(t, allowed, name, source)
			}
		}
	}
}

// doubles gives n bit patterns: any, and those around which the algorithms turn.
func doubles(n int) []byte {
	r := rand.New(rand.NewPCG(3, 4))
	var out []byte
	add := func(bits uint64) { out = binary.LittleEndian.AppendUint64(out, bits) }
	for exp := range uint64(2047) {
		for _, fraction := range []uint64{0, 1, 2, 1<<52 - 1, 1<<52 - 2, r.Uint64() >> 12} {
			add(exp<<52 | fraction)
		}
	}
	for e := -330; e < 310; e++ {
		f, _ := strconv.ParseFloat("1e"+strconv.Itoa(e), 64)
		for d := -2; d <= 2; d++ {
			add(math.Float64bits(f) + uint64(d))
		}
	}
	for len(out) < 8*n {
		switch r.IntN(6) {
		case 0:
			add(math.Float64bits(float64(float32(r.NormFloat64() * 100))))
		case 1:
			add(math.Float64bits(math.Round(r.NormFloat64()*1e5) / math.Pow10(r.IntN(7))))
		case 2:
			add(math.Float64bits((float64(r.Int64N(1<<33)) + 0.5) / float64(uint64(1)<<r.IntN(40)))) // middles
		case 3:
			add(math.Float64bits(float64(r.Int64() >> r.IntN(60))))
		default:
			add(r.Uint64())
		}
	}
	return out[:8*n]
}

func TestDigits(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 50_000
	}
	values := doubles(n)
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	require.NoError(t, os.WriteFile(in, values, 0o600))
	plain := build(t, "gcc", "digits.c", fast...)
	none := build(t, "gcc", "digits.c", append(fast, "-DAICC__NO_INT128")...)
	for _, c := range []struct {
		program  string
		decimals int
	}{{plain, -1}, {none, -1}, {plain, 0}, {plain, 2}, {none, 3}, {plain, 9}} {
		run(t, c.program, strconv.Itoa(c.decimals), in, out)
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		var want []byte
		for i := 0; i < len(values); i += 8 {
			f := math.Float64frombits(binary.LittleEndian.Uint64(values[i:]))
			want = appendWanted(want[:0], f, c.decimals)
			line, rest, _ := bytes.Cut(text, []byte("\n"))
			if !bytes.Equal(want, line) {
				require.Equal(t, string(want), string(line), "%g (%x) with %d decimals", f, math.Float64bits(f), c.decimals)
			}
			text = rest
		}
		require.Empty(t, text)
	}
}

func appendWanted(dst []byte, f float64, decimals int) []byte {
	if decimals < 0 || math.Abs(f) >= 1<<52 || f != f {
		dst, _ = jsonwire.AppendFloat(dst, f)
		return dst
	}
	dst = strconv.AppendFloat(dst, f, 'f', decimals, 64)
	if decimals > 0 {
		dst = bytes.TrimSuffix(bytes.TrimRight(dst, "0"), []byte("."))
	}
	if string(dst) == "-0" {
		return dst[1:]
	}
	return dst
}

// The table of writer_pow10.h, anew: AICC_UPDATE=1 writes it.
func TestPowersOfTen(t *testing.T) {
	const lowest, count = -292, 617
	var out strings.Builder
	out.WriteString("/* writer_pow10.h: the powers of ten from 10^-292 to 10^324, each as the 128 bits that it begins with, rounded up.\n" +
		" * Made by TestPowersOfTen in ctest/value, which also checks them. */\nstatic const uint64_t aicc__pow10[617][2] = {\n")
	for i := range count {
		p := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(lowest+i, -lowest-i))), nil)
		bits := new(big.Int)
		if k := lowest + i; k >= 0 {
			// p * 2^(128-len), rounded up; the shift may be to the right.
			bits.Lsh(p, 256)
			shift := uint(256 + p.BitLen() - 128)
			bits.Add(bits, new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), shift), big.NewInt(1))).Rsh(bits, shift)
		} else {
			// 2^(127+len) / p lies between 2^127 and 2^128, since p is no power of two.
			bits.Lsh(big.NewInt(1), uint(127+p.BitLen()))
			bits.Add(bits, new(big.Int).Sub(p, big.NewInt(1))).Quo(bits, p)
		}
		require.Equal(t, 128, bits.BitLen())
		separator := map[bool]string{true: "    ", false: " "}[i%3 == 0]
		fmt.Fprintf(&out, "%s{0x%016x,0x%016x},", separator, new(big.Int).Rsh(bits, 64), new(big.Int).And(bits, new(big.Int).SetUint64(math.MaxUint64)))
		if i%3 == 2 || i == count-1 {
			out.WriteString("\n")
		}
	}
	out.WriteString("};\n")
	path := filepath.Join(ctest.Root(), "capi", "writer_pow10.h")
	if os.Getenv("AICC_UPDATE") == "1" {
		require.NoError(t, os.WriteFile(path, []byte(out.String()), 0o644))
	}
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, out.String(), string(got), "AICC_UPDATE=1 go test ./capi/ctest/value writes it anew")
}
