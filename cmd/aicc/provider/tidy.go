package provider

import (
	"slices"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// tidy leaves references to definitions alone, writes out those to places that the root may have lost, and drops definitions that nothing needs.
func (a *adapter) tidy(root *value) *value {
	root = root.copy()
	root.drop("$comment")
	count := 0
	var walk func(v *value, at string, met []string) *value
	walk = func(v *value, at string, met []string) *value {
		if ref := v.get("$ref").text(); ref != "" && !sure(ref) {
			target := a.follow(ref)
			rest := v.copy()
			rest.drop("$ref")
			why := ""
			switch {
			case target == nil:
				why = "what this refers to is not found"
			case slices.Contains(met, ref):
				why = "this refers to itself by a place that is not kept"
			case count > mostNodes || strings.Count(at, "/") > mostTokens:
				why = "written out, this is too large"
			}
			if why != "" {
				a.lose(at+"/$ref", "$ref", false, "%s: any value is offered", why)
				return walk(rest, at, met)
			}
			target = unnamed(target)
			if m, ok := merge(rest, target); ok {
				rest = m
			} else {
				rest.set("allOf", newArray(append([]*value{target}, listOf(rest, "allOf")...)...))
			}
			return walk(rest, at, append(slices.Clone(met), ref))
		}
		count++
		if slices.Contains(types(v), "array") && !v.has("items") { // which OpenAI refuses: "array schema missing items"
			v = v.copy()
			v.set("items", newObject())
		}
		return below(unnamed(v), at, func(one *value, at string) *value { return walk(one, at, met) })
	}
	root = walk(root, inputAt, nil)
	needed := map[string]bool{}
	var need func(v *value)
	need = func(v *value) {
		if group, name, ok := definition(v.get("$ref").text()); ok && !needed[group+"/"+name] {
			needed[group+"/"+name] = true
			if d := root.get(group).get(name); d != nil {
				need(d)
			}
		}
		if v != root {
			below(v, "", func(one *value, _ string) *value { need(one); return one })
		}
	}
	for i, key := range root.keys {
		if key != "$defs" && key != "definitions" {
			below(newObject(key, root.list[i]), "", func(one *value, _ string) *value { need(one); return one })
		}
	}
	for _, group := range []string{"$defs", "definitions"} {
		all := root.get(group)
		if all == nil {
			continue
		}
		kept := newObject()
		for i, name := range all.keys {
			if needed[group+"/"+name] {
				kept.set(name, all.list[i])
			}
		}
		if root.set(group, kept); len(kept.keys) == 0 {
			root.drop(group)
		}
	}
	return root
}

// sure tells whether a reference finds the same thing wherever the root went: a definition's, by a plain name.
func sure(ref string) bool {
	_, _, ok := definition(ref)
	return ok
}

func definition(ref string) (group, name string, ok bool) {
	rest, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return "", "", false
	}
	group, name, ok = strings.Cut(rest, "/")
	return group, name, ok && (group == "$defs" || group == "definitions") && !strings.ContainsAny(name, "/~%")
}

// rename gives members at the root the names that a provider takes.
func (a *adapter) rename(root *value) *value {
	r := a.format.Rules()
	properties := root.get("properties")
	if r.MaxKey == 0 || properties == nil {
		return root
	}
	renamed := map[string]string{}
	for _, key := range properties.keys {
		if legal(key, r.MaxKey, r.KeySigns) {
			continue
		}
		for again := 0; ; again++ {
			name := mend(key, r.MaxKey, r.KeySigns, false, again)
			if _, taken := a.keys[name]; !taken && !properties.has(name) {
				if a.keys == nil {
					a.keys = map[string]string{}
				}
				a.keys[name], renamed[key] = key, name
				break
			}
		}
	}
	if len(renamed) == 0 {
		return root
	}
	root = root.copy()
	out, required := newObject(), newArray()
	for i, key := range properties.keys {
		one := properties.list[i]
		if name, ok := renamed[key]; ok {
			if one.kind == jsonwire.Object {
				one = one.copy()
				one.set("description", newString(tell(one.get("description").text(), "The game calls it "+quoted(key)+".")))
			}
			key = name
		}
		out.set(key, one)
	}
	root.set("properties", out)
	if names := root.get("required"); names != nil {
		for _, name := range names.texts() {
			if to, ok := renamed[name]; ok {
				name = to
			}
			required.list = append(required.list, newString(name))
		}
		root.set("required", required)
	}
	return root
}

// Restore makes the tool's input of what the model gave: members get their own names back, and a null that stands for "not given" in strict mode goes.
// Text that is no JSON object comes back as it is, for the game to refuse.
func (f *Function) Restore(input []byte) []byte {
	var scanner jsonwire.Scanner
	if info, err := scanner.Check(input); err != nil || info.Kind != jsonwire.Object || len(f.keys) == 0 && !f.Strict {
		return input
	}
	v := parse(input)
	v.list = slices.Clone(v.list)
	if f.Strict {
		v = strip(v, f.root)
	}
	for i, key := range v.keys {
		if name, ok := f.keys[key]; ok && !v.has(name) {
			v.keys[i] = name
		}
	}
	return v.append(nil)
}

// strip leaves out the nulls of members that a strict mode has made required.
func strip(v, s *value) *value {
	if s == nil || s.kind != jsonwire.Object {
		return v
	}
	if union := s.get("anyOf"); union != nil {
		for _, one := range union.list {
			if takes(one, v) {
				return strip(v, one)
			}
		}
		return v
	}
	switch v.kind {
	case jsonwire.Array:
		out := newArray()
		for _, e := range v.list {
			out.list = append(out.list, strip(e, s.get("items")))
		}
		return out
	case jsonwire.Object:
		out := newObject()
		properties := s.get("properties")
		for i, key := range v.keys {
			if v.list[i].kind == jsonwire.Null && properties != nil && slices.Contains(properties.added, key) {
				continue
			}
			out.set(key, strip(v.list[i], properties.get(key)))
		}
		return out
	}
	return v
}

// takes tells whether a value has the type and the members of a branch, which is all that tells branches apart where a grammar has made the value.
func takes(s, v *value) bool {
	kind := v.kind.String()
	if names := types(s); len(names) > 0 && !slices.Contains(names, kind) &&
		!(v.kind == jsonwire.Number && slices.Contains(names, "integer") && jsonwire.IsInteger([]byte(v.raw))) {
		return false
	}
	if e := s.get("enum"); e != nil && !slices.ContainsFunc(e.list, func(one *value) bool { return equal(one, v) }) {
		return false
	}
	if v.kind != jsonwire.Object {
		return true
	}
	for _, name := range s.get("required").texts() {
		if !v.has(name) {
			return false
		}
	}
	for i, key := range v.keys {
		p := s.get("properties").get(key)
		if p == nil || !takes(p, v.list[i]) {
			return false
		}
	}
	return true
}
