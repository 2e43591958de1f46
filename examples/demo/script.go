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
func play(p *player, patient bool) {
	p.begin()
	var (
		look   = p.tool(message.Sensor, "sees")
		listen = p.tool(message.Sensor, "hears")
		walk   = p.tool(message.Actuator, "walk")
		light  = p.tool(message.Actuator, "lantern")
		bell   = p.tool(message.Actuator, "bell")
		say    = p.tool(message.Generator, "speak")
	)

	p.think("Where am I?")
	var here view
	p.ask(look, `{}`, &here)

	var noise struct{ Sound string }
	p.hear(message.TopicAudio, "", &noise)
	p.think("%s! From where?", sentence(noise.Sound))
	var around sounds
	p.ask(listen, `{}`, &around)
	if len(around.Sounds) == 0 {
		p.fail("the guard heard nothing, although an event had told of %q", noise.Sound)
		return
	}
	target := around.Sounds[0].From
	p.draw(here, mark{signNoise, noise.Sound, here.Map[target]})

	// A character holds what the game has granted it. Until then a tool is in the manifest, so that one can plan for it, and no more.
	p.think("To the bell!")
	needs := bell.RequiresCapability
	if p.err == nil && (needs == "" || p.holds(needs)) {
		p.fail("%s should need a capability that the character does not hold; it needs %q and that is held", bell.ID, needs)
	}
	p.refused(bell, `{}`, message.ToolUnavailable, false)

	// What the schema forbids never reaches the game, and the answer says all that is wrong with it.
	places, fastest := walkLimits(p, walk)
	p.think("Not yet. Then quick, to the cellar!")
	r := p.refused(walk, fmt.Sprintf(`{"place":"cellar","speed":%g}`, fastest*10), message.InvalidInput, false)
	if p.err == nil && (!strings.Contains(r.Text, "/place") || !strings.Contains(r.Text, "/speed")) {
		p.fail("the refusal names not both /place and /speed: %q", r.Text)
	}
	if p.err == nil && !slices.Contains(places, target) {
		p.fail("the noise comes from %q, where one cannot walk", target)
	}
	p.think("There is none. To the %s then, as fast as he can.", target)
	walking := p.start(walk, object("place", target, "speed", fastest))
	var path []mark
	for range 2 {
		step := mark{sign: signStep, says: "where he was heard of"}
		p.hear(message.TopicStateChange, "walking", &struct{ At *[2]float64 }{&step.at})
		path = append(path, step)
	}

	// In the middle of the walk the connection breaks. One result is lost on the way; another comes about while nobody is there to hear of it.
	p.remark("Is there anybody on the way?")
	p.goDark()
	glance := p.start(look, `{}`)
	p.until("a result to be lost", func() bool { return glance.lost != nil })
	p.cutOff()
	p.until("the character to arrive alone", func() bool { return p.did("is at the "+target) > 0 })
	p.think("Not a word from him. What becomes of him?")
	p.mend()
	p.succeeded(glance, &here)
	var there struct{ Place string }
	p.succeeded(walking, &there)
	p.caughtUp()
	if p.err == nil && there.Place != target {
		p.fail("he walked to %q; it should have been %q", there.Place, target)
	}

	p.think("What is here?")
	p.ask(look, `{}`, &here)
	if p.err == nil && here.Light == 0 {
		p.think("Nothing to be seen. A light!")
		p.ask(light, `{}`, &struct{}{})
		p.ask(look, `{}`, &here)
	}
	if p.err == nil && len(here.Sees) == 0 {
		p.fail("the guard sees nobody, even with a light")
	}
	p.draw(here, append(path, mark{signThief, strings.Join(here.Sees, ", "), here.Map[target]})...)

	// The game has seen him too, and grants what the bell needs.
	p.think("%s!", sentence(strings.Join(here.Sees, ", ")))
	p.until("the capability "+needs, func() bool { return p.holds(needs) })
	p.think("Now I may ring the bell.")
	p.refused(bell, `{}`, message.Timeout, false)
	p.think("Did it ring?")
	p.ask(listen, `{}`, &around)
	if p.err == nil && strings.Contains(fmt.Sprint(around), "bell") {
		p.fail("the bell was heard, although it had timed out")
	}
	p.think("No. Once more!")
	p.ask(bell, `{}`, &struct{}{})

	// One line at a time: who speaks too soon is told when to try again.
	p.think("And now I must talk to him.")
	halt := p.start(say, object("text", "Halt! Put that down."))
	home := p.start(say, object("text", "Now go home."))
	p.limited(home, time.Second)
	p.waitOut(home)
	p.speaks(halt)
	p.speaks(p.again(home))

	// What he has dropped is a thing to do that was not there before.
	p.think("What has he left?")
	p.until("a tool for what the thief left", func() bool { return p.has(message.Actuator, "sack") })
	var sack struct{ Found []string }
	p.ask(p.tool(message.Actuator, "sack"), `{}`, &sack)
	p.think("%s.", sentence(strings.Join(sack.Found, ", ")))
	never := p.start(say, object("text", "And never come back!"))
	p.limited(never, time.Minute)
	if patient {
		p.waitOut(never)
		p.succeeded(p.again(never), &heardBy{})
	} else if p.err == nil {
		p.think("In %d s? He is gone by then.", (never.result.Meta.RetryAfterMS+999)/1000)
	}

	p.think("Home then, slowly, and good night.")
	last := p.start(walk, object("place", "gate"))
	p.drain(max(p.pace, 50*time.Millisecond)) // he must have started for his stopping to be seen
	p.leave("the night is over")
	p.until("the character to stop", func() bool { return p.did("stops where he is") > 0 })
	p.failedWith(last, message.SessionExpired, false)
}

type heardBy struct {
	HeardBy []string `json:"heard_by"`
}

// speaks waits until a line has been spoken, which somebody must have heard, and for what the thief does then.
func (p *player) speaks(c *call) {
	var heard heardBy
	p.succeeded(c, &heard)
	if p.err == nil && len(heard.HeardBy) == 0 {
		p.fail("nobody heard the guard")
	}
	var thief struct{ Does string }
	p.hear(message.TopicStateChange, "thief", &thief)
	p.think("He %s.", thief.Does)
}

// limited waits for a refusal because of a limit: it says when to try again, at most so much later.
func (p *player) limited(c *call, most time.Duration) {
	p.await(c)
	r := p.failedWith(c, message.ToolUnavailable, true)
	if wait := time.Duration(r.Meta.RetryAfterMS) * time.Millisecond; p.err == nil && (wait <= 0 || wait > most) {
		p.fail("a limit was met; meta.retry_after_ms is %d and should be from 1 to %d", r.Meta.RetryAfterMS, most.Milliseconds())
	}
}

// behaved says whether the character did each thing as often as it was told to, and let go of what he was doing when its call ended without
// him. No message tells that; his own words do.
func behaved(p *player) error {
	for _, what := range []string{"lets go of the rope", "stops where he is", "hears no more orders", "hears orders again"} {
		if p.did(what) != 1 {
			return fmt.Errorf("the host told %d times that its guard %s; once would be right", p.did(what), what)
		}
	}
	begun := map[string]int{}
	for _, c := range p.calls {
		if c.result.OK || c.result.Code == message.Timeout || c.result.Code == message.SessionExpired {
			begun[c.tool.ID]++
		}
	}
	for tool, does := range map[string]string{"look": "looks around", "walk_to": "sets out", "ring_bell": "hangs on", "say": "says: ", "open_sack": "opens the sack"} {
		if p.did(does) != begun[tool] {
			return fmt.Errorf("the host told %d times that its guard %s, after %d calls of %s", p.did(does), does, begun[tool], tool)
		}
	}
	return nil
}

// walkLimits reads from the schema of a tool where and how fast one can walk.
func walkLimits(p *player, walk *message.Tool) (places []string, fastest float64) {
	var schema struct {
		Properties struct {
			Place struct{ Enum []string }
			Speed struct{ Maximum float64 }
		}
	}
	if p.err == nil {
		if err := json.Unmarshal(walk.InputSchema, &schema); err != nil || len(schema.Properties.Place.Enum) == 0 || schema.Properties.Speed.Maximum <= 0 {
			p.fail("the input schema of %s gives no places and no greatest speed: %s", walk.ID, walk.InputSchema)
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
