package capability

import (
	"slices"

	"aicc.dev/libaicc/core/jsonwire"
)

// A document says {"type":"null"} where there is no payload; on the wire there is always an object. The object
// that says the same is {"type":"object","maxProperties":0}, and goes back as null. Annotations ride along.

func beside(name string) bool {
	return slices.Contains([]string{"$schema", "$id", "$comment", "title", "description", "deprecated", "readOnly", "writeOnly"}, name)
}

func isNullPayload(text []byte) bool {
	if jsonwire.KindOf(text) != jsonwire.Object {
		return false
	}
	t, ok := jsonwire.Lookup(text, "type")
	if ok && jsonwire.KindOf(t) == jsonwire.Array {
		list := jsonwire.ArrayElements(t)
		t, _ = list.Next()
		_, more := list.Next()
		ok = !more
	}
	return ok && jsonwire.KindOf(t) == jsonwire.String && jsonwire.TextEquals(t, "null")
}

// fromNullPayload gives the object that stands for a null payload; nil when the payload is no null.
func fromNullPayload(text []byte) ([]byte, *ConvertError) {
	if !isNullPayload(text) {
		return nil, nil
	}
	out := object()
	var err *ConvertError
	members(text, func(name string, v []byte) {
		switch {
		case name == "type":
			out.put("type", leafText("object")).put("maxProperties", leaf([]byte("0")))
		case beside(name):
			out.put(name, leaf(v))
		case err == nil:
			err = &ConvertError{CannotNull, pointer("", name), name, name + " beside the type null: there is no object that means the same"}
		}
	})
	return out.append(nil), err
}

// toNullPayload gives the null that a schema came from, or may have; nil when it takes anything but the empty object.
func toNullPayload(text []byte) []byte {
	if jsonwire.KindOf(text) != jsonwire.Object {
		return nil
	}
	out := object()
	typed, bounded, other := false, false, false
	members(text, func(name string, v []byte) {
		switch {
		case name == "type" && jsonwire.KindOf(v) == jsonwire.String && jsonwire.TextEquals(v, "object"):
			typed = true
			out.put("type", leafText("null"))
		case name == "maxProperties" && jsonwire.Sign(v) == 0:
			bounded = true
		case beside(name):
			out.put(name, leaf(v))
		default:
			other = true
		}
	})
	if !typed || !bounded || other {
		return nil
	}
	return out.append(nil)
}

// asDraft7 puts a $schema to a schema of draft-07 that has none, for core/schema.
func asDraft7(text []byte) []byte {
	if jsonwire.KindOf(text) != jsonwire.Object || declared(text) == Draft7 {
		return text
	}
	out := object().put("$schema", leafText(uri7))
	members(text, func(name string, v []byte) { out.put(name, leaf(v)) })
	return out.append(nil)
}
