package check

import (
	"slices"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// trace says where an answer came from, now that the ledger shows these hits.
func (s *seen) trace(hits []ledger.Hit) compare.Provenance {
	return traced(s.probe, s.own, s.other, hits)
}

func traced(p *probe, own bool, other *ledger.Hit, hits []ledger.Hit) compare.Provenance {
	switch {
	case p.answer.End == wire.EndCanceled, p.answer.End == wire.EndLocal:
		return compare.NotObserved
	case own:
		return compare.OwnHit
	case other != nil:
		return compare.OtherHit
	case p.answer.Status == 0:
		return compare.NoAnswer
	case len(hits) == 0:
		return compare.NoHit
	case !p.crowded && slices.ContainsFunc(hits, func(h ledger.Hit) bool { return between(p.answer, &h) }):
		return compare.Attributed // of several, sent again by the layer, each was served the same fixture
	}
	return compare.Unattached
}

// between reports whether a hit can have made an answer: it arrived after the request was sent, and the stub began
// to answer it before the first byte came back. (DESIGN asks for "finished being served"; a stub can be told that
// its last write is done only after the client has read it, so the begin of the answer is what can be compared.)
//
// Where the stub has another clock, only what is so whatever the clocks say is believed. A nonce tells by itself that its hit
// did not come before its request.
func between(a *wire.Answer, h *ledger.Hit) bool {
	after := slices.ContainsFunc(h.Channels, ledger.Channel.Whole) || !h.At.Add(-h.Slack).Before(a.SentAt)
	return after && !h.Served.AnswerAt.IsZero() && !h.Served.AnswerAt.Add(h.Slack).After(a.FirstAt)
}

// idsIn looks for hit ids in an answer: own when one belongs to hits, other when one belongs to another request. Both may
// be there: a layer may put one request's headers on another's body.
func (r *runner) idsIn(a *wire.Answer, hits []ledger.Hit) (own bool, other *ledger.Hit) {
	visit := func(id string) {
		for i := range hits {
			if hits[i].ID == id {
				own = true
				return
			}
		}
		if h, ok := r.c.Hits.ByID(id); ok && other == nil {
			other = &h
		}
	}
	for _, f := range a.Header {
		eachID(f.Value, visit)
	}
	body, _, err := wire.Decode(a, wire.MaxBody)
	if err != nil {
		body = a.Body
	}
	eachID(string(body), visit)
	return own, other
}

// eachID calls visit with everything that has the form of a hit id.
func eachID(s string, visit func(string)) {
	run := 0
	for i := 0; i < len(s); i++ {
		if !hexDigit(s[i]) {
			run = 0
			continue
		}
		if run++; run >= fixture.IDLen && run <= maxRun {
			visit(s[i+1-fixture.IDLen : i+1])
		}
	}
}

// maxRun is the longest run of hex digits in which ids are looked for; nothing real writes one into more.
const maxRun = 128

func hexDigit(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }
