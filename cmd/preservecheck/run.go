package main

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/controls"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/stub"
	"github.com/preservecheck/preservecheck/wire"
)

// station is a stub that listens, with its ledger.
type station struct {
	ledger *ledger.Ledger
	server *stub.Server
	addr   net.Addr
}

// trouble says what kept the stub from seeing or serving requests, "" when nothing did.
func (s *station) trouble() string {
	st := s.server.Stats()
	switch {
	case st.Overloaded+st.Dropped > 0:
		return fmt.Sprintf("the stub turned away %d requests, because too many connections were open", st.Overloaded+st.Dropped)
	case st.Panics > 0:
		return fmt.Sprintf("the stub met a bug of its own %d times", st.Panics)
	case s.ledger.Overflowed() > 0:
		return fmt.Sprintf("%d requests at the stub could not be recorded, because there were too many", s.ledger.Overflowed())
	}
	return ""
}

// listen starts a stub. A port that is taken is an error that names the flag.
func (a *app) listen(m *fixture.Matrix, ch ledger.Channels, watch bool, address, from string) (*station, error) {
	led := ledger.New(ledger.NewRun())
	server, err := stub.New(stub.Options{Matrix: m, Ledger: led, Channels: ch, Watch: watch})
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, usage(fmt.Sprintf("choose another address with --stub-listen or %s, or end what listens there", variable("stub-listen")),
			"%s: the stub can't listen on %s: %s", from, address, cause(err))
	}
	go func() { _ = server.Serve(l) }()
	return &station{ledger: led, server: server, addr: l.Addr()}, nil
}

// host is where the stub is reached on this machine. One that listens everywhere is asked by loopback.
func (s *station) host() string {
	at, err := netip.ParseAddrPort(s.addr.String())
	if err != nil || !at.Addr().IsUnspecified() {
		return s.addr.String()
	}
	return net.JoinHostPort("127.0.0.1", portOf(at))
}

// url is the stub's base URL on this machine.
func (s *station) url() string { return "http://" + s.host() }

// runPlan does one check, from the stub's start to its end.
func (a *app) runPlan(ctx context.Context, p *plan) (d record.Document, err error) {
	s, err := a.listen(p.matrix, p.channels, p.rules.Profile.Watches(), p.listen, p.listenFrom)
	if err != nil {
		return record.Document{}, err
	}
	defer func() { _ = s.server.Close() }()
	if own := p.ownSocket(s); own != "" {
		return record.Document{}, usage("give the address of the layer, whose upstream is then the stub",
			"nothing was tested: %s is the stub itself", own)
	}
	if err := p.routesTo(s.addr.String()); err != nil {
		return record.Document{}, err
	}
	c := p.config(s)
	if p.control != "" {
		layer, err := controls.Start(p.control, s.url())
		if err != nil {
			return record.Document{}, err
		}
		defer func() { _ = layer.Close() }()
		if err := p.embed(&c, layer); err != nil {
			return record.Document{}, err
		}
	} else if p.launch == nil || p.launch.recipe == nil {
		a.announce(p, c.Document.Target.StubURL)
	}
	layer, err := a.launched(ctx, p, s)
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
	bar := newProgress(a, p)
	defer bar.clear()
	c.Progress = bar.show
	if p.classifier != nil {
		c.Decided = p.classifier.note
	}
	deadline := time.Now().Add(c.Deadline)
	d = check.Run(ctx, c)
	if p.classifier != nil {
		p.classifier.add(ctx, deadline, &d, p.hide)
	}
	if layer != nil && layer.recipe != nil {
		d.Advice = layer.recipe.Advise(layer.variant.Name, d.Rows, d.Findings)
	}
	p.judgeNews(&d)
	if d.Result.Next == "" {
		d.Result.Next = p.hide(p.next(&d))
	}
	return d, nil
}

// config puts a run together.
func (p *plan) config(s *station) check.Config {
	f := p.flags
	d := p.document()
	d.Target.StubURL = s.url()
	direct := wire.Client{Base: wire.Base{Scheme: "http", Host: s.host(), Authority: s.host()}, Abrupt: true}
	if p.stubURL != nil {
		d.Target.StubURL = p.stubURL.String()
	}
	var near check.Way
	public := ""
	if p.stubURL != nil && p.stubURL.Scheme == "https" {
		near, public = below{direct}, p.stubURL.String()
		direct = wire.Client{Base: *p.stubURL, TLS: p.tls}
	}
	return check.Config{
		Near: near, Public: public,
		Routes: p.checkRoutes(), Hops: p.target != nil && p.target.Hops,
		Run: s.ledger.Run(), Matrix: p.matrix, Rows: p.chosen.rows,
		Layer: p.client(p.layer), Base: p.layer.Path,
		Direct: below{direct}, Hits: s.ledger, Rules: p.rules, Channel: p.channel, Channels: p.channels, Model: f.model,
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
func (a *app) announce(p *plan, url string) {
	a.note("stub: use this as the layer's upstream base URL: %s (it answers POST %s, below any path)", url, paths(p.dialects))
	if p.flags.listenAny && p.stubURL == nil {
		a.note("note: the stub listens on %s; a layer elsewhere has to reach it under another name, which --stub-url tells", p.listen)
	}
	if !p.local() || len(p.hazards) != 1 || p.hazards[0] != fixture.HazardNone {
		a.note("note: the layer will see errors like a provider's; if it shares a circuit breaker or key state with live traffic, that may be hit (--hazard none avoids it)")
	}
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
