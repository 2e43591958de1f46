package mcp

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"aicc.dev/libaicc/core/jsonwire"
)

// arguments are what a client gave a tool as the object that the game wants. kindly says that a string, or nothing, was taken for one.
func arguments(raw []byte, strict bool) (text []byte, kindly bool, err error) {
	text = bytes.TrimSpace(raw)
	if len(text) == 0 || string(text) == "null" {
		return []byte("{}"), len(text) > 0, nil
	}
	text = bytes.Clone(text)
	jsonwire.MendSurrogates(text)
	info, err := check(text)
	if err != nil {
		return nil, false, err
	}
	if info.Kind == jsonwire.String && !strict {
		var inner []byte
		inner, _ = jsonwire.AppendUnquoted(inner, text)
		if inner = unfenced(inner); len(inner) == 0 {
			return []byte("{}"), true, nil
		}
		jsonwire.MendSurrogates(inner)
		info, err := check(inner)
		switch {
		case err == nil && info.Kind == jsonwire.Object:
			return inner, true, nil
		case err != nil && inner[0] == '{':
			return nil, false, fmt.Errorf("(root): wanted an object; got a string, and in it %w", err)
		}
		return nil, false, errors.New("(root): wanted an object; got a string that is none")
	}
	if info.Kind != jsonwire.Object {
		return nil, false, fmt.Errorf("(root): wanted an object; got %s", info.Kind)
	}
	return text, false, nil
}

func check(text []byte) (jsonwire.Info, error) {
	var s jsonwire.Scanner
	info, fault := s.Check(text)
	if fault != nil && fault.Msg == jsonwire.DuplicateMember {
		return info, fmt.Errorf("%s: this member stands in the arguments twice (again at byte %d): give it once", fault.Pointer, fault.Offset)
	}
	if fault != nil {
		return info, fmt.Errorf("the arguments are not JSON that the game takes: %w", fault)
	}
	return info, nil
}

// unfenced is text without the marks of a block of code around it.
func unfenced(text []byte) []byte {
	s := strings.TrimSpace(string(text))
	if rest, ok := strings.CutPrefix(s, "```"); ok {
		if first, body, ok := strings.Cut(rest, "\n"); ok && !strings.ContainsAny(first, "{}") {
			rest = body
		}
		s = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "```"))
	}
	return []byte(s)
}
