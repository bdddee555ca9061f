package controls

import (
	"context"
	"slices"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/wire"
)

// mutate proves every mutant of every row: exactly its sights, and a red row where one of them decides.
func (p *prover) mutate(ctx context.Context, choose pick) {
	for i := range p.rows {
		if ctx.Err() != nil {
			p.missed = append(p.missed, "the proof was interrupted")
			return
		}
		touched := map[*Fault]bool{}
		single, entangled := mutants(&p.rows[i], choose)
		for _, m := range entangled {
			p.tally[m.kind].Untouched++ // not alone
		}
		for _, m := range single {
			touched[m.kind] = true
			p.mutant(&p.rows[i], m)
		}
		for _, k := range mutantKinds() {
			if !touched[k] {
				p.tally[k].Untouched++
			}
		}
	}
}

// mutant runs one.
func (p *prover) mutant(s *subject, m mutant) {
	a := p.copy(s.expected)
	m.edit(a)
	j := p.judged(s, a)
	had, did := make([]string, 0, len(m.want)), did(j, 1)
	decides := false
	for _, w := range m.want {
		had = append(had, w.Key+" "+string(w.Dir))
		decides = decides || p.decides(s, w, j)
	}
	slices.Sort(had)
	if decides && !s.row.Fixture.ExpectFailure { // which any failure satisfies
		had = append(had, "a red row")
		if p.in.undeclared().Fails(j.Verdict) || j.Verdict == compare.Different {
			did = append(did, "a red row")
		}
	}
	p.compared(m.kind, s, ": "+m.place, had, did)
}

// decides asks the profile about a sight, with the values that it may call the same.
func (p *prover) decides(s *subject, w Sight, j compare.Judged) bool {
	d := evidence.Difference{Key: w.Key, Dir: w.Dir, Want: s.seen.Evidence.Get(w.Key)}
	for _, x := range j.Differences {
		if x.Difference.Key == w.Key {
			d.Got = x.Got
		}
	}
	return p.in.Rules.Profile.Decides(d, s.seen.Evidence, s.row.Dialect) != nil
}

// judged reads and judges an answer that came after one hit.
func (p *prover) judged(s *subject, a *wire.Answer) compare.Judged {
	p.layer = evidence.AppendOf(p.layer[:0], a, s.row.Dialect.Layout, fixture.NoID)
	p.layer = check.AppendRequest(p.layer, s.row.Dialect, s.sent)
	j := p.in.undeclared().Judge(compare.Observed{
		Fixture: s.row.Fixture, Mode: s.row.Mode, Dialect: s.row.Dialect, Expected: s.seen.Evidence, Direct: s.seen.Evidence,
		Layer: p.blind.read(p.layer, s.seen.Evidence), Answer: a, Hits: 1, Provenance: compare.OwnHit,
	})
	p.blind.judge(&j)
	return j
}
