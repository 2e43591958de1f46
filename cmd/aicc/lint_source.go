package main

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/provider"
	_ "aicc.dev/libaicc/cmd/aicc/quiet" // on every terminal
	"aicc.dev/libaicc/core/agent"
	"aicc.dev/libaicc/core/message"
)

// tools reads the manifest that a command's only argument names: a file's, standard input's, or that of a running game.
func (c *call) tools(join *joining) (name string, text []byte, source *provider.Source, err error) {
	if len(c.args) == 1 && isAddress(c.args[0]) {
		name = c.args[0]
		text, err = c.running(join)
	} else {
		name, text, err = c.one()
	}
	if err != nil {
		return name, nil, nil, err
	}
	source, fault := provider.Read(text)
	if fault != nil {
		return name, nil, nil, &placed{name, text, fault}
	}
	return name, text, source, nil
}

// isAddress tells a running game from a file: by ://, or as HOST:PORT where there is no file of that name.
func isAddress(argument string) bool {
	if strings.Contains(argument, "://") {
		return true
	}
	if _, err := os.Stat(argument); err == nil || argument == "-" {
		return false
	}
	t, err := live.Parse(argument)
	return err == nil && t.Address != "" && !strings.Contains(strings.SplitN(argument, ":", 2)[0], "/")
}

// running connects to a character, and gives its manifest as text.
func (c *call) running(join *joining) ([]byte, error) {
	t, token, err := join.target(c)
	if err != nil {
		return nil, err
	}
	ctx, stop := interruptible()
	defer stop()
	a, _, err := join.connect(ctx, t, agent.Options{Token: token}, nil)
	if err != nil {
		return nil, err
	}
	defer goodbye(a, "the manifest has been read")
	return message.AppendManifestUpdate(nil, message.AppendManifestBody(nil, a.Manifest())), nil
}

// placed is a fault in a file's text.
type placed struct {
	name  string
	text  []byte
	fault *provider.Fault
}

func (p *placed) Error() string {
	return provider.At(p.name, p.text, p.fault.Offset) + ": " + live.Clean(p.fault.Error())
}

// paint colours what goes to a terminal, unless NO_COLOR asks for none.
type paint bool

func (c *call) paint(w io.Writer) paint {
	f, ok := w.(*os.File)
	return paint(ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd())))
}

func (p paint) with(code, text string) string {
	if !p || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

func (p paint) bold(text string) string { return p.with("1", text) }
func (p paint) dim(text string) string  { return p.with("2", text) }
