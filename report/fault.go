package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// fault is one thing that is wrong with one row, or with the run. Rows with several have several faults.
type fault struct {
	item
	key, dir string        // of a difference
	field    *record.Field // of a difference
}

// faults lists what does not pass: items, with a row's differences as a fault each.
func faults(doc *record.Document) (out []fault) {
	for _, it := range items(doc) {
		switch {
		case it.standing == passed:
		case it.row == nil:
			out = append(out, fault{item: it})
		default:
			out = append(out, rowFaults(it)...)
		}
	}
	return out
}

// rowFaults takes a row apart. What is no answer of the provider has no keys that were lost.
func rowFaults(it item) (out []fault) {
	r := it.row
	diffs := differing(r)
	if r.Verdict != "changed" && r.Verdict != "reclassified" || r.InventedSuccess || len(diffs) == 0 {
		return []fault{{item: it}}
	}
	if r.Verdict == "reclassified" {
		out = append(out, fault{item: it})
	}
	for _, f := range diffs {
		if len(f.Declared) > 0 {
			continue
		}
		one := fault{item: it, key: f.Key, dir: f.Dir, field: f}
		one.kind = kindOf(f.Dir).name
		one.text = f.Key + " " + f.Dir
		if f.Remark != "" {
			one.text += ": " + f.Remark
		}
		out = append(out, one)
	}
	if r.HitsAllowed > 0 && r.HitsMax > r.HitsAllowed {
		again := fault{item: it}
		again.kind, again.text = "retried", string(hits(r))
		out = append(out, again)
	}
	if len(out) == 0 { // all that differs is declared, and something else failed the row
		out = []fault{{item: it}}
	}
	return out
}

// sameFaults puts faults together that are one fault of the layer: the same thing in several rows. Those with the most
// rows of the worst kind come first.
func sameFaults(all []fault) [][]fault {
	groups := collect(all, func(f fault) string {
		if f.row == nil {
			return quoteAll([]string{f.kind, f.name, f.text})
		}
		parts := []string{f.kind, f.key, f.dir, f.row.Route}
		if f.key == "" {
			parts = append(parts, f.row.Verdict, f.row.Class.Fixture, f.row.Class.Layer, f.row.Author)
		}
		return quoteAll(parts)
	})
	order := kinds()
	place := func(f fault) int { return slices.IndexFunc(order, func(k kind) bool { return k.name == f.kind }) }
	slices.SortStableFunc(groups, func(a, b []fault) int {
		return cmp.Or(int(b[0].standing)-int(a[0].standing), place(a[0])-place(b[0]), len(b)-len(a))
	})
	return groups
}

// namesOf lists the rows of faults: the first few, and how many are left out.
func namesOf(fs []fault, most int) (out []string, left int) {
	for _, f := range fs {
		switch {
		case f.name == "" || slices.Contains(out, f.name):
		case len(out) == most:
			left++
		default:
			out = append(out, f.name)
		}
	}
	return out, left
}

// subject is the layer of a run in words, its address only where it has no other name.
func subject(t record.Target) string {
	switch {
	case t.Control != "":
		return strings.TrimSpace("control:" + t.Control)
	case t.Name != "":
		return strings.TrimSpace(t.Name + " " + t.Version)
	}
	return strings.TrimSpace(t.URL + " " + t.Version)
}
