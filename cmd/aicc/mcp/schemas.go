package mcp

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// decode makes a schema ready for all clients. One that a client cannot read costs it the whole list, not the one tool: the official TypeScript
// client asks for an object at the root and in each of the root's properties, and compiles the schemas of outputs, patterns and all, when it lists
// tools. So what is not sure to be understood is loosened: the game checks inputs and outputs by its own schema anyway.
func decode(text []byte, output bool) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var root map[string]any
	if !json.Valid(text) || d.Decode(&root) != nil || root == nil {
		root, text = map[string]any{}, nil
	}
	before, _ := json.Marshal(root)
	c := cleaner{output: output}
	c.schema(root)
	if c.doubtful {
		root = map[string]any{}
	}
	delete(root, "$schema")
	root["type"] = "object"
	if _, ok := root["properties"].(map[string]any); !ok {
		delete(root, "properties")
	}
	if _, ok := root["required"].([]any); !ok {
		delete(root, "required")
	}
	after, _ := json.Marshal(root)
	if bytes.Equal(before, after) {
		return text // with its members in their order
	}
	return after
}

// cleaner walks a schema.
type cleaner struct {
	output   bool
	doubtful bool // some client may not be able to compile it
}

var mapsOfSchemas = []string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}

func (c *cleaner) schema(s map[string]any) {
	delete(s, "x-mcp-header") // would have clients copy arguments into headers
	for key, v := range s {
		switch v := v.(type) {
		case map[string]any:
			if isMap(key) {
				c.schemas(key, v)
			} else if key != "const" && key != "default" {
				c.schema(v)
			}
		case []any:
			if key != "enum" && key != "examples" && key != "required" && key != "const" && key != "default" {
				for _, one := range v {
					if m, ok := one.(map[string]any); ok {
						c.schema(m)
					}
				}
			}
		case string:
			c.keyword(key, v)
		}
	}
}

func isMap(key string) bool {
	for _, k := range mapsOfSchemas {
		if key == k {
			return true
		}
	}
	return false
}

func (c *cleaner) schemas(key string, all map[string]any) {
	for name, v := range all {
		if key == "patternProperties" {
			c.keyword("pattern", name)
		}
		switch v := v.(type) {
		case map[string]any:
			c.schema(v)
		case bool: // says the same as
			all[name] = map[string]any{}
			if !v {
				all[name] = map[string]any{"not": map[string]any{}}
			}
		}
	}
}

// dialects are parts of patterns that not every engine knows, or not alike: flags and names in groups, classes by name, escapes of letters
// other than the plain ones, and escapes that a strict engine refuses.
var dialects = regexp.MustCompile(`\(\?([^:=!]|$)|\[\[?:|\\[^dDwWsSbBnrtfv.*+?^$()\[\]{}|/\\-]|&&|--`)

func (c *cleaner) keyword(key, v string) {
	switch key {
	case "pattern":
		c.doubtful = c.doubtful || c.output && (dialects.MatchString(v) || strings.Contains(outsideClasses(v), `\-`))
	case "$id", "id", "$anchor", "$dynamicRef", "$recursiveRef": // two tools may use the same, and a client has one table for all
		c.doubtful = c.doubtful || c.output
	case "$ref":
		c.doubtful = c.doubtful || c.output && !strings.HasPrefix(v, "#/") && v != "#"
	}
}

// outsideClasses is a pattern without its [...].
func outsideClasses(p string) string {
	var b strings.Builder
	in := false
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '\\' && i+1 < len(p):
			if !in {
				b.WriteString(p[i : i+2])
			}
			i++
		case p[i] == '[' && !in:
			in = true
		case p[i] == ']' && in:
			in = false
		case !in:
			b.WriteByte(p[i])
		}
	}
	return b.String()
}
