package compare

import (
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

// The user's own classifier decides after the rows, and never for the better.
func TestSettleWithAnOwnClassifier(t *testing.T) {
	kept := record.OwnClass{Row: "a", Fixture: "x", Layer: "x", Builtin: "y", Differs: true}
	changed := record.OwnClass{Row: "a", Fixture: "x", Layer: "z", Builtin: "y", Changes: true}
	for _, c := range []struct {
		why     string
		verdict Verdict
		own     *record.Classifier
		exit    int
		says    string
	}{
		{"none", Preserved, nil, ExitPass, "every row"},
		{"another name for a fixture is a note", Preserved, &record.Classifier{Rows: []record.OwnClass{kept}}, ExitPass, "every row"},
		{"another class through the layer is what the worker acts on", Preserved, &record.Classifier{Rows: []record.OwnClass{kept, changed}}, ExitFail, "gives 1 row another class"},
		{"another failure where any will do is told", Preserved, &record.Classifier{Rows: []record.OwnClass{{Row: "a", Fixture: "x", Layer: "z"}}}, ExitPass, "class in 0 of 1 rows, 1 more noted"},
		{"also beside a failing row", Reclassified, &record.Classifier{Rows: []record.OwnClass{changed}}, ExitFail, "1 of 1 row failed; your own classifier gives 1 row another"},
		{"a broken program could not tell", Preserved, &record.Classifier{Failed: "it ended"}, ExitCouldNotTell, "it ended"},
		{"and what it said before may belong to other rows", Preserved, &record.Classifier{Failed: "it ended", Rows: []record.OwnClass{changed}}, ExitCouldNotTell, "it ended"},
		{"a failing row fails in any case", Reclassified, &record.Classifier{Failed: "it ended"}, ExitFail, "1 of 1 row failed"},
		{"it can't make an undecided row green", Inconclusive, &record.Classifier{Rows: []record.OwnClass{kept}}, ExitCouldNotTell, "could not be judged|nothing was judged"},
	} {
		d := record.Document{Rows: []record.Row{{Row: "a", Verdict: string(c.verdict)}}, Classifier: c.own, Proof: record.Proof{Pairs: 1, Exact: 1, Keys: 1, Deciding: 1}}
		Settle(&d)
		said := false
		for _, s := range strings.Split(c.says, "|") {
			said = said || strings.Contains(d.Result.Why+"\n"+d.Result.Covers, s)
		}
		if d.Result.Exit != c.exit || !said {
			t.Errorf("%s: exit %d, %q", c.why, d.Result.Exit, d.Result.Why)
		}
	}
}
