package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

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
	cmd.Flags().StringVar(&f.profile, "profile", defaultProfile, profileHelp)
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
	return unwritten(proofText(a.out, proof, a.exit, a.columns()))
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
func proofText(w io.Writer, p record.Proof, exit, columns int) error {
	var b bytes.Buffer
	rows := [][]string{{"CONTROL", "PAIRS", "EXACT", "EXTRA", "MISSED", "UNTOUCHED", "WHY"}}
	for _, c := range p.Controls {
		rows = append(rows, []string{c.Name, fmt.Sprint(c.Pairs), fmt.Sprint(c.Exact), fmt.Sprint(c.Extra), fmt.Sprint(c.Missed), fmt.Sprint(c.Untouched), c.Why})
	}
	_ = report.Table(&b, rows, columns)
	for _, m := range p.Missed {
		_ = report.Hanging(&b, "missed: ", m, columns)
	}
	word := "every known fault was caught"
	if exit != exitPass {
		word = "NOT PROVEN: what check says can't be trusted"
	}
	_ = report.Prose(&b, fmt.Sprintf("\n%s: %d of %d pairs exactly, %d of %d keys of the profile decide\n\n%s", word, p.Exact, p.Pairs, p.Deciding, p.Keys, pairsMeaning), columns)
	_, err := b.WriteTo(w)
	return err
}

// pairsMeaning explains the figures, which are higher than those of a check.
const pairsMeaning = `A pair is one fault on one answer that it can touch. A check proves the pairs that need no network; this command adds
whole runs over real sockets, for each channel, so it counts more. A key decides when a fault in it turned a row red.`
