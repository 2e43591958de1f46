package leak

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	require.Equal(t, 3, Check(3, "leak.stuck"))
	require.Equal(t, 0, Check(0, "leak.stuck"))
	require.Equal(t, 0, Check(0, "leak.TestCheck"), "the caller is not counted")
	ready, end := make(chan struct{}), make(chan struct{})
	go stuck(ready, end)
	<-ready
	require.Contains(t, others(), "leak.stuck")
	close(end)
	require.Equal(t, 0, Check(0, "leak.stuck"), "it is waited for")
}

func stuck(ready, end chan struct{}) {
	close(ready)
	<-end
}
