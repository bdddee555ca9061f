package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/explain"
	"github.com/preservecheck/preservecheck/fixture"
)

// importFlags are the flags of fixtures import.
type importFlags struct {
	name, dialect string
	status        int
}

func newFixturesImport(a *app) *cobra.Command {
	f := &importFlags{}
	cmd := &cobra.Command{
		Use:   "import FILE|-",
		Short: "Turn a captured answer (curl -i) into a row, with secrets and personal data replaced",
		Long: `import prints a captured answer as a file for --matrix. Keys, tokens, e-mail addresses, ids of requests, organizations,
workspaces and users, UUIDs and IP addresses are replaced by placeholders; read the result all the same before you
share it. It can't be used until you have filled in why the row is there and where it was seen.`,
		Example: "  curl -isS https://gateway.example/v1/messages -d @request.json > seen.txt\n" +
			"  preservecheck fixtures import seen.txt --name our_quota > mine.yaml",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("give one file, or - for standard input", "fixtures import reads one answer, but there are %d names", len(args))
			}
			return a.importAnswer(cmd, f, args[0])
		},
	}
	cmd.Flags().StringVar(&f.name, "name", "", "name of the row, of a-z, 0-9 and _")
	cmd.Flags().StringVar(&f.dialect, "dialect", defaultDialect, "provider protocol of the answer")
	cmd.Flags().IntVar(&f.status, "status", 0, "HTTP `STATUS` of a bare body")
	return cmd
}

func (a *app) importAnswer(cmd *cobra.Command, f *importFlags, file string) error {
	if f.name == "" {
		return usage("choose what the row shows, as in --name our_quota", "fixtures import needs --name")
	}
	d, err := dialectByName(f.dialect, origin(cmd, "dialect"))
	if err != nil {
		return err
	}
	in, err := a.saved(file)
	if err != nil {
		return err
	}
	answer, notes, err := explain.Read(in, f.status)
	if err != nil {
		return usage("save the answer with curl -isS, or give a body with --status", "%s: %s", shown(file), err)
	}
	draft, err := fixture.Capture(f.name, d, answer, notes...)
	switch {
	case errors.Is(err, fixture.ErrName):
		return usage(err.Error(), "%s: %q is no name of a row", origin(cmd, "name"), f.name)
	case err != nil:
		return usage("shorten it by hand, or capture another one", "%s: %s", shown(file), err)
	}
	_, err = a.out.Write(draft.YAML())
	return unwritten(err)
}
