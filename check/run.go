package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// runner is one run under way.
type runner struct {
	c       Config
	routes  map[string]*Route
	ctx     context.Context // the run's own, to tell its end from a probe's deadline
	began   time.Time
	traffic traffic
	turns   turns

	mu         sync.Mutex
	channel    map[lane]channels
	notReady   map[lane]string
	touched    map[lane]bool // canaries reached the stub though none came through
	canaryTime time.Duration
	crash      any
	done       int
	failed     map[Row]bool // that any observation so far says so of

	trouble    string // why hits may be missing
	blind      string // why the ledger can't be read any more
	expected   map[Row]evidence.Evidence
	directs    map[Row]evidence.Evidence
	dirty      map[Row]string            // what differs between two direct answers: the way's doing, or the stub's, and never the layer's
	nears      map[Row]evidence.Evidence // of a public way: what the stub answers over loopback
	ways       map[Row][]*seen           // what was fetched over a public way
	stains     map[Row]stain             // what that did to a row
	overlook   map[Row][]string          // keys that it alters and that do not decide
	noWay      string                    // why it does not lead to the stub
	wayLost    string                    // that it does so no more
	seen       map[Row][]*seen
	unbacked   []unbacked
	helpers    []ledger.Tag          // of canaries and direct requests, which are no rows and must hit once
	directTime map[Row]time.Duration // of the direct answers
	ids        map[Row][]string      // request-id headers of the direct answers, as they were
	reading    sync.Mutex            // held while a heavy body is read
	quiet      sync.RWMutex          // held while a canary has to be the only one under way
	unsent     map[Row]string        // why this machine could not ask for a row, that of no row: could not look at the layer
	notAlone   map[Row]bool          // rows for which no canary came through in the budget
}

// Run does one run and settles its result. A panic below is raised again here, in the caller's goroutine.
func Run(ctx context.Context, c Config) record.Document {
	r := &runner{
		c: c, began: time.Now(), traffic: traffic{active: map[*probe]bool{}}, turns: turns{rows: map[string]*turn{}},
		channel: map[lane]channels{}, notReady: map[lane]string{}, touched: map[lane]bool{},
		expected: map[Row]evidence.Evidence{}, directs: map[Row]evidence.Evidence{}, dirty: map[Row]string{}, nears: map[Row]evidence.Evidence{}, ways: map[Row][]*seen{}, stains: map[Row]stain{}, overlook: map[Row][]string{}, seen: map[Row][]*seen{}, notAlone: map[Row]bool{}, failed: map[Row]bool{}, unsent: map[Row]string{}, ids: map[Row][]string{}, directTime: map[Row]time.Duration{},
	}
	r.routes = routesOf(&r.c)
	defer r.turns.end()
	ctx, cancel := context.WithTimeoutCause(ctx, c.Deadline, errDeadline)
	defer cancel()
	r.ctx = ctx
	d := &r.c.Document
	d.Started = r.began.UTC()
	// The proof does not wait for the layer, nor the rows for the proof: a missed control spoils the result either way. It
	// takes a moment only, and is finished when the run is interrupted, so that what was seen until then still counts.
	proven := make(chan struct{})
	go func() {
		defer close(proven)
		whole := context.WithoutCancel(ctx)
		r.together(whole, 1, 1, func(int) { d.Proof = r.c.Proof(whole) })
	}()
	if r.noWay = r.wayReady(ctx); r.noWay == "" {
		if err := r.prepare(ctx); err != nil {
			d.Refused = err.Error()
		} else {
			r.rows(ctx)
		}
	}
	<-proven
	if r.crash != nil {
		panic(r.crash)
	}
	if ctx.Err() != nil {
		d.Incomplete = true
		if errors.Is(context.Cause(ctx), errDeadline) {
			d.Notes = append(d.Notes, fmt.Sprintf("the run was ended by its deadline of %s", c.Deadline))
		}
	}
	r.fill(d)
	compare.Settle(d)
	return *d
}

var errDeadline = errors.New("deadline of the run")

// prepare fetches every row directly and waits for the layer, at once.
func (r *runner) prepare(ctx context.Context) error {
	var self error
	jobs := []func(){func() { r.fetchDirect(ctx) }}
	for _, l := range r.lanes() {
		jobs = append(jobs, func() {
			why, err := r.ready(ctx, l)
			r.mu.Lock()
			defer r.mu.Unlock()
			if err != nil {
				self = err
			}
			r.notReady[l] = why
		})
	}
	r.together(ctx, len(jobs), len(jobs), func(i int) { jobs[i]() })
	r.armAll()
	return self
}

// armAll lets every lane without a whole channel use the armed one when one lane has to: an announcement for "whatever
// comes next" would else claim the others' requests, too.
func (r *runner) armAll() {
	r.turns.end()
	armed := false
	for _, ch := range r.channel {
		armed = armed || ch.decides == ledger.Armed
	}
	for l, ch := range r.channel {
		if armed && !ch.decides.Whole() {
			ch.decides = ledger.Armed
			r.channel[l] = ch
		}
	}
}

// lanes gives the ways of asking that the rows need, in the order of the rows.
func (r *runner) lanes() (ls []lane) {
	for _, row := range r.c.Rows {
		if !slices.Contains(ls, row.lane()) {
			ls = append(ls, row.lane())
		}
	}
	return ls
}

func (r *runner) setTouched(l lane, v bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.touched[l] = v
}

func (r *runner) fetchDirect(ctx context.Context) {
	for _, row := range r.c.Rows {
		r.expected[row] = evidence.Of(row.Fixture.Expected(fixture.NoID, false), row.Dialect.Layout, fixture.NoID)
		if r.watching(row.Dialect) {
			r.expected[row] = Expect(r.expected[row], row.Dialect)
		}
	}
	if r.public() {
		r.fetchBoth(ctx)
		return
	}
	n := len(r.c.Rows)
	second := map[Row]evidence.Evidence{}
	r.together(ctx, 2*n, r.c.Concurrency, func(i int) {
		row := r.c.Rows[i%n]
		if i >= n && row.Fixture.ExpectFailure {
			return // what breaks off may break off elsewhere
		}
		p := r.direct(ctx, row.Fixture.Name, row.lane())
		r.sync()
		hits := r.c.Hits.Of(p.tag.Nonce)
		e := p.evidence(hits)
		r.witness(p, hits)
		r.noteUnsent(row, p)
		r.mu.Lock()
		defer r.mu.Unlock()
		if i >= n && p.answer.End == wire.EndLocal {
			return // else the first answer would seem to differ from it
		}
		if i >= n {
			second[row] = e
			return
		}
		r.directs[row], r.ids[row], r.directTime[row] = e, p.answer.Values("request-id"), p.answer.Elapsed()
	})
	for row, e := range second {
		if passedOn(e) || passedOn(r.directs[row]) { // once is enough: the other time the machine was slow
			e, r.directs[row] = asPassedOn(e), asPassedOn(r.directs[row])
		}
		if d := evidence.Diff(r.directs[row], e); len(d) > 0 && ctx.Err() == nil && r.unsent[row] == "" {
			r.dirty[row] = compare.KeysOf(d)
		}
	}
}

// together runs n jobs, at most width side by side. Jobs that have not begun when the run is interrupted do not begin.
func (r *runner) together(ctx context.Context, n, width int, job func(i int)) {
	var wg sync.WaitGroup
	places := make(chan struct{}, max(1, width))
	for i := range n {
		places <- struct{}{}
		if ctx.Err() != nil {
			break
		}
		wg.Add(1)
		go func() {
			defer func() {
				if p := recover(); p != nil {
					r.mu.Lock()
					r.crash = p
					r.mu.Unlock()
				}
				<-places
				wg.Done()
			}()
			job(i)
		}()
	}
	wg.Wait()
}

// rows asks every row whose lane has a canary, in stages with looks, then again, then alone.
func (r *runner) rows(ctx context.Context) {
	open := r.testable(r.open())
	if len(open) == 0 {
		return
	}
	defer r.stillOpen(ctx)
	for _, h := range fixture.Hazards() {
		var stage []Row
		for _, row := range open {
			if row.Fixture.Hazard == h {
				stage = append(stage, row)
			}
		}
		if len(stage) > 0 && ctx.Err() == nil {
			r.pass(ctx, passA, stage)
			for n := 1; n < r.c.Repeat && ctx.Err() == nil; n++ {
				r.pass(ctx, passRepeat, stage)
				r.fold(stage)
			}
			r.look(ctx, "after the rows of hazard "+string(h), stage)
		}
	}
	r.late(ctx)
	r.lastLook(ctx, open)
	again, alone := r.triage(open)
	if len(again) > 0 {
		r.pass(ctx, "B", again)
		r.late(ctx)
		alone = append(alone, r.disagreeing(again)...)
	}
	if len(alone) > 0 {
		r.alone(ctx, inOrder(open, alone))
		r.late(ctx)
	}
}

// open gives the rows whose lane has a canary.
func (r *runner) open() (rows []Row) {
	for _, row := range r.c.Rows {
		if r.notReady[row.lane()] == "" {
			rows = append(rows, row)
		}
	}
	return rows
}

func inOrder(all, some []Row) (out []Row) {
	for _, a := range all {
		for _, s := range some {
			if a == s {
				out = append(out, a)
				break
			}
		}
	}
	return out
}

// late waits for hits that a layer causes after it has answered.
func (r *runner) late(ctx context.Context) {
	if r.c.Idle != nil {
		r.settleDown(ctx)
		return
	}
	r.progress("late hits", 0, 0, "")
	r.sync()
	pause(ctx, r.hold())
}

// lateHits is the least time that is waited for hits which come after the answer.
const lateHits = 100 * time.Millisecond

// settleDown waits for late hits of a request whose channel can't carry its tag, before the next one is announced.
func (r *runner) settleDown(ctx context.Context) {
	if r.c.Idle != nil {
		for end := time.Now().Add(r.c.Settle); !r.c.Idle() && time.Now().Before(end) && ctx.Err() == nil; {
			pause(ctx, time.Millisecond)
		}
		return
	}
	r.mu.Lock()
	wait := max(lateHits, 2*r.canaryTime)
	r.mu.Unlock()
	pause(ctx, min(r.c.Settle, wait))
}

// longestGap is the longest time between two hits of one request so far.
func (r *runner) longestGap() (gap time.Duration) {
	for _, row := range r.c.Rows {
		for _, s := range r.seen[row] {
			hits := r.c.Hits.Of(s.probe.tag.Nonce)
			for i := 1; i < len(hits); i++ {
				gap = max(gap, hits[i].At.Sub(hits[i-1].At))
			}
		}
	}
	return gap
}

func (r *runner) progress(phase string, done, total int, row string) {
	if r.c.Progress == nil {
		return
	}
	r.mu.Lock()
	failed := len(r.failed)
	r.mu.Unlock()
	r.c.Progress(Progress{Phase: phase, Done: done, Total: total, Row: row, Failed: failed})
}

func hasPlaceholder(model string) bool { return strings.Contains(model, ledger.Placeholder) }

func modelName(model, name string) string { return strings.ReplaceAll(model, ledger.Placeholder, name) }
