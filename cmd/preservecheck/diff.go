package main

import (
	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/gate"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/report"
)

func newDiff(a *app) *cobra.Command {
	var format, color string
	var verbose bool
	cmd := &cobra.Command{
		Use:   "diff OLD.json NEW.json",
		Short: "What changed between two records: new faults, gone ones, classes, hits, findings",
		Long: `diff compares two records that check wrote with -o json=FILE, before and after an upgrade of the layer, and says only
what is news. It exits with 1 on any new fault, and with 3 where the two can't be compared or a row of the older run has no
result in the newer one: what was not run is not gone.` + "\n\n" + exitHelp(),
		Example: "  preservecheck diff before.json after.json",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("write preservecheck diff OLD.json NEW.json", "diff takes two records, but there are %d arguments", len(args))
			}
			o, err := a.textOptions(color, origin(cmd, "color"), verbose)
			if err != nil {
				return err
			}
			if format != "text" && format != "json" {
				return usage("write text or json", "%s: there is no format %q", origin(cmd, "format"), format)
			}
			return a.diff(args[0], args[1], format == "json", o)
		},
	}
	fl := cmd.Flags()
	fl.StringVar(&format, "format", "text", "what to print: text, json")
	fl.BoolVarP(&verbose, "verbose", "v", false, "show all that changed, whatever its length")
	fl.StringVar(&color, "color", "auto", "auto, always, never")
	return cmd
}

func (a *app) diff(oldName, newName string, asJSON bool, o report.TextOptions) error {
	var both [2]*record.Document
	for i, name := range []string{oldName, newName} {
		d, err := readRecord(name)
		if err != nil {
			return usage("give two files that check wrote with -o json=FILE", "%s", err)
		}
		both[i] = d
	}
	d := both[1]
	d.News = gate.News(both[0], d)
	compare.Settle(d)
	d.Result.Next = ""
	a.exit = d.Result.Exit
	if asJSON {
		return unwritten(report.DiffJSON(a.out, record.Diff{Format: record.NewsFormat, News: *d.News, Result: d.Result}))
	}
	return unwritten(report.Diff(a.out, *d, o))
}
