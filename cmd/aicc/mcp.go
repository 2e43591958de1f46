package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"aicc.dev/libaicc/cmd/aicc/mcp"
)

var mcpCommand = command(verb{name: "mcp", arguments: "URL [--character NAME] [--token-file FILE] [--http ADDRESS:PORT [--http-token-file FILE] [--host NAME] [--origin ORIGIN]]",
	short: "let any MCP client play a character of a running game", long: mcpHelp + tokenHelp, setup: setupMCP})

const mcpHelp = `
A Model Context Protocol server in front of a running game. URL is where the game listens: 127.0.0.1:4100, or
ws://127.0.0.1:4100/aicc/WORLD?character=NAME. Without a character the first that is free is taken.

Without --http it speaks MCP on standard input and output, for a client that starts it, until its input ends; what it has to say goes to standard
error. With --http it serves any number of clients at http://ADDRESS:PORT/mcp, who share the character, until it is stopped. The game need not
run yet, and may be restarted: the tools appear when it is there.

  aicc mcp 127.0.0.1:4100
  aicc mcp 127.0.0.1:4100 --character guard --http 127.0.0.1:8377

An address that other machines can reach wants a token for clients, from --http-token-file or the environment variable AICC_MCP_TOKEN.
docs/mcp.md has the lines for Claude Desktop, Claude Code and others.
`

func setupMCP(flags *flag.FlagSet) func(*call) error {
	j := &joining{
		token:     flags.String("token", "", "the game's `TOKEN`; others on this machine can see it in ps: --token-file and AICC_TOKEN are better"),
		tokenFile: flags.String("token-file", "", "a `FILE` that holds the game's token"),
		character: flags.String("character", "", "the `NAME` of the character, when the URL does not say it"),
		wait:      new(time.Duration), // it tries for ever anyway
	}
	address := flags.String("http", "", "serve clients over HTTP at this `ADDRESS:PORT`; port 0 is any that is free")
	tokenFile := flags.String("http-token-file", "", "a `FILE` that holds the token that HTTP clients send")
	var hosts, origins list
	flags.Var(&hosts, "host", "a `NAME`, beside those of loopback, by which HTTP clients may call this server; may be given more than once")
	flags.Var(&origins, "origin", "an `ORIGIN` of web pages that may connect, like https://studio.example; may be given more than once")
	return func(c *call) error {
		target, token, err := j.target(c)
		if err != nil {
			return err
		}
		if c.json {
			return usagef("--json is not for this command: standard output is MCP's")
		}
		if *address == "" && (*tokenFile != "" || len(hosts)+len(origins) > 0) {
			return usagef("--http-token-file, --host and --origin are for --http")
		}
		h := mcp.HTTP{Token: strings.TrimSpace(os.Getenv("AICC_MCP_TOKEN")), Hosts: hosts, Origins: origins}
		if *tokenFile != "" {
			text, err := c.read(*tokenFile)
			if err != nil {
				return err
			}
			if h.Token = strings.TrimSpace(string(text)); h.Token == "" {
				return fmt.Errorf("%s holds no token", *tokenFile)
			}
		}
		ctx, stop := interruptible()
		defer stop()
		return serveMCP(ctx, c, mcp.Options{Target: target, Token: token, Version: version, Log: c.err}, *address, h)
	}
}

func serveMCP(ctx context.Context, c *call, o mcp.Options, address string, h mcp.HTTP) error {
	if address == "" {
		front := mcp.New(o)
		defer front.Close()
		return front.Serve(ctx, io.NopCloser(c.in), c.out)
	}
	l, err := h.Listen(address)
	if err != nil {
		return err
	}
	front := mcp.New(o)
	defer front.Close()
	server := front.ServeHTTP(l, h)
	defer server.Close()
	url, notes := h.Where(address, l)
	for _, line := range append([]string{url}, notes...) {
		fmt.Fprintf(c.err, "aicc mcp: %s\n", line)
	}
	<-ctx.Done()
	return nil
}
