package provider

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/message"
)

func chain(n int, form, last string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"d%d":%s,`, i, strings.ReplaceAll(form, "%", fmt.Sprintf("#/$defs/d%d", i+1)))
	}
	fmt.Fprintf(&b, `"d%d":%s`, n, last)
	return b.String()
}

func many(n int, form string) string {
	var list []string
	for i := range n {
		list = append(list, strings.ReplaceAll(form, "%", fmt.Sprint(i)))
	}
	return strings.Join(list, ",")
}

// Schemas made to cost. What they are written as does not matter; that it is soon does.
func TestHostileSchemasEnd(t *testing.T) {
	for name, s := range map[string]string{
		"allOf doubles":        `{"$ref":"#/$defs/d0","$defs":{` + chain(11, `{"allOf":[{"$ref":"%"},{"$ref":"%"}]}`, `{"properties":{"a":{"type":"integer"}}}`) + `}}`,
		"anyOf doubles":        `{"properties":{"v":{"$ref":"#/$defs/d0"}},"$defs":{` + chain(11, `{"anyOf":[{"$ref":"%"},{"$ref":"%"}]}`, `{"type":"integer"}`) + `}}`,
		"anyOf at the root":    `{"$ref":"#/$defs/d0","$defs":{` + chain(11, `{"anyOf":[{"$ref":"%"},{"$ref":"%"}]}`, `{"properties":{"a":{"type":"integer"}}}`) + `}}`,
		"members double":       `{"$ref":"#/$defs/d0","$defs":{` + chain(11, `{"type":"object","properties":{"a":{"$ref":"%"},"b":{"$ref":"%"}}}`, `{"type":"integer"}`) + `}}`,
		"a long chain":         `{"$ref":"#/$defs/d0","$defs":{` + chain(500, `{"properties":{"a":{"$ref":"%"}}}`, `{"type":"integer"}`) + `}}`,
		"a chain in place":     `{"$ref":"#/$defs/d0","$defs":{` + chain(500, `{"$ref":"%"}`, `{"properties":{"a":{"type":"integer"}}}`) + `}}`,
		"wide and many":        `{"anyOf":[` + many(250, `{"required":["p%"]}`) + `],"properties":{` + many(250, `"p%":{"type":"integer"}`) + `}}`,
		"wide, many, inside":   `{"properties":{"v":{"type":"object","anyOf":[` + many(250, `{"required":["p%"]}`) + `],"properties":{` + many(250, `"p%":{"type":"integer"}`) + `}}}}`,
		"wide, many, closed":   `{"properties":{"v":{"type":"object","additionalProperties":false,"allOf":[` + many(120, `{"additionalProperties":false,"properties":{`+many(5, `"q%":{}`)+`}}`) + `],"properties":{` + many(250, `"p%":{"type":"integer"}`) + `}}}}`,
		"values":               `{"properties":{"v":{"allOf":[{"enum":[` + many(1200, `"a%"`) + `]},{"enum":[` + many(1200, `"a%"`) + `,"b"]}]}}}`,
		"branches alike":       `{"properties":{"v":{"oneOf":[` + many(600, `{"type":"object","properties":{"k":{"const":%}},"required":["k"]}`) + `]}}}`,
		"a tree of many":       `{"properties":{"t":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"object","properties":{` + many(60, `"k%":{"$ref":"#/$defs/t"}`) + `}}}}`,
		"each other":           `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"$ref":"#/$defs/b"}]},"b":{"properties":{"x":{"$ref":"#/$defs/a"},"y":{"$ref":"#/$defs/a"}}}}}`,
		"references to places": `{"properties":{"a":{"$ref":"#/properties/b"},"b":{"properties":{"x":{"$ref":"#/properties/a"},"y":{"$ref":"#/properties/a"},"z":{"$ref":"#/properties/c"}}},"c":{"items":{"$ref":"#/properties/b"}}}}`,
	} {
		tools := []message.Tool{{ID: "try", Class: message.Actuator, Description: "Tries.", InputSchema: []byte(s)}}
		for _, f := range Formats() {
			for _, strict := range []bool{false, true} {
				start := time.Now()
				l := Export(f, tools, Options{Strict: strict})
				took := time.Since(start)
				t.Logf("%-22s %-10s %-5v %7d bytes, %d losses, %s", name, f, strict, len(l.JSON()), len(l.Losses), took.Round(time.Millisecond))
				require.Less(t, took, 10*time.Second, name)
				if took < 2*time.Second {
					checkList(t, l)
				}
			}
		}
	}
}
