package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/report"
)

// serveFlags are the flags of serve.
type serveFlags struct {
	listen  string
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
	cmd.Flags().StringVar(&f.channel, "channel", "auto", "header:NAME takes the fixture from that header instead of x-fixture")
	matrixFlag(cmd, &f.matrix)
	cmd.Flags().BoolVarP(&f.verbose, "verbose", "v", false, "print a line for each request")
	return cmd
}

func (a *app) serve(ctx context.Context, cmd *cobra.Command, f *serveFlags) error {
	if err := localAddress(f.listen, origin(cmd, "stub-listen")); err != nil {
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
	s, err := a.listen(m, channels, f.listen, origin(cmd, "stub-listen"))
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

// follow prints a line for each hit, once it was answered, until the context ends.
func (a *app) follow(ctx context.Context, led *ledger.Ledger) error {
	tick := time.NewTicker(followEvery)
	defer tick.Stop()
	printed, waiting := map[string]bool{}, true
	for {
		if waiting || led.Len() != len(printed) {
			waiting = false
			for _, h := range led.All() {
				switch {
				case printed[h.ID]:
				case h.Served.AnswerAt.IsZero():
					waiting = true
				default:
					printed[h.ID] = true
					if _, err := fmt.Fprintln(a.out, hitLine(h)); err != nil {
						return err
					}
				}
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// hitLine is one request as a line. Nothing of it is trusted.
func hitLine(h ledger.Hit) string {
	got := h.Served.Fixture
	if got == "" {
		got = "no fixture: " + h.Note
	}
	line := fmt.Sprintf("%s %s %s %d %s", h.At.Format(time.TimeOnly), h.Method, h.Path, h.Served.Status, got)
	if len(h.Channels) > 0 {
		line += " (" + strings.Join(texts(h.Channels), ", ") + ")"
	}
	return report.Plain(line)
}
