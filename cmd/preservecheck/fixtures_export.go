package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/dialects"
	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/ledger"
	"github.com/preservecheck/preservecheck/report"
	"github.com/preservecheck/preservecheck/wire"
)

// The forms of export.
var exportForms = []string{"yaml", "json", "curl"}

func newFixturesExport(a *app) *cobra.Command {
	var as string
	var files []string
	cmd := &cobra.Command{
		Use:   "export NAME",
		Short: "Print a fixture as a file of your own, as JSON, or as a curl command with the raw request and answer",
		Long: `export prints a fixture in the format of --matrix (yaml, json: both can be read back), or as a curl command that asks a
running "preservecheck serve" for it, with the raw HTTP request and answer, for a bug report.`,
		Example: "  preservecheck fixtures export tier_cap > mine.yaml\n  preservecheck fixtures export tier_cap --as curl",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := oneFixture(cmd, args, files)
			if err != nil {
				return err
			}
			var out []byte
			switch as {
			case "yaml":
				out = fixture.YAML(f)
			case "json":
				out = fixture.JSON(f)
			case "curl":
				out = curl(f, files)
			default:
				return usage(didYouMean(as, exportForms, ""), "%s: there is no form %q", origin(cmd, "as"), as)
			}
			_, err = a.out.Write(out)
			return unwritten(err)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return fixtureNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&as, "as", "yaml", strings.Join(exportForms, ", "))
	matrixFlag(cmd, &files)
	return cmd
}

// oneFixture finds the fixture that the only argument names.
func oneFixture(cmd *cobra.Command, args, files []string) (*fixture.Fixture, error) {
	if len(args) != 1 {
		return nil, usage("preservecheck fixtures list shows all names", "fixtures %s needs one name, but there are %d", cmd.Name(), len(args))
	}
	m, err := loadMatrix(files, origin(cmd, "matrix"), false)
	if err != nil {
		return nil, err
	}
	f := m.Get(args[0])
	if f == nil {
		return nil, usage(didYouMean(args[0], namesOf(m), "preservecheck fixtures list shows all"), "there is no fixture %q", args[0])
	}
	return f, nil
}

// curl writes a command, and the request and the answer as they stand on the wire when nothing is compressed.
func curl(f *fixture.Fixture, files []string) []byte {
	d := dialects.ByName(f.Dialect)
	mode := fixture.Plain
	if !f.In(mode) {
		mode = fixture.Stream
	}
	q := d.Request("", wire.Ask{
		Model: strings.ReplaceAll(defaultModel, ledger.Placeholder, f.Name), Prompt: "fixture", Stream: mode == fixture.Stream,
		Header: []wire.Field{{Name: ledger.DefaultHeader, Value: f.Name}},
	})
	// The answer below is plain, since compressed bytes can't be read; so nothing may ask for compressed ones.
	q.Header = slices.DeleteFunc(slices.Clone(q.Header), func(h wire.Field) bool { return strings.EqualFold(h.Name, "accept-encoding") })
	var b bytes.Buffer
	serve := "preservecheck serve"
	for _, name := range files {
		serve += " --matrix " + quote(name)
	}
	fmt.Fprintf(&b, "# %s: %s\n# answered by: %s\n", f.Name, report.Plain(f.Why), report.Plain(serve))
	fmt.Fprintf(&b, "curl -isS -X %s http://%s%s", q.Method, defaultListen, q.Target)
	for _, h := range q.Header {
		fmt.Fprintf(&b, " \\\n  -H %s", quote(h.Name+": "+h.Value))
	}
	fmt.Fprintf(&b, " \\\n  --data-raw %s\n", quote(string(q.Body)))
	fmt.Fprintf(&b, "\n# The request:\n\n%s %s HTTP/1.1\nhost: %s\n", q.Method, q.Target, defaultListen)
	for _, h := range q.Header {
		fmt.Fprintf(&b, "%s: %s\n", h.Name, h.Value)
	}
	fmt.Fprintf(&b, "content-length: %d\n\n%s\n", len(q.Body), q.Body)
	fmt.Fprintf(&b, "\n# The answer (%s stands for the id of the hit; lines end in CRLF, bytes that can't be shown are escaped):\n", fixture.NoID)
	if f.Answer.Gzip {
		b.WriteString("# Asked with accept-encoding: gzip, the stub compresses it and says so in content-encoding.\n")
	}
	b.WriteByte('\n')
	served(&b, f)
	return b.Bytes()
}
