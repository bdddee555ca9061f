package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// worstFirst is the order of a report. A verdict that is not in it, of a newer version, comes before all.
var worstFirst = []string{
	"broken", "layer-made", "reclassified", "changed", "retried", "inconclusive", "untestable", "declared", "preserved",
}

// entry is one fixture; its rows are the modes, and the routes with these modes, in which everything that is shown is the
// same.
type entry []*record.Row

// group is what one paragraph tells: entries with the same story. The first entry's values stand for all.
type group []entry

// fewest is how many entries with the same story are told apart by their values; of more, one stands for all.
const fewest = 3

// groups sorts rows worst first, in their order within a verdict, and puts together what reads the same.
func groups(rows []record.Row) []group {
	sorted := make([]*record.Row, len(rows))
	for i := range rows {
		sorted[i] = &rows[i]
	}
	slices.SortStableFunc(sorted, func(a, b *record.Row) int { return cmp.Compare(rank(a.Verdict), rank(b.Verdict)) })
	var out []group
	for _, g := range collect(entriesOf(sorted), func(e entry) string { return story(e[0]) }) {
		if len(g) > fewest || passes(g[0][0]) {
			out = append(out, g)
			continue
		}
		for _, alike := range collect(g, func(e entry) string { return values(e[0]) }) {
			out = append(out, alike)
		}
	}
	return out
}

func entriesOf(rows []*record.Row) []entry {
	same := func(r *record.Row) string {
		return quoteAll([]string{r.Row, r.Set, r.Class.Fixture, r.Class.Direct, r.Class.Layer}) + story(r) + values(r)
	}
	onRoute := collect(rows, func(r *record.Row) string { return same(r) + quoteAll([]string{r.Route}) })
	var out []entry
	for _, alike := range collect(onRoute, func(rs []*record.Row) string { return same(rs[0]) + string(entry(rs).modes()) }) {
		out = append(out, slices.Concat(alike...))
	}
	return out
}

// collect puts what has the same key together, in the order of the first of each.
func collect[T any](all []T, key func(T) string) [][]T {
	at := map[string]int{}
	var out [][]T
	for _, x := range all {
		k := key(x)
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], x)
	}
	return out
}

func rank(verdict string) int { return slices.Index(worstFirst, verdict) }

// passes reports whether a row is only listed: there is nothing to explain.
func passes(r *record.Row) bool { return r.Verdict == "preserved" }

// notRun reports whether there was no pass over a row, so that nothing but the reason can be told.
func notRun(r *record.Row) bool { return len(r.Observations) == 0 && len(shownFields(r)) == 0 }

// story is all that a paragraph says about a row except its name and values.
func story(r *record.Row) string {
	if passes(r) {
		return r.Verdict
	}
	if notRun(r) {
		return quoteAll([]string{r.Verdict, r.Reason})
	}
	parts := []string{r.Verdict, r.Asked, r.Served, r.Reason, r.Consequence, r.Provenance, r.Author,
		strconv.Itoa(r.HitsMin), strconv.Itoa(r.HitsMax), strconv.Itoa(r.HitsAllowed), strconv.Itoa(r.Omitted)}
	if r.Class.Layer != r.Class.Fixture {
		parts = append(parts, r.Class.Fixture, r.Class.Layer)
	}
	for _, f := range shownFields(r) {
		parts = append(parts, f.Key, f.Dir, f.Nuance, f.Other, strings.Join(f.Covers, " "), f.Remark)
	}
	return quoteAll(parts)
}

// values is what story leaves out, but for the classes of rows that keep theirs.
func values(r *record.Row) string {
	var parts []string
	for _, f := range shownFields(r) {
		for _, v := range []*record.Value{f.Fixture, f.Direct, f.Layer} {
			if v == nil {
				parts = append(parts, "absent")
				continue
			}
			parts = append(parts, v.Kind, v.Text, strconv.Itoa(v.Cut))
		}
	}
	return quoteAll(parts)
}

func quoteAll(parts []string) string {
	var b strings.Builder
	for _, s := range parts {
		b.WriteString(strconv.Quote(s))
	}
	return b.String()
}

// shownFields are the differences that decide, and those between fixture and direct where they are the reason. What the
// layer wrote itself did not lose anything on its way; of that only the status is told.
func shownFields(r *record.Row) []*record.Field {
	var out []*record.Field
	for i := range r.Fields {
		f := &r.Fields[i]
		if r.HitsMax == 0 && f.Key != "status" {
			continue
		}
		if f.Dir != "" && f.Decides || directDiffers(r, f) {
			out = append(out, f)
		}
	}
	return out
}

// directDiffers says that the stub's own answer is not the fixture, which makes a row impossible to judge.
func directDiffers(r *record.Row, f *record.Field) bool {
	unjudged := r.Verdict == "inconclusive" || r.Verdict == "untestable"
	return unjudged && r.Class.Direct != "" && !sameValue(f.Fixture, f.Direct)
}

// names lists entries as "a, b (plain, stream); c (plain)": what stands in parentheses is said once for neighbours.
func (g group) names() safe {
	var parts, run []safe
	behind := safe("")
	flush := func() {
		if len(run) > 0 {
			parts = append(parts, list(run, ", ")+behind)
		}
		run = nil
	}
	for _, e := range g {
		if how := e.how(); how != behind {
			flush()
			behind = how
		}
		run = append(run, brief(e[0].Row, 60))
	}
	flush()
	return list(parts, "; ")
}

// how is the modes of an entry, and its route and dialects where they tell it from others.
func (e entry) how() safe {
	parts := []safe{}
	if modes := e.modes(); modes != "" {
		parts = append(parts, modes)
	}
	routes := distinct(e, func(r *record.Row) safe { return brief(r.Route, 60) })
	switch {
	case len(routes) == 1:
		parts = append(parts, "route "+routes[0])
	case len(routes) > 1:
		parts = append(parts, "routes "+list(routes, ", "))
	}
	if r := e[0]; r.Asked != r.Served {
		parts = append(parts, brief(r.Asked, 60)+" asked, "+brief(r.Served, 60)+" served")
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + list(parts, "; ") + ")"
}

// modes names the modes of an entry, each once.
func (e entry) modes() safe {
	return list(distinct(e, func(r *record.Row) safe { return plain(r.Mode) }), ", ")
}

// distinct gives what rows have, in their order, each once and nothing empty.
func distinct(rows []*record.Row, of func(*record.Row) safe) (all []safe) {
	for _, r := range rows {
		if s := of(r); s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

func (g group) rows() int {
	n := 0
	for _, e := range g {
		n += len(e)
	}
	return n
}

// alike reports whether all entries have the values of the first.
func (g group) alike() bool {
	for _, e := range g[1:] {
		if values(e[0]) != values(g[0][0]) {
			return false
		}
	}
	return true
}
