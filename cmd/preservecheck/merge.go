package main

import (
	"strconv"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/gate"
	"github.com/preservecheck/preservecheck/record"
)

// maxParts bounds how many records are joined.
const maxParts = 1000

func newMerge(a *app) *cobra.Command {
	r := &render{}
	var expected []string
	cmd := &cobra.Command{
		Use:   "merge A.json B.json ...",
		Short: "Join the records of a fleet or of a matrix of jobs into one",
		Long: `merge joins records that check wrote with -o json=FILE, and judges each anew from its rows. The result is as green as the
worst of them. Runs that are missing, given twice, incomplete or not to be trusted are named and make it "could not tell";
mixed versions are named. -o json=FILE writes the whole as one record, for report, diff and --baseline.` + "\n\n" + exitHelp(),
		Example: "  preservecheck merge eu.json us.json --expect 2\n  preservecheck merge runs/*.json --expect gateway-eu --expect gateway-us -o junit=junit.xml",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("write preservecheck merge A.json B.json", "merge takes the records of the runs, but there are none")
			}
			if len(args) > maxParts {
				return usage("merge them in parts", "%d records are more than the %d that are joined at once", len(args), maxParts)
			}
			if err := noneEmpty(cmd, "expect"); err != nil {
				return err
			}
			expect, err := parseExpect(expected, origin(cmd, "expect"))
			if err != nil {
				return err
			}
			outs, print, err := r.prepare(a, cmd, args)
			if err != nil {
				return err
			}
			saved, err := readParts(args)
			if err != nil {
				return err
			}
			a.handOut(outs, print, gate.Merge(saved, expect))
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&expected, "expect", nil, "how many runs there have to be, or the `NAME` of a target that has to be among them (repeatable)")
	r.register(cmd)
	return cmd
}

func readParts(names []string) ([]gate.Saved, error) {
	var saved []gate.Saved
	for _, name := range names {
		d, err := readMergeable(name)
		if err != nil {
			return nil, err
		}
		saved = append(saved, gate.Saved{File: name, Doc: d})
	}
	return saved, nil
}

func readMergeable(name string) (*record.Document, error) {
	const hint = "give files that check wrote with -o json=FILE"
	d, err := readRecord(name)
	if err != nil {
		return nil, usage(hint, "%s", err)
	}
	if err := gate.Mergeable(d); err != nil {
		return nil, usage(hint, "%s: %s", name, err)
	}
	return d, nil
}

// parseExpect reads numbers and names. A target that is called by a number has to be given another name.
func parseExpect(values []string, from string) (e gate.Expect, err error) {
	for _, v := range list(values) {
		n, err := strconv.Atoi(v)
		switch {
		case err != nil:
			e.Layers = append(e.Layers, v)
		case n < 1 || e.Count > 0:
			return e, usage("give one number of runs, and names of targets", "%s: %q is not how many runs there have to be", from, v)
		default:
			e.Count = n
		}
	}
	return e, nil
}
