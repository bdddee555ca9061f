package attempts

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/preservecheck/preservecheck/classify"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
)

// The two ways.
const (
	Direct  = "direct"
	Through = "through"
)

// Hits is what a run needs of the ledger.
type Hits interface {
	Run() string
	Issue(ledger.Tag)
	Of(nonce string) []ledger.Hit
	Unexplained() []ledger.Hit
}

// Way leads to the stub, directly or through the layer.
type Way struct {
	Name    string // Direct or Through
	Route   string // of a target's file
	Dialect *dialects.Dialect
	Model   string // with {fixture} or without
}

// Driven is a client and how it is started for a way.
type Driven struct {
	Record  record.AttemptsClient
	Dialect *dialects.Dialect
	Start   func(Way) (Client, error)
}

// Config is one run.
type Config struct {
	Hits     Hits
	Ways     []Way
	Clients  []Driven
	Fixtures []*fixture.Fixture
	Modes    []fixture.Mode
	Retries  []int
	Side     int           // jobs side by side
	MaxWait  time.Duration // for one call
	Deadline time.Duration
	Settle   time.Duration // for hits that come late, at most
	Gone     func() string // why the layer can't be asked any more, "" while it can; nil: it is not ours
	Progress func(done, of int)
	Redact   func(string) string // nil: nothing is secret
}

// errDeadline is the cause with which a run is given up.
var errDeadline = errors.New("the deadline of the run passed")

// minSettle is the least that late hits are waited for: a layer may send one more behind the client's back.
const minSettle = 100 * time.Millisecond

// planned is a job with where its result goes.
type planned struct {
	job
	record *record.AttemptsJob
	direct *record.AttemptsJob // the same without the layer
	way    int
	driven int
	made   []made
}

// Run does all jobs and says what each cost. It fills in Clients, Jobs, Unexplained, Incomplete and the result.
func Run(ctx context.Context, c Config) record.Attempts {
	began := time.Now()
	d := record.Attempts{Format: record.AttemptsFormat, Started: began.UTC(), WorkerCalls: workerCalls, MaxWaitMS: milliseconds(c.MaxWait), Clients: []record.AttemptsClient{}}
	for _, cl := range c.Clients {
		d.Clients = append(d.Clients, cl.Record)
	}
	jobs := c.plan()
	run, cancel := context.WithTimeoutCause(ctx, c.Deadline, errDeadline)
	defer cancel()
	started := c.start(jobs)
	c.doAll(run, jobs)
	for _, cl := range started {
		_ = cl.Close()
	}
	c.settle(run, jobs)
	for _, p := range jobs {
		c.fill(p)
	}
	d.Jobs = []record.AttemptsJob{}
	for _, p := range jobs { // direct jobs come first, so what is compared with them is complete
		settle(p.record, p.direct)
		d.Jobs = append(d.Jobs, *p.record)
	}
	d.Unexplained = len(c.Hits.Unexplained())
	d.Incomplete = run.Err() != nil
	d.DurationMS = milliseconds(time.Since(began))
	return d
}

// plan lists the jobs, those without the layer first.
func (c *Config) plan() (jobs []*planned) {
	direct := map[string]*record.AttemptsJob{}
	for w, way := range c.Ways {
		for n, cl := range c.Clients {
			if way.Dialect != cl.Dialect {
				continue
			}
			for _, f := range c.Fixtures {
				for _, mode := range c.Modes {
					if f.Dialect != cl.Dialect.Name || !f.In(mode) {
						continue
					}
					for _, retries := range c.Retries {
						r := &record.AttemptsJob{Fixture: f.Name, Client: cl.Record.Name, MaxRetries: retries, Mode: string(mode), Way: way.Name, Route: way.Route, Expected: string(f.Class), Calls: []record.AttemptsCall{}}
						p := &planned{record: r, way: w, driven: n, job: job{
							dialect: cl.Dialect, fixture: f.Name, model: way.Model, retries: retries, stream: mode == fixture.Stream, tag: c.tag, maxWait: c.MaxWait,
						}}
						key := fmt.Sprint(f.Name, " ", n, " ", mode, " ", retries)
						if way.Name == Direct {
							direct[key] = r
						} else {
							p.direct = direct[key]
						}
						jobs = append(jobs, p)
					}
				}
			}
		}
	}
	return jobs
}

// tag makes the tag of one call, and tells the stub of it.
func (c *Config) tag(fixture string) ledger.Tag {
	t := ledger.Tag{Run: c.Hits.Run(), Fixture: fixture, Nonce: ledger.NewNonce()}
	c.Hits.Issue(t)
	return t
}

// start starts every client once for each way. One that can't be started fails its jobs, and no others.
func (c *Config) start(jobs []*planned) (started []Client) {
	type place struct{ way, driven int }
	clients, failed := map[place]Client{}, map[place]string{}
	for _, p := range jobs {
		at := place{p.way, p.driven}
		if clients[at] == nil && failed[at] == "" {
			cl, err := c.Clients[p.driven].Start(c.Ways[p.way])
			if err != nil {
				failed[at] = c.hide("the client was not started: " + err.Error())
			} else {
				clients[at] = cl
				started = append(started, cl)
			}
		}
		p.client, p.record.Failed = clients[at], failed[at]
	}
	return started
}

// doAll does the jobs, some side by side: each waits most of its time.
func (c *Config) doAll(ctx context.Context, jobs []*planned) {
	var all sync.WaitGroup
	var mu sync.Mutex
	done := 0
	turns := make(chan struct{}, c.Side)
	for _, p := range jobs {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			c.do(ctx, p)
			mu.Lock()
			defer mu.Unlock()
			if done++; c.Progress != nil {
				c.Progress(done, len(jobs))
			}
		})
	}
	all.Wait()
}

func (c *Config) do(ctx context.Context, p *planned) {
	if p.record.Failed != "" {
		return
	}
	if ctx.Err() != nil {
		p.record.Failed = "it was not begun: " + context.Cause(ctx).Error()
		return
	}
	if c.Gone != nil && p.record.Way == Through {
		if why := c.Gone(); why != "" {
			p.record.Failed = why
			return
		}
	}
	p.made = p.run(ctx)
}

// settle waits for hits that come late. Without a layer nobody sends any behind a client's back, so there is nothing to wait for
// where the client counts as many as there are.
func (c *Config) settle(ctx context.Context, jobs []*planned) {
	var wait time.Duration
	for _, p := range jobs {
		for _, m := range p.made {
			hits := c.Hits.Of(m.nonce)
			if p.record.Way == Direct {
				if m.reply.Requests == nil || *m.reply.Requests != len(hits) {
					wait = max(wait, minSettle)
				}
				continue
			}
			wait = max(wait, minSettle)
			for i := 1; i < len(hits); i++ {
				wait = max(wait, hits[i].At.Sub(hits[i-1].At)*3/2)
			}
		}
	}
	timer := time.NewTimer(min(wait, c.Settle))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// fill writes down what became of a job, before it is known whose requests were whose.
func (c *Config) fill(p *planned) {
	for _, m := range p.made {
		r := record.AttemptsCall{
			Class: string(m.class), Exception: c.hidden(m.reply.Exception), Status: m.reply.Status, Type: c.hidden(m.reply.Type), Code: c.hidden(m.reply.Code),
			RetryAfter: c.hidden(m.reply.RetryAfter), Requests: m.reply.Requests, WaitsMS: m.reply.WaitsMS, WorkerWait: milliseconds(m.wait),
		}
		hitsOf(&r, c.Hits.Of(m.nonce))
		p.record.Calls = append(p.record.Calls, r)
		if m.err != nil {
			p.record.Failed = c.hide(c.failed(m.err))
			continue
		}
		action := classify.ActionOf(m.class)
		p.record.Class, p.record.Outcome, p.record.Alert = string(m.class), action.Outcome, string(action.Alert)
	}
	p.record.TookMS = took(p.record.Calls, c.Clients[p.driven].Record.Skipped)
	if p.record.Failed != "" {
		p.record.TookMS = nil
		p.record.Class, p.record.Outcome, p.record.Alert = "", "", ""
	}
}

// failed words why nothing is known of a call.
func (c *Config) failed(err error) string {
	if errors.Is(err, errLate) {
		return fmt.Sprintf("a call had no result within %s (--max-wait)", c.MaxWait)
	}
	return "the client failed: " + err.Error()
}

func (c *Config) hide(s string) string {
	if c.Redact == nil {
		return s
	}
	return c.Redact(s)
}

// hidden is a text of a client's, short and without secrets.
func (c *Config) hidden(s *string) *string {
	if s == nil {
		return nil
	}
	out := short(c.hide(*s))
	return &out
}
