package schema

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCostIsBounded gives the engine what would take long if work were not counted. The verdicts are exact; that the
// test ends is the rest of it.
func TestCostIsBounded(t *testing.T) {
	items := func(item string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	nest := func(open, end, in string, n int) string { return strings.Repeat(open, n) + in + strings.Repeat(end, n) }
	numbered := func(name, value string, n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(`"` + name + strconv.Itoa(i) + `":` + value + ",")
		}
		return "{" + strings.TrimSuffix(b.String(), ",") + "}"
	}
	long := strings.Repeat("abcdefghij", 5)
	const most = 1<<20 - 16
	for _, one := range []struct {
		name, schema, input string
		fits, costly        bool
	}{
		{"recursive anyOf", `{"anyOf":[{"type":"string"},{"items":{"$ref":"#"},"minItems":2},{"items":{"$ref":"#"},"maxItems":0},{"items":{"$ref":"#"},"contains":{"$ref":"#"}},{"items":{"$ref":"#"},"type":"array"}]}`, nest("[", "]", "1", 40), false, true},
		{"recursive oneOf", `{"oneOf":[{"type":"string"},{"items":{"$ref":"#"}},{"items":{"$ref":"#"}}]}`, nest("[", "]", `"x"`, 60), false, true},
		{"recursive contains", `{"$ref":"#/$defs/n","$defs":{"n":{"type":["array","integer"],"contains":{"$ref":"#/$defs/n"},"items":{"$ref":"#/$defs/n"}}}}`, nest("[", "]", "1", 60), false, true},
		{"the same twice at each depth", `{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}],"$defs":{"a":{"properties":{"k":{"allOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/a"}]}}}}}`, nest(`{"k":`, "}", "1", 60), false, true},
		{"a pattern that backtracks elsewhere", `{"properties":{"a":{"pattern":"^(x+x+)+y"}}}`, `{"a":"` + strings.Repeat("x", most) + `"}`, false, false},
		{"a large pattern without a table", `{"properties":{"a":{"pattern":"\\b(x+x+){100}y"}}}`, `{"a":"` + strings.Repeat("x", most) + `"}`, false, true},
		{"a pattern whose table would be huge", `{"properties":{"a":{"items":{"pattern":"(a|b)*a(a|b){60}c"}}}}`, `{"a":` + items(`"`+strings.Repeat("ab", 500)+`"`, 100) + `}`, false, false},
		{"unique objects", `{"properties":{"a":{"uniqueItems":true}}}`, `{"a":` + items(`{"a":[1,2,3]}`, 70000) + `}`, false, false},
		{"an enum of many objects", `{"properties":{"a":{"items":{"enum":` + items(`{"k":[1,2,3,4,5]}`, 3000) + `}}}}`, `{"a":` + items(`{"k":[1,2,3,4,6]}`, 50000) + `}`, false, false},
		{"a number of a million digits", `{"properties":{"a":{"multipleOf":7,"minimum":1}}}`, `{"a":` + strings.Repeat("7", most) + `}`, true, false},
		{"huge exponents", `{"items":{"multipleOf":0.01,"maximum":3}}`, items("-1e999999999999999999999", 40000), true, false},
		{"huge exponents below", `{"items":{"multipleOf":0.01,"maximum":3}}`, items("1e-999999999999999999999", 40000), false, false},
		{"faults without number", `{"items":{"type":"integer","minimum":3}}`, items(`"x"`, 250000), false, false},
		{"misspelt members without number", `{"type":"object","properties":` + numbered(long+"x", "{}", 3500) + `,"additionalProperties":false}`, numbered(long+"y", "1", 15000), false, false},
		{"many members", `{"type":"object","properties":{"k1":{}},"dependentRequired":{"k1":["k2"],"k59999":["k1","k3"]}}`, numbered("k", "1", 60000), true, false},
		{"many members, marked", `{"allOf":[{"properties":{"k1":{}}},{"anyOf":[{"patternProperties":{"1$":{}}},{"patternProperties":{"2$":{}}}]}],"unevaluatedProperties":{"type":"integer"}}`, numbered("k", "1", 60000), true, false},
		{"a dynamic reference that comes back to itself", `{"$id":"x:a","$dynamicAnchor":"n","$ref":"x:b","$defs":{"b":{"$id":"x:b","$defs":{"n":{"$dynamicAnchor":"n"}},"$dynamicRef":"#n"}}}`, `{"a":"` + strings.Repeat("x", most) + `"}`, false, true},
		{"a long name", `{"propertyNames":{"pattern":"^a{1,300}$"},"patternProperties":{"b+":{},"c+d":{}}}`, `{"` + strings.Repeat("a", most) + `":1}`, false, false},
	} {
		s, err := compile([]byte(one.schema), Options{}, settings{anyRoot: true})
		require.Nil(t, err, one.name)
		var c Checker
		require.Equal(t, one.fits, s.Check(&c, checked(t, one.input)), one.name)
		require.Equal(t, one.costly, c.costly, one.name)
		if one.costly {
			require.Equal(t, "(root): wanted a value that can be checked in fewer steps: this one is too costly; got "+strconv.Itoa(len(one.input))+" bytes", c.Message())
		}
		require.LessOrEqual(t, len(c.Message()), 16*(maxWant+maxPointer+4*80+40))
	}
}

// TestStepsPerByte keeps what real tools need far under the budget, so that nobody meets it by accident.
func TestStepsPerByte(t *testing.T) {
	for _, s := range toolSchemas(t) {
		compiled, cerr := compile(s.text, Options{}, settings{anyRoot: true})
		require.Nil(t, cerr)
		inputs, _, _ := toolPairs(s)
		var c Checker
		for _, in := range inputs {
			compiled.Check(&c, []byte(in))
			require.False(t, c.costly, s.name)
			require.LessOrEqual(t, leastSteps-c.steps, 200+4*len(in), "%s: %s", s.name, in)
		}
	}
}
