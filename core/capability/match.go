package capability

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Query is what a planner looks for. Fields that are zero ask for nothing; a document fits when it fits all others. What a
// document does not say it does not have: one without a latency fits no bound on latency.
type Query struct {
	Name        string   // this one
	Prefix      string   // this one and those below it: vision.ocr has vision.ocr.document, not vision.ocrx
	Version     string   // MAJOR.MINOR: the same MAJOR, and MINOR or more
	Tags        []string // all of them
	InputModes  []string // all; a document's image/* has image/png; without case and parameters
	OutputModes []string
	Languages   []string // all; ja is had by ja and ja_JP, ja_JP only by ja_JP
	MaxPrice    *Price
	MaxP50MS    int64 // 0: any
	MaxP95MS    int64
	Extension   string // its URI
	Limit       int    // of what is given; 0: all
}

// Price bounds what a call costs. A capability that is free fits any; another one needs this currency.
type Price struct {
	Currency string  // "": only free ones fit
	Model    string  // "": any
	Amount   float64 // at most
}

// Match is one document that fits.
type Match struct {
	Index    int // in what was searched
	Document *Document
}

// Find gives the documents that fit, best first: the name asked for before those below it; free before priced before unknown, and the lower
// amount first where the query's currency and model make amounts comparable; the lower p95 first, unknown last; then by name;
// then the higher version; those that are alike in all that stay in their given order. Whichever order the documents come in, unlike
// ones are ranked the same.
func Find(docs []*Document, q Query) []Match {
	found := []Match{}
	for i, d := range docs {
		if q.fits(d) {
			found = append(found, Match{i, d})
		}
	}
	slices.SortStableFunc(found, func(a, b Match) int { return q.compare(a.Document, b.Document) })
	if q.Limit > 0 && len(found) > q.Limit {
		found = found[:q.Limit]
	}
	return found
}

func (q *Query) fits(d *Document) bool {
	c, p := d.Constraints, d.Pricing
	if c == nil {
		c = &Constraints{}
	}
	return (q.Name == "" || d.Name == q.Name) &&
		(q.Prefix == "" || d.Name == q.Prefix || strings.HasPrefix(d.Name, q.Prefix+".")) &&
		(q.Version == "" || serves(d.Version, q.Version)) &&
		all(q.Tags, d.Tags, func(want, has string) bool { return want == has }) &&
		all(q.InputModes, d.InputModes, modeFits) &&
		all(q.OutputModes, d.OutputModes, modeFits) &&
		all(q.Languages, c.SupportedLanguages, func(want, has string) bool { return has == want || strings.HasPrefix(has, want+"_") }) &&
		(q.MaxPrice == nil || q.MaxPrice.fits(p)) &&
		within(c.P50LatencyMS, q.MaxP50MS) && within(c.P95LatencyMS, q.MaxP95MS) &&
		(q.Extension == "" || slices.ContainsFunc(d.Extensions, func(x Extension) bool { return x.URI == q.Extension }))
}

// all tells whether everything wanted is had.
func all(want, has []string, fits func(want, has string) bool) bool {
	for _, w := range want {
		if !slices.ContainsFunc(has, func(h string) bool { return fits(w, h) }) {
			return false
		}
	}
	return true
}

func modeFits(want, has string) bool {
	want, has = bareMode(want), bareMode(has)
	if kind, ok := strings.CutSuffix(has, "/*"); ok {
		return kind == "*" || strings.HasPrefix(want, kind+"/")
	}
	return want == has
}

func bareMode(s string) string {
	s, _, _ = strings.Cut(s, ";")
	return strings.ToLower(strings.TrimSpace(s))
}

func within(n Number, most int64) bool {
	if most <= 0 {
		return true
	}
	value, ok := n.Int()
	return ok && value <= most
}

func (p *Price) fits(has *Pricing) bool {
	if has == nil {
		return false
	}
	if has.Model == "free" {
		return true
	}
	amount, ok := has.Amount.Float()
	return ok && p.Currency != "" && has.Currency == p.Currency && (p.Model == "" || has.Model == p.Model) && amount <= p.Amount
}

// serves tells whether a version can stand in for the one that is wanted. Versions may have any length.
func serves(has, want string) bool {
	hasMajor, hasMinor, ok := strings.Cut(has, ".")
	wantMajor, wantMinor, fine := strings.Cut(want, ".")
	return ok && fine && digits(wantMajor) && digits(wantMinor) && compareDigits(hasMajor, wantMajor) == 0 && compareDigits(hasMinor, wantMinor) >= 0
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

func compareDigits(a, b string) int {
	a, b = strings.TrimLeft(a, "0"), strings.TrimLeft(b, "0")
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
}

func compareVersions(a, b string) int {
	aMajor, aMinor, _ := strings.Cut(a, ".")
	bMajor, bMinor, _ := strings.Cut(b, ".")
	return cmp.Or(compareDigits(aMajor, bMajor), compareDigits(aMinor, bMinor))
}

func (q *Query) compare(a, b *Document) int {
	return cmp.Or(
		cmp.Compare(q.below(a), q.below(b)),
		cmp.Compare(q.cost(a.Pricing), q.cost(b.Pricing)),
		cmp.Compare(latency95(a), latency95(b)),
		strings.Compare(a.Name, b.Name),
		compareVersions(b.Version, a.Version),
	)
}

func (q *Query) below(d *Document) int {
	if q.Prefix != "" && d.Name != q.Prefix {
		return 1
	}
	return 0
}

// cost is a key to rank by: below 0 is free, infinite unknown.
func (q *Query) cost(p *Pricing) float64 {
	switch {
	case p == nil:
		return math.Inf(1)
	case p.Model == "free":
		return -1
	case q.MaxPrice == nil || q.MaxPrice.Currency == "" || q.MaxPrice.Model == "":
		return 0
	}
	amount, _ := p.Amount.Float()
	return amount
}

func latency95(d *Document) int64 {
	if d.Constraints != nil {
		if n, ok := d.Constraints.P95LatencyMS.Int(); ok {
			return n
		}
	}
	return math.MaxInt64
}
