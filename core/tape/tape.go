// Package tape is the flat form in which a JSON value crosses to C and to lockstep peers.
//
// A tape is one piece of memory without pointers, so it can be copied and sent as it is. All numbers
// in it are little-endian, its size is a multiple of 8, and it wants to lie at a multiple of 8:
//
//	header    32 bytes: magic, version, size of all, count of nodes, bytes of text, bytes of strings (each uint32), check (uint64)
//	nodes     24 bytes each: kind with flags, next, span at, span length (each uint32), payload (uint64)
//	text      the JSON text, without the white space around it
//	strings   what strings and names mean, each with a NUL behind it
//	padding   zeros up to a multiple of 8
//
// Nodes stand in the order of the text, a container before what is in it, a member's name (KindKey) before
// its value. next is the index of the first node behind the value, so a step over a value costs the same
// whatever is in it. The span is the value's text, counted from the text's start. The payload is a whole number,
// the bits of a float64, 0 or 1, how many members or elements there are, or where a string is
// (counted from the strings' start) with its length in the upper half.
//
// The strings stand in the order of their nodes with nothing between them. So the tape of a value has one
// form only, and the tape of a part is made of slices of the whole's.
//
// The check is over all of a tape but the check itself. It tells damage, not malice: the reader
// in capi holds everything else against its bounds as well.
package tape

import (
	"encoding/binary"
	"math"

	"aicc.dev/libaicc/core/jsonwire"
)

// The kinds of nodes. But for KindKey they are those of aicc.h.
const (
	KindNull    = 1
	KindBool    = 2
	KindInteger = 3 // a whole number that fits an int64, however it is written
	KindNumber  = 4 // the nearest float64; infinite when the number is beyond all of them
	KindString  = 5
	KindArray   = 6
	KindObject  = 7
	KindKey     = 8
)

// FlagWhole marks a KindNumber that is a whole number, too large for an int64.
const FlagWhole = 1 << 8

// The layout, for readers.
const (
	Magic      = 0x54434941 // "AICT"
	Version    = 1
	HeaderSize = 32
	NodeSize   = 24
)

// MaxText is the longest text that a tape can be made of: what it takes then fits 32 bits.
const MaxText = 1 << 27

// Append appends the tape of a text that a jsonwire.Scanner has accepted. It allocates nothing but dst's
// growth. For a text longer than MaxText it gives dst back as it was.
//
// What it appends is aligned to 8 when dst was: pad before, not after.
func Append(dst, text []byte) []byte {
	from := jsonwire.SkipSpace(text, 0)
	text = text[from:max(from, min(jsonwire.Skip(text, from), len(text)))]
	if len(text) == 0 || len(text) > MaxText {
		return dst
	}
	base := len(dst)
	dst = append(dst, make([]byte, HeaderSize)...)
	dst, ok := appendNodes(dst, text)
	if !ok {
		return dst[:base]
	}
	nodes := len(dst) - base - HeaderSize
	dst = append(dst, text...)
	strings := len(dst)
	for at := base + HeaderSize; at < base+HeaderSize+nodes; at += NodeSize {
		switch word(dst, at) {
		case KindString, KindKey:
			here := len(dst)
			raw := word(dst, at+8)
			dst, _ = jsonwire.AppendUnquoted(dst, text[raw:raw+word(dst, at+12)])
			setWord(dst, at+16, uint32(here-strings))
			setWord(dst, at+20, uint32(len(dst)-here))
			dst = append(dst, 0)
		}
	}
	used := len(dst) - strings
	for (len(dst)-base)%8 != 0 {
		dst = append(dst, 0)
	}
	setWord(dst, base, Magic)
	setWord(dst, base+4, Version)
	setWord(dst, base+8, uint32(len(dst)-base))
	setWord(dst, base+12, uint32(nodes/NodeSize))
	setWord(dst, base+16, uint32(len(text)))
	setWord(dst, base+20, uint32(used))
	binary.LittleEndian.PutUint64(dst[base+24:], Check(dst[base:]))
	return dst
}

func word(b []byte, at int) uint32          { return binary.LittleEndian.Uint32(b[at:]) }
func setWord(b []byte, at int, word uint32) { binary.LittleEndian.PutUint32(b[at:], word) }

// Check is the check of a tape: over its size in words of eight bytes, less the check's own. Each step is reversible, so
// two tapes that differ in one word never have the same.
func Check(tape []byte) uint64 {
	const odd = 0x9E3779B97F4A7C15
	h := uint64(odd)
	for at := 0; at+8 <= len(tape); at += 8 {
		if at == 24 {
			continue
		}
		h = (h ^ binary.LittleEndian.Uint64(tape[at:])) * odd
		h ^= h >> 32
	}
	return h
}

// open is a container that is not closed yet.
type open struct {
	at     int // of its node in dst
	start  int // of its text
	count  uint64
	object bool
}

// appendNodes appends the nodes of text, without the places of strings. It is a loop over the
// containers that are open. False: text was never checked.
func appendNodes(dst, text []byte) (out []byte, ok bool) {
	var levels [jsonwire.MaxDepth]open
	depth, base := 0, len(dst)
	key := false // the string that comes is a member's name
	for at := 0; at < len(text); {
		c := text[at]
		switch c {
		case ' ', '\n', '\r', '\t', ',', ':':
			at++
			continue
		case '}', ']':
			if depth == 0 {
				return dst, false
			}
			at++
			depth--
			l := &levels[depth]
			setWord(dst, l.at+4, uint32((len(dst)-base)/NodeSize))
			setWord(dst, l.at+12, uint32(at-l.start))
			binary.LittleEndian.PutUint64(dst[l.at+16:], l.count)
			key = depth > 0 && levels[depth-1].object
			continue
		}
		if depth > 0 && !key {
			levels[depth-1].count++
		}
		if c == '{' || c == '[' {
			if depth == len(levels) {
				return dst, false
			}
			levels[depth] = open{at: len(dst), start: at, object: c == '{'}
			kind := uint32(KindArray)
			if key = c == '{'; key {
				kind = KindObject
			}
			dst = appendNode(dst, base, kind, at, 0, 0)
			depth++
			at++
			continue
		}
		end := jsonwire.Skip(text, at)
		kind, payload := scalar(text[at:end])
		if key {
			kind = KindKey
		}
		dst = appendNode(dst, base, kind, at, end-at, payload)
		key = !key && depth > 0 && levels[depth-1].object
		at = end
	}
	return dst, depth == 0 && len(dst) > base
}

func appendNode(dst []byte, base int, kind uint32, at, length int, payload uint64) []byte {
	here := len(dst)
	var node [NodeSize]byte
	binary.LittleEndian.PutUint32(node[0:], kind)
	binary.LittleEndian.PutUint32(node[4:], uint32((here-base)/NodeSize+1))
	binary.LittleEndian.PutUint32(node[8:], uint32(at))
	binary.LittleEndian.PutUint32(node[12:], uint32(length))
	binary.LittleEndian.PutUint64(node[16:], payload)
	return append(dst, node[:]...)
}

func scalar(text []byte) (kind uint32, payload uint64) {
	switch jsonwire.KindOf(text) {
	case jsonwire.String:
		return KindString, 0
	case jsonwire.Bool:
		if text[0] == 't' {
			return KindBool, 1
		}
		return KindBool, 0
	case jsonwire.Number:
		return number(text)
	}
	return KindNull, 0
}

func number(text []byte) (kind uint32, payload uint64) {
	if n, ok := shortInteger(text); ok {
		return KindInteger, uint64(n)
	}
	n, err := jsonwire.ToInt64(text)
	if err == nil {
		return KindInteger, uint64(n)
	}
	kind = KindNumber
	if err == jsonwire.ErrRange {
		kind |= FlagWhole
	}
	f, _ := jsonwire.ToFloat64(text)
	return kind, math.Float64bits(f)
}

// shortInteger reads what most whole numbers are: up to 18 digits and nothing else.
func shortInteger(text []byte) (n int64, ok bool) {
	digits := text
	if text[0] == '-' {
		digits = text[1:]
	}
	if len(digits) == 0 || len(digits) > 18 {
		return 0, false
	}
	for _, c := range digits {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if len(digits) < len(text) {
		n = -n
	}
	return n, true
}
