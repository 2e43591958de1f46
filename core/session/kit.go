package session

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"aicc.dev/libaicc/core/message"
)

// Kit is what a session_init says of a session beside its ids: the tools it sees, what it holds, who plays. Sessions that say the
// same share one; it does not change but for what is rendered of it when tools do.
type Kit struct {
	Sets         []*Set
	Capabilities []string // sorted
	Model        message.Model
	Topics       message.Topic

	key     string
	refs    int
	names   []string // of the topics
	version uint64   // of what follows
	tools   *toolList
	held    message.Capabilities
	print   print
}

// print tells whether two manifests have the same bytes.
type print [16]byte

// toolList is a manifest's array of tools, rendered once for all kits that see the same ones.
type toolList struct {
	json  []byte
	print print
}

// kit gives the world's kit with this content, counted as used once more. sets and capabilities become its own.
func (w *World) kit(sets []*Set, capabilities []string, model message.Model, topics message.Topic) *Kit {
	slices.Sort(capabilities)
	capabilities = slices.Compact(capabilities)
	key := binary.LittleEndian.AppendUint32(w.work[:0], uint32(len(sets)))
	for _, s := range sets {
		key = binary.LittleEndian.AppendUint32(key, s.Number)
	}
	key = append(key, byte(model.Class), byte(topics))
	key = binary.LittleEndian.AppendUint64(key, uint64(model.FirstTokenMS))
	key = binary.LittleEndian.AppendUint64(key, uint64(model.FullResponseMS))
	for _, c := range capabilities {
		key = append(append(key, c...), 0)
	}
	w.work = key
	k := w.kits[string(key)]
	if k == nil {
		k = &Kit{Sets: sets, Capabilities: capabilities, Model: model, Topics: topics, key: string(key), names: []string{}}
		for t := message.TopicTick; t <= message.TopicAgentMessage; t <<= 1 {
			if topics&t != 0 {
				k.names = append(k.names, t.String())
			}
		}
		w.kits[k.key] = k
	}
	k.refs++
	return k
}

func (w *World) dropKit(k *Kit) {
	if k.refs--; k.refs == 0 {
		delete(w.kits, k.key)
	}
}

// Find gives the tool that an id means: the first set that has it wins. nil: none.
func (k *Kit) Find(id []byte) *Tool {
	for _, s := range k.Sets {
		if t := s.byID[string(id)]; t != nil {
			return t
		}
	}
	return nil
}

func (k *Kit) holds(capability string) bool {
	_, found := slices.BinarySearch(k.Capabilities, capability)
	return found
}

// allowed tells whether a tool's capability is held.
func (k *Kit) allowed(t *Tool) bool { return t.Capability == "" || k.holds(t.Capability) }

// each calls f for every tool that stands in the manifest.
func (k *Kit) each(f func(*Tool)) {
	for i, s := range k.Sets {
		for _, t := range s.Tools {
			if t.Disabled || t.Hidden && !k.allowed(t) || k.shadowed(t, i) {
				continue
			}
			f(t)
		}
	}
}

// EachTool calls f for every tool that stands in the session's manifest.
func (s *Session) EachTool(f func(*Tool)) { s.kit.each(f) }

// shadowed tells whether a set before set i has a tool of the same id.
func (k *Kit) shadowed(t *Tool, i int) bool {
	for _, s := range k.Sets[:i] {
		if s.byID[t.ID] != nil {
			return true
		}
	}
	return false
}

// fresh brings what is rendered of the kit up to date.
func (w *World) fresh(k *Kit) {
	if k.version == w.version {
		return
	}
	k.version = w.version
	w.work = w.work[:0]
	for _, s := range k.Sets {
		w.work = binary.LittleEndian.AppendUint32(w.work, s.Number)
	}
	classes := map[string]int{} // of the capabilities that tools ask for, as bits
	k.each(func(t *Tool) {
		if t.Hidden {
			w.work = binary.LittleEndian.AppendUint32(append(w.work, '+'), t.Number)
		}
		classes[t.Capability] |= 1 << t.Class
	})
	k.tools = w.shelf[string(w.work)]
	if k.tools == nil {
		k.tools = &toolList{json: []byte{'['}}
		w.shelf[string(w.work)] = k.tools
		k.each(func(t *Tool) {
			if len(k.tools.json) > 1 {
				k.tools.json = append(k.tools.json, ',')
			}
			k.tools.json = append(k.tools.json, t.JSON...)
		})
		k.tools.json = slices.Clip(append(k.tools.json, ']'))
		k.tools.print = printOf(k.tools.json)
	}
	// A name that no tool asks for is held for every class: the union of the lists is what the session holds.
	k.held = message.Capabilities{}
	for _, name := range k.Capabilities {
		in := classes[name]
		for class, list := range map[message.ToolClass]*[]string{
			message.Sensor: &k.held.Sensors, message.Actuator: &k.held.Actuators, message.Generator: &k.held.Generators,
		} {
			if in == 0 || in&(1<<class) != 0 {
				*list = append(*list, name)
			}
		}
	}
	w.work = w.appendBody(w.work[:0], k, []byte("[]"))
	rest := printOf(w.work)
	w.work = append(append(w.work[:0], k.tools.print[:]...), rest[:]...)
	k.print = printOf(w.work)
}

func printOf(text []byte) print {
	sum := sha256.Sum256(text)
	return print(sum[:16])
}

// appendManifest appends the body of a session_init.
func (w *World) appendManifest(dst []byte, k *Kit) []byte {
	w.fresh(k)
	return w.appendBody(dst, k, k.tools.json)
}

func (w *World) appendBody(dst []byte, k *Kit, tools []byte) []byte {
	return message.AppendManifestBody(dst, &message.Manifest{
		TickRateHz: w.TickRateHz, TickMode: w.TickMode, WorldName: w.Name, WorldKind: w.Kind,
		Capabilities: k.held, ToolsJSON: tools, Model: k.Model, Topics: k.names,
	})
}
