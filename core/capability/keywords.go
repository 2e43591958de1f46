package capability

import (
	"slices"

	"aicc.dev/libaicc/core/jsonwire"
)

// shape is what a keyword's value has to be.
type shape uint8

const (
	shapeAny shape = iota
	shapeString
	shapeBool
	shapeNumber
	shapePositive // a number over 0
	shapeCount    // an integer of at least 0
	shapeArray
	shapeNames // an array of different strings
	shapeTypes
	shapeSchema
	shapeSchemas   // an array of schemas that is not empty
	shapeSchemaMap // an object of schemas
	shapeItems     // a schema or, in draft-07, an array of schemas
	shapeDepends   // an object of schemas or arrays of names
	shapeNameMap   // an object of arrays of names
)

var shapeWords = [...]string{"anything", "a string", "a boolean", "a number", "a number over 0", "an integer of at least 0", "an array",
	"an array of different names", "a type's name or an array of different ones", "a schema", "an array of schemas that is not empty", "an object of schemas",
	"a schema or an array of schemas", "an object of schemas or arrays of names", "an object of arrays of names"}

// keyword is what the two drafts say of a word.
type keyword struct {
	shape shape
	in    Draft // where it means something
	note  bool  // it says nothing of a value
}

// keywords is every keyword of both drafts. What is not in it means nothing in either, and stays as it is.
var keywords = map[string]keyword{
	"$schema": {shapeString, anyDraft, true}, "$id": {shapeString, anyDraft, false}, "$ref": {shapeString, anyDraft, false},
	"$comment": {shapeString, anyDraft, true}, "definitions": {shapeSchemaMap, anyDraft, true}, "$defs": {shapeSchemaMap, anyDraft, true},
	"$anchor": {shapeString, Draft2020, false}, "$dynamicRef": {shapeString, Draft2020, false}, "$dynamicAnchor": {shapeString, Draft2020, false},
	"$vocabulary": {shapeAny, Draft2020, true},

	"title": {shapeString, anyDraft, true}, "description": {shapeString, anyDraft, true}, "default": {shapeAny, anyDraft, true},
	"examples": {shapeArray, anyDraft, true}, "readOnly": {shapeBool, anyDraft, true}, "writeOnly": {shapeBool, anyDraft, true},
	"deprecated": {shapeBool, Draft2020, true}, "contentEncoding": {shapeString, anyDraft, true}, "contentMediaType": {shapeString, anyDraft, true},
	"contentSchema": {shapeSchema, Draft2020, true},

	"type": {shapeTypes, anyDraft, false}, "enum": {shapeArray, anyDraft, false}, "const": {shapeAny, anyDraft, false}, "format": {shapeString, anyDraft, false},
	"minimum": {shapeNumber, anyDraft, false}, "maximum": {shapeNumber, anyDraft, false}, "exclusiveMinimum": {shapeNumber, anyDraft, false},
	"exclusiveMaximum": {shapeNumber, anyDraft, false}, "multipleOf": {shapePositive, anyDraft, false},
	"minLength": {shapeCount, anyDraft, false}, "maxLength": {shapeCount, anyDraft, false}, "pattern": {shapeString, anyDraft, false},
	"minItems": {shapeCount, anyDraft, false}, "maxItems": {shapeCount, anyDraft, false}, "uniqueItems": {shapeBool, anyDraft, false},
	"minProperties": {shapeCount, anyDraft, false}, "maxProperties": {shapeCount, anyDraft, false}, "required": {shapeNames, anyDraft, false},

	"allOf": {shapeSchemas, anyDraft, false}, "anyOf": {shapeSchemas, anyDraft, false}, "oneOf": {shapeSchemas, anyDraft, false}, "not": {shapeSchema, anyDraft, false},
	"if": {shapeSchema, anyDraft, false}, "then": {shapeSchema, anyDraft, false}, "else": {shapeSchema, anyDraft, false},
	"properties": {shapeSchemaMap, anyDraft, false}, "patternProperties": {shapeSchemaMap, anyDraft, false},
	"additionalProperties": {shapeSchema, anyDraft, false}, "propertyNames": {shapeSchema, anyDraft, false},
	"items": {shapeItems, anyDraft, false}, "additionalItems": {shapeSchema, Draft7, false}, "prefixItems": {shapeSchemas, Draft2020, false},
	"contains": {shapeSchema, anyDraft, false}, "minContains": {shapeCount, Draft2020, false}, "maxContains": {shapeCount, Draft2020, false},
	"dependencies": {shapeDepends, anyDraft, false}, "dependentRequired": {shapeNameMap, Draft2020, false}, "dependentSchemas": {shapeSchemaMap, Draft2020, false},
	"unevaluatedProperties": {shapeSchema, Draft2020, false}, "unevaluatedItems": {shapeSchema, Draft2020, false},
}

// typeNames are the types of both drafts.
var typeNames = []string{"null", "boolean", "integer", "number", "string", "array", "object"}

// parsed is one schema taken apart: its members in their order. A boolean has none.
type parsed struct {
	raw     []byte
	members []parsedMember
}

type parsedMember struct {
	name string
	raw  []byte
}

func (p *parsed) get(name string) []byte {
	for i := range p.members {
		if p.members[i].name == name {
			return p.members[i].raw
		}
	}
	return nil
}

func (p *parsed) has(names ...string) bool {
	for _, name := range names {
		if p.get(name) != nil {
			return true
		}
	}
	return false
}

// parseSchema takes a schema apart and sees that it, and every schema in it, has keywords of the right form.
func parseSchema(raw []byte, draft Draft) (*parsed, *ConvertError) {
	if err := dialect(raw, draft, ""); err != nil {
		return nil, err
	}
	return parse(raw, draft, "")
}

func malformed(at, word, want string, raw []byte) *ConvertError {
	return &ConvertError{CannotRead, at, word, word + " must be " + want + ", not " + snippet(raw)}
}

func parse(raw []byte, draft Draft, at string) (*parsed, *ConvertError) {
	p := &parsed{raw: raw}
	switch jsonwire.KindOf(raw) {
	case jsonwire.Bool:
		return p, nil
	case jsonwire.Object:
	default:
		return nil, &ConvertError{CannotRead, at, "", "a schema must be an object or a boolean, not " + snippet(raw)}
	}
	members(raw, func(name string, v []byte) { p.members = append(p.members, parsedMember{name, v}) })
	refers := draft == Draft7 && p.has("$ref")
	for _, m := range p.members {
		if refers && m.name != "$ref" && m.name != "definitions" && m.name != "$defs" {
			continue // in draft-07 what stands beside $ref means nothing
		}
		k, known := keywords[m.name]
		if !known || k.in&draft == 0 {
			continue
		}
		if err := checkShape(m.name, k.shape, m.raw, draft, pointer(at, m.name)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func checkShape(word string, s shape, v []byte, draft Draft, at string) *ConvertError {
	kind := jsonwire.KindOf(v)
	var err *ConvertError
	ok := true
	schema := func(at string, v []byte) {
		if err == nil {
			_, err = parse(v, draft, at)
		}
	}
	switch s {
	case shapeString:
		ok = kind == jsonwire.String
	case shapeBool:
		ok = kind == jsonwire.Bool
	case shapeNumber:
		ok = kind == jsonwire.Number
	case shapePositive:
		ok = kind == jsonwire.Number && jsonwire.Sign(v) > 0
	case shapeCount:
		ok = kind == jsonwire.Number && jsonwire.Sign(v) >= 0 && jsonwire.IsInteger(v)
	case shapeArray:
		ok = kind == jsonwire.Array
	case shapeNames:
		ok = isNames(v)
	case shapeTypes:
		ok = isTypes(v)
	case shapeSchema:
		schema(at, v)
	case shapeItems, shapeSchemas:
		if kind != jsonwire.Array && s == shapeItems {
			schema(at, v)
			break
		}
		ok = kind == jsonwire.Array && (s == shapeItems && draft == Draft7 || s == shapeSchemas && jsonwire.SkipSpace(v, 1) < len(v)-1)
		if ok {
			i := 0
			elements(v, func(v []byte) { schema(pointerItem(at, i), v); i++ })
		}
	case shapeSchemaMap, shapeDepends, shapeNameMap:
		if ok = kind == jsonwire.Object; !ok {
			break
		}
		members(v, func(name string, v []byte) {
			switch {
			case s == shapeNameMap || s == shapeDepends && jsonwire.KindOf(v) == jsonwire.Array:
				if err == nil && !isNames(v) {
					err = malformed(pointer(at, name), word, shapeWords[shapeNameMap], v)
				}
			default:
				schema(pointer(at, name), v)
			}
		})
	}
	if !ok {
		return malformed(at, word, shapeWords[s], v)
	}
	return err
}

func isNames(v []byte) bool {
	if jsonwire.KindOf(v) != jsonwire.Array {
		return false
	}
	seen := map[string]bool{}
	ok := true
	elements(v, func(v []byte) {
		ok = ok && jsonwire.KindOf(v) == jsonwire.String && !seen[decoded(v)]
		if ok {
			seen[decoded(v)] = true
		}
	})
	return ok
}

func isTypes(v []byte) bool {
	if jsonwire.KindOf(v) == jsonwire.String {
		return slices.Contains(typeNames, decoded(v))
	}
	if !isNames(v) {
		return false
	}
	names := texts(v)
	for _, n := range names {
		if !slices.Contains(typeNames, n) {
			return false
		}
	}
	return len(names) > 0
}

// dialect wants $schema, where there is one, to name the draft that a schema is read as.
func dialect(raw []byte, draft Draft, at string) *ConvertError {
	if jsonwire.KindOf(raw) != jsonwire.Object {
		return nil
	}
	v, ok := jsonwire.Lookup(raw, "$schema")
	if !ok || draftOf(v) == draft {
		return nil
	}
	return &ConvertError{CannotDialect, pointer(at, "$schema"), "$schema", "$schema " + snippet(v) + " is not " + draft.String()}
}
