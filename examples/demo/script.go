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
func play(a *agent, patient bool) {
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

	// A character holds what the game has granted it. Until then a tool is in the manifest, so that one can plan for it, and no more.
	a.think("To the bell!")
	needs := bell.RequiresCapability
	if a.err == nil && (needs == "" || a.holds(needs)) {
		a.fail("%s should need a capability that the character does not hold; it needs %q and that is held", bell.ID, needs)
	}
	a.refused(bell, `{}`, message.ToolUnavailable, false)

	// What the schema forbids never reaches the game, and the answer says all that is wrong with it.
	places, fastest := walkLimits(a, walk)
	a.think("Not yet. Then quick, to the cellar!")
	r := a.refused(walk, fmt.Sprintf(`{"place":"cellar","speed":%g}`, fastest*10), message.InvalidInput, false)
	if a.err == nil && (!strings.Contains(r.text, "/place") || !strings.Contains(r.text, "/speed")) {
		a.fail("the refusal names not both /place and /speed: %q", r.text)
	}
	if a.err == nil && !slices.Contains(places, target) {
		a.fail("the noise comes from %q, where one cannot walk", target)
	}
	a.think("There is none. To the %s then, as fast as he can.", target)
	walking := a.start(walk, object("place", target, "speed", fastest))
	var path []mark
	for range 2 {
		step := mark{sign: signStep, says: "where he was heard of"}
		a.hear(message.TopicStateChange, "walking", &struct{ At *[2]float64 }{&step.at})
		path = append(path, step)
	}

	// In the middle of the walk the connection breaks. One result is lost on the way; another comes about while nobody is there to hear of it.
	a.remark("Is there anybody on the way?")
	a.goDark()
	glance := a.start(look, `{}`)
	a.until("a result to be lost", func() bool { return glance.lost != nil })
	a.cutOff()
	a.until("the character to arrive alone", func() bool { return a.did("is at the "+target) > 0 })
	a.think("Here I am again. What did I miss?")
	a.resume()
	a.succeeded(glance, &here)
	var there struct{ Place string }
	a.succeeded(walking, &there)
	a.caughtUp()
	if a.err == nil && there.Place != target {
		a.fail("he walked to %q; it should have been %q", there.Place, target)
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

	// The game has seen him too, and grants what the bell needs.
	a.think("%s!", sentence(strings.Join(here.Sees, ", ")))
	a.until("the capability "+needs, func() bool { return a.holds(needs) })
	a.think("Now I may ring the bell.")
	a.refused(bell, `{}`, message.Timeout, false)
	a.think("Did it ring?")
	a.ask(listen, `{}`, &around)
	if a.err == nil && strings.Contains(fmt.Sprint(around), "bell") {
		a.fail("the bell was heard, although it had timed out")
	}
	a.think("No. Once more!")
	a.ask(bell, `{}`, &struct{}{})

	// One line at a time: who speaks too soon is told when to try again.
	a.think("And now I must talk to him.")
	halt := a.start(say, object("text", "Halt! Put that down."))
	home := a.start(say, object("text", "Now go home."))
	a.limited(home, time.Second)
	a.waitOut(home)
	a.speaks(halt)
	a.again(home)
	a.speaks(home)

	// What he has dropped is a thing to do that was not there before.
	a.think("What has he left?")
	a.until("a tool for what the thief left", func() bool { return a.has(message.Actuator, "sack") })
	var sack struct{ Found []string }
	a.ask(a.tool(message.Actuator, "sack"), `{}`, &sack)
	a.think("%s.", sentence(strings.Join(sack.Found, ", ")))
	never := a.start(say, object("text", "And never come back!"))
	a.limited(never, time.Minute)
	if patient {
		a.waitOut(never)
		a.again(never)
		a.succeeded(never, &heardBy{})
	} else if a.err == nil {
		a.think("In %d s? He is gone by then.", (never.result.meta.RetryAfterMS+999)/1000)
	}

	a.think("Home then, slowly, and good night.")
	last := a.start(walk, object("place", "gate"))
	a.drain(max(a.pace, 50*time.Millisecond)) // he must have started for his stopping to be seen
	a.leave("the night is over")
	a.failedWith(last, message.SessionExpired, false)
}

type heardBy struct {
	HeardBy []string `json:"heard_by"`
}

// speaks waits until a line has been spoken, which somebody must have heard, and for what the thief does then.
func (a *agent) speaks(c *call) {
	var heard heardBy
	a.succeeded(c, &heard)
	if a.err == nil && len(heard.HeardBy) == 0 {
		a.fail("nobody heard the guard")
	}
	var thief struct{ Does string }
	a.hear(message.TopicStateChange, "thief", &thief)
	a.think("He %s.", thief.Does)
}

// limited waits for a refusal because of a limit: it says when to try again, at most so much later.
func (a *agent) limited(c *call, most time.Duration) {
	a.await(c)
	r := a.failedWith(c, message.ToolUnavailable, true)
	if wait := time.Duration(r.meta.RetryAfterMS) * time.Millisecond; a.err == nil && (wait <= 0 || wait > most) {
		a.fail("a limit was met; meta.retry_after_ms is %d and should be from 1 to %d", r.meta.RetryAfterMS, most.Milliseconds())
	}
}

// behaved says whether the character did each thing as often as it was told to, and let go of what he was doing when its call ended without
// him. No message tells that; his own words do.
func behaved(a *agent) error {
	for _, what := range []string{"lets go of the rope", "stops where he is", "hears no more orders", "hears orders again"} {
		if a.did(what) != 1 {
			return fmt.Errorf("the host told %d times that its guard %s; once would be right", a.did(what), what)
		}
	}
	begun := map[string]int{}
	for _, c := range a.calls {
		if c.result.ok || c.result.code == message.Timeout || c.result.code == message.SessionExpired {
			begun[c.tool.ID]++
		}
	}
	for tool, does := range map[string]string{"look": "looks around", "walk_to": "sets out", "ring_bell": "hangs on", "say": "says: ", "open_sack": "opens the sack"} {
		if a.did(does) != begun[tool] {
			return fmt.Errorf("the host told %d times that its guard %s, after %d calls of %s", a.did(does), does, begun[tool], tool)
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
