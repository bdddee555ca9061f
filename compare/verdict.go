package compare

import "slices"

// Verdict is what a run says of one row.
type Verdict string

// The verdicts, from worst to best: also the order of a report.
const (
	Broken       Verdict = "broken"       // no usable answer, or a success where only a failure may come
	LayerMade    Verdict = "layer-made"   // an answer that no hit at the stub explains
	Reclassified Verdict = "reclassified" // a worker would act differently
	Different    Verdict = "changed"      // keys differ, the class is the same
	Retried      Verdict = "retried"      // the evidence is the same, but the layer asked more often than allowed
	Inconclusive Verdict = "inconclusive" // could not tell
	Untestable   Verdict = "untestable"   // the way, not the layer, can't carry it
	Declared     Verdict = "declared"     // differs exactly as a known difference says
	Preserved    Verdict = "preserved"
)

var order = []Verdict{Broken, LayerMade, Reclassified, Different, Retried, Inconclusive, Untestable, Declared, Preserved}

// Verdicts lists them from worst to best.
func Verdicts() []Verdict { return slices.Clone(order) }

// rank is 0 for the worst. An unknown verdict ranks worst, so that nothing unknown ever passes.
func rank(v Verdict) int { return max(0, slices.Index(order, v)) }

// Worse reports whether a is worse than b.
func Worse(a, b Verdict) bool { return rank(a) < rank(b) }

// outcome is what a verdict means for a run.
type outcome int

const (
	passes outcome = iota
	fails
	couldNotTell
)

func (r Rules) outcome(v Verdict) outcome {
	switch v {
	case Preserved, Declared:
		return passes
	case Different:
		if r.FailOn == "reclassified" {
			return passes
		}
	case Untestable:
		if r.AllowUntestable {
			return passes
		}
		return couldNotTell
	case Inconclusive:
		return couldNotTell
	}
	return fails
}

// Fails reports whether a row of this verdict fails a run under these rules.
func (r Rules) Fails(v Verdict) bool { return r.outcome(v) == fails }
