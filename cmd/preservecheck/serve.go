package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/report"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	listen  string
	any     bool
	channel string
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
		Example: "  preservecheck serve\n  preservecheck serve --stub-listen 127.0.0.1:9000 -v",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interrupt(cmd.Context())
			defer stop()
			return a.serve(ctx, cmd, f)
		},
	}
	cmd.Flags().StringVar(&f.listen, "stub-listen", defaultListen, "`ADDRESS` the stub listens on")
	listenAnyFlag(cmd, &f.any)
	cmd.Flags().StringVar(&f.channel, "channel", "auto", "header:NAME takes the fixture from that header instead of x-fixture")
	matrixFlag(cmd, &f.matrix)
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "print a line for each request")
	return cmd
}

func (a *app) serve(ctx context.Context, cmd *cobra.Command, f *serveFlags) error {
	if f.any && !cmd.Flags().Changed("stub-listen") {
		f.listen = anyListen
	}
	if err := localAddress(f.listen, origin(cmd, "stub-listen"), f.any); err != nil {
		return err
	}
	_, channels, err := parseChannel(f.channel, origin(cmd, "channel"))
	if err != nil {
		return err
	}
	m, err := loadMatrix(f.matrix, origin(cmd, "matrix"))
	if err != nil {
		return err
	}
	s, err := a.listen(m, channels, false, f.listen, origin(cmd, "stub-listen"))
	if err != nil {
		return err
	}
	defer func() { _ = s.server.Close() }()
	d, err := dialectByName(defaultDialect, "--dialect")
	if err != nil {
		return err
	}
	header, _ := channels.Names()
	if _, err := fmt.Fprintf(a.out, "stub: %s\n\nask it for a fixture:\n\n  curl -i %s%s -H '%s: %s' -d '{}'\n\nCtrl-C ends it.\n",
		s.url(), s.url(), d.Path, header, m.Rows[0].Name); err != nil {
		return unwritten(err)
	}
	if !f.verbose {
		<-ctx.Done()
		return nil
	}
	return unwritten(a.follow(ctx, s.ledger))
}

// followEvery is how often new hits are looked for; a person reads along.
const followEvery = 100 * time.Millisecond

// follow prints a line for each hit, once it was answered, until the context ends; then for what is left.
func (a *app) follow(ctx context.Context, led *ledger.Ledger) error {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	f := follower{w: a.out, ledger: led, printed: map[string]bool{}, waiting: true}
	for {
		if err := f.sweep(false); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return f.sweep(true)
		case <-tick.C:
		}
	}
}

// follower remembers which hits were printed.
type follower struct {
	w       io.Writer
	ledger  *ledger.Ledger
	printed map[string]bool
	waiting bool // for the answer to a hit
}

// sweep prints the hits that were answered since the last one, or at the end all that are left.
func (f *follower) sweep(last bool) error {
	if !f.waiting && f.ledger.Len() == len(f.printed) {
		return nil
	}
	f.waiting = false
	for _, h := range f.ledger.All() {
		switch {
		case f.printed[h.ID]:
		case h.Served.AnswerAt.IsZero() && !last:
			f.waiting = true
		default:
			f.printed[h.ID] = true
			if _, err := fmt.Fprintln(f.w, hitLine(h)); err != nil {
				return err
			}
		}
	}
	return nil
}

// hitLine is one request as a line. Nothing of it is trusted.
func hitLine(h ledger.Hit) string {
	got := h.Served.Fixture
	switch {
	case got != "":
	case h.Served.AnswerAt.IsZero():
		got = "not answered yet"
	case h.Note != "":
		got = "no fixture: " + h.Note
	default: // the list of models, or its greeting
		got = "an answer of the stub's own"
	}
	line := fmt.Sprintf("%s %s %s %d %s", h.At.Format(time.TimeOnly), h.Method, h.Path, h.Served.Status, got)
	if len(h.Channels) > 0 {
		line += " (" + strings.Join(texts(h.Channels), ", ") + ")"
	}
	return report.Plain(line)
}
