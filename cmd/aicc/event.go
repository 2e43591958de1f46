package main

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"strings"

	"aicc.dev/libaicc/core/capability"
)

const signHelp = `
FILEs are as for validate; all their documents go into one event of kind 4, since relays keep only the newest that an agent has published. It is written
to standard output. What is too large for one event is refused.

The key is yours: 64 hexadecimal digits, or a PEM file. It is read, and never written or shown.

  openssl rand -hex 32 > agent.key && chmod 600 agent.key
  openssl genpkey -algorithm ed25519 -out agent.pem
  aicc capability sign --key agent.key documents.json > event.json`

func setupSign(flags *flag.FlagSet) func(*call) error {
	var tags list
	key := flags.String("key", "", "the Ed25519 key's `FILE`; required")
	at := flags.Int64("created-at", -1, "when it was made, in Unix `SECONDS`; not given: now")
	flags.Var(&tags, "tag", "a tag, `NAME=VALUE`, instead of one cap=NAME for each document; may be given more than once")
	return func(c *call) error {
		if *key == "" {
			return usagef("whose event is it? Give the key's file by --key")
		}
		var given [][]string
		for _, t := range tags {
			name, value, ok := strings.Cut(t, "=")
			if !ok || name == "" {
				return usagef("--tag %s: NAME=VALUE was wanted", t)
			}
			given = append(given, []string{name, value})
		}
		var docs []*capability.Document
		for _, name := range c.files() {
			text, err := c.read(name)
			if err != nil {
				return err
			}
			more, _, err := capability.DecodeAll(text, capability.Strict)
			if err != nil {
				return c.faults(name, err)
			}
			docs = append(docs, more...)
		}
		created := *at
		if created < 0 {
			created = c.now().Unix()
		}
		e, err := capability.BuildEvent(docs, given, created)
		if err != nil {
			return c.no(err)
		}
		private, err := c.key(*key)
		if err != nil {
			return err
		}
		if err := e.Sign(private); err != nil {
			return c.no(err)
		}
		fmt.Fprintf(c.out, "%s\n", e.Append(nil))
		return nil
	}
}

// no says why the answer is no.
func (c *call) no(err error) error {
	fmt.Fprintln(c.err, err)
	return errNo
}

// key reads a private key. No error tells anything of what the file holds.
func (c *call) key(name string) (ed25519.PrivateKey, error) {
	text, err := c.read(name)
	if err != nil {
		return nil, err
	}
	defer clear(text)
	wrong := fmt.Errorf("%s: an Ed25519 key was wanted: 64 hexadecimal digits, or a PEM block PRIVATE KEY (PKCS #8)", name)
	if block, _ := pem.Decode(text); block != nil {
		defer clear(block.Bytes)
		any, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if private, ok := any.(ed25519.PrivateKey); ok && err == nil {
			return private, nil
		}
		return nil, wrong
	}
	seed, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(seed) != ed25519.SeedSize {
		return nil, wrong
	}
	defer clear(seed)
	return ed25519.NewKeyFromSeed(seed), nil
}

const verifyHelp = `
FILE is an event. It has to have the seven fields of one, the id that its other fields hash to, and its agent's signature; and what it publishes has to be
documents as for validate. The status is 1 when it is not so.

  aicc capability verify event.json`

func setupVerify(flags *flag.FlagSet) func(*call) error {
	lenient := addLenient(flags)
	return func(c *call) error {
		name, text, err := c.one()
		if err != nil {
			return err
		}
		type document struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		}
		verdict := struct {
			File         string             `json:"file"`
			Valid        bool               `json:"valid"`
			Error        string             `json:"error,omitempty"`
			Faults       []capability.Fault `json:"faults,omitempty"`
			ID           string             `json:"id,omitempty"`
			AgentID      string             `json:"agent_id,omitempty"`
			CreatedAt    int64              `json:"created_at"`
			Capabilities []document         `json:"capabilities"`
			Notes        []capability.Note  `json:"notes,omitempty"`
		}{File: name, Capabilities: []document{}}
		e, err := capability.VerifyEvent(text)
		var docs []*capability.Document
		if err == nil {
			verdict.ID, verdict.AgentID, verdict.CreatedAt = e.ID, e.AgentID, e.CreatedAt
			docs, verdict.Notes, err = e.Documents(strictness(lenient))
		}
		var of *capability.Error
		switch {
		case errors.As(err, &of):
			verdict.Error, verdict.Faults = "it is signed, but what it publishes is not good", of.Faults
		case err != nil:
			verdict.Error = err.Error()
		}
		verdict.Valid = err == nil
		for _, d := range docs {
			verdict.Capabilities = append(verdict.Capabilities, document{d.Name, d.Version})
		}
		if c.json {
			if err := c.write(verdict); err != nil {
				return err
			}
		} else if err != nil {
			fmt.Fprintf(c.out, "%s: %s\n", name, verdict.Error)
			for _, f := range verdict.Faults {
				fmt.Fprintf(c.out, "%s content: %s\n", name, f)
			}
		} else {
			fmt.Fprintf(c.out, "%s: good: signed by %s at %d\n", name, e.AgentID, e.CreatedAt)
			for _, d := range docs {
				fmt.Fprintf(c.out, "%s %s\n", d.Name, d.Version)
			}
			for _, n := range verdict.Notes {
				fmt.Fprintln(c.out, n)
			}
		}
		if err != nil {
			return errNo
		}
		return nil
	}
}
