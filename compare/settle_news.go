package compare

import (
	"fmt"
	"strings"

	"github.com/preservecheck/preservecheck/record"
)

// decideNews judges a run by what is new against an older one. What the older one showed as well does not fail it; what
// the older one could tell and this one can't is never taken for better.
func decideNews(d *record.Document, t tally) (int, string) {
	n := d.News
	faults := 0
	for i := range n.Changes {
		if n.Changes[i].Fails {
			faults++
		}
	}
	switch {
	case len(n.Unequal) > 0:
		return ExitCouldNotTell, "the two runs can't be compared: " + n.Unequal[0] + more(len(n.Unequal)-1)
	case faults > 0:
		return ExitFail, count(faults, "new fault") + alsoKnown(d)
	case problems(d) > 0:
		return ExitFail, "no new fault, but " + knownProblems(d)
	case d.Classifier != nil && d.Classifier.Failed != "":
		return ExitCouldNotTell, "your own classifier failed: " + d.Classifier.Failed
	case len(n.Untold) > 0:
		return ExitCouldNotTell, "no new fault, but " + count(len(n.Untold), "row") + " of the older run can't be told now: " + n.Untold[0] + more(len(n.Untold)-1)
	case t.judged == 0:
		return ExitCouldNotTell, "nothing was judged"
	case t.soft > 0:
		return ExitCouldNotTell, "the layer refused requests that came side by side; each row passed when it was asked alone"
	case d.Incomplete:
		return ExitCouldNotTell, "the run was interrupted"
	}
	return ExitPass, "no new fault" + as(n.Same)
}

func as(same int) string {
	if same == 0 {
		return ""
	}
	return "; " + count(same, "fault") + " as before"
}

func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(", and %d more", n)
}

// problems counts the entries of known files that fail a run.
func problems(d *record.Document) int {
	if d.Known == nil {
		return 0
	}
	return len(d.Known.Problems)
}

func knownProblems(d *record.Document) string {
	n := problems(d)
	if n == 1 {
		return "1 entry of a known file is stale, expired or too wide"
	}
	return fmt.Sprintf("%d entries of known files are stale, expired or too wide", n)
}

func alsoKnown(d *record.Document) string {
	if problems(d) == 0 {
		return ""
	}
	return "; " + knownProblems(d)
}

// silenced says which faults of the proof a known file lets pass.
func silenced(d *record.Document) string {
	if d.Known == nil || d.Proof.Silenced == 0 {
		return ""
	}
	names := make([]string, len(d.Known.Files))
	for i, f := range d.Known.Files {
		names[i] = f.Name
	}
	return " (" + count(d.Proof.Silenced, "fault") + " silenced by " + strings.Join(names, ", ") + ")"
}
