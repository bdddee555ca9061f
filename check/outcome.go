package check

import (
	"slices"

	"github.com/preservecheck/preservecheck/compare"
)

// conclusive gives the observations of a row that tell something, in order of time.
func (r *runner) conclusive(row Row) (out []*seen) {
	for _, s := range r.seen[row] {
		if s.reached() && s.judged.Verdict != compare.Inconclusive {
			out = append(out, s)
		}
	}
	return out
}

// settled gives a row its verdict, and the observation that decided it (nil when none did).
//
// It is the worst of the observations that reached the stub. A row that never did, also when it was asked alone, has
// the verdict of that asking.
func (r *runner) settled(row Row) (v compare.Verdict, why string, by *seen) {
	if dirt := r.dirt(row); dirt != "" {
		return compare.Untestable, dirt, nil
	}
	if r.notReady[row.lane()] != "" {
		return r.withoutCanary(row)
	}
	for _, s := range r.conclusive(row) {
		if by == nil || compare.Worse(s.judged.Verdict, by.judged.Verdict) {
			by = s
		}
	}
	if by != nil && r.unconfirmed(row, by) {
		return compare.Inconclusive, crowdedPace, by
	}
	if by != nil {
		return by.judged.Verdict, by.judged.Reason, by
	}
	all := r.seen[row]
	if len(all) == 0 {
		return compare.Inconclusive, notRun, nil
	}
	last := all[len(all)-1]
	switch {
	case last.pass == passAlone && last.judged.Verdict == compare.LayerMade && slices.Contains(r.shutAfter(false), r.label(row)):
		return compare.Inconclusive, refusedAfter, last
	case last.pass == passAlone || last.judged.Verdict == compare.Broken || r.unlikeFixture(row):
		return last.judged.Verdict, last.judged.Reason, last
	case r.notAlone[row]:
		return compare.Inconclusive, "asked side by side it never reached the stub, and then no canary came through in time to ask it alone", last
	case last.judged.Verdict == compare.Inconclusive:
		return compare.Inconclusive, last.judged.Reason, last
	}
	return compare.Inconclusive, "never asked alone: the run was interrupted", last
}

// refusedAfter is the reason of a row that a layer answered by itself while it did so with valid requests, too: a limiter lets
// the canary before a row through and not the row, and that says nothing of the row.
const refusedAfter = "the stub saw no hit of this request, and a valid request right after it was refused as well, so the layer answers anything by itself now"

// notRun is the reason of a row that nobody asked.
const notRun = "not run: the run was interrupted"

// withoutCanary judges the rows of a lane in which no canary came through while another had one.
func (r *runner) withoutCanary(row Row) (compare.Verdict, string, *seen) {
	why := "no success came through " + r.on(row) + "in this mode: " + r.notReady[row.lane()]
	if r.touched[row.lane()] {
		return compare.Broken, why, nil
	}
	return compare.Inconclusive, why, nil
}
