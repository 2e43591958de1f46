// Package godot_test builds the addon and runs it in the real engine: its own tests, its help, its package, and the demo played by an agent.
package godot_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"image"
	_ "image/png"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/capi/ctest"
)

// What is made once: the engine's folder, and BUILD with the addon, its package, the demo and the command.
var made struct {
	once               sync.Once
	why                string // there is none: the tests are skipped
	failed             string
	godot, build, aicc string
	packedOutput       string
}

func TestMain(m *testing.M) {
	code := m.Run()
	ctest.Clean()
	if made.build != "" {
		_ = os.RemoveAll(made.build)
	}
	os.Exit(code)
}

// engine gives the folder of the real engine, the build folder, and skips by name where Godot cannot be had.
func engine(t *testing.T) (godot, build string) {
	t.Helper()
	ctest.Need(t, "g++", "g++")
	made.once.Do(func() { prepare(t) })
	if made.failed != "" {
		t.Fatal(made.failed)
	}
	if made.why != "" {
		if os.Getenv("CI") == "true" {
			t.Fatal(made.why)
		}
		t.Skip(made.why)
	}
	return made.godot, made.build
}

func prepare(t *testing.T) {
	made.failed = "the addon was not built: see the first test that failed"
	root := exec.Command("./root.sh")
	var lines, errors bytes.Buffer
	root.Stdout, root.Stderr = &lines, &errors
	if err := root.Run(); err != nil {
		made.failed = ""
		made.why = "root.sh: " + strings.TrimSpace(errors.String())
		if root.ProcessState.ExitCode() != 3 {
			made.failed = made.why
		}
		return
	}
	made.godot = strings.TrimSpace(lines.String())

	build, err := os.MkdirTemp("", "aicc-godot-")
	require.NoError(t, err)
	made.build = build
	lib := ctest.Library(t, ctest.Plain)
	platform := filepath.Join(build, "godot/bin/linux.x86_64")
	require.NoError(t, os.MkdirAll(platform, 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(build, "lib"), 0o755))
	copyFile(t, filepath.Join(lib, "libaicc.so.0"), filepath.Join(platform, "libaicc.so.0"))
	for _, name := range []string{"libaicc.so", "libaicc.so.0"} {
		copyFile(t, filepath.Join(lib, "libaicc.so.0"), filepath.Join(build, "lib", name))
	}
	require.NoError(t, os.CopyFS(filepath.Join(build, "include"), os.DirFS(filepath.Join(ctest.Root(), "include"))))
	ctest.Run(t, ".", nil, 10*time.Minute, "./build.sh", build)
	made.packedOutput = ctest.Run(t, ".", nil, 5*time.Minute, "./package.sh", build)
	made.aicc = filepath.Join(build, "aicc")
	ctest.Run(t, ctest.Root(), nil, 5*time.Minute, "go", "build", "-o", made.aicc, "./cmd/aicc")
	made.failed = ""
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, text, 0o755))
}

// complaints are the lines in which the engine says that something is wrong. What it says of its own screen and audio on a machine without is not meant.
func complaints(output string) (found []string) {
	for _, line := range strings.Split(output, "\n") {
		if trouble.MatchString(line) && !strings.Contains(line, "V-Sync mode") {
			found = append(found, line)
		}
	}
	return found
}

var trouble = regexp.MustCompile(`(?i)\b(ERROR|WARNING)\b:|leaked|ObjectDB instances|Orphan StringName|Program crashed|^aicc: `)

// run runs the engine to its end. HOME is a folder of the test's own, so that nothing of the user's is read or written.
func run(t *testing.T, program string, arguments ...string) (string, error) {
	t.Helper()
	return ctest.Try(".", environment(t), limit, program, arguments...)
}

// Two cores may be busy with other things.
const limit = 3 * time.Minute

func environment(t *testing.T) []string {
	home := t.TempDir()
	return append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_DATA_HOME="+home, "XDG_CACHE_HOME="+home, "XDG_RUNTIME_DIR="+home, "AICC_GODOT_ROOT="+made.godot)
}

// project is a copy of a folder with the addon in it, which a test may write to.
func project(t *testing.T, build, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "project")
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
	if _, err := os.Stat(filepath.Join(to, "addons/aicc")); err != nil {
		require.NoError(t, os.CopyFS(filepath.Join(to, "addons"), os.DirFS(filepath.Join(build, "godot/addons"))))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(to, ".godot"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(to, ".godot/extension_list.cfg"), []byte("res://addons/aicc/aicc.gdextension\n"), 0o644))
	return to
}

// A running is an engine whose output is read while it runs.
type running struct {
	cmd  *exec.Cmd
	mu   sync.Mutex
	text bytes.Buffer
	more chan struct{}
	done chan struct{}
	err  error
}

func (r *running) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case r.more <- struct{}{}:
	default:
	}
	return r.text.Write(p)
}

func (r *running) said() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func start(t *testing.T, program string, arguments ...string) *running {
	t.Helper()
	r := &running{cmd: exec.Command(program, arguments...), more: make(chan struct{}, 1), done: make(chan struct{})}
	r.cmd.Env, r.cmd.Stdout, r.cmd.Stderr = environment(t), r, r
	require.NoError(t, r.cmd.Start())
	go func() {
		r.err = r.cmd.Wait()
		close(r.done)
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		<-r.done
	})
	return r
}

// address is where the game says that it listens.
func (r *running) address(t *testing.T) string {
	t.Helper()
	end := time.After(time.Minute)
	for {
		if found := listens.FindStringSubmatch(r.said()); found != nil {
			return found[1]
		}
		select {
		case <-r.more:
		case <-r.done:
			t.Fatalf("the game ended before it listened: %v\n%s", r.err, r.said())
		case <-end:
			t.Fatalf("the game does not listen:\n%s", r.said())
		}
	}
}

func (r *running) wait(t *testing.T) {
	t.Helper()
	select {
	case <-r.done:
	case <-time.After(time.Minute):
		t.Fatalf("the game does not end:\n%s", r.said())
	}
}

var listens = regexp.MustCompile(`(?m)^listens at (ws://\S+)$`)

// The same script, and the same character: the guard in C and the one in Godot do the same things in the same order.
func TestDemoIsPlayedByAnAgent(t *testing.T) {
	godot, build := engine(t)
	game := start(t, filepath.Join(godot, "godot"), "--headless", "--path", project(t, build, filepath.Join(build, "godot/demo")), "--", "--port", "0", "--tell", "--once")
	out := ctest.Run(t, ".", nil, 2*time.Minute, made.aicc, "agent", game.address(t), "--wait", "10s", "--character", "guard", "--script", "testdata/night.aicc")
	require.Contains(t, out, "holds: ")
	game.wait(t)
	require.NoError(t, game.err, game.said())
	require.Empty(t, complaints(game.said()), game.said())

	inC := ctest.Game(t)
	ctest.Run(t, ".", nil, 2*time.Minute, made.aicc, "agent", inC.URL, "--script", "testdata/night.aicc")
	require.Eventually(t, func() bool { return strings.Contains(inC.Told(), "stops where he is") }, 10*time.Second, 10*time.Millisecond, inC.Told)
	require.Equal(t, told(inC.Told()), told(game.said()))
}

// told is what the guard has done. Where a look falls between two steps of a walk is not the same in each run, what it tells is.
func told(output string) (did []string) {
	for _, line := range strings.Split(output, "\n") {
		if strings.HasPrefix(line, "guard: ") {
			did = append(did, line)
		}
	}
	return did
}

func TestDemoWithoutAnAgentGoesItsRounds(t *testing.T) {
	godot, build := engine(t)
	out, err := run(t, filepath.Join(godot, "godot"), "--headless", "--path", project(t, build, filepath.Join(build, "godot/demo")), "--fixed-fps", "20", "--quit-after", "1600", "--",
		"--port", "0", "--tell")
	require.NoError(t, err, out)
	require.Empty(t, complaints(out), out)
	require.Contains(t, out, "alone: the night is over", out)
}

func TestDemoIsSeen(t *testing.T) {
	godot, build := engine(t)
	file := filepath.Join(t.TempDir(), "seen.png")
	out, err := run(t, filepath.Join(godot, "godot-screen"), "--path", project(t, build, filepath.Join(build, "godot/demo")), "--", "--screenshot", file)
	require.NoError(t, err, out)
	require.Empty(t, complaints(out), out)
	text, err := os.ReadFile(file)
	require.NoError(t, err, out)
	seen, _, err := image.Decode(bytes.NewReader(text))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, 1280, 720), seen.Bounds())
	colours, warm := map[any]bool{}, 0
	for y := 0; y < 720; y += 2 {
		for x := 0; x < 1280; x += 2 {
			r, _, b, _ := seen.At(x, y).RGBA()
			colours[seen.At(x, y)] = true
			if r > 0x9000 && r > b+b/2 {
				warm++
			}
		}
	}
	require.Greater(t, len(colours), 2000, "a picture with hardly any colours")
	require.Greater(t, warm, 500, "where is the light of the lantern?")
}

func TestPackage(t *testing.T) {
	_, build := engine(t)
	file, err := filepath.Glob(filepath.Join(build, "godot/aicc-godot-*.zip"))
	require.NoError(t, err)
	require.Len(t, file, 1)
	first, err := os.ReadFile(file[0])
	require.NoError(t, err)
	packed, err := zip.NewReader(bytes.NewReader(first), int64(len(first)))
	require.NoError(t, err)
	var names []string
	for _, entry := range packed.File {
		names = append(names, entry.Name)
	}
	want := []string{"addons/aicc/LICENSES.txt", "addons/aicc/README.md", "addons/aicc/aicc.gdextension", "addons/aicc/bin/linux.x86_64/libaicc.so.0",
		"addons/aicc/bin/linux.x86_64/libaicc_godot.so"}
	for _, class := range classes {
		want = append(want, "addons/aicc/icons/"+class+".svg", "addons/aicc/icons/"+class+".svg.import")
	}
	require.Equal(t, want, names)
	for _, platform := range []string{"linux.arm64", "windows.x86_64", "macos.arm64", "macos.x86_64"} {
		require.Contains(t, made.packedOutput, "\n  "+platform+": ", "what is not there is said")
	}
	ctest.Run(t, ".", nil, 5*time.Minute, "./package.sh", build)
	again, err := os.ReadFile(file[0])
	require.NoError(t, err)
	require.Equal(t, first, again, "the same files, another package")
	require.Less(t, len(first), 16<<20)
}

// What docs/godot.md promises within five minutes.
func TestFirstTool(t *testing.T) {
	godot, build := engine(t)
	folder := t.TempDir()
	page, err := os.ReadFile(filepath.Join(ctest.Root(), "docs/godot.md"))
	require.NoError(t, err)
	found := regexp.MustCompile("(?ms)^<!-- file: build/first-godot/(\\S+) -->\n```\\w+\n(.*?)^```$").FindAllStringSubmatch(string(page), -1)
	require.Len(t, found, 3)
	for _, block := range found {
		require.NoError(t, os.WriteFile(filepath.Join(folder, block[1]), []byte(block[2]), 0o644))
	}
	settings := "config_version=5\n[application]\nconfig/name=\"First\"\nrun/main_scene=\"res://hero.tscn\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(folder, "project.godot"), []byte(settings), 0o644))
	scene := filepath.Join(folder, "hero.tscn")
	text, err := os.ReadFile(scene)
	require.NoError(t, err)
	require.Contains(t, string(text), "listen_port = 4100")
	port := freePort(t)
	require.NoError(t, os.WriteFile(scene, bytes.Replace(text, []byte("4100"), fmt.Append(nil, port), 1), 0o644))

	game := start(t, filepath.Join(godot, "godot"), "--headless", "--path", project(t, build, folder))
	out := ctest.Run(t, ".", nil, time.Minute, made.aicc, "agent", fmt.Sprintf("127.0.0.1:%d", port), "--script", filepath.Join(folder, "jump.aicc"), "--wait", "20s")
	require.Contains(t, out, "holds: ")
	require.Empty(t, complaints(game.said()), game.said())
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// What the extension does, in the engine, by scripts in tests/.
func TestExtension(t *testing.T) {
	_, build := engine(t)
	out := ctest.Run(t, ".", environment(t), 10*time.Minute, "tests/run.sh", build)
	require.Contains(t, out, "DONE")
	t.Log(out)
}

// A night later the thief is there again, and the limits of the first agent are not the second's.
func TestDemoPlaysAnotherNight(t *testing.T) {
	godot, build := engine(t)
	game := start(t, filepath.Join(godot, "godot"), "--headless", "--path", project(t, build, filepath.Join(build, "godot/demo")), "--", "--port", "0", "--tell")
	address := game.address(t)
	for range 2 {
		ctest.Run(t, ".", nil, 2*time.Minute, made.aicc, "agent", address, "--wait", "10s", "--script", "testdata/night.aicc")
	}
	require.Equal(t, 2, strings.Count(game.said(), "guard: rings the bell"), game.said())
	require.Empty(t, complaints(game.said()), game.said())
}
