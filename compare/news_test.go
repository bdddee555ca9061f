package compare

import (
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

// TestSettleNews: a run that is held against an older one fails for what is new, and is green only when both can be told.
func TestSettleNews(t *testing.T) {
	fault, note := record.Change{What: "new", Fails: true}, record.Change{What: "gone"}
	for _, c := range []struct {
		why  string
		news record.News
		exit int
		says string
	}{
		{"nothing is new", record.News{}, ExitPass, "no new fault"},
		{"old faults are told", record.News{Same: 2}, ExitPass, "no new fault; 2 faults as before"},
		{"a fault that is gone fails nothing", record.News{Changes: []record.Change{note}}, ExitPass, "no new fault"},
		{"only faults are counted", record.News{Changes: []record.Change{fault, note}}, ExitFail, "1 new fault"},
		{"two runs of other rows", record.News{Unequal: []string{"a"}, Changes: []record.Change{fault}}, ExitCouldNotTell, "the two runs can't be compared: a"},
		{"for more than one reason", record.News{Unequal: []string{"a", "b"}}, ExitCouldNotTell, "the two runs can't be compared: a, and 1 more"},
		{"a row that could be told before", record.News{Untold: []string{"r"}}, ExitCouldNotTell, "no new fault, but 1 row of the older run can't be told now: r"},
	} {
		d := doc(Preserved)
		d.News = &c.news
		if Settle(&d); d.Result.Exit != c.exit || d.Result.Why != c.says {
			t.Errorf("%s: exit %d, %q; want %d, %q", c.why, d.Result.Exit, d.Result.Why, c.exit, c.says)
		}
	}
}

// TestWorse: what nobody knows is the worst, and nothing is worse than itself.
func TestWorse(t *testing.T) {
	for _, c := range []struct {
		why  string
		a, b Verdict
		want bool
	}{
		{"what fails and what passes", Different, Preserved, true},
		{"the other way round", Preserved, Different, false},
		{"not knowing is worse than passing", Inconclusive, Declared, true},
		{"a verdict of another version", "splendid", LayerMade, true},
		{"itself", Different, Different, false},
	} {
		if got := Worse(c.a, c.b); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}
