// Package capability turns tools into anp2.cap.v1 documents and documents into tools, so that what a character
// can do can be published, found and taken in by others.
//
//	docs, notes, err := capability.Export(tools, capability.Options{World: "tavern"})
//	verdict := capability.Validate(text, capability.Strict)
//	tool, notes, err := capability.Import(text, capability.ImportOptions{})
//	found := capability.Find(docs, capability.Query{Prefix: "translate", Languages: []string{"ja"}})
//	event, err := capability.BuildEvent(docs, nil, createdAt)   // then event.Sign(key), event.Append(nil)
//
// A document is held against the schema itself (anp2.cap.v1.json, by core/schema) and, unless Lenient is asked for,
// against what the schema only says in prose; a lenient look reports what a strict one would have refused. Nothing is lost
// in silence: what a document cannot hold, what was rewritten and what was chosen comes back as Notes. The rules
// are DESIGN section 8; docs/capabilities.md has the mapping field by field.
package capability

// ToolExtension is the URI of the extension that holds what a tool has and a document has no field for.
const ToolExtension = "https://aicc.dev/schemas/0.1/aicc.schema.json#/$defs/tool"

// Bounds of a document that the schema states only in prose, or that an export has to know.
const (
	MaxParamsBytes      = 4096 // of an extension's params, without white space
	MaxNameBytes        = 128
	MaxDescriptionRunes = 2048
	maxToolIDBytes      = 64
	maxTags             = 12
	maxExtensions       = 16
)

// Roots are the first levels that a name may have. Below x anything goes.
var Roots = []string{"meta", "translate", "vision", "verify", "compute", "text", "audio", "data", "payment", "observe",
	"summarize", "code", "research", "coordinate", "x"}
