package mcp

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"aicc.dev/libaicc/cmd/aicc/provider"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/schema"
)

// tool is one of the game's as clients see it.
type tool struct {
	id     string
	strict bool
	input  *schema.Schema // nil: for the game alone to judge
	shown  []byte         // the whole, to see whether it has changed
}

// toolset keeps the server's tools as the manifest has them.
type toolset struct {
	front *Front

	mu   sync.Mutex
	have map[string]*tool // by the names that clients use
}

func (s *toolset) known(name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.have[name] != nil || name == waitName
}

// whole waits until a manifest that is being taken is taken: clients that ask in the middle would list a half.
func (s *toolset) whole() {
	s.mu.Lock()
	defer s.mu.Unlock()
}

func (s *toolset) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.have))
}

// set makes the tools those of a manifest. Clients hear of it where something has changed, the model by the feed: not all clients look again.
func (s *toolset) set(m *message.Manifest) {
	list := provider.Export(provider.MCP, m.Tools, provider.Options{Held: held(m)})
	s.mu.Lock()
	defer s.mu.Unlock()
	var added, changed, removed []string
	keep := map[string]bool{}
	for i := range list.Functions {
		fn := &list.Functions[i]
		at := slices.IndexFunc(m.Tools, func(t message.Tool) bool { return t.ID == fn.Tool })
		shown, t := s.describe(fn, &m.Tools[at])
		keep[fn.Name] = true
		switch old := s.have[fn.Name]; {
		case old == nil:
			added = append(added, fn.Name)
		case bytes.Equal(old.shown, t.shown):
			continue
		default:
			changed = append(changed, fn.Name)
		}
		s.have[fn.Name] = t
		s.front.server.AddTool(shown, s.front.handler(t))
	}
	for name := range s.have {
		if !keep[name] {
			removed = append(removed, name)
			delete(s.have, name)
		}
	}
	for _, loss := range list.Losses {
		if name := list.Names.To(loss.Tool); slices.Contains(added, name) || slices.Contains(changed, name) {
			s.front.logf("%s", loss)
		}
	}
	s.front.server.RemoveTools(removed...)
	if len(added)+len(changed)+len(removed) > 0 {
		slices.Sort(removed)
		note, _ := json.Marshal(struct {
			Added   []string `json:"added,omitempty"`
			Changed []string `json:"changed,omitempty"`
			Removed []string `json:"removed,omitempty"`
		}{added, changed, removed})
		s.front.feed.note("tools", string(note))
	}
}

// held are the names of the capabilities that the character has; never nil.
func held(m *message.Manifest) []string {
	c := &m.Capabilities
	return append(slices.Concat(c.Sensors, c.Actuators, c.Generators), []string{}...)
}

func (s *toolset) describe(fn *provider.Function, from *message.Tool) (*sdk.Tool, *tool) {
	no := false
	shown := &sdk.Tool{Name: fn.Name, Description: strings.ToValidUTF8(fn.Description, "\uFFFD"), InputSchema: decode(fn.Input, false), OutputSchema: decode(fn.Output, true),
		// The world of a game is closed. What an actuator destroys the manifest does not say.
		Annotations: &sdk.ToolAnnotations{ReadOnlyHint: from.Class == message.Sensor, OpenWorldHint: &no},
		Meta:        sdk.Meta{metaTool: map[string]any{"class": from.Class.String()}}}
	if from.Class != message.Actuator { // a generator makes content, and takes nothing away
		shown.Annotations.DestructiveHint = &no
	}
	shown.Annotations.IdempotentHint = from.Class == message.Sensor
	t := &tool{id: from.ID, strict: from.StrictInput}
	t.input, _ = schema.Compile(from.InputSchema, schema.Options{Strict: from.StrictInput, Role: schema.Input})
	t.shown, _ = json.Marshal(shown)
	t.shown = append(t.shown, from.InputSchema...)
	if from.StrictInput {
		t.shown = append(t.shown, '!')
	}
	return shown, t
}

// Keys of _meta.
const (
	metaTool   = "dev.aicc/tool"
	metaResult = "dev.aicc/result"
	metaError  = "dev.aicc/error"
)
