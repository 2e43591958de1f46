// Command capi is libaicc: the C front (*.c) and the actor that joins it to core/bridge (*.go), built with -buildmode=c-shared.
//
// No function here is exported and C never calls Go. A goroutine that starts when the library loads waits in C for records, steps the
// bridges that they belong to, and hands what comes of it to the front, where the engine finds it when it pumps.
package main

/*
#cgo CFLAGS: -std=gnu11 -O2 -DAICC_BUILD -fvisibility=hidden -fexceptions -Wall -Wextra -Wshadow -Wno-unused-parameter
#cgo linux LDFLAGS: -lpthread
#include "core.h"

#cgo noescape aicc_core_wait
#cgo nocallback aicc_core_wait
#cgo noescape aicc_core_config
#cgo nocallback aicc_core_config
*/
import "C"

import (
	"runtime"
	"runtime/debug"
	"sync"
)

func main() {}

// defaultThreads is how many threads work for the core at once until aicc_configure says otherwise.
const defaultThreads = 2

func init() {
	runtime.GOMAXPROCS(defaultThreads)
	go run()
}

// core is all that the library knows of its bridges. Only run and the workers it waits for touch it.
type core struct {
	actors     map[uint32]*actor
	configured bool
	workers    int
	jobs       chan *actor
	done       sync.WaitGroup // of the jobs; here, since on the stack it would be allocated each time
	ready      [64]C.uint32_t
}

func run() {
	c := &core{actors: make(map[uint32]*actor), jobs: make(chan *actor)}
	for {
		n := int(C.aicc_core_wait(&c.ready[0], C.int32_t(len(c.ready))))
		ready := c.ready[:n]
		if ready[0] == 0 { // what is asked outside of any bridge comes first
			answerAsks()
			ready = ready[1:]
		}
		c.work(ready)
	}
}

// work steps the bridges that are ready: one here, more side by side on as many threads as the host allows.
func (c *core) work(slots []C.uint32_t) {
	for i, slot := range slots {
		a := c.actors[uint32(slot)]
		if a == nil {
			c.configure()
			a = newActor(uint32(slot))
			c.actors[uint32(slot)] = a
		}
		if i == len(slots)-1 || c.workers == 0 {
			a.turn()
			continue
		}
		c.done.Add(1)
		c.jobs <- a
	}
	c.done.Wait()
	for _, slot := range slots {
		if a := c.actors[uint32(slot)]; a.ended {
			delete(c.actors, uint32(slot))
			a.release()
		}
	}
}

// configure takes over the process options with the first bridge.
func (c *core) configure() {
	if c.configured {
		return
	}
	c.configured = true
	var o C.aicc_process_options
	C.aicc_core_config(&o)
	runtime.GOMAXPROCS(int(o.max_threads))
	debug.SetMemoryLimit(int64(o.memory_limit))
	c.workers = int(o.max_threads) - 1
	for range c.workers {
		go func() {
			for a := range c.jobs {
				a.turn()
				c.done.Done()
			}
		}()
	}
}
