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
	all                     bool
}

func newControls(a *app) *cobra.Command {
	f := &controlsFlags{}
	cmd := &cobra.Command{
		Use:   "controls",
		Short: "Run the proof alone: is every known fault caught, exactly?",
		Long: `controls runs every known fault and says which were caught: exactly, with more reported than there was, or not at all.
It proves what each check proves while it waits for the layer: ten answers and those of --matrix, in memory. --all
proves everything, in some seconds: the whole matrix, each single place of each answer lost, altered, sent twice or
joined by one that nobody sent, and whole checks over real sockets, for each channel.` + "\n\n" + exitHelp(),
		Example: "  preservecheck controls\n  preservecheck controls --all --profile full\n  preservecheck controls --all --format json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := interrupt(cmd.Context())
			defer stop()
			return a.controls(ctx, cmd, f)
		},
	}
	cmd.Flags().BoolVar(&f.all, "all", false, "prove everything: the whole matrix, every single place, every channel over sockets")
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
	prove := controls.Prove
	if f.all {
		prove = controls.ProveAll
	}
	proof := prove(ctx, in)
	if ctx.Err() != nil {
		return a.interrupted()
	}
	if len(proof.Missed) > 0 || proof.Pairs == 0 || proof.Exact != proof.Pairs || proof.Keys == 0 || proof.Deciding != proof.Keys {
		a.exit = exitUnknown
	}
	if f.format == "json" {
		return unwritten(proofJSON(a.out, proof))
	}
	if f.all {
		return unwritten(wholeProofText(a.out, proof, a.exit, a.columns()))
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
	in.Faults = faults()
	m, err := loadMatrix(f.matrix, origin(cmd, "matrix"), false)
	if err != nil {
		return in, err
	}
	for _, row := range m.Rows {
		if !f.all && in.Matrix.Get(row.Name) != nil {
			continue // of ours, only the ten
		}
		for _, mode := range in.Modes {
			if row.In(mode) {
				in.Rows = append(in.Rows, check.Row{Fixture: row, Mode: mode, Dialect: dialects.ByName(row.Dialect)})
			}
		}
	}
	return in, nil
}

// proofText writes a line for each control, why it is there, and the figures.
func proofText(w io.Writer, p record.Proof, exit, columns int) error {
	var b bytes.Buffer
	rows := proofTable(p)
	rows[0] = append(rows[0], "WHY")
	for i, c := range p.Controls {
		rows[i+1] = append(rows[i+1], c.Why)
	}
	_ = report.Table(&b, rows, columns)
	for _, m := range p.Missed {
		_ = report.Hanging(&b, "missed: ", m, columns)
	}
	_ = report.Prose(&b, fmt.Sprintf("\n%s: %d of %d pairs exactly, %d of %d keys of the profile decide\n\n%s", proofWord(exit), p.Exact, p.Pairs, p.Deciding, p.Keys, pairsMeaning), columns)
	_, err := b.WriteTo(w)
	return err
}

// wholeProofText is the matrix alone: a line for each control, and a last one that holds the figure of merit.
func wholeProofText(w io.Writer, p record.Proof, exit, columns int) error {
	var b bytes.Buffer
	width := 0
	for _, c := range p.Controls {
		width = max(width, len(c.Name))
	}
	for _, row := range proofTable(p) {
		fmt.Fprintf(&b, "%-*s  %7s  %5s  %6s  %11s\n", width, report.Plain(row[0]), row[1], row[2], row[3], row[4])
	}
	for _, m := range p.Missed {
		_ = report.Hanging(&b, "missed: ", m, columns)
	}
	_ = report.Prose(&b, fmt.Sprintf("\n%s Of the %d keys of the profile %d decide: a fault in them turned a row red. --format json says why each fault is there.\n",
		pairMeaning, p.Keys, p.Deciding), columns)
	fmt.Fprintf(&b, "%s: %d of %d exactly\n", proofWord(exit), p.Exact, p.Pairs)
	_, err := b.WriteTo(w)
	return err
}

// proofTable are the figures of each control.
func proofTable(p record.Proof) [][]string {
	rows := [][]string{{"CONTROL", "EXACTLY", "EXTRA", "MISSED", "CAN'T TOUCH"}}
	for _, c := range p.Controls {
		rows = append(rows, []string{c.Name, fmt.Sprint(c.Exact), fmt.Sprint(c.Extra), fmt.Sprint(c.Missed), fmt.Sprint(c.Untouched)})
	}
	return rows
}

func proofWord(exit int) string {
	if exit != exitPass {
		return "NOT PROVEN"
	}
	return "every known fault was caught"
}

const pairMeaning = "A pair is one fault on one answer that it can touch."

// pairsMeaning explains the figures.
const pairsMeaning = pairMeaning + ` Each check proves these before it judges. A key decides when a fault in it turned a
row red. --all proves everything: every answer, each single place of it, and whole checks over real sockets.`
