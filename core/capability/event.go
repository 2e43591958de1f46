package capability

import (
	"crypto"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"unicode/utf8"

	"aicc.dev/libaicc/core/jsonwire"
)

// Bounds of an event.
const (
	KindCapability  = 4
	MaxContentBytes = 65_536
	MaxEventTags    = 32
	MaxTagBytes     = 1024 // of one string in a tag
	maxExact        = 1<<53 - 1
	maxEventBytes   = 1 << 20
)

// Event is a signed event. Relays keep the newest of kind 4 that an agent has published, so one holds all of an agent's capabilities.
type Event struct {
	ID        string // lower-case hex of 32 bytes: the SHA-256 of Canonical
	AgentID   string // lower-case hex of the public key's 32 bytes
	CreatedAt int64  // Unix seconds
	Kind      int64
	Tags      [][]string
	Content   string
	Sig       string // lower-case hex of 64 bytes: Ed25519 over the ID's 32 bytes
}

// EventError says what is wrong with an event.
type EventError struct {
	Field   string // "" is the whole
	Pointer string // JSON Pointer into the event, where it was read from text
	Msg     string
}

func (e *EventError) Error() string {
	if e.Field == "" {
		return "event: " + e.Msg
	}
	return "event " + e.Field + ": " + e.Msg
}

func eventFault(field, format string, args ...any) *EventError {
	return &EventError{Field: field, Pointer: pointer("", field), Msg: fmt.Sprintf(format, args...)}
}

// BuildEvent makes the event that publishes documents, unsigned. Every document is held against the schema and its prose. tags nil means one ["cap", name] for each
// name; a host with more than 32 gives its own. What does not fit is refused, never cut.
func BuildEvent(docs []*Document, tags [][]string, createdAt int64) (*Event, error) {
	e := &Event{CreatedAt: createdAt, Kind: KindCapability, Tags: tags, Content: string(AppendManifest(nil, docs))}
	seen := map[string]bool{}
	for i, d := range docs {
		if _, err := d.Encode(Strict); err != nil {
			return nil, under(pointerItem("/capabilities", i), err)
		}
		if tags == nil && !seen[d.Name] {
			seen[d.Name] = true
			e.Tags = append(e.Tags, []string{"cap", d.Name})
		}
	}
	if tags == nil && len(e.Tags) > MaxEventTags {
		return nil, eventFault("tags", "%d names would be a tag each, an event has at most %d: publish fewer, or give the tags to be found by", len(e.Tags), MaxEventTags)
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	return e, nil
}

// check holds the fields that are signed against their bounds.
func (e *Event) check() error {
	switch {
	case e.CreatedAt < 0 || e.CreatedAt > maxExact:
		return eventFault("created_at", "Unix seconds from 0 to %d were wanted, %d came", int64(maxExact), e.CreatedAt)
	case e.Kind < 0 || e.Kind > maxExact:
		return eventFault("kind", "an integer from 0 to %d was wanted, %d came", int64(maxExact), e.Kind)
	case len(e.Content) > MaxContentBytes:
		return eventFault("content", "%d bytes, and an event holds at most %d: publish fewer capabilities, or shorter schemas and descriptions", len(e.Content), MaxContentBytes)
	case !utf8.ValidString(e.Content):
		return eventFault("content", "it is not valid UTF-8")
	case len(e.Tags) > MaxEventTags:
		return eventFault("tags", "%d tags, and an event has at most %d", len(e.Tags), MaxEventTags)
	}
	for i, tag := range e.Tags {
		for _, s := range tag {
			if len(s) > MaxTagBytes {
				return eventFault("tags", "tag %d has a string of %d bytes, at most %d are allowed", i, len(s), MaxTagBytes)
			}
			if !utf8.ValidString(s) {
				return eventFault("tags", "tag %d is not valid UTF-8", i)
			}
		}
	}
	return nil
}

// Canonical appends what is hashed: the array [agent_id, created_at, kind, tags, content] by RFC 8785. It has only strings, which jsonwire writes as that RFC
// says, and integers below 2^53, which have one form.
func (e *Event) Canonical(dst []byte) []byte {
	dst = append(dst, '[')
	dst, _ = jsonwire.AppendString(dst, e.AgentID)
	dst = jsonwire.AppendInt(append(dst, ','), e.CreatedAt)
	dst = jsonwire.AppendInt(append(dst, ','), e.Kind)
	dst = appendTags(append(dst, ','), e.Tags)
	dst, _ = jsonwire.AppendString(append(dst, ','), e.Content)
	return append(dst, ']')
}

func appendTags(dst []byte, tags [][]string) []byte {
	dst = append(dst, '[')
	for i, tag := range tags {
		if i > 0 {
			dst = append(dst, ',')
		}
		w := writer{dst: dst}
		w.open('[')
		for _, s := range tag {
			w.comma()
			w.dst, _ = jsonwire.AppendString(w.dst, s)
		}
		w.close(']')
		dst = w.dst
	}
	return append(dst, ']')
}

// Sign fills in AgentID, ID and Sig. The key is the host's: an ed25519.PrivateKey, or anything that signs with one. Nothing of it is kept.
func (e *Event) Sign(key crypto.Signer) error {
	if private, is := key.(ed25519.PrivateKey); key == nil || is && len(private) != ed25519.PrivateKeySize {
		return eventFault("sig", "the key is no Ed25519 key")
	}
	public, ok := key.Public().(ed25519.PublicKey)
	if !ok || len(public) != ed25519.PublicKeySize {
		return eventFault("sig", "the key is no Ed25519 key")
	}
	if err := e.check(); err != nil {
		return err
	}
	e.AgentID = hex.EncodeToString(public)
	sum := sha256.Sum256(e.Canonical(nil))
	sig, err := key.Sign(nil, sum[:], crypto.Hash(0))
	if err != nil {
		return eventFault("sig", "the key would not sign")
	}
	e.ID, e.Sig = hex.EncodeToString(sum[:]), hex.EncodeToString(sig)
	return e.Verify()
}

// Verify tells whether the id is the one that the content has, and the signature is the agent's over it.
func (e *Event) Verify() error {
	if err := e.check(); err != nil {
		return err
	}
	public, err := unhex("agent_id", e.AgentID, ed25519.PublicKeySize)
	if err != nil {
		return err
	}
	id, err := unhex("id", e.ID, sha256.Size)
	if err != nil {
		return err
	}
	sig, err := unhex("sig", e.Sig, ed25519.SignatureSize)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(e.Canonical(nil)); string(sum[:]) != string(id) {
		return eventFault("id", "what it says hashes to %x, its id is %s", sum, e.ID)
	}
	if !ed25519.Verify(public, id, sig) {
		return eventFault("sig", "the signature is not this agent's over this id")
	}
	return nil
}

func unhex(field, text string, size int) ([]byte, error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != size || hex.EncodeToString(b) != text {
		return nil, eventFault(field, "%d hexadecimal digits in lower case were wanted, %s came", 2*size, snippet([]byte(quoted(text))))
	}
	return b, nil
}

// Append appends the event as JSON, its seven fields in the order of the protocol.
func (e *Event) Append(dst []byte) []byte {
	w := writer{dst: dst}
	w.open('{')
	w.text("id", e.ID, true)
	w.text("agent_id", e.AgentID, true)
	w.number("created_at", Int(e.CreatedAt))
	w.number("kind", Int(e.Kind))
	w.raw("tags", appendTags(nil, e.Tags))
	w.text("content", e.Content, true)
	w.text("sig", e.Sig, true)
	w.close('}')
	return w.dst
}

// Documents reads what a kind-4 event publishes. The error is an *EventError or, with pointers into the content, an *Error.
func (e *Event) Documents(how Strictness) ([]*Document, []Note, error) {
	if e.Kind != KindCapability {
		return nil, nil, eventFault("kind", "4, a declaration of capabilities, was wanted, %d came", e.Kind)
	}
	var scan jsonwire.Scanner
	info, bad := scan.Check([]byte(e.Content))
	if bad != nil {
		return nil, nil, eventFault("content", "%s", bad.Error())
	}
	if info.Kind != jsonwire.Object {
		return nil, nil, eventFault("content", "an object with capabilities was wanted, %s came", info.Kind)
	}
	content := trim([]byte(e.Content))
	if v, ok := jsonwire.Lookup(content, "capabilities"); !ok || jsonwire.KindOf(v) != jsonwire.Array {
		return nil, nil, eventFault("content", "an object with an array of capabilities was wanted")
	}
	docs, notes, err := DecodeAll(content, how)
	if err != nil {
		return nil, nil, err
	}
	return docs, notes, nil
}

// VerifyEvent reads an event's text, which has to have the seven fields and no others, and verifies it.
func VerifyEvent(text []byte) (*Event, error) {
	e, err := DecodeEvent(text)
	if err == nil {
		err = e.Verify()
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// DecodeEvent reads an event's text and believes it.
func DecodeEvent(text []byte) (*Event, error) {
	scan := jsonwire.Scanner{MaxBytes: maxEventBytes}
	info, bad := scan.Check(text)
	if bad != nil {
		return nil, &EventError{Pointer: bad.Pointer, Msg: bad.Error()}
	}
	if info.Kind != jsonwire.Object {
		return nil, &EventError{Msg: "an object was wanted, " + info.Kind.String() + " came"}
	}
	if info.LoneSurrogates > 0 {
		return nil, &EventError{Msg: "a lone surrogate has no canonical form"}
	}
	e := &Event{Tags: [][]string{}}
	seen := map[string]bool{}
	var err error
	members(trim(text), func(name string, v []byte) {
		seen[name] = true
		if fault := e.field(name, v); fault != nil && err == nil {
			err = fault
		}
	})
	for _, name := range []string{"id", "agent_id", "created_at", "kind", "tags", "content", "sig"} {
		if !seen[name] && err == nil {
			err = eventFault(name, "it is missing")
		}
	}
	if err != nil {
		return nil, err
	}
	return e, nil
}

// field reads one member; nil when it is what it has to be.
func (e *Event) field(name string, v []byte) *EventError {
	switch name {
	case "id", "agent_id", "content", "sig":
		if jsonwire.KindOf(v) != jsonwire.String {
			return eventFault(name, "a string was wanted, %s came", snippet(v))
		}
		*map[string]*string{"id": &e.ID, "agent_id": &e.AgentID, "content": &e.Content, "sig": &e.Sig}[name] = decoded(v)
	case "created_at", "kind":
		n, ok := Number(v).Int()
		if !ok {
			return eventFault(name, "an integer was wanted, %s came", snippet(v))
		}
		*map[string]*int64{"created_at": &e.CreatedAt, "kind": &e.Kind}[name] = n
	case "tags":
		return e.readTags(v)
	default:
		return eventFault(name, "an event has no such field")
	}
	return nil
}

func (e *Event) readTags(v []byte) *EventError {
	var fault *EventError
	wrong := func(v []byte) {
		if fault == nil {
			fault = eventFault("tags", "an array of arrays of strings was wanted, %s came in it", snippet(v))
		}
	}
	if jsonwire.KindOf(v) != jsonwire.Array {
		wrong(v)
		return fault
	}
	elements(v, func(v []byte) {
		if jsonwire.KindOf(v) != jsonwire.Array {
			wrong(v)
			return
		}
		tag := []string{}
		elements(v, func(v []byte) {
			if jsonwire.KindOf(v) != jsonwire.String {
				wrong(v)
				return
			}
			tag = append(tag, decoded(v))
		})
		e.Tags = append(e.Tags, tag)
	})
	return fault
}
