package lint

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"aicc.dev/libaicc/cmd/aicc/provider"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// Bounds that are this command's own judgement, or that a provider names; the rules say which.
const (
	manyTools      = 20
	manyParameters = 20
	largeList      = 64 << 10
)

// idle are names that say nothing of what a tool does.
var idle = []string{"action", "act", "call", "command", "do", "do_action", "do_it", "do_something", "execute", "foo", "func", "function", "handle", "misc", "my_tool", "other",
	"perform", "process", "run", "test", "tool", "use"}

func (t *tool) identity() {
	id, at := t.object.get("id"), under(t.pointer, "id")
	if id == nil {
		id, at = t.object.get("name"), under(t.pointer, "name")
	}
	if !t.source.MCP && !message.ValidToolID(t.ID) {
		t.say("bad-id", id, at, "%q is no tool id of the protocol: small letters, digits and _, a letter first, at most %d bytes", t.ID, message.MaxToolIDBytes)
	}
	var refuse []string
	for _, f := range provider.Formats() {
		if !f.Takes(t.ID) {
			refuse = append(refuse, fmt.Sprintf("%s (%s)", f, f.Rules().Source))
		}
	}
	if len(refuse) > 0 {
		t.say("name-refused", id, at, "%q is refused as a function's name by %s", t.ID, strings.Join(refuse, ", "))
	}
	if slices.Contains(idle, strings.ToLower(t.ID)) {
		t.say("vague-id", id, at, "%q does not say what the tool does", t.ID)
	}
	if c := t.RequiresCapability; c != "" && t.source.Held != nil && !slices.Contains(t.source.Held, c) {
		t.say("capability-not-held", t.object.get("requires_capability"), under(t.pointer, "requires_capability"), "it needs %q, which the manifest's capabilities do not list: each call will be refused", c)
	}
}

func (t *tool) description() {
	d, at := t.object.get("description"), under(t.pointer, "description")
	text := strings.TrimSpace(t.Description)
	if text == "" {
		t.say("no-description", d, at, "it has no description")
		return
	}
	switch {
	case placeholder(text):
		t.say("useless-description", d, at, "%q is a placeholder", cut(text))
	case repeats(text, t.ID):
		t.say("useless-description", d, at, "%q says no more than the name", cut(text))
	case len(strings.Fields(text)) < 2 && isASCII(text):
		t.say("useless-description", d, at, "%q is one word", cut(text))
	}
	if n := utf8.RuneCountInString(text); n > provider.OpenAI.Rules().MaxDescription {
		t.say("long-description", d, at, "it has %d characters, OpenAI takes at most %d", n, provider.OpenAI.Rules().MaxDescription)
	}
	t.hidden(d, at, t.Description)
}

// hidden finds text that a person who reads the manifest does not see and a model does.
func (t *tool) hidden(part *tree, at, text string) {
	for i, r := range text {
		if r == '\n' || r == '\t' || r == '\r' || r == '\u200d' {
			continue
		}
		if r < ' ' || r == 0x7f || unicode.Is(unicode.Cf, r) || 0xe0000 <= r && r <= 0xe0fff {
			t.say("hidden-text", part, at, "there is an invisible character, U+%04X, at byte %d", r, i)
			return
		}
	}
}

func placeholder(text string) bool {
	text = strings.ToLower(strings.Trim(text, " .:-_<>[]()!?"))
	for _, word := range []string{"todo", "tbd", "fixme", "xxx"} {
		if text == word || strings.HasPrefix(text, word+" ") || strings.HasPrefix(text, word+":") {
			return true
		}
	}
	return slices.Contains([]string{"description", "a tool", "tool", "none", "n/a", "na", "no description", "description here", "lorem ipsum", "string", "number", "the value", "value", "a string",
		"a number", "parameter", "the parameter", "input", "the input", "desc"}, text)
}

// filler are words that add nothing to a name.
var filler = []string{"a", "an", "the", "this", "that", "of", "to", "for", "is", "it", "and", "tool", "function", "parameter", "param", "value", "argument", "field", "some"}

// repeats tells whether a description has no word that the name has not.
func repeats(text, name string) bool {
	known := words(name)
	for i, w := range known {
		known[i] = stem(w)
	}
	said := words(text)
	for _, w := range said {
		if !slices.Contains(filler, w) && !slices.Contains(known, stem(w)) {
			return false
		}
	}
	return len(said) > 0
}

// words are those of a name or a text, in small letters: moveTo, move_to and "Move to" have the same.
func words(text string) (list []string) {
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			list = append(list, strings.ToLower(b.String()))
			b.Reset()
		}
	}
	lower := false
	for _, r := range text {
		switch {
		case unicode.IsUpper(r):
			if lower {
				flush()
			}
			b.WriteRune(r)
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(r)
		default:
			flush()
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
	}
	flush()
	return list
}

func stem(w string) string {
	for _, end := range []string{"ing", "es", "ed", "s", "e"} {
		if s := strings.TrimSuffix(w, end); s != w && len(s) >= 3 {
			return s
		}
	}
	return w
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func cut(text string) string {
	if utf8.RuneCountInString(text) > 60 {
		return string([]rune(text)[:57]) + "..."
	}
	return text
}

// plain is a name without what a model does not tell apart.
func plain(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name))
}

// list looks at all tools together.
func (l *linter) list() {
	tools := l.source.Tools
	ids, alike, said := map[string]bool{}, map[string]string{}, map[string]string{}
	size := 0
	for i := range tools {
		t, p := &tools[i], l.source.Places[i]
		size += len(t.ID) + len(t.Description) + len(jsonwire.AppendCompact(nil, t.InputSchema))
		one := tool{linter: l, Tool: t, object: l.doc.find(tokens(p.Pointer))}
		if ids[t.ID] {
			one.say("duplicate-id", nil, p.Pointer, "a tool before it has the same id")
			continue
		}
		ids[t.ID] = true
		if other, ok := alike[plain(t.ID)]; ok && t.ID != "" {
			one.say("names-alike", nil, p.Pointer, "%s and %s differ in capitals or _ only", other, t.ID)
		} else {
			alike[plain(t.ID)] = t.ID
		}
		text := strings.Join(words(t.Description), " ")
		if other, ok := said[text]; ok && text != "" {
			one.say("same-description", one.object.get("description"), under(p.Pointer, "description"), "%s has the same description", other)
		} else {
			said[text] = t.ID
		}
	}
	at := l.doc.at
	if len(tools) > 0 {
		at = l.source.Places[0].Offset
	}
	openai, gemini := provider.OpenAI.Rules().MaxTools, provider.Gemini.Rules().MaxTools
	switch n := len(tools); {
	case n > gemini:
		l.say("too-many-tools", "", at, "", "there are %d tools: OpenAI takes at most %d in a request, Gemini %d", n, openai, gemini)
	case n > openai:
		l.say("too-many-tools", "", at, "", "there are %d tools, OpenAI takes at most %d in a request", n, openai)
	case n > manyTools:
		l.say("many-tools", "", at, "", "there are %d tools", n)
	}
	if size > largeList {
		l.say("large-list", "", at, "", "names, descriptions and input schemas are %d KiB, some %d thousand tokens in every request", size>>10, size/4000)
	}
}
