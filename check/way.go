package check

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// A public way is one more layer: a tunnel, a CDN or a reverse proxy between the stub and everybody else. It is judged as
// one, by the same rules, before the layer is asked for anything. What it alters is then nobody else's fault.

// passDirect is the pass of a row that was fetched over the public way.
const passDirect = "direct"

// public reports whether the stub is asked over a way that others had a hand in.
func (r *runner) public() bool { return r.c.Near != nil || r.c.Public != "" }

// fetchBoth fetches every row over loopback, where there is that, and twice over the public way: what caches shows the second
// time only. Rows that break off are fetched once.
func (r *runner) fetchBoth(ctx context.Context) {
	n := len(r.c.Rows)
	r.together(ctx, 3*n, r.c.Concurrency, func(i int) {
		row := r.c.Rows[i%n]
		switch {
		case i < n:
			r.fetchNear(ctx, row)
		case i < 2*n || !row.Fixture.ExpectFailure:
			r.fetchFar(ctx, row)
		}
	})
	for _, row := range r.c.Rows {
		if len(r.ways[row]) > 0 {
			excuseAll(r.ways[row])
			r.directs[row] = r.ways[row][0].layer
		}
	}
	r.judgeWay()
}

// fetchNear asks over loopback. Without that, the stub has to be believed.
func (r *runner) fetchNear(ctx context.Context, row Row) {
	near := r.expected[row]
	if r.c.Near != nil {
		p := r.directly(ctx, r.c.Near, row.Fixture.Name, row.lane())
		r.helper(p.tag)
		r.noteUnsent(row, p)
		r.sync()
		hits := r.c.Hits.Of(p.tag.Nonce)
		r.witness(p, hits)
		near = p.evidence(hits)
		if passedOn(r.expected[row]) { // how soon the way passes a stream on is seen over the way
			near = asPassedOn(near)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nears[row] = near
}

func (r *runner) fetchFar(ctx context.Context, row Row) {
	s := &seen{row: row, pass: passDirect, probe: r.directly(ctx, r.c.Direct, row.Fixture.Name, row.lane())}
	r.noteUnsent(row, s.probe)
	r.sync()
	r.witness(s.probe, r.c.Hits.Of(s.probe.tag.Nonce))
	r.read(s)
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.ways[row]) == 0 {
		r.ids[row], r.directTime[row] = s.probe.answer.Values("request-id"), s.probe.answer.Elapsed()
	}
	r.ways[row] = append(r.ways[row], s)
}

// judgeWay judges what came over the public way. It is done again with late hits.
func (r *runner) judgeWay() {
	rules := compare.Rules{Profile: r.c.Rules.Profile} // nothing is declared of a way, and one hit is all it may cause
	for _, row := range r.c.Rows {
		for _, s := range r.ways[row] {
			s.hits = r.c.Hits.Of(s.probe.tag.Nonce)
			s.from = s.trace(s.hits)
			s.judged = rules.Judge(compare.Observed{
				Fixture: row.Fixture, Mode: row.Mode, Dialect: row.Dialect, Expected: r.expected[row], Direct: r.nears[row],
				Layer: s.layer, Answer: s.probe.answer, Hits: len(s.hits), Unserved: noteOf(s.hits, true), Astray: noteOf(s.hits, false), Provenance: s.from,
			})
			r.noteWay(row, s)
		}
	}
}

// noteWay keeps what one fetch showed: a stain that makes the row untestable, or what the row need not be held to.
func (r *runner) noteWay(row Row, s *seen) {
	switch {
	case s.from == compare.NotObserved || r.otherThanFixture(row):
	case noteOf(s.hits, true) != "": // the stub's own trouble
		r.unsent[row] = s.judged.Reason
	case s.judged.Verdict != compare.Preserved:
		if _, known := r.stains[row]; !known {
			r.stains[row] = stainOf(s, r.expected[row].Get("status").Number(), r.wrote(row, s))
		}
	}
	for _, d := range s.judged.Differences {
		if d.Key == nil {
			r.overlook[row] = once(r.overlook[row], d.Difference.Key)
		}
	}
}

// otherThanFixture reports whether the stub itself does not serve what it should.
func (r *runner) otherThanFixture(row Row) bool {
	return len(evidence.Diff(r.expected[row], r.base(row))) > 0
}

// base is what the stub itself answers.
func (r *runner) base(row Row) evidence.Evidence {
	if r.public() {
		return r.nears[row]
	}
	return r.directs[row]
}

// dirt says why a row can't be judged over the way to the stub, "" when it can.
func (r *runner) dirt(row Row) string {
	if s, ok := r.stains[row]; ok {
		return "the way to the stub " + s.deed() + ": " + some(s.keys)
	}
	if keys := r.dirty[row]; keys != "" {
		return "fetched directly twice, the stub's answers differ: " + keys
	}
	return ""
}

// testable leaves out rows that the way to the stub alters. They are not even asked for: what came of it would be told of the
// layer.
func (r *runner) testable(rows []Row) (out []Row) {
	for _, row := range rows {
		if r.dirt(row) == "" {
			out = append(out, row)
		}
	}
	return out
}

// wayNotes names what the way alters and nothing rests on.
func (r *runner) wayNotes() []string {
	var order []string
	rows := map[string]int{}
	for _, row := range r.c.Rows {
		if r.dirt(row) != "" {
			continue
		}
		for _, s := range r.ways[row][:min(1, len(r.ways[row]))] {
			for _, d := range s.judged.Differences {
				if key := d.Difference.Key + " " + string(d.Dir); d.Key == nil {
					if rows[key]++; rows[key] == 1 {
						order = append(order, key)
					}
				}
			}
		}
	}
	if len(order) == 0 {
		return nil
	}
	for i, key := range order {
		order[i] = fmt.Sprintf("%s in %s", key, plural(rows[key], "row", "rows"))
	}
	return []string{fmt.Sprintf("the way to the stub alters what profile %s does not judge by (%s): the layer is not held to that", r.c.Rules.Profile.Name, some(order))}
}

// wayStains are the findings of a public way, one for each kind of deed.
func (r *runner) wayStains() (out []record.Finding) {
	rows, keys, deeds := map[string][]string{}, map[string][]string{}, map[string]stain{}
	var order []string
	for _, row := range r.c.Rows {
		s, ok := r.stains[row]
		if !ok {
			continue
		}
		if len(rows[s.kind]) == 0 {
			order, deeds[s.kind] = append(order, s.kind), stain{kind: s.kind, own: s.own}
		}
		deeds[s.kind] = deeds[s.kind].with(s)
		rows[s.kind] = append(rows[s.kind], r.label(row))
		for _, k := range s.keys {
			keys[s.kind] = once(keys[s.kind], k)
		}
	}
	for _, kind := range order {
		out = append(out, record.Finding{
			Kind: dirtyWay, Rows: rows[kind],
			Text: fmt.Sprintf("the way to the stub %s (%s): %s", deeds[kind].deed(), plural(len(rows[kind]), "row", "rows"), some(keys[kind])),
		})
	}
	if len(out) > 0 {
		out[0].Advice = "it is not the layer: let the tunnel, CDN or proxy before the stub pass errors and streams on as they are, take another way, or --allow-untestable to be judged by the other rows"
	}
	if r.wayLost != "" {
		out = append(out, record.Finding{Kind: dirtyWay, Fails: true, Soft: true, Text: r.wayLost, Advice: "run it again; rows that had come through before are judged"})
	}
	return out
}

// wayRepeats reports whether the way sends requests again, so that a hit too many is not the layer's.
func (r *runner) wayRepeats() bool {
	for _, s := range r.stains {
		if s.kind == sentAgain {
			return true
		}
	}
	return false
}

// stillOpen asks once more over the public way when all rows were asked for. A layer behind which it broke down is not to blame
// for what did not arrive.
func (r *runner) stillOpen(ctx context.Context) {
	if !r.public() {
		return
	}
	why := r.wayGone()
	for n := 0; why == "" && n < 2 && ctx.Err() == nil; n++ {
		c := r.wayCanary(ctx)
		r.noteUnsent(Row{}, c.probe)
		if c.through || c.probe.answer.End == wire.EndLocal {
			return
		}
		if n == 1 {
			why = c.wayCause(&r.c)
			break
		}
		pause(ctx, lastBackoff)
	}
	if why != "" && ctx.Err() == nil {
		r.wayLost = "the way to the stub broke down during the run: " + why
	}
}

// at names the public URL.
func (r *runner) at() string {
	if r.c.Public == "" {
		return ""
	}
	return " (" + r.c.Public + ")"
}

func (r *runner) wayGone() string {
	if r.c.WayGone == nil {
		return ""
	}
	return r.c.WayGone()
}

// wayReady waits until our own request over the public way comes back from our stub. It returns why none did, in words.
func (r *runner) wayReady(ctx context.Context) (why string) {
	if !r.public() || len(r.c.Rows) == 0 {
		return ""
	}
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(r.c.WayTimeout, r.c.ReadyTimeout), ErrReadyTimeout)
	defer cancel()
	began, wait := time.Now(), firstBackoff
	for sent := 1; ; sent++ {
		if gone := r.wayGone(); gone != "" {
			return gone
		}
		c := r.wayCanary(ctx)
		if c.through {
			return ""
		}
		if why == "" || !c.givenUp(ctx) {
			why = c.wayCause(&r.c)
		}
		if ctx.Err() != nil || c.wayLasting() && time.Since(began) > patience {
			return why
		}
		if r.c.Progress != nil {
			r.c.Progress(Progress{Phase: "waiting for the way to the stub", Done: sent, Why: r.clean(why)})
		}
		pause(ctx, wait)
		wait = min(2*wait, lastBackoff)
		if ctx.Err() != nil {
			return why
		}
	}
}

// wayCanary sends one success over the public way, in the first row's dialect.
func (r *runner) wayCanary(ctx context.Context) canary {
	l := lane{dialect: r.c.Rows[0].Dialect, mode: fixture.Plain}
	return r.canaryOf(r.directly(ctx, r.c.Direct, r.c.Matrix.Canary(l.dialect.Name, l.mode).Name, l))
}

// wayCause says what came back over the public way instead of our own answer, and what the reason may be.
func (c *canary) wayCause(conf *Config) string {
	a := c.probe.answer
	switch {
	case a.End == wire.EndLocal:
		return a.Err
	case len(c.hits) > 0 && !a.End.Orderly():
		return fmt.Sprintf("our request reached the stub, but its answer did not come back: %s %s", a.End, a.Err)
	case len(c.hits) > 0 && c.hits[0].Served.Fixture == "" && c.hits[0].Note != "":
		return c.hits[0].Note
	case len(c.hits) > 0:
		return fmt.Sprintf("our request reached the stub, which answered a success, and %d came back%s", a.Status, conf.begins(a))
	case a.End == wire.EndRefused:
		return "no connection: " + a.Err
	case a.End == wire.EndTimeout:
		return fmt.Sprintf("no answer within %s: a port that a firewall drops, or a tunnel that is not connected", conf.Timeout)
	case a.Status == 0:
		return "no usable answer: " + strings.TrimSpace(string(a.End)+" "+a.Err)
	}
	return fmt.Sprintf("%s answered %d and the stub saw nothing: %s%s", serverOf(conf, a), a.Status, c.wayLikely(conf), conf.begins(a))
}

// serverOf names who answered, by what he says of himself. That came off the wire, so it is cut and goes without secrets.
func serverOf(conf *Config, a *wire.Answer) string {
	name := strings.Join(strings.Fields(strings.Join(a.Values("server"), " ")), " ")
	if conf.Redact != nil {
		name = conf.Redact(name)
	}
	if name == "" {
		return "another server"
	}
	return fmt.Sprintf("another server (%.60q)", name)
}

// markHeader stands in every answer that is a stub's own (package stub).
const markHeader = "x-preservecheck"

func (c *canary) wayLikely(conf *Config) string {
	a := c.probe.answer
	page := mentions(a.Body, "<html") || mentions(a.Body, "<!doctype")
	switch {
	case len(a.Values(markHeader)) > 0 || c.anotherStub(conf):
		return "the URL leads to the stub of another run"
	case a.Status >= 300 && a.Status < 400:
		return "it redirects to " + first(a.Values("location")) + ", which is not followed: a login page, or another scheme or name for the same URL"
	case a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden:
		return "something asks who we are before it lets us through (an access rule, a firewall)"
	case a.Status < 300 && page:
		return "a page of its own, such as a tunnel's warning or a login, stands before the stub"
	case a.Status < 300:
		return "the URL leads to somebody else"
	case a.Status == http.StatusTooManyRequests:
		return "the way limits requests by itself"
	case a.Status >= 500:
		return "it can't reach the stub: is its upstream the stub's address, and is the tunnel connected?"
	}
	return "it does not pass this path on; is the URL complete?"
}

// anotherStub reports whether the answer is the canary's, but of no hit of ours.
func (c *canary) anotherStub(conf *Config) bool {
	f := conf.Matrix.Canary(c.probe.lane.dialect.Name, c.probe.lane.mode)
	want := evidence.Of(f.Expected(fixture.NoID, false), c.probe.lane.dialect.Layout, fixture.NoID)
	got := evidence.Of(c.probe.answer, c.probe.lane.dialect.Layout, fixture.NoID)
	d := evidence.Diff(want, got)
	return want.Get("status") == got.Get("status") && len(d) < len(want)/2 &&
		!slices.ContainsFunc(d, func(d evidence.Difference) bool { return d.Dir == evidence.Lost })
}

// wayLasting reports whether waiting rarely mends the cause: a page that asks who we are, a certificate, or the stub of another run.
func (c *canary) wayLasting() bool {
	a := c.probe.answer
	return a.End == wire.EndRefused && strings.HasPrefix(a.Err, "certificate ") || a.Status >= 300 && a.Status < 400 || a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden || len(a.Values(markHeader)) > 0
}
