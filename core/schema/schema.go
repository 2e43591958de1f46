package schema

import (
	"aicc.dev/libaicc/core/jsonwire"
)

// Role says which way the values of a schema travel.
type Role uint8

// Inputs come from agents: defaults, undeclared members and repair concern them alone.
const (
	Input Role = iota
	Output
)

// Options of Compile.
type Options struct {
	Strict   bool // an undeclared member is a fault (DESIGN 5.8)
	NoRepair bool // leave slips as they are (DESIGN 5.16); Strict does so too
	Role     Role
}

// Schema is a compiled schema. It does not change: any number of goroutines may check with it, each with its own Checker.
type Schema struct {
	text     []byte
	root     *node
	strict   bool
	repairs  bool
	input    bool
	keeps    bool // one value may be looked at by several schemas that declare members
	rechecks bool // what is dropped or filled in may break a rule elsewhere
}

// What no text means.
const (
	noInput   = `{"type":"object","additionalProperties":false}`
	anyOutput = `{"type":"object"}`
)

// Compile makes a Schema of JSON Schema text. The error is a *CompileError. No text at all means: an
// input takes no members, an output may be any object.
func Compile(text []byte, o Options) (*Schema, error) {
	if len(text) == 0 {
		text = []byte(noInput)
		if o.Role == Output {
			text = []byte(anyOutput)
		}
	}
	s, err := compile(text, o, settings{})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// settings are for tests: the official suite wants other documents, and format as an annotation.
type settings struct {
	documents map[string][]byte
	annotate  bool
	anyRoot   bool
	draft7    bool // without $schema
}

func compile(text []byte, o Options, set settings) (*Schema, *CompileError) {
	if len(text) > maxSchemaBytes {
		return nil, &CompileError{Msg: "a schema may have 262144 bytes, this one has " + string(jsonwire.AppendInt(nil, int64(len(text))))}
	}
	c := &compiler{known: set.documents, annotate: set.annotate, draft7: set.draft7, resources: map[string]*resource{}, regexes: regexBudget{maxRegexSize, maxRegexWork}}
	res, err := c.document(text, "")
	if err == nil {
		err = c.resolve()
	}
	if err != nil {
		return nil, err
	}
	root := c.main.nodes[res.at.off]
	if root, err = c.settle(root, o.Role); err != nil {
		return nil, err
	}
	if !set.anyRoot && jsonwire.KindOf(res.at.raw) != jsonwire.Object {
		return nil, fail(res.at, "", "a tool's schema must be an object, not %s", kindName(res.at.raw))
	}
	if !set.anyRoot && !takesObject(root, 0) {
		return nil, fail(res.at, "", "this schema accepts no object, and inputs and outputs are objects")
	}
	s := &Schema{
		text:    jsonwire.AppendCompact(nil, res.at.raw),
		root:    root,
		strict:  o.Strict && o.Role == Input,
		repairs: !o.Strict && !o.NoRepair && o.Role == Input,
		input:   o.Role == Input,
	}
	for _, n := range c.all {
		s.keeps = s.keeps || n.place != nil && s.input
		s.rechecks = s.rechecks || n.comparesMembers()
		n.where = nil
		if !c.dynamic {
			n.res = nil
		}
	}
	if s.input {
		s.fillIn(s.root, map[*node]bool{}, new(Checker))
	}
	return s, nil
}

// JSON is the schema's text without white space, as it goes into a manifest.
func (s *Schema) JSON() []byte { return s.text }
