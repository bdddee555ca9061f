package check

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/ledger"
)

// The passes, as a record names them.
const (
	passA      = "A"      // side by side
	passLook   = "look"   // the stage's first row again, right after its stage
	passRepeat = "repeat" // side by side once more, for --repeat
	passB      = "B"      // side by side again, in reverse order
	passAlone  = "alone"  // with nothing else under way, after a canary
)

// seen is one observation of a row. Its judgement is made again whenever late hits may have come.
type seen struct {
	row    Row
	pass   string
	probe  *probe
	layer  evidence.Evidence
	own    bool        // an id of one of its own hits stands in the answer
	other  *ledger.Hit // another request's hit whose id stands in the answer
	hits   []ledger.Hit
	from   compare.Provenance
	judged compare.Judged
	more   int // repeated observations that said the same, and are only counted
}

// reached reports whether this observation tells something about the way through the layer to the stub and back.
func (s *seen) reached() bool {
	failed := s.row.Fixture.ExpectFailure && s.judged.Verdict == compare.Preserved // no answer at all will do, and has no origin
	return len(s.hits) > 0 && (failed || s.from == compare.OwnHit || s.from == compare.Attributed || s.judged.Verdict == compare.Broken)
}

// unbacked is an answer that no hit of its own explains, at any time.
type unbacked struct {
	what   string // the row's name, or "canary"
	pass   string
	when   string // of a look: what had just been asked
	row    Row
	other  *ledger.Hit
	after  string // with a canary before an alone row: the row that was asked before
	status int    // of the answer
	number int    // of the request
	hits   int    // of a canary: it did reach the stub, but no whole success came back
}

func (r *runner) observe(ctx context.Context, row Row, pass string) *seen {
	s := &seen{row: row, pass: pass, probe: r.through(ctx, row.Fixture.Name, row.lane(), r.channel[row.lane()])}
	r.read(s)
	r.judge(s)
	if pass == passRepeat {
		r.shorten(s)
	}
	r.noteUnsent(row, s.probe)
	r.mu.Lock()
	defer r.mu.Unlock()
	if s.from != compare.NotObserved {
		r.seen[row] = append(r.seen[row], s)
	}
	return s
}

// read reads the answer once: the ids that can stand in it are those of hits that came before it. Of a long body only
// the beginning is kept then.
func (r *runner) read(s *seen) {
	if len(s.probe.answer.Body) > heavy {
		r.reading.Lock()
		defer r.reading.Unlock()
	}
	r.sync()
	hits := r.c.Hits.Of(s.probe.tag.Nonce)
	s.layer = s.probe.evidence(hits)
	s.own, s.other = r.idsIn(s.probe.answer, hits)
	if a := s.probe.answer; len(a.Body) > keepOfHuge {
		a.Body = append([]byte(nil), a.Body[:keepOfHuge]...)
	}
}

// judge reads the ledger and gives the observation its verdict.
func (r *runner) judge(s *seen) {
	s.hits = r.c.Hits.Of(s.probe.tag.Nonce)
	s.from = s.trace(s.hits)
	s.judged = r.c.Rules.Judge(compare.Observed{
		Fixture: s.row.Fixture, Mode: s.row.Mode, Route: s.row.Route, Dialect: s.row.Dialect, Expected: r.expected[s.row], Direct: r.base(s.row),
		Layer: s.layer, Answer: s.probe.answer, Hits: len(s.hits), Dirty: r.dirt(s.row), Overlook: r.overlook[s.row], Unserved: noteOf(s.hits, true), Astray: noteOf(s.hits, false), Provenance: s.from,
		Doubt: s.doubt(),
	})
}

// noteOf says why the stub answered one of the hits for itself: by a fault of its own (it had too many connections),
// or because the layer called it where no fixture is served.
func noteOf(hits []ledger.Hit, ownFault bool) string {
	for _, h := range hits {
		if h.Served.Fixture == "" && h.Note != "" && (h.Served.Status == http.StatusServiceUnavailable) == ownFault {
			return h.Note
		}
	}
	return ""
}

// pass asks rows side by side. The second time is a phase of its own, with rows of its own to count.
func (r *runner) pass(ctx context.Context, name string, rows []Row) {
	phase, done, total := "rows", &r.done, len(r.testable(r.c.Rows))*max(1, r.c.Repeat)
	if name == passB {
		rows = slices.Clone(rows)
		slices.Reverse(rows)
		phase, done, total = "again, in reverse order", new(int), len(rows)
	}
	r.together(ctx, len(rows), r.width(rows), func(i int) {
		if r.lost() != "" {
			return
		}
		s := r.observe(ctx, rows[i], name)
		r.mu.Lock()
		*done++
		if compare.Worse(s.judged.Verdict, compare.Inconclusive) {
			r.failed[rows[i]] = true
		}
		n := *done
		r.mu.Unlock()
		r.progress(phase, n, total, rows[i].Fixture.Name)
	})
}

// width is 1 for a channel that carries nothing: only one request may be under way then.
func (r *runner) width(rows []Row) int {
	for _, row := range rows {
		if r.channel[row.lane()].decides == ledger.Armed {
			return 1
		}
	}
	return r.c.Concurrency
}

// look asks, at once, whether the layer's state has changed: in each lane of a stage a canary and the first row again. No
// more than two are under way, so that a layer which minds crowds is not blamed for a state.
func (r *runner) look(ctx context.Context, when string, stage []Row) {
	var jobs []func()
	for _, row := range firsts(stage) {
		jobs = append(jobs, func() { r.lookCanary(ctx, when, row, r.canaryModel(row)) }, func() { r.lookRow(ctx, when, row) })
	}
	if ctx.Err() == nil && r.lost() == "" {
		r.together(ctx, len(jobs), min(2, r.width(stage)), func(i int) { jobs[i]() })
	}
}

// firsts gives the first row of each lane.
func firsts(rows []Row) (out []Row) {
	for _, row := range rows {
		if !slices.ContainsFunc(out, func(f Row) bool { return f.lane() == row.lane() }) {
			out = append(out, row)
		}
	}
	return out
}

func (r *runner) canaryModel(row Row) string {
	return r.model(row, r.c.Matrix.Canary(row.Dialect.Name, row.Mode).Name)
}

func (r *runner) lookRow(ctx context.Context, when string, row Row) {
	s := r.observe(ctx, row, passLook)
	if ctx.Err() == nil && len(s.hits) == 0 && s.from != compare.NotObserved {
		r.note(unbacked{what: row.Fixture.Name, pass: passLook, when: when, row: row, status: s.probe.answer.Status, number: s.probe.number})
	}
}

// lookCanary sends a canary under a model name and notes it when it is refused.
func (r *runner) lookCanary(ctx context.Context, when string, row Row, model string) {
	name := r.c.Matrix.Canary(row.Dialect.Name, row.Mode).Name
	c := r.canary(r.throughModel(ctx, name, model, row.lane(), r.channel[row.lane()]))
	if r.refused(ctx, &c) {
		r.noteCanary(&c, passLook, when, row, "")
	}
}

// lastLook sends, once everything has settled, a canary under every model that was asked for: layers shut out a single
// model, or streams alone, and a breaker may open a moment after the rows. Those that are refused in the crowd are
// asked once more alone, and only that counts.
func (r *runner) lastLook(ctx context.Context, rows []Row) {
	if ctx.Err() != nil || r.lost() != "" {
		return
	}
	looks := r.models(rows)
	refused := make([]*unbacked, len(looks))
	r.together(ctx, len(looks), r.width(rows), func(i int) {
		l := looks[i]
		name := r.c.Matrix.Canary(l.row.Dialect.Name, l.row.Mode).Name
		if c := r.canary(r.throughModel(ctx, name, l.model, l.row.lane(), r.channel[l.row.lane()])); r.refused(ctx, &c) {
			refused[i] = &unbacked{what: "canary", pass: passLook, when: l.when, row: l.row, other: c.other, status: c.probe.answer.Status, number: c.probe.number}
		}
	})
	for i, u := range refused {
		switch {
		case u == nil || ctx.Err() != nil:
		case u.other != nil:
			r.note(*u) // another's answer is no refusal
		default:
			r.lookCanary(ctx, u.when, u.row, looks[i].model)
		}
	}
}

// modelLook is one model to look at, with a row that asked for it.
type modelLook struct {
	row         Row
	model, when string
}

// models gives every model that the rows asked for, once, and every lane at least once. Where the channel carries no more
// than the row, a model name of another row would name that row: there the canary's own has to do.
func (r *runner) models(rows []Row) (out []modelLook) {
	seen := map[lookKey]bool{}
	for _, row := range rows {
		l := modelLook{row, r.model(row, row.Fixture.Name), "after all rows, for the model of " + row.Fixture.Name + ","}
		if ch := r.channel[row.lane()].decides; !ch.Whole() && ch != ledger.Armed || !hasPlaceholder(r.routes[row.Route].Model) {
			l.model, l.when = r.canaryModel(row), "after all rows"
		}
		if m := (lookKey{lane: row.lane()}); !seen[m] || !seen[lookKey{route: row.Route, model: l.model}] {
			seen[m], seen[lookKey{route: row.Route, model: l.model}] = true, true
			out = append(out, l)
		}
	}
	return out
}

// lookKey is a lane, or a model on a route, that is looked at.
type lookKey struct {
	lane         lane
	route, model string
}

func (r *runner) note(u unbacked) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unbacked = append(r.unbacked, u)
}

func (r *runner) noteCanary(c *canary, pass, when string, row Row, after string) {
	r.note(unbacked{what: "canary", pass: pass, when: when, row: row, other: c.other, after: after, status: c.probe.answer.Status, number: c.probe.number, hits: len(c.hits)})
}

// triage judges again with the late hits, and sorts the rows that are not plainly preserved: those that reached the
// stub are asked again side by side, the others alone.
func (r *runner) triage(rows []Row) (again, alone []Row) {
	r.sync()
	for _, row := range rows {
		for _, s := range r.seen[row] {
			r.judge(s)
		}
		switch s := r.firstOf(row, passA); {
		case s == nil || r.unlikeFixture(row):
		case !s.reached() || s.heldBack(): // load looks like holding back, so only asking alone tells
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
	return r.dirt(row) != "" || r.otherThanFixture(row)
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
	r.sync()
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

// agree compares two observations by verdict and by which deciding keys differ how. Values may differ from request to request:
// several gateways put a random id into every message.
func agree(a, b *seen) bool {
	return a.judged.Verdict == b.judged.Verdict && a.judged.Class == b.judged.Class &&
		slices.EqualFunc(deciding(a.judged.Differences), deciding(b.judged.Differences), func(x, y compare.Difference) bool {
			return x.Difference.Key == y.Difference.Key && x.Dir == y.Dir
		})
}

// deciding leaves out what the profile does not judge by: a cookie that comes with every second answer is no news.
func deciding(ds []compare.Difference) (out []compare.Difference) {
	for _, d := range ds {
		if d.Key != nil {
			out = append(out, d)
		}
	}
	return out
}

// alone asks rows one by one, each after a canary came through, within one waiting budget for all of them.
func (r *runner) alone(ctx context.Context, rows []Row) {
	budget := r.c.Settle
	after := ""
	for i, row := range rows {
		if ctx.Err() != nil || r.lost() != "" {
			return
		}
		r.progress("alone", i, len(rows), row.Fixture.Name)
		if !r.await(ctx, row, after, &budget) {
			r.notAlone[row] = true
			after = ""
			continue
		}
		r.observe(ctx, row, passAlone)
		after = r.label(row)
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
		c := r.canary(r.sendCanary(ctx, row.lane(), r.channel[row.lane()]))
		if c.through {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		if n == 0 && r.refused(ctx, &c) {
			r.noteCanary(&c, passAlone, "", row, after)
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
