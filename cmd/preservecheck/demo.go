package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/report"
)

// The two embedded layers of the demo, and what each has to come to.
const (
	honestLayer = "identity"
	faultyLayer = "drop-details"
)

func newDemo(a *app) *cobra.Command {
	var color string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Check two embedded layers, an honest one and one that drops details; needs nothing installed",
		Long: `demo runs the check twice on this machine: against a layer that passes everything on, and against one that drops
error.details, as gateways do that rebuild errors. It exits with 0 when the first is green and the second is red.`,
		Example: "  preservecheck demo",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interrupt(cmd.Context())
			defer stop()
			return a.demo(ctx, color, honestLayer, faultyLayer)
		},
	}
	cmd.Flags().StringVar(&color, "color", "auto", "auto, always, never")
	return cmd
}

// demo checks a layer that has to be green and one that has to be red.
func (a *app) demo(ctx context.Context, color, green, red string) error {
	o, err := a.textOptions(color, "--color", false)
	if err != nil {
		return err
	}
	o.Part = true
	say := func(format string, args ...any) { _ = report.Prose(a.out, fmt.Sprintf(format, args...), o.Width) }
	say("Two layers stand in turn between a client and a stub of a provider. Each gets the same synthetic errors.\n\n"+
		"1. A layer that passes everything on (%s%s)\n\n", controlPrefix, green)
	honest, err := a.demoRun(ctx, green)
	if err != nil {
		return err
	}
	if err := report.Heading(a.out, honest.Result.Exit == exitPass, honest.Result.Covers, o); err != nil {
		return unwritten(err)
	}
	if ctx.Err() != nil {
		return a.interrupted()
	}
	say("\n2. A layer that drops error.details, the only place that tells a spend cap from a rate limit (%s%s)\n\n", controlPrefix, red)
	faulty, err := a.demoRun(ctx, red)
	if err != nil {
		return err
	}
	if err := report.Text(a.out, faulty, o); err != nil {
		return unwritten(err)
	}
	if ctx.Err() != nil {
		return a.interrupted()
	}
	if honest.Result.Exit != exitPass || faulty.Result.Exit != exitFail {
		a.exit = exitFail
		say("\nThe demo did not go as it should: the first should pass and came to %q, the second should fail and came to %q.\n",
			honest.Result.Word, faulty.Result.Word)
		return nil
	}
	return unwritten(report.Prose(a.out, demoEnd, o.Width))
}

const demoEnd = `
Both went as they should: the honest layer is green (exit code 0), the other one red (exit code 1).

Now your own layer: make the stub its upstream and check it.

  preservecheck check --layer http://127.0.0.1:8080
      The stub listens on http://127.0.0.1:8787 meanwhile.
  preservecheck explain saved-answer.txt
      What one saved error means to a worker.
`

// demoRun checks one embedded layer with the defaults of check, on the ten rows that the source article made known: enough to
// show, few enough to read.
func (a *app) demoRun(ctx context.Context, control string) (record.Document, error) {
	f := &checkFlags{}
	cmd := &cobra.Command{Use: "demo"}
	cmd.SetContext(ctx)
	f.register(cmd)
	if err := cmd.ParseFlags([]string{"--layer", controlPrefix + control, "--fixture", fixture.ArticleFamily + "/*"}); err != nil {
		return record.Document{}, err
	}
	p, err := newPlan(a, cmd, f)
	if err != nil {
		return record.Document{}, err
	}
	return a.runPlan(ctx, p)
}

// interrupted ends a command that Ctrl-C stopped before there was a result.
func (a *app) interrupted() error {
	return &failure{code: exitUnknown, msg: "interrupted"}
}
