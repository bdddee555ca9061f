package gate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
)

// stale reports whether every row that a pattern names was tested, and none showed what the entry declares. What
// findings declare is stale when it was not found in a run of all those rows.
func (d *Declared) stale(e *Entry, pattern string, doc *record.Document, used map[string]bool) bool {
	if e.finding == "intermittent" || used[e.String()] {
		return false // what comes and goes may stay away for a run
	}
	tested := 0
	for _, f := range d.fixtures(pattern) {
		for _, mode := range []fixture.Mode{fixture.Plain, fixture.Stream} {
			if !f.In(mode) || e.mode != "" && e.mode != mode || !slices.Contains(doc.Settings.Dialects, f.Dialect) {
				continue
			}
			switch showed(e, doc, f.Name, string(mode)) {
			case seen, untold:
				return false
			case unseen:
				tested++
			}
		}
	}
	return tested > 0
}

// sight is what a run tells of an entry in one row.
type sight int

const (
	leftOut sight = iota // by its hazard or dialect, which a run has by default
	untold               // the row was to be left out of this run, or says nothing of this
	unseen
	seen
)

func showed(e *Entry, doc *record.Document, row, mode string) sight {
	best := leftOut
	for i := range doc.Rows {
		r := &doc.Rows[i]
		if r.Row != row || r.Mode != mode || e.route != "" && r.Route != e.route {
			continue
		}
		switch {
		case slices.ContainsFunc(fieldsOf(r), func(f record.Field) bool { return slices.Contains(f.Declared, e.String()) }):
			return seen
		case !conclusive(r) || r.Omitted > 0:
			best = untold
		case best == leftOut:
			best = unseen
		}
	}
	if best != leftOut || slices.ContainsFunc(doc.Excluded, func(x record.Excluded) bool {
		return x.Row == row && x.Mode == mode && strings.HasPrefix(x.Why, "hazard ")
	}) {
		return best
	}
	return untold
}

// conclusive reports whether an answer of the stub came back whole, so that each of its keys was seen.
func conclusive(r *record.Row) bool {
	switch compare.Verdict(r.Verdict) {
	case compare.Reclassified, compare.Different, compare.Retried, compare.Declared, compare.Preserved:
		return true
	}
	return false
}

// fieldsOf are the keys of a row, and what decided in those of its observations that did not decide the row.
func fieldsOf(r *record.Row) []record.Field {
	if r.Varies == nil {
		return r.Fields
	}
	all := slices.Clone(r.Fields)
	for i := range r.Varies.Sightings {
		all = append(all, r.Varies.Sightings[i].Field)
	}
	return all
}

// Of what is seen instead of a stale entry: how many ways are told, and how much of a value.
const (
	shownOthers = 3
	shownValue  = 80 // characters
)

// instead says how the key of a stale entry differs now in the rows where it is stale, "" when it does not.
func (d *Declared) instead(e *Entry, patterns []string, doc *record.Document) string {
	if e.key == "" {
		return ""
	}
	var ways []string
	where := map[string][]string{}
	for i := range doc.Rows {
		r := &doc.Rows[i]
		in := Entry{rows: patterns, mode: e.mode}
		if e.route != "" && r.Route != e.route || !in.covers(r.Row, fixture.Mode(r.Mode)) {
			continue
		}
		for _, f := range fieldsOf(r) {
			if f.Key != e.key || f.Dir == "" {
				continue
			}
			way := seenAs(&f)
			if where[way] == nil {
				ways = append(ways, way)
			}
			if label := idOf(r).String(); !slices.Contains(where[way], label) {
				where[way] = append(where[way], label)
			}
		}
	}
	var told []string
	for i, way := range ways {
		if i == shownOthers {
			told = append(told, "and "+strconv.Itoa(len(ways)-i)+" other ways")
			break
		}
		rows := where[way]
		if len(rows) > 1 {
			rows = []string{strconv.Itoa(len(rows)) + " rows"}
		}
		told = append(told, way+" in "+rows[0])
	}
	return strings.Join(told, ", ")
}

// seenAs is a difference in words: "status changed to 502".
func seenAs(f *record.Field) string {
	s := f.Key + " is " + f.Dir
	if f.Layer == nil || f.Dir == string(evidence.Lost) {
		return s
	}
	text := []rune(f.Layer.Text)
	if len(text) > shownValue {
		text = append(text[:shownValue:shownValue], '…')
	}
	if f.Dir == string(evidence.Changed) {
		return s + " to " + strconv.Quote(string(text))
	}
	return s + " as " + strconv.Quote(string(text))
}
