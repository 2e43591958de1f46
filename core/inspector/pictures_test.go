//go:build pictures

package inspector_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/inspector"
)

// TestPictures draws the pictures of the docs into the folder that AICC_PICTURES names: docs/inspector-light.png and -dark.png, once they are
// brought to 160 colours, with fonts-inter and fonts-jetbrains-mono installed. AICC_WARM is for how many milliseconds it watches before.
func TestPictures(t *testing.T) {
	folder := os.Getenv("AICC_PICTURES")
	require.NotEmpty(t, folder)
	s := newStage(t, inspector.Options{})
	g := newGame(t, s.hub, &s.rosters, "night watch", watchTools, "guard", "cook", "groom")
	drain(agentOf(t, s, "cook"))
	beat(t, g, 2)
	busy(t, s, 197, 1400)
	browser(t, "pictures", s.l.InspectorURL(), nil, folder)
}
