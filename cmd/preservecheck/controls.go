package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/check"
	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/controls"
	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/report"
)

// controlsFlags are the flags of controls.
type controlsFlags struct {
	profile, stream, format string
	matrix                  []string
}

func newControls(a *app) *cobra.Command {
	f := &controlsFlags{}
	cmd := &cobra.Command{
		Use:   "controls",
		Short: "Run the proof alone: is every known fault caught, exactly?",
		Long: `controls runs every known fault against every fixture, in memory and over real sockets, and says which were caught:
exactly, with more reported than there was, or not at all.` + "\n\n" + exitHelp(),
		Example: "  preservecheck controls\n  preservecheck controls --profile full --stream off",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interrupt(cmd.Context())
			defer stop()
			return a.controls(ctx, cmd, f)
		},
	}
	cmd.Flags().StringVar(&f.profile, "profile", defaultProfile, "which keys decide: core, full")
	cmd.Flags().StringVar(&f.stream, "stream", "both", "ask for streams: off, on, both")
	matrixFlag(cmd, &f.matrix)
	cmd.Flags().StringVar(&f.format, "format", "text", "what to print: text, json")
	return cmd
}

func (a *app) controls(ctx context.Context, cmd *cobra.Command, f *controlsFlags) error {
	if f.format != "text" && f.format != "json" {
		return usage(didYouMean(f.format, []string{"text", "json"}, ""), "%s: there is no format %q", origin(cmd, "format"), f.format)
	}
	in, err := proofInput(cmd, f)
	if err != nil {
		return err
	}
	proof := controls.ProveAll(ctx, in)
	if ctx.Err() != nil {
		return a.interrupted()
	}
	if len(proof.Missed) > 0 || proof.Pairs == 0 || proof.Exact != proof.Pairs || proof.Keys == 0 || proof.Deciding != proof.Keys {
		a.exit = exitUnknown
	}
	if f.format == "json" {
		return unwritten(proofJSON(a.out, proof))
	}
	return unwritten(proofText(a.out, proof, a.exit))
}

func proofJSON(w io.Writer, p record.Proof) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(p)
}

func proofInput(cmd *cobra.Command, f *controlsFlags) (controls.Input, error) {
	var in controls.Input
	profile, err := profileByName(f.profile, origin(cmd, "profile"))
	if err != nil {
		return in, err
	}
	in.Rules = compare.Rules{Profile: profile, FailOn: failOnChanged, MaxLayerRetries: -1}
	if in.Modes, err = parseModes(f.stream, origin(cmd, "stream")); err != nil {
		return in, err
	}
	in.Matrix, err = fixture.Builtin() // always proven, whatever the user's own rows are
	if err != nil {
		return in, err
	}
	m, err := loadMatrix(f.matrix, origin(cmd, "matrix"))
	if err != nil {
		return in, err
	}
	for _, f := range m.Rows {
		for _, mode := range in.Modes {
			if f.In(mode) {
				in.Rows = append(in.Rows, check.Row{Fixture: f, Mode: mode, Dialect: dialects.ByName(f.Dialect)})
			}
		}
	}
	return in, nil
}

// proofText writes a line for each control and the figures.
func proofText(w io.Writer, p record.Proof, exit int) error {
	var b bytes.Buffer
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "CONTROL\tPAIRS\tEXACT\tEXTRA\tMISSED\tCAN'T TOUCH\tWHY")
	for _, c := range p.Controls {
		fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%s\n", report.Plain(c.Name), c.Pairs, c.Exact, c.Extra, c.Missed, c.Untouched, report.Plain(c.Why))
	}
	_ = tw.Flush()
	for _, m := range p.Missed {
		fmt.Fprintf(&b, "missed: %s\n", report.Plain(m))
	}
	word := "every known fault was caught"
	if exit != exitPass {
		word = "NOT PROVEN: what check says can't be trusted"
	}
	fmt.Fprintf(&b, "\n%s: %d of %d pairs exactly, %d of %d keys of the profile decide\n", word, p.Exact, p.Pairs, p.Deciding, p.Keys)
	_, err := b.WriteTo(w)
	return err
}
