package compare

import (
	"fmt"

	"github.com/preservecheck/preservecheck/record"
)

// decideParts judges a record that merge made: as green as its worst part. A failure that one part showed stands, whatever
// became of the others; without one, a part that says nothing or is missing makes the whole "could not tell". The rows are
// judged again, so a part's own word can make the whole worse and never better.
func decideParts(d *record.Document, t tally) (int, string) {
	failing, silent, first := 0, 0, ""
	for _, p := range d.Parts {
		switch {
		case p.Result.Exit == ExitFail:
			failing++
		case p.Problem != "":
			silent++
			first = orFirst(first, nameOfPart(p)+p.Problem)
		case p.Result.Exit != ExitPass:
			silent++
			first = orFirst(first, nameOfPart(p)+p.Result.Why)
		}
	}
	switch {
	case failing > 0:
		return ExitFail, fmt.Sprintf("%d of %s failed: %d of %s", failing, count(len(d.Parts), "run"), t.failing, count(len(d.Rows), "row")) + also(t.hard, "finding") + own(t.own) + alsoKnown(d)
	case silent > 0:
		return ExitCouldNotTell, fmt.Sprintf("%d of %s can't be told: %s", silent, count(len(d.Parts), "run"), first) + more(silent-1)
	}
	code, why := decideProof(d)
	if code == ExitPass {
		code, why = decideRows(d, t)
	}
	if code != ExitPass {
		return code, why
	}
	return ExitPass, fmt.Sprintf("all of %s pass", count(len(d.Parts), "run"))
}

func nameOfPart(p record.Part) string {
	switch {
	case p.File != "":
		return p.File + " "
	case p.Layer != "":
		return p.Layer + " "
	}
	return ""
}

func orFirst(first, text string) string {
	if first == "" {
		return text
	}
	return first
}
