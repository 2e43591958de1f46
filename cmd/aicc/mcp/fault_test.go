package mcp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNearest(t *testing.T) {
	names := []string{"look", "walk_to", "ring_bell"}
	for name, want := range map[string]string{
		"walkTo": "walk_to", "Look": "look", "wlak-to": "walk_to", "ringBel": "ring_bell", "lok": "look", "fly": "", "": "",
		strings.Repeat("walk_to", 1<<19): "",
	} {
		require.Equal(t, want, nearest(name, names), "%.20s", name)
	}
	many := make([]string, 1000)
	for i := range many {
		many[i] = strings.Repeat("a", i%60+4)
	}
	long := strings.Repeat("b", 4<<20)
	require.Zero(t, testing.AllocsPerRun(1, func() { nearest(long, many) }), "a long name is compared with nothing")
}
