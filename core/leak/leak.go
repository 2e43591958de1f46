// Package leak is for TestMain: whatever a package's tests did, nothing of it may run when all are through.
package leak

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"strings"
	"time"
)

// patience is how long goroutines have to end after the last test.
const patience = 10 * time.Second

// Check waits until no goroutine but the caller's is in what one of the parts of names says, "core/transport." for instance. Where some
// stay it shows all stacks. It gives the status to end with; one that is not 0 already stays as it is.
func Check(code int, parts ...string) int {
	for end := time.Now().Add(patience); code == 0; runtime.Gosched() {
		http.DefaultClient.CloseIdleConnections()
		stacks := others()
		if !containsAny(stacks, parts) {
			return 0
		}
		if time.Now().After(end) {
			fmt.Fprintln(os.Stderr, "goroutines are left:\n"+stacks)
			return 1
		}
	}
	return code
}

// others are the stacks of all goroutines but this one, which comes first.
func others() string {
	buf := make([]byte, 1<<20)
	_, rest, _ := strings.Cut(string(buf[:runtime.Stack(buf, true)]), "\n\n")
	return rest
}

func containsAny(s string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}
