package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/preservecheck/preservecheck/record"
)

// TestJoinedRunsAreNamed: a run that is missing has no row by which it could be told, and beside one that fails it is not the
// reason of the result either. Each format that lists what could not be told names it.
func TestJoinedRunsAreNamed(t *testing.T) {
	doc := red()
	doc.Parts = []record.Part{{File: "a.json", Layer: "eu", Result: record.Result{Why: "every row passes"}}, {Layer: "zqx7", Problem: "is missing"},
		{File: "b.json", Layer: "us", Result: record.Result{Exit: 1, Why: "1 row failed"}}}
	others := []string{"known", "prometheus", "issue", "rules"} // of differences, figures and faults alone
	for _, f := range Formats() {
		if named := strings.Contains(written(t, f, doc), "zqx7"); named == slices.Contains(others, f.Name) {
			t.Errorf("%s: the missing run is named: %t", f.Name, named)
		}
	}
}

// TestHTMLRunsAreWorstFirst: of a fleet that is too long for a page, those stay that say something.
func TestHTMLRunsAreWorstFirst(t *testing.T) {
	doc := red()
	for range mostListed {
		doc.Parts = append(doc.Parts, record.Part{File: "green.json"})
	}
	doc.Parts = append(doc.Parts, record.Part{Layer: "asia", Problem: "is missing"}, record.Part{File: "bad.json", Result: record.Result{Exit: 1, Why: "x"}})
	page := textOf(parsed(t, renderHTML(t, doc)))
	fails, missing, passes := strings.Index(page, "bad.json fails"), strings.Index(page, "asia is missing"), strings.Index(page, "green.json passes")
	if fails < 0 || missing < fails || passes < missing || !strings.Contains(page, "2 runs more, none worse than these") {
		t.Errorf("fails at %d, missing at %d, passes at %d", fails, missing, passes)
	}
}
