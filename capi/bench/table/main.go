// Command table prints what events and calls cost, each as a ratio to a reference that is measured in the same run, beside its budget.
//
// It compiles and runs capi/bench/events.c, which is the engine's thread, and cpp/reference.cpp, which is the same work by other libraries, and runs
// benchmarks of the core. A verdict that is not good makes it exit with 1, unless -smoke.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// row is one line: what is measured over what it is measured by.
type row struct {
	what, of, by, reference string
	budget                  float64 // 0: none, for information
}

var rows = []row{
	{"emit, 1,000 structs of 32 bytes in one call", "emit_1000", "memcpy_1000", "memcpy of the same", 12},
	{"emit, one struct to 1,000 sessions", "emit_same", "memcpy_1000", "memcpy of 1,000", 0},
	{"emit, 1,000 sessions where nobody listens", "emit_deaf", "memcpy_1000", "memcpy of 1,000", 0},
	{"due, 1,000 sessions", "due_1000", "memcpy_1000", "memcpy of 1,000", 0},
	{"one such event encoded, its id included", "encode", "rapidjson_event", "RapidJSON Writer", 0.35},
	{"  the same", "encode", "snprintf_event", "snprintf", 0},
	{"  the same", "encode", "nlohmann_event", "nlohmann, build and dump", 0},
	{"one event, step to hand-over, 1,000 sessions", "core_event", "rapidjson_event", "RapidJSON Writer alone", 0},
	{"pump with nothing to do, 10,000 sessions", "idle_many", "idle_one", "the same with one", 1.2},
	{"tool call, receipt to result, the core alone", "core_call", "rapidjson_call", "RapidJSON, SchemaValidator", 0.5},
}

func main() {
	lib := flag.String("lib", "build/lib", "folder of libaicc.so")
	smoke := flag.Bool("smoke", false, "see only that it runs")
	flag.Parse()
	figures, err := measure(*lib, *smoke)
	if err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
	if over := print(figures); over > 0 && !*smoke {
		os.Exit(1)
	}
}

func print(figures map[string]float64) (over int) {
	fmt.Printf("%-48s %8s  %-30s %8s  %s\n", "what", "ratio", "of", "budget", "verdict")
	for _, r := range rows {
		ratio := figures[r.of] / figures[r.by]
		budget, verdict := "", "for information"
		if r.budget > 0 {
			budget = fmt.Sprintf("%.2fx", r.budget)
			verdict = fmt.Sprintf("within its budget, at %.0f %% of it", 100*ratio/r.budget)
			if ratio > r.budget {
				verdict = fmt.Sprintf("over its budget, by %.0f %%", 100*(ratio/r.budget-1))
				over++
			}
		}
		fmt.Printf("%-48s %7.2fx  %-30s %8s  %s\n", r.what, ratio, r.reference, budget, verdict)
	}
	fmt.Printf("%-48s %7.1fx  %-30s %8s  p99 %.1fx, p99.9 %.1fx, max %.0fx\n", "engine's frame of 2,000 structs, the core busy: p50", figures["frame_p50"]/figures["memcpy_1000"],
		"memcpy of 1,000", "", figures["frame_p99"]/figures["memcpy_1000"], figures["frame_p999"]/figures["memcpy_1000"], figures["frame_max"]/figures["memcpy_1000"])
	fmt.Printf("  of %.0f such frames %.0f waited for a lock, in %.0f the system ran another thread meanwhile; %.0f of the emissions found the queue full\n",
		figures["frames"], figures["frame_waited"], figures["frame_preempted"], figures["frame_dropped"])
	fmt.Println("allocations and collections: go test ./capi/ctest/events -run 'TestNothingIsAllocated|TestNoCollection' -v")
	return over
}

func measure(lib string, smoke bool) (map[string]float64, error) {
	dir, err := os.MkdirTemp("", "aicc-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if lib, err = filepath.Abs(lib); err != nil {
		return nil, err
	}
	host, reference := filepath.Join(dir, "events"), filepath.Join(dir, "reference")
	cc, cxx := compiler("CC", "cc"), compiler("CXX", "c++")
	hostArgs, rounds, time := []string{"--figures"}, "100000", "1s"
	if smoke {
		hostArgs, rounds, time = append(hostArgs, "--smoke"), "100", "10x"
	}
	figures := map[string]float64{}
	for _, step := range []struct {
		command []string
		read    func(string, map[string]float64) error
	}{
		{append(cc, "-std=gnu11", "-O2", "-Wall", "-Iinclude", "-o", host, "capi/bench/events.c", "-L"+lib, "-laicc", "-lpthread", "-Wl,-rpath,"+lib), nil},
		{append(cxx, "-std=c++17", "-O2", "-DNDEBUG", "-o", reference, "capi/bench/table/cpp/reference.cpp"), nil},
		{append([]string{host}, hostArgs...), readFigures},
		{[]string{reference, rounds}, readFigures},
		{[]string{"go", "test", "-run", "^$", "-bench", "^BenchmarkEvent$/short_floats", "-benchtime", time, "./core/layout"}, readBench("encode", `([\d.]+) ns/event`)},
		{[]string{"go", "test", "-run", "^$", "-bench", "^BenchmarkProcessorEvent$", "-benchtime", time, "./core/bridge"}, readBench("core_event", `([\d.]+) cpu-ns/each`)},
		{[]string{"go", "test", "-run", "^$", "-bench", "^BenchmarkProcessorCall$", "-benchtime", time, "./core/bridge"}, readBench("core_call", `([\d.]+) cpu-ns/each`)},
	} {
		out, err := exec.Command(step.command[0], step.command[1:]...).CombinedOutput()
		if err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", strings.Join(step.command, " "), err, out)
		}
		if step.read != nil {
			if err := step.read(string(out), figures); err != nil {
				return nil, err
			}
		}
	}
	return figures, nil
}

// compiler is a command from the environment, which may have arguments of its own.
func compiler(variable, otherwise string) []string {
	if words := strings.Fields(os.Getenv(variable)); len(words) > 0 {
		return words
	}
	return []string{otherwise}
}

// readFigures takes lines of a name and nanoseconds.
func readFigures(out string, figures map[string]float64) error {
	for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
		name, value, _ := strings.Cut(line, " ")
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return fmt.Errorf("no figure: %q", line)
		}
		figures[name] = n
	}
	return nil
}

func readBench(name, pattern string) func(string, map[string]float64) error {
	form := regexp.MustCompile(pattern)
	return func(out string, figures map[string]float64) error {
		m := form.FindStringSubmatch(out)
		if m == nil {
			return fmt.Errorf("no figure for %s in:\n%s", name, out)
		}
		var err error
		figures[name], err = strconv.ParseFloat(m[1], 64)
		return err
	}
}
