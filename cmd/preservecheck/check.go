package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/record"
)

func newCheck(a *app) *cobra.Command {
	f := &checkFlags{}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check whether a layer keeps the evidence of errors",
		Long: `check starts the stub, waits until the layer lets a success through, asks for every fixture directly and through the
layer, and compares. The layer's upstream has to be the stub, whose base URL is printed first. Every flag can also be
given as PRESERVECHECK_<FLAG>, repeatable ones with a value a line.` + "\n\n" + exitHelp(),
		Example: `  preservecheck check --layer http://127.0.0.1:8080
  preservecheck check --layer control:drop-details
  preservecheck check \
      --layer https://gateway.example/anthropic \
      --header 'authorization: Bearer $GATEWAY_KEY' --rate 5
  preservecheck check --layer http://127.0.0.1:4000 \
      --model 'anthropic/{fixture}' -o json=record.json
  preservecheck check --target gateway.yaml --allow-env GATEWAY_KEY`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p, err := newPlan(a, cmd, f)
			if err != nil {
				return err
			}
			ctx, stop := interrupt(cmd.Context())
			defer stop()
			return a.check(ctx, p)
		},
	}
	f.register(cmd)
	return cmd
}

// check runs a plan and hands out its result, which is settled before any format sees it.
func (a *app) check(ctx context.Context, p *plan) error {
	if err := reserve(p.outputs, p.incomplete(), p.outputFrom); err != nil {
		return err
	}
	d, err := a.runPlan(ctx, p)
	if err != nil {
		return err
	}
	a.handOut(p.outputs, p.print, d)
	return nil
}

// publish writes every output, and returns the first error after all were tried.
func (a *app) publish(outs []output, print writer, d record.Document) error {
	var first error
	for _, o := range outs {
		if err := o.replace(d); err != nil && first == nil {
			first = err
		}
	}
	if err := print(a.out, d); err != nil && first == nil {
		first = unwritten(err)
	}
	return first
}

// handOut sets the exit code of a settled result and writes it. What can't be written is no pass.
func (a *app) handOut(outs []output, print writer, d record.Document) {
	a.exit = d.Result.Exit
	if err := a.publish(outs, print, d); err != nil {
		a.note("error: %s", err)
		if a.exit == exitPass {
			a.exit = exitUnknown
		}
	}
}
