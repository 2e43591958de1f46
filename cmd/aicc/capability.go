package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"aicc.dev/libaicc/core/capability"
)

var capabilityGroup = group{"capability", "publish what a character can do (anp2.cap.v1), and use what others have published", []verb{
	{"export", "[--world NAME | --prefix NAME] [--version M.N] [--tag TAG]... [--json] [FILE]", "write a manifest's tools as documents", exportHelp, setupExport},
	{"validate", "[--lenient] [--json] [FILE...]", "say what is wrong with documents", validateHelp, setupValidate},
	{"match", "[WHAT...] [--lenient] [--json] [FILE...]", "find the documents that fit, best first", matchHelp, setupMatch},
	{"sign", "--key FILE [--created-at SECONDS] [--tag NAME=VALUE]... [FILE...]", "write the signed event that publishes documents", signHelp, setupSign},
	{"verify", "[--lenient] [--json] [FILE]", "say whether an event is what its agent has signed", verifyHelp, setupVerify},
}}

const exportHelp = `
FILE is a manifest: a session_init as an agent receives it, any other object with "tools" and perhaps "world", or an array of tools.
Written is {"capabilities":[...]}, which validate, match and sign read. To standard error goes whatever a document cannot hold, or
holds in other words. A tool that cannot be written as a document is named with the reason, the others are written, and the status is 1.

A document is called x.aicc.WORLD.TOOL: WORLD is the world's name in small letters, digits and _, TOOL the tool's id.

  aicc capability export session_init.json > documents.json
  aicc capability export --version 1.1 --tag night session_init.json | aicc capability validate`

func setupExport(flags *flag.FlagSet) func(*call) error {
	var o capability.Options
	flags.StringVar(&o.World, "world", "", "the world's `NAME`, when the manifest names none or another is wanted")
	flags.StringVar(&o.Prefix, "prefix", "", "documents are called `NAME`.TOOL; it begins with a reserved root, or with x and a level below it")
	flags.StringVar(&o.Version, "version", "1.0", "the documents' version, `MAJOR.MINOR`")
	flags.Var((*list)(&o.Tags), "tag", "a `TAG` for all documents, beside aicc and the tool's class; may be given more than once")
	return func(c *call) error {
		name, text, err := c.one()
		if err != nil {
			return err
		}
		world, tools, err := capability.ReadTools(text)
		if err != nil {
			return c.faults(name, err)
		}
		if o.World == "" {
			o.World = world
		}
		docs, notes, err := capability.Export(tools, o)
		type refusal struct {
			Tool  string `json:"tool"`
			Error string `json:"error"`
		}
		refused := []refusal{}
		for _, one := range joined(err) {
			var of *capability.ToolError
			if errors.As(one, &of) {
				refused = append(refused, refusal{of.Tool, of.Err.Error()})
			}
		}
		manifest := capability.AppendManifest(nil, docs)
		if c.json {
			var all struct {
				Capabilities json.RawMessage   `json:"capabilities"`
				Notes        []capability.Note `json:"notes"`
				Refused      []refusal         `json:"refused"`
			}
			if err := json.Unmarshal(manifest, &all); err != nil {
				return err
			}
			all.Notes, all.Refused = append([]capability.Note{}, notes...), refused
			if err := c.write(all); err != nil {
				return err
			}
		} else {
			fmt.Fprintf(c.out, "%s\n", manifest)
			for _, n := range notes {
				fmt.Fprintln(c.err, n)
			}
			for _, r := range refused {
				fmt.Fprintf(c.err, "refused: %s: %s\n", r.Tool, r.Error)
			}
		}
		if len(refused) > 0 {
			return errNo
		}
		return nil
	}
}

// joined takes what errors.Join has made apart.
func joined(err error) []error {
	if all, ok := err.(interface{ Unwrap() []error }); ok {
		return all.Unwrap()
	}
	return nil
}

// faults writes what a text was refused for, a line each.
func (c *call) faults(name string, err error) error {
	var of *capability.Error
	if !errors.As(err, &of) {
		return err
	}
	for _, line := range strings.Split(of.Error(), "\n") {
		fmt.Fprintf(c.err, "%s: %s\n", name, line)
	}
	return errNo
}

func strictness(lenient *bool) capability.Strictness {
	if *lenient {
		return capability.Lenient
	}
	return capability.Strict
}

func addLenient(flags *flag.FlagSet) *bool {
	return flags.Bool("lenient", false, "hold documents against the schema alone, and only report what its prose forbids")
}

const validateHelp = `
Each FILE is a document, an array of documents, an object with "capabilities", or an event that publishes some. A line is written for each document,
and one for each fault: where, what was wanted, what came. The status is 1 if there is a fault.

  aicc capability validate documents.json
  aicc capability validate --lenient --json event.json`

// judged is one document of a file, or a file that has none.
type judged struct {
	File    string             `json:"file"`
	Pointer string             `json:"pointer"`
	Name    string             `json:"name,omitempty"`
	Version string             `json:"version,omitempty"`
	Valid   bool               `json:"valid"`
	Faults  []capability.Fault `json:"faults"`
	More    int                `json:"more_faults,omitempty"`
	Lenient []capability.Fault `json:"lenient,omitempty"`
}

func setupValidate(flags *flag.FlagSet) func(*call) error {
	lenient := addLenient(flags)
	return func(c *call) error {
		all := []judged{}
		for _, name := range c.files() {
			text, err := c.read(name)
			if err != nil {
				return err
			}
			all = append(all, judge(name, text, strictness(lenient))...)
		}
		valid := true
		for _, one := range all {
			valid = valid && one.Valid
			if !c.json {
				one.print(c)
			}
		}
		if c.json {
			if err := c.write(all); err != nil {
				return err
			}
		}
		if !valid {
			return errNo
		}
		return nil
	}
}

func judge(name string, text []byte, how capability.Strictness) (all []judged) {
	parts, err := capability.Split(text)
	var of *capability.Error
	if errors.As(err, &of) {
		return []judged{{File: name, Faults: of.Faults}}
	}
	for _, p := range parts {
		v := capability.Validate(p.Text, how)
		one := judged{File: name, Pointer: p.Pointer, Valid: v.OK(), Faults: append([]capability.Fault{}, v.Faults...), More: v.More, Lenient: v.Passed}
		if one.Valid {
			if d, _, err := capability.Decode(p.Text, how); err == nil {
				one.Name, one.Version = d.Name, d.Version
			}
		}
		all = append(all, one)
	}
	return all
}

func (j *judged) print(c *call) {
	at := j.File
	if j.Pointer != "" {
		at += " " + j.Pointer
	}
	if j.Valid {
		fmt.Fprintf(c.out, "%s: good: %s %s\n", at, j.Name, j.Version)
	}
	for _, f := range j.Faults {
		fmt.Fprintf(c.out, "%s: %s\n", at, f)
	}
	if j.More > 0 {
		fmt.Fprintf(c.out, "%s: and %d more\n", at, j.More)
	}
	for _, f := range j.Lenient {
		fmt.Fprintf(c.out, "%s: let through: %s\n", at, f)
	}
}

const matchHelp = `
FILEs are as for validate. A document fits when it fits every option; what it does not say it does not have. The best come first: the name that
--prefix says before those below it, free before priced before unpriced, low latency before high, then by name, then by newer version.
A document that is not valid fits nothing; its faults go to standard error. The status is 1 when nothing fits.

  aicc capability match --prefix translate --language ja --max-p95 1000 *.json
  aicc capability match --name x.aicc.tavern.say --version 1.2 event.json
  aicc capability match --max-price 0.01 --currency USD --model per_request documents.json`

func setupMatch(flags *flag.FlagSet) func(*call) error {
	var q capability.Query
	var price string
	p := &capability.Price{}
	flags.StringVar(&q.Name, "name", "", "this `NAME`")
	flags.StringVar(&q.Prefix, "prefix", "", "this `NAME` and those below it")
	flags.StringVar(&q.Version, "version", "", "the same MAJOR and at least this MINOR, `MAJOR.MINOR`")
	flags.Var((*list)(&q.Tags), "tag", "has this `TAG`; may be given more than once")
	flags.Var((*list)(&q.InputModes), "input-mode", "takes this `MIME` type; may be given more than once")
	flags.Var((*list)(&q.OutputModes), "output-mode", "gives this `MIME` type; may be given more than once")
	flags.Var((*list)(&q.Languages), "language", "supports this `LANGUAGE`, as ja or zh_CN; may be given more than once")
	flags.StringVar(&price, "max-price", "", "costs at most this `AMOUNT`, in --currency; 0 without one is free")
	flags.StringVar(&p.Currency, "currency", "", "what --max-price is in, a `CODE` such as USD")
	flags.StringVar(&p.Model, "model", "", "what --max-price is for: per_request, per_token, per_second or subscription, a `WORD`")
	flags.Int64Var(&q.MaxP50MS, "max-p50", 0, "a median latency of at most `MS`")
	flags.Int64Var(&q.MaxP95MS, "max-p95", 0, "a 95th percentile of latency of at most `MS`")
	flags.StringVar(&q.Extension, "extension", "", "has the extension of this `URI`")
	flags.IntVar(&q.Limit, "limit", 0, "write at most `N`")
	lenient := addLenient(flags)
	return func(c *call) error {
		if price == "" && (p.Currency != "" || p.Model != "") {
			return usagef("--currency and --model say what --max-price means: give one")
		}
		if price != "" {
			amount, err := strconv.ParseFloat(price, 64)
			if err != nil || amount < 0 {
				return usagef("--max-price %s: a number of at least 0 was wanted", price)
			}
			if amount > 0 && p.Currency == "" {
				return usagef("--max-price %s: in which --currency?", price)
			}
			p.Amount, q.MaxPrice = amount, p
		}
		return c.match(q, strictness(lenient))
	}
}

func (c *call) match(q capability.Query, how capability.Strictness) error {
	type found struct {
		File     string          `json:"file"`
		Pointer  string          `json:"pointer"`
		Name     string          `json:"name"`
		Version  string          `json:"version"`
		Document json.RawMessage `json:"document"`
	}
	var docs []*capability.Document
	var from []found
	for _, name := range c.files() {
		text, err := c.read(name)
		if err != nil {
			return err
		}
		parts, err := capability.Split(text)
		if err != nil {
			return c.faults(name, err)
		}
		for _, p := range parts {
			d, _, err := capability.Decode(p.Text, how)
			if err != nil { // one that is bad does not hide the others
				_ = c.faults(strings.TrimSpace(name+" "+p.Pointer), err)
				continue
			}
			docs = append(docs, d)
			from = append(from, found{File: name, Pointer: p.Pointer})
		}
	}
	all := []found{}
	for _, m := range capability.Find(docs, q) {
		one := from[m.Index]
		one.Name, one.Version, one.Document = m.Document.Name, m.Document.Version, m.Document.Append(nil)
		all = append(all, one)
		if !c.json {
			fmt.Fprintf(c.out, "%s %s\t%s\n", one.Name, one.Version, strings.TrimSpace(one.File+" "+one.Pointer))
		}
	}
	if c.json {
		if err := c.write(all); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		if !c.json {
			fmt.Fprintf(c.err, "none of %d documents fits\n", len(docs))
		}
		return errNo
	}
	return nil
}
