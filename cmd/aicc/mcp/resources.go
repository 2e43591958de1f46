package mcp

import (
	"context"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// What there is to read.
const (
	worldURI  = "aicc://world"
	eventsURI = "aicc://events"
	latestURI = "aicc://latest/" // and a topic
)

const mimeJSON = "application/json"

func (f *Front) addResources() {
	add := func(uri, name, title, description string, read func() []byte) {
		f.server.AddResource(&sdk.Resource{URI: uri, Name: name, Title: title, Description: description, MIMEType: mimeJSON},
			func(context.Context, *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: uri, MIMEType: mimeJSON, Text: string(read())}}}, nil
			})
	}
	add(worldURI, "world", "World and character", "The world, the character that is played, what it can do, and whether the game is reachable.", f.world)
	add(eventsURI, "events", "Recent events", "What happened lately, oldest first; ticks apart.", func() []byte {
		s := f.feed.after(0, nil, maxEntries, maxKept+maxKept)
		return f.write(&s)
	})
	for _, topic := range topicNames() {
		what := "The latest event of the topic " + topic + ", null before the first."
		if topic == message.TopicTick.String() {
			what = "The latest state of the world that the game has sent, null before the first."
		}
		add(latestURI+topic, "latest-"+topic, "Latest "+topic, what, func() []byte {
			if text := f.feed.state(topic); text != nil {
				return text
			}
			return []byte("null")
		})
	}
}

func (f *Front) subscribe(_ context.Context, r *sdk.SubscribeRequest) error {
	uri := r.Params.URI
	if uri == worldURI || uri == eventsURI || slices.ContainsFunc(topicNames(), func(t string) bool { return uri == latestURI+t }) {
		return nil
	}
	return sdk.ResourceNotFoundError(uri)
}

// world writes what there is to know of the world and the character.
func (f *Front) world() []byte {
	s := f.game.now()
	b := []byte(`{"game":"connected"`)
	if !s.up {
		b = []byte(`{"game":"unreachable"`)
		b = s.appendWhy(b)
	}
	if s.target.Character != "" {
		b, _ = jsonwire.AppendString(append(b, `,"character":`...), s.target.Character)
	}
	m := s.manifest
	if m == nil {
		return append(b, '}')
	}
	b, _ = jsonwire.AppendString(append(b, `,"world":{"name":`...), m.WorldName)
	b, _ = jsonwire.AppendString(append(b, `,"kind":`...), m.WorldKind.String())
	b, _ = jsonwire.AppendString(append(b, `},"tick_mode":`...), m.TickMode.String())
	b, _ = jsonwire.AppendFloat(append(b, `,"tick_rate_hz":`...), m.TickRateHz)
	b = texts(append(b, `,"subscribed_topics":`...), m.Topics)
	b = texts(append(b, `,"capabilities":{"sensors":`...), m.Capabilities.Sensors)
	b = texts(append(b, `,"actuators":`...), m.Capabilities.Actuators)
	b = texts(append(b, `,"generators":`...), m.Capabilities.Generators)
	b = append(b, `},"tools":[`...)
	for i := range m.Tools {
		t := &m.Tools[i]
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsonwire.AppendString(append(b, `{"id":`...), t.ID)
		b, _ = jsonwire.AppendString(append(b, `,"class":`...), t.Class.String())
		if t.CallsPerMinute > 0 {
			b = jsonwire.AppendInt(append(b, `,"calls_per_minute":`...), t.CallsPerMinute)
		}
		if t.CallsPerSession > 0 {
			b = jsonwire.AppendInt(append(b, `,"calls_per_session":`...), t.CallsPerSession)
		}
		if t.RequiresCapability != "" {
			b, _ = jsonwire.AppendString(append(b, `,"requires_capability":`...), t.RequiresCapability)
		}
		b = append(b, '}')
	}
	return append(b, "]}"...)
}

func texts(b []byte, list []string) []byte {
	b = append(b, '[')
	for i, s := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b, _ = jsonwire.AppendString(b, s)
	}
	return append(b, ']')
}

// notifier tells clients that a resource has changed: at once, and then no more often than every so often, however fast the game ticks.
type notifier struct {
	signal chan struct{}

	mu    sync.Mutex
	dirty map[string]bool
}

func newNotifier() *notifier {
	return &notifier{signal: make(chan struct{}, 1), dirty: map[string]bool{}}
}

func (n *notifier) mark(uri string) {
	n.mu.Lock()
	n.dirty[uri] = true
	n.mu.Unlock()
	select {
	case n.signal <- struct{}{}:
	default:
	}
}

func (n *notifier) take() (uris []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for uri := range n.dirty {
		uris = append(uris, uri)
	}
	clear(n.dirty)
	slices.Sort(uris)
	return uris
}

func (n *notifier) run(ctx context.Context, server *sdk.Server, every time.Duration) {
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.signal:
		}
		for _, uri := range n.take() {
			_ = server.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri})
		}
		pause.Reset(every)
		select {
		case <-ctx.Done():
			return
		case <-pause.C:
		}
	}
}
