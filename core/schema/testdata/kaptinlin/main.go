// Command kaptinlin is kaptinlin/jsonschema as a peer of core/schema's tests: one JSON request a line in, one JSON answer a line out.
//
//	{"schema", "draft7", "inputs": [text], "rounds"}  ->  {"error"} or {"verdicts": "10.."} or, with rounds, {"ns": {...}}
//
// It is a process and a module of its own: nothing that libaicc is made of needs this library.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"syscall"

	"github.com/kaptinlin/jsonschema"
)

type request struct {
	Schema json.RawMessage `json:"schema"`
	Draft7 bool            `json:"draft7"`
	Format bool            `json:"format"`
	Inputs []string        `json:"inputs"`
	Rounds int             `json:"rounds"`

	Documents map[string][]byte `json:"documents"`
}

type answer struct {
	Error    string             `json:"error,omitempty"`
	Verdicts string             `json:"verdicts,omitempty"`
	NS       map[string]float64 `json:"ns,omitempty"`
	Fits     bool               `json:"fits,omitempty"`
}

// compiler makes one that knows the documents it is given, and fetches nothing.
func compiler(q *request) *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	clear(c.Loaders)
	c.Loaders["http"] = func(url string) (io.ReadCloser, error) {
		body, ok := q.Documents[url]
		if !ok {
			return nil, errors.New("nothing is fetched")
		}
		return io.NopCloser(bytes.NewReader(body)), nil
	}
	if q.Draft7 {
		c.SetDefaultDialect(jsonschema.Draft7)
	}
	return c.SetAssertFormat(q.Format)
}

func cpu(rounds int, f func()) float64 {
	f()
	from := used()
	for range rounds {
		f()
	}
	return (used() - from) / float64(rounds)
}

// used is the processor time of this process in nanoseconds.
func used() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

func serve(q *request) answer {
	s, err := compiler(q).Compile(q.Schema)
	if err != nil {
		return answer{Error: err.Error()}
	}
	if q.Rounds == 0 {
		verdicts := make([]byte, len(q.Inputs))
		for i, text := range q.Inputs {
			verdicts[i] = '0'
			if s.ValidateJSON([]byte(text)).Valid {
				verdicts[i] = '1'
			}
		}
		return answer{Verdicts: string(verdicts)}
	}
	text := []byte(q.Inputs[0])
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Fits: s.ValidateJSON(text).Valid, NS: map[string]float64{
		"parse":   cpu(q.Rounds, func() { s.ValidateJSON(text) }),
		"only":    cpu(q.Rounds, func() { s.Validate(value) }),
		"compile": cpu(min(q.Rounds, 200), func() { _, _ = compiler(q).Compile(q.Schema) }),
	}}
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	for in.Scan() {
		var q request
		a := answer{}
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			a.Error = err.Error()
		} else {
			a = serve(&q)
		}
		if err := out.Encode(a); err != nil {
			return
		}
	}
}
