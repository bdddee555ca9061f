package check

import (
	"context"
	"sync"
	"time"

	"github.com/preservecheck/preservecheck/evidence"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/wire"
)

// prompt is the only user text of every request; a channel may add to it.
const prompt = "preservecheck: synthetic request, answered by a stub."

// keepOfHuge is how much of a long body is kept once it was read: enough to show how it begins.
const keepOfHuge = 64 << 10

// heavy is the size from which bodies are read one at a time, since reading costs several times their size.
const heavy = 256 << 10

// probe is one client request and its answer.
type probe struct {
	tag     ledger.Tag
	lane    lane
	answer  *wire.Answer
	number  int           // of the requests through the layer, from 1 in the order of sending
	sent    []string      // marks of what is watched, as it was sent; nil: nothing is
	paused  time.Duration // that the stub makes inside the answer; 0: none that tells anything
	unsure  bool          // whether that pause was passed on: another machine's clock does not tell
	crowded bool          // another request of ours was under way through the layer at the same time
}

// traffic knows which probes are under way through the layer, and spaces them by the rate.
type traffic struct {
	mu     sync.Mutex
	active map[*probe]bool
	next   time.Time
	sent   int
}

// enter returns the number of the request.
func (t *traffic) enter(p *probe) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	for q := range t.active {
		q.crowded, p.crowded = true, true
	}
	t.active[p] = true
	t.sent++
	return t.sent
}

func (t *traffic) leave(p *probe) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.active, p)
}

// slot returns how long to wait so that no more than rate requests leave a second.
func (t *traffic) slot(rate float64) time.Duration {
	if rate <= 0 {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if t.next.Before(now) {
		t.next = now
	}
	wait := t.next.Sub(now)
	t.next = t.next.Add(time.Duration(float64(time.Second) / rate))
	return wait
}

// through asks for a fixture through the layer, by the channels given.
func (r *runner) through(ctx context.Context, name string, l lane, ch channels) *probe {
	return r.throughModel(ctx, name, modelName(r.routes[l.route].Model, name), l, ch)
}

// throughModel asks for a fixture under a model name of another row, where the model is not what carries the fixture.
func (r *runner) throughModel(ctx context.Context, name, model string, l lane, ch channels) *probe {
	p := r.newProbe(name, l)
	pause(ctx, r.traffic.slot(r.c.Rate))
	r.c.Hits.Issue(p.tag)
	unlock, err := r.turns.take(ch.decides, p.tag, r.c.Hits, func() { r.settleDown(ctx) })
	defer unlock()
	if err != nil { // sent all the same, it could be taken for another's
		now := time.Now()
		p.answer = &wire.Answer{End: wire.EndLocal, Err: err.Error(), SentAt: now, DoneAt: now}
		return p
	}
	p.number = r.traffic.enter(p)
	defer r.traffic.leave(p)
	route := r.routes[l.route]
	a := wire.Ask{Model: model, Prompt: prompt, Stream: l.mode == fixture.Stream, Header: route.Header}
	r.c.Channels.Mark(&a, p.tag, ch.send)
	p.answer = r.do(ctx, route.Layer, r.probed(p, l.dialect.Request(route.Base, a)), r.deadlineOf(name))
	return p
}

func (r *runner) newProbe(name string, l lane) *probe {
	return &probe{tag: ledger.Tag{Run: r.c.Run, Fixture: name, Nonce: r.c.Hits.Nonce(name)}, lane: l, paused: r.pauseIn(name)}
}

// direct asks the stub for a fixture without the layer.
func (r *runner) direct(ctx context.Context, name string, l lane) *probe {
	p := r.directly(ctx, r.c.Direct, name, l)
	r.helper(p.tag)
	return p
}

// directly asks over one of the ways to the stub.
func (r *runner) directly(ctx context.Context, w Way, name string, l lane) *probe {
	p := r.newProbe(name, l)
	r.c.Hits.Issue(p.tag)
	if r.c.OwnTag != nil {
		r.c.OwnTag(p.tag.Nonce)
	}
	a := wire.Ask{Model: modelName("preservecheck", name), Prompt: prompt, Stream: l.mode == fixture.Stream}
	r.c.Channels.Mark(&a, p.tag, []ledger.Channel{ledger.Marker})
	p.answer = r.do(ctx, w, r.probed(p, l.dialect.Request("", a)), r.c.Timeout)
	return p
}

// helper notes a request that is no row.
func (r *runner) helper(t ledger.Tag) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.helpers = append(r.helpers, t)
}

func (r *runner) deadlineOf(name string) time.Duration {
	if f := r.c.Matrix.Get(name); f != nil && f.Deadline > 0 {
		return f.Deadline
	}
	return r.c.Timeout
}

func (r *runner) do(ctx context.Context, w Way, q wire.Request, timeout time.Duration) *wire.Answer {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	a := w.Do(ctx, q)
	if r.ctx.Err() != nil && !a.End.Orderly() {
		a.End, a.Err = wire.EndCanceled, "the run was interrupted" // its own deadline must not look like the layer's fault
	}
	if a.End == wire.EndTooLarge && len(a.Body) > keepOfHuge {
		a.Body = append([]byte(nil), a.Body[:keepOfHuge]...)
	}
	return a
}

// evidence reads the answer; the ids of the probe's own hits are masked.
func (p *probe) evidence(hits []ledger.Hit) evidence.Evidence {
	p.answer.Pace = p.pace(hits)
	ids := make([]string, 0, len(hits))
	for _, h := range hits {
		ids = append(ids, h.ID)
	}
	e := evidence.Of(p.answer, p.lane.dialect.Layout, fixture.NoID, ids...)
	return AppendRequest(e, p.lane.dialect, p.sent, marksOf(hits)...)
}

// turns keeps requests apart where the channel can't tell them apart: one at a time per row when it carries only the
// row, one at all when it carries nothing. An announced tag stays until the next one, so that late hits still find it.
type turns struct {
	mu   sync.Mutex
	rows map[string]*turn
}

type turn struct {
	mu   sync.Mutex
	done func()
}

func (t *turns) take(decides ledger.Channel, tag ledger.Tag, hits Hits, settle func()) (unlock func(), err error) {
	if decides == "" || decides.Whole() {
		return func() {}, nil
	}
	name := tag.Fixture
	if decides == ledger.Armed {
		name = ""
	}
	t.mu.Lock()
	x := t.rows[name]
	if x == nil {
		x = &turn{}
		t.rows[name] = x
	}
	t.mu.Unlock()
	x.mu.Lock()
	if x.done != nil {
		settle() // else a late hit of the request before would be booked to this one
		x.done()
	}
	x.done, err = hits.Announce(decides, tag)
	return x.mu.Unlock, err
}

func (t *turns) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, x := range t.rows {
		x.mu.Lock()
		if x.done != nil {
			x.done()
			x.done = nil
		}
		x.mu.Unlock()
	}
}

// pause waits, or less when the run is interrupted.
func pause(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
