package jsonwire

import (
	"testing"

	"github.com/stretchr/testify/require"
)

var sink int

func TestNothingAllocates(t *testing.T) {
	text := []byte(`{"protocol":"aicc/0.1","a\n":[1,2.5e3,{"x":"\u00e9\ud83d\ude00"}],"b":true,"c":null,"d":-12,"e":"caf\u00e9",
		"f":1,"g":2,"h":3,"i":4,"j":5,"\u006b":6,"l":{},"m":[]}`)
	other := []byte(`{"m":[],"protocol":"aicc/0.1","a\n":[1,25e2,{"x":"é😀"}],"b":true,"c":null,"d":-12.0,"e":"café","f":1,"g":2,"h":3,"i":4,"j":5,"k":6,"l":{}}`)
	escaped := []byte(`"a\"b\u00e9"`)
	var s Scanner
	buf := make([]byte, 0, 4096)
	for name, f := range map[string]func(){
		"Check": func() {
			if _, err := s.Check(text); err != nil {
				sink++
			}
		},
		"ObjectMembers": func() {
			m := ObjectMembers(text)
			for {
				n, v, ok := m.Next()
				if !ok {
					break
				}
				sink += len(n) + len(v) + m.Offset()
			}
		},
		"ArrayElements": func() {
			e := ArrayElements([]byte(`[1,2,[3]]`))
			for {
				v, ok := e.Next()
				if !ok {
					break
				}
				sink += len(v)
			}
		},
		"Lookup":         func() { v, _ := Lookup(text, "k"); sink += len(v) },
		"Text":           func() { b := buf[:0]; sink += len(Text(escaped, &b)) },
		"AppendUnquoted": func() { b, _ := AppendUnquoted(buf[:0], escaped); sink += len(b) },
		"RuneCount":      func() { sink += RuneCount(escaped) },
		"ToInt64":        func() { n, _ := ToInt64([]byte("-1200e-2")); sink += int(n) },
		"ToInt64 range":  func() { n, _ := ToInt64([]byte("1e999999999")); sink += int(n) },
		"ToUint64":       func() { n, _ := ToUint64([]byte("18446744073709551615")); sink += int(n) },
		"ToFloat64":      func() { n, _ := ToFloat64([]byte("12.5e3")); sink += int(n) },
		"ToFloat64 far":  func() { _, err := ToFloat64([]byte("1e999999999")); _ = err },
		"CompareNumbers": func() { sink += CompareNumbers([]byte("1.50"), []byte("15e-1")) },
		"Equal": func() {
			if !Equal(text, other) {
				panic("not equal")
			}
		},
		"Hash":               func() { h := Hash(text); sink += int(h[0]) },
		"AppendString":       func() { b, _ := AppendString(buf[:0], "a\"é\xff\n"); sink += len(b) },
		"AppendString bytes": func() { b, _ := AppendString(buf[:0], escaped); sink += len(b) },
		"AppendFloat":        func() { b, _ := AppendFloat(buf[:0], 0.1+0.2); sink += len(b) },
		"AppendFloat32":      func() { b, _ := AppendFloat32(buf[:0], 0.1); sink += len(b) },
		"AppendCompact":      func() { sink += len(AppendCompact(buf[:0], text)) },
		"AppendPointerToken": func() { sink += len(AppendPointerToken(buf[:0], "a/b~c")) },
	} {
		require.Zero(t, testing.AllocsPerRun(100, f), name)
	}
}

func BenchmarkCheckToolCall(b *testing.B) {
	text := []byte(`{"protocol":"aicc/0.1","type":"tool_call","session_id":"11111111-2222-4333-8444-555555555555","message_id":"aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee","call_id":"call-1","tool":"move_to","input":{"x":1.5,"y":-2,"speed":"walk","path":[1,2,3]}}`)
	var s Scanner
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Check(text); err != nil {
			b.Fatal(err)
		}
	}
}
