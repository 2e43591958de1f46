package schema

import (
	"math/big"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var smallNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,60})(\.[0-9]{1,60})?([eE][+-]?[0-9]{1,2})?$`)

// againstRat holds the number keywords, with b as their bound, against big rationals on a.
func againstRat(t *testing.T, a, b string) {
	if !smallNumber.MatchString(a) || !smallNumber.MatchString(b) {
		return
	}
	x, _ := new(big.Rat).SetString(a)
	y, _ := new(big.Rat).SetString(b)
	order := x.Cmp(y)
	for word, want := range map[string]bool{
		"minimum": order >= 0, "maximum": order <= 0, "exclusiveMinimum": order > 0, "exclusiveMaximum": order < 0, "const": order == 0, "multipleOf": false,
	} {
		if word == "multipleOf" {
			if y.Sign() <= 0 {
				continue
			}
			want = new(big.Rat).Quo(x, y).IsInt()
		}
		s, err := compile([]byte(`{"`+word+`":`+b+`}`), Options{Role: Output}, settings{anyRoot: true})
		if err != nil {
			require.Equal(t, "multipleOf may have 18 significant digits", err.Msg)
			continue
		}
		var c Checker
		require.Equal(t, want, s.Check(&c, checked(t, a)), "%s %s on %s", word, b, a)
	}
	s := mustCompile(t, `{"properties":{"v":{"type":"integer"}}}`, Options{NoRepair: true})
	var c Checker
	require.Equal(t, x.IsInt(), s.Check(&c, []byte(`{"v":`+a+`}`)), a)
}

var numberSeeds = []string{"0", "-0", "0.0", "1", "-1", "1e0", "10", "1.0e1", "0.1", "0.30000000000000004", "0.3", "9007199254740993", "9007199254740992", "9007199254740993.0",
	"999999999999999999", "1000000000000000000", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "12345678901234567890", "1e18", "1e-18", "0.000000000000000001", "100e-2", "123456789012345678e-5", "2.5", "7", "0.01", "3e22", "3e23"}

func TestNumbers(t *testing.T) {
	for _, a := range numberSeeds {
		for _, b := range numberSeeds {
			againstRat(t, a, b)
		}
	}
	r := rand.New(rand.NewPCG(4, 4))
	digits := func(n int) string {
		var b strings.Builder
		for range 1 + r.IntN(n) {
			b.WriteByte("0123456789000999"[r.IntN(16)])
		}
		return b.String()
	}
	number := func() string {
		s := strings.TrimLeft(digits(20), "0")
		if s == "" {
			s = "0"
		}
		if r.IntN(2) == 0 {
			s += "." + digits(20)
		}
		if r.IntN(3) == 0 {
			s += "e" + strconv.Itoa(r.IntN(50)-25)
		}
		if r.IntN(4) == 0 {
			s = "-" + s
		}
		return s
	}
	for range 3000 {
		a := number()
		againstRat(t, a, number())
		againstRat(t, a, a)
		againstRat(t, a+"0", strings.TrimPrefix(a, "-"))
	}
}

func FuzzNumber(f *testing.F) {
	for i, a := range numberSeeds {
		f.Add(a, numberSeeds[(i*7+3)%len(numberSeeds)])
	}
	f.Fuzz(againstRat)
}
