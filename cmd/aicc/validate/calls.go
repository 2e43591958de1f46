package validate

import (
	"strings"

	"aicc.dev/libaicc/cmd/aicc/provider"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

// played is what a file has said of a session before the message at hand.
type played struct {
	tools map[string]*playedTool
	names []string
	calls map[string]string // call ids to tools
}

type playedTool struct {
	input, output *schema.Schema
}

const mostCalls = 1 << 16 // remembered of a session

// calls holds tool_call and tool_result to the manifest that came before them in their session.
func (c *checker) calls(src []byte, at int) {
	m := &c.decoded
	p := c.sessions[m.SessionID]
	switch m.Type {
	case message.SessionInit:
		c.manifest(m.SessionID, m.Init)
	case message.Heartbeat:
		if m.ManifestUpdate != nil {
			c.manifest(m.SessionID, m.ManifestUpdate)
		}
	case message.ToolCall:
		if p == nil {
			return
		}
		t := p.tools[string(m.Tool)]
		if t == nil {
			c.fault(at+provider.Locate(src, "/tool"), "/tool", "manifest", false, "a tool of the manifest: "+few(p.names), `"`+string(m.Tool)+`"`, "the manifest that came last has no such tool")
			return
		}
		if len(p.calls) < mostCalls {
			p.calls[string(m.CallID)] = string(m.Tool)
		}
		c.against(t.input, src, at, "/input", m.Input, "the tool's input_schema says so: the game will refuse the call")
	case message.ToolResult:
		if p == nil || !m.OK {
			return
		}
		if t := p.tools[p.calls[string(m.CallID)]]; t != nil {
			c.against(t.output, src, at, "/output", m.Output, "the tool's output_schema says so")
		}
	}
}

func (c *checker) against(s *schema.Schema, src []byte, at int, place string, value []byte, fix string) {
	if s == nil || s.Check(&c.check, value) {
		return
	}
	for _, f := range c.check.Faults {
		c.fault(at+provider.Locate(src, place+f.Pointer), place+f.Pointer, "manifest", false, f.Want, f.Got, fix)
	}
	c.report.More += c.check.More
}

func (c *checker) manifest(session message.ID, text []byte) {
	var m message.Manifest
	if message.DecodeManifest(text, &m) != nil {
		return
	}
	p := &played{tools: map[string]*playedTool{}, calls: map[string]string{}}
	if old := c.sessions[session]; old != nil {
		p.calls = old.calls
	}
	for _, t := range m.Tools {
		one := &playedTool{}
		one.input, _ = schema.Compile(t.InputSchema, schema.Options{Role: schema.Input, Strict: t.StrictInput})
		one.output, _ = schema.Compile(t.OutputSchema, schema.Options{Role: schema.Output})
		p.tools[t.ID] = one
		p.names = append(p.names, t.ID)
	}
	if c.sessions == nil {
		c.sessions = map[message.ID]*played{}
	}
	c.sessions[session] = p
}

func few(names []string) string {
	const most = 12
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", ..."
	}
	return strings.Join(names, ", ")
}
