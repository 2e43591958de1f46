package schema

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"aicc.dev/libaicc/core/jsonwire"
	"github.com/stretchr/testify/require"
)

// choiceSeeds are byte strings that make schemas of many kinds.
func choiceSeeds(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 5))
	for i := range 400 {
		seed := make([]byte, 20+i%180)
		for k := range seed {
			seed[k] = byte(r.Uint32())
		}
		f.Add(seed)
	}
}

// FuzzTwin holds the engine against the plain twin.
func FuzzTwin(f *testing.F) {
	choiceSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) { againstTwin(t, data, 4) })
}

// againstTwin makes one schema and several inputs of choices, and gives how many verdicts it compared.
func againstTwin(t *testing.T, data []byte, inputs int) (compared int) {
	g := chooser{data: data}
	schema := g.root()
	s, err := compile([]byte(schema), Options{Role: Output}, settings{anyRoot: true})
	if err != nil {
		require.Regexp(t, `refers to itself|expand to more`, err.Msg, schema)
		return 0
	}
	root := decode([]byte(schema))
	var c Checker
	for range inputs {
		input := g.value(0)
		ok := s.Check(&c, checked(t, input))
		w := &twin{root: root, steps: 20000}
		want, tired := w.verdict(decode([]byte(input)))
		if tired || c.costly {
			break
		}
		compared++
		if want != ok || ok != (len(c.Faults) == 0) {
			t.Fatalf("the twin says %v, the engine %v\nschema %s\ninput %s\n%s", want, ok, schema, input, c.Message())
		}
	}
	return compared
}

// campaign is how many verdicts to compare, and what to begin with.
func campaign(few int) (goal int, r *rand.Rand) {
	goal = few
	if n, err := strconv.Atoi(os.Getenv("AICC_CAMPAIGN")); err == nil {
		goal = n
	}
	seed := uint64(7)
	if n, err := strconv.ParseUint(os.Getenv("AICC_SEED"), 10, 64); err == nil {
		seed = n
	}
	return goal, rand.New(rand.NewPCG(seed, 11))
}

func choices(r *rand.Rand, data []byte) []byte {
	data = data[:100+r.IntN(500)]
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

// TestTwinAtLength compares AICC_CAMPAIGN verdicts, or a few, without a fuzzer's cost.
func TestTwinAtLength(t *testing.T) {
	goal, r := campaign(10_000)
	data := make([]byte, 600)
	for compared := 0; compared < goal; {
		compared += againstTwin(t, choices(r, data), 16)
	}
}

// TestKaptinlinAtLength compares with kaptinlin/jsonschema. Where the two differ the twin decides, and must say what the engine says.
func TestKaptinlinAtLength(t *testing.T) {
	p := startKaptinlin(t)
	goal, r := campaign(3_000)
	data := make([]byte, 600)
	differ, compared := 0, 0
	for compared < goal {
		g := chooser{data: choices(r, data)}
		schema := g.root()
		s, err := compile([]byte(schema), Options{Role: Output}, settings{anyRoot: true})
		if err != nil {
			continue
		}
		var inputs []string
		for range 16 {
			inputs = append(inputs, g.value(0))
		}
		a := p.ask(t, peerQuestion{Schema: []byte(schema), Inputs: inputs})
		if a.Error != "" {
			continue
		}
		var c Checker
		for i, input := range inputs {
			ok := s.Check(&c, checked(t, input))
			if compared++; ok == (a.Verdicts[i] == '1') || c.costly {
				continue
			}
			differ++
			w := &twin{root: decode([]byte(schema)), steps: 20000}
			want, tired := w.verdict(decode([]byte(input)))
			require.True(t, tired || want == ok, "kaptinlin says %c, the twin %v, the engine %v\nschema %s\ninput %s", a.Verdicts[i], want, ok, schema, input)
		}
	}
	t.Logf("%d verdicts, %d differ from kaptinlin's, in which the twin agrees with the engine", compared, differ)
}

// TestStrictTwin holds strict_input against the twin, for which "unevaluatedProperties": false is written beside every properties.
func TestStrictTwin(t *testing.T) {
	goal, r := campaign(5_000)
	data := make([]byte, 600)
	refused := 0
	for compared := 0; compared < goal; {
		g := chooser{data: choices(r, data), flat: true}
		schema := g.root()
		s, err := compile([]byte(schema), Options{Strict: true}, settings{anyRoot: true})
		if err != nil {
			continue
		}
		w := &twin{root: strictly(decode([]byte(schema)))}
		if o, ok := w.root.(map[string]any); ok {
			defs := o["$defs"].(map[string]any)
			for _, name := range []string{"d0", "d1"} {
				defs["loose"+name] = loosen(decode([]byte(schema)).(map[string]any)["$defs"].(map[string]any)[name])
			}
		}
		loose, err := compile([]byte(schema), Options{NoRepair: true}, settings{anyRoot: true})
		require.Nil(t, err)
		var c Checker
		for range 16 {
			input := g.value(0)
			ok := s.Check(&c, checked(t, input))
			w.steps = 20000
			want, tired := w.verdict(decode([]byte(input)))
			if tired || c.costly {
				break
			}
			compared++
			require.Equal(t, want, ok, "schema %s\ninput %s\n%s", schema, input, c.Message())
			if ok || !loose.Check(&c, []byte(input)) {
				continue
			}
			refused++ // for what is dropped otherwise: and then it is not refused
			value := string(c.Value)
			require.True(t, s.Check(&c, checked(t, value)), "schema %s\ninput %s\nvalue %s\n%s", schema, input, value, c.Message())
		}
	}
	require.Positive(t, refused)
}

// strictly writes what strict_input means into a schema. Names that are only asked for count as declared; contains and propertyNames
// look on from the side.
func strictly(schema any) any {
	s, ok := schema.(map[string]any)
	if !ok {
		return schema
	}
	out := map[string]any{}
	for word, body := range s {
		switch word {
		case "properties", "patternProperties", "$defs":
			members := map[string]any{}
			for name, one := range body.(map[string]any) {
				members[name] = strictly(one)
			}
			body = members
		case "items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems":
			body = strictly(body)
		case "contains":
			body = loosen(body)
		case "prefixItems":
			var list []any
			for _, one := range body.([]any) {
				list = append(list, strictly(one))
			}
			body = list
		}
		out[word] = body
	}
	if props, ok := out["properties"].(map[string]any); ok && s["unevaluatedProperties"] == nil {
		asked, _ := s["required"].([]any)
		needs, _ := s["dependentRequired"].(map[string]any)
		for _, list := range needs {
			asked = append(asked, list.([]any)...)
		}
		known := map[string]any{}
		for _, name := range asked {
			known[name.(string)] = true
		}
		if s["additionalProperties"] == nil {
			for name, one := range known {
				if props[name] == nil && !patterned(s, name) {
					props[name] = one
				}
			}
		}
		out["unevaluatedProperties"] = false
	}
	return out
}

// loosen makes references lead to definitions that are not made strict.
func loosen(schema any) any {
	switch s := schema.(type) {
	case map[string]any:
		out := map[string]any{}
		for word, body := range s {
			if ref, ok := body.(string); ok && word == "$ref" {
				body = "#/$defs/loose" + strings.TrimPrefix(ref, "#/$defs/")
			}
			out[word] = loosen(body)
		}
		return out
	case []any:
		out := make([]any, len(s))
		for i := range s {
			out[i] = loosen(s[i])
		}
		return out
	}
	return schema
}

func patterned(s map[string]any, name string) bool {
	patterns, _ := s["patternProperties"].(map[string]any)
	for p := range patterns {
		if regex(p).MatchString(name) {
			return true
		}
	}
	return false
}

// verdict is the twin's, unless it gave up.
func (w *twin) verdict(v any) (ok, tired bool) {
	defer func() {
		if r := recover(); r == errTwinTired {
			tired = true
		} else if r != nil {
			panic(r)
		}
	}()
	return w.fits(w.root, v), false
}

// FuzzEffectiveValue holds the engine, as an agent's inputs meet it, against itself: however an input is written, the tool gets the same.
func FuzzEffectiveValue(f *testing.F) {
	choiceSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) { againstItself(t, data, 1) })
}

// TestReencodedAtLength does so AICC_CAMPAIGN times, or a few.
func TestReencodedAtLength(t *testing.T) {
	goal, r := campaign(3_000)
	data := make([]byte, 600)
	for compared := 0; compared < goal; compared += 8 {
		againstItself(t, choices(r, data), 8)
	}
}

func againstItself(t *testing.T, data []byte, inputs int) {
	g := chooser{data: data}
	schema := g.root()
	s, err := compile([]byte(schema), Options{}, settings{anyRoot: true})
	if err != nil {
		return
	}
	var c, again Checker
	for range inputs {
		plain := checked(t, g.value(0))
		fits := s.Check(&c, plain)
		value := checked(t, string(c.Value))
		for _, style := range []reencoding{{}, {space: true}, {escape: true, reverse: true}} {
			other := checked(t, style.text(plain))
			require.Equal(t, fits, s.Check(&again, other), "schema %s\ninput %s\nas %s\n%s%s", schema, plain, other, c.Message(), again.Message())
			if fits && !jsonwire.Equal(value, bytes.TrimSpace(again.Value)) {
				t.Fatalf("schema %s\ninput %s gives %s\nas %s gives %s", schema, plain, value, other, again.Value)
			}
		}
	}
}

// reencoding writes a value otherwise: with space, with every letter escaped, with members turned round.
type reencoding struct{ space, escape, reverse bool }

func (e reencoding) text(raw []byte) string {
	pad := ""
	if e.space {
		pad = " \n\t"
	}
	join := func(parts []string, open, end string) string {
		if e.reverse && open == "{" {
			for i, k := 0, len(parts)-1; i < k; i, k = i+1, k-1 {
				parts[i], parts[k] = parts[k], parts[i]
			}
		}
		return pad + open + pad + strings.Join(parts, pad+","+pad) + pad + end + pad
	}
	switch jsonwire.KindOf(raw) {
	case jsonwire.Object:
		var parts []string
		m := jsonwire.ObjectMembers(raw)
		for {
			name, value, more := m.Next()
			if !more {
				return join(parts, "{", "}")
			}
			parts = append(parts, e.text(name)+pad+":"+e.text(value))
		}
	case jsonwire.Array:
		var parts []string
		list := jsonwire.ArrayElements(raw)
		for {
			value, more := list.Next()
			if !more {
				return join(parts, "[", "]")
			}
			parts = append(parts, e.text(value))
		}
	case jsonwire.String:
		if e.escape {
			var b strings.Builder
			for _, r := range text(raw) {
				if r < 0x80 {
					writeEscape(&b, r)
				} else {
					b.WriteRune(r)
				}
			}
			return pad + `"` + b.String() + `"`
		}
	}
	return pad + string(raw)
}

func writeEscape(b *strings.Builder, r rune) {
	const hex = "0123456789abcdef"
	b.WriteString(`\u00`)
	b.WriteByte(hex[r>>4])
	b.WriteByte(hex[r&15])
}

// FuzzAnything gives arbitrary text as schema and as input: nothing may panic, hang, or grow without bound.
func FuzzAnything(f *testing.F) {
	for _, s := range []string{guard, benchSchema, `{"$ref":"#"}`, `{"pattern":"(a*)*b"}`, `{"$id":"x:y","$anchor":"z","$ref":"#z"}`, `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{}],"additionalItems":false}`} {
		f.Add([]byte(s), []byte(benchInput))
	}
	f.Add([]byte(`{"multipleOf":1e-99999}`), []byte(`1e999999`))
	r := rand.New(rand.NewPCG(8, 13))
	for range 60 {
		g := chooser{data: choices(r, make([]byte, 600))}
		f.Add([]byte(g.root()), []byte(g.value(0)))
	}
	f.Fuzz(func(t *testing.T, schema, input []byte) {
		for _, o := range []Options{{}, {Strict: true}, {Role: Output}} {
			s, err := Compile(schema, o)
			if err != nil {
				var bad *CompileError
				require.ErrorAs(t, err, &bad)
				require.LessOrEqual(t, bad.Offset, len(schema)+1)
				continue
			}
			var scan jsonwire.Scanner
			if _, bad := scan.Check(input); bad != nil {
				continue
			}
			var c Checker
			if s.Check(&c, input) {
				require.Empty(t, c.Faults)
				_, bad := scan.Check(c.Value)
				require.Nil(t, bad, "%s", c.Value)
			} else {
				require.NotEmpty(t, c.Faults)
				require.LessOrEqual(t, len(c.Faults), maxFaults)
				require.NotContains(t, strings.Join(strings.Split(c.Message(), "\n"), ""), "\r")
			}
		}
	})
}
