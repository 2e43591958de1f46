package layout

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// maker makes layouts and structs from bytes, and from a generator once they have ended.
type maker struct {
	bytes []byte
	rng   *rand.Rand
	specs map[*Layout]*Spec
}

func newMaker(bytes []byte, seed uint64) *maker {
	return &maker{bytes, rand.New(rand.NewPCG(seed, 1)), map[*Layout]*Spec{}}
}

// n is 0 to below-1.
func (m *maker) n(below int) int {
	if len(m.bytes) == 0 {
		return m.rng.IntN(below)
	}
	b := m.bytes[0]
	m.bytes = m.bytes[1:]
	return int(b) % below
}

var makerNames = []string{"x", "position", "é", "a\"b", "line\n", "\u2028", "a/b~c", "kind", "hp", "a name that is longer than what is stored without a call"}

// spec makes a Spec that Compile accepts, but for what is too big.
func (m *maker) spec(set *Set, depth int) *Spec {
	s := &Spec{}
	at := uint32(0)
	place := func(size uint32, align uint32) uint32 {
		at = (at + align - 1) / align * align
		here := at
		at += size
		return here
	}
	var prefixes []string
	for i := range 1 + m.n(7) {
		f := Field{Name: makerNames[m.n(len(makerNames))] + strconv.Itoa(i)}
		switch p := m.n(4); {
		case p == 0:
			prefix := "in" + strconv.Itoa(i) + "."
			if len(prefixes) > 0 && m.n(2) == 0 {
				prefix = prefixes[m.n(len(prefixes))] + prefix
			}
			prefixes = append(prefixes, prefix)
			f.Name = prefix + f.Name
		case p == 1 && len(prefixes) > 0:
			f.Name = prefixes[m.n(len(prefixes))] + f.Name
		}
		f.Type = Type(1 + m.n(int(Struct)))
		if f.Type == Struct && (depth == 0 || m.n(2) == 0) {
			f.Type = F32
		}
		if m.n(3) == 0 {
			f.Flags |= FlagOmitEmpty
		}
		if m.n(3) == 0 || f.Type.text() {
			f.Count = uint32(1 + m.n(5))
		}
		switch {
		case f.Type == Struct:
			wire := EncodeSpec(nil, m.spec(set, depth-1))
			element, fault := set.Define(wire)
			if fault != nil {
				f.Type = U16
				break
			}
			f.Element = element
			spec, _ := ParseSpec(wire, set.Find)
			m.specs[element] = &spec
		case f.Type.float():
			f.Decimals = int32(max(0, m.n(14)-4))
		case f.Type.enum():
			f.Names = []string{"idle", "", "0", "attack \"!\"", "é"}[:1+m.n(5)]
		case f.Type == I64 || f.Type == U64:
			f.Flags |= int32(m.n(2)) * FlagString
		}
		if !f.array() && (f.Type.integer() || f.Type.enum() || f.Type.text()) && !slices.ContainsFunc(s.Fields, func(o Field) bool { return o.Flags&FlagKey != 0 }) {
			f.Flags |= int32(m.n(2)) * FlagKey
		}
		size := uint32(f.size())
		n := max(f.Count, 1)
		if f.Type == Text {
			n = 1
		}
		if f.array() && m.n(3) == 0 {
			f.Stride = size + uint32(m.n(9))
		}
		f.Offset = place((n-1)*max(f.Stride, size)+size, 1+uint32(m.n(4)))
		if f.Count > 0 && f.Type != Text && m.n(2) == 0 {
			f.CountType = []Type{U8, U16, I32, U32}[m.n(4)]
			shared := m.n(3) == 0
			for _, o := range s.Fields {
				if shared && o.CountType != 0 {
					f.CountType, f.CountOffset = o.CountType, o.CountOffset
				}
			}
			if f.CountOffset == 0 {
				size := uint32(f.CountType.bytes())
				f.CountOffset = int32(place(size, size))
			}
		}
		s.Fields = append(s.Fields, f)
	}
	s.Size = at + uint32(m.n(5))
	return s
}

var specials = []uint64{
	0, 1, 1 << 63, 1<<53 - 1, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MaxUint64,
	math.Float64bits(math.NaN()), math.Float64bits(math.Inf(1)), math.Float64bits(math.Inf(-1)), math.Float64bits(math.SmallestNonzeroFloat64),
	math.Float64bits(math.MaxFloat64), math.Float64bits(1 << 53), math.Float64bits(1<<53 - 1), math.Float64bits(1<<53 + 2), math.Float64bits(-1 << 52), math.Float64bits(1<<52 - 0.5),
	math.Float64bits(1e21), math.Float64bits(1e-6), math.Float64bits(0.1), math.Float64bits(0.5), math.Float64bits(2.5), math.Float64bits(-0.0004), math.Float64bits(1234.5625),
	math.Float64bits(1e-7), math.Float64bits(0.0005), math.Float64bits(1.005), math.Float64bits(9.9999999995), math.Float64bits(2.2250738585072014e-308),
}

var texts = []string{
	"", "a", "0", "Bjørn", "quote \" \\ / \b\f\n\r\t\x01\x1f\x7f", "\u2028\u2029", "\xff", "cut \xe2\x82", "\xed\xa0\x80", "\xc0\xaf", "\xf0\x9f\x98\x80", "\xf4\x90\x80\x80",
	"\xf0\x80\x80\x80", "\x80\xbf", "\xfe\xff", "\uFFFD", `\u2028`, "a\x00b", "\xe2\x28\xa1", "\xf0\x9f\x98",
}

// data makes a gathered struct.
func (m *maker) data(l *Layout, s *Spec) []byte {
	data := make([]byte, l.Size())
	for i := range data {
		data[i] = byte(m.n(256))
	}
	m.fill(&data, s, 0)
	return data
}

func (m *maker) fill(data *[]byte, s *Spec, base int) {
	for i := range s.Fields {
		f := &s.Fields[i]
		if f.CountType != 0 {
			n := uint64(m.n(int(f.Count) + 1))
			if m.n(8) == 0 {
				n = specials[m.n(8)]
			}
			m.put(*data, base+int(f.CountOffset), f.CountType.bytes(), n)
		}
		n, stride := 1, int(f.Stride)
		if f.Count > 0 && f.Type != Text {
			n = int(f.Count)
		}
		if stride == 0 {
			stride = f.size()
		}
		for j := range n {
			m.value(data, f, base+int(f.Offset)+j*stride)
		}
	}
}

func (m *maker) put(data []byte, at, size int, v uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	copy(data[at:at+size], b[:])
}

func (m *maker) value(data *[]byte, f *Field, at int) {
	switch {
	case f.Type == Struct:
		m.fill(data, m.specs[f.Element], at)
	case f.Type == Text:
		text := texts[m.n(len(texts))]
		text = text[:min(len(text), int(f.Count))]
		from, n := uint32(len(*data)), uint32(len(text))
		*data = append(*data, text...)
		switch m.n(20) {
		case 0:
			from = uint32(m.rng.Uint64())
		case 1:
			n |= textCut
		case 2:
			n = uint32(m.rng.Uint64())
		}
		binary.LittleEndian.PutUint32((*data)[at:], from)
		binary.LittleEndian.PutUint32((*data)[at+4:], n)
	case f.Type == Chars && m.n(2) == 0:
		(*data)[at] = texts[m.n(len(texts)-1)+1][0]
	case f.Type == F32:
		switch m.n(6) {
		case 0: // any bits
		case 1:
			m.put(*data, at, 4, uint64(math.Float32bits(float32(m.rng.IntN(2000000)-1000000)/1000)))
		case 2:
			m.put(*data, at, 4, uint64(math.Float32bits(float32(m.rng.NormFloat64()*100))))
		case 3:
			m.put(*data, at, 4, uint64([]uint32{0, 1, 1 << 31, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x00800000, 0x007fffff, 0x4b800000, 0x37800001}[m.n(11)]))
		default:
			m.put(*data, at, 4, uint64(math.Float32bits(float32(math.Float64frombits(specials[m.n(len(specials))])))))
		}
	case f.Type == F64 && m.n(3) == 0:
		m.put(*data, at, 8, math.Float64bits(m.rng.NormFloat64()*math.Pow(10, float64(m.n(24)-8))))
	case f.Type == F64 && m.n(3) == 0:
		m.put(*data, at, 8, math.Float64bits(float64(m.rng.IntN(2000000)-1000000)/1000))
	case f.Type.enum() && m.n(4) != 0:
		m.put(*data, at, f.size(), uint64(m.n(len(f.Names))))
	case m.n(3) != 0:
		m.put(*data, at, f.size(), specials[m.n(len(specials))])
	}
}
