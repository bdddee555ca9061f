package main

import (
	"crypto/tls"
	"net"
	"time"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/remote"
)

// serveLedger serves the ledger of a stub to checks elsewhere, where there is a token. Beyond this machine it speaks TLS, or the token would be read on the way.
func (a *app) serveLedger(cmd *cobra.Command, f *serveFlags, s *station, runs *ledger.Hub, at listening) error {
	from := origin(cmd, "admin-listen")
	if !s.open.kept || s.open.secret.Token() == "" { // nobody would know the token
		if cmd.Flags().Changed("admin-listen") {
			return usage("give --secret-file FILE, or set "+tokenVariable, "%s: the ledger needs a token", from)
		}
		return nil
	}
	here := localAddress(f.admin, from, false) == nil
	if !here && s.cert == nil {
		return usage("let it listen on this machine and reach it by ssh -L 8788:"+defaultAdmin+" HOST, or let the stub speak TLS itself by --tls-cert or --acme",
			"%s: the token would go over the network in the clear", from)
	}
	if err := localAddress(f.admin, from, s.open.flags.any); err != nil {
		return err
	}
	api, err := remote.NewServer(remote.ServerOptions{
		Hub: runs, Token: s.open.secret.Token(), Settings: remote.SettingsOf(at.matrix, at.channels, at.watch), Counts: s.counts,
	})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", f.admin)
	if err != nil {
		return usage("choose another address, or end what listens there", "%s: the ledger can't listen on %s: %s", from, f.admin, cause(err))
	}
	if l = remote.Bounded(l, remote.DefaultConns); !here {
		l = tls.NewListener(l, s.cert.TLS())
	}
	server := api.HTTP()
	done := make(chan struct{})
	s.ends = append(s.ends, func() { _ = server.Close() }, func() { close(done) })
	go sweep(runs, done)
	go func() { _ = server.Serve(l) }()
	a.note("ledger: %s, for check --remote-stub with the same secret and token", f.admin)
	return nil
}

// counts are what went wrong at the stub.
func (s *station) counts() remote.Counts {
	st := s.server.Stats()
	return remote.Counts{Overloaded: st.Overloaded, Dropped: st.Dropped, Panics: st.Panics, Strangers: st.Strangers}
}

// sweepEvery is how often runs are ended whose checker is gone, on a stub that nobody asks.
const sweepEvery = time.Minute

func sweep(runs *ledger.Hub, done <-chan struct{}) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			runs.Sweep()
		case <-done:
			return
		}
	}
}
