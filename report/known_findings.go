package report

import (
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// canBeDeclared are the findings that a known file may hold.
var canBeDeclared = []string{"intermittent", "unexplained-hits"}

// declarableFindings collects the findings that fail a run and may be declared, row by row, and names the others. Of rows that
// can't be declared there is nothing to say.
func declarableFindings(doc *record.Document, hopeless map[string]bool) (found []knowable, never []string) {
	for i := range doc.Findings {
		f := &doc.Findings[i]
		switch {
		case !f.Fails:
			continue
		case !slices.Contains(canBeDeclared, f.Kind):
			never = append(never, "finding "+f.Kind)
			continue
		case len(f.Rows) == 0:
			found = append(found, knowable{finding: f.Kind})
		}
		for _, label := range f.Rows {
			row, mode, route := rowNamed(label)
			if !hopeless[row+" "+mode+" "+route] {
				found = append(found, knowable{row: row, mode: mode, route: route, finding: f.Kind})
			}
		}
	}
	return found, never
}

// rowNamed reads how a finding names a row: "tier_cap", "tier_cap (plain)", "tier_cap (plain; route chat)".
func rowNamed(label string) (row, mode, route string) {
	row, rest, _ := strings.Cut(label, " (")
	mode, route, _ = strings.Cut(strings.TrimSuffix(rest, ")"), "; route ")
	return row, mode, route
}
