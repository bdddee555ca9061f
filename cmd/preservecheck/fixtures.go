package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/preservecheck/preservecheck/dialects"
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
	width := columns(w)
	rows := [][]string{{"NAME", "STATUS", "CLASS", "HAZARD", "MODES", "WHY"}}
	for _, f := range m.Rows {
		rows = append(rows, []string{f.Name, strconv.Itoa(f.Answer.Status), string(f.Class), string(f.Hazard), strings.Join(modesOf(f), "+"), f.Why})
	}
	if err := report.Table(w, rows, width); err != nil {
		return err
	}
	return report.Prose(w, fmt.Sprintf("\nmatrix %s, %d fixtures; preservecheck fixtures show NAME prints one as it is served\n%s",
		m.Version, len(m.Rows), canariesLine(m)), width)
}

// canariesLine names the successes of a matrix, which are no rows.
func canariesLine(m *fixture.Matrix) string {
	if len(m.Canaries) == 0 {
		return ""
	}
	var names []string
	for _, f := range m.Canaries {
		names = append(names, f.Name)
	}
	return "\ncanaries, the successes that prove the way through a layer open and are no rows: " + strings.Join(names, ", ")
}

// listed is one fixture in JSON.
type listed struct {
	Name    string   `json:"name"`
	Dialect string   `json:"dialect"`
	Status  int      `json:"status"`
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
			f.Name, f.Dialect, f.Answer.Status, string(f.Class), string(f.Hazard), modesOf(f), f.Why, f.Source.From, f.Digest(),
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

// rowsOf lists the rows of some dialects, in the matrix's order.
func rowsOf(m *fixture.Matrix, ds []*dialects.Dialect) []*fixture.Fixture {
	var rows []*fixture.Fixture
	for _, f := range m.Rows {
		if slices.Contains(ds, dialects.ByName(f.Dialect)) {
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
		_ = report.Hanging(&b, fmt.Sprintf("%-8s ", line[0]), line[1], columns(w))
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
