package compare

import (
	"slices"
	"testing"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// TestActionsOfARun: of the classes that its rows have, and of the two that stand for not knowing; of a run without rows none.
func TestActionsOfARun(t *testing.T) {
	if got := actions(&record.Document{}); got != nil {
		t.Errorf("no row: %v", got)
	}
	d := &record.Document{Rows: []record.Row{{Class: record.Classes{Fixture: string(classify.TierSpendCap), Layer: "of a newer version"}}}}
	var have, want []string
	for _, a := range actions(d) {
		have = append(have, a.Class)
		if is := classify.ActionOf(classify.Class(a.Class)); a.Retry != string(is.Retry) || a.Outcome != is.Outcome || a.Alert != string(is.Alert) {
			t.Errorf("%+v, want %+v", a, is)
		}
	}
	for _, c := range classify.All() {
		if slices.Contains([]classify.Class{classify.TierSpendCap, classify.Unknown429, classify.Other}, c) {
			want = append(want, string(c))
		}
	}
	if len(want) != 3 || !slices.Equal(have, want) {
		t.Errorf("%q, want %q", have, want)
	}
}

// TestErrorsAsEvents: from the first status of an error on, where there was no event, and where one tells an error now.
func TestErrorsAsEvents(t *testing.T) {
	none := evidence.Evidence{}
	event := evidence.Evidence{{Key: "stream/error", Value: evidence.Value{Kind: evidence.Object}}, {Key: "stream/events", Value: evidence.Value{Kind: evidence.Text}}}
	for _, c := range []struct {
		why             string
		status          int
		expected, layer evidence.Evidence
		want            bool
	}{
		{"the last status that is no error", 399, none, event, false},
		{"the first that is one", 400, none, event, true},
		{"it was one before", 400, event, event, false},
		{"it is none", 400, none, none, false},
	} {
		o := Observed{Answer: &wire.Answer{Status: c.status}, Expected: c.expected, Layer: c.layer}
		if got := asEvent(o); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}
