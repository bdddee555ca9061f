package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/remote"
	"github.com/preservecheck/preservecheck/wire"
)

// source is the stub of one run: one of its own, or one elsewhere that others use as well.
type source struct {
	here         *station // nil: it is elsewhere
	run          string
	hits         check.Hits
	direct, near check.Way
	upstream     wire.Base // of the layer, without the secret
	trouble      func() string
	strangers    func() int64                 // requests without the secret
	arrivals     func(last bool) []ledger.Hit // nil: they can't be shown
	gone         func() string                // why the way to the stub is no more; nil or "": it may be open
	close        func()
}

// publicURL is where others reach the stub as it may be shown, where that is a way of its own.
func (s *source) publicURL() string {
	if s.near == nil && s.here != nil {
		return ""
	}
	return s.upstream.String()
}

// source starts the stub of a run, or opens the run at one elsewhere.
func (a *app) source(ctx context.Context, p *plan) (*source, error) {
	if p.remote != nil {
		return p.remote.open(ctx, p)
	}
	book := ledger.New(ledger.NewRun())
	seen := newArrivals(book)
	at := listening{book: book, matrix: p.matrix, channels: p.channels, watch: p.rules.Profile.Watches(), address: p.listen, from: p.listenFrom}
	if p.open.way != wayLocal {
		at.book = seen
	}
	if p.open.guarded {
		book.Share() // who knows the secret, and nothing of the run, must not be able to turn a row red
	}
	if p.control == "" {
		at.saw = a.learn(p).saw
	}
	s, err := a.openStub(ctx, at, p.open)
	if err != nil {
		return nil, err
	}
	out := &source{
		here: s, run: book.Run(), hits: book, upstream: s.upstream(), close: s.close, gone: s.gone, arrivals: seen.take,
		trouble: func() string { return s.troubleOf(book) }, strangers: func() int64 { return s.server.Stats().Strangers },
	}
	out.direct, out.near = s.ways(p.tls)
	return out, nil
}

// elsewhere is a stub that another machine serves.
type elsewhere struct {
	stub  wire.Base // without the secret
	admin string    // URL of its ledger
	from  string
}

// wayRemote is the way to a stub that another machine serves.
const wayRemote = "remote"

// defaultAdmin is where serve has its ledger, beside the stub.
const defaultAdmin = "127.0.0.1:8788"

const remoteHint = "docs/hosted.md says how the two places are set up"

// notRemote are the flags of a stub of this run.
var notRemote = []string{
	"stub-listen", "listen-any", "stub-url", "tls-cert", "tls-key", "acme", "acme-email", "acme-directory", "acme-ca", "acme-cache", "acme-force", "acme-listen",
	"tunnel", "tunnel-url", "recipe", "start", "url-file",
}

// readRemote reads --remote-stub and --remote-admin.
func (p *plan) readRemote(_ *app, cmd *cobra.Command) error {
	f, from := p.flags, origin(cmd, "remote-stub")
	if !cmd.Flags().Changed("remote-stub") {
		if cmd.Flags().Changed("remote-admin") {
			return usage("give --remote-stub as well", "%s belongs to --remote-stub", origin(cmd, "remote-admin"))
		}
		return nil
	}
	for _, other := range notRemote {
		if cmd.Flags().Changed(other) {
			return usage("leave one of them out", "%s is a stub elsewhere, and %s is for one of this run", from, origin(cmd, other))
		}
	}
	if p.control != "" {
		return usage("leave one of them out", "%s: an embedded layer asks a stub on this machine", from)
	}
	b, err := parseBase(f.remoteStub, from, &p.secrets)
	if err != nil {
		return err
	}
	if b.User != "" {
		return usage("leave them out", "%s: the stub asks for no credentials", from)
	}
	if b.Scheme != "https" && guards(b.Host) {
		return usage("write https://, or bring the stub here by ssh -L", "%s: the secret would go over the network in the clear", from)
	}
	host, _, _ := net.SplitHostPort(b.Host)
	p.remote = &elsewhere{stub: b, from: from, admin: strings.TrimSpace(f.remoteAdmin)}
	if p.remote.admin == "" {
		_, port, _ := net.SplitHostPort(defaultAdmin)
		p.remote.admin = b.Scheme + "://" + net.JoinHostPort(host, port)
	}
	return nil
}

// open opens the run.
func (e *elsewhere) open(ctx context.Context, p *plan) (*source, error) {
	c, err := remote.Open(ctx, remote.Options{
		URL: e.admin, Token: p.open.secret.Token(), TLS: p.tls, Settings: remote.SettingsOf(p.matrix, p.channels, p.rules.Profile.Watches()),
	})
	var refused *remote.Refusal
	switch {
	case errors.As(err, &refused):
		return nil, usage(remoteHint, "%s: %s", e.from, refused)
	case err != nil:
		return nil, usage(e.unreached(err)+"; "+remoteHint, "%s: %s", e.from, err)
	}
	told := &tidings{client: c, told: map[string]bool{}}
	return &source{
		run: c.Run(), hits: c, upstream: e.stub, trouble: c.Trouble, strangers: c.Strangers, arrivals: told.take, close: func() { _ = c.Close() },
		direct: below{wire.Client{Base: p.open.below(e.stub), TLS: p.tls}},
	}, nil
}

// unreached says what to do where the ledger can't be asked. By default it listens on the stub's machine alone, which is what most people
// meet first.
func (e *elsewhere) unreached(err error) string {
	host, _, _ := net.SplitHostPort(e.stub.Host)
	_, port, _ := net.SplitHostPort(defaultAdmin)
	bring := fmt.Sprintf("bring it here by ssh -N -L %[1]s:%[2]s %[3]s and give --remote-admin http://%[2]s", port, defaultAdmin, host)
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &cert):
		return "give --layer-ca FILE with the root of who signed its certificate, where that is a private one"
	case errors.Is(err, remote.ErrAddress):
		return "ask it by https, or " + bring
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nobody listens there: where serve has its ledger on its own machine, as it does by default, " + bring
	}
	return "look whether serve runs there, and whether --remote-admin leads to its ledger"
}

// tidings are the arrivals at a stub elsewhere that were not told yet.
type tidings struct {
	client *remote.Client
	asked  time.Time
	told   map[string]bool // by id
}

// askAgain is how often a stub elsewhere is asked for news that a person waits for.
const askAgain = time.Second

// take returns what was answered since the last time, and at the end also what was not.
func (t *tidings) take(last bool) (hits []ledger.Hit) {
	if !last && time.Since(t.asked) < askAgain {
		return nil
	}
	t.asked = time.Now()
	_ = t.client.Sync() // what goes wrong is kept for the run
	for _, h := range t.client.Known() {
		if !t.told[h.ID] && (last || !h.Served.AnswerAt.IsZero()) {
			t.told[h.ID] = true
			hits = append(hits, h)
		}
	}
	return hits
}
