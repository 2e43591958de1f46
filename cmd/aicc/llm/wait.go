package llm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// What ends a waiting.
const (
	wokenByTime   = "time"
	wokenByEvent  = "event"
	wokenByTools  = "a change of the game or of the tools"
	wokenByCalls  = "the other calls have ended"
	wokenByTheEnd = "the end"
)

// pause waits until something is new, at most so long.
func (p *Player) pause(ctx context.Context, d time.Duration, ticks bool) string {
	t := time.NewTimer(d)
	defer t.Stop()
	up := p.isUp()
	for {
		if p.box.news(ticks) {
			p.settle(ctx)
			return wokenByEvent
		}
		select {
		case <-p.box.wake:
		case <-p.changed:
			if p.isUp() != up {
				return wokenByTools
			}
			if up && p.refresh() {
				return wokenByTools
			}
		case <-t.C:
			return wokenByTime
		case <-ctx.Done():
			return wokenByTheEnd
		case <-p.a.Done():
			return wokenByTheEnd
		}
	}
}

// await waits until the game is there.
func (p *Player) await(ctx context.Context) {
	for !p.isUp() {
		select {
		case <-p.changed:
		case <-ctx.Done():
			return
		case <-p.a.Done():
			return
		}
	}
}

// settle waits a moment: what happens in a game seldom comes alone, and a turn for each of it would be dear.
func (p *Player) settle(ctx context.Context) {
	t := time.NewTimer(p.settling)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

const settling = 50 * time.Millisecond

// refresh takes the manifest as it is now. True: there is something that the model should know.
func (p *Player) refresh() bool {
	changed := false
	if id := p.a.Session(); !id.IsZero() && id != p.session {
		if !p.session.IsZero() {
			p.notes = append(p.notes, "The game has begun anew for your character: what you knew may be wrong, so look around first.")
			changed = true
		}
		p.session = id
	}
	man := p.a.Manifest()
	if man == nil || p.tools != nil && p.tools.man == man {
		return changed
	}
	old := p.tools
	p.tools = newToolbox(man)
	for _, l := range p.tools.list.Losses {
		if old == nil && l.Tool == "" {
			p.o.Log.note(Note{Do: "note", Text: l.String()})
		}
	}
	if old == nil || string(old.list.JSON()) == string(p.tools.list.JSON()) {
		return changed
	}
	clear(p.repeats)
	text := "Your tools have changed" + difference(old.names, p.tools.names)
	p.notes = append(p.notes, text+".")
	p.o.Log.note(Note{Do: "tools", Text: text})
	return true
}

// difference says in words which names came and which went.
func difference(old, now []string) string {
	var parts []string
	only := func(a, b []string, word string) {
		var names []string
		for _, n := range a {
			if !slices.Contains(b, n) {
				names = append(names, n)
			}
		}
		if len(names) > 0 {
			parts = append(parts, fmt.Sprintf("%s: %s", word, strings.Join(names, ", ")))
		}
	}
	only(now, old, "new")
	only(old, now, "gone")
	if len(parts) == 0 {
		return ": read their descriptions again, for what may be used now and how"
	}
	return "; " + strings.Join(parts, "; ")
}
