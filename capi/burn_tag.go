//go:build aicc_testburn

package main

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// For tests only: keeps Go's threads busy from the load of the library on, which no C host could ask for.
//
// AICC_TEST_BURN=compute: two goroutines compute and allocate for as long as the process lives.
// AICC_TEST_BURN=fault: one computes; another waits for the file that AICC_TEST_BURN_FILE names, then dereferences nil and recovers, and writes to
// a pipe that nobody reads, 1,000 times each, and removes the file.
func init() {
	switch os.Getenv("AICC_TEST_BURN") {
	case "compute":
		go burn()
		go burn()
	case "fault":
		go burn()
		go func() {
			name := os.Getenv("AICC_TEST_BURN_FILE")
			for _, err := os.Stat(name); err != nil; _, err = os.Stat(name) {
				time.Sleep(time.Millisecond)
			}
			for range 1000 {
				fault(nil)
				breakPipe()
			}
			os.Remove(name)
		}()
	}
}

func burn() {
	var keep [64][]byte
	for n := 0; ; n++ {
		fresh := make([]byte, 512+n%4096)
		for i := range fresh {
			fresh[i] = byte(i * n)
		}
		keep[n%len(keep)] = fresh
		if n%1024 == 0 {
			deep(200)
		}
	}
}

// Deep frames grow and shrink the goroutine's stack, so that an interrupted one is often close to its end.
func deep(n int) int {
	var frame [32]int
	if n == 0 {
		return 0
	}
	frame[n%len(frame)] = deep(n - 1)
	return frame[n%len(frame)] + n
}

//go:noinline
func fault(p *int) {
	defer func() {
		if recover() == nil {
			os.Exit(99)
		}
	}()
	*p = 1
}

func breakPipe() {
	read, write, err := os.Pipe()
	if err != nil {
		os.Exit(98)
	}
	read.Close()
	if _, err = write.Write([]byte{1}); !errors.Is(err, syscall.EPIPE) {
		os.Exit(97)
	}
	write.Close()
}
