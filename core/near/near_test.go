package near

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		most int
		want int
	}{
		{"", "", 2, 0}, {"look", "look", 2, 0}, {"look", "lok", 2, 1}, {"lok", "look", 2, 1}, {"look", "loop", 2, 1}, {"look", "olok", 2, 1},
		{"walk_to", "wlak_ot", 2, 2}, {"größe", "grösse", 2, 2}, {"größe", "grüße", 2, 1}, {"look", "", 4, 4}, {"look", "", 3, 4},
		{"look", "walk", 9, 3}, {"look", "walk", 2, 3}, {"look", "walk", 0, 1}, {"a", "a", 0, 0}, {"日本", "本日", 1, 1},
	} {
		require.Equal(t, c.want, Distance(c.a, c.b, c.most), "%q %q %d", c.a, c.b, c.most)
		require.Equal(t, c.want, Distance(c.b, c.a, c.most), "%q %q %d", c.b, c.a, c.most)
	}
	long := strings.Repeat("x", 4<<20)
	require.Zero(t, testing.AllocsPerRun(1, func() { Distance(long, "walk_to", 3) }), "a long word is not looked at")
	require.Equal(t, 4, Distance(long, "walk_to", 3))
}
