package controls

import (
	"bytes"
	"context"
	"fmt"
	"net/textproto"
	"strings"
	"sync"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// wholeRuns lets the very engine that judges the user's layer judge, without sockets, a layer that retries, one that answers
// by itself and one that answers from a cache: what only a whole run can see (a second hit, no hit, another's hit, a
// changed state) is proven in every check. Three rows are enough for that: a limit with and one without a wait, and an error
// that is none. The other faults with memory are left to ProveAll, for the time they take.
func (p *prover) wholeRuns(ctx context.Context) {
	for _, f := range []*Fault{retryTwice, cooldown, cache} {
		if ctx.Err() != nil {
			p.missed = append(p.missed, "the proof was interrupted")
			return
		}
		d := p.inMemory(ctx, f, p.in.Modes[:1])
		where := fmt.Sprintf("control %s as a whole run in memory, mode %s", f.Name, p.in.Modes[0])
		p.settle(f, &d, where)
		if from := originOf[f.Finding]; from != "" && !observed(&d, from) {
			p.missed = append(p.missed, where+": no answer was seen to be "+string(from)+" by its hits")
		}
	}
}

// inMemory makes one whole run without sockets.
func (p *prover) inMemory(ctx context.Context, f *Fault, modes []fixture.Mode) record.Document {
	run := ledger.NewRun()
	m := p.in.few()
	up := &memoryStub{matrix: m, book: ledger.New(run), names: namesOf(m), answers: map[*fixture.Fixture]*wire.Answer{}}
	d := check.Run(ctx, check.Config{
		Run: run, Matrix: m, Rows: rowsOf(Input{Matrix: m}, modes), Hits: p.blind.ledger(up.book), Rules: p.in.undeclared(), Channel: "auto", Model: "preservecheck-" + ledger.Placeholder,
		Layer: &memoryLayer{up: up, answer: f.behaviour()}, Direct: up, Idle: func() bool { return true },
		Proof:  func(context.Context) record.Proof { return partOfAProof },
		Repeat: f.Repeat, MaxLayerWait: f.MaxWait,
		Concurrency: 1, Timeout: 5 * time.Second, Deadline: time.Minute, ReadyTimeout: 5 * time.Second,
	})
	p.blind.run(&d)
	return d
}

// originOf is where the answers come from by which a finding is known.
var originOf = map[string]compare.Provenance{"layer-state": compare.NoHit, "cached": compare.OtherHit}

func observed(d *record.Document, from compare.Provenance) bool {
	for _, row := range d.Rows {
		for _, o := range row.Observations {
			if o.Provenance == string(from) {
				return true
			}
		}
	}
	return false
}

// partOfAProof stands for the proof in runs that are themselves part of one, and judge no layer of a user's.
var partOfAProof = record.Proof{Pairs: 1, Exact: 1, Keys: 1, Deciding: 1}

// few is the matrix with the rows that such a run asks for.
func (in *Input) few() *fixture.Matrix {
	m := &fixture.Matrix{Version: in.Matrix.Version, Canaries: in.Matrix.Canaries}
	for _, name := range []string{"tier_cap", "rate_limit", "user_limit_400"} {
		if f := in.Matrix.Get(name); f != nil {
			m.Rows = append(m.Rows, f)
		}
	}
	return m
}

func namesOf(m *fixture.Matrix) *ledger.Names {
	var names []string
	for _, list := range [][]*fixture.Fixture{m.Rows, m.Canaries} {
		for _, f := range list {
			names = append(names, f.Name)
		}
	}
	return ledger.NewNames(names)
}

// memoryStub answers like the stub, and writes the same ledger.
type memoryStub struct {
	matrix *fixture.Matrix
	book   *ledger.Ledger
	names  *ledger.Names

	mu      sync.Mutex
	answers map[*fixture.Fixture]*wire.Answer // with NoID for the id
}

// withID copies an answer with the id of a hit.
func withID(a *wire.Answer, id string) *wire.Answer {
	a = a.Clone()
	for i := range a.Header {
		a.Header[i].Value = strings.ReplaceAll(a.Header[i].Value, fixture.NoID, id)
	}
	a.Body = bytes.ReplaceAll(a.Body, []byte(fixture.NoID), []byte(id))
	return a
}

// Do answers a request with the fixture that it names.
func (s *memoryStub) Do(_ context.Context, r wire.Request) *wire.Answer {
	d := dialects.Anthropic
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	path, _, _ := strings.Cut(r.Target, "?")
	reading := ledger.Channels{}.Read(ledger.Arrival{Path: path, Header: headerOf(r), Model: d.Model(r.Body), Body: r.Body}, s.names)
	h := ledger.Hit{ID: ledger.NewID(), Tag: reading.Tag, Channels: reading.Channels, At: now, Method: r.Method, Path: path, Stream: d.Stream(r.Body), Marks: check.Marks(d, r, s.book.Hash)}
	f := s.matrix.Get(reading.Tag.Fixture)
	if f == nil {
		s.book.Add(h)
		return &wire.Answer{End: wire.EndNone, SentAt: now, DoneAt: now}
	}
	a := s.answers[f]
	if a == nil {
		a = f.Expected(fixture.NoID, false)
		s.answers[f] = a
	}
	h.Served = ledger.Served{Fixture: f.Name, Proto: "HTTP/1.1", Status: f.Answer.Status, AnswerAt: time.Now(), Finished: true}
	s.book.Add(h)
	a = withID(a, h.ID)
	a.SentAt, a.FirstAt, a.DoneAt = now, time.Now(), time.Now()
	return a
}

func headerOf(r wire.Request) func(string) []string {
	return func(name string) (values []string) {
		for _, f := range r.Header {
			if textproto.CanonicalMIMEHeaderKey(f.Name) == textproto.CanonicalMIMEHeaderKey(name) {
				values = append(values, strings.TrimSpace(f.Value))
			}
		}
		return values
	}
}

// memoryLayer is the layer of a fault in front of a memoryStub.
type memoryLayer struct {
	up     *memoryStub
	answer Behaviour
}

// Do answers a request as the fault does.
func (y *memoryLayer) Do(ctx context.Context, r wire.Request) *wire.Answer {
	sent := time.Now()
	d := dialects.Anthropic
	slept := time.Duration(0)
	a := y.answer(&Call{
		Request: r, Stream: d.Stream(r.Body), Model: d.Model(r.Body),
		Ask:   func(r wire.Request) *wire.Answer { return y.up.Do(ctx, r) },
		Sleep: func(d time.Duration) { slept += d }, // nobody has to wait for a proof
	}).Clone()
	a.SentAt, a.FirstAt, a.DoneAt = sent, time.Now().Add(slept), time.Now().Add(slept)
	return a
}
