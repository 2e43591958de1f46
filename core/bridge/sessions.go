package bridge

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/session"
)

const maxCapabilities = 64

func (b *Bridge) openSession(r *Record) {
	f, ok := ParseFields(r.Data)
	if !ok || r.Session == 0 || b.sessions[r.Session] != nil {
		return
	}
	model := message.Model{Class: message.ModelClass(f.Int(SessionIntModel)), FirstTokenMS: declared(f.Int(SessionIntFirstTokenMS)),
		FullResponseMS: declared(f.Int(SessionIntFullResponseMS))}
	if f.Int(SessionIntModel) < 1 || f.Int(SessionIntModel) > int64(message.ModelClassCount) {
		model.Class = message.CloudMedium
	}
	var capabilities []string
	for i := 1; i < f.Strs() && len(capabilities) < maxCapabilities; i++ {
		if c := f.Str(i); len(c) > 0 && len(c) <= maxCapability && utf8.Valid(c) {
			capabilities = append(capabilities, string(c))
		}
	}
	b.sessions[r.Session] = b.world.Open(r.Session, b.setsOf(r.Session, f, SessionInts), capabilities, model,
		message.Topic(f.Int(SessionIntTopics))&message.TopicAll)
}

// declared is a time that the host gave, held to a day; 0 is undeclared.
func declared(n int64) int64 {
	if n <= 0 {
		return -1
	}
	return min(n, maxMS)
}

// setsOf reads toolsets from place from on. The bridge's own comes first; what cannot be held is left out and logged.
func (b *Bridge) setsOf(number uint32, f Fields, from int) []*session.Set {
	sets := []*session.Set{b.own}
	bytes := b.own.Bytes()
	for i := from; i < f.Ints(); i++ {
		set := b.sets[uint32(f.Int(i))]
		if set == nil || slices.Contains(sets, set) {
			continue
		}
		if len(sets) == session.MaxSets || bytes+set.Bytes() > b.most.manifest-restManifest {
			b.host.Log(Warn, number, 0, fmt.Sprintf("toolset %q is left out: a session holds %d, the bridge's own included, and a manifest of %d bytes", set.Name, session.MaxSets, b.most.manifest))
			continue
		}
		for _, t := range set.Tools {
			for _, other := range sets {
				if other.Find(t.ID) != nil {
					b.host.Log(Warn, number, t.Number, fmt.Sprintf("toolset %q has a tool %q that another set of the session has already: it is not seen", set.Name, t.ID))
					break
				}
			}
		}
		sets = append(sets, set)
		bytes += set.Bytes()
	}
	return sets
}

// sessionStep does a record that is about one session.
func (b *Bridge) sessionStep(s *session.Session, r *Record) {
	switch r.Kind {
	case RecSessionClose:
		s.Close(r.Data)
		delete(b.sessions, r.Session)
		b.host.SessionClosed(r.Session)
	case RecSessionReset:
		s.Reset(r.Data)
	case RecSessionPause:
		s.Pause(r.Arg != 0)
	case RecSessionTopics:
		s.SetTopics(message.Topic(r.Arg) & message.TopicAll)
	case RecSessionSets:
		if f, ok := ParseFields(r.Data); ok {
			s.SetSets(b.setsOf(r.Session, f, 0))
		}
	case RecSessionGrant:
		switch name := string(r.Data); {
		case len(name) == 0 || len(name) > maxCapability || !utf8.ValidString(name):
		case r.Arg != 0 && s.Held() >= maxCapabilities:
			b.host.Log(Warn, r.Session, 0, fmt.Sprintf("capability %q is not granted: a session holds %d", name, maxCapabilities))
		default:
			s.Grant(name, r.Arg != 0)
		}
	case RecAttach:
		s.Attach(r.Arg, r.Flags, wishOf(r.Data))
	case RecReceive:
		s.Receive(r.Arg, r.Data)
	case RecDetach:
		s.Detach(r.Arg)
	case RecArrived:
		s.Arrived(r.Arg, r.Object)
	}
}

// EachManifest calls f with the tools of every session, as they stand in its manifest.
func (b *Bridge) EachManifest(f func(session uint32, tools [][]byte)) {
	for number, s := range b.sessions {
		var tools [][]byte
		s.EachTool(func(t *session.Tool) { tools = append(tools, t.JSON) })
		f(number, tools)
	}
}

// wishOf reads what an agent asks for, if it does.
func wishOf(data []byte) (w session.Wish) {
	f, ok := ParseFields(data)
	if !ok || len(data) == 0 {
		return w
	}
	if class := f.Int(WishIntModel); class > 0 && class <= int64(message.ModelClassCount) {
		w.Class = message.ModelClass(class)
	}
	w.FullMS = max(f.Int(WishIntFullMS), 0)
	if topics := f.Int(WishIntTopics); topics >= 0 {
		w.Topics, w.HasTopics = message.Topic(topics)&message.TopicAll, true
	}
	return w
}
