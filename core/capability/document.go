package capability

import (
	"math"

	"aicc.dev/libaicc/core/jsonwire"
)

// Document is one capability with every field of the schema. What is absent is "" or nil; a list that is
// there and empty is not nil. Order of members and white space are not kept; numbers and schemas are, as they were written.
type Document struct {
	Name         string
	Version      string
	Description  *string
	Examples     []string
	InputModes   []string
	OutputModes  []string
	Tags         []string
	InputSchema  []byte // raw object, draft-07
	OutputSchema []byte // raw object, draft-07
	Constraints  *Constraints
	Quality      *Quality
	Pricing      *Pricing
	Policy       *Policy
	Extensions   []Extension
}

// Constraints bound a capability's calls.
type Constraints struct {
	MaxInputBytes, MaxOutputBytes Number
	P50LatencyMS, P95LatencyMS    Number
	MinContextSize                Number
	MaxConcurrent                 Number
	SupportedLanguages            []string
}

// Quality is what is said of how good results are.
type Quality struct {
	Precision, Recall, HallucinationRate Number // self_reported_*
	TrainingSources                      []string
	VerifiedBy                           []string
}

// Pricing is what a call costs.
type Pricing struct {
	Currency, Model string
	Amount          Number
	MaxPerSession   Number
}

// Policy is what becomes of the data.
type Policy struct {
	DataRetention   string
	ModelLogsInputs *bool
	GeoRestrictions []string
}

// Extension is a hook outside of the core.
type Extension struct {
	URI         string
	Description *string
	Params      []byte // raw object
	Required    *bool
}

// Number is a JSON number as it is written; "" is none.
type Number string

// Int is an integer as a Number.
func Int(n int64) Number { return Number(jsonwire.AppendInt(nil, n)) }

// Float is the shortest Number that reads back as f; "" for NaN and infinities.
func Float(f float64) Number {
	text, ok := jsonwire.AppendFloat(nil, f)
	if !ok {
		return ""
	}
	return Number(text)
}

// Int gives an integer's value, or the int64 nearest to it; 0 and false when there is no number.
func (n Number) Int() (value int64, ok bool) {
	if jsonwire.KindOf([]byte(n)) != jsonwire.Number {
		return 0, false
	}
	value, err := jsonwire.ToInt64([]byte(n))
	switch {
	case err == jsonwire.ErrRange && jsonwire.Sign([]byte(n)) < 0:
		value = math.MinInt64
	case err == jsonwire.ErrRange:
		value = math.MaxInt64
	case err != nil:
		return 0, false
	}
	return value, true
}

// Float gives the nearest float64; false when there is no number.
func (n Number) Float() (value float64, ok bool) {
	if jsonwire.KindOf([]byte(n)) != jsonwire.Number {
		return 0, false
	}
	value, _ = jsonwire.ToFloat64([]byte(n))
	return value, true
}

// Encode gives the document's text, or says why the schema would not take it.
func (d *Document) Encode(how Strictness) ([]byte, error) {
	text := d.Append(nil)
	if v := Validate(text, how); !v.OK() {
		return nil, v.Err()
	}
	return text, nil
}

// Append appends the document as JSON, members in the schema's order. Whether the schema takes it is Encode's business.
func (d *Document) Append(dst []byte) []byte {
	w := writer{dst: dst}
	w.open('{')
	w.text("name", d.Name, true)
	w.text("version", d.Version, true)
	w.optional("description", d.Description)
	w.texts("examples", d.Examples)
	w.texts("input_modes", d.InputModes)
	w.texts("output_modes", d.OutputModes)
	w.texts("tags", d.Tags)
	w.raw("input_schema", d.InputSchema)
	w.raw("output_schema", d.OutputSchema)
	if c := d.Constraints; c != nil {
		w.name("constraints")
		w.open('{')
		w.number("max_input_bytes", c.MaxInputBytes)
		w.number("max_output_bytes", c.MaxOutputBytes)
		w.number("p50_latency_ms", c.P50LatencyMS)
		w.number("p95_latency_ms", c.P95LatencyMS)
		w.number("min_context_size", c.MinContextSize)
		w.number("max_concurrent", c.MaxConcurrent)
		w.texts("supported_languages", c.SupportedLanguages)
		w.close('}')
	}
	if q := d.Quality; q != nil {
		w.name("quality")
		w.open('{')
		w.number("self_reported_precision", q.Precision)
		w.number("self_reported_recall", q.Recall)
		w.number("self_reported_hallucination_rate", q.HallucinationRate)
		w.texts("training_sources", q.TrainingSources)
		w.texts("verified_by", q.VerifiedBy)
		w.close('}')
	}
	if p := d.Pricing; p != nil {
		w.name("pricing")
		w.open('{')
		w.text("currency", p.Currency, true)
		w.text("model", p.Model, true)
		w.number("amount", p.Amount)
		w.number("max_per_session", p.MaxPerSession)
		w.close('}')
	}
	if p := d.Policy; p != nil {
		w.name("policy")
		w.open('{')
		w.text("data_retention", p.DataRetention, false)
		w.boolean("model_logs_inputs", p.ModelLogsInputs)
		w.texts("geo_restrictions", p.GeoRestrictions)
		w.close('}')
	}
	if d.Extensions != nil {
		w.name("extensions")
		w.open('[')
		for i := range d.Extensions {
			e := &d.Extensions[i]
			w.comma()
			w.open('{')
			w.text("uri", e.URI, true)
			w.optional("description", e.Description)
			w.raw("params", e.Params)
			w.boolean("required", e.Required)
			w.close('}')
		}
		w.close(']')
	}
	w.close('}')
	return w.dst
}

// AppendManifest appends what a kind-4 event has as its content: an object with the list of documents.
func AppendManifest(dst []byte, docs []*Document) []byte {
	dst = append(dst, `{"capabilities":[`...)
	for i, d := range docs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = d.Append(dst)
	}
	return append(dst, ']', '}')
}

// writer appends members and keeps account of commas.
type writer struct {
	dst   []byte
	first bool
}

func (w *writer) open(c byte) {
	w.dst = append(w.dst, c)
	w.first = true
}

func (w *writer) close(c byte) {
	w.dst = append(w.dst, c)
	w.first = false
}

func (w *writer) comma() {
	if !w.first {
		w.dst = append(w.dst, ',')
	}
	w.first = false
}

func (w *writer) name(name string) {
	w.comma()
	w.dst, _ = jsonwire.AppendString(w.dst, name)
	w.dst = append(w.dst, ':')
}

func (w *writer) text(name, value string, always bool) {
	if value != "" || always {
		w.name(name)
		w.dst, _ = jsonwire.AppendString(w.dst, value)
	}
}

func (w *writer) optional(name string, value *string) {
	if value != nil {
		w.text(name, *value, true)
	}
}

func (w *writer) texts(name string, values []string) {
	if values == nil {
		return
	}
	w.name(name)
	w.open('[')
	for _, v := range values {
		w.comma()
		w.dst, _ = jsonwire.AppendString(w.dst, v)
	}
	w.close(']')
}

func (w *writer) number(name string, n Number) {
	if n != "" {
		w.name(name)
		w.dst = append(w.dst, n...)
	}
}

func (w *writer) boolean(name string, value *bool) {
	if value != nil {
		w.name(name)
		if *value {
			w.dst = append(w.dst, "true"...)
		} else {
			w.dst = append(w.dst, "false"...)
		}
	}
}

func (w *writer) raw(name string, value []byte) {
	if value != nil {
		w.name(name)
		w.dst = append(w.dst, value...)
	}
}
