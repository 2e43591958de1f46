package main

import (
	"os"
	"syscall"
	"unsafe"
)

// terminal tells a file's width in columns and whether it is a terminal.
func terminal(f *os.File) (width int, ok bool) {
	var size struct{ rows, columns, x, y uint16 }
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), syscall.TIOCGWINSZ, uintptr(unsafe.Pointer(&size)))
	if errno != 0 || size.columns == 0 {
		return 100, errno == 0
	}
	return int(size.columns), true
}
