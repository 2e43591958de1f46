package llm

import (
	"slices"
	"strings"

	"aicc.dev/libaicc/cmd/aicc/llm/chat"
	"aicc.dev/libaicc/cmd/aicc/provider"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/near"
	"aicc.dev/libaicc/core/schema"
)

// toolbox is a manifest's tools as the model gets them, and one of ours.
type toolbox struct {
	man   *message.Manifest
	list  *provider.List
	tools map[string]*tool // by what the model calls them
	names []string         // sorted, ours included
	wait  string           // the name of ours
	chat  []chat.Tool
	size  int // bytes
}

// tool is one of the game's.
type tool struct {
	*message.Tool
	fn           *provider.Function
	exact, loose *schema.Schema // as the game checks, and with repairs; nil: the game alone can say
}

// waitTool has a capital letter, which no tool of a game has.
const waitTool = "waitForEvents"

const waitSchema = `{"type":"object","properties":{"seconds":{"type":"number","minimum":0,"maximum":600,"description":"at most so long; 30 if it is not given"},` +
	`"ticks":{"type":"boolean","description":"true: a tick of the game's clock also ends the waiting"}}}`

const waitWords = "Does nothing until something happens in the game, or the time is over. Call it when there is nothing to do now. It is not a tool of the game and costs nothing."

func newToolbox(man *message.Manifest) *toolbox {
	held := append([]string{}, slices.Concat(man.Capabilities.Sensors, man.Capabilities.Actuators, man.Capabilities.Generators)...) // nil would mean: not known
	b := &toolbox{man: man, list: provider.Export(provider.OpenAI, man.Tools, provider.Options{Held: held}), tools: map[string]*tool{}, wait: waitTool}
	for i := range b.list.Functions {
		fn := &b.list.Functions[i]
		at := slices.IndexFunc(man.Tools, func(t message.Tool) bool { return t.ID == fn.Tool })
		if at < 0 {
			continue
		}
		t := &tool{Tool: &man.Tools[at], fn: fn}
		t.exact, _ = schema.Compile(t.InputSchema, schema.Options{Strict: t.StrictInput, NoRepair: true}) // one that does not compile here is the game's alone
		t.loose, _ = schema.Compile(t.InputSchema, schema.Options{})
		b.tools[fn.Name] = t
		b.names = append(b.names, fn.Name)
		b.chat = append(b.chat, chat.Tool{Name: fn.Name, JSON: fn.JSON})
	}
	for b.tools[b.wait] != nil { // whatever a provider's rules for names may come to
		b.wait += "_"
	}
	b.names = append(b.names, b.wait)
	slices.Sort(b.names)
	own := append([]byte(`{"type":"function","function":{"name":`), quoted(b.wait)...)
	own = append(append(own, `,"description":`...), quoted(waitWords)...)
	own = append(append(own, `,"parameters":`...), waitSchema+"}}"...)
	b.chat = append(b.chat, chat.Tool{Name: b.wait, JSON: own})
	for i := range b.chat {
		b.size += len(b.chat[i].JSON)
	}
	return b
}

func quoted(s string) []byte {
	text, _ := jsonwire.AppendString(nil, s)
	return text
}

// find gives the tool that a model has named; renamed says that it was written otherwise: walkTo, functions.walk_to. Where none was meant for
// certain, near are the names that look most like it.
func (b *toolbox) find(name string) (known string, renamed bool, near []string) {
	if b.tools[name] != nil || name == b.wait {
		return name, false, nil
	}
	letters := plainName(name)
	found := ""
	for _, n := range b.names {
		if letters != "" && plainName(n) == letters {
			if found != "" {
				return "", false, []string{found, n}
			}
			found = n
		}
	}
	if found != "" {
		return found, true, nil
	}
	return "", false, b.near(letters)
}

// plainName is a name without what models add to it, or leave out: what stands before a dot, capitals, marks.
func plainName(name string) string {
	if i := strings.LastIndexAny(name, ".:/"); i >= 0 {
		name = name[i+1:]
	}
	return strings.Map(func(r rune) rune {
		switch {
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			return r
		}
		return -1
	}, name)
}

// near are the three nearest names, nearest first, of those that are near at all.
func (b *toolbox) near(letters string) []string {
	if len(letters) > 64 {
		letters = letters[:64]
	}
	type one struct {
		name string
		far  int
	}
	var all []one
	for _, n := range b.names {
		p := plainName(n)
		far := near.Distance(letters, p, max(1, len(p)/3))
		if len(letters) >= 3 && (strings.Contains(p, letters) || strings.Contains(letters, p)) {
			far = 1
		}
		if far <= max(1, len(p)/3) {
			all = append(all, one{n, far})
		}
	}
	slices.SortStableFunc(all, func(a, b one) int { return a.far - b.far })
	var names []string
	for _, o := range all[:min(3, len(all))] {
		names = append(names, o.name)
	}
	return names
}
