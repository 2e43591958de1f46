package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
	"aicc.dev/libaicc/core/message"
)

// The README's first tool is examples/c/first, and what it prints is what the README shows.

// TestReadmeLinks: what README.md links to is there, and its picture is XML.
func TestReadmeLinks(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(ctest.Root(), "README.md"))
	require.NoError(t, err)
	links := regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`).FindAllStringSubmatch(string(readme), -1)
	require.NotEmpty(t, links)
	for _, link := range links {
		_, err := os.Stat(filepath.Join(ctest.Root(), link[1]))
		require.NoError(t, err)
	}
	picture, err := os.Open(filepath.Join(ctest.Root(), "docs", "aicc.svg"))
	require.NoError(t, err)
	defer picture.Close()
	for text := xml.NewDecoder(picture); ; {
		_, err := text.Token()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
	}
}

// shown is the first block of a language behind a heading of README.md.
func shown(t *testing.T, heading, language string) string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(ctest.Root(), "README.md"))
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(readme), "\n"+heading+"\n")
	require.True(t, found, "README.md has no heading %q", heading)
	_, rest, found = strings.Cut(rest, "\n```"+language+"\n")
	require.True(t, found, "README.md has no %s block below %q", language, heading)
	block, _, found := strings.Cut(rest, "```\n")
	require.True(t, found)
	return block
}

func example(name ...string) string {
	return filepath.Join(append([]string{ctest.Root(), "examples", "c"}, name...)...)
}

func TestReadmeShowsFirst(t *testing.T) {
	program, err := os.ReadFile(example("first", "first.c"))
	require.NoError(t, err)
	require.True(t, string(program) == shown(t, "## Your first tool", "c"), "README.md shows another program than examples/c/first/first.c")
	require.LessOrEqual(t, bytes.Count(program, []byte("\n")), 60, "a first program is short")
}

// varying is what may differ from run to run, or from one version of the library to the next.
var varying = regexp.MustCompile(`"(latency_ms":\d+|message_id":"[^"]*")`)

func TestFirst(t *testing.T) {
	ctest.Need(t, "gcc", "gcc")
	lib := ctest.Library(t, ctest.Plain)
	first := exec.Command(ctest.Program(t, ctest.Plain, lib, example("first", "first.c"), "-pedantic", "-std=c99"))
	lines, err := os.ReadFile(example("first", "hello.jsonl"))
	require.NoError(t, err)
	first.Stdin = bytes.NewReader(lines)
	var complaints bytes.Buffer
	first.Stderr = &complaints
	out, err := first.Output()
	require.NoError(t, err, complaints.String())
	require.Empty(t, complaints.String())

	printed := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	require.Len(t, printed, 3)
	for _, line := range printed {
		var m message.Message
		require.Nil(t, message.Decode([]byte(line), &m), line)
	}
	require.Contains(t, printed[0], `"type":"session_init"`)
	wanted := strings.Split(shown(t, "## Your first tool", "json"), "\n")
	for i, line := range printed[1:] {
		require.Equal(t, varying.ReplaceAllString(wanted[i], "varies"), varying.ReplaceAllString(line, "varies"))
	}
	require.Len(t, wanted, 3, "two lines")
}

// TestGuard plays the script against the real host, once, without pauses; what the README shows of that is in it, numbers apart.
func TestGuard(t *testing.T) {
	guard := buildGuard(t)
	var screen bytes.Buffer
	require.NoError(t, run(guard, nil, "", script{}, time.Minute, newNarrator(&screen, 100, false)), "%s", &screen)
	numbers := regexp.MustCompile(`[ \d.]+`)
	rest := numbers.ReplaceAllString(screen.String(), " ")
	for _, line := range strings.Split(shown(t, "## See it", "text"), "\n") {
		if strings.TrimSpace(line) == "..." {
			continue
		}
		line = numbers.ReplaceAllString(line, " ")
		_, after, found := strings.Cut(rest, line)
		require.True(t, found, "the README shows %q, which is not there or not in this order", line)
		rest = after
	}
}

// TestGuardPatient is the same, but the agent waits out a limit of calls a minute: a real minute, which few will wait for.
func TestGuardPatient(t *testing.T) {
	if os.Getenv("CI") != "true" {
		t.Skip("a whole minute is waited out only with CI=true")
	}
	guard := buildGuard(t)
	var screen bytes.Buffer
	require.NoError(t, run(guard, nil, "", script{patient: true}, 2*time.Minute, newNarrator(&screen, 100, false)), "%s", &screen)
	require.Contains(t, screen.String(), "4 failed, as the script wanted; 2 refused for now and asked again.\n")
}

// guardAgent starts a guard and an agent that has its manifest. stop ends both, which must go well.
func guardAgent(t *testing.T, guard string) (a *agent, stop func()) {
	t.Helper()
	cmd := exec.Command(guard)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	told, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	timer := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	a = newAgent(in, out, told, newNarrator(io.Discard, 100, false), nil, 0)
	a.begin()
	require.NoError(t, a.err)
	return a, func() {
		defer timer.Stop()
		require.NoError(t, a.finish())
		require.NoError(t, cmd.Wait())
	}
}

// TestGuardCuts: however often the connection breaks, each call is done once and has its result.
func TestGuardCuts(t *testing.T) {
	const cuts = 20
	a, stop := guardAgent(t, buildGuard(t))
	look, walk := a.tool(message.Sensor, "sees"), a.tool(message.Actuator, "walk")
	way := a.start(walk, object("place", "tower", "speed", 9))
	for i := range cuts {
		a.goDark()
		var c *call
		if i%2 == 0 { // done, while nobody hears of it
			c = a.start(look, `{}`)
			a.cutOff()
		} else { // never arrives, so it is sent again
			a.cutOff()
			c = a.start(look, `{}`)
		}
		a.resume()
		require.NoError(t, a.err)
		if i%2 == 1 {
			a.call(c)
		}
		a.succeeded(c, &view{})
	}
	a.succeeded(way, &struct{}{})
	require.NoError(t, a.err)
	a.leave("enough")
	stop()
	require.Equal(t, cuts, a.did("looks around"), "each call was done once")
	require.Equal(t, 1, a.did("sets out"))
	require.Equal(t, 1, a.did("is at the tower"))
	require.Equal(t, cuts, a.did("hears orders again"))
}

// TestGuardDials: the network's lines count when they change something, and whoever comes back is told who he is.
func TestGuardDials(t *testing.T) {
	a, stop := guardAgent(t, buildGuard(t))
	a.goDark()
	a.cutOff()
	a.write([]byte("a line that goes nowhere\n" + cut + "\n\n" + strings.Repeat("x", 3<<20)))
	a.dialling, a.inits = true, 1
	a.write([]byte(dialled + "\n" + dialled)) // the second is none: there is a connection
	a.until("the new connection", func() bool { return a.net == up })
	a.send(message.AppendSessionResume(nil, a.session, a.ids.Next()))
	a.until("session_init", func() bool { return a.inits == 0 })
	a.ask(a.tool(message.Sensor, "sees"), `{}`, &view{})
	require.NoError(t, a.err)
	a.leave("enough")
	stop()
}

// TestGuardWire: whatever a line holds, it is answered and the next one is understood.
func TestGuardWire(t *testing.T) {
	guard := buildGuard(t)
	long := `{"protocol":"aicc/0.1","type":"` + strings.Repeat("x", 3<<20) + `"}`
	for _, c := range []struct {
		name, line string
		answers    int
	}{
		{"too long", long, 1},
		{"as long as may be", strings.Repeat("y", 1<<20), 1},
		{"one byte more", strings.Repeat("y", 1<<20+1), 1},
		{"two bytes more", strings.Repeat("y", 1<<20+2), 1},
		{"a flood", strings.Repeat("{}\n", 5000), 5000},
		{"empty lines", "\n\n\n", 0},
		{"NUL", "\x00", 1},
		{"not UTF-8", "\xff\xfe", 1},
		{"return and newline", "hello\r", 1},
		{"almost a cut", "#cut ", 1},
		{"almost a connection", " #dial", 1},
		{"a connection more", "#dial", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(guard)
			in, err := cmd.StdinPipe()
			require.NoError(t, err)
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			stop := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
			defer stop.Stop()
			a := newAgent(in, out, strings.NewReader(""), newNarrator(io.Discard, 100, false), nil, 0)
			a.begin()
			require.NoError(t, a.err)
			go func() { _, _ = io.WriteString(in, c.line+"\n") }()
			for answers := c.answers; answers > 0; {
				raw, open := <-a.messages
				require.True(t, open, "the host has ended")
				var m message.Message
				require.Nil(t, message.Decode(raw, &m), "%s", raw)
				if m.Type == message.Event {
					continue
				}
				answers--
				require.Equal(t, message.ErrorMessage, m.Type)
				require.Equal(t, message.InvalidInput, m.Error.Code, "%s", raw)
			}
			var here view
			a.ask(a.tool(message.Sensor, "sees"), `{}`, &here)
			require.NoError(t, a.err)
			require.Equal(t, [2]float64{4, 9}, here.At)
			// Good-bye without a newline behind it.
			_, err = in.Write(message.AppendSessionClose(nil, a.session, a.ids.Next(), "enough"))
			require.NoError(t, err)
			require.NoError(t, a.finish())
			require.True(t, a.closed)
			require.NoError(t, cmd.Wait())
		})
	}
}

func buildGuard(t *testing.T) string {
	t.Helper()
	ctest.Need(t, "gcc", "gcc")
	lib := ctest.Library(t, ctest.Plain)
	return ctest.Program(t, ctest.Plain, lib, example("guard.c"), example("watch.c"), example("host.c"), "-std=c11", "-pedantic", "-lm")
}
