package play

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/live/livetest"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

// behind shows how the terminal is left.
const behind = `; echo "ended with $?"; stty -a | grep -o -- '-*icanon\|-*echo\b' | tr '\n' ' '; sleep 1000`

func TestScreen(t *testing.T) {
	g := livetest.Yard(t, transport.Options{}, "guard")
	x := open(t, 80, 24, nil, "echo before; "+program(t)+" play "+g.Address+behind)
	first := x.shows("back yard, guard", "● connected", "walk_to", "actuator", "a tool, or :help", "^C quit")
	lines := strings.Split(strings.TrimRight(first, "\n"), "\n")
	require.Len(t, lines, 24)
	for _, line := range lines {
		require.LessOrEqual(t, utf8.RuneCountInString(line), 80)
	}

	// Completion: of tools, of names, of values, and what is still wanted.
	x.keys("w")
	x.shows("walk_to  wait")
	x.keys("al", "key:Tab")
	x.prompt("walk_to")
	x.shows("needs place gate|yard|tower|store|well; may have speed number 0.5 to 9 else 1.5", "place=  speed:=  quietly:=  with.", "to a place; reports on")
	x.keys("pl", "key:Tab")
	x.shows("gate  yard  tower  store  well")
	x.keys("st", "key:Tab")
	x.prompt("walk_to place=store")
	x.keys("quie", "key:Tab", "key:Tab")
	x.prompt("walk_to place=store quietly:=true")
	x.keys("key:Tab")
	x.prompt("walk_to place=store quietly:=false")
	x.keys(" with.lan", "key:Tab", "t", "key:Tab")
	x.prompt("walk_to place=store quietly:=false with.lantern:=true")
	x.keys("key:Enter")
	x.shows("> #1 walk_to", "< #1 walk_to in", `"lantern": true`)
	x.prompt("a tool, or :help")

	// What the schema does not take is not sent, and can be mended.
	x.keys("walk_to place=moon speed:=40", "key:Enter")
	x.shows(`/place: wanted one of "gate", "yard", "tower", "store" or "well"; got "moon"`, "/speed: wanted a number of at most 9; got 40")
	x.prompt("walk_to place=moon speed:=40")
	require.Equal(t, 1, g.Calls())
	x.keys("key:C-u", "fly", "key:Enter")
	x.shows("the character has no tool fly; it has look, walk_to")
	x.keys("key:Escape")
	x.prompt("a tool, or :help")

	// The same in JSON.
	x.keys("walk_to {", "key:Tab", "pl", "key:Tab", "key:Tab", "key:Tab")
	x.prompt(`walk_to {"place": "gate"`)
	x.keys(", ", "sp", "key:Tab", "2}", "key:Enter")
	x.shows("< #2 walk_to in", `{"did": {"place": "gate", "speed": 2}}`)

	// History.
	x.keys("half", "key:Up")
	x.prompt(`walk_to {"place": "gate", "speed": 2}`)
	x.keys("key:Up")
	x.prompt("walk_to place=store quietly:=false with.lantern:=true")
	x.keys("key:Down", "key:Down")
	x.prompt("half")
	x.keys("key:C-u")

	// A failure, and a call that is open.
	x.keys("break_down", "key:Enter")
	x.shows("execution_failed: the door is stronger", "> #3 break_down (failed) {}")
	x.keys("wait", "key:Enter")
	x.shows("> #4 wait (open) {}", "1 open, ")

	// What the game writes is shown, not obeyed.
	g.Emit(message.TopicAudio, "{\"sound\":\"\\u001b[2Jbell \u009b31m \u202e\"}")
	x.shows(`\u001b[2Jbell \x9b31m \u202e`, "tick 4")

	// The connection breaks, and comes back by itself.
	g.Cut()
	x.shows("the game has closed the connection: cut by the test", "connected again: the session goes on", "● connected")

	// The game gives another tool.
	g.Change(append(livetest.YardTools()[:1], livetest.Tool{Tool: message.Tool{ID: "fly", Class: message.Actuator, Description: "Flies.", InputSchema: []byte(`{}`), OutputSchema: []byte(`{}`)}}), "wings")
	x.until("the new tool", func(s string) bool {
		s = flow(s)
		return strings.Contains(s, "a new tool: fly") && strings.Contains(s, "break_down is gone") && strings.Contains(s, "a new capability: wings")
	})

	x.keys(":quit", "key:Enter")
	end := x.shows("before", "ended with 0", "icanon", "echo")
	require.NotContains(t, end, "-icanon")
	require.NotContains(t, end, "back yard")
	require.Eventually(t, func() bool { return g.Connected() == 0 }, patience, tick)
}

const tick = 5 * 1e6

// Many events: filter, pause, scroll, and the size changes.
func TestScreenEvents(t *testing.T) {
	g := livetest.Yard(t, transport.Options{}, "guard")
	x := open(t, 80, 24, nil, program(t)+" play "+g.Address+behind)
	x.shows("● connected", "a tool, or :help")
	for i := range 100 {
		g.Emit(message.TopicAudio, fmt.Sprintf(`{"n":%d}`, i))
	}
	g.Emit(message.TopicCollision, `{"with":"wall"}`)
	for range 50 {
		g.Emit(message.TopicTick, `{}`)
	}
	x.shows(`audio {"n": 99}`, `collision {"with": "wall"}`, "tick (50 times) {}", "tick 151")
	x.keys(":filter coll", "key:Tab", ",call", "key:Tab", "key:Enter")
	x.until("only collisions", func(s string) bool {
		return !strings.Contains(s, "audio") && strings.Contains(s, "only collision,calls")
	})
	x.keys(":filter all", "key:Enter")
	x.shows(`audio {"n": 99}`)
	x.keys("key:PPage", "key:PPage", "key:PPage")
	s := x.shows("scrolled back", `audio {"n": 50}`)
	require.NotContains(t, s, `{"n": 99}`)
	g.Emit(message.TopicCollision, `{"with":"door"}`)
	s = x.shows("1 new")
	require.Contains(t, s, `audio {"n": 50}`, "the view stays where it is")
	require.NotContains(t, s, "door")
	x.keys("key:Escape")
	x.shows(`{"with": "door"}`)
	x.keys("key:C-p")
	x.shows("paused")
	g.Emit(message.TopicCollision, `{"with":"gate"}`)
	s = x.shows("paused", "1 new")
	require.NotContains(t, s, `"gate"`)
	x.keys("key:C-p")
	x.shows(`{"with": "gate"}`)

	x.tmux("resize-window", "-x", "130", "-y", "40")
	s = x.until("a wide screen", func(s string) bool {
		return strings.Contains(s, `{"with": "gate"}`) && strings.Contains(s, strings.Repeat("─", 130))
	})
	require.Len(t, strings.Split(strings.TrimRight(s, "\n"), "\n"), 40)
	x.tmux("resize-window", "-x", "40", "-y", "10")
	s = x.until("a small screen", func(s string) bool {
		return strings.Contains(s, `{"with": "gate"}`) && len(strings.Split(strings.TrimRight(s, "\n"), "\n")) == 10
	})
	require.NotContains(t, s, "actuator", "there is no room for the tools")
	x.tmux("resize-window", "-x", "100", "-y", "24")
	x.shows("actuator")
	x.keys("key:C-t")
	x.until("no tools", func(s string) bool { return !strings.Contains(s, "actuator") })
	x.keys("key:C-d")
	x.shows("ended with 0")
}

func TestScreenPicker(t *testing.T) {
	g := livetest.Yard(t, transport.Options{Token: "s3cret"}, "guard", "cook", "thief")
	x := open(t, 80, 24, []string{"AICC_TOKEN=s3cret"}, program(t)+" play "+g.Address+behind)
	x.shows("Which character?", "> guard", "cook", "thief", "back yard", "free", "enter play")
	x.keys("key:Down")
	x.shows("> cook")
	x.keys("key:Enter")
	x.shows("back yard, cook", "● connected")
	other := open(t, 80, 24, []string{"AICC_TOKEN=s3cret"}, program(t)+" play "+g.Address+behind)
	other.shows("Which character?", "taken")
	other.keys("key:C-c")
	other.shows("ended with 0")
	x.keys("key:C-c")
	x.shows("ended with 0", "icanon")

	wrong := open(t, 80, 24, []string{"AICC_TOKEN=wrong"}, program(t)+" play "+g.Address+behind)
	wrong.shows("does not take this token: give the one that it was given", "trying again every two seconds")
	wrong.keys("q")
	wrong.shows("ended with 0")
}

// A polite kill leaves the terminal as it was, and tells the game.
func TestScreenKilled(t *testing.T) {
	g := livetest.Yard(t, transport.Options{}, "guard")
	x := open(t, 80, 24, nil, program(t)+" play "+g.Address+behind)
	x.shows("● connected")
	shell := strings.TrimSpace(x.tmux("display-message", "-p", "#{pane_pid}"))
	children, err := os.ReadFile("/proc/" + shell + "/task/" + shell + "/children")
	require.NoError(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(children)))
	require.NoError(t, err)
	process, err := os.FindProcess(pid)
	require.NoError(t, err)
	require.NoError(t, process.Signal(syscall.SIGTERM))
	require.NotContains(t, x.shows("ended with 0", "icanon", "echo"), "-icanon")
	require.Eventually(t, func() bool { return g.Connected() == 0 }, patience, tick)
}

// A game that is not there yet comes, and one that goes is waited for.
func TestScreenWaits(t *testing.T) {
	g := livetest.Yard(t, transport.Options{}, "guard")
	address := g.Address
	g.Stop()
	x := open(t, 80, 24, nil, program(t)+" play "+address+behind)
	x.shows("nothing listens at "+address, "is the game running", "trying again every two seconds")
	var port int
	_, err := fmt.Sscanf(address[strings.LastIndex(address, ":")+1:], "%d", &port)
	require.NoError(t, err)
	again := livetest.Yard(t, transport.Options{Port: port}, "guard")
	x.shows("back yard, guard", "● connected")
	again.Stop()
	x.shows("the game no longer listens", "trying again in")
	x.keys("key:C-c")
	x.shows("ended with 0")
}

func TestScreenColours(t *testing.T) {
	g := livetest.Yard(t, transport.Options{}, "guard", "cook")
	colours := func(env ...string) string {
		x := open(t, 80, 24, env, program(t)+" play "+g.Address+"/aicc?character=guard"+behind)
		x.shows("● connected")
		s := x.tmux("capture-pane", "-p", "-e")
		x.keys("key:C-c")
		x.shows("ended with 0")
		return s
	}
	require.Regexp(t, "\x1b\\[[0-9;]*9[0-7]m", colours(), "colours")
	plain := colours("NO_COLOR=1")
	require.NotRegexp(t, "\x1b\\[[0-9;]*[349][0-7]m", plain)
	require.Contains(t, plain, "\x1b[7m", "the cursor is seen")

	dumb := open(t, 80, 24, nil, "TERM=dumb "+program(t)+" play "+g.Address+"/aicc?character=guard"+behind)
	dumb.shows("plays guard of back yard", "tools: look, walk_to")
	dumb.keys("look", "key:Enter")
	dumb.shows(`result 1 look {"at": [4, 9]`)
	dumb.keys("key:C-d")
	dumb.shows("ended with 0")

	old := open(t, 80, 24, []string{"LC_ALL=C"}, program(t)+" play "+g.Address+"/aicc?character=guard"+behind)
	old.shows("* connected", "---", "|")
	old.keys("key:C-c")
	old.shows("ended with 0")
}
