package bridge

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"aicc.dev/libaicc/core/jsonwire"
	"aicc.dev/libaicc/core/message"
	"github.com/stretchr/testify/require"
)

var recordVectors = flag.String("record", "", "write what the bridge does into the vectors whose names match; then read them against the design")

const vectorFolder = "testdata/vectors"

func vectorFiles(t testing.TB) []string {
	list, err := filepath.Glob(vectorFolder + "/[0-9]*.json")
	require.NoError(t, err)
	require.NotEmpty(t, list)
	return list
}

func readVector(t testing.TB, file string) (v vector) {
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &v), file)
	mended := bytes.Clone(text)
	jsonwire.MendSurrogates(mended)
	require.Equal(t, string(mended), string(text), "%s: a strict parser refuses lone surrogates", file)
	require.NotEmpty(t, v.Says, file)
	require.NotEmpty(t, v.Steps, file)
	return v
}

func vectorName(file string) string { return strings.TrimSuffix(filepath.Base(file), ".json") }

func TestVectors(t *testing.T) {
	for _, file := range vectorFiles(t) {
		t.Run(vectorName(file), func(t *testing.T) {
			v := readVector(t, file)
			if *recordVectors != "" {
				if ok, err := regexp.MatchString(*recordVectors, vectorName(file)); err == nil && ok {
					recordVector(t, file, &v)
				}
			}
			newPlayer(t).play(v.Steps)
		})
	}
}

// The vectors have a message of each kind that the protocol knows.
func TestVectorsCover(t *testing.T) {
	used := map[string]bool{}
	for _, file := range vectorFiles(t) {
		v := readVector(t, file)
		p := newPlayer(t)
		p.used = used
		p.play(v.Steps)
		for _, raw := range v.Steps {
			if s := parseStep(t, raw); s.Message != nil {
				var m message.Message
				if message.Decode(p.text(s.Message), &m) == nil && message.FromAgent(m.Type) {
					used["agent:"+m.Type.String()] = true
				}
			}
		}
	}
	var missed []string
	need := func(count int, name func(int) string) {
		for i := 1; i <= count; i++ {
			if !used[name(i)] {
				missed = append(missed, name(i))
			}
		}
	}
	need(message.ErrorCodeCount, func(i int) string { return message.ErrorCode(i).String() })
	need(message.TopicCount, func(i int) string { return message.Topic(1 << (i - 1)).String() })
	need(message.TickModeCount, func(i int) string { return message.TickMode(i).String() })
	need(message.ModelClassCount, func(i int) string { return message.ModelClass(i).String() })
	need(message.ToolClassCount, func(i int) string { return message.ToolClass(i).String() })
	need(message.TypeCount, func(i int) string {
		name := message.Type(i).String()
		if used["agent:"+name] || !message.FromAgent(message.Type(i)) && used[name] {
			return "" // said by a side that may
		}
		return name
	})
	missed = slices.DeleteFunc(missed, func(s string) bool { return s == "" })
	require.Empty(t, missed)
	for _, name := range []string{"session_init", "session_close", "tool_result", "event", "error", "heartbeat"} {
		require.True(t, used[name], "no bridge's %s", name)
	}
}

// sentence is an entry of index.json: what DESIGN section 5 says under a number, and which vectors hold it.
type sentence struct {
	Number    string   `json:"number"`
	Says      string   `json:"says"`
	Vectors   []string `json:"vectors"`
	Elsewhere string   `json:"elsewhere"` // why there is no vector for it, or what else there is
}

func TestVectorsIndex(t *testing.T) {
	text, err := os.ReadFile(vectorFolder + "/index.json")
	require.NoError(t, err)
	var index struct {
		Sentences []sentence `json:"sentences"`
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&index))
	files := map[string]bool{}
	for _, file := range vectorFiles(t) {
		files[vectorName(file)] = false
	}
	decisions, last := map[string]bool{}, ""
	for _, s := range index.Sentences {
		require.Regexp(t, `^\d\.\d\d\.\d\d?$`, s.Number)
		require.Less(t, numberKey(last), numberKey(s.Number), "the numbers rise")
		last = s.Number
		decisions[s.Number[:4]] = true
		require.NotEmpty(t, s.Says, s.Number)
		require.True(t, len(s.Vectors) > 0 || len(s.Elsewhere) > 20, "%s has neither a vector nor a reason", s.Number)
		for _, name := range s.Vectors {
			require.Contains(t, files, name, "%s names a vector that is not there", s.Number)
			files[name] = true
		}
	}
	for i := 1; i <= 19; i++ {
		require.True(t, decisions[fmt.Sprintf("5.%02d", i)], "decision 5.%d", i)
	}
	for name, indexed := range files {
		require.True(t, indexed, "no sentence names vector %s", name)
	}
}

// numberKey orders 5.06.10 behind 5.06.9.
func numberKey(number string) string {
	head, tail := number[:max(0, strings.LastIndexByte(number, '.'))], number[strings.LastIndexByte(number, '.')+1:]
	return fmt.Sprintf("%s.%2s", head, tail)
}

// recordVector plays a vector and writes what comes out into its file.
func recordVector(t *testing.T, file string, v *vector) {
	text := "{\n\"says\": " + quoted(v.Says) + ",\n\"steps\": [\n"
	p := newPlayer(t)
	text += recordSteps(p, v.Steps, "  ") + "\n]}\n"
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	*v = readVector(t, file)
}

func recordSteps(p *player, steps []json.RawMessage, indent string) string {
	var lines []string
	for _, raw := range steps {
		s := parseStep(p.t, raw)
		text := string(raw)
		if s.Do == "repeat" {
			p.round = 1
			text = text[:strings.Index(text, `"steps"`)] + "\"steps\":[\n" + recordSteps(p, s.Steps, indent+"    ") + "]}"
			again := json.RawMessage(text)
			for p.round = 2; p.round <= s.Times; p.round++ { // as recorded
				p.record = nil
				p.play(parseStep(p.t, again).Steps)
			}
			p.round = 0
			lines = append(lines, indent+text)
			continue
		}
		if i := strings.LastIndex(text, `"expect":`); i > 0 && s.Expect != nil {
			text = strings.TrimRight(text[:i], " \n\t,") + "}"
		}
		p.record = func(_ int, out []string) {
			if len(out) == 0 {
				return
			}
			text = text[:len(text)-1] + ",\n" + indent + " \"expect\":[\n"
			for j, line := range out {
				if p.round == 1 {
					line = regexp.MustCompile(`([a-z]|-0*)1"`).ReplaceAllString(line, `$1<i>"`)
				}
				if j > 0 {
					text += ",\n"
				}
				text += indent + "   " + line
			}
			text += "]}"
		}
		p.play([]json.RawMessage{raw})
		p.record = nil
		lines = append(lines, indent+text)
	}
	return strings.Join(lines, ",\n")
}

// The messages in the page on the protocol are those of the vectors that it names.
func TestProtocolPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/protocol.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?s)<!-- vector: ([^ ]+) -->\n```json\n(.*?)\n```").FindAllStringSubmatch(string(page), -1)
	require.Len(t, blocks, strings.Count(string(page), "```json"), "each block of JSON names its vector")
	require.NotEmpty(t, blocks)
	for _, b := range blocks {
		text, err := os.ReadFile(vectorFolder + "/" + b[1] + ".json")
		require.NoError(t, err)
		for _, line := range strings.Split(b[2], "\n") {
			require.Contains(t, string(text), `"message":`+line, b[1])
		}
	}
	numbers := map[string]bool{}
	for _, file := range vectorFiles(t) {
		numbers[vectorName(file)[:4]] = true
	}
	for _, list := range regexp.MustCompile(`\[(\d\.\d\d(?:, \d\.\d\d)*)\]`).FindAllStringSubmatch(string(page), -1) {
		for _, n := range strings.Split(list[1], ", ") {
			require.True(t, numbers[n], "no vector has the number %s", n)
		}
	}
}
