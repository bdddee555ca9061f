package compare

import (
	"slices"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/record"
)

// actions says what a worker does about each class that the rows have, and about the two that stand for not knowing, so that
// whoever reads a record need not know the policy. A class of a newer version has none.
func actions(d *record.Document) (out []record.Action) {
	if len(d.Rows) == 0 {
		return nil
	}
	there := []string{string(classify.Unknown429), string(classify.Other)}
	for i := range d.Rows {
		there = append(there, d.Rows[i].Class.Fixture, d.Rows[i].Class.Layer)
	}
	for _, c := range classify.All() {
		if slices.Contains(there, string(c)) {
			a := classify.ActionOf(c)
			out = append(out, record.Action{Class: string(c), Retry: string(a.Retry), Outcome: a.Outcome, Alert: string(a.Alert)})
		}
	}
	return out
}
