package play

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// ErrLines is that a line was wrong, or a call without a good result.
var ErrLines = errors.New("not all went well")

// maxLine bounds a line of the input.
const maxLine = 1 << 20

// Lines plays by lines: reads commands until there are no more, waits for the calls that are open, and leaves.
func Lines(ctx context.Context, o Options) error {
	s, err := join(ctx, o, o.Target)
	if err != nil {
		return err
	}
	defer s.leave()
	p := &printer{o: o, s: s, show: showAll}
	read := make(chan string)
	ended := make(chan error, 1)
	go func() { // not waited for: nothing ends the reading of a terminal
		in := bufio.NewScanner(o.In)
		in.Buffer(nil, maxLine)
		for in.Scan() {
			select {
			case read <- in.Text():
			case <-s.ctx.Done():
				return
			}
		}
		ended <- in.Err()
	}()
	over := false
	for !over || s.openCalls() > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.a.Done():
			p.flush()
			return live.Explain(s.a.Err(), s.target, o.Token)
		case line := <-read:
			if p.line(line) {
				over, read = true, nil
			}
		case err := <-ended:
			if err != nil {
				return fmt.Errorf("the input cannot be read: %w", err)
			}
			over, read = true, nil
		case <-s.more:
		}
		p.flush()
	}
	p.flush()
	if p.bad {
		return ErrLines
	}
	return nil
}

// printer writes entries as lines.
type printer struct {
	o    Options
	s    *session
	show shows
	bad  bool
	told bool // the tools, once
	was  string
}

// line does what one line says; true: leave.
func (p *printer) line(text string) (quit bool) {
	text = strings.TrimSpace(text)
	if text == "" || text[0] == '#' {
		return false
	}
	c, isCommand := readCommand(text)
	switch {
	case !isCommand:
		if err := p.s.do(text); err != nil {
			p.s.put(entry{kind: isFault, text: "not sent: " + err.Error()})
		}
	case c.name == "quit":
		return true
	case c.name == "filter":
		s, err := readShows(c.rest)
		if err != nil {
			p.s.put(entry{kind: isFault, text: err.Error()})
			return false
		}
		p.flush() // what came before it was not filtered
		p.show = s
	case c.name == "pause" || c.name == "clear":
		p.s.put(entry{kind: isFault, text: ":" + c.name + " is for a terminal"})
	case !p.s.common(c):
		p.s.put(entry{kind: isFault, text: noCommand(c)})
	}
	return false
}

func (p *printer) flush() {
	all, lost := p.s.take()
	if lost > 0 {
		all = append(all, entry{kind: isFault, text: fmt.Sprintf("%d events came too fast to be written", lost)})
	}
	for i := range all {
		e := &all[i]
		p.bad = p.bad || e.kind == isFault || e.kind == isResult && (e.err != nil || !e.result.OK)
		if !p.show.entry(e) {
			continue
		}
		if p.o.JSON {
			_, _ = p.o.Out.Write(p.json(e))
		} else {
			p.text(e)
		}
	}
}

func (p *printer) text(e *entry) {
	out := p.o.Out
	switch e.kind {
	case isEvent:
		fmt.Fprintf(out, "event %s %s%s\n", e.topic, live.Line(e.body), tickOf(e.meta))
	case isCall:
		fmt.Fprintf(out, "call %d %s %s\n", e.call, e.tool, live.Line(e.body))
	case isResult:
		switch {
		case e.err != nil:
			fmt.Fprintf(out, "result %d %s: %s\n", e.call, e.tool, live.Clean(e.err.Error()))
		case e.result.OK:
			fmt.Fprintf(out, "result %d %s %s (%s%s)\n", e.call, e.tool, live.Line(e.body), live.Took(e.took), tickOf(e.meta))
		default:
			fmt.Fprintf(out, "result %d %s failed: %s (%s)\n", e.call, e.tool, failure(e), live.Took(e.took))
		}
	case isLink:
		if e.change.Phase != live.Dialling {
			fmt.Fprintf(out, "connection: %s\n", live.Clean(linkText(e)))
		}
	case isTools:
		m := p.s.a.Manifest()
		now := string(message.AppendTools(nil, m.Tools))
		if p.told && now == p.was {
			return
		}
		if !p.told {
			fmt.Fprintf(out, "plays %s\n", p.s.target)
		}
		p.told, p.was = true, now
		fmt.Fprintf(out, "tools: %s\n", strings.Join(ids(m.Tools), ", "))
	default:
		for _, line := range live.Lines(e.text) {
			fmt.Fprintln(out, line)
		}
	}
}

func tickOf(m message.Meta) string {
	if m.NoTick {
		return ""
	}
	return fmt.Sprintf(", tick %d", m.Tick)
}

// failure is what a result that is not good says.
func failure(e *entry) string {
	text := fmt.Sprintf("%s: %s", e.result.Code, strings.Join(live.Lines(e.result.Text), "; "))
	switch {
	case e.result.Meta.RetryAfterMS > 0:
		text += fmt.Sprintf(" (again in %d ms)", e.result.Meta.RetryAfterMS)
	case e.result.Retryable:
		text += " (may be tried again)"
	}
	return text
}

// json is an entry as one line.
func (p *printer) json(e *entry) []byte {
	b := []byte(`{"type":"`)
	text := func(name, s string) {
		b, _ = jsonwire.AppendString(append(append(append(b, `,"`...), name...), `":`...), s)
	}
	switch e.kind {
	case isEvent:
		b = fmt.Appendf(b, `event","topic":"%s","payload":%s`, e.topic, jsonwire.AppendCompact(nil, e.body))
	case isCall:
		b = fmt.Appendf(b, `call","call":%d,"tool":"%s","input":%s`, e.call, e.tool, jsonwire.AppendCompact(nil, e.body))
	case isResult:
		b = fmt.Appendf(b, `result","call":%d,"tool":"%s","ok":%t,"ms":%.3f`, e.call, e.tool, e.err == nil && e.result.OK, float64(e.took)/1e6)
		switch {
		case e.err != nil:
			text("message", e.err.Error())
		case e.result.OK:
			b = append(append(b, `,"output":`...), jsonwire.AppendCompact(nil, e.body)...)
		default:
			text("code", e.result.Code.String())
			text("message", e.result.Text)
			b = fmt.Appendf(b, `,"retryable":%t`, e.result.Retryable)
			if ms := e.result.Meta.RetryAfterMS; ms > 0 {
				b = fmt.Appendf(b, `,"retry_after_ms":%d`, ms)
			}
		}
	case isLink:
		b = fmt.Appendf(b, `connection","state":"%s"`, [...]string{"connecting", "up", "down", "waiting"}[e.change.Phase])
		if e.change.Err != nil {
			text("message", e.change.Err.Error())
		}
		if e.change.Phase == live.Waiting {
			b = fmt.Appendf(b, `,"ms":%d`, e.change.For.Milliseconds())
		}
	case isTools:
		m := p.s.a.Manifest()
		b = append(b, `tools"`...)
		text("world", m.WorldName)
		text("character", p.s.target.Character)
		b = jsonwire.AppendCompact(append(b, `,"tools":`...), message.AppendTools(nil, m.Tools))
	case isNote:
		b = append(b, `note"`...)
		text("message", e.text)
	default:
		b = append(b, `error"`...)
		text("message", e.text)
	}
	if (e.kind == isEvent || e.kind == isResult && e.err == nil) && !e.meta.NoTick {
		b = fmt.Appendf(b, `,"tick":%d`, e.meta.Tick)
	}
	return append(b, '}', '\n')
}
