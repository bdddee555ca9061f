package compare

import (
	"github.com/preservecheck/preservecheck/classify"
)

// Declaration is one entry of a known file that fits a difference.
type Declaration struct {
	Entry string // as a report names it: file and line
	// From and To are the change of class that the entry names; empty when it names none.
	From, To classify.Class
}

// Known gives the declarations that fit one difference of an observation; none when nobody declared it.
type Known func(o *Observed, d *Difference) []Declaration

// Declare takes what was declared beforehand into account. A row is Declared when every difference that decides it is,
// and its change of class, if there is one, is named by an entry that fits one of them. One undeclared difference
// decides the row as before. An answer that nobody sent, one that no client can use, and a success made of an error are never
// declared; hits over the allowed number stay what they are.
func (r Rules) Declare(j *Judged, o *Observed) {
	if r.Known == nil || j.Verdict != Different && j.Verdict != Reclassified && j.Verdict != Retried {
		return
	}
	deciding, all, named := 0, true, j.Class == o.Fixture.Class
	for i := range j.Differences {
		d := &j.Differences[i]
		by := r.Known(o, d)
		for _, e := range by {
			d.Declared = append(d.Declared, e.Entry)
			named = named || d.Key != nil && e.From == o.Fixture.Class && e.To == j.Class
		}
		if d.Key != nil {
			deciding++
			all = all && len(by) > 0
		}
	}
	switch {
	case deciding == 0 || !all || o.Fixture.ExpectFailure || j.InventedSuccess:
	case !named:
		j.Reason = joined("each difference is declared, but not that the class becomes "+string(j.Class), j.Reason)
	case j.Allowed > 0 && o.Hits > j.Allowed:
		j.Verdict = Retried
	default:
		j.Verdict = Declared
	}
}

// inventedASuccess reports whether a client would take for done what no provider called done.
func inventedASuccess(o *Observed, class classify.Class) bool {
	return len(inventedEnds(*o)) > 0 || classify.Success(class) && !classify.Success(o.Fixture.Class)
}
