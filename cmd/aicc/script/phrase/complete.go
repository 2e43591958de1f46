package phrase

import (
	"strings"
	"unicode"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// Option is one way in which a line may go on.
type Option struct {
	Text string // goes into the line
	Note string // what it is
	Open bool   // more belongs to it: no space comes behind
}

// Complete says how a line that ends where the cursor is may go on: each option stands for the line's text from from on.
func Complete(line string, tools []message.Tool) (from int, options []Option) {
	words, fault := Split(line, false)
	if len(words) == 0 || len(words) == 1 && fault == nil && !isSpace(line[len(line)-1]) {
		prefix := ""
		from = len(line)
		if len(words) == 1 {
			prefix, from = words[0].Text, words[0].At
		}
		for i := range tools {
			if strings.HasPrefix(tools[i].ID, prefix) {
				options = append(options, Option{Text: tools[i].ID, Note: tools[i].Description})
			}
		}
		return from, options
	}
	t := Find(tools, words[0].Text)
	if t == nil {
		return len(line), nil
	}
	last := Word{At: len(line)}
	if fault != nil || !isSpace(line[len(line)-1]) {
		last = words[len(words)-1]
		words = words[:len(words)-1]
	}
	root := t.InputSchema
	if !scanned(root) {
		return len(line), nil
	}
	if strings.HasPrefix(last.Text, "{") {
		return completeJSON(last, root)
	}
	given := map[string]bool{}
	for _, w := range words[1:] {
		if w.Text[0] == '{' {
			return len(line), nil // the input is there
		}
		if a, ok, _ := arg(w); ok {
			given[strings.Join(a.Path, ".")] = true
		}
	}
	name, value, hasValue := strings.Cut(last.Text, "=")
	if hasValue {
		return completeValue(last, name, value, root)
	}
	parts := strings.Split(name, ".")
	at, ok := walk(root, parts[:len(parts)-1])
	if !ok {
		return len(line), nil
	}
	before := strings.TrimSuffix(name, parts[len(parts)-1])
	for _, f := range Fields(root, at) {
		full := before + f.Name
		if !strings.HasPrefix(f.Name, parts[len(parts)-1]) || given[full] || !plain(f.Name) {
			continue
		}
		o := Option{Text: full + "=", Note: f.note(), Open: true}
		switch {
		case f.IsObject && !f.IsText:
			o.Text = full + "."
			if len(Fields(root, f.schema)) == 0 {
				o.Text = full + ":="
			}
		case !f.IsText:
			o.Text = full + ":="
		}
		options = append(options, o)
	}
	return last.At, options
}

// Find finds a tool by its id.
func Find(tools []message.Tool, id string) *message.Tool {
	for i := range tools {
		if tools[i].ID == id {
			return &tools[i]
		}
	}
	return nil
}

func (f *Field) note() string {
	note := f.Words
	if f.Default != "" {
		note += ", else " + f.Default
	}
	if f.Description != "" {
		note += ": " + f.Description
	}
	return note
}

// plain says whether a name can stand before a =.
func plain(name string) bool {
	return name != "" && !strings.ContainsAny(name, " .=:<>!\"{[") && strings.IndexFunc(name, unprintable) < 0
}

func unprintable(r rune) bool { return !unicode.IsPrint(r) }

func scanned(text []byte) bool {
	var s jsonwire.Scanner
	_, err := s.Check(text)
	return err == nil
}

// walk goes down into the schemas of members.
func walk(root []byte, parts []string) (schema []byte, ok bool) {
	schema = root
	for _, part := range parts {
		fields := Fields(root, schema)
		at := indexOf(fields, part)
		if at < 0 {
			return nil, false
		}
		schema = fields[at].schema
	}
	return schema, true
}

func completeValue(last Word, name, value string, root []byte) (from int, options []Option) {
	asJSON := strings.HasSuffix(name, ":")
	parts := strings.Split(strings.TrimSuffix(name, ":"), ".")
	at, ok := walk(root, parts[:len(parts)-1])
	from = last.At + len(last.Text) - len(value)
	if !ok {
		return from, nil
	}
	fields := Fields(root, at)
	i := indexOf(fields, parts[len(parts)-1])
	if i < 0 {
		return from, nil
	}
	for _, one := range fields[i].suggestions() {
		if !asJSON {
			if one[0] != '"' {
				continue
			}
			if bare := text([]byte(one)); bareText(bare) {
				one = bare
			}
		}
		if strings.HasPrefix(one, value) {
			options = append(options, Option{Text: one})
		}
	}
	return from, options
}

// suggestions are values to choose from.
func (f *Field) suggestions() []string {
	if f.Values != nil {
		return f.Values
	}
	if f.Default != "" {
		return []string{f.Default}
	}
	return nil
}

// bareText says whether text can stand behind a = without quotes.
func bareText(s string) bool {
	return s != "" && !strings.ContainsAny(s, " \"{[") && s[0] != '$' && strings.IndexFunc(s, unprintable) < 0
}

// Missing are the fields of a tool, and for each whether the line has it already, in the schema's order; those of the object whose member is being typed.
func Missing(line string, t *message.Tool) (fields []Field, given []bool) {
	if !scanned(t.InputSchema) {
		return nil, nil
	}
	words, _ := Split(line, false)
	var has map[string]bool
	at := t.InputSchema
	if len(words) > 1 {
		if last := words[len(words)-1]; strings.HasPrefix(last.Text, "{") {
			s := scanPrefix(last.Text)
			if len(s.stack) > 0 {
				has = s.stack[len(s.stack)-1].seen
				if inner, ok := walk(t.InputSchema, s.path()); ok {
					at = inner
				}
			} else if value := []byte(last.Text); scanned(value) {
				has = map[string]bool{}
				members := jsonwire.ObjectMembers(value)
				for name, _, ok := members.Next(); ok; name, _, ok = members.Next() {
					has[text(name)] = true
				}
			}
		}
	}
	if has == nil {
		has = map[string]bool{}
		for _, w := range words[min(1, len(words)):] {
			if a, ok, _ := arg(w); ok && (a.Value != "" || w.At+len(w.Text) < len(line)) {
				has[a.Path[0]] = true
			}
		}
	}
	fields = Fields(t.InputSchema, at)
	for _, f := range fields {
		given = append(given, has[f.Name])
	}
	return fields, given
}
