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

// TestNewsWithAKnownFile: an entry that no longer fits fails a run of old faults as well, or it would never be mended.
func TestNewsWithAKnownFile(t *testing.T) {
	d := doc(Preserved)
	d.News, d.Known = &record.News{Same: 1}, &record.Known{Problems: []string{"k.yaml:3 is stale"}}
	if Settle(&d); d.Result.Exit != ExitFail || d.Result.Why != "no new fault, but 1 entry of a known file is stale, expired or too wide" {
		t.Errorf("exit %d, %q", d.Result.Exit, d.Result.Why)
	}
}

// TestFailureNamesFindings: a reader of one line learns that the rows are not all.
func TestFailureNamesFindings(t *testing.T) {
	for n, want := range []string{"1 of 1 row failed", "1 of 1 row failed, and 1 finding", "1 of 1 row failed, and 2 findings"} {
		d := doc(Different)
		for range n {
			d.Findings = append(d.Findings, record.Finding{Kind: "layer-state", Fails: true})
		}
		if Settle(&d); d.Result.Why != want {
			t.Errorf("%d findings: %q", n, d.Result.Why)
		}
	}
}

// TestCounts: how many rows rest on elimination is told apart from their verdicts.
func TestCounts(t *testing.T) {
	d := doc(Preserved, Different, Preserved)
	d.Rows[0].Provenance, d.Rows[1].Provenance = string(Attributed), string(Attributed)
	if Settle(&d); d.Result.Counts["attributed"] != 2 || d.Result.Counts["preserved"] != 2 || d.Result.Counts["broken"] != 0 {
		t.Errorf("%v", d.Result.Counts)
	}
}

// TestDirtyWayCantBeJudged: what differs without a layer in between is not the layer's, whatever came through it.
func TestDirtyWayCantBeJudged(t *testing.T) {
	o, _ := observed(t, "rate_limit")
	o.Dirty = "status changed"
	text("fixture: rate limit", "x")(&o)
	if got := judge(o, rules("core")); got.Verdict != Untestable || got.Reason != "status changed" {
		t.Errorf("%s, %q", got.Verdict, got.Reason)
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
