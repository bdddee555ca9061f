package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/fixture"
	"github.com/preservecheck/preservecheck/report"
)

func newFixtures(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "fixtures",
		Short:   "List and show the synthetic answers of the matrix",
		Example: "  preservecheck fixtures list\n  preservecheck fixtures show tier_cap",
		Args:    cobra.ArbitraryArgs,
		RunE:    group,
	}
	cmd.AddCommand(newFixturesList(a), newFixturesShow(a))
	return cmd
}

func newFixturesList(a *app) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List the fixtures of the matrix",
		Example: "  preservecheck fixtures list\n  preservecheck fixtures list --format json",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			m, err := fixture.Builtin()
			if err != nil {
				return err
			}
			switch format {
			case "text":
				return unwritten(listFixtures(a.out, m))
			case "json":
				return unwritten(listFixturesJSON(a.out, m))
			}
			return usage(didYouMean(format, []string{"text", "json"}, ""), "%s: there is no format %q", origin(cmd, "format"), format)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, json")
	return cmd
}

func listFixtures(w io.Writer, m *fixture.Matrix) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "NAME\tSTATUS\tCLASS\tHAZARD\tMODES\tWHY")
	for _, f := range m.Rows {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\n", f.Name, statusOf(f), f.Class, f.Hazard, strings.Join(modesOf(f), "+"), report.Plain(f.Why))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\nmatrix %s, %d fixtures; preservecheck fixtures show NAME prints one as it is served\n", m.Version, len(m.Rows))
	return err
}

// statusOf is "-" for a connection on which no status comes.
func statusOf(f *fixture.Fixture) string {
	if f.Answer.Status == 0 {
		return "-"
	}
	return strconv.Itoa(f.Answer.Status)
}

// listed is one fixture in JSON.
type listed struct {
	Name    string   `json:"name"`
	Dialect string   `json:"dialect"`
	Status  int      `json:"status"` // 0: none comes
	Family  string   `json:"family"`
	Class   string   `json:"class"`
	Hazard  string   `json:"hazard"`
	Modes   []string `json:"modes"`
	Why     string   `json:"why"`
	Source  string   `json:"source"`
	Digest  string   `json:"digest"`
}

func listFixturesJSON(w io.Writer, m *fixture.Matrix) error {
	all := struct {
		Matrix   string   `json:"matrix"`
		Fixtures []listed `json:"fixtures"`
	}{Matrix: m.Version}
	for _, f := range m.Rows {
		all.Fixtures = append(all.Fixtures, listed{
			f.Name, f.Dialect, f.Answer.Status, f.Family, string(f.Class), string(f.Hazard), modesOf(f), f.Why, f.Source.From, f.Digest(),
		})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(all)
}

func modesOf(f *fixture.Fixture) []string {
	var modes []string
	for _, m := range []fixture.Mode{fixture.Plain, fixture.Stream} {
		if f.In(m) {
			modes = append(modes, string(m))
		}
	}
	return modes
}

// rowsOf lists the rows of one dialect.
func rowsOf(m *fixture.Matrix, dialect string) []*fixture.Fixture {
	var rows []*fixture.Fixture
	for _, f := range m.Rows {
		if f.Dialect == dialect {
			rows = append(rows, f)
		}
	}
	return rows
}

func newFixturesShow(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Short:   "Print a fixture as the stub serves it, with why it exists and where it comes from",
		Example: "  preservecheck fixtures show tier_cap\n  preservecheck fixtures show ok_stream",
		Args:    cobra.ArbitraryArgs,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return fixtureNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("preservecheck fixtures list shows all names", "fixtures show needs one name, but there are %d", len(args))
			}
			m, err := fixture.Builtin()
			if err != nil {
				return err
			}
			f := m.Get(args[0])
			if f == nil {
				return usage(didYouMean(args[0], fixtureNames(), "preservecheck fixtures list shows all"), "there is no fixture %q", args[0])
			}
			return unwritten(showFixture(a.out, f))
		},
	}
}

// fixtureNames lists rows and canaries.
func fixtureNames() []string {
	var names []string
	if m, err := fixture.Builtin(); err == nil {
		for _, f := range append(append([]*fixture.Fixture{}, m.Rows...), m.Canaries...) {
			names = append(names, f.Name)
		}
	}
	return names
}

// showFixture prints what is known of a fixture, then its bytes over HTTP/1.1, a line each and made safe to print.
func showFixture(w io.Writer, f *fixture.Fixture) error {
	var b bytes.Buffer
	for _, line := range [][2]string{
		{"fixture", f.Name}, {"dialect", f.Dialect}, {"class", string(f.Class)}, {"hazard", string(f.Hazard)},
		{"modes", strings.Join(modesOf(f), ", ")}, {"why", f.Why},
		{"source", fmt.Sprintf("%s: %s (read %s)", f.Source.Kind, f.Source.From, f.Source.Read)}, {"ends", string(f.Answer.End)},
	} {
		fmt.Fprintf(&b, "%-8s %s\n", line[0], report.Plain(line[1]))
	}
	fmt.Fprintf(&b, "\nas served (%s stands for the id of the hit):\n\n", fixture.NoID)
	r := f.Render(true, false)
	var raw []byte
	for i := range r.Writes() {
		if p := r.Pause(i); p > 0 {
			raw = append(raw, fmt.Sprintf("\n(pause of %s)\n", p)...)
		}
		raw = r.Append(raw, i, fixture.NoID)
	}
	for line := range bytes.Lines(raw) {
		fmt.Fprintf(&b, "%s\n", report.Plain(strings.TrimRight(string(line), "\r\n")))
	}
	_, err := b.WriteTo(w)
	return err
}
