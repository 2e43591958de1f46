//go:build linux && (amd64 || arm64) && !aicc_noguard

package main

// Within this library the name sigaction is guard.c's, so that Go cannot change the host's handlers.

// #cgo LDFLAGS: -Wl,--wrap=sigaction
import "C"
