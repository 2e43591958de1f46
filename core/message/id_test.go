package message

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

func TestParseID(t *testing.T) {
	want := ID{0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10}
	for _, s := range []string{"01234567-89ab-cdef-fedc-ba9876543210", "01234567-89AB-CDEF-FEDC-BA9876543210", "01234567-89aB-CdeF-feDc-bA9876543210"} {
		id, ok := ParseID(s)
		require.True(t, ok, s)
		require.Equal(t, want, id)
		id, ok = ParseID([]byte(s))
		require.True(t, ok, s)
		require.Equal(t, want, id)
	}
	require.Equal(t, "<01234567-89ab-cdef-fedc-ba9876543210", string(want.Append([]byte("<"))))
	require.Equal(t, "01234567-89ab-cdef-fedc-ba9876543210", want.String())
	require.False(t, want.IsZero())
	require.True(t, ID{}.IsZero())
	zero, ok := ParseID(idForm)
	require.True(t, ok)
	require.True(t, zero.IsZero())

	good := want.String()
	for i := range len(good) {
		for _, c := range []byte("-0g /:@`G\x00\xff") {
			bad := good[:i] + string([]byte{c}) + good[i+1:]
			_, ok := ParseID(bad)
			hyphen := i == 8 || i == 13 || i == 18 || i == 23
			require.Equal(t, hyphen == (c == '-') && (c == '-' || c == '0'), ok, bad)
		}
	}
	for _, s := range []string{"", good[:35], good + "0", " " + good, "{" + good + "}", "urn:uuid:" + good, strings.ReplaceAll(good, "-", "")} {
		_, ok := ParseID(s)
		require.False(t, ok, s)
	}
}

func requireVersion4(t *testing.T, id ID) {
	u, err := uuid.Parse(id.String())
	require.NoError(t, err)
	require.Equal(t, uuid.Version(4), u.Version())
	require.Equal(t, uuid.RFC4122, u.Variant())
}

func TestNewSessionID(t *testing.T) {
	r := bytes.NewReader(bytes.Repeat([]byte{0xFF}, 40))
	id, err := NewSessionID(r)
	require.NoError(t, err)
	require.Equal(t, "ffffffff-ffff-4fff-bfff-ffffffffffff", id.String())
	require.Equal(t, 24, r.Len(), "16 bytes are read")
	_, err = NewSessionID(r)
	require.NoError(t, err)
	_, err = NewSessionID(r)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	_, err = NewSessionID(failing{})
	require.ErrorIs(t, err, errBroken)
}

var errBroken = errors.New("broken")

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errBroken }

func TestIDSource(t *testing.T) {
	a, b, c := NewIDSource([32]byte{1}), NewIDSource([32]byte{1}), NewIDSource([32]byte{2})
	seen := map[ID]bool{}
	for range 10_000 {
		id := a.Next()
		require.Equal(t, id, b.Next(), "the same seed, the same ids")
		require.False(t, seen[id])
		seen[id] = true
	}
	other := c.Next()
	require.False(t, seen[other])
	requireVersion4(t, other)
	// Transcripts are replayed by other builds: the ids of a seed never change.
	require.Equal(t, "6ae6783f-4fbd-491b-aeb8-8b73a48ed247", NewIDSource([32]byte{1}).Next().String())
	require.Zero(t, testing.AllocsPerRun(100, func() { other = a.Next() }))
	for id := range seen {
		requireVersion4(t, id)
		break
	}
}
