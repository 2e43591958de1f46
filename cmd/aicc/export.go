package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"strings"

	"aicc.dev/libaicc/cmd/aicc/live"
	"aicc.dev/libaicc/cmd/aicc/provider"
)

var exportCommand = command(verb{name: "export", arguments: "--format openai|anthropic|gemini|mcp [--strict] [--prefix TEXT] [--plain] [--json] [FILE|URL]",
	short: "write a manifest's tools as a model provider's function list", long: exportListHelp, setup: setupExportList})

const exportListHelp = `
FILE is a manifest: a session_init as an agent receives it, a heartbeat with a manifest_update, any other object with "tools", an array of tools, or what an
MCP server lists. URL is a running game: 127.0.0.1:4100, or ws://127.0.0.1:4100/aicc/WORLD?character=NAME; the character is taken for a moment.

Written is the value of "tools" in a request to that provider (openai: chat completions; anthropic: messages; gemini: generateContent; mcp: the
result of tools/list). What a provider refuses is rewritten where its meaning can be kept. Whatever cannot be said is named on standard error, and said
in words in a description where that can be; the game checks every input against its own schema all the same. The status is 1 when a tool
was left out, or the provider would not take the list.

  aicc export --format anthropic session_init.json > tools.json
  aicc export --format openai --strict 127.0.0.1:4100
  aicc export --format gemini --json session_init.json | jq .losses
` + tokenHelp

func setupExportList(flags *flag.FlagSet) func(*call) error {
	var o provider.Options
	join := addJoining(flags)
	format := flags.String("format", "", "whose `FORM`: openai, anthropic, gemini or mcp; required")
	flags.BoolVar(&o.Strict, "strict", false, "ask for the provider's strict mode (openai, anthropic) for each tool whose schema has a form there")
	flags.StringVar(&o.Prefix, "prefix", "", "`TEXT` before each name, for several characters in one list")
	flags.BoolVar(&o.Plain, "plain", false, "leave the descriptions as they are: do not add class, limits and needed capability")
	flags.Lookup("json").Usage = "write format, tools, names and losses to standard output, as one JSON value"
	return func(c *call) error {
		f := provider.ParseFormat(*format)
		switch {
		case *format == "":
			return usagef("whose list? Give --format openai, anthropic, gemini or mcp")
		case f == 0:
			return usagef("--format %s: openai, anthropic, gemini or mcp was wanted", *format)
		case o.Strict && f != provider.OpenAI && f != provider.Anthropic:
			return usagef("%s has no strict mode for tools: leave --strict away", f)
		}
		_, _, source, err := c.tools(join)
		if err != nil {
			return err
		}
		o.Held = source.Held
		list := provider.Export(f, source.Tools, o)
		refused := false
		for _, l := range list.Losses {
			refused = refused || l.Refused
		}
		if c.json {
			err = c.writeList(list)
		} else {
			err = c.showList(list)
		}
		if err == nil && refused {
			err = errNo
		}
		return err
	}
}

func (c *call) writeList(list *provider.List) error {
	type named struct {
		Tool   string `json:"tool"`
		Name   string `json:"name"`
		Strict bool   `json:"strict,omitempty"`
	}
	all := struct {
		Format string          `json:"format"`
		Tools  json.RawMessage `json:"tools"`
		Names  []named         `json:"names"`
		Losses []provider.Loss `json:"losses"`
	}{list.Format.String(), list.JSON(), []named{}, append([]provider.Loss{}, list.Losses...)}
	for _, f := range list.Functions {
		all.Names = append(all.Names, named{f.Tool, f.Name, f.Strict})
	}
	return c.write(all)
}

func (c *call) showList(list *provider.List) error {
	var text bytes.Buffer
	if err := json.Indent(&text, list.JSON(), "", "  "); err != nil {
		return err
	}
	fmt.Fprintf(c.out, "%s\n", text.Bytes())
	p := c.paint(c.err)
	for _, f := range list.Functions {
		if f.Name != f.Tool {
			fmt.Fprintf(c.err, "%s is called %s there\n", p.bold(live.Clean(f.Tool)), live.Clean(f.Name))
		}
	}
	told := 0
	for _, l := range list.Losses {
		if l.Told {
			told++
		}
		line := live.Clean(l.String())
		if rest, ok := strings.CutPrefix(line, live.Clean(l.Tool)+": "); ok && l.Tool != "" {
			line = p.bold(live.Clean(l.Tool)) + ": " + rest
		}
		fmt.Fprintln(c.err, line)
	}
	if n := len(list.Losses); n > 0 {
		fmt.Fprintf(c.err, "%d functions; %d places where the list says less than the manifest, of which descriptions tell %d in words\n", len(list.Functions), n, told)
	}
	return nil
}
