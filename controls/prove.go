package controls

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// Input is what a proof is made for: the run's own rules, and rows beside the ten.
type Input struct {
	Matrix *fixture.Matrix
	Rules  compare.Rules
	Modes  []fixture.Mode
	Rows   []check.Row // the run's rows; the source article's are always proven as well
	Faults []*Fault    // nil: all; tests give one that is broken on purpose
}

// faults are those to prove, with one for each key that only the user's own profile names.
func (in *Input) faults() []*Fault {
	all := in.Faults
	if all == nil {
		all = All()
	}
	return append(slices.Clone(all), forFile(in.Rules.Profile)...)
}

// Prove proves, in memory, detection (every fault on every row, and whole runs for what only they can see) and decision
// (every key of the profile turns a row red under the run's own rules).
func Prove(ctx context.Context, in Input) record.Proof {
	return newProver(in, in.faults()).prove(ctx)
}

func (p *prover) prove(ctx context.Context) record.Proof {
	p.detect(ctx)
	p.decide(ctx)
	p.reopen()
	p.wholeRuns(ctx)
	return p.proof()
}

// subject is a row with its fixture's answer, read once for all faults.
type subject struct {
	row      check.Row
	expected *wire.Answer
	seen     Seen
	class    string // by the oracle; "" for rows that it does not know
	request  wire.Request
	sent     []string // marks of the request, where the profile asks for the request side

	untouched *compare.Judged // the judgement of the row when nothing was done to it, made once
}

func (in *Input) subject(row check.Row) subject {
	a := row.Fixture.Expected(fixture.NoID, false)
	s := subject{row: row, expected: a, seen: Seen{Evidence: evidence.Of(a, row.Dialect.Layout, fixture.NoID), Stream: row.Mode == fixture.Stream}}
	if isArticle(row) {
		s.class = oracle(a)
	}
	if d := row.Dialect; in.Rules.Profile.Watches() && d.Probe != nil {
		s.seen.Evidence = check.Expect(s.seen.Evidence, d)
		s.request = d.Probe(d.Request("", wire.Ask{Model: row.Fixture.Name, Prompt: "proof", Stream: s.seen.Stream}))
		s.sent = check.Marks(d, s.request, asItIs)
	}
	return s
}

type prover struct {
	in       Input
	faults   []*Fault
	rows     []subject
	tally    map[*Fault]*record.Control
	red      map[string]bool   // patterns that turned a row red
	shown    map[string]bool   // patterns that a row differed in, without failing it because of --fail-on
	declared map[string]string // patterns of which a known file declares a fault, with the key that differed
	silenced map[*Fault]bool   // faults that it declares on some row
	missed   []string
	pairs    int
	exact    int

	blind blindness // nothing, but in tests

	answer wire.Answer       // memory for the answer of one pair
	layer  evidence.Evidence // and for what was read of it
}

func newProver(in Input, faults []*Fault) *prover {
	p := &prover{in: in, faults: faults, tally: map[*Fault]*record.Control{}, red: map[string]bool{}, shown: map[string]bool{}, declared: map[string]string{}, silenced: map[*Fault]bool{}}
	for _, f := range faults {
		p.tally[f] = &record.Control{Name: f.Name, Why: f.Why}
	}
	rows := rowsOf(in, in.Modes)
	if f := in.Matrix.Canary(dialects.Anthropic.Name, fixture.Stream); f != nil && slices.Contains(in.Modes, fixture.Stream) {
		rows = append(rows, check.Row{Fixture: f, Mode: fixture.Stream, Dialect: dialects.Anthropic}) // the article has no stream with a text
	}
	if f := in.Matrix.Get(fixture.Paced); f != nil && slices.Contains(in.Modes, fixture.Stream) {
		rows = append(rows, check.Row{Fixture: f, Mode: fixture.Stream, Dialect: dialects.Anthropic}) // the only one that shows how streams are passed on
	}
	for _, r := range in.Rows {
		r.Route = "" // a pair is the same on every route
		if !slices.Contains(rows, r) {
			rows = append(rows, r)
		}
	}
	for _, r := range rows {
		p.rows = append(p.rows, in.subject(r))
	}
	return p
}

func (p *prover) detect(ctx context.Context) {
	p.each(ctx, func() bool { return true })
}

// each runs every fault over every row while more says so.
func (p *prover) each(ctx context.Context, more func() bool) {
	for _, f := range p.faults {
		if f.Finding != "" || f.Want == nil { // whole runs, and mutants, which are made row by row
			continue
		}
		for i := range p.rows {
			if ctx.Err() != nil {
				p.missed = append(p.missed, "the proof was interrupted")
				return
			}
			if !more() {
				return
			}
			p.pair(f, &p.rows[i])
		}
	}
}

// decide looks for keys that nothing has turned red yet in the modes that the run does not use.
func (p *prover) decide(ctx context.Context) {
	for _, m := range []fixture.Mode{fixture.Plain, fixture.Stream} {
		if slices.Contains(p.in.Modes, m) {
			continue
		}
		q := newProver(Input{Matrix: p.in.Matrix, Rules: p.in.Rules, Modes: []fixture.Mode{m}}, p.faults)
		q.blind = p.blind
		q.red, q.shown, q.declared, q.silenced = p.red, p.shown, p.declared, p.silenced
		q.each(ctx, q.undecided)
		p.missed = append(p.missed, q.missed...)
	}
}

// undecided reports whether there is a key in which no fault has shown up yet.
func (p *prover) undecided() bool {
	for _, k := range p.in.Rules.Profile.Keys {
		if !p.red[k.Pattern] && !p.shown[k.Pattern] {
			return true
		}
	}
	return false
}

// pair runs one fault over one row, in memory: the fixture's bytes in, a judgement out.
func (p *prover) pair(f *Fault, s *subject) {
	a, hits, arrived := p.answered(f, s)
	layer := s.seen.Evidence
	asItWas := same(a, s.expected) && arrived == nil && hits == 1
	if asItWas && s.untouched != nil {
		p.settlePair(f, s, a, *s.untouched, hits)
		return
	}
	if !same(a, s.expected) || arrived != nil {
		p.layer = evidence.AppendOf(p.layer[:0], a, s.row.Dialect.Layout, fixture.NoID)
		p.layer = check.AppendRequest(p.layer, s.row.Dialect, s.sent, arrived...)
		layer = p.blind.read(p.layer, s.seen.Evidence)
	}
	o := compare.Observed{
		Fixture: s.row.Fixture, Mode: s.row.Mode, Dialect: s.row.Dialect, Expected: s.seen.Evidence, Direct: s.seen.Evidence,
		Layer: layer, Answer: a, Hits: hits, Provenance: compare.OwnHit,
	}
	j := p.in.undeclared().Judge(o) // what is seen does not depend on what was declared
	p.blind.judge(&j)
	p.note(f, j, o)
	if asItWas {
		s.untouched = &j
	}
	p.settlePair(f, s, a, j, hits)
}

// answered lets a fault answer for a row. Most only change the answer, and need no layer around them for that.
func (p *prover) answered(f *Fault, s *subject) (a *wire.Answer, hits int, arrived [][]string) {
	if f.New == nil && f.Send == nil {
		a = p.copy(s.expected)
		if f.Change != nil {
			f.Change(a, s.seen.Stream)
		}
		return a, 1, nil
	}
	a = f.behaviour()(&Call{
		Request: s.request, Stream: s.seen.Stream, Model: s.row.Fixture.Name,
		Ask: func(r wire.Request) *wire.Answer {
			hits++
			if s.sent != nil && f.Send != nil {
				arrived = append(arrived, check.Marks(s.row.Dialect, r, asItIs))
			}
			return p.copy(s.expected)
		},
		Sleep: func(time.Duration) {},
	})
	return a, hits, arrived
}

// settlePair compares what the check said of a row with what the fault declares.
func (p *prover) settlePair(f *Fault, s *subject, a *wire.Answer, j compare.Judged, hits int) {
	want, got := had(f, s.seen), did(j, hits)
	if s.class != "" {
		want = append(want, "verdict "+string(p.expectedVerdict(f, s, a, f.Want(s.seen), hits)))
		got = append(got, "verdict "+string(j.Verdict))
	}
	p.count(f, s, want, got)
}

// isArticle reports whether a row is one of the ten that the oracle knows.
func isArticle(r check.Row) bool { return r.Fixture.Family == fixture.ArticleFamily }

// copy gives a fault an answer to change, in the memory of the one before.
func (p *prover) copy(a *wire.Answer) *wire.Answer {
	header, body := p.answer.Header, p.answer.Body
	p.answer = *a
	p.answer.Faults, p.answer.Interim, p.answer.Trailer = slices.Clip(a.Faults), slices.Clip(a.Interim), slices.Clip(a.Trailer) // raw bytes may have some
	p.answer.Header = append(header[:0], a.Header...)
	p.answer.Body = append(body[:0], a.Body...)
	return &p.answer
}

// same reports whether a fault left an answer alone, which need not be read again then: a third of all pairs.
func same(a, b *wire.Answer) bool {
	return a.Status == b.Status && a.End == b.End && a.Pace == b.Pace && len(a.Faults) == len(b.Faults) && len(a.Interim) == len(b.Interim) && len(a.Trailer) == len(b.Trailer) && slices.Equal(a.Header, b.Header) && bytes.Equal(a.Body, b.Body)
}

// undeclared are the run's rules without its known files.
func (in *Input) undeclared() compare.Rules {
	r := in.Rules
	r.Known = nil
	return r
}

// note remembers which keys decided a row that fails, under the run's known files.
func (p *prover) note(f *Fault, j compare.Judged, o compare.Observed) {
	p.in.Rules.Declare(&j, &o)
	if j.Verdict == compare.Declared {
		p.silenced[f] = true
	}
	fails, open := p.in.Rules.Fails(j.Verdict), false
	for _, d := range j.Differences {
		open = open || d.Key != nil && len(d.Declared) == 0
	}
	for _, d := range j.Differences {
		switch {
		case d.Key == nil:
		case len(d.Declared) > 0 && (open || !fails):
			p.declared[d.Key.Pattern] = d.Difference.Key // something else decides the row, or nothing does
		case fails:
			p.red[d.Key.Pattern] = true
		case j.Verdict == compare.Different:
			p.shown[d.Key.Pattern] = true
		}
	}
}

// had is what a fault declares, did what the check said, both as sorted words.
func had(f *Fault, s Seen) []string {
	var out []string
	for _, w := range f.Want(s) {
		out = append(out, w.Key+" "+string(w.Dir))
	}
	want := 1
	if f.Hits != nil {
		want = f.Hits(s)
	}
	return withHits(out, want)
}

func did(j compare.Judged, hits int) []string {
	var out []string
	for _, d := range j.Differences {
		out = append(out, d.Difference.Key+" "+string(d.Dir))
	}
	return withHits(out, hits)
}

func withHits(s []string, hits int) []string {
	if hits != 1 {
		s = append(s, fmt.Sprintf("hits %d", hits))
	}
	slices.Sort(s)
	return s
}

// count compares the two sets: every difference between them is a fault of the check or of the control.
func (p *prover) count(f *Fault, s *subject, had, did []string) {
	c := p.tally[f]
	c.Had, c.Did = union(c.Had, had), union(c.Did, did)
	touches := f.Mechanism == Nothing || len(f.Want(s.seen)) > 0 || f.Hits != nil && f.Hits(s.seen) != 1
	if !touches {
		c.Untouched++
	}
	p.verdict(f, s, "", had, did, touches)
}

// compared counts a pair that a fault touches.
func (p *prover) compared(f *Fault, s *subject, place string, had, did []string) {
	p.verdict(f, s, place, had, did, true)
}

// verdict says of a pair whether what was seen is what had to be seen.
func (p *prover) verdict(f *Fault, s *subject, place string, had, did []string, touches bool) {
	c := p.tally[f]
	if touches {
		c.Pairs++
		p.pairs++
	}
	if slices.Equal(had, did) {
		if touches {
			c.Exact++
			p.exact++
		}
		return
	}
	var words []string
	for _, w := range had {
		if !slices.Contains(did, w) {
			words = append(words, "missed "+w)
		}
	}
	if len(words) > 0 {
		c.Missed++
	} else {
		c.Extra++
	}
	for _, w := range did {
		if !slices.Contains(had, w) {
			words = append(words, "reported "+w+" besides")
		}
	}
	p.missed = append(p.missed, fmt.Sprintf("control %s on %s (%s)%s: %s", f.Name, s.row.Fixture.Name, s.row.Mode, place, strings.Join(words, ", ")))
}

func union(all, more []string) []string {
	for _, m := range more {
		if !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

func (p *prover) proof() record.Proof {
	keys := p.in.Rules.Profile.Keys
	out := record.Proof{Pairs: p.pairs, Exact: p.exact, Missed: p.missed, Silenced: len(p.silenced)}
	for _, k := range keys {
		switch {
		case p.red[k.Pattern]:
			out.Keys++
			out.Deciding++
		case p.shown[k.Pattern]:
			out.Shown++
		default:
			out.Keys++
			if p.declared[k.Pattern] != "" {
				out.Missed = append(out.Missed, fmt.Sprintf("the known file declares every fault in key %s, whatever its value, so that none turns a row red under profile %s: declare less, or take a profile without the key", k.Pattern, p.in.Rules.Profile.Name))
				continue
			}
			out.Missed = append(out.Missed, fmt.Sprintf("no fault in key %s turns a row red under profile %s", k.Pattern, p.in.Rules.Profile.Name))
		}
	}
	for _, f := range p.faults {
		out.Controls = append(out.Controls, *p.tally[f])
	}
	return out
}

// rowsOf gives the rows that are always proven, in some modes: the source article's.
func rowsOf(in Input, modes []fixture.Mode) (rows []check.Row) {
	for _, m := range modes {
		for _, f := range in.Matrix.Rows {
			if f.Family == fixture.ArticleFamily && f.In(m) {
				rows = append(rows, check.Row{Fixture: f, Mode: m, Dialect: dialects.Anthropic})
			}
		}
	}
	return rows
}

// asItIs stands for the hash where nothing leaves the memory. A part of no bytes is not the same as none.
func asItIs(b []byte) string { return "=" + string(b) }
