package remote_test

import (
	"context"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/controls"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/remote"
	"github.com/preservecheck/preservecheck/stub"
	"github.com/preservecheck/preservecheck/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "a token of tests, not a secret"

// place is where a stub with many runs is, as serve has it.
type place struct {
	t      testing.TB
	hub    *ledger.Hub
	stub   *stub.Server
	url    string // of the stub
	api    string
	matrix *fixture.Matrix
}

// placed starts a stub and its API. wrap stands before the API; nil: nothing does.
func placed(t testing.TB, limits ledger.HubLimits, wrap func(http.Handler) http.Handler) *place {
	t.Helper()
	m, err := fixture.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, hub: ledger.NewHub(limits), matrix: m}
	if p.stub, err = stub.New(stub.Options{Matrix: m, Ledger: p.hub, Watch: true}); err != nil {
		t.Fatal(err)
	}
	counts := func() remote.Counts {
		s := p.stub.Stats()
		return remote.Counts{Overloaded: s.Overloaded, Dropped: s.Dropped, Panics: s.Panics}
	}
	api, err := remote.NewServer(remote.ServerOptions{Hub: p.hub, Token: token, Settings: remote.SettingsOf(m, ledger.Channels{}, true), Counts: counts})
	if err != nil {
		t.Fatal(err)
	}
	server := api.HTTP()
	if wrap != nil {
		server.Handler = wrap(api)
	}
	p.url = listen(t, func(l net.Listener) { _ = p.stub.Serve(l) }, func() { _ = p.stub.Close() })
	p.api = listen(t, func(l net.Listener) { _ = server.Serve(remote.Bounded(l, remote.DefaultConns)) }, func() { _ = server.Close() })
	return p
}

// listen serves on loopback until the test is over.
func listen(t testing.TB, serve func(net.Listener), end func()) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		serve(l)
	}()
	t.Cleanup(func() { end(); <-done })
	return "http://" + l.Addr().String()
}

func (p *place) options() remote.Options {
	return remote.Options{URL: p.api, Token: token, Settings: remote.SettingsOf(p.matrix, ledger.Channels{}, true), Patience: time.Second}
}

func (p *place) open() *remote.Client {
	p.t.Helper()
	c, err := remote.Open(context.Background(), p.options())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { _ = c.Close() })
	return c
}

func clientOf(t testing.TB, url string) wire.Client {
	t.Helper()
	base, err := wire.ParseBase(url)
	if err != nil {
		t.Fatal(err)
	}
	return wire.Client{Base: base, Limits: wire.Default}
}

type option func(*check.Config)

// config is a check of a layer, with its ledger at the place.
func (p *place) config(c *remote.Client, layer check.Way, opts ...option) check.Config {
	conf := check.Config{
		Run: c.Run(), Matrix: p.matrix, Hits: c, Trouble: c.Trouble, Rules: compare.Rules{Profile: compare.ProfileByName("core"), MaxLayerRetries: -1},
		Channel: "auto", Model: "m-{fixture}", Layer: layer, Direct: clientOf(p.t, p.url),
		Proof:       func(context.Context) record.Proof { return record.Proof{Pairs: 1, Exact: 1, Keys: 1, Deciding: 1} },
		Concurrency: 8, Timeout: 5 * time.Second, Deadline: time.Minute, ReadyTimeout: 10 * time.Second, Settle: 300 * time.Millisecond,
	}
	for _, f := range p.matrix.Rows {
		if f.Family == fixture.ArticleFamily {
			conf.Rows = append(conf.Rows, check.Row{Fixture: f, Mode: fixture.Plain, Dialect: dialects.Anthropic})
		}
	}
	for _, o := range opts {
		o(&conf)
	}
	return conf
}

// control checks the layer of a fault.
func (p *place) control(c *remote.Client, fault string, opts ...option) record.Document {
	p.t.Helper()
	layer, err := controls.Start(fault, p.url)
	if err != nil {
		p.t.Error(err)
		return record.Document{}
	}
	defer layer.Close()
	return check.Run(context.Background(), p.config(c, clientOf(p.t, layer.URL()), opts...))
}

func channel(name string) option { return func(c *check.Config) { c.Channel = name } }

func profile(name string) option {
	return func(c *check.Config) { c.Rules.Profile = compare.ProfileByName(name) }
}

func some(n int) option { return func(c *check.Config) { c.Rows = c.Rows[:n] } }

func verdicts(d record.Document) string {
	var s []string
	for _, r := range d.Rows {
		s = append(s, r.Row+"="+r.Verdict)
	}
	return strings.Join(s, " ")
}

// hits is what a record says of the ledger, without what differs from run to run.
func hits(d record.Document) string {
	var s []string
	for _, r := range d.Rows {
		for _, h := range r.Hits {
			s = append(s, r.Row+": "+h.Method+" "+h.Path+" "+strings.Join(h.Channels, "+"))
		}
	}
	return strings.Join(s, "\n")
}
