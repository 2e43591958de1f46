// Package message is the nine messages of aicc/0.1: a decoder that enforces the
// protocol's schema without a schema library, encoders that append, and ids.
//
// The text of spec/aicc.schema.json, embedded as SchemaJSON, is the judge in this package's tests.
// Where DESIGN 5 is stricter than the schema, a Fault says so by its Rule.
package message

import _ "embed"

// Protocol is the one protocol string that is spoken here.
const Protocol = "aicc/0.1"

// Bounds of DESIGN 5.18 that hold for every message.
const (
	MaxCallIDBytes = 256
	MaxToolIDBytes = 64
)

// SchemaJSON is the protocol's schema, byte for byte.
//
//go:embed aicc.schema.json
var SchemaJSON []byte
