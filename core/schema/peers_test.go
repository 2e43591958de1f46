package schema

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A peer is another validator in a process of its own, which a test holds this package against.
type peer struct {
	in  io.Writer
	out *bufio.Reader
}

type peerQuestion struct {
	Schema json.RawMessage `json:"schema"`
	Draft7 bool            `json:"draft7"`
	Format bool            `json:"format"`
	Inputs []string        `json:"inputs"`
	Rounds int             `json:"rounds,omitempty"`
	All    bool            `json:"all,omitempty"` // find all faults, where the peer can be told to

	Documents map[string][]byte `json:"documents,omitempty"` // for references
}

type peerAnswer struct {
	Error    string
	Verdicts string
	NS       struct{ Parse, Only, Compile float64 }
	Fits     bool
}

// lacking skips a test whose peer cannot run here, and fails it where everything must be.
func lacking(t testing.TB, name, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatalf("peer %s: %s", name, why)
	}
	t.Skipf("peer %s: %s", name, why)
}

func startPeer(t testing.TB, cmd []string, env ...string) *peer {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	c := exec.CommandContext(ctx, cmd[0], cmd[1:]...)
	c.Env = append(os.Environ(), env...)
	c.Stderr = os.Stderr
	in, err := c.StdinPipe()
	require.NoError(t, err)
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = c.Wait()
		cancel()
	})
	return &peer{in, bufio.NewReaderSize(out, 1<<20)}
}

func (p *peer) ask(t testing.TB, q peerQuestion) peerAnswer {
	t.Helper()
	line, err := json.Marshal(q)
	require.NoError(t, err)
	_, err = p.in.Write(append(line, '\n'))
	require.NoError(t, err)
	line, err = p.out.ReadBytes('\n')
	require.NoError(t, err)
	var a peerAnswer
	require.NoError(t, json.Unmarshal(line, &a), string(line))
	return a
}

func startAJV(t testing.TB) *peer {
	node, err := exec.LookPath("node")
	if err != nil {
		lacking(t, "ajv", "node is not installed")
	}
	for _, dir := range []string{os.Getenv("AICC_NODE_MODULES"), filepath.Join("testdata", "ajv", "node_modules")} {
		if _, err := os.Stat(filepath.Join(dir, "ajv")); dir == "" || err != nil {
			continue
		}
		dir, err = filepath.Abs(dir)
		require.NoError(t, err)
		return startPeer(t, []string{node, filepath.Join("testdata", "ajv", "peer.js")}, "AICC_NODE_MODULES="+dir)
	}
	lacking(t, "ajv", "no node_modules: run npm ci in core/schema/testdata/ajv, or set AICC_NODE_MODULES")
	return nil
}

func startKaptinlin(t testing.TB) *peer {
	program := filepath.Join(t.TempDir(), "kaptinlin")
	build := exec.Command("go", "build", "-o", program, ".")
	build.Dir = filepath.Join("testdata", "kaptinlin")
	build.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly")
	if out, err := build.CombinedOutput(); err != nil {
		lacking(t, "kaptinlin", "it does not build: "+string(out))
	}
	return startPeer(t, []string{program})
}

func startRapidJSON(t testing.TB) *peer {
	compiler, err := exec.LookPath("g++")
	if err != nil {
		lacking(t, "rapidjson", "there is no C++ compiler")
	}
	program := filepath.Join(t.TempDir(), "rapidjson")
	build := exec.Command(compiler, "-O2", "-DNDEBUG", "-std=c++17", "-o", program, filepath.Join("testdata", "rapidjson", "peer.cpp"))
	if out, err := build.CombinedOutput(); err != nil {
		lacking(t, "rapidjson", "it does not build (Debian's rapidjson-dev): "+string(out))
	}
	return startPeer(t, []string{program})
}
