package provider

import (
	"strings"
	"unicode/utf8"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
)

// mostWords is how long a sentence may be that stands for a part of a schema: a model that must read more reads none of it.
const mostWords = 600

// words says a keyword of a schema in words that go on from "It is".
func words(keyword string, v *value) (text string, ok bool) {
	j := v.String()
	form, known := map[string]string{
		"minimum": "at least %", "maximum": "at most %", "exclusiveMinimum": "more than %", "exclusiveMaximum": "less than %", "multipleOf": "a multiple of %",
		"minLength": "at least % characters long", "maxLength": "at most % characters long", "pattern": "text that the regular expression % finds",
		"format": "in the format %", "minItems": "at least % items long", "maxItems": "at most % items long", "minProperties": "at least % members large",
		"maxProperties": "at most % members large", "const": "exactly %", "enum": "one of %", "default": "% if it is not given", "not": "nothing that fits the JSON Schema %",
		"contains": "a list with an item that fits the JSON Schema %", "prefixItems": "a list whose first items are, in this order, %",
		"propertyNames": "an object whose members' names fit the JSON Schema %", "additionalProperties": "an object whose other members fit the JSON Schema %",
		"unevaluatedProperties": "an object whose other members fit the JSON Schema %", "patternProperties": "an object whose members, by the regular expressions of their names, fit %",
		"dependentRequired": "complete: with a member of this list come the others: %", "required": "an object with %",
	}[keyword]
	switch {
	case keyword == "uniqueItems":
		return "a list in which nothing comes twice", true
	case keyword == "enum" && v.kind == jsonwire.Array:
		j = strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(j, ",", ", "), "["), "]")
	case !known:
		form = "right by this rule of JSON Schema: " + quoted(keyword) + ": %"
	}
	if j == "1" {
		form = strings.NewReplacer("characters", "character", "items", "item", "members", "member").Replace(form)
	}
	text = strings.Replace(form, "%", j, 1)
	return text, len(text) <= mostWords
}

func quoted(s string) string { return newString(s).raw }

// tell puts sentences behind a description.
func tell(description string, sentences ...string) string {
	for _, s := range sentences {
		if description = strings.TrimRight(description, " \n"); description != "" {
			if !strings.HasSuffix(description, ".") && !strings.HasSuffix(description, "!") && !strings.HasSuffix(description, "?") {
				description += "."
			}
			description += " "
		}
		description += s
	}
	return description
}

// describe is the tool's description for a model: what the manifest says, what the schema no longer says, and what else the protocol knows of a tool.
func (a *adapter) describe() string {
	t := a.tool
	extra := append([]string(nil), a.told...)
	if !a.options.Plain {
		extra = append(extra, facts(t, a.options.Held)...)
	}
	text := t.Description
	if len(extra) > 0 {
		if text != "" {
			text += "\n"
		}
		text += strings.Join(extra, "\n")
	}
	if most := a.format.Rules().MaxDescription; most > 0 && utf8.RuneCountInString(text) > most {
		n := utf8.RuneCountInString(text)
		// What the manifest's author wrote is cut first: the rest is short, and a model that breaks it is refused.
		tail := ""
		if len(extra) > 0 {
			tail = "\n" + strings.Join(extra, "\n")
		}
		const mark = " ..."
		if room := most - utf8.RuneCountInString(tail) - len(mark); room >= most/2 {
			text = cutRunes(t.Description, room) + mark + tail
		} else {
			text = cutRunes(text, most-len(mark)) + mark
		}
		a.lose("/description", "", false, "%s takes at most %d characters, with what is added to it it has %d: the rest is cut off", a.format, most, n)
	}
	return text
}

func cutRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// facts are what the protocol says of a tool beside its schemas and its description, in sentences.
func facts(t *message.Tool, held []string) (list []string) {
	switch t.Class {
	case message.Sensor:
		list = append(list, "Sensor: it only looks, and changes nothing.")
	case message.Actuator:
		list = append(list, "Actuator: it acts in the world.")
	case message.Generator:
		list = append(list, "Generator: it makes content.")
	}
	var limits []string
	if n := t.CallsPerMinute; n > 0 {
		limits = append(limits, times(n)+" a minute")
	}
	if n := t.CallsPerSession; n > 0 {
		limits = append(limits, times(n)+" a session")
	}
	if len(limits) > 0 {
		list = append(list, "At most "+strings.Join(limits, " and ")+".")
	}
	if c := t.RequiresCapability; c != "" {
		has := false
		for _, h := range held {
			has = has || h == c
		}
		switch {
		case held == nil:
			list = append(list, "It needs the capability "+quoted(c)+".")
		case !has:
			list = append(list, "It cannot be used now: it needs the capability "+quoted(c)+", which this character does not have.")
		}
	}
	return list
}

func times(n int64) string {
	if n == 1 {
		return "1 call"
	}
	return string(jsonwire.AppendInt(nil, n)) + " calls"
}
