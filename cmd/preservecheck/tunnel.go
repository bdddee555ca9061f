package main

import (
	"context"
	"crypto/tls"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/preservecheck/preservecheck/gateway"
	"github.com/preservecheck/preservecheck/public"
	"github.com/preservecheck/preservecheck/wire"
)

// tunnelled starts the tunnel's command and waits until one of the URLs that it prints leads to the stub. It gets the user's environment,
// where such programs find their credentials, but for what is ours.
func (a *app) tunnelled(ctx context.Context, s *station) error {
	o := s.open
	root, err := os.MkdirTemp("", "preservecheck-")
	if err != nil {
		return usage("make room, or set TMPDIR", "no folder for the tunnel's log: %s", cause(err))
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	log := filepath.Join(root, "log")
	a.note("tunnel: started %s; waiting for its URL, %.0f s at most", filepath.Base(o.words[0]), public.DefaultWithin.Seconds())
	t, err := public.StartTunnel(ctx, public.TunnelOptions{
		Gateway: gateway.Options{
			Supervisor: []string{self, superviseCommand}, Command: o.words, Env: a.env.others(), Dir: dir, Log: log, LogLimit: logLimit, Grace: stopGrace, Scrap: root,
		},
		Addr: s.addr.String(), URL: o.flags.tunnelURL, Prove: func(ctx context.Context, b wire.Base) error { return s.prove(ctx, b, o.trust) },
	})
	if ctx.Err() != nil {
		_ = os.RemoveAll(root)
		return a.interrupted()
	}
	if err != nil {
		for _, line := range gateway.Tail(log, tailLines) {
			a.note("  | %s", line)
		}
		_ = os.RemoveAll(root)
		return usage("look at its output above; --tunnel-url URL names the address if the command does not print it", "%s: %s", o.from, err)
	}
	base := t.Base()
	s.public, s.gone = &base, t.Gone
	s.ends = append(s.ends, func() {
		if err := t.Close(); err != nil {
			a.note("warning: the tunnel: %s", err)
		}
		_ = os.RemoveAll(root)
	})
	a.note("tunnel: %s leads to the stub", base.String())
	return nil
}

var errElsewhere = errors.New("it does not lead to the stub")

// prove finds out whether a URL leads to the stub, without telling it the secret.
func (s *station) prove(ctx context.Context, b wire.Base, trust *tls.Config) error {
	word, came, over := s.server.Knock()
	defer over()
	got := wire.Client{Base: b, TLS: trust}.Do(ctx, wire.Request{Method: "GET", Target: b.Path + "/" + word})
	switch {
	case came():
		return nil
	case got.Status == 0:
		return errors.New(got.Err)
	}
	return errElsewhere
}

// others is the environment without what is ours.
func (e environ) others() (out []string) {
	for name, value := range e {
		if !strings.HasPrefix(name, envPrefix) {
			out = append(out, name+"="+value)
		}
	}
	slices.Sort(out)
	return out
}
