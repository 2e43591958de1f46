package schema

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A dfa answers for a pattern with one table look-up a character. Patterns that would make
// too large a table, or that look at word or line boundaries, are left to package regexp.
type dfa struct {
	ascii  [utf8.RuneSelf]uint8 // the class of each
	starts []rune               // where classes of other characters begin
	of     []uint8              // and which they are
	next   []uint32             // by state*classes+class: the next state*classes
	ends   []bool               // by state: a text that ends here matches
	done   uint32               // dfaDone*classes
}

// The first two states of every table.
const (
	dfaDead  = iota // no text from here on matches
	dfaDone         // every text from here on matches
	dfaStart        // where a text begins
)

const (
	maxStates  = 512
	maxClasses = 128
	maxDFAWork = 1 << 19 // instructions looked at while a table is made
)

func (d *dfa) match(text []byte) bool {
	s := dfaStart * d.done
	for i := 0; i < len(text); {
		class := uint8(0)
		if b := text[i]; b < utf8.RuneSelf {
			class = d.ascii[b]
			i++
		} else {
			r, size := utf8.DecodeRune(text[i:])
			class = d.class(r)
			i += size
		}
		if s = d.next[s+uint32(class)]; s <= d.done {
			return s == d.done
		}
	}
	return d.ends[s/d.done]
}

func (d *dfa) class(r rune) uint8 {
	i, found := slices.BinarySearch(d.starts, r)
	if !found {
		i--
	}
	return d.of[i]
}

// dfaBuilder makes a table by following sets of a program's instructions.
type dfaBuilder struct {
	prog   *syntax.Prog
	d      *dfa
	states map[string]uint32
	sets   [][]uint32
	seen   []uint32 // by instruction: the last closure that met it
	round  uint32
	work   int
	width  int  // classes
	ending bool // the text ends here
	odd    bool // it may have to begin here too
}

// newDFA gives nil for a pattern that does not suit.
func newDFA(re *syntax.Regexp, work *int) *dfa {
	if *work <= 0 {
		return nil
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil
	}
	b := &dfaBuilder{prog: prog, d: &dfa{}, states: map[string]uint32{}, seen: make([]uint32, len(prog.Inst))}
	defer func() { *work -= b.work }()
	reps := b.classes()
	if reps == nil {
		return nil
	}
	b.sets = [][]uint32{nil, nil}
	b.d.ends = []bool{false, true}
	b.d.done = uint32(dfaDone * b.width)
	b.d.next = append(make([]uint32, b.width), slices.Repeat([]uint32{b.d.done}, b.width)...)
	b.round++
	start, done := b.follow(nil, uint32(prog.Start), true)
	if done {
		b.d.next = append(b.d.next, slices.Repeat([]uint32{b.d.done}, b.width)...)
		b.d.ends = append(b.d.ends, true)
		return b.d
	}
	b.state(start)
	for s := dfaStart; s < len(b.sets); s++ {
		for _, r := range reps {
			to, ok := b.step(b.sets[s], r)
			if !ok {
				return nil
			}
			b.d.next = append(b.d.next, to*uint32(b.width))
		}
	}
	if b.odd {
		return nil
	}
	return b.d
}

// classes splits the characters by the instructions that tell them apart, and gives one of each class.
func (b *dfaBuilder) classes() []rune {
	cuts := []rune{0, utf8.RuneSelf}
	cut := func(lo, hi rune) { cuts = append(cuts, lo, hi+1) }
	for i := range b.prog.Inst {
		in := &b.prog.Inst[i]
		switch in.Op {
		case syntax.InstRune, syntax.InstRune1:
			if len(in.Rune) == 1 {
				cut(in.Rune[0], in.Rune[0])
				if syntax.Flags(in.Arg)&syntax.FoldCase != 0 {
					for f := unicode.SimpleFold(in.Rune[0]); f != in.Rune[0]; f = unicode.SimpleFold(f) {
						cut(f, f)
					}
				}
			}
			for k := 0; k+1 < len(in.Rune); k += 2 {
				cut(in.Rune[k], in.Rune[k+1])
			}
		case syntax.InstRuneAnyNotNL:
			cut('\n', '\n')
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^(syntax.EmptyBeginText|syntax.EmptyEndText) != 0 {
				return nil
			}
		}
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	if b.work += len(cuts) * len(b.prog.Inst); b.work > maxDFAWork {
		return nil
	}
	// characters that the same instructions take are of one class
	known := map[string]uint8{}
	var reps []rune
	var key []byte
	for i, r := range cuts {
		if r > utf8.MaxRune {
			continue
		}
		key = key[:0]
		for k := range b.prog.Inst {
			if in := &b.prog.Inst[k]; takesRunes(in) && in.MatchRune(r) {
				key = binary.AppendUvarint(key, uint64(k))
			}
		}
		class, ok := known[string(key)]
		if !ok {
			if len(reps) == maxClasses {
				return nil
			}
			class = uint8(len(reps))
			known[string(key)] = class
			reps = append(reps, r)
		}
		end := rune(utf8.RuneSelf)
		if i+1 < len(cuts) {
			end = min(end, cuts[i+1])
		}
		for ; r < end; r++ {
			b.d.ascii[r] = class
		}
		if cuts[i] >= utf8.RuneSelf {
			b.d.starts = append(b.d.starts, cuts[i])
			b.d.of = append(b.d.of, class)
		}
	}
	b.width = len(reps)
	return reps
}

func takesRunes(in *syntax.Inst) bool {
	switch in.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

// follow adds to a set what an instruction leads to without a character; done says that a match is reached.
func (b *dfaBuilder) follow(set []uint32, pc uint32, first bool) (out []uint32, done bool) {
	b.work++
	if b.seen[pc] == b.round {
		return set, false
	}
	b.seen[pc] = b.round
	in := &b.prog.Inst[pc]
	switch in.Op {
	case syntax.InstAlt, syntax.InstAltMatch:
		if set, done = b.follow(set, in.Out, first); done {
			return set, true
		}
		return b.follow(set, in.Arg, first)
	case syntax.InstCapture, syntax.InstNop:
		return b.follow(set, in.Out, first)
	case syntax.InstEmptyWidth:
		op := syntax.EmptyOp(in.Arg)
		if op&syntax.EmptyBeginText != 0 && !first {
			b.odd = b.odd || b.ending
			return set, false
		}
		if op&syntax.EmptyEndText != 0 {
			return append(set, pc), false
		}
		return b.follow(set, in.Out, first)
	case syntax.InstMatch:
		return set, true
	case syntax.InstFail:
		return set, false
	}
	return append(set, pc), false
}

// step finds the state after a character: where its instructions lead, and a new beginning.
func (b *dfaBuilder) step(set []uint32, r rune) (to uint32, ok bool) {
	if b.work > maxDFAWork || len(b.sets) > maxStates {
		return 0, false
	}
	b.round++
	var out []uint32
	done := false
	for _, pc := range set {
		b.work++
		if in := &b.prog.Inst[pc]; takesRunes(in) && in.MatchRune(r) {
			if out, done = b.follow(out, in.Out, false); done {
				return dfaDone, true
			}
		}
	}
	if out, done = b.follow(out, uint32(b.prog.Start), false); done {
		return dfaDone, true
	}
	return b.state(out), true
}

// state numbers a set.
func (b *dfaBuilder) state(set []uint32) uint32 {
	if len(set) == 0 && len(b.sets) > dfaStart {
		return dfaDead
	}
	slices.Sort(set)
	var key []byte
	for _, pc := range set {
		key = binary.AppendUvarint(key, uint64(pc))
	}
	if s, ok := b.states[string(key)]; ok {
		return s
	}
	s := uint32(len(b.sets))
	b.states[string(key)] = s
	b.sets = append(b.sets, set)
	b.d.ends = append(b.d.ends, b.endsHere(set))
	return s
}

// endsHere says whether a match is reached from a set when the text ends.
func (b *dfaBuilder) endsHere(set []uint32) bool {
	b.round++
	b.ending = true
	defer func() { b.ending = false }()
	for len(set) > 0 {
		var more []uint32
		for _, pc := range set {
			if in := &b.prog.Inst[pc]; in.Op == syntax.InstEmptyWidth {
				var done bool
				if more, done = b.follow(more, in.Out, false); done {
					return true
				}
			}
		}
		set = more
	}
	return false
}
