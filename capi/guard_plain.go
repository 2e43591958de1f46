//go:build aicc_guard_plain

package main

// For tests only: the guard without its SA_ONSTACK for SIGCHLD and SIGPROF, to show that their tests fail without it.

// #cgo CFLAGS: -DAICC_GUARD_PLAIN
import "C"
