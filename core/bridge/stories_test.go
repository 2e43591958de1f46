package bridge

import (
	"fmt"
	"math/rand"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// quiet is a testing.TB that notes a failure instead of ending the test, so that a story can be told again, shorter.
type quiet struct {
	testing.TB
	text string
}

func (q *quiet) Errorf(format string, args ...any) { q.text += fmt.Sprintf(format, args...) }
func (q *quiet) FailNow()                          { panic(q) }
func (q *quiet) Helper()                           {}
func (q *quiet) Name() string                      { return "story" }

// recount plays a story and gives what is wrong with it.
func recount(t testing.TB, seed int, ops []op, seen map[string]int) (fault string) {
	q := &quiet{TB: t}
	defer func() {
		if r := recover(); r != nil {
			if fault = q.text; fault == "" {
				fault = fmt.Sprint("panic: ", r)
			}
		}
	}()
	s := newTale(q, seed, seen)
	for i, o := range ops {
		s.do(o)
		if fault := s.compare(); fault != "" {
			return fmt.Sprintf("after step %d, %s %d %d: %s", i, o.do, o.a, o.b, fault)
		}
	}
	return ""
}

// shrink makes a story that is wrong shorter as long as it stays wrong.
func shrink(t testing.TB, seed int, ops []op) []op {
	for size := len(ops) / 2; size > 0; size /= 2 {
		for at := 0; at+size <= len(ops); {
			if shorter := slices.Delete(slices.Clone(ops), at, at+size); recount(t, seed, shorter, map[string]int{}) != "" {
				ops = shorter
			} else {
				at += size
			}
		}
	}
	return ops
}

// TestModel tells random stories to the bridge and to its twin. AICC_MODEL_STORIES says how many.
func TestModel(t *testing.T) {
	stories := 300
	if testing.Short() {
		stories = 100
	}
	if n, err := strconv.Atoi(os.Getenv("AICC_MODEL_STORIES")); err == nil {
		stories = n
	}
	seen := map[string]int{}
	for seed := range stories {
		r := rand.New(rand.NewSource(int64(seed)))
		ops := []op{{"join", 0, 1}}
		for range 20 + r.Intn(100) {
			ops = append(ops, op{opNames[r.Intn(len(opNames))], r.Intn(1000), r.Intn(1000)})
		}
		if recount(t, seed, ops, seen) != "" {
			ops = shrink(t, seed, ops)
			require.Fail(t, "the bridge is not as its twin", "seed %d, %v\n%s", seed, ops, recount(t, seed, ops, seen))
		}
	}
	for _, kind := range richly {
		require.GreaterOrEqual(t, seen[kind], stories/100, "too little of %q in %v", kind, seen)
	}
}

// richly is what the stories must have had their share of, or they would prove little.
var richly = []string{"INIT", "CLOSE", "TICK", "BEAT", "UPDATE", "ERROR session_expired", "ERROR invalid_input", "RESULT ok retryable", "RESULT execution_failed true",
	"RESULT execution_failed false", "RESULT internal_error false", "RESULT invalid_input false", "RESULT session_expired false", "RESULT timeout false", "RESULT timeout true",
	"RESULT tool_unavailable false", "RESULT tool_unavailable true", "RESULT tool_unknown false", "connected", "detached", "resumed", "gone", "let_go", "agent_message", "call",
	"withdrawn timeout", "withdrawn agent", "withdrawn reset", "withdrawn tool", "ended timeout", "ended agent", "ended reset", "ended tool"}
