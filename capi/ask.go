package main

/*
#include "core.h"

#cgo noescape aicc_core_ask
#cgo nocallback aicc_core_ask
#cgo noescape aicc_core_reply_text
#cgo nocallback aicc_core_reply_text
*/
import "C"

import (
	"bytes"
	"fmt"
	"unsafe"

	"aicc.dev/libaicc/core/bridge"
)

// answerAsks takes what is asked outside of any bridge. Each is answered on a goroutine of its own, so that no bridge waits for it.
func answerAsks() {
	for {
		var kind C.int32_t
		var n C.size_t
		var waiter C.uint64_t
		p := C.aicc_core_ask(&kind, &n, &waiter)
		if p == nil {
			return
		}
		data := bytes.Clone(unsafe.Slice((*byte)(p), int(n)))
		if kind == C.AICC_ASK_SHUTDOWN { // at once: what is asked next may be the port that this frees
			if f, ok := bridge.ParseFields(data); ok {
				endListeners(uint64(f.Int(0)))
			}
			continue
		}
		go reply(uint64(waiter), func() ([]byte, *bridge.Failure) { return answer(int32(kind), data) })
	}
}

// answer gives a text, or says why not.
func answer(kind int32, data []byte) ([]byte, *bridge.Failure) {
	if f, ok := bridge.ParseFields(data); ok {
		switch kind {
		case C.AICC_ASK_VALIDATE:
			return nil, validate(f)
		case C.AICC_ASK_IMPORT:
			return importTool(f)
		case C.AICC_ASK_LISTEN:
			return listen(f)
		case C.AICC_ASK_ADDRESS, C.AICC_ASK_INSPECTOR, C.AICC_ASK_UNLISTEN:
			return ofListener(int32(kind), uint64(f.Int(0)))
		}
	}
	if kind == C.AICC_ASK_LAYOUT {
		return defineLayout(data)
	}
	return nil, &bridge.Failure{Status: bridge.StatusInternal, Message: fmt.Sprintf("the core was asked what it does not know of: %d", kind)}
}

// reply answers who waits. A panic is a fault of this library, which must not cost the game.
func reply(waiter uint64, produce func() ([]byte, *bridge.Failure)) {
	var out []byte
	var failure *bridge.Failure
	func() {
		defer func() {
			if p := recover(); p != nil {
				failure = &bridge.Failure{Status: bridge.StatusInternal, Message: fmt.Sprintf("internal fault: %v", p)}
			}
		}()
		out, failure = produce()
	}()
	if failure != nil {
		var e C.aicc_error
		fill(&e, failure)
		C.aicc_core_reply(C.uint64_t(waiter), &e)
		return
	}
	p, n := text(out)
	C.aicc_core_reply_text(C.uint64_t(waiter), p, n)
}
