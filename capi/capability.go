package main

/*
#include "core.h"

#cgo noescape aicc_core_secret
#cgo nocallback aicc_core_secret
*/
import "C"

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unsafe"

	"aicc.dev/libaicc/core/bridge"
	"aicc.dev/libaicc/core/capability"
	"aicc.dev/libaicc/core/jsonwire"
)

// publication is what is to be published, and how. It shares nothing with the bridge.
type publication struct {
	world     string
	tools     []bridge.Published
	options   capability.Options
	event     bool
	createdAt int64
	tags      [][]string // of the event
}

// capabilities answers a RecCapabilities. What takes its time runs beside the bridge.
func (a *actor) capabilities(r *bridge.Record) {
	f, ok := bridge.ParseFields(r.Data)
	if a.bridge == nil || a.broken || !ok {
		a.refuse(r)
		return
	}
	p := publication{event: f.Int(bridge.CapabilityIntEvent) != 0, createdAt: f.Int(bridge.CapabilityIntCreatedAt)}
	if p.world, p.tools, ok = a.bridge.Published(r.Session); !ok {
		a.host.Reply(r.Arg, &bridge.Failure{Status: bridge.StatusState, Field: "session", Message: "the session was closed: publish those that are open"})
		return
	}
	p.options = capability.Options{World: p.world, Prefix: string(f.Str(0)), Version: string(f.Str(1))}
	tags := 2 + int(f.Int(bridge.CapabilityIntTags))
	for i := 2; i < tags; i++ {
		p.options.Tags = append(p.options.Tags, string(f.Str(i)))
	}
	for i := tags; i+1 < f.Strs(); i += 2 {
		p.tags = append(p.tags, []string{string(f.Str(i)), string(f.Str(i + 1))})
	}
	waiter, note := r.Arg, noter{host: a.host.slot, session: r.Session}
	go reply(waiter, func() ([]byte, *bridge.Failure) { return p.make(waiter, note) })
}

// noter writes what a translation has to say to the log.
type noter struct {
	host    C.uint32_t
	session uint32
}

func (n noter) log(level bridge.Level, line string) {
	p, size := textOf("capabilities: " + line)
	C.aicc_core_log(C.int32_t(level), n.host, C.uint32_t(n.session), 0, p, size)
}

// notes tells of losses, and in passing of what is none.
func (n noter) notes(list []capability.Note) {
	for _, one := range list {
		level := bridge.Debug
		switch one.Kind {
		case capability.Loss, capability.Weaker, capability.Collision:
			level = bridge.Warn
		case capability.Passed:
			level = bridge.Info
		}
		n.log(level, one.String())
	}
}

// make gives a byte, '1' when a tool was left out, and the text.
func (p *publication) make(waiter uint64, n noter) ([]byte, *bridge.Failure) {
	if failure := checkOptions(&p.options); failure != nil {
		return nil, failure
	}
	tools, failure := p.read()
	if failure != nil {
		return nil, failure
	}
	docs, notes, err := capability.Export(tools, p.options)
	n.notes(notes)
	out := []byte{'0'}
	if err != nil {
		out[0] = '1'
		for _, line := range strings.Split(err.Error(), "\n") {
			n.log(bridge.Warn, "left out: "+line)
		}
	}
	if !p.event {
		out = append(out, '[')
		for i, d := range docs {
			if i > 0 {
				out = append(out, ',')
			}
			out = d.Append(out)
		}
		return append(out, ']'), nil
	}
	return p.sign(out, docs, waiter)
}

// read makes of the tools what Export takes. They were checked when they were registered, so what is wrong here is a fault of this library.
func (p *publication) read() ([]capability.Tool, *bridge.Failure) {
	list := []byte{'['}
	for i, t := range p.tools {
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, t.JSON...)
	}
	_, tools, err := capability.ReadTools(append(list, ']'))
	for i := 0; i < len(tools) && err == nil; i++ {
		from, t := &p.tools[i], &tools[i]
		t.MaxInputBytes, t.MaxOutputBytes, t.MaxConcurrent, t.Latency = from.MaxInputBytes, from.MaxOutputBytes, from.MaxConcurrent, from.Latency
		if from.Origin != nil {
			t.Origin, _, err = capability.Decode(from.Origin, capability.Lenient)
		}
	}
	if err != nil {
		return nil, &bridge.Failure{Status: bridge.StatusInternal, Message: "the tools cannot be read: " + err.Error()}
	}
	return tools, nil
}

// sign makes the event. The seed comes from the one who waits, at the last moment, and is overwritten here at once.
func (p *publication) sign(out []byte, docs []*capability.Document, waiter uint64) ([]byte, *bridge.Failure) {
	if p.createdAt < 0 {
		p.createdAt = time.Now().Unix()
	}
	e, err := capability.BuildEvent(docs, p.tags, p.createdAt)
	if err != nil {
		return nil, eventFailure(err, statusRange)
	}
	var seed [ed25519.SeedSize]byte
	if C.aicc_core_secret(C.uint64_t(waiter), unsafe.Pointer(&seed)) == 0 {
		return nil, &bridge.Failure{Status: bridge.StatusInternal, Message: "nobody waits for the event any more"}
	}
	key := ed25519.NewKeyFromSeed(seed[:])
	clear(seed[:])
	err = e.Sign(key)
	clear(key)
	if err != nil {
		return nil, eventFailure(err, bridge.StatusInternal)
	}
	return e.Append(out), nil
}

// checkOptions holds what all documents are to have in common against the schema, so that it is said once and not of each tool.
func checkOptions(o *capability.Options) *bridge.Failure {
	d := capability.Document{Name: "x.a", Version: "1.0", Tags: append([]string{"aicc", "generator"}, o.Tags...)}
	if o.Prefix != "" {
		d.Name = o.Prefix + ".a"
	}
	if o.Version != "" {
		d.Version = o.Version
	}
	v := capability.Validate(d.Append(nil), capability.Strict)
	for _, f := range v.Faults {
		field := "tags"
		if f.Pointer == "/name" {
			field = "prefix"
		} else if f.Pointer == "/version" {
			field = "version"
		}
		return &bridge.Failure{Status: bridge.StatusArg, Field: field, Message: wanted(f)}
	}
	return nil
}

func wanted(f capability.Fault) string { return "wanted " + f.Want + "; got " + f.Got }

const statusRange bridge.Status = C.AICC_E_RANGE

func eventFailure(err error, status bridge.Status) *bridge.Failure {
	var e *capability.EventError
	if errors.As(err, &e) {
		return &bridge.Failure{Status: status, Pointer: e.Pointer, Message: e.Error()}
	}
	failure := documentFailure(err, "")
	failure.Field = ""
	return failure
}

// documentFailure is the first thing that a text was refused for, and how many others there are.
func documentFailure(err error, at string) *bridge.Failure {
	var e *capability.Error
	if !errors.As(err, &e) || len(e.Faults) == 0 {
		return &bridge.Failure{Status: bridge.StatusInternal, Message: err.Error()}
	}
	f := e.Faults[0]
	out := &bridge.Failure{Status: bridge.StatusSchema, Field: "text", Pointer: at + f.Pointer, Message: wanted(f)}
	if more := len(e.Faults) - 1 + e.More; more > 0 {
		out.Message += fmt.Sprintf(" (and %d more)", more)
	}
	return out
}

// documents finds what a text publishes. An event's id and signature are verified first.
func documents(text []byte) ([]capability.Part, *bridge.Failure) {
	var scan jsonwire.Scanner
	info, bad := scan.Check(text)
	if bad != nil {
		return nil, &bridge.Failure{Status: bridge.StatusJSON, Field: "text", Offset: bad.Offset, Pointer: bad.Pointer, Message: bad.Error()}
	}
	if info.Kind == jsonwire.Object {
		if v, ok := jsonwire.Lookup(text[info.Start:info.End], "content"); ok && jsonwire.KindOf(v) == jsonwire.String {
			e, err := capability.VerifyEvent(text)
			if err == nil {
				_, _, err = e.Documents(capability.Lenient)
			}
			var of *capability.Error
			if err != nil && !errors.As(err, &of) { // what its documents are worth is said where each is looked at
				return nil, eventFailure(err, bridge.StatusSchema)
			}
		}
	}
	parts, err := capability.Split(text)
	if err != nil {
		return nil, documentFailure(err, "")
	}
	return parts, nil
}

func strictness(f bridge.Fields) capability.Strictness {
	if f.Int(0) != 0 {
		return capability.Lenient
	}
	return capability.Strict
}

// validate answers AICC_ASK_VALIDATE.
func validate(f bridge.Fields) *bridge.Failure {
	parts, failure := documents(f.Str(0))
	for i := 0; i < len(parts) && failure == nil; i++ {
		v := capability.Validate(parts[i].Text, strictness(f))
		if err := v.Err(); err != nil {
			failure = documentFailure(err, parts[i].Pointer)
		}
		for _, one := range v.Passed {
			noter{}.log(bridge.Info, "let through: "+parts[i].Pointer+one.String())
		}
	}
	return failure
}

// importTool answers AICC_ASK_IMPORT by the fields of a tool, or by nothing when there is no such document.
func importTool(f bridge.Fields) ([]byte, *bridge.Failure) {
	parts, failure := documents(f.Str(0))
	if failure != nil || f.Int(1) >= int64(len(parts)) {
		return nil, failure
	}
	part := parts[f.Int(1)]
	o := capability.ImportOptions{Strictness: strictness(f)}
	for i := 1; i < f.Strs(); i++ {
		o.Extensions = append(o.Extensions, string(f.Str(i)))
	}
	t, notes, err := capability.Import(part.Text, o)
	if err != nil {
		return nil, documentFailure(err, part.Pointer)
	}
	if t.CallsPerSession > math.MaxInt32 || t.CallsPerMinute > math.MaxInt32 {
		return nil, &bridge.Failure{Status: bridge.StatusSchema, Field: "text", Pointer: part.Pointer + "/extensions",
			Message: "wanted limits below 2^31; got more"}
	}
	noter{}.notes(notes)
	ints := make([]int64, bridge.ToolInts)
	ints[bridge.ToolIntClass], ints[bridge.ToolIntPerMinute], ints[bridge.ToolIntPerSession] = int64(t.Class), t.CallsPerMinute, t.CallsPerSession
	if t.StrictInput {
		ints[bridge.ToolIntStrict] = 1
	}
	ints[bridge.ToolIntMaxInputBytes], ints[bridge.ToolIntMaxOutputBytes], ints[bridge.ToolIntMaxConcurrent] = t.MaxInputBytes, t.MaxOutputBytes, t.MaxConcurrent
	return bridge.AppendFields(nil, ints, t.ID, t.Description, string(t.InputSchema), string(t.OutputSchema), t.RequiresCapability,
		string(jsonwire.AppendCompact(nil, part.Text))), nil
}
