package layout

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// twin writes a gathered struct as JSON the plain way: from the Spec, with the standard library, knowing nothing of programs.
type twin struct {
	t    testing.TB
	data []byte
	c    Counts
}

type twinMember struct {
	path  []string
	field *Field
}

func twinMembers(spec *Spec) (list []twinMember) {
	for i := range spec.Fields {
		list = append(list, twinMember{strings.Split(spec.Fields[i].Name, "."), &spec.Fields[i]})
	}
	return list
}

func (w *twin) object(members []twinMember, specs map[*Layout]*Spec, base int) string {
	var out []string
	done := map[string]bool{}
	for _, m := range members {
		first := m.path[0]
		if done[first] {
			continue
		}
		done[first] = true
		value, there := "", true
		if len(m.path) == 1 {
			value, there = w.field(m.field, specs, base)
		} else {
			var inner []twinMember
			for _, o := range members {
				if o.path[0] == first {
					inner = append(inner, twinMember{o.path[1:], o.field})
				}
			}
			value = w.object(inner, specs, base)
		}
		if there {
			out = append(out, w.text(first)+":"+value)
		}
	}
	return "{" + strings.Join(out, ",") + "}"
}

func (w *twin) uint(at, size int) (n uint64) {
	for i := range size {
		n |= uint64(w.data[at+i]) << (8 * i)
	}
	return n
}

func (w *twin) field(f *Field, specs map[*Layout]*Spec, base int) (value string, there bool) {
	omit := f.Flags&FlagOmitEmpty != 0
	n := int64(f.Count)
	if f.CountType != 0 {
		size := map[Type]int{U8: 1, U16: 2, I32: 4, U32: 4}[f.CountType]
		n = int64(w.uint(base+int(f.CountOffset), size))
		if f.CountType == I32 {
			n = int64(int32(n))
		}
		if n < 0 || n > int64(f.Count) {
			n = min(max(n, 0), int64(f.Count))
			w.c.Clamped++
		}
	}
	at := base + int(f.Offset)
	switch {
	case f.Type == Chars:
		text := string(w.data[at : at+int(n)])
		if f.CountType == 0 {
			text, _, _ = strings.Cut(text, "\x00")
		}
		return w.text(text), !omit || text != ""
	case f.Count == 0 || f.Type == Text:
		if omit && f.Type.enum() && w.uint(at, typeTable[f.Type].size) == 0 {
			return "", false
		}
		value = w.value(f, specs, at)
		empty := []string{"0", "-0", `"0"`, "false"}
		if f.Type == Text {
			empty = []string{`""`}
		}
		return value, !omit || f.Type.enum() || !slices.Contains(empty, value)
	}
	if omit && n == 0 {
		return "", false
	}
	stride := int(f.Stride)
	if stride == 0 {
		if stride = typeTable[f.Type].size; f.Type == Struct {
			stride = f.Element.Size()
		}
	}
	list := make([]string, n)
	for i := range list {
		list[i] = w.value(f, specs, at+i*stride)
	}
	return "[" + strings.Join(list, ",") + "]", true
}

func (w *twin) value(f *Field, specs map[*Layout]*Spec, at int) string {
	switch f.Type {
	case F32:
		v := math.Float32frombits(uint32(w.uint(at, 4)))
		return w.float(float64(v), 32, f.Decimals)
	case F64:
		return w.float(math.Float64frombits(w.uint(at, 8)), 64, f.Decimals)
	case Bool8, Bool32:
		return strconv.FormatBool(w.uint(at, typeTable[f.Type].size) != 0)
	case Enum8, Enum16, Enum32:
		v := w.uint(at, typeTable[f.Type].size)
		if v >= uint64(len(f.Names)) || f.Names[v] == "" {
			w.c.BadEnum++
			return "null"
		}
		return w.text(f.Names[v])
	case Text:
		from, n := w.uint(at, 4), w.uint(at+4, 4)
		if n >= 1<<31 {
			n -= 1 << 31
			if from+n <= uint64(len(w.data)) && n <= uint64(f.Count) {
				w.c.Clamped++
			}
		}
		if from+n > uint64(len(w.data)) || n > uint64(f.Count) {
			w.c.Damaged++
			return `""`
		}
		return w.text(string(w.data[from : from+n]))
	case Struct:
		return w.object(twinMembers(specs[f.Element]), specs, at)
	}
	size := typeTable[f.Type].size
	n := new(big.Int).SetUint64(w.uint(at, size))
	if f.Type == I8 || f.Type == I16 || f.Type == I32 || f.Type == I64 {
		if n.Bit(8*size-1) == 1 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*size)))
		}
	}
	if f.Flags&FlagString != 0 {
		return `"` + n.String() + `"`
	}
	return n.String()
}

func (w *twin) text(s string) string {
	valid := string([]rune(s)) // each byte that is no UTF-8 is a rune of its own, U+FFFD
	for i, r := range s {
		if r == '\uFFFD' && !strings.HasPrefix(s[i:], "\uFFFD") {
			w.c.BadText++
		}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	require.NoError(w.t, e.Encode(valid))
	out := strings.TrimSuffix(b.String(), "\n")
	// The standard library escapes these two for JavaScript's sake. A backslash of the text itself is doubled before them.
	out = strings.ReplaceAll(out, `\\`, "\xff")
	out = strings.ReplaceAll(strings.ReplaceAll(out, `\u2028`, "\u2028"), `\u2029`, "\u2029")
	return strings.ReplaceAll(out, "\xff", `\\`)
}

func (w *twin) float(v float64, size int, decimals int32) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		w.c.NotFinite++
		return "null"
	}
	if decimals == 0 || math.Abs(v) >= 1<<52 {
		format := byte('f')
		if abs := math.Abs(v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
			format = 'e'
		}
		return strconv.FormatFloat(v, format, -1, size)
	}
	// The exact value as a fraction, times 10^decimals, rounded to even from the middle.
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	r := new(big.Rat).SetFloat64(math.Abs(v))
	r.Mul(r, new(big.Rat).SetInt(scale))
	q, rest := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	switch c := rest.Lsh(rest, 1).Cmp(r.Denom()); {
	case c > 0, c == 0 && q.Bit(0) == 1:
		q.Add(q, big.NewInt(1))
	}
	whole, part := new(big.Int).QuoRem(q, scale, new(big.Int))
	text := whole.String()
	if part.Sign() != 0 {
		digits := part.String()
		digits = strings.Repeat("0", int(decimals)-len(digits)) + digits
		text += "." + strings.TrimRight(digits, "0")
	}
	if v < 0 && q.Sign() != 0 {
		text = "-" + text
	}
	return text
}
