package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
	"aicc.dev/libaicc/core/message"
)

var update = flag.Bool("update", false, "write what is printed to testdata")

// playFake plays the script against a fake host and returns what was printed, the transcript and the outcome.
func playFake(t *testing.T, colour bool, tamper func(h *fakeHost) func(what string, raw []byte) [][]byte) (printed string, log []byte, err error) {
	t.Helper()
	told, tells := io.Pipe()
	h := newFake(tells)
	patience := 5 * time.Second
	if tamper != nil {
		h.tamper = tamper(h)
		patience = 500 * time.Millisecond
	}
	url, stop, err := h.listen()
	require.NoError(t, err)
	defer stop()

	var screen, file bytes.Buffer
	p := newPlayer(url, told, newNarrator(&screen, 100, colour), &transcript{w: &file, start: time.Now()}, 0)
	p.patience, p.random, p.tap.wait = patience, func() float64 { return 1 }, once(p.tap)
	play(p, h.minute < 1000)
	err = p.finish(func() error {
		go func() {
			stop() // waits for what the host has still to tell
			_ = tells.Close()
		}()
		return nil
	})
	require.Empty(t, h.wrong, "the agent broke the protocol")
	if err == nil {
		p.show.ended(p)
		require.NoError(t, behaved(p))
	} else {
		p.show.failed(err)
	}
	return screen.String(), file.Bytes(), err
}

// once is a wait between two attempts that ends when the second will do.
func once(t *tap) func(context.Context, time.Duration) error {
	late := t.wait
	return func(ctx context.Context, d time.Duration) error {
		mended := t.isMended()
		select {
		case <-mended: // and there was no connection all the same
			return late(ctx, d)
		default:
		}
		select {
		case <-mended:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

var times = regexp.MustCompile(`(?m)^ *\d+\.\d\d s`)

func TestScript(t *testing.T) {
	printed, log, err := playFake(t, false, nil)
	require.NoError(t, err)
	got := times.ReplaceAllString(printed, "  0.00 s")
	golden := filepath.Join("testdata", "screen.txt")
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	wanted, lines := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range min(len(wanted), len(lines)) {
		require.Equal(t, wanted[i], lines[i], "line %d", i+1)
	}
	require.Len(t, lines, len(wanted))
	require.NotContains(t, printed, "\x1b")

	calls, results, texts := map[string]int{}, map[string]int{}, map[string]bool{}
	last := int64(0)
	for _, line := range strings.Split(strings.TrimSuffix(string(log), "\n"), "\n") {
		var entry struct {
			TimeMS    *int64 `json:"time_ms"`
			Direction string
			Message   json.RawMessage
		}
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		require.NoError(t, d.Decode(&entry), line)
		require.NotNil(t, entry.TimeMS)
		require.GreaterOrEqual(t, *entry.TimeMS, last)
		last = *entry.TimeMS
		var m message.Message
		require.Nil(t, message.Decode(entry.Message, &m), line)
		switch m.Type {
		case message.SessionResume:
			require.Equal(t, toBridge, entry.Direction)
		case message.ToolCall, message.SessionClose:
			if m.Type == message.ToolCall {
				calls[string(m.CallID)]++
				require.Equal(t, toBridge, entry.Direction)
			}
		default:
			require.Equal(t, toAgent, entry.Direction)
			if m.Type == message.ToolResult {
				if text := strings.Replace(string(entry.Message), m.MessageID.String(), "", 1); !texts[text] { // else one that the agent had before the cut
					texts[text] = true
					results[string(m.CallID)]++
				}
			}
		}
	}
	require.Len(t, calls, 18)
	require.Len(t, results, len(calls))
	twice := 0
	for id, times := range calls {
		require.Equal(t, 1, results[id], "all results of a call are one")
		require.LessOrEqual(t, times, 2)
		twice += times - 1
	}
	require.Equal(t, 2, twice, "what had no result when the connection broke was asked for again")
}

// TestPatient: a limit of calls a minute is waited out.
func TestPatient(t *testing.T) {
	printed, _, err := playFake(t, false, func(h *fakeHost) func(string, []byte) [][]byte {
		h.minute = 30
		return nil
	})
	require.NoError(t, err)
	_, rest, found := strings.Cut(printed, "  Too soon. I shall wait for 30 ms.\n")
	require.True(t, found)
	require.Contains(t, rest, `say {"text":"And never come back!"}   (again)`+"\n")
	require.Contains(t, rest, "4 failed, as the script wanted; 2 refused for now and asked again.\n")
}

func TestColour(t *testing.T) {
	printed, _, err := playFake(t, true, nil)
	require.NoError(t, err)
	require.Contains(t, printed, "\x1b[36m-->  \x1b[0m  \x1b[36mlook {}\x1b[0m\n")
	require.Contains(t, printed, "\x1b[31m<--  \x1b[0m  \x1b[31mring_bell: timeout after 7 ms: no answer in 800 ms\x1b[0m\n")
	plainText, _, err := playFake(t, false, nil)
	require.NoError(t, err)
	bare := regexp.MustCompile(`\x1b\[\d*m`).ReplaceAllString(printed, "")
	require.True(t, times.ReplaceAllString(plainText, "") == times.ReplaceAllString(bare, ""), "colours change no text")
}

// TestMain makes this program a host when the environment asks for one.
func TestMain(m *testing.M) {
	switch os.Getenv("DEMO_HOST") {
	case "":
		code := m.Run()
		ctest.Clean()
		os.Exit(code)
	case "hangs":
		time.Sleep(time.Hour)
	case "crashes":
		os.Exit(7)
	case "says hello":
		fmt.Println("hello")
		return
	}
	h := newFake(os.Stderr)
	switch os.Getenv("DEMO_HOST") {
	case "walks on":
		h.told = stutter{"lets go", 0}
	case "does twice":
		h.told = stutter{"opens the sack", 2}
	case "is not told":
		h.told = stutter{"hears no more", 0}
	case "dies":
		h.tamper = func(what string, raw []byte) [][]byte {
			if what == "listen" {
				os.Exit(8)
			}
			return [][]byte{raw}
		}
	}
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt)
	url, stop, err := h.listen()
	if err != nil {
		os.Exit(10)
	}
	fmt.Println(url)
	<-interrupted
	if stop(); h.wrong != "" {
		os.Exit(9)
	}
	switch os.Getenv("DEMO_HOST") {
	case "ends with 3":
		os.Exit(3)
	case "stays":
		<-interrupted
	}
}

// stutter is standard error that has lines with a word so often.
type stutter struct {
	word  string
	times int
}

func (s stutter) Write(p []byte) (int, error) {
	times := 1
	if strings.Contains(string(p), s.word) {
		times = s.times
	}
	for range times {
		if _, err := os.Stderr.Write(p); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

func TestProcess(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for _, c := range []struct {
		host, behaviour string
		limit           time.Duration
		want            string
	}{
		{self, "plays", time.Minute, ""},
		{self, "ends with 3", time.Minute, "the host ended with exit status 3; 0 was wanted"},
		{self, "crashes", time.Minute, "the host closed its end while the agent waited for its address\nthe host ended with exit status 7; 0 was wanted"},
		{self, "says hello", time.Minute, `the host's first line should be the address at which it listens; it is "hello"`},
		{self, "dies", time.Minute, "the host closed its end while the agent waited for the result of call-2 (listen)"},
		{self, "dies", time.Minute, "\nthe host ended with exit status 8; 0 was wanted"},
		{self, "hangs", 300 * time.Millisecond, "the host closed its end while the agent waited for its address\nthe host had not ended after 300ms and was killed"},
		{self, "stays", 3 * time.Second, "the host had not ended after 3s and was killed"},
		{self, "walks on", time.Minute, "the host told 0 times that its guard lets go of the rope; once would be right"},
		{self, "does twice", time.Minute, "the host told 2 times that its guard opens the sack, after 1 calls of open_sack"},
		{self, "is not told", time.Minute, "the host told 0 times that its guard hears no more orders; once would be right"},
		{filepath.Join(t.TempDir(), "none"), "plays", time.Minute, "the host does not start: "},
	} {
		t.Run(c.behaviour, func(t *testing.T) {
			t.Setenv("DEMO_HOST", c.behaviour)
			var screen bytes.Buffer
			file := filepath.Join(t.TempDir(), "transcript.jsonl")
			err := run(t.Context(), c.host, nil, file, script{}, c.limit, newNarrator(&screen, 100, false))
			if c.want != "" {
				require.ErrorContains(t, err, c.want)
				return
			}
			require.NoError(t, err)
			require.Contains(t, screen.String(), "All as it should be: 18 calls, each done at most once, one result each, none lost;\n")
			lines, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, 18+2+1+1+2+18+4+2+5+2+1, bytes.Count(lines, []byte("\n")), "calls, two of them twice, session_resume, good-bye; session_init, "+
				"results, four of them again after it, two once more since they were asked for, events, manifests that changed, good-bye")
		})
	}
}

// TestFaults: whatever a host does otherwise than it should ends the demo with a sentence that says what.
func TestFaults(t *testing.T) {
	other := message.ID{8}
	on := func(at string, change func(h *fakeHost, raw []byte) [][]byte) func(h *fakeHost) func(string, []byte) [][]byte {
		return func(h *fakeHost) func(string, []byte) [][]byte {
			return func(what string, raw []byte) [][]byte {
				if what == at {
					return change(h, raw)
				}
				return [][]byte{raw}
			}
		}
	}
	replace := func(at, old, new string) func(h *fakeHost) func(string, []byte) [][]byte {
		return on(at, func(_ *fakeHost, raw []byte) [][]byte {
			changed := bytes.Replace(raw, []byte(old), []byte(new), 1)
			if bytes.Equal(changed, raw) {
				return [][]byte{[]byte("the test replaces nothing in " + string(raw))}
			}
			return [][]byte{changed}
		})
	}
	instead := func(at string, text ...string) func(h *fakeHost) func(string, []byte) [][]byte {
		return on(at, func(*fakeHost, []byte) [][]byte {
			all := [][]byte{}
			for _, s := range text {
				all = append(all, []byte(s))
			}
			return all
		})
	}
	failure := func(at, call string, code message.ErrorCode, retryable bool) func(h *fakeHost) func(string, []byte) [][]byte {
		return on(at, func(h *fakeHost, _ []byte) [][]byte {
			return [][]byte{message.AppendToolResultError(nil, h.session, h.ids.Next(), h.call(call), code, "so it is", retryable, nil)}
		})
	}
	twice := func(_ *fakeHost, raw []byte) [][]byte {
		again := bytes.Clone(raw)
		at := bytes.Index(again, []byte(`"message_id":"`)) + len(`"message_id":"`)
		copy(again[at:], "aaaaaaaa")
		return [][]byte{raw, again}
	}
	// also makes the same of what is asked for once more.
	also := func(tool string, of func(h *fakeHost) func(string, []byte) [][]byte) func(h *fakeHost) func(string, []byte) [][]byte {
		return func(h *fakeHost) func(string, []byte) [][]byte {
			f := of(h)
			return func(what string, raw []byte) [][]byte {
				if what == "asked "+tool {
					return [][]byte{}
				}
				return f(what, raw)
			}
		}
	}
	// repeat sends at one place what had been sent at another.
	repeat := func(old, at string) func(h *fakeHost) func(string, []byte) [][]byte {
		return func(*fakeHost) func(string, []byte) [][]byte {
			var kept []byte
			return func(what string, raw []byte) [][]byte {
				switch what {
				case old:
					kept = bytes.Clone(raw)
				case at:
					return [][]byte{kept}
				}
				return [][]byte{raw}
			}
		}
	}
	for _, c := range []struct {
		name   string
		tamper func(h *fakeHost) func(string, []byte) [][]byte
		want   string
	}{
		{"no session_init", instead("init"), "the agent waited in vain for session_init"},
		{"heartbeat first", on("init", func(h *fakeHost, raw []byte) [][]byte {
			return [][]byte{message.AppendHeartbeat(nil, h.session, h.ids.Next(), nil), raw}
		}), "the first message was of type heartbeat; it should have been session_init"},
		{"no JSON", instead("init", "hello"), `the host sent a message that is not JSON: "hello"`},
		{"no message", instead("look", "{}"), "the host sent a message that aicc/0.1 forbids: "},
		{"output missing", replace("look", `"ok":true`, `"ok":false`), "the host sent a message that aicc/0.1 forbids: "},
		{"a sensor is missing", replace("init", "Hears", "Feels"), `the manifest has no sensor whose description speaks of "hears"`},
		{"class differs", replace("init", `"class":"generator"`, `"class":"sensor"`), `the manifest has no generator whose description speaks of "speak"`},
		{"no places in the schema", replace("init", `"enum":["gate","store"]`, `"type":"string"`), "the input schema of walk_to gives no places and no greatest speed: "},
		{"no result", instead("look"), "the agent waited in vain for the result of call-1 (look)"},
		{"a result twice", on("listen", twice), "a second result came for call-2 (listen)"},
		{"a message twice", on("listen", func(_ *fakeHost, raw []byte) [][]byte { return [][]byte{raw, raw} }), "the message id "},
		{"a result for nothing", on("look", func(h *fakeHost, _ []byte) [][]byte {
			return [][]byte{message.AppendToolResultOK(nil, h.session, h.ids.Next(), "call-9", nil, nil)}
		}), `a tool_result came for "call-9", which was never called`},
		{"another session", on("heard", func(h *fakeHost, raw []byte) [][]byte {
			return [][]byte{bytes.Replace(raw, []byte(h.session.String()), []byte(other.String()), 1)}
		}), "a message of type event came for the session " + other.String() + ", which is not this one"},
		{"an agent's message", on("look", func(h *fakeHost, raw []byte) [][]byte {
			return [][]byte{message.AppendManifestRequest(nil, h.session, h.ids.Next()), raw}
		}), "a bridge does not send manifest_request"},
		{"a complaint", on("look", func(h *fakeHost, raw []byte) [][]byte {
			return [][]byte{message.AppendError(nil, h.session, h.ids.Next(), message.InvalidInput, "what?", false), raw}
		}), "the bridge complains: invalid_input: what?"},
		{"a frame goes back", replace("listen", `"tick":3`, `"tick":1`), "a message of type tool_result tells frame 1 after frame "},
		{"success where failure was due", on("walk_to", func(h *fakeHost, _ []byte) [][]byte {
			return [][]byte{message.AppendToolResultOK(nil, h.session, h.ids.Next(), h.call("call-4"), nil, nil)}
		}), "call-4 (walk_to) succeeded; it should have failed with invalid_input"},
		{"failure where success was due", failure("look", "call-1", message.InternalError, false), `call-1 (look) failed with internal_error, "so it is"; it should have succeeded`},
		{"another code", failure("ring_bell 2", "call-10", message.ExecutionFailed, false), `call-10 (ring_bell) failed with execution_failed, "so it is"; it should have been timeout`},
		{"retryable", failure("ring_bell 2", "call-10", message.Timeout, true), "call-10 (ring_bell) failed with timeout and retryable true; it should have been false"},
		{"a fault unnamed", failure("walk_to", "call-4", message.InvalidInput, false), `the refusal names not both /place and /speed: "so it is"`},
		{"no retry_after_ms", failure("say 4", "call-17", message.ToolUnavailable, true), "a limit was met; meta.retry_after_ms is 0 and should be from 1 to 60000"},
		{"too late for a second line", replace("say", `"retry_after_ms":20`, `"retry_after_ms":1001`), "a limit was met; meta.retry_after_ms is 1001 and should be from 1 to 1000"},
		{"a limit that is none", failure("say", "call-14", message.ToolUnavailable, false), "call-14 (say) failed with tool_unavailable and retryable false; it should have been true"},
		{"waited in vain", failure("say 3", "call-15", message.ToolUnavailable, true), `call-15 (say) failed with tool_unavailable, "so it is"; it should have succeeded`},
		{"nobody hears", replace("say 2", `["thief"]`, `[]`), "nobody heard the guard"},
		{"no capability is needed", replace("init", `,"requires_capability":"alarm"`, ``), `ring_bell should need a capability that the character does not hold; it needs "" and that is held`},
		{"a capability is held already", replace("init", `"actuators":[]`, `"actuators":["alarm"]`), `ring_bell should need a capability that the character does not hold; it needs "alarm" and that is held`},
		{"rings without a capability", on("ring_bell", func(h *fakeHost, _ []byte) [][]byte {
			return [][]byte{message.AppendToolResultOK(nil, h.session, h.ids.Next(), h.call("call-3"), nil, nil)}
		}), "call-3 (ring_bell) succeeded; it should have failed with tool_unavailable"},
		{"nothing is granted", instead("update"), "the agent waited in vain for the capability alarm"},
		{"nothing is added", instead("update 2"), "the agent waited in vain for a tool for what the thief left"},
		{"nothing changes", on("listen", func(h *fakeHost, raw []byte) [][]byte {
			return [][]byte{message.AppendHeartbeat(nil, h.session, h.ids.Next(), message.AppendManifestUpdate(nil, message.AppendManifestBody(nil, &h.manifest))), raw}
		}), "a heartbeat brings a manifest that changes nothing"},
		{"no manifest in a heartbeat", on("update", func(h *fakeHost, raw []byte) [][]byte {
			return [][]byte{message.AppendHeartbeat(nil, h.session, h.ids.Next(), []byte(`{"tools":[]}`))}
		}), "the manifest of a heartbeat is no manifest: "},
		{"a bell in time", replace("listen 2", "breaking glass", "a bell"), "the bell was heard, although it had timed out"},
		{"ends the connection", on("listen", func(*fakeHost, []byte) [][]byte { return nil }),
			"the host closed its end while the agent waited for the result of call-2 (listen): the connection was closed with 1001: enough"},
		{"does not take the agent back", on("init 2", func(*fakeHost, []byte) [][]byte { return nil }), "the host closed its end while the agent waited for session_init: "},
		{"begins anew unasked", on("listen", func(h *fakeHost, raw []byte) [][]byte {
			return [][]byte{message.AppendSessionInit(nil, h.session, h.ids.Next(), message.AppendManifestBody(nil, &h.manifest)), raw}
		}), "a session_init came that nobody had asked for"},
		{"no answer to session_resume", instead("init 2"), "a message of type tool_result came first on a new connection; it should have been session_init"},
		{"results before session_init", instead("init 2", `{"protocol":"aicc/0.1","type":"heartbeat","session_id":"01020300-0000-0000-0000-000000000000","message_id":"00000000-0000-4000-8000-000000000001"}`),
			"a message of type heartbeat came first on a new connection; it should have been session_init"},
		{"resumed as another", on("init 2", func(h *fakeHost, raw []byte) [][]byte {
			return [][]byte{bytes.Replace(raw, []byte(h.session.String()), []byte(other.String()), 1)}
		}), "a message of type session_init came for the session " + other.String() + ", which is not this one"},
		{"what was lost stays lost", also("look", instead("again look 2")), "the agent waited in vain for the result of call-6 (look)"},
		{"what came about meanwhile is lost", also("walk_to", instead("again walk_to 2")), "the agent waited in vain for the result of call-5 (walk_to)"},
		{"another result than was lost", replace("again look 2", `"light":0`, `"light":1`), "the result of call-6 (look) comes after the cut as another than was lost: "},
		{"another result than before", replace("again look", `"light":0`, `"light":1`), "the result of call-1 (look) comes after the cut as another than before: "},
		{"a kept result twice", on("again listen", twice), "a second result came for call-2 (listen)"},
		{"a result lost twice", on("look 2", twice), "a second result came for call-6 (look)"},
		{"a kept result under its old message id", repeat("look", "again look"), "the message id "},
		{"a kept frame goes back", replace("again walk_to 2", `"tick":9`, `"tick":7`), "a message of type tool_result tells frame 7 after frame 8 had been told"},
		{"a kept result late", on("look 3", func(h *fakeHost, raw []byte) [][]byte {
			return [][]byte{message.AppendToolResultOK(nil, h.session, h.ids.Next(), h.call("call-1"), []byte(`{}`), nil), raw}
		}), "a second result came for call-1 (look)"},
		{"walked elsewhere", replace("again walk_to 2", `"place":"store"`, `"place":"well"`), `he walked to "well"; it should have been "store"`},
		{"no reports", instead("walking 2"), "the agent waited in vain for an event on state_change walking"},
		{"no sound", instead("heard"), "the agent waited in vain for an event on audio"},
		{"nothing heard", replace("listen", `{"what":"breaking glass","from":"store"}`, ``), `the guard heard nothing, although an event had told of "breaking glass"`},
		{"nobody there", replace("look 4", `"a thief with a sack"`, ``), "the guard sees nobody, even with a light"},
		{"last result missing", instead("walk_to 2"), "call-18 (walk_to) never got a result"},
		{"no good-bye", instead("close"), "the host closed its end while the agent waited for session_close: "},
		{"stops not", on("open_sack", func(h *fakeHost, raw []byte) [][]byte {
			h.told = io.Discard
			return [][]byte{raw}
		}), "the agent waited in vain for the character to stop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			printed, _, err := playFake(t, false, c.tamper)
			require.Error(t, err)
			require.Contains(t, err.Error(), c.want)
			require.Contains(t, printed, " FAIL ")
		})
	}
}

// TestMapOfAnything: places are what a host says; whatever that is, the map keeps its size and holds nothing that moves a cursor.
func TestMapOfAnything(t *testing.T) {
	for _, v := range []view{
		{},
		{Light: 1e9, Map: map[string][2]float64{"here": {0, 0}}},
		{At: [2]float64{1e308, -1e308}, Map: map[string][2]float64{"far": {-1e308, 1e308}}},
		{At: [2]float64{-5, 900}, Map: map[string][2]float64{"a name that is much longer than the map is wide, by far": {1, 1}, "\x1b[2J\n\xff": {2, 2}}},
	} {
		lines := drawMap(v, []mark{{signNoise, "noise", [2]float64{3, 3}}})
		require.Len(t, lines, mapRows+3)
		for _, line := range lines[:mapRows+2] {
			require.Regexp(t, `^[ -~]{48}$`, line)
		}
		require.Contains(t, strings.Join(lines, ""), "@")
	}
}
