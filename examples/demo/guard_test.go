package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/message"
)

// TestGuard plays the script against the real host, once, without pauses; what the README shows of that is in it, numbers apart.
func TestGuard(t *testing.T) {
	guard := buildGuard(t)
	var screen bytes.Buffer
	require.NoError(t, run(t.Context(), guard, nil, "", script{}, time.Minute, newNarrator(&screen, 100, false)), "%s", &screen)
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
	require.NoError(t, run(t.Context(), guard, nil, "", script{patient: true}, 2*time.Minute, newNarrator(&screen, 100, false)), "%s", &screen)
	require.Contains(t, screen.String(), "4 failed, as the script wanted; 2 refused for now and asked again.\n")
}

func buildGuard(t *testing.T) string {
	t.Helper()
	ctest.Need(t, "gcc", "gcc")
	lib := ctest.Library(t, ctest.Plain)
	return ctest.Program(t, ctest.Plain, lib, example("guard.c"), example("watch.c"), "-std=c11", "-pedantic", "-lm")
}

// standing is a guard that runs.
type standing struct {
	cmd  *exec.Cmd
	url  string
	told io.ReadCloser
}

// stand starts a guard.
func stand(t *testing.T, guard string) *standing {
	t.Helper()
	s := &standing{cmd: exec.Command(guard, "0")}
	out, err := s.cmd.StdoutPipe()
	require.NoError(t, err)
	s.told, err = s.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	timer := time.AfterFunc(time.Minute, func() { _ = s.cmd.Process.Kill() })
	t.Cleanup(func() { timer.Stop() })
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	s.url = strings.TrimSpace(url)
	return s
}

// end is Ctrl-C.
func (s *standing) end() error { return s.cmd.Process.Signal(os.Interrupt) }

// TestGuardCuts: however often the connection breaks, each call is done once and has its result.
func TestGuardCuts(t *testing.T) {
	const cuts = 20
	s := stand(t, buildGuard(t))
	p := newPlayer(s.url, s.told, newNarrator(io.Discard, 100, false), nil, 0)
	p.tap.wait = once(p.tap)
	p.begin()
	look, walk := p.tool(message.Sensor, "sees"), p.tool(message.Actuator, "walk")
	way := p.start(walk, object("place", "tower", "speed", 9))
	for i := range cuts {
		p.goDark()
		var c *call
		if i%2 == 0 { // done, while nobody hears of it
			c = p.start(look, `{}`)
			p.cutOff()
		} else { // waits until there is a connection
			p.cutOff()
			c = p.start(look, `{}`)
		}
		p.until("the guard to notice", func() bool { return p.did("hears no more") > i })
		p.mend()
		p.succeeded(c, &view{})
		require.NoError(t, p.err)
	}
	p.succeeded(way, &struct{}{})
	p.leave("enough")
	require.NoError(t, p.finish(s.end))
	require.NoError(t, s.cmd.Wait())
	require.Equal(t, cuts, p.did("looks around"), "each call was done once")
	require.Equal(t, 1, p.did("sets out"))
	require.Equal(t, 1, p.did("is at the tower"))
	require.Equal(t, cuts, p.did("hears orders again"))
	require.EqualValues(t, cuts, p.agent.Stats().Resumes)
}

// TestGuardAnew: an agent that comes after another finds the night as it began, and whoever is there when the game ends is told so.
func TestGuardAnew(t *testing.T) {
	s := stand(t, buildGuard(t))
	told := make(chan string, 100)
	go func() {
		defer close(told)
		for text := bufio.NewScanner(s.told); text.Scan(); {
			told <- text.Text()
		}
	}()
	heard := func(what string) {
		t.Helper()
		for text := range told {
			if strings.Contains(text, what) {
				return
			}
		}
		require.Fail(t, "the guard never told that he "+what)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for night := range 2 {
		manifests := make(chan *message.Manifest, 10)
		until := func(is func(*message.Manifest) bool) {
			for {
				select {
				case m := <-manifests:
					if is(m) {
						return
					}
				case <-ctx.Done():
					require.Fail(t, "the manifest never was as it should be")
				}
			}
		}
		a, err := agent.Connect(ctx, s.url, agent.Options{Patient: true, OnManifest: func(m *message.Manifest) { manifests <- m }})
		require.NoError(t, err)
		until(func(m *message.Manifest) bool { // who comes at once may have got the one before
			return len(m.Tools) == 6 && len(m.Capabilities.Actuators) == 0
		})
		here, err := agent.Ask[view](ctx, a, "look", struct{}{})
		require.NoError(t, err)
		require.Equal(t, [2]float64{4, 9}, here.At)
		require.Zero(t, here.Light)
		if night > 0 {
			a.Close(ctx, "that is all")
			break
		}
		for _, ask := range []string{`light_lantern {}`, `walk_to {"place":"store","speed":9}`, `look {}`, `say {"text":"Halt!"}`, `open_sack {}`} {
			tool, input, _ := strings.Cut(ask, " ")
			switch tool {
			case "walk_to":
				_, err = a.Event(ctx) // the glass
				require.NoError(t, err)
			case "open_sack":
				until(func(m *message.Manifest) bool { return len(m.Tools) == 7 })
			}
			r, err := a.Call(ctx, tool, []byte(input))
			require.NoError(t, err)
			require.True(t, r.OK, "%s: %s", ask, r.Text)
		}
		_, err = a.Start("walk_to", []byte(`{"place":"gate"}`))
		require.NoError(t, err)
		heard("sets out for the gate")
		a.Close(ctx, "enough")
		heard("stops where he is")
	}

	last, err := agent.Connect(ctx, s.url, agent.Options{Patient: true})
	require.NoError(t, err)
	walk, err := last.Start("walk_to", []byte(`{"place":"tower"}`))
	require.NoError(t, err)
	heard("sets out for the tower")
	require.NoError(t, s.end())
	r, err := walk.Wait(ctx)
	require.NoError(t, err)
	require.Equal(t, message.SessionExpired, r.Code)
	require.NoError(t, s.cmd.Wait())
	last.Close(ctx, "")
	require.EqualValues(t, 1, last.Stats().SessionsLost, "it heard session_close")
}

// TestGuardArguments: what he cannot do he says.
func TestGuardArguments(t *testing.T) {
	guard := buildGuard(t)
	s := stand(t, guard)
	port := regexp.MustCompile(`:(\d+)/`).FindStringSubmatch(s.url)[1]
	const usage = "usage: guard [PORT], from 0, which is any that is free, to 65535; without it 8765\n"
	for _, c := range []struct {
		arguments []string
		status    int
		says      string
	}{
		{[]string{port}, 1, "guard: port " + port + " of 127.0.0.1 cannot be opened: listen tcp4 127.0.0.1:" + port +
			": bind: address already in use; give port 0 for any that is free\n"},
		{[]string{"65536"}, 2, usage},
		{[]string{"-1"}, 2, usage},
		{[]string{"80 80"}, 2, usage},
		{[]string{"gate"}, 2, usage},
		{[]string{""}, 2, usage},
		{[]string{"0", "0"}, 2, usage},
	} {
		cmd := exec.Command(guard, c.arguments...)
		var out, says bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &says
		_ = cmd.Run()
		require.Equal(t, c.status, cmd.ProcessState.ExitCode(), "%q", c.arguments)
		require.Empty(t, out.String())
		require.Equal(t, c.says, says.String())
	}
	require.NoError(t, s.end())
	require.NoError(t, s.cmd.Wait())
}
