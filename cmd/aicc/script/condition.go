package script

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"aicc.dev/libaicc/cmd/aicc/script/phrase"
	"aicc.dev/libaicc/core/jsonwire"
)

// condition is PATH [OP VALUE].
type condition struct {
	path  string
	op    string // "": it is there, and neither null nor false
	value phrase.Word
}

var operators = []string{"==", "!=", "<", "<=", ">", ">=", "has", "like", "exists", "missing"}

func parseCondition(words []phrase.Word) (*condition, error) {
	if len(words) == 0 {
		return nil, fmt.Errorf("what to look at is not said: a path like it.at.0")
	}
	c := &condition{path: words[0].Text}
	if _, ok := phrase.Path(c.path); !ok {
		if strings.ContainsAny(c.path, "=<>!") {
			return nil, fmt.Errorf("%q is no path: put spaces around the comparison", short(c.path))
		}
		return nil, fmt.Errorf("%q is no path: a name, then .member or .number", short(c.path))
	}
	if len(words) == 1 {
		return c, nil
	}
	c.op = words[1].Text
	want := 3
	if c.op == "exists" || c.op == "missing" {
		want = 2
	}
	switch {
	case !slices.Contains(operators, c.op):
		return nil, fmt.Errorf("%q compares nothing: there are %s", short(c.op), strings.Join(operators, " "))
	case len(words) < want:
		return nil, fmt.Errorf("a value is missing behind %s", c.op)
	case len(words) > want:
		return nil, fmt.Errorf("%q is too much: put text with spaces into quotes", short(words[want].Text))
	}
	if want == 3 {
		c.value = words[2]
	}
	return c, nil
}

// loose is the value of a word: JSON where it is that, else the word itself.
func loose(w phrase.Word, variables phrase.Lookup) ([]byte, error) {
	if v, err := phrase.Value(w.Text, w.At, true, variables); err == nil {
		return v, nil
	} else if strings.ContainsAny(w.Text[:1], `{["$`) {
		return nil, err
	}
	return phrase.Value(w.Text, w.At, false, variables)
}

// holds says whether it does, and when not, why.
func (c *condition) holds(variables phrase.Lookup) (ok bool, why string, err error) {
	have, missing := variables(c.path)
	switch c.op {
	case "exists":
		return missing == nil, fmt.Sprint(missing), nil
	case "missing":
		return missing != nil, fmt.Sprintf("%s is %s", c.path, shortValue(have)), nil
	}
	if missing != nil {
		return false, missing.Error(), nil
	}
	why = fmt.Sprintf("%s is %s", c.path, shortValue(have))
	if c.op == "" {
		return !bytes.Equal(have, []byte("false")) && !bytes.Equal(have, []byte("null")), why, nil
	}
	want, err := loose(c.value, variables)
	if err != nil {
		return false, "", err
	}
	switch c.op {
	case "==":
		return jsonwire.Equal(have, want), why, nil
	case "!=":
		return !jsonwire.Equal(have, want), why, nil
	case "has":
		ok, err = has(have, want)
		return ok, why, err
	case "like":
		ok = like(have, want)
		return ok, why, nil
	}
	if jsonwire.KindOf(have) != jsonwire.Number || jsonwire.KindOf(want) != jsonwire.Number {
		return false, why + ", and only numbers are less or greater", nil
	}
	n := jsonwire.CompareNumbers(have, want)
	switch c.op {
	case "<":
		ok = n < 0
	case "<=":
		ok = n <= 0
	case ">":
		ok = n > 0
	default:
		ok = n >= 0
	}
	return ok, why, nil
}

// has says whether a part is in it: an element of an array, a name of an object, a piece of a text.
func has(whole, part []byte) (bool, error) {
	switch jsonwire.KindOf(whole) {
	case jsonwire.Array:
		elements := jsonwire.ArrayElements(whole)
		for one, ok := elements.Next(); ok; one, ok = elements.Next() {
			if jsonwire.Equal(one, part) {
				return true, nil
			}
		}
		return false, nil
	case jsonwire.Object:
		if jsonwire.KindOf(part) != jsonwire.String {
			return false, nil
		}
		_, ok := jsonwire.Lookup(whole, string(jsonwire.Text(part, new([]byte))))
		return ok, nil
	case jsonwire.String:
		if jsonwire.KindOf(part) != jsonwire.String {
			return false, nil
		}
		return bytes.Contains(jsonwire.Text(whole, new([]byte)), jsonwire.Text(part, new([]byte))), nil
	}
	return false, nil
}

// like says whether a value has what another one names: an object those members, like them; anything else is the same.
func like(have, want []byte) bool {
	if jsonwire.KindOf(want) != jsonwire.Object {
		return jsonwire.Equal(have, want)
	}
	if jsonwire.KindOf(have) != jsonwire.Object {
		return false
	}
	members := jsonwire.ObjectMembers(want)
	for name, one, ok := members.Next(); ok; name, one, ok = members.Next() {
		mine, there := jsonwire.Lookup(have, string(jsonwire.Text(name, new([]byte))))
		if !there || !like(mine, one) {
			return false
		}
	}
	return true
}

// descend follows a path's parts into a value.
func descend(value []byte, name string, parts []string) ([]byte, error) {
	for _, part := range parts {
		switch jsonwire.KindOf(value) {
		case jsonwire.Object:
			next, ok := jsonwire.Lookup(value, part)
			if !ok {
				return nil, fmt.Errorf("%s has no %s: it is %s", name, part, shortValue(value))
			}
			value = next
		case jsonwire.Array:
			n, err := strconv.Atoi(part)
			count := 0
			var found []byte
			elements := jsonwire.ArrayElements(value)
			for one, ok := elements.Next(); ok; one, ok = elements.Next() {
				if err == nil && count == n {
					found = one
				}
				count++
			}
			if part == "length" {
				found = jsonwire.AppendInt(nil, int64(count))
			}
			if found == nil {
				return nil, fmt.Errorf("%s has no %s: it is an array of %d", name, part, count)
			}
			value = found
		default:
			return nil, fmt.Errorf("%s has no %s: it is %s", name, part, shortValue(value))
		}
		name += "." + part
	}
	return value, nil
}

// shortValue is a value as text for people.
func shortValue(v []byte) string {
	const most = 200
	if len(v) > most {
		return strings.ToValidUTF8(string(v[:most]), "") + "..."
	}
	return string(v)
}
