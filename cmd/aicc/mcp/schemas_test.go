package mcp

import (
	"bytes"
	"encoding/json"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/cmd/aicc/live/livetest"
	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/transport"
)

// What a client may not understand is loosened; the rest stays as it is written.
func TestSchemas(t *testing.T) {
	const any = `{"type":"object"}`
	for _, one := range []struct{ in, input, output string }{
		{`{"type":"object","properties":{"z":{"type":"integer"},"a":{"pattern":"^[a-z\\-]+\\d$"}},"required":["z"]}`, "", ""},
		{``, any, any},
		{`[]`, any, any},
		{`{"type":["object","null"],"minProperties":1}`, `{"minProperties":1,"type":"object"}`, `{"minProperties":1,"type":"object"}`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object"}`, any, any},
		{`{"type":"object","properties":{"a":true,"b":false}}`, `{"properties":{"a":{},"b":{"not":{}}},"type":"object"}`, `{"properties":{"a":{},"b":{"not":{}}},"type":"object"}`},
		{`{"type":"object","properties":7,"required":{"a":1}}`, any, any},
		{`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Cookie"},"x-mcp-header":{"type":"string"}}}`,
			`{"properties":{"a":{"type":"string"},"x-mcp-header":{"type":"string"}},"type":"object"}`, `{"properties":{"a":{"type":"string"},"x-mcp-header":{"type":"string"}},"type":"object"}`},
		{`{"type":"object","properties":{"n":{"const":12345678901234567890,"x-mcp-header":""}}}`, `{"properties":{"n":{"const":12345678901234567890}},"type":"object"}`, `{"properties":{"n":{"const":12345678901234567890}},"type":"object"}`},
		{`{"type":"object","properties":{"a":{"pattern":"(?i)x"}}}`, "", any},
		{`{"type":"object","properties":{"a":{"pattern":"\\-x"}}}`, "", any},
		{`{"type":"object","properties":{"a":{"pattern":"\\_x"}}}`, "", any},
		{`{"type":"object","properties":{"a":{"pattern":"[[:alpha:]]"}}}`, "", any},
		{`{"type":"object","properties":{"a":{"items":[{"pattern":"\\A"}]}}}`, "", any},
		{`{"type":"object","patternProperties":{"\\pN":{}}}`, "", any},
		{`{"type":"object","$id":"https://x.example/a"}`, "", any},
		{`{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{}}}`, "", ""},
		{`{"type":"object","properties":{"a":{"$ref":"https://x.example/a"}}}`, "", any},
		{`{"type":"object","properties":{"pattern":{"enum":["(?i)"]}}}`, "", ""},
	} {
		if one.input == "" {
			one.input = one.in
		}
		if one.output == "" {
			one.output = one.in
		}
		require.Equal(t, one.input, string(decode([]byte(one.in), false)), "input %s", one.in)
		require.Equal(t, one.output, string(decode([]byte(one.in), true)), "output %s", one.in)
	}
}

// Whatever a game calls a schema, the server stands and lists its tools.
func TestStrangeManifest(t *testing.T) {
	y := start(t, transport.Options{})
	f := open(t, y.Address).ready(t)
	c := clients["memory classic"](t, f)
	var tools []livetest.Tool
	for i, s := range []string{`{}`, `{"type":"string"}`, `{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"a b"}}}`, `{"$ref":"#"}`, `{"type":"object","pattern":7}`, `{"oneOf":[{"type":"object"}]}`} {
		tools = append(tools, livetest.Tool{Tool: message.Tool{ID: string(rune('a' + i)), Class: message.Generator, Description: "x\u202e\u0000\ny", InputSchema: []byte(s), OutputSchema: []byte(s)},
			Do: func(*livetest.Character, string) livetest.Answer { return livetest.Answer{Output: `{}`} }})
	}
	y.Change(tools)
	eventually(t, "they are listed", func() bool { return len(c.names()) == len(tools)+1 })
	for _, one := range tools {
		require.NotContains(t, text(c.call(one.ID, `{"a":{}}`)), "panic")
	}
}

func FuzzSchema(f *testing.F) {
	for _, s := range []string{`{}`, `{"type":"object","properties":{"a":{"x-mcp-header":"A","type":"string"},"b":true}}`, `{"properties":{"a":{"properties":{"x-mcp-header":1}}}}`, `[1]`, `{"patternProperties":{"\\_":false}}`, `{"type":"object"}0`} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "x"}, nil)
	f.Fuzz(func(t *testing.T, in []byte, output bool) {
		out := decode(in, output)
		require.Equal(t, "object", at(out, "type"))
		server.AddTool(&sdk.Tool{Name: "x", InputSchema: decode(in, false), OutputSchema: out}, nil) // panics over what it does not take
		require.True(t, bytes.Equal(out, decode(out, output)), "%s", out)
	})
}

func at(text []byte, key string) any {
	var v map[string]any
	_ = json.Unmarshal(text, &v)
	return v[key]
}

func FuzzArguments(f *testing.F) {
	for _, s := range []string{`{}`, `null`, ``, `"{}"`, "\"```json\\n{\\\"a\\\":1}\\n```\"", `"\ud800"`, `[`, `{"a":1,"a":2}`, "\"```{}```\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		before := bytes.Clone(in)
		for _, strict := range []bool{false, true} {
			out, kindly, err := arguments(in, strict)
			require.Equal(t, before, in)
			if err != nil {
				continue
			}
			var s jsonwire.Scanner
			info, fault := s.Check(out)
			require.Nil(t, fault)
			require.Equal(t, jsonwire.Object, info.Kind)
			require.False(t, strict && kindly && !bytes.Equal(bytes.TrimSpace(in), []byte("null")))
		}
	})
}
