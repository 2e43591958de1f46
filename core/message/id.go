package message

import (
	"encoding/binary"
	"io"
	"math/rand/v2"

	"github.com/google/uuid"
)

// ID is a session's or a message's UUID. Two are the same id when they are ==, in whatever case they were written.
type ID [16]byte

const idForm = "00000000-0000-0000-0000-000000000000"

// hexAt is where in idForm each byte's two digits stand.
var hexAt = [16]int{0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34}

// noHex marks in hexValue what is no hexadecimal digit.
const noHex = 0xFF

var hexValue = func() (t [256]byte) {
	for i := range t {
		t[i] = noHex
	}
	for i := range byte(10) {
		t['0'+i] = i
	}
	for i := range byte(6) {
		t['a'+i], t['A'+i] = 10+i, 10+i
	}
	return t
}()

// ParseID reads exactly the 8-4-4-4-12 form, in either case.
func ParseID[S text](s S) (id ID, ok bool) {
	if len(s) != len(idForm) || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return ID{}, false
	}
	for i, at := range hexAt {
		hi, lo := hexValue[s[at]], hexValue[s[at+1]]
		if hi|lo == noHex {
			return ID{}, false
		}
		id[i] = hi<<4 | lo
	}
	return id, true
}

// Append appends the 8-4-4-4-12 form in lower case.
func (id ID) Append(dst []byte) []byte {
	dst = append(dst, idForm...)
	// Each event has an id of its own, and a loop here is an eighth of its cost.
	out := (*[len(idForm)]byte)(dst[len(dst)-len(idForm):])
	binary.LittleEndian.PutUint16(out[0:], hexPairs[id[0]])
	binary.LittleEndian.PutUint16(out[2:], hexPairs[id[1]])
	binary.LittleEndian.PutUint16(out[4:], hexPairs[id[2]])
	binary.LittleEndian.PutUint16(out[6:], hexPairs[id[3]])
	binary.LittleEndian.PutUint16(out[9:], hexPairs[id[4]])
	binary.LittleEndian.PutUint16(out[11:], hexPairs[id[5]])
	binary.LittleEndian.PutUint16(out[14:], hexPairs[id[6]])
	binary.LittleEndian.PutUint16(out[16:], hexPairs[id[7]])
	binary.LittleEndian.PutUint16(out[19:], hexPairs[id[8]])
	binary.LittleEndian.PutUint16(out[21:], hexPairs[id[9]])
	binary.LittleEndian.PutUint16(out[24:], hexPairs[id[10]])
	binary.LittleEndian.PutUint16(out[26:], hexPairs[id[11]])
	binary.LittleEndian.PutUint16(out[28:], hexPairs[id[12]])
	binary.LittleEndian.PutUint16(out[30:], hexPairs[id[13]])
	binary.LittleEndian.PutUint16(out[32:], hexPairs[id[14]])
	binary.LittleEndian.PutUint16(out[34:], hexPairs[id[15]])
	return dst
}

// hexPairs is each byte's two digits, the first in the low half.
var hexPairs = func() (t [256]uint16) {
	const digits = "0123456789abcdef"
	for i := range t {
		t[i] = uint16(digits[i>>4]) | uint16(digits[i&15])<<8
	}
	return t
}()

func (id ID) String() string { return string(id.Append(nil)) }

// IsZero tells whether the id was never set.
func (id ID) IsZero() bool { return id == ID{} }

// NewSessionID makes a version 4 UUID from the next 16 bytes of r.
func NewSessionID(r io.Reader) (ID, error) {
	id, err := uuid.NewRandomFromReader(r)
	return ID(id), err
}

// IDSource makes message ids: version 4 UUIDs from ChaCha8, the same ones for the same seed,
// without allocation. One goroutine at a time.
type IDSource struct{ rng rand.ChaCha8 }

// NewIDSource starts a source.
func NewIDSource(seed [32]byte) *IDSource {
	s := &IDSource{}
	s.rng.Seed(seed)
	return s
}

// Next makes an id.
func (s *IDSource) Next() (id ID) {
	hi, lo := s.rng.Uint64(), s.rng.Uint64()
	for i := range 8 {
		id[i], id[8+i] = byte(hi>>(8*i)), byte(lo>>(8*i))
	}
	id[6] = id[6]&0x0F | 0x40 // version 4
	id[8] = id[8]&0x3F | 0x80 // variant 10
	return id
}
