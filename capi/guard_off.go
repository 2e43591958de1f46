//go:build aicc_noguard

package main

// For tests only: leaves the signal guard out, to show that its tests fail without it.

// #cgo CFLAGS: -DAICC_NO_GUARD
import "C"
