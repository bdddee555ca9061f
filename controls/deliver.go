package controls

import (
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/stub"
	"github.com/preservecheck/preservecheck/wire"
)

// ProveAll proves besides what Prove proves: every change of a single place of each answer, in memory; and delivery: each
// channel, in both modes, with one fault of every mechanism, as whole runs over real sockets; and every fault with memory. It
// needs the stub and loopback, and takes seconds.
func ProveAll(ctx context.Context, in Input) record.Proof {
	p := newProver(in, append(in.faults(), mutantKinds()...))
	p.detect(ctx)
	p.decide(ctx)
	p.mutate(ctx, middle)
	p.wholeRuns(ctx)
	for _, f := range p.faults {
		switch {
		case f.Finding == "":
		case f.MaxWait > 0:
			d := p.inMemory(ctx, f, in.Modes[:1])
			p.settle(f, &d, fmt.Sprintf("control %s as a whole run in memory, mode %s", f.Name, in.Modes[0]))
		default:
			p.deliver(ctx, f, "auto", []fixture.Mode{fixture.Plain, fixture.Stream})
		}
	}
	for _, ch := range []ledger.Channel{ledger.Marker, ledger.Model, ledger.Header, ledger.Path, ledger.Armed} {
		for _, m := range []fixture.Mode{fixture.Plain, fixture.Stream} {
			for _, f := range onePerMechanism() {
				p.deliver(ctx, f, string(ch), []fixture.Mode{m})
			}
		}
	}
	return p.proof()
}

// onePerMechanism takes the first fault of each mechanism.
func onePerMechanism() (out []*Fault) {
	var have []Mechanism
	for _, f := range All() {
		if !slices.Contains(have, f.Mechanism) {
			have = append(have, f.Mechanism)
			out = append(out, f)
		}
	}
	return out
}

// deliver makes one whole run over sockets and compares what it reports with what the fault declares.
func (p *prover) deliver(ctx context.Context, f *Fault, channel string, modes []fixture.Mode) {
	where := fmt.Sprintf("control %s over sockets, channel %s, mode %v", f.Name, channel, modes)
	if ctx.Err() != nil {
		p.missed = append(p.missed, "the proof was interrupted")
		return
	}
	d, err := p.wholeRun(ctx, f, channel, modes)
	if err != nil {
		p.missed = append(p.missed, where+": "+err.Error())
		return
	}
	p.settle(f, &d, where)
}

// settle compares a whole run's record with the declaration.
func (p *prover) settle(f *Fault, d *record.Document, where string) {
	if d.NotReady != "" || d.Incomplete {
		p.missed = append(p.missed, where+": "+d.NotReady+d.Result.Why)
		return
	}
	p.pairs++
	c := p.tally[f]
	c.Pairs++
	var wrong []string
	if f.Finding != "" {
		wrong = p.memoryFaults(f, d)
	} else {
		wrong = p.rowFaults(f, d)
	}
	if len(wrong) == 0 {
		p.exact++
		c.Exact++
		return
	}
	c.Missed++
	for _, w := range wrong {
		p.missed = append(p.missed, where+": "+w)
	}
}

// memoryFaults: the declared kind of finding is there, the run fails, and no row that reached the stub is blamed.
func (p *prover) memoryFaults(f *Fault, d *record.Document) (wrong []string) {
	found := false
	for _, x := range d.Findings {
		found = found || x.Kind == f.Finding && x.Fails
	}
	if !found {
		wrong = append(wrong, "no finding "+f.Finding)
	}
	if d.Result.Exit == compare.ExitPass {
		wrong = append(wrong, "the run passed")
	}
	for _, row := range d.Rows {
		wrong = append(wrong, misjudged(&row)...)
		for _, field := range row.Fields {
			reached := row.Provenance == string(compare.OwnHit) || row.Provenance == string(compare.Attributed)
			if field.Dir != "" && reached && !p.declares(f, &row, &field) { // an intermittent fault shows in the rows that it met
				wrong = append(wrong, fmt.Sprintf("%s (%s) reported as %s: %s %s", row.Row, row.Mode, row.Verdict, field.Key, field.Dir))
			}
		}
	}
	return wrong
}

// misjudged are observations whose verdict does not follow from where they came from.
func misjudged(row *record.Row) (wrong []string) {
	must := map[compare.Provenance]compare.Verdict{compare.NoHit: compare.LayerMade, compare.OtherHit: compare.Inconclusive}
	for _, o := range row.Observations {
		if v := must[compare.Provenance(o.Provenance)]; v != "" && o.Verdict != string(v) {
			wrong = append(wrong, fmt.Sprintf("%s (%s), whose answer came from %s, was called %s and not %s", row.Row, row.Mode, o.Provenance, o.Verdict, v))
		}
	}
	return wrong
}

// rowFaults compares every row with the declaration, and wants no finding.
func (p *prover) rowFaults(f *Fault, d *record.Document) (wrong []string) {
	for _, row := range d.Rows {
		s := p.in.subject(check.Row{Fixture: p.in.Matrix.Get(row.Row), Mode: fixture.Mode(row.Mode), Dialect: dialects.ByName(row.Asked)})
		want := had(f, s.seen)
		var got []string
		for _, field := range row.Fields {
			if field.Dir != "" {
				got = append(got, field.Key+" "+field.Dir)
			}
		}
		got = withHits(got, row.HitsMax)
		if !slices.Equal(want, got) {
			wrong = append(wrong, fmt.Sprintf("%s (%s) had to show %v and showed %v (%s: %s)", row.Row, row.Mode, want, got, row.Verdict, row.Reason))
		}
		if v := p.deliveredVerdict(f, &s); s.class != "" && row.Verdict != string(v) {
			wrong = append(wrong, fmt.Sprintf("%s (%s) had to be %s and was %s: %s", row.Row, row.Mode, v, row.Verdict, row.Reason))
		}
	}
	for _, x := range d.Findings {
		wrong = append(wrong, "a finding besides: "+x.Kind+": "+x.Text)
	}
	return wrong
}

// deliveredVerdict is what a whole run has to call a row.
func (p *prover) deliveredVerdict(f *Fault, s *subject) compare.Verdict {
	changed, hits := s.expected.Clone(), 1
	if f.Change != nil {
		f.Change(changed, s.seen.Stream)
	}
	if f.Hits != nil {
		hits = f.Hits(s.seen)
	}
	return p.expectedVerdict(f, s, changed, f.Want(s.seen), hits)
}

// wholeRun checks the layer of a fault with the rows that are always proven.
func (p *prover) wholeRun(ctx context.Context, f *Fault, channel string, modes []fixture.Mode) (record.Document, error) {
	return p.wholeRunOf(ctx, f, channel, p.deliveredRows(f, modes))
}

// wholeRunOf is wholeRun with other rows.
func (p *prover) wholeRunOf(ctx context.Context, f *Fault, channel string, rows []check.Row) (d record.Document, err error) {
	run := ledger.NewRun()
	book := ledger.New(run)
	s, err := stub.New(stub.Options{Matrix: p.in.Matrix, Ledger: book, Watch: p.in.Rules.Profile.Watches()})
	if err != nil {
		return d, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return d, err
	}
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = s.Serve(l) // ends with the Close below; a stub that can't serve lets no canary through
	}()
	defer func() {
		_ = s.Close()
		<-served
	}()
	layer, err := Start(f.Name, "http://"+l.Addr().String())
	if err != nil {
		return d, err
	}
	defer func() { _ = layer.Close() }()
	through, err := wire.ParseBase(layer.URL())
	if err != nil {
		return d, err
	}
	direct, err := wire.ParseBase("http://" + l.Addr().String())
	if err != nil {
		return d, err
	}
	d = check.Run(ctx, check.Config{
		Run: run, Matrix: p.in.Matrix, Rows: rows, Hits: p.blind.ledger(book), Rules: p.in.Rules, Channel: channel, Model: "preservecheck-{fixture}",
		Layer: wire.Client{Base: through, Abrupt: true}, Direct: wire.Client{Base: direct, Abrupt: true},
		Idle: func() bool { return layer.Idle() && s.Idle() }, Proof: func(context.Context) record.Proof { return partOfAProof },
		Repeat: f.Repeat, MaxLayerWait: f.MaxWait,
		Concurrency: 8, Timeout: 5 * time.Second, Deadline: time.Minute, ReadyTimeout: 5 * time.Second, Settle: 300 * time.Millisecond,
	})
	p.blind.run(&d)
	return d, nil
}
