package check

import (
	"cmp"
	"slices"

	"github.com/preservecheck/preservecheck/ledger"
)

// sync brings in what reached the stub until now. Where the stub is elsewhere that takes a request, so it is done once for
// all that is asked next, and what is asked later of the same answer is asked of the same hits.
func (r *runner) sync() {
	err := r.c.Hits.Sync()
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.blind == "" {
		r.blind = "the stub's ledger could not be read: " + err.Error()
	}
}

// witness tells of a direct answer from whose hit it came. No layer has a part in it.
func (r *runner) witness(p *probe, hits []ledger.Hit) {
	if own, _ := r.idsIn(p.answer, hits); own && len(hits) == 1 {
		r.c.Hits.Witness(hits[0].ID, p.answer.SentAt, p.answer.FirstAt)
	}
}

// blinded says why hits are not known any more, "" while they are. A layer can't be blamed for a hit that is missing then.
func (r *runner) blinded() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.blind
}

// lost says why nothing can be told of what is asked from now on, "" while it can: no hit would be known of it, or none could come.
// Then the layer is left in peace.
func (r *runner) lost() string { return cmp.Or(r.blinded(), r.wayGone()) }

// clocks is the reason of an observation that only a common clock could tell.
const clocks = "its stream came all at once, and the clocks of the stub and of this machine are not known well enough to tell whether that was its way or the layer"

// doubt says why an observation can't be told, "" when it can: its hits may be another's, or their times say too little.
func (s *seen) doubt() string {
	if i := slices.IndexFunc(s.hits, func(h ledger.Hit) bool { return h.Doubt != "" }); i >= 0 {
		return s.hits[i].Doubt
	}
	if s.probe.unsure && !passedOn(s.layer) {
		return clocks
	}
	return ""
}
