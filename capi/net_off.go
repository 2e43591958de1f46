//go:build aicc_nonet

package main

// #cgo CFLAGS: -DAICC_NO_NET
import "C"

import "aicc.dev/libaicc/core/bridge"

// This build has no listener, and nothing of Go's that reaches a network.

var noNet = &bridge.Failure{Status: bridge.StatusUnsupported, Message: "this build of the library has no listener: see aicc_features; build it without the tag aicc_nonet, or bring a wire of your own"}

func join(uint64, string, uint32) (wire, *bridge.Failure) { return nil, noNet }

func listen(bridge.Fields) ([]byte, *bridge.Failure)     { return nil, noNet }
func ofListener(int32, uint64) ([]byte, *bridge.Failure) { return nil, noNet }
func endListeners(uint64)                                {}
