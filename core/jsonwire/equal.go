package jsonwire

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// Equal tells whether two values are the same JSON value: members in any order, numbers by their
// exact value, strings by what they mean. It allocates only for an object of more than 16
// members that come in another order.
func Equal(a, b []byte) bool { return equal(a, b, 0) }

// equal, like hashValue, gives up below any depth that a Scanner accepts.
func equal(a, b []byte, depth int) bool {
	kind := KindOf(a)
	if kind != KindOf(b) || depth > MaxDepth {
		return false
	}
	switch kind {
	case Number:
		return bytes.Equal(a, b) || CompareNumbers(a, b) == 0
	case String:
		return compareText(a, b) == 0
	case Array:
		return equalArrays(a, b, depth+1)
	case Object:
		return equalObjects(a, b, depth+1)
	}
	return bytes.Equal(a, b)
}

func equalArrays(a, b []byte, depth int) bool {
	x, y := ArrayElements(a), ArrayElements(b)
	for {
		v, more := x.Next()
		w, also := y.Next()
		if more != also {
			return false
		}
		if !more {
			return true
		}
		if !equal(v, w, depth) {
			return false
		}
	}
}

type member struct{ name, value []byte }

func byName(x, y member) int { return compareText(x.name, y.name) }

// equalObjects goes through both in step while their names agree, and sorts what is left of b.
func equalObjects(a, b []byte, depth int) bool {
	x, y := ObjectMembers(a), ObjectMembers(b)
	var room [16]member
	rest := room[:0]
	for {
		name, v, more := x.Next()
		other, w, also := y.Next()
		if more != also {
			return false
		}
		if !more {
			return true
		}
		if compareText(name, other) == 0 {
			if !equal(v, w, depth) {
				return false
			}
			continue
		}
		for ; also; other, w, also = y.Next() {
			rest = append(rest, member{other, w})
		}
		slices.SortFunc(rest, byName)
		left := len(rest)
		for ; more; name, v, more = x.Next() {
			i, found := slices.BinarySearchFunc(rest, member{name: name}, byName)
			if !found || !equal(v, rest[i].value, depth) {
				return false
			}
			left--
		}
		return left == 0
	}
}

// Hash is 128 bits that are the same for values that are Equal, on every machine and in every run.
// It is no defence against someone who looks for two values with one hash.
func Hash(value []byte) [16]byte {
	a, b, _ := hashValue(value, 0, 0)
	var out [16]byte
	binary.BigEndian.PutUint64(out[:], a)
	binary.BigEndian.PutUint64(out[8:], b)
	return out
}

// hashValue hashes the value that begins at at and gives the position behind it.
func hashValue(src []byte, at, depth int) (a, b uint64, end int) {
	if at >= len(src) || depth > MaxDepth {
		return 0, 0, len(src)
	}
	var h hasher
	kind := KindOf(src[at:])
	h.word(uint64(kind))
	switch kind {
	case Object:
		// A sum, so that the order of members does not count.
		var sumA, sumB, n uint64
		for at = SkipSpace(src, at+1); at < len(src) && src[at] != '}'; n++ {
			var m hasher
			end := skipString(src, at)
			m.text(src[at:end])
			at = SkipSpace(src, end)
			a, b, at = hashValue(src, SkipSpace(src, at+1), depth+1)
			m.word(a)
			m.word(b)
			a, b = m.sum()
			sumA, sumB = sumA+a, sumB+b
			at = skipComma(src, at)
		}
		h.word(n)
		h.word(sumA)
		h.word(sumB)
		at++
	case Array:
		for at = SkipSpace(src, at+1); at < len(src) && src[at] != ']'; {
			a, b, at = hashValue(src, at, depth+1)
			h.word(a)
			h.word(b)
			at = skipComma(src, at)
		}
		at++
	case String:
		end := skipString(src, at)
		h.text(src[at:end])
		at = end
	default:
		end := max(Skip(src, at), at+1)
		if kind == Number {
			h.number(src[at:end])
		} else {
			h.bytes(src[at:end])
		}
		at = end
	}
	a, b = h.sum()
	return a, b, at
}

func skipComma(src []byte, at int) int {
	at = SkipSpace(src, at)
	if at < len(src) && src[at] == ',' {
		at = SkipSpace(src, at+1)
	}
	return at
}

// hasher takes bytes in any portions: two lanes that are mixed with each eight bytes,
// in the manner of MurmurHash3's 128-bit form.
type hasher struct {
	a, b uint64
	tail uint64
	n    uint64
}

const (
	mulA = 0x87C37B91114253D5
	mulB = 0x4CF5AD432745937F
)

func (h *hasher) mix(x uint64) {
	h.a ^= bits.RotateLeft64(x*mulA, 31) * mulB
	h.a = (bits.RotateLeft64(h.a, 27)+h.b)*5 + 0x52DCE729
	h.b ^= bits.RotateLeft64(x*mulB, 33) * mulA
	h.b = (bits.RotateLeft64(h.b, 31)+h.a)*5 + 0x38495AB5
}

func (h *hasher) byte(c byte) {
	h.tail = h.tail<<8 | uint64(c)
	if h.n++; h.n%8 == 0 {
		h.mix(h.tail)
	}
}

func (h *hasher) bytes(p []byte) {
	for len(p) > 0 && h.n%8 != 0 {
		h.byte(p[0])
		p = p[1:]
	}
	for len(p) >= 8 {
		h.mix(binary.BigEndian.Uint64(p))
		h.n += 8
		p = p[8:]
	}
	for _, c := range p {
		h.byte(c)
	}
}

func (h *hasher) word(x uint64) {
	var p [8]byte
	binary.BigEndian.PutUint64(p[:], x)
	h.bytes(p[:])
}

func (h *hasher) sum() (a, b uint64) {
	x := *h
	if x.n%8 != 0 {
		x.mix(x.tail << (8 * (8 - x.n%8)))
	}
	a, b = x.a^x.n, x.b^x.n
	a += b
	b += a
	a, b = avalanche(a), avalanche(b)
	a += b
	b += a
	return a, b
}

func avalanche(x uint64) uint64 {
	x = (x ^ x>>33) * 0xFF51AFD7ED558CCD
	x = (x ^ x>>33) * 0xC4CEB9FE1A85EC53
	return x ^ x>>33
}

// text takes what a string means, and its length, so that what follows cannot be taken for its end.
func (h *hasher) text(raw []byte) {
	from := h.n
	s := inner(raw)
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			break
		}
		h.bytes(s[:i])
		r, size := unescape(s[i:])
		for _, c := range []byte(string(r)) {
			h.byte(c)
		}
		s = s[i+size:]
	}
	h.bytes(s)
	h.word(h.n - from)
}

// number takes a number's value. The power of ten may fit no machine word; what is
// taken is its remainders by 2^64 and by a prime, which repeat only after 2^125.
func (h *hasher) number(raw []byte) {
	d := parseDecimal(raw)
	h.word(uint64(int64(d.sign())))
	if d.zero() {
		return
	}
	h.bytes(d.hi)
	h.bytes(d.lo)
	h.word(uint64(d.len()))
	const prime = 1<<61 - 1
	var wrap, rest uint64
	for _, c := range d.exp {
		wrap = wrap*10 + uint64(c-'0')
		hi, lo := bits.Mul64(rest, 10)
		lo, carry := bits.Add64(lo, uint64(c-'0'), 0)
		rest = bits.Rem64(hi+carry, lo, prime)
	}
	if d.expNeg {
		wrap, rest = -wrap, (prime-rest)%prime
	}
	wrap += uint64(d.shift)
	rest = (rest + uint64((d.shift%prime+prime)%prime)) % prime
	h.word(wrap)
	h.word(rest)
}
