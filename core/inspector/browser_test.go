package inspector_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/bridge"
	"aicc.dev/libaicc/core/inspector"
	"aicc.dev/libaicc/core/message"
)

// lacking skips a test by name, or fails it under CI=true.
func lacking(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(what)
	}
	t.Skip(t.Name() + ": " + what)
}

// browser runs a scene of testdata/drive.mjs. onStop is called when the scene asks for it.
func browser(t *testing.T, scene, url string, onStop func(), args ...string) string {
	t.Helper()
	for _, name := range []string{"drive.mjs", "scenes.mjs"} { // so that a change to one is a change to the test
		_, err := os.ReadFile(filepath.Join("testdata", name))
		require.NoError(t, err)
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		lacking(t, "chromium is missing: apt-get install chromium")
	}
	if _, err := exec.LookPath("node"); err != nil {
		lacking(t, "node is missing: apt-get install nodejs")
	}
	modules := os.Getenv("AICC_NODE_MODULES")
	if modules == "" {
		lacking(t, "AICC_NODE_MODULES does not name a folder with the modules of .ci/node")
	}
	modules, err = filepath.Abs(modules)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "node", append([]string{"testdata/drive.mjs", scene, url}, args...)...)
	c.Env = append(os.Environ(), "AICC_NODE_MODULES="+modules, "AICC_CHROMIUM="+chromium)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	in, err := c.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	var said bytes.Buffer
	buf := make([]byte, 4096)
	for stopped := false; ; {
		n, err := out.Read(buf)
		said.Write(buf[:n])
		if !stopped && onStop != nil && bytes.Contains(said.Bytes(), []byte("STOP\n")) {
			stopped = true
			onStop()
			_, _ = io.WriteString(in, "go\n")
		}
		if err != nil {
			break
		}
	}
	require.NoError(t, c.Wait(), "%s\n%s", errs.String(), said.String())
	return strings.TrimPrefix(said.String(), "STOP\n")
}

// agentOf is an agent that sits there, so that there is something to see.
func agentOf(t *testing.T, s *stage, character string) *websocket.Conn {
	t.Helper()
	ws, _, err := websocket.Dial(t.Context(), "ws://"+s.l.Addr()+"/aicc?character="+character, nil)
	require.NoError(t, err)
	ws.SetReadLimit(-1)
	t.Cleanup(func() { _ = ws.CloseNow() })
	return ws
}

// drain reads until the connection ends, and gives why.
func drain(ws *websocket.Conn) <-chan string {
	over := make(chan string, 1)
	go func() {
		for {
			if _, _, err := ws.Read(context.Background()); err != nil {
				over <- fmt.Sprint(int(websocket.CloseStatus(err)))
				return
			}
		}
	}()
	return over
}

// beat emits events until the test is over.
func beat(t *testing.T, g *game, session uint32) {
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			case <-tick.C:
				g.emit(session, fmt.Sprintf(`{"sound":"steps","n":%d}`, i))
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-done })
}

func busy(t *testing.T, s *stage, n, perSecond int) (stop func() int) {
	x := newTraffic(t, s.hub, "harbour", vesselNames(n))
	end, sent := make(chan struct{}), make(chan int, 1)
	go func() { sent <- x.run(perSecond, end) }()
	total := -1
	stop = func() int {
		if total < 0 {
			close(end)
			total = <-sent
		}
		return total
	}
	t.Cleanup(func() { stop() })
	return stop
}

func TestPageWatches(t *testing.T) {
	s := newStage(t, inspector.Options{})
	g := newGame(t, s.hub, &s.rosters, "night watch", watchTools, "guard", "cook", "groom")
	drain(agentOf(t, s, "cook"))
	beat(t, g, 2)
	browser(t, "watch", s.l.InspectorURL(), func() { // it comes while the page looks, so that its session_init is seen
		drain(agentOf(t, s, "guard"))
		g.world.Log(bridge.Warn, 1, "said while messages went by")
	})
}

func TestPageOfAnEarlierRun(t *testing.T) {
	s := newStage(t, inspector.Options{})
	url, _, _ := strings.Cut(s.l.InspectorURL(), "#")
	browser(t, "refused", url+"#AAAAAAAAAAAAAAAAAAAAAA", nil)
	browser(t, "refused", url, nil)
	require.False(t, s.hub.Watching())
	browser(t, "anew", url+"#AAAAAAAAAAAAAAAAAAAAAA", nil, s.l.InspectorURL())
}

func TestPageCallsSideBySide(t *testing.T) {
	s := newStage(t, inspector.Options{})
	g := newGame(t, s.hub, &s.rosters, "night watch", oddTools, "guard", "cook")
	browser(t, "many", s.l.InspectorURL(), nil)
	require.Equal(t, append(slices.Repeat([]string{`wait {"why":"to see"}`}, 17), `wave {}`, `say {}`, `odd {"n":9007199254740995,"pick":"1"}`), g.calls())
}

// A world ends, and another one takes its place, while the game listens on.
func TestPageOfAWorldThatWasReplaced(t *testing.T) {
	s := newStage(t, inspector.Options{})
	g := newGame(t, s.hub, &s.rosters, "night watch", watchTools, "guard")
	browser(t, "replaced", s.l.InspectorURL(), func() {
		s.rosters.Remove(g.roster)
		g.world.Close()
		newGame(t, s.hub, &s.rosters, "night watch", watchTools, "guard")
	})
}

// Names of many alike differ at their ends, on narrow windows too.
func TestPageHasRoomForNames(t *testing.T) {
	s := newStage(t, inspector.Options{})
	names := make([]string, 30)
	for i := range names {
		names[i] = fmt.Sprintf("villager of the harbour %d", i+1)
	}
	x := newTraffic(t, s.hub, "harbour", names)
	browser(t, "names", s.l.InspectorURL(), func() {
		for range 300 {
			x.send()
		}
		x.w.Out(1, 1, message.AppendSessionClose(nil, x.session[0], x.ids[0], "the harbour is closed for the night, come back when the gulls cry"))
	})
}

func TestPagePlaysByHand(t *testing.T) {
	s := newStage(t, inspector.Options{})
	g := newGame(t, s.hub, &s.rosters, "night watch", watchTools, "guard")
	browser(t, "play", s.l.InspectorURL(), nil)
	require.Equal(t, []string{
		`walk_to {"place":"tower","speed":2.50,"quietly":true}`,
		`patrol {"name":"night","stops":[{"x":3,"y":-4},{"x":0,"y":1e1}],"extra":{"n":12345678901234567890}}`,
		`patrol {"name":"raw","stops":[{"x":1,"y":2}]}`,
		`fail {}`,
	}, g.calls())
}

func TestPageTakesOver(t *testing.T) {
	s := newStage(t, inspector.Options{})
	newGame(t, s.hub, &s.rosters, "night watch", watchTools, "guard")
	over := drain(agentOf(t, s, "guard"))
	browser(t, "take", s.l.InspectorURL(), nil)
	require.Equal(t, "4410", <-over)
}

func TestPageFiltersAndThemes(t *testing.T) {
	s := newStage(t, inspector.Options{})
	busy(t, s, 40, 1000)
	browser(t, "filters", s.l.InspectorURL(), nil)
}

func TestPageKeys(t *testing.T) {
	s := newStage(t, inspector.Options{})
	busy(t, s, 20, 200)
	browser(t, "keys", s.l.InspectorURL(), nil)
}

func TestPageUnderLoad(t *testing.T) {
	s := newStage(t, inspector.Options{})
	stop := busy(t, s, 200, 2000)
	said := browser(t, "load", s.l.InspectorURL(), func() { stop() })
	var n struct{ Counted, Seen, Dropped, Kept int }
	require.NoError(t, json.Unmarshal([]byte(said), &n), said)
	t.Logf("%d messages went by, %d shown, %d dropped, %d kept", n.Counted, n.Seen, n.Dropped, n.Kept)
	require.Equal(t, n.Counted, n.Seen+n.Dropped)
	require.Greater(t, n.Counted, 10_000)
	require.LessOrEqual(t, n.Counted, stop(), "what went by before the page looked is not counted")
	require.LessOrEqual(t, n.Kept, 50_000)
}

// hostile are names and texts that come from games and agents.
const hostile = `<img src=x onerror="window.hacked=1"><script>window.hacked=2</script>{{7*7}}` + "\u202e\u0007\x1b[31m\"'"

func TestPageShowsHostileTextAsText(t *testing.T) {
	s := newStage(t, inspector.Options{})
	quoted, err := json.Marshal(hostile)
	require.NoError(t, err)
	h := string(quoted)
	id, ok := message.ParseID("00112233-4455-4677-8899-aabbccddeeff")
	require.True(t, ok)
	var w *inspector.World
	told := false
	w = s.hub.World(hostile, func() {
		w.Tools(1, [][]byte{
			[]byte(`{"id":"steal","class":` + h + `,"description":` + h + `,"input_schema":{"type":"object","description":` + h + `,"properties":{` + h + `:{"type":"string","description":` + h +
				`,"default":` + h + `},"__proto__":{"enum":[` + h + `,"constructor"]},"list":{"type":"array","items":{"const":` + h + `}}},"required":["__proto__"]},"output_schema":{` + h + `:1},"limits":{"calls_per_minute":` + h + `}}`),
			[]byte(`{"id":` + h + `,"class":"sensor","description":"x","input_schema":{"$ref":"#"},"output_schema":{}}`),
			[]byte(`{"id":"loop","class":"sensor","description":"x","input_schema":{"type":"object","properties":{"a":{"$ref":"#"}},"allOf":[{"$ref":"#"}]},"output_schema":{}}`),
		})
		if told {
			return
		}
		told = true
		w.In(1, 1, []byte(hostile))
		w.In(1, 1, []byte("\xff\xfe\x00"))
		w.In(1, 1, []byte(`{"`+strings.Repeat(`[`, 500)))
		w.In(2, 1, message.AppendToolCall(nil, id, id, hostile, "__proto__", []byte(`{"__proto__":`+h+`}`)))
		w.In(1, 1, message.AppendToolCall(nil, id, id, hostile, "steal", []byte(`{`+h+`:`+h+`}`)))
		w.Out(1, 1, message.AppendToolResultError(nil, id, id, hostile, message.ExecutionFailed, hostile, false, nil))
		w.Out(1, 1, message.AppendEvent(nil, id, id, message.TopicAudio, []byte(`{"say":`+h+`}`), nil))
		w.Out(1, 1, message.AppendSessionClose(nil, id, id, hostile))
		w.Fault(1, hostile)
		w.Log(4, 1, hostile)
	})
	w.Open(1, hostile)
	w.Open(2, "__proto__")
	w.Open(3, strings.Repeat("<b>", 5000))
	browser(t, "hostile", s.l.InspectorURL(), nil)
}
