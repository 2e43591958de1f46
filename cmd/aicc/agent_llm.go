package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/llm"
	"aicc.dev/libaicc/cmd/aicc/llm/chat"
	"aicc.dev/libaicc/core/agent"
)

const modelHelp = `
With --llm a model plays, through any server that speaks OpenAI's chat completions with tools: Ollama, llama.cpp, vLLM, OpenAI. What it thinks, does and
gets is written to standard output, and to --log FILE as an object a line. The server's key is read from --key-file, AICC_LLM_KEY or OPENAI_API_KEY; it is
never written anywhere. The persona is a text that says who the character is.

A server has five times --llm-idle for the beginning of an answer, since a model reads the whole conversation first: 10m, if it is not given. Then no pause
may be longer than --llm-idle. An answer that fails is asked for six times in all.

  aicc agent 127.0.0.1:4100 --llm http://127.0.0.1:11434/v1 --model qwen3 --persona examples/agents/guard.persona.md
  aicc agent 127.0.0.1:4100 --llm https://api.openai.com/v1 --model gpt-5-mini --max-tokens 200000 --max-time 10m --set temperature=0.3

It ends with good-bye to the game and with status 0 when it was interrupted, 3 when its turns are used up, 4 its calls, 5 its tokens, 6 its time, 7 when
the model goes round in circles or calls nothing, 8 when the model's server is of no help, 9 when the game is gone.
`

// modelling is the options of a model that plays.
type modelling struct {
	url, model, keyFile, persona, log, thoughts *string
	set                                         list
	context, reply, parallel                    *int
	calls, tokens, turns                        *int
	time, idle                                  *time.Duration
}

func addModelling(flags *flag.FlagSet) *modelling {
	m := &modelling{
		url:      flags.String("llm", "", "the model's server: a `BASE_URL` such as http://127.0.0.1:11434/v1"),
		model:    flags.String("model", "", "the model's `NAME` there; --llm needs it"),
		keyFile:  addPath(flags, "key-file", "a `FILE` that holds the server's key (default: AICC_LLM_KEY, else OPENAI_API_KEY, else no key)"),
		persona:  addPath(flags, "persona", "a `FILE` that says who the character is: UTF-8, at most 64 KiB and half of --context (default: somebody who could live there)"),
		log:      addPath(flags, "log", "a `FILE` to which everything is added, an object a line (default: none)"),
		thoughts: flags.String("thoughts", "asked", "`WHEN` the model is sent its own thoughts again: never, always, or asked, when the server wants it (default asked)"),
		context:  addNumber(flags, "context", 16_000, 2_000, 10_000_000, "how many `TOKENS` of the conversation the model is sent; it must hold as many, and its answer besides"),
		reply:    addNumber(flags, "reply-tokens", 0, 0, 1_000_000, "the most `TOKENS` of one answer; 0: as the server likes"),
		parallel: addNumber(flags, "parallel", 4, 1, 64, "how `MANY` calls of one turn run at once"),
		calls:    addNumber(flags, "max-calls", 1000, 0, 0, "end after so `MANY` calls; 0: no bound"),
		tokens:   addNumber(flags, "max-tokens", 1_000_000, 0, 0, "end after so `MANY` tokens, in and out; 0: no bound"),
		turns:    addNumber(flags, "max-turns", 200, 0, 0, "end after so `MANY` turns of the model; 0: no bound"),
		time:     addSpan(flags, "max-time", 30*time.Minute, 0, 0, "end after this `TIME`; 0: no bound"),
		idle:     addSpan(flags, "llm-idle", 2*time.Minute, time.Second, time.Hour, "give an answer up, and ask again, when nothing more of it came for this `TIME`; until it begins, five times as long"),
	}
	flags.Var(&m.set, "set", "`NAME=VALUE`: a member of each request, such as temperature=0.3; may be given more than once (default: none)")
	return m
}

// exitStatus is an error that has been told already, and how the command ends.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("status %d", int(e)) }

// client makes the model's client.
func (m *modelling) client(c *call) (*chat.Client, error) {
	if *m.model == "" {
		return nil, usagef("which model? Give --model NAME")
	}
	u, err := baseURL(*m.url)
	if err != nil {
		return nil, err
	}
	key, err := m.key(c)
	if err != nil {
		return nil, err
	}
	if key != "" && u.Scheme == "http" && !isLoopback(u.Hostname()) {
		fmt.Fprintf(c.err, "note: the key goes to %s in clear text; https would hide it\n", live.Clean(u.Host))
	}
	o := chat.Options{URL: u.String(), Key: key, Model: *m.model, Idle: *m.idle, Extra: map[string]json.RawMessage{}}
	switch *m.thoughts {
	case "asked":
	case "never":
		o.Thoughts = chat.ThoughtsNever
	case "always":
		o.Thoughts = chat.ThoughtsAlways
	default:
		return nil, usagef("--thoughts %s: never, always or asked was wanted", *m.thoughts)
	}
	for _, s := range m.set {
		name, value, ok := strings.Cut(s, "=")
		if !ok || name == "" {
			return nil, usagef("--set %s: NAME=VALUE was wanted", s)
		}
		switch name {
		case "model", "messages", "tools", "stream", "stream_options", "n":
			return nil, usagef("--set %s: this command sets it itself", name)
		}
		if !json.Valid([]byte(value)) {
			text, err := json.Marshal(value)
			if err != nil {
				return nil, err
			}
			value = string(text)
		}
		o.Extra[name] = json.RawMessage(value)
	}
	return chat.New(o), nil
}

func baseURL(text string) (*url.URL, error) {
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, usagef("--llm wants the address of a server, such as http://127.0.0.1:11434/v1")
	case u.User != nil:
		return nil, usagef("a key does not belong in the address: give it by --key-file, AICC_LLM_KEY or OPENAI_API_KEY")
	case u.RawQuery != "":
		return nil, usagef("the address of the model's server has a query: give what stands before the ?")
	case strings.Trim(u.Path, "/") == "":
		u.Path = "/v1"
	}
	return u, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// key reads the server's key. No error tells anything of what it is.
func (m *modelling) key(c *call) (string, error) {
	key := os.Getenv("AICC_LLM_KEY")
	if key == "" {
		key = os.Getenv("OPENAI_API_KEY")
	}
	if *m.keyFile != "" {
		text, err := c.read(*m.keyFile)
		if err != nil {
			return "", ofOption("key-file", *m.keyFile, err)
		}
		if key = strings.TrimSpace(string(text)); key == "" {
			return "", fmt.Errorf("%s holds no key", *m.keyFile)
		}
	}
	key = strings.TrimSpace(key)
	for _, b := range []byte(key) {
		if b <= ' ' || b > '~' {
			return "", errors.New("the key is none: it is printable ASCII without spaces")
		}
	}
	return key, nil
}

// logs makes what the play is told to; close ends it.
func (m *modelling) logs(c *call) (log *llm.Log, close func(), err error) {
	log, close = &llm.Log{}, func() {}
	if c.json {
		log.JSON(c.out)
	} else {
		width, colour := 0, false
		if f, ok := c.out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			width, _, _ = term.GetSize(int(f.Fd()))
			colour = os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
		}
		log.Text(c.out, width, colour)
	}
	if *m.log != "" {
		f, err := os.OpenFile(*m.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, ofOption("log", *m.log, err)
		}
		log.JSON(f)
		close = func() { _ = f.Close() }
	}
	return log, close, nil
}

func runModel(c *call, join *joining, t live.Target, token string, m *modelling) error {
	client, err := m.client(c)
	if err != nil {
		return err
	}
	o := llm.Options{Model: client, Parallel: *m.parallel, Context: *m.context, ReplyTokens: *m.reply, MaxCalls: *m.calls, MaxTokens: *m.tokens, MaxTurns: *m.turns, MaxTime: *m.time}
	if *m.persona != "" {
		text, err := c.read(*m.persona)
		if err == nil {
			o.Persona, err = personaOf(text, *m.context)
		}
		if err != nil {
			return ofOption("persona", *m.persona, err)
		}
	}
	log, done, err := m.logs(c)
	if err != nil {
		return err
	}
	defer done()
	ctx, stop := interruptible()
	defer stop()
	o.Log = log
	p := llm.New(o)
	a, found, err := join.connect(ctx, t, agent.Options{Token: token, OnManifest: p.Manifest}, p.Change)
	if err != nil {
		return err
	}
	p.As(found.Character)
	end := p.Play(ctx, a)
	if status := end.Why.Status(); status != 0 {
		return exitStatus(status)
	}
	return nil
}
