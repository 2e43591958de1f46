package inspector

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"aicc.dev/libaicc/core/message"
	"aicc.dev/libaicc/core/session"
)

func TestSessionIDsAreShortened(t *testing.T) {
	r := newRig(t, Options{})
	w := r.hub.World("yard", nil)
	w.Open(1, "guard")
	v := r.open()
	s := sid.String()
	body := message.AppendManifestBody(nil, &message.Manifest{TickRateHz: 1, TickMode: message.TickFixed, WorldName: "yard", WorldKind: message.World2D, Model: message.Model{Class: message.CloudMedium}})
	w.Out(1, 1, message.AppendSessionInit(nil, sid, mid, body))
	w.In(1, 1, call("c", "go"))
	w.In(1, 1, message.AppendToolCall(nil, sid, mid, s, "go", []byte(`{"`+s+`":"x`+strings.ToUpper(s)+`y"}`)))
	w.In(1, 1, message.AppendSessionResume(nil, other, mid))
	w.In(1, 1, []byte(`{"protocol":"aicc/0.1","type":"heartbeat","session_id":"`+strings.ReplaceAll(s, "1", `\u0031`)+`","message_id":"`+mid.String()+`"}`))
	w.In(1, 1, []byte(`{"session_id":"`+s+`","x":"`+other.String()+`"`))
	w.In(1, 1, []byte(`{"session_id":"`+strings.ReplaceAll(s, "-", `\u002d`)+`"`))
	w.Out(1, 1, message.AppendSessionClose(nil, sid, mid, "bye "+s))
	w.Log(session.Warn, 1, "the session "+s+" is odd")
	w.Fault(1, s)
	r.turn(time.Second)
	all := strings.ToLower(v.text.String())
	require.NotContains(t, all, s[9:])
	require.NotContains(t, all, other.String()[9:])
	require.NotContains(t, all, `\u0031`)
	require.Contains(t, all, `11111111-…`)
	require.Contains(t, all, mid.String(), "a message's id is no secret")
	rows := rowsOf(v.got)
	require.Equal(t, `{"protocol":"aicc/0.1","type":"tool_call","session_id":"11111111-…","message_id":"`+mid.String()+`","call_id":"c","tool":"go","input":{"n":1}}`, rows[1][12])
	require.Equal(t, "11111111-…", rows[2][10])
	require.Equal(t, "bye 11111111-…", rows[7][9])
}

func TestRedaction(t *testing.T) {
	s := sid.String()
	for text, want := range map[string]string{
		"":                                 "",
		s:                                  "11111111-…",
		"x" + s + "y":                      "x11111111-…y",
		"00000000-0000-0000-0000-0000" + s: "00000000-0000-0000-0000-000011111111-…",
		s + s:                              "11111111-…11111111-…",
		s[:35]:                             s[:35],
		strings.ToUpper(s):                 "11111111-…",
		other.String():                     other.String(),
		"--------" + s:                     "--------11111111-…",
		`\u0031` + s[1:]:                   "11111111-…",
		`\\u0031` + s[1:]:                  `\\u00311111111-…`,
		`\u0031\u0031` + s[2:] + `\u00`:    `11111111-…\u00`,
		`\`:                                `\`,
		`\u005c\u0022`:                     `\u005c\u0022`,
	} {
		require.Equal(t, want, string(appendRedacted(nil, []byte(text), false, sid, message.ID{})), text)
	}
	require.Equal(t, "00000000-…", string(appendRedacted(nil, []byte("00000000-0000-0000-0000-0000"+s), true)), "one that begins in another")
	require.Equal(t, "99999999-… 00000000-…", string(appendRedacted(nil, []byte(other.String()+" "+message.ID{}.String()), true)))
}

func FuzzRedaction(f *testing.F) {
	for _, s := range []string{"", sid.String(), `\u0031` + sid.String()[1:], `{"a":"\\` + sid.String() + `"}`, "00000000-0000-0000-0000-0000", "--" + other.String()} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		require.NotContains(t, string(appendRedacted(nil, text, false, sid)), sid.String())
		tail := sid.String()[8:]
		require.LessOrEqual(t, strings.Count(string(appendRedacted(nil, []byte(string(text)+sid.String()), true)), tail), strings.Count(string(unescapeIDs(text)), tail))
	})
}
