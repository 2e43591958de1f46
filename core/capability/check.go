package capability

import (
	_ "embed"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/schema"
)

//go:embed anp2.cap.v1.json
var formText []byte

// form is the schema itself. It is a part of this package, so that it compiles is no matter of input.
var form = sync.OnceValue(func() *schema.Schema {
	s, err := schema.Compile(formText, schema.Options{Role: schema.Output})
	if err != nil {
		panic("capability: anp2.cap.v1.json: " + err.Error())
	}
	return s
})

// Verdict is what Validate found.
type Verdict struct {
	Faults         []Fault // sorted by pointer; at most 16 of the schema's, and all of the prose's
	More           int     // faults beyond those listed
	Passed         []Fault // Lenient: what a strict look would have refused
	LoneSurrogates int     // escapes that are read as U+FFFD
}

// OK tells whether nothing is wrong.
func (v *Verdict) OK() bool { return len(v.Faults) == 0 }

// Err is the faults as an *Error, nil when there are none.
func (v *Verdict) Err() error {
	if v.OK() {
		return nil
	}
	return &Error{Faults: v.Faults, More: v.More}
}

// Validate holds a text against the schema, and against its prose. Where the prose adds nothing, and always
// when Lenient, the verdict is the schema's with format asserted.
func Validate(text []byte, how Strictness) Verdict {
	var scan jsonwire.Scanner
	info, bad := scan.Check(text)
	if bad != nil {
		return Verdict{Faults: []Fault{{bad.Pointer, RuleJSON, "one JSON value", bad.Error()}}}
	}
	v := Verdict{LoneSurrogates: info.LoneSurrogates}
	var c schema.Checker
	if !form().Check(&c, text) {
		v.More = c.More
		for _, f := range c.Faults {
			v.Faults = append(v.Faults, Fault{f.Pointer, f.Keyword, f.Want, f.Got})
		}
	}
	prose := proseFaults(text[info.Start:info.End])
	if how == Lenient {
		v.Passed = prose
		return v
	}
	v.Faults = append(v.Faults, prose...)
	slices.SortStableFunc(v.Faults, func(a, b Fault) int { return strings.Compare(a.Pointer, b.Pointer) })
	return v
}

var (
	nameForm     = regexp.MustCompile(`\A[a-z0-9_]+(\.[a-z0-9_]+){0,5}\z`)
	versionForm  = regexp.MustCompile(`\A[0-9]+\.[0-9]+\z`)
	versionProse = regexp.MustCompile(`\A(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\z`)
	tagForm      = regexp.MustCompile(`\A[a-z0-9-]+\z`)
	tagProse     = regexp.MustCompile(`\A[a-z0-9]+(-[a-z0-9]+)*\z`)
	modeProse    = regexp.MustCompile(`\A(\*|[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*)/(\*|[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]*)[ \t]*(;.*)?\z`)
	currencyLong = regexp.MustCompile(`\A[A-Z]{4}\z`)
)

// proseFaults are the breaches of what the schema says in words only. A value that breaks the schema too is the schema's to name.
func proseFaults(doc []byte) []Fault {
	if jsonwire.KindOf(doc) != jsonwire.Object {
		return nil
	}
	var p prose
	members(doc, func(name string, v []byte) {
		at := "/" + name
		switch name {
		case "name":
			p.name(at, v)
		case "version":
			p.match(at, RuleVersion, v, versionForm, versionProse, "two numbers without leading zeros, MAJOR.MINOR")
		case "tags":
			p.each(at, v, func(at string, v []byte) {
				p.match(at, RuleTag, v, tagForm, tagProse, "a tag in kebab-case, such as night-watch")
			})
		case "input_modes", "output_modes":
			p.each(at, v, func(at string, v []byte) { p.match(at, RuleMode, v, nil, modeProse, "a MIME type such as text/plain") })
		case "input_schema", "output_schema":
			p.schema(at, v)
		case "pricing":
			p.currency(at, v)
		case "extensions":
			p.each(at, v, p.params)
		}
	})
	return p.faults
}

type prose struct{ faults []Fault }

func (p *prose) fault(at, rule, want, got string) {
	p.faults = append(p.faults, Fault{at, rule, want, got})
}

func (p *prose) each(at string, v []byte, f func(at string, v []byte)) {
	if jsonwire.KindOf(v) != jsonwire.Array {
		return
	}
	i := 0
	elements(v, func(v []byte) {
		f(at+"/"+strconv.Itoa(i), v)
		i++
	})
}

// match wants a string that has the schema's form to have the stricter one.
func (p *prose) match(at, rule string, v []byte, form, stricter *regexp.Regexp, want string) {
	if jsonwire.KindOf(v) != jsonwire.String {
		return
	}
	s := decoded(v)
	if (form == nil || form.MatchString(s)) && !stricter.MatchString(s) {
		p.fault(at, rule, want, snippet(v))
	}
}

func (p *prose) name(at string, v []byte) {
	if jsonwire.KindOf(v) != jsonwire.String || !nameForm.MatchString(decoded(v)) {
		return
	}
	root, _, deeper := strings.Cut(decoded(v), ".")
	if !slices.Contains(Roots, root) || root == "x" && !deeper {
		p.fault(at, RuleRoot, "a name that begins with "+strings.Join(Roots[:len(Roots)-1], ", ")+", or with x and a level below it", snippet(v))
	}
}

func (p *prose) currency(at string, v []byte) {
	if jsonwire.KindOf(v) != jsonwire.Object {
		return
	}
	if c, ok := jsonwire.Lookup(v, "currency"); ok && jsonwire.KindOf(c) == jsonwire.String {
		if s := decoded(c); currencyLong.MatchString(s) && s != "USDC" {
			p.fault(at+"/currency", RuleCurrency, "an ISO 4217 code, or BTC, ETH, USDC, SOL or SAT", snippet(c))
		}
	}
}

func (p *prose) params(at string, v []byte) {
	if jsonwire.KindOf(v) != jsonwire.Object {
		return
	}
	if params, ok := jsonwire.Lookup(v, "params"); ok && jsonwire.KindOf(params) == jsonwire.Object {
		if n := len(jsonwire.AppendCompact(nil, params)); n > MaxParamsBytes {
			p.fault(at+"/params", RuleParams, "params of at most "+strconv.Itoa(MaxParamsBytes)+" bytes without white space", strconv.Itoa(n)+" bytes")
		}
	}
}

// schema wants a payload's schema to be one of draft-07: by its $schema, and in the form of its keywords.
func (p *prose) schema(at string, v []byte) {
	if jsonwire.KindOf(v) != jsonwire.Object {
		return
	}
	if _, err := parseSchema(v, Draft7); err != nil {
		p.fault(at+err.Pointer, RuleDialect, "a JSON Schema of draft-07", err.Msg)
	}
}
