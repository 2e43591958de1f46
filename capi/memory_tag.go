//go:build aicc_testmem && unix

package main

import (
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// For tests only: tells a C host what Go's memory does, in a file that both have mapped: AICC_TEST_MEM names it. The host raises the first
// of its eight 64-bit words; the second follows once the others say: objects allocated, bytes of them, collections, forced ones, heap in use.
func init() {
	name := os.Getenv("AICC_TEST_MEM")
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		os.Exit(97)
	}
	page, err := syscall.Mmap(int(f.Fd()), 0, 64, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		os.Exit(96)
	}
	f.Close()
	go tell((*[8]uint64)(unsafe.Pointer(&page[0])))
}

func tell(words *[8]uint64) {
	var m runtime.MemStats
	for {
		asked := atomic.LoadUint64(&words[0])
		if asked != atomic.LoadUint64(&words[1]) {
			runtime.ReadMemStats(&m)
			words[2], words[3], words[4], words[5], words[6] = m.Mallocs, m.TotalAlloc, uint64(m.NumGC), uint64(m.NumForcedGC), m.HeapInuse
			atomic.StoreUint64(&words[1], asked)
		}
		time.Sleep(time.Millisecond)
	}
}
