package lint

import (
	"maps"
	"slices"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/near"
)

// shape is what a keyword's value holds.
type shape uint8

const (
	leaf  shape = iota
	one         // a schema
	many        // an array of schemas
	named       // an object of schemas
)

// shapes are the keywords of JSON Schema 2020-12 and draft-07.
var shapes = map[string]shape{
	"$schema": leaf, "$id": leaf, "$ref": leaf, "$anchor": leaf, "$dynamicRef": leaf, "$dynamicAnchor": leaf, "$vocabulary": leaf, "$comment": leaf,
	"$defs": named, "definitions": named,
	"type": leaf, "enum": leaf, "const": leaf, "title": leaf, "description": leaf, "default": leaf, "examples": leaf, "deprecated": leaf, "readOnly": leaf, "writeOnly": leaf,
	"format": leaf, "contentEncoding": leaf, "contentMediaType": leaf, "contentSchema": one,
	"multipleOf": leaf, "maximum": leaf, "exclusiveMaximum": leaf, "minimum": leaf, "exclusiveMinimum": leaf,
	"maxLength": leaf, "minLength": leaf, "pattern": leaf,
	"maxItems": leaf, "minItems": leaf, "uniqueItems": leaf, "maxContains": leaf, "minContains": leaf, "contains": one, "items": one, "prefixItems": many,
	"additionalItems": one, "unevaluatedItems": one,
	"maxProperties": leaf, "minProperties": leaf, "required": leaf, "properties": named, "patternProperties": named, "additionalProperties": one,
	"propertyNames": one, "unevaluatedProperties": one, "dependentRequired": leaf, "dependentSchemas": named, "dependencies": named,
	"allOf": many, "anyOf": many, "oneOf": many, "not": one, "if": one, "then": one, "else": one,
}

var known = slices.Sorted(maps.Keys(shapes))

// meant are words of other languages for schemas, with the keyword that says it.
var meant = map[string]string{
	"optional": "required (of the object around it, without this name)", "nullable": `"type":["...","null"]`, "min": "minimum", "max": "maximum", "minimumLength": "minLength", "maximumLength": "maxLength",
	"min_length": "minLength", "max_length": "maxLength", "minValue": "minimum", "maxValue": "maximum", "ge": "minimum", "le": "maximum", "gt": "exclusiveMinimum", "lt": "exclusiveMaximum",
	"regex": "pattern", "regexp": "pattern", "values": "enum", "options": "enum", "choices": "enum", "oneof": "oneOf", "example": "examples (an array)", "desc": "description",
	"fields": "properties", "props": "properties", "params": "properties", "parameters": "properties", "elements": "items", "item": "items", "range": "minimum and maximum", "step": "multipleOf",
	"additional_properties": "additionalProperties", "default_value": "default", "defaultValue": "default", "length": "minLength and maxLength", "unique": "uniqueItems",
}

// about is the type that a keyword is about.
var about = map[string]string{
	"multipleOf": "number", "maximum": "number", "exclusiveMaximum": "number", "minimum": "number", "exclusiveMinimum": "number",
	"maxLength": "string", "minLength": "string", "pattern": "string", "contentEncoding": "string", "contentMediaType": "string",
	"maxItems": "array", "minItems": "array", "uniqueItems": "array", "contains": "array", "items": "array", "prefixItems": "array", "additionalItems": "array",
	"maxProperties": "object", "minProperties": "object", "required": "object", "properties": "object", "patternProperties": "object", "additionalProperties": "object",
	"propertyNames": "object", "dependentRequired": "object", "dependentSchemas": "object",
}

// needs are keywords that mean nothing without another.
var needs = map[string]string{"then": "if", "else": "if", "minContains": "contains", "maxContains": "contains"}

// keywords looks at the words of one schema.
func (t *tool) keywords(p spot) {
	kinds := types(p.s)
	for i, key := range p.s.names {
		at := under(p.pointer, key)
		place := &tree{at: p.s.named[i]}
		if _, known := shapes[key]; !known {
			if strings.HasPrefix(key, "x-") || strings.HasPrefix(key, "$") {
				continue
			}
			switch right, ok := nearest(key); {
			case ok:
				t.say("misspelt-keyword", place, at, "%q means nothing in JSON Schema: %s is meant", key, right)
			case i < len(p.s.list) && p.s.list[i].isObject() && p.s.list[i].has("type", "description", "enum") && !p.s.has("properties"):
				t.say("misspelt-keyword", place, at, `%q means nothing in JSON Schema: is it a member? Those stand in "properties"`, key)
			default:
				t.say("unknown-keyword", place, at, "%q means nothing in JSON Schema: it is ignored", key)
			}
			continue
		}
		if on := needs[key]; on != "" && !p.s.has(on) {
			t.say("idle-keyword", place, at, "%s means nothing without %s", key, on)
		}
		if kind := about[key]; kind != "" && len(kinds) > 0 && !slices.Contains(kinds, kind) && !(kind == "number" && slices.Contains(kinds, "integer")) {
			t.say("idle-keyword", place, at, "%s is about values of the type %s, this one is %s", key, kind, strings.Join(kinds, " or "))
		}
	}
}

func types(s *tree) []string {
	if v := s.get("type"); v != nil && v.kind == jsonwire.String {
		return []string{v.text()}
	}
	return s.get("type").texts()
}

// nearest is the keyword that a word was meant to be.
func nearest(word string) (string, bool) {
	if right, ok := meant[word]; ok {
		return right, true
	}
	best, least := "", 3
	for _, key := range known {
		if d := near.Distance(strings.ToLower(word), strings.ToLower(key), 2); d < least && (d < 2 || len(key) > 5) && len(word) > 2 {
			best, least = key, d
		}
	}
	return best, best != ""
}
