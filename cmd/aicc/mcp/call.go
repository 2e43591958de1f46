package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/maphash"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

// maxRunning calls of all clients wait for the game at once; it takes 16 at a time.
const maxRunning = 64

// running is a call that waits for its result.
type running struct {
	events chan *agent.Event // that came meanwhile
}

// handler is what a tool does when a client calls it.
func (f *Front) handler(t *tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		input, kindly, err := arguments(req.Params.Arguments, t.strict)
		if err != nil {
			return badInput(err.Error()).result(), nil
		}
		if text := t.complain(input); text != "" {
			return f.failed(t.id, input, badInput(text)), nil
		}
		r := &running{events: make(chan *agent.Event, 16)}
		if !f.enter(r) {
			return (&fault{code: codeBusy, text: fmt.Sprintf("%d calls are waiting for the game", maxRunning), retryable: true, advice: "nothing was done; wait for results, then call again."}).result(), nil
		}
		defer f.exit(r)
		a := f.game.ready(ctx, f.o.Times.Grace)
		s := f.game.now()
		if a == nil || s.over != nil {
			return unreachable(&s).result(), nil
		}
		c, err := a.Start(t.id, input)
		if err != nil {
			s = f.game.now()
			return unreachable(&s).result(), nil
		}
		if x := f.wait(ctx, req, r, c); x != nil {
			return f.failed(t.id, input, x), nil
		}
		result, _ := c.Wait(context.Background())
		f.worked(t.id, input)
		return success(&result, kindly), nil
	}
}

// complain holds an input against the tool's schema, as the game will: what it would refuse need not be sent.
func (t *tool) complain(input []byte) string {
	if t.input == nil {
		return ""
	}
	var c schema.Checker
	if t.input.Check(&c, input) {
		return ""
	}
	return "the arguments do not fit the tool's input schema:\n" + c.Message()
}

func (f *Front) enter(r *running) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.running) >= maxRunning {
		return false
	}
	f.running[r] = struct{}{}
	return true
}

func (f *Front) exit(r *running) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.running, r)
}

// listen takes the game's events as long as the agent lives.
func (f *Front) listen(ctx context.Context, a *agent.Agent) {
	f.tasks.Go(func() {
		for {
			e, err := a.Event(ctx)
			if err != nil {
				return
			}
			f.feed.add(&e)
			f.attribute(&e)
		}
	})
}

// attribute gives an event to the call that is likely to have caused it. aicc/0.1 does not say which call did; where only one is open, it is that one
// or none. Ticks come by themselves.
func (f *Front) attribute(e *agent.Event) {
	if e.Topic == message.TopicTick {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.running) != 1 {
		return
	}
	for r := range f.running {
		select {
		case r.events <- e:
		default:
		}
	}
}

// wait waits for a call's result, nil when it has a good one, and tells its client of progress where that asked for it.
func (f *Front) wait(ctx context.Context, req *sdk.CallToolRequest, r *running, c *agent.Call) *fault {
	p := progress{req: req, token: req.Params.GetProgressToken(), began: time.Now()}
	alive := time.NewTicker(f.o.Times.Alive)
	defer alive.Stop()
	lost := time.NewTimer(time.Hour)
	defer lost.Stop()
	for {
		s := f.game.now()
		if lost.Stop(); !s.up {
			lost.Reset(time.Until(s.since.Add(f.o.Times.Lost)))
		}
		select {
		case <-c.Done():
			return outcome(c)
		case e := <-r.events:
			p.event(ctx, e)
		case <-p.due:
			p.flush(ctx)
		case <-alive.C:
			p.say(ctx, fmt.Sprintf("the game has it since %d s", int(time.Since(p.began).Seconds())))
		case <-s.changed:
		case <-lost.C:
			return f.abandon(c, "the game is not reachable since the call was sent, it is tried again")
		case <-ctx.Done():
			x := f.abandon(c, "the client has cancelled the call, which the game does not stop for that")
			if x.code != codeUnknown {
				x.code = codeCancelled
			}
			return x
		case <-f.ctx.Done():
			return f.abandon(c, "this MCP server is being ended")
		}
	}
}

// outcome is what a call that has ended is to its client.
func outcome(c *agent.Call) *fault {
	r, err := c.Wait(context.Background())
	switch {
	case err == nil && r.OK:
		return nil
	case err == nil:
		return refusedBy(&r)
	case errors.Is(err, agent.ErrNotRun):
		return notRun("the connection to the game was lost before the call was sent")
	}
	return &fault{code: codeUnknown, text: "the game's session ended while the call was open: it may have been done, or not", advice: adviceLook}
}

const adviceLook = "look at what has happened before you call again."

func notRun(text string) *fault {
	return &fault{code: codeUnreachable, text: text + "; nothing was done", retryable: true, advice: "call again if it is still what you want."}
}

// abandon leaves a call. Where it was sent its outcome goes to the feed when it comes: aicc/0.1 cannot take a call back.
func (f *Front) abandon(c *agent.Call, why string) *fault {
	if c.Leave() {
		return notRun(why)
	}
	if f.ctx.Err() != nil {
		return &fault{code: codeUnknown, text: why + ": it may be done, or not", advice: adviceLook}
	}
	f.tasks.Go(func() {
		select {
		case <-c.Done():
			f.feed.note("late_result", late(c))
		case <-f.ctx.Done():
		}
	})
	return &fault{code: codeUnknown, text: why + ": it may be done, or not",
		advice: adviceLook + " If the result still comes, " + waitName + " brings it under the topic late_result."}
}

func late(c *agent.Call) string {
	r, err := c.Wait(context.Background())
	b, _ := jsonwire.AppendString([]byte(`{"tool":`), c.Tool)
	b = append(append(b, `,"input":`...), jsonwire.AppendCompact(nil, c.Input)...)
	switch {
	case err == nil && r.OK:
		b = append(append(b, `,"ok":true,"output":`...), jsonwire.AppendCompact(nil, r.Output)...)
	case err == nil:
		b, _ = jsonwire.AppendString(append(b, `,"ok":false,"error":`...), r.Code.String()+": "+r.Text)
	default:
		b, _ = jsonwire.AppendString(append(b, `,"ok":false,"error":`...), err.Error())
	}
	return string(append(b, '}'))
}

// success is the result of a call that was done.
func success(r *agent.Result, kindly bool) *sdk.CallToolResult {
	jsonwire.MendSurrogates(r.Output)
	about := map[string]any{}
	if !r.Meta.NoTick {
		about["tick"] = r.Meta.Tick
	}
	if r.Meta.LatencyMS >= 0 {
		about["latency_ms"] = r.Meta.LatencyMS
	}
	if len(r.Meta.Repaired) > 0 {
		about["repaired"] = r.Meta.Repaired
	}
	content := []sdk.Content{&sdk.TextContent{Text: string(r.Output)}}
	if kindly {
		content = append(content, &sdk.TextContent{Text: "Note: the arguments came as text; send a JSON object."})
	} else if len(r.Meta.Repaired) > 0 {
		content = append(content, &sdk.TextContent{Text: "Note: repaired in the arguments: " + strings.Join(r.Meta.Repaired, ", ") + ". Send the types that the input schema asks for."})
	}
	return &sdk.CallToolResult{Content: content, StructuredContent: json.RawMessage(r.Output), Meta: sdk.Meta{metaResult: about}}
}

// progress tells a client that asked for it how its call goes on.
type progress struct {
	req   *sdk.CallToolRequest
	token any
	began time.Time
	said  float64
	last  time.Time // an event was told
	text  string    // of the newest that was not
	due   <-chan time.Time
}

// Bounds on what is told: the feed has all.
const (
	progressEvery = 200 * time.Millisecond
	progressBytes = 400
)

func (p *progress) event(ctx context.Context, e *agent.Event) {
	if p.token == nil {
		return
	}
	p.text = e.Topic.String() + " " + string(jsonwire.AppendCompact(nil, e.Payload))
	if len(p.text) > progressBytes {
		p.text = strings.ToValidUTF8(p.text[:progressBytes], "") + "..."
	}
	if wait := progressEvery - time.Since(p.last); wait <= 0 {
		p.flush(ctx)
	} else if p.due == nil {
		p.due = time.After(wait)
	}
}

func (p *progress) flush(ctx context.Context) {
	p.last, p.due = time.Now(), nil
	p.say(ctx, p.text)
}

func (p *progress) say(ctx context.Context, text string) {
	if p.token == nil {
		return
	}
	p.said++
	_ = p.req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: p.token, Progress: p.said, Message: text})
}

// failing counts how often one and the same call has failed since another did.
type failing struct {
	mu    sync.Mutex
	what  uint64
	times int
}

var seed = maphash.MakeSeed()

func fingerprint(tool string, input []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	_, _ = h.WriteString(tool + "\x00")
	sum := jsonwire.Hash(input)
	_, _ = h.Write(sum[:])
	return h.Sum64()
}

// failed is a fault as a result, with a word for a model that goes on and on.
func (f *Front) failed(tool string, input []byte, x *fault) *sdk.CallToolResult {
	what := fingerprint(tool, input)
	n := &f.failing
	n.mu.Lock()
	if n.what != what {
		n.what, n.times = what, 0
	}
	n.times++
	times := n.times
	n.mu.Unlock()
	if times >= 3 && !x.retryable {
		x.advice = fmt.Sprintf("this same call has now failed %d times: stop repeating it. ", times) + x.advice
	}
	return x.result()
}

func (f *Front) worked(tool string, input []byte) {
	what := fingerprint(tool, input)
	f.failing.mu.Lock()
	defer f.failing.mu.Unlock()
	if f.failing.what == what {
		f.failing.what, f.failing.times = 0, 0
	}
}
