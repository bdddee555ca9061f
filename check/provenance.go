package check

import (
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// trace says where an answer came from. other is the hit of another request whose id the answer holds.
func (r *runner) trace(p *probe, hits []ledger.Hit) (from compare.Provenance, other *ledger.Hit) {
	if p.answer.End == wire.EndCanceled {
		return compare.NotObserved, nil
	}
	own, other := r.idsIn(p.answer, hits)
	switch {
	case own:
		return compare.OwnHit, nil
	case other != nil:
		return compare.OtherHit, other
	case p.answer.Status == 0:
		return compare.NoAnswer, nil
	case len(hits) == 0:
		return compare.NoHit, nil
	case len(hits) == 1 && !p.crowded && between(p.answer, &hits[0]):
		return compare.Attributed, nil
	}
	return compare.Unattached, nil
}

// between reports whether a hit can have made an answer: it arrived after the request was sent, and the stub began
// to answer it before the first byte came back. (DESIGN asks for "finished being served"; a stub can be told that
// its last write is done only after the client has read it, so the begin of the answer is what can be compared.)
func between(a *wire.Answer, h *ledger.Hit) bool {
	return !h.At.Before(a.SentAt) && !h.Served.AnswerAt.IsZero() && !h.Served.AnswerAt.After(a.FirstAt)
}

// idsIn looks for hit ids in an answer: own when one belongs to hits, other when one belongs to another request.
func (r *runner) idsIn(a *wire.Answer, hits []ledger.Hit) (own bool, other *ledger.Hit) {
	visit := func(id string) bool {
		for i := range hits {
			if hits[i].ID == id {
				own = true
				return false
			}
		}
		if h, ok := r.c.Hits.ByID(id); ok && other == nil {
			other = &h
		}
		return true
	}
	for _, f := range a.Header {
		if !eachID(f.Value, visit) {
			return own, nil
		}
	}
	body, _, err := wire.Decode(a, 16<<20)
	if err != nil {
		body = a.Body
	}
	if !eachID(string(body), visit) {
		return own, nil
	}
	return own, other
}

// eachID calls visit with everything that has the form of a hit id, until visit returns false.
func eachID(s string, visit func(string) bool) bool {
	run := 0
	for i := 0; i < len(s); i++ {
		if !hexDigit(s[i]) {
			run = 0
			continue
		}
		if run++; run >= fixture.IDLen && !visit(s[i+1-fixture.IDLen:i+1]) {
			return false
		}
	}
	return true
}

func hexDigit(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
