package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"aicc.dev/libaicc/core/message"
)

// view is what the sensor that sees gives.
type view struct {
	At    [2]float64
	Light float64 // metres that it reaches, 0: it is dark
	Sees  []string
	Map   map[string][2]float64
}

// sounds is what the sensor that hears gives.
type sounds struct {
	Sounds []struct{ What, From string }
}

// play is the script: a guard who hears a thief. Where he must go, how fast he can, what he must not do: all that is read from messages.
func play(a *agent) {
	a.begin()
	var (
		look   = a.tool(message.Sensor, "sees")
		listen = a.tool(message.Sensor, "hears")
		walk   = a.tool(message.Actuator, "walk")
		light  = a.tool(message.Actuator, "lantern")
		bell   = a.tool(message.Actuator, "bell")
		say    = a.tool(message.Generator, "speak")
	)

	a.think("Where am I?")
	var here view
	a.ask(look, `{}`, &here)

	var noise struct{ Sound string }
	a.hear(message.TopicAudio, "", &noise)
	a.think("%s! From where?", sentence(noise.Sound))
	var around sounds
	a.ask(listen, `{}`, &around)
	if len(around.Sounds) == 0 {
		a.fail("the guard heard nothing, although an event had told of %q", noise.Sound)
		return
	}
	target := around.Sounds[0].From
	a.draw(here, mark{signNoise, noise.Sound, here.Map[target]})

	// What the schema forbids never reaches the game, and the answer says all that is wrong with it.
	places, fastest := walkLimits(a, walk)
	a.think("Quick, to the cellar!")
	r := a.refused(walk, fmt.Sprintf(`{"place":"cellar","speed":%g}`, fastest*10), message.InvalidInput, false)
	if a.err == nil && (!strings.Contains(r.text, "/place") || !strings.Contains(r.text, "/speed")) {
		a.fail("the refusal names not both /place and /speed: %q", r.text)
	}
	if a.err == nil && !slices.Contains(places, target) {
		a.fail("the noise comes from %q, where one cannot walk", target)
	}
	a.think("There is none. To the %s then, as fast as he can.", target)
	var there struct{ Place string }
	before := len(a.events)
	a.ask(walk, object("place", target, "speed", fastest), &there)
	path := a.pathSince(before)
	if a.err == nil && there.Place != target {
		a.fail("he walked to %q; it should have been %q", there.Place, target)
	}
	if a.err == nil && len(path) == 0 {
		a.fail("the walk did not report on the way")
	}

	a.think("What is here?")
	a.ask(look, `{}`, &here)
	if a.err == nil && here.Light == 0 {
		a.think("Nothing to be seen. A light!")
		a.ask(light, `{}`, &struct{}{})
		a.ask(look, `{}`, &here)
	}
	if a.err == nil && len(here.Sees) == 0 {
		a.fail("the guard sees nobody, even with a light")
	}
	a.draw(here, append(path, mark{signThief, strings.Join(here.Sees, ", "), here.Map[target]})...)

	a.think("%s! Ring the bell!", sentence(strings.Join(here.Sees, ", ")))
	a.refused(bell, `{}`, message.Timeout, false)

	a.think("It does not ring. I must talk to him.")
	var heard struct {
		HeardBy []string `json:"heard_by"`
	}
	var thief struct{ Does string }
	for _, line := range []string{"Halt! Put that down.", "Now go home."} {
		a.ask(say, object("text", line), &heard)
		if a.err == nil && len(heard.HeardBy) == 0 {
			a.fail("nobody heard the guard")
		}
		a.hear(message.TopicStateChange, "thief", &thief)
		a.think("He %s.", thief.Does)
	}
	r = a.refused(say, object("text", "And never come back!"), message.ToolUnavailable, true)
	if a.err == nil && (r.meta.RetryAfterMS <= 0 || r.meta.RetryAfterMS > 60_000) {
		a.fail("a limit of calls a minute was met; meta.retry_after_ms is %d", r.meta.RetryAfterMS)
	}

	a.think("Out of breath. Home, slowly, and good night.")
	last := a.start(walk, object("place", "gate"))
	a.drain(max(a.pace, 50*time.Millisecond)) // he must have started for his stopping to be seen
	a.leave("the night is over")
	a.failedWith(last, message.SessionExpired, false)
}

// stopped says whether the character let go of what he was doing when its call ended without him. No message tells that; his own words do.
func stopped(a *agent) error {
	for _, what := range []string{"lets go of the rope", "stops where he is"} {
		if !a.did(what) {
			return fmt.Errorf("the host never told that its guard %s", what)
		}
	}
	return nil
}

// walkLimits reads from the schema of a tool where and how fast one can walk.
func walkLimits(a *agent, walk *message.Tool) (places []string, fastest float64) {
	var schema struct {
		Properties struct {
			Place struct{ Enum []string }
			Speed struct{ Maximum float64 }
		}
	}
	if a.err == nil {
		if err := json.Unmarshal(walk.InputSchema, &schema); err != nil || len(schema.Properties.Place.Enum) == 0 || schema.Properties.Speed.Maximum <= 0 {
			a.fail("the input schema of %s gives no places and no greatest speed: %s", walk.ID, walk.InputSchema)
		}
	}
	return schema.Properties.Place.Enum, schema.Properties.Speed.Maximum
}

// pathSince reads where he was on his way from the events that came since there were so many.
func (a *agent) pathSince(from int) (path []mark) {
	for _, e := range a.events[min(from, len(a.events)):] {
		var step struct{ At *[2]float64 }
		if json.Unmarshal(e.payload, &step) == nil && e.kind == "walking" && step.At != nil {
			path = append(path, mark{signStep, "the way he came", *step.At})
		}
	}
	return path
}

// object is a small JSON object.
func object(pairs ...any) string {
	members := make([]string, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		value, err := json.Marshal(pairs[i+1])
		if err != nil {
			value = []byte("null")
		}
		members = append(members, fmt.Sprintf("%q:%s", pairs[i], value))
	}
	return "{" + strings.Join(members, ",") + "}"
}

// sentence starts with a capital letter.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
