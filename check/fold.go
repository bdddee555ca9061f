package check

import (
	"slices"
	"time"

	"github.com/preservecheck/preservecheck/compare"
)

// shorten keeps of a repeated observation that shows nothing new only what is judged again: thousands of them are kept.
func (r *runner) shorten(s *seen) {
	if s.judged.Verdict != compare.Preserved || len(s.judged.Differences) > 0 {
		return
	}
	s.layer = r.expected[s.row]
	a := *s.probe.answer
	a.Header, a.Body = nil, nil
	s.probe.answer = &a
}

// fold counts repeated observations that say what one that is kept says already, and forgets them and their hits, so that
// memory does not grow with --repeat. Only what late hits can no longer change is folded; a hit that comes even later has no
// request any more, and is told as one that nothing explains.
func (r *runner) fold(rows []Row) {
	before := time.Now().Add(-r.hold())
	r.sync()
	for _, row := range rows {
		kept := r.seen[row][:0]
		for _, s := range r.seen[row] {
			if like := r.foldable(s, kept, before); like != nil {
				like.more++
				r.c.Hits.Forget(s.probe.tag.Nonce)
				continue
			}
			kept = append(kept, s)
		}
		clear(r.seen[row][len(kept):])
		r.seen[row] = kept
	}
}

// hold is how long an observation has to be over before late hits of it are no longer waited for.
func (r *runner) hold() time.Duration {
	if r.c.Idle != nil && r.c.Idle() {
		return 0
	}
	return min(r.c.Settle, max(lateHits, 2*r.canaryTime, 3*r.longestGap()/2))
}

// foldable returns the kept observation that says the same as a repeated one, nil when there is none or when it is too early
// to say.
func (r *runner) foldable(s *seen, kept []*seen, before time.Time) *seen {
	if s.pass != passRepeat || s.other != nil || len(kept) <= maxRepeats || s.probe.answer.DoneAt.After(before) {
		return nil
	}
	r.judge(s)
	i := slices.IndexFunc(kept, func(k *seen) bool { return r.same(s, k) })
	if i < 0 {
		return nil
	}
	return kept[i]
}

// same reports whether two observations count as one in everything that a record tells.
func (r *runner) same(s, k *seen) bool {
	limit := r.longWait()
	return k.pass == passRepeat && agree(s, k) && s.from == k.from && len(s.hits) == len(k.hits) && s.heldBack() == k.heldBack() &&
		(len(s.hits) == 0 || s.hits[0].Stream == k.hits[0].Stream) &&
		(limit == 0 || (r.extra(s.row, s) > limit) == (r.extra(k.row, k) > limit))
}
