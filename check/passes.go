package check

import (
	"context"
	"slices"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
)

// The passes, as a record names them.
const (
	passA     = "A"     // side by side
	passLook  = "look"  // the stage's first row again, right after its stage
	passB     = "B"     // side by side again, in reverse order
	passAlone = "alone" // with nothing else under way, after a canary
)

// seen is one observation of a row. Its judgement is made again whenever late hits may have come.
type seen struct {
	row    Row
	pass   string
	probe  *probe
	layer  evidence.Evidence
	hits   []ledger.Hit
	from   compare.Provenance
	other  *ledger.Hit
	judged compare.Judged
}

// reached reports whether this observation tells something about the way through the layer to the stub and back.
func (s *seen) reached() bool {
	failed := s.row.Fixture.ExpectFailure && s.judged.Verdict == compare.Preserved // no answer at all will do, and has no origin
	return len(s.hits) > 0 && (failed || s.from == compare.OwnHit || s.from == compare.Attributed || s.judged.Verdict == compare.Broken)
}

// lost is an answer that no hit of its own explains, at any time.
type lost struct {
	what  string // the row's name, or "canary"
	pass  string
	stage string
	row   Row
	from  compare.Provenance
	other *ledger.Hit
	after string // with a canary before an alone row: the row that was asked before
	at    time.Time
}

func (r *runner) observe(ctx context.Context, row Row, pass string) *seen {
	ch := r.channel[row.Mode]
	s := &seen{row: row, pass: pass, probe: r.through(ctx, row.Fixture.Name, row.Mode, ch)}
	r.judge(s)
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.from != compare.NotObserved {
		r.seen[row] = append(r.seen[row], s)
	}
	return s
}

// judge reads the ledger and gives the observation its verdict.
func (r *runner) judge(s *seen) {
	hits := r.c.Hits.Of(s.probe.tag.Nonce)
	if s.layer == nil || len(hits) != len(s.hits) {
		s.layer = r.evidenceOf(s.probe.answer, hits)
	}
	s.hits = hits
	s.from, s.other = r.trace(s.probe, hits)
	s.judged = r.c.Rules.Judge(compare.Observed{
		Fixture: s.row.Fixture, Mode: s.row.Mode, Dialect: r.c.Dialect, Expected: r.expected[s.row], Direct: r.directs[s.row],
		Layer: s.layer, Answer: s.probe.answer, Hits: len(hits), Unserved: unserved(hits), Provenance: s.from,
	})
}

// unserved says why the stub answered one of the hits for itself, for example because it had too many connections.
func unserved(hits []ledger.Hit) string {
	for _, h := range hits {
		if h.Served.Fixture == "" && h.Note != "" {
			return h.Note
		}
	}
	return ""
}

// pass asks rows side by side.
func (r *runner) pass(ctx context.Context, name string, rows []Row) {
	phase := "rows"
	if name == passB {
		rows = slices.Clone(rows)
		slices.Reverse(rows)
		phase = "again, in reverse order"
	}
	r.together(ctx, len(rows), r.width(rows), func(i int) {
		s := r.observe(ctx, rows[i], name)
		r.mu.Lock()
		r.done++
		if compare.Worse(s.judged.Verdict, compare.Inconclusive) {
			r.failed++
		}
		done := r.done
		r.mu.Unlock()
		r.progress(phase, done, len(r.c.Rows), rows[i].Fixture.Name)
	})
}

// width is 1 for a channel that carries nothing: only one request may be under way then.
func (r *runner) width(rows []Row) int {
	for _, row := range rows {
		if r.channel[row.Mode].decides == ledger.Armed {
			return 1
		}
	}
	return r.c.Concurrency
}

// look asks a canary and the stage's first row again, at once, with the same model: has the layer's state changed?
func (r *runner) look(ctx context.Context, stage string, row Row) {
	if ctx.Err() != nil {
		return
	}
	var c canary
	var s *seen
	jobs := []func(){
		func() {
			c = r.canary(r.through(ctx, fixture.Canary(row.Mode), row.Mode, r.channel[row.Mode]))
		},
		func() { s = r.observe(ctx, row, passLook) },
	}
	width := 2
	if r.width([]Row{row}) == 1 {
		width = 1
	}
	r.together(ctx, len(jobs), width, func(i int) { jobs[i]() })
	if ctx.Err() != nil || s == nil || c.probe == nil {
		return
	}
	if !c.through {
		r.loseCanary(&c, passLook, stage, row, "")
	}
	if len(s.hits) == 0 || s.from == compare.OtherHit {
		r.lose(lost{what: row.Fixture.Name, pass: passLook, stage: stage, row: row, from: s.from, other: s.other})
	}
}

func (r *runner) lose(l lost) {
	l.at = time.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lost = append(r.lost, l)
}

func (r *runner) loseCanary(c *canary, pass, stage string, row Row, after string) {
	_, other := r.trace(c.probe, c.hits)
	r.mu.Lock()
	r.refusals++
	r.mu.Unlock()
	r.lose(lost{what: "canary", pass: pass, stage: stage, row: row, from: c.from, other: other, after: after})
}

// triage judges again with the late hits, and sorts the rows that are not plainly preserved: those that reached the
// stub are asked again side by side, the others alone.
func (r *runner) triage(rows []Row) (again, alone []Row) {
	for _, row := range rows {
		for _, s := range r.seen[row] {
			r.judge(s)
		}
		switch s := r.firstOf(row, passA); {
		case s == nil || r.unlikeFixture(row):
		case !s.reached():
			alone = append(alone, row)
		case s.judged.Verdict != compare.Preserved:
			again = append(again, row)
		case r.lookDiffers(row, s):
			again = append(again, row)
		}
	}
	return again, alone
}

// unlikeFixture: directly fetched, the stub did not answer the fixture. No further asking can judge such a row.
func (r *runner) unlikeFixture(row Row) bool {
	return len(evidence.Diff(r.expected[row], r.directs[row])) > 0
}

func (r *runner) lookDiffers(row Row, s *seen) bool {
	l := r.firstOf(row, passLook)
	return l != nil && l.reached() && !agree(l, s)
}

func (r *runner) firstOf(row Row, pass string) *seen {
	for _, s := range r.seen[row] {
		if s.pass == pass {
			return s
		}
	}
	return nil
}

// disagreeing gives the rows whose two passes side by side did not say the same.
func (r *runner) disagreeing(rows []Row) (out []Row) {
	for _, row := range rows {
		for _, s := range r.seen[row] {
			r.judge(s)
		}
		a, b := r.firstOf(row, passA), r.firstOf(row, passB)
		if b != nil && (!b.reached() || !agree(a, b)) {
			out = append(out, row)
		}
	}
	return out
}

// agree compares two observations by verdict and by which keys differ how. Values may differ from request to request:
// several gateways put a random id into every message.
func agree(a, b *seen) bool {
	return a.judged.Verdict == b.judged.Verdict && a.judged.Class == b.judged.Class &&
		slices.EqualFunc(a.judged.Differences, b.judged.Differences, func(x, y compare.Difference) bool {
			return x.Difference.Key == y.Difference.Key && x.Dir == y.Dir
		})
}

// alone asks rows one by one, each after a canary came through, within one waiting budget for all of them.
func (r *runner) alone(ctx context.Context, rows []Row) {
	budget := r.c.Settle
	after := ""
	for i, row := range rows {
		if ctx.Err() != nil {
			return
		}
		r.progress("alone", i, len(rows), row.Fixture.Name)
		if !r.await(ctx, row, after, &budget) {
			r.notAlone[row] = true
			after = ""
			continue
		}
		r.observe(ctx, row, passAlone)
		after = row.Fixture.Name
	}
	if after != "" && ctx.Err() == nil {
		last := rows[len(rows)-1]
		none := time.Duration(0)
		r.await(ctx, last, after, &none)
	}
}

// await sends canaries until one comes through or the budget is used up. The first that is refused right after a row tells
// that this row changed the layer's state.
func (r *runner) await(ctx context.Context, row Row, after string, budget *time.Duration) bool {
	wait := firstBackoff
	for n := 0; n < maxCanaries; n++ {
		begin := time.Now()
		c := r.canary(r.through(ctx, fixture.Canary(row.Mode), row.Mode, r.channel[row.Mode]))
		if c.through {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		if n == 0 {
			r.loseCanary(&c, passAlone, string(row.Fixture.Hazard), row, after)
		}
		if *budget <= 0 {
			return false
		}
		pause(ctx, min(wait, *budget))
		wait = min(2*wait, lastBackoff)
		*budget -= time.Since(begin)
	}
	return false
}
