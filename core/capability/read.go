package capability

import (
	"fmt"
	"slices"

	"aicc.dev/libaicc/core/jsonwire"
)

// Decode reads one document. The error is an *Error; the notes are what a strict look would have refused, and what
// of the text could not be read as it stands.
// The Document keeps no part of text.
func Decode(text []byte, how Strictness) (*Document, []Note, error) {
	v := Validate(text, how)
	if !v.OK() {
		return nil, nil, v.Err()
	}
	var notes []Note
	for _, f := range v.Passed {
		notes = append(notes, Note{Kind: Passed, Pointer: f.Pointer, Text: "wanted " + f.Want + "; got " + f.Got})
	}
	if v.LoneSurrogates > 0 {
		notes = append(notes, Note{Kind: Loss, Text: fmt.Sprintf("%d lone surrogates in its escapes are U+FFFD", v.LoneSurrogates)})
	}
	return read(trim(text)), notes, nil
}

// trim takes the white space around a checked value off.
func trim(text []byte) []byte {
	start := jsonwire.SkipSpace(text, 0)
	return text[start:jsonwire.Skip(text, start)]
}

// members calls f for each member of an object with its decoded name.
func members(object []byte, f func(name string, value []byte)) {
	it := jsonwire.ObjectMembers(object)
	for {
		name, value, ok := it.Next()
		if !ok {
			return
		}
		f(decoded(name), value)
	}
}

func elements(array []byte, f func(value []byte)) {
	it := jsonwire.ArrayElements(array)
	for {
		value, ok := it.Next()
		if !ok {
			return
		}
		f(value)
	}
}

func decoded(raw []byte) string {
	out, _ := jsonwire.AppendUnquoted(nil, raw)
	return string(out)
}

func quoted(s string) string {
	out, _ := jsonwire.AppendString(nil, s)
	return string(out)
}

func texts(raw []byte) []string {
	out := []string{}
	elements(raw, func(v []byte) { out = append(out, decoded(v)) })
	return out
}

func optionalText(raw []byte) *string {
	s := decoded(raw)
	return &s
}

func optionalBool(raw []byte) *bool {
	b := raw[0] == 't'
	return &b
}

// read takes a document's text that Validate has accepted.
func read(text []byte) *Document {
	d := &Document{}
	members(text, func(name string, v []byte) {
		switch name {
		case "name":
			d.Name = decoded(v)
		case "version":
			d.Version = decoded(v)
		case "description":
			d.Description = optionalText(v)
		case "examples":
			d.Examples = texts(v)
		case "input_modes":
			d.InputModes = texts(v)
		case "output_modes":
			d.OutputModes = texts(v)
		case "tags":
			d.Tags = texts(v)
		case "input_schema":
			d.InputSchema = slices.Clone(v)
		case "output_schema":
			d.OutputSchema = slices.Clone(v)
		case "constraints":
			d.Constraints = readConstraints(v)
		case "quality":
			d.Quality = readQuality(v)
		case "pricing":
			d.Pricing = readPricing(v)
		case "policy":
			d.Policy = readPolicy(v)
		case "extensions":
			d.Extensions = []Extension{}
			elements(v, func(v []byte) { d.Extensions = append(d.Extensions, readExtension(v)) })
		}
	})
	return d
}

func readConstraints(v []byte) *Constraints {
	c := &Constraints{}
	members(v, func(name string, v []byte) {
		switch name {
		case "max_input_bytes":
			c.MaxInputBytes = Number(v)
		case "max_output_bytes":
			c.MaxOutputBytes = Number(v)
		case "p50_latency_ms":
			c.P50LatencyMS = Number(v)
		case "p95_latency_ms":
			c.P95LatencyMS = Number(v)
		case "min_context_size":
			c.MinContextSize = Number(v)
		case "max_concurrent":
			c.MaxConcurrent = Number(v)
		case "supported_languages":
			c.SupportedLanguages = texts(v)
		}
	})
	return c
}

func readQuality(v []byte) *Quality {
	q := &Quality{}
	members(v, func(name string, v []byte) {
		switch name {
		case "self_reported_precision":
			q.Precision = Number(v)
		case "self_reported_recall":
			q.Recall = Number(v)
		case "self_reported_hallucination_rate":
			q.HallucinationRate = Number(v)
		case "training_sources":
			q.TrainingSources = texts(v)
		case "verified_by":
			q.VerifiedBy = texts(v)
		}
	})
	return q
}

func readPricing(v []byte) *Pricing {
	p := &Pricing{}
	members(v, func(name string, v []byte) {
		switch name {
		case "currency":
			p.Currency = decoded(v)
		case "model":
			p.Model = decoded(v)
		case "amount":
			p.Amount = Number(v)
		case "max_per_session":
			p.MaxPerSession = Number(v)
		}
	})
	return p
}

func readPolicy(v []byte) *Policy {
	p := &Policy{}
	members(v, func(name string, v []byte) {
		switch name {
		case "data_retention":
			p.DataRetention = decoded(v)
		case "model_logs_inputs":
			p.ModelLogsInputs = optionalBool(v)
		case "geo_restrictions":
			p.GeoRestrictions = texts(v)
		}
	})
	return p
}

func readExtension(v []byte) Extension {
	var e Extension
	members(v, func(name string, v []byte) {
		switch name {
		case "uri":
			e.URI = decoded(v)
		case "description":
			e.Description = optionalText(v)
		case "params":
			e.Params = slices.Clone(v)
		case "required":
			e.Required = optionalBool(v)
		}
	})
	return e
}

// clone is a copy that shares nothing.
func (d *Document) clone() *Document { return read(d.Append(nil)) }
