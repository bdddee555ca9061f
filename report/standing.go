package report

import (
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// standing is what a row or a finding means for the verdict of its run, which was settled before.
type standing int

const (
	passed  standing = iota
	unclear          // could not tell
	failed
)

// item is one thing that a run says beside its result: a row, a finding, an entry of a known file that fails, a piece of
// news. Formats that make a test case or an annotation of each go through one list, so that none forgets a kind.
type item struct {
	kind     string // of kinds
	standing standing
	name     string // "tier_cap (plain)"; "" where it is not about one row
	text     string // a sentence, as the record has it: not plain yet
	advice   string
	row      *record.Row // nil where it is not about one row
}

// items lists all that a run says, worst first: what fails, what could not be told, what passes.
func items(doc *record.Document) []item {
	all := slices.Concat(runItems(doc), partItems(doc), rowItems(doc), findingItems(doc), ownItems(doc), knownItems(doc), newsItems(doc.News))
	slices.SortStableFunc(all, func(a, b item) int {
		if a.standing != b.standing {
			return int(b.standing) - int(a.standing)
		}
		if a.row != nil && b.row != nil {
			return rank(a.row.Verdict) - rank(b.row.Verdict)
		}
		return 0
	})
	return all
}

// runItems are the reasons why a run as a whole can't be trusted, or did not come to its end.
func runItems(doc *record.Document) (out []item) {
	say := func(kind, text string) { out = append(out, item{kind: kind, standing: unclear, text: text}) }
	for _, m := range doc.Proof.Missed {
		say("proof", "a control was missed: "+m)
	}
	if doc.Refused != "" {
		say("run", "nothing was tested: "+doc.Refused)
	}
	if doc.NotReady != "" {
		say("run", doc.NotReady)
	}
	if doc.Incomplete {
		say("run", "the run was interrupted, or has not ended yet")
	}
	if doc.Classifier != nil && doc.Classifier.Failed != "" {
		say("own-classifier", "your own classifier failed: "+doc.Classifier.Failed)
	}
	return out
}

// rowItems are the rows. Under a baseline a fault that was there before does not fail; what is new is an item of its own.
func rowItems(doc *record.Document) (out []item) {
	for i := range doc.Rows {
		r := &doc.Rows[i]
		it := item{kind: rowKind(r), standing: standingOf(r, doc), name: rowName(r), text: rowText(r), row: r}
		if doc.News != nil {
			it.standing = passed
		}
		out = append(out, it)
	}
	return out
}

// standingOf says what the verdict of a row means under the settings of the run. A verdict that this version does not know
// fails.
func standingOf(r *record.Row, doc *record.Document) standing {
	switch {
	case r.Verdict == "preserved" || r.Verdict == "declared" || excuse(r.Verdict, doc) != "":
		return passed
	case r.Verdict == "inconclusive" || r.Verdict == "untestable":
		return unclear
	}
	return failed
}

func findingItems(doc *record.Document) (out []item) {
	for _, f := range doc.Findings {
		it := item{kind: findingKind(f.Kind), text: f.Text, advice: findingAdvice(f, doc.Advice)}
		switch {
		case f.Fails && f.Soft:
			it.standing, it.text = unclear, f.Text+" (only side by side)"
		case f.Fails && doc.News == nil:
			it.standing = failed
		case len(f.Declared) > 0:
			it.text += " (declared by " + strings.Join(f.Declared, ", ") + ")"
		}
		if rows := untoldRows(f); len(rows) > 0 {
			it.text += "; rows: " + strings.Join(rows, ", ")
		}
		out = append(out, it)
	}
	return out
}

// untoldRows are the rows of a finding that its text does not name, the first few.
func untoldRows(f record.Finding) []string {
	const most = 6
	rows := untold(f)
	if len(rows) > most {
		return append(slices.Clone(rows[:most]), string(count(len(rows)-most, "row")+" more"))
	}
	return rows
}

// ownItems are the rows whose class changes for the user's own classifier. Under a baseline the news tells of them.
func ownItems(doc *record.Document) (out []item) {
	if doc.Classifier == nil || doc.Classifier.Failed != "" || doc.News != nil {
		return nil
	}
	for _, r := range doc.Classifier.Rows {
		if r.Changes {
			out = append(out, item{kind: "own-class", standing: failed, name: nameOf(r.Row, r.Mode, r.Route),
				text: "your own classifier reads " + r.Fixture + " as " + r.Layer + " through the layer"})
		}
	}
	return out
}

func knownItems(doc *record.Document) (out []item) {
	if doc.Known == nil {
		return nil
	}
	for _, p := range doc.Known.Problems {
		out = append(out, item{kind: "known-entry", standing: failed, text: p})
	}
	return out
}

func newsItems(n *record.News) (out []item) {
	if n == nil {
		return nil
	}
	for _, u := range n.Unequal {
		out = append(out, item{kind: "run", standing: unclear, text: "the two runs can't be compared: " + u})
	}
	for _, u := range n.Untold {
		out = append(out, item{kind: "inconclusive", standing: unclear, text: u})
	}
	for _, c := range n.Changes {
		if c.Fails {
			it := item{kind: "new-fault", standing: failed, text: c.Text}
			if c.Row != "" {
				it.name = nameOf(c.Row, c.Mode, c.Route)
			}
			out = append(out, it)
		}
	}
	return out
}

// rowName is "tier_cap (plain)" or "tier_cap (plain; route edge)", as findings name rows.
func rowName(r *record.Row) string { return nameOf(r.Row, r.Mode, r.Route) }

func nameOf(row, mode, route string) string {
	if route != "" {
		mode += "; route " + route
	}
	return row + " (" + mode + ")"
}

// rowText is a row that does not pass in one sentence: its class, what differs, and what follows from it.
func rowText(r *record.Row) string {
	if passes(r) {
		return ""
	}
	var parts []string
	if c := r.Class; c.Layer != "" && c.Layer != c.Fixture {
		parts = append(parts, "class "+c.Fixture+" -> "+c.Layer)
	}
	const most = 4
	diffs := differing(r)
	for _, f := range diffs[:min(most, len(diffs))] {
		parts = append(parts, f.Key+" "+f.Dir)
	}
	if more := len(diffs) - most + r.Omitted; more > 0 && len(diffs) >= most {
		parts = append(parts, string(count(more, "more difference")))
	}
	for _, s := range []string{r.Consequence, r.Reason} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "; ")
}

// differing are the keys that decide and differ in a row that has an answer of the provider; see shownFields.
func differing(r *record.Row) (out []*record.Field) {
	for _, f := range shownFields(r) {
		if f.Dir != "" {
			out = append(out, f)
		}
	}
	return out
}
