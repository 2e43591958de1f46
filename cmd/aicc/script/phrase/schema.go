package phrase

import (
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// Field is one member that a schema speaks of, for those who fill it in.
type Field struct {
	Name        string
	Required    bool
	Words       string   // what it should be: "number 0.5 to 9"
	Values      []string // JSON of all that it may be, where they are few
	Default     string   // JSON, "" when there is none
	Description string
	IsText      bool // a string: name=text does
	IsObject    bool

	schema []byte
}

// maxFollow bounds how often a reference or a combination is followed, for schemas that go in circles.
const maxFollow = 32

// view reads one schema of a whole one.
type view struct {
	root   []byte
	follow int
}

// Fields are the members of the objects that a schema, which is a part of root, describes: its own properties, then those of what it refers to and is
// combined of. Both must be JSON that a Scanner has accepted.
func Fields(root, schema []byte) []Field {
	v := view{root: root}
	var all []Field
	v.fields(schema, true, &all)
	return all
}

func (v *view) fields(schema []byte, binding bool, all *[]Field) {
	if v.follow++; v.follow > maxFollow || jsonwire.KindOf(schema) != jsonwire.Object {
		return
	}
	var required []string
	if list, ok := lookup(schema, "required", jsonwire.Array); ok && binding {
		required = texts(list)
	}
	if properties, ok := lookup(schema, "properties", jsonwire.Object); ok {
		members := jsonwire.ObjectMembers(properties)
		for raw, one, ok := members.Next(); ok; raw, one, ok = members.Next() {
			name := text(raw)
			if at := indexOf(*all, name); at >= 0 {
				continue
			}
			*all = append(*all, v.field(name, one))
		}
	}
	if to, ok := v.target(schema); ok {
		v.fields(to, binding, all)
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		if list, ok := lookup(schema, keyword, jsonwire.Array); ok {
			elements := jsonwire.ArrayElements(list)
			for one, ok := elements.Next(); ok; one, ok = elements.Next() {
				v.fields(one, binding && keyword == "allOf", all)
			}
		}
	}
	for _, name := range required {
		if at := indexOf(*all, name); at >= 0 {
			(*all)[at].Required = true
		} else {
			*all = append(*all, Field{Name: name, Required: true, Words: "any", schema: []byte("{}")})
		}
	}
}

func indexOf(all []Field, name string) int {
	for i := range all {
		if all[i].Name == name {
			return i
		}
	}
	return -1
}

// field reads one property.
func (v *view) field(name string, schema []byte) Field {
	f := Field{Name: name, schema: schema}
	for range maxFollow {
		if f.Description == "" {
			if s, ok := lookup(schema, "description", jsonwire.String); ok {
				f.Description = text(s)
			}
		}
		if d, ok := jsonwire.Lookup(orObject(schema), "default"); ok && f.Default == "" {
			f.Default = string(d)
		}
		to, ok := v.target(schema)
		if !ok {
			break
		}
		schema = to
	}
	f.schema = schema
	schema = orObject(schema)
	if list, ok := lookup(schema, "enum", jsonwire.Array); ok {
		elements := jsonwire.ArrayElements(list)
		for one, ok := elements.Next(); ok; one, ok = elements.Next() {
			f.Values = append(f.Values, string(one))
		}
	} else if one, ok := jsonwire.Lookup(schema, "const"); ok {
		f.Values = []string{string(one)}
	}
	types := v.types(schema)
	if len(types) == 1 && types[0] == "boolean" && f.Values == nil {
		f.Values = []string{"true", "false"}
	}
	f.IsText = len(types) == 0 && len(f.Values) > 0 || contains(types, "string")
	for _, value := range f.Values {
		f.IsText = f.IsText && value[0] == '"'
	}
	f.IsObject = contains(types, "object")
	f.Words = v.words(schema, types, f.Values)
	return f
}

func (v *view) types(schema []byte) []string {
	one, ok := jsonwire.Lookup(schema, "type")
	switch {
	case !ok:
		if _, ok := lookup(schema, "properties", jsonwire.Object); ok {
			return []string{"object"}
		}
		return nil
	case jsonwire.KindOf(one) == jsonwire.String:
		return []string{text(one)}
	case jsonwire.KindOf(one) == jsonwire.Array:
		return texts(one)
	}
	return nil
}

// words says what a value should be.
func (v *view) words(schema []byte, types, values []string) string {
	if len(values) > 0 {
		var shown []string
		for _, one := range values[:min(len(values), 8)] {
			if one[0] == '"' {
				one = text([]byte(one))
			}
			shown = append(shown, one)
		}
		if len(values) > 8 {
			shown = append(shown, "...")
		}
		return strings.Join(shown, "|")
	}
	words := strings.Join(types, " or ")
	if words == "" {
		words = "any"
	}
	if len(types) != 1 {
		return words
	}
	bound := func(low, high string) {
		least, hasLeast := number(schema, low)
		most, hasMost := number(schema, high)
		switch {
		case hasLeast && hasMost:
			words += " " + least + " to " + most
		case hasLeast:
			words += " from " + least
		case hasMost:
			words += " up to " + most
		}
	}
	switch types[0] {
	case "number", "integer":
		bound("minimum", "maximum")
		if n, ok := number(schema, "exclusiveMinimum"); ok {
			words += " above " + n
		}
		if n, ok := number(schema, "exclusiveMaximum"); ok {
			words += " below " + n
		}
	case "string":
		words = "text"
		bound("minLength", "maxLength")
	case "array":
		if items, ok := lookup(schema, "items", jsonwire.Object); ok {
			if inner := v.types(items); len(inner) > 0 {
				words += " of " + strings.Join(inner, " or ")
			}
		}
		bound("minItems", "maxItems")
	}
	return words
}

// target is what a schema refers to inside of the root.
func (v *view) target(schema []byte) ([]byte, bool) {
	ref, ok := lookup(schema, "$ref", jsonwire.String)
	if !ok {
		return nil, false
	}
	pointer, ok := strings.CutPrefix(text(ref), "#")
	if !ok {
		return nil, false
	}
	at := v.root
	if pointer == "" {
		return at, true
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		part = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
		if jsonwire.KindOf(at) != jsonwire.Object {
			return nil, false
		}
		if at, ok = jsonwire.Lookup(at, part); !ok {
			return nil, false
		}
	}
	return at, true
}

func lookup(object []byte, name string, kind jsonwire.Kind) ([]byte, bool) {
	if jsonwire.KindOf(object) != jsonwire.Object {
		return nil, false
	}
	v, ok := jsonwire.Lookup(object, name)
	return v, ok && jsonwire.KindOf(v) == kind
}

func number(schema []byte, name string) (string, bool) {
	v, ok := lookup(schema, name, jsonwire.Number)
	return string(v), ok
}

func orObject(schema []byte) []byte {
	if jsonwire.KindOf(schema) != jsonwire.Object {
		return []byte("{}")
	}
	return schema
}

func text(raw []byte) string { return string(jsonwire.Text(raw, new([]byte))) }

func texts(array []byte) (all []string) {
	elements := jsonwire.ArrayElements(array)
	for one, ok := elements.Next(); ok; one, ok = elements.Next() {
		if jsonwire.KindOf(one) == jsonwire.String {
			all = append(all, text(one))
		}
	}
	return all
}

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}
