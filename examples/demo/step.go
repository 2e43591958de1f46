package main

import "time"

// Whoever waits here takes what comes, one thing at a time.

// until waits for a condition.
func (p *player) until(what string, is func() bool) {
	end := time.Now().Add(p.patience)
	for p.err == nil && !is() {
		p.step(what, time.Until(end))
	}
}

// step takes the next thing that passes, or shows the next thing that the character does.
func (p *player) step(what string, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case text, open := <-p.told:
		if p.tell(text, open); !open {
			p.fail("the host closed its end while the agent waited for %s", what)
		}
	case n := <-p.tap.host:
		p.settle()
		p.takeFromHost(n, what)
	case n := <-p.tap.own:
		p.takeFromAgent(n)
	case j := <-p.joined:
		p.join(j)
	case <-timer.C:
		p.fail("the agent waited in vain for %s", what)
	}
}

// own waits for what the agent does by itself; what the host does meanwhile comes after it.
func (p *player) own(what string, is func() bool) { p.exchange(what, nil, is) }

// exchange waits for what passes, and leaves what the character does for later.
func (p *player) exchange(what string, host <-chan passing, is func() bool) {
	timer := time.NewTimer(p.patience)
	defer timer.Stop()
	for p.err == nil && !is() {
		select {
		case n := <-host:
			p.takeFromHost(n, what)
		case n := <-p.tap.own:
			p.takeFromAgent(n)
		case <-timer.C:
			p.fail("it was waited in vain for %s", what)
		}
	}
}

// drain shows and takes whatever comes in a time.
func (p *player) drain(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for p.err == nil {
		select {
		case text, open := <-p.told:
			if p.tell(text, open); !open {
				p.fail("the host closed its end while the agent was thinking")
			}
		case n := <-p.tap.host:
			p.settle()
			p.takeFromHost(n, "its own next thought")
		case n := <-p.tap.own:
			p.takeFromAgent(n)
		case <-timer.C:
			return
		}
	}
}

// settle lets what was told before a message be shown before it: two pipes have no order between them.
func (p *player) settle() {
	timer := time.NewTimer(10 * time.Millisecond)
	defer timer.Stop()
	for p.told != nil {
		select {
		case text, open := <-p.told:
			p.tell(text, open)
		case <-timer.C:
			return
		}
	}
}

func (p *player) tell(text string, open bool) {
	if !open {
		p.told = nil
		return
	}
	p.character = append(p.character, text)
	p.show.did(text)
}
