package events

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
	"aicc.dev/libaicc/core/layout"
)

// twin makes layouts and structs, and the lines that C has to print of them, by core/layout.
type twin struct {
	t       *testing.T
	rng     *rand.Rand
	set     layout.Set
	specs   []layout.Spec // by number, from 1
	in      bytes.Buffer
	lines   []string
	sources []string // of each line
}

func (w *twin) word(words ...uint32) {
	for _, n := range words {
		w.in.Write(binary.LittleEndian.AppendUint32(nil, n))
	}
}

func (w *twin) want(line, source string) {
	w.lines, w.sources = append(w.lines, line), append(w.sources, source)
}

var names = []string{"idle", "", "attack \"!\"", "é", "0"}

// define makes a layout of a few fields, one after the other without gaps.
func (w *twin) define(elements bool) uint32 {
	var spec layout.Spec
	for i := range 1 + w.rng.IntN(6) {
		f := layout.Field{Name: fmt.Sprintf("%s%d", []string{"x", "a/b~", "in.y", "in.deep.é"}[w.rng.IntN(4)], i), Type: layout.Type(1 + w.rng.IntN(int(layout.Struct))), Offset: spec.Size}
		if f.Type == layout.Struct && (!elements || len(w.specs) == 0) {
			f.Type = layout.F32
		}
		if w.rng.IntN(3) == 0 || f.Type == layout.Chars || f.Type == layout.Text {
			f.Count = uint32(1 + w.rng.IntN(6))
		}
		if w.rng.IntN(3) == 0 {
			f.Flags |= layout.FlagOmitEmpty
		}
		size := map[layout.Type]uint32{layout.F32: 4, layout.F64: 8, layout.I8: 1, layout.U8: 1, layout.I16: 2, layout.U16: 2, layout.I32: 4, layout.U32: 4, layout.I64: 8,
			layout.U64: 8, layout.Bool8: 1, layout.Bool32: 4, layout.Chars: 1, layout.Text: 16, layout.Enum8: 1, layout.Enum16: 2, layout.Enum32: 4}[f.Type]
		n := max(f.Count, 1)
		switch f.Type {
		case layout.F32, layout.F64:
			f.Decimals = int32(max(0, w.rng.IntN(18)-8))
		case layout.I64, layout.U64:
			f.Flags |= int32(w.rng.IntN(2)) * layout.FlagString
		case layout.Enum8, layout.Enum16, layout.Enum32:
			f.Names = names[:1+w.rng.IntN(5)]
		case layout.Struct:
			number := uint32(1 + w.rng.IntN(len(w.specs)))
			f.Element = w.set.Find(number)
			size = w.specs[number-1].Size
		case layout.Text:
			n = 1
		}
		spec.Size += n * size
		if f.Count > 0 && f.Type != layout.Text && w.rng.IntN(2) == 0 {
			f.CountType = []layout.Type{layout.U8, layout.U16, layout.I32, layout.U32}[w.rng.IntN(4)]
			bytes := map[layout.Type]uint32{layout.U8: 1, layout.U16: 2, layout.I32: 4, layout.U32: 4}[f.CountType]
			spec.Size = (spec.Size + bytes - 1) / bytes * bytes
			f.CountOffset = int32(spec.Size)
			spec.Size += bytes
		}
		spec.Fields = append(spec.Fields, f)
	}
	wire := layout.EncodeSpec(nil, &spec)
	l, fault := w.set.Define(wire)
	if fault != nil || int(l.Number()) <= len(w.specs) {
		return 0
	}
	w.specs = append(w.specs, spec)
	w.in.WriteByte('L')
	w.word(uint32(len(wire)))
	w.in.Write(wire)
	return l.Number()
}

// fill makes a struct's bytes, mostly nonsense; texts go behind it.
func (w *twin) fill(spec *layout.Spec, data []byte, base int, use bool) []byte {
	for i := range spec.Fields {
		f := &spec.Fields[i]
		at := base + int(f.Offset)
		for range max(f.Count, 1) {
			switch f.Type {
			case layout.F32:
				binary.LittleEndian.PutUint32(data[at:], w.float32())
				at += 4
			case layout.F64:
				binary.LittleEndian.PutUint64(data[at:], math.Float64bits(float64(math.Float32frombits(w.float32()))*w.rng.Float64()))
				at += 8
			case layout.Enum8:
				data[at] = byte(w.rng.IntN(6))
				at++
			}
		}
		if f.CountType != 0 {
			for k := range map[layout.Type]int{layout.U8: 1, layout.U16: 2, layout.I32: 4, layout.U32: 4}[f.CountType] {
				data[base+int(f.CountOffset)+k] = 0
			}
			data[base+int(f.CountOffset)] = byte(w.rng.IntN(9))
		}
		used := int(max(f.Count, 1))
		if f.CountType != 0 {
			used = min(used, int(data[base+int(f.CountOffset)]))
		}
		switch f.Type {
		case layout.Struct:
			number := f.Element.Number()
			for k := range int(max(f.Count, 1)) {
				data = w.fill(&w.specs[number-1], data, at+k*int(w.specs[number-1].Size), use && k < used)
			}
		case layout.Text:
			for k := range 16 {
				data[at+k] = 0
			}
			text := []byte("a\xffé\"\x00\xe2\x82\xac")[:w.rng.IntN(9)]
			if len(text) > int(f.Count) {
				text = text[:f.Count]
			}
			if use && len(text) > 0 {
				binary.LittleEndian.PutUint32(data[at:], uint32(len(data)))
				binary.LittleEndian.PutUint32(data[at+4:], uint32(len(text)))
				data = append(data, text...)
			}
		}
	}
	return data
}

// float32 is one of any bits, or one as games have them.
func (w *twin) float32() uint32 {
	switch w.rng.IntN(5) {
	case 0:
		return math.Float32bits(float32(w.rng.IntN(20001)-10000) / 100)
	case 1:
		return math.Float32bits(float32(w.rng.NormFloat64() * 1000))
	case 2:
		return uint32(w.rng.IntN(512)) << 23 // powers of two, zeros, denormals' border, infinities
	case 3:
		return uint32(w.rng.IntN(1000)) // denormals
	}
	return w.rng.Uint32()
}

func (w *twin) give(number uint32) {
	l, spec := w.set.Find(number), &w.specs[number-1]
	data := make([]byte, spec.Size)
	for i := range data {
		data[i] = byte(w.rng.Uint32()>>(w.rng.IntN(3)*8)) >> (w.rng.IntN(2) * 7)
	}
	data = w.fill(spec, data, 0, true)
	w.in.WriteByte('S')
	w.word(number, uint32(len(data)))
	w.in.Write(data)
	var counts layout.Counts
	text := l.Append(nil, data, &counts)
	w.want(string(text), fmt.Sprintf("%+v %x", *spec, data))
	w.want(string(text), "emitted")
	w.read(number, text)
	w.read(number, bytes.ReplaceAll(text, []byte("null"), []byte("1")))
	w.read(number, bytes.ReplaceAll(text, []byte(":1"), []byte(":-1")))
}

func (w *twin) read(number uint32, text []byte) {
	if len(text) > 60000 {
		return
	}
	w.in.WriteByte('R')
	w.word(number, uint32(len(text)))
	w.in.Write(text)
	l := w.set.Find(number)
	data, fault := l.Read(make([]byte, l.Size()), text)
	line := "fault" // of several C may meet another one first
	if fault == nil {
		var counts layout.Counts
		line = string(l.Append(nil, data, &counts))
	}
	w.want(line, fmt.Sprintf("read %s: %v", text, fault))
}

// differs gives where two texts begin to, -1: nowhere.
func differs(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	if len(a) == len(b) {
		return -1
	}
	return min(len(a), len(b))
}

// What C writes, gathers and reads is what core/layout does, byte for byte.
func TestTwins(t *testing.T) {
	each(t, func(t *testing.T, v ctest.Variant) {
		ctest.Need(t, v.CC, v.CC)
		source, err := filepath.Abs("c/twin.c")
		require.NoError(t, err)
		program := ctest.Program(t, v, ctest.Library(t, v), source)
		w := &twin{t: t, rng: rand.New(rand.NewPCG(5, 7))}
		// Each float32 of some, written plainly: a layout of 200 floats.
		plain := layout.Spec{Size: 800, Fields: []layout.Field{{Name: "f", Type: layout.F32, Count: 200}}}
		wire := layout.EncodeSpec(nil, &plain)
		_, fault := w.set.Define(wire)
		require.Nil(t, fault)
		w.specs = append(w.specs, plain)
		w.in.WriteByte('L')
		w.word(uint32(len(wire)))
		w.in.Write(wire)
		for range 100 {
			w.give(1)
		}
		for len(w.specs) < 120 {
			if number := w.define(len(w.specs) > 10); number != 0 {
				for range 8 {
					w.give(number)
				}
			}
		}
		command := exec.Command(program)
		command.Env, command.Stdin = append(os.Environ(), v.Env...), &w.in
		var said, trouble bytes.Buffer
		command.Stdout, command.Stderr = &said, &trouble
		require.NoError(t, command.Run(), "%s", trouble.String())
		got := strings.Split(strings.TrimSuffix(said.String(), "\nok\n"), "\n")
		for i, line := range got {
			require.Less(t, i, len(w.lines))
			if line == "AICC_E_TYPE" || line == "AICC_E_RANGE" {
				line = "fault"
			}
			if at := differs(w.lines[i], line); at >= 0 {
				require.Fail(t, "C and Go differ", "byte %d\nwant ...%.60s\ngot  ...%.60s\n%.2000s", at, w.lines[i][max(0, at-20):], line[max(0, at-20):], w.sources[i])
			}
		}
		require.Len(t, got, len(w.lines))
	})
}
