package main

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/compare"
	"github.com/preservecheck/preservecheck/gate"
	"github.com/preservecheck/preservecheck/record"
	"github.com/preservecheck/preservecheck/report"
)

// render is the flags of a command that writes saved records in other formats.
type render struct {
	format, color string
	output        []string
	verbose       bool
}

func (r *render) register(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringVar(&r.format, "format", "text", formatHelp())
	fl.StringArrayVarP(&r.output, "output", "o", nil, "`FORMAT=FILE` to write besides (repeatable)")
	fl.BoolVarP(&r.verbose, "verbose", "v", false, "show preserved rows, too")
	fl.StringVar(&r.color, "color", "auto", "auto, always, never")
	_ = cmd.RegisterFlagCompletionFunc("format", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return formatNames(), cobra.ShellCompDirectiveNoFileComp
	})
}

// prepare reads the flags and puts an incomplete record into every output, before any record is read: an older report must
// not stay there when the new one can't be made.
func (r *render) prepare(a *app, cmd *cobra.Command, read []string) ([]output, writer, error) {
	from := origin(cmd, "output")
	outs, err := parseOutputs(r.output, from)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range outs {
		for _, name := range read {
			if samePlace(o.path, name) {
				return nil, nil, usage("give the output another name", "%s: %s is read by this command, and would be overwritten by it", from, name)
			}
		}
	}
	print, err := formatWriter(r.format, origin(cmd, "format"))
	if err != nil {
		return nil, nil, err
	}
	o, err := a.textOptions(r.color, origin(cmd, "color"), r.verbose)
	if err != nil {
		return nil, nil, err
	}
	if r.format == "text" {
		print = func(w io.Writer, d record.Document) error { return report.Text(w, d, o) }
	}
	a.annotations(r.format)
	d := record.Document{Format: record.Format, Command: cmd.Name(), Incomplete: true, Tool: record.Tool{Name: "preservecheck", Version: toolVersion()}}
	compare.Settle(&d)
	return outs, print, reserve(outs, d, from)
}

func newReport(a *app) *cobra.Command {
	r := &render{}
	cmd := &cobra.Command{
		Use:   "report RUN.json",
		Short: "A saved record in another format",
		Long: `report renders a record that check wrote with -o json=FILE. The verdict is recomputed from its rows, and the exit code is
that of the run; a record that says something else than its rows is "could not tell".` + "\n\n" + exitHelp(),
		Example: "  preservecheck report run.json --format markdown\n  preservecheck report run.json -o junit=junit.xml -o sarif=run.sarif",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("write preservecheck report RUN.json", "report takes one record, but there are %d arguments", len(args))
			}
			outs, print, err := r.prepare(a, cmd, args)
			if err != nil {
				return err
			}
			d, err := readRecord(args[0])
			if err != nil {
				return usage("give a file that check wrote with -o json=FILE", "%s", err)
			}
			_ = gate.Recompute(d) // what it found is in the result
			a.handOut(outs, print, *d)
			return nil
		},
	}
	r.register(cmd)
	return cmd
}
