package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/preservecheck/preservecheck/attempts"
	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/controls"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// jobsAtOnce is how many jobs are done side by side. Most of them wait, each for a second or more; the stub serves 256
// connections, and clients keep some that they no longer use.
const jobsAtOnce = 100

// lead is how a client reaches the stub on one way.
type lead struct {
	way    attempts.Way
	wire   wire.Client
	header []wire.Field
}

// runAttempts starts the stub and the layer, does all jobs, and ends both.
func (a *app) runAttempts(ctx context.Context, p *attemptsPlan) (d record.Attempts, err error) {
	book := ledger.New(ledger.NewRun())
	at := listening{book: book, matrix: p.matrix, channels: p.channels, address: p.listen, from: p.listenFrom}
	if p.control == "" {
		at.saw = a.learn(p.plan).saw
	}
	s, err := a.openStub(ctx, at, p.open)
	if err != nil {
		return d, err
	}
	defer s.close()
	if err := p.placed(&source{here: s}); err != nil {
		return d, err
	}
	var gone func() string
	var embedded *controls.Layer
	if p.control != "" && !p.noLayer {
		if embedded, err = controls.Start(p.control, s.url()); err != nil {
			return d, err
		}
		defer func() { _ = embedded.Close() }()
	} else if !p.noLayer && (p.launch == nil || p.launch.recipe == nil) {
		if err := a.announce(p.plan, &source{here: s, upstream: s.upstream()}); err != nil {
			return d, err
		}
	}
	layer, err := a.launched(ctx, p.plan, s)
	if err != nil {
		return d, err
	}
	if layer != nil {
		gone = layer.gone
		defer func() { a.finish(layer, &record.Document{NotReady: d.NotReady, Incomplete: d.Incomplete}) }()
	}
	leads, err := p.leads(s, embedded)
	if err != nil {
		return d, err
	}
	d = a.measure(ctx, p, book, leads, gone)
	if why := s.troubleOf(book); why != "" {
		d.Notes = append(d.Notes, why)
	}
	p.describe(&d, s, layer)
	return d, nil
}

// leads are the ways: directly in each dialect, and through the layer on each route, or on its one way in each dialect.
func (p *attemptsPlan) leads(s *station, embedded *controls.Layer) (out []lead, err error) {
	for _, d := range p.dialects {
		near := s.near()
		near.Base = s.open.below(near.Base)
		if d.Path[:4] != "/v1/" {
			near.Base.Path += "/v1" // as users of those SDKs give it; the stub takes any path
		}
		out = append(out, lead{attempts.Way{Name: attempts.Direct, Dialect: d, Model: defaultModel}, near, nil})
	}
	switch {
	case p.noLayer:
	case p.target != nil:
		for _, r := range p.routes {
			out = append(out, lead{attempts.Way{Name: attempts.Through, Route: r.name, Dialect: r.dialect, Model: r.model}, wire.Client{Base: r.base, TLS: p.tls}, r.header})
		}
	default:
		c := wire.Client{Base: p.layer, TLS: p.tls}
		if embedded != nil {
			if c.Base, err = wire.ParseBase(embedded.URL()); err != nil {
				return nil, err
			}
		}
		for _, d := range p.dialects {
			out = append(out, lead{attempts.Way{Name: attempts.Through, Dialect: d, Model: p.plan.flags.model}, c, p.header})
		}
	}
	return out, nil
}

// measure waits for the layer and does the jobs.
func (a *app) measure(ctx context.Context, p *attemptsPlan, book *ledger.Ledger, leads []lead, gone func() string) record.Attempts {
	f := p.plan.flags
	bar := newProgress(a, p.plan)
	defer bar.clear()
	c := attempts.Config{
		Hits: book, Fixtures: p.fixtures, Modes: p.modes, Retries: p.retries, Side: jobsAtOnce, MaxWait: p.flags.maxWait, Deadline: f.deadline,
		Settle: f.settle, Gone: gone, Redact: p.redact,
		Progress: func(done, of int) { bar.show(check.Progress{Phase: "jobs", Done: done, Total: of}) },
	}
	for _, l := range leads {
		c.Ways = append(c.Ways, l.way)
	}
	for _, d := range p.drivers {
		c.Clients = append(c.Clients, attempts.Driven{Record: d.record, Dialect: d.dialect, Start: func(w attempts.Way) (attempts.Client, error) {
			return d.start(leads[slices.Index(c.Ways, w)])
		}})
	}
	for _, l := range leads {
		if l.way.Name == attempts.Direct {
			continue
		}
		canary := p.matrix.Canary(l.way.Dialect.Name, fixture.Plain)
		s := &attempts.Sdkless{Wire: l.wire, Dialect: l.way.Dialect, Header: l.header}
		if why := c.Ready(ctx, s, l.way, canary, f.readyTimeout); why != "" {
			if l.way.Route != "" {
				why = fmt.Sprintf("route %s: %s", l.way.Route, why)
			}
			return record.Attempts{Format: record.AttemptsFormat, NotReady: p.hide(why), Clients: []record.AttemptsClient{}, Jobs: []record.AttemptsJob{}}
		}
	}
	return attempts.Run(ctx, c)
}

// start starts a client for a way.
func (d driven) start(l lead) (attempts.Client, error) {
	if d.driver == nil {
		return &attempts.Sdkless{Wire: l.wire, Dialect: d.dialect, Header: l.header}, nil
	}
	driver := *d.driver
	driver.Env = leading(driver.Env, l.wire.Base, l.header)
	return driver.Start()
}

// describe says what was measured.
func (p *attemptsPlan) describe(d *record.Attempts, s *station, layer *running) {
	d.Tool = record.Tool{Name: "preservecheck", Version: toolVersion()}
	d.RealDelays, d.Recipe = p.flags.realDelays, p.launch.full()
	if p.noLayer {
		return
	}
	t := p.document().Target
	upstream := s.upstream()
	t.StubURL = upstream.String()
	if layer != nil && t.Version == "" {
		t.Version = layer.version
	}
	d.Target = &t
}
