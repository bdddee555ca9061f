package main

import (
	"context"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/controls"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/wire"
)

// runPlan does one check, from the stub's start to its end.
func (a *app) runPlan(ctx context.Context, p *plan) (d record.Document, err error) {
	s, err := a.source(ctx, p)
	if err != nil {
		return record.Document{}, err
	}
	defer s.close()
	if err := p.placed(s); err != nil {
		return record.Document{}, err
	}
	c := p.config(s)
	if p.control != "" {
		layer, err := controls.Start(p.control, s.here.url())
		if err != nil {
			return record.Document{}, err
		}
		defer func() { _ = layer.Close() }()
		if err := p.embed(&c, layer); err != nil {
			return record.Document{}, err
		}
	} else if p.launch == nil || p.launch.recipe == nil {
		if err := a.announce(p, s); err != nil {
			return record.Document{}, err
		}
	}
	layer, err := a.launched(ctx, p, s.here)
	if err != nil {
		return record.Document{}, err
	}
	if layer != nil {
		defer func() { a.finish(layer, &d) }()
		c.Gone = layer.gone
		if c.Document.Target.Version == "" {
			c.Document.Target.Version = layer.version
		}
	}
	c.Layer = p.watch.over(c.Layer)
	return a.judge(ctx, p, s, c, layer)
}

// placed refuses a layer that is the stub itself.
func (p *plan) placed(s *source) error {
	if s.here == nil {
		return nil
	}
	if own := p.ownSocket(s.here); own != "" {
		return usage("give the address of the layer, whose upstream is then the stub", "nothing was tested: %s is the stub itself", own)
	}
	return p.routesTo(s.here.addr.String())
}

// judge runs the check and adds to its record what only the program knows.
func (a *app) judge(ctx context.Context, p *plan, s *source, c check.Config, layer *running) (d record.Document, err error) {
	bar := newProgress(a, p)
	defer bar.clear()
	settled, err := a.await(ctx, p, s, &c, bar)
	if err != nil {
		return d, err
	}
	defer settled()
	c.Progress = func(at check.Progress) {
		if !waits(at.Phase) {
			settled()
		}
		bar.show(at)
	}
	c.Decided = p.decided()
	deadline := time.Now().Add(c.Deadline)
	d = check.Run(ctx, c)
	if p.classifier != nil {
		p.classifier.add(ctx, deadline, &d, p.hide)
	}
	if layer != nil && layer.recipe != nil {
		d.Advice = layer.recipe.Advise(layer.variant.Name, d.Rows, d.Findings)
	}
	p.noteSecret(&d, s)
	p.judgeNews(&d)
	if p.clients != nil {
		p.clients.add(&d, p.rules, p.hide)
	}
	if d.Result.Next == "" {
		d.Result.Next = p.hide(p.next(&d))
	}
	return d, nil
}

// decided hands each row's answers to those that look at them once all are settled, nil for nobody.
func (p *plan) decided() func(check.Decided) {
	var all []func(check.Decided)
	if p.classifier != nil {
		all = append(all, p.classifier.note)
	}
	if p.clients != nil {
		all = append(all, p.clients.note)
	}
	if len(all) == 0 {
		return nil
	}
	return func(d check.Decided) {
		for _, note := range all {
			note(d)
		}
	}
}

// config puts a run together.
func (p *plan) config(s *source) check.Config {
	f := p.flags
	d := p.document()
	d.Target.StubURL = s.upstream.String()
	return check.Config{
		Routes: p.checkRoutes(), Hops: p.target != nil && p.target.Hops,
		Run: s.run, Matrix: p.matrix, Rows: p.chosen.rows,
		Layer: p.client(p.layer), Base: p.layer.Path,
		Direct: s.direct, Near: s.near, Public: s.publicURL(), WayGone: s.gone, Hits: s.hits, Strangers: s.strangers, Rules: p.rules, Channel: p.channel, Channels: p.channels, Model: f.model,
		Header: p.header, MaxLayerWait: f.maxLayerWait, Repeat: f.repeat, Trouble: s.trouble, Proof: p.proof,
		Concurrency: f.concurrency, Rate: f.rate, Timeout: f.timeout, Deadline: f.deadline,
		ReadyTimeout: f.readyTimeout, Settle: f.settle, Document: d, Redact: p.redact,
	}
}

// hide removes secrets from a text.
func (p *plan) hide(text string) string {
	if p.redact == nil {
		return text
	}
	return p.redact(text)
}

// embed puts an embedded layer where the user's would be.
func (p *plan) embed(c *check.Config, layer *controls.Layer) error {
	base, err := wire.ParseBase(layer.URL())
	if err != nil {
		return err
	}
	c.Layer, c.Idle, c.Document.Target.URL = wire.Client{Base: base, Abrupt: true}, layer.Idle, layer.URL()
	return nil
}

// proof proves the controls under the rules of this run, on the built-in rows in any case.
func (p *plan) proof(ctx context.Context) record.Proof {
	builtin, err := fixture.Builtin()
	if err != nil {
		return record.Proof{Missed: []string{err.Error()}}
	}
	return controls.Prove(ctx, controls.Input{Matrix: builtin, Rules: p.rules, Modes: p.modes, Rows: p.chosen.rows, Faults: faults()})
}

// announce says on stderr what the user has to know before the first row.
func (a *app) announce(p *plan, s *source) error {
	if err := a.tell(p.open, s.upstream, paths(p.dialects)); err != nil {
		return err
	}
	a.warnOfStrangers(s.here)
	a.nameless(p.open, p.listen)
	if !p.local() || len(p.hazards) != 1 || p.hazards[0] != fixture.HazardNone {
		a.note("note: the layer will see errors like a provider's; if it shares a circuit breaker or key state with live traffic, that may be hit (--hazard none avoids it)")
	}
	return nil
}

// incomplete is the record that stands in every output until there is a result.
func (p *plan) incomplete() record.Document {
	d := p.document()
	d.Incomplete = true
	compare.Settle(&d)
	return d
}

// below sends requests below the path of a client's base URL.
type below struct{ client wire.Client }

func (b below) Do(ctx context.Context, r wire.Request) *wire.Answer {
	r.Target = b.client.Base.Path + r.Target
	return b.client.Do(ctx, r)
}
