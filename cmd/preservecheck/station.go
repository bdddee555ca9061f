package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/public"
	"github.com/preservecheck/preservecheck/stub"
	"github.com/preservecheck/preservecheck/wire"
)

// station is a stub that listens here, and the ways to it.
type station struct {
	server *stub.Server
	addr   net.Addr
	open   *opening
	cert   *public.Certificate // it speaks TLS itself; nil: it speaks plain HTTP
	public *wire.Base          // where others reach it, without the secret; nil: under its address
	gone   func() string       // why the way to it is no more; nil: nobody would tell
	worst  time.Duration       // that strangers can keep a request waiting; 0: nobody but this machine comes to it
	ends   []func()            // what else ends with it
}

// listening is what a stub serves, and where.
type listening struct {
	book          stub.Book
	matrix        *fixture.Matrix
	channels      ledger.Channels
	watch         bool
	saw           func(name, value []byte) // of headers and queries; nil: nobody asks
	address, from string                   // and the flag that says so
}

// openStub starts a stub and opens the way to it.
func (a *app) openStub(ctx context.Context, at listening, o *opening) (*station, error) {
	opt := stub.Options{
		Matrix: at.matrix, Ledger: at.book, Channels: at.channels, Watch: at.watch, Secret: o.secret.Path(), PerSource: o.perSource(at.address), Saw: at.saw,
	}
	server, err := stub.New(opt)
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", at.address)
	if err != nil {
		return nil, usage(fmt.Sprintf("choose another address with --stub-listen or %s, or end what listens there", variable("stub-listen")),
			"%s: the stub can't listen on %s: %s", at.from, at.address, cause(err))
	}
	s := &station{server: server, addr: l.Addr(), open: o, public: o.url}
	if opt.PerSource >= 0 {
		s.worst = stub.WorstDelay(opt)
	}
	if l, err = a.secured(ctx, s, l); err != nil {
		return nil, err
	}
	go func() { _ = server.Serve(l) }()
	if o.way == wayTunnel {
		if err := a.tunnelled(ctx, s); err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// close ends the stub and the way to it.
func (s *station) close() {
	for _, end := range s.ends {
		end()
	}
	_ = s.server.Close()
}

// upstream is what the layer has to ask, without the secret.
func (s *station) upstream() wire.Base {
	if s.public != nil {
		return *s.public
	}
	return s.near().Base
}

// troubleOf says what kept the stub from seeing or serving requests, "" when nothing did.
func (s *station) troubleOf(l *ledger.Ledger) string {
	st := s.server.Stats()
	switch {
	case st.Overloaded+st.Dropped > 0:
		return fmt.Sprintf("the stub turned away %d requests, because too many connections were open", st.Overloaded+st.Dropped)
	case st.Panics > 0:
		return fmt.Sprintf("the stub met a bug of its own %d times", st.Panics)
	case l.Overflowed() > 0:
		return fmt.Sprintf("%d requests at the stub could not be recorded, because there were too many", l.Overflowed())
	}
	return ""
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
func (s *station) url() string { return s.near().Base.String() }

// near asks the stub on this machine.
func (s *station) near() wire.Client {
	if s.cert != nil {
		name, _, _ := net.SplitHostPort(s.public.Host)
		return wire.Client{Base: wire.Base{Scheme: "https", Host: s.host(), Authority: s.public.Authority}, TLS: trusting(s.cert, name)}
	}
	return wire.Client{Base: wire.Base{Scheme: "http", Host: s.host(), Authority: s.host()}, Abrupt: true}
}

// ways are how a run asks the stub without the layer: as the layer does, and on this machine, where these are two ways.
func (s *station) ways(trust *tls.Config) (direct, near check.Way) {
	here := s.near()
	here.Base = s.open.below(here.Base)
	if s.public == nil || s.public.Scheme != "https" {
		return below{here}, nil
	}
	return below{wire.Client{Base: s.open.below(*s.public), TLS: trust}}, below{here}
}
