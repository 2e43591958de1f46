package script

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"fly":                            `line 1: there is no step "fly": steps are call, start, result, event, quiet, tool, capability, expect, let, say, print, sleep, timeout, repeat, end`,
		"\n\n# x\ncall":                  "line 4: column 1: the name of a tool is wanted",
		"call Look":                      `line 1: column 6: "Look" is no name of a tool: they are of a to z, 0 to 9 and _`,
		"call look 3":                    `line 1: "3" is not wanted here: name=text, name:=JSON, {...}, or as, fails, retry, within`,
		"call look as":                   "line 1: something is missing behind as",
		"call look as 3":                 `line 1: "3" is no name: letters, digits and _`,
		"call look within 3":             `line 1: "3" is no time: 500ms, 3s and 2m are, up to 24h`,
		"call look within -3s":           `line 1: "-3s" is no time: 500ms, 3s and 2m are, up to 24h`,
		"call look fails retry":          "line 1: fails and retry do not go together",
		"call look fails often":          `line 1: "often" is no error code: they are protocol_mismatch, session_expired, tool_unknown, tool_unavailable, invalid_input, execution_failed, timeout, internal_error`,
		"call look {":                    "line 1: column 11: this { is not closed",
		"call look {]":                   "line 1: column 12: this ] closes nothing",
		`call look a="x`:                 `line 1: column 13: this text has no end: a " is missing`,
		"call look {} a=3":               "line 1: column 14: the input is either one {...} or words of name=text",
		"call look a=3 {}":               "line 1: column 15: the input is either one {...} or words of name=text",
		"call look =3":                   "line 1: column 11: a name is missing before the =",
		"call look a..b=3":               `line 1: column 11: "a..b" has an empty name in it: write an input with such names as {...}`,
		"call look a:=":                  "line 1: column 14: a JSON value is missing behind :=",
		"start look within 3s":           `line 1: "within" is not wanted here: name=text, name:=JSON, {...}, or as`,
		"result":                         "line 1: a name is wanted behind result",
		"result walk as x":               `line 1: "as" is not wanted here: name=text, name:=JSON, {...}, or fails, within`,
		"event":                          "line 1: a topic is wanted: tick, collision, audio, state_change, agent_message, any",
		"event noise":                    `line 1: "noise" is no topic: they are tick, collision, audio, state_change, agent_message, any`,
		"quiet audio":                    "line 1: for how long is not said: add for 2s",
		"expect":                         "line 1: what to look at is not said: a path like it.at.0",
		"expect it==3":                   `line 1: "it==3" is no path: put spaces around the comparison`,
		"expect 3 == 3":                  `line 1: "3" is no path: a name, then .member or .number`,
		"expect it = 3":                  `line 1: "=" compares nothing: there are == != < <= > >= has like exists missing`,
		"expect it ==":                   "line 1: a value is missing behind ==",
		"expect it == a b":               `line 1: "b" is too much: put text with spaces into quotes`,
		"expect it exists now":           `line 1: "now" is too much: put text with spaces into quotes`,
		"let x":                          "line 1: let NAME = VALUE is wanted, NAME of letters, digits and _",
		"let 1x = 3":                     "line 1: let NAME = VALUE is wanted, NAME of letters, digits and _",
		"say":                            "line 1: what is said is name=text, name:=JSON or {...}",
		"say hello":                      "line 1: what is said is name=text, name:=JSON or {...}",
		"sleep":                          "line 1: a time is wanted behind sleep, like 500ms or 3s",
		"sleep 0 ticks":                  `line 1: "0" is no number of ticks: 1 to 1000000 are`,
		"sleep 9999999999 ticks":         `line 1: "9999999999" is no number of ticks: 1 to 1000000 are`,
		"timeout 25h":                    `line 1: "25h" is no time: 500ms, 3s and 2m are, up to 24h`,
		"repeat":                         "line 1: repeat N or repeat until PATH OP VALUE is wanted",
		"repeat 0\nend":                  `line 1: "0" is no number of rounds: 1 to 1000000 are`,
		"repeat 2":                       "line 1: this repeat has no end",
		"end":                            "line 1: there is no repeat that this ends",
		"repeat 2\nend now":              "line 2: nothing is wanted behind end",
		"call \xff":                      "line 1: this is not UTF-8",
		strings.Repeat("repeat 2\n", 17): "line 17: more than 16 repeats in each other",
		strings.Repeat("#", MaxBytes+1):  "line 1: a script of more than 1048576 bytes",
	} {
		_, err := Parse(text)
		var of *Error
		require.True(t, errors.As(err, &of), text)
		require.EqualError(t, err, want)
	}
}

// What a step says when it does not hold.
func TestFailures(t *testing.T) {
	for text, want := range map[string]string{
		"call walk_to place=x fails":                             "line 1: call walk_to place=x fails: it was to fail, and gives {\"did\":{\"place\":\"x\"}}",
		"call break_down":                                        "line 1: call break_down: execution_failed: the door is stronger",
		"call break_down fails timeout":                          "line 1: call break_down fails timeout: it was to fail with timeout, and fails with execution_failed: the door is stronger",
		"call shout":                                             "line 1: call shout: tool_unavailable: out of breath",
		"call shout retry within 50ms":                           "line 1: call shout retry within 50ms: shout may be called again in 60ms, and there are ",
		"call wait within 30ms":                                  "line 1: call wait within 30ms: wait has no result after ",
		"timeout 20ms\ncall wait":                                "it was sent, its outcome is unknown",
		"call fly":                                               "line 1: call fly: tool_unknown: there is no tool \"fly\"",
		"start wait\nstart wait":                                 "line 2: start wait: wait is open already: wait for it by `result wait`, or give this one another name by `as`",
		"result walk":                                            "line 1: result walk: no call walk is open: begin one by `start TOOL as walk`",
		"start wait\nexpect wait.x":                              "line 2: expect wait.x: wait has no result yet: wait for it by `result wait`",
		"event audio within 20ms":                                "line 1: event audio within 20ms: none came in 20ms",
		"print bell\nevent audio sound=glass within 50ms":        "line 2: event audio sound=glass within 50ms: none came in 50ms; the last that did not fit is {\"sound\":\"bell\"}",
		"print bell\nquiet any sound=bell for 5s":                "line 2: quiet any sound=bell for 5s: one came: {\"sound\":\"bell\"}",
		"tool fly within 20ms":                                   "line 1: tool fly within 20ms: the character has it not after 20ms",
		"capability wings within 20ms":                           "line 1: capability wings within 20ms: the character has it not after 20ms",
		"expect it.x":                                            "line 1: expect it.x: there is no it: there is character, tick, tools, world",
		"expect world missing":                                   `line 1: expect world missing: world is "back yard"`,
		"expect world > 3":                                       `line 1: expect world > 3: world is "back yard", and only numbers are less or greater`,
		"expect world.x == 3":                                    `line 1: expect world.x == 3: world has no x: it is "back yard"`,
		"call look\nexpect it.at.2 == 3":                         "line 2: expect it.at.2 == 3: it.at has no 2: it is an array of 2",
		"call look\nexpect it.at.x == 3":                         "line 2: expect it.at.x == 3: it.at has no x: it is an array of 2",
		"call look\nexpect it.light == 4":                        "line 2: expect it.light == 4: it.light is 3",
		"call look\nexpect it.light != 3":                        "line 2: expect it.light != 3: it.light is 3",
		"call look\nexpect it.sees has dog":                      "line 2: expect it.sees has dog: it.sees is [\"a thief with a sack\",\"a cat\"]",
		"let x = null\nexpect x":                                 "line 2: expect x: x is null",
		"let x = [1":                                             "column 9: this [ is not closed",
		"let x = $y":                                             "line 1: let x = $y: column 9: $y: there is no y: there is character, tick, tools, world",
		"let x = {\"a\": b}":                                     "line 1: let x = {\"a\": b}: column 15: ",
		"print ${x}":                                             "line 1: print ${x}: column 7: $x: there is no x: there is character, tick, tools, world",
		"print ${x":                                              "line 1: print ${x: column 7: a } is missing behind ${",
		"call walk_to place=$nowhere":                            "line 1: call walk_to place=$nowhere: column 20: $nowhere: there is no nowhere: there is character, tick, tools, world",
		"call walk_to a=1 a=2":                                   "line 1: call walk_to a=1 a=2: column 20: a is given twice",
		"call walk_to a.b=1 a=2":                                 "line 1: call walk_to a.b=1 a=2: column 22: a is given twice",
		"repeat 3\n  call look\n  expect round < 3\nend":         "line 3: expect round < 3: round is 3",
		"repeat until it.light == 4 within 30ms\ncall look\nend": "rounds and 30ms: it.light is 3",
		"repeat until tick == 99 within 30ms\nend":               "rounds and 30ms: tick is 0",
	} {
		s, err := Parse(text)
		if err != nil { // a mistake that is found before it is played
			require.ErrorContains(t, err, want, text)
			continue
		}
		require.NotNil(t, s)
		p := play(t, text, map[string]func(*game){"bell": func(g *game) { g.Emit(audio, `{"sound":"bell"}`) }})
		require.Contains(t, p.failed(t), want, text)
	}
}

func FuzzParse(f *testing.F) {
	example, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "agents", "guard.aicc"))
	require.NoError(f, err)
	f.Add(string(example))
	for _, line := range strings.Split(string(example), "\n") {
		f.Add(line)
	}
	f.Add("call look {\"a\": [$x.y, \"${z}\"]} as b fails timeout within 3s")
	f.Add("repeat until it.a == {\"x\": 1} within 2s\nrepeat 3\nsleep 2 ticks\nend\nend")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			var of *Error
			require.True(t, errors.As(err, &of))
			require.Positive(t, of.Line)
			require.LessOrEqual(t, of.Line, strings.Count(text, "\n")+1)
			return
		}
		for _, one := range s.steps {
			require.Positive(t, one.line)
		}
	})
}
