package main

import (
	"aicc.dev/libaicc/core/bridge"
	"aicc.dev/libaicc/core/layout"
)

// layouts are the process's: bridges find theirs by number.
var layouts layout.Set

var layoutStatus = map[layout.FaultKind]bridge.Status{
	layout.BadArgument: bridge.StatusArg, layout.BadName: bridge.StatusName, layout.TooMany: bridge.StatusFull,
}

// defineLayout gives a layout's program and its schema, one behind the other.
func defineLayout(wire []byte) ([]byte, *bridge.Failure) {
	l, fault := layouts.Define(wire)
	if fault != nil {
		return nil, &bridge.Failure{Status: layoutStatus[fault.Kind], Field: fault.Where(), Message: fault.Text()}
	}
	return append(l.Program(nil), l.Schema()...), nil
}
