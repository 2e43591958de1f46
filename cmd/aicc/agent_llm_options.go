package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// number is an option that is a whole number. Its help says what it is if it is not given, and its bounds; most 0 is none.
type number struct{ n, least, most int }

func addNumber(flags *flag.FlagSet, name string, n, least, most int, usage string) *int {
	v := &number{n, least, most}
	if usage += fmt.Sprintf(" (default %d", n); most > 0 {
		usage += fmt.Sprintf("; %d to %d", least, most)
	}
	flags.Var(v, name, usage+")")
	return &v.n
}

func (v *number) String() string { return strconv.Itoa(v.n) }

func (v *number) Set(s string) error {
	n, err := strconv.Atoi(s)
	switch {
	case v.most > 0 && (err != nil || n < v.least || n > v.most):
		return fmt.Errorf("a whole number from %d to %d was wanted", v.least, v.most)
	case err != nil || n < v.least:
		return fmt.Errorf("a whole number of at least %d was wanted", v.least)
	}
	v.n = n
	return nil
}

// span is an option that is a time, in the same way.
type span struct{ d, least, most time.Duration }

func addSpan(flags *flag.FlagSet, name string, d, least, most time.Duration, usage string) *time.Duration {
	v := &span{d, least, most}
	if usage += " (default " + brief(d); most > 0 {
		usage += "; " + brief(least) + " to " + brief(most)
	}
	flags.Var(v, name, usage+")")
	return &v.d
}

func (v *span) String() string { return brief(v.d) }

func (v *span) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil && s != "" && strings.Trim(s, "0123456789.") == "" {
		return fmt.Errorf("a time has a unit: give %ss", s)
	}
	switch {
	case err != nil:
		return errors.New("a time such as 90s or 10m was wanted")
	case v.most > 0 && (d < v.least || d > v.most):
		return fmt.Errorf("a time from %s to %s was wanted", brief(v.least), brief(v.most))
	case d < v.least:
		return fmt.Errorf("a time of at least %s was wanted", brief(v.least))
	}
	v.d = d
	return nil
}

// brief is 2m and not 2m0s.
func brief(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// path is an option that names a file. An empty one is a mistake, most likely a shell's variable that is not set.
type path string

func addPath(flags *flag.FlagSet, name, usage string) *string {
	v := new(path)
	flags.Var(v, name, usage)
	return (*string)(v)
}

func (v *path) String() string { return string(*v) }

func (v *path) Set(s string) error {
	if s == "" {
		return errors.New("the name of a file was wanted")
	}
	*v = path(s)
	return nil
}

// ofOption says of which option's file an error is.
func ofOption(option, name string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return fmt.Errorf("--%s %s: %s", option, name, strings.TrimPrefix(err.Error(), name+": "))
}

// Bounds on a persona: a file that is none by mistake, such as a picture, must not become the model's first message.
const maxPersona = 64 << 10

// personaOf checks a persona's text; context is how many tokens the whole conversation may have.
func personaOf(text []byte, context int) (string, error) {
	persona := strings.TrimSpace(strings.TrimPrefix(string(text), "\uFEFF"))
	strange := func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) }
	switch tokens := len(persona) / 4; {
	case persona == "":
		return "", errors.New("it is empty: write there who the character is, or leave the option away")
	case len(text) > maxPersona:
		return "", fmt.Errorf("it has %d bytes, and a persona at most %d: say in a page or two who the character is", len(text), maxPersona)
	case !utf8.ValidString(persona) || strings.ContainsFunc(persona, strange):
		return "", errors.New("it is no text: a persona is written in UTF-8")
	case tokens > context/2:
		return "", fmt.Errorf("it has about %d tokens, which is more than half of --context %d: shorten it, or raise --context", tokens, context)
	}
	return persona, nil
}
