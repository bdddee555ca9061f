package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	listen  string
	open    publicFlags
	channel string
	admin   string
	verbose bool
	matrix  []string
}

func newServe(a *app) *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the stub alone, until Ctrl-C",
		Long: `serve answers with the fixtures of the matrix. A request says which one it wants by the header x-fixture, by a path
/fx/NAME before the API's own, by a model name that ends in the fixture's name, or by a marker in the prompt.`,
		Example: "  preservecheck serve\n  preservecheck serve --stub-listen 127.0.0.1:9000 -v\n" +
			"  preservecheck serve --listen-any --acme stub.example.org --secret-file stub.secret",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interrupt(cmd.Context())
			defer stop()
			return a.serve(ctx, cmd, f)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&f.listen, "stub-listen", defaultListen, "`ADDRESS` the stub listens on")
	cmd.Flags().StringVar(&f.channel, "channel", "auto", "header:NAME takes the fixture from that header instead of x-fixture")
	matrixFlag(cmd, &f.matrix)
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "print a line for each request")
	heading(cmd.Flags(), "The stub")
	f.open.register(cmd)
	cmd.Flags().StringVar(&f.admin, "admin-listen", defaultAdmin, "`ADDRESS` of the ledger for checks elsewhere (--remote-stub), which always asks for the token; served where there is one")
	heading(cmd.Flags(), othersReach)
	return cmd
}

func (a *app) serve(ctx context.Context, cmd *cobra.Command, f *serveFlags) error {
	var hidden secrets
	o, err := readOpening(a, cmd, &f.open, &hidden, false, nil)
	if err != nil {
		return err
	}
	if !cmd.Flags().Changed("stub-listen") {
		f.listen = o.listen(f.listen)
	}
	if err := localAddress(f.listen, origin(cmd, "stub-listen"), f.open.any); err != nil {
		return err
	}
	_, channels, err := parseChannel(f.channel, origin(cmd, "channel"))
	if err != nil {
		return err
	}
	m, err := loadMatrix(f.matrix, origin(cmd, "matrix"), o.way != wayLocal)
	if err != nil {
		return err
	}
	a.redact, _ = hidden.redactor(publicTexts(m))
	runs := ledger.NewHub(ledger.HubLimits{})
	seen := newArrivals(runs)
	at := listening{book: runs, matrix: m, channels: channels, watch: true, address: f.listen, from: origin(cmd, "stub-listen")}
	if f.verbose {
		at.book = seen
	}
	s, err := a.openStub(ctx, at, o)
	if err != nil {
		return err
	}
	defer s.close()
	if o.guarded {
		ctx, stop := context.WithTimeout(ctx, f.open.maxDuration)
		defer stop()
		if err := a.serveLedger(cmd, f, s, runs, at); err != nil {
			return err
		}
		return a.serveOthers(ctx, s, at, seen, f.verbose)
	}
	if err := a.greet(s, m, channels); err != nil {
		return err
	}
	return a.untilEnd(ctx, seen, f.verbose)
}

// greet says how to ask a stub of this machine for a fixture.
func (a *app) greet(s *station, m *fixture.Matrix, channels ledger.Channels) error {
	d, err := dialectByName(defaultDialect, "--dialect")
	if err != nil {
		return err
	}
	header, _ := channels.Names()
	_, err = fmt.Fprintf(a.out, "stub: %s\n\nask it for a fixture:\n\n  curl -i %s%s -H '%s: %s' -d '{}'\n\nCtrl-C ends it.\n",
		s.url(), s.url(), d.Path, header, m.Rows[0].Name)
	return unwritten(err)
}

// serveOthers serves a stub that others can reach, until its time is over.
func (a *app) serveOthers(ctx context.Context, s *station, at listening, seen *arrivals, verbose bool) error {
	if err := a.tell(s.open, s.upstream(), paths(dialects.All())); err != nil {
		return err
	}
	a.nameless(s.open, at.address)
	a.warnOfStrangers(s)
	a.note("note: the stub ends after %s (--max-duration), or by Ctrl-C", s.open.flags.maxDuration)
	err := a.untilEnd(ctx, seen, verbose)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		a.note("note: the time of the stub is over, after %s (--max-duration)", s.open.flags.maxDuration)
	}
	if n := s.server.Stats().Strangers; n > 0 {
		a.note("note: requests without the secret: %d, answered by a bare 404", n)
	}
	return err
}

// untilEnd waits until a stub is to end, and prints what arrives if that was asked for.
func (a *app) untilEnd(ctx context.Context, seen *arrivals, verbose bool) error {
	if !verbose {
		<-ctx.Done()
		return nil
	}
	err := unwritten(follow(ctx, redacted{a}, seen.take))
	if n := seen.lost(); n > 0 {
		a.note("note: %d requests came while nobody read these lines, and are not among them", n)
	}
	return err
}
