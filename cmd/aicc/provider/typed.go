package provider

import (
	"slices"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// typed writes a schema of one type, which may be null besides.
func (f *fitter) typed(s *value, at string, met []string) *value {
	names := types(s)
	null := slices.Contains(names, "null")
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "null" })
	enum := s.get("enum")
	if c := s.get("const"); c != nil {
		enum = newArray(c)
	}
	if enum != nil && slices.ContainsFunc(enum.list, (*value).isNull) {
		null = null || len(types(s)) == 0
		enum = newArray(slices.DeleteFunc(slices.Clone(enum.list), (*value).isNull)...)
	}
	if len(names) == 0 {
		guess := guessed(s, enum)
		if guess == "" {
			out := f.anything(at, "type", "a schema without a type")
			if d := s.get("description"); d != nil && !f.refused {
				for i, b := range out.get("anyOf").list {
					b = b.copy()
					b.set("description", d)
					out.get("anyOf").list[i] = b
				}
			}
			return out
		}
		if enum == nil {
			f.lose(at, "type", false, "it says no type: %s alone is offered", guess)
		}
		names = []string{guess}
	}
	w := writer{fitter: f, s: s, at: at, met: met, kind: names[0], out: newObject(), description: s.get("description").text()}
	if w.write(enum); w.endless {
		return endless
	}
	if null {
		w.out = f.nullable(w.out)
	}
	return w.out
}

// guessed is the type that a schema means but does not say.
func guessed(s *value, enum *value) string {
	if enum != nil {
		return kindOf(enum.list)
	}
	guess := ""
	for _, key := range s.keys {
		kind := about[key]
		if kind == "" {
			continue
		}
		if guess != "" && guess != kind {
			return ""
		}
		guess = kind
	}
	return guess
}

// writer writes one schema of one type.
type writer struct {
	*fitter
	s           *value
	at          string
	met         []string
	kind        string
	out         *value
	description string
	told, notes []string
	endless     bool // it has to hold itself
}

func (w *writer) write(enum *value) {
	w.out.set("type", w.typeName(w.kind))
	if enum != nil {
		w.enum(enum)
	}
	for i, key := range w.s.keys {
		if kind := about[key]; kind == "" || kind == w.kind || kind == "number" && w.kind == "integer" {
			w.keyword(key, w.s.list[i])
		}
	}
	if w.endless {
		return
	}
	if w.kind == "array" && !w.out.has("items") {
		w.out.set("items", w.anything(w.at, "items", "a list of anything"))
	}
	if w.kind == "object" {
		w.object()
	}
	sentences := w.notes
	if len(w.told) > 0 {
		sentences = append([]string{"It is " + strings.Join(w.told, ", and ") + "."}, sentences...)
	}
	if text := tell(w.description, sentences...); text != "" {
		w.out.set("description", newString(text))
	}
}

func (w *writer) typeName(name string) *value {
	if w.t.openAPI {
		name = strings.ToUpper(name)
	}
	return newString(name)
}

// say gives up a keyword and puts it into words.
func (w *writer) say(key string, v *value) {
	text, ok := words(key, v)
	if ok {
		w.told = append(w.told, text)
	}
	what := key
	switch {
	case key == "format":
		what += " " + v.raw
	case key == "enum":
		what = "enumeration of the type " + w.kind
	}
	w.lose(w.at+"/"+key, key, ok, "%s has no %s", w.t.name, what)
}

func (w *writer) keyword(key string, v *value) {
	switch {
	case slices.Contains(w.t.keeps, key):
		if w.t.openAPI && about[key] != "number" && v.kind == jsonwire.Number { // 64-bit integers are text in this dialect
			if n, err := jsonwire.ToInt64([]byte(v.raw)); err == nil {
				v = newString(string(jsonwire.AppendInt(nil, n)))
			} else {
				w.say(key, v)
				return
			}
		}
		if old := w.out.get(key); old == nil || tighter(key, v.raw, old.raw) {
			w.out.set(key, v)
		}
		return
	}
	switch key {
	case "type", "enum", "const", "description", "required", "title", "$defs", "definitions", "$id", "$anchor", "$schema", "$comment", "deprecated", "readOnly", "writeOnly", "then", "else":
	case "default":
		if text, ok := words(key, v); ok {
			w.notes = append(w.notes, strings.ToUpper(text[:1])+text[1:]+".")
		}
	case "examples":
		if text := strings.Trim(v.String(), "[]"); v.kind == jsonwire.Array && text != "" && len(text) <= mostWords {
			w.notes = append(w.notes, "For example: "+strings.ReplaceAll(text, ",", ", ")+".")
		}
	case "properties":
		w.properties(v)
	case "items":
		w.items(v)
	case "prefixItems":
		w.tuple(v)
	case "format":
		w.format(v)
	case "exclusiveMinimum", "exclusiveMaximum":
		w.exclusive(key, v)
	case "pattern":
		if w.t.grammar && !strings.Contains(v.raw, `\\b`) && !strings.Contains(v.raw, `\\B`) {
			w.out.set(key, v)
			return
		}
		w.say(key, v)
	case "minItems":
		if v.raw == "0" || v.raw == "1" {
			w.out.set(key, v)
			return
		}
		w.say(key, v)
	case "uniqueItems":
		if v.isTrue() {
			w.say(key, v)
		}
	case "additionalProperties", "unevaluatedProperties":
		w.others(key, v)
	case "patternProperties":
		if w.t.grammar {
			w.refuse(w.at+"/"+key, key, "members that are not listed by name")
			return
		}
		w.say(key, v)
	default:
		if _, known := about[key]; known {
			w.say(key, v)
		}
	}
}

// others is what is said of members that are not listed.
func (w *writer) others(key string, v *value) {
	switch {
	case v.isFalse():
	case w.t.grammar:
		w.refuse(w.at+"/"+key, key, "members that are not listed by name")
	case !v.isTrue() && len(v.keys) > 0:
		w.say(key, v)
	}
}

// enum writes the values that a schema lists. Gemini lists text alone.
func (w *writer) enum(enum *value) {
	list := ofType(enum, w.kind)
	simple := w.kind != "object" && w.kind != "array"
	if w.t.openAPI {
		simple = w.kind == "string"
	}
	if !simple {
		w.say("enum", enum)
		return
	}
	if w.t.openAPI {
		full := list
		list = newArray(slices.DeleteFunc(slices.Clone(full.list), func(e *value) bool { return e.raw == `""` })...)
		if len(list.list) < len(full.list) {
			w.notes = append(w.notes, "It may be empty text.")
			w.lose(w.at+"/enum", "enum", true, "%s has no empty text in an enumeration", w.t.name)
		}
	}
	if len(list.list) > 0 {
		w.out.set("enum", list)
	}
}

func (w *writer) format(v *value) {
	text := v.text()
	switch {
	case w.kind == "string" && slices.Contains(w.t.formats, text), w.t.openAPI && (w.kind == "integer" && (text == "int32" || text == "int64") || w.kind == "number" && (text == "float" || text == "double")):
		w.out.set("format", v)
	default:
		w.say("format", v)
	}
}

// exclusive writes an open bound of an integer as a closed one.
func (w *writer) exclusive(key string, v *value) {
	closedKey, by := "minimum", int64(1)
	if key == "exclusiveMaximum" {
		closedKey, by = "maximum", -1
	}
	if w.kind == "integer" && slices.Contains(w.t.keeps, closedKey) && jsonwire.IsInteger([]byte(v.raw)) {
		if text, ok := stepped(v.raw, by); ok {
			if old := w.out.get(closedKey); old == nil || tighter(closedKey, text, old.raw) {
				w.out.set(closedKey, newNumber(text))
			}
			return
		}
	}
	if old := w.out.get(closedKey); slices.Contains(w.t.keeps, closedKey) && (old == nil || tighter(closedKey, v.raw, old.raw)) {
		w.out.set(closedKey, v) // which is nearly it
	}
	w.say(key, v)
}

// tighter tells whether a bound asks for more than another one of the same keyword.
func tighter(key, text, than string) bool {
	order := jsonwire.CompareNumbers([]byte(text), []byte(than))
	return strings.HasPrefix(key, "min") && order > 0 || strings.HasPrefix(key, "max") && order < 0
}

func (w *writer) items(v *value) {
	if w.s.has("prefixItems") {
		return
	}
	if v.kind == jsonwire.Bool {
		return
	}
	one := w.fit(v, w.at+"/items", w.met)
	if w.endless = one == endless; !w.endless {
		w.out.set("items", one)
	}
}

// tuple writes a list whose items differ as one of any of them.
func (w *writer) tuple(v *value) {
	all := slices.Clone(v.list)
	if rest := w.s.get("items"); rest != nil && rest.kind == jsonwire.Object {
		all = append(all, rest)
	}
	w.say("prefixItems", v)
	var list []*value
	for _, one := range distinct(all) {
		if one = w.fit(one, w.at+"/prefixItems", w.met); one == endless {
			w.endless = true
			return
		}
		list = append(list, one)
	}
	if w.s.get("items").isFalse() && !w.s.has("maxItems") {
		w.keyword("maxItems", newNumber(string(jsonwire.AppendInt(nil, int64(len(v.list))))))
	}
	if list = distinct(list); len(list) == 1 {
		w.out.set("items", list[0])
		return
	}
	w.out.set("items", newObject("anyOf", newArray(list...)))
}

// properties writes the members of an object.
func (w *writer) properties(v *value) {
	out := newObject()
	for i, name := range v.keys {
		if v.list[i].isFalse() {
			continue // no model gives what is not listed
		}
		at := pointer(w.at+"/properties", name)
		one := w.fit(v.list[i], at, w.met)
		switch {
		case one != endless:
			out.set(name, one)
		case slices.Contains(w.s.get("required").texts(), name):
			w.endless = true
		default:
			w.lose(at, "$ref", false, "a schema that contains itself has no form: %s is not offered any deeper", name)
		}
	}
	w.out.set("properties", out)
}

// object completes an object: every name that is required is a member, and for a grammar it is closed.
func (w *writer) object() {
	properties := w.out.get("properties")
	required := w.s.get("required").texts()
	if w.t.grammar && properties == nil && len(required) == 0 && !w.s.get("additionalProperties").isFalse() && w.at != inputAt {
		w.refuse(w.at, "properties", "an object whose members are not listed")
		return
	}
	if w.t.grammar && w.at == inputAt && w.a.unlisted {
		w.lose(w.at, "properties", false, "no members are listed: %s offers none", w.t.name)
	}
	if properties == nil {
		properties = newObject()
	}
	for _, name := range required {
		if !properties.has(name) {
			properties.set(name, w.anything(w.at+"/required", "required", "a required member without a schema"))
		}
	}
	if w.refused {
		return
	}
	w.out.set("properties", properties)
	if w.t.full {
		for i, name := range properties.keys {
			if p := properties.list[i]; !slices.Contains(required, name) {
				if wide := w.nullable(p); !equal(wide, p) {
					properties.list[i] = wide
					properties.added = append(properties.added, name)
				}
			}
		}
		required = properties.keys
	}
	if len(required) > 0 || w.t.full {
		w.out.set("required", newStrings(required))
	}
	if w.t.grammar {
		w.out.set("additionalProperties", newBool(false))
	}
}
