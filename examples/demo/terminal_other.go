//go:build !linux

package main

import "os"

// terminal tells whether a file is a terminal, and takes it for 100 columns wide.
func terminal(f *os.File) (width int, ok bool) {
	info, err := f.Stat()
	return 100, err == nil && info.Mode()&os.ModeCharDevice != 0
}
