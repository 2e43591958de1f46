package capability

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

type vector struct {
	Seed      string          `json:"secret_seed_hex"`
	Canonical string          `json:"canonical_payload_utf8_hex"`
	Event     json.RawMessage `json:"event"`
	WrongID   string          `json:"wrong_id_if_object_hashed_as_in_PORTING_md"`
	WrongSig  string          `json:"wrong_sig_if_hex_text_signed"`
}

func readVector(t testing.TB) (v vector, key ed25519.PrivateKey) {
	require.NoError(t, json.Unmarshal(contents(t, shared(t, "data", "anp2", "kind4_vector.json")), &v))
	seed, err := hex.DecodeString(v.Seed)
	require.NoError(t, err)
	return v, ed25519.NewKeyFromSeed(seed)
}

func TestVector(t *testing.T) {
	v, key := readVector(t)
	e, err := VerifyEvent(v.Event)
	require.NoError(t, err)
	require.Equal(t, v.Canonical, hex.EncodeToString(e.Canonical(nil)))

	// Signed again, it is the same.
	again := &Event{CreatedAt: e.CreatedAt, Kind: e.Kind, Tags: e.Tags, Content: e.Content}
	require.NoError(t, again.Sign(key))
	require.Equal(t, e, again)
	equalJSON(t, v.Event, again.Append(nil))
	read, err := VerifyEvent(again.Append(nil))
	require.NoError(t, err)
	require.Equal(t, e, read)

	// What it publishes is one document that holds to schema and prose, and a tool.
	docs, notes, err := e.Documents(Strict)
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Len(t, docs, 1)
	require.Equal(t, "x.aicc.tavern.say", docs[0].Name)
	tool, notes, err := Import(docs[0].Append(nil), ImportOptions{})
	require.NoError(t, err)
	require.Empty(t, notes)
	require.Equal(t, "say", tool.ID)
	require.Equal(t, "actuator", tool.Class.String())
	require.True(t, tool.StrictInput)
	require.Equal(t, int64(30), tool.CallsPerMinute)
	require.Equal(t, int64(1), tool.MaxConcurrent)

	built, err := BuildEvent(docs, nil, e.CreatedAt)
	require.NoError(t, err)
	require.Equal(t, e.Tags, built.Tags)

	// The two mistakes that others make.
	for field, wrong := range map[string]string{"id": v.WrongID, "sig": v.WrongSig} {
		bad := *e
		if field == "id" {
			bad.ID = wrong
		} else {
			bad.Sig = wrong
		}
		_, err := VerifyEvent(bad.Append(nil))
		require.EqualError(t, err, map[string]string{
			"id":  "event id: what it says hashes to " + e.ID + ", its id is " + wrong,
			"sig": "event sig: the signature is not this agent's over this id"}[field])
	}
	// An id that is wrong stays wrong when it is signed.
	bad := *e
	bad.ID = v.WrongID
	id, _ := hex.DecodeString(bad.ID)
	bad.Sig = hex.EncodeToString(ed25519.Sign(key, id))
	require.ErrorContains(t, bad.Verify(), "event id: what it says hashes to")
}

// The hashed array is RFC 8785's: its escapes, its order, nothing else escaped.
func TestCanonical(t *testing.T) {
	e := Event{AgentID: "a", CreatedAt: 1<<53 - 1, Kind: 4, Tags: [][]string{{}, {"é", "\u2028\x7f/"}}, Content: "\x00\b\t\n\v\f\r\x1f\"\\\u00e9😀\u007f</script>"}
	require.Equal(t, `["a",9007199254740991,4,[[],["é","`+"\u2028\x7f"+`/"]],"\u0000\b\t\n\u000b\f\r\u001f\"\\é😀`+"\x7f"+`</script>"]`, string(e.Canonical(nil)))
	require.Equal(t, `["",0,0,[],""]`, string((&Event{}).Canonical(nil)))
}

func TestBadEvents(t *testing.T) {
	v, key := readVector(t)
	e, err := DecodeEvent(v.Event)
	require.NoError(t, err)
	good := string(e.Append(nil))
	for _, c := range []struct{ from, to, want string }{
		{good, `[]`, "event: an object was wanted, array came"},
		{good, `{"id":`, "event: byte 6 (/id): a value was wanted, the end of the text came"},
		{`{"id"`, `{"id":"","id"`, "event: byte 9 (/id): duplicate member"},
		{`{"id"`, `{"extra":1,"id"`, "event extra: an event has no such field"},
		{`"kind":4,`, ``, "event kind: it is missing"},
		{`"kind":4`, `"kind":"4"`, `event kind: an integer was wanted, "4" came`},
		{`"kind":4`, `"kind":-1`, "event kind: an integer from 0 to 9007199254740991 was wanted, -1 came"},
		{`"kind":4`, `"kind":5`, "event id: what it says hashes to *, its id is " + e.ID},
		{`1800000000`, `1800000000.5`, "event created_at: an integer was wanted, 1800000000.5 came"},
		{`1800000000`, `9007199254740992`, "event created_at: Unix seconds from 0 to 9007199254740991 were wanted, 9007199254740992 came"},
		{`1800000000`, `1e999`, "event created_at: Unix seconds from 0 to 9007199254740991 were wanted, 9223372036854775807 came"},
		{`[["cap","x.aicc.tavern.say"]]`, `{}`, "event tags: an array of arrays of strings was wanted, {} came in it"},
		{`[["cap","x.aicc.tavern.say"]]`, `["cap"]`, `event tags: an array of arrays of strings was wanted, "cap" came in it`},
		{`[["cap","x.aicc.tavern.say"]]`, `[["cap",1]]`, "event tags: an array of arrays of strings was wanted, 1 came in it"},
		{e.AgentID, strings.ToUpper(e.AgentID), "event agent_id: 64 hexadecimal digits in lower case were wanted, " + `"` + strings.ToUpper(e.AgentID) + `" came`},
		{e.AgentID, e.AgentID[2:], "event agent_id: 64 hexadecimal digits in lower case were wanted, " + `"` + e.AgentID[2:] + `" came`},
		{e.ID, "", `event id: 64 hexadecimal digits in lower case were wanted, "" came`},
		{e.Sig, "zz" + e.Sig[2:], "event sig: 128 hexadecimal digits in lower case were wanted, " + `"zz` + e.Sig[2:79] + "... came"},
		{e.Sig, "00" + e.Sig[2:], "event sig: the signature is not this agent's over this id"},
		{`"content":"`, `"content":" `, "event id: what it says hashes to *, its id is " + e.ID},
		{`"content":"`, `"content":"\ud800`, "event: a lone surrogate has no canonical form"},
		{`"content":`, `"content":null,"x":`, "event content: a string was wanted, null came"},
		{`"content":"`, `"content":"` + strings.Repeat("a", 65_537-len(e.Content)),
			"event content: 65537 bytes, and an event holds at most 65536: publish fewer capabilities, or shorter schemas and descriptions"},
	} {
		require.Contains(t, good, c.from)
		_, err := VerifyEvent([]byte(strings.Replace(good, c.from, c.to, 1)))
		require.Error(t, err, c.to)
		got := regexp.MustCompile("hashes to [0-9a-f]{64}").ReplaceAllString(err.Error(), "hashes to *") // which sum is not what is tested
		require.Equal(t, c.want, got, c.to)
	}
	// White space and another order of members change nothing.
	_, err = VerifyEvent([]byte(" " + strings.Replace(strings.Replace(good, `"kind":4,`, "", 1), `{"id"`, `{ "kind" : 4.0, "id"`, 1) + "\n"))
	require.NoError(t, err)

	for _, c := range []struct {
		e    Event
		want string
	}{
		{Event{CreatedAt: -1}, "event created_at: Unix seconds from 0 to 9007199254740991 were wanted, -1 came"},
		{Event{Content: "\xff"}, "event content: it is not valid UTF-8"},
		{Event{Tags: [][]string{{"a"}, {"b\xff"}}}, "event tags: tag 1 is not valid UTF-8"},
		{Event{Tags: [][]string{{"cap", strings.Repeat("a", 1025)}}}, "event tags: tag 0 has a string of 1025 bytes, at most 1024 are allowed"},
		{Event{Tags: make([][]string, 33)}, "event tags: 33 tags, and an event has at most 32"},
	} {
		require.EqualError(t, c.e.Sign(key), c.want)
		require.Empty(t, c.e.Sig)
	}
	var e0 Event
	require.EqualError(t, e0.Sign(ed25519.PrivateKey("short")), "event sig: the key is no Ed25519 key")
	require.EqualError(t, e0.Sign(nil), "event sig: the key is no Ed25519 key")
}

func TestBuildEventRefusesWhatDoesNotFit(t *testing.T) {
	_, key := readVector(t)
	doc := func(i, description int) *Document {
		s := strings.Repeat("d", description)
		return &Document{Name: fmt.Sprintf("x.a.b%d", i), Version: "1.0", Description: &s}
	}
	var docs []*Document
	for i := range 32 {
		docs = append(docs, doc(i, 1900))
	}
	e, err := BuildEvent(docs, nil, 5)
	require.NoError(t, err)
	require.NoError(t, e.Sign(key))
	require.Len(t, e.Tags, 32)
	require.Len(t, e.Content, len(AppendManifest(nil, docs)))

	// Exactly what fits, and one byte more.
	room := MaxContentBytes - len(e.Content)
	more := min(room, 2048-1900)
	for i := 0; room > 0; i++ {
		*docs[i].Description += strings.Repeat("d", more)
		room -= more
		more = min(room, 2048-1900)
	}
	e, err = BuildEvent(docs, nil, 5)
	require.NoError(t, err)
	require.Len(t, e.Content, MaxContentBytes)
	*docs[31].Description += "d"
	_, err = BuildEvent(docs, nil, 5)
	require.EqualError(t, err, "event content: 65537 bytes, and an event holds at most 65536: publish fewer capabilities, or shorter schemas and descriptions")

	docs = nil
	for i := range 33 {
		docs = append(docs, doc(i, 1))
	}
	_, err = BuildEvent(docs, nil, 5)
	require.EqualError(t, err, "event tags: 33 names would be a tag each, an event has at most 32: publish fewer, or give the tags to be found by")
	e, err = BuildEvent(docs, [][]string{{"cap", "x.a"}}, 5)
	require.NoError(t, err)
	require.Equal(t, [][]string{{"cap", "x.a"}}, e.Tags)

	docs[3].Version = "01.0"
	_, err = BuildEvent(docs, [][]string{}, 5)
	require.EqualError(t, err, `/capabilities/3/version: wanted two numbers without leading zeros, MAJOR.MINOR; got "01.0"`)
	// Two versions of one capability are one tag.
	e, err = BuildEvent([]*Document{{Name: "meta.a", Version: "1.0"}, {Name: "meta.a", Version: "2.0"}}, nil, 5)
	require.NoError(t, err)
	require.Equal(t, [][]string{{"cap", "meta.a"}}, e.Tags)
}

func TestDocumentsOfAnEvent(t *testing.T) {
	for _, c := range []struct{ content, want string }{
		{`nonsense`, "event content: byte 0: a value was wanted, 'n' came"},
		{`[]`, "event content: an object with capabilities was wanted, array came"},
		{`{"capabilities":{}}`, "event content: an object with an array of capabilities was wanted"},
		{`{"capabilities":[{"name":"meta.a"}]}`, `/capabilities/0/version: wanted a string that matches ^[0-9]+\.[0-9]+$, required; got nothing`},
	} {
		_, _, err := (&Event{Kind: 4, Content: c.content}).Documents(Strict)
		require.EqualError(t, err, c.want)
	}
	_, _, err := (&Event{Kind: 1, Content: `{"capabilities":[]}`}).Documents(Strict)
	require.EqualError(t, err, "event kind: 4, a declaration of capabilities, was wanted, 1 came")
	docs, notes, err := (&Event{Kind: 4, Content: ` {"capabilities":[{"name":"game.a","version":"1.0"}]} `}).Documents(Lenient)
	require.NoError(t, err)
	require.Len(t, docs, 1)
	require.Equal(t, "/capabilities/0/name", notes[0].Pointer)
}

// No error says anything of the key.
func TestKeysAreNotTold(t *testing.T) {
	v, key := readVector(t)
	e := Event{Kind: 4, CreatedAt: -1}
	require.NotContains(t, e.Sign(key).Error(), v.Seed[:16])
	e.CreatedAt = 1
	require.NoError(t, e.Sign(key))
	require.NotContains(t, string(e.Append(nil)), v.Seed)
}

func FuzzEvent(f *testing.F) {
	f.Add([]byte(`{"id":"","agent_id":"","created_at":1,"kind":4,"tags":[["cap"]],"content":"","sig":""}`))
	if v, _ := readVector(f); true {
		f.Add([]byte(v.Event))
	}
	key := ed25519.NewKeyFromSeed(make([]byte, 32))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := DecodeEvent(text)
		if err != nil {
			require.Nil(t, e)
			return
		}
		again, err := DecodeEvent(e.Append(nil))
		require.NoError(t, err)
		require.Equal(t, e, again)
		// The standard library reads the canonical form as the same values.
		var parts []any
		require.NoError(t, json.Unmarshal(e.Canonical(nil), &parts))
		require.Equal(t, e.Content, parts[4])
		_, _, _ = e.Documents(Lenient)
		if e.check() != nil {
			require.Error(t, e.Sign(key))
			return
		}
		require.NoError(t, e.Sign(key))
		sum := sha256.Sum256(e.Canonical(nil))
		require.Equal(t, hex.EncodeToString(sum[:]), e.ID)
	})
}
