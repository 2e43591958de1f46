package play

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
	"aicc.dev/libaicc/core/leak"
)

func TestMain(m *testing.M) {
	code := m.Run()
	ctest.Clean()
	if built.dir != "" {
		_ = os.RemoveAll(built.dir)
	}
	os.Exit(leak.Check(code, "core/transport.", "core/agent.", "play.(*session)"))
}

var built struct {
	sync.Once
	dir string
	err error
}

// program is the command as it is built.
func program(t testing.TB) string {
	t.Helper()
	built.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "aicc-play-"); built.err != nil {
			return
		}
		build := exec.Command("go", "build", "-o", filepath.Join(built.dir, "aicc"), "./cmd/aicc")
		build.Dir, build.Env = ctest.Root(), append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			built.err = fmt.Errorf("%w: %s", err, out)
		}
	})
	require.NoError(t, built.err)
	return filepath.Join(built.dir, "aicc")
}

// terminal is a real one, in tmux.
type terminal struct {
	t      *testing.T
	socket string
}

// open runs a shell command in a new terminal.
func open(t *testing.T, width, height int, env []string, command string) *terminal {
	t.Helper()
	ctest.Need(t, "tmux", "tmux")
	socket := filepath.Join(t.TempDir(), "tmux")
	term := &terminal{t, socket}
	var kept []string
	for _, one := range os.Environ() {
		switch name, _, _ := strings.Cut(one, "="); name {
		case "NO_COLOR", "TMUX", "TERM", "COLORTERM", "LC_ALL", "LANG", "AICC_TOKEN", "CLICOLOR", "CLICOLOR_FORCE", "CI": // its libraries leave colours out where CI is set
		default:
			kept = append(kept, one)
		}
	}
	c := exec.Command("tmux", "-u", "-S", socket, "-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), command)
	c.Env = append(append(kept, "TERM=xterm-256color", "LC_ALL=C.UTF-8"), env...)
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%s", out)
	t.Cleanup(func() { _ = exec.Command("tmux", "-S", socket, "kill-server").Run() })
	return term
}

func (x *terminal) tmux(args ...string) string {
	x.t.Helper()
	out, err := exec.Command("tmux", append([]string{"-u", "-S", x.socket}, args...)...).CombinedOutput()
	require.NoError(x.t, err, "%s", out)
	return string(out)
}

// keys sends keys by their names, text as it is.
func (x *terminal) keys(keys ...string) {
	x.t.Helper()
	for _, k := range keys {
		if name, ok := strings.CutPrefix(k, "key:"); ok {
			x.tmux("send-keys", name)
		} else {
			x.tmux("send-keys", "-l", k)
		}
	}
}

func (x *terminal) screen() string {
	x.t.Helper()
	return x.tmux("capture-pane", "-p")
}

const patience = 30 * time.Second

// until waits until the screen is as wanted, and gives it.
func (x *terminal) until(what string, is func(screen string) bool) string {
	x.t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for end := time.Now().Add(patience); ; <-look.C {
		s := x.screen()
		if is(s) {
			return s
		}
		if time.Now().After(end) {
			require.FailNow(x.t, "the screen never shows: "+what, s)
		}
	}
}

// flow is the screen's text without its lines, and without the tools beside it.
func flow(screen string) string {
	var words []string
	for line := range strings.SplitSeq(screen, "\n") {
		if _, right, ok := strings.Cut(line, "│"); ok {
			line = right
		}
		words = append(words, strings.Fields(line)...)
	}
	return strings.Join(words, " ")
}

// shows waits until all of the texts stand on the screen, each on a line or broken by words.
func (x *terminal) shows(texts ...string) string {
	x.t.Helper()
	return x.until(strings.Join(texts, " | "), func(s string) bool {
		for _, text := range texts {
			if !strings.Contains(s, text) && !strings.Contains(flow(s), text) {
				return false
			}
		}
		return true
	})
}

// prompt waits until the line that is being typed is this.
func (x *terminal) prompt(line string) string {
	x.t.Helper()
	return x.until("the prompt > "+line, func(s string) bool {
		for one := range strings.SplitSeq(s, "\n") {
			if one == strings.TrimRight("> "+line, " ") {
				return true
			}
		}
		return false
	})
}
